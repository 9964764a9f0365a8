package partnerplatform_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/partnerplatform"
	"github.com/assayhq/assay/connectors/record"
)

// closedPage is a page of n closed trades as such a platform sends them: 17 keys
// each, among them a nested account and names that no field has.
func closedPage(n int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"data":[`)
	at := time.Date(2025, 3, 4, 5, 6, 7, 0, time.UTC)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		at = at.Add(17 * time.Second)
		open, closed := at.Add(-time.Hour).Format(time.RFC3339Nano), at.Format(time.RFC3339Nano)
		fmt.Fprintf(&b, `{"ticket":%d,"account":{"accountNr":%d,"accountId":"5d0c7a9e-%012d","platform":"MetaTrader5"},`+
			`"symbol":"EURUSD","type":"%s","lots":%d.25,"openDate":"%s","closeDate":"%s","openPrice":1.0%d3,"closePrice":1.08%d1,`+
			`"stopLossPrice":1.07,"takeProfitPrice":1.1,"commission":-3.5,"swap":-0.12,"pnl":%d.42,"comment":"opened by hand",`+
			`"magic":%d,"customer":{"customerId":"C-%06d"}}`,
			900000000+i, 5001234+i%50, i%50, []string{"buy", "sell"}[i%2], i%7+1, open, closed, 800+i%100, i%90+10, i*3, i*31, i%50)
	}
	b.WriteString(`],"metadata":{"page":1,"limit":100,"total_count":1000000}}`)
	return b.Bytes()
}

func BenchmarkDecodeClosedTrades(b *testing.B) {
	const trades = 100
	body := closedPage(trades)
	req := connectors.PageRequest{Stream: record.StreamTradesClosed, Backfill: true}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		page, err := partnerplatform.DecodePage(body, req)
		if err != nil || len(page.Trades) != trades || len(page.Findings) != 0 {
			b.Fatalf("%d trades, findings %v, error %v", len(page.Trades), page.Findings, err)
		}
	}
}
