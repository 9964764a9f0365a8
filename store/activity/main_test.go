package activity_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/assayhq/assay/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(storetest.Suite{M: m}) }

// bundle is a database with an organization.
type bundle struct{ storetest.Bundle }

func setup(t *testing.T) bundle {
	t.Helper()
	return bundle{storetest.NewBundle(t)}
}
