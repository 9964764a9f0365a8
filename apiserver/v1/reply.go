package v1

import (
	"fmt"
	"net/http"
	"strconv"

	"github.com/go-json-experiment/json"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/coding"
	"github.com/assayhq/assay/apiserver/middleware"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/idempotency"
)

// reply is a successful response of a route that changes something. Repetitions of the request
// with the same Idempotency-Key get the same response.
type reply struct {
	status   int
	location string // path of the new object; empty if none was created
	body     any    // nil: none
	item     bool   // body is what a GET of the same path returns, and gets its tag
	// again replaces body in responses to repetitions if body contains a secret that is shown
	// once. If it is nil, body is repeated.
	again any
}

// write sends the reply.
func (p reply) write(w http.ResponseWriter) error {
	if p.location != "" {
		w.Header().Set("Location", p.location)
	}
	if p.body == nil {
		w.WriteHeader(p.status)
		return nil
	}
	made, err := encodeItem(p.body)
	if err != nil {
		return err
	}
	if p.item {
		tag := made.tag
		if p.status == http.StatusOK {
			tag = made.tagFor(w)
		}
		w.Header().Set(headerETag, tag)
	}
	writeBody(w, p.status, mediaJSON, made.body)
	return nil
}

// repeatedAnswer encodes the response for repetitions.
func (p reply) repeatedAnswer() (idempotency.Answer, error) {
	body := p.body
	if p.again != nil {
		body = p.again
	}
	a := idempotency.Answer{Status: p.status, Location: p.location}
	if body == nil {
		return a, nil
	}
	text, err := encodeJSON(body)
	a.Body = text
	return a, err
}

// changeBy returns a change on behalf of the request's key or session. render creates the response
// from the result of the store.
func changeBy[T any](r *http.Request, render func(made T) reply) store.Change {
	c := changeOf(r)
	if attempt := attemptFrom(r.Context()); attempt != nil {
		attempt.Render = func(made any) (idempotency.Answer, error) {
			t, ok := made.(T)
			if !ok {
				return idempotency.Answer{}, fmt.Errorf("the change made a %T", made)
			}
			return render(t).repeatedAnswer()
		}
		c.Attempt = attempt
	}
	return c
}

// changeOf returns a change on behalf of the request's key or session whose response is not
// stored for repetitions.
func changeOf(r *http.Request) store.Change {
	id, event := auth.FromContext(r.Context()), middleware.EventFrom(r.Context())
	c := store.Change{
		OrganizationID: id.OrganizationID, KeyID: id.KeyID, By: id.Name, Client: event.Client, RequestID: event.RequestID,
	}
	if id.Session != nil {
		c.PersonID, c.SessionID = id.Session.PersonID, id.Session.ID
	}
	return c
}

// encodeJSON returns the text of a response. Nil slices are empty arrays, nil pointers are null,
// and members have a fixed order.
func encodeJSON(v any) ([]byte, error) {
	body, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("encode answer: %w", err)
	}
	return body, nil
}

// answerJSON encodes v and answers 200 with it.
func answerJSON(w http.ResponseWriter, v any) error {
	body, err := encodeJSON(v)
	if err != nil {
		return err
	}
	writeBody(w, http.StatusOK, mediaJSON, body)
	return nil
}

// writeBody answers with a text of a media type.
func writeBody(w http.ResponseWriter, status int, media string, body []byte) {
	if status == http.StatusOK && usesGzip(w, len(body)) {
		w.Header().Set("Content-Encoding", "gzip")
		body = coding.Gzip(body)
	}
	w.Header().Set("Content-Type", media)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	// An error means that the client has gone.
	_, _ = w.Write(body)
}

// mediaJSON is the media type of responses, unless a route specifies another one.
const mediaJSON = "application/json"
