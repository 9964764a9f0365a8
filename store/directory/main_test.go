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
func (b orgDB) list(t *testing.T, f directory.TraderFilter) (ids []uuid.UUID, total int) {
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
