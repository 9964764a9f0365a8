package storetest

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/ingest"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/webhooks"
)

// OrgDB is a database with an organization, and a connection to its tables.
type OrgDB struct {
	*store.DB
	URL  string
	Conn *pgx.Conn
	Org  uuid.UUID
}

// NewOrgDB returns one with its own database.
func NewOrgDB(t testing.TB) OrgDB {
	t.Helper()
	return NewOrgDBOn(t, URL(t))
}

// SharedOrgDB returns one with a new organization in the database that Shared returns.
func SharedOrgDB(t testing.TB) OrgDB {
	t.Helper()
	db, databaseURL := Shared(t)
	return newOrgDB(t, db, databaseURL)
}

// NewOrgDBOn returns one with a new organization in the database at the URL.
func NewOrgDBOn(t testing.TB, databaseURL string) OrgDB {
	t.Helper()
	return newOrgDB(t, Open(t, databaseURL), databaseURL)
}

func newOrgDB(t testing.TB, db *store.DB, databaseURL string) OrgDB {
	t.Helper()
	return OrgDB{DB: db, URL: databaseURL, Conn: Conn(t, databaseURL), Org: Organization(t, db).ID}
}

// Exec executes a statement.
func (b OrgDB) Exec(t testing.TB, statement string, args ...any) {
	t.Helper()
	Exec(t, b.Conn, statement, args...)
}

// Texts reads the single column of texts that the query selects.
func (b OrgDB) Texts(t testing.TB, query string, args ...any) []string {
	t.Helper()
	return Texts(t, b.Conn, query, args...)
}

// Vacuum analyzes the tables, and vacuums them until every page is marked visible to all. One
// attempt may not suffice: another snapshot, such as autovacuum's while it analyzes another table,
// prevents fresh rows from being marked, and index-only scans from being planned. Without
// INDEX_CLEANUP, the pages of the few rows of an earlier test would not be marked.
func (b OrgDB) Vacuum(t testing.TB, tables ...string) {
	t.Helper()
	for _, table := range tables {
		Eventually(t, "all pages of "+table+" are marked visible to all", func() bool {
			b.Exec(t, `VACUUM (ANALYZE, INDEX_CLEANUP on) `+table)
			return One[bool](t, b.Conn, `SELECT relallvisible = relpages FROM pg_class WHERE oid = $1::regclass`, table)
		})
	}
}

// By returns a change by someone with the name.
func (b OrgDB) By(name string) store.Change { return store.Change{OrganizationID: b.Org, By: name} }

// CreateTrader adds a trader by hand.
func (b OrgDB) CreateTrader(t testing.TB, n directory.NewTrader) directory.Trader {
	t.Helper()
	made, err := directory.CreateTrader(t.Context(), b.DB, b.By("desk"), n)
	if err != nil {
		t.Fatalf("create trader: %v", err)
	}
	return made
}

// CreateEndpoint creates a webhook endpoint that subscribes to the events.
func (b OrgDB) CreateEndpoint(t testing.TB, events ...string) webhooks.MadeEndpoint {
	t.Helper()
	made, err := webhooks.CreateEndpoint(t.Context(), b.DB, store.SystemChange(b.Org), webhooks.NewEndpoint{URL: "https://hooks.example.com", Events: events})
	if err != nil {
		t.Fatalf("create endpoint: %v", err)
	}
	return made
}

// Cycle is an OrgDB with an integration whose cycle the test has claimed.
type Cycle struct {
	OrgDB
	Claim syncing.Claim
}

// Lease is how long the claim of a Cycle lasts, and how long each of its pages extends it.
const Lease = time.Minute

// NewCycle returns a cycle in its own database.
func NewCycle(t testing.TB) *Cycle {
	t.Helper()
	return NewCycleOn(t, URL(t))
}

// NewCycleOn returns a cycle of a new organization in the database at the URL.
func NewCycleOn(t testing.TB, databaseURL string) *Cycle {
	t.Helper()
	c := &Cycle{OrgDB: NewOrgDBOn(t, databaseURL)}
	c.ClaimNew(t)
	return c
}

