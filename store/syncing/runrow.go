package syncing

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
)

// The columns of sync_runs that a run sets: the list of an insert, the selection from a JSON record
// e, and the definition of that record.
const (
	runColumns = `id, integration_id, cycle_id, resource, trigger, mode, status, pages, requests, records_seen, records_inserted, records_updated,
        records_unchanged, records_quarantined, throttled_ms, updated_since, error, started_at, finished_at`
	runSelection = `e.id, $1, e.cycle_id, e.resource, e.trigger, e.mode, e.status, e.pages, e.requests, e.records_seen, e.records_inserted, e.records_updated,
        e.records_unchanged, e.records_quarantined, e.throttled_ms, e.updated_since, e.error, e.started_at, e.finished_at`
	runRecord = `id uuid, cycle_id uuid, resource text, trigger text, mode text, status text, pages bigint, requests bigint, records_seen bigint,
        records_inserted bigint, records_updated bigint, records_unchanged bigint, records_quarantined bigint, throttled_ms bigint,
        updated_since timestamptz, error jsonb, started_at timestamptz, finished_at timestamptz`
)

// runRow is a run in the form of those columns.
type runRow struct {
	ID           uuid.UUID       `json:"id"`
	CycleID      uuid.UUID       `json:"cycle_id"`
	Resource     record.Resource `json:"resource"`
	Trigger      Trigger         `json:"trigger"`
	Mode         Mode            `json:"mode"`
	Status       RunStatus       `json:"status"`
	Pages        int64           `json:"pages"`
	Requests     int64           `json:"requests"`
	Seen         int64           `json:"records_seen"`
	Inserted     int64           `json:"records_inserted"`
	Updated      int64           `json:"records_updated"`
	Unchanged    int64           `json:"records_unchanged"`
	Quarantined  int64           `json:"records_quarantined"`
	ThrottledMS  int64           `json:"throttled_ms"`
	UpdatedSince *time.Time      `json:"updated_since"`
	Error        *Error          `json:"error"`
	StartedAt    time.Time       `json:"started_at"`
	FinishedAt   *time.Time      `json:"finished_at"`
}

func newRunRow(run *OpenRun, status RunStatus, failure *Error, finishedAt time.Time) runRow {
	mode := run.Mode
	if run.Trigger == TriggerAudit { // it reads what exists, not what has changed
		mode = ModeBackfill
	}
	return runRow{
		ID: run.ID, CycleID: run.CycleID, Resource: run.Stream.Resource(), Trigger: run.Trigger, Mode: mode, Status: status,
		Pages: run.Pages, Requests: run.Requests, Seen: run.Seen, Inserted: run.Inserted, Updated: run.Updated,
		Unchanged: run.Unchanged + run.Stale, Quarantined: run.Quarantined, ThrottledMS: run.ThrottledMS,
		UpdatedSince: store.OrNil(run.UpdatedSince), Error: failure, StartedAt: run.StartedAt, FinishedAt: store.OrNil(finishedAt),
	}
}

// InsertRun inserts the row of a running run.
func InsertRun(ctx context.Context, tx pgx.Tx, integrationID uuid.UUID, run *OpenRun) error {
	r := newRunRow(run, RunRunning, nil, time.Time{})
	_, err := tx.Exec(ctx, `INSERT INTO sync_runs (id, integration_id, cycle_id, resource, trigger, mode, status, pages, requests, updated_since, started_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT (id) DO NOTHING`,
		r.ID, integrationID, r.CycleID, string(r.Resource), string(r.Trigger), string(r.Mode), string(r.Status), r.Pages, r.Requests, r.UpdatedSince, r.StartedAt)
	return err
}

// EndRun writes the row of an ended run.
func EndRun(ctx context.Context, tx pgx.Tx, integrationID uuid.UUID, e *EndedRun) error {
	if err := InsertRun(ctx, tx, integrationID, &e.Run); err != nil {
		return err
	}
	r := newRunRow(&e.Run, e.Status, e.Error, e.FinishedAt)
	var failure *string
	if r.Error != nil {
		text, err := json.Marshal(r.Error)
		if err != nil {
			return err
		}
		failure = store.OrNil(string(text))
	}
	_, err := tx.Exec(ctx, `UPDATE sync_runs SET status = $3, pages = $4, requests = $5, records_seen = $6, records_inserted = $7, records_updated = $8,
    records_unchanged = $9, records_quarantined = $10, throttled_ms = $11, error = $12::jsonb, finished_at = $13, updated_since = $14
WHERE id = $1 AND integration_id = $2`, r.ID, integrationID, string(r.Status), r.Pages, r.Requests, r.Seen, r.Inserted, r.Updated, r.Unchanged, r.Quarantined,
		r.ThrottledMS, failure, r.FinishedAt, r.UpdatedSince)
	return err
}

// RelistRun corrects trigger and lookback in the row of a running run, after a stream that reads
// further back has joined it. It does nothing under a lease that is no longer held.
func RelistRun(ctx context.Context, db *store.DB, lease Lease, run *OpenRun) (err error) {
	defer store.WrapError(&err, "list run of integration %s", lease.IntegrationID)
	_, err = db.Bun.NewRaw(`UPDATE sync_runs SET trigger = ?, mode = ?, updated_since = ?
WHERE id = ? AND EXISTS (SELECT FROM sync_state WHERE integration_id = ? AND token = ?)`,
		run.Trigger, run.Mode, store.OrNil(run.UpdatedSince), run.ID, lease.IntegrationID, lease.Token).Exec(ctx)
	return err
}

// encodeEnded splits ended runs into rows of their own and repeats of a row.
func encodeEnded(runs []EndedRun) (ended, repeats string, err error) {
	own, again := []runRow{}, []runRow{}
	for _, e := range runs {
		row := newRunRow(&e.Run, e.Status, e.Error, e.FinishedAt)
		if e.RepeatOf != uuid.Nil {
			row.ID = e.RepeatOf
			again = append(again, row)
			continue
		}
		own = append(own, row)
	}
	ownText, err := json.Marshal(own)
	if err != nil {
		return "", "", err
	}
	againText, err := json.Marshal(again)
	return string(ownText), string(againText), err
}
