package demo_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/dev/internal/demo"
	"github.com/assayhq/assay/internal/dev/internal/proc"
)

// somePorts asks for any free ports: stacks that start at the same time would
// race for the usual ones.
const somePorts = `{"platform": 0, "partner": 0, "receiver": 0, "apiserver": 0, "syncd_debug": 0, "apiserver_debug": 0}`

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
	for _, name := range []string{"apiserver", "syncd", "contracttest", "receiver"} {
		if err := os.Symlink(self, filepath.Join(root, "bin", name)); err != nil {
			t.Fatal(err)
		}
	}
	b.stack = demo.Stack{
		Root: root, Dir: filepath.Join(root, ".data", "run"), Prebuilt: true, DatabaseURL: database,
		Say: func(format string, args ...any) { b.said = append(b.said, fmt.Sprintf(format, args...)) },
		Environ: append([]string{
			"PATH=" + os.Getenv("PATH"), "ASSAY_DATABASE_URL=" + database, "DEMO_TEST_CALLS=" + b.calls, "GORACE=" + os.Getenv("GORACE"),
			// The launcher's own choice must win over these.
			"ASSAY_LISTEN=:1", "ASSAY_KEYRING_FILE=/none", "ASSAY_DEBUG_SYNCD=:1",
		}, environ...),
	}
	b.supervise(t)
	for name, content := range map[string]string{"ports.json": somePorts, "interviews": "made\n"} { // the stand-in has none
		if err := os.WriteFile(filepath.Join(b.stack.Dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
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

// read returns a kept file.
func (b *bench) read(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(b.stack.Dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// startAgain stops what runs, and starts as the next make run would.
func (b *bench) startAgain(t *testing.T, environ ...string) (summary string, err error) {
	t.Helper()
	if err := b.sup.Stop(); err != nil {
		t.Fatal(err)
	}
	b.supervise(t)
	b.said = nil
	b.stack.Environ = append(b.stack.Environ, environ...)
	return b.stack.Start(t.Context())
}

// TestStartWithoutInterviews starts where the sample interviews cannot be made, which is told and does not stop the start.
func TestStartWithoutInterviews(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if err := os.Remove(filepath.Join(b.stack.Dir, "interviews")); err != nil {
		t.Fatal(err)
	}
	summary, err := b.stack.Start(t.Context())
	if err != nil || !strings.Contains(summary, "assay runs") {
		t.Errorf("started with %v:\n%s", err, summary)
	}
	if said := strings.Join(b.said, "\n"); !strings.Contains(said, "warning: not all sample interviews are made") {
		t.Errorf("no warning that there are no interviews:\n%s", said)
	}
	if _, err := os.Stat(filepath.Join(b.stack.Dir, "interviews")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the next start would not make them: %v", err)
	}
}

// TestStartAndStartAgain starts the stack, and starts it again on what the first one left. It takes
// long because both wait until everything runs.
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
	parts := []string{
		"/docs\n", "owner@demo.test\n", "the password\n", "curl -s -H 'Authorization: Bearer " + apiKey + "' 'http://127.0.0.1:",
		"/v1/traders?limit=5'", "/v1/traders?limit=5&search=O%27Neill+%26+Co'", "/v1/traders?limit=5&source=partner_platform'",
	}
	for _, p := range platforms() {
		parts = append(parts, p.name, p.key)
	}
	for _, part := range parts {
		if !strings.Contains(summary, part) {
			t.Errorf("summary lacks %q:\n%s", part, summary)
		}
	}
	for _, absent := range []string{"dashboard", "OpenAPI", "/runs", "goes wrong"} {
		if strings.Contains(summary, absent) {
			t.Errorf("summary shows %q, which does not answer or is of no use yet", absent)
		}
	}
	b.expectArrival(t)
	for _, name := range []string{"owner.json", "keyring", "assay.yaml", "integration", "partner-integration", "webhook-endpoint", "webhook-secret"} {
		if info, err := os.Stat(filepath.Join(b.stack.Dir, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v %v", name, info, err)
		}
	}
	if seed := b.read(t, "platform/seed"); seed != "1" || b.read(t, "partner/seed") == seed {
		t.Errorf("the worlds are of seed %s, which the kept one is not, or have the same people", seed)
	}

	again, err := b.startAgain(t)
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

// expectArrival checks that progress shows how the first sync of each platform
// went, and nothing that is wrong.
func (b *bench) expectArrival(t *testing.T) {
	t.Helper()
	said := strings.Join(b.said, "\n")
	for _, p := range platforms() {
		for _, part := range []string{
			"read from the " + p.name + " so far: 100 traders, 0 accounts, 0 trades, 0 payouts\n",
			"read from the " + p.name + " so far: 200 traders", "the first sync of the " + p.name + " took",
		} {
			if !strings.Contains(said, part) {
				t.Errorf("progress lacks %q:\n%s", part, said)
			}
		}
	}
	if strings.Contains(said, "warning") {
		t.Errorf("progress warns:\n%s", said)
	}
}

// TestStartAfterOnePlatform: what was kept when there was the reference platform
// alone stays, and the partner platform is added.
func TestStartAfterOnePlatform(t *testing.T) {
	t.Parallel()
	b := setup(t)
	if _, err := b.stack.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	reference := b.integrations(t)[1:]
	before := map[string]int{}
	if err := json.Unmarshal([]byte(b.read(t, "ports.json")), &before); err != nil {
		t.Fatal(err)
	}
	delete(before, "partner")
	ports, err := json.Marshal(before)
	if err == nil {
		err = errors.Join(
			os.WriteFile(filepath.Join(b.stack.Dir, "ports.json"), ports, 0o600),
			os.Remove(filepath.Join(b.stack.Dir, "partner-integration")),
			os.RemoveAll(filepath.Join(b.stack.Dir, "partner")),
		)
	}
	if err != nil {
		t.Fatal(err)
	}
	b.setIntegrations(t, reference)

	if _, err := b.startAgain(t); err != nil {
		t.Fatal(err)
	}
	b.expectArrival(t)
	after := map[string]int{}
	if err := json.Unmarshal([]byte(b.read(t, "ports.json")), &after); err != nil || after["partner"] == 0 {
		t.Fatalf("ports %v: %v", after, err)
	}
	partner := saved{"0195-partner", "partner_platform", fmt.Sprintf("https://127.0.0.1:%d", after["partner"]), "partner-key", "pending", true}
	if diff := cmp.Diff([]*saved{&partner, reference[0]}, b.integrations(t)); diff != "" {
		t.Errorf("integrations (-want +got):\n%s", diff)
	}
	delete(after, "partner")
	if diff := cmp.Diff(before, after); diff != "" {
		t.Errorf("the other ports (-before +after):\n%s", diff)
	}
}

// TestStartWithTakenPort: a platform cannot move to another port, because its
// integration names this one.
func TestStartWithTakenPort(t *testing.T) {
	t.Parallel()
	for _, p := range platforms() {
		t.Run(p.kind, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = l.Close() })
			_, port, _ := net.SplitHostPort(l.Addr().String()) // a listener's address
			kept := strings.Replace(somePorts, `"`+p.process+`": 0`, `"`+p.process+`": `+port, 1)
			if err := os.WriteFile(filepath.Join(b.stack.Dir, "ports.json"), []byte(kept), 0o600); err != nil {
				t.Fatal(err)
			}
			_, err = b.stack.Start(t.Context())
			want := "port " + port + ", where the demo's integration expects the " + p.name + ", is taken"
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
		})
	}
}

// TestStartWithPort: the port that is asked for is taken or refused, and kept.
func TestStartWithPort(t *testing.T) {
	t.Parallel()
	b := setup(t)
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	b.stack.Port = l.Addr().(*net.TCPAddr).Port
	if _, err := b.stack.Start(t.Context()); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("port %d is taken", b.stack.Port)) {
		t.Errorf("error %v", err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("http://127.0.0.1:%d/", b.stack.Port)
	for _, asked := range []int{b.stack.Port, 0} {
		b.stack.Port = asked
		if _, err := b.startAgain(t); err != nil || b.stack.Dashboard() != want {
			t.Errorf("asked for port %d, the dashboard is at %s, want %s: %v", asked, b.stack.Dashboard(), want, err)
		}
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
		{name: "wrong variable", environ: "ASSAY_LOG_LEVEL=loud", want: []string{"migrate ended: exit status 1", `"loud" is not valid; use`}},
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
			name:    "a fault that the reference platform does not know",
			prepare: func(_ *testing.T, b *bench) { b.stack.Faults = []string{"no-fault"} },
			want:    []string{"platform ended: exit status 1", "--fault: want one of"},
		},
		{
			name:    "a fault that the partner platform does not know",
			prepare: func(_ *testing.T, b *bench) { b.stack.PartnerFaults = []string{"no-fault"} },
			want:    []string{"partner ended: exit status 1", "--fault: want one of"},
		},
		{
			name: "one platform ends while the other is not ready",
			prepare: func(_ *testing.T, b *bench) {
				b.stack.Faults, b.stack.PartnerFaults = []string{"never-ready"}, []string{"no-fault"}
			},
			want: []string{"partner ended: exit status 1"},
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
