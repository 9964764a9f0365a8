package store_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
)

func deref[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}

// running makes the integration look as if a process were in the middle of a
// cycle, with an open run of accounts that has read two pages and a parked one
// of traders. Where the accounts' run was parked before, its older state is left.
func (b bundle) running(t *testing.T, id uuid.UUID) {
	t.Helper()
	run := func(stream string) string {
		runID := uuid.New()
		b.exec(t, `INSERT INTO sync_runs (id, integration_id, cycle_id, resource, trigger, mode, status, started_at) VALUES ($1, $2, $1, $3, 'schedule', 'backfill', 'running', now())`, runID, id, stream)
		return `{"id": "` + runID.String() + `", "stream": "` + stream + `", "trigger": "schedule", "mode": "backfill", "started_at": "2026-11-20T08:00:00Z",
"read_from": "2026-11-20T07:59:00Z", "cursor": "after ` + stream + `", "cursor_pages": 2, "saved_at": "2026-11-20T08:00:01Z", "attempt": 1, "listed": true,
"pages": 2, "requests": 3, "seen": 10, "inserted": 4, "updated": 3, "unchanged": 1, "stale": 1, "quarantined": 1, "throttled_ms": 5}`
	}
	accounts := run("accounts")
	b.exec(t, `UPDATE sync_state SET owner = 'syncd', claimable_at = now() + interval '15 seconds', wait_reason = NULL, cycle_id = gen_random_uuid(), cycle_started_at = now(),
    cycle_trigger = 'schedule', run = $2::jsonb WHERE integration_id = $1`, id, accounts)
	b.exec(t, `INSERT INTO sync_streams (integration_id, stream, watermark, run, last_cycle_id) VALUES
    ($1, 'traders', NULL, $2::jsonb, gen_random_uuid()), ($1, 'accounts', now(), $3::jsonb || '{"cursor": "before"}', gen_random_uuid()),
    ($1, 'trades', now(), NULL, gen_random_uuid()), ($1, 'payouts', now(), NULL, gen_random_uuid())`, id, run("traders"), accounts)
}

