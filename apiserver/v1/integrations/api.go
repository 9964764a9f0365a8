// Package integrations serves the routes of connected platforms: settings, live checks, runs, audits
// and what the platforms got wrong.
package integrations

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/store"
)

// URLChecker refuses platform addresses that must not be called.
type URLChecker interface {
	// CheckURL returns a *fetch.URLError if the URL must not be used, and ctx.Err() if ctx has
	// ended. A name that cannot be resolved is accepted.
	CheckURL(ctx context.Context, raw string) error
}

// Config configures the API of integrations. All fields except Egress and MaxChecks are required.
type Config struct {
	Store      *store.DB
	Connectors connectors.Registry
	Guard      URLChecker
	Registry   prometheus.Registerer
	Objects    route.Objects
	Egress     Egress
	PublicURL  string // origin of links in responses, without a trailing slash
	// Stopping is closed when the process begins to stop. Then live checks end and answer 503.
	Stopping <-chan struct{}
	// MaxChecks limits the concurrent live checks in this process, each of which may hold a large
	// body; default 64. Further ones answer 503. One organization may have half of them.
	MaxChecks int
}

// API serves the routes of integrations.
type API struct {
	store      *store.DB
	reads      store.Reader // for GETs of lists and items
	connectors connectors.Registry
	guard      URLChecker
	objects    route.Objects
	egress     Egress
	publicURL  string
	stopping   <-chan struct{}
	checks     *auth.Places // of running live checks
	liveChecks *prometheus.CounterVec
}

const defaultLiveChecks = 64

// New returns the API of integrations. It registers its metrics.
func New(c Config) (*API, error) {
	liveChecks, err := newLiveChecks(c.Registry)
	if err != nil {
		return nil, err
	}
	if c.MaxChecks <= 0 {
		c.MaxChecks = defaultLiveChecks
	}
	return &API{
		store: c.Store, reads: c.Store.ReplicaReader(), connectors: c.Connectors, guard: c.Guard, objects: c.Objects, egress: c.Egress,
		publicURL: c.PublicURL, stopping: c.Stopping, checks: auth.NewSharedPlaces(c.MaxChecks), liveChecks: liveChecks,
	}, nil
}
