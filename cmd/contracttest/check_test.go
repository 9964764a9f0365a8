package main_test

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/json"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/assayhq/assay/contracttest"
	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/store/storetest"
)

// target starts a reference platform with faults and returns the flags that reach it.
func target(t *testing.T, faults ...string) (*reference.Server, []string) {
	t.Helper()
	s, err := reference.Start(reference.Options{
		Firm: firm.Options{Seed: 3, Start: time.Now().Add(-time.Minute), Weekends: true, Traders: 20, AccountsPerTrader: 2, Trades: 900, Payouts: 15},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	setFaults(t, s, faults...)
	return s, flagsFor(t, s)
}

// refuseConnections returns the base URL of a platform whose port nobody listens on. The port is that of
// a connection's other end, so that no program gets it in the meantime.
func refuseConnections(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return "https://" + conn.LocalAddr().String()
}

func setFaults(t *testing.T, s *reference.Server, faults ...string) {
	t.Helper()
	for _, text := range faults {
		name, o, err := fault.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.SetFault(name, o); err != nil {
			t.Fatal(err)
		}
	}
}

// flagsFor returns the flags that reach a platform.
func flagsFor(t *testing.T, s *reference.Server) []string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"key": s.Key + "\n", "ca.pem": string(s.CA)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"--url", s.URL, "--key-file", filepath.Join(dir, "key"), "--ca-file", filepath.Join(dir, "ca.pem")}
}

func TestCheckExitCodes(t *testing.T) {
	t.Parallel()
	s, sound := target(t)
	_, broken := target(t, "half-closed", "missing-id,endpoint=/accounts")
	waivers := filepath.Join(t.TempDir(), "waivers.json")
	if err := os.WriteFile(waivers, []byte(`[{"case":"live.accounts","reason":"soon","expires":"2099-01-01"}]`), 0o600); err != nil {
		t.Fatal(err)
	}
	live := []string{"--profile", "live-check", "--requests-per-second", "100"}
	for _, tt := range []struct {
		name   string
		args   []string
		code   int
		stdout string
		stderr string
	}{
		{"conformant", append(sound, live...), 0, "CONFORMANT: " + s.URL, "live.payouts"},
		{"violations", append(broken, live...), 1, "MUST live.accounts: assay cannot use 5 of 5 records (id is missing", ""},
		{"nobody there", append([]string{"--url", refuseConnections(t)}, append(sound[2:], live...)...), 3, "UNTESTED: ", ""},
		{"no flags", nil, 2, "", "--url is required"},
		{"plain http", append([]string{"--url", "http://platform.example"}, sound[2:]...), 2, "", "HTTPS only"},
		{"no key", []string{"--url", s.URL, "--key-file", "/does/not/exist"}, 2, "", "--key-file"},
		{"waiver of the live check", append(sound, "--waivers", waivers), 2, "", "cannot be waived"},
		{"profile", append(sound, "--profile", "everything"), 2, "", "unknown profile"},
		{"rate", append(sound, "--requests-per-second", "NaN"), 2, "", "between 0.01 and 1000"},
		{"no place for a report", append(sound, "--html", "/does/not/exist/report.html"), 2, "", "--html: open /does/not/exist"},
		{"cases", []string{"--list-cases"}, 0, "trades.closing", ""},
		{"help", []string{"--help"}, 0, "Exit codes: 0 conformant, 1 violations, 2 invalid command line, 3 the platform could not be tested", ""},
		{"help of what a profile decides", []string{"--help"}, 0, "(default 2m, 30m or 1h, by profile)\n  --url", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := run(t, append([]string{"check"}, tt.args...)...)
			if code != tt.code || !strings.Contains(stdout, tt.stdout) || tt.code == 2 && !strings.Contains(stderr, tt.stderr) {
				t.Errorf("exit %d, want %d\n%s\n%s", code, tt.code, stdout, stderr)
			}
			if tt.code < 2 && len(tt.args) > 4 && !strings.Contains(stderr, "cases") {
				t.Errorf("no progress: %s", stderr)
			}
		})
	}
}

// A platform that answers HEAD with a body, as many small servers do, gets a report
// and nothing that the kit's libraries say about the connection.
func TestBodiesAfterHEAD(t *testing.T) {
	t.Parallel()
	s, flags := target(t)
	to, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(to)
	proxy.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: s.CertPool}}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodHead {
			proxy.ServeHTTP(w, r)
			return
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{\"status\":\"ok\"}")
		_ = conn.Close()
	}))
	t.Cleanup(server.Close)
	flags[1] = server.URL
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})
	if err := os.WriteFile(flags[5], ca, 0o600); err != nil {
		t.Fatal(err)
	}
	code, stdout, stderr := run(t, append([]string{"check", "--quiet", "--requests-per-second", "200", "--only", "info.head"}, flags...)...)
	if code != 0 || stderr != "" || !strings.Contains(stdout, "HEAD /health is answered with status 200") {
		t.Errorf("exit %d\n%s\n%s", code, stdout, stderr)
	}
}

