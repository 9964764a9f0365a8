package statement_test

import (
	"bytes"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/assayhq/assay/internal/statement"
)

const benchmarkRows = 200_000

// bigRow is the n-th trade of a large history.
func bigRow(n int) []any {
	at := time.Date(2024, 1, 2, 0, 0, 0, 0, time.UTC).Add(time.Duration(n) * 97 * time.Second)
	side := []string{"BUY", "SELL"}[n%2]
	return []any{
		fmt.Sprintf("W%d", 9_000_000+n), "EURUSD", at.Format("02/01/2006 15:04:05"), 0.5, side, at.Add(time.Minute).Format("02/01/2006 15:04:05"),
		1.0842 + float64(n%1000)/1e5, 1.0852, 1.08, 1.09, -0.1, -3.5, float64(n%997) + 0.25, "USER",
	}
}

var bigHeader = []any{
	"ID", "Symbol", "Open Time", "Volume", "Side", "Close Time", "Open Price", "Close Price", "Stop Loss", "Take Profit", "Swap", "Commission",
	"Profit", "Reason",
}

var bigText = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	for n := -1; n < benchmarkRows; n++ {
		row := bigHeader
		if n >= 0 {
			row = bigRow(n)
		}
		for i, v := range row {
			if i > 0 {
				b.WriteByte(',')
			}
			if f, ok := v.(float64); ok {
				fmt.Fprintf(&b, "%.5f", f)
			} else {
				fmt.Fprint(&b, v)
			}
		}
		b.WriteByte('\n')
	}
	return b.Bytes()
})

var bigWorkbook = sync.OnceValue(func() []byte {
	f := excelize.NewFile()
	w, err := f.NewStreamWriter("Sheet1")
	if err != nil {
		panic(err)
	}
	for n := -1; n < benchmarkRows; n++ {
		row := bigHeader
		if n >= 0 {
			row = bigRow(n)
		}
		if err := w.SetRow(fmt.Sprintf("A%d", n+2), row); err != nil {
			panic(err)
		}
	}
	if err := w.Flush(); err != nil {
		panic(err)
	}
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		panic(err)
	}
	return b.Bytes()
})

// BenchmarkRead imports 200,000 trades and reports the most heap that was in
// use at once beyond the file itself.
func BenchmarkRead(b *testing.B) {
	for _, bench := range []struct {
		name    string
		content func() []byte
	}{{"csv", bigText}, {"xlsx", bigWorkbook}} {
		b.Run(bench.name, func(b *testing.B) {
			content := bench.content()
			runtime.GC()
			var before runtime.MemStats
			runtime.ReadMemStats(&before)
			peak := peakHeap(b)
			b.ReportAllocs()
			b.ResetTimer()
			for b.Loop() {
				f, err := statement.Read(b.Context(), bytes.NewReader(content), int64(len(content)), "big", statement.Options{Timezone: "UTC"})
				if err != nil || len(f.Trades) != benchmarkRows {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(peak()-before.HeapAlloc)/(1<<20), "peak-MiB")
			b.ReportMetric(float64(len(content))/(1<<20), "file-MiB")
		})
	}
}

// peakHeap samples the heap until asked for the most it saw.
func peakHeap(b *testing.B) func() uint64 {
	b.Helper()
	stop, done := make(chan struct{}), make(chan uint64)
	go func() {
		most := uint64(0)
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			most = max(most, m.HeapAlloc)
			select {
			case <-stop:
				done <- most
				return
			case <-tick.C:
			}
		}
	}()
	return func() uint64 {
		close(stop)
		return <-done
	}
}