// ClaimNew connects another platform and claims its cycle.
func (c *Cycle) ClaimNew(t testing.TB) {
	t.Helper()
	i := Integration(t, c.DB, c.Org, "https://"+uuid.NewString()+".test")
	claim, err := syncing.ClaimOne(t.Context(), c.DB, "test-1", i.ID, Lease)
	if err != nil {
		t.Fatalf("claim: %v", err)
	}
	c.Claim = claim
}

// NewRun returns a run of the stream as a cycle would open it.
func (c *Cycle) NewRun(stream record.Stream, mode syncing.Mode) syncing.OpenRun {
	return syncing.OpenRun{
		ID: newID(), CycleID: c.Claim.Cycle.ID, Stream: stream, Trigger: syncing.TriggerSchedule, Mode: mode,
		StartedAt: c.Claim.Now, ReadFrom: c.Claim.Now,
	}
}

// EndedRun returns an ended run of trades.
func (c *Cycle) EndedRun(status syncing.RunStatus, change ...func(*syncing.EndedRun)) syncing.EndedRun {
	e := syncing.EndedRun{Run: c.NewRun(record.StreamTrades, syncing.ModeIncremental), Status: status, FinishedAt: c.Claim.Now.Add(time.Second)}
	e.Run.Pages, e.Run.Requests, e.Run.Seen, e.Run.Unchanged = 2, 3, 300, 299
	e.Run.Stale, e.Run.UpdatedSince = 1, c.Claim.Now.Add(-time.Hour)
	for _, apply := range change {
		apply(&e)
	}
	return e
}

// CommitCycle writes a commit and fails the test if that fails.
func CommitCycle(t testing.TB, db *store.DB, claim syncing.Claim, s syncing.CycleCommit) {
	t.Helper()
	if err := syncing.CommitCycle(t.Context(), db, claim.Lease, s); err != nil {
		t.Fatalf("commit: %v", err)
	}
}

// WritePage commits a page of the run.
func (c *Cycle) WritePage(t testing.TB, run syncing.OpenRun, batch record.Batch, change ...func(*ingest.PageCommit)) ingest.PageOutcome {
	t.Helper()
	p := ingest.PageCommit{Claim: &c.Claim, Batch: batch, Run: run, Lease: Lease}
	for _, set := range change {
		set(&p)
	}
	out, err := ingest.WritePage(t.Context(), c.DB, p)
	if err != nil {
		t.Fatalf("write page: %v", err)
	}
	c.Claim.Quarantined = out.Quarantined
	return out
}

// CheckCounters compares the integration's counters with its rows.
func (c *Cycle) CheckCounters(t testing.TB) {
	t.Helper()
	got := c.Texts(t, `SELECT concat_ws(' ', traders, accounts, trades, payouts) FROM sync_state WHERE integration_id = $1`, c.Claim.IntegrationID)
	want := c.Texts(t, `SELECT concat_ws(' ', (SELECT count(*) FROM traders WHERE integration_id = $1), (SELECT count(*) FROM accounts WHERE integration_id = $1),
        (SELECT count(*) FROM trades WHERE integration_id = $1), (SELECT count(*) FROM payouts WHERE integration_id = $1))`, c.Claim.IntegrationID)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("counters (-rows +counters):\n%s", diff)
	}
}

// Day returns the morning on which the records of tests begin.
func Day() time.Time { return time.Date(2026, 11, 2, 8, 0, 0, 0, time.UTC) }

// Trade returns an open trade, which was last updated so many minutes after Day.
func Trade(account, id string, minutes int, change ...func(*record.Trade)) record.Trade {
	t := record.Trade{
		ID: id, AccountID: account, Symbol: "EURUSD", Side: record.Buy, OpenTime: Day(), UpdatedAt: Day().Add(time.Duration(minutes) * time.Minute),
		Volume: "0.5", OpenPrice: "1.0854",
	}
	for _, set := range change {
		set(&t)
	}
	return t
}
