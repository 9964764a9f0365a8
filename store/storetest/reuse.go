package storetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/seal"
)

// reusable is a database that the tests of a Suite use one after the other. Deleting a test's rows
// and keeping the connections takes a fraction of the time that another database takes.
type reusable struct {
	url     string
	db      *store.DB // nil until a test opens the database
	keyring *seal.Keyring
	conn    *pgx.Conn // reads the tables for tests, and deletes their rows
	// opened and connected report whether the current test uses db and conn.
	opened, connected bool
	// since is the first transaction of the current test, and catalog how many rows the catalogs had
	// before it.
	since, catalog int64
}

// reuse has the databases of this process that tests use one after the other.
var reuse struct {
	sync.Mutex
	on    bool
	idle  idleList[*reusable]
	inUse map[string]*reusable // by URL
}

// mayReuse reports whether tests may use databases one after the other. Only a superuser may delete
// rows without regard to what refers to them, and see whether there are statistics.
func mayReuse(ctx context.Context) (may bool) {
	server := os.Getenv(ServerVariable)
	if server == "" {
		return false
	}
	err := onServer(ctx, server, func(conn *pgx.Conn) error {
		return conn.QueryRow(ctx, `SELECT usesuper FROM pg_user WHERE usename = current_user`).Scan(&may)
	})
	return may && err == nil // tests will say what is wrong with the server
}

// takeReusable returns the URL of a database that is the test's own until it ends.
func takeReusable(t testing.TB, server string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	r, found := reuse.idle.takeLast()
	if !found {
		var err error
		if r, err = createReusable(ctx, server); err != nil {
			t.Fatal(err)
		}
	}
	reuse.Lock()
	defer reuse.Unlock()
	reuse.inUse[r.url] = r
	t.Cleanup(func() { giveBack(t, r) })
	return r.url
}

func createReusable(ctx context.Context, server string) (*reusable, error) {
	databaseURL, err := copyTemplate(ctx, server)
	if err != nil {
		return nil, err
	}
	r := &reusable{url: databaseURL}
	if r.conn, err = pgx.Connect(ctx, databaseURL); err != nil {
		return nil, errors.Join(err, dropDatabase(ctx, server, databaseURL))
	}
	if err := r.readCatalogs(ctx); err != nil {
		return nil, errors.Join(err, r.closeAndDrop(ctx))
	}
	return r, nil
}

// giveBack ends a test's use of the database. If the test changed more than rows, it drops it.
func giveBack(t testing.TB, r *reusable) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	reuse.Lock()
	delete(reuse.inUse, r.url)
	reuse.Unlock()
	again, err := r.isReusable(ctx)
	if again {
		err = r.deleteRows(ctx)
	}
	if err != nil {
		t.Logf("test database is not used again: %v", err)
	}
	if !again || err != nil {
		if err := r.closeAndDrop(ctx); err != nil {
			t.Errorf("drop test database: %v", err)
		}
		return
	}
	reuse.idle.addLast(r)
}

// catalogRows counts the rows that a test adds or removes when it changes the schema or has
// statistics collected.
const catalogRows = `(SELECT count(*) FROM pg_class) + (SELECT count(*) FROM pg_attribute) + (SELECT count(*) FROM pg_constraint)
    + (SELECT count(*) FROM pg_trigger) + (SELECT count(*) FROM pg_proc) + (SELECT count(*) FROM pg_db_role_setting)
    + (SELECT count(*) FROM pg_statistic WHERE starelid > 16384) + (SELECT count(*) FROM goose_db_version)`

// readCatalogs notes what the next test finds.
func (r *reusable) readCatalogs(ctx context.Context) error {
	return r.conn.QueryRow(ctx, `SELECT pg_current_xact_id()::text::bigint + 1, `+catalogRows).Scan(&r.since, &r.catalog)
}

// largest is the size in bytes of a database that is still used again. The template has 10 MiB.
const largest = 16 << 20

