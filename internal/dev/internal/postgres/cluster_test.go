package postgres_test

import (
	"context"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"github.com/assayhq/assay/internal/dev/internal/postgres"
	"github.com/assayhq/assay/internal/dev/internal/proc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// cluster is a folder for a cluster under a parent that is closed to others,
// as git clone into a temporary folder makes it.
type cluster struct {
	dir string
	sup *proc.Supervisor
}

func setup(t *testing.T) *cluster {
	t.Helper()
	if !postgres.Installed(t.Context()) {
		if os.Getenv("CI") != "" {
			t.Fatal("no Postgres is installed")
		}
		t.Skip("no Postgres is installed; make test installs one")
	}
	// Linux ends a child with the thread that started it.
	runtime.LockOSThread()
	t.Cleanup(runtime.UnlockOSThread)
	closed := filepath.Join(t.TempDir(), "closed")
	if err := os.Mkdir(closed, 0o700); err != nil {
		t.Fatal(err)
	}
	c := &cluster{dir: filepath.Join(closed, "run")}
	c.supervise(t)
	return c
}

// supervise makes a new supervisor, as a new launcher does.
func (c *cluster) supervise(t *testing.T) {
	t.Helper()
	sup, err := proc.New(c.dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sup.Stop() })
	c.sup = sup
}

func (c *cluster) start(t *testing.T, change ...func(*postgres.Options)) *postgres.Cluster {
	t.Helper()
	o := postgres.Options{Dir: c.dir, Say: t.Logf, Settings: []string{"fsync=off"}}
	for _, f := range change {
		f(&o)
	}
	running, err := postgres.Start(t.Context(), c.sup, o)
	if err != nil {
		t.Fatal(err)
	}
	return running
}

func (c *cluster) stop(t *testing.T) {
	t.Helper()
	if err := c.sup.Stop(); err != nil {
		t.Fatal(err)
	}
}

// postmaster returns the process id in the server's pid file.
func (c *cluster) postmaster(t *testing.T) (pid int, file string) {
	t.Helper()
	file = filepath.Join(c.dir, "pg", "data", "postmaster.pid")
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	first, _, _ := strings.Cut(string(content), "\n")
	if pid, err = strconv.Atoi(first); err != nil {
		t.Fatal(err)
	}
	return pid, file
}

func ask(t *testing.T, databaseURL, query string) string {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.WithoutCancel(t.Context()))
	var answer string
	if err := conn.QueryRow(t.Context(), query).Scan(&answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestClusterKeepsDataAndPort(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Postgres servers")
	}
	c := setup(t)
	first := c.start(t)
	if err := first.EnsureDatabase(t.Context(), "assay"); err != nil {
		t.Fatal(err)
	}
	if err := first.EnsureDatabase(t.Context(), "assay"); err != nil {
		t.Errorf("EnsureDatabase once more: %v", err)
	}
	if err := postgres.CheckVersion(t.Context(), first.URL("assay")); err != nil {
		t.Errorf("CheckVersion: %v", err)
	}
	ask(t, first.URL("assay"), "WITH t AS (SELECT) SELECT set_config('application_name', 'kept', false)")
	for setting, want := range map[string]string{"fsync": "off", "listen_addresses": "127.0.0.1", "unix_socket_directories": "", "password_encryption": "scram-sha-256"} {
		if got := ask(t, first.URL("assay"), "SELECT current_setting('"+setting+"')"); got != want {
			t.Errorf("%s is %q, want %q", setting, got, want)
		}
	}
	wrong, err := url.Parse(first.URL("assay"))
	if err != nil {
		t.Fatal(err)
	}
	wrong.User = url.UserPassword(wrong.User.Username(), "guess")
	if conn, err := pgx.Connect(t.Context(), wrong.String()); err == nil || !strings.Contains(err.Error(), "password") {
		t.Errorf("connection with a wrong password: %v, %v", conn, err)
	}
	c.stop(t)

	c.supervise(t)
	second := c.start(t, func(o *postgres.Options) { o.Port = first.Port })
	if second.URL("assay") != first.URL("assay") {
		t.Error("the URL changed from one start to the next")
	}
	if got := ask(t, second.URL("assay"), "SELECT current_database()"); got != "assay" {
		t.Errorf("database %q", got)
	}
	c.stop(t)

	c.supervise(t)
	fresh := c.start(t, func(o *postgres.Options) { o.Fresh = true })
	if got := ask(t, fresh.URL("postgres"), "SELECT count(*)::text FROM pg_database WHERE datname = 'assay'"); got != "0" {
		t.Error("a fresh cluster has the old one's database")
	}
}

