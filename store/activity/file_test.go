package activity_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/activity"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
)

// june returns a time on a day of June 2026.
func june(n int) time.Time { return time.Date(2026, 6, n, 9, 30, 0, 0, time.UTC) }

func (b orgDB) keep(t *testing.T, n activity.NewFile) activity.KeptFile {
	t.Helper()
	k, err := activity.KeepFile(t.Context(), b.DB, store.SystemChange(b.Org), n)
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// TestActivityFileIsKeptAsItCame checks bytes and trades, also in several pieces and batches.
func TestActivityFileIsKeptAsItCame(t *testing.T) {
	t.Parallel()
	b := setup(t)
	trader := b.CreateTrader(t, directory.NewTrader{FullName: "A"})
	trades := make([]record.Trade, 25_001)
	for i := range trades {
		trades[i] = record.Trade{ID: fmt.Sprint(i), AccountID: fmt.Sprint(i % 3), Symbol: "a\tb\\c", Side: record.Sell, OpenTime: june(2), CloseTime: june(3), Volume: "0.10", Profit: "-12.5"}
	}
	content := strings.Repeat("0123456789\x00\xff", 60_000)
	k := b.keep(t, storetest.ActivityFile(trader.ID, "Statement.csv", content, trades...))
	if k.Known || k.Trades != 25_001 || k.Name != "Statement.csv" || k.Bytes != int64(len(content)) {
		t.Errorf("kept %+v", k)
	}
	var got bytes.Buffer
	if err := activity.ReadFileContent(t.Context(), b.DB, b.Org, trader.ID, k.ID, &got); err != nil || got.String() != content {
		t.Errorf("%d bytes come back, %v", got.Len(), err)
	}
	seen := b.readActivity(t, activity.Query{TraderID: trader.ID, From: june(1), To: june(9), MaxTrades: 30_000})
	if len(seen.trades) != 25_001 {
		t.Fatalf("%d trades", len(seen.trades))
	}
	want := trades[4]
	want.AccountID, want.Volume = "", "0.1"
	if diff := cmp.Diff(want, seen.trades["1/4"]); diff != "" {
		t.Errorf("trade (-want +got):\n%s", diff)
	}
}

// TestSlowReadersHoldNoConnection downloads a file through a pool of one connection, which others use
// whenever the reader is to take some bytes. In the end somebody deletes the file.
func TestSlowReadersHoldNoConnection(t *testing.T) {
	t.Parallel()
	b := setup(t)
	trader := b.CreateTrader(t, directory.NewTrader{FullName: "A"})
	content := strings.Repeat("0123456789\x00\xff", 60_000)
	k := b.keep(t, storetest.ActivityFile(trader.ID, "Statement.csv", content))
	db, err := store.Open(t.Context(), store.Options{URL: seal.NewSecret(b.URL), MaxConnections: 1, Keyring: storetest.Keyring(), ApplicationName: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second) // without a free connection it would take forever
	defer cancel()
	var got bytes.Buffer
	others := func(statement string) io.Writer {
		return writerFunc(func(p []byte) (int, error) {
			if _, err := db.Pool.Exec(ctx, statement, k.ID); err != nil {
				return 0, err
			}
			return got.Write(p)
		})
	}
	if err := activity.ReadFileContent(ctx, db, b.Org, trader.ID, k.ID, others(`SELECT $1::uuid`)); err != nil || got.String() != content {
		t.Errorf("%d bytes come back, %v", got.Len(), err)
	}
	if err := activity.ReadFileContent(ctx, db, b.Org, trader.ID, k.ID, others(`DELETE FROM activity_files WHERE id = $1`)); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a file that is deleted meanwhile: %v", err)
	}
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestEqualBytesAreOneActivityFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	trader := b.CreateTrader(t, directory.NewTrader{FullName: "A"})
	first := b.keep(t, storetest.ActivityFile(trader.ID, "a.csv", "content"))
	again := b.keep(t, storetest.ActivityFile(trader.ID, "b.csv", "content"))
	if !again.Known || again.ID != first.ID || again.Name != "a.csv" {
		t.Errorf("the same file again: %+v", again)
	}
	account := storetest.One[uuid.UUID](t, b.Conn, `SELECT id FROM activity_accounts`)
	n := storetest.ActivityFile(trader.ID, "b.csv", "content", record.Trade{ID: "9", AccountID: "7001", Symbol: "XAUUSD", Side: record.Sell, OpenTime: june(2)})
	n.Options = []byte(`{"timezone":"+02:00"}`)
	other := b.keep(t, n)
	if other.Known || other.ID != first.ID || other.Name != "b.csv" {
		t.Errorf("the file with other options: %+v", other)
	}
	if got := storetest.One[string](t, b.Conn, `SELECT string_agg(id, ' ') FROM activity_trades`); got != "9" {
		t.Errorf("trades %q are left, want those of the second reading", got)
	}
	if got := storetest.One[uuid.UUID](t, b.Conn, `SELECT id FROM activity_accounts`); got != account {
		t.Error("the account has another id after the second reading")
	}
	second := b.CreateTrader(t, directory.NewTrader{FullName: "B"})
	if k := b.keep(t, storetest.ActivityFile(second.ID, "a.csv", "content")); k.Known || k.ID == first.ID {
		t.Error("another trader's file counts as known")
	}
}

func TestActivityFilesOfOthers(t *testing.T) {
	t.Parallel()
	b, stranger := setup(t), setup(t)
	trader := b.CreateTrader(t, directory.NewTrader{FullName: "A"})
	k := b.keep(t, storetest.ActivityFile(trader.ID, "a.csv", "content"))
	ctx, c := t.Context(), store.SystemChange(uuid.New())
	_, keep := activity.KeepFile(ctx, b.DB, c, storetest.ActivityFile(trader.ID, "a.csv", "other"))
	_, list := activity.ListFiles(ctx, b.DB, c.OrganizationID, trader.ID)
	_, file := activity.ReadFile(ctx, b.DB, c.OrganizationID, trader.ID, k.ID)
	_, bySum := activity.FindFile(ctx, b.DB, c.OrganizationID, trader.ID, sha256.Sum256([]byte("content")))
	for name, err := range map[string]error{
		"keep": keep, "list": list, "file": file, "by sum": bySum,
		"content":      activity.ReadFileContent(ctx, b.DB, c.OrganizationID, trader.ID, k.ID, io.Discard),
		"delete":       activity.DeleteFile(ctx, b.DB, c, trader.ID, k.ID),
		"refuse":       activity.RefuseFile(ctx, b.DB, c, trader.ID, "x"),
		"read":         activity.Read(ctx, b.DB, c.OrganizationID, activity.Query{TraderID: trader.ID}, newActivitySink()),
		"other trader": activity.DeleteFile(ctx, b.DB, store.SystemChange(b.Org), uuid.New(), k.ID),
	} {
		if !errors.Is(err, store.ErrNotFound) {
			t.Errorf("%s: %v, want ErrNotFound", name, err)
		}
	}
	_ = stranger
}

func TestDeletedActivityFileLeavesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	trader := b.CreateTrader(t, directory.NewTrader{FullName: "A"})
	k := b.keep(t, storetest.ActivityFile(trader.ID, "a.csv", "content"))
	if err := activity.DeleteFile(t.Context(), b.DB, store.SystemChange(b.Org), trader.ID, k.ID); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"activity_files", "activity_file_pieces", "activity_accounts", "activity_trades"} {
		if n := storetest.One[int](t, b.Conn, `SELECT count(*) FROM `+table); n != 0 {
			t.Errorf("%d rows of %s are left", n, table)
		}
	}
}

