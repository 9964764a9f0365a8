package worker

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/store/interviews/steps"
)

// Media is the result of the media step, below MediaPrefix of its version.
type Media struct {
	Version       int
	Kind          interviews.AnswerMode // video or audio
	DurationMS    int
	Width, Height *int
	Bytes         int64
	Playlist      string  // file below the prefix
	Poster        *string // file below the prefix; nil if there is none
	Details       json.RawMessage
	Places        []TakePlace           // of all takes in it
	Events        []interviews.NewEvent // findings in picture and sound
}

// TakePlace is a take's place on the interview's timeline.
type TakePlace struct {
	TakeID         uuid.UUID
	StartMS, EndMS int
}

// FinishMedia writes the playable media.
func FinishMedia(ctx context.Context, db *store.DB, c Claim, m Media) error {
	return finishStep(ctx, db, c, steps.Done, func(ctx context.Context, tx *store.Tx, _ interviews.Locked) error {
		_, err := tx.NewRaw(`INSERT INTO interview_media (interview_id, version, kind, duration_ms, width, height, bytes, playlist, poster, details)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb)`,
			c.InterviewID, m.Version, m.Kind, m.DurationMS, m.Width, m.Height, m.Bytes, m.Playlist, m.Poster, store.TextOrNil(string(m.Details))).Exec(ctx)
		if err != nil {
			return err
		}
		for _, at := range m.Places {
			_, err := tx.NewRaw(`UPDATE interview_takes SET start_ms = ?, end_ms = ? WHERE id = ? AND interview_id = ?`, at.StartMS, at.EndMS, at.TakeID, c.InterviewID).Exec(ctx)
			if err != nil {
				return err
			}
		}
		return interviews.AddServerEvents(ctx, tx, c.InterviewID, m.Events)
	})
}

// Transcript is a transcript in the form of the API.
type Transcript struct {
	Engine, Quality string
	Transcript      json.RawMessage // an object
	// Missing is why the spoken answers are missing; nil if they are not.
	Missing error
}

// FinishTranscript writes the transcript, replacing an earlier one. If spoken answers are missing,
// the step has failed, so that it can be started again.
func FinishTranscript(ctx context.Context, db *store.DB, c Claim, m Transcript) error {
	status := steps.Done
	if m.Missing != nil {
		status = steps.Failed
	}
	return finishStep(ctx, db, c, status, func(ctx context.Context, tx *store.Tx, _ interviews.Locked) error {
		if m.Missing != nil {
			if err := noteError(ctx, tx, c, m.Missing); err != nil {
				return err
			}
		}
		_, err := tx.NewRaw(`INSERT INTO interview_transcripts AS t (interview_id, version, engine, quality, transcript) VALUES (?, 1, ?, ?, ?::json)
ON CONFLICT (interview_id) DO UPDATE SET version = t.version + 1, engine = excluded.engine, quality = excluded.quality, transcript = excluded.transcript, generated_at = now()`,
			c.InterviewID, m.Engine, m.Quality, string(m.Transcript)).Exec(ctx)
		return err
	})
}

// FinishSubtitles writes the captions, a WebVTT file.
func FinishSubtitles(ctx context.Context, db *store.DB, c Claim, vtt string) error {
	return finishStep(ctx, db, c, steps.Done, func(ctx context.Context, tx *store.Tx, _ interviews.Locked) error {
		_, err := tx.NewRaw(`INSERT INTO interview_subtitles (interview_id, vtt) VALUES (?, ?)
ON CONFLICT (interview_id) DO UPDATE SET vtt = excluded.vtt, generated_at = now()`, c.InterviewID, vtt).Exec(ctx)
		if err != nil {
			return err
		}
		return interviews.Emit(ctx, tx, event.InterviewSubtitlesReady, c.InterviewID)
	})
}

