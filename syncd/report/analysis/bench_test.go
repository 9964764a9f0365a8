package analysis_test

import (
	"runtime"
	"testing"

	"github.com/assayhq/assay/syncd/report/analysis"
)

// BenchmarkAnalyse is the promise of a million trades in a second on one core.
// live_MiB is what the input and the analysis hold together at the end.
func BenchmarkAnalyse(b *testing.B) {
	for _, bench := range []struct {
		name     string
		accounts int
	}{{"one account", 1}, {"ten accounts", 10}} {
		b.Run(bench.name, func(b *testing.B) {
			before := heap()
			in := manyTrades(1_000_000, bench.accounts).Input()
			held := heap() - before
			b.ResetTimer()
			var out *analysis.Activity
			for b.Loop() {
				out = analysis.Analyse(in)
			}
			b.ReportMetric(float64(held)/(1<<20), "input_MiB")
			if out.Totals.Trades != len(in.Trades) {
				b.Fatal(out.Totals)
			}
		})
	}
}

// heap is what is alive, in bytes.
func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func BenchmarkBuilder(b *testing.B) {
	for b.Loop() {
		manyTrades(100_000, 1).Input()
	}
}
