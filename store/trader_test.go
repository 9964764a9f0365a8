package store_test

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
	"github.com/assayhq/assay/store/storetest"
)

var opened = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

// names reads the external ids of a page of the directory.
func (b bundle) names(t *testing.T, f store.TraderFilter, p store.Page) (ids []string, total int) {
	t.Helper()
	traders, total, err := b.Traders(t.Context(), b.org, f, p)
	if err != nil {
		t.Fatal(err)
	}
	ids = []string{}
	for _, tr := range traders {
		ids = append(ids, *tr.ExternalID)
	}
	return ids, total
}

// addTraders adds traders one after the other, each created a second after the
// one before.
func (b bundle) addTraders(t *testing.T, i store.Integration, traders ...record.Trader) {
	t.Helper()
	storetest.Records(t, b.url, i, record.Batch{Traders: traders})
	for n, tr := range traders {
		b.exec(t, `UPDATE traders SET created_at = now() + $3 * interval '1 second' WHERE integration_id = $1 AND external_id = $2`, i.ID, tr.ID, n)
	}
}

func TestTraders(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.org, "https://a.example")
	b.addTraders(t, i, record.Trader{ID: "1"}, record.Trader{ID: "2"}, record.Trader{
		ID: "3", UpdatedAt: opened, Email: "Ann@Example.com", FirstName: "Ann", LastName: "Øre", Country: "NO", Phone: "+47 1",
		RegisteredAt: opened.Add(-time.Hour), KYCStatus: "verified", Tags: []string{"vip", `a "b", {c}`}, Metadata: `{"big": 18446744073709551617}`,
	})
	other := storetest.Organization(t, b.DB).ID
	storetest.Records(t, b.url, storetest.Integration(t, b.DB, other, "https://a.example"), record.Batch{Traders: []record.Trader{{ID: "foreign"}}})

	list, total, err := b.Traders(t.Context(), b.org, store.TraderFilter{}, store.Page{Number: 1, Limit: 2})
	if err != nil {
		t.Fatal(err)
	}
	if total != 3 || len(list) != 2 {
		t.Fatalf("%d of %d traders, want 2 of 3", len(list), total)
	}
	want := store.Trader{
		ID: list[0].ID, Source: "custom_api", IntegrationID: &i.ID, ExternalID: ptr("3"), FirstName: ptr("Ann"), LastName: ptr("Øre"),
		FullName: ptr("Ann Øre"), Email: ptr("Ann@Example.com"), Country: ptr("NO"), Phone: ptr("+47 1"), KYCStatus: ptr("verified"), Status: "active",
		Tags: []string{"vip", `a "b", {c}`}, RegisteredAt: ptr(opened.Add(-time.Hour)), Metadata: json.RawMessage(`{"big": 18446744073709551617}`),
		PlatformUpdatedAt: &opened, Overrides: []string{}, CreatedAt: list[0].CreatedAt, UpdatedAt: list[0].UpdatedAt,
	}
	if diff := cmp.Diff(want, list[0]); diff != "" {
		t.Errorf("trader (-want +got):\n%s", diff)
	}
	bare := store.Trader{
		ID: list[1].ID, Source: "custom_api", IntegrationID: &i.ID, ExternalID: ptr("2"), Status: "active", Tags: []string{}, Overrides: []string{},
		CreatedAt: list[1].CreatedAt, UpdatedAt: list[1].UpdatedAt,
	}
	if diff := cmp.Diff(bare, list[1]); diff != "" {
		t.Errorf("trader of whom only the id is known (-want +got):\n%s", diff)
	}

	for _, p := range []struct {
		page store.Page
		want []string
	}{
		{store.Page{Number: 2, Limit: 2}, []string{"1"}},
		{store.Page{Number: 3, Limit: 2}, []string{}},
		{store.Page{Number: 1 << 62, Limit: 100}, []string{}},
		{store.Page{Number: 0, Limit: 1}, []string{"3"}},
	} {
		if ids, total := b.names(t, store.TraderFilter{}, p.page); total != 3 || !cmp.Equal(p.want, ids) {
			t.Errorf("page %+v: %v of %d, want %v of 3", p.page, ids, total, p.want)
		}
	}
}

