package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.uber.org/goleak"

	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/roles"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/integrations"
	main "github.com/assayhq/assay/syncd"
	"github.com/assayhq/assay/syncd/enginetest"
)

// programs is the folder in which the program is built once.
var programs = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "syncd-test-") })

// leasesVariable makes the test binary run as a syncd with other leases, those of
// cycles and of interviews' steps, instead of running tests.
const leasesVariable = "TEST_LEASES"

func TestMain(m *testing.M) {
	if text := os.Getenv("ASSAY_" + leasesVariable); text != "" {
		os.Exit(runWithLeases(text))
	}
	// When a connection ends during a network fault, toxiproxy leaves goroutines
	// behind.
	const proxy = "github.com/Shopify/toxiproxy/v2"
	goleak.VerifyTestMain(storetest.Suite{M: m}, goleak.Cleanup(func(code int) {
		if dir, err := programs(); err == nil {
			_ = os.RemoveAll(dir)
		}
		os.Exit(code)
	}), goleak.IgnoreAnyFunction(proxy+".(*ToxicLink).read"), goleak.IgnoreAnyFunction(proxy+".(*ToxicLink).write"),
		goleak.IgnoreAnyFunction(proxy+"/toxics.(*ToxicStub).Run"))
}

// runWithLeases runs syncd with the given leases, such as "1s,2s".
func runWithLeases(text string) int {
	first, second, _ := strings.Cut(text, ",")
	cycle, err := time.ParseDuration(first)
	step, err2 := time.ParseDuration(second)
	if err := errors.Join(err, err2); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	return main.RunWithLeases(cycle, step)
}

var build = sync.OnceValues(func() (string, error) { return buildProgram("syncd", "build") })

// buildProgram builds syncd by the arguments of the command go, and returns its path.
func buildProgram(name string, args ...string) (string, error) {
	dir, err := programs()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, name)
	args = append(append(args, raceFlags...), "-o", path, "github.com/assayhq/assay/syncd")
	out, err := exec.Command("go", args...).CombinedOutput()
	if err != nil {
		err = fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return path, err
}

