package ops_test

import (
	"bufio"
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/store/roles"
	"github.com/assayhq/assay/store/storetest"
)

// poolSize is how many connections to Postgres the pooler has for each role in the
// test: far fewer than the processes have to it.
const poolSize = 3

// pooler starts PgBouncer with the sample's configuration before the stack's
// database, and returns its address.
func (s *stack) pooler() (address string) {
	t := s.t
	t.Helper()
	server, err := url.Parse(s.Database)
	if err != nil {
		t.Fatal(err)
	}
	dir, account := storetest.OtherAccount(t)
	var users strings.Builder
	for _, role := range []string{roles.APIServer, roles.Syncd} {
		u, err := url.Parse(storetest.As(t, role, s.Database))
		if err != nil {
			t.Fatal(err)
		}
		password, _ := u.User.Password()
		fmt.Fprintf(&users, "%q %q\n", u.User.Username(), password)
	}
	address = storetest.Address(t)
	config := string(read(t, "configs", "pgbouncer", "pgbouncer.ini"))
	for _, change := range []struct{ setting, value string }{
		{"assay = host=127.0.0.1 port=5432 dbname=assay", fmt.Sprintf("%[1]s = host=%[2]s port=%[3]s dbname=%[1]s", strings.TrimPrefix(server.Path, "/"), server.Hostname(), server.Port())},
		{"listen_port = 6432", "listen_port = " + address[strings.LastIndexByte(address, ':')+1:]},
		{"/etc/pgbouncer/userlist.txt", filepath.Join(dir, "userlist.txt")},
		{"default_pool_size = 20", fmt.Sprintf("default_pool_size = %d", poolSize)},
		{"[pgbouncer]\n", "[pgbouncer]\nunix_socket_dir =\n"},
	} {
		if strings.Count(config, change.setting) != 1 {
			t.Fatalf("the sample does not have %q once", change.setting)
		}
		config = strings.Replace(config, change.setting, change.value, 1)
	}
	for name, text := range map[string]string{"pgbouncer.ini": config, "userlist.txt": users.String()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	var log bytes.Buffer
	cmd := exec.CommandContext(t.Context(), program(t, "pgbouncer"), filepath.Join(dir, "pgbouncer.ini"))
	cmd.Stderr, cmd.SysProcAttr, cmd.Dir = &log, account, "/"
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // it keeps nothing that is wanted
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("PgBouncer's log:\n%s", &log)
		}
	})
	return address
}

// at is the URL with another address.
func at(t *testing.T, databaseURL, address string) string {
	t.Helper()
	u, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = address
	return u.String()
}

// prepared is what Postgres says to who takes a statement of another session for
// its own.
var prepared = regexp.MustCompile(`prepared statement|unsupported startup parameter|"level":"ERROR"`)

