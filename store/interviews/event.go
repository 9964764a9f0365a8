package interviews

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
)

// IntegrityEvent is something that happened while the trader had the interview
// open. It is an observation, and proof of nothing.
type IntegrityEvent struct {
	ID         uuid.UUID       `bun:"id"`
	SessionID  *uuid.UUID      `bun:"session_id"` // nil: the server noted it
	Seq        *int64          `bun:"seq"`        // within the session
	Kind       string          `bun:"kind"`
	Severity   string          `bun:"severity"` // info, low, medium, high
	QuestionID *uuid.UUID      `bun:"question_id"`
	AtMS       *int64          `bun:"at_ms"`       // since the session began, on the browser's clock
	WallAt     *time.Time      `bun:"wall_at"`     // the browser's
	ReceivedAt time.Time       `bun:"received_at"` // the server's
	SkewMS     *int64          `bun:"skew_ms"`     // by how much the browser's clock is ahead
	DurationMS *int64          `bun:"duration_ms"`
	Data       json.RawMessage `bun:"data"` // an object; nil: none
}

// Moments tells when each of the events happened, on the server's clock. Of a
// browser's clock only its pace is trusted: it is behind the server's by as much
// as the quickest event of the session took to arrive.
func Moments(events []IntegrityEvent) []time.Time {
	behind := map[uuid.UUID]time.Duration{}
	for _, e := range events {
		if e.SessionID == nil || e.WallAt == nil {
			continue
		}
		took := e.ReceivedAt.Sub(*e.WallAt)
		if least, ok := behind[*e.SessionID]; !ok || took < least {
			behind[*e.SessionID] = took
		}
	}
	moments := make([]time.Time, len(events))
	for n, e := range events {
		moments[n] = e.ReceivedAt
		if e.SessionID != nil && e.WallAt != nil {
			moments[n] = e.WallAt.Add(behind[*e.SessionID])
		}
	}
	return moments
}

// NewEvent is an event to be noted.
type NewEvent struct {
	ClientID   uuid.UUID // the browser's id of the event, by which it is noted once; zero: the server's
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

// maxEvents bounds the events of one interview. What comes beyond is counted
// with the request and not kept.
const maxEvents = 20_000

// readEvents reads an interview's events in the order in which they came.
func readEvents(ctx context.Context, tx bun.IDB, id uuid.UUID) ([]IntegrityEvent, error) {
	events := []IntegrityEvent{}
	err := tx.NewRaw(`SELECT id, session_id, seq, kind, severity, question_id, at_ms, wall_at, received_at, skew_ms, duration_ms, data
FROM interview_events WHERE interview_id = ? ORDER BY received_at, seq NULLS FIRST, id`, id).Scan(ctx, &events)
	return events, err
}

// addServerEvents notes events that no browser has told.
func addServerEvents(ctx context.Context, tx bun.IDB, id uuid.UUID, events []NewEvent) error {
	_, err := addEvents(ctx, tx, id, nil, events)
	return err
}

// addEvents notes events that were not noted before, and returns how many.
func addEvents(ctx context.Context, tx bun.IDB, id uuid.UUID, session *uuid.UUID, events []NewEvent) (added int, err error) {
	for _, e := range events {
		if e.ClientID == uuid.Nil {
			e.ClientID = store.NewID()
		}
		result, err := tx.NewRaw(`INSERT INTO interview_events (id, interview_id, session_id, client_id, seq, kind, severity, question_id, at_ms, wall_at, skew_ms, duration_ms, data)
VALUES (?, ?, ?, ?, ?, ?, ?, (SELECT id FROM interview_questions WHERE id = ? AND interview_id = ?), ?, ?, ?, ?, ?::jsonb) ON CONFLICT (session_id, client_id) DO NOTHING`,
			store.NewID(), id, session, e.ClientID, e.Seq, e.Kind, e.Severity, e.QuestionID, id, e.AtMS, e.WallAt, e.SkewMS, e.DurationMS, jsonOrNil(e.Data)).Exec(ctx)
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

// AddEvents notes what a trader's browser tells, each event once however often
// it is sent. What comes after the interview has ended is let go: a page that is
// closed sends its last events late.
func AddEvents(ctx context.Context, db *store.DB, s TraderSession, events []NewEvent) (added int, err error) {
	defer store.WrapError(&err, "add events of interview %s", s.InterviewID)
	err = db.InTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		var room int
		err := tx.NewRaw(`SELECT ? - (SELECT count(*) FROM interview_events WHERE interview_id = i.id) FROM interviews AS i
WHERE i.id = ? AND i.status IN ('invited', 'in_progress', 'processing') FOR KEY SHARE`, maxEvents, s.InterviewID).Scan(ctx, &room)
		if store.IsNoRows(err) || err == nil && room <= 0 {
			return nil
		}
		if err != nil {
			return err
		}
		added, err = addEvents(ctx, tx, s.InterviewID, &s.ID, events[:min(len(events), room)])
		return err
	})
	return added, err
}
