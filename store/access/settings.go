package access

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
)

// Settings are what traders learn about an organization, and which data may leave the machine.
type Settings struct {
	ID            uuid.UUID  `bun:"id"`
	Name          string     `bun:"name"`
	Contact       *string    `bun:"contact"`        // whom traders ask; nil if nobody is named
	LawfulBasis   *string    `bun:"lawful_basis"`   // why recording is lawful; nil for the configured text
	OffBoxSpeech  bool       `bun:"off_box_speech"` // recordings may go to the configured speech server
	OffBoxProse   bool       `bun:"off_box_prose"`  // transcripts may go to the configured chat server
	CreatedAt     time.Time  `bun:"created_at"`
	SettingsSetAt *time.Time `bun:"settings_at"` // nil if never changed
}

// SettingsPatch is a change of settings. A nil member remains unchanged, and a pointer to nil
// clears.
type SettingsPatch struct {
	Name         *string
	Contact      **string
	LawfulBasis  **string
	OffBoxSpeech *bool
	OffBoxProse  *bool
	// If refuses the change by returning an error about the current settings. Nil accepts any
	// settings.
	If func(Settings) error
}

const settingsQuery = `SELECT id, name, contact, lawful_basis, off_box_speech, off_box_prose, created_at, settings_at FROM organizations WHERE id = ?`

// ReadSettingsIn reads an organization's settings in a transaction, or outside of one.
func ReadSettingsIn(ctx context.Context, idb bun.IDB, id uuid.UUID) (s Settings, err error) {
	err = idb.NewRaw(settingsQuery, id).Scan(ctx, &s)
	return s, err
}

// ReadSettings returns the settings of an organization. It returns ErrNotFound if there is none.
func ReadSettings(ctx context.Context, db *store.DB, id uuid.UUID) (s Settings, err error) {
	defer store.WrapError(&err, "read settings of organization %s", id)
	return ReadSettingsIn(ctx, db.Bun, id)
}

// UpdateSettings changes settings of the organization. It returns ErrConflict if another
// organization has the name. An empty patch changes nothing.
func UpdateSettings(ctx context.Context, db *store.DB, c store.Change, p SettingsPatch) (s Settings, err error) {
	defer store.WrapError(&err, "update organization %s", c.OrganizationID)
	s, err = store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (s Settings, err error) {
		if err := tx.NewRaw(settingsQuery+` FOR NO KEY UPDATE`, c.OrganizationID).Scan(ctx, &s); err != nil {
			return s, err
		}
		if p.If != nil {
			if err := p.If(s); err != nil {
				return s, err
			}
		}
		before := s
		named := p.applyTo(&s)
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
		if store.IsNoRows(err) {
			return s, store.ErrConflict
		}
		if err != nil {
			return s, err
		}
		tx.Audit(action.OrganizationUpdated, s.ID, before.auditFields().Pick(named), s.auditFields().Pick(named))
		return s, nil
	})
	return s, err
}

// applyTo changes the settings, and returns the names of the given ones.
func (p SettingsPatch) applyTo(s *Settings) (named []string) {
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

// auditFields returns the audit log's view of the settings. The contact is masked because it may be
// a person.
func (s Settings) auditFields() store.AuditFields {
	return store.AuditFields{
		"name": s.Name, "contact": store.MaskSet(s.Contact != nil), "lawful_basis": s.LawfulBasis, "off_box_speech": s.OffBoxSpeech, "off_box_prose": s.OffBoxProse,
	}
}
