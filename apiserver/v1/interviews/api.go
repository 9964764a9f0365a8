// Package interviews serves the routes of interviews, from the invite to the decision.
package interviews

import (
	"time"

	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/store"
)

// Config configures the API of interviews. Store, Objects and PublicURL are required.
type Config struct {
	Store     *store.DB
	Objects   route.Objects
	PublicURL string // origin of links in responses, without a trailing slash
	// Languages are the languages that interviews may be held in. If it is empty, only English is.
	Languages []string
	// LawfulBasis is why recording is lawful, for organizations that give no reason.
	LawfulBasis string
	// PlaybackTTL is how long the addresses of recordings are valid; default 10 minutes.
	PlaybackTTL time.Duration
}

// API serves the routes of interviews.
type API struct {
	store     *store.DB
	reads     store.Reader // for GETs of lists and items
	objects   route.Objects
	publicURL string
	languages []string
	basis     string // may be empty
	playback  time.Duration
}

// New returns the API of interviews.
func New(c Config) *API {
	if len(c.Languages) == 0 {
		c.Languages = []string{defaultLanguage}
	}
	if c.PlaybackTTL <= 0 {
		c.PlaybackTTL = defaultPlaybackTTL
	}
	return &API{
		store: c.Store, reads: c.Store.ReplicaReader(), objects: c.Objects, publicURL: c.PublicURL, languages: c.Languages, basis: c.LawfulBasis,
		playback: c.PlaybackTTL,
	}
}
