package webhooks_test

import (
	"testing"

	"github.com/assayhq/assay/store/storetest"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(storetest.Suite{M: m}) }

// bench is a claimed integration.
type bench struct{ *storetest.Cycle }

func setupSync(t testing.TB) *bench {
	t.Helper()
	return &bench{storetest.NewCycle(t)}
}
