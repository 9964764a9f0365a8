package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
)

// asProgram makes the test binary behave as apiserver itself.
const asProgram = "ASSAY_TEST_AS_APISERVER"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	flag.Parse()
	dir, err := os.MkdirTemp("", "apiserver-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	syncd = sync.OnceValues(func() (string, error) { return buildProgram(dir, "syncd") })
	code := storetest.Suite{M: m}.Run()
	_ = os.RemoveAll(dir) // temporary files
	os.Exit(code)
}

// lifetime is when a process is killed that a test has not stopped.
const lifetime = 10 * time.Minute

// patience limits how long a test waits for a process.
const patience = 5 * time.Minute

// program returns apiserver with the arguments and its own environment.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	check(t, err)
	ctx, cancel := context.WithTimeout(context.Background(), lifetime)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Env = []string{asProgram + "=1", "HOME=" + t.TempDir(), "TMPDIR=" + t.TempDir(), "ASSAY_BLOBS_URL=file://" + t.TempDir()}
	return cmd
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// runProgram runs a command until it exits.
func runProgram(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := program(t, args...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Fatal(err)
	} else if ok {
		code = exit.ExitCode()
	}
	return out.String(), errs.String(), code
}

func TestCommandLine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	broken := filepath.Join(dir, "broken.yaml")
	check(t, os.WriteFile(broken, []byte("databas: {}\n"), 0o600))
	// The configuration refers to something invalid.
	named := func(more string) []string {
		return []string{"--config", newSite(t, "postgres://nobody@127.0.0.1:1/nothing", more).config}
	}
	replaced := func(keyring string) []string {
		args := named("")
		check(t, os.WriteFile(filepath.Join(filepath.Dir(args[1]), "keyring"), []byte(keyring), 0o600))
		return args
	}
	tests := []struct {
		name   string
		args   []string
		code   int
		stdout string
		stderr string
	}{
		{"help", []string{"help"}, 0, "Usage:", ""},
		{"help on signals", []string{"help"}, 0, "SIGHUP reloads the log level and the keyring", ""},
		{"version", []string{"version"}, 0, "apiserver ", ""},
		{"version flag", []string{"--version"}, 0, ", go1.", ""},
		{"help flag", []string{"--help"}, 0, "Usage:", ""},
		{"help of a command", []string{"bootstrap", "-h"}, 0, "Usage:\n  apiserver bootstrap", ""},
		{"help of a group", []string{"user", "--help"}, 0, "Usage:\n  apiserver user list", ""},
		{"help on a command", []string{"help", "audit", "verify"}, 0, "Usage:\n  apiserver audit verify", ""},
		{"unknown command", []string{"server"}, 2, "", `unknown command "server"`},
		{"half a command", []string{"keyring"}, 2, "", `unknown command "keyring"`},
		{"unknown flag", []string{"--port", "80"}, 2, "", "flag provided but not defined"},
		{"flag of another command", []string{"migrate", "--email", "x"}, 2, "", "flag provided but not defined"},
		{"argument too many", []string{"--config", "x", "y"}, 2, "", `unexpected argument "y"`},
		{"no configuration", nil, 2, "", "database.url: is needed here"},
		{"no such file", []string{"--config", filepath.Join(dir, "none.yaml")}, 2, "", "none.yaml"},
		{"faulty file", []string{"migrate", "--config", broken}, 2, "", "broken.yaml:1:1"},
		{"a keyring that is none", replaced("primary: x"), 2, "", "keyring_file: "},
		{"a certificate that is not there", named("tls: {cert_file: /nonexistent/cert, key_file: /nonexistent/key}"), 2, "", "/nonexistent/cert"},
		{"roots that are not there", named("egress: {ca_file: /nonexistent/ca}"), 2, "", "egress.ca_file: open /nonexistent/ca"},
		{"bootstrap without a name", []string{"bootstrap", "--email", "a@b.example"}, 2, "", "--organization NAME"},
		{"bootstrap without an email", []string{"bootstrap", "--organization", "A"}, 2, "", "--email ADDRESS"},
		{"bootstrap with a name in the email", []string{"bootstrap", "--organization", "A", "--email", "A <a@b.example>"}, 2, "", "--email ADDRESS"},
		{"bootstrap with an unknown scope", []string{"bootstrap", "--organization", "A", "--email", "a@b.example", "--scopes", "all"}, 2, "", `unknown scope "all"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			stdout, stderr, code := runProgram(t, tt.args...)
			if code != tt.code || !strings.Contains(stdout, tt.stdout) || !strings.Contains(stderr, tt.stderr) {
				t.Errorf("exit %d, want %d\nstdout: %s\nstderr: %s", code, tt.code, stdout, stderr)
			}
			if tt.code != 0 && stdout != "" {
				t.Errorf("a failure prints to standard output: %s", stdout)
			}
			if strings.Contains(stderr, "invalid command line") && (strings.Count(stderr, "\n") != 2 || !strings.HasSuffix(stderr, "\nRun `apiserver help` for all commands and their flags.\n")) {
				t.Errorf("the reason is not all that is printed:\n%s", stderr)
			}
		})
	}
}

func TestKeyringNew(t *testing.T) {
	t.Parallel()
	first, _, code := runProgram(t, "keyring", "new")
	if _, err := seal.ParseKeyring([]byte(first)); err != nil || code != 0 {
		t.Errorf("exit %d, %v", code, err)
	}
	if second, _, _ := runProgram(t, "keyring", "new"); second == first {
		t.Error("two keyrings are the same")
	}
}

// site holds the files and addresses of one apiserver.
type site struct {
	config string // path of the file
	public string // host:port
	debug  string
	env    []string // more of the environment
}

// newSite writes a configuration that ends with more.
func newSite(t testing.TB, databaseURL string, more ...string) site {
	t.Helper()
	dir := t.TempDir()
	s := site{config: filepath.Join(dir, "assay.yaml"), public: storetest.Address(t), debug: storetest.Address(t)}
	keyring, database := filepath.Join(dir, "keyring"), filepath.Join(dir, "database-url")
	check(t, os.WriteFile(keyring, []byte(storetest.KeyringText), 0o600))
	check(t, os.WriteFile(database, []byte(databaseURL), 0o600))
	text := fmt.Sprintf("database: {url_file: %q}\nkeyring_file: %q\npublic_url: https://assay.example\nlisten: %q\ndebug: {apiserver: %q, pprof: true}\n",
		database, keyring, s.public, s.debug)
	check(t, os.WriteFile(s.config, []byte(text+strings.Join(more, "\n")+"\n"), 0o600))
	return s
}

// daemon is a running apiserver.
type daemon struct {
	site
	cmd  *exec.Cmd
	mu   sync.Mutex
	log  strings.Builder
	done chan struct{}
}

// start starts apiserver, and kills it if it is still running at the end of the test.
func (s site) start(t *testing.T) *daemon {
	t.Helper()
	d := &daemon{site: s, cmd: program(t, "--config", s.config), done: make(chan struct{})}
	d.cmd.Env = append(d.cmd.Env, s.env...)
	stderr, err := d.cmd.StderrPipe()
	check(t, err)
	check(t, d.cmd.Start())
	go func() {
		defer close(d.done)
		for lines := bufio.NewScanner(stderr); lines.Scan(); {
			d.mu.Lock()
			d.log.WriteString(lines.Text() + "\n")
			d.mu.Unlock()
		}
	}()
	t.Cleanup(func() {
		_ = d.cmd.Process.Kill()
		<-d.done
		_ = d.cmd.Wait()
		if t.Failed() {
			t.Logf("log:\n%s", d.logged())
		}
	})
	return d
}

func (d *daemon) logged() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.log.String()
}

// wait returns the exit code.
func (d *daemon) wait(t *testing.T) int {
	t.Helper()
	<-d.done
	_ = d.cmd.Wait()
	return d.cmd.ProcessState.ExitCode()
}

// get returns status and body. The status is 0 if there was no response.
func get(client *http.Client, url, key string) (int, string) {
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		return 0, err.Error()
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	res, err := client.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err.Error()
	}
	return res.StatusCode, string(body)
}

func (d *daemon) ready(t *testing.T) {
	t.Helper()
	storetest.Eventually(t, "ready", func() bool {
		status, _ := get(http.DefaultClient, "http://"+d.debug+"/readyz", "")
		return status == http.StatusOK
	})
	connection, err := net.Dial("tcp", d.public)
	if err != nil {
		t.Fatalf("it is ready and does not listen: %v", err)
	}
	_ = connection.Close()
}

func TestFromNothingToAnswers(t *testing.T) {
	t.Parallel()
	certificate := httptest.NewUnstartedServer(nil)
	certificate.StartTLS() // only for its certificate
	defer certificate.Close()
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	leaf := certificate.TLS.Certificates[0]
	key, err := x509.MarshalPKCS8PrivateKey(leaf.PrivateKey)
	check(t, err)
	check(t, os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: leaf.Certificate[0]}), 0o600))
	check(t, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: key}), 0o600))

	databaseURL := storetest.Empty(t)
	s := newSite(t, databaseURL, fmt.Sprintf("tls: {cert_file: %q, key_file: %q}", certFile, keyFile), "egress: {region: test, cidrs: [203.0.113.7/32]}")

	// On an empty database, both refuse to run and explain what to do.
	for _, args := range [][]string{{"--config", s.config}, {"bootstrap", "--organization", "A", "--email", "a@b.example", "--config", s.config}} {
		if _, stderr, code := runProgram(t, args...); code != 1 || !strings.Contains(stderr, "apiserver migrate") {
			t.Fatalf("%v on an empty database: exit %d, %s", args, code, stderr)
		}
	}
	for range 2 {
		if _, stderr, code := runProgram(t, "migrate", "--config", s.config); code != 0 || !strings.Contains(stderr, "up to date") {
			t.Fatalf("migrate: exit %d, %s", code, stderr)
		}
	}
	owner := bootstrapOf(t, s, "Alpha Capital")
	if _, stderr, code := runProgram(t, "bootstrap", "--organization", "Alpha Capital", "--email", "a@b.example", "--config", s.config); code != 1 || !strings.Contains(stderr, "already") {
		t.Errorf("second bootstrap: exit %d, %s", code, stderr)
	}
	narrow := bootstrapOf(t, s, "Beta", "--scopes", "traders:read, traders:write")

	d := s.start(t)
	d.ready(t)
	client := certificate.Client()
	base := "https://" + d.public
	if status, body := get(client, base+"/v1/integrations/egress", owner.APIKey); status != http.StatusOK || body != `{"region":"test","cidrs":["203.0.113.7/32"],"note":null}` {
		t.Errorf("egress: %d %s", status, body)
	}
	if status, body := get(client, base+"/v1/integrations", narrow.APIKey); status != http.StatusForbidden {
		t.Errorf("with a narrow key: %d %s", status, body)
	}
	if status, _ := get(client, base+"/v1/traders", narrow.APIKey); status != http.StatusOK {
		t.Errorf("traders with a narrow key: %d", status)
	}
	old := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true, MaxVersion: tls.VersionTLS11, MinVersion: tls.VersionTLS10}}}
	if status, _ := get(old, base+"/v1/traders", narrow.APIKey); status != 0 {
		t.Errorf("TLS 1.1 is answered with %d", status)
	}
	if status, body := get(http.DefaultClient, "http://"+d.public+"/v1/traders", ""); status != http.StatusBadRequest || body != "Client sent an HTTP request to an HTTPS server.\n" {
		t.Errorf("plain HTTP on the port for TLS: %d %s", status, body)
	}
	d.checkDebug(t)
	check(t, d.cmd.Process.Signal(syscall.SIGTERM))
	if code := d.wait(t); code != 0 {
		t.Errorf("SIGTERM: exit %d", code)
	}
	if strings.Contains(d.logged(), owner.APIKey) {
		t.Error("a key was logged")
	}
}

func bootstrapOf(t *testing.T, s site, name string, more ...string) (b bootstrapped) {
	t.Helper()
	args := append([]string{"bootstrap", "--config", s.config, "--organization", name, "--email", "owner@example.com"}, more...)
	stdout, stderr, code := runProgram(t, args...)
	if code != 0 {
		t.Fatalf("bootstrap: exit %d, %s", code, stderr)
	}
	check(t, json.Unmarshal([]byte(stdout), &b))
	if b.OrganizationID == b.UserID || len(b.Password) < 20 || !strings.HasPrefix(b.APIKey, "svc_live_") {
		t.Errorf("printed %s", stdout)
	}
	return b
}

// checkDebug checks the private listener.
func (d *daemon) checkDebug(t *testing.T) {
	t.Helper()
	base := "http://" + d.debug
	for _, path := range []string{"/healthz", "/readyz", "/debug/pprof/cmdline"} {
		if status, body := get(http.DefaultClient, base+path, ""); status != http.StatusOK {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	// A request is counted after it has ended, which its client may notice earlier.
	for _, want := range []string{
		`assay_apiserver_requests_total{code="200",method="GET",route="/v1/integrations/egress"} 1`,
		`assay_apiserver_request_duration_seconds_count{route="/v1/traders"} 1`,
		`assay_apiserver_inflight_requests 0`,
		`assay_apiserver_auth_failures_total{code="insufficient_scope"} 1`,
		"assay_apiserver_read_duration_seconds_bucket{le=\"0.25\"} ", "assay_keyring_unknown_key_total 0\n",
		"assay_build_info{", "assay_database_pool_connections ", "go_goroutines ", "process_open_fds ",
	} {
		storetest.Eventually(t, "metrics hold "+want, func() bool {
			_, metrics := get(http.DefaultClient, base+"/metrics", "")
			return strings.Contains(metrics, want)
		})
	}
	// The probes are private.
	if status, _ := get(http.DefaultClient, "http://"+d.public+"/metrics", ""); status == http.StatusOK {
		t.Error("metrics are served to the public")
	}
}

// tunnel forwards connections to the database while it is open.
type tunnel struct {
	address  string
	database string
	wg       sync.WaitGroup
}

func (n *tunnel) open(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("tcp", n.address)
	check(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	n.wg.Go(func() {
		for {
			in, err := listener.Accept()
			if err != nil {
				return
			}
			n.wg.Go(func() { n.forward(ctx, in) })
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		cancel()
		n.wg.Wait()
	})
}

func (n *tunnel) forward(ctx context.Context, in net.Conn) {
	out, err := net.Dial("tcp", n.database)
	if err != nil {
		_ = in.Close()
		return
	}
	stop := context.AfterFunc(ctx, func() { _, _ = in.Close(), out.Close() })
	defer stop()
	n.wg.Go(func() {
		_, _ = io.Copy(out, in)
		_ = out.Close()
	})
	_, _ = io.Copy(in, out)
	_ = in.Close()
}

func TestDatabaseThatComesLate(t *testing.T) {
	t.Parallel()
	u, err := url.Parse(storetest.URL(t))
	check(t, err)
	n := &tunnel{address: storetest.Address(t), database: u.Host}
	u.Host = n.address
	s := newSite(t, u.String())
	d := s.start(t)
	var status int
	var body string
	storetest.Eventually(t, "unready", func() bool {
		status, body = get(http.DefaultClient, "http://"+d.debug+"/readyz", "")
		return status != 0
	})
	if status != http.StatusServiceUnavailable {
		t.Errorf("without a database /readyz answers %d %s", status, body)
	}
	if status, _ := get(http.DefaultClient, "http://"+d.debug+"/healthz", ""); status != http.StatusOK {
		t.Errorf("without a database /healthz answers %d", status)
	}
	n.open(t)
	d.ready(t)
	owner := bootstrapOf(t, s, "Late")
	if status, body := get(http.DefaultClient, "http://"+d.public+"/v1/traders", owner.APIKey); status != http.StatusOK {
		t.Errorf("traders: %d %s", status, body)
	}
	check(t, d.cmd.Process.Signal(syscall.SIGINT))
	if code := d.wait(t); code != 0 {
		t.Errorf("SIGINT: exit %d", code)
	}
}

func TestReadOnlyDatabase(t *testing.T) {
	t.Parallel()
	database := storetest.URL(t)
	s := newSite(t, database)
	d := s.start(t)
	d.ready(t)
	admin := storetest.Conn(t, database)
	answers := func(what string, want int) {
		t.Helper()
		storetest.Exec(t, admin, `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
		storetest.Eventually(t, what, func() bool {
			status, body := get(http.DefaultClient, "http://"+d.debug+"/readyz", "")
			return status == want && (want == http.StatusOK || strings.Contains(body, "read-only"))
		})
	}
	storetest.Exec(t, admin, `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$`)
	answers("/readyz says that the database is read-only", http.StatusServiceUnavailable)
	storetest.Exec(t, admin, `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I RESET default_transaction_read_only', current_database()); END $$`)
	answers("/readyz says yes", http.StatusOK)
}

