package reporting

import (
	"crypto/sha256"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/internal/analysis"
	"github.com/assayhq/assay/internal/analysis/load"
)

// What the step activity leaves for the step report of the same interview, which
// mostly follows in the same process as soon as the transcript is there.
const (
	mostHanded = 500_000 // trades, of about 150 bytes each
	handedFor  = 15 * time.Minute
)

// studied is the trades that an interview is compared with, and their analysis.
type studied struct {
	loaded   *load.Loaded
	activity *analysis.Activity
}

// handover keeps what was studied of interviews until their reports are made, as
// far as there is room. It is safe for concurrent use; the zero value is empty.
type handover struct {
	mu   sync.Mutex
	kept []*handed // the oldest first
}

// handed is what was studied of an interview.
type handed struct {
	studied
	interview uuid.UUID
	text      [sha256.Size]byte // sum of the analysis as it is stored
	expiry    *time.Timer
}

// keep keeps what was studied, in the place of what was kept of the interview
// before, and of the oldest where there is no room for all.
func (h *handover) keep(interview uuid.UUID, text []byte, s studied) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.remove(interview)
	made := &handed{studied: s, interview: interview, text: sha256.Sum256(text)}
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

// take returns what was studied of an interview, and keeps it no longer. It
// returns nothing when that is not the analysis which is stored.
func (h *handover) take(interview uuid.UUID, text []byte) (s studied, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	found := h.remove(interview)
	if found == nil || found.text != sha256.Sum256(text) {
		return s, false
	}
	return found.studied, true
}

// remove returns what was kept of an interview; nil: nothing.
func (h *handover) remove(interview uuid.UUID) *handed {
	i := slices.IndexFunc(h.kept, func(k *handed) bool { return k.interview == interview })
	if i < 0 {
		return nil
	}
	found := h.kept[i]
	found.expiry.Stop() // which has hold of it
	h.kept = slices.Delete(h.kept, i, i+1)
	return found
}

// trades is how many trades are kept.
func (h *handover) trades() (n int) {
	for _, k := range h.kept {
		n += len(k.loaded.Input.Trades)
	}
	return n
}
