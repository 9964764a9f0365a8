package directory_test

import (
	"encoding/json"
	"errors"
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
)

// names reads the external ids of a page of the directory.
func (b orgDB) names(t *testing.T, f directory.TraderFilter, p store.Page) (ids []string, total int) {
	t.Helper()
	traders, total, err := directory.ListTraders(t.Context(), b.DB, b.Org, f, p)
	if err != nil {
		t.Fatal(err)
	}
	ids = []string{}
	for _, tr := range traders {
		ids = append(ids, *tr.ExternalID)
	}
	return ids, total
}

func TestTrader(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	at := func(minutes int) time.Time { return opened.Add(time.Duration(minutes) * time.Minute) }
	storetest.Records(t, b.URL, i, record.Batch{
		Traders: []record.Trader{{ID: "t"}, {ID: "u"}},
		Accounts: []record.Account{
			{ID: "a", TraderID: "t", Currency: "USD", InitialBalance: "1000", Balance: "1000.5", Equity: "-0.1", StartedAt: at(0), Platform: "mt5", Metadata: `{"x": 1}`, Unrecognized: `{"phase": "x"}`},
			{ID: "b", TraderID: "t", Currency: "EUR", StartedAt: at(1)},
			{ID: "c", TraderID: "t"},
			{ID: "d", TraderID: "u", Currency: "USD"},
			{ID: "gone", TraderID: "t", Currency: "USD"},
		},
		Trades: []record.Trade{
			{ID: "1", AccountID: "a", Symbol: "X", Side: record.Buy, OpenTime: at(0), CloseTime: at(1), Profit: "0.1"},
			{ID: "2", AccountID: "a", Symbol: "X", Side: record.Buy, OpenTime: at(5), CloseTime: at(6), Profit: "0.9"},
			{ID: "3", AccountID: "a", Symbol: "X", Side: record.Buy, OpenTime: at(7), Profit: "1000"},
			{ID: "1", AccountID: "b", Symbol: "X", Side: record.Buy, OpenTime: at(-5), CloseTime: at(1), Profit: "-123456789012345678901234567890.000000001"},
			{ID: "2", AccountID: "b", Symbol: "X", Side: record.Buy, CloseTime: at(1)},
			{ID: "1", AccountID: "c", Symbol: "X", Side: record.Buy, OpenTime: at(2), CloseTime: at(3), Profit: "7"},
			{ID: "gone", AccountID: "a", Symbol: "X", Side: record.Buy, OpenTime: at(-60), CloseTime: at(-59), Profit: "-100000"},
			{ID: "gone too", AccountID: "a", Symbol: "X", Side: record.Buy, OpenTime: at(60), Profit: "1"},
			{ID: "1", AccountID: "gone", Symbol: "X", Side: record.Buy, OpenTime: at(-90), CloseTime: at(90), Profit: "50"},
			{ID: "1", AccountID: "d", Symbol: "X", Side: record.Buy, OpenTime: at(9), CloseTime: at(9), Profit: "1"},
		},
		Payouts: []record.Payout{
			{ID: "p1", TraderID: "t", AccountID: "a", Status: "paid", Amount: "1.5", Currency: "USD", RequestedAt: at(1), PaidAt: at(2), Metadata: `{"profit_split": 80.50}`},
			{ID: "p2", TraderID: "t", AccountID: "not arrived", Status: "paid", Amount: "2.5", Currency: "USD", RequestedAt: at(3)},
			{ID: "p3", TraderID: "t", Status: "pending", Amount: "100", Currency: "EUR"},
			{ID: "gone", TraderID: "t", Status: "paid", Amount: "1000", Currency: "USD"},
			{ID: "p4", TraderID: "u", Status: "paid", Amount: "100", Currency: "USD"},
		},
	})
	missing := at(100)
	b.Exec(t, `UPDATE accounts SET missing_since = $1 WHERE external_id = 'gone' AND integration_id = $2`, missing, i.ID)
	b.Exec(t, `UPDATE trades SET missing_since = $1 WHERE id LIKE 'gone%' AND integration_id = $2`, missing, i.ID)
	b.Exec(t, `UPDATE payouts SET missing_since = $1 WHERE external_id = 'gone' AND integration_id = $2`, missing, i.ID)
	list, _, err := directory.ListTraders(t.Context(), b.DB, b.Org, directory.TraderFilter{Search: "t"}, store.Page{Number: 1, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	d, err := directory.ReadTrader(t.Context(), b.DB, b.Org, list[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(list[0], d.Trader); diff != "" {
		t.Errorf("trader (-list +detail):\n%s", diff)
	}
	want := directory.TraderStats{
		Accounts: 3, OpenTrades: 1, ClosedTrades: 5,
		NetProfitByCurrency: map[string]record.Decimal{"USD": "1", "EUR": "-123456789012345678901234567890.000000001", "": "7"},
		FirstTradeAt:        new(at(-5)), LastTradeAt: new(at(7)),
		PaidOutByCurrency: map[string]record.Decimal{"USD": "4"},
	}
	if diff := cmp.Diff(want, d.Stats); diff != "" {
		t.Errorf("stats (-want +got):\n%s", diff)
	}
	wantAccount := directory.Account{
		ID: d.Accounts[1].ID, ExternalID: "a", Platform: new("mt5"), Currency: new("USD"), InitialBalance: new(record.Decimal("1000")),
		Balance: new(record.Decimal("1000.5")), Equity: new(record.Decimal("-0.1")), StartedAt: new(at(0)), Metadata: json.RawMessage(`{"x": 1}`), Unrecognized: json.RawMessage(`{"phase": "x"}`),
	}
	if diff := cmp.Diff(wantAccount, d.Accounts[1]); diff != "" {
		t.Errorf("second account (-want +got):\n%s", diff)
	}
	if a := d.Accounts[3]; a.ExternalID != "gone" || a.MissingSince == nil || !a.MissingSince.Equal(missing) {
		t.Errorf("last account %s missing since %v, want gone since %v", a.ExternalID, a.MissingSince, missing)
	}
	wantPayouts := []directory.Payout{
		{ID: d.Payouts[0].ID, ExternalID: "p2", AccountExternalID: new("not arrived"), Status: new("paid"), Amount: new(record.Decimal("2.5")), Currency: new("USD"), RequestedAt: new(at(3))},
		{ID: d.Payouts[1].ID, ExternalID: "p1", AccountID: &d.Accounts[1].ID, AccountExternalID: new("a"), Status: new("paid"), Amount: new(record.Decimal("1.5")), Currency: new("USD"), RequestedAt: new(at(1)), PaidAt: new(at(2)), Metadata: json.RawMessage(`{"profit_split": 80.50}`)},
		{ID: d.Payouts[2].ID, ExternalID: "gone", Status: new("paid"), Amount: new(record.Decimal("1000")), Currency: new("USD"), MissingSince: &missing},
		{ID: d.Payouts[3].ID, ExternalID: "p3", Status: new("pending"), Amount: new(record.Decimal("100")), Currency: new("EUR")},
	}
	if diff := cmp.Diff(wantPayouts, d.Payouts); diff != "" {
		t.Errorf("payouts (-want +got):\n%s", diff)
	}

	other := storetest.Organization(t, b.DB).ID
	for name, id := range map[string][2]uuid.UUID{"another organization's": {other, list[0].ID}, "unknown": {b.Org, uuid.New()}} {
		if _, err := directory.ReadTrader(t.Context(), b.DB, id[0], id[1]); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s trader: %v, want ErrNotFound", name, err)
		}
		if _, _, err := directory.ListTrades(t.Context(), b.DB, id[0], id[1], directory.TradeFilter{}, store.Page{Number: 1, Limit: 1}); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("trades of %s trader: %v, want ErrNotFound", name, err)
		}
	}
}

func TestTraderWithoutAnything(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := uuid.New()
	b.Exec(t, `INSERT INTO traders (id, organization_id, source, full_name) VALUES ($1, $2, 'manual', 'By Hand')`, id, b.Org)
	d, err := directory.ReadTrader(t.Context(), b.DB, b.Org, id)
	if err != nil {
		t.Fatal(err)
	}
	want := directory.TraderDetail{
		Trader: directory.Trader{ID: id, Source: "manual", FullName: new("By Hand"), Status: "active", Tags: []string{}, Overrides: []string{}, CreatedAt: d.CreatedAt, UpdatedAt: d.UpdatedAt},
		Notes:  []directory.Note{}, Interviews: []directory.TraderInterview{}, Accounts: []directory.Account{}, Payouts: []directory.Payout{},
		Stats: directory.TraderStats{NetProfitByCurrency: map[string]record.Decimal{}, PaidOutByCurrency: map[string]record.Decimal{}},
	}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Errorf("detail (-want +got):\n%s", diff)
	}
	trades, total, err := directory.ListTrades(t.Context(), b.DB, b.Org, id, directory.TradeFilter{}, store.Page{Number: 1, Limit: 5})
	if err != nil || total != 0 || len(trades) != 0 {
		t.Errorf("trades %v of %d, %v; want none", trades, total, err)
	}
}

// TestHugeNumbers reads numbers as large as the decoder permits, whose sum is larger.
func TestHugeNumbers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	huge := record.Decimal(strings.Repeat("9", record.MaxDigits))
	var trades []record.Trade
	for n := range 2 {
		trades = append(trades, record.Trade{ID: fmt.Sprint(n), AccountID: "a", Symbol: "X", Side: record.Sell, OpenTime: opened, CloseTime: opened, Profit: huge})
	}
	storetest.Records(t, b.URL, i, record.Batch{Traders: []record.Trader{{ID: "t"}}, Accounts: []record.Account{{ID: "a", TraderID: "t"}}, Trades: trades})
	list, _, err := directory.ListTraders(t.Context(), b.DB, b.Org, directory.TraderFilter{}, store.Page{Number: 1, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	d, err := directory.ReadTrader(t.Context(), b.DB, b.Org, list[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	want := "1" + strings.Repeat("9", record.MaxDigits-1) + "8"
	if got := d.Stats.NetProfitByCurrency[""]; string(got) != want {
		t.Errorf("sum %.20s… of %d digits, want %.20s… of %d", got, len(got), want, len(want))
	}
}
