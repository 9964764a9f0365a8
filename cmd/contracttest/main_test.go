package main_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/assayhq/assay/store/storetest"
)

// binary is the command, built once for all tests.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "contracttest-*")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "contracttest")
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		return "", errors.New(string(out))
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := storetest.Suite{M: m}.Run()
	if path, err := binary(); err == nil {
		_ = os.RemoveAll(filepath.Dir(path))
	}
	if err := goleak.Find(); code == 0 && err != nil {
		_, _ = os.Stderr.WriteString(err.Error() + "\n")
		code = 1
	}
	os.Exit(code)
}

// run runs the command until it exits.
func run(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

// process is a platform that is being served.
type process struct {
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer // valid after stop
	readyFile      string
	stopped        bool
	Ready          struct {
		BaseURL string `json:"base_url"`
		APIKey  string `json:"api_key"`
		CAFile  string `json:"ca_file"`
	}
	client *http.Client
}

// serve starts the command and waits until it is ready.
func serve(t *testing.T, dir string, args ...string) *process {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{readyFile: filepath.Join(t.TempDir(), "ready.json")}
	args = append([]string{"serve", "--dir", dir, "--listen", "127.0.0.1:0", "--ready-file", p.readyFile, "--trades", "2000"}, args...)
	p.cmd = exec.Command(path, args...)
	p.cmd.Stdout, p.cmd.Stderr = &p.stdout, &p.stderr
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if !p.stopped {
			_ = p.cmd.Process.Kill()
			_ = p.cmd.Wait()
		}
	})
	var text []byte
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(time.Minute); ; <-tick.C {
		if text, err = os.ReadFile(p.readyFile); err == nil {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("the platform does not become ready: %v", err)
		}
	}
	if err := json.Unmarshal(text, &p.Ready); err != nil {
		t.Fatal(err)
	}
	authority, err := os.ReadFile(p.Ready.CAFile)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(authority)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: pool}}
	t.Cleanup(transport.CloseIdleConnections)
	p.client = &http.Client{Transport: transport}
	return p
}

// get asks the platform with its key.
func (p *process) get(t *testing.T, path string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.Ready.BaseURL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+p.Ready.APIKey)
	r, err := p.client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(body)
}

// closedTrades reads every trade that is closed, by id.
func (p *process) closedTrades(t *testing.T) map[string]string {
	t.Helper()
	closed := make(map[string]string)
	for cursor := ""; ; {
		_, body := p.get(t, "/trades?limit=500&cursor="+cursor)
		var page struct {
			Data       []json.RawMessage
			NextCursor *string `json:"next_cursor"`
		}
		if err := json.Unmarshal([]byte(body), &page); err != nil {
			t.Fatal(err)
		}
		for _, record := range page.Data {
			var trade struct {
				ID        string
				CloseTime *time.Time `json:"close_time"`
			}
			if err := json.Unmarshal(record, &trade); err != nil {
				t.Fatal(err)
			}
			if trade.CloseTime != nil {
				closed[trade.ID] = string(record)
			}
		}
		if page.NextCursor == nil {
			return closed
		}
		cursor = *page.NextCursor
	}
}

// stop sends the process a signal and returns its exit code.
func (p *process) stop(t *testing.T, signal os.Signal) int {
	t.Helper()
	p.stopped = true
	if err := p.cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	_ = p.cmd.Wait() // the exit code is checked
	return p.cmd.ProcessState.ExitCode()
}

