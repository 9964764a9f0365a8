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
