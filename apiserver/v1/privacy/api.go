// Package privacy serves the routes that export and erase what is known about a person.
package privacy

import (
	"context"
	"io"

	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/store"
)

// API serves the routes that export and erase what is known about a person.
type API struct {
	store   *store.DB
	objects route.Objects
	blob    func(ctx context.Context, key string) (io.ReadCloser, error) // may be nil
}

// New returns the API of exports and erasure. blob opens a blob for exports. If it is nil, exports have no
// recordings.
func New(db *store.DB, objects route.Objects, blob func(ctx context.Context, key string) (io.ReadCloser, error)) *API {
	return &API{store: db, objects: objects, blob: blob}
}
