package v1

import (
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/stream"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/access"
)

// Times of streams.
const (
	// streamLimit is the maximum duration of a stream, which is that of a session.
	streamLimit = access.SessionLife
	// heartbeat is the longest pause of a stream, so that no proxy considers it dead.
	heartbeat = 25 * time.Second
	// streamPause is how long changes are collected after some were sent.
	streamPause = 200 * time.Millisecond
	// streamWrite is how long a client may take to read what is written.
	streamWrite = 10 * time.Second
	// Clients reconnect at a random time within these, so that they do not all come at once.
	leastRetry, mostRetry = 2 * time.Second, 5 * time.Second
	// fullRetry is how long clients are asked to wait if there are too many streams.
	fullRetry = time.Minute
)

// topicScopes lists the scopes that are required to receive changes.
var topicScopes = map[store.Topic]auth.Scope{
	store.TopicIntegrations: auth.IntegrationsRead,
	store.TopicTraders:      auth.TradersRead,
	store.TopicInterviews:   auth.InterviewsRead,
	store.TopicWebhooks:     auth.WebhooksManage,
	store.TopicAPIKeys:      auth.APIKeysManage,
	store.TopicUsers:        auth.InterviewsRead,
	store.TopicAudit:        auth.APIKeysManage,
}

// topicsOf lists the topics that the caller may receive.
func topicsOf(id auth.Identity) []store.Topic {
	topics := []store.Topic{}
	for _, topic := range store.Topics() {
		if id.Require(topicScopes[topic]) == nil {
			topics = append(topics, topic)
		}
	}
	return topics
}

// streamChanges answers GET /v1/stream, as long as the client reads and the key or session is
// valid.
func (a *API) streamChanges(w http.ResponseWriter, r *http.Request) error {
	id := auth.FromContext(r.Context())
	topics := topicsOf(id)
	until, err := a.auth.InForceUntil(r.Context())
	if err != nil {
		return err
	}
	s, err := a.streams.Open(id.OrganizationID, id.Caller(), topics)
	if err != nil {
		return refuseStream(err)
	}
	defer s.Close()
	w.Header().Set("Content-Type", response.MediaEvents)
	w.Header().Set(response.Unbuffered, "no")
	if r.Method == http.MethodHead {
		return nil
	}
	e := &eventWriter{w: w, control: http.NewResponseController(w)}
	// The server's read deadline would also end the request. An error means that the writer has
	// no connection (tests).
	_ = e.control.SetReadDeadline(time.Time{})
	if err := e.writeReady(topics); err != nil {
		return nil // the client has gone, or the lease has ended, which its writer reports
	}
	return a.writeStream(r, s, e, until)
}

// refuseStream returns the problem for exceeding the number of streams.
func refuseStream(err error) error {
	if errors.Is(err, stream.ErrTooMany) {
		return problem.New(problem.RateLimited, fmt.Sprintf("You have %d open streams. Close one, or share one between windows.", stream.MaxOfCaller)).
			With("Retry-After", strconv.Itoa(int(fullRetry.Seconds())))
	}
	return problem.Unavailable("This server has reached its limit of open streams.", fullRetry, err)
}

// writeStream sends changes until the stream ends. until is when the key or the session ends, or
// zero if it has no end.
func (a *API) writeStream(r *http.Request, s *stream.Stream, e *eventWriter, until time.Time) error {
	ctx := r.Context()
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	var (
		over    = at(until)
		changed = s.Changed()
		rest    <-chan time.Time
		err     error
	)
	for {
		select {
		case <-ctx.Done():
			return auth.Cause(ctx) // nil if the client has gone
		case <-a.stopping:
			return nil
		case <-over:
			if until, err = a.auth.InForceUntil(ctx); err != nil {
				return err
			}
			over = at(until)
		case <-beat.C:
			err = e.writeText(": there is nothing new\n\n")
		case <-changed:
			err = e.writeChanges(s.Take())
			changed, rest = nil, time.After(streamPause)
			beat.Reset(heartbeat)
		case <-rest:
			changed, rest = s.Changed(), nil
		}
		if err != nil {
			return nil // as in streamChanges
		}
	}
}

// at returns a channel that receives a value at the time, or nil for the zero time.
func at(then time.Time) <-chan time.Time {
	if then.IsZero() {
		return nil
	}
	return time.After(time.Until(then))
}

// eventWriter writes server-sent events. The underlying writer flushes each write.
type eventWriter struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func (e *eventWriter) writeText(text string) error {
	_ = e.control.SetWriteDeadline(time.Now().Add(streamWrite)) // fails without a connection
	_, err := io.WriteString(e.w, text)
	return err
}

// readyEvent is the data of the event "ready".
type readyEvent struct {
	Topics []store.Topic `json:"topics"`
}

// changeEvent is the data of the event "change".
type changeEvent struct {
	Topic store.Topic `json:"topic"`
	ID    *uuid.UUID  `json:"id"`
}

// writeReady sends the event that the stream is ready.
func (e *eventWriter) writeReady(topics []store.Topic) error {
	data, err := json.Marshal(readyEvent{topics})
	if err != nil {
		return err
	}
	retry := leastRetry + rand.N(mostRetry-leastRetry) //nolint:gosec // spreads clients, and hides nothing
	return e.writeText(fmt.Sprintf("retry: %d\nevent: ready\ndata: %s\n\n", retry.Milliseconds(), data))
}

// writeChanges sends the changes as events.
func (e *eventWriter) writeChanges(notices []store.Notice) error {
	var text strings.Builder
	for _, n := range notices {
		data, err := json.Marshal(changeEvent{n.Topic, store.OrNil(n.ID)})
		if err != nil {
			return err
		}
		fmt.Fprintf(&text, "event: change\ndata: %s\n\n", data)
	}
	return e.writeText(text.String())
}
