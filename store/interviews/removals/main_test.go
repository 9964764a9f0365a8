package removals_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/assayhq/assay/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(storetest.Suite{M: m}) }
