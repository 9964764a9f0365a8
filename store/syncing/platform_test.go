package syncing_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// firmTraders are the people of one platform, and tenantTraders those of
// another, which numbers them alike.
var (
	firmTraders   = []record.Trader{{ID: "1", Email: "ann@desk.test", FirstName: "Ann"}, {ID: "2", Email: "bob@desk.test"}, {ID: "3", FirstName: "Cleo"}}
	tenantTraders = []record.Trader{{ID: "1", Email: "yan@tenant.test", FirstName: "Yan"}, {ID: "2", Email: "zoe@tenant.test"}, {ID: "3", FirstName: "Xin"}}
)

// TestPartnerAddress checks that a partner's address may end in /v1 or not.
func TestPartnerAddress(t *testing.T) {
	t.Parallel()
	b := setup(t)
	create := func(address string) (integrations.Integration, error) {
		return integrations.Create(t.Context(), b.DB, store.SystemChange(b.Org), integrations.New{
			Kind: record.PartnerPlatform, BaseURL: address, APIKey: seal.NewSecret("k"), SyncIntervalSeconds: 300,
		})
	}
	first, err := create("https://partner.example/v1")
	if err != nil {
		t.Fatal(err)
	}
	_, err = create("https://partner.example")
	if exists, ok := errors.AsType[*integrations.ExistsError](err); !ok || exists.ID != first.ID {
		t.Errorf("without /v1: %v, want the first one's id %s", err, first.ID)
	}
	if _, err := create("https://partner.example/v2"); err != nil {
		t.Errorf("another path: %v", err)
	}
}

// TestConnectedAgain checks that a deleted integration is continued only if its traders are there.
func TestConnectedAgain(t *testing.T) {
	t.Parallel()
	with := func(first ...record.Trader) []record.Trader { return append(first, tenantTraders[1:]...) }
	for _, c := range []struct {
		name      string
		address   string
		traders   []record.Trader // that the platform shows
		continues bool
	}{
		{"the same people", "https://a.example/brand", firmTraders, true},
		{"another spelling of the address", "https://A.EXAMPLE:443/brand", firmTraders, true},
		{"emails in another case", "https://a.example/brand", []record.Trader{{ID: "1", Email: "ANN@desk.test"}}, true},
		{"half of them known", "https://a.example/brand", []record.Trader{firmTraders[0], {ID: "9", Email: "new@desk.test"}}, true},
		{"a third of them known", "https://a.example/brand", with(firmTraders[0]), false},
		{"the same one twice", "https://a.example/brand", []record.Trader{firmTraders[0], firmTraders[0], {ID: "8", Email: "u@x.test"}, {ID: "9", Email: "v@x.test"}}, false},
		{"other people with the same ids", "https://a.example/brand", tenantTraders, false},
		{"the same people with other ids", "https://a.example/brand", []record.Trader{{ID: "7", Email: "ann@desk.test"}, {ID: "8", Email: "bob@desk.test"}}, false},
		{"ids alone", "https://a.example/brand", []record.Trader{{ID: "1"}, {ID: "2"}, {ID: "3"}}, false},
		{"nobody", "https://a.example/brand", nil, false},
		{"the same people at another path", "https://a.example/other", firmTraders, false},
		{"the path in another case", "https://a.example/Brand", firmTraders, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			i := storetest.Integration(t, b.DB, b.Org, "https://a.example/brand")
			storetest.Records(t, b.URL, i, record.Batch{Traders: firmTraders})
			if err := integrations.Delete(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, nil); err != nil {
				t.Fatal(err)
			}
			n := integrations.New{
				Kind: record.CustomAPI, BaseURL: c.address, APIKey: seal.NewSecret("k"), SyncIntervalSeconds: 300, Check: passedCheck, Traders: c.traders,
			}
			made, err := integrations.Create(t.Context(), b.DB, store.SystemChange(b.Org), n)
			if err != nil {
				t.Fatal(err)
			}
			if (made.ID == i.ID) != c.continues || (made.Counters.Traders == 3) != c.continues {
				t.Errorf("goes on with the deleted one: %v, %d traders; want %v", made.ID == i.ID, made.Counters.Traders, c.continues)
			}
			if kept := storetest.One[int](t, b.Conn, `SELECT count(*) FROM traders WHERE integration_id = $1`, i.ID); kept != 3 {
				t.Errorf("%d traders are left to the deleted one, want 3", kept)
			}
		})
	}
}

