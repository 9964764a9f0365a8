package demo_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/configs"
	"github.com/assayhq/assay/configs/dev/internal/demo"
	"github.com/assayhq/assay/configs/dev/internal/proc"
)

// The test binary stands in for the programs that the launcher starts: linked
// under a program's name it does what the launcher may expect of that program,
// and reads the configuration that the launcher wrote as the program would.
func TestMain(m *testing.M) {
	program, ok := map[string]func(context.Context, []string) error{
		"apiserver": apiserver, "syncd": syncd, "contracttest": contracttest,
	}[filepath.Base(os.Args[0])]
	if !ok {
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	if err := program(ctx, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, filepath.Base(os.Args[0])+": "+err.Error())
		os.Exit(1)
	}
}

const (
	platformKey = "platform-key"
	apiKey      = "svc_live_demo"
	integration = "0195-integration"
)

// flagValue returns the value after a flag.
func flagValue(args []string, name string) string {
	if values := flagValues(args, name); len(values) > 0 {
		return values[0]
	}
	return ""
}

// flagValues returns the values after a flag that may be repeated.
func flagValues(args []string, name string) (values []string) {
	for i := range len(args) - 1 {
		if args[i] == name {
			values = append(values, args[i+1])
		}
	}
	return values
}

func config(args []string) (configs.Config, error) {
	c, err := configs.Load(flagValue(args, "--config"), os.Environ())
	if err != nil {
		return c, err
	}
	return c, c.Require("database.url", "keyring_file", "public_url")
}

func contracttest(ctx context.Context, args []string) error {
	if args[0] != "serve" {
		return fmt.Errorf("unknown command %q", args[0])
	}
	content, err := json.Marshal(map[string]string{"base_url": "https://" + flagValue(args, "--listen"), "api_key": platformKey, "ca_file": filepath.Join(flagValue(args, "--dir"), "ca.pem")})
	if err != nil {
		return err
	}
	// What was to go wrong, for the test to see.
	faults := strings.Join(flagValues(args, "--fault"), "\n")
	if err := os.WriteFile(filepath.Join(filepath.Dir(flagValue(args, "--dir")), "faults"), []byte(faults), 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(flagValue(args, "--ready-file"), content, 0o600); err != nil {
		return err
	}
	<-ctx.Done()
	return nil
}

func syncd(ctx context.Context, args []string) error {
	c, err := config(args)
	if err != nil {
		return err
	}
	return serve(ctx, map[string]http.Handler{c.Debug.Syncd: ready()})
}

func ready() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /readyz", func(http.ResponseWriter, *http.Request) {})
	return mux
}

// serve listens at every address before it answers at any, as a process must
// that says it is ready.
func serve(ctx context.Context, servers map[string]http.Handler) error {
	listeners := map[string]net.Listener{}
	for address := range servers {
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
		if err != nil {
			return err
		}
		listeners[address] = l
	}
	failed := make(chan error, len(servers))
	for address, handler := range servers {
		go func() {
			s := http.Server{Handler: handler, ReadHeaderTimeout: time.Second}
			failed <- s.Serve(listeners[address])
		}()
	}
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
		return nil
	}
}

