package syncing_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/history"
	"github.com/assayhq/assay/store/syncing/integrations"
)

func deref[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}

// running makes the integration look as if a process were in the middle of a cycle, with an open
// run of accounts that has read two pages and a parked one of traders. If the accounts' run was
// parked before, its older state remains.
func (b orgDB) running(t *testing.T, id uuid.UUID) {
	t.Helper()
	run := func(stream string) string {
		runID := uuid.New()
		b.Exec(t, `INSERT INTO sync_runs (id, integration_id, cycle_id, resource, trigger, mode, status, started_at) VALUES ($1, $2, $1, $3, 'schedule', 'backfill', 'running', now())`, runID, id, stream)
		return `{"id": "` + runID.String() + `", "stream": "` + stream + `", "trigger": "schedule", "mode": "backfill", "started_at": "2026-11-20T08:00:00Z",
"read_from": "2026-11-20T07:59:00Z", "cursor": "after ` + stream + `", "cursor_pages": 2, "saved_at": "2026-11-20T08:00:01Z", "attempt": 1, "listed": true,
"pages": 2, "requests": 3, "seen": 10, "inserted": 4, "updated": 3, "unchanged": 1, "stale": 1, "quarantined": 1, "throttled_ms": 5}`
	}
	accounts := run("accounts")
	b.Exec(t, `UPDATE sync_state SET owner = 'syncd', claimable_at = now() + interval '15 seconds', wait_reason = NULL, cycle_id = gen_random_uuid(), cycle_started_at = now(),
    cycle_trigger = 'schedule', run = $2::jsonb WHERE integration_id = $1`, id, accounts)
	b.Exec(t, `INSERT INTO sync_streams (integration_id, stream, watermark, run, last_cycle_id) VALUES
    ($1, 'traders', NULL, $2::jsonb, gen_random_uuid()), ($1, 'accounts', now(), $3::jsonb || '{"cursor": "before"}', gen_random_uuid()),
    ($1, 'trades', now(), NULL, gen_random_uuid()), ($1, 'payouts', now(), NULL, gen_random_uuid())`, id, run("traders"), accounts)
}

func TestUpdateIntegration(t *testing.T) {
	t.Parallel()
	scope := &syncing.AccountScope{Platforms: []string{"mt5"}, PlanCategoryIDs: []json.Number{"1"}}
	both := []string{"accounts", "traders"}
	passed, failed := &integrations.LiveCheck{CheckOutcome: passedCheck, SettingsVersion: 1}, &integrations.LiveCheck{CheckOutcome: failedCheck, SettingsVersion: 1}
	key := new(seal.NewSecret("another-secret-key-cd34"))
	for _, c := range []struct {
		name        string
		patch       integrations.Patch
		wait        string   // reason; empty if the cycle continues
		polled      bool     // after
		backfilling []string // streams that read everything after it
		interrupted []string // runs
		left        []string // streams whose next run continues from a checkpoint
		check       bool
	}{
		{"nothing", integrations.Patch{}, "", true, []string{"traders"}, nil, nil, false},
		{"name", integrations.Patch{Name: new("New")}, "", true, []string{"traders"}, nil, nil, false},
		{"key", integrations.Patch{APIKey: key, Check: passed}, "check_passed", true, []string{"traders"}, nil, nil, true},
		{"key that fails", integrations.Patch{APIKey: key, Check: failed}, "check_failed", false, []string{"traders"}, both, both, true},
		{"unchecked key", integrations.Patch{APIKey: key}, "check_failed", false, []string{"traders"}, both, both, true},
		{"same address", integrations.Patch{BaseURL: new("https://a.example"), Check: passed}, "check_passed", true, []string{"traders"}, nil, nil, true},
		{"another spelling", integrations.Patch{BaseURL: new("https://A.example:443"), Check: passed}, "check_passed", true, []string{}, both, nil, true},
		{"path", integrations.Patch{BaseURL: new("https://a.example/v2"), Check: passed}, "check_passed", true, []string{}, both, nil, true},
		{"origin", integrations.Patch{BaseURL: new("https://b.example"), Check: passed}, "check_passed", true, []string{}, both, nil, true},
		{"origin that fails", integrations.Patch{BaseURL: new("https://b.example"), Check: failed}, "check_failed", false, []string{}, both, nil, true},
		{"scope", integrations.Patch{AccountScope: &scope, Check: passed}, "check_passed", true, []string{"traders", "accounts", "payouts"}, []string{"accounts"}, nil, true},
		{"same scope", integrations.Patch{AccountScope: new(*syncing.AccountScope), Check: passed}, "check_passed", true, []string{"traders"}, nil, nil, true},
		{"off", integrations.Patch{IsActive: new(false)}, "inactive", false, []string{"traders"}, both, both, false},
		{"on", integrations.Patch{IsActive: new(true), Check: passed}, "check_passed", true, []string{"traders"}, nil, nil, true},
		{"off with a key", integrations.Patch{IsActive: new(false), APIKey: key, Check: passed}, "inactive", false, []string{"traders"}, both, both, true},
		{"interval", integrations.Patch{SyncIntervalSeconds: new(3600)}, "", true, []string{"traders"}, nil, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
			b.running(t, i.ID)
			before := b.schedule(t, i.ID)
			if got := c.patch.NeedsCheck(); got != c.check {
				t.Errorf("needs a check: %v, want %v", got, c.check)
			}
			got, err := integrations.Update(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, c.patch)
			if err != nil {
				t.Fatal(err)
			}
			want := patched(i, c.patch)
			want.UpdatedAt, want.NextSyncAt = got.UpdatedAt, got.NextSyncAt
			if diff := cmp.Diff(want, got, anyTime); diff != "" {
				t.Errorf("integration (-want +got):\n%s", diff)
			}
			after := b.schedule(t, i.ID)
			if polled := after.ClaimableAt != nil; polled != c.polled || polled != (got.NextSyncAt != nil) || deref(after.WaitReason) != c.wait {
				t.Errorf("claimable at %v because of %q, next sync at %v; want polled %v, %q", after.ClaimableAt, deref(after.WaitReason), got.NextSyncAt, c.polled, c.wait)
			}
			if fenced := after.Token > before.Token && after.LeaseOwner == nil; fenced != (c.wait != "") {
				t.Errorf("token %d after %d, owner %v; want the lease taken: %v", after.Token, before.Token, after.LeaseOwner, c.wait != "")
			}
			if over := after.CycleID == nil; over != (!c.polled || len(c.backfilling) == 0) {
				t.Errorf("the cycle in hand is over: %v", over)
			}
			b.checkStreams(t, i.ID, after, c.backfilling, c.interrupted, c.left)
		})
	}
}

