package syncing

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// RevokeLease revokes the lease of its holder and prevents the integration from being claimed.
func RevokeLease(ctx context.Context, tx bun.IDB, id uuid.UUID, reason string) error {
	_, err := tx.NewRaw(`UPDATE sync_state SET token = token + 1, owner = NULL, claimable_at = 'infinity', wait_reason = ?
WHERE integration_id = ?`, reason, id).Exec(ctx)
	return err
}

// StopPolling prevents the integration from being claimed until something lets it continue, and
// ends its cycle, because nobody knows when that will be. Open runs become interrupted, and their
// streams keep the checkpoints, from which the first cycle afterwards continues.
func StopPolling(ctx context.Context, tx bun.IDB, id uuid.UUID, reason string) error {
	if err := RevokeLease(ctx, tx, id, reason); err != nil {
		return err
	}
	open, err := OpenRuns(ctx, tx, id)
	if err != nil {
		return err
	}
	ended := make([]EndedRun, len(open))
	for n, run := range open {
		ended[n] = EndedRun{Run: *run, Status: RunInterrupted}
		if err := keepCheckpoint(ctx, tx, id, run); err != nil {
			return err
		}
	}
	if err := closeRuns(ctx, tx, id, ended); err != nil {
		return err
	}
	_, err = tx.NewRaw(`UPDATE sync_state SET run = NULL, cycle_id = NULL, cycle_trigger = NULL, cycle_started_at = NULL, throttling = NULL
WHERE integration_id = ?`, id).Exec(ctx)
	return err
}

// OpenRuns reads the open run of the running stream and the parked runs. While a stream's run is
// being resumed it may be in both places. The running one is then newer.
func OpenRuns(ctx context.Context, tx bun.IDB, id uuid.UUID) ([]*OpenRun, error) {
	var texts [][]byte
	err := tx.NewRaw(`SELECT run FROM sync_state WHERE integration_id = ?0 AND run IS NOT NULL
UNION ALL SELECT t.run FROM sync_streams AS t JOIN sync_state AS s USING (integration_id)
WHERE t.integration_id = ?0 AND t.run->>'id' <> ?1 AND t.stream IS DISTINCT FROM s.run->>'stream'`, id, uuid.Nil.String()).Scan(ctx, &texts)
	if err != nil {
		return nil, err
	}
	open := make([]*OpenRun, len(texts))
	for n, text := range texts {
		if open[n], err = DecodeRun(text); err != nil {
			return nil, err
		}
	}
	return open, nil
}

// keepCheckpoint stores the checkpoint of an open run in its stream.
func keepCheckpoint(ctx context.Context, tx bun.IDB, id uuid.UUID, run *OpenRun) error {
	if run.Cursor == "" { // there is nothing to continue from
		_, err := tx.NewRaw(`UPDATE sync_streams SET run = NULL WHERE integration_id = ? AND stream = ?`, id, run.Stream).Exec(ctx)
		return err
	}
	left := *run
	left.ID, left.Attempt, left.Listed, left.RunTotals, left.BaseAt = uuid.Nil, 0, false, RunTotals{}, time.Time{}
	text, err := EncodeRun(&left)
	if err != nil {
		return err
	}
	_, err = tx.NewRaw(`INSERT INTO sync_streams (integration_id, stream, run) VALUES (?, ?, ?::jsonb)
ON CONFLICT (integration_id, stream) DO UPDATE SET run = EXCLUDED.run`, id, run.Stream, text).Exec(ctx)
	return err
}

// closeRuns writes the end of runs into their rows. A run without a row has changed nothing, and
// gets none.
func closeRuns(ctx context.Context, tx bun.IDB, id uuid.UUID, ended []EndedRun) error {
	rows, _, err := encodeEnded(ended)
	if err != nil {
		return err
	}
	_, err = tx.NewRaw(`UPDATE sync_runs AS r SET status = e.status, finished_at = now(), pages = e.pages, requests = e.requests,
    records_seen = e.records_seen, records_inserted = e.records_inserted, records_updated = e.records_updated,
    records_unchanged = e.records_unchanged, records_quarantined = e.records_quarantined, throttled_ms = e.throttled_ms
FROM jsonb_to_recordset(?::jsonb) AS e(`+runRecord+`)
WHERE r.id = e.id AND r.integration_id = ? AND r.status = ?`, rows, id, RunRunning).Exec(ctx)
	return err
}
