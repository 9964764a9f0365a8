package storetest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Server is a test's own Postgres server, for tests that stop it or take away its resources.
type Server struct {
	URL  string // of its maintenance database
	Home string // its folder, owned by the account of the server

	port, settings string
	account        *syscall.SysProcAttr
}

// NewServer creates a cluster and runs it until the test ends. home is an empty folder for it, or
// empty for a temporary one. Settings have the form "max_connections=30". Without Postgres' own
// programs the test is skipped, or fails if CI is set.
func NewServer(t testing.TB, home string, settings ...string) *Server {
	t.Helper()
	if ProgramPath("initdb") == "" {
		LeaveOut(t, "Postgres' programs (initdb, pg_ctl) are not on this machine")
	}
	s := &Server{Home: home}
	if s.Home == "" {
		var err error
		if s.Home, err = os.MkdirTemp("", "assay-postgres-"); err != nil { //nolint:usetesting // other accounts do not get to t.TempDir
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(s.Home) })
	}
	s.Own(t, s.Home)
	password, pwfile := rand.Text(), filepath.Join(s.Home, "pwfile")
	if err := os.WriteFile(pwfile, []byte(password+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Own(t, pwfile)
	s.runProgram(t, "initdb", "-D", s.dataFolder(), "-U", "assay", "--pwfile", pwfile, "--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C.UTF-8", "--no-sync")
	s.runUntilEnd(t, url.UserPassword("assay", password), settings)
	return s
}

// Replica creates a replica of the server, and runs it until the test ends. The server must be
// running.
func (s *Server) Replica(t testing.TB) *Server {
	t.Helper()
	r := &Server{}
	var err error
	if r.Home, err = os.MkdirTemp("", "assay-replica-"); err != nil { //nolint:usetesting // other accounts do not get to t.TempDir
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(r.Home) })
	r.Own(t, r.Home)
	r.runProgram(t, "pg_basebackup", "-d", s.URL, "-D", r.dataFolder(), "--write-recovery-conf", "--wal-method", "stream", "--checkpoint", "fast", "--no-sync")
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	r.runUntilEnd(t, u.User, []string{"hot_standby=on"})
	return r
}

// runUntilEnd runs the server at its own address until the test ends.
func (s *Server) runUntilEnd(t testing.TB, as *url.Userinfo, settings []string) {
	t.Helper()
	address := Address(t)
	s.port = address[strings.LastIndexByte(address, ':')+1:]
	s.URL = (&url.URL{Scheme: "postgres", User: as, Host: address, Path: "/postgres", RawQuery: "sslmode=disable"}).String()
	options := []string{"-p", s.port, "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories="}
	for _, setting := range settings {
		options = append(options, "-c", setting)
	}
	s.settings = strings.Join(options, " ")
	t.Cleanup(func() {
		if s.Running() {
			s.Stop(t, "immediate")
		}
	})
	s.Start(t)
}

// Statements returns the texts of the statements that the server has run so far, including those
// that begin and end transactions. The server must have been started with log_statement=all.
func (s *Server) Statements(t testing.TB) []string {
	t.Helper()
	log, err := os.ReadFile(filepath.Join(s.Home, "log"))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, match := range statementLine.FindAllSubmatch(log, -1) {
		list = append(list, string(match[1]))
	}
	return list
}

// AllowStatements fails the test if send causes more statements on the server than that. It logs
// their number.
func (s *Server) AllowStatements(t testing.TB, most int, what string, send func()) {
	t.Helper()
	before := len(s.Statements(t))
	send()
	// The pool asks whether a connection that was idle for a second still works.
	sent := slices.DeleteFunc(s.Statements(t)[before:], func(statement string) bool { return statement == "-- ping" })
	t.Logf("%s: %d statements", what, len(sent))
	if len(sent) > most {
		t.Errorf("%s costs %d statements, at most %d are allowed:\n%s", what, len(sent), most, strings.Join(sent, "\n"))
	}
}

// statementLine matches a line of the log with a statement.
var statementLine = regexp.MustCompile(`(?m)LOG:  (?:statement|execute [^:]*): (.*)$`)

