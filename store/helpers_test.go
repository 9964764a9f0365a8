package store_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/ingest"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// bundle is a database with an organization, and a connection to its tables.
type bundle struct {
	*store.DB
	url  string
	conn *pgx.Conn
	org  uuid.UUID
}

func setup(t *testing.T) bundle {
	t.Helper()
	url := storetest.URL(t)
	db := storetest.Open(t, url)
	return bundle{DB: db, url: url, conn: storetest.Conn(t, url), org: storetest.Organization(t, db).ID}
}

func (b bundle) exec(t *testing.T, query string, args ...any) {
	t.Helper()
	if _, err := b.conn.Exec(t.Context(), query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// one reads the single value that the query selects.
func one[T any](t *testing.T, b bundle, query string, args ...any) (value T) {
	t.Helper()
	if err := b.conn.QueryRow(t.Context(), query, args...).Scan(&value); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return value
}

func ptr[T any](v T) *T { return &v }

// bench is a claimed integration with a connection to the tables.
type bench struct {
	db    *store.DB
	conn  *pgx.Conn
	org   uuid.UUID
	claim syncing.Claim
}

const testLease = time.Minute

// setupSync returns a bench on its own database.
func setupSync(t testing.TB) *bench {
	t.Helper()
	return setupSyncOn(t, storetest.URL(t))
}

// setupSyncOn is like setupSync on an existing database.
func setupSyncOn(t testing.TB, url string) *bench {
	t.Helper()
	b := &bench{db: storetest.Open(t, url), conn: storetest.Conn(t, url)}
	ctx := context.Background()
	org, _, _, err := access.Bootstrap(ctx, b.db, access.NewOrganization{
		OrganizationName: "Desk", Email: "owner@desk.test", PasswordHash: "x",
		Key: access.NewAPIKey{Name: "first", Prefix: "svc_live_abcdef", Scopes: []string{"traders:read"}, CreatedByName: "owner"},
	})
	if err != nil {
		t.Fatalf("bootstrap: %v", err)
	}
	b.org = org.ID
	b.claimNew(t)
	return b
}

// claimNew connects another platform and claims it.
func (b *bench) claimNew(t testing.TB) {
	t.Helper()
	ctx := context.Background()
	i, err := integrations.Create(ctx, b.db, store.SystemChange(b.org), integrations.New{
		Kind: record.CustomAPI, Name: "Platform", BaseURL: "https://" + uuid.NewString() + ".test",
		APIKey: seal.NewSecret("0123456789abcdef"), SyncIntervalSeconds: 300, Check: integrations.CheckOutcome{OK: true},
	})
	if err != nil {
		t.Fatalf("create integration: %v", err)
	}
	b.claim, err = syncing.ClaimOne(ctx, b.db, "test-1", i.ID, testLease)
	if err != nil {
		t.Fatalf("claim: %v", err)
	}
}

// run returns a run of the stream as a cycle would open it.
func (b *bench) run(stream record.Stream, mode syncing.Mode) syncing.OpenRun {
	return syncing.OpenRun{
		ID: uuid.Must(uuid.NewV7()), CycleID: b.claim.Cycle.ID, Stream: stream, Trigger: syncing.TriggerSchedule, Mode: mode,
		StartedAt: b.claim.Now, ReadFrom: b.claim.Now,
	}
}

// write commits a page and fails the test if that fails.
func (b *bench) write(t testing.TB, run syncing.OpenRun, batch record.Batch, change ...func(*ingest.PageCommit)) ingest.PageOutcome {
	t.Helper()
	p := ingest.PageCommit{Claim: &b.claim, Batch: batch, Run: run, Lease: testLease}
	for _, c := range change {
		c(&p)
	}
	out, err := ingest.WritePage(context.Background(), b.db, p)
	if err != nil {
		t.Fatalf("write page: %v", err)
	}
	b.claim.Quarantined = out.Quarantined
	return out
}

// texts runs a query of one text column.
func (b *bench) texts(t testing.TB, query string, args ...any) []string {
	t.Helper()
	rows, err := b.conn.Query(context.Background(), query, args...)
	if err != nil {
		t.Fatalf("query: %v", err)
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatalf("query: %v", err)
	}
	return list
}

var day = time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC)

// trade returns an open trade. minutes is when it was last updated.
func trade(account, id string, minutes int, change ...func(*record.Trade)) record.Trade {
	t := record.Trade{
		ID: id, AccountID: account, Symbol: "EURUSD", Side: record.Buy, OpenTime: day, UpdatedAt: day.Add(time.Duration(minutes) * time.Minute),
		Volume: "0.5", OpenPrice: "1.0854",
	}
	for _, c := range change {
		c(&t)
	}
	return t
}

func trades(list ...record.Trade) record.Batch { return record.Batch{Trades: list} }

// checkCounters compares the counters with the rows.
func (b *bench) checkCounters(t testing.TB) {
	t.Helper()
	got := b.texts(t, `SELECT concat_ws(' ', traders, accounts, trades, payouts) FROM sync_state WHERE integration_id = $1`, b.claim.IntegrationID)
	want := b.texts(t, `SELECT concat_ws(' ', (SELECT count(*) FROM traders WHERE integration_id = $1), (SELECT count(*) FROM accounts WHERE integration_id = $1),
        (SELECT count(*) FROM trades WHERE integration_id = $1), (SELECT count(*) FROM payouts WHERE integration_id = $1))`, b.claim.IntegrationID)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("counters (-rows +counters):\n%s", diff)
	}
}

// ended returns an ended run of trades.
func (b *bench) ended(status syncing.RunStatus, change ...func(*syncing.EndedRun)) syncing.EndedRun {
	e := syncing.EndedRun{Run: b.run(record.StreamTrades, syncing.ModeIncremental), Status: status, FinishedAt: b.claim.Now.Add(time.Second)}
	e.Run.Pages, e.Run.Requests, e.Run.Seen, e.Run.Unchanged = 2, 3, 300, 299
	e.Run.Stale, e.Run.UpdatedSince = 1, b.claim.Now.Add(-time.Hour)
	for _, c := range change {
		c(&e)
	}
	return e
}

// settle writes a settlement and fails the test if that fails.
func settle(t *testing.T, db *store.DB, claim syncing.Claim, s syncing.Settlement) {
	t.Helper()
	if err := syncing.CommitCycle(t.Context(), db, claim.Lease, s); err != nil {
		t.Fatalf("settle: %v", err)
	}
}

// noise returns a text of n bytes that cannot be compressed.
func noise(n int) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/"
	r := rand.New(rand.NewPCG(3, uint64(n)))
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[r.IntN(len(letters))]
	}
	return string(b)
}

// Outcomes of live checks.
var (
	passedCheck = integrations.CheckOutcome{OK: true}
	failedCheck = integrations.CheckOutcome{Err: &syncing.Error{Code: "timeout", Message: "no answer", Endpoint: "GET /health", Hint: "make it faster"}}
)
