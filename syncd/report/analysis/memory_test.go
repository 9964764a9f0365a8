package analysis_test

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"

	"github.com/assayhq/assay/syncd/report/analysis"
)

func TestMem(t *testing.T) {
	for _, acc := range []int{1, 10} {
		before := heap()
		in := manyTrades(1_000_000, acc).Input()
		held := heap() - before
		peak := uint64(0)
		done := make(chan bool)
		debug.SetGCPercent(10)
		go func() {
			s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
			for {
				select {
				case <-done:
					return
				default:
				}
				metrics.Read(s)
				peak = max(peak, s[0].Value.Uint64())
				time.Sleep(2 * time.Millisecond)
			}
		}()
		start := time.Now()
		a := analysis.Analyse(in)
		fmt.Println(acc, "held", held>>20, "peak", (peak-before)>>20, time.Since(start), a.Totals.Decisions, cap(in.Trades))
		close(done)
		runtime.KeepAlive(in)
		debug.SetGCPercent(100)
	}
}
