package directory_test

import (
	"slices"
	"testing"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/storetest"
)

// TestEachOrder reads all rows in each order and compares them with one page of the whole list.
// There are more rows than are read at a time, and more than are sorted at a time.
func TestEachOrder(t *testing.T) {
	t.Parallel()
	rows := 201_500
	if testing.Short() {
		rows = 2_500
	}
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	storetest.Records(t, b.URL, i, record.Batch{Traders: []record.Trader{{ID: "t"}}, Accounts: []record.Account{{ID: "a0", TraderID: "t"}, {ID: "a1", TraderID: "t"}}})
	// Many rows have equal values, and some have none.
	b.Exec(t, `INSERT INTO trades (integration_id, account_external_id, id, symbol, side, volume, open_time, close_time, profit, content_hash)
SELECT $1, 'a' || n % 2, 't-' || n, (ARRAY['EURUSD', 'eurusd', 'Öl'])[n % 3 + 1], 'buy', n % 700 * 0.01, nullif($2::timestamptz + n % 90 * interval '1 microsecond', $2), $2::timestamptz + n % 70 * interval '1 hour', nullif(n % 20, 3) - 10.5, ''
FROM generate_series(1, $3::int) AS n`, i.ID, opened, rows)
	b.Exec(t, `INSERT INTO payouts (id, organization_id, integration_id, external_id, account_external_id, amount, requested_at, trader_external_id, status, paid_at, content_hash)
SELECT gen_random_uuid(), $1, $2, 'p-' || n, 'a' || nullif(n % 5, 3), nullif(n % 20, 3) - 10.5, nullif($3::timestamptz + n % 90 * interval '1 microsecond', $3),
    CASE n % 3 WHEN 0 THEN 't' WHEN 1 THEN 'unknown' END, (ARRAY[NULL, 'paid', 'pending', 'Rejected'])[n % 4 + 1], nullif($3::timestamptz + n % 50 * interval '1 hour', $3), '' FROM generate_series(1, $4::int) AS n`,
		b.Org, i.ID, opened, rows)
	b.Exec(t, `ANALYZE trades, payouts`)
	page, trader := store.Page{Number: 1, Limit: rows + 1}, b.theTrader(t)
	compare := func(order string, whole, each []string, err error) {
		t.Helper()
		if len(whole) != rows || err != nil || !slices.Equal(whole, each) {
			t.Errorf("%s: the list has %d rows, and %d are read (%v), in the same order: %t", order, len(whole), len(each), err, slices.Equal(whole, each))
		}
	}
	for _, sort := range directory.TradeSorts() {
		f := directory.TradeFilter{Sort: sort}
		list, _, err := directory.ListTrades(t.Context(), b.DB, b.Org, trader, f, page)
		if err != nil {
			t.Fatal(err)
		}
		var whole, each []string
		for _, tr := range list {
			whole = append(whole, tr.AccountExternalID+tr.ID)
		}
		err = directory.EachTrade(t.Context(), b.DB, b.Org, trader, f, func(tr directory.Trade) error {
			each = append(each, tr.AccountExternalID+tr.ID)
			return nil
		})
		compare("trades by "+string(sort), whole, each, err)
	}
	for _, sort := range directory.PayoutSorts() {
		f := directory.PayoutFilter{Sort: sort}
		list, _, err := directory.ListPayouts(t.Context(), b.DB, b.Org, f, page)
		if err != nil {
			t.Fatal(err)
		}
		var whole, each []string
		for _, p := range list {
			whole = append(whole, p.ExternalID)
		}
		err = directory.EachPayout(t.Context(), b.DB, b.Org, f, func(p directory.ListedPayout) error {
			each = append(each, p.ExternalID)
			return nil
		})
		compare("payouts by "+string(sort), whole, each, err)
	}
}

// TestEachWhileRowsChange changes rows while they are read in an order that no index has: those
// that stay come once, with what they are when they are read.
func TestEachWhileRowsChange(t *testing.T) {
	t.Parallel()
	const rows = 2_500
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	b.Exec(t, `INSERT INTO payouts (id, organization_id, integration_id, external_id, amount, content_hash)
SELECT gen_random_uuid(), $1, $2, 'p-' || n, n, '' FROM generate_series(1, $3::int) AS n`, b.Org, i.ID, rows)
	seen := map[string]int{}
	err := directory.EachPayout(t.Context(), b.DB, b.Org, directory.PayoutFilter{Sort: "amount"}, func(p directory.ListedPayout) error {
		if len(seen) == 0 {
			b.Exec(t, `DELETE FROM payouts WHERE external_id = 'p-2400'`)
			b.Exec(t, `UPDATE payouts SET amount = 9999 WHERE external_id = 'p-1'`)      // has been read
			b.Exec(t, `UPDATE payouts SET amount = 0 WHERE external_id = 'p-2000'`)      // would have come before
			b.Exec(t, `UPDATE payouts SET status = 'paid' WHERE external_id = 'p-2300'`) // is read later
		}
		seen[p.ExternalID]++
		if p.ExternalID == "p-2300" && (p.Status == nil || *p.Status != "paid") {
			t.Errorf("a row that is read later is not as it is then: %+v", p)
		}
		return nil
	})
	if err != nil || len(seen) != rows-1 || seen["p-2400"] != 0 || seen["p-1"] != 1 || seen["p-2000"] != 1 {
		t.Errorf("%d rows, %v; want all but the removed one, each once", len(seen), err)
	}
}