func TestStopWhileWaitingForTheDatabase(t *testing.T) {
	t.Parallel()
	s := newSite(t, "postgres://postgres@"+storetest.Address(t)+"/x?sslmode=disable")
	d := s.start(t)
	storetest.Eventually(t, "waiting", func() bool { return strings.Contains(d.logged(), "waiting") })
	check(t, d.cmd.Process.Signal(syscall.SIGTERM))
	if code := d.wait(t); code != 0 {
		t.Errorf("exit %d", code)
	}
}

func TestReloadOfTheLogLevel(t *testing.T) {
	t.Parallel()
	s := newSite(t, storetest.URL(t), "log: {level: error}")
	d := s.start(t)
	d.ready(t)
	if log := d.logged(); log != "" {
		t.Errorf("logged below the level: %s", log)
	}
	text, err := os.ReadFile(s.config)
	check(t, err)
	check(t, os.WriteFile(s.config, bytes.Replace(text, []byte("level: error"), []byte("level: info"), 1), 0o600))
	check(t, d.cmd.Process.Signal(syscall.SIGHUP))
	storetest.Eventually(t, "reloaded", func() bool { return strings.Contains(d.logged(), "configuration reloaded") })
	get(http.DefaultClient, "http://"+d.public+"/v1/traders", "")
	storetest.Eventually(t, "request logged", func() bool { return strings.Contains(d.logged(), `"route":"/v1/traders"`) })
	if strings.Contains(d.logged(), "restart to apply them") {
		t.Error("a new level is said to take a restart")
	}
	check(t, os.WriteFile(s.config, bytes.Replace(text, []byte("level: error"), []byte("level: info, format: text"), 1), 0o600))
	check(t, d.cmd.Process.Signal(syscall.SIGHUP))
	storetest.Eventually(t, "told that it has no effect yet", func() bool { return strings.Contains(d.logged(), "restart to apply them") })
	// A faulty file changes and stops nothing.
	check(t, os.WriteFile(s.config, []byte("log: {level: loud}"), 0o600))
	check(t, d.cmd.Process.Signal(syscall.SIGHUP))
	storetest.Eventually(t, "refused", func() bool { return strings.Contains(d.logged(), "the previous one stays") })
	if status, _ := get(http.DefaultClient, "http://"+d.public+"/v1/traders", ""); status != http.StatusUnauthorized {
		t.Errorf("answered %d", status)
	}
}