// command returns a command of syncd with arguments and settings. The settings are
// variables without the prefix ASSAY_, and PATH.
func command(t *testing.T, settings []string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := os.Args[0], error(nil)
	switch {
	case slices.Contains(settings, jumpingClock):
		path, err = buildJumping()
	case slices.Contains(settings, earlierVersion):
		var e earlier
		e, err = buildEarlier()
		path = e.program
	case !slices.ContainsFunc(settings, func(s string) bool { return strings.HasPrefix(s, leasesVariable+"=") }):
		path, err = build()
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "ASSAY_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "ASSAY_BLOBS_URL=file://"+t.TempDir())
	for _, s := range settings {
		if !strings.HasPrefix(s, "PATH=") {
			s = "ASSAY_" + s
		}
		cmd.Env = append(cmd.Env, s)
	}
	return cmd
}

// outcome is how a program ended.
type outcome struct {
	code           int
	stdout, stderr string
}

// run runs syncd to its end.
func run(t *testing.T, settings []string, args ...string) outcome {
	t.Helper()
	cmd := command(t, settings, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return outcome{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// settings returns the settings with which a syncd works on the fixture.
func settings(t *testing.T, w *enginetest.Fixture, more ...string) []string {
	t.Helper()
	ca := write(t, "ca.pem", string(w.CA()))
	return append([]string{
		"DATABASE_URL=" + storetest.As(t, roles.Syncd, w.URL), "KEYRING_FILE=" + write(t, "keyring.json", storetest.KeyringText),
		"EGRESS_ALLOW_CIDRS=127.0.0.0/8", "EGRESS_CA_FILE=" + ca, "DEBUG_SYNCD=127.0.0.1:0", "SYNC_REQUESTS_PER_SECOND=0",
	}, more...)
}

// write writes a file for the test.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// daemon is a running syncd.
type daemon struct {
	cmd  *exec.Cmd
	log  logText
	done chan struct{} // closed when it has ended
}

// start starts a syncd and waits until it works.
func start(t *testing.T, settings []string, args ...string) *daemon {
	t.Helper()
	d := launch(t, settings, args...)
	eventually(t, "syncd has started, or ended", func() bool {
		select {
		case <-d.done:
			return true
		default:
			return d.log.has("syncd started")
		}
	})
	if !d.log.has("syncd started") {
		t.Fatal("syncd ended instead of starting")
	}
	return d
}

// launch starts a syncd. It is killed at the end of the test at the latest.
func launch(t *testing.T, settings []string, args ...string) *daemon {
	t.Helper()
	d := &daemon{cmd: command(t, settings, args...), done: make(chan struct{})}
	d.cmd.Stderr = &d.log
	if err := d.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(d.done)
		_ = d.cmd.Wait() // ProcessState says how it ended
	}()
	t.Cleanup(func() {
		_ = d.cmd.Process.Kill() // it may have ended
		<-d.done
		if t.Failed() {
			t.Logf("log of syncd %d:\n%s", d.cmd.Process.Pid, d.log.String())
		}
	})
	return d
}

func (d *daemon) signal(t *testing.T, s os.Signal) {
	t.Helper()
	if err := d.cmd.Process.Signal(s); err != nil {
		t.Fatalf("signal %s: %v", s, err)
	}
}

// ended waits until the program has ended and returns its exit code.
func (d *daemon) ended(t *testing.T, patience time.Duration) int {
	t.Helper()
	select {
	case <-d.done:
	case <-time.After(patience):
		t.Fatalf("syncd still runs after %s", patience)
	}
	return d.cmd.ProcessState.ExitCode()
}

// get requests a path of the private listener.
func (d *daemon) get(t *testing.T, path string) (status int, body string) {
	t.Helper()
	address := d.log.value(t, "private listener ready", "address")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 30 * time.Second}
	resp, err := client.Get("http://" + address + path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(text)
}

// logText collects a program's log.
type logText struct{ storetest.Log }

// has reports whether an event with that message was logged.
func (l *logText) has(message string) bool {
	return strings.Contains(l.String(), `"msg":"`+message+`"`)
}

// value returns the value of an attribute of the first event with that message.
func (l *logText) value(t *testing.T, message, key string) string {
	t.Helper()
	for line := range strings.Lines(l.String()) {
		var event map[string]any
		if json.Unmarshal([]byte(line), &event) == nil && event["msg"] == message {
			return fmt.Sprint(event[key])
		}
	}
	t.Fatalf("nothing was logged as %q", message)
	return ""
}

// eventually polls until ok returns true, for two minutes at most.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	storetest.Eventually(t, what, ok)
}

// requestLog collects the requests that a platform gets.
type requestLog struct {
	mu   sync.Mutex
	list []fault.RequestInfo
}

func (l *requestLog) add(r fault.RequestInfo) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, r)
}

// trades counts the requests for trades, and how many of them ask for the first
// page.
func (l *requestLog) trades() (all, first int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, r := range l.list {
		if r.Path != "/trades" {
			continue
		}
		all++
		if !strings.Contains(r.RawQuery, "cursor=") {
			first++
		}
	}
	return all, first
}

