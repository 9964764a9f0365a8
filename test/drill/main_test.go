// Package drill tests what operators do with both processes: restore a backup,
// run on another schema, look for secrets where they must not be.
package drill_test

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/assayhq/assay/syncd/enginetest"
	"github.com/assayhq/assay/test/deploytest"
)

// patience bounds what a test waits for. It is there for what never comes.
const patience = 5 * time.Minute

func TestMain(m *testing.M) { os.Exit(deploytest.Run(m)) }

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// drill is a deployment that a test drills.
type drill struct{ *deploytest.Deployment }

// deploy configures both processes for the fixture's platform. more are lines of the
// configuration.
func deploy(t *testing.T, database string, w *enginetest.Fixture, roots []byte, more string) *drill {
	t.Helper()
	return &drill{deploytest.New(t, deploytest.Options{Database: database, Roots: append(bytes.Clone(w.CA()), roots...), More: more})}
}
