package v1

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/mux"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/middleware"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store"
)

// prefix is what all authenticated paths begin with, served or not.
const prefix = "/v1"

// idVariable is the path variable that names the object of a route.
const idVariable = "id"

// endpoint is all routes of one path.
type endpoint struct {
	path    string
	methods map[string]Route
	allow   string // value of the Allow header
	public  bool   // all of them
}

// newRouter registers one mux route per path, whose methods are told apart here:
// mux's own method matching knows neither HEAD nor Allow, and falls through to
// /{id} when /test does not have the method.
func (a *API) newRouter() http.Handler {
	router := mux.NewRouter().SkipClean(true).UseEncodedPath()
	for _, e := range groupEndpoints(slices.Concat(a.Routes(), a.pageRoutes())) {
		router.Handle(e.path, a.handleErrors(func(w http.ResponseWriter, r *http.Request) error {
			event := middleware.EventFrom(r.Context())
			event.Route = e.path
			event.ObjectID, _ = objectID(r) // zero when there is none
			return a.serveEndpoint(w, r, e)
		}))
	}
	router.NotFoundHandler = a.handleErrors(a.notFound)
	return router
}

// groupEndpoints groups routes by path, literal paths before those with variables
// in the same place.
func groupEndpoints(routes []Route) []endpoint {
	byPath := make(map[string]*endpoint)
	for _, route := range routes {
		e := byPath[route.Path]
		if e == nil {
			e = &endpoint{path: route.Path, methods: make(map[string]Route), public: true}
			byPath[route.Path] = e
		}
		e.public = e.public && route.Public()
		e.methods[route.Method] = route
		if _, taken := e.methods[http.MethodHead]; route.Method == http.MethodGet && !taken {
			e.methods[http.MethodHead] = route
		}
	}
	list := make([]endpoint, 0, len(byPath))
	for _, e := range byPath {
		methods := make([]string, 0, len(e.methods))
		for method := range e.methods {
			methods = append(methods, method)
		}
		slices.Sort(methods)
		e.allow = strings.Join(methods, ", ")
		list = append(list, *e)
	}
	// A brace sorts after every character of a literal segment.
	slices.SortFunc(list, func(x, y endpoint) int { return cmp.Compare(x.path, y.path) })
	return list
}

// handleErrors turns a handler's error into a problem document.
func (a *API) handleErrors(h Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			a.stack.Fail(w, r, err)
		}
	})
}

// serveEndpoint checks a request (authentication, method, scope, and what
// admitRequest refuses, in this order, so that a caller without a key learns
// nothing about routes) and runs its handler within the route's time limit.
func (a *API) serveEndpoint(w http.ResponseWriter, r *http.Request, e endpoint) error {
	route, ok := e.methods[r.Method] // tells nothing before authentication
	r, cancel := limitTime(w, r, cmp.Or(route.Limit, answerLimit))
	defer cancel()
	handle := func(w http.ResponseWriter, r *http.Request) error {
		if !ok {
			return problem.New(problem.MethodNotAllowed, "").With("Allow", e.allow)
		}
		if err := a.authorizeCaller(r, route); err != nil {
			return err
		}
		var err error
		if route.Handle, err = a.admitRequest(r, route); err != nil {
			return err
		}
		if route.Accepts == decode.MediaForm {
			return a.withForm(w, r, route, a.runHandler)
		}
		return a.runHandler(w, r, route)
	}
	if e.public || ok && route.Public() {
		return handle(w, r)
	}
	return a.serveAuthenticated(w, r, handle)
}

// runHandler runs the handler of a route, that of a POST once for each
// Idempotency-Key.
func (a *API) runHandler(w http.ResponseWriter, r *http.Request, route Route) error {
	if route.isRead() {
		middleware.EventFrom(r.Context()).Read = true
		r = r.WithContext(store.AllowReplica(r.Context()))
	}
	if r.Method == http.MethodPost && !route.Once {
		return a.serveOnce(w, r, route)
	}
	if r.Method != http.MethodPost { // a repetition is told what the first was, to the byte
		w = negotiateCompression(w, r)
	}
	return route.Handle(w, r)
}

// authorizeCaller refuses callers who may not do what the route does.
func (a *API) authorizeCaller(r *http.Request, route Route) error {
	id := auth.FromContext(r.Context())
	switch {
	case route.Session:
		return id.RequireSession()
	case route.Caller:
		return id.RequireCaller()
	case route.Also != "":
		return cmp.Or(a.auth.Authorize(id, route.Scope), a.auth.Authorize(id, route.Also))
	case route.Scope != "":
		return a.auth.Authorize(id, route.Scope)
	}
	return nil
}

// serveAuthenticated serves a request in the name of its key or session, for as
// long as that is in force.
func (a *API) serveAuthenticated(w http.ResponseWriter, r *http.Request, handle Handler) error {
	lease, err := a.auth.Begin(w, r)
	if err != nil {
		return err
	}
	defer lease.Release()
	event := middleware.EventFrom(r.Context())
	event.KeyID, event.OrganizationID = lease.KeyID, lease.OrganizationID
	if lease.Session != nil {
		event.PersonID = lease.Session.PersonID
	}
	return lease.Serve(w, r, handle)
}

// The work on a request ends a reserve before its route's limit, so that there
// is time to answer that it did. Writing ends a reserve after the limit, because
// a body may take as long as answerLimit to arrive.
const reserve = time.Second

// limitTime bounds the work on a request and, a little later, the writing of
// its answer.
func limitTime(w http.ResponseWriter, r *http.Request, limit time.Duration) (*http.Request, context.CancelFunc) {
	// An error means that the writer has no connection below it (tests).
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(limit + reserve))
	ctx, cancel := context.WithTimeout(r.Context(), limit-reserve)
	return r.WithContext(ctx), cancel
}

// notFound answers for paths that no route serves. Below /v1 authentication
// comes first, so that nobody without a key can map the API.
func (a *API) notFound(w http.ResponseWriter, r *http.Request) error {
	r, cancel := limitTime(w, r, answerLimit)
	defer cancel()
	missing := func(http.ResponseWriter, *http.Request) error { return problem.New(problem.NotFound, "") }
	if r.URL.Path == prefix || strings.HasPrefix(r.URL.Path, prefix+"/") {
		return a.serveAuthenticated(w, r, missing)
	}
	if a.web != nil {
		return a.noSuchPage(w, r)
	}
	return missing(w, r)
}

// objectID reads the id of a route's object.
func objectID(r *http.Request) (uuid.UUID, error) {
	if _, delivery := mux.Vars(r)[deliveryVariable]; delivery {
		return pathID(r, deliveryVariable)
	}
	return pathID(r, idVariable)
}

// pathID reads an id in a route's path. One that is no UUID names nothing,
// which is not told apart from one that is not there.
func pathID(r *http.Request, variable string) (uuid.UUID, error) {
	id, err := decode.UUID(mux.Vars(r)[variable])
	if err != nil {
		return uuid.UUID{}, problem.New(problem.NotFound, "")
	}
	return id, nil
}

// pathText reads a name in a route's path that need not be an id.
func pathText(r *http.Request, variable string) string {
	text, err := url.PathUnescape(mux.Vars(r)[variable])
	if err != nil {
		return ""
	}
	return text
}

// callerOrganization returns the organization whose key or person sent the request.
func callerOrganization(r *http.Request) uuid.UUID {
	return auth.FromContext(r.Context()).OrganizationID
}
