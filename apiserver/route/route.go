// Package route is what all routes of the API have in common: the form of a row in their table, the
// router that admits requests and runs handlers once for each Idempotency-Key, and what handlers need
// to know about their request.
package route

import (
	"fmt"
	"net/http"
	"time"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/decode"
)

// Route is one row of the table of routes.
type Route struct {
	Method string
	Path   string     // template, such as /v1/traders/{id}
	Scope  auth.Scope // what a key or a person's role must hold; empty if no scope is required
	// Also is a second required scope; empty if there is none.
	Also auth.Scope
	// Person is a second scope that a person's role must hold, but no key; empty if there is none.
	Person auth.Scope
	// IgnoresIdempotencyKey means that each call of a POST is carried out, even if calls have the
	// same Idempotency-Key.
	IgnoresIdempotencyKey bool
	// Caller means that any key or session may call, regardless of its scopes.
	Caller bool
	// Session means that a person must have signed in, with any role, and that keys are refused.
	// If Scope, Caller and Session are not set, the route is public.
	Session bool
	Handle  Handler // nil if Query returns the handler
	// Limit is the time from the end of the header to the end of the response. Zero means
	// answerLimit.
	Limit time.Duration
	// Query reads the parameters that the route takes, and returns the handler with their values.
	// It is nil if the route takes none. Faults that it notes and all other parameters are
	// refused before the handler is called.
	Query func(*decode.Query) Handler
	// Produces is the media type of responses; empty means JSON. It may list several, separated
	// by ", ", if it depends on the response. A DELETE responds without a body.
	Produces string
	// Accepts is the media type of bodies; empty means JSON. A body of decode.MediaForm is read
	// before Handle is called, which gets it from FormFrom.
	Accepts string
	// MaxBody limits bodies in bytes. Zero means middleware.MaxBody.
	MaxBody int64
	// Page marks routes that people read. Whatever their browsers send is accepted, and the
	// routes are not in the OpenAPI document.
	Page bool
	// ID identifies the route in lowerCamelCase, such as listTraders; client generators use it. It is
	// empty if the route is not in the OpenAPI document.
	ID string
	// ReadBody is the Body.Read of the route's operation, if it depends on what is configured.
	ReadBody func(*decode.Object)
	// Operation documents the route in the OpenAPI document. It is the row of its ID.
	Operation Operation
}

// Public reports whether the route requires no authentication.
func (r Route) Public() bool { return r.Scope == "" && !r.Caller && !r.Session }

// isRead reports whether the route returns a list or an item directly. Streams, downloads and
// analyses, which have their own time limits, are not reads.
func (r Route) isRead() bool { return r.Method == http.MethodGet && r.Scope != "" && r.Limit == 0 }

// Time limits of routes.
const (
	answerLimit = 30 * time.Second
	// UploadLimit is how long an upload may take: the time for its bytes to arrive, and that for
	// its response.
	UploadLimit = uploadReadLimit + answerLimit
	// DownloadLimit is how long sending a file may take.
	DownloadLimit = 120 * time.Second
)

// Document returns the routes with their operations, which it finds by ID. It panics unless each
// route has one operation, and each operation one route.
func Document(routes []Route, operations map[string]Operation) []Route {
	documented := make(map[string]int)
	for i := range routes {
		r := &routes[i]
		operation, ok := operations[r.ID]
		if !ok {
			panic(fmt.Sprintf("%s %s: no operation has the ID %q", r.Method, r.Path, r.ID))
		}
		r.Operation = operation
		if r.ReadBody != nil {
			r.Operation.Body.Read = r.ReadBody
		}
		documented[r.ID]++
	}
	for id := range operations {
		if documented[id] != 1 {
			panic(fmt.Sprintf("%d routes have the ID %q of an operation", documented[id], id))
		}
	}
	return routes
}
