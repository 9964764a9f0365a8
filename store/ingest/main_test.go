package ingest_test

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"go.uber.org/goleak"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/ingest"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/integrations"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

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
	url := storetest.URL(t)
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
