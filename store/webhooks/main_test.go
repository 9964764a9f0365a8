package webhooks_test

import (
	"testing"

	"github.com/assayhq/assay/store/storetest"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(storetest.Suite{M: m}) }

// cycle is a claimed integration.
type cycle struct{ *storetest.Cycle }

func setupCycle(t testing.TB) *cycle {
	t.Helper()
	return &cycle{storetest.NewCycle(t)}
}
