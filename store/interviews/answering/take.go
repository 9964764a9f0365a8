package answering

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/seal"
)

// TakePart is a range of a take's bytes.
type TakePart struct {
	Offset int64  `bun:"part_offset"`
	Bytes  int64  `bun:"bytes"`
	Blob   string `bun:"blob"` // key
}

// Limits of uploads.
const (
	MaxTakeBytes      = 512 << 20
	MaxInterviewBytes = 4 << 30
	MaxWritten        = 20_000 // characters of a written answer
)

// sealGrace is how long after the end what was recorded in time may still arrive.
const sealGrace = 15 * time.Minute

// ListParts lists the parts of a take by offset, for the worker that joins them.
func ListParts(ctx context.Context, db *store.DB, take uuid.UUID) (parts []TakePart, err error) {
	defer store.WrapError(&err, "list parts of take %s", take)
	err = db.Bun.NewRaw(`SELECT part_offset, bytes, blob FROM interview_take_parts WHERE take_id = ? ORDER BY part_offset`, take).Scan(ctx, &parts)
	return parts, err
}

// NewTake is a take that the trader begins.
type NewTake struct {
	QuestionID uuid.UUID
	Mode       interviews.AnswerMode // with AnswerText, SealWritten brings the answer
	MediaType  string
	Length     *int64 // of the upload; nil if not known yet
}

// BeginTake begins the recording of an answer. It returns ErrNotFound if there is no such question,
// ErrNoTakes if its takes are used up or one is being recorded, ErrTimeOver after complete_by,
// ErrAnswerMode, ErrTooLarge or ErrInvalidState.
func BeginTake(ctx context.Context, db *store.DB, s Session, n NewTake) (t interviews.Take, err error) {
	defer store.WrapError(&err, "begin a take of interview %s", s.InterviewID)
	err = inSession(ctx, db, s, func(ctx context.Context, tx *store.Tx, i attempt) error {
		if err := i.requireInProgress(); err != nil {
			return err
		}
		if i.Late {
			return ErrTimeOver
		}
		if !i.allowsMode(n.Mode) {
			return ErrAnswerMode
		}
		if store.Deref(n.Length) > MaxTakeBytes {
			return ErrTooLarge
		}
		t, err = insertTake(ctx, tx, s.InterviewID, n)
		return err
	})
	return t, err
}

// insertTake adds the next take of the question, if it is permitted.
func insertTake(ctx context.Context, tx bun.IDB, id uuid.UUID, n NewTake) (t interviews.Take, err error) {
	var q struct {
		MaxTakes int `bun:"max_takes"`
		Last     int `bun:"last"`
		Counted  int `bun:"counted"`
		Open     int `bun:"open"`
	}
	err = tx.NewRaw(`SELECT q.max_takes, coalesce(max(t.take), 0) AS last, count(t.id) FILTER (WHERE t.counts) AS counted,
    count(t.id) FILTER (WHERE t.status = 'recording') AS open
FROM interview_questions AS q LEFT JOIN interview_takes AS t ON t.question_id = q.id WHERE q.id = ? AND q.interview_id = ? GROUP BY q.max_takes`,
		n.QuestionID, id).Scan(ctx, &q)
	if err != nil {
		return t, err
	}
	if q.Counted >= q.MaxTakes || q.Open > 0 {
		return t, ErrNoTakes
	}
	err = tx.NewRaw(`INSERT INTO interview_takes AS t (id, interview_id, question_id, take, mode, media_type, length) VALUES (?, ?, ?, ?, ?, nullif(?, ''), ?)
RETURNING `+interviews.TakeColumns, store.NewID(), id, n.QuestionID, q.Last+1, n.Mode, n.MediaType, n.Length).Scan(ctx, &t)
	return t, err
}

// Upload is what a request about an upload needs to know: its session, and the state of the take.
type Upload struct {
	Session
	TakeID   uuid.UUID             `bun:"take_id"` // zero if the session's interview has no such take
	Status   interviews.TakeStatus `bun:"take_status"`
	Received int64                 `bun:"received"` // bytes
	Length   *int64                `bun:"length"`   // of the whole take, in bytes; nil until known
}

