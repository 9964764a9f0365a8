package customapi_test

import (
	"bytes"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/assayhq/assay/connectors/customapi"
	"github.com/assayhq/assay/connectors/record"
)

// tradePage is a page of n trades with 18 keys each, among them a nested object and
// one name that no field has.
func tradePage(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"data":[`)
	at := time.Date(2025, 3, 4, 5, 6, 7, 123_000_000, time.UTC)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		at = at.Add(17 * time.Second)
		open, changed := at.Add(-time.Hour).Format(time.RFC3339Nano), at.Format(time.RFC3339Nano)
		fmt.Fprintf(&b, `{"id":%d,"account_id":"ACC-%06d","symbol":"EURUSD","side":"buy","volume":%d.25,`+
			`"open_time":"%s","close_time":"%s","open_price":1.0%d3,"close_price":1.08%d1,"stop_loss":1.07,`+
			`"take_profit":1.1,"commission":-3.5,"swap":-0.12,"profit":%d.42,"updated_at":"%s",`+
			`"comment":"opened by hand","magic":%d,"account":{"id":"ACC-%06d","group":"demo"}}`,
			uint64(1)<<60+uint64(i), i%50, i%7+1, open, changed, 800+i%100, i%90+10, i*3, changed, i*31, i%50)
	}
	b.WriteString(`],"next_cursor":"eyJ1IjoiMjAyNS0wMy0wNFQwNTowNjowN1oiLCJpIjoiMTIzIn0"}`)
	return b.Bytes()
}

// BenchmarkDecodeTrades measures how many pages of 200 trades a core decodes.
// "scan_MB/s" is how fast the same page is only checked to be JSON.
func BenchmarkDecodeTrades(b *testing.B) {
	const trades = 200
	body := tradePage(trades)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	pages := 0
	for b.Loop() {
		page, err := customapi.DecodePage(body, record.StreamTrades, time.Time{}, trades)
		if err != nil || len(page.Trades) != trades || len(page.Findings) != 0 {
			b.Fatalf("%d trades, findings %v, error %v", len(page.Trades), page.Findings, err)
		}
		pages++
	}
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(pages*trades), "allocs/record")
	began := time.Now()
	for range pages {
		dec := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true)) // as alias does
		if _, err := dec.ReadValue(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(pages*len(body))/1e6/time.Since(began).Seconds(), "scan_MB/s")
}
