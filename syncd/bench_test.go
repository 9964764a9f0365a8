package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// benchTrades is how many trades BenchmarkWholeSync reads, unless
// ASSAY_TEST_BENCH_TRADES says otherwise.
const benchTrades = 1_000_000

// benchPlatformTraders is the number of traders of the platforms with many trades.
const benchPlatformTraders = 2000

// tradesToRead returns benchTrades, or the value of ASSAY_TEST_BENCH_TRADES.
func tradesToRead(b *testing.B) int {
	b.Helper()
	return storetest.BenchCount(b, "TRADES", benchTrades, 50_000)
}

// BenchmarkWholeSync reads a platform's trades for the first time. contracttest
// serve over TLS, syncd with the request budget switched off, and Postgres each run
// as a process of its own. "ratio" is trades per second divided by those of a raw
// COPY of the same rows in batches of 200, encoded beforehand, on an idle platform.
// The time that a partner's backfill waits between its runs, which end after 5,000
// pages, is left out.
func BenchmarkWholeSync(b *testing.B) {
	for _, kind := range []record.Kind{record.CustomAPI, record.PartnerPlatform} {
		b.Run(string(kind), func(b *testing.B) { benchmarkWholeSync(b, kind) })
	}
}

func benchmarkWholeSync(b *testing.B, kind record.Kind) {
	trades := tradesToRead(b)
	bin := buildPrograms(b)
	for b.Loop() {
		url := storetest.URL(b)
		platform := startPlatform(b, bin, kind, benchPlatformTraders, trades)
		id := connectPlatform(b, url, kind, platform)
		conn := storetest.Conn(b, url)
		daemon := startSyncd(b, bin, url, platform.CAFile)
		peak := waitForBackfill(b, conn, daemon.Process.Pid)
		stopProgram(b, daemon)
		seconds := queryFloat(b, conn, `SELECT sum(extract(epoch FROM finished_at - started_at))::float8 FROM sync_runs WHERE resource = 'trades' AND mode = 'backfill'`)
		// No more than 5,000 of a partner's open trades are read.
		got := int(queryFloat(b, conn, `SELECT count(*)::float8 FROM trades WHERE integration_id = $1`, id))
		if got != trades && (kind != record.PartnerPlatform || got < trades-trades/100) {
			b.Fatalf("%d trades arrived, want %d", got, trades)
		}
		rate := float64(got) / seconds
		raw := rawCopyRate(b, conn, "trades", id)
		b.ReportMetric(rate, "trades/s")
		b.ReportMetric(raw, "copy_trades/s")
		b.ReportMetric(rate/raw, "ratio")
		b.ReportMetric(peak, "peak_MiB_RSS")
	}
}

// benchLoadRecords is how many records BenchmarkFirstLoad reads of each kind, unless
// ASSAY_TEST_BENCH_LOAD_RECORDS says otherwise.
const benchLoadRecords = 200_000

// BenchmarkFirstLoad reads a platform for the first time. It is like BenchmarkWholeSync, for one
// kind of record after the other, each from a platform that has many of that kind and few of the
// others, because syncd reads accounts, trades and payouts at the same time. Beside the rate it
// reports that of a raw COPY of the same rows and that of a peer (see peerRate), and the processor
// time of the server and of syncd. "all" reads as many records of each kind; its rate counts from the
// start of the first run to the end of the last.
func BenchmarkFirstLoad(b *testing.B) {
	count := storetest.BenchCount(b, "LOAD_RECORDS", benchLoadRecords, 20_000)
	bin := buildPrograms(b)
	for _, load := range []struct {
		table   string // "": all
		traders int
		more    []string
	}{
		{"traders", count, []string{"--accounts-per-trader", "0", "--payouts", "0"}},
		{"accounts", count / 100, []string{"--accounts-per-trader", "100", "--payouts", "0"}},
		{"payouts", count / 100, []string{"--accounts-per-trader", "1", "--payouts", strconv.Itoa(count)}},
		{"", count, []string{"--accounts-per-trader", "1", "--payouts", strconv.Itoa(count)}},
	} {
		b.Run(cmp.Or(load.table, "all"), func(b *testing.B) {
			for b.Loop() {
				trades := 0
				if load.table == "" {
					trades = count
				}
				url := storetest.URL(b)
				platform := startPlatform(b, bin, record.CustomAPI, load.traders, trades, load.more...)
				id := connectPlatform(b, url, record.CustomAPI, platform)
				conn := storetest.Conn(b, url)
				server := storetest.OrgDB{Conn: conn}
				began := server.ServerCPU(b)
				daemon := startSyncd(b, bin, url, platform.CAFile)
				waitFor(b, conn, daemon.Process.Pid, "the first load is over", `SELECT (count(*) = 4)::int::float8 FROM sync_runs WHERE mode = 'backfill' AND status = 'succeeded'`)
				b.ReportMetric((server.ServerCPU(b)-began)/float64(count)*1e6, "server_us/record")
				b.ReportMetric(processorTime(b, daemon.Process.Pid).Seconds()/float64(count)*1e6, "syncd_us/record")
				stopProgram(b, daemon)
				reportFirstLoad(b, conn, load.table, id)
			}
		})
	}
}

