package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/storetest"
)

// benchPolls is how many integrations BenchmarkIdlePoll polls at once.
const benchPolls = 2_000

// BenchmarkIdlePoll polls integrations whose platform has nothing new: four
// requests each over TLS, with contracttest serve, syncd without a request budget
// and Postgres as processes of their own. "cpu_ms/poll" is the processor time of
// syncd, "polls/s_core" what a core of it would do, "polls/s" what all of them
// together do on the machine, and "wal_B/poll" the write-ahead log, full-page
// images left out.
func BenchmarkIdlePoll(b *testing.B) {
	bin := buildPrograms(b)
	for b.Loop() {
		url := storetest.URL(b)
		conn := storetest.Conn(b, url)
		withoutPageImages(b, url)
		platform := startPlatform(b, bin, record.CustomAPI, 20, 100)
		connectPlatforms(b, url, record.CustomAPI, platform, benchPolls)
		daemon := startSyncd(b, bin, url, platform.CAFile)
		pid := daemon.Process.Pid
		all := fmt.Sprintf(` = %d)::int::float8`, benchPolls)
		waitFor(b, conn, pid, "everything was read", `SELECT ((SELECT count(*) FROM sync_state WHERE last_success_at IS NOT NULL AND owner IS NULL)`+all)

		// All are due at once, which is one statement's log.
		if _, err := conn.Exec(b.Context(), `UPDATE sync_state SET claimable_at = now() + interval '1 second', last_success_at = NULL`); err != nil {
			b.Fatal(err)
		}
		const log = `SELECT (pg_current_wal_lsn() - '0/0')::float8`
		wal, cpu, began := queryFloat(b, conn, log), processorTime(b, pid), time.Now().Add(time.Second)
		waitFor(b, conn, pid, "everything was polled", `SELECT ((SELECT count(*) FROM sync_state WHERE last_success_at IS NOT NULL)`+all)
		took := time.Since(began)
		cpu = processorTime(b, pid) - cpu
		wal = queryFloat(b, conn, log) - wal
		stopProgram(b, daemon)
		b.ReportMetric(cpu.Seconds()*1000/benchPolls, "cpu_ms/poll")
		b.ReportMetric(benchPolls/cpu.Seconds(), "polls/s_core")
		b.ReportMetric(benchPolls/took.Seconds(), "polls/s")
		b.ReportMetric(wal/benchPolls, "wal_B/poll")
	}
}

// withoutPageImages has the server write no full-page images until the benchmark
// ends: how many there are depends on the time since the last checkpoint.
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

// processorTime is what a process has used so far, in steps of 10 ms.
func processorTime(tb testing.TB, pid int) time.Duration {
	tb.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		tb.Fatal(err)
	}
	// The name, in brackets, may hold anything; user and system time are 12th and
	// 13th behind it, in hundredths of a second.
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
