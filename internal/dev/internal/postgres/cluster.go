package postgres

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/internal/dev/internal/proc"
)

const (
	superuser = "assay"
	loopback  = "127.0.0.1"

	startLimit = 30 * time.Second
	stopGrace  = 20 * time.Second
)

// Options say what cluster is wanted.
type Options struct {
	// Dir is the folder that the cluster and its password lie in.
	Dir string
	// Port is the wanted port; 0, or one that is taken, chooses a free one.
	Port int
	// Fresh throws away what an earlier run left, but for the password: where the server's
	// version is the same, it stays, so that tests see the same URL and go test can tell that
	// nothing has changed.
	Fresh bool
	// Memory puts a fresh cluster into memory if there is room, because making a
	// database is mostly making files, which costs little there. The caller calls
	// Release at the end.
	Memory bool
	// Settings are server settings such as "fsync=off".
	Settings []string
	// Say reports progress.
	Say func(format string, args ...any)
}

// Cluster is a running private cluster. It stops with its supervisor.
type Cluster struct {
	Port     int
	password string
}

// URL returns the connection URL of a database of the cluster.
func (c *Cluster) URL(database string) string {
	u := url.URL{
		Scheme: "postgres", User: url.UserPassword(superuser, c.password),
		Host: net.JoinHostPort(loopback, strconv.Itoa(c.Port)), Path: database, RawQuery: "sslmode=disable",
	}
	return u.String()
}

// launch is what Start works with.
type launch struct {
	Options
	sup     *proc.Supervisor
	install Installation
	place   place
	data    string
}

// Start starts the cluster, and makes it first if there is none. The caller must
// have reaped what an earlier supervisor left.
func Start(ctx context.Context, sup *proc.Supervisor, o Options) (*Cluster, error) {
	c, err := (&launch{Options: o, sup: sup}).run(ctx)
	if errors.Is(err, os.ErrPermission) {
		return nil, fmt.Errorf("the cluster in %s belongs to another user: run as that user, or remove the folder as root: %w", o.Dir, err)
	}
	return c, err
}

func (l *launch) run(ctx context.Context) (*Cluster, error) {
	o := l.Options
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, err
	}
	link := filepath.Join(o.Dir, "pg")
	var err error
	if o.Fresh {
		if err := discardCluster(link); err != nil {
			return nil, err
		}
	}
	// Postgres must be found before the place is made, because its package creates
	// the account postgres.
	if l.install, err = ensure(ctx, l.sup, madeBy(filepath.Join(link, "data")), o.Say); err != nil {
		return nil, err
	}
	if l.place, err = l.makePlace(ctx, link); err != nil {
		return nil, err
	}
	l.data = filepath.Join(l.place.home, "data")
	password, err := l.initializeCluster(ctx)
	if err != nil {
		return nil, err
	}
	if err := l.clearLeftovers(); err != nil {
		return nil, err
	}
	return l.startServer(ctx, password)
}

// makePlace makes the cluster's place.
func (l *launch) makePlace(ctx context.Context, link string) (place, error) {
	if l.Fresh && l.Memory {
		if p, ok, err := placeInMemory(link); ok || err != nil {
			return p, err
		}
	}
	return ensurePlace(ctx, l.sup, link)
}

// discardCluster removes a cluster and what its link leads to, after ending a server
// that still runs on it.
func discardCluster(link string) error {
	home := link
	if target, err := os.Readlink(link); err == nil {
		home = target
	}
	l := &launch{data: filepath.Join(home, "data")}
	if err := l.clearLeftovers(); err != nil {
		return err
	}
	return errors.Join(os.RemoveAll(home), os.RemoveAll(link))
}

// madeBy returns the major version that made the cluster in data; 0 for none.
func madeBy(data string) int {
	content, err := os.ReadFile(filepath.Join(data, "PG_VERSION"))
	if err != nil {
		return 0
	}
	major, _ := strconv.Atoi(strings.TrimSpace(string(content))) // 0 when unreadable
	return major
}

// initializeCluster makes the cluster if there is none, and returns its password.
func (l *launch) initializeCluster(ctx context.Context) (string, error) {
	kept := filepath.Join(l.Dir, "pg-password")
	if madeBy(l.data) != 0 {
		password, err := os.ReadFile(kept)
		if err != nil {
			return "", fmt.Errorf("the password of the cluster in %s is lost (remove that folder to start afresh): %w", l.data, err)
		}
		return strings.TrimSpace(string(password)), nil
	}
	password, err := l.choosePassword(kept)
	if err != nil {
		return "", err
	}
	// initdb reads the password from a file of its own account: it cannot
	// open the launcher's.
	pwfile := filepath.Join(l.place.home, "pwfile")
	if err := os.WriteFile(pwfile, []byte(password+"\n"), 0o600); err != nil {
		return "", err
	}
	defer os.Remove(pwfile)
	if a := l.place.account; a != nil {
		if err := os.Chown(pwfile, int(a.UID), int(a.GID)); err != nil {
			return "", err
		}
	}
	return password, l.runInitdb(ctx, pwfile)
}