// TestPooler has both processes work through PgBouncer in transaction mode, with the sample's
// configuration. It takes long because it starts PgBouncer and both processes, and waits for cycles
// and deliveries.
func TestPooler(t *testing.T) {
	t.Parallel()
	s := newStack(t)
	address := s.pooler()
	through := func(role string) []string {
		direct := storetest.As(t, role, s.Database)
		return []string{"ASSAY_DATABASE_URL=" + at(t, direct, address), "ASSAY_DATABASE_DIRECT_URL=" + direct, "ASSAY_DATABASE_POOLER=transaction"}
	}
	stopAPI := s.start("apiserver", through(roles.APIServer)...)
	stopSync := s.start("syncd", through(roles.Syncd)...)

	t.Log("pages hear of changes")
	heard := s.listen()

	t.Log("platforms are read, for the first time and again, and compared")
	endpoint := s.made("/v1/webhooks", fmt.Sprintf(`{"url": %q, "events": ["*"]}`, s.receiver.URL))
	id := s.connect("Working", s.platform)
	s.await("it is healthy, and all is there", `SELECT EXISTS (SELECT FROM integrations WHERE health_status = 'healthy') AND (SELECT count(*) FROM trades) >= 100`)
	s.exec(`UPDATE trades SET profit = profit + 1, content_hash = '\x00' WHERE ctid IN (SELECT ctid FROM trades LIMIT 7)`)
	s.post("/v1/integrations/" + id + "/audit")
	s.await("the audit is over", `SELECT count(*) > 0 FROM sync_audits WHERE status = 'succeeded'`)
	s.await("webhooks are delivered", `SELECT count(*) > 5 FROM webhook_deliveries WHERE status = 'succeeded'`)

	t.Log("many requests at once share few connections")
	s.many()
	var timeout string
	conn, err := pgx.Connect(t.Context(), at(t, storetest.As(t, roles.APIServer, s.Database), address)+"&default_query_exec_mode=exec")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close(t.Context()) }()
	if err := conn.QueryRow(t.Context(), `SHOW statement_timeout`).Scan(&timeout); err != nil || timeout != "30s" {
		t.Errorf("statements may take %s, %v; want 30s", timeout, err)
	}
	storetest.Eventually(t, "a change is heard of", func() bool { return heard.Load() > 0 })

	t.Log("a job, a key that dies, a repetition")
	s.post("/v1/webhooks/" + endpoint + "/test")
	status, answer := s.call(http.MethodPost, "/v1/traders", `{"full_name": "Ada"}`, "Idempotency-Key", `"once"`)
	again, same := s.call(http.MethodPost, "/v1/traders", `{"full_name": "Ada"}`, "Idempotency-Key", `"once"`)
	if status != http.StatusCreated || again != status || same != answer {
		t.Errorf("a repetition is told %d %s, and was %d %s", again, same, status, answer)
	}
	key := s.made("/v1/api-keys", `{"name": "short", "scopes": ["traders:read"]}`)
	if status, answer := s.call(http.MethodDelete, "/v1/api-keys/"+key, ""); status != http.StatusNoContent {
		t.Errorf("revoke: %d %s", status, answer)
	}
	stopAPI()
	stopSync()
	for name, p := range s.processes {
		for line := range strings.Lines(p.Log()) {
			if prepared.MatchString(line) {
				t.Errorf("%s logs: %s", name, line)
			}
		}
	}

	t.Log("a server that was away for a moment is used again soon")
	name := conn.Config().Database
	server, err := pgx.Connect(t.Context(), strings.Replace(s.Database, "/"+name, "/postgres", 1))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Close(t.Context()) }()
	allowConnections := func(allowed bool) {
		if _, err := server.Exec(t.Context(), fmt.Sprintf("ALTER DATABASE %s ALLOW_CONNECTIONS %t", name, allowed)); err != nil {
			t.Fatal(err)
		}
	}
	answers := func() bool {
		c, err := pgx.ConnectConfig(t.Context(), conn.Config())
		if err != nil {
			return false
		}
		defer func() { _ = c.Close(t.Context()) }()
		return c.Ping(t.Context()) == nil
	}
	allowConnections(false)
	s.exec(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
	storetest.Eventually(t, "the pooler has been refused", func() bool { return !answers() })
	allowConnections(true)
	storetest.Within(t, 10*time.Second, "the pooler serves again", answers)
}

// listen opens the stream of changes until the test ends, and counts its events.
func (s *stack) listen() *atomic.Int64 {
	s.t.Helper()
	request, err := http.NewRequestWithContext(s.t.Context(), http.MethodGet, s.URL+"/v1/stream", http.NoBody)
	if err != nil {
		s.t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+s.Key)
	response, err := http.DefaultClient.Do(request)
	if err != nil || response.StatusCode != http.StatusOK {
		s.t.Fatalf("open stream: %v", err)
	}
	var heard atomic.Int64
	done := make(chan struct{})
	go func() {
		defer close(done)
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "data:") && strings.Contains(lines.Text(), "traders") {
				heard.Add(1)
			}
		}
	}()
	s.t.Cleanup(func() {
		_ = response.Body.Close()
		<-done
	})
	return &heard
}

// many makes more requests at once than there are connections to Postgres, and
// holds those against the pool's size meanwhile.
func (s *stack) many() {
	s.t.Helper()
	const callers, rounds = 24, 10
	failed := make(chan string, callers)
	for range callers {
		go func() {
			said := ""
			for range rounds {
				if status, answer := s.call(http.MethodGet, "/v1/traders?limit=5", ""); status != http.StatusOK {
					said = fmt.Sprint(status, " ", answer)
				}
			}
			failed <- said
		}()
	}
	var api, sync int
	for left := callers; left > 0; {
		select {
		case said := <-failed:
			left--
			if said != "" {
				s.t.Errorf("a request through the pooler: %s", said)
			}
		default:
			var of [2]int
			err := s.conn.QueryRow(s.t.Context(), `SELECT count(*) FILTER (WHERE usename LIKE 'assay_apiserver%'), count(*) FILTER (WHERE usename LIKE 'assay_syncd%')
FROM pg_stat_activity WHERE datname = current_database()`).Scan(&of[0], &of[1])
			if err != nil {
				s.t.Fatal(err)
			}
			api, sync = max(api, of[0]), max(sync, of[1])
		}
	}
	// apiserver's two sessions go past the pooler.
	if api <= 2 || api > poolSize+2 || sync == 0 || sync > poolSize {
		s.t.Errorf("%d connections to Postgres were open for apiserver and %d for syncd, want %d and two sessions at most, and %d", api, sync, poolSize, poolSize)
	}
}
