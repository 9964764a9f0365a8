package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// OrganizationSettings are what an organization says of itself to traders, and
// what may leave the machine.
type OrganizationSettings struct {
	ID            uuid.UUID  `bun:"id"`
	Name          string     `bun:"name"`
	Contact       *string    `bun:"contact"`        // whom traders ask; nil: nobody is named
	LawfulBasis   *string    `bun:"lawful_basis"`   // why recording is lawful; nil: as configured
	OffBoxSpeech  bool       `bun:"off_box_speech"` // recordings may go to the configured speech server
	OffBoxProse   bool       `bun:"off_box_prose"`  // transcripts may go to the configured chat server
	CreatedAt     time.Time  `bun:"created_at"`
	SettingsSetAt *time.Time `bun:"settings_at"` // nil: never changed
}

// OrganizationPatch says what to change; nil leaves it. A pointer to nil clears.
type OrganizationPatch struct {
	Name         *string
	Contact      **string
	LawfulBasis  **string
	OffBoxSpeech *bool
	OffBoxProse  *bool
	// If refuses the change by returning an error when it does not like the
	// settings as they are; nil: any will do.
	If func(OrganizationSettings) error
}

const settingsQuery = `SELECT id, name, contact, lawful_basis, off_box_speech, off_box_prose, created_at, settings_at FROM organizations WHERE id = ?`

// ReadSettings reads an organization's settings.
func ReadSettings(ctx context.Context, idb bun.IDB, id uuid.UUID) (s OrganizationSettings, err error) {
	err = idb.NewRaw(settingsQuery, id).Scan(ctx, &s)
	return s, err
}

// OrganizationSettings returns the settings of an organization. ErrNotFound.
func (db *DB) OrganizationSettings(ctx context.Context, id uuid.UUID) (s OrganizationSettings, err error) {
	defer WrapError(&err, "read settings of organization %s", id)
	return ReadSettings(ctx, db.Bun, id)
}

// UpdateOrganization changes settings of the organization. ErrConflict when
// another organization has the name. An empty patch changes nothing.
func (db *DB) UpdateOrganization(ctx context.Context, c Change, p OrganizationPatch) (s OrganizationSettings, err error) {
	defer WrapError(&err, "update organization %s", c.OrganizationID)
	s, err = MakeChange(ctx, db, c, func(ctx context.Context, tx *Tx) (s OrganizationSettings, err error) {
		if err := tx.NewRaw(settingsQuery+` FOR NO KEY UPDATE`, c.OrganizationID).Scan(ctx, &s); err != nil {
			return s, err
		}
		if p.If != nil {
			if err := p.If(s); err != nil {
				return s, err
			}
		}
		before := s
		named := p.apply(&s)
		if len(named) == 0 {
			return s, nil
		}
		if s.Name != before.Name {
			if err := lockOrganizationNames(ctx, tx); err != nil {
				return s, err
			}
		}
		err = tx.NewRaw(`UPDATE organizations SET name = ?0, contact = ?1, lawful_basis = ?2, off_box_speech = ?3, off_box_prose = ?4, settings_at = now()
WHERE id = ?5 AND NOT EXISTS (SELECT FROM organizations AS o WHERE lower(o.name) = lower(?0) AND o.id <> ?5)
RETURNING settings_at`, s.Name, s.Contact, s.LawfulBasis, s.OffBoxSpeech, s.OffBoxProse, s.ID).Scan(ctx, &s)
		if IsNoRows(err) {
			return s, ErrConflict
		}
		if err != nil {
			return s, err
		}
		tx.Audit(AuditOrganizationUpdated, s.ID, before.audited().Pick(named), s.audited().Pick(named))
		return s, nil
	})
	return s, err
}

// apply changes the settings, and returns the names of those that are given.
func (p OrganizationPatch) apply(s *OrganizationSettings) (named []string) {
	if p.Name != nil {
		s.Name, named = *p.Name, append(named, "name")
	}
	if p.Contact != nil {
		s.Contact, named = *p.Contact, append(named, "contact")
	}
	if p.LawfulBasis != nil {
		s.LawfulBasis, named = *p.LawfulBasis, append(named, "lawful_basis")
	}
	if p.OffBoxSpeech != nil {
		s.OffBoxSpeech, named = *p.OffBoxSpeech, append(named, "off_box_speech")
	}
	if p.OffBoxProse != nil {
		s.OffBoxProse, named = *p.OffBoxProse, append(named, "off_box_prose")
	}
	return named
}

// audited is what the audit log holds of settings. The contact may be a person.
func (s OrganizationSettings) audited() AuditFields {
	return AuditFields{
		"name": s.Name, "contact": MaskSet(s.Contact != nil), "lawful_basis": s.LawfulBasis, "off_box_speech": s.OffBoxSpeech, "off_box_prose": s.OffBoxProse,
	}
}