// isReusable reports whether the test left nothing but rows: no other keyring, no connection that is
// closed or still in use, no other session, no change of the catalogs and not much space.
func (r *reusable) isReusable(ctx context.Context) (again bool, err error) {
	sessions := int32(1)
	if r.db != nil {
		if keyring, _ := r.db.Keyring(); keyring != r.keyring || r.db.UnknownKeys() > 0 {
			return false, nil
		}
		for _, pool := range []*pgxpool.Pool{r.db.Pool, r.db.Keys.Pool} {
			if pool.Stat().AcquiredConns() > 0 || isClosed(ctx, pool) {
				return false, nil
			}
			sessions += pool.Stat().TotalConns()
		}
	}
	if r.conn.IsClosed() {
		return false, nil
	}
	err = r.conn.QueryRow(ctx, `SELECT `+catalogRows+` = $2
    AND (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND backend_type = 'client backend') <= $3
    AND pg_database_size(current_database()) <= $4
    AND NOT EXISTS (SELECT FROM pg_class WHERE xmin::text::bigint >= $1)
    AND NOT EXISTS (SELECT FROM pg_attribute WHERE xmin::text::bigint >= $1)
    AND NOT EXISTS (SELECT FROM pg_constraint WHERE xmin::text::bigint >= $1)
    AND NOT EXISTS (SELECT FROM pg_trigger WHERE xmin::text::bigint >= $1)
    AND NOT EXISTS (SELECT FROM pg_proc WHERE xmin::text::bigint >= $1)
    AND NOT EXISTS (SELECT FROM pg_statistic WHERE starelid > 16384 AND xmin::text::bigint >= $1)
    AND NOT EXISTS (SELECT FROM goose_db_version WHERE xmin::text::bigint >= $1)`,
		r.since, r.catalog, sessions, int64(largest)).Scan(&again)
	return again, err
}

func isClosed(ctx context.Context, pool *pgxpool.Pool) bool { return pool.Ping(ctx) != nil }

// deleteRows makes the database as empty as the template. The triggers of the audit log, which
// refuse that, are off meanwhile.
func (r *reusable) deleteRows(ctx context.Context) error {
	_, err := r.conn.Exec(ctx, `DO $$
DECLARE
    filled regclass[] := ARRAY(SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
        AND relname <> 'goose_db_version' AND pg_relation_size(oid) > 0);
    audited bool := filled && ARRAY['audit_log', 'audit_chains']::regclass[];
    "table" regclass;
BEGIN
    SET LOCAL session_replication_role = replica;
    IF audited THEN
        ALTER TABLE audit_log DISABLE TRIGGER append_only;
        ALTER TABLE audit_chains DISABLE TRIGGER append_only;
    END IF;
    FOREACH "table" IN ARRAY filled LOOP
        EXECUTE 'DELETE FROM ' || "table";
    END LOOP;
    IF audited THEN
        ALTER TABLE audit_log ENABLE ALWAYS TRIGGER append_only;
        ALTER TABLE audit_chains ENABLE ALWAYS TRIGGER append_only;
    END IF;
    PERFORM setval(oid, 1, false) FROM pg_class WHERE relkind = 'S' AND relnamespace = 'public'::regnamespace AND NOT starts_with(relname, 'goose_');
END $$`)
	if err != nil {
		return err
	}
	return r.readCatalogs(ctx)
}

// closeAndDrop closes the connections and drops the database.
func (r *reusable) closeAndDrop(ctx context.Context) error {
	if r.db != nil {
		r.db.Close()
	}
	return errors.Join(r.conn.Close(ctx), dropDatabase(ctx, os.Getenv(ServerVariable), r.url))
}

// openReusable opens the database at the URL for the test. It returns nil if the database is not
// reusable, or the test has already opened it.
func openReusable(t testing.TB, databaseURL string) *store.DB {
	t.Helper()
	reuse.Lock()
	defer reuse.Unlock()
	r := reuse.inUse[databaseURL]
	if r == nil || r.opened {
		return nil
	}
	if r.db == nil {
		var err error
		if r.db, err = openDatabase(context.Background(), databaseURL, testConnections); err != nil {
			t.Fatal(err)
		}
		r.keyring, _ = r.db.Keyring() // fails without one
	}
	r.opened = true
	t.Cleanup(func() { r.opened = false })
	return r.db
}

// connectReusable returns a connection to the database at the URL for the test. It returns nil if
// the database is not reusable, or the test already has the connection.
func connectReusable(t testing.TB, databaseURL string) *pgx.Conn {
	t.Helper()
	reuse.Lock()
	defer reuse.Unlock()
	r := reuse.inUse[databaseURL]
	if r == nil || r.connected {
		return nil
	}
	r.connected = true
	t.Cleanup(func() {
		r.connected = false
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := resetSession(ctx, r.conn); err != nil {
			_ = r.conn.Close(ctx) // the database is not used again
		}
	})
	return r.conn
}

// resetSession undoes what a test did to the connection.
func resetSession(ctx context.Context, conn *pgx.Conn) error {
	if status := conn.PgConn().TxStatus(); status != 'I' {
		return fmt.Errorf("transaction status %c", status)
	}
	if err := conn.DeallocateAll(ctx); err != nil {
		return err
	}
	_, err := conn.Exec(ctx, "DISCARD ALL")
	return err
}

// dropReusable drops the databases that tests have used one after the other.
func dropReusable(ctx context.Context) (err error) {
	for r, found := reuse.idle.takeLast(); found; r, found = reuse.idle.takeLast() {
		err = errors.Join(err, r.closeAndDrop(ctx))
	}
	return err
}