// reportFirstLoad reports the rates of BenchmarkFirstLoad for one table, or without one for all.
func reportFirstLoad(b *testing.B, conn *pgx.Conn, table string, id uuid.UUID) {
	b.Helper()
	b.ReportMetric(queryFloat(b, conn, `SELECT (sum(records_inserted) / extract(epoch FROM max(finished_at) - min(started_at)))::float8
FROM sync_runs WHERE mode = 'backfill' AND (resource = $1 OR $1 = '')`, table), "records/s")
	if table == "" {
		return
	}
	b.ReportMetric(rawCopyRate(b, conn, table, id), "copy_records/s")
	b.ReportMetric(peerRate(b, conn, table, id), "peer_records/s")
}

// buildPrograms builds syncd and contracttest and returns their folder.
func buildPrograms(tb testing.TB) string {
	tb.Helper()
	bin := tb.TempDir()
	out, err := exec.CommandContext(context.Background(), "go", "build", "-o", bin+"/", "github.com/assayhq/assay/syncd", "github.com/assayhq/assay/cmd/contracttest").CombinedOutput()
	if err != nil {
		tb.Fatalf("build: %v\n%s", err, out)
	}
	return bin
}

// readyPlatform is what contracttest serve prints when it is ready.
type readyPlatform struct {
	BaseURL string `json:"base_url"`
	APIKey  string `json:"api_key"`
	CAFile  string `json:"ca_file"`
}

// startPlatform serves a frozen world until the benchmark ends.
func startPlatform(tb testing.TB, bin string, kind record.Kind, traders, trades int, more ...string) readyPlatform {
	tb.Helper()
	dir := tb.TempDir()
	ready := filepath.Join(dir, "ready.json")
	args := append([]string{
		"serve", "--kind", string(kind), "--dir", dir, "--listen", "127.0.0.1:0", "--ready-file", ready,
		"--traders", strconv.Itoa(traders), "--trades", strconv.Itoa(trades), "--speed", "0",
	}, more...)
	startProgram(tb, exec.CommandContext(context.Background(), filepath.Join(bin, "contracttest"), args...))
	for deadline := time.Now().Add(5 * time.Minute); ; time.Sleep(100 * time.Millisecond) { // polling with a deadline
		text, err := os.ReadFile(ready)
		if err == nil {
			var p readyPlatform
			if err := json.Unmarshal(text, &p); err != nil {
				tb.Fatal(err)
			}
			return p
		}
		if time.Now().After(deadline) {
			tb.Fatal("the platform is not ready after five minutes")
		}
	}
}

// connectPlatform creates an integration that is due.
func connectPlatform(tb testing.TB, url string, kind record.Kind, platform readyPlatform) uuid.UUID {
	tb.Helper()
	return connectPlatforms(tb, url, kind, platform, 1)[0]
}