// TestActivityFileThatBreaksOffLeavesNothing checks that a file that cannot be read to its end
// leaves no row.
func TestActivityFileThatBreaksOffLeavesNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	trader := b.CreateTrader(t, directory.NewTrader{FullName: "A"})
	n := storetest.ActivityFile(trader.ID, "a.csv", "content")
	n.Content = strings.NewReader("conte")
	if _, err := activity.KeepFile(t.Context(), b.DB, store.SystemChange(b.Org), n); err == nil {
		t.Error("a file is kept that has lost its end")
	}
	if n := storetest.One[int](t, b.Conn, `SELECT count(*) FROM activity_files`) + storetest.One[int](t, b.Conn, `SELECT count(*) FROM activity_file_pieces`); n != 0 {
		t.Errorf("%d rows are left", n)
	}
}

func TestCrossingActivityFiles(t *testing.T) {
	t.Parallel()
	b := setup(t)
	trader := b.CreateTrader(t, directory.NewTrader{FullName: "A"})
	const uploads = 6
	kept := make([]activity.KeptFile, uploads)
	errs := make([]error, uploads)
	var group sync.WaitGroup
	for i := range uploads {
		group.Go(func() {
			kept[i], errs[i] = activity.KeepFile(t.Context(), b.DB, store.SystemChange(b.Org), storetest.ActivityFile(trader.ID, "a.csv", "content"))
		})
	}
	group.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	read := 0
	for _, k := range kept {
		if !k.Known {
			read++
		}
		if k.ID != kept[0].ID {
			t.Error("two files have been made of one")
		}
	}
	if trades := storetest.One[int](t, b.Conn, `SELECT count(*) FROM activity_trades`); read != 1 || trades != 1 {
		t.Errorf("%d uploads were kept, with %d trades, want 1 and 1", read, trades)
	}
}

