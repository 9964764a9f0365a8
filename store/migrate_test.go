package store_test

import (
	"context"
	"database/sql"
	"errors"
	"flag"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/migrations"
	"github.com/assayhq/assay/store/roles"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
)

var update = flag.Bool("update", false, "write the files that tests compare with")

// TestSchema checks that schema.txt matches the migrations.
func TestSchema(t *testing.T) {
	t.Parallel()
	got, err := dumpSchema(t.Context(), storetest.New(t))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("migrations", "schema.txt")
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("%s differs from what the migrations make; run this test with -update (-file +made):\n%s", file, diff)
	}
}

// TestMigrationsGiveUpOnLocks checks that no migration waits without limit for a table that is in use,
// while everybody else would wait for the migration.
func TestMigrationsGiveUpOnLocks(t *testing.T) {
	t.Parallel()
	// These were released, and a released file is never edited.
	released := []string{"00006_partner_accounts.sql", "00011_webhook_backlog.sql", "00014_interview_answers.sql"}
	names, err := fs.Glob(migrations.Files(), "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(migrations.Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := waitsWithoutLimit(string(text)), slices.Contains(released, name); (got != "") != want {
			t.Errorf("%s: %q waits for a lock without limit, want such a statement: %t", name, got, want)
		}
	}
}

// locking matches statements during which nobody else may use, or write, a table.
var locking = regexp.MustCompile(`^\s*(ALTER TABLE|LOCK TABLE|TRUNCATE|DROP TABLE|(CREATE|DROP) TRIGGER|DROP INDEX( IF EXISTS)? [a-z])`)

// waitsWithoutLimit returns the first line of a migration that needs a table for itself and for which
// no lock_timeout is set. Outside of a transaction it is set in a block of its own.
func waitsWithoutLimit(migration string) (line string) {
	up, _, _ := strings.Cut(migration, "-- +goose Down")
	parts := []string{up}
	if strings.Contains(up, "-- +goose NO TRANSACTION") {
		parts = strings.FieldsFunc(strings.NewReplacer("-- +goose StatementBegin", "\x00", "-- +goose StatementEnd", "\x00").Replace(up), func(r rune) bool { return r == 0 })
	}
	for _, part := range parts {
		limited := false
		for line := range strings.Lines(part) {
			line, _, _ = strings.Cut(line, "--")
			limited = limited || strings.Contains(line, "SET LOCAL lock_timeout")
			if !limited && locking.MatchString(line) {
				return strings.TrimSpace(line)
			}
		}
	}
	return ""
}

// TestMigrateUnfitDatabase refuses, before anything is created, a database in which the names of
// traders could not be stored, and a server that is too old.
func TestMigrateUnfitDatabase(t *testing.T) {
	t.Parallel()
	address, err := url.Parse(storetest.Empty(t))
	if err != nil {
		t.Fatal(err)
	}
	admin := storetest.Conn(t, address.String())
	name := pgx.Identifier{strings.TrimPrefix(address.Path, "/") + "_latin1"}
	storetest.Exec(t, admin, "CREATE DATABASE "+name.Sanitize()+" ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
	address.Path = "/" + name[0]
	err = store.Migrate(t.Context(), seal.NewSecret(address.String()), nil)
	storetest.Exec(t, admin, "DROP DATABASE "+name.Sanitize()+" WITH (FORCE)")
	if want := "encoding is LATIN1"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Migrate in a database with LATIN1: %v, want %q", err, want)
	}
	for version, ok := range map[int]bool{140_013: false, 150_000: true, 180_001: true} {
		if err := store.CheckSettings(version, "the version", "UTF8"); (err == nil) != ok {
			t.Errorf("server %d: %v, want accepted %t", version, err, ok)
		}
	}
}

