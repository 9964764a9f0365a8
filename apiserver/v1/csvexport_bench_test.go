package v1_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/assayhq/assay/store/storetest"
)

// benchPayouts is the number of payouts that BenchmarkExportPayouts exports.
const benchPayouts = 200_000 // 20,000 with -short

// BenchmarkExportPayouts exports all payouts by time, which an index has, and by amount, which none
// has.
func BenchmarkExportPayouts(tb *testing.B) {
	b := setup(tb)
	n := storetest.BenchCount(tb, "PAYOUTS", benchPayouts, 20_000)
	i := storetest.Integration(tb, b.db, b.org.ID, b.platformURL)
	conn := storetest.Conn(tb, b.databaseURL)
	for _, statement := range []string{
		fmt.Sprintf(`INSERT INTO payouts (id, organization_id, integration_id, external_id, status, amount, currency, requested_at, content_hash)
SELECT gen_random_uuid(), '%s', '%s', 'P-' || n, 'paid', (n * 7919 %% 1000003) * 0.01, 'USD', now() - n * interval '1 minute', '' FROM generate_series(1, %d) AS n`, b.org.ID, i.ID, n),
		`VACUUM ANALYZE payouts`,
	} {
		if _, err := conn.Exec(context.Background(), statement); err != nil {
			tb.Fatal(err)
		}
	}
	b.startQuietAPI(tb)
	for tb.Loop() {
		tb.ReportMetric(b.exportRate(tb, "-requested_at", n), "indexed-rows/s")
		tb.ReportMetric(b.exportRate(tb, "-amount", n), "sorted-rows/s")
	}
}

// exportRate exports the payouts in an order and returns how many arrived in a second.
func (b *testAPI) exportRate(tb *testing.B, sort string, rows int) float64 {
	tb.Helper()
	request, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, b.server.URL+"/v1/payouts/export?sort="+sort, http.NoBody)
	check(tb, err)
	request.Header.Set("Authorization", "Bearer "+b.key)
	begun := time.Now()
	response, err := http.DefaultClient.Do(request)
	check(tb, err)
	defer response.Body.Close()
	lines := lineCounter(0)
	_, err = io.Copy(&lines, response.Body)
	check(tb, err)
	if int(lines) != rows+1 || response.StatusCode != http.StatusOK {
		tb.Fatalf("%d lines with status %d, want a head and %d rows", lines, response.StatusCode, rows)
	}
	return float64(rows) / time.Since(begun).Seconds()
}

// lineCounter counts the lines that are written to it.
type lineCounter int

func (c *lineCounter) Write(p []byte) (int, error) {
	*c += lineCounter(bytes.Count(p, []byte("\n")))
	return len(p), nil
}
