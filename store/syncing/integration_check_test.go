package syncing_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// The outcomes of live checks.
var (
	passedCheck = integrations.CheckOutcome{OK: true}
	failedCheck = integrations.CheckOutcome{Err: &syncing.Error{Code: "timeout", Message: "no answer", Endpoint: "GET /health", Hint: "make it faster"}}
	deniedCheck = integrations.CheckOutcome{Denied: true, Err: &syncing.Error{Code: "unauthorized", HTTPStatus: 401}}
)

// anyTime leaves the times of errors and transitions out of a comparison.
var anyTime = cmp.Options{cmpopts.IgnoreFields(syncing.Error{}, "At"), cmpopts.IgnoreFields(syncing.Transition{}, "At"), cmpopts.EquateEmpty()}

// checkCase is an integration, a live check of it, and the expected result.
type checkCase struct {
	name    string
	health  syncing.Health // before
	read    bool           // a stream has been read completely
	stopped bool           // not polled before
	off     bool           // switched off
	outcome integrations.CheckOutcome
	want    syncing.Health
	polled  bool   // after
	reason  string // of the wait
	fenced  bool   // the lease is revoked
}

// begin creates an integration in the state of the case, with a lease held.
func (c checkCase) begin(t *testing.T, b orgDB) integrations.Integration {
	t.Helper()
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	b.Exec(t, `UPDATE integrations SET health_status = $2, is_active = $3, check_error = '{"at": "2026-01-01T00:00:00Z"}' WHERE id = $1`, i.ID, string(c.health), !c.off)
	wait, due := (*string)(nil), "now() + interval '1 minute'"
	if c.stopped {
		wait, due = new("before"), "'infinity'"
	}
	if c.off {
		wait = new("inactive")
	}
	b.Exec(t, `UPDATE sync_state SET claimable_at = `+due+`, wait_reason = $2, failures = 4, owner = 'somebody' WHERE integration_id = $1`, i.ID, wait)
	b.Exec(t, `INSERT INTO sync_streams (integration_id, stream, watermark, ask_again_at) VALUES ($1, 'payouts', CASE WHEN $2 THEN now() END, now())`, i.ID, c.read)
	b.Exec(t, `DELETE FROM integration_transitions`)
	return i
}

// verify compares the result with the expected one.
func (c checkCase) verify(t *testing.T, b orgDB, id uuid.UUID, before integrations.Schedule, transition string) {
	t.Helper()
	got, err := integrations.Read(t.Context(), b.DB, b.Org, id)
	if err != nil {
		t.Fatal(err)
	}
	if got.HealthStatus != c.want {
		t.Errorf("health %s, want %s", got.HealthStatus, c.want)
	}
	if diff := cmp.Diff(c.outcome.Err, got.LastError, anyTime); diff != "" {
		t.Errorf("last error (-want +got):\n%s", diff)
	}
	after := b.schedule(t, id)
	if polled := after.ClaimableAt != nil; polled != c.polled || polled != (got.NextSyncAt != nil) {
		t.Errorf("claimable at %v and next sync at %v, want polled: %v", after.ClaimableAt, got.NextSyncAt, c.polled)
	}
	if reason := deref(after.WaitReason); reason != c.reason {
		t.Errorf("waits because of %q, want %q", reason, c.reason)
	}
	if fenced := after.Token > before.Token && after.LeaseOwner == nil; fenced != c.fenced {
		t.Errorf("token %d after %d, owner %v; want the lease taken: %v", after.Token, before.Token, after.LeaseOwner, c.fenced)
	}
	if asks := after.Streams[0].AskAgainAt == nil; asks != c.outcome.OK {
		t.Errorf("asks for the optional stream again: %v, want %v", asks, c.outcome.OK)
	}
	var want []syncing.Transition
	if c.health != c.want {
		want = []syncing.Transition{{Kind: "health", From: new(string(c.health)), To: new(string(c.want)), Reason: transition}}
	}
	moves := []syncing.Transition{}
	for _, tr := range after.Transitions {
		if tr.Kind == "health" {
			moves = append(moves, tr)
		}
	}
	if diff := cmp.Diff(want, moves, anyTime); diff != "" {
		t.Errorf("transitions (-want +got):\n%s", diff)
	}
}

