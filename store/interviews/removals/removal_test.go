package removals_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/interviews/removals"
	"github.com/assayhq/assay/store/storetest"
)

// TestTracesAreFoundByIndex checks that the traces of an interview are found without reading the history of webhooks,
// also while the database has no current statistics about it.
func TestTracesAreFoundByIndex(t *testing.T) {
	t.Parallel()
	b := storetest.NewOrgDB(t)
	const others = 10_000
	mine, undo := uuid.New(), errors.New("undo")
	b.Exec(t, `WITH happened AS (
    INSERT INTO webhook_events (id, organization_id, type, data)
    SELECT gen_random_uuid(), $1, CASE n % 2 WHEN 0 THEN 'interview.completed' ELSE 'trader.created' END,
        json_build_object('interview_id', CASE WHEN n <= 6 THEN $2 ELSE gen_random_uuid() END) FROM generate_series(1, $3::int) AS n RETURNING id, type
), deliveries AS (
    INSERT INTO webhook_deliveries (id, endpoint_id, organization_id, event_id, event_type, sequence, status)
    SELECT gen_random_uuid(), $2, $1, id, type, row_number() OVER (), 'succeeded' FROM happened RETURNING id
)
INSERT INTO webhook_attempts (delivery_id, number, trigger, started_at, latency_ms, response_body) SELECT id, 1, 'schedule', now(), 1, 'thanks' FROM deliveries`, b.Org, mine, others)
	for _, state := range []struct{ statistics, change string }{
		{"no", `SELECT`},
		{"current", `ANALYZE webhook_events, webhook_deliveries, webhook_attempts`},
		{"outdated", `UPDATE webhook_deliveries AS d SET status = 'pending' FROM webhook_events AS e WHERE e.id = d.event_id AND e.data ->> 'interview_id' <> '` + mine.String() + `'`},
	} {
		b.Exec(t, state.change)
		for name, statement := range map[string]string{"emptying the events": removals.EmptyEventsSQL, "looking for the rest": removals.StillUsedSQL} {
			err := b.InTx(t.Context(), func(ctx context.Context, tx bun.Tx) error {
				cost, err := storetest.ExplainIn(ctx, tx, statement, b.Org, mine.String())
				if err != nil {
					return err
				}
				cost.CheckReads(t, name+" with "+state.statistics+" statistics", 250, 50)
				return undo
			})
			if !errors.Is(err, undo) {
				t.Fatal(err)
			}
		}
	}
}

// TestStaleRemovals checks that a process whose lease on a removal has expired changes nothing after
// another process has claimed it.
func TestStaleRemovals(t *testing.T) {
	t.Parallel()
	b := storetest.NewOrgDB(t)
	if err := removals.Add(t.Context(), b.DB.Bun, b.Org, uuid.New(), "interviews/x/", false, 0); err != nil {
		t.Fatal(err)
	}
	claim := func() removals.Removal {
		t.Helper()
		list, err := removals.ClaimDue(t.Context(), b.DB, 2, time.Hour)
		if err != nil || len(list) != 1 {
			t.Fatalf("claimed %v, %v; want the removal", list, err)
		}
		return list[0]
	}
	stale := claim()
	if err := removals.Extend(t.Context(), b.DB, stale, 0); err != nil { // it expires
		t.Fatal(err)
	}
	if count, _, err := removals.CountDue(t.Context(), b.DB); err != nil || count != 1 {
		t.Errorf("%d removals are due, %v; want one", count, err)
	}
	held := claim()
	before := b.Texts(t, `SELECT r::text FROM removals AS r`)[0]
	if err := removals.Extend(t.Context(), b.DB, stale, 2*time.Hour); !errors.Is(err, store.ErrFenced) {
		t.Errorf("extending it gives %v, want ErrFenced", err)
	}
	if err := removals.Postpone(t.Context(), b.DB, stale, errors.New("made by the test")); err != nil {
		t.Error(err)
	}
	if err := removals.Finish(t.Context(), b.DB, stale); err != nil {
		t.Error(err)
	}
	if after := b.Texts(t, `SELECT r::text FROM removals AS r`); len(after) != 1 || after[0] != before {
		t.Errorf("the removal was %s and is %v", before, after)
	}
	if err := removals.Finish(t.Context(), b.DB, held); err != nil {
		t.Error(err)
	}
	if n := b.Texts(t, `SELECT count(*)::text FROM removals`)[0]; n != "0" {
		t.Errorf("%s removals are left", n)
	}
}