// FinishActivity writes the analysis of the trader's activity, an object.
func FinishActivity(ctx context.Context, db *store.DB, c Claim, activity json.RawMessage) error {
	return finishStep(ctx, db, c, steps.Done, func(ctx context.Context, tx *store.Tx, _ interviews.Locked) error {
		return writeActivity(ctx, tx, c.InterviewID, activity)
	})
}

// writeActivity replaces the analysis of an interview. Nil leaves it as it is.
func writeActivity(ctx context.Context, tx *store.Tx, id uuid.UUID, activity json.RawMessage) error {
	if activity == nil {
		return nil
	}
	_, err := tx.NewRaw(`INSERT INTO interview_activities AS a (interview_id, activity) VALUES (?, ?::json)
ON CONFLICT (interview_id) DO UPDATE SET activity = excluded.activity, generated_at = now() WHERE a.activity::text <> excluded.activity::text`, id, string(activity)).Exec(ctx)
	return err
}

// Report is a report in the form of the API, with the values that lists and filters need.
type Report struct {
	Report         json.RawMessage // an object
	Activity       json.RawMessage // the analysis that it is made from, an object; nil if the trades could not be analyzed, which leaves an earlier analysis as it is
	AttentionLevel string          // one of AttentionLevels
	ReviewPriority int             // 0 to 100
	Findings       interviews.FindingCounts
	FindingKinds   []string
	Integrity      interviews.IntegritySummary
}

// FinishReport writes the report as version Claim.ReportVersion plus one, and the analysis that it
// is made from, so that people see both from one state of the trades. The interview is completed
// then, if it was not before.
func FinishReport(ctx context.Context, db *store.DB, c Claim, m Report) error {
	return finishStep(ctx, db, c, steps.Done, func(ctx context.Context, tx *store.Tx, l interviews.Locked) error {
		if l.ReportVersion != c.ReportVersion {
			return store.ErrFenced
		}
		_, err := tx.NewRaw(`INSERT INTO interview_reports (interview_id, version, report) VALUES (?, ?, ?::json)`,
			c.InterviewID, c.ReportVersion+1, string(m.Report)).Exec(ctx)
		if err != nil {
			return err
		}
		if err := writeActivity(ctx, tx, c.InterviewID, m.Activity); err != nil {
			return err
		}
		integrity, err := json.Marshal(m.Integrity)
		if err != nil {
			return err
		}
		kinds := slices.Compact(slices.Sorted(slices.Values(m.FindingKinds)))
		_, err = tx.NewRaw(`UPDATE interviews SET report_version = report_version + 1, attention_level = ?, review_priority = ?, high_findings = ?, medium_findings = ?, low_findings = ?, finding_kinds = ?, integrity_summary = ?::jsonb,
    status = CASE WHEN status IN ('processing', 'failed') THEN 'completed' ELSE status END, completed_at = coalesce(completed_at, now()), updated_at = now()
WHERE id = ?`, m.AttentionLevel, m.ReviewPriority, m.Findings.High, m.Findings.Medium, m.Findings.Low, store.TextArray(kinds), string(integrity), c.InterviewID).Exec(ctx)
		if err != nil {
			return err
		}
		if l.Status != interviews.Completed {
			if err := interviews.Emit(ctx, tx, event.InterviewCompleted, c.InterviewID); err != nil {
				return err
			}
		}
		return interviews.Emit(ctx, tx, event.InterviewReportReady, c.InterviewID)
	})
}

// FinishPreparation stores the questions that were made from the trader's data, the best first. At
// the start, those are added for which the interview has room.
func FinishPreparation(ctx context.Context, db *store.DB, c Claim, questions []interviews.AutoQuestion) error {
	return finishStep(ctx, db, c, steps.Done, func(ctx context.Context, tx *store.Tx, _ interviews.Locked) error {
		text, err := json.Marshal(questions)
		if err != nil {
			return err
		}
		_, err = tx.NewRaw(`UPDATE interviews SET prepared = ?::jsonb, updated_at = now() WHERE id = ? AND status IN ('invited', 'expired')`, string(text), c.InterviewID).Exec(ctx)
		return err
	})
}