func TestTakenPort(t *testing.T) {
	c := setup(t)
	taken, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	running := c.start(t, func(o *postgres.Options) { o.Port = port })
	if running.Port == port || ask(t, running.URL("postgres"), "SELECT 'up'") != "up" {
		t.Errorf("the server runs on port %d, which is taken", running.Port)
	}
}

func TestStartAfterAKill(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Postgres servers")
	}
	for _, tc := range []struct {
		name string
		kill func(t *testing.T, c *cluster)
	}{
		{"of the server", func(t *testing.T, c *cluster) {
			pid, _ := c.postmaster(t)
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			if err := c.sup.Wait(t.Context()); err == nil || !strings.Contains(err.Error(), "postgres ended: signal: killed") {
				t.Errorf("Wait: %v", err)
			}
		}},
		{"after which another process has its number", func(t *testing.T, c *cluster) {
			pid, file := c.postmaster(t)
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c.stop(t)
			content = []byte(strings.Replace(string(content), strconv.Itoa(pid), strconv.Itoa(os.Getpid()), 1))
			if err := os.WriteFile(file, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}},
		{"of the launcher alone", func(t *testing.T, c *cluster) {
			// The server still runs, but no supervisor has a pid file of it.
			if err := os.RemoveAll(filepath.Join(c.dir, "pids")); err != nil {
				t.Fatal(err)
			}
		}},
		{"in the middle of initdb", func(t *testing.T, c *cluster) {
			c.stop(t)
			data := filepath.Join(c.dir, "pg", "data")
			if err := os.Rename(data, data+".new"); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := setup(t)
			c.start(t)
			tc.kill(t, c)
			c.supervise(t)
			again := c.start(t)
			if got := ask(t, again.URL("postgres"), "SELECT 'up'"); got != "up" {
				t.Errorf("the server answers %q", got)
			}
		})
	}
}

func TestLostPassword(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Postgres servers")
	}
	c := setup(t)
	c.start(t)
	c.stop(t)
	if err := os.Remove(filepath.Join(c.dir, "pg-password")); err != nil {
		t.Fatal(err)
	}
	c.supervise(t)
	_, err := postgres.Start(t.Context(), c.sup, postgres.Options{Dir: c.dir, Say: t.Logf})
	if err == nil || !strings.Contains(err.Error(), "remove that folder to start afresh") {
		t.Errorf("Start: %v", err)
	}
}

func TestClusterInMemoryLeavesNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Postgres servers")
	}
	c := setup(t)
	inMemory := func(o *postgres.Options) { o.Fresh, o.Memory = true, true }
	home := func() string {
		t.Helper()
		home, err := filepath.EvalSymlinks(filepath.Join(c.dir, "pg"))
		if err != nil {
			t.Fatal(err)
		}
		return home
	}
	running := c.start(t, inMemory)
	if got := ask(t, running.URL("postgres"), "SELECT current_database()"); got != "postgres" {
		t.Errorf("database %q", got)
	}
	first, url := home(), running.URL("postgres")
	memory := strings.HasPrefix(first, "/dev/shm/")
	t.Logf("in memory: %t", memory)
	c.stop(t)

	// As after a launcher that was killed: nothing was released.
	c.supervise(t)
	again := c.start(t, inMemory, func(o *postgres.Options) { o.Port = running.Port })
	second := home()
	// go test runs a package again when its environment has changed.
	if got := again.URL("postgres"); got != url {
		t.Errorf("URL %s, then %s", url, got)
	}
	if _, err := os.Stat(first); memory && !os.IsNotExist(err) {
		t.Errorf("the first cluster is still in memory: %v", err)
	}
	c.stop(t)
	if err := postgres.Release(c.dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(second); os.IsNotExist(err) != memory {
		t.Errorf("after Release: %v", err)
	}

	c.supervise(t)
	c.start(t) // on the disk
	kept := home()
	c.stop(t)
	if err := postgres.Release(c.dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(kept); err != nil {
		t.Errorf("a cluster on the disk, after Release: %v", err)
	}
}
