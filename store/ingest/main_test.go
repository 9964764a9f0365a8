package ingest_test

import (
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(storetest.Suite{M: m}) }

// cycle is a claimed integration.
type cycle struct{ *storetest.Cycle }

func setupCycle(t testing.TB) *cycle {
	t.Helper()
	return &cycle{storetest.NewCycle(t)}
}

var day = storetest.Day()

// trader returns a page of one trader. minutes is when it was updated.
func trader(id, email string, minutes int) record.Batch {
	return record.Batch{Traders: []record.Trader{{ID: id, Email: email, FirstName: "Synced", UpdatedAt: day.Add(time.Duration(minutes) * time.Minute)}}}
}
