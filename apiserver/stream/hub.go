// Package stream receives changes from the database, in one session for the whole process, and
// notifies the clients that have a stream open.
package stream

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/store"
)

// How many streams may be open in one process.
const (
	// MaxOfCaller is the number of streams that one key or person may have open.
	MaxOfCaller = 20
	// maxStreams is the total number of streams. Each takes some 40 KiB.
	maxStreams = 2000
)

// Errors of opening a stream.
var (
	ErrTooMany = errors.New("the caller has reached its limit of open streams")
	ErrFull    = errors.New("the process has reached its limit of open streams")
)

// Sessions opens the session that receives changes. *store.DB implements it.
type Sessions interface {
	OpenNoticeSession(ctx context.Context) (*store.NoticeSession, error)
}

// Hub passes received changes on to the streams. Run must run for as long as streams are served.
type Hub struct {
	sessions Sessions
	log      *slog.Logger
	lost     prometheus.Counter

	mu       sync.Mutex
	streams  map[uuid.UUID]map[*Stream]struct{} // by organization
	ofCaller map[uuid.UUID]int
	open     int
}

// New returns a hub. It registers assay_apiserver_streams and
// assay_apiserver_stream_sessions_lost_total.
func New(sessions Sessions, log *slog.Logger, registry prometheus.Registerer) (*Hub, error) {
	h := &Hub{
		sessions: sessions, log: log, streams: make(map[uuid.UUID]map[*Stream]struct{}), ofCaller: make(map[uuid.UUID]int),
		lost: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "assay_apiserver_stream_sessions_lost_total",
			Help: "Lost database connections on which the process is notified of changes.",
		}),
	}
	open := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "assay_apiserver_streams",
		Help: "Open change streams.",
	}, func() float64 {
		h.mu.Lock()
		defer h.mu.Unlock()
		return float64(h.open)
	})
	return h, errors.Join(registry.Register(h.lost), registry.Register(open))
}

// Run receives changes in one session after the other, until ctx ends.
func (h *Hub) Run(ctx context.Context) {
	store.KeptSession[*store.NoticeSession]{
		Purpose: "changes are announced on it; without it, open pages reload later", Open: h.sessions.OpenNoticeSession, Serve: h.serveSession, Lost: h.lost.Inc,
	}.Run(ctx, h.log)
}

// serveSession passes on what the session receives, until it is lost or ctx ends. Changes from
// before it began may have been missed, so all clients are notified to read again.
func (h *Hub) serveSession(ctx context.Context, session *store.NoticeSession) error {
	defer func() {
		closing, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
		_ = session.Close(closing) // the session is gone in any case
	}()
	h.resyncAll()
	for {
		n, err := session.Next(ctx)
		if err != nil {
			return err
		}
		h.passNotice(n)
	}
}

// passNotice notifies the organization's streams.
func (h *Hub) passNotice(n store.Notice) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.streams[n.OrganizationID] {
		s.noteChange(n.Topic, n.ID)
	}
}

// resyncAll notifies all streams that anything may have changed.
func (h *Hub) resyncAll() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, streams := range h.streams {
		for s := range streams {
			for _, topic := range s.topics {
				s.noteChange(topic, uuid.Nil)
			}
		}
	}
}

// Open opens a stream of the organization's changes of the given topics. caller is the id of the
// key or the person. It returns ErrTooMany or ErrFull if a limit is reached. The caller must call
// Close.
func (h *Hub) Open(orgID, caller uuid.UUID, topics []store.Topic) (*Stream, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.ofCaller[caller] >= MaxOfCaller:
		return nil, ErrTooMany
	case h.open >= maxStreams:
		return nil, ErrFull
	}
	s := &Stream{hub: h, orgID: orgID, caller: caller, topics: topics, changed: make(store.Changed), wake: make(chan struct{}, 1)}
	if h.streams[orgID] == nil {
		h.streams[orgID] = make(map[*Stream]struct{})
	}
	h.streams[orgID][s] = struct{}{}
	h.ofCaller[caller]++
	h.open++
	return s, nil
}

func (h *Hub) closeStream(s *Stream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, open := h.streams[s.orgID][s]; !open {
		return
	}
	h.open--
	if delete(h.streams[s.orgID], s); len(h.streams[s.orgID]) == 0 {
		delete(h.streams, s.orgID)
	}
	if h.ofCaller[s.caller]--; h.ofCaller[s.caller] == 0 {
		delete(h.ofCaller, s.caller)
	}
}
