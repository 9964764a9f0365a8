package stream

import (
	"slices"
	"sync"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
)

// Stream holds the changes that a client has not received yet. It never grows beyond some objects
// of each topic, however slowly the client reads: see store.Changed.
type Stream struct {
	hub           *Hub
	orgID, caller uuid.UUID
	topics        []store.Topic
	wake          chan struct{} // of size one: there is something to send

	mu      sync.Mutex
	changed store.Changed
}

// noteChange adds a change if it concerns one of the topics. It never blocks.
func (s *Stream) noteChange(topic store.Topic, id uuid.UUID) {
	if !slices.Contains(s.topics, topic) {
		return
	}
	s.mu.Lock()
	s.changed.Add(topic, id)
	s.mu.Unlock()
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// Changed returns a channel that receives a value when Take has something to return.
func (s *Stream) Changed() <-chan struct{} { return s.wake }

// Take returns the changes to send, each once.
func (s *Stream) Take() []store.Notice {
	s.mu.Lock()
	defer s.mu.Unlock()
	notices := s.changed.Notices(s.orgID)
	clear(s.changed)
	return notices
}

// Close ends the stream.
func (s *Stream) Close() { s.hub.closeStream(s) }