// patched returns the integration after the patch.
func patched(i integrations.Integration, p integrations.Patch) integrations.Integration {
	if p.Name != nil {
		i.Name = *p.Name
	}
	if p.BaseURL != nil {
		i.BaseURL = *p.BaseURL
	}
	if p.APIKey != nil {
		i.APIKeyPreview = p.APIKey.Preview()
	}
	if p.AccountScope != nil {
		i.AccountScope = *p.AccountScope
	}
	if p.SyncIntervalSeconds != nil {
		i.SyncIntervalSeconds = *p.SyncIntervalSeconds
	}
	if p.IsActive != nil {
		i.IsActive = *p.IsActive
	}
	if p.NeedsCheck() || p.IsActive != nil {
		i.SettingsVersion++
	}
	if p.NeedsCheck() && (p.Check == nil || !p.Check.OK) {
		i.HealthStatus = syncing.HealthCheckFailed
	}
	if p.Check != nil {
		i.LastError = p.Check.Err
	}
	return i
}

// checkStreams compares the streams and runs that running has made with the expected ones.
func (b orgDB) checkStreams(t *testing.T, id uuid.UUID, s integrations.Schedule, wantBackfilling, wantInterrupted, wantLeft []string) {
	t.Helper()
	backfilling := []string{}
	for _, st := range s.Streams {
		if st.Backfilling {
			backfilling = append(backfilling, st.Stream)
		}
	}
	if diff := cmp.Diff(wantBackfilling, backfilling); diff != "" {
		t.Errorf("backfilling streams (-want +got):\n%s", diff)
	}
	runs := func(condition string) []string {
		return storetest.One[[]string](t, b.Conn, `SELECT array_agg(resource ORDER BY resource) FROM sync_runs WHERE integration_id = $1 AND `+condition, id)
	}
	if diff := cmp.Diff(wantInterrupted, runs(`status = 'interrupted' AND finished_at IS NOT NULL`)); diff != "" {
		t.Errorf("interrupted runs (-want +got):\n%s", diff)
	}
	if running := runs(`status = 'running'`); len(running)+len(wantInterrupted) != 2 {
		t.Errorf("running runs: %v", running)
	}
	left := storetest.One[[]string](t, b.Conn, `SELECT array_agg(stream ORDER BY stream) FROM sync_streams WHERE integration_id = $1 AND run->>'id' = '00000000-0000-0000-0000-000000000000'`, id)
	if diff := cmp.Diff(wantLeft, left); diff != "" {
		t.Errorf("streams that go on from a checkpoint (-want +got):\n%s", diff)
	}
}

