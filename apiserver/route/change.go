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

// NewRepeatableChange returns a change on behalf of the request's key or session. Its response is
// stored with it, and repetitions with the same Idempotency-Key get that response. render creates
// it from the result of the store.
func NewRepeatableChange[T any](r *http.Request, render func(made T) response.Reply) store.Change {
	c := NewChange(r)
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

// NewChange returns a change on behalf of the request's key or session whose response is not
// stored for repetitions.
func NewChange(r *http.Request) store.Change {
	id, event := auth.FromContext(r.Context()), middleware.EventFrom(r.Context())
	c := store.Change{
		OrganizationID: id.OrganizationID, KeyID: id.KeyID, By: id.Name, Client: event.Client, RequestID: event.RequestID,
	}
	if id.Session != nil {
		c.PersonID, c.SessionID = id.Session.PersonID, id.Session.ID
	}
	return c
}
