package route

import (
	"fmt"
	"net/http"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/middleware"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/idempotency"
)

// ChangeBy returns a change on behalf of the request's key or session. render creates the response
// from the result of the store.
func ChangeBy[T any](r *http.Request, render func(made T) response.Reply) store.Change {
	c := ChangeOf(r)
	if attempt := AttemptFrom(r.Context()); attempt != nil {
		attempt.Render = func(made any) (idempotency.Answer, error) {
			t, ok := made.(T)
			if !ok {
				return idempotency.Answer{}, fmt.Errorf("the change made a %T", made)
			}
			return render(t).RepeatedAnswer()
		}
		c.Attempt = attempt
	}
	return c
}

// ChangeOf returns a change on behalf of the request's key or session whose response is not
// stored for repetitions.
func ChangeOf(r *http.Request) store.Change {
	id, event := auth.FromContext(r.Context()), middleware.EventFrom(r.Context())
	c := store.Change{
		OrganizationID: id.OrganizationID, KeyID: id.KeyID, By: id.Name, Client: event.Client, RequestID: event.RequestID,
	}
	if id.Session != nil {
		c.PersonID, c.SessionID = id.Session.PersonID, id.Session.ID
	}
	return c
}