// connectPlatforms creates that many integrations with one platform, all due. Each
// belongs to an organization of its own, because an organization connects a
// platform only once.
func connectPlatforms(tb testing.TB, url string, kind record.Kind, platform readyPlatform, n int) (ids []uuid.UUID) {
	tb.Helper()
	db, ctx := storetest.Open(tb, url), context.Background()
	for n := range n {
		org, _, _, err := access.Bootstrap(ctx, db, access.NewOrganization{
			OrganizationName: fmt.Sprint("Desk ", n), Email: "owner@desk.test", PasswordHash: "x",
			Key: access.NewAPIKey{Name: "first", Prefix: "svc_live_abcdef", SecretHash: sha256.Sum256([]byte(fmt.Sprint(n))), Scopes: []string{"traders:read"}, CreatedByName: "owner"},
		})
		if err != nil {
			tb.Fatal(err)
		}
		i, err := integrations.Create(ctx, db, store.SystemChange(org.ID), integrations.New{
			Kind: kind, Name: "Platform", BaseURL: platform.BaseURL, APIKey: seal.NewSecret(platform.APIKey), SyncIntervalSeconds: 60, Check: integrations.CheckOutcome{OK: true},
		})
		if err != nil {
			tb.Fatal(err)
		}
		ids = append(ids, i.ID)
	}
	return ids
}

// startSyncd starts the daemon without a request budget.
func startSyncd(tb testing.TB, bin, url, caFile string) *exec.Cmd {
	tb.Helper()
	return startProgram(tb, syncdCommand(tb, bin, url, "ASSAY_EGRESS_CA_FILE="+caFile, "ASSAY_DEBUG_SYNCD=127.0.0.1:0"))
}

// syncdCommand returns the command of a daemon without a request budget, with
// additional variables.
func syncdCommand(tb testing.TB, bin, url string, more ...string) *exec.Cmd {
	tb.Helper()
	keyring := filepath.Join(tb.TempDir(), "keyring.json")
	if err := os.WriteFile(keyring, []byte(storetest.KeyringText), 0o600); err != nil {
		tb.Fatal(err)
	}
	cmd := exec.CommandContext(context.Background(), filepath.Join(bin, "syncd"))
	cmd.Env = append(os.Environ(), "ASSAY_DATABASE_URL="+url, "ASSAY_KEYRING_FILE="+keyring, "ASSAY_EGRESS_ALLOW_CIDRS=127.0.0.0/8",
		"ASSAY_SYNC_REQUESTS_PER_SECOND=0", "ASSAY_LOG_LEVEL=warn", "ASSAY_BLOBS_URL=file://"+tb.TempDir())
	cmd.Env = append(cmd.Env, more...)
	return cmd
}

func startProgram(tb testing.TB, cmd *exec.Cmd) *exec.Cmd {
	tb.Helper()
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { stopProgram(tb, cmd) })
	return cmd
}

// stopProgram interrupts a program and waits for its end. One call is enough.
func stopProgram(tb testing.TB, cmd *exec.Cmd) {
	tb.Helper()
	if cmd.ProcessState != nil {
		return
	}
	_ = cmd.Process.Signal(os.Interrupt) // it may have ended
	_ = cmd.Wait()                       // its exit status is not what is measured
}

// waitFor waits until the query counts something and returns the most memory that
// the process had. It polls rarely, so that it is not a load itself.
func waitFor(tb testing.TB, conn *pgx.Conn, pid int, what, query string) (peakMiB float64) {
	tb.Helper()
	deadline := time.After(time.Hour)
	for tick := time.Tick(200 * time.Millisecond); ; {
		select {
		case <-deadline:
			tb.Fatalf("not within an hour: %s", what)
		case <-tick:
			peakMiB = max(peakMiB, peakRSS(tb, pid))
			if queryFloat(tb, conn, query) > 0 {
				return peakMiB
			}
		}
	}
}

// waitForBackfill waits until the trades are there.
func waitForBackfill(tb testing.TB, conn *pgx.Conn, pid int) (peakMiB float64) {
	tb.Helper()
	return waitFor(tb, conn, pid, "the backfill is over", `SELECT count(*)::float8 FROM sync_runs WHERE resource = 'trades' AND mode = 'backfill' AND status = 'succeeded'`)
}

// peakRSS returns the highest resident memory of a process so far, in MiB.
func peakRSS(tb testing.TB, pid int) float64 {
	tb.Helper()
	return memory(tb, pid, "VmHWM")
}

// memory returns the value of a line of /proc/PID/status in MiB, or 0 if there is
// no such file.
func memory(tb testing.TB, pid int, name string) float64 {
	tb.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0 // not Linux
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, name+":"); ok {
			kb, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			if err != nil {
				tb.Fatal(err)
			}
			return kb / 1024
		}
	}
	return 0
}