func TestRecordLiveCheck(t *testing.T) {
	t.Parallel()
	for _, c := range []checkCase{
		{"a blocked one passes", syncing.HealthBlocked, true, true, false, passedCheck, syncing.HealthPending, true, "check_passed", false},
		{"a failed one passes", syncing.HealthCheckFailed, true, true, false, passedCheck, syncing.HealthPending, true, "check_passed", false},
		{"a polled one passes", syncing.HealthFailing, true, false, false, passedCheck, syncing.HealthFailing, true, "", false},
		{"a pending one passes", syncing.HealthPending, false, false, false, passedCheck, syncing.HealthPending, true, "", false},
		{"a polled one fails", syncing.HealthHealthy, true, false, false, failedCheck, syncing.HealthHealthy, true, "", false},
		{"a polled one is denied", syncing.HealthHealthy, true, false, false, deniedCheck, syncing.HealthBlocked, false, "blocked", true},
		{"a failed one is denied", syncing.HealthCheckFailed, true, true, false, deniedCheck, syncing.HealthCheckFailed, false, "before", false},
		{"one that is off is denied", syncing.HealthHealthy, true, true, true, deniedCheck, syncing.HealthHealthy, false, "inactive", false},
		{"a blocked one that is off passes", syncing.HealthBlocked, true, true, true, passedCheck, syncing.HealthPending, false, "inactive", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			i := c.begin(t, b)
			before := b.schedule(t, i.ID)
			recorded, err := integrations.RecordLiveCheck(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, integrations.LiveCheck{CheckOutcome: c.outcome, SettingsVersion: i.SettingsVersion})
			if err != nil || !recorded {
				t.Fatalf("recorded: %v, %v", recorded, err)
			}
			c.verify(t, b, i.ID, before, "live check on request")
		})
	}
}

func TestUpdateWithALiveCheck(t *testing.T) {
	t.Parallel()
	for _, c := range []checkCase{
		{"a polled one passes", syncing.HealthDegraded, true, false, false, passedCheck, syncing.HealthDegraded, true, "check_passed", true},
		{"one that was never read passes", syncing.HealthHealthy, false, false, false, passedCheck, syncing.HealthPending, true, "check_passed", true},
		{"a polled one fails", syncing.HealthHealthy, true, false, false, failedCheck, syncing.HealthCheckFailed, false, "check_failed", true},
		{"a polled one is denied", syncing.HealthHealthy, true, false, false, deniedCheck, syncing.HealthCheckFailed, false, "check_failed", true},
		{"a failed one passes", syncing.HealthCheckFailed, false, true, false, passedCheck, syncing.HealthPending, true, "check_passed", true},
		{"a failed one fails", syncing.HealthCheckFailed, false, true, false, failedCheck, syncing.HealthCheckFailed, false, "check_failed", true},
		{"a blocked one passes", syncing.HealthBlocked, true, true, false, passedCheck, syncing.HealthPending, true, "check_passed", true},
		{"one that is off passes", syncing.HealthCheckFailed, true, true, true, passedCheck, syncing.HealthPending, false, "inactive", true},
		{"one that is off fails", syncing.HealthHealthy, true, true, true, failedCheck, syncing.HealthCheckFailed, false, "inactive", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			i := c.begin(t, b)
			before := b.schedule(t, i.ID)
			_, err := integrations.Update(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, integrations.Patch{
				APIKey: new(seal.NewSecret("another-secret-key-cd34")),
				Check:  &integrations.LiveCheck{CheckOutcome: c.outcome, SettingsVersion: i.SettingsVersion},
			})
			if err != nil {
				t.Fatal(err)
			}
			c.verify(t, b, i.ID, before, "live check on a change of settings")
		})
	}
}

