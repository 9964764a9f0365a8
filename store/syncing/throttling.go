package syncing

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
)

// Throttling describes how a platform throttles requests, by 429 or by 503 with Retry-After. All
// times are the database's. The zero value means that it does not.
type Throttling struct {
	// Refused counts such responses since the last good one, and Since is when the first of them
	// came.
	Refused int       `json:"refused,omitempty"`
	Since   time.Time `json:"since,omitzero"`
	// Resource and LastAt describe the newest one. Good responses do not clear them.
	Resource record.Resource `json:"resource,omitempty"`
	LastAt   time.Time       `json:"last_at,omitzero"`
	// KeepsPlace reports that the resource is read first in the next claim, before others use up
	// what the platform permits.
	KeepsPlace bool `json:"keeps_place,omitempty"`
	// Kept is the cycle in which the resource was read first, which happens once in a cycle. It is
	// zero if there is none.
	Kept uuid.UUID `json:"kept,omitzero"`
	// CycleSince is when the first of them came in the cycle CycleID, of those with less than a
	// minute of good responses in between. It limits the cycle's wait.
	CycleID    uuid.UUID `json:"cycle_id,omitzero"`
	CycleSince time.Time `json:"cycle_since,omitzero"`
	// GoodSince is when the first good response came after the newest refusal. It is zero if none
	// has come.
	GoodSince time.Time `json:"good_since,omitzero"`
}

// throttlingOver is how long good responses must come until a throttling is over. By then the gap
// between requests is that of the budget.
const throttlingOver = time.Minute

// Refuse records that the platform has throttled a request for the resource in a cycle. The
// resource keeps its place in the next claim, of this cycle or the next one, unless it already had
// it in this cycle. In that case the others come first. Counting by claims would not work: whether
// a list that is refused claim after claim until its cycle ends would be read first in the next
// cycle would depend on the number of claims.
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

// TakePlace returns the resource that keeps its place, which is read first in a cycle. It returns
// an empty one if there is none.
func (t *Throttling) TakePlace(cycle uuid.UUID) record.Resource {
	if !t.KeepsPlace {
		return ""
	}
	t.KeepsPlace, t.Kept = false, cycle
	return t.Resource
}

// Answer records a good response. It reports whether that ends a series of refusals.
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

// ShouldReport reports whether a throttling should be reported: the platform has refused twice in a row, or
// there will have been no good response for an interval when the wait from now is over.
func (t *Throttling) ShouldReport(now time.Time, wait, interval time.Duration) bool {
	return t.Refused >= 2 || t.Refused == 1 && now.Add(wait).Sub(t.Since) >= interval
}

// encodeThrottling returns the column's value. Nil is SQL null.
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
