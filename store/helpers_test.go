package store_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
)

func trades(list ...record.Trade) record.Batch { return record.Batch{Trades: list} }

// ended returns an ended run of trades.
func (b *bench) ended(status syncing.RunStatus, change ...func(*syncing.EndedRun)) syncing.EndedRun {
	e := syncing.EndedRun{Run: b.NewRun(record.StreamTrades, syncing.ModeIncremental), Status: status, FinishedAt: b.Claim.Now.Add(time.Second)}
	e.Run.Pages, e.Run.Requests, e.Run.Seen, e.Run.Unchanged = 2, 3, 300, 299
	e.Run.Stale, e.Run.UpdatedSince = 1, b.Claim.Now.Add(-time.Hour)
	for _, c := range change {
		c(&e)
	}
	return e
}

// commitCycle writes a commit and fails the test if that fails.
func commitCycle(t *testing.T, db *store.DB, claim syncing.Claim, s syncing.CycleCommit) {
	t.Helper()
	if err := syncing.CommitCycle(t.Context(), db, claim.Lease, s); err != nil {
		t.Fatalf("commit: %v", err)
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

// bundle is a database with an organization.
type bundle struct{ storetest.Bundle }

func setup(t *testing.T) bundle {
	t.Helper()
	return bundle{storetest.NewBundle(t)}
}

// bench is a claimed integration.
type bench struct{ *storetest.Cycle }

func setupSync(t testing.TB) *bench {
	t.Helper()
	return &bench{storetest.NewCycle(t)}
}

var day = storetest.Day()
