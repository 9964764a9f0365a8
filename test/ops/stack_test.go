package ops_test

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/storetest"
)

// binaries builds both daemons, once.
var binaries func() (dir string, err error)

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "assay-ops-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	binaries = sync.OnceValues(func() (string, error) {
		out, err := exec.Command("go", "build", "-o", dir+"/", "github.com/assayhq/assay/apiserver", "github.com/assayhq/assay/syncd").CombinedOutput()
		if err != nil {
			err = fmt.Errorf("build the daemons: %w\n%s", err, out)
		}
		return dir, err
	})
	code := m.Run()
	_ = os.RemoveAll(dir) // temporary files
	os.Exit(code)
}

// stack is a database, platforms, a receiver of webhooks, and the processes that
// a test starts on them.
type stack struct {
	t        *testing.T
	conn     *pgx.Conn // for one goroutine
	db       *store.DB
	org      uuid.UUID
	key      string
	database string // its URL
	public   string // addresses
	debug    map[string]string
	env      []string
	platform *reference.Server // works
	broken   *reference.Server // for incidents
	refusing *reference.Server // for incidents
	receiver *httptest.Server
	logs     map[string]*buffer // by daemon
	received sync.Map           // headers of webhooks that have come, by webhook-id
}

// newStack returns a stack without processes, with an organization and its key.
func newStack(t *testing.T, more ...string) *stack {
	t.Helper()
	dir, err := binaries()
	if err != nil {
		t.Fatal(err)
	}
	url := storetest.URL(t)
	s := &stack{
		t: t, conn: storetest.Conn(t, url), db: storetest.Open(t, url), database: url, public: storetest.Address(t),
		logs:  make(map[string]*buffer),
		debug: map[string]string{"syncd": storetest.Address(t), "apiserver": storetest.Address(t)},
	}
	var roots bytes.Buffer
	for i, p := range []**reference.Server{&s.platform, &s.broken, &s.refusing} {
		if *p, err = reference.Start(reference.Options{Seed: uint64(i + 1), Traders: 5, AccountsPerTrader: 1, Trades: 100, Payouts: 5, Weekends: true}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = (*p).Close() })
		roots.Write((*p).CA)
	}
	s.receiver = httptest.NewTLSServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		s.received.Store(r.Header.Get("webhook-id"), r.Header.Clone())
	}))
	t.Cleanup(s.receiver.Close)
	roots.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.receiver.Certificate().Raw}))
	s.env = append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "TMPDIR=" + t.TempDir(), "ASSAY_BLOBS_URL=file://" + t.TempDir(),
		"ASSAY_DATABASE_URL=" + url, "ASSAY_KEYRING_FILE=" + s.file("keyring.json", storetest.KeyringText), "ASSAY_PUBLIC_URL=https://assay.test", "ASSAY_LISTEN=" + s.public,
		"ASSAY_DEBUG_SYNCD=" + s.debug["syncd"], "ASSAY_DEBUG_APISERVER=" + s.debug["apiserver"],
		"ASSAY_EGRESS_ALLOW_CIDRS=127.0.0.0/8", "ASSAY_EGRESS_CA_FILE=" + s.file("ca.pem", roots.String()), "ASSAY_SYNC_REQUESTS_PER_SECOND=0",
	}, more...)
	cmd := exec.CommandContext(t.Context(), filepath.Join(dir, "apiserver"), "bootstrap", "--organization", "Desk", "--email", "owner@desk.test")
	cmd.Env = s.env
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("bootstrap: %v\n%s", err, err.(*exec.ExitError).Stderr) //nolint:errorlint,forcetypeassert // Output returns no other
	}
	var made struct {
		Organization uuid.UUID `json:"organization_id"`
		Key          string    `json:"api_key"`
	}
	if err := json.Unmarshal(out, &made); err != nil {
		t.Fatal(err)
	}
	s.org, s.key = made.Organization, made.Key
	return s
}

func (s *stack) file(name, text string) string {
	s.t.Helper()
	path := filepath.Join(s.t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// start runs a daemon until stop, or the end of the test, and waits until it is
// ready.
func (s *stack) start(name string, more ...string) (stop func()) {
	s.t.Helper()
	dir, err := binaries()
	if err != nil {
		s.t.Fatal(err)
	}
	log := new(buffer)
	s.logs[name] = log
	cmd := exec.Command(filepath.Join(dir, name)) // ended by stop
	cmd.Env, cmd.Stderr = append(s.env, more...), log
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	ended := make(chan struct{})
	var code atomic.Int32
	go func() {
		defer close(ended)
		if exit, ok := errors.AsType[*exec.ExitError](cmd.Wait()); ok {
			code.Store(int32(exit.ExitCode()))
		}
	}()
	stop = sync.OnceFunc(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		select {
		case <-ended:
		case <-time.After(time.Minute):
			_ = cmd.Process.Kill()
			s.t.Errorf("%s did not stop", name)
			<-ended
		}
		if code.Load() != 0 || s.t.Failed() {
			s.t.Logf("%s ended with code %d, its log:\n%s", name, code.Load(), log.last(6000))
		}
	})
	s.t.Cleanup(stop)
	storetest.Eventually(s.t, name+" is ready", func() bool {
		select {
		case <-ended:
			s.t.Fatalf("%s ended:\n%s", name, log.last(6000))
		default:
		}
		status, _ := s.get("http://" + s.debug[name] + "/readyz")
		return status == http.StatusOK
	})
	return stop
}

func (s *stack) get(url string) (status int, body string) {
	response, err := http.Get(url)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body) // what came of it
	return response.StatusCode, string(text)
}

// call sends a request to the API. An empty body sends none. It may be called from any goroutine.
func (s *stack) call(method, path, body string, header ...string) (status int, answer string) {
	request, err := http.NewRequest(method, "http://"+s.public+path, strings.NewReader(body))
	if err != nil {
		return 0, err.Error()
	}
	request.Header.Set("Authorization", "Bearer "+s.key)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body) // what came of it
	return response.StatusCode, string(text)
}

// made sends a request that makes something, and returns its id.
func (s *stack) made(path, body string) string {
	s.t.Helper()
	status, answer := s.call(http.MethodPost, path, body)
	var made struct {
		ID          string
		Integration struct{ ID string }
	}
	if err := json.Unmarshal([]byte(answer), &made); err != nil || status/100 != 2 {
		s.t.Fatalf("POST %s: %d %s", path, status, answer)
	}
	if made.ID == "" {
		return made.Integration.ID
	}
	return made.ID
}

// connect makes an integration with a platform.
func (s *stack) connect(name string, p *reference.Server) (id string) {
	s.t.Helper()
	return s.made("/v1/integrations", fmt.Sprintf(`{"kind": "custom_api", "name": %q, "base_url": %q, "api_key": %q}`, name, p.URL, p.Key))
}

// exec runs a statement, from the test's own goroutine.
func (s *stack) exec(sql string, args ...any) {
	s.t.Helper()
	if _, err := s.conn.Exec(s.t.Context(), sql, args...); err != nil {
		s.t.Fatalf("%s: %v", sql, err)
	}
}

// buffer is a log that is written while it is read.
type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

// String returns all of it.
func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}

// last returns its last n bytes.
func (b *buffer) last(n int) string {
	text := b.String()
	return text[max(len(text)-n, 0):]
}
