package main

import (
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/storetest"
)

// benchBackfill is how many trades BenchmarkBackfill reads, unless
// ASSAY_TEST_BENCH_BACKFILL says otherwise.
const benchBackfill = 10_000_000

// BenchmarkBackfill reads a long history, as BenchmarkWholeSync does, to see
// whether memory and rate stay the same. "first_tenth_MiB" and "last_tenth_MiB" are
// the most resident memory of syncd while the first and the last tenth of the
// trades arrived, "first_tenth_trades/s" and "last_tenth_trades/s" are how fast
// they arrived, and "peak_MiB_RSS" is the overall maximum.
func BenchmarkBackfill(b *testing.B) {
	trades := storetest.BenchCount(b, "BACKFILL", benchBackfill, 50_000)
	bin := buildPrograms(b)
	for b.Loop() {
		url := storetest.URL(b)
		conn := storetest.Conn(b, url)
		platform := startPlatform(b, bin, record.CustomAPI, benchPlatformTraders, trades)
		connectPlatform(b, url, record.CustomAPI, platform)
		daemon := startSyncd(b, bin, url, platform.CAFile)
		samples := watchBackfill(b, conn, daemon.Process.Pid, trades)
		peak := peakRSS(b, daemon.Process.Pid)
		stopProgram(b, daemon)
		if got := int(queryFloat(b, conn, `SELECT count(*)::float8 FROM trades`)); got != trades {
			b.Fatalf("%d trades arrived, want %d", got, trades)
		}
		first, last := tenths(samples, trades)
		b.ReportMetric(rateOf(samples), "trades/s")
		b.ReportMetric(peak, "peak_MiB_RSS")
		b.ReportMetric(rateOf(first), "first_tenth_trades/s")
		b.ReportMetric(rateOf(last), "last_tenth_trades/s")
		b.ReportMetric(mostMemory(first), "first_tenth_MiB")
		b.ReportMetric(mostMemory(last), "last_tenth_MiB")
	}
}

// backfillSample is the state of a backfill at one time.
type backfillSample struct {
	at     time.Time // the server's
	trades int
	mib    float64 // resident memory of syncd
}

// watchBackfill waits for the backfill, four hours at most, and returns samples
// from the start of its run to its end.
func watchBackfill(b *testing.B, conn *pgx.Conn, pid, trades int) (samples []backfillSample) {
	b.Helper()
	deadline := time.After(4 * time.Hour)
	began, said := time.Now(), time.Now()
	for tick := time.Tick(100 * time.Millisecond); ; {
		select {
		case <-deadline:
			b.Fatalf("%d of %d trades arrived in four hours", samples[len(samples)-1].trades, trades)
		case <-tick:
		}
		var (
			started, ended *time.Time
			s              = backfillSample{mib: memory(b, pid, "VmRSS")}
		)
		// The counter is enough, because counting the rows would be a load.
		err := conn.QueryRow(b.Context(), `SELECT clock_timestamp(), s.trades, r.started_at, r.finished_at
FROM sync_state AS s LEFT JOIN sync_runs AS r ON r.integration_id = s.integration_id AND r.resource = 'trades' AND r.mode = 'backfill'`).Scan(
			&s.at, &s.trades, &started, &ended)
		if err != nil {
			b.Fatal(err)
		}
		storetest.Progress(&said, "%d of %d trades in %s, %.0f MiB", s.trades, trades, time.Since(began).Round(time.Second), s.mib)
		if started == nil {
			continue
		}
		if samples == nil {
			samples = []backfillSample{{*started, 0, s.mib}}
		}
		if ended != nil {
			s.at = *ended
			return append(samples, s)
		}
		samples = append(samples, s)
	}
}

// tenths returns the samples of the first and the last tenth of the trades,
// including the samples at their limits.
func tenths(samples []backfillSample, trades int) (first, last []backfillSample) {
	tenth := slices.IndexFunc(samples, func(s backfillSample) bool { return s.trades >= trades/10 })
	rest := slices.IndexFunc(samples, func(s backfillSample) bool { return s.trades > trades-trades/10 })
	return samples[:tenth+1], samples[rest-1:]
}

// rateOf returns the trades per second from the first sample to the last.
func rateOf(samples []backfillSample) float64 {
	from, to := samples[0], samples[len(samples)-1]
	return float64(to.trades-from.trades) / to.at.Sub(from.at).Seconds()
}

// mostMemory returns the most memory in any sample, in MiB.
func mostMemory(samples []backfillSample) (mib float64) {
	for _, s := range samples {
		mib = max(mib, s.mib)
	}
	return mib
}
