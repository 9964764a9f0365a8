package store_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/assayhq/assay/store/storetest"
)

func TestMain(m *testing.M) {
	if url := os.Getenv(migrateVariable); url != "" {
		os.Exit(migrateAndExit(url))
	}
	goleak.VerifyTestMain(storetest.Suite{M: m})
}
