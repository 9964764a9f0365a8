package activity_test

import (
	"testing"

	"go.uber.org/goleak"

	"github.com/assayhq/assay/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(storetest.Suite{M: m}) }

// orgDB is a database with an organization.
type orgDB struct{ storetest.OrgDB }

func setup(t *testing.T) orgDB {
	t.Helper()
	return orgDB{storetest.NewOrgDB(t)}
}
