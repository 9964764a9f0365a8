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

// deniedCheck is a live check that failed because of the credential.
var deniedCheck = store.CheckOutcome{Denied: true, Err: &store.SyncError{Code: "unauthorized", HTTPStatus: 401, At: opened}}

func TestRecordCheck(t *testing.T) {
	t.Parallel()
	passed := store.CheckOutcome{OK: true}
	for _, c := range []struct {
		name    string
		health  store.Health // before
		read    bool         // a stream has been read completely
		stopped bool         // not polled before
		off     bool         // switched off
		outcome store.CheckOutcome
		saved   bool
		want    store.Health
		polled  bool // after
		reason  string
	}{
		{"a new one passes", store.HealthCheckFailed, false, true, false, passed, true, store.HealthPending, true, "check_passed"},
		{"a new one fails", store.HealthCheckFailed, false, true, false, failedCheck, true, store.HealthCheckFailed, false, "check_failed"},
		{"a changed one passes", store.HealthDegraded, true, true, false, passed, true, store.HealthDegraded, true, "check_passed"},
		{"a changed one that must read anew passes", store.HealthHealthy, false, true, false, passed, true, store.HealthPending, true, "check_passed"},
		{"a changed one fails", store.HealthHealthy, true, true, false, failedCheck, true, store.HealthCheckFailed, false, "check_failed"},
		{"a changed one is denied", store.HealthHealthy, true, true, false, deniedCheck, true, store.HealthCheckFailed, false, "check_failed"},
		{"a blocked one with a new key passes", store.HealthBlocked, true, true, false, passed, true, store.HealthPending, true, "check_passed"},
		{"a changed one that is off passes", store.HealthCheckFailed, true, true, true, passed, true, store.HealthPending, false, "inactive"},
		{"a changed one that is off fails", store.HealthHealthy, true, true, true, failedCheck, true, store.HealthCheckFailed, false, "inactive"},
		{"asked, a blocked one passes", store.HealthBlocked, true, true, false, passed, false, store.HealthPending, true, "check_passed"},
		{"asked, a failed one passes", store.HealthCheckFailed, true, true, false, passed, false, store.HealthPending, true, "check_passed"},
		{"asked, a polled one passes", store.HealthFailing, true, false, false, passed, false, store.HealthFailing, true, ""},
		{"asked, a pending one passes", store.HealthPending, false, false, false, passed, false, store.HealthPending, true, ""},
		{"asked, a polled one fails", store.HealthHealthy, true, false, false, failedCheck, false, store.HealthHealthy, true, ""},
		{"asked, a polled one is denied", store.HealthHealthy, true, false, false, deniedCheck, false, store.HealthBlocked, false, "blocked"},
		{"asked, a failed one is denied", store.HealthCheckFailed, true, true, false, deniedCheck, false, store.HealthCheckFailed, false, "before"},
		{"asked, one that is off is denied", store.HealthHealthy, true, true, true, deniedCheck, false, store.HealthHealthy, false, "inactive"},
		{"asked, a blocked one that is off passes", store.HealthBlocked, true, true, true, passed, false, store.HealthPending, false, "inactive"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			i := storetest.Integration(t, b.DB, b.org, "https://a.example")
			b.exec(t, `UPDATE integrations SET health_status = $2, is_active = $3, check_error = '{"at": "2026-01-01T00:00:00Z"}' WHERE id = $1`, i.ID, string(c.health), !c.off)
			wait, due := (*string)(nil), "now() + interval '1 minute'"
			if c.stopped {
				wait, due = ptr("before"), "'infinity'"
			}
			if c.off {
				wait = ptr("inactive")
			}
			b.exec(t, `UPDATE sync_state SET claimable_at = `+due+`, wait_reason = $2, failures = 4, owner = 'somebody' WHERE integration_id = $1`, i.ID, wait)
			b.exec(t, `INSERT INTO sync_streams (integration_id, stream, watermark, ask_again_at) VALUES ($1, 'payouts', CASE WHEN $2 THEN now() END, now())`, i.ID, c.read)
			b.exec(t, `DELETE FROM integration_transitions`)
			before := b.schedule(t, i.ID)

			got, err := b.RecordCheck(t.Context(), b.org, i.ID, c.outcome, "because of the test", c.saved)
			if err != nil {
				t.Fatal(err)
			}
			if got.HealthStatus != c.want {
				t.Errorf("health %s, want %s", got.HealthStatus, c.want)
			}
			if diff := cmp.Diff(c.outcome.Err, got.LastError); diff != "" {
				t.Errorf("last error (-want +got):\n%s", diff)
			}
			after := b.schedule(t, i.ID)
			if polled := after.ClaimableAt != nil; polled != c.polled || polled != (got.NextSyncAt != nil) {
				t.Errorf("claimable at %v and next sync at %v, want polled: %v", after.ClaimableAt, got.NextSyncAt, c.polled)
			}
			if reason := deref(after.WaitReason); reason != c.reason {
				t.Errorf("waits because of %q, want %q", reason, c.reason)
			}
			stops := c.want == store.HealthBlocked || c.saved && !c.outcome.OK
			if fenced := after.Token > before.Token && after.LeaseOwner == nil; fenced != stops {
				t.Errorf("token %d after %d, owner %v; want the lease taken: %v", after.Token, before.Token, after.LeaseOwner, stops)
			}
			if asks := after.Streams[0].AskAgainAt == nil; asks != c.outcome.OK {
				t.Errorf("asks for the optional stream again: %v, want %v", asks, c.outcome.OK)
			}
			var want []store.Transition
			if c.health != c.want {
				want = []store.Transition{{Kind: "health", From: ptr(string(c.health)), To: ptr(string(c.want)), Reason: "because of the test"}}
			}
			for n := range after.Transitions {
				after.Transitions[n].At = time.Time{}
			}
			if diff := cmp.Diff(want, after.Transitions[:len(after.Transitions):len(after.Transitions)]); diff != "" && len(want)+len(after.Transitions) > 0 {
				t.Errorf("transitions (-want +got):\n%s", diff)
			}
		})
	}
}

