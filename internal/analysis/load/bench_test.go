package load_test

import (
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/analysis/load"
	"github.com/assayhq/assay/store/storetest"
)

// BenchmarkActivity loads and analyzes a trader of a million trades, whose firm has
// as many of others. Loading and analyzing are reported separately.
func BenchmarkActivity(b *testing.B) {
	url := storetest.URL(b)
	db := storetest.Open(b, url)
	org := storetest.Organization(b, db).ID
	i := storetest.Integration(b, db, org, "https://a.example")
	storetest.Records(b, url, i, record.Batch{
		Traders:  []record.Trader{{ID: "t-1"}, {ID: "t-2"}},
		Accounts: []record.Account{{ID: "A-0", TraderID: "t-1"}, {ID: "A-1", TraderID: "t-1"}, {ID: "B-0", TraderID: "t-2"}, {ID: "B-1", TraderID: "t-2"}},
	})
	conn := storetest.Conn(b, url)
	for _, owner := range []string{"A", "B"} {
		_, err := conn.Exec(b.Context(), `INSERT INTO trades (integration_id, account_external_id, id, symbol, side, volume, open_time, close_time, open_price, close_price, stop_loss, take_profit, commission, swap, profit, content_hash)
SELECT $1, $2 || '-' || g % 2, 'T' || g, (ARRAY['EURUSD', 'GBPUSD', 'XAUUSD', 'US100', 'USDJPY'])[1 + g % 5], (ARRAY['buy', 'sell'])[1 + (g / 3) % 2], 0.5 + g % 4 * 0.25,
    at, at + (g * 7919::bigint) % 5000 * interval '1 s', 1.1 + g % 1000 * 0.0001, 1.1 + g % 1009 * 0.0001, 1.05, 1.2, -3.5, 0, (g * 31::bigint) % 400 - 199.5, ''
FROM generate_series(1, 1000000) AS g, LATERAL (SELECT '2026-01-01'::timestamptz + (g * 20 + hashint4(g) % 3600) * interval '1 s' AS at) AS x`, i.ID, owner)
		if err != nil {
			b.Fatal(err)
		}
	}
	if _, err := conn.Exec(b.Context(), `ANALYZE trades`); err != nil {
		b.Fatal(err)
	}
	var trader uuid.UUID
	if err := conn.QueryRow(b.Context(), `SELECT id FROM traders WHERE external_id = 't-1'`).Scan(&trader); err != nil {
		b.Fatal(err)
	}
	ask := load.Request{TraderID: trader, From: time.Date(2025, 12, 1, 0, 0, 0, 0, time.UTC), To: time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)}
	b.ResetTimer()
	for range b.N {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		begun, spent := time.Now(), spentCPU(b)
		l, err := load.Load(b.Context(), db, org, ask)
		if err != nil {
			b.Fatal(err)
		}
		loaded, loadCPU := time.Now(), spentCPU(b)-spent
		runtime.GC()
		runtime.ReadMemStats(&after)
		analysed, spent := time.Now(), spentCPU(b)
		a := l.Analyse()
		b.ReportMetric((spentCPU(b) - spent).Seconds(), "cpu-s/analyse")
		b.ReportMetric(loadCPU.Seconds(), "cpu-s/load")
		b.ReportMetric(loaded.Sub(begun).Seconds(), "s/load")
		b.ReportMetric(time.Since(analysed).Seconds(), "s/analyse")
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/(1<<20), "MiB")
		b.ReportMetric(float64(a.Totals.Trades), "trades")
	}
}

// spentCPU is what this process has spent on all cores; the database's part is
// not in it.
func spentCPU(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