// A report is written in every format and never holds the key. Its failures can be replayed.
func TestReportsAndReplay(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the command against many platforms")
	}
	t.Parallel()
	s, flags := target(t, "half-closed", "envelope-items,endpoint=/payouts")
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	args := append([]string{
		"check", "--requests-per-second", "200", "--quiet", "--json", file("json"), "--junit", file("xml"), "--tap", file("tap"),
		"--markdown", file("md"), "--html", file("html"), "--badge", file("svg"), "--badge-json", file("badge"),
	}, flags...)
	code, stdout, stderr := run(t, args...)
	if code != 1 || stderr != "" || !strings.Contains(stdout, "trades.closed") || !strings.Contains(stdout, "Sustained: 50 requests") {
		t.Fatalf("exit %d\n%s\n%s", code, stdout, stderr)
	}
	for _, name := range []string{"json", "xml", "tap", "md", "html", "svg", "badge"} {
		text, err := os.ReadFile(file(name))
		if err != nil || len(text) == 0 || strings.Contains(string(text), s.Key) {
			t.Errorf("%s: %d bytes, %v", name, len(text), err)
		}
	}
	s.ClearFault("half-closed")
	code, stdout, _ = run(t, append([]string{"replay", file("json"), "--quiet", "--json", file("again")}, flags[2:]...)...)
	if code != 0 {
		t.Errorf("exit %d\n%s", code, stdout)
	}
	text, err := os.ReadFile(file("again"))
	var again contracttest.Report
	if err != nil || json.Unmarshal(text, &again) != nil {
		t.Fatal(err)
	}
	var got []string
	for i := range again.Results {
		got = append(got, again.Results[i].ID+" "+string(again.Results[i].Status))
	}
	if want := "payouts.envelope warned, trades.closed passed"; strings.Join(got, ", ") != want {
		t.Errorf("replayed %s, want %s", strings.Join(got, ", "), want)
	}
}

// A report that cannot be written at the end of a check is not a violation, and the other reports
// are written.
func TestReportThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	_, flags := target(t)
	badge := filepath.Join(t.TempDir(), "badge.svg")
	args := append([]string{"check", "--profile", "live-check", "--requests-per-second", "100", "--json", "/dev/full", "--badge", badge}, flags...)
	code, stdout, stderr := run(t, args...)
	if _, err := os.Stat(badge); code != 3 || err != nil || !strings.Contains(stderr, "write --json") || !strings.Contains(stdout, "CONFORMANT") {
		t.Errorf("exit %d, %v\n%s\n%s", code, err, stdout, stderr)
	}
}

// replay judges the platform's current answers, reports what it can no longer judge, and accepts
// only reports.
func TestReplayThatCannotJudge(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the command against many platforms")
	}
	t.Parallel()
	s, flags := target(t, "closes-before-opening")
	dir := t.TempDir()
	file := filepath.Join(dir, "report.json")
	args := append([]string{"check", "--requests-per-second", "200", "--quiet", "--json", file}, flags...)
	if code, stdout, stderr := run(t, args...); code != 1 || !strings.Contains(stdout, "MUST trades.closed") {
		t.Fatalf("exit %d\n%s\n%s", code, stdout, stderr)
	}
	if err := s.SetFault("status-500", fault.Options{Endpoint: "/trades"}); err != nil {
		t.Fatal(err)
	}
	code, stdout, _ := run(t, append([]string{"replay", file, "--quiet"}, flags[2:]...)...)
	if code != 3 || !strings.Contains(stdout, "could not be tested now: trades.closed") {
		t.Errorf("exit %d\n%s", code, stdout)
	}
	for _, args := range [][]string{{"replay", flags[3], "--key-file", flags[3]}, {"replay", file, "--only", "trades.closed"}} {
		if code, _, stderr := run(t, args...); code != 2 {
			t.Errorf("%v: exit %d\n%s", args, code, stderr)
		}
	}
}

// If a check is interrupted, it reports what was found so far, in every format.
func TestInterruptedCheck(t *testing.T) {
	t.Parallel()
	_, flags := target(t, "half-closed")
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "report.json")
	cmd := exec.CommandContext(t.Context(), path, append([]string{"check", "--json", file}, flags...)...)
	var stdout bytes.Buffer
	cmd.Stdout = &stdout
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	for n := 0; n < 3 && lines.Scan(); n++ { // it is under way
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, stderr)
	_ = cmd.Wait() // the exit code is checked
	text, err := os.ReadFile(file)
	if code := cmd.ProcessState.ExitCode(); code != 3 || err != nil || !strings.Contains(string(text), `"verdict": "untested"`) || !strings.Contains(stdout.String(), "did not finish") {
		t.Errorf("exit %d, %v\n%s", code, err, &stdout)
	}
}

