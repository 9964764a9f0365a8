package reporting

import (
	"bytes"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/internal/analysis/load"
	"github.com/assayhq/assay/internal/analysis/result"
)

// The step activity keeps its data for the step report of the same interview, which
// mostly follows in the same process as soon as the transcript is ready.
const (
	mostHanded = 500_000 // trades, of about 150 bytes each
	handedFor  = 15 * time.Minute
)

// studied holds the trades with which an interview is compared, and their analysis.
type studied struct {
	loaded   *load.Loaded
	activity *result.Activity
	text     json.RawMessage // the activity as it is stored
}

// handover keeps the studied trades of interviews until their reports are made, as
// far as there is room. It is safe for concurrent use. The zero value is empty.
type handover struct {
	mu   sync.Mutex
	kept []*handed // the oldest first
}

// handed is an entry of a handover: the studied trades of one interview.
type handed struct {
	studied
	interview uuid.UUID
	expiry    *time.Timer
}

// keep adds an entry. It replaces the interview's earlier entry, and the oldest
// ones if there is no room for all.
func (h *handover) keep(interview uuid.UUID, s studied) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.remove(interview)
	made := &handed{studied: s, interview: interview}
	made.expiry = time.AfterFunc(handedFor, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if slices.Contains(h.kept, made) {
			h.remove(interview)
		}
	})
	h.kept = append(h.kept, made)
	for h.trades() > mostHanded {
		h.remove(h.kept[0].interview)
	}
}

// take removes an interview's entry and returns its studied trades, and whether their analysis is
// the one that is stored.
func (h *handover) take(interview uuid.UUID, stored json.RawMessage) (s studied, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	found := h.remove(interview)
	if found == nil || !bytes.Equal(found.text, stored) {
		return s, false
	}
	return found.studied, true
}

// remove removes an interview's entry and returns it, or nil if there is none.
func (h *handover) remove(interview uuid.UUID) *handed {
	i := slices.IndexFunc(h.kept, func(k *handed) bool { return k.interview == interview })
	if i < 0 {
		return nil
	}
	found := h.kept[i]
	found.expiry.Stop() // the timer refers to it
	h.kept = slices.Delete(h.kept, i, i+1)
	return found
}

// trades returns how many trades are kept.
func (h *handover) trades() (n int) {
	for _, k := range h.kept {
		n += len(k.loaded.Input.Trades)
	}
	return n
}