// TestMigrateConcurrently migrates one database from several callers: each migration is applied
// once, and all callers return afterwards.
func TestMigrateConcurrently(t *testing.T) {
	t.Parallel()
	url := storetest.Empty(t)
	var (
		mu      sync.Mutex
		applied = map[string]int{}
		wg      sync.WaitGroup
	)
	for range 4 {
		wg.Go(func() {
			err := store.Migrate(t.Context(), seal.NewSecret(url), func(_ int64, name string) {
				mu.Lock()
				defer mu.Unlock()
				applied[name]++
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if len(applied) < 2 {
		t.Errorf("applied %v, want several migrations", applied)
	}
	for name, times := range applied {
		if times != 1 {
			t.Errorf("migration %s was applied %d times", name, times)
		}
	}
	if err := storetest.Open(t, url).CheckSchema(t.Context()); err != nil {
		t.Errorf("schema after migrating: %v", err)
	}
	if err := store.Migrate(t.Context(), seal.NewSecret(url), func(_ int64, name string) { t.Errorf("%s was applied again", name) }); err != nil {
		t.Errorf("migrating again: %v", err)
	}
}

// migrateVariable turns the test binary into a process that migrates the named database and prints
// each step.
const migrateVariable = "ASSAY_TEST_MIGRATE"

// migrateAndExit runs in the process that TestMigrateKilled kills.
func migrateAndExit(url string) int {
	err := store.Migrate(context.Background(), seal.NewSecret(url), func(int64, string) { _, _ = os.Stdout.WriteString("step\n") })
	if err != nil {
		_, _ = os.Stderr.WriteString(err.Error() + "\n")
		return 1
	}
	return 0
}

// TestMigrateKilled kills a migrating process after each of its steps, and in
// the middle of the first one, and migrates again.
func TestMigrateKilled(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		steps int // number of printed steps before the kill; -1 if it waits for a lock
	}{
		{"in the middle of the first migration", -1}, {"after the first", 1}, {"after the fourth", 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			url := storetest.Empty(t)
			process := exec.CommandContext(t.Context(), os.Args[0])
			process.Env = append(os.Environ(), migrateVariable+"="+url)
			out, err := process.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			release := func() {}
			if c.steps < 0 {
				release = blockMigration(t, url)
			}
			if err := process.Start(); err != nil {
				t.Fatal(err)
			}
			for range c.steps {
				if _, err := out.Read(make([]byte, len("step\n"))); err != nil {
					t.Fatalf("the process ended before it was killed: %v", err)
				}
			}
			if c.steps < 0 {
				storetest.AwaitBlocked(t, url, true)
			}
			if err := process.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = process.Wait()
			release()
			if err := store.Migrate(t.Context(), seal.NewSecret(url), nil); err != nil {
				t.Fatalf("migrating after the kill: %v", err)
			}
			db := storetest.Open(t, url)
			if err := db.CheckSchema(t.Context()); err != nil {
				t.Error(err)
			}
			storetest.Organization(t, db)
		})
	}
}

// blockMigration blocks the first migration in its middle, where it creates a table that another
// transaction is creating.
func blockMigration(t *testing.T, url string) (release func()) {
	t.Helper()
	tx, err := storetest.Conn(t, url).Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `CREATE TABLE payouts ()`); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := tx.Rollback(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

// TestRefusedUsers checks that somebody whom the server refuses is told what to do.
func TestRefusedUsers(t *testing.T) {
	t.Parallel()
	made, empty := storetest.URL(t), storetest.Empty(t)
	other := func(change func(*url.URL)) string {
		u, err := url.Parse(made)
		if err != nil {
			t.Fatal(err)
		}
		change(u)
		return u.String()
	}
	missing := other(func(u *url.URL) { u.Path += "_missing" })
	stranger := other(func(u *url.URL) { u.User = url.UserPassword("nobody_"+t.Name(), "x") })
	misspelled := other(func(u *url.URL) { u.RawQuery += "&schema=public" })
	migrate := func(databaseURL string) error { return store.Migrate(t.Context(), seal.NewSecret(databaseURL), nil) }
	checkSchema := func(databaseURL string) error { return storetest.Open(t, databaseURL).CheckSchema(t.Context()) }
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"migrate as a process", migrate(storetest.As(t, roles.APIServer, made)), "the tables belong to"},
		{"migrate an empty database as a process", migrate(storetest.As(t, roles.Syncd, empty)), "run it as the owner of the tables"},
		{"migrate a missing database", migrate(missing), "create the database, or correct its name in database.url"},
		{"migrate as a stranger", migrate(stranger), "in database.url"},
		{"missing database", checkSchema(missing), "create the database, or correct its name in database.url"},
		{"stranger", checkSchema(stranger), "in database.url"},
		{"migrate with an unknown parameter", migrate(misspelled), "remove the parameter after ? in database.url"},
		{"unknown parameter", checkSchema(misspelled), "remove the parameter after ? in database.url"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, c.err, c.want)
		}
	}
	for _, databaseURL := range []string{missing, stranger, misspelled} {
		if err := checkSchema(databaseURL); !store.Refused(err) || !store.Transient(err) {
			t.Errorf("%v: refused %v, transient %v, want both", err, store.Refused(err), store.Transient(err))
		}
	}
	storetest.Exec(t, storetest.Conn(t, made), "REVOKE ALL ON goose_db_version FROM "+roles.Syncd)
	if err := checkSchema(storetest.As(t, roles.Syncd, made)); err == nil || !strings.Contains(err.Error(), "make the user a member of its role") {
		t.Errorf("without privileges: %v", err)
	}
}

// TestMigrateBusyTables migrates tables that are in use at first.
func TestMigrateBusyTables(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for a lock timeout")
	}
	t.Parallel()
	url := storetest.Empty(t)
	release := blockMigration(t, url)
	done := make(chan error, 1)
	go func() { done <- store.Migrate(t.Context(), seal.NewSecret(url), nil) }()
	storetest.AwaitBlocked(t, url, true) // reaches its lock timeout, and retries
	storetest.AwaitBlocked(t, url, false)
	release()
	if err := <-done; err != nil {
		t.Errorf("migrating: %v", err)
	}
}

