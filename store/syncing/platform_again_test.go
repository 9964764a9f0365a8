package syncing_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/privacy"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// tombstone creates a deleted integration with the people.
func (b orgDB) tombstone(t *testing.T, address string, people []record.Trader) uuid.UUID {
	t.Helper()
	i := storetest.Integration(t, b.DB, b.Org, address)
	storetest.Records(t, b.URL, i, record.Batch{Traders: people})
	if err := integrations.Delete(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, nil); err != nil {
		t.Fatal(err)
	}
	return i.ID
}

// connectFirm connects an address with the people of the firm.
func (b orgDB) connectFirm(t *testing.T, address string) uuid.UUID {
	t.Helper()
	n := integrations.New{
		Kind: record.CustomAPI, BaseURL: address, APIKey: seal.NewSecret(storetest.PlatformKey), SyncIntervalSeconds: 300, Traders: firmTraders,
	}
	if needed, err := integrations.ConnectionNeedsTraders(t.Context(), b.DB, b.Org, n); err != nil || !needed {
		t.Errorf("traders are needed: %v, %v", needed, err)
	}
	made, err := integrations.Create(t.Context(), b.DB, store.SystemChange(b.Org), n)
	if err != nil {
		t.Fatal(err)
	}
	return made.ID
}

// TestContinuesTheOldest checks that of several deleted integrations of one address, including
// tenants, the oldest that knows the traders is continued. One that was connected while the
// platform was empty has read more of them by the time it is deleted.
func TestContinuesTheOldest(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.tombstone(t, "https://a.example", tenantTraders)
	noted := b.tombstone(t, "https://a.example", firmTraders[:2])
	b.tombstone(t, "https://a.example", firmTraders)
	b.tombstone(t, "https://a.example", nil)
	if made := b.connectFirm(t, "https://a.example"); made != noted {
		t.Errorf("goes on with %s, want %s", made, noted)
	}
}

// TestContinuesWithErasedTraders checks that traders who were erased count as known, so that a platform
// that is connected again does not bring them back, and that equal ids of other people do not.
func TestContinuesWithErasedTraders(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		people []record.Trader
		same   bool
	}{
		{"the same people", firmTraders, true},
		{"other people with the same ids", tenantTraders, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
			storetest.Records(t, b.URL, i, record.Batch{Traders: firmTraders})
			for _, id := range storetest.Texts(t, b.Conn, `SELECT id::text FROM traders WHERE integration_id = $1`, i.ID) {
				if err := privacy.EraseTrader(t.Context(), b.DB, store.SystemChange(b.Org), uuid.MustParse(id)); err != nil {
					t.Fatal(err)
				}
			}
			if err := integrations.Delete(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, nil); err != nil {
				t.Fatal(err)
			}
			n := integrations.New{Kind: record.CustomAPI, BaseURL: "https://a.example", APIKey: seal.NewSecret(storetest.PlatformKey), SyncIntervalSeconds: 300, Traders: c.people}
			if needed, err := integrations.ConnectionNeedsTraders(t.Context(), b.DB, b.Org, n); err != nil || !needed {
				t.Errorf("traders are needed: %v, %v", needed, err)
			}
			made, err := integrations.Create(t.Context(), b.DB, store.SystemChange(b.Org), n)
			if err != nil || (made.ID == i.ID) != c.same {
				t.Errorf("connected as %s after %s, %v; want the same: %v", made.ID, i.ID, err, c.same)
			}
		})
	}
}

// TestPaceAfterReconnecting checks that an integration that continues a deleted one sends requests
// at the rate of its budget, however slow the deleted one had become.
func TestPaceAfterReconnecting(t *testing.T) {
	t.Parallel()
	const base = 200 * time.Millisecond
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	storetest.Records(t, b.URL, i, record.Batch{Traders: firmTraders})
	reserve := func(id uuid.UUID, throttled bool) (gap time.Duration) {
		t.Helper()
		_, gap, err := syncing.ReserveSlots(t.Context(), b.DB, id, 1, base, throttled, 0)
		if err != nil {
			t.Fatal(err)
		}
		return gap
	}
	for range 8 {
		reserve(i.ID, true)
	}
	if gap := reserve(i.ID, false); gap < 9*time.Second {
		t.Fatalf("throttling has widened the gap to %s", gap)
	}
	b.Exec(t, `UPDATE sync_state SET throttling = '{"refused": 9, "resource": "trades"}' WHERE integration_id = $1`, i.ID)
	if err := integrations.Delete(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, nil); err != nil {
		t.Fatal(err)
	}
	made := b.connectFirm(t, "https://a.example")
	if made != i.ID {
		t.Fatalf("goes on with %s, want %s", made, i.ID)
	}
	if gap := reserve(made, false); gap != base {
		t.Errorf("requests are %s apart after reconnecting, want %s", gap, base)
	}
	if storetest.One[bool](t, b.Conn, `SELECT throttling IS NOT NULL FROM sync_state WHERE integration_id = $1`, made) {
		t.Error("the reconnected integration counts as throttled")
	}
}