// FindUpload returns the session of a cookie, even if it is over, with a take of its interview. It
// returns ErrNotFound if there is no such session.
func FindUpload(ctx context.Context, db *store.DB, secret string, take uuid.UUID) (u Upload, err error) {
	defer store.WrapError(&err, "find the upload of take %s", take)
	err = db.Bun.NewRaw(`SELECT `+sessionColumns+`, t.id AS take_id, t.status AS take_status, t.received, t.length`+sessionTables+`
    LEFT JOIN interview_takes AS t ON t.interview_id = s.interview_id AND t.id = ?
WHERE s.token_hash = ?`, take, seal.HashToken(secret)).Scan(ctx, &u)
	return u, err
}

// AppendTake adds a part, whose blob has been written, to a take that is being recorded. length, if
// not nil, is the length of the whole upload. It returns ErrOffset if the part does not begin where
// the take ends, ErrTakeSealed if the take is over, ErrLength or ErrTooLarge. The caller must remove
// the blob of a refused part, unless it has the key of an existing part, and keep it after any other
// error, because the part may have been committed.
func AppendTake(ctx context.Context, db *store.DB, s Session, take uuid.UUID, part TakePart, length *int64) (t interviews.Take, err error) {
	defer store.WrapError(&err, "append to take %s", take)
	err = inSession(ctx, db, s, func(ctx context.Context, tx *store.Tx, i attempt) error {
		if err := i.requireInProgress(); err != nil {
			return err
		}
		var found struct {
			interviews.Take
			Whole int64 `bun:"whole"` // bytes of all takes of the interview
		}
		err := tx.NewRaw(`SELECT `+interviews.TakeColumns+`, (SELECT coalesce(sum(received), 0) FROM interview_takes WHERE interview_id = t.interview_id) AS whole
FROM interview_takes AS t WHERE t.id = ? AND t.interview_id = ? FOR UPDATE`, take, s.InterviewID).Scan(ctx, &found)
		if err != nil {
			return err
		}
		t = found.Take
		if length == nil {
			length = t.Length
		}
		switch {
		case t.Status != interviews.TakeRecording:
			return ErrTakeSealed
		case t.Received != part.Offset:
			return ErrOffset
		case t.Length != nil && *length != *t.Length, length != nil && *length < t.Received:
			return ErrLength
		case part.Offset+part.Bytes > MaxTakeBytes, length != nil && (*length > MaxTakeBytes || part.Offset+part.Bytes > *length):
			return ErrTooLarge
		case found.Whole+part.Bytes > MaxInterviewBytes:
			return ErrTooLarge
		}
		return tx.NewRaw(`WITH part AS (INSERT INTO interview_take_parts (take_id, part_offset, bytes, blob) SELECT ?0::uuid, ?1, ?2, ?3::text WHERE ?2 > 0)
UPDATE interview_takes AS t SET received = received + ?2, length = ?4, updated_at = now() WHERE id = ?0 RETURNING `+interviews.TakeColumns,
			take, part.Offset, part.Bytes, part.Blob, length).Scan(ctx, &t)
	})
	return t, err
}

// Sealing is what the browser reports about a take that it has uploaded.
type Sealing struct {
	Bytes      int64
	SHA256     []byte // nil if not sent
	DurationMS int
}

// SealTake makes a take the question's answer. Sealing it again in the same way has no effect. It
// returns ErrUploadIncomplete if the size differs from the bytes that have arrived, and
// ErrTakeSealed if the take was given up, or sealed with other bytes.
func SealTake(ctx context.Context, db *store.DB, s Session, take uuid.UUID, seal Sealing) (t interviews.Take, err error) {
	defer store.WrapError(&err, "seal take %s", take)
	err = inSession(ctx, db, s, func(ctx context.Context, tx *store.Tx, i attempt) error {
		if err := i.requireInProgress(); err != nil {
			return err
		}
		err := tx.NewRaw(`SELECT `+interviews.TakeColumns+` FROM interview_takes AS t WHERE t.id = ? AND t.interview_id = ? FOR UPDATE`, take, s.InterviewID).Scan(ctx, &t)
		switch {
		case err != nil:
			return err
		case t.Status == interviews.TakeSealed && t.Received == seal.Bytes:
			return nil
		case t.Status != interviews.TakeRecording:
			return ErrTakeSealed
		case t.Received != seal.Bytes || t.Received == 0:
			return ErrUploadIncomplete
		}
		err = tx.NewRaw(`UPDATE interview_takes AS t SET status = 'sealed', length = received, sha256 = ?, duration_ms = ?, sealed_at = now(), updated_at = now()
WHERE id = ? RETURNING `+interviews.TakeColumns, seal.SHA256, seal.DurationMS, take).Scan(ctx, &t)
		tx.TouchInterview(s.InterviewID)
		if err != nil {
			return err
		}
		return i.noteLength(ctx, tx, t)
	})
	return t, err
}