// TestReadersOfSecrets checks that the log names each file with secrets that everybody on the
// machine can read.
func TestReadersOfSecrets(t *testing.T) {
	t.Parallel()
	for _, mode := range []os.FileMode{0o640, 0o644} {
		s := newSite(t, storetest.URL(t))
		for _, name := range []string{"keyring", "database-url"} {
			check(t, os.Chmod(filepath.Join(filepath.Dir(s.config), name), mode))
		}
		d := s.start(t)
		d.ready(t)
		for _, key := range []string{"keyring_file", "database.url_file"} {
			if named := strings.Contains(d.logged(), fmt.Sprintf(`"key":%q`, key)); named != (mode == 0o644) {
				t.Errorf("%s of mode %s is named: %t\n%s", key, mode, named, d.logged())
			}
		}
	}
}

// TestBlobsThatCannotBeWritten checks that the log warns before anybody loses a recording, and
// that everything else is served.
func TestBlobsThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	check(t, os.WriteFile(filepath.Join(folder, "check"), nil, 0o400)) // in place of a folder
	s := newSite(t, storetest.URL(t))
	s.env = []string{"ASSAY_BLOBS_URL=file://" + folder}
	d := s.start(t)
	d.ready(t)
	storetest.Eventually(t, "the log tells of the blobs", func() bool {
		return strings.Contains(d.logged(), `"level":"ERROR"`) && strings.Contains(d.logged(), "blobs.url") && strings.Contains(d.logged(), folder)
	})
	check(t, d.cmd.Process.Signal(syscall.SIGTERM))
	if code := d.wait(t); code != 0 {
		t.Errorf("exit %d", code)
	}
}

