package interviews

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
)

// IntegrityEvent is something that happened while the trader had the interview open. It is an
// observation, not proof of anything.
type IntegrityEvent struct {
	ID         uuid.UUID       `bun:"id"`
	SessionID  *uuid.UUID      `bun:"session_id"` // nil if the server recorded it
	Seq        *int64          `bun:"seq"`        // within the session
	Kind       string          `bun:"kind"`
	Severity   string          `bun:"severity"` // info, low, medium, high
	QuestionID *uuid.UUID      `bun:"question_id"`
	AtMS       *int64          `bun:"at_ms"`       // since the beginning of the session, on the browser's clock
	WallAt     *time.Time      `bun:"wall_at"`     // the browser's
	ReceivedAt time.Time       `bun:"received_at"` // the server's
	SkewMS     *int64          `bun:"skew_ms"`     // how far the browser's clock is ahead
	DurationMS *int64          `bun:"duration_ms"`
	Data       json.RawMessage `bun:"data"` // an object; nil if there is none
}

// Lasted returns the duration of the event. It is zero if the event has none.
func (e *IntegrityEvent) Lasted() time.Duration {
	if e.DurationMS == nil {
		return 0
	}
	return time.Duration(*e.DurationMS) * time.Millisecond
}

// Measured returns where in its answer the event was measured, if syncd found it in the recording.
func (e *IntegrityEvent) Measured() (at time.Duration, ok bool) {
	var data struct {
		Source string `json:"source"`
		AtMS   int64  `json:"answer_at_ms"`
	}
	if e.SessionID != nil || json.Unmarshal(e.Data, &data) != nil || data.Source != "recording" {
		return 0, false
	}
	return time.Duration(data.AtMS) * time.Millisecond, true
}

// SlowestRequest is the longest time that a request may be on its way: the page gives up on it then.
const SlowestRequest = 30 * time.Second

// furthest is by how much a browser's clock may be off. A browser may name any year.
const furthest = 100 * 365 * 24 * time.Hour

// measureLag returns how far the browser's clock seems to be behind the server's. That is too much by
// the time that the request with the event, or the event itself, was on its way.
func (e *IntegrityEvent) measureLag() time.Duration {
	behind := e.ReceivedAt.Sub(*e.WallAt)
	if e.SkewMS != nil {
		behind = -time.Duration(*e.SkewMS) * time.Millisecond
	}
	return min(max(behind, -furthest), furthest)
}

// Moments returns when each of the events began, on the server's clock. The page reports what has a
// duration when it is over. Of a browser's clock, Moments trusts the rate only. Its offset is that of
// the session's fastest request, among those which differ by no more than their time on the way: the
// clock may have been set meanwhile. What was measured in a recording happened in its answer.
func (d *Detail) Moments() []time.Time {
	behind := map[uuid.UUID][]time.Duration{}
	for n := range d.AllEvents {
		if e := &d.AllEvents[n]; e.SessionID != nil && e.WallAt != nil {
			behind[*e.SessionID] = append(behind[*e.SessionID], e.measureLag())
		}
	}
	for _, session := range behind {
		slices.Sort(session)
	}
	moments := make([]time.Time, len(d.AllEvents))
	for n := range d.AllEvents {
		e := &d.AllEvents[n]
		moments[n] = e.ReceivedAt.Add(-e.Lasted())
		if e.SessionID != nil && e.WallAt != nil {
			session := behind[*e.SessionID]
			fastest, _ := slices.BinarySearch(session, e.measureLag()-SlowestRequest)
			moments[n] = e.WallAt.Add(session[fastest] - e.Lasted())
		}
		at, ok := e.Measured()
		if t := d.Answered(store.Deref(e.QuestionID)); ok && t != nil {
			moments[n] = t.RecordedAt.Add(at)
		}
	}
	return moments
}

// NewEvent is an event to record.
type NewEvent struct {
	ClientID   uuid.UUID // the browser's id of the event, which is recorded only once; zero for an event of the server
	Seq        *int64
	Kind       string
	Severity   string
	QuestionID *uuid.UUID
	AtMS       *int64
	WallAt     *time.Time
	SkewMS     *int64
	DurationMS *int64
	Data       json.RawMessage
}

// readEvents reads an interview's events in the order of their arrival.
func readEvents(ctx context.Context, tx bun.IDB, id uuid.UUID) ([]IntegrityEvent, error) {
	events := []IntegrityEvent{}
	err := tx.NewRaw(`SELECT id, session_id, seq, kind, severity, question_id, at_ms, wall_at, received_at, skew_ms, duration_ms, data
FROM interview_events WHERE interview_id = ? ORDER BY received_at, seq NULLS FIRST, id`, id).Scan(ctx, &events)
	return events, err
}

// AddServerEvents records events of the server.
func AddServerEvents(ctx context.Context, tx bun.IDB, id uuid.UUID, events []NewEvent) error {
	_, err := AddEvents(ctx, tx, id, nil, events)
	return err
}

// AddEvents records events that were not recorded before, and returns how many.
func AddEvents(ctx context.Context, tx bun.IDB, id uuid.UUID, session *uuid.UUID, events []NewEvent) (added int, err error) {
	for _, e := range events {
		if e.ClientID == uuid.Nil {
			e.ClientID = store.NewID()
		}
		result, err := tx.NewRaw(`INSERT INTO interview_events (id, interview_id, session_id, client_id, seq, kind, severity, question_id, at_ms, wall_at, skew_ms, duration_ms, data)
VALUES (?, ?, ?, ?, ?, ?, ?, (SELECT id FROM interview_questions WHERE id = ? AND interview_id = ?), ?, ?, ?, ?, ?::jsonb) ON CONFLICT (session_id, client_id) DO NOTHING`,
			store.NewID(), id, session, e.ClientID, e.Seq, e.Kind, e.Severity, e.QuestionID, id, e.AtMS, e.WallAt, e.SkewMS, e.DurationMS, store.TextOrNil(string(e.Data))).Exec(ctx)
		if err != nil {
			return added, err
		}
		n, err := result.RowsAffected()
		if err != nil {
			return added, err
		}
		added += int(n)
	}
	return added, nil
}