// overTime is how much longer than permitted an answer may be.
const overTime = 15 * time.Second

// ExtraTime returns the factor by which a trader who has asked for more time exceeds the planned
// time for thinking and answering: at least 1, at most MaxExtraTime. It is stored in Device.Result.
func ExtraTime(result json.RawMessage) float64 {
	var said struct {
		ExtraTime float64 `json:"extra_time"`
	}
	if json.Unmarshal(result, &said) != nil {
		return 1 // none was given
	}
	return min(max(said.ExtraTime, 1), MaxExtraTime)
}

// MaxExtraTime is the largest ExtraTime, for which there is room until complete_by.
const MaxExtraTime = 2

// noteLength records an answer that is longer than its question permits.
func (i attempt) noteLength(ctx context.Context, tx bun.IDB, t interviews.Take) error {
	var allowed struct {
		Seconds int             `bun:"max_seconds"`
		Device  json.RawMessage `bun:"result"`
	}
	err := tx.NewRaw(`SELECT q.max_seconds, d.result FROM interview_questions AS q LEFT JOIN interview_devices AS d ON d.interview_id = q.interview_id WHERE q.id = ?`,
		t.QuestionID).Scan(ctx, &allowed)
	if err != nil {
		return err
	}
	most := time.Duration(float64(allowed.Seconds) * ExtraTime(allowed.Device) * float64(time.Second))
	took := time.Duration(store.Deref(t.DurationMS)) * time.Millisecond
	if took <= most+overTime {
		return nil
	}
	return interviews.AddServerEvents(ctx, tx, i.ID, []interviews.NewEvent{{Kind: "answer_over_time", Severity: "info", QuestionID: &t.QuestionID, DurationMS: new(took.Milliseconds())}})
}

// SealWritten makes a text the question's answer. It returns the errors of BeginTake.
func SealWritten(ctx context.Context, db *store.DB, s Session, question uuid.UUID, text string) (t interviews.Take, err error) {
	defer store.WrapError(&err, "seal a written answer of interview %s", s.InterviewID)
	err = inSession(ctx, db, s, func(ctx context.Context, tx *store.Tx, i attempt) error {
		if err := i.requireInProgress(); err != nil {
			return err
		}
		if !i.allowsMode(interviews.AnswerText) {
			return ErrAnswerMode
		}
		same := tx.NewRaw(`SELECT `+interviews.TakeColumns+` FROM interview_takes AS t WHERE t.interview_id = ? AND t.question_id = ? AND t.status = 'sealed' AND t.text = ?
ORDER BY t.take DESC LIMIT 1`, s.InterviewID, question, text).Scan(ctx, &t)
		if same == nil || !store.IsNoRows(same) {
			return same
		}
		tx.TouchInterview(s.InterviewID)
		if t, err = insertTake(ctx, tx, s.InterviewID, NewTake{QuestionID: question, Mode: interviews.AnswerText}); err != nil {
			return err
		}
		return tx.NewRaw(`UPDATE interview_takes AS t SET status = 'sealed', text = ?, sealed_at = now(), updated_at = now() WHERE id = ? RETURNING `+interviews.TakeColumns,
			text, t.ID).Scan(ctx, &t)
	})
	return t, err
}

// ServeQuestion records when the question is first shown to the trader, and returns it. It returns
// ErrNotFound or ErrInvalidState.
func ServeQuestion(ctx context.Context, db *store.DB, s Session, question uuid.UUID) (q interviews.Question, err error) {
	defer store.WrapError(&err, "serve question %s", question)
	err = inSession(ctx, db, s, func(ctx context.Context, tx *store.Tx, i attempt) error {
		if err := i.requireInProgress(); err != nil {
			return err
		}
		return tx.NewRaw(`UPDATE interview_questions SET served_at = coalesce(served_at, now()) WHERE id = ? AND interview_id = ?
RETURNING id, interview_id, index, prompt, topic, think_seconds, max_seconds, max_takes, required, source, finding_kind, served_at`,
			question, s.InterviewID).Scan(ctx, &q)
	})
	return q, err
}
