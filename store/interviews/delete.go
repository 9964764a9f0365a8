package interviews

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/event"
)

// Tables lists every table with rows of an interview, with the column that refers to it. The table
// of interviews itself is last. All of an interview's blobs are below Prefix. Events
// (webhook_events) and responses for repeated requests (idempotency_keys) also refer to the
// interview. The removal that its deletion leaves behind cleans them up. The audit log keeps its
// id.
func Tables() []Table {
	names := []string{
		"interview_views", "interview_shares", "interview_claims", "interview_decisions", "interview_reports", "interview_files",
		"interview_activities", "interview_subtitles", "interview_transcripts", "interview_media", "interview_steps", "interview_events",
		"interview_takes", "interview_devices", "interview_consents", "interview_sessions", "interview_invites", "interview_questions",
	}
	tables := []Table{{"interview_take_parts", `take_id IN (SELECT id FROM interview_takes WHERE interview_id = ?)`}}
	for _, name := range names {
		tables = append(tables, Table{name, `interview_id = ?`})
	}
	return append(tables, Table{"interviews", `id = ?`})
}

// Table is a table with rows of interviews.
type Table struct{ Name, of string }

// Delete deletes an interview with everything that belongs to it: rows at once, blobs by the
// removal that it leaves behind. Links and playback addresses become invalid at once, and workers
// drop their output. A trader whom the interview created is deleted with it, unless something else
// refers to the trader by now. It returns ErrNotFound or ErrLegalHold.
func Delete(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID) (err error) {
	defer store.WrapError(&err, "delete interview %s", id)
	_, err = store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (none struct{}, err error) {
		trader, err := lockTraderOf(ctx, tx, c.OrganizationID, id, `interview_only AND integration_id IS NULL`, "FOR UPDATE")
		if err != nil {
			return none, err
		}
		l, err := lockInterview(ctx, tx, c.OrganizationID, id)
		if err != nil {
			return none, err
		}
		if err := deleteInterview(ctx, tx, l); err != nil || l.TraderID != trader {
			return none, err
		}
		return none, deleteBrought(ctx, tx, c.OrganizationID, trader)
	})
	return err
}

// lockTraderOf locks the trader of an interview if a condition holds, and returns the trader's id.
// Traders are locked before their interviews. The interview may belong to another trader by the
// time it is locked. It returns sql.ErrNoRows if the organization has no such interview.
func lockTraderOf(ctx context.Context, tx bun.IDB, orgID, id uuid.UUID, condition, lock string) (trader uuid.UUID, err error) {
	if err := tx.NewRaw(`SELECT trader_id FROM interviews WHERE id = ? AND organization_id = ?`, id, orgID).Scan(ctx, &trader); err != nil {
		return trader, err
	}
	var locked uuid.UUID
	err = tx.NewRaw(`SELECT id FROM traders WHERE id = ? AND `+condition+` `+lock, trader).Scan(ctx, &locked)
	return trader, ignoreNoRows(err)
}

// deleteInterview deletes an interview that is locked.
func deleteInterview(ctx context.Context, tx *store.Tx, l lockedInterview) error {
	if l.Held {
		return store.ErrLegalHold
	}
	if err := emitInterview(ctx, tx, event.InterviewDeleted, l.ID); err != nil {
		return err
	}
	if err := removeFile(ctx, tx, l.ID); err != nil {
		return err
	}
	if err := store.ForgetAnswers(ctx, tx, l.ID); err != nil {
		return err
	}
	var worked bool // steps of it have begun and not ended
	err := tx.NewRaw(`SELECT coalesce(bool_or(run > 0 AND status IN ('pending', 'queued', 'running')), false)
FROM (SELECT run, status FROM interview_steps WHERE interview_id = ? FOR UPDATE) AS s`, l.ID).Scan(ctx, &worked)
	if err != nil {
		return err
	}
	for _, table := range Tables() {
		if _, err := tx.NewRaw(`DELETE FROM `+table.Name+` WHERE `+table.of, l.ID).Exec(ctx); err != nil {
			return err
		}
	}
	if _, err := tx.NewRaw(`UPDATE interviews SET retake_of_id = NULL WHERE retake_of_id = ?`, l.ID).Exec(ctx); err != nil {
		return err
	}
	if l.Status == InProgress || worked { // uploads and workers that are still running may write after the first removal
		if err := addRemoval(ctx, tx, l.OrganizationID, l.ID, Prefix(l.ID), false, lateWrites); err != nil {
			return err
		}
	}
	if err := addRemoval(ctx, tx, l.OrganizationID, l.ID, Prefix(l.ID), true, 0); err != nil {
		return err
	}
	tx.Audit(store.AuditInterviewDeleted, l.ID, store.AuditFields{"status": l.Status}, nil)
	return nil
}

// deleteBrought deletes a trader whom an interview created and nobody has changed since, once there
// is no interview left.
func deleteBrought(ctx context.Context, tx *store.Tx, orgID, trader uuid.UUID) error {
	var gone uuid.UUID
	err := tx.NewRaw(`DELETE FROM traders AS t WHERE t.id = ? AND t.organization_id = ? AND t.interview_only AND t.integration_id IS NULL
    AND NOT EXISTS (SELECT FROM interviews WHERE trader_id = t.id) AND NOT EXISTS (SELECT FROM activity_files WHERE trader_id = t.id)
    AND NOT EXISTS (SELECT FROM trader_notes WHERE trader_id = t.id) RETURNING t.id`,
		trader, orgID).Scan(ctx, &gone)
	if store.IsNoRows(err) {
		return nil
	}
	if err != nil {
		return err
	}
	tx.Audit(store.AuditTraderErased, trader, nil, nil)
	return nil
}

