package store_test

import (
	"math/rand/v2"
	"testing"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/storetest"
)

func trades(list ...record.Trade) record.Batch { return record.Batch{Trades: list} }

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

// orgDB is a database with an organization.
type orgDB struct{ storetest.OrgDB }

func setup(t *testing.T) orgDB {
	t.Helper()
	return orgDB{storetest.NewOrgDB(t)}
}

// cycle is a claimed integration.
type cycle struct{ *storetest.Cycle }

func setupCycle(t testing.TB) *cycle {
	t.Helper()
	return &cycle{storetest.NewCycle(t)}
}

var day = storetest.Day()