func TestTradersCount(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.org, "https://a.example")
	b.addTraders(t, i, record.Trader{ID: "1"}, record.Trader{ID: "2"}, record.Trader{ID: "3"})
	b.exec(t, `INSERT INTO traders (id, organization_id, source, external_id, full_name, created_at) VALUES ($1, $2, 'manual', 'm', 'By Hand', now() + interval '1 day')`, uuid.New(), b.org)
	b.exec(t, `UPDATE traders SET status = 'archived' WHERE external_id = '2'`)

	all := store.Page{Number: 1, Limit: 10}
	ids, total := b.names(t, store.TraderFilter{}, all)
	if diff := cmp.Diff([]string{"m", "3", "1"}, ids); diff != "" || total != 3 {
		t.Errorf("total %d; without the archived (-want +got):\n%s", total, diff)
	}
	if err := b.DeleteIntegration(t.Context(), store.SystemChange(b.org), i.ID, nil); err != nil {
		t.Fatal(err)
	}
	if ids, total := b.names(t, store.TraderFilter{}, all); total != 3 || len(ids) != 3 {
		t.Errorf("after deleting the integration: %v of %d, want all", ids, total)
	}
	traders, _, err := b.Traders(t.Context(), b.org, store.TraderFilter{}, all)
	if err != nil {
		t.Fatal(err)
	}
	for _, tr := range traders {
		if tr.IntegrationID != nil {
			t.Errorf("trader %s names the deleted integration", *tr.ExternalID)
		}
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.org, "https://a.example")
	b.addTraders(t, i,
		record.Trader{ID: "T_1", FirstName: "Anna", LastName: "Maria Øre", Email: "anna@firm.example"},
		record.Trader{ID: "T-1", FirstName: "Bob", LastName: "100% O'Neill", Email: "BOB@FIRM.EXAMPLE"},
		record.Trader{ID: `back\slash`},
	)
	other := storetest.Organization(t, b.DB).ID
	storetest.Records(t, b.url, storetest.Integration(t, b.DB, other, "https://a.example"), record.Batch{Traders: []record.Trader{{ID: "x", FirstName: "Anna"}}})
	for _, c := range []struct {
		search string
		want   []string
	}{
		{"anna", []string{"T_1"}},
		{"NA MARIA", []string{"T_1"}},
		{"øRE", []string{"T_1"}},
		{"firm.example", []string{"T-1", "T_1"}},
		{"bob@f", []string{"T-1"}},
		{"t_1", []string{"T_1"}},
		{"%", []string{"T-1"}},
		{"100%", []string{"T-1"}},
		{"_", []string{"T_1"}},
		{`\`, []string{`back\slash`}},
		{`k\S`, []string{`back\slash`}},
		{"o'neill", []string{"T-1"}},
		{"?", []string{}},
		{"?0", []string{}},
		{"anna\x00", []string{}},
		{"\xff", []string{}},
		{strings.Repeat("x", 10_000), []string{}},
	} {
		if ids, total := b.names(t, store.TraderFilter{Search: c.search}, store.Page{Number: 1, Limit: 10}); !cmp.Equal(c.want, ids) || total != len(c.want) {
			t.Errorf("search for %.20q: %v of %d, want %v", c.search, ids, total, c.want)
		}
	}
}

// seedDirectory makes n synced traders, the first the newest.
func (b bundle) seedDirectory(t *testing.T, i store.Integration, n int) {
	t.Helper()
	// Vacuum takes a row for visible to all once its commit has been written out.
	b.exec(t, `SET synchronous_commit = on`)
	for _, statement := range []string{
		`INSERT INTO traders (id, organization_id, integration_id, source, external_id, full_name, email, country, kyc_status, tags, created_at)
SELECT gen_random_uuid(), $1, $2, 'custom_api', 'ext-' || n, 'Trader ' || chr(65 + n % 26), 'trader.' || n || '@example.com',
    (ARRAY['DE', 'NO'])[1 + n % 2], (ARRAY['verified', 'pending', 'failed'])[1 + n % 3],
    CASE WHEN n % 4 = 0 THEN ARRAY['common'] WHEN n % 5000 = 1 THEN ARRAY['rare'] ELSE '{}' END, now() - n * interval '1 second'
FROM generate_series(1, $3::int) AS n`,
		`UPDATE sync_state SET traders = traders + $3 WHERE integration_id = $2 AND organization_id = $1`,
	} {
		b.exec(t, statement, b.org, i.ID, n)
	}
	b.exec(t, `VACUUM ANALYZE traders`)
}

// TestDirectoryPlans holds the planner to the indexes on a large directory.
func TestDirectoryPlans(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.org, "https://a.example")
	const all = 30_000
	b.seedDirectory(t, i, all)
	for _, c := range []struct {
		name  string
		f     store.TraderFilter
		total int
		last  string // external id of the oldest hit; empty: not looked at
	}{
		{"a rare text", store.TraderFilter{Search: "ext-2999"}, 11, "ext-29999"},
		{"a common text", store.TraderFilter{Search: "EXAMPLE"}, all, "ext-30000"},
		{"one character", store.TraderFilter{Search: "-"}, all, "ext-30000"},
		{"a rare text without a trigram", store.TraderFilter{Search: "7\\9"}, 0, ""},
		{"a rare text of separators", store.TraderFilter{Search: "r.7@"}, 1, ""},
		{"country", store.TraderFilter{Country: "no"}, all / 2, "ext-29999"},
		{"country and kyc", store.TraderFilter{Country: "De", KYCStatus: "failed"}, all / 6, ""},
		{"a common tag", store.TraderFilter{Tag: "common"}, all / 4, "ext-30000"},
		{"a rare tag", store.TraderFilter{Tag: "rare"}, 6, "ext-25001"},
		{"a rare tag and a text", store.TraderFilter{Tag: "rare", Search: "ext-2"}, 2, ""},
		{"source", store.TraderFilter{Source: "custom_api"}, all, "ext-30000"},
		{"another source", store.TraderFilter{Source: "partner_platform"}, 0, ""},
		{"status", store.TraderFilter{Statuses: []string{"restricted", "under_review"}}, 0, ""},
		{"archived", store.TraderFilter{Statuses: []string{"archived"}}, 0, ""},
		{"all statuses", store.TraderFilter{Statuses: store.TraderStatuses(), Country: "NO"}, all / 2, "ext-29999"},
	} {
		t.Run(c.name, func(t *testing.T) {
			last := store.Page{Number: max(1, (c.total+24)/25), Limit: 25}
			ids, total := b.names(t, c.f, last)
			if total != c.total {
				t.Errorf("%d traders match, want %d", total, c.total)
			}
			if c.last != "" && (len(ids) == 0 || ids[len(ids)-1] != c.last) {
				t.Errorf("last page %v, want it to end with %s", ids, c.last)
			}
			plans, err := b.DirectoryPlans(t.Context(), b.org, c.f, c.total, store.Page{Number: 1, Limit: 25})
			if err != nil {
				t.Fatal(err)
			}
			for step, plan := range plans {
				if strings.Contains(plan, "Seq Scan on traders") {
					t.Errorf("%s reads the whole table:\n%s", step, plan)
				}
			}
			ordered := []string{"sample", "walk", "gather along the directory", "count"}
			for _, step := range ordered {
				if c.f.Tag == "" && !strings.Contains(plans[step], "Index Only Scan") {
					t.Errorf("%s does not do with the directory's index:\n%s", step, plans[step])
				}
			}
			if strings.Contains(c.name, "rare") && !strings.Contains(c.name, "without") && !strings.Contains(plans["gather"], "traders_filters") {
				t.Errorf("hits are not found by the index over all filters:\n%s", plans["gather"])
			}
		})
	}
}

func TestTrader(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.org, "https://a.example")
	at := func(minutes int) time.Time { return opened.Add(time.Duration(minutes) * time.Minute) }
	storetest.Records(t, b.url, i, record.Batch{
		Traders: []record.Trader{{ID: "t"}, {ID: "u"}},
		Accounts: []record.Account{
			{ID: "a", TraderID: "t", Currency: "USD", InitialBalance: "1000", Balance: "1000.5", Equity: "-0.1", StartedAt: at(0), Platform: "mt5", Metadata: `{"x": 1}`},
			{ID: "b", TraderID: "t", Currency: "EUR", StartedAt: at(1)},
			{ID: "c", TraderID: "t"},
			{ID: "d", TraderID: "u", Currency: "USD"},
		},
		Trades: []record.Trade{
			{ID: "1", AccountID: "a", Symbol: "X", Side: record.Buy, OpenTime: at(0), CloseTime: at(1), Profit: "0.1"},
			{ID: "2", AccountID: "a", Symbol: "X", Side: record.Buy, OpenTime: at(5), CloseTime: at(6), Profit: "0.9"},
			{ID: "3", AccountID: "a", Symbol: "X", Side: record.Buy, OpenTime: at(7), Profit: "1000"},
			{ID: "1", AccountID: "b", Symbol: "X", Side: record.Buy, OpenTime: at(-5), CloseTime: at(1), Profit: "-123456789012345678901234567890.000000001"},
			{ID: "2", AccountID: "b", Symbol: "X", Side: record.Buy, CloseTime: at(1)},
			{ID: "1", AccountID: "c", Symbol: "X", Side: record.Buy, OpenTime: at(2), CloseTime: at(3), Profit: "7"},
			{ID: "1", AccountID: "d", Symbol: "X", Side: record.Buy, OpenTime: at(9), CloseTime: at(9), Profit: "1"},
		},
		Payouts: []record.Payout{
			{ID: "p1", TraderID: "t", AccountID: "a", Status: "paid", Amount: "1.5", Currency: "USD", RequestedAt: at(1), PaidAt: at(2)},
			{ID: "p2", TraderID: "t", AccountID: "not arrived", Status: "paid", Amount: "2.5", Currency: "USD", RequestedAt: at(3)},
			{ID: "p3", TraderID: "t", Status: "pending", Amount: "100", Currency: "EUR"},
			{ID: "p4", TraderID: "u", Status: "paid", Amount: "100", Currency: "USD"},
		},
	})
	list, _, err := b.Traders(t.Context(), b.org, store.TraderFilter{Search: "t"}, store.Page{Number: 1, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	d, err := b.Trader(t.Context(), b.org, list[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(list[0], d.Trader); diff != "" {
		t.Errorf("trader (-list +detail):\n%s", diff)
	}
	want := store.TraderStats{
		Accounts: 3, OpenTrades: 1, ClosedTrades: 5,
		NetProfitByCurrency: map[string]record.Decimal{"USD": "1", "EUR": "-123456789012345678901234567890.000000001", "": "7"},
		FirstTradeAt:        ptr(at(-5)), LastTradeAt: ptr(at(7)),
		PaidOutByCurrency: map[string]record.Decimal{"USD": "4"},
	}
	if diff := cmp.Diff(want, d.Stats); diff != "" {
		t.Errorf("stats (-want +got):\n%s", diff)
	}
	wantAccount := store.Account{
		ID: d.Accounts[1].ID, ExternalID: "a", Platform: ptr("mt5"), Currency: ptr("USD"), InitialBalance: ptr(record.Decimal("1000")),
		Balance: ptr(record.Decimal("1000.5")), Equity: ptr(record.Decimal("-0.1")), StartedAt: ptr(at(0)), Metadata: json.RawMessage(`{"x": 1}`),
	}
	if diff := cmp.Diff(wantAccount, d.Accounts[1]); diff != "" {
		t.Errorf("second account (-want +got):\n%s", diff)
	}
	wantPayouts := []store.Payout{
		{ID: d.Payouts[0].ID, ExternalID: "p2", AccountExternalID: ptr("not arrived"), Status: ptr("paid"), Amount: ptr(record.Decimal("2.5")), Currency: ptr("USD"), RequestedAt: ptr(at(3))},
		{ID: d.Payouts[1].ID, ExternalID: "p1", AccountID: &d.Accounts[1].ID, AccountExternalID: ptr("a"), Status: ptr("paid"), Amount: ptr(record.Decimal("1.5")), Currency: ptr("USD"), RequestedAt: ptr(at(1)), PaidAt: ptr(at(2))},
		{ID: d.Payouts[2].ID, ExternalID: "p3", Status: ptr("pending"), Amount: ptr(record.Decimal("100")), Currency: ptr("EUR")},
	}
	if diff := cmp.Diff(wantPayouts, d.Payouts); diff != "" {
		t.Errorf("payouts (-want +got):\n%s", diff)
	}

	other := storetest.Organization(t, b.DB).ID
	for name, id := range map[string][2]uuid.UUID{"another organization's": {other, list[0].ID}, "unknown": {b.org, uuid.New()}} {
		if _, err := b.Trader(t.Context(), id[0], id[1]); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s trader: %v, want ErrNotFound", name, err)
		}
		if _, _, err := b.Trades(t.Context(), id[0], id[1], store.TradeFilter{}, store.Page{Number: 1, Limit: 1}); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("trades of %s trader: %v, want ErrNotFound", name, err)
		}
	}
}

func TestTraderWithoutAnything(t *testing.T) {
	t.Parallel()
	b := setup(t)
	id := uuid.New()
	b.exec(t, `INSERT INTO traders (id, organization_id, source, full_name) VALUES ($1, $2, 'manual', 'By Hand')`, id, b.org)
	d, err := b.Trader(t.Context(), b.org, id)
	if err != nil {
		t.Fatal(err)
	}
	want := store.TraderDetail{
		Trader: store.Trader{ID: id, Source: "manual", FullName: ptr("By Hand"), Status: "active", Tags: []string{}, Overrides: []string{}, CreatedAt: d.CreatedAt, UpdatedAt: d.UpdatedAt},
		Notes:  []store.Note{}, Accounts: []store.Account{}, Payouts: []store.Payout{},
		Stats: store.TraderStats{NetProfitByCurrency: map[string]record.Decimal{}, PaidOutByCurrency: map[string]record.Decimal{}},
	}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Errorf("detail (-want +got):\n%s", diff)
	}
	trades, total, err := b.Trades(t.Context(), b.org, id, store.TradeFilter{}, store.Page{Number: 1, Limit: 5})
	if err != nil || total != 0 || len(trades) != 0 {
		t.Errorf("trades %v of %d, %v; want none", trades, total, err)
	}
}

// TestHugeNumbers reads numbers as large as the decoder lets through, whose sum
// is larger.
func TestHugeNumbers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.org, "https://a.example")
	huge := record.Decimal(strings.Repeat("9", record.MaxDigits))
	var trades []record.Trade
	for n := range 2 {
		trades = append(trades, record.Trade{ID: fmt.Sprint(n), AccountID: "a", Symbol: "X", Side: record.Sell, OpenTime: opened, CloseTime: opened, Profit: huge})
	}
	storetest.Records(t, b.url, i, record.Batch{Traders: []record.Trader{{ID: "t"}}, Accounts: []record.Account{{ID: "a", TraderID: "t"}}, Trades: trades})
	list, _, err := b.Traders(t.Context(), b.org, store.TraderFilter{}, store.Page{Number: 1, Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	d, err := b.Trader(t.Context(), b.org, list[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	want := "1" + strings.Repeat("9", record.MaxDigits-1) + "8"
	if got := d.Stats.NetProfitByCurrency[""]; string(got) != want {
		t.Errorf("sum %.20s… of %d digits, want %.20s… of %d", got, len(got), want, len(want))
	}
}
