package ingest_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/ingest"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
)

// someTrades returns n trades.
func someTrades(n int) record.Batch {
	var b record.Batch
	for i := range n {
		b.Trades = append(b.Trades, storetest.Trade(fmt.Sprint("account-", i%20), fmt.Sprint(i), i))
	}
	return b
}

// setupFresh is setupCycle in a database without statistics.
func setupFresh(t *testing.T) *cycle {
	t.Helper()
	return &cycle{storetest.NewCycleOn(t, storetest.FreshURL(t))}
}

// fill gives an integration n records of each kind.
func (b *cycle) fill(t *testing.T, integration uuid.UUID, n int) {
	t.Helper()
	for _, statement := range []string{
		`INSERT INTO trades (integration_id, account_external_id, id, symbol, side, content_hash)
SELECT $1, CASE WHEN n % 5 > 0 THEN 'account-1' ELSE 'account-' || n % 20 END, n::text, 'EURUSD', 'buy', '\x00' FROM generate_series(1, $2) AS n`,
		`INSERT INTO traders (id, organization_id, integration_id, source, external_id, content_hash)
SELECT gen_random_uuid(), gen_random_uuid(), $1, 'custom_api', n::text, '\x00' FROM generate_series(1, $2) AS n`,
		`INSERT INTO accounts (id, organization_id, integration_id, external_id, trader_external_id, content_hash)
SELECT gen_random_uuid(), gen_random_uuid(), $1, n::text, 'trader-' || n % 20, '\x00' FROM generate_series(1, $2) AS n`,
		`INSERT INTO payouts (id, organization_id, integration_id, external_id, trader_external_id, content_hash)
SELECT gen_random_uuid(), gen_random_uuid(), $1, n::text, 'trader-' || n % 20, '\x00' FROM generate_series(1, $2) AS n`,
	} {
		b.Exec(t, statement, integration, n)
	}
}

// TestProbeReads checks that the comparison of a page reads little more than the page's own records,
// even if the planner has no statistics, or only ones about another integration. If it read all
// records of the integration or of an account, a first backfill would be quadratic.
func TestProbeReads(t *testing.T) {
	t.Parallel()
	const few, many = 5000, 50_000
	for _, tt := range []struct {
		name  string
		fill  func(t *testing.T, b *cycle)
		large bool
	}{
		{"no statistics", func(t *testing.T, b *cycle) { b.fill(t, b.Claim.IntegrationID, few) }, false},
		{"statistics about another integration", func(t *testing.T, b *cycle) {
			b.fill(t, uuid.Must(uuid.NewV7()), many)
			b.Exec(t, `ANALYZE trades, traders, accounts, payouts`)
			b.fill(t, b.Claim.IntegrationID, few)
		}, true},
		{"statistics about a large integration", func(t *testing.T, b *cycle) {
			b.fill(t, b.Claim.IntegrationID, many)
			b.Exec(t, `ANALYZE trades, traders, accounts, payouts`)
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.large && testing.Short() {
				t.Skip("fills 50,000 rows of each kind")
			}
			t.Parallel()
			b := setupFresh(t)
			tt.fill(t, b)
			for _, p := range pagesOfStreams() {
				for _, size := range []int{1, 200, 1000} {
					statement, args := b.probe(t, p.stream, p.batch(size))
					for _, generic := range []bool{false, true} {
						cost := storetest.Explain(t, b.DB, generic, statement, args...)
						cost.CheckReads(t, fmt.Sprintf("the comparison of %d %s, generic %t,", size, p.stream, generic), 100+10*size, 20+2*size)
					}
				}
			}
		})
	}
}

// TestProbeReadsByOutdatedPlan checks the same with the plans of a daemon that was started before
// the first record arrived.
func TestProbeReadsByOutdatedPlan(t *testing.T) {
	t.Parallel()
	const size = 200
	for _, p := range pagesOfStreams() {
		t.Run(string(p.stream), func(t *testing.T) {
			t.Parallel()
			b := setupFresh(t)
			statement, args := b.probe(t, p.stream, p.batch(size))
			cost := storetest.ExplainOutdated(t, b.DB, func() { b.fill(t, b.Claim.IntegrationID, 5000) }, statement, args...)
			cost.CheckReads(t, fmt.Sprintf("the comparison of %d %s", size, p.stream), 100+10*size, 20+2*size)
		})
	}
}

// streamPage makes pages of a stream with the first n records that fill adds.
type streamPage struct {
	stream record.Stream
	batch  func(n int) record.Batch
}

func pagesOfStreams() []streamPage {
	return []streamPage{
		{record.StreamTrades, someTrades},
		{record.StreamTraders, func(n int) (b record.Batch) {
			for i := range n {
				b.Traders = append(b.Traders, record.Trader{ID: fmt.Sprint(i), UpdatedAt: day})
			}
			return b
		}},
		{record.StreamAccounts, func(n int) (b record.Batch) {
			for i := range n {
				b.Accounts = append(b.Accounts, record.Account{ID: fmt.Sprint(i), UpdatedAt: day})
			}
			return b
		}},
		{record.StreamPayouts, func(n int) (b record.Batch) {
			for i := range n {
				b.Payouts = append(b.Payouts, record.Payout{ID: fmt.Sprint(i), UpdatedAt: day})
			}
			return b
		}},
	}
}

