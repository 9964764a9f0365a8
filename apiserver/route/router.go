package route

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/mux"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/middleware"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/store"
)

// prefix is the prefix of all authenticated paths, whether they exist or not.
const prefix = "/v1"

// idVariable is the path variable for the id of a route's object.
const idVariable = "id"

// endpoint holds all routes of one path.
type endpoint struct {
	path    string
	methods map[string]Route
	allow   string // value of the Allow header
	public  bool   // all of them
}

// Handler serves a route. It either writes a response or returns an error, which is converted to
// a problem document, and never does both.
type Handler func(w http.ResponseWriter, r *http.Request) error

// Config is what a Router needs. Objects, Spool, Mounts and Unknown are optional.
type Config struct {
	Store    *store.DB
	Auth     *auth.Authenticator
	Stack    *middleware.Stack
	Registry prometheus.Registerer
	// Objects find the objects that paths name.
	Objects Objects
	// Spool opens the files that hold uploads while they are read. If it is nil, uploads use
	// nameless files in the folder for temporary files.
	Spool func() (*os.File, error)
	// Mounts are what is served below paths of their own.
	Mounts []Mount
	// Unknown answers for paths outside /v1 that no route has. If it is nil, they are not found.
	Unknown Handler
}

// Mount is a handler of all authenticated paths below a prefix.
type Mount struct {
	Prefix string     // without a trailing slash
	Scope  auth.Scope // what a key or a person's role must hold
	Handle Handler
	// WriteError writes a refusal in the form that clients of these paths know.
	WriteError func(http.ResponseWriter, *problem.Problem)
}

// Router serves routes: it admits each request, and runs the handler of its route.
type Router struct {
	store   *store.DB
	auth    *auth.Authenticator
	stack   *middleware.Stack
	objects Objects
	uploads *auth.Places // of running uploads
	spool   func() (*os.File, error)
	mounts  []Mount
	unknown Handler // may be nil
	replays prometheus.Counter
}

// New returns a router. It registers its metrics.
func New(c Config) (*Router, error) {
	replays := prometheus.NewCounter(prometheus.CounterOpts{
		Name: "assay_apiserver_idempotent_replays_total",
		Help: "Requests that received the stored response to an earlier request with the same Idempotency-Key.",
	})
	if c.Spool == nil {
		c.Spool = openSpool
	}
	return &Router{
		store: c.Store, auth: c.Auth, stack: c.Stack, objects: c.Objects, uploads: auth.NewSharedPlaces(maxUploads), spool: c.Spool,
		mounts: c.Mounts, unknown: c.Unknown, replays: replays,
	}, c.Registry.Register(replays)
}

// Handler returns the routes inside the middleware.
func (rt *Router) Handler(routes []Route) http.Handler {
	large := slices.DeleteFunc(slices.Clone(routes), func(r Route) bool { return r.MaxBody == 0 })
	return rt.stack.Wrap(rt.newHandler(routes), func(r *http.Request) (int64, problem.Code) { return bodyLimit(large, r) })
}

// newHandler registers one mux route per path and distinguishes methods here: mux's own method
// matching supports neither HEAD nor Allow, and falls through to /{id} if /test does not have the
// method.
func (rt *Router) newHandler(routes []Route) http.Handler {
	router := mux.NewRouter().SkipClean(true).UseEncodedPath()
	for _, e := range groupEndpoints(routes) {
		router.Handle(e.path, rt.handleErrors(func(w http.ResponseWriter, r *http.Request) error {
			event := middleware.EventFrom(r.Context())
			event.Route = e.path
			event.ObjectID, _ = ObjectID(r) // zero if there is none
			return rt.serveEndpoint(w, r, e)
		}))
	}
	for _, m := range rt.mounts {
		router.PathPrefix(m.Prefix + "/").HandlerFunc(func(w http.ResponseWriter, r *http.Request) { rt.serveMount(w, r, m) })
	}
	router.NotFoundHandler = rt.handleErrors(rt.notFound)
	return router
}

// groupEndpoints groups routes by path, with literal paths before those that have variables in
// the same place.
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

// handleErrors converts a handler's error to a problem document.
func (rt *Router) handleErrors(h Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h(w, r); err != nil {
			rt.stack.Fail(w, r, err)
		}
	})
}

// serveEndpoint checks a request (authentication, method, scope, and then admitRequest, in this
// order, so that a caller without a key learns nothing about routes) and runs its handler within
// the route's time limit.
func (rt *Router) serveEndpoint(w http.ResponseWriter, r *http.Request, e endpoint) error {
	route, ok := e.methods[r.Method] // reveals nothing before authentication
	r, cancel := limitTime(w, r, cmp.Or(route.Limit, answerLimit))
	defer cancel()
	handle := func(w http.ResponseWriter, r *http.Request) error {
		if !ok {
			return problem.New(problem.MethodNotAllowed, "").With("Allow", e.allow)
		}
		route.Operation.Deprecated.setHeaders(w.Header())
		if err := rt.authorizeCaller(r, route); err != nil {
			return err
		}
		var err error
		if route.Handle, err = rt.admitRequest(r, route); err != nil {
			return err
		}
		if route.Accepts == decode.MediaForm {
			return rt.withForm(w, r, route, rt.runHandler)
		}
		return rt.runHandler(w, r, route)
	}
	if e.public || ok && route.Public() {
		return handle(w, r)
	}
	return rt.serveAuthenticated(w, r, handle)
}

