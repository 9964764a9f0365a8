package syncing_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/history"
)

var opened = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

func TestSyncRuns(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	other := storetest.Integration(t, b.DB, b.Org, "https://b.example")
	want := history.Run{
		ID: uuid.MustParse("01900000-0000-7000-8000-000000000001"), IntegrationID: i.ID, CycleID: uuid.MustParse("01900000-0000-7000-8000-000000000002"),
		Resource: "trades", Trigger: "schedule", Mode: "incremental", Status: "failed", Pages: 1, Requests: 2, RecordsSeen: 3, RecordsInserted: 4, RecordsUpdated: 5,
		RecordsUnchanged: 6, RecordsQuarantined: 7, ThrottledMS: 8, Repeats: 9, UpdatedSince: new(opened), StartedAt: opened.Add(time.Hour), FinishedAt: new(opened.Add(2 * time.Hour)),
		Error: &syncing.Error{Resource: "trades", Code: "server_error", Message: "m", HTTPStatus: 502, Endpoint: "GET /trades", Hint: "h", At: opened},
	}
	b.Exec(t, `INSERT INTO sync_runs (id, integration_id, cycle_id, resource, trigger, mode, status, pages, requests, records_seen, records_inserted, records_updated,
    records_unchanged, records_quarantined, throttled_ms, repeats, updated_since, error, started_at, finished_at)
VALUES ($1, $2, $3, 'trades', 'schedule', 'incremental', 'failed', 1, 2, 3, 4, 5, 6, 7, 8, 9, $4, $5, $6, $7)`, want.ID, i.ID, want.CycleID, want.UpdatedSince,
		`{"resource": "trades", "code": "server_error", "message": "m", "http_status": 502, "endpoint": "GET /trades", "hint": "h", "at": "2026-11-20T09:00:00Z"}`,
		want.StartedAt, want.FinishedAt)
	b.Exec(t, `INSERT INTO sync_runs (id, integration_id, cycle_id, resource, trigger, mode, status, started_at)
SELECT gen_random_uuid(), $1, $1, 'traders', 'manual', 'backfill', 'running', $2 FROM generate_series(1, 4)`, i.ID, opened)
	b.Exec(t, `INSERT INTO sync_runs (id, integration_id, cycle_id, resource, trigger, mode, status, started_at) VALUES (gen_random_uuid(), $1, $1, '', '', '', '', now())`, other.ID)

	runs, total, err := history.ListRuns(t.Context(), b.DB, b.Org, i.ID, history.RunFilter{}, store.Page{Number: 1, Limit: 2})
	if err != nil || total != 5 || len(runs) != 2 {
		t.Fatalf("%d of %d runs, %v; want 2 of 5", len(runs), total, err)
	}
	if diff := cmp.Diff(want, runs[0]); diff != "" {
		t.Errorf("run (-want +got):\n%s", diff)
	}
	if runs[0].RecordsUpserted() != 9 {
		t.Errorf("%d records upserted, want 9", runs[0].RecordsUpserted())
	}
	if r := runs[1]; r.Error != nil || r.FinishedAt != nil || r.UpdatedSince != nil || r.Status != "running" {
		t.Errorf("open run %+v", r)
	}
	seen := map[uuid.UUID]bool{}
	for number := 1; number <= 4; number++ {
		page, total, err := history.ListRuns(t.Context(), b.DB, b.Org, i.ID, history.RunFilter{}, store.Page{Number: number, Limit: 2})
		if err != nil || total != 5 {
			t.Fatalf("page %d: total %d, %v", number, total, err)
		}
		for _, r := range page {
			seen[r.ID] = true
		}
	}
	if len(seen) != 5 {
		t.Errorf("%d different runs on all pages, want 5", len(seen))
	}
}

