package ops_test

import (
	"bytes"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/test/deploytest"
)

func TestMain(m *testing.M) { os.Exit(deploytest.Run(m)) }

// stack is a deployment with platforms, a receiver of webhooks, and the processes that a test
// starts.
type stack struct {
	*deploytest.Deployment
	t         *testing.T
	conn      *pgx.Conn // for one goroutine
	db        *store.DB
	org       uuid.UUID
	env       []string          // of both processes
	platform  *reference.Server // works
	broken    *reference.Server // for incidents
	refusing  *reference.Server // for incidents
	receiver  *httptest.Server
	processes map[string]*deploytest.Process // by name, the last of each
	received  sync.Map                       // headers of webhooks that have come, by webhook-id
}

// newStack returns a stack without processes, with an organization and its key.
func newStack(t *testing.T, env ...string) *stack {
	t.Helper()
	url := storetest.URL(t)
	s := &stack{
		t: t, conn: storetest.Conn(t, url), db: storetest.Open(t, url), processes: make(map[string]*deploytest.Process),
		env: append(env, "TMPDIR="+t.TempDir()),
	}
	var roots bytes.Buffer
	for i, p := range []**reference.Server{&s.platform, &s.broken, &s.refusing} {
		var err error
		if *p, err = reference.Start(reference.Options{Firm: firm.Options{Seed: uint64(i + 1), Traders: 5, AccountsPerTrader: 1, Trades: 100, Payouts: 5, Weekends: true}}); err != nil {
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
	s.Deployment = deploytest.New(t, deploytest.Options{Database: url, Roots: roots.Bytes()})
	s.Bootstrap(t)
	if err := s.conn.QueryRow(t.Context(), `SELECT id FROM organizations`).Scan(&s.org); err != nil {
		t.Fatal(err)
	}
	return s
}

// start runs a process until stop, or the end of the test, and waits until it is ready.
func (s *stack) start(name string, env ...string) (stop func()) {
	s.t.Helper()
	cmd := s.Command(s.t, name)
	cmd.Env = slices.Concat(cmd.Env, s.env, env)
	p := s.StartCommand(s.t, name, cmd)
	s.processes[name] = p
	stop = sync.OnceFunc(func() { p.Stop(s.t) })
	s.t.Cleanup(stop)
	return stop
}

// call sends a request to the API. An empty body sends none. It may be called from any goroutine.
func (s *stack) call(method, path, body string, header ...string) (status int, answer string) {
	request, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
	if err != nil {
		return 0, err.Error()
	}
	request.Header.Set("Authorization", "Bearer "+s.Key)
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		request.Header.Set(header[i], header[i+1])
	}
	status, text := deploytest.Send(request)
	return status, string(text)
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