func TestServe(t *testing.T) {
	t.Parallel()
	for _, signal := range []os.Signal{syscall.SIGINT, syscall.SIGTERM} {
		p := serve(t, t.TempDir(), "--log-requests")
		if status, body := p.get(t, "/health"); status != 200 || !strings.Contains(body, `"status":"ok"`) {
			t.Errorf("health: %d %s", status, body)
		}
		key := p.Ready.APIKey
		p.Ready.APIKey = "wrong"
		if status, _ := p.get(t, "/traders"); status != 401 {
			t.Errorf("wrong key: status %d", status)
		}
		if code := p.stop(t, signal); code != 0 {
			t.Errorf("%v: exit code %d: %s", signal, code, &p.stderr)
		}
		if _, err := os.Stat(p.readyFile); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("the ready file is still there: %v", err)
		}
		for _, want := range []string{p.Ready.BaseURL, p.Ready.CAFile, "200 traders, 400 accounts, 2000 trades, 150 payouts"} {
			if !strings.Contains(p.stdout.String(), want) {
				t.Errorf("no %q on standard output:\n%s", want, &p.stdout)
			}
		}
		if log := p.stderr.String(); !strings.Contains(log, "path=/traders") || !strings.Contains(log, "status=401") {
			t.Errorf("the log lacks the requests:\n%s", log)
		}
		if strings.Contains(p.stdout.String()+p.stderr.String(), key) {
			t.Error("the key is printed")
		}
	}
}

// TestRestartKeepsTheWorld checks that a simulated world lives on where it was stopped. It takes long
// because the program starts three times, and time passes in its world.
func TestRestartKeepsTheWorld(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := serve(t, dir, "--seed", "9", "--speed", "2000", "--weekends")
	before := first.closedTrades(t)
	_, trader := first.get(t, "/traders/tr_00000007")
	first.stop(t, syscall.SIGTERM)
	if len(before) < 1_900 {
		t.Fatalf("%d closed trades", len(before))
	}

	second := serve(t, dir) // flags that are not given keep their values
	after := second.closedTrades(t)
	if diff := cmp.Diff(first.Ready, second.Ready); diff != "" {
		t.Errorf("the ready files differ (-first +second):\n%s", diff)
	}
	for id, record := range before {
		if after[id] != record {
			t.Errorf("trade %s was\n%s and is\n%s", id, record, after[id])
		}
	}
	if _, got := second.get(t, "/traders/tr_00000007"); got != trader {
		t.Errorf("trader was\n%s and is\n%s", trader, got)
	}
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(time.Minute); len(after) <= len(before); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatal("the world does not live on")
		}
		after = second.closedTrades(t)
	}
	second.stop(t, syscall.SIGTERM)

	third := serve(t, dir, "--host", "platform.example")
	if third.Ready.APIKey != first.Ready.APIKey || third.Ready.BaseURL != first.Ready.BaseURL {
		t.Errorf("a new host changed %+v to %+v", first.Ready, third.Ready)
	}
	third.client.Transport.(*http.Transport).TLSClientConfig.ServerName = "platform.example"
	if status, _ := third.get(t, "/health"); status != 200 {
		t.Errorf("status %d by the name of --host", status)
	}
	third.stop(t, syscall.SIGTERM)

	code, _, stderr := run(t, "serve", "--dir", dir, "--listen", "127.0.0.1:0", "--seed", "10")
	if code != 2 || !strings.Contains(stderr, "--seed 10: the world in --dir was made with 9") {
		t.Errorf("another seed: exit code %d: %s", code, stderr)
	}
}

