package analysis_test

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/assayhq/assay/internal/analysis"
	"github.com/assayhq/assay/internal/analysis/trades"
)

// BenchmarkAnalyse is the promise of a million trades in a second on one core,
// in 200 MiB with the trades themselves. cpu_ms/op is the process's time on all
// cores, the collector's included; peak_MiB is the most that objects took while
// the collector lets little lie.
func BenchmarkAnalyse(b *testing.B) {
	of := func(accounts, tickets int) func() trades.Input {
		return func() trades.Input { return manyTrades(1_000_000, accounts, tickets).Input() }
	}
	for _, bench := range []struct {
		name  string
		input func() trades.Input
	}{
		{"one account", of(1, 3)},
		{"every trade a decision", of(1, 1)},
		{"ten accounts", of(10, 3)},
		{"two hundred peers", func() trades.Input { return withPeers(200) }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			before := heap()
			in := bench.input()
			held, most := heap()-before, peak(func() { analysis.Analyse(in) })-before
			b.ResetTimer()
			used, n := cpu(), 0
			for b.Loop() {
				analysis.Analyse(in)
				n++
			}
			b.ReportMetric(float64((cpu()-used).Milliseconds())/float64(n), "cpu_ms/op")
			b.ReportMetric(float64(held)/(1<<20), "input_MiB")
			b.ReportMetric(float64(most)/(1<<20), "peak_MiB")
			runtime.KeepAlive(in)
		})
	}
}

// withPeers is a trader with a million trades and as many others as a loader brings,
// with 2,500 each.
func withPeers(peers int) trades.Input {
	own, others := manyTrades(1_000_000, 1, 3).Input(), manyTrades(peers*2500, peers, 3).Input()
	for i, a := range others.Accounts {
		a.ID, a.Login, a.Peer = accountID(1000+i), "", true
		own.Accounts = append(own.Accounts, a)
	}
	for _, t := range others.Trades {
		t.Account++
		own.Trades = append(own.Trades, t)
	}
	return own
}

// BenchmarkBuilder measures what loading costs in addition to reading: a hundred
// thousand trades.
func BenchmarkBuilder(b *testing.B) {
	for b.Loop() {
		manyTrades(100_000, 1, 3).Input()
	}
}

// heap is what is alive, in bytes.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// cpu is the time that the process has used.
func cpu() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peak returns the most bytes in objects while f runs, looking every millisecond.
func peak(f func()) uint64 {
	defer debug.SetGCPercent(debug.SetGCPercent(5))
	var most uint64
	var wait sync.WaitGroup
	stop := make(chan struct{})
	wait.Go(func() {
		samples := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		tick := time.NewTicker(time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				return
			case <-tick.C:
				metrics.Read(samples)
				most = max(most, samples[0].Value.Uint64())
			}
		}
	})
	f()
	close(stop)
	wait.Wait()
	return most
}
