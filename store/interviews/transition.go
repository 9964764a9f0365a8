package interviews

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/event"
)

// Path returns the path of an interview in the API.
func Path(id uuid.UUID) string { return "/v1/interviews/" + id.String() }

// Emit emits an event about an interview in its current state.
func Emit(ctx context.Context, tx *store.Tx, kind event.Kind, id uuid.UUID) error {
	data, err := eventData(ctx, tx, id)
	if err == nil {
		tx.Emit(event.Event{Kind: kind, Data: data})
		tx.TouchInterview(id)
	}
	return err
}

// eventData reads the data of events about an interview.
func eventData(ctx context.Context, tx bun.IDB, id uuid.UUID) (data event.Interview, err error) {
	var row struct {
		TraderID        uuid.UUID  `bun:"trader_id"`
		Status          string     `bun:"status"`
		Reference       *string    `bun:"reference"`
		Partial         bool       `bun:"partial"`
		Decision        *string    `bun:"decision"`
		AssigneeID      *uuid.UUID `bun:"assignee_id"`
		ReportVersion   int        `bun:"report_version"`
		InviteExpiresAt time.Time  `bun:"invite_expires_at"`
		CompleteBy      *time.Time `bun:"complete_by"`
		RetakeOfID      *uuid.UUID `bun:"retake_of_id"`
	}
	err = tx.NewRaw(`SELECT trader_id, status, reference, partial, decision, assignee_id, report_version, invite_expires_at, complete_by, retake_of_id
FROM interviews WHERE id = ?`, id).Scan(ctx, &row)
	return event.Interview{
		InterviewID: id, TraderID: row.TraderID, Reference: row.Reference, Status: row.Status, Partial: row.Partial, Decision: row.Decision,
		AssigneeID: row.AssigneeID, ReportVersion: row.ReportVersion, InviteExpiresAt: row.InviteExpiresAt, CompleteBy: row.CompleteBy,
		RetakeOfID: row.RetakeOfID, Path: Path(id),
	}, err
}

// ChangeStatus changes an interview's status if it is from, by a guarded update, and reports
// whether it was. set is SQL.
func ChangeStatus(ctx context.Context, tx bun.IDB, id uuid.UUID, from Status, set string, args ...any) (moved bool, err error) {
	args = append(args, id, from)
	result, err := tx.NewRaw(`UPDATE interviews SET `+set+`, updated_at = now() WHERE id = ? AND status = ?`, args...).Exec(ctx)
	if err != nil {
		return false, err
	}
	n, err := result.RowsAffected()
	return n == 1, err
}