func TestCreateWithALiveCheck(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		outcome integrations.CheckOutcome
		want    syncing.Health
		wait    string
		reason  string
	}{
		{"passed", passedCheck, syncing.HealthPending, "check_passed", "created; the live check passed"},
		{"failed", failedCheck, syncing.HealthCheckFailed, "check_failed", "created; the live check did not pass"},
		{"denied", deniedCheck, syncing.HealthCheckFailed, "check_failed", "created; the live check did not pass"},
		{"not made", integrations.CheckOutcome{}, syncing.HealthCheckFailed, "check_failed", "created; the live check did not pass"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			for _, what := range []string{"new", "revived"} {
				i, err := integrations.Create(t.Context(), b.DB, store.SystemChange(b.Org), integrations.New{
					Kind: record.CustomAPI, Name: "One", BaseURL: "https://a.example",
					APIKey: seal.NewSecret("a-very-secret-key-ab12"), SyncIntervalSeconds: 60, Check: c.outcome,
				})
				if err != nil {
					t.Fatal(err)
				}
				if i.HealthStatus != c.want || (i.NextSyncAt != nil) != c.outcome.OK {
					t.Errorf("%s: health %s, next sync at %v; want %s", what, i.HealthStatus, i.NextSyncAt, c.want)
				}
				if diff := cmp.Diff(c.outcome.Err, i.LastError, anyTime); diff != "" {
					t.Errorf("%s: last error (-want +got):\n%s", what, diff)
				}
				s := b.schedule(t, i.ID)
				if reason := deref(s.WaitReason); reason != c.wait {
					t.Errorf("%s: waits because of %q, want %q", what, reason, c.wait)
				}
				if diff := cmp.Diff([]syncing.Transition{{Kind: "health", To: new(string(c.want)), Reason: c.reason}}, s.Transitions, anyTime); diff != "" {
					t.Errorf("%s: transitions (-want +got):\n%s", what, diff)
				}
				if err := integrations.Delete(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, nil); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestLiveCheckOfOtherSettings changes the settings, or recreates the integration, between the
// beginning and the end of a check. The outcome is ignored then.
func TestLiveCheckOfOtherSettings(t *testing.T) {
	t.Parallel()
	key := integrations.Patch{APIKey: new(seal.NewSecret("another-secret-key-cd34"))}
	for _, c := range []struct {
		name    string
		patches []integrations.Patch // between
		anew    bool                 // deleted and connected again
		counts  bool                 // the outcome is accepted nevertheless
	}{
		{"name", []integrations.Patch{{Name: new("New")}}, false, true},
		{"interval", []integrations.Patch{{SyncIntervalSeconds: new(60)}}, false, true},
		{"nothing", []integrations.Patch{{}}, false, true},
		{"base URL", []integrations.Patch{{BaseURL: new("https://b.example")}}, false, false},
		{"key", []integrations.Patch{key}, false, false},
		{"scope", []integrations.Patch{{AccountScope: new(&syncing.AccountScope{Platforms: []string{"mt5"}})}}, false, false},
		{"off", []integrations.Patch{{IsActive: new(false)}}, false, false},
		{"off and on", []integrations.Patch{{IsActive: new(false)}, {IsActive: new(true)}}, false, false},
		{"made anew", nil, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
			for _, p := range c.patches {
				if _, err := integrations.Update(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, p); err != nil {
					t.Fatal(err)
				}
			}
			if c.anew {
				storetest.Records(t, b.URL, i, record.Batch{Traders: firmTraders})
				if err := integrations.Delete(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, nil); err != nil {
					t.Fatal(err)
				}
				again, err := integrations.Create(t.Context(), b.DB, store.SystemChange(b.Org), integrations.New{
					Kind: record.CustomAPI, BaseURL: "https://a.example", APIKey: seal.NewSecret("k"), SyncIntervalSeconds: 300, Check: passedCheck, Traders: firmTraders,
				})
				if err != nil || again.ID != i.ID {
					t.Fatalf("connected again as %s, %v; want %s", again.ID, err, i.ID)
				}
			}
			before := b.everythingOf(t, i.ID)
			for name, outcome := range map[string]integrations.CheckOutcome{"passed": passedCheck, "denied": deniedCheck} {
				late := integrations.LiveCheck{CheckOutcome: outcome, SettingsVersion: i.SettingsVersion}
				if c.counts { // checked below, so that each finds the same state
					continue
				}
				if recorded, err := integrations.RecordLiveCheck(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, late); err != nil || recorded {
					t.Errorf("%s on request: recorded %v, %v", name, recorded, err)
				}
				p := integrations.Patch{Name: new("Crossing"), BaseURL: new("https://c.example"), Check: &late}
				if _, err := integrations.Update(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, p); !errors.Is(err, store.ErrConflict) {
					t.Errorf("%s in a crossing patch: %v, want ErrConflict", name, err)
				}
			}
			if diff := cmp.Diff(before, b.everythingOf(t, i.ID)); diff != "" {
				t.Errorf("an outcome of other settings changed something (-before +after):\n%s", diff)
			}
			if !c.counts {
				return
			}
			if recorded, err := integrations.RecordLiveCheck(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, integrations.LiveCheck{CheckOutcome: deniedCheck, SettingsVersion: i.SettingsVersion}); err != nil || !recorded {
				t.Errorf("on request: recorded %v, %v", recorded, err)
			}
		})
	}
}

// everythingOf renders the rows that a live check may change.
func (b orgDB) everythingOf(t *testing.T, id uuid.UUID) []string {
	t.Helper()
	return storetest.One[[]string](t, b.Conn, `SELECT array(SELECT i::text FROM integrations i WHERE i.id = $1
UNION ALL SELECT s::text FROM sync_state s WHERE s.integration_id = $1
UNION ALL SELECT t.kind || ' ' || t.reason FROM integration_transitions t WHERE t.integration_id = $1)`, id)
}

// TestCheckErrorIsDatedByTheDatabase checks that one clock dates the errors of checks and of
// streams, because they are compared.
func TestCheckErrorIsDatedByTheDatabase(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	late := failedCheck
	late.Err = &syncing.Error{Code: "timeout", At: time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)}
	from := storetest.One[time.Time](t, b.Conn, `SELECT clock_timestamp()`)
	if _, err := integrations.RecordLiveCheck(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, integrations.LiveCheck{CheckOutcome: late, SettingsVersion: i.SettingsVersion}); err != nil {
		t.Fatal(err)
	}
	to := storetest.One[time.Time](t, b.Conn, `SELECT clock_timestamp()`)
	got, err := integrations.Read(t.Context(), b.DB, b.Org, i.ID)
	if err != nil {
		t.Fatal(err)
	}
	if at := got.LastError.At; at.Before(from) || at.After(to) || at.Location() != time.UTC {
		t.Errorf("the error is dated %v, want UTC between %v and %v", at, from, to)
	}
}

func TestLastErrorIsTheNewest(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	b.Exec(t, `INSERT INTO sync_streams (integration_id, stream, last_error) VALUES
($1, 'traders', '{"resource": "traders", "code": "timeout", "message": "", "http_status": 0, "endpoint": "", "hint": "", "at": "2001-11-20T08:00:00Z"}'),
($1, 'payouts', '{"resource": "payouts", "code": "server_error", "message": "m", "http_status": 502, "endpoint": "GET /payouts", "hint": "h", "at": "2001-11-20T10:00:00+01:00"}'),
($1, 'trades', NULL)`, i.ID)
	newest := func() *syncing.Error {
		t.Helper()
		got, err := integrations.Read(t.Context(), b.DB, b.Org, i.ID)
		if err != nil {
			t.Fatal(err)
		}
		return got.LastError
	}
	if e := newest(); e == nil || e.Code != "server_error" || e.HTTPStatus != 502 {
		t.Errorf("last error %+v, want the one of payouts", e)
	}
	if _, err := integrations.RecordLiveCheck(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, integrations.LiveCheck{CheckOutcome: failedCheck, SettingsVersion: i.SettingsVersion}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(failedCheck.Err, newest(), anyTime); diff != "" {
		t.Errorf("last error after a check (-want +got):\n%s", diff)
	}
}