// The real engine reads a platform into a database that is removed afterwards.
func TestSimulate(t *testing.T) {
	t.Parallel()
	s, flags := target(t, "numeric-strings,endpoint=/trades", "missing-id,endpoint=/payouts,every=10,after=1", "upper-case-enum,endpoint=/accounts")
	database := storetest.URL(t)
	out := filepath.Join(t.TempDir(), "figures.json")
	args := append([]string{"simulate", "--database-url", database, "--requests-per-second", "0", "--json", out}, flags...)
	code, stdout, stderr := run(t, args...)
	if code != 0 && code != 1 {
		t.Fatalf("exit %d\n%s\n%s", code, stdout, stderr)
	}
	text, err := os.ReadFile(out)
	var figures struct {
		Whole            bool  `json:"whole"`
		BackfillRequests int64 `json:"backfill_requests"`
		Backfill         int64 `json:"backfill_ns"`
		Lists            []struct {
			Name, Status string
			Rows         int
			Fields       []struct {
				Name   string
				Filled float64
			}
		} `json:"lists"`
		Quarantine []struct{ List, Rule, Raw string } `json:"quarantine"`
		Findings   []struct{ List, Rule string }      `json:"findings"`
	}
	if err != nil || json.Unmarshal(text, &figures) != nil {
		t.Fatalf("%v\nexit %d\n%s\n%s", err, code, stdout, stderr)
	}
	truth := s.Counts()
	want := map[string]int{"traders": truth.Traders, "accounts": truth.Accounts, "trades": truth.Trades}
	for _, l := range figures.Lists {
		if n, ok := want[l.Name]; ok && l.Rows != n {
			t.Errorf("%s: %d rows, want %d", l.Name, l.Rows, n)
		}
		if l.Name == "accounts" && (l.Fields[0].Name != "platform" || l.Fields[0].Filled == 0) {
			t.Errorf("fields of accounts: %v", l.Fields)
		}
	}
	if len(figures.Lists) != 4 || !figures.Whole || figures.BackfillRequests < 8 || figures.Backfill == 0 {
		t.Errorf("figures: %s", text)
	}
	if len(figures.Quarantine) == 0 || figures.Quarantine[0].Rule != "required_missing" || figures.Quarantine[0].Raw == "" || len(figures.Findings) == 0 {
		t.Errorf("quarantine %v, findings %v", figures.Quarantine, figures.Findings)
	}
	conn := storetest.Conn(t, database)
	storetest.Eventually(t, "throwaway databases are gone", func() bool {
		var left int
		err := conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_database WHERE datname LIKE 'assay\_simulate\_%'`).Scan(&left)
		return err == nil && left == 0
	})
	if !strings.Contains(stdout, "records would be quarantined") || !strings.Contains(stdout, "at five a second") {
		t.Error(stdout)
	}
}

// estimate is what a simulation reports about the total.
type estimate struct {
	Whole            bool  `json:"whole"`
	Duration         int64 `json:"duration_ns"`
	Requests         int64 `json:"requests"`
	BackfillRequests int64 `json:"backfill_requests"`
	Backfill         int64 `json:"backfill_ns"`
	AtLeast          bool  `json:"backfill_at_least"`
	Lists            []struct {
		Name, Status string
		Rows, Pages  int64
	} `json:"lists"`
}

// The requests of a first read are counted if it finishes, and estimated if it does not.
func TestSimulateEstimates(t *testing.T) {
	t.Parallel()
	database := storetest.URL(t)
	var requests atomic.Int64
	s, err := reference.Start(reference.Options{
		Firm:      firm.Options{Seed: 3, Start: time.Now().Add(-time.Minute), Weekends: true, Traders: 20, AccountsPerTrader: 2, Trades: 8000, Payouts: 15},
		OnRequest: func(fault.RequestInfo) { requests.Add(1) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	flags := flagsFor(t, s)
	simulated := func(faults ...string) (e estimate, stdout string) {
		t.Helper()
		s.ClearFaults()
		setFaults(t, s, faults...)
		requests.Store(0)
		out := filepath.Join(t.TempDir(), "figures.json")
		code, stdout, stderr := run(t, append([]string{"simulate", "--database-url", database, "--requests-per-second", "0", "--max-duration", "50s", "--json", out}, flags...)...)
		text, err := os.ReadFile(out)
		if err != nil || json.Unmarshal(text, &e) != nil || e.Whole != (code == 0) {
			t.Fatalf("%v\nexit %d\n%s\n%s", err, code, stdout, stderr)
		}
		want := e.BackfillRequests * int64(time.Second) / 5
		if e.Whole {
			want = max(want, e.Duration)
		}
		if e.Backfill != want {
			t.Errorf("%d requests at five a second take %s", e.BackfillRequests, time.Duration(e.Backfill))
		}
		return e, stdout
	}
	const liveCheck = 7
	whole, stdout := simulated()
	if sent := requests.Load() - liveCheck; !whole.Whole || whole.AtLeast || whole.Requests != sent || whole.BackfillRequests != sent || !strings.Contains(stdout, "The first read takes ") {
		t.Errorf("%d requests were sent: %+v\n%s", sent, whole, stdout)
	}
	// After half of the trades, the platform asks for a wait that is longer than the remaining
	// time. The rest is estimated from what was read.
	half, stdout := simulated("status-429,endpoint=/trades,after=21,value=60")
	trades := half.Lists[2]
	if half.Whole || trades.Name != "trades" || trades.Rows != 20*200 || half.Requests >= whole.Requests {
		t.Fatalf("%+v\n%s", half, stdout)
	}
	if off := float64(half.BackfillRequests) / float64(whole.BackfillRequests); off < 0.7 || off > 1.4 {
		t.Errorf("%d requests are estimated, and %d needed", half.BackfillRequests, whole.BackfillRequests)
	}
	if unread := half.Lists[3]; unread.Name != "payouts" || unread.Status != "not read" || !half.AtLeast || !strings.Contains(stdout, "takes more than") {
		t.Errorf("payouts %+v, at least %v\n%s", unread, half.AtLeast, stdout)
	}
}

// A first read of a platform that asks for waits takes as long as they do. It takes long because
// the platform asks for three seconds, beside which the rest must be short.
func TestSimulateWaits(t *testing.T) {
	t.Parallel()
	s, flags := target(t)
	setFaults(t, s, "status-429,endpoint=/trades,after=1,times=1,value=3")
	out := filepath.Join(t.TempDir(), "figures.json")
	code, stdout, stderr := run(t, append([]string{"simulate", "--database-url", storetest.URL(t), "--requests-per-second", "0", "--json", out}, flags...)...)
	text, err := os.ReadFile(out)
	var e estimate
	if err != nil || json.Unmarshal(text, &e) != nil || code != 0 {
		t.Fatalf("%v\nexit %d\n%s\n%s", err, code, stdout, stderr)
	}
	if wait := 3 * time.Second; e.Requests*int64(time.Second)/5 >= int64(wait) || e.Backfill < int64(wait) {
		t.Errorf("after %s of waiting, the first read takes %s", wait, time.Duration(e.Backfill))
	}
}

// Interrupting a simulation, however early, leaves no database behind.
func TestInterruptedSimulation(t *testing.T) {
	if testing.Short() {
		t.Skip("interrupts the command again and again")
	}
	// Not in parallel with other simulations, because the name of a throwaway database does not
	// tell who created it.
	_, flags := target(t)
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	url := storetest.URL(t)
	conn := storetest.Conn(t, url)
	left := func() (n int) {
		if err := conn.QueryRow(t.Context(), `SELECT count(*) FROM pg_database WHERE datname LIKE 'assay\_simulate\_%'`).Scan(&n); err != nil {
			t.Error(err)
		}
		return n
	}
	cmd := exec.CommandContext(t.Context(), path, append([]string{"simulate", "--database-url", url}, flags...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	storetest.Eventually(t, "a throwaway database is there", func() bool { return left() > 0 })
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the exit code is checked
	if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("exit %d\n%s", code, &stderr)
	}
	storetest.Eventually(t, "throwaway databases are gone", func() bool { return left() == 0 })
}

func TestSimulateRefuses(t *testing.T) {
	t.Parallel()
	_, flags := target(t)
	refused := slices.Clone(flags)
	refused[1] = refuseConnections(t)
	database := storetest.URL(t)
	_, broken := target(t, "health-not-ok")
	for _, tt := range []struct {
		name string
		args []string
		code int
	}{
		{"nobody there", append(refused, "--database-url", database), 3},
		{"live check fails", append(broken, "--database-url", database), 1},
		{"no database", flags, 2},
		{"not a database", append(broken[:len(broken):len(broken)], "--database-url", "mysql://x"), 2}, // before any request to the platform
		{"no server of databases", append(flags[:len(flags):len(flags)], "--database-url", "postgres://nobody@127.0.0.1:1/none?sslmode=disable"), 3},
		{"no folder for the figures", append(broken[:len(broken):len(broken)], "--database-url", database, "--json", filepath.Join(t.TempDir(), "none", "figures.json")), 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if code, stdout, stderr := run(t, append([]string{"simulate"}, tt.args...)...); code != tt.code {
				t.Errorf("exit %d, want %d\n%s\n%s", code, tt.code, stdout, stderr)
			}
		})
	}
}