// Removal is the pending removal of data outside of the database's reach: the blobs below a prefix.
type Removal struct {
	ID             uuid.UUID `bun:"id"`
	OrganizationID uuid.UUID `bun:"organization_id"`
	InterviewID    uuid.UUID `bun:"interview_id"`
	Prefix         string    `bun:"prefix"` // ends in a slash
	Whole          bool      `bun:"whole"`  // the interview is gone
	Attempts       int       `bun:"attempts"`
}

// lateWrites is longer than any request body may take to arrive, and than a worker may continue
// with a step whose lease it has lost.
const lateWrites = 5 * time.Minute

// addRemoval schedules the removal of the blobs below the prefix.
func addRemoval(ctx context.Context, tx bun.IDB, orgID, id uuid.UUID, prefix string, whole bool, after time.Duration) error {
	_, err := tx.NewRaw(`INSERT INTO removals (id, organization_id, interview_id, prefix, whole, due_at) VALUES (?, ?, ?, ?, ?, now() + ?::interval)`,
		store.NewID(), orgID, id, prefix, whole, store.IntervalText(after)).Exec(ctx)
	return err
}

// removalLease is how long a removal is claimed.
const removalLease = 5 * time.Minute

// ClaimRemovals claims due removals for five minutes.
func ClaimRemovals(ctx context.Context, db *store.DB, most int) (list []Removal, err error) {
	defer store.WrapError(&err, "claim removals")
	err = db.Bun.NewRaw(`UPDATE removals SET due_at = now() + ?::interval, attempts = attempts + 1
WHERE id IN (SELECT id FROM removals WHERE due_at <= now() ORDER BY due_at, id LIMIT ? FOR UPDATE SKIP LOCKED)
RETURNING id, organization_id, interview_id, prefix, whole, attempts`, store.IntervalText(removalLease), most).Scan(ctx, &list)
	return list, err
}

// ErrStillUsed means that events about the removed interview have not been delivered yet.
var ErrStillUsed = errors.New("still in use")

// FinishRemoval records that no blobs are left below the removal's prefix. For a deleted interview
// it also removes its traces in events. It returns ErrStillUsed while events of the interview are
// still to be delivered. In that case the removal is due again in a minute.
func FinishRemoval(ctx context.Context, db *store.DB, r Removal) (err error) {
	defer store.WrapError(&err, "finish removal %s", r.ID)
	used := false
	err = db.InTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if r.Whole {
			if used, err = removeTraces(ctx, tx, r); err != nil {
				return err
			}
		}
		statement := `DELETE FROM removals WHERE id = ?`
		if used {
			statement = `UPDATE removals SET due_at = now() + interval '1 minute' WHERE id = ?`
		}
		_, err := tx.NewRaw(statement, r.ID).Exec(ctx)
		return err
	})
	if err == nil && used {
		err = ErrStillUsed
	}
	return err
}

// ofInterview selects events e of an organization ? that refer to the interview ?.
const ofInterview = `e.organization_id = ? AND e.type LIKE 'interview.%' AND e.data->>'interview_id' = ?`

// removeTraces removes references to a deleted interview outside of its own tables. Events that
// webhooks have not received yet are delivered first, because they contain only ids. Afterwards the
// webhooks' history shows that they received events of an interview, but not of which one.
// Responses of receivers are removed, too, because they may repeat the events.
func removeTraces(ctx context.Context, tx bun.IDB, r Removal) (used bool, err error) {
	for _, statement := range []string{
		`WITH gone AS (UPDATE webhook_events AS e SET data = NULL WHERE ` + ofInterview + `
    AND NOT EXISTS (SELECT FROM webhook_deliveries AS d WHERE d.event_id = e.id AND d.status = 'pending') RETURNING e.id)
UPDATE webhook_attempts AS a SET response_body = NULL FROM gone JOIN webhook_deliveries AS d ON d.event_id = gone.id
WHERE a.delivery_id = d.id AND a.response_body IS NOT NULL`,
		`UPDATE idempotency_keys SET location = NULL WHERE organization_id = ? AND location LIKE '%' || ? || '%'`,
	} {
		if _, err := tx.NewRaw(statement, r.OrganizationID, r.InterviewID.String()).Exec(ctx); err != nil {
			return false, err
		}
	}
	err = tx.NewRaw(`SELECT EXISTS (SELECT FROM webhook_events AS e WHERE `+ofInterview+`)`, r.OrganizationID, r.InterviewID.String()).Scan(ctx, &used)
	return used, err
}

// PostponeRemoval records why a removal failed. It is retried later without a limit.
func PostponeRemoval(ctx context.Context, db *store.DB, r Removal, cause error) (err error) {
	defer store.WrapError(&err, "put off removal %s", r.ID)
	text := cause.Error()
	_, err = db.Bun.NewRaw(`UPDATE removals SET due_at = now() + least(interval '1 minute' * attempts * attempts, interval '1 hour'), last_error = ? WHERE id = ?`,
		text[:min(len(text), maxStepError)], r.ID).Exec(ctx)
	return err
}

// CountRemovals returns how many removals are pending and how long the oldest has been waiting,
// which is 0 if there is none.
func CountRemovals(ctx context.Context, db *store.DB) (count int64, oldest time.Duration, err error) {
	defer store.WrapError(&err, "count removals")
	var seconds float64
	err = db.Pool.QueryRow(ctx, `SELECT count(*), coalesce(extract(epoch FROM now() - min(created_at)), 0)::float8 FROM removals`).Scan(&count, &seconds)
	return count, time.Duration(seconds * float64(time.Second)), err
}
