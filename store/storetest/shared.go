package storetest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/assayhq/assay/store"
)

// shared is the database that tests of this process share. Its fields are zero until one asks for it.
var shared struct {
	sync.Mutex
	db  *store.DB
	url string
}

// Shared returns a database that other tests of the package use at the same time, and its URL. It
// saves creating a database and connecting to it, which takes longer than most tests. The test
// makes organizations of its own and touches no rows of others. The package's TestMain runs a
// Suite.
func Shared(t testing.TB) (*store.DB, string) {
	t.Helper()
	server := serverURL(t)
	shared.Lock()
	defer shared.Unlock()
	if shared.db != nil {
		return shared.db, shared.url
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	var err error
	if shared.url, err = copyTemplate(ctx, server); err != nil {
		t.Fatal(err)
	}
	if shared.db, err = openDatabase(ctx, shared.url, sharedConnections); err != nil {
		t.Fatal(err)
	}
	return shared.db, shared.url
}

// sharedConnections limits the connections to the shared database.
const sharedConnections = 64

// isShared reports whether the URL is that of the shared database.
func isShared(databaseURL string) bool {
	shared.Lock()
	defer shared.Unlock()
	return shared.db != nil && databaseURL == shared.url
}

// Suite is the tests of a package that use databases one after the other, or Shared.
type Suite struct{ *testing.M }

// Run runs the tests, and drops their databases.
func (s Suite) Run() int {
	ctx := context.Background()
	reuse.on, reuse.inUse = mayReuse(ctx), map[string]*reusable{}
	code := s.M.Run()
	if err := errors.Join(dropReusable(ctx), dropShared(ctx)); err != nil {
		fmt.Fprintln(os.Stderr, "drop test databases:", err)
		return max(code, 1)
	}
	return code
}

// dropShared closes and drops the shared database, if there is one.
func dropShared(ctx context.Context) error {
	shared.Lock()
	defer shared.Unlock()
	if shared.db == nil {
		return nil
	}
	shared.db.Close()
	return dropDatabase(ctx, os.Getenv(ServerVariable), shared.url)
}