// TestContinuesAfterAMisspeltAddress checks that an address that was misspelt while no server
// responded is not the address of the people.
func TestContinuesAfterAMisspeltAddress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	storetest.Records(t, b.URL, i, record.Batch{Traders: firmTraders})
	_, err := integrations.Update(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, integrations.Patch{
		BaseURL: new("https://a.exmaple"), Check: &integrations.LiveCheck{CheckOutcome: failedCheck, SettingsVersion: i.SettingsVersion},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := integrations.Delete(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, nil); err != nil {
		t.Fatal(err)
	}
	if made := b.connectFirm(t, "https://a.example"); made != i.ID {
		t.Errorf("goes on with %s, want %s", made, i.ID)
	}
}

// TestAddressOfAnOlderVersion checks that base_url alone, as changed by a process of an earlier
// version, is the integration's address.
func TestAddressOfAnOlderVersion(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	storetest.Records(t, b.URL, i, record.Batch{Traders: firmTraders})
	b.Exec(t, `UPDATE integrations SET base_url = 'https://b.example' WHERE id = $1`, i.ID)
	n := integrations.New{Kind: record.CustomAPI, BaseURL: "https://b.example", APIKey: seal.NewSecret(storetest.PlatformKey)}
	_, err := integrations.ConnectionNeedsTraders(t.Context(), b.DB, b.Org, n)
	if exists, ok := errors.AsType[*integrations.ExistsError](err); !ok || exists.ID != i.ID {
		t.Errorf("where it is now: %v, want its id %s", err, i.ID)
	}
	n.BaseURL = "https://a.example"
	if _, err := integrations.ConnectionNeedsTraders(t.Context(), b.DB, b.Org, n); err != nil {
		t.Errorf("where it was: %v", err)
	}
	if err := integrations.Delete(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, nil); err != nil {
		t.Fatal(err)
	}
	if made := b.connectFirm(t, "https://b.example"); made != i.ID {
		t.Errorf("goes on with %s, want %s", made, i.ID)
	}
}

// TestConnectionWithoutTraders checks that a deleted integration without traders is not compared
// with anything.
func TestConnectionWithoutTraders(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.tombstone(t, "https://a.example", nil)
	n := integrations.New{Kind: record.CustomAPI, BaseURL: "https://a.example", APIKey: seal.NewSecret("k")}
	if needed, err := integrations.ConnectionNeedsTraders(t.Context(), b.DB, b.Org, n); err != nil || needed {
		t.Errorf("traders are needed: %v, %v", needed, err)
	}
}

// TestKeyOfAPlatformWithoutTraders checks that a new key needs no proof if the list of traders has
// failed from the start.
func TestKeyOfAPlatformWithoutTraders(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	storetest.Records(t, b.URL, i, record.Batch{Accounts: []record.Account{{ID: "a1"}}})
	p := integrations.Patch{APIKey: new(seal.NewSecret("rotated"))}
	if needed, err := integrations.PatchNeedsTraders(t.Context(), b.DB, b.Org, i.ID, p); err != nil || needed {
		t.Errorf("traders are needed: %v, %v", needed, err)
	}
	p.Check = &integrations.LiveCheck{CheckOutcome: passedCheck, SettingsVersion: i.SettingsVersion, Traders: firmTraders}
	if _, err := integrations.Update(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, p); err != nil {
		t.Fatal(err)
	}
	if storetest.One[bool](t, b.Conn, `SELECT platform_unconfirmed FROM integrations WHERE id = $1`, i.ID) {
		t.Error("nothing is read, though there is nobody to compare")
	}
}

// TestConfirmCrossesAChange checks that traders from before a change of settings prove nothing
// about the platform after it.
func TestConfirmCrossesAChange(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	storetest.Records(t, b.URL, i, record.Batch{Traders: firmTraders})
	claim, err := syncing.ClaimOne(t.Context(), b.DB, "test", i.ID, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	conn := storetest.Conn(t, b.URL)
	tx, err := conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`UPDATE sync_state SET token = token + 1 WHERE integration_id = $1`,
		`UPDATE integrations SET platform_unconfirmed = true WHERE id = $1`,
	} {
		if _, err := tx.Exec(t.Context(), statement, i.ID); err != nil {
			t.Fatal(err)
		}
	}
	confirmed := make(chan error, 1)
	go func() {
		_, err := integrations.ConfirmPlatform(t.Context(), b.DB, &claim, firmTraders)
		confirmed <- err
	}()
	storetest.AwaitBlocked(t, b.URL, true)
	if err := tx.Commit(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-confirmed; !errors.Is(err, store.ErrFenced) {
		t.Errorf("%v, want that the lease is lost", err)
	}
	if !storetest.One[bool](t, b.Conn, `SELECT platform_unconfirmed FROM integrations WHERE id = $1`, i.ID) {
		t.Error("the change is confirmed by what was read before it")
	}
}

// TestKeyInterruptsAnAudit checks that an audit is interrupted if the key is changed to one that
// sees no traders, because it would read another platform.
func TestKeyInterruptsAnAudit(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, c := range []struct {
		name    string
		traders []record.Trader
		status  string
	}{{"a key that sees nobody", nil, "interrupted"}, {"a key that sees the same people", firmTraders, "running"}} {
		i := storetest.Integration(t, b.DB, b.Org, "https://"+uuid.NewString()+".example")
		storetest.Records(t, b.URL, i, record.Batch{Traders: firmTraders})
		b.Exec(t, `INSERT INTO sync_audits (id, integration_id, trigger, status, requested_at, started_at)
VALUES ($1, $2, 'schedule', 'running', now(), now())`, uuid.New(), i.ID)
		_, err := integrations.Update(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, integrations.Patch{
			APIKey: new(seal.NewSecret("rotated")), Check: &integrations.LiveCheck{CheckOutcome: passedCheck, SettingsVersion: i.SettingsVersion, Traders: c.traders},
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := storetest.One[string](t, b.Conn, `SELECT status FROM sync_audits WHERE integration_id = $1`, i.ID); got != c.status {
			t.Errorf("%s: the audit is %s, want %s", c.name, got, c.status)
		}
	}
}
