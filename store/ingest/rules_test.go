package ingest_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/ingest"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
)

// rulesOf returns the rules that a page has broken, with their counts.
func rulesOf(out ingest.PageOutcome) map[string]int {
	rules := map[string]int{}
	for _, f := range out.Findings {
		rules[f.Rule] += f.Count
	}
	return rules
}

func TestRulesThatOnlyTheStoreSees(t *testing.T) {
	t.Parallel()
	symbol := func(s string) func(*record.Trade) { return func(t *record.Trade) { t.Symbol = s } }
	for _, test := range []struct {
		name      string
		mode      syncing.Mode
		since     time.Time
		connected time.Time
		earlier   record.Batch
		page      record.Batch
		want      map[string]int
		rejected  []record.Rejected
	}{
		{name: "two records of one id and updated_at", page: trades(storetest.Trade("A", "1", 5), storetest.Trade("A", "1", 5, symbol("XAUUSD"))), want: map[string]int{"id_not_unique": 1}},
		{name: "the same record twice", page: trades(storetest.Trade("A", "1", 5), storetest.Trade("A", "1", 5)), want: map[string]int{}},
		{name: "two versions of a record", page: trades(storetest.Trade("A", "1", 5), storetest.Trade("A", "1", 6, symbol("XAUUSD"))), want: map[string]int{}},
		{name: "without updated_at", page: trades(storetest.Trade("A", "1", 5, untimed), storetest.Trade("A", "1", 5, untimed, symbol("XAUUSD"))), want: map[string]int{}},
		{name: "first shown closed", since: day.Add(time.Hour), page: trades(storetest.Trade("A", "1", 65, closed)), want: map[string]int{"open_trade_not_shown": 1}},
		{name: "closed before the platform was connected", since: day.Add(3 * time.Hour), connected: day.Add(2 * time.Hour), page: trades(storetest.Trade("A", "1", 65, closed)), want: map[string]int{}},
		{name: "opened and closed between two polls", since: day.Add(-time.Hour), page: trades(storetest.Trade("A", "1", 65, closed)), want: map[string]int{}},
		{name: "first shown closed, by a first read", mode: syncing.ModeBackfill, since: day.Add(time.Hour), page: trades(storetest.Trade("A", "1", 65, closed)), want: map[string]int{}},
		{
			name: "closed after it was shown", since: day.Add(time.Hour), earlier: trades(storetest.Trade("A", "1", 0)),
			page: trades(storetest.Trade("A", "1", 65, closed)), want: map[string]int{},
		},
		{
			name: "first shown closed, rejected before", since: day.Add(time.Hour), page: trades(storetest.Trade("A", "1", 65, closed)), want: map[string]int{},
			rejected: []record.Rejected{{Key: record.TradeKey("A", "2"), Rule: "x", Raw: "{}"}},
		},
		{name: "an older version", earlier: trades(storetest.Trade("A", "1", 5)), page: trades(storetest.Trade("A", "1", 4)), want: map[string]int{"updated_at_went_back": 1}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setupCycle(t)
			b.Claim.ConnectedAt = test.connected
			mode := test.mode
			if mode == "" {
				mode = syncing.ModeIncremental
			}
			run := b.NewRun(record.StreamTrades, mode)
			run.UpdatedSince = test.since
			b.WritePage(t, run, test.earlier)
			out := b.WritePage(t, run, test.page, func(p *ingest.PageCommit) { p.Rejected = test.rejected })
			if diff := cmp.Diff(test.want, rulesOf(out)); diff != "" {
				t.Errorf("rules (-want +got)\n%s", diff)
			}
			for _, sample := range b.Texts(t, `SELECT unnest(samples) FROM findings`) {
				if sample != "A/1" {
					t.Errorf("sample %q", sample)
				}
			}
			kept := map[string]int{}
			for _, rule := range b.Texts(t, `SELECT rule FROM findings`) {
				kept[rule]++
			}
			if len(kept) != len(test.want) {
				t.Errorf("findings %v", kept)
			}
		})
	}
}

// TestOneIDOfTwoTraders checks that records of two traders with one id are found whatever their times
// are: one of them is lost.
func TestOneIDOfTwoTraders(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	accounts, payouts := b.NewRun(record.StreamAccounts, syncing.ModeIncremental), b.NewRun(record.StreamPayouts, syncing.ModeIncremental)
	for i, trader := range []string{"A", "A", "B"} {
		at := day.Add(time.Duration(i) * time.Minute)
		before := day.Add(-time.Minute)
		out := b.WritePage(t, accounts, record.Batch{Accounts: []record.Account{{ID: "1", TraderID: "A", UpdatedAt: before}, {ID: "1", TraderID: trader, UpdatedAt: at}}})
		more := b.WritePage(t, payouts, record.Batch{Payouts: []record.Payout{{ID: "1", TraderID: "A", Status: "paid", UpdatedAt: before}, {ID: "1", TraderID: trader, Status: "paid", UpdatedAt: at}}})
		want := map[string]int{}
		if trader == "B" {
			want["id_not_unique"] = 1
		}
		for _, got := range []ingest.PageOutcome{out, more} {
			if diff := cmp.Diff(want, rulesOf(got)); diff != "" {
				t.Errorf("A and %s: rules (-want +got)\n%s", trader, diff)
			}
		}
	}
}

