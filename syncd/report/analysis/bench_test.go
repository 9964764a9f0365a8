package analysis_test

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/assayhq/assay/syncd/report/analysis"
)

// BenchmarkAnalyse is the promise of a million trades in a second on one core,
// in 200 MiB with the trades themselves. cpu_ms/op is the process's time on all
// cores, the collector's included; peak_MiB is the most that objects took while
// the collector lets little lie.
func BenchmarkAnalyse(b *testing.B) {
	for _, bench := range []struct {
		name              string
		accounts, tickets int
	}{{"one account", 1, 3}, {"every trade a decision", 1, 1}, {"ten accounts", 10, 3}} {
		b.Run(bench.name, func(b *testing.B) {
			before := heap()
			in := manyTrades(1_000_000, bench.accounts, bench.tickets).Input()
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

// BenchmarkBuilder is what loading costs beside reading: a hundred thousand
// trades.
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
