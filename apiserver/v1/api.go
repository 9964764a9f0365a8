// Package v1 serves the routes of the API below /v1.
//
// routes.go lists them. A handler reads its parameters into a documented struct, calls the store,
// and encodes its response into a buffer before it writes the header, so that an error never
// follows a partial response.
package v1

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/docs"
	"github.com/assayhq/assay/apiserver/interview"
	"github.com/assayhq/assay/apiserver/media"
	"github.com/assayhq/assay/apiserver/middleware"
	"github.com/assayhq/assay/apiserver/oidc"
	"github.com/assayhq/assay/apiserver/openapi"
	"github.com/assayhq/assay/apiserver/scim"
	"github.com/assayhq/assay/apiserver/stream"
	"github.com/assayhq/assay/apiserver/web"
	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/syncing/integrations"
	"github.com/assayhq/assay/store/webhooks"
)

// URLChecker refuses platform addresses that must not be called. *fetch.Guard implements it.
type URLChecker interface {
	// CheckURL returns a *fetch.URLError if the URL must not be used, and ctx.Err() if ctx has
	// ended. A name that cannot be resolved is accepted.
	CheckURL(ctx context.Context, raw string) error
	// CheckEndpoint is like CheckURL for the address of a webhook endpoint.
	CheckEndpoint(ctx context.Context, raw string) error
}

// Egress is what customers learn about the addresses from which assay calls.
type Egress struct {
	Region string         // empty if not disclosed
	CIDRs  []netip.Prefix // ranges to allow on the customer's platform
	Note   string         // empty if there is none
}

// Config configures the routes. All fields except OIDC, Media, Pages, Egress, MaxLiveChecks
// and TestWait are required.
type Config struct {
	Store      *store.DB
	Connectors connectors.Registry
	Guard      URLChecker
	Auth       *auth.Authenticator
	Passwords  *auth.Passwords
	Failures   *auth.Failures
	Origins    *auth.Origins
	Streams    *stream.Hub
	// OIDC is the provider that people sign in with. If it is nil, they can only use passwords.
	OIDC *oidc.Provider
	// GroupRoles are the roles that the provider's groups give. If there are none, roles are assigned
	// in assay.
	GroupRoles map[string]access.Role
	// Media serves recordings. If it is nil, there are none.
	Media *media.Handler
	// Interviews serves the pages behind the links of traders and of shared reports, and Pages what
	// browsers load for them. If they are nil, these pages do not exist.
	Interviews *interview.Handler
	Pages      *web.Pages
	Stack      *middleware.Stack
	Registry   prometheus.Registerer
	Egress     Egress
	PublicURL  string // origin of links in responses, without a trailing slash
	// Stopping is closed when the process begins to stop. Then live checks end and answer 503,
	// and streams end. Everything else is served to its end.
	Stopping <-chan struct{}
	// MaxLiveChecks limits the concurrent live checks in this process, each of which may hold a
	// large body; default 64. Further ones answer 503. One organization may have half of them.
	MaxLiveChecks int
	// TestWait is how long the test of a webhook endpoint waits for its delivery; default 20 s.
	TestWait time.Duration
	// Languages are the languages that interviews may be held in. If it is empty, only English
	// is.
	Languages []string
	// LawfulBasis is why recording is lawful, for organizations that give no reason.
	LawfulBasis string
	// PlaybackTTL is how long the addresses of recordings are valid; default 10 minutes.
	PlaybackTTL time.Duration
	// Blob opens a blob for exports. If it is nil, exports have no recordings.
	Blob func(ctx context.Context, key string) (io.ReadCloser, error)
	// Spool opens the files that hold uploads while they are read. If it is nil, uploads use
	// nameless files in the folder for temporary files.
	Spool func() (*os.File, error)
}

