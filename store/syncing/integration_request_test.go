package syncing_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/integrations"
)

func TestRequestSync(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		state  string // of sync_state
		change string // of integrations
		reason integrations.Refusal
		due    bool // claimable now
		manual bool
	}{
		{"idle", `claimable_at = now() + interval '1 hour', wait_reason = NULL`, ``, "", true, true},
		{"backing off", `claimable_at = now() + interval '1 hour', wait_reason = 'backoff'`, ``, "", true, true},
		{"running", `claimable_at = now() + interval '1 hour', owner = 'x', cycle_id = gen_random_uuid()`, ``, "", false, true},
		{"cycle waits", `claimable_at = now() + interval '1 hour', cycle_id = gen_random_uuid()`, ``, "", false, true},
		{"due", `claimable_at = now()`, ``, integrations.AlreadyQueued, true, false},
		{"noted", `claimable_at = now() + interval '1 hour', owner = 'x', cycle_id = gen_random_uuid(), manual = true`, ``, integrations.AlreadyQueued, false, true},
		{"off", `claimable_at = 'infinity'`, `is_active = false`, integrations.Inactive, false, false},
		{"off and blocked", `claimable_at = 'infinity'`, `is_active = false, health_status = 'blocked'`, integrations.Inactive, false, false},
		{"blocked", `claimable_at = 'infinity'`, `health_status = 'blocked'`, integrations.Blocked, false, false},
		{"check failed", `claimable_at = 'infinity'`, `health_status = 'check_failed'`, integrations.CheckFailed, false, false},
		{"not polled", `claimable_at = 'infinity'`, ``, integrations.Blocked, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
			b.Exec(t, `UPDATE sync_state SET `+c.state+` WHERE integration_id = $1`, i.ID)
			if c.change != "" {
				b.Exec(t, `UPDATE integrations SET `+c.change+` WHERE id = $1`, i.ID)
			}
			b.Exec(t, `INSERT INTO sync_streams (integration_id, stream, ask_again_at) VALUES ($1, 'payouts', now())`, i.ID)
			if reason, err := integrations.RequestSync(t.Context(), b.DB, store.SystemChange(b.Org), i.ID); err != nil || reason != c.reason {
				t.Errorf("reason %q, %v; want %q", reason, err, c.reason)
			}
			s := b.schedule(t, i.ID)
			now := storetest.One[time.Time](t, b.Conn, `SELECT now()`)
			if due := s.ClaimableAt != nil && !s.ClaimableAt.After(now); due != c.due || s.ManualNoted != c.manual {
				t.Errorf("claimable at %v, noted %v; want due %v, noted %v", s.ClaimableAt, s.ManualNoted, c.due, c.manual)
			}
			if asks := s.Streams[0].AskAgainAt == nil; asks != (c.reason == "" || c.reason == integrations.AlreadyQueued) {
				t.Errorf("asks for the optional stream again: %v", asks)
			}
		})
	}
}

// TestRequestSyncNotifiesNobody checks that a request sends no notification: nobody listens, and a
// commit that notifies takes a lock that all such commits share.
func TestRequestSyncNotifiesNobody(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	b.Exec(t, `UPDATE sync_state SET claimable_at = now() + interval '1 hour' WHERE integration_id = $1`, i.ID)
	b.Exec(t, `LISTEN sync_due`)
	if reason, err := integrations.RequestSync(t.Context(), b.DB, store.SystemChange(b.Org), i.ID); err != nil || reason != "" {
		t.Fatalf("not queued: %q, %v", reason, err)
	}
	// Notifications come in the order of the commits.
	b.Exec(t, `SELECT pg_notify('sync_due', 'of the test')`)
	if n, err := b.Conn.WaitForNotification(t.Context()); err != nil || n.Payload != "of the test" {
		t.Errorf("notification %+v, %v; want the test's own first", n, err)
	}
}

