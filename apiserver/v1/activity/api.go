// Package activity serves the routes of the analysis of trading: its results, the files that it reads,
// and the rules, calendars and symbols by which trades are judged.
package activity

import (
	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/store"
)

// API serves the routes of the analysis of trading.
type API struct {
	store     *store.DB
	reads     store.Reader // for GETs of lists and items
	publicURL string
	analyses  *auth.Places // of running analyses
}

// New returns the API of the analysis of trading. publicURL is the origin of links in responses,
// without a trailing slash.
func New(db *store.DB, publicURL string) *API {
	return &API{store: db, reads: db.ReplicaReader(), publicURL: publicURL, analyses: auth.NewSharedPlaces(maxAnalyses)}
}
