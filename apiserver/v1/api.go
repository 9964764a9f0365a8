// Package v1 assembles the routes of the API below /v1.
//
// Each package below it serves the routes of one subject. The stream of changes and the OpenAPI
// document, which concern all subjects, are served here. A handler reads its parameters into a
// documented struct, calls the store, and encodes its response into a buffer before it writes the
// header, so that an error never follows a partial response.
package v1

import (
	"context"
	"fmt"
	"io"
	"net/http"
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
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/apiserver/scim"
	"github.com/assayhq/assay/apiserver/stream"
	"github.com/assayhq/assay/apiserver/v1/access"
	"github.com/assayhq/assay/apiserver/v1/activity"
	"github.com/assayhq/assay/apiserver/v1/auditlog"
	"github.com/assayhq/assay/apiserver/v1/integrations"
	"github.com/assayhq/assay/apiserver/v1/interviews"
	"github.com/assayhq/assay/apiserver/v1/privacy"
	"github.com/assayhq/assay/apiserver/v1/traders"
	"github.com/assayhq/assay/apiserver/v1/webhooks"
	"github.com/assayhq/assay/apiserver/web"
	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/store"
	storeaccess "github.com/assayhq/assay/store/access"
)

// URLChecker refuses addresses of platforms and webhook endpoints that must not be called.
// *fetch.Guard implements it.
type URLChecker interface {
	integrations.URLChecker
	webhooks.URLChecker
}

// Config configures the routes. Store, Connectors, Guard, Auth, Passwords, Failures, Origins,
// Streams, Stack, Registry, PublicURL and Stopping are required.
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
	GroupRoles map[string]storeaccess.Role
	// Media serves recordings. If it is nil, there are none.
	Media *media.Handler
	// Interviews serves the pages behind the links of traders and of shared reports, and Pages what
	// browsers load for them. If they are nil, these pages do not exist.
	Interviews *interview.Handler
	Pages      *web.Pages
	Stack      *middleware.Stack
	Registry   prometheus.Registerer
	Egress     integrations.Egress
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
	integrations *integrations.API
	webhooks     *webhooks.API
	access       *access.API
	auditlog     *auditlog.API
	interviews   *interviews.API
	traders      *traders.API
	activity     *activity.API
	privacy      *privacy.API

	router   *route.Router
	auth     *auth.Authenticator
	streams  *stream.Hub
	stopping <-chan struct{}
	docs     *docs.Pages
	openapi  []byte             // the OpenAPI document
	media    *media.Handler     // may be nil
	links    *interview.Handler // may be nil
	web      *web.Pages         // may be nil
}

// New returns the API. It registers its metrics.
func New(c Config) (*API, error) {
	pages, err := docs.New(c.PublicURL)
	if err != nil {
		return nil, err
	}
	objects := newObjects(c.Store)
	platforms, err := integrations.New(integrations.Config{
		Store: c.Store, Connectors: c.Connectors, Guard: c.Guard, Registry: c.Registry, Objects: objects, Egress: c.Egress,
		PublicURL: c.PublicURL, Stopping: c.Stopping, MaxChecks: c.MaxLiveChecks,
	})
	if err != nil {
		return nil, fmt.Errorf("register metrics: %w", err)
	}
	a := &API{
		integrations: platforms,
		webhooks:     webhooks.New(webhooks.Config{Store: c.Store, Guard: c.Guard, Objects: objects, PublicURL: c.PublicURL, Stopping: c.Stopping, TestWait: c.TestWait}),
		access: access.New(access.Config{
			Store: c.Store, Auth: c.Auth, Passwords: c.Passwords, Failures: c.Failures, Origins: c.Origins, Docs: pages, Objects: objects,
			PublicURL: c.PublicURL, OIDC: c.OIDC, GroupRoles: c.GroupRoles, LawfulBasis: c.LawfulBasis,
		}),
		auditlog: auditlog.New(c.Store, c.PublicURL),
		interviews: interviews.New(interviews.Config{
			Store: c.Store, Objects: objects, PublicURL: c.PublicURL, Languages: c.Languages, LawfulBasis: c.LawfulBasis, PlaybackTTL: c.PlaybackTTL,
		}),
		traders:  traders.New(c.Store, objects, c.PublicURL),
		activity: activity.New(c.Store, c.PublicURL),
		privacy:  privacy.New(c.Store, objects, c.Blob),
		auth:     c.Auth, streams: c.Streams, stopping: c.Stopping, docs: pages, openapi: openapi.Serve(c.PublicURL),
		media: c.Media, links: c.Interviews, web: c.Pages,
	}
	a.router, err = a.newRouter(c, objects)
	return a, err
}

// newRouter returns what admits requests and runs the handlers of their routes.
func (a *API) newRouter(c Config, objects route.Objects) (*route.Router, error) {
	people, err := scim.New(scim.Config{Store: c.Store, PublicURL: c.PublicURL, NewChange: route.NewChange})
	if err != nil {
		return nil, err
	}
	config := route.Config{
		Store: c.Store, Auth: c.Auth, Stack: c.Stack, Registry: c.Registry, Objects: objects, Spool: c.Spool,
		Mounts: []route.Mount{{Prefix: scim.Prefix, Scope: auth.APIKeysManage, Handle: people, WriteError: scim.WriteError}},
	}
	if a.web != nil {
		config.Unknown = a.noSuchPage
	}
	router, err := route.New(config)
	if err != nil {
		return nil, fmt.Errorf("register metrics: %w", err)
	}
	return router, nil
}

// Handler returns the routes inside the middleware.
func (a *API) Handler() http.Handler {
	return a.router.Handler(slices.Concat(a.Routes(), a.pageRoutes()))
}
