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

// bigPage is an MT5 report of closed positions.
var bigPage = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	b.WriteString("<html><body><table><tr><th colspan=14><b>Positions</b></th></tr>\n<tr>")
	for _, name := range []string{"Time", "Position", "Symbol", "Type", "Volume", "Price", "S / L", "T / P", "Time", "Price", "Commission", "Swap", "Profit"} {
		fmt.Fprintf(&b, "<td nowrap><b>%s</b></td>", name)
	}
	b.WriteString("</tr>\n")
	for n := range benchmarkPage {
		at := time.Date(2024, 1, 2, 0, 0, 0, 0, time.UTC).Add(time.Duration(n) * 97 * time.Second)
		fmt.Fprintf(&b, `        <tr bgcolor="#FFFFFF" align="right">
            <td>%s</td>
            <td>%d</td>
            <td>EURUSD</td>
            <td>%s</td>
            <td class="hidden" colspan="8">EA #7</td>
            <td class="">0.50</td>
            <td class="">%.5f</td>
            <td class="">1.08000</td>
            <td class="">1.09000</td>
            <td class="">%s</td>
            <td class="">1.08520</td>
            <td class="">- 3.50</td>
            <td class="">- 0.10</td>
            <td colspan="2">1 %03d.25</td>
        </tr>
`, at.Format("2006.01.02 15:04:05"), 9_000_000+n, []string{"buy", "sell"}[n%2], 1.0842+float64(n%1000)/1e5, at.Add(time.Minute).Format("2006.01.02 15:04:05"), n%997)
	}
	b.WriteString("</table></body></html>\n")
	return b.Bytes()
})

const benchmarkPage = 100_000

// BenchmarkRead imports 200,000 trades, or 100,000 of HTML, and reports the most
// heap that was in use at once beyond the file itself.
func BenchmarkRead(b *testing.B) {
	for _, bench := range []struct {
		name    string
		content func() []byte
		trades  int
	}{{"csv", bigText, benchmarkRows}, {"xlsx", bigWorkbook, benchmarkRows}, {"html", bigPage, benchmarkPage}} {
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
				if err != nil || len(f.Trades) != bench.trades {
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