// runHandler runs the handler of a route. For a POST, it runs it once for each Idempotency-Key.
func (rt *Router) runHandler(w http.ResponseWriter, r *http.Request, route Route) error {
	if route.isRead() {
		middleware.EventFrom(r.Context()).Read = true
	}
	if r.Method == http.MethodPost && !route.IgnoresIdempotencyKey {
		return rt.serveOnce(w, r, route)
	}
	if r.Method != http.MethodPost { // a repetition gets the same bytes as the first request
		w = response.NegotiateCompression(w, r)
	}
	return route.Handle(w, r)
}

// authorizeCaller refuses callers who are not allowed to use the route.
func (rt *Router) authorizeCaller(r *http.Request, route Route) error {
	id := auth.FromContext(r.Context())
	switch {
	case route.Session:
		return id.RequireSession()
	case route.Caller:
		return id.RequireCaller()
	case route.Person != "" && id.Session != nil:
		return cmp.Or(rt.auth.Authorize(id, route.Scope), rt.auth.Authorize(id, route.Person))
	case route.Also != "":
		return cmp.Or(rt.auth.Authorize(id, route.Scope), rt.auth.Authorize(id, route.Also))
	case route.Scope != "":
		return rt.auth.Authorize(id, route.Scope)
	}
	return nil
}

// serveAuthenticated serves a request on behalf of its key or session, as long as that is valid.
func (rt *Router) serveAuthenticated(w http.ResponseWriter, r *http.Request, handle Handler) error {
	lease, err := rt.auth.Begin(w, r)
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

// serveMount serves a request below the prefix of a mount.
func (rt *Router) serveMount(w http.ResponseWriter, r *http.Request, m Mount) {
	middleware.EventFrom(r.Context()).Route = m.Prefix
	r, cancel := limitTime(w, r, answerLimit)
	defer cancel()
	err := rt.serveAuthenticated(w, r, func(w http.ResponseWriter, r *http.Request) error {
		if err := rt.auth.Authorize(auth.FromContext(r.Context()), m.Scope); err != nil {
			return err
		}
		return m.Handle(w, r)
	})
	if err != nil {
		rt.stack.FailIn(w, r, err, m.WriteError)
	}
}

// Work on a request ends some time before its route's limit, so that there is time to report
// that. Writing may continue for some time after the limit, because a body may take as long as
// answerLimit to arrive.
const reserve = time.Second

// limitTime limits the work on a request and, a little later, the writing of its response.
func limitTime(w http.ResponseWriter, r *http.Request, limit time.Duration) (*http.Request, context.CancelFunc) {
	// An error means that the writer has no connection (tests).
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(limit + reserve))
	ctx, cancel := context.WithTimeout(r.Context(), limit-reserve)
	return r.WithContext(ctx), cancel
}

// notFound answers for unknown paths. Below /v1 it authenticates first, so that nobody without a
// key can explore the API.
func (rt *Router) notFound(w http.ResponseWriter, r *http.Request) error {
	r, cancel := limitTime(w, r, answerLimit)
	defer cancel()
	missing := func(http.ResponseWriter, *http.Request) error { return problem.New(problem.NotFound, "") }
	if r.URL.Path == prefix || strings.HasPrefix(r.URL.Path, prefix+"/") {
		return rt.serveAuthenticated(w, r, missing)
	}
	if rt.unknown != nil {
		return rt.unknown(w, r)
	}
	return missing(w, r)
}

// ObjectID reads the id of a route's object.
func ObjectID(r *http.Request) (uuid.UUID, error) {
	if _, delivery := mux.Vars(r)[deliveryVariable]; delivery {
		return PathID(r, deliveryVariable)
	}
	return PathID(r, idVariable)
}

// PathID reads an id in a route's path. Text that is not a UUID refers to nothing, and is treated
// like an id that does not exist.
func PathID(r *http.Request, variable string) (uuid.UUID, error) {
	id, err := decode.UUID(mux.Vars(r)[variable])
	if err != nil {
		return uuid.UUID{}, problem.New(problem.NotFound, "")
	}
	return id, nil
}

// PathText reads a name in a route's path that need not be an id.
func PathText(r *http.Request, variable string) string {
	text, err := url.PathUnescape(mux.Vars(r)[variable])
	if err != nil {
		return ""
	}
	return text
}

// CallerOrganization returns the organization of the key or person that sent the request.
func CallerOrganization(r *http.Request) uuid.UUID {
	return auth.FromContext(r.Context()).OrganizationID
}