func TestCommandLine(t *testing.T) {
	t.Parallel()
	keyring := "KEYRING_FILE=" + write(t, "keyring.json", storetest.KeyringText)
	nowhere := "DATABASE_URL=postgres://nobody@127.0.0.1:1/nothing"
	empty := "DATABASE_URL=" + storetest.Empty(t)
	id := "01890a5d-ac96-774b-bcce-b302099a8057"
	for _, tt := range []struct {
		name     string
		settings []string
		file     string // a configuration file
		args     []string
		code     int
		stdout   string // a part of it; empty when nothing must be written
		stderr   []string
	}{
		{name: "help", args: []string{"help"}, stdout: "Usage:\n  syncd"},
		{name: "version", args: []string{"version"}, stdout: "syncd "},
		{name: "--version", args: []string{"--version"}, stdout: ", go1."},
		{name: "--help", args: []string{"--help"}, stdout: "Usage:\n  syncd"},
		{name: "help of a command", args: []string{"run-once", "-h"}, stdout: "Usage:\n  syncd run-once"},
		{name: "an unknown flag", args: []string{"--port", "1"}, code: 2, stderr: []string{"-port", "\nRun `syncd help`"}},
		{name: "an unknown command", args: []string{"sync"}, code: 2, stderr: []string{`"sync"`, "\nRun `syncd help`"}},
		{name: "one argument too many", args: []string{"run-once", "--integration", id, "more"}, code: 2, stderr: []string{`"more"`}},
		{name: "run-once without an integration", args: []string{"run-once"}, code: 2, stderr: []string{"--integration"}},
		{name: "an integration without run-once", args: []string{"--integration", id}, code: 2, stderr: []string{"run-once"}},
		{name: "an integration that is no id", settings: []string{nowhere, keyring}, args: []string{"run-once", "--integration", "first"}, code: 2, stderr: []string{`"first"`}},
		{name: "an unknown key in the file", file: "sync:\n  request_per_second: 5\n", code: 2, stderr: []string{"request_per_second", "config.yaml:2"}},
		{name: "a value out of range", file: "sync:\n  requests_per_second: 5000\n", code: 2, stderr: []string{"requests_per_second", "1000"}},
		{name: "a file that is no YAML", file: "sync: [", code: 2, stderr: []string{"config.yaml"}},
		{name: "a file that is not there", args: []string{"--config", "/nonexistent/config.yaml"}, code: 2, stderr: []string{"/nonexistent/config.yaml"}},
		{name: "an unknown variable", settings: []string{"SYNC_REQUESTS=5"}, code: 2, stderr: []string{"ASSAY_SYNC_REQUESTS", "ASSAY_SYNC_REQUESTS_PER_SECOND"}},
		{name: "no database", settings: []string{keyring}, code: 2, stderr: []string{"ASSAY_DATABASE_URL"}},
		{name: "no keyring", settings: []string{nowhere}, code: 2, stderr: []string{"apiserver keyring new"}},
		{name: "a keyring that is not there", settings: []string{nowhere, "KEYRING_FILE=/nonexistent/keyring.json"}, code: 2, stderr: []string{"/nonexistent/keyring.json"}},
		{name: "an old schema", settings: []string{empty, keyring, "DEBUG_SYNCD=127.0.0.1:0"}, code: 1, stderr: []string{"apiserver migrate"}},
		{name: "an old schema under run-once", settings: []string{empty, keyring}, args: []string{"run-once", "--integration", id}, code: 1, stderr: []string{"apiserver migrate"}},
		{name: "an address that is not here", settings: []string{nowhere, keyring, "DEBUG_SYNCD=192.0.2.1:9"}, code: 1, stderr: []string{"syncd: private listener: debug.syncd: ", "192.0.2.1:9", "no such address", "debug.syncd or ASSAY_DEBUG_SYNCD"}},
		{name: "an address of another machine's name", settings: []string{nowhere, keyring, "DEBUG_SYNCD=nowhere.invalid:9"}, code: 1, stderr: []string{"debug.syncd: ", "nowhere.invalid", "no such address"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			args := tt.args
			if tt.file != "" {
				args = append(slices.Clone(args), "--config", write(t, "config.yaml", tt.file))
			}
			got := run(t, tt.settings, args...)
			if got.code != tt.code {
				t.Errorf("exit code %d, want %d; stderr:\n%s", got.code, tt.code, got.stderr)
			}
			if !strings.Contains(got.stdout, tt.stdout) || tt.stdout == "" && got.stdout != "" {
				t.Errorf("stdout %q, want %q", got.stdout, tt.stdout)
			}
			for _, part := range tt.stderr {
				if !strings.Contains(got.stderr, part) {
					t.Errorf("stderr lacks %q:\n%s", part, got.stderr)
				}
			}
			if tt.code == 0 && got.stderr != "" {
				t.Errorf("stderr %q, want none", got.stderr)
			}
		})
	}
}

// small is a world that a cycle reads in a moment.
var small = reference.Options{Firm: firm.Options{Seed: 1, Traders: 20, AccountsPerTrader: 2, Trades: 900, Payouts: 15, Weekends: true}}

