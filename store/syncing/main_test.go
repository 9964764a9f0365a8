package syncing_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(storetest.Suite{M: m}) }

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

func trades(list ...record.Trade) record.Batch { return record.Batch{Trades: list} }
