package directory_test

import (
	"testing"

	"github.com/google/uuid"
	"go.uber.org/goleak"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(storetest.Suite{M: m}) }

// list reads the ids of the first hundred traders that match the filter.
func (b bundle) list(t *testing.T, f directory.TraderFilter) (ids []uuid.UUID, total int) {
	t.Helper()
	traders, total, err := directory.ListTraders(t.Context(), b.DB, b.Org, f, store.Page{Number: 1, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	for _, tr := range traders {
		ids = append(ids, tr.ID)
	}
	return ids, total
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
