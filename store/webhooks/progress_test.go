package webhooks_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/webhooks"
)

// TestProgressPlan checks that outcomes find their deliveries by key, even with a plan that was
// made while the table was small and without statistics.
func TestProgressPlan(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	db, conn := storetest.Open(t, url), storetest.Conn(t, url)
	org := storetest.Organization(t, db)
	e, err := webhooks.CreateEndpoint(t.Context(), db, store.SystemChange(org.ID), webhooks.NewEndpoint{URL: "https://hooks.example.com", Events: []string{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, held := range []string{"nothing", "a thousand deliveries", "the same, counted"} {
		switch held {
		case "a thousand deliveries":
			if _, err := conn.Exec(t.Context(), `WITH e AS (
    INSERT INTO webhook_events (id, organization_id, type, data) SELECT gen_random_uuid(), $1, 'ping', '{}' FROM generate_series(1, 1000) RETURNING id
) INSERT INTO webhook_deliveries (id, organization_id, endpoint_id, event_id, event_type, sequence, status, trigger)
SELECT gen_random_uuid(), $1, $2, id, 'ping', row_number() OVER (), 'succeeded', 'schedule' FROM e`, org.ID, e.ID); err != nil {
				t.Fatal(err)
			}
		case "the same, counted":
			if _, err := conn.Exec(t.Context(), `ANALYZE webhook_deliveries`); err != nil {
				t.Fatal(err)
			}
		}
		plan := genericPlan(t, conn, webhooks.ProgressSQL)
		if !strings.Contains(plan, "Update on webhook_deliveries") || strings.Contains(plan, "Seq Scan on webhook_deliveries") {
			t.Errorf("with %s the plan reads all deliveries:\n%s", held, plan)
		}
	}
}

// genericPlan returns the plan of a statement for any arguments.
func genericPlan(t *testing.T, conn *pgx.Conn, statement string) string {
	t.Helper()
	var lines []string
	err := pgx.BeginFunc(t.Context(), conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), `SET LOCAL plan_cache_mode = force_generic_plan`); err != nil {
			return err
		}
		prepared, err := tx.Prepare(t.Context(), "progress", statement)
		if err != nil {
			return err
		}
		defer func() { _ = tx.Conn().Deallocate(t.Context(), "progress") }()
		nulls := strings.TrimSuffix(strings.Repeat("NULL, ", len(prepared.ParamOIDs)), ", ")
		rows, err := tx.Query(t.Context(), fmt.Sprintf("EXPLAIN (COSTS OFF) EXECUTE progress (%s)", nulls), pgx.QueryExecModeSimpleProtocol)
		if err != nil {
			return err
		}
		lines, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}