func TestUpdateIntegration(t *testing.T) {
	t.Parallel()
	scope := &store.AccountScope{Platforms: []string{"mt5"}, PlanCategoryIDs: []json.Number{"1"}}
	both := []string{"accounts", "traders"}
	passed, failed := &store.LiveCheck{CheckOutcome: passedCheck, SettingsVersion: 1}, &store.LiveCheck{CheckOutcome: failedCheck, SettingsVersion: 1}
	key := ptr(seal.NewSecret("another-secret-key-cd34"))
	for _, c := range []struct {
		name        string
		patch       store.IntegrationPatch
		wait        string   // reason; empty: the cycle goes on
		polled      bool     // after
		backfilling []string // streams that read everything after it
		interrupted []string // runs
		left        []string // streams whose next run goes on from a checkpoint
		check       bool
	}{
		{"nothing", store.IntegrationPatch{}, "", true, []string{"traders"}, nil, nil, false},
		{"name", store.IntegrationPatch{Name: ptr("New")}, "", true, []string{"traders"}, nil, nil, false},
		{"key", store.IntegrationPatch{APIKey: key, Check: passed}, "check_passed", true, []string{"traders"}, nil, nil, true},
		{"key that fails", store.IntegrationPatch{APIKey: key, Check: failed}, "check_failed", false, []string{"traders"}, both, both, true},
		{"unchecked key", store.IntegrationPatch{APIKey: key}, "check_failed", false, []string{"traders"}, both, both, true},
		{"path", store.IntegrationPatch{BaseURL: ptr("https://A.example:443/v2"), Check: passed}, "check_passed", true, []string{"traders"}, nil, nil, true},
		{"origin", store.IntegrationPatch{BaseURL: ptr("https://b.example"), Check: passed}, "check_passed", true, []string{}, both, nil, true},
		{"origin that fails", store.IntegrationPatch{BaseURL: ptr("https://b.example"), Check: failed}, "check_failed", false, []string{}, both, nil, true},
		{"scope", store.IntegrationPatch{AccountScope: &scope, Check: passed}, "check_passed", true, []string{"accounts", "payouts", "traders"}, []string{"accounts"}, nil, true},
		{"same scope", store.IntegrationPatch{AccountScope: ptr[*store.AccountScope](nil), Check: passed}, "check_passed", true, []string{"traders"}, nil, nil, true},
		{"off", store.IntegrationPatch{IsActive: ptr(false)}, "inactive", false, []string{"traders"}, both, both, false},
		{"on", store.IntegrationPatch{IsActive: ptr(true), Check: passed}, "check_passed", true, []string{"traders"}, nil, nil, true},
		{"off with a key", store.IntegrationPatch{IsActive: ptr(false), APIKey: key, Check: passed}, "inactive", false, []string{"traders"}, both, both, true},
		{"interval", store.IntegrationPatch{SyncIntervalSeconds: ptr(3600)}, "", true, []string{"traders"}, nil, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			i := storetest.Integration(t, b.DB, b.org, "https://a.example")
			b.running(t, i.ID)
			before := b.schedule(t, i.ID)
			if got := c.patch.NeedsCheck(); got != c.check {
				t.Errorf("needs a check: %v, want %v", got, c.check)
			}
			got, err := b.UpdateIntegration(t.Context(), b.org, i.ID, c.patch)
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

// patched is the integration that the patch asks for.
func patched(i store.Integration, p store.IntegrationPatch) store.Integration {
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
		i.HealthStatus = store.HealthCheckFailed
	}
	if p.Check != nil {
		i.LastError = p.Check.Err
	}
	return i
}

// checkStreams compares the streams and runs that running has made with what is
// to have become of them.
func (b bundle) checkStreams(t *testing.T, id uuid.UUID, s store.Schedule, wantBackfilling, wantInterrupted, wantLeft []string) {
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
		return one[[]string](t, b, `SELECT array_agg(resource ORDER BY resource) FROM sync_runs WHERE integration_id = $1 AND `+condition, id)
	}
	if diff := cmp.Diff(wantInterrupted, runs(`status = 'interrupted' AND finished_at IS NOT NULL`)); diff != "" {
		t.Errorf("interrupted runs (-want +got):\n%s", diff)
	}
	if running := runs(`status = 'running'`); len(running)+len(wantInterrupted) != 2 {
		t.Errorf("running runs: %v", running)
	}
	left := one[[]string](t, b, `SELECT array_agg(stream ORDER BY stream) FROM sync_streams WHERE integration_id = $1 AND run->>'id' = '00000000-0000-0000-0000-000000000000'`, id)
	if diff := cmp.Diff(wantLeft, left); diff != "" {
		t.Errorf("streams that go on from a checkpoint (-want +got):\n%s", diff)
	}
}

// TestRunsOfAStoppedIntegration: who looks at an integration that is not polled
// finds no run in progress, and when it is switched on again it goes on where
// it was stopped.
func TestRunsOfAStoppedIntegration(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.org, "https://a.example")
	b.running(t, i.ID)
	if _, err := b.UpdateIntegration(t.Context(), b.org, i.ID, store.IntegrationPatch{IsActive: ptr(false)}); err != nil {
		t.Fatal(err)
	}
	runs, _, err := b.SyncRuns(t.Context(), b.org, i.ID, store.Page{Number: 1, Limit: 9})
	if err != nil || len(runs) != 2 {
		t.Fatalf("runs %v, %v", runs, err)
	}
	for _, run := range runs {
		want := store.SyncRun{
			ID: run.ID, IntegrationID: i.ID, CycleID: run.ID, Resource: run.Resource, Trigger: "schedule", Mode: "backfill", Status: "interrupted",
			Pages: 2, Requests: 3, RecordsSeen: 10, RecordsInserted: 4, RecordsUpdated: 3, RecordsUnchanged: 2, RecordsQuarantined: 1, ThrottledMS: 5,
			StartedAt: run.StartedAt, FinishedAt: run.FinishedAt,
		}
		if diff := cmp.Diff(want, run); diff != "" || run.FinishedAt == nil {
			t.Errorf("%s (-want +got):\n%s", run.Resource, diff)
		}
	}
	on, err := b.UpdateIntegration(t.Context(), b.org, i.ID, store.IntegrationPatch{
		IsActive: ptr(true), Check: &store.LiveCheck{CheckOutcome: passedCheck, SettingsVersion: i.SettingsVersion + 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	if wait := time.Until(deref(on.NextSyncAt)).Abs(); wait > time.Minute {
		t.Errorf("next sync at %v, want about now", on.NextSyncAt)
	}
	claim, err := b.ClaimOne(t.Context(), "syncd", i.ID, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if claim.Run != nil || claim.PriorOwner != "" {
		t.Errorf("the claim takes over run %+v of %q", claim.Run, claim.PriorOwner)
	}
	settings, err := b.SyncSettings(t.Context(), &claim)
	if err != nil {
		t.Fatal(err)
	}
	for _, stream := range []record.Stream{record.StreamTraders, record.StreamAccounts} {
		at := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
		want := &store.OpenRun{
			Stream: stream, Trigger: store.TriggerSchedule, Mode: store.ModeBackfill, StartedAt: at, ReadFrom: at.Add(-time.Minute),
			Cursor: "after " + string(stream), CursorPages: 2, SavedAt: at.Add(time.Second),
		}
		if diff := cmp.Diff(want, settings.Streams[stream].Run); diff != "" {
			t.Errorf("checkpoint of %s (-want +got):\n%s", stream, diff)
		}
	}
}

// TestStoppedBeforeTheFirstPage: a run that has read nothing leaves nothing to
// go on from.
func TestStoppedBeforeTheFirstPage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.org, "https://a.example")
	b.running(t, i.ID)
	b.exec(t, `UPDATE sync_state SET run = run - 'cursor' WHERE integration_id = $1`, i.ID)
	b.exec(t, `DELETE FROM sync_streams WHERE integration_id = $1 AND stream = 'traders'`, i.ID)
	if _, err := b.UpdateIntegration(t.Context(), b.org, i.ID, store.IntegrationPatch{IsActive: ptr(false)}); err != nil {
		t.Fatal(err)
	}
	if n := one[int](t, b, `SELECT count(*) FROM sync_streams WHERE integration_id = $1 AND run IS NOT NULL`, i.ID); n != 0 {
		t.Errorf("%d checkpoints are left", n)
	}
}

func TestUpdateKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.org, "https://a.example")
	if _, err := b.UpdateIntegration(t.Context(), b.org, i.ID, store.IntegrationPatch{APIKey: ptr(seal.NewSecret("another-secret-key-cd34"))}); err != nil {
		t.Fatal(err)
	}
	c, err := b.IntegrationConfig(t.Context(), b.org, i.ID)
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
	i := storetest.Integration(t, b.DB, b.org, "https://a.example")
	b.exec(t, `UPDATE sync_state SET claimable_at = slot_at, wait_reason = NULL WHERE integration_id = $1`, i.ID)
	if _, err := b.UpdateIntegration(t.Context(), b.org, i.ID, store.IntegrationPatch{SyncIntervalSeconds: ptr(3600)}); err != nil {
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

func TestRequestSync(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		state  string // of sync_state
		change string // of integrations
		queued bool
		err    error
		due    bool // claimable now
		manual bool
	}{
		{"idle", `claimable_at = now() + interval '1 hour', wait_reason = NULL`, ``, true, nil, true, true},
		{"backing off", `claimable_at = now() + interval '1 hour', wait_reason = 'backoff'`, ``, true, nil, true, true},
		{"running", `claimable_at = now() + interval '1 hour', owner = 'x', cycle_id = gen_random_uuid()`, ``, true, nil, false, true},
		{"cycle waits", `claimable_at = now() + interval '1 hour', cycle_id = gen_random_uuid()`, ``, true, nil, false, true},
		{"due", `claimable_at = now()`, ``, false, nil, true, false},
		{"noted", `claimable_at = now() + interval '1 hour', owner = 'x', cycle_id = gen_random_uuid(), manual = true`, ``, false, nil, false, true},
		{"off", `claimable_at = 'infinity'`, `is_active = false`, false, store.ErrInactive, false, false},
		{"off and blocked", `claimable_at = 'infinity'`, `is_active = false, health_status = 'blocked'`, false, store.ErrInactive, false, false},
		{"blocked", `claimable_at = 'infinity'`, `health_status = 'blocked'`, false, store.ErrBlocked, false, false},
		{"check failed", `claimable_at = 'infinity'`, `health_status = 'check_failed'`, false, store.ErrBlocked, false, false},
		{"not polled", `claimable_at = 'infinity'`, ``, false, store.ErrBlocked, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			i := storetest.Integration(t, b.DB, b.org, "https://a.example")
			b.exec(t, `UPDATE sync_state SET `+c.state+` WHERE integration_id = $1`, i.ID)
			if c.change != "" {
				b.exec(t, `UPDATE integrations SET `+c.change+` WHERE id = $1`, i.ID)
			}
			b.exec(t, `INSERT INTO sync_streams (integration_id, stream, ask_again_at) VALUES ($1, 'payouts', now())`, i.ID)
			queued, err := b.RequestSync(t.Context(), b.org, i.ID)
			if queued != c.queued || !errors.Is(err, c.err) {
				t.Errorf("queued %v, %v; want %v, %v", queued, err, c.queued, c.err)
			}
			s := b.schedule(t, i.ID)
			now := one[time.Time](t, b, `SELECT now()`)
			if due := s.ClaimableAt != nil && !s.ClaimableAt.After(now); due != c.due || s.ManualNoted != c.manual {
				t.Errorf("claimable at %v, noted %v; want due %v, noted %v", s.ClaimableAt, s.ManualNoted, c.due, c.manual)
			}
			if asks := s.Streams[0].AskAgainAt == nil; asks != (c.err == nil) {
				t.Errorf("asks for the optional stream again: %v", asks)
			}
		})
	}
}

