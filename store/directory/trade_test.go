package directory_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// theTrader returns the id of the organization's only trader.
func (b orgDB) theTrader(t *testing.T) uuid.UUID {
	t.Helper()
	return storetest.One[uuid.UUID](t, b.Conn, `SELECT id FROM traders WHERE organization_id = $1`, b.Org)
}

func TestTrades(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	at := func(minutes int) time.Time { return opened.Add(time.Duration(minutes) * time.Minute) }
	storetest.Records(t, b.URL, i, record.Batch{
		Traders:  []record.Trader{{ID: "t"}},
		Accounts: []record.Account{{ID: "a", TraderID: "t"}, {ID: "b", TraderID: "t"}, {ID: "c", TraderID: "somebody else"}},
		Trades: []record.Trade{
			{
				ID: "1", AccountID: "a", Symbol: "EURUSD", Side: record.Sell, Volume: "0.10", OpenTime: at(1), CloseTime: at(2), OpenPrice: "1.23456", ClosePrice: "1.3",
				StopLoss: "1", TakeProfit: "2", Commission: "-0.5", Swap: "0.25", Profit: "-10", UpdatedAt: at(3),
			},
			{ID: "2", AccountID: "a", Symbol: "EURUSD", Side: record.Buy, OpenTime: at(4)},
			{ID: "10", AccountID: "a", Symbol: "XAUUSD", Side: record.Buy, OpenTime: at(4)},
			{ID: "2", AccountID: "b", Symbol: "EURUSD", Side: record.Buy, OpenTime: at(4), CloseTime: at(5)},
			{ID: "3", AccountID: "b", Symbol: "EURUSD", Side: record.Buy},
			{ID: "4", AccountID: "c", Symbol: "EURUSD", Side: record.Buy, OpenTime: at(9)},
			{ID: "5", AccountID: "not arrived", Symbol: "EURUSD", Side: record.Buy, OpenTime: at(9)},
		},
	})
	trader := b.theTrader(t)
	account := storetest.One[uuid.UUID](t, b.Conn, `SELECT id FROM accounts WHERE external_id = 'a'`)
	for _, c := range []struct {
		name   string
		filter directory.TradeFilter
		page   store.Page
		want   []string
		total  int
	}{
		{"all", directory.TradeFilter{}, store.Page{Number: 1, Limit: 9}, []string{"a/2", "a/10", "b/2", "a/1", "b/3"}, 5},
		{"first page", directory.TradeFilter{}, store.Page{Number: 1, Limit: 2}, []string{"a/2", "a/10"}, 5},
		{"last page", directory.TradeFilter{}, store.Page{Number: 3, Limit: 2}, []string{"b/3"}, 5},
		{"past the end", directory.TradeFilter{}, store.Page{Number: 4, Limit: 2}, []string{}, 5},
		{"an account", directory.TradeFilter{AccountID: &account}, store.Page{Number: 1, Limit: 9}, []string{"a/2", "a/10", "a/1"}, 3},
		{"no account of his", directory.TradeFilter{AccountID: new(uuid.New())}, store.Page{Number: 1, Limit: 9}, []string{}, 0},
		{"a symbol", directory.TradeFilter{Symbol: "XAUUSD"}, store.Page{Number: 1, Limit: 9}, []string{"a/10"}, 1},
		{"no pattern", directory.TradeFilter{Symbol: "%"}, store.Page{Number: 1, Limit: 9}, []string{}, 0},
		{"open", directory.TradeFilter{State: directory.TradeOpen}, store.Page{Number: 1, Limit: 9}, []string{"a/2", "a/10", "b/3"}, 3},
		{"closed", directory.TradeFilter{State: directory.TradeClosed}, store.Page{Number: 1, Limit: 9}, []string{"b/2", "a/1"}, 2},
		{"from", directory.TradeFilter{From: new(at(4))}, store.Page{Number: 1, Limit: 9}, []string{"a/2", "a/10", "b/2"}, 3},
		{"to", directory.TradeFilter{To: new(at(4))}, store.Page{Number: 1, Limit: 9}, []string{"a/1"}, 1},
		{"all at once", directory.TradeFilter{AccountID: &account, Symbol: "EURUSD", State: directory.TradeClosed, From: new(at(1)), To: new(at(2))}, store.Page{Number: 1, Limit: 9}, []string{"a/1"}, 1},
	} {
		trades, total, err := directory.ListTrades(t.Context(), b.DB, b.Org, trader, c.filter, c.page)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		got := []string{}
		for _, tr := range trades {
			got = append(got, tr.AccountExternalID+"/"+tr.ID)
		}
		if diff := cmp.Diff(c.want, got); diff != "" || total != c.total {
			t.Errorf("%s: total %d, want %d; (-want +got):\n%s", c.name, total, c.total, diff)
		}
	}

	trades, _, err := directory.ListTrades(t.Context(), b.DB, b.Org, trader, directory.TradeFilter{State: directory.TradeClosed, AccountID: &account}, store.Page{Number: 1, Limit: 9})
	if err != nil {
		t.Fatal(err)
	}
	want := directory.Trade{
		ID: "1", AccountID: &account, AccountExternalID: "a", Symbol: "EURUSD", Side: record.Sell, Volume: new(record.Decimal("0.1")),
		OpenTime: new(at(1)), CloseTime: new(at(2)), OpenPrice: new(record.Decimal("1.23456")), ClosePrice: new(record.Decimal("1.3")),
		StopLoss: new(record.Decimal("1")), TakeProfit: new(record.Decimal("2")), Commission: new(record.Decimal("-0.5")), Swap: new(record.Decimal("0.25")),
		Profit: new(record.Decimal("-10")), PlatformUpdatedAt: new(at(3)),
	}
	if diff := cmp.Diff([]directory.Trade{want}, trades); diff != "" {
		t.Errorf("trade (-want +got):\n%s", diff)
	}
}