func TestCheckSchema(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change string
		old    bool
	}{
		{"as migrated", ``, false},
		{"never migrated", `DROP TABLE goose_db_version`, true},
		{"a migration is missing", `UPDATE goose_db_version SET version_id = version_id - 1`, true},
		{"ahead of the binary", `INSERT INTO goose_db_version (version_id, is_applied) VALUES (99999, true)`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			if c.change != "" {
				b.Exec(t, c.change)
			}
			err := b.CheckSchema(t.Context())
			if errors.Is(err, store.ErrSchemaOld) != c.old || !c.old && err != nil {
				t.Errorf("%v, want an old schema: %v", err, c.old)
			}
			if c.old && !strings.Contains(err.Error(), "apiserver migrate") {
				t.Errorf("%v does not say what to run", err)
			}
		})
	}
}

// TestDownWithRemovedPeople checks that migrating down to a schema without removed people works if
// somebody has the address of a removed person, and up again.
func TestDownWithRemovedPeople(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	db := storetest.Open(t, url)
	org := storetest.Organization(t, db)
	newPerson := func(email string) access.Person {
		p, err := access.CreatePerson(t.Context(), db, store.SystemChange(org.ID), access.NewPerson{Email: email, Name: "Zoe", Role: access.RoleReviewer, PasswordHash: "hash"})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for range 2 {
		p := newPerson("zoe@example.com")
		if err := access.RemovePerson(t.Context(), db, store.SystemChange(org.ID), p.ID, nil); err != nil {
			t.Fatal(err)
		}
	}
	newPerson("Zoe@example.com")
	provider, tables := newProvider(t, url)
	if _, err := provider.DownTo(t.Context(), 8); err != nil {
		t.Fatal(err)
	}
	var left int
	if err := tables.QueryRowContext(t.Context(), `SELECT count(*) FROM people WHERE lower(email) = 'zoe@example.com'`).Scan(&left); err != nil || left != 1 {
		t.Errorf("%d people have the address, %v; want the one who was not removed", left, err)
	}
	if _, err := provider.Up(t.Context()); err != nil {
		t.Error(err)
	}
}

// newProvider returns what migrates the database up and down, and a connection to the database.
func newProvider(t *testing.T, url string) (*goose.Provider, *sql.DB) {
	t.Helper()
	config, err := pgx.ParseConfig(url)
	if err != nil {
		t.Fatal(err)
	}
	tables := stdlib.OpenDB(*config)
	t.Cleanup(func() { _ = tables.Close() })
	provider, err := goose.NewProvider(goose.DialectPostgres, tables, migrations.Files(), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}
	return provider, tables
}

// TestRemovedJobQueue checks that nothing is left of the job queue of earlier builds in a database
// that had it.
func TestRemovedJobQueue(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	provider, tables := newProvider(t, url)
	if _, err := provider.DownTo(t.Context(), 24); err != nil {
		t.Fatal(err)
	}
	const jobQueue = `CREATE TYPE river_job_state AS ENUM ('available');
CREATE TABLE river_job (id bigserial PRIMARY KEY, state river_job_state NOT NULL, args jsonb);
INSERT INTO river_job (state, args) VALUES ('available', '{"interview": "deleted"}');
CREATE TABLE river_client (id text PRIMARY KEY);
CREATE TABLE river_client_queue (client text REFERENCES river_client (id));
CREATE TABLE river_queue (); CREATE TABLE river_leader (); CREATE TABLE river_migration (); CREATE TABLE river_notification ();
CREATE FUNCTION river_job_state_in_bitmask(bitmask bit(8), state river_job_state) RETURNS boolean LANGUAGE sql AS 'SELECT true'`
	if _, err := tables.ExecContext(t.Context(), jobQueue); err != nil {
		t.Fatal(err)
	}
	if _, err := provider.Up(t.Context()); err != nil {
		t.Fatal(err)
	}
	var left int
	err := tables.QueryRowContext(t.Context(), `SELECT (SELECT count(*) FROM pg_class WHERE starts_with(relname, 'river_'))
    + (SELECT count(*) FROM pg_type WHERE starts_with(typname, 'river_')) + (SELECT count(*) FROM pg_proc WHERE starts_with(proname, 'river_'))`).Scan(&left)
	if err != nil || left != 0 {
		t.Errorf("%d objects of the job queue are left, %v", left, err)
	}
}
