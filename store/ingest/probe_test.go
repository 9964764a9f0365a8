package ingest_test

import (
	"fmt"
	"regexp"
	"strconv"
	"testing"
	"time"

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

// TestProbePlan checks that a page is compared through the key's own index, even if the planner
// only has statistics about another integration. Any other plan would make a first backfill
// quadratic.
func TestProbePlan(t *testing.T) {
	if testing.Short() {
		t.Skip("fills 50,000 rows of each kind")
	}
	t.Parallel()
	b := setupSync(t)
	b.fill(t, uuid.Must(uuid.NewV7()), 50_000)
	b.checkProbePlans(t)
}

// TestProbePlanOfALargeIntegration checks the same if there are statistics about it, and one
// account has most of the trades.
func TestProbePlanOfALargeIntegration(t *testing.T) {
	if testing.Short() {
		t.Skip("fills 50,000 rows of each kind")
	}
	t.Parallel()
	b := setupSync(t)
	b.fill(t, b.Claim.IntegrationID, 50_000)
	b.checkProbePlans(t)
}

// TestProbePlanOfEmptyTables checks the same without any statistics.
func TestProbePlanOfEmptyTables(t *testing.T) {
	t.Parallel()
	setupSync(t).checkProbePlans(t)
}

// fill gives an integration n records of each kind and updates the planner's statistics.
func (b *bench) fill(t *testing.T, integration uuid.UUID, n int) {
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
		if _, err := b.Conn.Exec(t.Context(), statement, integration, n); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := b.Conn.Exec(t.Context(), `ANALYZE trades, traders, accounts, payouts`); err != nil {
		t.Fatal(err)
	}
}

// checkProbePlans checks the plans for a page of each resource.
func (b *bench) checkProbePlans(t *testing.T) {
	t.Helper()
	for _, tt := range []struct {
		stream record.Stream
		batch  func(n int) record.Batch
		index  string
	}{
		{record.StreamTrades, someTrades, "trades_pkey"},
		{record.StreamTraders, func(n int) (b record.Batch) {
			for i := range n {
				b.Traders = append(b.Traders, record.Trader{ID: fmt.Sprint(i), UpdatedAt: day})
			}
			return b
		}, "traders_external_id"},
		{record.StreamAccounts, func(n int) (b record.Batch) {
			for i := range n {
				b.Accounts = append(b.Accounts, record.Account{ID: fmt.Sprint(i), UpdatedAt: day})
			}
			return b
		}, "accounts_external_id"},
		{record.StreamPayouts, func(n int) (b record.Batch) {
			for i := range n {
				b.Payouts = append(b.Payouts, record.Payout{ID: fmt.Sprint(i), UpdatedAt: day})
			}
			return b
		}, "payouts_external_id"},
	} {
		for _, size := range []int{1, 200, 1000} {
			for _, generic := range []bool{false, true} {
				page := ingest.PageCommit{Claim: &b.Claim, Batch: tt.batch(size), Run: b.NewRun(tt.stream, syncing.ModeBackfill), More: true, Lease: storetest.Lease}
				plan := b.explainProbe(t, page, "COSTS OFF", generic)
				// The index must serve all of the key.
				scan := regexp.MustCompile(`Index Scan using ` + tt.index + ` on ` + string(tt.stream) + ` t\s+Index Cond: \(\(integration_id = .*\) AND .*u\.k[01]\)\)\n`)
				if !scan.MatchString(plan) {
					t.Errorf("%s, %d records, generic %t: the plan does not look each record up by its key:\n%s", tt.stream, size, generic, plan)
				}
			}
		}
	}
}

// TestAccountNamePlans checks that accounts are looked up by either id through the index of that
// id, regardless of the planner's statistics about the integration.
func TestAccountNamePlans(t *testing.T) {
	if testing.Short() {
		t.Skip("fills tables for the planner")
	}
	t.Parallel()
	for _, tt := range []struct {
		name string
		fill func(b *bench) uuid.UUID // returns the integration to fill; nil if there is none
	}{
		{"empty tables", nil},
		{"another integration", func(*bench) uuid.UUID { return uuid.Must(uuid.NewV7()) }},
		{"a large integration", func(b *bench) uuid.UUID { return b.Claim.IntegrationID }},
	} {
		for _, second := range []string{"NULL", "'second-' || external_id"} {
			t.Run(tt.name+", second ids "+second, func(t *testing.T) {
				t.Parallel()
				b := setupSync(t)
				if tt.fill != nil {
					b.fill(t, tt.fill(b), 50_000)
					if _, err := b.Conn.Exec(t.Context(), `UPDATE accounts SET partner_id = `+second+`; ANALYZE accounts`); err != nil {
						t.Fatal(err)
					}
				}
				b.checkAccountNamePlans(t)
			})
		}
	}
}

// explainProbe returns the plan of the statement that compares the page with the stored records.
func (b *bench) explainProbe(t *testing.T, page ingest.PageCommit, options string, generic bool) string {
	t.Helper()
	statement, args, err := ingest.ProbeStatement(b.DB, page)
	if err != nil {
		t.Fatal(err)
	}
	return storetest.Explain(t, b.DB, options, generic, statement, args...)
}

func (b *bench) checkAccountNamePlans(t *testing.T) {
	t.Helper()
	names := make([]string, 100)
	for i := range names {
		names[i] = fmt.Sprint("second-", i)
	}
	for _, generic := range []bool{false, true} {
		given := storetest.Explain(t, b.DB, "COSTS OFF", generic, ingest.MeaningsSQL, b.Claim.IntegrationID, names)
		changed := storetest.Explain(t, b.DB, "COSTS OFF", generic, ingest.ChangedNamesSQL, b.Claim.IntegrationID, names, names)
		for _, want := range []struct{ plan, scan string }{
			{given, `accounts_external_id on accounts \S+\s+Index Cond: .*external_id = u\.id`},
			{given, `accounts_partner on accounts \S+\s+Index Cond: .*partner_id = u\.id.*integration_id`},
			{changed, `accounts_external_id on accounts \S+\s+Index Cond: .*external_id = u\.number`},
			{changed, `trades_(pkey|opened) on trades t\s+Index Cond: .*account_external_id = changed\.number`},
			{changed, `payouts_account on payouts o\s+Index Cond: .*account_external_id = changed\.number.*integration_id`},
			{changed, `trades_account_named on trades \S+\s+Index Cond: .*account_named = ANY .*integration_id`},
			{changed, `payouts_account_named on payouts \S+\s+Index Cond: .*account_named = ANY .*integration_id`},
		} {
			if !regexp.MustCompile(`Index (Only )?Scan using ` + want.scan).MatchString(want.plan) {
				t.Errorf("generic %t: the plan lacks %s:\n%s", generic, want.scan, want.plan)
			}
		}
	}
}

// walBytes matches the bytes that a plan's nodes wrote to the write-ahead log, including their
// children.
var walBytes = regexp.MustCompile(`WAL:.* bytes=(\d+)`)

// TestUnchangedPageWritesNothing rereads a thousand unchanged trades: no row is written, and only
// the checkpoint goes to the log.
func TestUnchangedPageWritesNothing(t *testing.T) {
	t.Parallel()
	const n = 1000
	b := setupSync(t)
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
	least := int64(1 << 60)
	for range 5 {
		page := ingest.PageCommit{Claim: &b.Claim, Batch: batch, Run: b.NewRun(record.StreamTrades, syncing.ModeIncremental), More: true, Lease: time.Minute}
		plan := b.explainProbe(t, page, "ANALYZE, WAL, COSTS OFF, TIMING OFF", false)
		most := int64(0)
		for _, m := range walBytes.FindAllStringSubmatch(plan, -1) {
			bytes, err := strconv.ParseInt(m[1], 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			most = max(most, bytes)
		}
		if most == 0 {
			t.Fatalf("the checkpoint was not saved:\n%s", plan)
		}
		least = min(least, most)
	}
	if perRow := float64(least) / n; perRow > 10 {
		t.Errorf("%.1f bytes of write-ahead log a record, want at most 10", perRow)
	} else {
		t.Logf("%.2f bytes of write-ahead log a record", perRow)
	}
}