// TestRunOnce reads an integration by the command for one cycle. It takes long because syncd is
// built first.
func TestRunOnce(t *testing.T) {
	t.Parallel()
	w := enginetest.New(t, small)
	with := settings(t, w)
	once := func() outcome {
		t.Helper()
		return run(t, with, "run-once", "--integration", w.IntegrationID.String())
	}
	fields := func(o outcome) (lines []string) {
		for line := range strings.Lines(o.stdout) {
			lines = append(lines, strings.Join(strings.Fields(line), " "))
		}
		return lines
	}
	got := once()
	want := []string{
		"traders backfill succeeded 1 pages, 20 seen, 20 inserted, 0 updated, 0 unchanged, 0 quarantined",
		"accounts backfill succeeded 1 pages, 40 seen, 40 inserted, 0 updated, 0 unchanged, 0 quarantined",
		"trades backfill succeeded 5 pages, 900 seen, 900 inserted, 0 updated, 0 unchanged, 0 quarantined",
		"payouts backfill succeeded 1 pages, 15 seen, 15 inserted, 0 updated, 0 unchanged, 0 quarantined",
	}
	if got.code != 0 || !slices.Equal(fields(got), want) {
		t.Errorf("exit code %d, stdout\n%s\nwant 0 and\n%s\nstderr:\n%s", got.code, got.stdout, strings.Join(want, "\n"), got.stderr)
	}
	w.Compare(t)

	if err := w.Platform.SetFault("html-200", fault.Options{Endpoint: "/trades"}); err != nil {
		t.Fatal(err)
	}
	got = once()
	if got.code != 1 || !strings.Contains(got.stdout, "unexpected_response at GET /trades") || !strings.Contains(got.stderr, "1 of 4 runs failed") {
		t.Errorf("a run that fails: exit code %d, stdout\n%s\nstderr\n%s", got.code, got.stdout, got.stderr)
	}
	w.Platform.ClearFaults()

	keyring := write(t, "keyring.json", strings.ReplaceAll(storetest.KeyringText, `"test"`, `"another"`))
	got = run(t, settings(t, w, "KEYRING_FILE="+keyring), "run-once", "--integration", w.IntegrationID.String())
	if got.code != 1 || !strings.Contains(got.stderr, "nothing was read") || got.stdout != "" {
		t.Errorf("a credential that cannot be opened: exit code %d, stdout\n%s\nstderr\n%s", got.code, got.stdout, got.stderr)
	}

	claim := w.Claim(t, "somebody")
	if _, err := w.Conn.Exec(t.Context(), `UPDATE sync_state SET claimable_at = now() + interval '1 hour'`); err != nil { // the lease lasts until it is released
		t.Fatal(err)
	}
	if got = once(); got.code != 1 || !strings.Contains(got.stderr, "another process is syncing integration") {
		t.Errorf("while another holds it: exit code %d, stderr\n%s", got.code, got.stderr)
	}
	if err := syncing.ReleaseLease(t.Context(), w.DB, claim.Lease); err != nil {
		t.Fatal(err)
	}
	off := false
	if _, err := integrations.Update(t.Context(), w.DB, store.SystemChange(w.Organization), w.IntegrationID, integrations.Patch{IsActive: &off}); err != nil {
		t.Fatal(err)
	}
	if got = once(); got.code != 1 || !strings.Contains(got.stderr, "is not synced") {
		t.Errorf("switched off: exit code %d, stderr\n%s", got.code, got.stderr)
	}
	got = run(t, with, "run-once", "--integration", "01890a5d-ac96-774b-bcce-b302099a8057")
	if got.code != 1 || !strings.Contains(got.stderr, "not found") {
		t.Errorf("unknown: exit code %d, stderr\n%s", got.code, got.stderr)
	}
}

