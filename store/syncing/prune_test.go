package syncing_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/syncing/history"
	"github.com/assayhq/assay/store/syncing/integrations"
)

func TestPruneHistory(t *testing.T) {
	t.Parallel()
	const kept = 30 * 24 * time.Hour
	const oldID = `(lpad(to_hex((extract(epoch FROM now() - interval '40 days') * 1000)::bigint), 12, '0') || substr(replace(gen_random_uuid()::text, '-', ''), 13))::uuid`
	f := setupFleet(t, 2)
	a, b := f.ids[0], f.ids[1]
	f.Exec(t, `DELETE FROM integration_transitions`)
	f.Exec(t, `INSERT INTO sync_runs (id, integration_id, cycle_id, resource, trigger, mode, status, started_at, finished_at)
SELECT `+oldID+`, $1, gen_random_uuid(), name, 'schedule', 'incremental', status, now() - interval '40 days', finished
FROM (VALUES ('old', 'succeeded', now() - interval '31 days'), ('recent', 'succeeded', now() - interval '29 days'), ('running', 'running', NULL),
    ('repeated', 'succeeded', now() - interval '31 days')) AS v(name, status, finished)`, a)
	// This is the row to which the next unchanged run is added.
	f.Exec(t, `INSERT INTO sync_streams (integration_id, stream, last_run_id) SELECT $1, 'trades', id FROM sync_runs WHERE resource = 'repeated'`, a)
	f.Exec(t, `INSERT INTO sync_runs (id, integration_id, cycle_id, resource, trigger, mode, status, started_at, finished_at)
SELECT `+oldID+`, $1, gen_random_uuid(), 'old', 'schedule', 'incremental', 'succeeded', now() - interval '40 days', now() - interval '35 days'
FROM generate_series(1, 12000)`, b)
	// a has five recent and thirty old transitions, b has thirty old ones.
	f.Exec(t, `INSERT INTO integration_transitions (integration_id, kind, reason, at)
SELECT CASE WHEN n <= 35 THEN $1::uuid ELSE $2::uuid END, 'health', n::text, CASE WHEN n BETWEEN 31 AND 35 THEN now() ELSE now() - interval '40 days' END
FROM generate_series(1, 65) AS g(n) ORDER BY g.n`, a, b)
	f.Exec(t, `INSERT INTO quarantine (integration_id, resource, key, raw, pointer, rule, detail, count, first_seen_at, last_seen_at)
SELECT CASE WHEN n % 2 = 0 THEN $1::uuid ELSE $2::uuid END, 'trades', n::text, '{}', '', 'r', '', 1, now() - interval '40 days',
    CASE WHEN n <= 11000 THEN now() - interval '31 days' ELSE now() END
FROM generate_series(1, 11010) AS n`, a, b)
	f.Exec(t, `UPDATE sync_state s SET quarantined = (SELECT count(*) FROM quarantine q WHERE q.integration_id = s.integration_id)`)

	deleted, err := history.Prune(t.Context(), f.DB, kept)
	if err != nil {
		t.Fatal(err)
	}
	if want := int64(1 + 12000 + 15 + 10 + 11000); deleted != want {
		t.Errorf("%d rows deleted, want %d", deleted, want)
	}
	if diff := cmp.Diff([]string{"recent", "repeated", "running"}, f.Texts(t, `SELECT resource FROM sync_runs ORDER BY 1`)); diff != "" {
		t.Errorf("runs kept (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"20 16 35", "20 46 65"}, f.Texts(t, `SELECT concat_ws(' ', count(*), min(reason::int), max(reason::int)) FROM integration_transitions GROUP BY integration_id ORDER BY 1`)); diff != "" {
		t.Errorf("transitions kept of each integration: their number, first and last (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"5 5", "5 5"}, f.Texts(t, `SELECT concat_ws(' ', quarantined, (SELECT count(*) FROM quarantine q WHERE q.integration_id = s.integration_id)) FROM sync_state s`)); diff != "" {
		t.Errorf("quarantine's counters and rows (-want +got):\n%s", diff)
	}
	if deleted, err := history.Prune(t.Context(), f.DB, kept); err != nil || deleted != 0 {
		t.Errorf("a second time: %d rows deleted, %v", deleted, err)
	}
}

func TestSurveyIntegrations(t *testing.T) {
	t.Parallel()
	f := setupFleet(t, 5)
	f.Exec(t, `UPDATE integrations SET kind = 'partner_platform' WHERE id = ANY ($1)`, f.ids[3:])
	f.Exec(t, `UPDATE sync_state SET kind = 'partner_platform' WHERE integration_id = ANY ($1)`, f.ids[3:])
	f.Exec(t, `UPDATE integrations SET health_status = 'healthy' WHERE id = ANY ($1)`, f.ids[1:3])
	f.Exec(t, `UPDATE integrations SET deleted_at = now() WHERE id = $1`, f.ids[4])
	f.Exec(t, `UPDATE sync_state SET last_success_at = now() - interval '100 hours' WHERE integration_id = $1`, f.ids[1])
	f.Exec(t, `UPDATE sync_state SET last_success_at = now() - interval '200 hours' WHERE integration_id = $1`, f.ids[2])
	// Data is stale after two intervals without any success: 120 hours here.
	f.Exec(t, `UPDATE sync_state SET period_ms = 60 * 3600000`)
	f.Exec(t, `UPDATE integrations SET created_at = now() - interval '121 hours' WHERE id = $1`, f.ids[3])
	f.Exec(t, `UPDATE sync_state SET claimable_at = 'infinity' WHERE integration_id = $1`, f.ids[4]) // like deleting
	// A blocked integration is not polled, so its data is not counted as stale.
	f.Exec(t, `UPDATE sync_state SET last_success_at = now() - interval '9000 hours', claimable_at = 'infinity' WHERE integration_id = $1`, f.ids[0])
	surveys, err := integrations.ReadSurveys(t.Context(), f.DB)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range surveys {
		got = append(got, fmt.Sprint(s.Kind, " ", s.Health, " ", s.Count, " ", s.Median.Round(time.Hour), " ", s.P99.Round(time.Hour), " ", s.Stale, "/", s.Polled))
	}
	want := []string{"custom_api healthy 2 150h0m0s 199h0m0s 1/2", "custom_api pending 1 150h0m0s 199h0m0s 1/2", "partner_platform pending 1 0s 0s 1/1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("survey (-want +got):\n%s", diff)
	}
	if ages := surveys.Ages(); len(ages) != 2 || ages[0].Kind != record.CustomAPI || ages[1].Kind != record.PartnerPlatform {
		t.Errorf("ages %+v, want one of each kind", ages)
	}
	if ages := integrations.Surveys(nil).Ages(); len(ages) != 0 {
		t.Errorf("ages of nothing: %+v", ages)
	}
}
