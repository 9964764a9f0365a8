package ingest_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/assayhq/assay/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// bench is a claimed integration.
type bench struct{ *storetest.Cycle }

func setupSync(t testing.TB) *bench {
	t.Helper()
	return &bench{storetest.NewCycle(t)}
}

var day = storetest.Day()
