package ingest_test

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/ingest"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
)

const (
	benchRows   = 40_000 // written per round
	benchPage   = 200
	benchRounds = 5 // 1 with -short
)

// benchTrades returns realistic trades in the order of a platform's list.
func benchTrades(n int) []record.Trade {
	r := rand.New(rand.NewPCG(1, 2))
	at := day
	list := make([]record.Trade, n)
	for i := range list {
		at = at.Add(time.Duration(r.IntN(9000)) * time.Millisecond)
		open := at.Add(-time.Duration(r.IntN(36000)) * time.Second)
		list[i] = record.Trade{
			ID: fmt.Sprintf("t_%010d", i), AccountID: fmt.Sprintf("ac_%08d", r.IntN(2000)), Symbol: "EURUSD", Side: record.Buy,
			OpenTime: open, CloseTime: at, UpdatedAt: at, Volume: record.Decimal(fmt.Sprintf("%d.%d", r.IntN(5), 1+r.IntN(9))),
			OpenPrice: record.Decimal(fmt.Sprintf("1.0%d1", r.IntN(999))), ClosePrice: record.Decimal(fmt.Sprintf("1.0%d3", r.IntN(999))),
			StopLoss: record.Decimal(fmt.Sprintf("1.0%d7", r.IntN(999))), TakeProfit: record.Decimal(fmt.Sprintf("1.1%d9", r.IntN(999))),
			Commission: "-3.5", Swap: "0", Profit: record.Decimal(fmt.Sprintf("%d.%d", r.IntN(500), 1+r.IntN(9))),
		}
	}
	return list
}

// pagesOf splits trades into pages.
func pagesOf(list []record.Trade) [][]record.Trade {
	return slices.Collect(slices.Chunk(list, benchPage))
}

// pagesWithChanges returns the pages with a new version of every n-th trade.
func pagesWithChanges(list []record.Trade, first, n int) [][]record.Trade {
	pages := pagesOf(slices.Clone(list))
	for i := first; i < len(list); i += n {
		t := &pages[i/benchPage][i%benchPage]
		t.UpdatedAt, t.Profit = t.UpdatedAt.Add(time.Minute), "17.25"
	}
	return pages
}

// copyBodies encodes trades in COPY's format, for another integration.
func copyBodies(pages [][]record.Trade) [][]byte {
	const layout = "2006-01-02 15:04:05.999999+00"
	id := uuid.NewString()
	bodies := make([][]byte, len(pages))
	for i, page := range pages {
		var b bytes.Buffer
		for _, t := range page {
			fmt.Fprintf(&b, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t%s\t\\\\x%s\n", id, t.AccountID, t.ID, t.Symbol, t.Side, t.Volume,
				t.OpenTime.Format(layout), t.CloseTime.Format(layout), t.OpenPrice, t.ClosePrice, t.StopLoss, t.TakeProfit, t.Commission, t.Swap, t.Profit,
				t.UpdatedAt.Format(layout), strings.Repeat("5f", 16))
		}
		bodies[i] = b.Bytes()
	}
	return bodies
}

const rawCopy = `COPY trades (integration_id, account_external_id, id, symbol, side, volume, open_time, close_time, open_price, close_price,
    stop_loss, take_profit, commission, swap, profit, platform_updated_at, content_hash) FROM STDIN`

// rawRate writes the pages by COPY, each in its own transaction, and returns rows per second: what
// the table and its indexes allow.
func (b *cycle) rawRate(tb testing.TB, pages [][]record.Trade) float64 {
	bodies := copyBodies(pages)
	began := time.Now()
	for _, body := range bodies {
		if _, err := b.Conn.PgConn().CopyFrom(context.Background(), bytes.NewReader(body), rawCopy); err != nil {
			tb.Fatal(err)
		}
	}
	return float64(benchRows) / time.Since(began).Seconds()
}

