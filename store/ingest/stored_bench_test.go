package ingest_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
)

// The size of each integration of BenchmarkStored. Its traders have two accounts.
const (
	storedTraders = 25
	storedTrades  = 50_000
)

// BenchmarkStored writes and reads pages of trades in a small store (1,000,000) and in a large one
// (20,000,000, unless ASSAY_TEST_BENCH_STORED sets another number). Traders have the same number of
// trades in both, so that only the table grows. The "_rows/s" are of pages of 200 for a separate
// integration, medians of five rounds, the "_p99_ms" of 500 reads of random traders: in detail, the
// first page and the middle one of 2,000 trades, and the first of one account.
func BenchmarkStored(tb *testing.B) {
	for _, bb := range []struct {
		name, variable string
		usual, short   int
	}{
		{"small", "STORED_SMALL", 1_000_000, storedTrades},
		{"large", "STORED", 20_000_000, 4 * storedTrades},
	} {
		tb.Run(bb.name, func(tb *testing.B) {
			b := setupCycle(tb)
			b.fillStore(tb, storetest.BenchCount(tb, bb.variable, bb.usual, bb.short))
			for tb.Loop() {
				b.benchStoredReads(tb)
				b.benchStoredWrites(tb)
			}
			tb.ReportMetric(b.float(tb, `SELECT pg_table_size('trades') / 1048576.0`), "table_MiB")
			tb.ReportMetric(b.float(tb, `SELECT pg_indexes_size('trades') / 1048576.0`), "indexes_MiB")
		})
	}
}

// fillStore creates as many integrations as have n trades together.
func (b *cycle) fillStore(tb testing.TB, n int) {
	tb.Helper()
	ctx, began, said := context.Background(), time.Now(), time.Now()
	for stored := 0; stored < n; stored += storedTrades {
		storetest.Progress(&said, "%d of %d trades are in the store after %s", stored, n, time.Since(began).Round(time.Second))
		i := storetest.Integration(tb, b.DB, b.Org, fmt.Sprintf("https://platform-%d.test", stored/storedTrades))
		err := pgx.BeginFunc(ctx, b.Conn, func(tx pgx.Tx) error {
			batch := &pgx.Batch{}
			batch.Queue(`INSERT INTO traders (id, organization_id, integration_id, source, external_id, full_name, content_hash)
SELECT gen_random_uuid(), $1, $2, 'custom_api', 'T-' || n, 'Trader ' || n, '' FROM generate_series(1, $3::int) AS n`, b.Org, i.ID, storedTraders)
			batch.Queue(`INSERT INTO accounts (id, organization_id, integration_id, external_id, trader_external_id, currency, started_at, content_hash)
SELECT gen_random_uuid(), $1, $2, 'A-' || n, 'T-' || 1 + n / 2, 'USD', now(), '' FROM generate_series(0, 2 * $3::int - 1) AS n`, b.Org, i.ID, storedTraders)
			// Trades of all accounts come in the order of time, as a platform lists them.
			batch.Queue(`INSERT INTO trades (integration_id, account_external_id, id, symbol, side, volume, open_time, close_time, open_price, close_price,
    stop_loss, take_profit, commission, swap, profit, platform_updated_at, content_hash)
SELECT $1, 'A-' || n % (2 * $2::int), 't_' || lpad(n::text, 10, '0'), 'EURUSD', 'buy', 1.5, at, at + interval '1 hour', 1.08123, 1.08223, 1.07, 1.09, -3.5, 0,
    n % 500 - 200.25, at, '\x5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f5f'
FROM generate_series(1, $3::int) AS n, LATERAL (SELECT now() - ($3 - n) * interval '1 minute' AS at) AS times`, i.ID, storedTraders, storedTrades)
			batch.Queue(`UPDATE sync_state SET traders = $2::int, accounts = 2 * $2::int, trades = $3::int WHERE integration_id = $1`, i.ID, storedTraders, storedTrades)
			return tx.SendBatch(ctx, batch).Close()
		})
		if err != nil {
			tb.Fatal(err)
		}
	}
	for _, statement := range []string{`VACUUM ANALYZE traders, accounts, trades`, `CHECKPOINT`} {
		if _, err := b.Conn.Exec(ctx, statement); err != nil {
			tb.Fatal(err)
		}
	}
}

// storedTrader is a trader with one of the accounts.
type storedTrader struct{ id, account uuid.UUID }

// benchStoredReads reads random traders and pages of trades.
func (b *cycle) benchStoredReads(tb *testing.B) {
	tb.Helper()
	rows, err := b.Conn.Query(tb.Context(), `SELECT t.id, a.id FROM traders AS t JOIN accounts AS a ON a.integration_id = t.integration_id AND a.trader_external_id = t.external_id
ORDER BY random() LIMIT 500`)
	if err != nil {
		tb.Fatal(err)
	}
	traders, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (t storedTrader, err error) { return t, row.Scan(&t.id, &t.account) })
	if err != nil {
		tb.Fatal(err)
	}
	const limit = 25
	perTrader := storedTrades / storedTraders
	page := func(number int, account bool) func(t storedTrader) (int, error) {
		return func(t storedTrader) (int, error) {
			f, want := directory.TradeFilter{}, perTrader
			if account {
				f.AccountID, want = &t.account, perTrader/2
			}
			list, total, err := directory.ListTrades(tb.Context(), b.DB, b.Org, t.id, f, store.Page{Number: number, Limit: limit})
			if len(list) != limit {
				total = 0
			}
			return total - want, err
		}
	}
	for _, read := range []struct {
		unit string
		do   func(t storedTrader) (off int, err error) // how many more trades were found than exist
	}{
		{"detail_p99_ms", func(t storedTrader) (int, error) {
			d, err := directory.ReadTrader(tb.Context(), b.DB, b.Org, t.id)
			return int(d.Stats.ClosedTrades) - perTrader, err
		}},
		{"trades_p99_ms", page(1, false)},
		{"trades_middle_p99_ms", page(perTrader/2/limit, false)},
		{"account_p99_ms", page(1, true)},
	} {
		var took []time.Duration
		for n := range 500 {
			began := time.Now()
			off, err := read.do(traders[n%len(traders)])
			if err != nil || off != 0 {
				tb.Fatalf("%s: %d trades too many, %v", read.unit, off, err)
			}
			took = append(took, time.Since(began))
		}
		tb.ReportMetric(storetest.Quantile(took, 0.99), read.unit)
	}
}

// benchStoredWrites writes pages for an integration without records, again without changes, and
// with changes of every tenth trade.
func (b *cycle) benchStoredWrites(tb *testing.B) {
	tb.Helper()
	list := benchTrades(benchRows)
	pages := pagesOf(list)
	var first, unchanged, changed []float64
	for round := range storetest.BenchCount(tb, "ROUNDS", benchRounds, 1) {
		b.ClaimNew(tb)
		first = append(first, b.pageRate(tb, syncing.ModeBackfill, pages))
		unchanged = append(unchanged, b.pageRate(tb, syncing.ModeIncremental, pages))
		changed = append(changed, b.pageRate(tb, syncing.ModeIncremental, pagesWithChanges(list, round, 10)))
	}
	tb.ReportMetric(storetest.Median(first), "first_load_rows/s")
	tb.ReportMetric(storetest.Median(unchanged), "unchanged_rows/s")
	tb.ReportMetric(storetest.Median(changed), "changed_rows/s")
}