func deref[T any](p *T) (value T) {
	if p != nil {
		value = *p
	}
	return value
}

// running makes the integration look as if a process were in the middle of a
// cycle, with an open run of accounts and a parked one of traders.
func (b bundle) running(t *testing.T, id uuid.UUID) {
	t.Helper()
	run := func(stream string) string {
		runID := uuid.New()
		b.exec(t, `INSERT INTO sync_runs (id, integration_id, cycle_id, resource, trigger, mode, status, started_at) VALUES ($1, $2, $1, $3, 'schedule', 'backfill', 'running', now())`, runID, id, stream)
		return `{"id": "` + runID.String() + `", "stream": "` + stream + `"}`
	}
	b.exec(t, `UPDATE sync_state SET owner = 'syncd', claimable_at = now() + interval '15 seconds', wait_reason = NULL, cycle_id = gen_random_uuid(), cycle_started_at = now(),
    cycle_trigger = 'schedule', run = $2::jsonb WHERE integration_id = $1`, id, run("accounts"))
	b.exec(t, `INSERT INTO sync_streams (integration_id, stream, watermark, run, last_cycle_id) VALUES
    ($1, 'traders', NULL, $2::jsonb, gen_random_uuid()), ($1, 'accounts', now(), NULL, gen_random_uuid()), ($1, 'trades', now(), NULL, gen_random_uuid()), ($1, 'payouts', now(), NULL, gen_random_uuid())`,
		id, run("traders"))
}

