package main

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// BenchmarkAudit audits a platform whose trades were read before. contracttest
// serve over TLS, syncd with the request budget switched off, and Postgres each run
// as a process of its own. peak_MiB_RSS is that of a syncd that has done only the
// audit and the polls that run at the same time.
func BenchmarkAudit(b *testing.B) {
	trades := tradesToRead(b)
	bin := buildPrograms(b)
	for b.Loop() {
		url := storetest.URL(b)
		platform := startPlatform(b, bin, record.CustomAPI, benchPlatformTraders, trades)
		id := connectPlatform(b, url, record.CustomAPI, platform)
		conn := storetest.Conn(b, url)
		first := startSyncd(b, bin, url, platform.CAFile)
		waitForBackfill(b, conn, first.Process.Pid)
		stopProgram(b, first)

		db := storetest.Open(b, url)
		org := organizationOf(b, conn)
		if _, err := integrations.RequestAudit(b.Context(), db, store.SystemChange(org), id); err != nil {
			b.Fatal(err)
		}
		second := startSyncd(b, bin, url, platform.CAFile)
		peak := waitFor(b, conn, second.Process.Pid, "the audit is over", `SELECT count(*)::float8 FROM sync_audits WHERE finished_at IS NOT NULL`)
		stopProgram(b, second)
		seen := queryFloat(b, conn, `SELECT sum((r->>'seen')::float8) FROM sync_audits, jsonb_array_elements(resources) AS r`)
		if wrong := queryFloat(b, conn, `SELECT sum((r->>'absent')::float8 + (r->>'stale')::float8 + (r->>'unshown')::float8) FROM sync_audits, jsonb_array_elements(resources) AS r`); wrong > 0 {
			b.Fatalf("the audit finds %v records that are not as they should be", wrong)
		}
		seconds := queryFloat(b, conn, `SELECT extract(epoch FROM finished_at - started_at)::float8 FROM sync_audits`)
		b.ReportMetric(seen/seconds, "records/s")
		b.ReportMetric(seconds, "s/audit")
		b.ReportMetric(peak, "peak_MiB_RSS")
	}
}

// organizationOf returns the organization of the only integration.
func organizationOf(tb testing.TB, conn *pgx.Conn) (org [16]byte) {
	tb.Helper()
	if err := conn.QueryRow(tb.Context(), `SELECT organization_id FROM integrations`).Scan(&org); err != nil {
		tb.Fatal(err)
	}
	return org
}