func TestQuarantineAndFindings(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	for n, key := range []string{"b", "a", "newest"} {
		last := opened.Add(time.Duration(n/2) * time.Hour)
		b.Exec(t, `INSERT INTO quarantine (integration_id, resource, key, raw, pointer, rule, detail, count, first_seen_at, last_seen_at)
VALUES ($1, 'trades', $2, '{"a": "\ud800"}', '/side', 'r', 'd', 3, $3, $4)`, i.ID, key, opened, last)
		b.Exec(t, `INSERT INTO findings (integration_id, resource, rule, count, samples, first_seen_at, last_seen_at)
VALUES ($1, 'trades', $2, 3, '{"a","b c,\"{}"}', $3, $4)`, i.ID, key, opened, last)
	}
	rows, total, err := history.ListQuarantine(t.Context(), b.DB, b.Org, i.ID, history.QuarantineFilter{}, store.Page{Number: 1, Limit: 9})
	if err != nil || total != 3 {
		t.Fatalf("quarantine of %d, %v; want 3", total, err)
	}
	want := history.Quarantined{
		Resource: "trades", Key: "newest", Raw: `{"a": "\ud800"}`, Pointer: "/side", Rule: "r", Detail: "d", Count: 3, FirstSeenAt: opened, LastSeenAt: opened.Add(time.Hour),
	}
	if diff := cmp.Diff(want, rows[0]); diff != "" {
		t.Errorf("quarantined record (-want +got):\n%s", diff)
	}
	if keys := rows[1].Key + rows[2].Key; keys != "ab" {
		t.Errorf("equally old records in the order %s, want a, b", keys)
	}
	findings, total, err := history.ListFindings(t.Context(), b.DB, b.Org, i.ID, store.Page{Number: 1, Limit: 1})
	if err != nil || total != 3 {
		t.Fatalf("%d findings, %v; want 3", total, err)
	}
	wantFinding := history.Finding{Resource: "trades", Rule: "newest", Count: 3, Samples: []string{"a", `b c,"{}`}, FirstSeenAt: opened, LastSeenAt: opened.Add(time.Hour)}
	if diff := cmp.Diff([]history.Finding{wantFinding}, findings); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
}

func TestSchedule(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	b.running(t, i.ID)
	b.Exec(t, `INSERT INTO sync_streams (integration_id, stream, last_status, last_success_at) VALUES ($1, 'trades_closed', 'succeeded', $2), ($1, 'trades_open', 'succeeded', $2)`, i.ID, opened)
	b.Exec(t, `UPDATE sync_streams SET ask_again_at = $2 WHERE integration_id = $1 AND stream = 'payouts'`, i.ID, opened)
	b.Exec(t, `INSERT INTO integration_transitions (integration_id, kind, reason) SELECT $1, 'lease', n::text FROM generate_series(1, 30) AS n`, i.ID)
	s := b.schedule(t, i.ID)
	if deref(s.LeaseOwner) != "syncd" || s.LeaseUntil == nil || !s.LeaseUntil.Equal(*s.ClaimableAt) || s.CycleID == nil || s.CycleStartedAt == nil {
		t.Errorf("schedule %+v: want the lease and the cycle of the running process", s)
	}
	var streams, backfilling []string
	for _, st := range s.Streams {
		streams = append(streams, st.Stream)
		if st.Backfilling {
			backfilling = append(backfilling, st.Stream)
		}
	}
	if diff := cmp.Diff([]string{"traders", "accounts", "trades_open", "trades", "trades_closed", "payouts"}, streams); diff != "" {
		t.Errorf("streams, as they are polled (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"traders", "trades_closed"}, backfilling); diff != "" {
		t.Errorf("backfilling (-want +got):\n%s", diff)
	}
	if len(s.Transitions) != 20 || s.Transitions[0].Reason != "30" || s.Transitions[19].Reason != "11" {
		t.Errorf("%d transitions from %+v on, want the last twenty", len(s.Transitions), s.Transitions[0])
	}
	b.Exec(t, `UPDATE sync_state SET claimable_at = 'infinity', owner = NULL WHERE integration_id = $1`, i.ID)
	if s := b.schedule(t, i.ID); s.ClaimableAt != nil || s.LeaseUntil != nil || s.LeaseOwner != nil {
		t.Errorf("schedule %+v of an integration that is not polled", s)
	}
}
