package review

import (
	"context"
	"encoding/json"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/steps"
)

// transcriptRow is a transcript as it is stored.
type transcriptRow struct {
	Transcript json.RawMessage `bun:"transcript"`
}

// ReadTranscript returns the transcript of an interview, an object. It returns ErrNotFound if there
// is none.
func ReadTranscript(ctx context.Context, db *store.DB, orgID, id uuid.UUID) (transcript json.RawMessage, err error) {
	defer store.WrapError(&err, "read the transcript of interview %s", id)
	var row transcriptRow
	err = db.Bun.NewRaw(`SELECT t.transcript FROM interviews AS i JOIN interview_transcripts AS t ON t.interview_id = i.id
WHERE i.id = ? AND i.organization_id = ?`, id, orgID).Scan(ctx, &row)
	return row.Transcript, err
}

// CorrectTranscript replaces the transcript of an interview with what edit makes of it, and queues
// new captions and a new report from the corrected words. The segment is the one that edit
// corrects. edit returns nil if it changes nothing, and an error to refuse the change. It returns
// ErrNotFound if there is no transcript.
func CorrectTranscript(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID, segment string, edit func(transcript json.RawMessage) (json.RawMessage, error)) (err error) {
	defer store.WrapError(&err, "correct the transcript of interview %s", id)
	_, err = store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (none struct{}, err error) {
		l, err := interviews.Lock(ctx, tx, c.OrganizationID, id)
		if err != nil {
			return none, err
		}
		var before transcriptRow
		if err := tx.NewRaw(`SELECT transcript FROM interview_transcripts WHERE interview_id = ?`, id).Scan(ctx, &before); err != nil {
			return none, err
		}
		after, err := edit(before.Transcript)
		if err != nil || after == nil {
			return none, err
		}
		_, err = tx.NewRaw(`UPDATE interview_transcripts SET transcript = ?::json, version = version + 1 WHERE interview_id = ?`, string(after), id).Exec(ctx)
		if err != nil {
			return none, err
		}
		if err := remakeCorrected(ctx, tx, l); err != nil {
			return none, err
		}
		tx.Audit(action.InterviewTranscriptCorrected, id, nil, store.AuditFields{"segment_id": segment})
		return none, interviews.Emit(ctx, tx, event.InterviewTranscriptCorrected, id)
	})
	return err
}

// remakeCorrected queues the captions and the report of an interview whose transcript has changed.
// A step that has not begun uses the changed transcript anyway.
func remakeCorrected(ctx context.Context, tx *store.Tx, l interviews.Locked) error {
	p := &steps.Pipeline{Tx: tx, ID: l.ID}
	now, err := p.ReadSteps(ctx)
	if err != nil {
		return err
	}
	if s := now[steps.Subtitles].Status; s == steps.Done || s == steps.Running {
		if _, err := p.RequestStep(ctx, steps.Subtitles, true); err != nil {
			return err
		}
	}
	if now[steps.Report].Status != steps.Pending {
		_, err = queueReport(ctx, tx, l)
	}
	return err
}