func apiserver(ctx context.Context, args []string) error {
	// What was asked for, for the test to see.
	f, err := os.OpenFile(os.Getenv("DEMO_TEST_CALLS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	line := regexp.MustCompile(`--config \S+`).ReplaceAllString(strings.Join(args, " "), "--config F")
	if _, err := fmt.Fprintln(f, line); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	if args[0] == "keyring" {
		fmt.Println("the keys")
		return nil
	}
	c, err := config(args)
	if err != nil {
		return err
	}
	switch args[0] {
	case "migrate":
		if reason := os.Getenv("DEMO_TEST_MIGRATE_FAILS"); reason != "" {
			return errors.New(reason)
		}
		return nil
	case "bootstrap":
		fmt.Printf(`{"organization_id": "o", "user_id": "u", "password": "the password", "api_key": %q}`, apiKey)
		return nil
	}
	keys, err := os.ReadFile(c.KeyringFile)
	if err != nil || string(keys) != "the keys\n" {
		return fmt.Errorf("keyring: %q %w", keys, err)
	}
	return serve(ctx, map[string]http.Handler{c.Debug.APIServer: ready(), c.Listen: &api{file: os.Getenv("DEMO_TEST_CALLS") + ".integrations"}})
}

// bench is a checkout whose programs are stand-ins.
type bench struct {
	stack demo.Stack
	calls string
	sup   *proc.Supervisor
	said  []string
}

func setup(t *testing.T, environ ...string) *bench {
	t.Helper()
	database := os.Getenv("ASSAY_TEST_DATABASE_URL")
	if database == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("ASSAY_TEST_DATABASE_URL is not set")
		}
		t.Skip("needs a database: run make test, or set ASSAY_TEST_DATABASE_URL")
	}
	// Linux ends a child with the thread that started it.
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	b := &bench{calls: filepath.Join(t.TempDir(), "calls")}
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"apiserver", "syncd", "contracttest"} {
		if err := os.Symlink(self, filepath.Join(root, "bin", name)); err != nil {
			t.Fatal(err)
		}
	}
	b.stack = demo.Stack{
		Root: root, Dir: filepath.Join(root, ".data", "run"), Prebuilt: true, DatabaseURL: database,
		Say: func(format string, args ...any) { b.said = append(b.said, fmt.Sprintf(format, args...)) },
		Environ: append([]string{
			"PATH=" + os.Getenv("PATH"), "ASSAY_DATABASE_URL=" + database, "DEMO_TEST_CALLS=" + b.calls,
			// The launcher's own choice must win over these.
			"ASSAY_LISTEN=:1", "ASSAY_KEYRING_FILE=/none", "ASSAY_DEBUG_SYNCD=:1",
		}, environ...),
	}
	b.supervise(t)
	// Any free ports: stacks that start at the same time would race for the usual ones.
	if err := os.WriteFile(filepath.Join(b.stack.Dir, "ports.json"), []byte(`{"platform": 0, "apiserver": 0, "syncd_debug": 0, "apiserver_debug": 0}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *bench) supervise(t *testing.T) {
	t.Helper()
	sup, err := proc.New(b.stack.Dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sup.Stop() })
	b.stack.Supervisor, b.sup = sup, sup
}

func (b *bench) called(t *testing.T) []string {
	t.Helper()
	content, err := os.ReadFile(b.calls)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(content)), "\n")
}

func TestStartAndStartAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	summary, err := b.stack.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"migrate --config F",
		"keyring new",
		"bootstrap --config F --organization Demo --email owner@demo.test",
		"--config F",
	}
	if diff := cmp.Diff(want, b.called(t)); diff != "" {
		t.Errorf("calls of apiserver (-want +got):\n%s", diff)
	}
	for _, part := range []string{
		apiKey, platformKey, "/docs\n",
		"curl -s -H 'Authorization: Bearer " + apiKey + "' 'http://127.0.0.1:",
		"/v1/traders?limit=5'", "/v1/traders?limit=5&search=O%27Neill+%26+Co'",
	} {
		if !strings.Contains(summary, part) {
			t.Errorf("summary lacks %q", part)
		}
	}
	for _, absent := range []string{"dashboard", "OpenAPI", "/runs", "owner@demo.test", "the password"} {
		if strings.Contains(summary, absent) {
			t.Errorf("summary shows %q, which does not answer or is of no use yet", absent)
		}
	}
	if !strings.Contains(strings.Join(b.said, "\n"), "arrived: 100 traders, 0 accounts, 0 trades, 0 payouts\narrived: 200 traders") {
		t.Errorf("progress reads\n%s", strings.Join(b.said, "\n"))
	}
	for _, name := range []string{"owner.json", "keyring", "assay.yaml", "integration"} {
		if info, err := os.Stat(filepath.Join(b.stack.Dir, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
	if err := b.sup.Stop(); err != nil {
		t.Fatal(err)
	}

	b.supervise(t)
	again, err := b.stack.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(summary, again); diff != "" {
		t.Errorf("summary of the second start (-first +second):\n%s", diff)
	}
	if diff := cmp.Diff(append(want, "migrate --config F", "--config F"), b.called(t)); diff != "" {
		t.Errorf("calls of apiserver (-want +got):\n%s", diff)
	}
}

// TestStartWithFaults: a platform that goes wrong is shown, not taken for a
// failure of the start, and works again at the next start.
func TestStartWithFaults(t *testing.T) {
	t.Parallel()
	b := setup(t, "DEMO_TEST_CHECK_FAILS=1")
	faults := func() string {
		t.Helper()
		content, err := os.ReadFile(filepath.Join(b.stack.Dir, "faults"))
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	b.stack.Faults = []string{"status-500,endpoint=/trades", "slow"}
	summary, err := b.stack.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := faults(); got != "status-500,endpoint=/trades\nslow" {
		t.Errorf("the platform's faults are %q", got)
	}
	for _, part := range []string{"status-500,endpoint=/trades (until", "slow (until", "/v1/integrations/" + integration + "'"} {
		if !strings.Contains(summary, part) {
			t.Errorf("summary lacks %q:\n%s", part, summary)
		}
	}
	if said := strings.Join(b.said, "\n"); !strings.Contains(said, "traders: HTTP 500. Look at the logs.") {
		t.Errorf("progress does not say what the live check found:\n%s", said)
	}
	if err := b.sup.Stop(); err != nil {
		t.Fatal(err)
	}

	b.supervise(t)
	b.stack.Faults, b.said = nil, nil
	b.stack.Environ = append(b.stack.Environ, "DEMO_TEST_CHECK_FAILS=")
	summary, err = b.stack.Start(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := faults(); got != "" || strings.Contains(summary, "goes wrong") {
		t.Errorf("the platform's faults are still %q:\n%s", got, summary)
	}
	for _, part := range []string{"the integration is check_failed: repeating the live check", "the first sync landed"} {
		if !strings.Contains(strings.Join(b.said, "\n"), part) {
			t.Errorf("progress lacks %q:\n%s", part, strings.Join(b.said, "\n"))
		}
	}
	if err := b.sup.Stop(); err != nil {
		t.Fatal(err)
	}

	// After an hour of failures the next cycle may be an hour away.
	list := b.integrations(t)
	list[0].Health = "failing"
	b.setIntegrations(t, list)
	b.supervise(t)
	if _, err := b.stack.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	if health := b.integrations(t)[0].Health; health != "pending" {
		t.Errorf("no sync was asked for: health %s", health)
	}
}

func TestStartFails(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		environ string
		prepare func(t *testing.T, b *bench)
		want    []string
	}{
		{name: "migration", environ: "DEMO_TEST_MIGRATE_FAILS=no such table", want: []string{"migrate ended: exit status 1", "apiserver: no such table"}},
		{name: "wrong variable", environ: "ASSAY_LOG_LEVEL=loud", want: []string{"migrate ended: exit status 1", `"loud" is not valid here`}},
		{
			name: "key of another database",
			prepare: func(t *testing.T, b *bench) {
				t.Helper()
				if err := os.WriteFile(filepath.Join(b.stack.Dir, "owner.json"), []byte(`{"api_key": "svc_live_other"}`), 0o600); err != nil {
					t.Fatal(err)
				}
			},
			want: []string{"owner.json is not this database's", "HTTP 401"},
		},
		{
			name: "daemon that does not start",
			prepare: func(t *testing.T, b *bench) {
				t.Helper()
				if err := os.WriteFile(filepath.Join(b.stack.Dir, "keyring"), []byte("other keys"), 0o600); err != nil {
					t.Fatal(err)
				}
			},
			want: []string{"apiserver ended: exit status 1", `keyring: "other keys"`},
		},
		{
			name:    "old database",
			prepare: func(_ *testing.T, b *bench) { b.stack.DatabaseURL = "postgres://127.0.0.1:1/none" },
			want:    []string{"database of ASSAY_DATABASE_URL"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t, tc.environ)
			if tc.prepare != nil {
				tc.prepare(t, b)
			}
			_, err := b.stack.Start(t.Context())
			if err == nil {
				t.Fatal("no error")
			}
			for _, part := range tc.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error lacks %q:\n%s", part, err)
				}
			}
		})
	}
}
