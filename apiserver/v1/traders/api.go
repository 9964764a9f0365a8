// Package traders serves the routes of the directory: traders with their accounts, trades, payouts and
// notes.
package traders

import (
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/store"
)

// API serves the routes of traders.
type API struct {
	store     *store.DB
	reads     store.Reader // for GETs of lists and items
	objects   route.Objects
	publicURL string
}

// New returns the API of traders. publicURL is the origin of links in responses,
// without a trailing slash.
func New(db *store.DB, objects route.Objects, publicURL string) *API {
	return &API{store: db, reads: db.ReplicaReader(), objects: objects, publicURL: publicURL}
}
