package v1

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"maps"
	"net/http"
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

// replayedHeader marks an answer that was given to an earlier request.
const replayedHeader = "Idempotent-Replayed"

// What a request is to its Idempotency-Key, in the log.
const (
	attemptFirst      = "first"
	attemptReplayed   = "replayed"
	attemptInProgress = "in_progress"
	attemptReused     = "reused"
)

// leaseMargin is how much longer a claim to an Idempotency-Key holds than the
// route may take. A process that outlasts it changes nothing any more.
const leaseMargin = 5 * time.Second

// claimLimit bounds each of the statements about an Idempotency-Key. They are
// not the client's to break off: half-claimed keys would make it wait.
const claimLimit = 5 * time.Second

type attemptKey struct{}

// attemptFrom returns the request's claim to its Idempotency-Key; nil when it
// has none.
func attemptFrom(ctx context.Context) *store.Attempt {
	attempt, _ := ctx.Value(attemptKey{}).(*store.Attempt)
	return attempt
}

// serveOnce serves a POST. Of requests with the same Idempotency-Key, API key,
// path and payload one is served, and its answer is the answer to all.
func (a *API) serveOnce(w http.ResponseWriter, r *http.Request, route Route) error {
	key, given := new(decode.Faults).IdempotencyKey(r.Header) // admit has refused a faulty one
	// An attempt is a key's or a person's: whoever is neither makes none.
	if !given || auth.FromContext(r.Context()).Caller() == uuid.Nil {
		return route.Handle(w, r)
	}
	body, err := payloadOf(r)
	if err != nil {
		return cmp.Or(a.checkPathObject(r, route), err)
	}
	attempt, done, err := a.claimAttempt(r, route, key, body)
	event := middleware.EventFrom(r.Context())
	switch {
	case errors.Is(err, store.ErrInProgress):
		event.Idempotency = attemptInProgress
	case errors.Is(err, store.ErrKeyReused):
		event.Idempotency = attemptReused
	case errors.Is(err, store.ErrAnswerForgotten):
		event.Idempotency = attemptReplayed
		return cmp.Or(a.checkPathObject(r, route), error(problem.New(problem.Conflict, "What the first request with this Idempotency-Key has made was deleted since.")))
	case done != nil:
		event.Idempotency = attemptReplayed
		a.metrics.replays.Inc()
		replayAnswer(w, *done)
	case err == nil:
		event.Idempotency = attemptFirst
		return a.serveAttempt(w, r, route, attempt)
	}
	return err
}

// claimAttempt asks for the attempt at a request, or for the answer to an earlier one.
func (a *API) claimAttempt(r *http.Request, route Route, key string, body []byte) (*store.Attempt, *store.Answer, error) {
	id := auth.FromContext(r.Context())
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), claimLimit)
	defer cancel()
	return a.store.ClaimAttempt(ctx, store.AttemptKey{
		OrganizationID: id.OrganizationID, KeyID: id.Caller(),
		Route: routeKey(r, route), Key: key, PayloadHash: payloadHash(r, body),
	}, cmp.Or(route.Limit, answerLimit)+leaseMargin)
}

// routeKey returns a route with the ids of its path, each in its one spelling.
func routeKey(r *http.Request, route Route) string {
	var ids []string
	for name, value := range mux.Vars(r) {
		if id, err := decode.UUID(value); err == nil {
			value = id.String()
		}
		ids = append(ids, "{"+name+"}", value)
	}
	return route.Method + " " + strings.NewReplacer(ids...).Replace(route.Path)
}

// payloadOf returns what tells one body from another: its bytes, or the sum of a
// form that has been read.
func payloadOf(r *http.Request) ([]byte, error) {
	if form := formFrom(r.Context()); form != nil {
		return form.Sum[:], nil
	}
	return decode.Raw(r)
}

// payloadHash is of the bytes as they came, the query's among them: whether
// two texts mean the same is not looked at.
func payloadHash(r *http.Request, body []byte) [sha256.Size]byte {
	text := binary.BigEndian.AppendUint32(nil, uint32(len(r.URL.RawQuery)))
	return sha256.Sum256(append(append(text, r.URL.RawQuery...), body...))
}

// serveAttempt runs the handler and answers what it answers, once that is kept:
// its successes, by the change that it made or here, and 422. All other
// problems give the attempt up.
func (a *API) serveAttempt(w http.ResponseWriter, r *http.Request, route Route, attempt *store.Attempt) error {
	ended := false
	defer func() { // also when the handler panics
		if !ended {
			a.abandonAttempt(r, attempt)
		}
	}()
	r = r.WithContext(context.WithValue(r.Context(), attemptKey{}, attempt))
	held := &heldAnswer{header: w.Header().Clone()}
	err := route.Handle(held, r)
	switch {
	case err != nil && problem.From(err).Status() != http.StatusUnprocessableEntity:
		return err
	case err != nil:
		a.stack.Fail(held, r, err)
		err = a.finishAttempt(r, attempt, held.storedAnswer())
	case !attempt.Kept(): // by a change
		err = a.finishAttempt(r, attempt, held.storedAnswer())
	}
	if err != nil {
		return err
	}
	ended = true
	held.sendAnswer(w)
	return nil
}

// finishAttempt keeps the answer to a request that has changed nothing.
func (a *API) finishAttempt(r *http.Request, attempt *store.Attempt, answer store.Answer) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), claimLimit)
	defer cancel()
	return a.store.Finish(ctx, attempt, answer)
}

// abandonAttempt lets the request be made again at once. Where that fails, repetitions
// have to wait for the end of the lease.
func (a *API) abandonAttempt(r *http.Request, attempt *store.Attempt) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), claimLimit)
	defer cancel()
	_ = a.store.Abandon(ctx, attempt)
}

// replayAnswer answers with what an earlier request was answered. A problem document
// is the old one too, with the request_id under which it was made.
func replayAnswer(w http.ResponseWriter, answer store.Answer) {
	header := w.Header()
	header.Set(replayedHeader, "true")
	if answer.Location != "" {
		header.Set("Location", answer.Location)
	}
	switch {
	case answer.Body == nil:
		w.WriteHeader(answer.Status)
	case answer.Status >= http.StatusBadRequest:
		writeBody(w, answer.Status, problem.MediaType, answer.Body)
	default:
		writeBody(w, answer.Status, mediaJSON, answer.Body)
	}
}

// heldAnswer is an answer that goes out when it is released.
type heldAnswer struct {
	header http.Header
	status int // 0: not written
	body   bytes.Buffer
}

// Header implements http.ResponseWriter.
func (h *heldAnswer) Header() http.Header { return h.header }

// WriteHeader implements http.ResponseWriter.
func (h *heldAnswer) WriteHeader(status int) { h.status = cmp.Or(h.status, status) }

// Write implements http.ResponseWriter.
func (h *heldAnswer) Write(b []byte) (int, error) {
	h.WriteHeader(http.StatusOK)
	return h.body.Write(b)
}

// storedAnswer returns the answer that repetitions get.
func (h *heldAnswer) storedAnswer() store.Answer {
	return store.Answer{Status: cmp.Or(h.status, http.StatusOK), Location: h.header.Get("Location"), Body: h.body.Bytes()}
}

// sendAnswer sends the answer.
func (h *heldAnswer) sendAnswer(w http.ResponseWriter) {
	maps.Copy(w.Header(), h.header)
	w.WriteHeader(cmp.Or(h.status, http.StatusOK))
	_, _ = w.Write(h.body.Bytes())
}