// TestTradesReads checks that a trader's trades are read account by account, a page of them in its
// order and their sums from an index alone, even without statistics about a new customer.
func TestTradesReads(t *testing.T) {
	t.Parallel()
	b := setup(t)
	known := storetest.Integration(t, b.DB, b.Org, "https://known.example")
	fresh := storetest.Integration(t, b.DB, b.Org, "https://fresh.example")
	add := func(i integrations.Integration, trades int) {
		b.Exec(t, `INSERT INTO accounts (id, organization_id, integration_id, external_id, trader_external_id, content_hash)
SELECT gen_random_uuid(), $1, $2, 'a' || n, 't' || n / 2, '' FROM generate_series(0, 19) AS n`, b.Org, i.ID)
		b.Exec(t, `INSERT INTO trades (integration_id, account_external_id, id, symbol, side, open_time, missing_since, content_hash)
SELECT $1, 'a' || n % 20, n::text, 'X', 'buy', now() - n * interval '1 second', CASE WHEN n % 300 < 20 THEN now() END, '' FROM generate_series(1, $2::int) AS n`, i.ID, trades)
	}
	add(known, 20000)
	b.Vacuum(t, "accounts", "trades")
	add(fresh, 20000)
	for _, i := range []integrations.Integration{known, fresh} {
		statements, err := directory.TradeStatements(i.ID, "t1", directory.TradeFilter{}, store.Page{Number: 1, Limit: 25})
		if err != nil {
			t.Fatal(err)
		}
		for name, s := range statements {
			cost, err := storetest.ExplainIn(t.Context(), b.DB.Bun, s.Query, s.Args...)
			if err != nil {
				t.Fatal(err)
			}
			blocks, rows := 1000, 2300 // of each of the two accounts a thousand, and for the sums the 67 that are missing
			switch {
			case name == "page":
				blocks, rows = 60, 120
			case i.ID == known.ID: // whose trades need not be looked at beside the index
				blocks = 100
			}
			cost.CheckReads(t, "the "+name+" of "+i.BaseURL, blocks, rows)
		}
	}
}

