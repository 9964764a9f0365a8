package interviews

import (
	"time"

	"github.com/google/uuid"
)

// TakeStatus is the state of a take.
type TakeStatus string

// The statuses of a take. Sealed and aborted are final.
const (
	TakeRecording TakeStatus = "recording"
	TakeSealed    TakeStatus = "sealed"
	TakeAborted   TakeStatus = "aborted"
)

// Take is one attempt at an answer. The upload is stored in parts, one blob each, which in the
// order of their offsets are the bytes of one recording.
type Take struct {
	ID          uuid.UUID  `bun:"id"`
	InterviewID uuid.UUID  `bun:"interview_id"`
	QuestionID  uuid.UUID  `bun:"question_id"`
	Take        int        `bun:"take"` // from 1
	Mode        AnswerMode `bun:"mode"`
	Status      TakeStatus `bun:"status"`
	Counts      bool       `bun:"counts"`     // uses up one of the question's takes
	MediaType   *string    `bun:"media_type"` // such as video/webm;codecs=vp8,opus; nil for a written answer
	Received    int64      `bun:"received"`   // bytes that have arrived
	Length      *int64     `bun:"length"`     // of the whole take, in bytes; nil until known
	SHA256      []byte     `bun:"sha256"`     // sent by the browser when it sealed the take; nil if it sent none
	Text        *string    `bun:"text"`       // of a written answer
	DurationMS  *int       `bun:"duration_ms"`
	StartMS     *int       `bun:"start_ms"` // on the interview's timeline; nil until the media is made
	EndMS       *int       `bun:"end_ms"`
	RecordedAt  time.Time  `bun:"recorded_at"` // when it was begun
	UpdatedAt   time.Time  `bun:"updated_at"`
	SealedAt    *time.Time `bun:"sealed_at"`
}

// TakeColumns selects a Take from a row t.
const TakeColumns = `t.id, t.interview_id, t.question_id, t.take, t.mode, t.status, t.counts, t.media_type, t.received, t.length, t.sha256, t.text, t.duration_ms,
    t.start_ms, t.end_ms, t.recorded_at, t.updated_at, t.sealed_at`
