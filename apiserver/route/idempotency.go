package route

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/gorilla/mux"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/middleware"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/store/idempotency"
)

// replayedHeader marks a response that was first given to an earlier request.
const replayedHeader = "Idempotent-Replayed"

// The roles of a request for its Idempotency-Key, as logged.
const (
	attemptFirst      = "first"
	attemptReplayed   = "replayed"
	attemptInProgress = "in_progress"
	attemptReused     = "reused"
)

// leaseMargin is how much longer a claim on an Idempotency-Key lasts than the route's time limit.
// A process whose claim has ended can no longer change anything.
const leaseMargin = 5 * time.Second

// claimLimit limits each statement about an Idempotency-Key. Clients cannot cancel these
// statements, because a half-finished claim would make the client's next attempt wait.
const claimLimit = 5 * time.Second

type attemptKey struct{}

// AttemptFrom returns the request's claim on its Idempotency-Key, or nil if it has none.
func AttemptFrom(ctx context.Context) *idempotency.Attempt {
	attempt, _ := ctx.Value(attemptKey{}).(*idempotency.Attempt)
	return attempt
}

// serveOnce serves a POST. Among requests with the same Idempotency-Key, API key, path and
// payload, one is served, and all get its response.
func (rt *Router) serveOnce(w http.ResponseWriter, r *http.Request, route Route) error {
	key, given := new(decode.Faults).IdempotencyKey(r.Header) // admitRequest has refused a faulty one
	// An attempt belongs to a key or a person, so anonymous callers make none.
	if !given || auth.FromContext(r.Context()).Caller() == uuid.Nil {
		return route.Handle(w, r)
	}
	body, err := payloadOf(r)
	if err != nil {
		return cmp.Or(rt.objects.checkPath(r, route), err)
	}
	attempt, done, err := rt.claimAttempt(r, route, key, body)
	event := middleware.EventFrom(r.Context())
	switch {
	case errors.Is(err, idempotency.ErrInProgress):
		event.Idempotency = attemptInProgress
	case errors.Is(err, idempotency.ErrKeyReused):
		event.Idempotency = attemptReused
	case errors.Is(err, idempotency.ErrForgotten):
		event.Idempotency = attemptReplayed
		return cmp.Or(rt.objects.checkPath(r, route), error(problem.New(problem.Conflict, "The object that the first request with this Idempotency-Key created has been deleted.")))
	case done != nil:
		event.Idempotency = attemptReplayed
		rt.replays.Inc()
		replayAnswer(w, *done)
	case err == nil:
		event.Idempotency = attemptFirst
		attempt.Subject = subjectOf(r, route)
		return rt.serveAttempt(w, r, route, attempt)
	}
	return err
}

// claimAttempt claims the attempt at a request, or returns the response to an earlier one.
func (rt *Router) claimAttempt(r *http.Request, route Route, key string, body []byte) (*idempotency.Attempt, *idempotency.Answer, error) {
	id := auth.FromContext(r.Context())
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), claimLimit)
	defer cancel()
	return idempotency.Claim(ctx, rt.store, idempotency.Key{
		OrganizationID: id.OrganizationID, KeyID: id.Caller(),
		Route: routeKey(r, route), Key: key, PayloadHash: payloadHash(r, body),
	}, cmp.Or(route.Limit, answerLimit)+leaseMargin)
}

// subjectOf returns the interview or the trader in a route's path, with whom the response is forgotten. It is nil if
// there is none.
func subjectOf(r *http.Request, route Route) *uuid.UUID {
	if !strings.HasPrefix(route.Path, TradersPath) && !strings.HasPrefix(route.Path, InterviewsPath) {
		return nil
	}
	id, err := ObjectID(r)
	if err != nil {
		return nil
	}
	return &id
}

// routeKey returns a route including the ids in its path, each in canonical form.
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

// payloadOf returns what distinguishes bodies from each other: the bytes, or the sum of a form
// that has been read.
func payloadOf(r *http.Request) ([]byte, error) {
	if form := FormFrom(r.Context()); form != nil {
		return form.Sum[:], nil
	}
	return decode.Raw(r)
}

// payloadHash hashes the bytes as received, including the query. It does not recognize different
// texts with the same meaning.
func payloadHash(r *http.Request, body []byte) [sha256.Size]byte {
	text := binary.BigEndian.AppendUint32(nil, uint32(len(r.URL.RawQuery)))
	return sha256.Sum256(append(append(text, r.URL.RawQuery...), body...))
}

// serveAttempt runs the handler and sends its response once that is stored. It stores successes,
// with the change or here, and 422. All other problems give up the attempt.
func (rt *Router) serveAttempt(w http.ResponseWriter, r *http.Request, route Route, attempt *idempotency.Attempt) error {
	ended := false
	defer func() { // also if the handler panics
		if !ended {
			rt.abandonAttempt(r, attempt)
		}
	}()
	r = r.WithContext(context.WithValue(r.Context(), attemptKey{}, attempt))
	held := response.Hold(w)
	err := route.Handle(held, r)
	switch {
	case err != nil && problem.From(err).Status() != http.StatusUnprocessableEntity:
		return err
	case err != nil:
		rt.stack.Fail(held, r, err)
		err = rt.finishAttempt(r, attempt, storedAnswer(held))
	case !attempt.Kept(): // stored by a change
		err = rt.finishAttempt(r, attempt, storedAnswer(held))
	}
	if err != nil {
		return err
	}
	ended = true
	_ = held.Send(w, held.Body()) // the client may have gone
	return nil
}

// finishAttempt stores the response to a request that has changed nothing.
func (rt *Router) finishAttempt(r *http.Request, attempt *idempotency.Attempt, answer idempotency.Answer) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), claimLimit)
	defer cancel()
	return idempotency.Finish(ctx, rt.store, attempt, answer)
}

// abandonAttempt allows the request to be repeated immediately. If it fails, repetitions have to
// wait for the end of the lease.
func (rt *Router) abandonAttempt(r *http.Request, attempt *idempotency.Attempt) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), claimLimit)
	defer cancel()
	_ = idempotency.Abandon(ctx, rt.store, attempt)
}

// replayAnswer sends the response of an earlier request. A problem document is also repeated
// unchanged, with its original request_id.
func replayAnswer(w http.ResponseWriter, answer idempotency.Answer) {
	header := w.Header()
	header.Set(replayedHeader, "true")
	if answer.Location != "" {
		header.Set("Location", answer.Location)
	}
	switch {
	case answer.Body == nil:
		w.WriteHeader(answer.Status)
	case answer.Status >= http.StatusBadRequest:
		response.WriteBody(w, answer.Status, problem.MediaType, answer.Body)
	default:
		response.WriteBody(w, answer.Status, response.MediaJSON, answer.Body)
	}
}

// storedAnswer returns a response for repetitions.
func storedAnswer(held *response.Held) idempotency.Answer {
	return idempotency.Answer{Status: held.Status(), Location: held.Header().Get("Location"), Body: held.Body()}
}
