package directory_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/pressly/goose/v3"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/migrations"
	"github.com/assayhq/assay/store/syncing"
)

// TestUnrecognizedIsMoved checks that values that were put into metadata before they had their own
// column are moved there, without the platform's own metadata. The same records, read again, are
// unchanged. Migrating down works as well.
func TestUnrecognizedIsMoved(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	config, err := pgx.ParseConfig(b.Conn.Config().ConnString())
	if err != nil {
		t.Fatal(err)
	}
	tables := stdlib.OpenDB(*config)
	defer func() { _ = tables.Close() }()
	provider, err := goose.NewProvider(goose.DialectPostgres, tables, migrations.Files(), goose.WithDisableGlobalRegistry(true))
	if err != nil {
		t.Fatal(err)
	}

	// These are in the old form, each with what its platform sends.
	before := record.Batch{
		Traders: []record.Trader{
			{ID: "1", UpdatedAt: day, Metadata: `{"unrecognized":{"kyc_status":"approved"}}`},
			{ID: "2", UpdatedAt: day, KYCStatus: "verified", Metadata: `{"unrecognized":{"kyc_status":"approved"}}`},
		},
		Accounts: []record.Account{
			{ID: "1", UpdatedAt: day, Phase: "funded", Metadata: `{"desk":"A","unrecognized":{"platform":"mt6","status":7}}`},
			{ID: "2", UpdatedAt: day, Metadata: `{"unrecognized":{"platform":"mt6","server":"x"}}`},
			{ID: "3", UpdatedAt: day, Metadata: `{"unrecognized":[1]}`},
			{ID: "4", UpdatedAt: day},
		},
	}
	after := record.Batch{Traders: append([]record.Trader(nil), before.Traders...), Accounts: append([]record.Account(nil), before.Accounts...)}
	after.Traders[0].Metadata, after.Traders[0].Unrecognized = "", `{"kyc_status":"approved"}`
	after.Accounts[0].Metadata, after.Accounts[0].Unrecognized = `{"desk":"A"}`, `{"platform":"mt6","status":7}`
	write := func(mode syncing.Mode, batch record.Batch) (unchanged int64) {
		t.Helper()
		unchanged += b.WritePage(t, b.NewRun(record.StreamTraders, mode), record.Batch{Traders: batch.Traders}).Page.Unchanged
		return unchanged + b.WritePage(t, b.NewRun(record.StreamAccounts, mode), record.Batch{Accounts: batch.Accounts}).Page.Unchanged
	}
	write(syncing.ModeBackfill, before)
	shown := func() []string {
		return b.Texts(t, `SELECT concat_ws(' ', 'trader', external_id, coalesce(metadata::text, '-'), coalesce(unrecognized::text, '-')) FROM traders
UNION ALL SELECT concat_ws(' ', 'account', external_id, coalesce(metadata::text, '-'), coalesce(unrecognized::text, '-')) FROM accounts ORDER BY 1`)
	}
	want := []string{
		`account 1 {"desk": "A"} {"status": 7, "platform": "mt6"}`,
		`account 2 {"unrecognized": {"server": "x", "platform": "mt6"}} -`,
		`account 3 {"unrecognized": [1]} -`,
		`account 4 - -`,
		`trader 1 - {"kyc_status": "approved"}`,
		`trader 2 {"unrecognized": {"kyc_status": "approved"}} -`,
	}
	for range 2 {
		if _, err := provider.DownTo(t.Context(), 19); err != nil {
			t.Fatal(err)
		}
		if got := b.Texts(t, `SELECT metadata::text FROM accounts WHERE external_id = '1'`); got[0] != `{"desk": "A", "unrecognized": {"status": 7, "platform": "mt6"}}` {
			t.Errorf("before the migration, metadata is %s", got[0])
		}
		if _, err := provider.Up(t.Context()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, shown()); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
	if n := write(syncing.ModeIncremental, after); n != 6 {
		t.Errorf("%d of 6 records are unchanged when they are read again", n)
	}

	after.Accounts[0].Unrecognized, after.Traders[0].Unrecognized = `{"platform":"mt7"}`, ""
	if n := write(syncing.ModeIncremental, after); n != 4 {
		t.Errorf("%d records are unchanged, want 4", n)
	}
	want[0], want[4] = `account 1 {"desk": "A"} {"platform": "mt7"}`, `trader 1 - -`
	if diff := cmp.Diff(want, shown()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestUnrecognizedMovesWithTheTrader checks that a row added by hand that replaces a synced one
// also gets the unrecognized values from the platform.
func TestUnrecognizedMovesWithTheTrader(t *testing.T) {
	t.Parallel()
	s := setupCycle(t)
	b := s.orgDB()
	page := trader("t1", "first@x.test", 0)
	page.Traders[0].Unrecognized = `{"kyc_status": "gold"}`
	s.arrive(t, page)
	b.CreateTrader(t, directory.NewTrader{FullName: "Ada King", Email: new("ada@x.test")})
	page = trader("t1", "ada@x.test", 1)
	page.Traders[0].Unrecognized = `{"kyc_status": "gold"}`
	s.arrive(t, page)
	if got := string(only(t, b).Unrecognized); got != `{"kyc_status": "gold"}` {
		t.Errorf("unrecognized %q", got)
	}
}