func TestAddressInUse(t *testing.T) {
	t.Parallel()
	for key, advice := range map[string]string{
		"listen": "listen or ASSAY_LISTEN", "debug.apiserver": "debug.apiserver or ASSAY_DEBUG_APISERVER",
	} {
		t.Run(key, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, storetest.URL(t))
			address := map[string]string{"listen": s.public, "debug.apiserver": s.debug}[key]
			taken, err := net.Listen("tcp", address)
			check(t, err)
			defer func() { _ = taken.Close() }()
			_, stderr, code := runProgram(t, "--config", s.config)
			for _, part := range []string{key + ": ", address, "another process uses the address", "choose another port in " + advice + "\n"} {
				if !strings.Contains(stderr, part) {
					t.Errorf("stderr lacks %q: %s", part, stderr)
				}
			}
			if code != 1 { // and not 2, after which a service is not started again
				t.Errorf("exit %d", code)
			}
		})
	}
}

func TestSignalDuringALiveCheck(t *testing.T) {
	t.Parallel()
	reference, err := reference.New(reference.Options{Key: storetest.PlatformKey, Firm: firm.Options{Start: time.Now()}})
	check(t, err)
	reached := make(chan struct{}, 1)
	platform := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		reached <- struct{}{}
		<-r.Context().Done()
		reference.ServeHTTP(w, r)
	}))
	defer platform.Close()
	caFile := filepath.Join(t.TempDir(), "ca.pem")
	check(t, os.WriteFile(caFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: platform.Certificate().Raw}), 0o600))
	s := newSite(t, storetest.URL(t), fmt.Sprintf("egress: {allow_cidrs: [127.0.0.0/8], ca_file: %q}", caFile))
	d := s.start(t)
	d.ready(t)
	owner := bootstrapOf(t, s, "Alpha")
	type result struct {
		status int
		body   string
	}
	answered := make(chan result, 1)
	go func() {
		body := fmt.Sprintf(`{"kind": "custom_api", "base_url": %q, "api_key": %q}`, platform.URL, storetest.PlatformKey)
		req, err := http.NewRequest(http.MethodPost, "http://"+d.public+"/v1/integrations", strings.NewReader(body))
		if err != nil {
			answered <- result{0, err.Error()}
			return
		}
		req.Header.Set("Authorization", "Bearer "+owner.APIKey)
		req.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			answered <- result{0, err.Error()}
			return
		}
		defer func() { _ = res.Body.Close() }()
		text, _ := io.ReadAll(res.Body)
		answered <- result{res.StatusCode, string(text)}
	}()
	<-reached
	check(t, d.cmd.Process.Signal(syscall.SIGTERM))
	if got := <-answered; got.status != http.StatusServiceUnavailable || !strings.Contains(got.body, "service_unavailable") {
		t.Errorf("answered %d %s", got.status, got.body)
	}
	if code := d.wait(t); code != 0 {
		t.Errorf("exit %d", code)
	}
	lines := strings.Split(strings.TrimSpace(d.logged()), "\n")
	var last struct{ Msg string }
	check(t, json.Unmarshal([]byte(lines[len(lines)-1]), &last))
	if diff := cmp.Diff("apiserver stopped", last.Msg); diff != "" {
		t.Errorf("last log line (-want +got):\n%s", diff)
	}
}