func TestUpdateIntegration(t *testing.T) {
	t.Parallel()
	scope := &store.AccountScope{Platforms: []string{"mt5"}, PlanCategoryIDs: []json.Number{"1"}}
	everything := []string{"accounts", "payouts", "traders", "trades"}
	for _, c := range []struct {
		name        string
		patch       store.IntegrationPatch
		wait        string   // reason; empty: the cycle goes on
		backfilling []string // streams that read everything after it
		interrupted []string // runs
		check       bool
	}{
		{"nothing", store.IntegrationPatch{}, "", []string{"traders"}, nil, false},
		{"name", store.IntegrationPatch{Name: ptr("New")}, "", []string{"traders"}, nil, false},
		{"key", store.IntegrationPatch{APIKey: ptr(seal.NewSecret("another-secret-key-cd34"))}, "checking", []string{"traders"}, nil, true},
		{"path", store.IntegrationPatch{BaseURL: ptr("https://A.example:443/v2")}, "checking", []string{"traders"}, nil, true},
		{"origin", store.IntegrationPatch{BaseURL: ptr("https://b.example")}, "checking", []string{}, []string{"accounts", "traders"}, true},
		{"scope", store.IntegrationPatch{AccountScope: &scope}, "checking", []string{"accounts", "payouts", "traders"}, []string{"accounts"}, true},
		{"same scope", store.IntegrationPatch{AccountScope: ptr[*store.AccountScope](nil)}, "checking", []string{"traders"}, nil, true},
		{"off", store.IntegrationPatch{IsActive: ptr(false)}, "inactive", []string{"traders"}, nil, false},
		{"on", store.IntegrationPatch{IsActive: ptr(true)}, "checking", []string{"traders"}, nil, true},
		{"off with a key", store.IntegrationPatch{IsActive: ptr(false), APIKey: ptr(seal.NewSecret("another-secret-key-cd34"))}, "inactive", []string{"traders"}, nil, true},
		{"interval", store.IntegrationPatch{SyncIntervalSeconds: ptr(3600)}, "", []string{"traders"}, nil, false},
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
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("integration (-want +got):\n%s", diff)
			}
			after := b.schedule(t, i.ID)
			if c.wait == "" {
				if after.Token != before.Token || after.LeaseOwner == nil || got.NextSyncAt == nil {
					t.Errorf("token %d after %d, owner %v, next sync at %v; want the cycle to go on", after.Token, before.Token, after.LeaseOwner, got.NextSyncAt)
				}
			} else if after.Token <= before.Token || after.LeaseOwner != nil || after.ClaimableAt != nil || got.NextSyncAt != nil || deref(after.WaitReason) != c.wait {
				t.Errorf("schedule %+v, next sync at %v; want it fenced and waiting because of %q", after, got.NextSyncAt, c.wait)
			}
			b.checkStreams(t, i.ID, after, c.backfilling, c.interrupted)
			if len(c.backfilling) == 0 { // a new origin
				if after.CycleID != nil || len(after.Streams) != 0 {
					t.Errorf("cycle %v and streams %v of the old origin are left; before: %v", after.CycleID, after.Streams, everything)
				}
			}
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
	return i
}

func (b bundle) checkStreams(t *testing.T, id uuid.UUID, s store.Schedule, wantBackfilling, wantInterrupted []string) {
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
	interrupted := one[[]string](t, b, `SELECT array_agg(resource ORDER BY resource) FROM sync_runs WHERE integration_id = $1 AND status = 'interrupted' AND finished_at IS NOT NULL`, id)
	if diff := cmp.Diff(wantInterrupted, interrupted); diff != "" {
		t.Errorf("interrupted runs (-want +got):\n%s", diff)
	}
	open := one[int](t, b, `SELECT (SELECT count(*) FROM sync_state WHERE integration_id = $1 AND run IS NOT NULL) + (SELECT count(*) FROM sync_streams WHERE integration_id = $1 AND run IS NOT NULL)`, id)
	if open+len(wantInterrupted) != 2 {
		t.Errorf("%d checkpoints are left, want %d", open, 2-len(wantInterrupted))
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
		{"being checked", `claimable_at = 'infinity'`, ``, false, store.ErrBlocked, false, false},
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
		SyncIntervalSeconds: 60, IsActive: true, HealthStatus: store.HealthCheckFailed, Counters: store.Counters{Traders: 2, Accounts: 1},
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