// TestTradesSorted reads lists in every order, whole and in pages that begin after the last row of
// the one before.
func TestTradesSorted(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	at := func(minutes int) time.Time { return opened.Add(time.Duration(minutes) * time.Minute) }
	storetest.Records(t, b.URL, i, record.Batch{
		Traders:  []record.Trader{{ID: "t"}},
		Accounts: []record.Account{{ID: "a", TraderID: "t"}, {ID: "b", TraderID: "t"}},
		Trades: []record.Trade{
			{ID: "1", AccountID: "a", Symbol: "X", Side: record.Buy, Volume: "10", OpenTime: at(1), CloseTime: at(9), Profit: "-0.5"},
			{ID: "2", AccountID: "a", Symbol: "Y", Side: record.Buy, Volume: "9.5", OpenTime: at(2), Profit: "-12345678901234567890.5"},
			{ID: "3", AccountID: "b", Symbol: "X", Side: record.Buy, Volume: "0.01", OpenTime: at(3), CloseTime: at(4), Profit: "100"},
			{ID: "4", AccountID: "b", Symbol: "A", Side: record.Buy, Volume: "10", CloseTime: at(5)},
		},
	})
	trader := b.theTrader(t)
	for sort, want := range map[directory.TradeSort]string{
		"":                   "3 2 1 4",
		directory.LastOpened: "3 2 1 4",
		"open_time":          "1 2 3 4",
		"-close_time":        "1 4 3 2",
		"close_time":         "3 4 1 2",
		"-profit":            "3 1 2 4",
		"profit":             "2 1 3 4",
		"-volume":            "1 4 2 3",
		"volume":             "3 2 1 4",
		"symbol":             "4 1 3 2",
		"-symbol":            "2 1 3 4",
	} {
		f := directory.TradeFilter{Sort: sort}
		for _, limit := range []int{1, 3, 9} {
			var got []string
			for p := (store.Page{Limit: limit}); ; {
				page, total, err := directory.ListTrades(t.Context(), b.DB, b.Org, trader, f, p)
				if err != nil {
					t.Fatal(err)
				}
				if len(page) == 0 {
					break
				}
				for _, tr := range page {
					got = append(got, tr.ID)
				}
				p.After, p.Total = sort.PositionOf(page[len(page)-1]), total
			}
			if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" {
				t.Errorf("%q by pages of %d (-want +got):\n%s", sort, limit, diff)
			}
		}
	}
}

// TestTradesPaging reads all pages and expects each trade once, in order.
func TestTradesPaging(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	batch := record.Batch{Traders: []record.Trader{{ID: "t"}}}
	for a := range 3 {
		account := fmt.Sprintf("a%d", a)
		batch.Accounts = append(batch.Accounts, record.Account{ID: account, TraderID: "t"})
		for n := range 40 {
			batch.Trades = append(batch.Trades, record.Trade{
				ID: fmt.Sprint(n), AccountID: account, Symbol: "X", Side: record.Buy, OpenTime: opened.Add(time.Duration(n%7) * time.Second),
			})
		}
	}
	storetest.Records(t, b.URL, i, batch)
	b.Exec(t, `UPDATE trades SET open_time = NULL WHERE id::int % 8 = 3`)
	trader := b.theTrader(t)
	whole, total, err := directory.ListTrades(t.Context(), b.DB, b.Org, trader, directory.TradeFilter{}, store.Page{Number: 1, Limit: 200})
	if err != nil || total != 120 || len(whole) != 120 {
		t.Fatalf("%d of %d trades, %v; want 120", len(whole), total, err)
	}
	var walked []directory.Trade
	for number := 1; number <= 13; number++ {
		page, _, err := directory.ListTrades(t.Context(), b.DB, b.Org, trader, directory.TradeFilter{}, store.Page{Number: number, Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		walked = append(walked, page...)
	}
	if diff := cmp.Diff(whole, walked); diff != "" {
		t.Errorf("pages differ from the whole (-whole +pages):\n%s", diff)
	}
	walked = nil
	for p := (store.Page{Limit: 7}); ; p.After, p.Total = directory.LastOpened.PositionOf(walked[len(walked)-1]), total {
		page, _, err := directory.ListTrades(t.Context(), b.DB, b.Org, trader, directory.TradeFilter{}, p)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		walked = append(walked, page...)
	}
	if diff := cmp.Diff(whole, walked); diff != "" {
		t.Errorf("pages after each other differ from the whole (-whole +pages):\n%s", diff)
	}
	walked = nil
	err = directory.EachTrade(t.Context(), b.DB, b.Org, trader, directory.TradeFilter{}, func(t directory.Trade) error {
		walked = append(walked, t)
		return nil
	})
	if diff := cmp.Diff(whole, walked); err != nil || diff != "" {
		t.Errorf("each trade: %v; differs from the whole (-whole +each):\n%s", err, diff)
	}
}
