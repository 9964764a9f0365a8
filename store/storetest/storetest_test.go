package storetest_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing/integrations"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(storetest.Suite{M: m}) }

func TestDatabasesAreApart(t *testing.T) {
	t.Parallel()
	first, second := storetest.New(t), storetest.New(t)
	if err := first.CheckSchema(t.Context()); err != nil {
		t.Error(err)
	}
	organization := storetest.Organization(t, first)
	storetest.Integration(t, first, organization.ID, "https://a.example")
	for name, c := range map[string]struct {
		db   *store.DB
		want int
	}{"the test's own": {first, 1}, "another": {second, 0}} {
		list, err := integrations.List(t.Context(), c.db, organization.ID)
		if err != nil || len(list) != c.want {
			t.Errorf("%s database has %d integrations, %v; want %d", name, len(list), err, c.want)
		}
	}
}

// TestDatabaseOfAnEarlierTest runs alone, so that no other test takes the database.
func TestDatabaseOfAnEarlierTest(t *testing.T) {
	exec := func(statement string) func(*testing.T, storetest.OrgDB) {
		return func(t *testing.T, b storetest.OrgDB) { t.Helper(); b.Exec(t, statement) }
	}
	var sessions []*pgx.Conn // which end with their database, and not when nothing refers to them
	defer func() {
		for _, conn := range sessions {
			_ = conn.Close(context.Background())
		}
	}()
	for _, c := range []struct {
		left  string // by the earlier test
		leave func(t *testing.T, b storetest.OrgDB)
		again bool // the database is used again, by a superuser
	}{
		{"rows", func(t *testing.T, b storetest.OrgDB) {
			t.Helper()
			storetest.Integration(t, b.DB, b.Org, "https://a.example")
			b.CreateTrader(t, directory.NewTrader{Email: new("t@example.com")})
		}, true},
		{"a setting of the session", exec(`SET search_path = nowhere`), true},
		{"a transaction", exec(`BEGIN`), false},
		{"a table", exec(`CREATE TABLE mine ()`), false},
		{"a column", exec(`ALTER TABLE traders ADD mine int`), false},
		{"a trigger", exec(`CREATE TRIGGER mine BEFORE UPDATE ON audit_log EXECUTE FUNCTION refuse_audit_change()`), false},
		{"a trigger less", exec(`DROP TRIGGER append_only ON audit_log`), false},
		{"a trigger that is off", exec(`ALTER TABLE audit_log DISABLE TRIGGER append_only`), false},
		{"a function", exec(`CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS 'SELECT 1'`), false},
		{"a setting of the database", exec(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET work_mem = 65', current_database()); END $$`), false},
		{"statistics", exec(`ANALYZE organizations`), false},
		{"another version of the schema", exec(`UPDATE goose_db_version SET version_id = 99999 WHERE version_id = 1`), false},
		{"a session", func(t *testing.T, b storetest.OrgDB) {
			t.Helper()
			conn, err := pgx.Connect(context.Background(), b.URL)
			if err != nil {
				t.Fatal(err)
			}
			sessions = append(sessions, conn)
		}, false},
		{"closed connections", func(t *testing.T, b storetest.OrgDB) { t.Helper(); b.Close() }, false},
		{"another keyring", func(t *testing.T, b storetest.OrgDB) { t.Helper(); b.SetKeyring(storetest.Keyring()) }, false},
	} {
		t.Run(c.left, func(t *testing.T) {
			var earlier string
			t.Run("earlier", func(t *testing.T) {
				b := storetest.NewOrgDB(t)
				earlier = b.URL
				c.leave(t, b)
			})
			b := storetest.NewOrgDB(t)
			want := c.again && storetest.One[bool](t, b.Conn, `SELECT usesuper FROM pg_user WHERE usename = current_user`)
			if again := b.URL == earlier; again != want {
				t.Errorf("the database is used again: %v, want %v", again, want)
			}
			const rows = `SELECT count(*) FROM organizations UNION ALL SELECT count(*) FROM integrations
    UNION ALL SELECT count(*) FROM traders UNION ALL SELECT count(DISTINCT organization_id) FROM audit_log`
			if diff := cmp.Diff([]string{"1", "0", "0", "1"}, b.Texts(t, `SELECT n::text FROM (`+rows+`) AS rows (n)`)); diff != "" {
				t.Errorf("rows before a test (-want +got):\n%s", diff)
			}
			_, name, _ := strings.Cut(earlier, "assay_test_")
			name, _, _ = strings.Cut(name, "?")
			if left := storetest.One[bool](t, b.Conn, `SELECT EXISTS (SELECT FROM pg_database WHERE datname = 'assay_test_' || $1)`, name); left != want {
				t.Errorf("the earlier database exists: %v, want %v", left, want)
			}
		})
	}
}

func TestRecords(t *testing.T) {
	t.Parallel()
	url := storetest.URL(t)
	db := storetest.Open(t, url)
	i := storetest.Integration(t, db, storetest.Organization(t, db).ID, "https://a.example")
	storetest.Records(t, url, i, record.Batch{
		Traders:  []record.Trader{{ID: "t"}},
		Accounts: []record.Account{{ID: "a", TraderID: "t"}},
		Trades:   []record.Trade{{ID: "1", AccountID: "a"}, {ID: "2", AccountID: "a"}},
		Payouts:  []record.Payout{{ID: "p", TraderID: "t"}},
	})
	got, err := integrations.Read(t.Context(), db, i.OrganizationID, i.ID)
	if err != nil {
		t.Fatal(err)
	}
	if want := (integrations.Counters{Traders: 1, Accounts: 1, Trades: 2, Payouts: 1}); got.Counters != want {
		t.Errorf("counters %+v, want %+v", got.Counters, want)
	}
	var rows integrations.Counters
	err = storetest.Conn(t, url).QueryRow(t.Context(), `SELECT (SELECT count(*) FROM traders), (SELECT count(*) FROM accounts),
    (SELECT count(*) FROM trades), (SELECT count(*) FROM payouts)`).Scan(&rows.Traders, &rows.Accounts, &rows.Trades, &rows.Payouts)
	if err != nil {
		t.Fatal(err)
	}
	if got.Counters != rows {
		t.Errorf("rows %+v differ from the counters %+v", rows, got.Counters)
	}
}