func TestServeWithFaultsAndKeys(t *testing.T) {
	t.Parallel()
	keyFile := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(keyFile, []byte("  from-a-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := serve(t, t.TempDir(), "--key-file", keyFile, "--fault", "status-503,endpoint=/traders,times=2,value=3", "--fault", "payouts-404")
	if p.Ready.APIKey != "from-a-file" {
		t.Errorf("key %q", p.Ready.APIKey)
	}
	var got []int
	for _, path := range []string{"/traders", "/accounts", "/traders", "/traders", "/payouts"} {
		status, _ := p.get(t, path)
		got = append(got, status)
	}
	if diff := cmp.Diff([]int{503, 200, 503, 200, 404}, got); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
	p.stop(t, syscall.SIGTERM)
	if p := serve(t, t.TempDir(), "--key", "given"); p.Ready.APIKey != "given" {
		t.Errorf("key %q", p.Ready.APIKey)
	}
}

func TestServePartner(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := serve(t, dir, "--kind", "partner_platform", "--dialect", "walk", "--totals", "top", "--speed", "0", "--numeric-account-numbers", "--no-updated-at",
		"--fault", "status-503,endpoint=/v1/payouts,times=1", "--log-requests")
	status, accounts := first.get(t, "/v1/prop-accounts?limit=5")
	if status != 200 || !strings.Contains(accounts, `"account_nr":441000000001,`) || !strings.HasSuffix(accounts, `],"total_count":400}`) || strings.Contains(accounts, "updated") {
		t.Errorf("accounts: %d %s", status, accounts)
	}
	statuses := make([]int, 3)
	for i, path := range []string{"/v1/payouts", "/v1/payouts", "/v1/trades/open?updated_gte=2026-01-01T00:00:00Z"} {
		statuses[i], _ = first.get(t, path)
	}
	if diff := cmp.Diff([]int{503, 200, 400}, statuses); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
	first.stop(t, syscall.SIGTERM)
	for _, want := range []string{"200 customers, 400 accounts", " open trades, 150 payouts", "/v1/trades/open?limit=2"} {
		if !strings.Contains(first.stdout.String(), want) {
			t.Errorf("no %q on standard output:\n%s", want, &first.stdout)
		}
	}
	if log := first.stderr.String(); !strings.Contains(log, "path=/v1/prop-accounts query=\"limit=5\" status=200") {
		t.Errorf("the log lacks the requests:\n%s", log)
	}

	second := serve(t, dir, "--kind", "partner_platform")
	if _, got := second.get(t, "/v1/prop-accounts?limit=5"); got != accounts {
		t.Errorf("accounts were\n%s and are\n%s", accounts, got)
	}
	second.stop(t, syscall.SIGTERM)

	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"other kind":    {nil, "--kind custom_api: the platform in --dir is of kind partner_platform; use --kind partner_platform or another --dir"},
		"other dialect": {[]string{"--kind", "partner_platform", "--dialect", "seeded"}, "--dialect seeded: the world in --dir was made with walk"},
		"other totals":  {[]string{"--kind", "partner_platform", "--totals", "none"}, "--totals none: the world in --dir was made with top"},
	} {
		code, _, stderr := run(t, append([]string{"serve", "--dir", dir, "--listen", "127.0.0.1:0"}, tt.args...)...)
		if code != 2 || !strings.Contains(stderr, tt.want) {
			t.Errorf("%s: exit code %d: %s", name, code, stderr)
		}
	}
	reference := t.TempDir()
	serve(t, reference).stop(t, syscall.SIGTERM)
	code, _, stderr := run(t, "serve", "--dir", reference, "--listen", "127.0.0.1:0", "--kind", "partner_platform")
	if code != 2 || !strings.Contains(stderr, "the platform in --dir is of kind custom_api") {
		t.Errorf("the reference platform's directory: exit code %d: %s", code, stderr)
	}
}

// A directory from before kinds existed holds a reference platform.
func TestStateWithoutKind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	state := `{"version":1,"world":{"seed":1,"start":"2026-03-04T15:00:00Z","traders":3,"accounts_per_trader":1,"trades":2000,"payouts":0,"speed":0,` +
		`"weekends":false,"trade_ids_per_account":false},"address":"127.0.0.1:1"}`
	if err := os.WriteFile(filepath.Join(dir, "state.json"), []byte(state), 0o600); err != nil {
		t.Fatal(err)
	}
	p := serve(t, dir)
	if status, traders := p.get(t, "/traders"); status != 200 || strings.Count(traders, `"id"`) != 3 {
		t.Errorf("%d %s", status, traders)
	}
	p.stop(t, syscall.SIGTERM)
}

