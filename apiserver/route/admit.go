package route

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
)

// admitRequest refuses requests that a handler need not see, so that every route is equally
// strict: an Accept header that excludes the route's responses, malformed headers, unknown or
// invalid query parameters, and an unexpected body. The last three are checked after the object:
// if it does not exist, that is the response, whatever else is wrong. admitRequest returns the
// route's handler, including the values of the query if the route takes one.
func (rt *Router) admitRequest(r *http.Request, route Route) (Handler, error) {
	if route.Page {
		handle, _ := readQuery(r, route) // whatever a browser sends is accepted
		return handle, nil
	}
	if media := route.producedMedia(); media != "" && !acceptsAny(r.Header, media) {
		return nil, problem.New(problem.NotAcceptable, "This route answers with "+media+", which the Accept header excludes.")
	}
	handle, queryFault := readQuery(r, route)
	fault := cmp.Or(checkHeaders(r, route), queryFault, checkNoBody(r, route))
	if fault == nil {
		return handle, nil
	}
	return nil, cmp.Or(rt.objects.checkPath(r, route), fault)
}

// acceptsAny reports whether the Accept header allows one of the media types.
func acceptsAny(h http.Header, media string) bool {
	for one := range strings.SplitSeq(media, ", ") {
		if decode.Accepts(h, one) {
			return true
		}
	}
	return false
}

// producedMedia returns the media type of the route's responses. It is empty if they have no
// body.
func (r Route) producedMedia() string {
	if r.Method == http.MethodDelete {
		return ""
	}
	return cmp.Or(r.Produces, response.MediaJSON)
}

func checkHeaders(r *http.Request, route Route) error {
	faults := new(decode.Faults)
	response.NoteConditions(faults, r.Header)
	if r.Method == http.MethodPost && !route.Public() { // anonymous callers make no attempts
		faults.IdempotencyKey(r.Header)
	}
	return faults.HeaderErr()
}

// readQuery refuses invalid parameters and those that the route does not take, and returns the
// handler with the values of the others.
func readQuery(r *http.Request, route Route) (Handler, error) {
	handle := route.Handle
	if route.Query == nil && r.URL.RawQuery == "" {
		return handle, nil
	}
	q := decode.NewQuery(r)
	if route.Query != nil {
		handle = route.Query(q)
	}
	kept := func(w http.ResponseWriter, r *http.Request) error { return handle(w, decode.KeepQuery(r, q)) }
	return kept, q.Finish()
}

// checkNoBody refuses the body of a method that takes none, unless it is empty or an empty
// object, which clients send by habit. Members would be ignored, contrary to what their sender
// expects.
func checkNoBody(r *http.Request, route Route) error {
	if r.ContentLength == 0 || route.Method != http.MethodGet && route.Method != http.MethodDelete {
		return nil
	}
	return decode.NoBody(r)
}

// WithID adapts a handler that takes the id in the path to the table of routes.
func WithID(handle func(http.ResponseWriter, *http.Request, uuid.UUID) error) Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		id, err := ObjectID(r)
		if err != nil {
			return err
		}
		return handle(w, r, id)
	}
}

// WithQuery adapts a reader of a query, and the handler of its result, to the table of routes.
func WithQuery[T any](read func(*decode.Query) T, handle func(http.ResponseWriter, *http.Request, T) error) func(*decode.Query) Handler {
	return func(q *decode.Query) Handler {
		in := read(q)
		return func(w http.ResponseWriter, r *http.Request) error { return handle(w, r, in) }
	}
}