// TestRunsOfAStoppedIntegration checks that an integration that is not polled shows no run in
// progress, and that it continues where it was stopped when it is switched on again.
func TestRunsOfAStoppedIntegration(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	b.running(t, i.ID)
	if _, err := integrations.Update(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, integrations.Patch{IsActive: new(false)}); err != nil {
		t.Fatal(err)
	}
	runs, _, err := history.ListRuns(t.Context(), b.DB, b.Org, i.ID, history.RunFilter{}, store.Page{Number: 1, Limit: 9})
	if err != nil || len(runs) != 2 {
		t.Fatalf("runs %v, %v", runs, err)
	}
	for _, run := range runs {
		want := history.Run{
			ID: run.ID, IntegrationID: i.ID, CycleID: run.ID, Resource: run.Resource, Trigger: "schedule", Mode: "backfill", Status: "interrupted",
			Pages: 2, Requests: 3, RecordsSeen: 10, RecordsInserted: 4, RecordsUpdated: 3, RecordsUnchanged: 2, RecordsQuarantined: 1, ThrottledMS: 5,
			StartedAt: run.StartedAt, FinishedAt: run.FinishedAt,
		}
		if diff := cmp.Diff(want, run); diff != "" || run.FinishedAt == nil {
			t.Errorf("%s (-want +got):\n%s", run.Resource, diff)
		}
	}
	on, err := integrations.Update(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, integrations.Patch{
		IsActive: new(true), Check: &integrations.LiveCheck{CheckOutcome: passedCheck, SettingsVersion: i.SettingsVersion + 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	if wait := time.Until(deref(on.NextSyncAt)).Abs(); wait > time.Minute {
		t.Errorf("next sync at %v, want about now", on.NextSyncAt)
	}
	claim, err := syncing.ClaimOne(t.Context(), b.DB, "syncd", i.ID, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if claim.Run != nil || claim.PriorOwner != "" {
		t.Errorf("the claim takes over run %+v of %q", claim.Run, claim.PriorOwner)
	}
	settings, err := syncing.ReadSettings(t.Context(), b.DB, &claim)
	if err != nil {
		t.Fatal(err)
	}
	for _, stream := range []record.Stream{record.StreamTraders, record.StreamAccounts} {
		at := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
		want := &syncing.OpenRun{
			Stream: stream, Trigger: syncing.TriggerSchedule, Mode: syncing.ModeBackfill, StartedAt: at, ReadFrom: at.Add(-time.Minute),
			Cursor: "after " + string(stream), CursorPages: 2, SavedAt: at.Add(time.Second),
		}
		if diff := cmp.Diff(want, settings.Streams[stream].Run); diff != "" {
			t.Errorf("checkpoint of %s (-want +got):\n%s", stream, diff)
		}
	}
}

// TestStoppedBeforeTheFirstPage checks that a run that has read nothing leaves nothing to continue
// from.
func TestStoppedBeforeTheFirstPage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	b.running(t, i.ID)
	b.Exec(t, `UPDATE sync_state SET run = run - 'cursor' WHERE integration_id = $1`, i.ID)
	b.Exec(t, `DELETE FROM sync_streams WHERE integration_id = $1 AND stream = 'traders'`, i.ID)
	if _, err := integrations.Update(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, integrations.Patch{IsActive: new(false)}); err != nil {
		t.Fatal(err)
	}
	if n := storetest.One[int](t, b.Conn, `SELECT count(*) FROM sync_streams WHERE integration_id = $1 AND run IS NOT NULL`, i.ID); n != 0 {
		t.Errorf("%d checkpoints are left", n)
	}
}

func TestUpdateKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	if _, err := integrations.Update(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, integrations.Patch{APIKey: new(seal.NewSecret("another-secret-key-cd34"))}); err != nil {
		t.Fatal(err)
	}
	c, err := integrations.ReadConfig(t.Context(), b.DB, b.Org, i.ID)
	if err != nil {
		t.Fatal(err)
	}
	if c.APIKey.Reveal() != "another-secret-key-cd34" || c.APIKeyPreview != "****cd34" {
		t.Errorf("the new key was not saved: preview %s", c.APIKeyPreview)
	}
}

func TestUpdateIntervalMovesTheSlot(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	b.Exec(t, `UPDATE sync_state SET claimable_at = slot_at, wait_reason = NULL WHERE integration_id = $1`, i.ID)
	if _, err := integrations.Update(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, integrations.Patch{SyncIntervalSeconds: new(3600)}); err != nil {
		t.Fatal(err)
	}
	s := b.schedule(t, i.ID)
	if s.PeriodMS != 3_600_000 || s.SlotAt.UnixMilli()%s.PeriodMS != s.PhaseMS || !s.ClaimableAt.Equal(*s.SlotAt) {
		t.Errorf("schedule %+v: want an hour's grid and to wait for its slot", s)
	}
	if wait := time.Until(*s.SlotAt); wait < -time.Minute || wait > 61*time.Minute {
		t.Errorf("slot in %v, want within the hour", wait)
	}
}
