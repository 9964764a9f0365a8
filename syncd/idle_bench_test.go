package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/storetest"
)

// benchPolls is how many integrations BenchmarkIdlePoll polls at once, unless
// ASSAY_TEST_BENCH_POLLS says otherwise.
const benchPolls = 2_000

// BenchmarkIdlePoll polls integrations whose platform has nothing new, after their
// first poll: four requests each over TLS. contracttest serve, syncd without a
// request budget and Postgres each run as a process of its own. "cpu_ms/poll" is
// the processor time of syncd, "polls/s_core" is how many polls one core could do,
// "polls/s" is how many all cores of the machine do together, and "wal_B/poll" is
// the write-ahead log without full-page images.
func BenchmarkIdlePoll(b *testing.B) {
	polls := storetest.BenchCount(b, "POLLS", benchPolls, 200)
	bin := buildPrograms(b)
	for b.Loop() {
		url := storetest.URL(b)
		conn := storetest.Conn(b, url)
		withoutPageImages(b, url)
		platform := startPlatform(b, bin, record.CustomAPI, 20, 100)
		connectPlatforms(b, url, record.CustomAPI, platform, polls)
		// Polls at their own slots must be rare, because they are not counted.
		if _, err := conn.Exec(b.Context(), `UPDATE sync_state SET period_ms = 3600000`); err != nil {
			b.Fatal(err)
		}
		daemon := startSyncd(b, bin, url, platform.CAFile)
		pid := daemon.Process.Pid
		waitForPolls(b, conn, pid, polls, "-infinity")
		// The first poll after a backfill creates the rows in which the next polls
		// are counted.
		waitForPolls(b, conn, pid, polls, pollAll(b, conn))
		// Vacuum now what has been written so far, not during the polls.
		if _, err := conn.Exec(b.Context(), `VACUUM ANALYZE`); err != nil {
			b.Fatal(err)
		}

		due := pollAll(b, conn)
		const at = `SELECT pg_current_wal_lsn()::text`
		from, cpu, began := queryText(b, conn, at), processorTime(b, pid), time.Now().Add(time.Second)
		waitForPolls(b, conn, pid, polls, due)
		took := time.Since(began)
		cpu = processorTime(b, pid) - cpu
		to := queryText(b, conn, at)
		stopProgram(b, daemon)
		b.Logf("pg_waldump --start %s --end %s shows the log record by record", from, to)
		b.ReportMetric(cpu.Seconds()*1000/float64(polls), "cpu_ms/poll")
		b.ReportMetric(float64(polls)/cpu.Seconds(), "polls/s_core")
		b.ReportMetric(float64(polls)/took.Seconds(), "polls/s")
		b.ReportMetric(queryFloat(b, conn, `SELECT ($1::pg_lsn - $2::pg_lsn)::float8`, to, from)/float64(polls), "wal_B/poll")
	}
}

// pollAll makes all integrations due in a second, and returns that time.
func pollAll(b *testing.B, conn *pgx.Conn) (due string) {
	b.Helper()
	if _, err := conn.Exec(b.Context(), `UPDATE sync_state SET claimable_at = now() + interval '1 second'`); err != nil {
		b.Fatal(err)
	}
	return queryText(b, conn, `SELECT min(claimable_at)::text FROM sync_state`)
}

// waitForPolls waits until that many integrations have been polled since a time.
func waitForPolls(b *testing.B, conn *pgx.Conn, pid, polls int, since string) {
	b.Helper()
	waitFor(b, conn, pid, "everything is polled", fmt.Sprintf(
		`SELECT (count(*) >= %d)::int::float8 FROM sync_state WHERE last_success_at > '%s' AND owner IS NULL`, polls, since))
}

// withoutPageImages keeps the server from writing full-page images until the
// benchmark ends, because their number depends on the time since the last
// checkpoint.
func withoutPageImages(b *testing.B, url string) {
	b.Helper()
	configure := func(statement string) {
		conn := storetest.Conn(b, url)
		for _, s := range []string{statement, `SELECT pg_reload_conf()`} {
			if _, err := conn.Exec(context.Background(), s); err != nil {
				b.Error(err)
			}
		}
	}
	configure(`ALTER SYSTEM SET full_page_writes = off`)
	b.Cleanup(func() { configure(`ALTER SYSTEM RESET full_page_writes`) })
}

// processorTime returns the processor time of a process so far, in steps of 10 ms.
func processorTime(tb testing.TB, pid int) time.Duration {
	tb.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		tb.Fatal(err)
	}
	// The name, in parentheses, may contain anything. User and system time are the
	// 12th and 13th field after it, in hundredths of a second.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	var ticks int64
	for _, field := range fields[11:13] {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			tb.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond
}