// TestPlatformConnectedTwice checks that the same address and key are one integration.
func TestPlatformConnectedTwice(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example/brand")
	second := storetest.Integration(t, b.DB, b.Org, "https://b.example")
	b.Exec(t, `UPDATE integrations SET is_active = false WHERE id = $1`, i.ID)
	n := integrations.New{Kind: record.CustomAPI, BaseURL: "https://A.example:443/brand", APIKey: seal.NewSecret(storetest.PlatformKey), SyncIntervalSeconds: 300}
	create := func(change func(*integrations.New)) error {
		n := n
		change(&n)
		_, err := integrations.Create(t.Context(), b.DB, store.SystemChange(b.Org), n)
		return err
	}
	update := func(p integrations.Patch) error {
		_, err := integrations.Update(t.Context(), b.DB, store.SystemChange(b.Org), second.ID, p)
		return err
	}
	for name, err := range map[string]error{
		"created":                        create(func(*integrations.New) {}),
		"moved there":                    update(integrations.Patch{BaseURL: new("https://a.example/brand")}),
		"moved there in one with a name": update(integrations.Patch{BaseURL: new("https://a.example/brand"), Name: new("New")}),
	} {
		if exists, ok := errors.AsType[*integrations.ExistsError](err); !ok || exists.ID != i.ID {
			t.Errorf("%s: %v, want the first one's id %s", name, err, i.ID)
		}
	}
	for name, err := range map[string]error{
		"another key":               create(func(n *integrations.New) { n.APIKey = seal.NewSecret("another") }),
		"another path":              create(func(n *integrations.New) { n.BaseURL = "https://a.example/other" }),
		"another kind":              create(func(n *integrations.New) { n.Kind = record.PartnerPlatform }),
		"its own address once more": update(integrations.Patch{BaseURL: new("https://B.example:443")}),
	} {
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := integrations.Delete(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, nil); err != nil {
		t.Fatal(err)
	}
	if err := create(func(*integrations.New) {}); err != nil {
		t.Errorf("after the first one was deleted: %v", err)
	}
}

// TestMoveToAnotherPlatform checks that a change of address or key is saved only if the people are
// the same, and remains unconfirmed if no traders can be seen.
func TestMoveToAnotherPlatform(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		patch       integrations.Patch
		traders     []record.Trader
		outcome     integrations.CheckOutcome
		records     bool // that the integration has brought before
		err         error
		unconfirmed bool
	}{
		{"moved with its people", integrations.Patch{BaseURL: new("https://b.example")}, firmTraders, passedCheck, true, nil, false},
		{"another brand", integrations.Patch{BaseURL: new("https://a.example/other")}, tenantTraders, passedCheck, true, integrations.ErrDifferentPlatform, false},
		{"another brand whose check fails", integrations.Patch{BaseURL: new("https://a.example/other")}, tenantTraders, failedCheck, true, integrations.ErrDifferentPlatform, false},
		{"another tenant's key", integrations.Patch{APIKey: new(seal.NewSecret("tenant"))}, tenantTraders, passedCheck, true, integrations.ErrDifferentPlatform, false},
		{"a new key", integrations.Patch{APIKey: new(seal.NewSecret("rotated"))}, firmTraders, passedCheck, true, nil, false},
		{"the key that it has", integrations.Patch{APIKey: new(seal.NewSecret(storetest.PlatformKey))}, tenantTraders, passedCheck, true, nil, false},
		{"away, where nobody answers", integrations.Patch{BaseURL: new("https://b.example")}, nil, failedCheck, true, nil, true},
		{"away, where nobody is", integrations.Patch{BaseURL: new("https://b.example")}, nil, passedCheck, true, nil, true},
		{"a key that sees nobody", integrations.Patch{APIKey: new(seal.NewSecret("tenant"))}, nil, passedCheck, true, nil, true},
		{"nothing was read yet", integrations.Patch{BaseURL: new("https://b.example")}, tenantTraders, passedCheck, false, nil, false},
		{"another spelling", integrations.Patch{BaseURL: new("https://A.example:443")}, nil, passedCheck, true, nil, false},
		{"a name", integrations.Patch{Name: new("New")}, nil, passedCheck, true, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
			if c.records {
				storetest.Records(t, b.URL, i, record.Batch{Traders: firmTraders})
			}
			before := b.everythingOf(t, i.ID)
			if c.patch.NeedsCheck() {
				c.patch.Check = &integrations.LiveCheck{CheckOutcome: c.outcome, SettingsVersion: i.SettingsVersion, Traders: c.traders}
			}
			_, err := integrations.Update(t.Context(), b.DB, store.SystemChange(b.Org), i.ID, c.patch)
			if !errors.Is(err, c.err) || (err == nil) != (c.err == nil) {
				t.Fatalf("%v, want %v", err, c.err)
			}
			if diff := cmp.Diff(before, b.everythingOf(t, i.ID)); c.err != nil && diff != "" {
				t.Errorf("a refused change changed something (-before +after):\n%s", diff)
			}
			if got := storetest.One[bool](t, b.Conn, `SELECT platform_unconfirmed FROM integrations WHERE id = $1`, i.ID); got != c.unconfirmed {
				t.Errorf("to be compared before anything is written: %v, want %v", got, c.unconfirmed)
			}
		})
	}
}
