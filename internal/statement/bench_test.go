package statement_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"sync"
	"syscall"
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

var bigText = func() []byte {
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
}

var bigWorkbook = func() []byte {
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
}

// bigPage is an MT5 report of closed positions.
var bigPage = func() []byte {
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
}

const benchmarkPage = 100_000

// longText is as large as text may be, with as many rows as may be.
var longText = func() []byte {
	var b bytes.Buffer
	b.WriteString("id;symbol;side;lots;open time;close time;net profit\n")
	for n := range benchmarkMost {
		at := time.Unix(1_700_000_000+int64(n)*31, 0).UTC()
		fmt.Fprintf(&b, "%d;EURUSD;buy;0.5;%s;%s;%d.5\n", n, at.Format("2006-01-02 15:04"), at.Format("2006-01-02 15:04"), n%97)
	}
	return b.Bytes()
}

// longDeals is a list of as many deals as are paired.
var longDeals = func() []byte {
	var b bytes.Buffer
	b.WriteString("Time\tDeal\tSymbol\tType\tDirection\tVolume\tPrice\tOrder\tCommission\tSwap\tProfit\n")
	for n := range 2 * benchmarkDeals {
		at := time.Unix(1_700_000_000+int64(n)*31, 0).UTC()
		fmt.Fprintf(&b, "%s\t%d\tEURUSD\t%s\t%s\t0.50\t1.0%04d\t%d\t-3.50\t-0.25\t%d.25\n", at.Format("2006.01.02 15:04:05"), n, []string{"buy", "sell"}[n%2], []string{"in", "out"}[n%2], n%9999, n, n%97)
	}
	return b.Bytes()
}

// longTexts is a workbook of as many different texts as may be: an id of 36 bytes in each row.
var longTexts = func() []byte {
	var sheet, texts, b bytes.Buffer
	names := []string{"id", "symbol", "side", "lots", "open time", "close time", "net profit", "EURUSD", "buy"}
	fmt.Fprintf(&texts, `<sst uniqueCount="%d">`, benchmarkTexts+len(names))
	for _, name := range names {
		fmt.Fprintf(&texts, "<si><t>%s</t></si>", name)
	}
	sheet.WriteString("<worksheet><sheetData><row>")
	for i := range 7 {
		fmt.Fprintf(&sheet, `<c t="s"><v>%d</v></c>`, i)
	}
	sheet.WriteString("</row>")
	for n := range benchmarkTexts {
		fmt.Fprintf(&texts, "<si><t>%036d</t></si>", n)
		fmt.Fprintf(&sheet, `<row><c t="s"><v>%d</v></c><c t="s"><v>7</v></c><c t="s"><v>8</v></c><c><v>0.5</v></c><c><v>%d.25</v></c><c><v>%d.5</v></c><c><v>%d.5</v></c></row>`, n+len(names), 42_000+n%3000, 42_000+n%3000, n%97)
	}
	texts.WriteString("</sst>")
	sheet.WriteString("</sheetData></worksheet>")
	z := zip.NewWriter(&b)
	for _, part := range []struct{ name, content string }{
		{"_rels/.rels", `<Relationships><Relationship Id="r" Type="x/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{"xl/workbook.xml", `<workbook><sheets><sheet name="S" r:id="r1"/></sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="r1" Type="x/worksheet" Target="worksheets/a.xml"/></Relationships>`},
		{"xl/worksheets/a.xml", sheet.String()},
		{"xl/sharedStrings.xml", texts.String()},
	} {
		w, err := z.Create(part.name)
		if err == nil {
			_, err = io.WriteString(w, part.content)
		}
		if err != nil {
			panic(err)
		}
	}
	if err := z.Close(); err != nil {
		panic(err)
	}
	return b.Bytes()
}

const (
	benchmarkMost  = 999_999
	benchmarkTexts = 900_000
	benchmarkDeals = 50_000
)

// BenchmarkRead reads 200,000 trades, 100,000 of HTML, and the longest files that are
// taken, one file or four that arrive at once. Of four workbooks with as many texts as
// may be, two are read at a time, as apiserver does with all files. It reports the processor's time of a file and the
// most heap that was in use at once beyond the files themselves.
func BenchmarkRead(b *testing.B) {
	for _, bench := range []struct {
		name    string
		content func() []byte
		trades  int
		files   int
		places  int // for files that are read at the same time
	}{
		{"csv", bigText, benchmarkRows, 1, 1},
		{"xlsx", bigWorkbook, benchmarkRows, 1, 1},
		{"html", bigPage, benchmarkPage, 1, 1},
		{"longest", longText, benchmarkMost, 1, 1},
		{"texts", longTexts, benchmarkTexts, 1, 1},
		{"deals", longDeals, benchmarkDeals, 1, 1},
		{"four-csv", bigText, benchmarkRows, 4, 4},
		{"four-xlsx", bigWorkbook, benchmarkRows, 4, 4},
		{"four-html", bigPage, benchmarkPage, 4, 4},
		{"four-longest", longText, benchmarkMost, 4, 4},
		{"four-texts", longTexts, benchmarkTexts, 4, 2},
		{"four-deals", longDeals, benchmarkDeals, 4, 4},
	} {
		b.Run(bench.name, func(b *testing.B) {
			file, size := keepOnDisk(b, bench.content())
			places := make(chan struct{}, bench.places)
			runtime.GC()
			before := heapInUse()
			peak := peakHeap()
			b.ReportAllocs()
			spent := processorSeconds(b)
			b.ResetTimer()
			for b.Loop() {
				var files sync.WaitGroup
				for range bench.files {
					files.Go(func() {
						places <- struct{}{}
						defer func() { <-places }()
						f, err := statement.Read(b.Context(), file, size, "big", statement.Options{Timezone: "UTC"})
						if err != nil || f.Trades.Len() != bench.trades {
							b.Error(err)
						}
					})
				}
				files.Wait()
			}
			b.ReportMetric((processorSeconds(b)-spent)/float64(b.N*bench.files), "cpu-s/file")
			b.ReportMetric(float64(peak()-before)/(1<<20), "peak-MiB")
			b.ReportMetric(float64(size)/(1<<20), "file-MiB")
		})
	}
}

// keepOnDisk writes a file to disk, where uploads are too: in memory it would let the
// collector wait for longer.
func keepOnDisk(b *testing.B, content []byte) (file *os.File, size int64) {
	b.Helper()
	file, err := os.Create(filepath.Join(b.TempDir(), "file"))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = file.Close() })
	if _, err := file.Write(content); err != nil {
		b.Fatal(err)
	}
	return file, int64(len(content))
}

// processorSeconds is the processor's time of this process so far: other work on the
// machine does not count.
func processorSeconds(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// peakHeap samples the heap until asked for the most it saw.
func peakHeap() func() uint64 {
	stop, done := make(chan struct{}), make(chan uint64)
	go func() {
		most := uint64(0)
		tick := time.NewTicker(10 * time.Millisecond)
		defer tick.Stop()
		for {
			most = max(most, heapInUse())
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

// heapInUse returns the bytes of the heap's objects, without stopping the reading as
// runtime.ReadMemStats does.
func heapInUse() uint64 {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(sample)
	return sample[0].Value.Uint64()
}
