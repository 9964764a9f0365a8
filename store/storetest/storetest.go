// Package storetest gives each test its own database on a real Postgres, or one that the tests of a
// package share (Shared).
//
// ASSAY_TEST_DATABASE_URL names the server and a user who may create databases. Without it, tests
// that need a database are skipped, or fail if CI is set. A template is migrated once per schema
// and kept. A test gets a copy, which is dropped when the test ends. In a Suite, tests get the
// database of a test that has ended, without its rows: a copy and the connections to it take 0.2 s
// of a processor. That needs a superuser; for others, each test gets a copy.
package storetest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/seal"
)

// ServerVariable is the environment variable that names the server.
const ServerVariable = "ASSAY_TEST_DATABASE_URL"

// patience limits how long a test waits, for the server or anything else.
const patience = 5 * time.Minute

// New returns a migrated, empty database that is closed and dropped when the
// test ends. It seals with Keyring.
func New(t testing.TB) *store.DB {
	t.Helper()
	return Open(t, URL(t))
}

// URL creates a migrated, empty database that is dropped when the test ends, and returns its URL,
// for tests that start processes or read the tables.
func URL(t testing.TB) string {
	t.Helper()
	server := serverURL(t)
	if reuse.on {
		return takeReusable(t, server)
	}
	return URLOn(t, server)
}

// FreshURL is URL for tests of plans without statistics. In a database that an earlier test had,
// autovacuum may count the rows of emptied tables at any time. The planner then takes such a table
// for empty, however many rows the test inserts.
func FreshURL(t testing.TB) string {
	t.Helper()
	return URLOn(t, serverURL(t))
}

// URLOn is like URL on another server, given by the URL of its maintenance database.
func URLOn(t testing.TB, server string) string {
	t.Helper()
	return createTemporaryDatabase(t, server, copyTemplate)
}

// copyTemplate creates a migrated, empty database on the server and returns its URL.
func copyTemplate(ctx context.Context, server string) (string, error) {
	template, err := prepareTemplate(ctx, server)
	if err != nil {
		return "", fmt.Errorf("prepare template database: %w", err)
	}
	return createDatabase(ctx, server, "TEMPLATE "+template+" STRATEGY wal_log")
}

// Empty creates a database without any tables that is dropped when the test ends, and returns its
// URL, for tests of migrations.
func Empty(t testing.TB) string {
	t.Helper()
	return createTemporaryDatabase(t, serverURL(t), func(ctx context.Context, server string) (string, error) {
		return createDatabase(ctx, server, "")
	})
}

// Open opens the database at the URL until the test ends. It seals with Keyring.
func Open(t testing.TB, databaseURL string) *store.DB {
	t.Helper()
	if db := openReusable(t, databaseURL); db != nil {
		return db
	}
	db, err := openDatabase(context.Background(), databaseURL, testConnections)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	return db
}

// testConnections limits the connections of a test to its database.
const testConnections = 8

func openDatabase(ctx context.Context, databaseURL string, connections int) (*store.DB, error) {
	db, err := store.Open(ctx, store.Options{
		URL:             seal.NewSecret(databaseURL),
		MaxConnections:  connections,
		Keyring:         Keyring(),
		ApplicationName: "test",
	})
	if err != nil {
		return nil, fmt.Errorf("open test database: %w", err)
	}
	return db, nil
}

// Conn connects to the database at the URL until the test ends, for tests that read the tables. Of
// the shared database it is a connection that later tests use again.
func Conn(t testing.TB, databaseURL string) *pgx.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if isShared(databaseURL) {
		held, err := shared.db.Pool.Acquire(ctx)
		if err != nil {
			t.Fatalf("take a connection to the shared test database: %v", err)
		}
		t.Cleanup(held.Release)
		return held.Conn()
	}
	if conn := connectReusable(t, databaseURL); conn != nil {
		return conn
	}
	conn, err := pgx.Connect(ctx, databaseURL)
	if err != nil {
		t.Fatalf("connect to test database: %v", err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return conn
}

// Keyring returns the keyring of all tests. One process of a test can open what another has sealed.
func Keyring() *seal.Keyring {
	k, err := seal.ParseKeyring([]byte(KeyringText))
	if err != nil {
		panic(err) // the text is a constant
	}
	return k
}

// KeyringText is the file of Keyring, for tests that start processes.
const KeyringText = `{"primary": "test", "keys": [{"id": "test", "key": "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="}]}`

// serverURL returns the server's URL. Without one it ends the test.
func serverURL(t testing.TB) string {
	t.Helper()
	server := os.Getenv(ServerVariable)
	if server != "" {
		return server
	}
	LeaveOut(t, ServerVariable+" is not set; `make test` starts a server and sets it")
	return ""
}

// createTemporaryDatabase creates a database with create, drops it when the test ends, and returns
// its URL.
func createTemporaryDatabase(t testing.TB, server string, create func(ctx context.Context, server string) (string, error)) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	database, err := create(ctx, server)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := dropDatabase(context.Background(), server, database); err != nil {
			t.Errorf("drop test database: %v", err)
		}
	})
	return database
}

// createDatabase creates a database with the given clause and returns its URL.
func createDatabase(ctx context.Context, server, clause string) (string, error) {
	name := fmt.Sprintf("%s%d_%s", testPrefix, time.Now().Unix(), strings.ToLower(rand.Text()[:12]))
	err := onServer(ctx, server, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "CREATE DATABASE "+name+" "+clause)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("create test database: %w", err)
	}
	return withDatabase(server, name)
}

// dropDatabase drops the database at the URL, which is on the server.
func dropDatabase(ctx context.Context, server, database string) error {
	u, err := url.Parse(database)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	return onServer(ctx, server, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "DROP DATABASE "+pgx.Identifier{strings.TrimPrefix(u.Path, "/")}.Sanitize()+" WITH (FORCE)")
		return err
	})
}

// withDatabase returns the server's URL with another database.
func withDatabase(server, database string) (string, error) {
	u, err := url.Parse(server)
	if err != nil || u.Scheme == "" {
		return "", fmt.Errorf("%s is not a URL", ServerVariable)
	}
	u.Path = "/" + database
	return u.String(), nil
}

// maintenance are connections to the maintenance database of the server of all tests that nothing
// uses at the moment. Making one takes the server longer than most tests need it for.
var maintenance idleList[*pgx.Conn]

// onServer runs fn on a connection to the server's maintenance database. fn must leave no settings
// or locks of the session behind.
func onServer(ctx context.Context, server string, fn func(*pgx.Conn) error) error {
	if server != os.Getenv(ServerVariable) { // a test's own, which it may stop
		conn, err := pgx.Connect(ctx, server)
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }()
		return fn(conn)
	}
	conn, found := maintenance.takeLast()
	if !found {
		var err error
		if conn, err = pgx.Connect(ctx, server); err != nil {
			return err
		}
	}
	err := fn(conn)
	if !conn.IsClosed() {
		maintenance.addLast(conn)
	}
	return err
}

// idleList has what no test uses at the moment.
type idleList[T any] struct {
	mu   sync.Mutex
	list []T
}

func (l *idleList[T]) addLast(one T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, one)
}

// takeLast removes what was added last. It reports whether there is anything.
func (l *idleList[T]) takeLast() (one T, found bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	last := len(l.list) - 1
	if last < 0 {
		return one, false
	}
	one = l.list[last]
	l.list = l.list[:last]
	return one, true
}