// choosePassword returns the password of a new cluster, and keeps it in the file. It is that of the
// cluster before if this one has the same version.
func (l *launch) choosePassword(kept string) (string, error) {
	version := "-" + l.install.Version
	if content, err := os.ReadFile(kept); err == nil && l.Fresh {
		if password := strings.TrimSpace(string(content)); strings.HasSuffix(password, version) {
			return password, nil
		}
	}
	password := rand.Text() + version
	return password, os.WriteFile(kept, []byte(password+"\n"), 0o600)
}

// runInitdb makes the cluster in a temporary folder next to its place first, so
// that an interrupted one is not taken for a complete one.
func (l *launch) runInitdb(ctx context.Context, pwfile string) error {
	fresh := l.data + ".new"
	if err := errors.Join(os.RemoveAll(fresh), os.RemoveAll(l.data)); err != nil {
		return err
	}
	locale := "C.UTF-8"
	if runtime.GOOS == "darwin" {
		locale = "en_US.UTF-8"
	}
	args := []string{
		"-D", fresh, "-U", superuser, "--pwfile", pwfile, "--auth", "scram-sha-256",
		"--encoding", "UTF8", "--locale", locale,
	}
	if slices.Contains(l.Settings, "fsync=off") {
		args = append(args, "--no-sync")
	}
	spec := l.programSpec("initdb", args)
	if _, err := l.sup.Run(ctx, spec); err != nil {
		return err
	}
	return os.Rename(fresh, l.data)
}

// programSpec makes the spec of one of Postgres' programs. Nothing of the launcher's
// environment reaches it: PGDATA and its like would mislead it.
func (l *launch) programSpec(program string, args []string) proc.Spec {
	return proc.Spec{
		Name: program, Path: filepath.Join(l.install.Bin, program), Args: args,
		Env: []string{"PATH=/usr/bin:/bin", "LC_ALL=C", "TZ=UTC"}, Dir: "/",
		Account: l.place.account, Stop: syscall.SIGINT, Grace: stopGrace,
	}
}

// clearLeftovers ends a server that still runs on the cluster and removes the pid file
// that a killed one leaves: the number in it may be another process's by now,
// and Postgres would then refuse to start. (pg_ctl status does not notice.)
func (l *launch) clearLeftovers() error {
	path := filepath.Join(l.data, "postmaster.pid")
	content, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	first, _, _ := strings.Cut(string(content), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	running := func() bool {
		return err == nil && pid > 1 && strings.Contains(proc.CommandLine(pid), l.data)
	}
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT, syscall.SIGKILL} {
		if !running() {
			break
		}
		_ = syscall.Kill(pid, signal) // its end is checked next
		proc.Await(stopGrace/2, func() bool { return !running() })
	}
	if running() {
		return fmt.Errorf("a Postgres server of an earlier run (process %d) does not end", pid)
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// startServer starts the server. It tries again when another process was faster at
// taking the port, and while backends of a killed server are still ending.
func (l *launch) startServer(ctx context.Context, password string) (*Cluster, error) {
	port := l.Port
	for end := time.Now().Add(startLimit); ; {
		var err error
		if port, err = FreePort(ctx, port); err != nil {
			return nil, err
		}
		c := &Cluster{Port: port, password: password}
		err = l.tryStart(ctx, c)
		failure, ended := errors.AsType[*proc.Failure](err)
		if err == nil || !ended || time.Now().After(end) || !isTemporary(failure) {
			return c, err
		}
		if err := wait(ctx, 200*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// isTemporary reports whether a server's end may be different next time.
func isTemporary(f *proc.Failure) bool {
	text := strings.Join(f.Tail, "\n")
	return strings.Contains(text, "could not create any TCP/IP sockets") || strings.Contains(text, "is still in use") ||
		strings.Contains(text, "lock file")
}

func (l *launch) tryStart(ctx context.Context, c *Cluster) error {
	args := []string{"-D", l.data, "-p", strconv.Itoa(c.Port)}
	settings := []string{"listen_addresses=" + loopback, "unix_socket_directories=", "log_line_prefix=%m [%p] ", "cluster_name=assay"}
	for _, s := range append(settings, l.Settings...) {
		args = append(args, "-c", s)
	}
	p, err := l.sup.Start(l.programSpec("postgres", args))
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	for {
		asked := pingServer(ctx, c.URL("postgres"))
		if asked == nil {
			return nil
		}
		select {
		case <-p.Done():
			l.sup.Forget(p)
			return p.Failure()
		default:
		}
		if err := wait(ctx, 20*time.Millisecond); err != nil {
			return fmt.Errorf("wait for Postgres: %w", errors.Join(err, asked))
		}
	}
}

// pingServer asks the server at the URL whether it answers.
func pingServer(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	return conn.Close(ctx)
}

func wait(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
