package v1

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/webhooks"
)

// admitRequest refuses what no handler of the route has to look at, so that every
// route is equally strict: an Accept header that excludes the route's answers,
// headers that cannot be understood, unknown or faulty parameters of the query,
// and a body where none belongs. The last three come after the object: where
// there is none, that is the answer, whatever else is wrong. It returns the
// route's handler, with the values of the query where it takes one.
func (a *API) admitRequest(r *http.Request, route Route) (Handler, error) {
	if route.Page {
		return route.Handle, nil
	}
	if media := route.producedMedia(); media != "" && !acceptsAny(r.Header, media) {
		return nil, problem.New(problem.NotAcceptable, "This route answers with "+media+", which the Accept header excludes.")
	}
	handle, queryFault := readQuery(r, route)
	fault := cmp.Or(checkHeaders(r, route), queryFault, checkNoBody(r, route))
	if fault == nil {
		return handle, nil
	}
	return nil, cmp.Or(a.checkPathObject(r, route), fault)
}

// acceptsAny reports whether the Accept header lets one of the media types pass.
func acceptsAny(h http.Header, media string) bool {
	for one := range strings.SplitSeq(media, ", ") {
		if decode.Accepts(h, one) {
			return true
		}
	}
	return false
}

// producedMedia returns the media type of the route's answers, which is empty
// when they have no body.
func (r Route) producedMedia() string {
	if r.Method == http.MethodDelete {
		return ""
	}
	return cmp.Or(r.Produces, mediaJSON)
}

func checkHeaders(r *http.Request, route Route) error {
	faults := new(decode.Faults)
	conditionsOf(faults, r.Header)
	if r.Method == http.MethodPost && !route.Public() { // who is nobody makes no attempts
		faults.IdempotencyKey(r.Header)
	}
	return faults.HeaderErr()
}

// readQuery refuses faulty parameters, and those that the route does not take,
// and returns the handler with the values of the others.
func readQuery(r *http.Request, route Route) (Handler, error) {
	handle := route.Handle
	if route.Query == nil && r.URL.RawQuery == "" {
		return handle, nil
	}
	q := decode.NewQuery(r)
	if route.Query != nil {
		handle = route.Query(q)
	}
	return handle, q.Finish()
}

// checkNoBody refuses the body of a method that takes none, unless it is empty
// or an empty object, which clients send by habit: members would be ignored,
// and whoever sent them expects the opposite.
func checkNoBody(r *http.Request, route Route) error {
	if r.ContentLength == 0 || route.Method != http.MethodGet && route.Method != http.MethodDelete {
		return nil
	}
	return decode.NoBody(r)
}

// finder returns the error of a read of an object, nil when the organization
// has it.
type finder func(ctx context.Context, orgID, id uuid.UUID) error

// What stands before the id in paths that name an object.
const (
	integrationsPath = "/v1/integrations/"
	tradersPath      = "/v1/traders/"
	usersPath        = "/v1/users/"
	webhooksPath     = "/v1/webhooks/"
	deliveriesPath   = "/v1/webhooks/deliveries/"
)

// objectFinders returns how to find the objects that paths name, by what stands
// before the id.
func (a *API) objectFinders() map[string]finder {
	return map[string]finder{
		integrationsPath: func(ctx context.Context, orgID, id uuid.UUID) error {
			_, err := syncing.ReadIntegration(ctx, a.store, orgID, id)
			return err
		},
		"/v1/api-keys/": func(ctx context.Context, orgID, id uuid.UUID) error {
			_, err := access.ReadAPIKey(ctx, a.store, orgID, id)
			return err
		},
		usersPath: func(ctx context.Context, orgID, id uuid.UUID) error {
			_, err := access.ReadPerson(ctx, a.store, orgID, id)
			return err
		},
		webhooksPath: func(ctx context.Context, orgID, id uuid.UUID) error {
			_, err := webhooks.ReadEndpoint(ctx, a.store, orgID, id)
			return err
		},
		deliveriesPath: func(ctx context.Context, orgID, id uuid.UUID) error {
			_, err := webhooks.ReadDelivery(ctx, a.store, orgID, id)
			return err
		},
		interviewsPath: func(ctx context.Context, orgID, id uuid.UUID) error {
			_, err := interviews.ReadHead(ctx, a.store, orgID, id)
			return err
		},
		tradersPath: func(ctx context.Context, orgID, id uuid.UUID) error {
			_, err := directory.ReadProfile(ctx, a.store, orgID, id)
			return err
		},
	}
}

// checkPathObject returns the error of a path whose object is not there. It is
// asked for requests that are refused anyhow; handlers find out for themselves.
func (a *API) checkPathObject(r *http.Request, route Route) error {
	collection, _, about := strings.Cut(route.Path, "{")
	if !about {
		return nil
	}
	id, err := objectID(r)
	if err != nil {
		return err
	}
	return a.checkObject(r, collection, id)
}

// lookupLimit bounds the search for the object of a request that is refused.
const lookupLimit = 5 * time.Second

// checkObject returns the error of an object of a collection that is not there.
// The search has a time of its own: a body that could not be read has ended the
// request's, as if the client had gone.
func (a *API) checkObject(r *http.Request, collection string, id uuid.UUID) error {
	find := a.objectFinders()[collection]
	if find == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), lookupLimit)
	defer cancel()
	return find(ctx, callerOrganization(r), id)
}

// withQuery makes a reader of a query, and the handler of what it reads, fit for
// the table of routes.
func withQuery[T any](read func(*decode.Query) T, handle func(http.ResponseWriter, *http.Request, T) error) func(*decode.Query) Handler {
	return func(q *decode.Query) Handler {
		in := read(q)
		return func(w http.ResponseWriter, r *http.Request) error { return handle(w, r, in) }
	}
}