func TestCommandLine(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = taken.Close() })
	newer := t.TempDir()
	if err := os.WriteFile(filepath.Join(newer, "state.json"), []byte(`{"version":2,"world":{},"address":""}`), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		args   []string
		code   int
		stdout string
		stderr string
	}{
		{name: "nothing", code: 2, stderr: "Usage: contracttest COMMAND"},
		{name: "help", args: []string{"--help"}, stdout: "serve the reference platform"},
		{name: "help of serve", args: []string{"serve", "--help"}, stdout: "--ready-file FILE"},
		{name: "help of the dialects", args: []string{"serve", "--help"}, stdout: "--dialect DIALECT\n        DIALECT of the third-party platform: contract, seeded"},
		{name: "examples", args: []string{"serve", "-h"}, stdout: "--fault status-429,endpoint=/trades"},
		{name: "unknown command", args: []string{"server"}, code: 2, stderr: `unknown command "server"`},
		{name: "unknown flag", args: []string{"serve", "--http"}, code: 2, stderr: "not defined: -http"},
		{name: "bad number", args: []string{"serve", "--seed", "x"}, code: 2, stderr: "seed"},
		{name: "argument", args: []string{"serve", "now"}, code: 2, stderr: `unexpected argument "now"`},
		{name: "unknown kind", args: []string{"serve", "--kind", "mt5"}, code: 2, stderr: "want custom_api or partner_platform"},
		{name: "dialect of the reference platform", args: []string{"serve", "--dialect", "seeded"}, code: 2, stderr: "--dialect is for --kind partner_platform"},
		{name: "unknown dialect", args: []string{"serve", "--kind", "partner_platform", "--dialect", "french"}, code: 2, stderr: "want one of [contract seeded walk]"},
		{name: "unknown place of totals", args: []string{"serve", "--kind", "partner_platform", "--totals", "header"}, code: 2, stderr: "want one of [metadata top none]"},
		{name: "fault of the other kind", args: []string{"serve", "--kind", "partner_platform", "--fault", "expired-cursor"}, code: 2, stderr: "total-too-high"},
		{name: "faults of the other kind", args: []string{"serve", "--kind", "partner_platform", "--list-faults"}, stdout: "total-negative           reports a total of -1\n"},
		{name: "two keys", args: []string{"serve", "--key", "a", "--key-file", "b"}, code: 2, stderr: "cannot be used together"},
		{name: "no port", args: []string{"serve", "--listen", "localhost"}, code: 2, stderr: "must be HOST:PORT"},
		{name: "unknown fault", args: []string{"serve", "--fault", "status-418"}, code: 2, stderr: "want one of open-auth"},
		{name: "fault with a bad option", args: []string{"serve", "--fault", "slow,often=3"}, code: 2, stderr: "want endpoint, after"},
		{name: "faults", args: []string{"serve", "--list-faults"}, stdout: "status-429-fraction      answers 429 with Retry-After: 0.5\n"},
		{name: "key file is missing", args: []string{"serve", "--key-file", "/nonexistent/key"}, code: 1, stderr: "/nonexistent/key"},
		{name: "negative size", args: []string{"serve", "--traders", "-3"}, code: 2, stderr: "number of traders is -3"},
		{name: "address in use", args: []string{"serve", "--listen", taken.Addr().String()}, code: 1, stderr: "address already in use"},
		{name: "state of another version", args: []string{"serve", "--dir", newer}, code: 1, stderr: "another version"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			args := tt.args
			if len(args) > 1 && args[0] == "serve" && args[1] != "--dir" {
				args = append([]string{"serve", "--dir", t.TempDir()}, args[1:]...)
			}
			code, stdout, stderr := run(t, args...)
			if code != tt.code || !strings.Contains(stdout, tt.stdout) || !strings.Contains(stderr, tt.stderr) {
				t.Errorf("exit code %d, want %d\nstdout: %s\nstderr: %s", code, tt.code, stdout, stderr)
			}
		})
	}
}

func TestNoTestCodeIsLinked(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", ".").CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, name := range strings.Fields(string(out)) {
		if name == "testing" || name == "net/http/httptest" {
			t.Errorf("%s is linked", name)
		}
	}
}