// API holds the routes with their dependencies.
type API struct {
	store      *store.DB
	reads      store.Reader // for GETs of lists and items (isRead)
	connectors connectors.Registry
	guard      URLChecker
	auth       *auth.Authenticator
	passwords  *auth.Passwords
	failures   *auth.Failures
	origins    *auth.Origins
	streams    *stream.Hub
	oidc       *oidc.Provider // may be nil
	groupRoles map[string]access.Role
	media      *media.Handler     // may be nil
	interviews *interview.Handler // may be nil
	web        *web.Pages         // may be nil
	egress     Egress
	publicURL  string
	stopping   <-chan struct{}
	testWait   time.Duration
	checks     *auth.Places // of running live checks
	analyses   *auth.Places // of running analyses
	languages  []string
	basis      string // may be empty
	playback   time.Duration
	blob       func(ctx context.Context, key string) (io.ReadCloser, error) // may be nil
	liveChecks *prometheus.CounterVec
	docs       *docs.Pages
	openapi    []byte // the OpenAPI document
	objects    Objects
	router     *Router
}

const defaultLiveChecks = 64

// New returns the API. It registers its metrics.
func New(c Config) (*API, error) {
	liveChecks, err := newLiveChecks(c.Registry)
	if err != nil {
		return nil, fmt.Errorf("register metrics: %w", err)
	}
	pages, err := docs.New(c.PublicURL)
	if err != nil {
		return nil, err
	}
	if c.MaxLiveChecks <= 0 {
		c.MaxLiveChecks = defaultLiveChecks
	}
	if c.TestWait <= 0 {
		c.TestWait = defaultTestWait
	}
	if len(c.Languages) == 0 {
		c.Languages = []string{defaultLanguage}
	}
	if c.PlaybackTTL <= 0 {
		c.PlaybackTTL = defaultPlaybackTTL
	}
	a := &API{
		openapi: openapi.Serve(c.PublicURL),
		store:   c.Store, reads: c.Store.ReplicaReader(), connectors: c.Connectors, guard: c.Guard, auth: c.Auth, passwords: c.Passwords, failures: c.Failures, origins: c.Origins, streams: c.Streams, oidc: c.OIDC, groupRoles: c.GroupRoles, media: c.Media, interviews: c.Interviews, web: c.Pages, objects: newObjects(c.Store),
		egress: c.Egress, publicURL: c.PublicURL, stopping: c.Stopping, testWait: c.TestWait,
		checks: auth.NewSharedPlaces(c.MaxLiveChecks), liveChecks: liveChecks, docs: pages,
		analyses:  auth.NewSharedPlaces(maxAnalyses),
		languages: c.Languages, basis: c.LawfulBasis, playback: c.PlaybackTTL, blob: c.Blob,
	}
	people, err := scim.New(scim.Config{Store: c.Store, PublicURL: c.PublicURL, ChangeOf: changeOf})
	if err != nil {
		return nil, err
	}
	config := RouterConfig{
		Store: c.Store, Auth: c.Auth, Stack: c.Stack, Registry: c.Registry, Objects: a.objects, Spool: c.Spool,
		Mounts: []Mount{{Prefix: scim.Prefix, Scope: auth.APIKeysManage, Handle: people, WriteError: scim.WriteError}},
	}
	if a.web != nil {
		config.Unknown = a.noSuchPage
	}
	if a.router, err = NewRouter(config); err != nil {
		return nil, fmt.Errorf("register metrics: %w", err)
	}
	return a, nil
}

// newObjects finds the objects that paths name.
func newObjects(db *store.DB) Objects {
	return Objects{
		integrationsPath: FindWith[store.Reader](db, integrations.Read),
		keysPath:         FindWith(db, access.ReadAPIKey),
		usersPath:        FindWith(db, access.ReadPerson),
		webhooksPath:     FindWith[store.Reader](db, webhooks.ReadEndpoint),
		deliveriesPath:   FindWith(db, webhooks.ReadDelivery),
		interviewsPath:   FindWith(db, interviews.ReadHead),
		tradersPath:      FindWith(db, directory.ReadProfile),
	}
}

// Handler returns the routes inside the middleware.
func (a *API) Handler() http.Handler {
	return a.router.Handler(slices.Concat(a.Routes(), a.pageRoutes()))
}
