// Package webhooks serves the routes of webhook endpoints and their deliveries.
package webhooks

import (
	"context"
	"time"

	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/store"
)

// URLChecker refuses addresses of endpoints that must not be called.
type URLChecker interface {
	// CheckEndpoint returns a *fetch.URLError if the URL must not be used, and ctx.Err() if ctx has
	// ended. A name that cannot be resolved is accepted.
	CheckEndpoint(ctx context.Context, raw string) error
}

// Config configures the API of webhook endpoints and deliveries. All fields except TestWait are required.
type Config struct {
	Store     *store.DB
	Guard     URLChecker
	Objects   route.Objects
	PublicURL string // origin of links in responses, without a trailing slash
	// Stopping is closed when the process begins to stop. Then tests of endpoints wait no longer.
	Stopping <-chan struct{}
	// TestWait is how long the test of an endpoint waits for its delivery; default 20 s.
	TestWait time.Duration
}

// API serves the routes of webhook endpoints and deliveries.
type API struct {
	store     *store.DB
	reads     store.Reader // for GETs of lists and items
	guard     URLChecker
	objects   route.Objects
	publicURL string
	stopping  <-chan struct{}
	testWait  time.Duration
}

// New returns the API of webhook endpoints and deliveries.
func New(c Config) *API {
	if c.TestWait <= 0 {
		c.TestWait = defaultTestWait
	}
	return &API{
		store: c.Store, reads: c.Store.ReplicaReader(), guard: c.Guard, objects: c.Objects, publicURL: c.PublicURL, stopping: c.Stopping, testWait: c.TestWait,
	}
}
