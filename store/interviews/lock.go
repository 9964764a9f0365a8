package interviews

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
)

// CheckUser refuses a user who is not an active person of the organization.
func CheckUser(ctx context.Context, tx bun.IDB, orgID, id uuid.UUID) error {
	_, err := access.FindPerson(ctx, tx, orgID, id, "FOR KEY SHARE")
	if store.IsNoRows(err) {
		return ErrUnknownUser
	}
	return err
}

// Lock locks an interview, and returns what decides which actions are permitted. It
// returns sql.ErrNoRows if the organization has no such interview.
func Lock(ctx context.Context, tx bun.IDB, orgID, id uuid.UUID) (l Locked, err error) {
	err = tx.NewRaw(`SELECT id, organization_id, trader_id, status, started_at IS NOT NULL AS started, hold_at IS NOT NULL AS held, report_version,
    retention_days, window_hours, retake_of_id, complete_by, decision, assignee_id, communicated_at IS NOT NULL AS communicated, purged_at IS NOT NULL AS purged, media_purge_at IS NOT NULL AS media_kept
FROM interviews WHERE id = ? AND organization_id = ? FOR NO KEY UPDATE`, id, orgID).Scan(ctx, &l)
	return l, err
}

// Locked is what decides which actions on an interview are permitted.
type Locked struct {
	ID             uuid.UUID  `bun:"id"`
	OrganizationID uuid.UUID  `bun:"organization_id"`
	TraderID       uuid.UUID  `bun:"trader_id"`
	Status         Status     `bun:"status"`
	Started        bool       `bun:"started"`
	Held           bool       `bun:"held"`
	ReportVersion  int        `bun:"report_version"`
	RetentionDays  int        `bun:"retention_days"`
	WindowHours    int        `bun:"window_hours"`
	RetakeOfID     *uuid.UUID `bun:"retake_of_id"`
	CompleteBy     *time.Time `bun:"complete_by"`
	Decision       *Decision  `bun:"decision"`
	AssigneeID     *uuid.UUID `bun:"assignee_id"`
	Communicated   bool       `bun:"communicated"`
	Purged         bool       `bun:"purged"`
	MediaKept      bool       `bun:"media_kept"` // the recording exists
}

// StateError returns the error for an action that the interview's status does not permit.
func (l Locked) StateError(err error) error {
	return &StateError{Err: err, Status: l.Status, CompleteBy: l.CompleteBy}
}

// LockTrader locks the trader of an interview if a condition holds, and returns the trader's id.
// Traders are locked before their interviews. The interview may belong to another trader by the
// time it is locked. It returns sql.ErrNoRows if the organization has no such interview.
func LockTrader(ctx context.Context, tx bun.IDB, orgID, id uuid.UUID, condition, lock string) (trader uuid.UUID, err error) {
	if err := tx.NewRaw(`SELECT trader_id FROM interviews WHERE id = ? AND organization_id = ?`, id, orgID).Scan(ctx, &trader); err != nil {
		return trader, err
	}
	var locked uuid.UUID
	err = tx.NewRaw(`SELECT id FROM traders WHERE id = ? AND `+condition+` `+lock, trader).Scan(ctx, &locked)
	return trader, store.IgnoreNoRows(err)
}

// Change runs fn on an interview of the organization, whose row is locked, and returns the
// changed interview. It returns ErrNotFound if there is none.
func Change(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID, fn func(ctx context.Context, tx *store.Tx, l Locked) error) (Interview, error) {
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (Interview, error) {
		l, err := Lock(ctx, tx, c.OrganizationID, id)
		if err != nil {
			return Interview{}, err
		}
		if err := fn(ctx, tx, l); err != nil {
			return Interview{}, err
		}
		return ReadIn(ctx, tx, c.OrganizationID, id)
	})
}