func TestDeleteAndRevive(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example/v1")
	b.running(t, i.ID)
	storetest.Records(t, b.URL, i, record.Batch{Traders: firmTraders, Accounts: []record.Account{{ID: "a", TraderID: "1"}}})
	for _, table := range []string{
		`quarantine (integration_id, resource, key, raw, pointer, rule, detail, count, first_seen_at, last_seen_at) VALUES ($1, '', '', '', '', '', '', 1, now(), now())`,
		`findings (integration_id, resource, rule, count, samples, first_seen_at, last_seen_at) VALUES ($1, '', '', 1, '{}', now(), now())`,
		`request_budgets (integration_id, next_slot_at, gap) VALUES ($1, now(), '1 s')`,
	} {
		b.Exec(t, `INSERT INTO `+table, i.ID)
	}
	token := b.schedule(t, i.ID).Token
	if err := integrations.Delete(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := integrations.Read(t.Context(), b.DB, b.Org, i.ID); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("reading the deleted one: %v, want ErrNotFound", err)
	}
	if err := integrations.Delete(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, nil); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("deleting it again: %v, want ErrNotFound", err)
	}
	for _, table := range []string{"sync_streams", "sync_runs", "quarantine", "findings", "request_budgets", "integration_transitions"} {
		if rows := storetest.One[int](t, b.Conn, `SELECT count(*) FROM `+table+` WHERE integration_id = $1`, i.ID); rows != 0 {
			t.Errorf("%d rows are left in %s", rows, table)
		}
	}
	if kept := storetest.One[bool](t, b.Conn, `SELECT api_key IS NULL AND api_key_preview = '' FROM integrations WHERE id = $1`, i.ID); !kept {
		t.Error("the credential is left")
	}

	create := func(org uuid.UUID, kind record.Kind, url string) integrations.Integration {
		made, err := integrations.Create(t.Context(), b.DB, store.SystemChange(org), integrations.New{
			Kind: kind, Name: "Again", BaseURL: url, APIKey: seal.NewSecret("a-new-key-for-it-ef56"), SyncIntervalSeconds: 60, Traders: firmTraders,
		})
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	for what, made := range map[string]integrations.Integration{
		"another origin":       create(b.Org, record.CustomAPI, "https://b.example/v1"),
		"another path":         create(b.Org, record.CustomAPI, "https://a.example/v2"),
		"another port":         create(b.Org, record.CustomAPI, "https://a.example:8443/v1"),
		"another kind":         create(b.Org, record.PartnerPlatform, "https://a.example/v1"),
		"another organization": create(storetest.Organization(t, b.DB).ID, record.CustomAPI, "https://a.example/v1"),
	} {
		if made.ID == i.ID || made.Counters.Traders != 0 {
			t.Errorf("%s took over the deleted integration", what)
		}
	}
	revived := create(b.Org, record.CustomAPI, "https://A.Example:443/v1")
	want := integrations.Integration{
		ID: i.ID, OrganizationID: b.Org, Kind: record.CustomAPI, Name: "Again", BaseURL: "https://A.Example:443/v1", APIKeyPreview: "****ef56",
		SyncIntervalSeconds: 60, IsActive: true, SettingsVersion: i.SettingsVersion + 1, HealthStatus: syncing.HealthCheckFailed, Counters: integrations.Counters{Traders: 3, Accounts: 1},
		CreatedAt: revived.CreatedAt, UpdatedAt: revived.UpdatedAt,
	}
	if diff := cmp.Diff(want, revived); diff != "" {
		t.Errorf("revived (-want +got):\n%s", diff)
	}
	s := b.schedule(t, i.ID)
	if s.Token <= token || s.ClaimableAt != nil || s.PeriodMS != 60_000 || s.CycleID != nil || len(s.Streams) != 0 {
		t.Errorf("schedule of the revived: %+v; want a higher token than %d, and nothing begun", s, token)
	}
	traders, total, err := directory.ListTraders(t.Context(), b.DB, b.Org, directory.TraderFilter{}, store.Page{Number: 1, Limit: 9})
	if err != nil || total != 3 || len(traders) != 3 || deref(traders[0].IntegrationID) != i.ID {
		t.Errorf("directory of %d, %v, %v; want the three traders with their integration", total, traders, err)
	}
}

// TestReviveOnce revives one tombstone from several callers, each with its own key.
func TestReviveOnce(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	storetest.Records(t, b.URL, i, record.Batch{Traders: firmTraders})
	if err := integrations.Delete(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, nil); err != nil {
		t.Fatal(err)
	}
	const callers = 6
	ids := make(chan uuid.UUID, callers)
	for n := range callers {
		go func() {
			made, err := integrations.Create(t.Context(), b.DB, store.SystemChange(b.Org), integrations.New{
				Kind: record.CustomAPI, BaseURL: "https://a.example", APIKey: seal.NewSecret(fmt.Sprint("key-", n)), SyncIntervalSeconds: 60, Traders: firmTraders,
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

// TestConditions checks that a condition receives the integration as it is before the change, and
// that nothing is changed if it refuses.
func TestConditions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	refused := errors.New("refused")
	name := "Other"
	want := i
	condition := func(seen integrations.Integration) error {
		if diff := cmp.Diff(want, seen); diff != "" {
			t.Errorf("the condition sees another integration (-want +got):\n%s", diff)
		}
		return refused
	}
	for what, try := range map[string]func() error{
		"update": func() error {
			_, err := integrations.Update(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, integrations.Patch{Name: &name, If: condition})
			return err
		},
		"empty update": func() error {
			_, err := integrations.Update(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, integrations.Patch{If: condition})
			return err
		},
		"delete": func() error {
			return integrations.Delete(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, condition)
		},
	} {
		if err := try(); !errors.Is(err, refused) {
			t.Errorf("%s: %v, want the condition's error", what, err)
		}
		got, err := integrations.Read(t.Context(), b.DB, b.Org, i.ID)
		if diff := cmp.Diff(i, got); err != nil || diff != "" {
			t.Errorf("%s was refused: %v (-want +got):\n%s", what, err, diff)
		}
	}
}
