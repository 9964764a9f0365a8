package activity

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
)

// Ruleset is a version of an organization's thresholds for the analysis of
// activity.
type Ruleset struct {
	Number    int             `bun:"number"` // from 1, within the organization
	Hash      []byte          `bun:"hash"`   // SHA-256 of Body
	Body      json.RawMessage `bun:"body"`   // as uploaded
	CreatedBy string          `bun:"created_by"`
	CreatedAt time.Time       `bun:"created_at"`
}

// Calendar is a version of an organization's calendar of scheduled news.
type Calendar struct {
	Number  int        `bun:"number"` // from 1, within the organization
	Hash    []byte     `bun:"hash"`   // SHA-256 of Body
	Body    []byte     `bun:"body"`   // CSV as uploaded
	Events  int        `bun:"events"`
	FirstAt *time.Time `bun:"first_at"` // nil if there are no events
	LastAt  *time.Time `bun:"last_at"`

	CreatedBy string    `bun:"created_by"`
	CreatedAt time.Time `bun:"created_at"`
}

const (
	rulesetColumns  = `number, hash, body, created_by, created_at`
	calendarColumns = `number, hash, body, events, first_at, last_at, created_by, created_at`
)

// ReadRuleset returns the newest ruleset of the organization. It returns ErrNotFound if the
// organization has none of its own.
func ReadRuleset(ctx context.Context, db *store.DB, orgID uuid.UUID) (r Ruleset, err error) {
	defer store.WrapError(&err, "read ruleset of organization %s", orgID)
	return newestRuleset(ctx, db.Bun, orgID)
}

func newestRuleset(ctx context.Context, tx bun.IDB, orgID uuid.UUID) (r Ruleset, err error) {
	err = tx.NewRaw(`SELECT `+rulesetColumns+` FROM analysis_rulesets WHERE organization_id = ? ORDER BY number DESC LIMIT 1`, orgID).Scan(ctx, &r)
	return r, err
}

// ReplaceRuleset makes body the organization's ruleset. Earlier ones are kept. If condition is not
// nil, it is called with the current ruleset, or nil if there is none, while a lock prevents others
// from replacing it. ReplaceRuleset returns its error. A body equal to the newest changes nothing.
func ReplaceRuleset(ctx context.Context, db *store.DB, c store.Change, body json.RawMessage, condition func(*Ruleset) error) (r Ruleset, err error) {
	defer store.WrapError(&err, "replace ruleset of organization %s", c.OrganizationID)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (r Ruleset, err error) {
		before, err := newestLocked(ctx, tx, c.OrganizationID, newestRuleset)
		if err != nil {
			return r, err
		}
		if condition != nil {
			if err := condition(before); err != nil {
				return r, err
			}
		}
		hash, number, was := sha256.Sum256(body), 1, store.AuditFields(nil)
		if before != nil {
			if [sha256.Size]byte(before.Hash) == hash {
				return *before, nil
			}
			number, was = before.Number+1, versionFields(before.Number, before.Hash)
		}
		err = tx.NewRaw(`INSERT INTO analysis_rulesets (organization_id, number, hash, body, created_by) VALUES (?, ?, ?, ?, ?) RETURNING `+rulesetColumns,
			c.OrganizationID, number, hash[:], string(body), c.By).Scan(ctx, &r)
		if err != nil {
			return r, err
		}
		tx.Audit(action.RulesetReplaced, c.OrganizationID, was, versionFields(r.Number, r.Hash))
		return r, nil
	})
}

// ReadCalendar returns the newest calendar of the organization. It returns ErrNotFound if there is
// none.
func ReadCalendar(ctx context.Context, db *store.DB, orgID uuid.UUID) (r Calendar, err error) {
	defer store.WrapError(&err, "read calendar of organization %s", orgID)
	return newestCalendar(ctx, db.Bun, orgID)
}

func newestCalendar(ctx context.Context, tx bun.IDB, orgID uuid.UUID) (r Calendar, err error) {
	err = tx.NewRaw(`SELECT `+calendarColumns+` FROM analysis_calendars WHERE organization_id = ? ORDER BY number DESC LIMIT 1`, orgID).Scan(ctx, &r)
	return r, err
}

// ReplaceCalendar makes n the organization's calendar, using its Body, Events, FirstAt and LastAt.
// Earlier ones are kept. A body equal to the newest changes nothing.
func ReplaceCalendar(ctx context.Context, db *store.DB, c store.Change, n Calendar) (r Calendar, err error) {
	defer store.WrapError(&err, "replace calendar of organization %s", c.OrganizationID)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (r Calendar, err error) {
		before, err := newestLocked(ctx, tx, c.OrganizationID, newestCalendar)
		if err != nil {
			return r, err
		}
		hash, number, was := sha256.Sum256(n.Body), 1, store.AuditFields(nil)
		if before != nil {
			if [sha256.Size]byte(before.Hash) == hash {
				return *before, nil
			}
			number, was = before.Number+1, before.auditFields()
		}
		err = tx.NewRaw(`INSERT INTO analysis_calendars (organization_id, number, hash, body, events, first_at, last_at, created_by) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
RETURNING `+calendarColumns, c.OrganizationID, number, hash[:], n.Body, n.Events, n.FirstAt, n.LastAt, c.By).Scan(ctx, &r)
		if err != nil {
			return r, err
		}
		tx.Audit(action.CalendarReplaced, c.OrganizationID, was, r.auditFields())
		return r, nil
	})
}

func (c Calendar) auditFields() store.AuditFields {
	fields := versionFields(c.Number, c.Hash)
	fields["events"] = c.Events
	return fields
}

func versionFields(number int, hash []byte) store.AuditFields {
	return store.AuditFields{"number": number, "hash": fmt.Sprintf("%x", hash)}
}

// newestLocked reads the newest version, or nil if there is none, and prevents others from
// replacing it until the transaction ends.
func newestLocked[T any](ctx context.Context, tx bun.IDB, orgID uuid.UUID, read func(context.Context, bun.IDB, uuid.UUID) (T, error)) (*T, error) {
	var locked uuid.UUID
	if err := tx.NewRaw(`SELECT id FROM organizations WHERE id = ? FOR NO KEY UPDATE`, orgID).Scan(ctx, &locked); err != nil {
		return nil, err
	}
	newest, err := read(ctx, tx, orgID)
	if store.IsNoRows(err) {
		return nil, nil
	}
	return &newest, err
}