func TestTooManyActivityFiles(t *testing.T) {
	t.Parallel()
	b := setup(t)
	trader := b.CreateTrader(t, directory.NewTrader{FullName: "A"})
	b.Exec(t, `INSERT INTO activity_files (id, organization_id, trader_id, sha256, bytes, name, media_type, options, reader, report, trades, uploaded_by)
SELECT gen_random_uuid(), $1, $2, sha256(n::text::bytea), 1, '', 'text/csv', '{}', 1, '{}', 0, '' FROM generate_series(1, $3) AS n`, b.Org, trader.ID, activity.MaxActivityFiles)
	_, err := activity.KeepFile(t.Context(), b.DB, store.SystemChange(b.Org), storetest.ActivityFile(trader.ID, "a.csv", "content"))
	if !errors.Is(err, activity.ErrTooManyFiles) || !errors.Is(err, store.ErrConflict) {
		t.Errorf("%v, want ErrTooManyFiles", err)
	}
}

// TestMergedTradersShareActivityFiles checks that a merged trader has the files of both rows, and a
// single one of a file that both have.
func TestMergedTradersShareActivityFiles(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := storetest.Integration(t, b.DB, b.Org, "https://a.example")
	storetest.Traders(t, b.URL, i, record.Trader{ID: "t-1", Email: "one@example.com"})
	synced := storetest.One[uuid.UUID](t, b.Conn, `SELECT id FROM traders`)
	manual := b.CreateTrader(t, directory.NewTrader{FullName: "A", Email: new("two@example.com")})
	b.keep(t, storetest.ActivityFile(synced, "both", "both"))
	b.keep(t, storetest.ActivityFile(manual.ID, "both", "both"))
	b.keep(t, storetest.ActivityFile(manual.ID, "one", "one"))
	if _, err := directory.UpdateTrader(t.Context(), b.DB, store.SystemChange(b.Org), synced, directory.TraderPatch{Email: new(new("two@example.com"))}); err != nil {
		t.Fatal(err)
	}
	files, err := activity.ListFiles(t.Context(), b.DB, b.Org, synced)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
	}
	if diff := cmp.Diff([]string{"one", "both"}, names); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	if n := storetest.One[int](t, b.Conn, `SELECT count(*) FROM activity_trades`); n != 2 {
		t.Errorf("%d trades, want those of two files", n)
	}
}
