package route

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/response"
)

// ObjectIfMatch reads the path of a change of an object, and its condition as IfMatch returns it.
func ObjectIfMatch[T, Body any](r *http.Request, render func(T) Body) (id uuid.UUID, condition func(T) error, err error) {
	if id, err = ObjectID(r); err != nil {
		return id, nil, err
	}
	condition, err = response.IfMatch(r, render)
	return id, condition, err
}

// Finder returns the error of reading an object, or nil if the organization has it.
type Finder func(ctx context.Context, orgID, id uuid.UUID) error

// FindWith makes a Finder of a function that reads an object.
func FindWith[DB, T any](db DB, read func(context.Context, DB, uuid.UUID, uuid.UUID) (T, error)) Finder {
	return func(ctx context.Context, orgID, id uuid.UUID) error {
		_, err := read(ctx, db, orgID, id)
		return err
	}
}

// The prefixes of paths that name an object, before the id.
const (
	IntegrationsPath = "/v1/integrations/"
	InterviewsPath   = "/v1/interviews/"
	KeysPath         = "/v1/api-keys/"
	TradersPath      = "/v1/traders/"
	UsersPath        = "/v1/users/"
	WebhooksPath     = "/v1/webhooks/"
	DeliveriesPath   = "/v1/webhooks/deliveries/"
)

// deliveryVariable is the path variable that names a delivery.
const deliveryVariable = "deliveryId"

// Objects finds the objects that paths name, by the prefix before the id.
type Objects map[string]Finder

// checkPath returns the error for a path whose object does not exist. It is called for requests
// that are refused in any case. Handlers look up the object themselves.
func (o Objects) checkPath(r *http.Request, route Route) error {
	collection, _, about := strings.Cut(route.Path, "{")
	if !about {
		return nil
	}
	id, err := ObjectID(r)
	if err != nil {
		return err
	}
	return o.Check(r, collection, id)
}

// LookupLimit limits looking up the object of a request that is refused.
const LookupLimit = 5 * time.Second

// Check returns the error for an object of a collection that does not exist. The look-up has its
// own time limit, because a body that could not be read has canceled the request's context, as if
// the client had gone.
func (o Objects) Check(r *http.Request, collection string, id uuid.UUID) error {
	find := o[collection]
	if find == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), LookupLimit)
	defer cancel()
	return find(ctx, CallerOrganization(r), id)
}

// WithoutBody reads the path of a POST that takes no body, for an object of the collection. A
// missing object is reported before a faulty body.
func (o Objects) WithoutBody(r *http.Request, collection string) (uuid.UUID, error) {
	id, err := ObjectID(r)
	if err != nil {
		return id, err
	}
	if fault := decode.NoBody(r); fault != nil {
		return id, cmp.Or(o.Check(r, collection, id), fault)
	}
	return id, nil
}
