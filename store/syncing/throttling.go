package syncing

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
)

// Throttling is how a platform asks to be left alone, by 429 or by 503 with
// Retry-After. All times are the database's. The zero value means that it does not.
type Throttling struct {
	// Refused counts such answers since the last good one, and Since is when the
	// first of them came.
	Refused int       `json:"refused,omitempty"`
	Since   time.Time `json:"since,omitzero"`
	// Resource and LastAt are those of the newest one, also after good answers.
	Resource record.Resource `json:"resource,omitempty"`
	LastAt   time.Time       `json:"last_at,omitzero"`
	// KeepsPlace: the resource goes first in the next claim, before others use up
	// what the platform allows.
	KeepsPlace bool `json:"keeps_place,omitempty"`
	// Kept is the cycle in which the resource has gone first: it does so once in a
	// cycle. Zero: in none.
	Kept uuid.UUID `json:"kept,omitzero"`
	// CycleSince is when the first of them came in the cycle CycleID, of those with
	// less than a minute of good answers in between. It bounds the cycle's wait.
	CycleID    uuid.UUID `json:"cycle_id,omitzero"`
	CycleSince time.Time `json:"cycle_since,omitzero"`
	// GoodSince is when the first good answer came after the newest one; zero: none has.
	GoodSince time.Time `json:"good_since,omitzero"`
}

// throttlingOver is how long good answers come until nothing is left of a
// throttling: by then requests are no further apart than the budget has them.
const throttlingOver = time.Minute

// Refuse notes that the platform has asked to be left alone when it was asked for
// the resource in a cycle. It keeps its place in the next claim, of this cycle or the
// next one, unless it had kept it in this cycle: then it is the others' turn. Counting
// by the claim would not do: a list that is refused claim after claim until its cycle
// ends would then go first in the next cycle or not as the number of claims has it.
func (t *Throttling) Refuse(cycle uuid.UUID, resource record.Resource, now time.Time) {
	if t.Refused == 0 {
		t.Since = now
	}
	if t.CycleID != cycle || t.CycleSince.IsZero() {
		t.CycleID, t.CycleSince = cycle, now
	}
	t.Refused++
	t.KeepsPlace = t.Kept != cycle || t.Resource != resource
	t.Resource, t.LastAt, t.GoodSince = resource, now, time.Time{}
}

// TakePlace has the resource that keeps its place go first in a cycle. It returns
// that resource; empty: none keeps its place.
func (t *Throttling) TakePlace(cycle uuid.UUID) record.Resource {
	if !t.KeepsPlace {
		return ""
	}
	t.KeepsPlace, t.Kept = false, cycle
	return t.Resource
}

// Answer notes a good answer. It reports whether that ends a row of refusals.
func (t *Throttling) Answer(now time.Time) (ended bool) {
	if t.LastAt.IsZero() {
		return false
	}
	ended = t.Refused > 0
	t.Refused, t.Since = 0, time.Time{}
	switch {
	case t.GoodSince.IsZero():
		t.GoodSince = now
	case now.Sub(t.GoodSince) >= throttlingOver:
		*t = Throttling{}
	}
	return ended
}

// Told reports whether a throttling is worth telling: the platform has refused
// twice in a row, or no good answer will have come for an interval when the wait
// from now is over.
func (t *Throttling) Told(now time.Time, wait, interval time.Duration) bool {
	return t.Refused >= 2 || t.Refused == 1 && now.Add(wait).Sub(t.Since) >= interval
}

// encodeThrottling gives the column's value; nil is SQL null.
func encodeThrottling(t Throttling) (*string, error) {
	if t == (Throttling{}) {
		return nil, nil //nolint:nilnil // null is the encoding of no throttling
	}
	text, err := json.Marshal(t)
	if err != nil {
		return nil, fmt.Errorf("encode throttling: %w", err)
	}
	s := string(text)
	return &s, nil
}

func decodeThrottling(text []byte) (t Throttling, err error) {
	if len(text) == 0 {
		return t, nil
	}
	if err := json.Unmarshal(text, &t); err != nil {
		return t, fmt.Errorf("decode throttling: %w", err)
	}
	return t, nil
}