// TestRunsThatDoNotComplete: run-once fails if a run did, and not if the next cycle just continues it.
func TestRunsThatDoNotComplete(t *testing.T) {
	t.Parallel()
	w := enginetest.New(t, small)
	w.Cycle(t)
	cycle := uuid.MustParse(w.Texts(t, `SELECT DISTINCT cycle_id::text FROM sync_runs`)[0])
	for _, tt := range []struct {
		status     syncing.RunStatus
		incomplete bool
		fails      bool
	}{
		{syncing.RunSucceeded, false, false},
		{syncing.RunSkipped, false, false},
		{syncing.RunPartial, true, false},
		{syncing.RunThrottled, true, false},
		{syncing.RunFailed, false, true},
		{syncing.RunBlocked, false, true},
		{syncing.RunInterrupted, false, true},
	} {
		w.Exec(t, `UPDATE sync_runs SET status = $1 WHERE resource = 'trades'`, tt.status)
		var stdout strings.Builder
		err := main.PrintRuns(t.Context(), w.DB, w.IntegrationID, cycle, &stdout)
		if (err != nil) != tt.fails || strings.Contains(stdout.String(), "1 of 4 runs did not complete") != tt.incomplete {
			t.Errorf("a run that is %s: %v, and\n%s", tt.status, err, stdout.String())
		}
	}
}

// TestServe runs the daemon on a configuration file. It takes long because syncd is built first.
func TestServe(t *testing.T) {
	t.Parallel()
	w := enginetest.New(t, small)
	file := write(t, "config.yaml", fmt.Sprintf(`database:
  url_file: %q
keyring_file: %q
debug:
  syncd: 127.0.0.1:0
egress:
  allow_cidrs: [127.0.0.0/8]
  ca_file: %q
log:
  level: info
`, write(t, "database.url", storetest.As(t, roles.Syncd, w.URL)), write(t, "keyring.json", storetest.KeyringText), write(t, "ca.pem", string(w.Platform.CA))))
	d := start(t, nil, "--config", file)
	eventually(t, "the first cycle is over", func() bool { return w.Integration(t).HealthStatus == syncing.HealthHealthy })
	w.Compare(t)
	for _, tt := range []struct{ path, want string }{
		{"/healthz", "ok"},
		{"/readyz", "ok"},
		{"/metrics", `assay_syncd_cycles_total{kind="custom_api",outcome="healthy"} 1`},
		{"/metrics", `assay_syncd_records_total{kind="custom_api",resource="trades",result="inserted"} 900`},
		{"/metrics", `assay_syncd_requests_total{code="200",kind="custom_api",resource="trades"} 5`},
		{"/metrics", "assay_syncd_cycles_running 0"},
		{"/metrics", "assay_database_pool_connections_max 20"},
		{"/metrics", `assay_syncd_integrations_polled{kind="custom_api"} 1`},
		{"/metrics", `assay_syncd_integrations_stale{kind="custom_api"} 0`},
	} {
		if status, body := d.get(t, tt.path); status != http.StatusOK || !strings.Contains(body, tt.want) {
			t.Errorf("%s: status %d, and the body lacks %q", tt.path, status, tt.want)
		}
	}
	if status, _ := d.get(t, "/debug/pprof/"); status != http.StatusNotFound {
		t.Errorf("/debug/pprof/: status %d, want 404: nobody asked for it", status)
	}

	// The log level can be changed while it runs.
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, bytes.ReplaceAll(text, []byte("level: info"), []byte("level: debug")), 0o600); err != nil {
		t.Fatal(err)
	}
	d.signal(t, syscall.SIGHUP)
	eventually(t, "the configuration is read again", func() bool { return d.log.has("configuration reloaded") })
	// A broken file changes nothing, and the process continues.
	if err := os.WriteFile(file, []byte("nothing: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.signal(t, syscall.SIGHUP)
	eventually(t, "the broken configuration is refused", func() bool { return strings.Contains(d.log.String(), `"level":"ERROR"`) })
	if _, err := integrations.RequestSync(t.Context(), w.DB, store.SystemChange(w.Organization), w.IntegrationID); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a cycle that was asked for has run", func() bool {
		return len(w.Texts(t, `SELECT id::text FROM sync_runs WHERE trigger = 'manual' AND status = 'succeeded'`)) == 4
	})

	d.signal(t, syscall.SIGINT)
	if code := d.ended(t, 25*time.Second); code != 0 {
		t.Errorf("exit code %d after SIGINT, want 0", code)
	}
	for line := range strings.Lines(d.log.String()) {
		if strings.Contains(line, w.Platform.Key) || !json.Valid([]byte(line)) {
			t.Errorf("a line of the log is no JSON or shows the platform's key: %s", line)
		}
	}
}