// TestRequestSyncNotifiesNobody: nobody listens, and a commit that notifies
// takes a lock that all such commits share.
func TestRequestSyncNotifiesNobody(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.org, "https://a.example")
	b.exec(t, `UPDATE sync_state SET claimable_at = now() + interval '1 hour' WHERE integration_id = $1`, i.ID)
	b.exec(t, `LISTEN sync_due`)
	if queued, err := b.RequestSync(t.Context(), b.org, i.ID); err != nil || !queued {
		t.Fatalf("queued %v, %v", queued, err)
	}
	// Notifications come in the order of the commits.
	b.exec(t, `SELECT pg_notify('sync_due', 'of the test')`)
	if n, err := b.conn.WaitForNotification(t.Context()); err != nil || n.Payload != "of the test" {
		t.Errorf("notification %+v, %v; want the test's own first", n, err)
	}
}

func TestDeleteAndRevive(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.org, "https://a.example/v1")
	b.running(t, i.ID)
	storetest.Records(t, b.url, i, record.Batch{Traders: []record.Trader{{ID: "1"}, {ID: "2"}}, Accounts: []record.Account{{ID: "a", TraderID: "1"}}})
	for _, table := range []string{
		`quarantine (integration_id, resource, key, raw, pointer, rule, detail, count, first_seen_at, last_seen_at) VALUES ($1, '', '', '', '', '', '', 1, now(), now())`,
		`findings (integration_id, resource, rule, count, samples, first_seen_at, last_seen_at) VALUES ($1, '', '', 1, '{}', now(), now())`,
		`request_budgets (integration_id, next_slot_at, gap) VALUES ($1, now(), '1 s')`,
	} {
		b.exec(t, `INSERT INTO `+table, i.ID)
	}
	token := b.schedule(t, i.ID).Token
	if err := b.DeleteIntegration(t.Context(), b.org, i.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Integration(t.Context(), b.org, i.ID); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("reading the deleted one: %v, want ErrNotFound", err)
	}
	if err := b.DeleteIntegration(t.Context(), b.org, i.ID); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("deleting it again: %v, want ErrNotFound", err)
	}
	for _, table := range []string{"sync_streams", "sync_runs", "quarantine", "findings", "request_budgets", "integration_transitions"} {
		if rows := one[int](t, b, `SELECT count(*) FROM `+table+` WHERE integration_id = $1`, i.ID); rows != 0 {
			t.Errorf("%d rows are left in %s", rows, table)
		}
	}
	if kept := one[bool](t, b, `SELECT api_key IS NULL AND api_key_preview = '' FROM integrations WHERE id = $1`, i.ID); !kept {
		t.Error("the credential is left")
	}

	create := func(org uuid.UUID, kind record.Kind, url string) store.Integration {
		made, err := b.CreateIntegration(t.Context(), store.NewIntegration{
			OrganizationID: org, Kind: kind, Name: "Again", BaseURL: url, APIKey: seal.NewSecret("a-new-key-for-it-ef56"), SyncIntervalSeconds: 60,
		})
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	for what, made := range map[string]store.Integration{
		"another origin":       create(b.org, record.CustomAPI, "https://b.example/v1"),
		"another port":         create(b.org, record.CustomAPI, "https://a.example:8443/v1"),
		"another kind":         create(b.org, record.PartnerPlatform, "https://a.example/v1"),
		"another organization": create(storetest.Organization(t, b.DB).ID, record.CustomAPI, "https://a.example/v1"),
	} {
		if made.ID == i.ID || made.Counters.Traders != 0 {
			t.Errorf("%s took over the deleted integration", what)
		}
	}
	revived := create(b.org, record.CustomAPI, "https://A.Example:443/v2")
	want := store.Integration{
		ID: i.ID, OrganizationID: b.org, Kind: record.CustomAPI, Name: "Again", BaseURL: "https://A.Example:443/v2", APIKeyPreview: "****ef56",
		SyncIntervalSeconds: 60, IsActive: true, SettingsVersion: i.SettingsVersion + 1, HealthStatus: store.HealthCheckFailed, Counters: store.Counters{Traders: 2, Accounts: 1},
		CreatedAt: revived.CreatedAt, UpdatedAt: revived.UpdatedAt,
	}
	if diff := cmp.Diff(want, revived); diff != "" {
		t.Errorf("revived (-want +got):\n%s", diff)
	}
	s := b.schedule(t, i.ID)
	if s.Token <= token || s.ClaimableAt != nil || s.PeriodMS != 60_000 || s.CycleID != nil || len(s.Streams) != 0 {
		t.Errorf("schedule of the revived: %+v; want a higher token than %d, and nothing begun", s, token)
	}
	if again := create(b.org, record.CustomAPI, "https://a.example"); again.ID == i.ID {
		t.Error("a second integration of the origin took the first one's place")
	}
	traders, total, err := b.Traders(t.Context(), b.org, store.TraderFilter{}, store.Page{Number: 1, Limit: 9})
	if err != nil || total != 2 || len(traders) != 2 || deref(traders[0].IntegrationID) != i.ID {
		t.Errorf("directory of %d, %v, %v; want the two traders with their integration", total, traders, err)
	}
}

// TestReviveOnce lets several callers at one tombstone.
func TestReviveOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.org, "https://a.example")
	if err := b.DeleteIntegration(t.Context(), b.org, i.ID); err != nil {
		t.Fatal(err)
	}
	const callers = 6
	ids := make(chan uuid.UUID, callers)
	for range callers {
		go func() {
			made, err := b.CreateIntegration(t.Context(), store.NewIntegration{
				OrganizationID: b.org, Kind: record.CustomAPI, BaseURL: "https://a.example", APIKey: seal.NewSecret("k"), SyncIntervalSeconds: 60,
			})
			if err != nil {
				t.Error(err)
			}
			ids <- made.ID
		}()
	}
	seen := map[uuid.UUID]bool{}
	for range callers {
		seen[<-ids] = true
	}
	if len(seen) != callers || !seen[i.ID] {
		t.Errorf("%d integrations of %d callers, the deleted one among them: %v", len(seen), callers, seen[i.ID])
	}
}