// Of returns the URL of a database of one server on another, such as a replica.
func (s *Server) Of(t testing.TB, databaseURL string) string {
	t.Helper()
	there, err := url.Parse(databaseURL)
	own, err2 := url.Parse(s.URL)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	there.Host = own.Host
	return there.String()
}

// ProgramPath returns the path of one of Postgres' programs, or an empty text if there is none.
func ProgramPath(name string) string {
	if path, err := exec.LookPath(name); err == nil && name != "initdb" && name != "pg_ctl" {
		return path
	}
	for _, pattern := range []string{"/usr/lib/postgresql/*/bin/", "/usr/pgsql-*/bin/", "/opt/homebrew/opt/postgresql*/bin/", "/usr/local/opt/postgresql*/bin/"} {
		found, _ := filepath.Glob(pattern + name) // fails only for malformed patterns
		if len(found) > 0 {
			return found[len(found)-1]
		}
	}
	path, _ := exec.LookPath(name) // empty if there is none
	return path
}

func (s *Server) dataFolder() string { return filepath.Join(s.Home, "data") }

// Start starts the server and waits until it accepts connections.
func (s *Server) Start(t testing.TB) {
	t.Helper()
	s.runProgram(t, "pg_ctl", "start", "-w", "-s", "-D", s.dataFolder(), "-l", filepath.Join(s.Home, "log"), "-o", s.settings)
}

// Stop stops the server in the mode "fast", or "immediate", which is a crash.
func (s *Server) Stop(t testing.TB, mode string) {
	t.Helper()
	s.runProgram(t, "pg_ctl", "stop", "-w", "-s", "-D", s.dataFolder(), "-m", mode)
}

// Running reports whether the server's process exists.
func (s *Server) Running() bool {
	text, err := os.ReadFile(filepath.Join(s.dataFolder(), "postmaster.pid"))
	if err != nil {
		return false
	}
	first, _, _ := strings.Cut(string(text), "\n")
	pid, err := strconv.Atoi(first)
	return err == nil && syscall.Kill(pid, 0) == nil
}

// Own gives a file or a folder to the account of the server, because Postgres refuses to run as
// root.
func (s *Server) Own(t testing.TB, path string) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	uid, gid := unprivilegedAccount(t)
	if err := os.Chown(path, int(uid), int(gid)); err != nil {
		t.Fatal(err)
	}
	s.account = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: gid}}
}

// OtherAccount creates a folder for a program that refuses to run as root, and returns how to start
// it: as the folder's owner if tests run as root.
func OtherAccount(t testing.TB) (folder string, account *syscall.SysProcAttr) {
	t.Helper()
	var s Server
	var err error
	if s.Home, err = os.MkdirTemp("", "assay-other-"); err != nil { //nolint:usetesting // other accounts do not get to t.TempDir
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(s.Home) })
	s.Own(t, s.Home)
	return s.Home, s.account
}

// unprivilegedAccount returns the account for programs that refuse to run as root.
func unprivilegedAccount(t testing.TB) (uid, gid uint32) {
	t.Helper()
	var u *user.User
	var err error
	for _, name := range []string{"postgres", "nobody"} {
		if u, err = user.Lookup(name); err == nil {
			break
		}
	}
	if err != nil {
		t.Fatalf("Postgres does not run as root, and there is no account for it: %v", err)
	}
	id, err := strconv.ParseUint(u.Uid, 10, 32)
	group, err2 := strconv.ParseUint(u.Gid, 10, 32)
	if err := errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	return uint32(id), uint32(group)
}

// runProgram runs one of Postgres' programs and waits for it.
func (s *Server) runProgram(t testing.TB, name string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, ProgramPath(name), args...)
	cmd.Dir, cmd.SysProcAttr = "/", s.account
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"}
	// The output is a file, because a server that continues to run would keep a pipe open.
	out, err := os.CreateTemp(t.TempDir(), name)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Run(); err != nil {
		said, _ := os.ReadFile(out.Name())
		log, _ := os.ReadFile(filepath.Join(s.Home, "log"))
		t.Fatalf("%s: %v\n%s\n%s", fmt.Sprint(name, args), err, said, log[max(0, len(log)-2000):])
	}
}
