// Package auditlog serves the routes of the audit log.
package auditlog

import (
	"github.com/assayhq/assay/store"
)

// API serves the routes of the audit log.
type API struct {
	store     *store.DB
	publicURL string
}

// New returns the API of the audit log. publicURL is the origin of links in responses,
// without a trailing slash.
func New(db *store.DB, publicURL string) *API { return &API{store: db, publicURL: publicURL} }