// pageRate writes the pages in the way of a run and returns rows per second.
func (b *cycle) pageRate(tb testing.TB, mode syncing.Mode, pages [][]record.Trade) float64 {
	run := b.NewRun(record.StreamTrades, mode)
	began := time.Now()
	for i, page := range pages {
		run.Cursor = fmt.Sprint("cursor-", i)
		out := b.WritePage(tb, run, record.Batch{Trades: page}, func(p *ingest.PageCommit) { p.More = true })
		run = out.Run
	}
	return float64(benchRows) / time.Since(began).Seconds()
}

// forget deletes the rows before the next round.
func (b *cycle) forget(tb testing.TB) {
	if _, err := b.Conn.Exec(context.Background(), `TRUNCATE trades`); err != nil {
		tb.Fatal(err)
	}
}

// float runs a query of one number.
func (b *cycle) float(tb testing.TB, query string, args ...any) (v float64) {
	tb.Helper()
	if err := b.Conn.QueryRow(context.Background(), query, args...).Scan(&v); err != nil {
		tb.Fatal(err)
	}
	return v
}

// BenchmarkPageWrite compares writing pages of 200 trades with raw COPY of the same rows, encoded
// beforehand, into the same table: in turns, five times each, medians. "ratio" is the quotient of
// rows per second and those of COPY; "wal_B/row" the write-ahead log of a row that was read again,
// "dead_rows" how many rows got a new version in a round.
func BenchmarkPageWrite(tb *testing.B) {
	for _, bb := range []struct {
		name    string
		changed int // every n-th record has a new version
		loaded  bool
	}{
		{name: "first_load"},
		{name: "unchanged", loaded: true},
		{name: "changed_10_percent", loaded: true, changed: 10},
	} {
		tb.Run(bb.name, func(tb *testing.B) {
			b := setupCycle(tb)
			list := benchTrades(benchRows)
			pages := pagesOf(list)
			for tb.Loop() {
				var raw, own, rawCPU, ownCPU, log, dead []float64
				for round := range storetest.BenchCount(tb, "ROUNDS", benchRounds, 1) {
					mode := syncing.ModeBackfill
					if bb.loaded {
						b.pageRate(tb, mode, pages)
						mode = syncing.ModeIncremental
					}
					again := pages
					if bb.changed > 0 {
						again = pagesWithChanges(list, round, bb.changed)
					}
					c0 := b.ServerCPU(tb)
					raw = append(raw, b.rawRate(tb, pages))
					c1 := b.ServerCPU(tb)
					from, xid := b.Texts(tb, `SELECT pg_current_wal_insert_lsn()::text`)[0], b.Texts(tb, `SELECT pg_current_xact_id()::text`)[0]
					own = append(own, b.pageRate(tb, mode, again))
					c2 := b.ServerCPU(tb)
					log = append(log, b.float(tb, `SELECT (pg_current_wal_insert_lsn() - $1::pg_lsn)::float8`, from)/benchRows)
					dead = append(dead, b.float(tb, `SELECT count(*)::float8 FROM trades WHERE xmin::text::bigint >= $1::bigint`, xid))
					rawCPU, ownCPU = append(rawCPU, 1e6*(c1-c0)/benchRows), append(ownCPU, 1e6*(c2-c1)/benchRows)
					b.forget(tb)
				}
				tb.ReportMetric(storetest.Median(own)/storetest.Median(raw), "ratio")
				tb.ReportMetric(storetest.Median(own), "rows/s")
				tb.ReportMetric(storetest.Median(ownCPU), "server_µs/row")
				tb.ReportMetric(storetest.Median(rawCPU), "copy_server_µs/row")
				tb.ReportMetric(storetest.Median(raw), "copy_rows/s")
				if bb.loaded {
					tb.ReportMetric(storetest.Median(log), "wal_B/row")
					tb.ReportMetric(storetest.Median(dead), "dead_rows")
				}
			}
		})
	}
}
