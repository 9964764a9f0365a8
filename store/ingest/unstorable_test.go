package ingest_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/ingest"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
)

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

// TestWritePageTakesTheLongestTexts writes records whose texts are all as long as a connector
// permits.
func TestWritePageTakesTheLongestTexts(t *testing.T) {
	t.Parallel()
	const id, text = 512, 4 << 10
	number := record.Decimal(strings.Repeat("7", record.MaxDigits) + "." + strings.Repeat("3", record.MaxDigits))
	batches := map[record.Stream]record.Batch{
		record.StreamTraders: {Traders: []record.Trader{{
			ID: noise(id), Email: noise(320), FirstName: noise(text), LastName: noise(text + 1), Country: noise(text), Phone: noise(text), KYCStatus: noise(text),
			Tags: []string{noise(256)}, Metadata: `{"a":"` + noise(60<<10) + `"}`, UpdatedAt: day,
		}}},
		record.StreamAccounts: {Accounts: []record.Account{{
			ID: noise(id), TraderID: noise(id + 1), PartnerID: noise(id), Platform: noise(text), Login: noise(text), Program: noise(text), Phase: noise(text),
			Status: noise(text), Currency: noise(text), InitialBalance: number, Balance: number, Equity: number, UpdatedAt: day,
		}}},
		record.StreamTrades: {Trades: []record.Trade{{
			ID: noise(id), AccountID: noise(id + 1), Symbol: noise(text), Side: record.Buy, OpenTime: day, UpdatedAt: day, Volume: number, Profit: number,
		}}},
		record.StreamPayouts: {Payouts: []record.Payout{{
			ID: noise(id), TraderID: noise(id + 1), AccountID: noise(id + 2), Status: noise(text), Amount: number, Currency: noise(text), UpdatedAt: day,
		}}},
	}
	for _, mode := range []syncing.Mode{syncing.ModeBackfill, syncing.ModeIncremental} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			b := setupCycle(t)
			for stream, batch := range batches {
				if out := b.WritePage(t, b.NewRun(stream, mode), batch); out.Page.Inserted != 1 {
					t.Errorf("%s: %+v, want one inserted", stream, out.Page)
				}
			}
			b.CheckCounters(t)
		})
	}
}

// TestWritePageSetsAsideWhatPostgresRefuses expects that one record that no check anticipated is
// quarantined, and that the others arrive.
func TestWritePageSetsAsideWhatPostgresRefuses(t *testing.T) {
	t.Parallel()
	for _, mode := range []syncing.Mode{syncing.ModeBackfill, syncing.ModeIncremental} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			b := setupCycle(t)
			page := record.Batch{Traders: []record.Trader{
				{ID: "t1", Email: "a@x.test", UpdatedAt: day},
				{ID: "t2", Email: noise(5000), UpdatedAt: day}, // larger than the largest index entry
				{ID: "t3", Email: "c@x.test", UpdatedAt: day},
			}}
			out := b.WritePage(t, b.NewRun(record.StreamTraders, mode), page)
			if diff := cmp.Diff(syncing.RunTotals{Inserted: 2, Quarantined: 1}, out.Page); diff != "" {
				t.Errorf("counts (-want +got):\n%s", diff)
			}
			if got := b.Texts(t, `SELECT key || ' ' || rule FROM quarantine`); !cmp.Equal(got, []string{"t2 unstorable"}) {
				t.Errorf("quarantine %q", got)
			}
			b.CheckCounters(t)
		})
	}
}

func TestWritePageQuarantineLeavesOtherPagesAlone(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	bad := record.Rejected{Key: record.TradeKey("a", "9"), Raw: `{}`, Rule: "required_missing", Detail: "side is missing."}
	b.WritePage(t, b.NewRun(record.StreamTrades, syncing.ModeIncremental), trades(storetest.Trade("a", "1", 0)), func(p *ingest.PageCommit) { p.Rejected = []record.Rejected{bad} })

	out := b.WritePage(t, b.NewRun(record.StreamTrades, syncing.ModeIncremental), trades(storetest.Trade("a", "1", 0)))
	if out.Run.Listed || out.Page.Unchanged != 1 {
		t.Errorf("an unchanged page was committed: %+v", out)
	}
	out = b.WritePage(t, b.NewRun(record.StreamTrades, syncing.ModeIncremental), trades(storetest.Trade("a", "9", 0)), func(p *ingest.PageCommit) { p.Rejected = []record.Rejected{bad} })
	if out.Quarantined != 0 {
		t.Errorf("%d in quarantine, want none: the page holds a valid version as well", out.Quarantined)
	}
}