// TestReplacedTraders checks that an id that was given to another person is found, and a person who
// changes is not.
func TestReplacedTraders(t *testing.T) {
	t.Parallel()
	anna := record.Trader{ID: "17", FirstName: "Anna", LastName: "Smith", Email: "anna@x.test", RegisteredAt: day, UpdatedAt: day}
	for _, test := range []struct {
		name    string
		now     record.Trader
		missing bool
		want    int
	}{
		{"another person", record.Trader{FirstName: "Bob", Email: "bob@y.test", RegisteredAt: day.Add(time.Hour)}, false, 1},
		{"another person in the place of a missing one", record.Trader{FirstName: "Bob", Email: "bob@y.test"}, true, 1},
		{"missing, and back as before", record.Trader{FirstName: "Anna", LastName: "Smith", Email: "anna@x.test", RegisteredAt: day}, true, 0},
		{"married", record.Trader{FirstName: "Anna", LastName: "Jones", Email: "jones@x.test", RegisteredAt: day}, false, 0},
		{"another time of registration", record.Trader{FirstName: "anna", LastName: "SMITH", Email: "new@x.test", RegisteredAt: day.Add(time.Hour)}, false, 0},
		{"no name any more", record.Trader{Email: "new@x.test", RegisteredAt: day.Add(time.Hour)}, false, 0},
		{"nothing but the id", record.Trader{}, true, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setupCycle(t)
			run := b.NewRun(record.StreamTraders, syncing.ModeIncremental)
			b.WritePage(t, run, record.Batch{Traders: []record.Trader{anna}})
			if test.missing {
				b.Texts(t, `UPDATE traders SET missing_since = now() RETURNING external_id`)
			}
			test.now.ID, test.now.UpdatedAt = "17", day.Add(2*time.Hour)
			want := map[string]int{}
			if test.want > 0 {
				want["trader_replaced"] = test.want
			}
			if diff := cmp.Diff(want, rulesOf(b.WritePage(t, run, record.Batch{Traders: []record.Trader{test.now}}))); diff != "" {
				t.Errorf("rules (-want +got)\n%s", diff)
			}
		})
	}
}

// TestAmbiguousAccountsAreCountedOnce checks that an open trade is counted once for its account's
// name, even if it is polled again.
func TestAmbiguousAccountsAreCountedOnce(t *testing.T) {
	t.Parallel()
	b := partnerCycle(t)
	b.WritePage(t, b.NewRun(record.StreamAccounts, syncing.ModeIncremental), record.Batch{Accounts: []record.Account{account("1001", "77"), account("1002", "77")}})
	run := b.NewRun(record.StreamTradesOpen, syncing.ModeIncremental)
	b.WritePage(t, run, trades(storetest.Trade("77", "a", 0, untimed, second)))
	b.WritePage(t, run, trades(storetest.Trade("77", "a", 0, untimed, second), storetest.Trade("1001", "b", 0, untimed)))
	if got := b.Texts(t, `SELECT rule || ' ' || count FROM findings`); !cmp.Equal(got, []string{"account_ambiguous 1"}) {
		t.Errorf("findings %v", got)
	}
}

// TestShownAgain checks that a row that an audit had not found is no longer missing when any poll
// shows it, even unchanged.
func TestShownAgain(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	run := b.NewRun(record.StreamTrades, syncing.ModeIncremental)
	b.WritePage(t, run, trades(storetest.Trade("A", "1", 0), storetest.Trade("A", "2", 0)))
	if _, err := b.Conn.Exec(t.Context(), `UPDATE trades SET missing_since = now()`); err != nil {
		t.Fatal(err)
	}
	out := b.WritePage(t, run, trades(storetest.Trade("A", "1", 0)))
	if out.Page.Updated != 1 || len(out.Findings) > 0 {
		t.Errorf("page %+v, findings %v", out.Page, out.Findings)
	}
	if got := b.Texts(t, `SELECT id FROM trades WHERE missing_since IS NULL`); !cmp.Equal(got, []string{"1"}) {
		t.Errorf("shown rows %v", got)
	}
	if out = b.WritePage(t, run, trades(storetest.Trade("A", "1", 0))); out.Page.Unchanged != 1 {
		t.Errorf("again: %+v", out.Page)
	}
}
