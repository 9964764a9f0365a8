package store_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
)

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", // uses the environment, which may be valid
		"postgres://u:hunter2/x@host/db",
		"postgres://u:hunter2%zz@host/db",
		"postgres://u:hunter2@host:port/db",
		"host=h password='hunter2",
		"mysql://u:hunter2@host/db",
	} {
		db, err := store.Open(t.Context(), store.Options{URL: seal.NewSecret(text)})
		if err == nil {
			db.Close()
			if text != "" {
				t.Errorf("%q was taken for a connection string", text)
			}
			continue
		}
		if strings.Contains(fmt.Sprintf("%+v", err), "hunter") {
			t.Errorf("the error shows the password: %v", err)
		}
	}
}

// setting reads a session's setting.
func setting(t *testing.T, db *store.DB, name string) (value string) {
	t.Helper()
	err := db.WithView(t.Context(), func(ctx context.Context, tx bun.Tx, _ func(func(*pgx.Conn) error) error) error {
		return tx.NewRaw(`SELECT current_setting(?)`, name).Scan(ctx, &value)
	})
	if err != nil {
		t.Fatal(err)
	}
	return value
}

func TestSessionSettings(t *testing.T) {
	t.Parallel()
	database := storetest.Empty(t)
	for _, c := range []struct {
		name   string
		change func(*store.Options)
		want   map[string]string
	}{
		{"default", func(*store.Options) {}, map[string]string{
			"statement_timeout": "30s", "idle_in_transaction_session_timeout": "15s", "jit": "off", "TimeZone": "UTC", "application_name": "syncd",
		}},
		{"longer", func(o *store.Options) { o.StatementTimeout = 5e9 * 60 }, map[string]string{"statement_timeout": "5min"}},
		{"endless", func(o *store.Options) { o.StatementTimeout = -1 }, map[string]string{"statement_timeout": "0"}},
		{"in the URL", func(o *store.Options) { o.URL = seal.NewSecret(with(t, database, "statement_timeout", "7s")) }, map[string]string{"statement_timeout": "7s"}},
		{"compiled, by the URL", func(o *store.Options) { o.URL = seal.NewSecret(with(t, database, "jit", "on")) }, map[string]string{"jit": "on"}},
		{"several hosts", func(o *store.Options) { o.URL = seal.NewSecret(twice(t, database)) }, map[string]string{"transaction_read_only": "off"}},
		{"pooler", func(o *store.Options) { o.Pooler = true }, map[string]string{"statement_timeout": "0", "TimeZone": "UTC"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o := store.Options{URL: seal.NewSecret(database), ApplicationName: "syncd", MaxConnections: 2}
			c.change(&o)
			db, err := store.Open(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			for name, want := range c.want {
				if got := setting(t, db, name); got != want {
					t.Errorf("%s is %s, want %s", name, got, want)
				}
			}
		})
	}
}

// TestServerOfAnotherRegion reads a time and a text from a server that is set up to write them in
// another way.
func TestServerOfAnotherRegion(t *testing.T) {
	t.Parallel()
	database := storetest.Empty(t)
	storetest.Exec(t, storetest.Conn(t, database), `DO $$ DECLARE setting text; BEGIN
FOREACH setting IN ARRAY ARRAY['datestyle = German', 'timezone = ''Asia/Kathmandu''', 'client_encoding = LATIN1', 'standard_conforming_strings = off'] LOOP
	EXECUTE format('ALTER DATABASE %I SET %s', current_database(), setting);
END LOOP; END $$`)
	for _, pooler := range []bool{false, true} {
		db, err := store.Open(t.Context(), store.Options{URL: seal.NewSecret(database), Pooler: pooler})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		var at time.Time
		if err := db.Pool.QueryRow(t.Context(), `SELECT '2026-02-11T08:00:00Z'::timestamptz`).Scan(&at); err != nil {
			t.Error(err)
		}
		if want := time.Date(2026, 2, 11, 8, 0, 0, 0, time.UTC); at != want {
			t.Errorf("pooler %t: read %v, want %v", pooler, at, want)
		}
		const name = `平 \ '`
		var got string
		if err := db.Pool.QueryRow(t.Context(), `SELECT $1 || '\'`, name).Scan(&got); err != nil || got != name+`\` {
			t.Errorf("pooler %t: read %q, %v, want %q", pooler, got, err, name+`\`)
		}
	}
}

// with adds a parameter to a URL.
func with(t *testing.T, database, name, value string) string {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}

// twice names the server under two addresses.
func twice(t *testing.T, database string) string {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	u.Host = u.Host + ",localhost:" + u.Port()
	return u.String()
}

// TestReadOnlyServerIsRefused names two servers, neither of which accepts writes.
func TestReadOnlyServerIsRefused(t *testing.T) {
	t.Parallel()
	database := storetest.Empty(t)
	conn := storetest.Conn(t, database)
	if _, err := conn.Exec(t.Context(), `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$`); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), store.Options{URL: seal.NewSecret(twice(t, database))})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.Pool.Ping(t.Context()); err == nil || !store.Transient(err) {
		t.Errorf("ping of two servers that take no writes: %v, want a transient error", err)
	}
}

// TestPoolerMode makes the calls that are otherwise prepared without preparing them, which a pooler
// in transaction mode requires.
func TestPoolerMode(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	db, err := store.Open(t.Context(), store.Options{URL: seal.NewSecret(b.URL), Pooler: true, Keyring: storetest.Keyring()})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	claims, err := syncing.ClaimDue(t.Context(), db, "syncd", time.Minute, syncing.Selection{Limit: 2})
	if err != nil || len(claims) != 1 || claims[0].IntegrationID != i.ID {
		t.Fatalf("claimed %v, %v; want the integration", claims, err)
	}
	settings, err := syncing.ReadSettings(t.Context(), db, &claims[0])
	if err != nil || settings.APIKey.Reveal() != storetest.PlatformKey {
		t.Errorf("settings %+v, %v", settings, err)
	}
	if err := syncing.ReleaseLease(t.Context(), db, claims[0].Lease); err != nil {
		t.Error(err)
	}
	hash := sha256.Sum256([]byte("key"))
	key, err := access.CreateAPIKey(t.Context(), b.DB, store.SystemChange(b.Org), access.NewAPIKey{Name: "reporting", Prefix: "svc_live_abcdef", SecretHash: hash, Scopes: []string{"traders:read"}})
	if err != nil {
		t.Fatal(err)
	}
	got, err := access.AdmitAPIKey(t.Context(), db, hash)
	if err != nil || got.ID != key.ID || got.Remaining != access.RateLimit-1 {
		t.Errorf("admitted %+v, %v", got, err)
	}
	if err := access.TouchAPIKeys(t.Context(), db, map[uuid.UUID]time.Time{key.ID: got.At}); err != nil {
		t.Error(err)
	}
}

// TestReplicaIsOneServer checks that what is known of one replica is not applied to another at the
// same address.
func TestReplicaIsOneServer(t *testing.T) {
	t.Parallel()
	database := storetest.Empty(t)
	db, err := store.Open(t.Context(), store.Options{URL: seal.NewSecret(database), ReplicaURL: seal.NewSecret(twice(t, database))})
	if err == nil {
		db.Close()
		t.Error("two servers are taken for a replica")
	}
}
