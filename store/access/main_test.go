package access_test

import (
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/assayhq/assay/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// bundle is a database with an organization.
type bundle struct{ storetest.Bundle }

func setup(t *testing.T) bundle {
	t.Helper()
	return bundle{storetest.NewBundle(t)}
}