// rawCopyRate copies the integration's rows into an empty table like theirs, in
// batches of 200, and returns rows per second.
func rawCopyRate(tb testing.TB, conn *pgx.Conn, table string, id uuid.UUID) float64 {
	tb.Helper()
	ctx, columns := context.Background(), storedColumns(tb, conn, table)
	var dump bytes.Buffer
	if _, err := conn.PgConn().CopyTo(ctx, &dump, fmt.Sprintf(`COPY (SELECT %s FROM %s WHERE integration_id = '%s' ORDER BY platform_updated_at, id) TO STDOUT`, columns, table, id)); err != nil {
		tb.Fatal(err)
	}
	var bodies [][]byte
	rows, start, at := 0, 0, 0
	for text := dump.Bytes(); at < len(text); {
		at += bytes.IndexByte(text[at:], '\n') + 1
		if rows++; rows%200 == 0 || at == len(text) {
			bodies, start = append(bodies, text[start:at]), at
		}
	}
	if _, err := conn.Exec(ctx, fmt.Sprintf(`CREATE TABLE %[1]s_copied (LIKE %[1]s INCLUDING ALL)`, table)); err != nil {
		tb.Fatal(err)
	}
	began := time.Now()
	for _, body := range bodies {
		if _, err := conn.PgConn().CopyFrom(ctx, bytes.NewReader(body), fmt.Sprintf(`COPY %s_copied (%s) FROM STDIN`, table, columns)); err != nil {
			tb.Fatal(err)
		}
	}
	return float64(rows) / time.Since(began).Seconds()
}

// peerRate does what a general pipeline would do: it sends pages of 200 rows as JSON, each with one
// INSERT … SELECT, into an empty table with the same indexes and, for traders, with the index over
// all filters. It returns rows per second.
func peerRate(tb testing.TB, conn *pgx.Conn, table string, id uuid.UUID) float64 {
	tb.Helper()
	ctx, columns := context.Background(), storedColumns(tb, conn, table)
	rows, err := conn.Query(ctx, fmt.Sprintf(`SELECT jsonb_agg(to_jsonb(r))::text FROM (
    SELECT %s, row_number() OVER (ORDER BY platform_updated_at, id) / 200 AS page FROM %s WHERE integration_id = $1) AS r GROUP BY page ORDER BY page`, columns, table), id)
	if err != nil {
		tb.Fatal(err)
	}
	pages, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		tb.Fatal(err)
	}
	statements := []string{fmt.Sprintf(`CREATE TABLE %[1]s_peer (LIKE %[1]s INCLUDING ALL)`, table)}
	if table == "traders" {
		statements = append(statements, `CREATE INDEX ON traders_peer USING gin (organization_id, search gin_trgm_ops, status, source, country_key, kyc_key, (coalesce(override_tags, tags)))`)
	}
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			tb.Fatal(err)
		}
	}
	began := time.Now()
	for _, page := range pages {
		if _, err := conn.Exec(ctx, fmt.Sprintf(`INSERT INTO %[1]s_peer (%[2]s) SELECT %[2]s FROM jsonb_populate_recordset(NULL::%[1]s_peer, $1)`, table, columns), page); err != nil {
			tb.Fatal(err)
		}
	}
	seconds := time.Since(began).Seconds()
	return queryFloat(tb, conn, `SELECT count(*)::float8 FROM `+table+`_peer`) / seconds
}

// storedColumns lists the columns of a table that are not generated.
func storedColumns(tb testing.TB, conn *pgx.Conn, table string) string {
	tb.Helper()
	return queryText(tb, conn, fmt.Sprintf(`SELECT string_agg(quote_ident(column_name), ', ' ORDER BY ordinal_position) FROM information_schema.columns
WHERE table_name = '%s' AND is_generated = 'NEVER'`, table))
}

func queryText(tb testing.TB, conn *pgx.Conn, query string) (text string) {
	tb.Helper()
	if err := conn.QueryRow(context.Background(), query).Scan(&text); err != nil {
		tb.Fatal(err)
	}
	return text
}

func queryFloat(tb testing.TB, conn *pgx.Conn, query string, args ...any) float64 {
	tb.Helper()
	var v float64
	if err := conn.QueryRow(context.Background(), query, args...).Scan(&v); err != nil {
		tb.Fatal(err)
	}
	return v
}
