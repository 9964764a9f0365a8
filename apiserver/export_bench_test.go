package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/storetest"
)

// benchPayouts is the number of payouts that BenchmarkExportPayouts exports.
const benchPayouts = 1_200_000 // 20,000 with -short

// BenchmarkExportPayouts exports all payouts from an apiserver in a process of its own: by time, which
// an index has, and by amount, which none has. idle_MiB_RSS is the most resident memory of that process
// before the first export, and peak_MiB_RSS that until both have ended.
func BenchmarkExportPayouts(b *testing.B) {
	n := storetest.BenchCount(b, "PAYOUTS", benchPayouts, 20_000)
	path, err := buildProgram(b.TempDir(), "apiserver")
	check(b, err)
	database := storetest.URL(b)
	key := seedPayouts(b, database, n)
	for b.Loop() {
		s := newSite(b, database)
		cmd := exec.CommandContext(b.Context(), path, "--config", s.config)
		cmd.Env = []string{"HOME=" + b.TempDir(), "ASSAY_LOG_LEVEL=warn", "ASSAY_BLOBS_URL=file://" + b.TempDir()}
		check(b, cmd.Start())
		storetest.Eventually(b, "apiserver is ready", func() bool {
			status, _ := get(http.DefaultClient, "http://"+s.debug+"/readyz", "")
			return status == http.StatusOK
		})
		b.ReportMetric(peakRSS(b, cmd.Process.Pid), "idle_MiB_RSS")
		b.ReportMetric(exportRate(b, s, key, "-requested_at", n), "indexed-rows/s")
		b.ReportMetric(exportRate(b, s, key, "-amount", n), "sorted-rows/s")
		b.ReportMetric(peakRSS(b, cmd.Process.Pid), "peak_MiB_RSS")
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
	}
}

// seedPayouts adds payouts of a new organization, and returns a key of it.
func seedPayouts(b *testing.B, database string, n int) (key string) {
	b.Helper()
	db := storetest.Open(b, database)
	made := auth.NewKey()
	org, _, _, err := access.Bootstrap(context.Background(), db, access.NewOrganization{
		OrganizationName: "Alpha", Email: "owner@example.com", PasswordHash: "x",
		Key: access.NewAPIKey{Name: "bench", Prefix: made.Prefix(), SecretHash: made.Hash(), Scopes: []string{string(auth.TradersRead)}, CreatedByName: "bench"},
	})
	check(b, err)
	conn := storetest.Conn(b, database)
	for _, statement := range []string{
		fmt.Sprintf(`INSERT INTO payouts (id, organization_id, integration_id, external_id, status, amount, currency, requested_at, content_hash)
SELECT gen_random_uuid(), '%s', '%s', 'P-' || n, 'paid', (n * 7919::bigint %% 1000003) * 0.01, 'USD', now() - n * interval '1 minute', '' FROM generate_series(1, %d) AS n`,
			org.ID, storetest.Integration(b, db, org.ID, "https://platform.example").ID, n),
		`VACUUM ANALYZE payouts`,
	} {
		storetest.Exec(b, conn, statement)
	}
	return made.Secret().Reveal()
}

// exportRate exports the payouts in an order and returns how many arrived in a second.
func exportRate(b *testing.B, s site, key, sort string, rows int) float64 {
	b.Helper()
	request, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "http://"+s.public+"/v1/payouts/export?sort="+sort, http.NoBody)
	check(b, err)
	request.Header.Set("Authorization", "Bearer "+key)
	begun := time.Now()
	response, err := http.DefaultClient.Do(request)
	check(b, err)
	defer response.Body.Close()
	lines := lineCounter(0)
	_, err = io.Copy(&lines, response.Body)
	check(b, err)
	if int(lines) != rows+1 || response.StatusCode != http.StatusOK {
		b.Fatalf("%d lines with status %d, want a head and %d rows", lines, response.StatusCode, rows)
	}
	return float64(rows) / time.Since(begun).Seconds()
}

// lineCounter counts the lines that are written to it.
type lineCounter int

func (c *lineCounter) Write(p []byte) (int, error) {
	*c += lineCounter(bytes.Count(p, []byte("\n")))
	return len(p), nil
}

// peakRSS returns the highest resident memory of a process so far in MiB, or 0 where that cannot be read.
func peakRSS(b *testing.B, pid int) float64 {
	b.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0 // not Linux
	}
	_, line, _ := strings.Cut(string(status), "VmHWM:")
	kb, err := strconv.ParseFloat(strings.Fields(line)[0], 64)
	check(b, err)
	return kb / 1024
}