// probe returns the statement that compares a page with the stored records, and its arguments.
func (b *cycle) probe(t *testing.T, stream record.Stream, batch record.Batch) (statement string, args []any) {
	t.Helper()
	page := ingest.PageCommit{Claim: &b.Claim, Batch: batch, Run: b.NewRun(stream, syncing.ModeBackfill), More: true, Lease: storetest.Lease}
	statement, args, err := ingest.ProbeStatement(b.DB, page)
	if err != nil {
		t.Fatal(err)
	}
	return statement, args
}

// TestAccountNameReads checks that accounts are looked up by either id through the index of that
// id, regardless of the planner's statistics about the integration.
func TestAccountNameReads(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		fill  func(t *testing.T, b *cycle, second string)
		large bool
	}{
		{"no statistics", func(t *testing.T, b *cycle, second string) {
			b.fill(t, b.Claim.IntegrationID, 5000)
			b.Exec(t, `UPDATE accounts SET partner_id = `+second)
		}, false},
		{"statistics about another integration", func(t *testing.T, b *cycle, second string) {
			b.fill(t, uuid.Must(uuid.NewV7()), 50_000)
			b.Exec(t, `UPDATE accounts SET partner_id = `+second+`; ANALYZE accounts, trades, payouts`)
			b.fill(t, b.Claim.IntegrationID, 5000)
			b.Exec(t, `UPDATE accounts SET partner_id = `+second+` WHERE integration_id = '`+b.Claim.IntegrationID.String()+`'`)
		}, true},
		{"statistics about a large integration", func(t *testing.T, b *cycle, second string) {
			b.fill(t, b.Claim.IntegrationID, 50_000)
			b.Exec(t, `UPDATE accounts SET partner_id = `+second+`; ANALYZE accounts, trades, payouts`)
		}, true},
	} {
		for _, second := range []string{"NULL", "'second-' || external_id"} {
			t.Run(tt.name+", second ids "+second, func(t *testing.T) {
				if tt.large && testing.Short() {
					t.Skip("fills 50,000 rows of each kind")
				}
				t.Parallel()
				b := setupFresh(t)
				tt.fill(t, b, second)
				names := make([]string, 100)
				for i := range names {
					names[i] = fmt.Sprint("second-", i)
				}
				for _, generic := range []bool{false, true} {
					storetest.Explain(t, b.DB, generic, ingest.MeaningsSQL, b.Claim.IntegrationID, names).
						CheckReads(t, fmt.Sprintf("the meaning of %d names, generic %t,", len(names), generic), 15*len(names), 3*len(names))
					storetest.Explain(t, b.DB, generic, ingest.ChangedNamesSQL, b.Claim.IntegrationID, names, names).
						CheckReads(t, fmt.Sprintf("the names of %d changed accounts, generic %t,", len(names), generic), 40*len(names), 3*len(names))
				}
			})
		}
	}
}

// TestUnchangedPageWritesNothing rereads a thousand unchanged trades: no row is written, and only
// the checkpoint goes to the log.
func TestUnchangedPageWritesNothing(t *testing.T) {
	t.Parallel()
	const n = 1000
	b := setupCycle(t)
	batch := someTrades(n)
	b.WritePage(t, b.NewRun(record.StreamTrades, syncing.ModeBackfill), batch)
	versions := func() []string {
		return b.Texts(t, `SELECT concat_ws(' ', ctid, xmin, xmax) FROM trades ORDER BY account_external_id, id`)
	}
	before := versions()
	for _, more := range []bool{true, false} {
		run := b.NewRun(record.StreamTrades, syncing.ModeIncremental)
		run.Cursor = "next"
		out := b.WritePage(t, run, batch, func(p *ingest.PageCommit) { p.More = more })
		if out.Page != (syncing.RunTotals{Unchanged: n}) {
			t.Errorf("more %t: %+v, want %d unchanged", more, out.Page, n)
		}
		if diff := cmp.Diff(before, versions()); diff != "" {
			t.Errorf("more %t: rows were written (-before +after):\n%s", more, diff)
		}
	}
	if got := b.Texts(t, `SELECT count(*)::text FROM sync_runs WHERE mode = 'incremental'`)[0]; got != "0" {
		t.Errorf("%s rows of runs that changed nothing, want none", got)
	}

	// Postgres counts only the statement's own log. The first change of a block after a checkpoint
	// logs the entire block, so the lowest of several counts is used.
	statement, args := b.probe(t, record.StreamTrades, batch)
	least := math.MaxInt
	for range 5 {
		cost := storetest.Explain(t, b.DB, false, statement, args...)
		if cost.WAL == 0 {
			t.Fatalf("the checkpoint was not saved:\n%s", cost.Plan)
		}
		least = min(least, cost.WAL)
	}
	if perRow := float64(least) / n; perRow > 10 {
		t.Errorf("%.1f bytes of write-ahead log a record, want at most 10", perRow)
	} else {
		t.Logf("%.2f bytes of write-ahead log a record", perRow)
	}
}
