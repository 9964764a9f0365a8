package storetest_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing/integrations"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestDatabasesAreApart(t *testing.T) {
	t.Parallel()
	first, second := storetest.New(t), storetest.New(t)
	if err := first.CheckSchema(t.Context()); err != nil {
		t.Error(err)
	}
	organization := storetest.Organization(t, first)
	storetest.Integration(t, first, organization.ID, "https://a.example")
	for name, c := range map[string]struct {
		db   *store.DB
		want int
	}{"the test's own": {first, 1}, "another": {second, 0}} {
		list, err := integrations.List(t.Context(), c.db, organization.ID)
		if err != nil || len(list) != c.want {
			t.Errorf("%s database has %d integrations, %v; want %d", name, len(list), err, c.want)
		}
	}
}

func TestDatabaseIsDropped(t *testing.T) {
	t.Parallel()
	var name string
	t.Run("test", func(t *testing.T) {
		url := storetest.URL(t)
		storetest.Open(t, url)
		if err := storetest.Conn(t, url).QueryRow(t.Context(), `SELECT current_database()`).Scan(&name); err != nil {
			t.Fatal(err)
		}
	})
	var left bool
	err := storetest.Conn(t, storetest.Empty(t)).QueryRow(t.Context(), `SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)`, name).Scan(&left)
	if err != nil {
		t.Fatal(err)
	}
	if name == "" || left {
		t.Errorf("database %q is left after its test: %v", name, left)
	}
}

func TestRecords(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	db := storetest.Open(t, url)
	i := storetest.Integration(t, db, storetest.Organization(t, db).ID, "https://a.example")
	storetest.Records(t, url, i, record.Batch{
		Traders:  []record.Trader{{ID: "t"}},
		Accounts: []record.Account{{ID: "a", TraderID: "t"}},
		Trades:   []record.Trade{{ID: "1", AccountID: "a"}, {ID: "2", AccountID: "a"}},
		Payouts:  []record.Payout{{ID: "p", TraderID: "t"}},
	})
	got, err := integrations.Read(t.Context(), db, i.OrganizationID, i.ID)
	if err != nil {
		t.Fatal(err)
	}
	if want := (integrations.Counters{Traders: 1, Accounts: 1, Trades: 2, Payouts: 1}); got.Counters != want {
		t.Errorf("counters %+v, want %+v", got.Counters, want)
	}
	var rows integrations.Counters
	err = storetest.Conn(t, url).QueryRow(t.Context(), `SELECT (SELECT count(*) FROM traders), (SELECT count(*) FROM accounts),
    (SELECT count(*) FROM trades), (SELECT count(*) FROM payouts)`).Scan(&rows.Traders, &rows.Accounts, &rows.Trades, &rows.Payouts)
	if err != nil {
		t.Fatal(err)
	}
	if got.Counters != rows {
		t.Errorf("rows %+v differ from the counters %+v", rows, got.Counters)
	}
}
