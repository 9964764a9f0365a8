package interviews

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/event"
)

// StepTries is how often a step is tried before it is given up.
const StepTries = 5

// stepDelay is how long a step waits before it is tried again.
func stepDelay(attempts int) time.Duration {
	delays := []time.Duration{time.Minute, 5 * time.Minute, 20 * time.Minute, time.Hour}
	return delays[min(max(attempts, 1), len(delays))-1]
}

// StepClaim is a worker's claim to a step.
type StepClaim struct {
	InterviewID    uuid.UUID `bun:"interview_id"`
	Step           StepName  `bun:"step"`
	Token          int64     `bun:"token"`
	OrganizationID uuid.UUID `bun:"organization_id"`
	Run            int64     `bun:"run"`
	Attempts       int       `bun:"attempts"`       // this one included
	Status         Status    `bun:"status"`         // the interview's
	MediaVersion   int       `bun:"media_version"`  // of the newest media, 0 if there is none; new media has the next one
	ReportVersion  int       `bun:"report_version"` // of the newest report, in the same way
	Revived        bool      `bun:"revived"`        // the previous worker let its lease expire
}

// NextMediaVersion returns the version of the media that the claim's worker makes. It differs for
// each claim, so that the media of two workers is never mixed.
func (c StepClaim) NextMediaVersion() int { return int(c.Run) }

// stepDue is an SQL condition for a step that may be claimed: its time has come, and no worker has
// it under a valid lease. The time of a step with nothing to do is null.
const stepDue = `job_at <= now() AND (leased_until IS NULL OR leased_until <= now())`

// ClaimSteps claims up to limit of the named due steps for as long as the lease, those that have
// waited longest first. Concurrent callers never get the same one.
func ClaimSteps(ctx context.Context, db *store.DB, names []StepName, limit int, lease time.Duration) (claims []StepClaim, err error) {
	defer store.WrapError(&err, "claim steps of interviews")
	return claimSteps(ctx, db, lease, `step IN (?) AND `+stepDue+` ORDER BY job_at LIMIT ?`, bun.List(names), limit)
}

// ClaimStep claims one step in the way of ClaimSteps. It returns ErrFenced if the step is not due:
// another worker has it, it waits for others, or the interview was deleted.
func ClaimStep(ctx context.Context, db *store.DB, interviewID uuid.UUID, name StepName, lease time.Duration) (c StepClaim, err error) {
	defer store.WrapError(&err, "claim step %s of interview %s", name, interviewID)
	claims, err := claimSteps(ctx, db, lease, `interview_id = ? AND step = ? AND `+stepDue, interviewID, name)
	if err != nil || len(claims) == 0 {
		return c, cmp.Or(err, store.ErrFenced)
	}
	return claims[0], nil
}

// claimSteps claims the steps that the condition selects.
func claimSteps(ctx context.Context, db *store.DB, lease time.Duration, due string, args ...any) (claims []StepClaim, err error) {
	err = db.Bun.NewRaw(`WITH due AS (
    SELECT interview_id, step, leased_until IS NOT NULL AS revived FROM interview_steps WHERE `+due+` FOR NO KEY UPDATE SKIP LOCKED
)
UPDATE interview_steps AS s SET status = 'running', run = run + 1, attempts = attempts + 1, leased_until = now() + ?::interval, started_at = now()
FROM due JOIN interviews AS i ON i.id = due.interview_id LEFT JOIN interview_media AS m ON m.interview_id = i.id
WHERE s.interview_id = due.interview_id AND s.step = due.step
RETURNING s.interview_id, s.step, s.token, i.organization_id, s.run, s.attempts, i.status, coalesce(m.version, 0) AS media_version, i.report_version, due.revived`,
		append(args, store.IntervalText(lease))...).Scan(ctx, &claims)
	for _, c := range claims {
		db.NoteChange(c.OrganizationID, store.TopicInterviews, c.InterviewID)
	}
	return claims, err
}

// CountDueSteps returns how many of the named steps wait for a worker, and how long the oldest of
// them has been due, which is 0 if there is none.
func CountDueSteps(ctx context.Context, db *store.DB, names []StepName) (count int64, oldest time.Duration, err error) {
	defer store.WrapError(&err, "count due steps of interviews")
	var seconds float64
	err = db.Bun.NewRaw(`SELECT count(*), coalesce(extract(epoch FROM now() - min(greatest(job_at, leased_until))), 0)::float8 FROM interview_steps WHERE step IN (?) AND `+stepDue,
		bun.List(names)).Scan(ctx, &count, &seconds)
	return count, time.Duration(seconds * float64(time.Second)), err
}

// HeartbeatStep extends the claim's lease. It returns ErrFenced if the claim has lost the step, for
// example because the interview was deleted.
func HeartbeatStep(ctx context.Context, db *store.DB, c StepClaim, lease time.Duration) (err error) {
	defer store.WrapError(&err, "hold step %s of interview %s", c.Step, c.InterviewID)
	result, err := db.Bun.NewRaw(`UPDATE interview_steps SET leased_until = now() + ?::interval
WHERE interview_id = ? AND step = ? AND token = ? AND run = ? AND status = 'running'`, store.IntervalText(lease), c.InterviewID, c.Step, c.Token, c.Run).Exec(ctx)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return cmp.Or(err, store.ErrFenced)
	}
	return nil
}

// finishStep ends the claim's step with the result of write, and advances the pipeline. It returns
// ErrFenced if the claim has lost the step.
func finishStep(ctx context.Context, db *store.DB, c StepClaim, status StepStatus, write func(ctx context.Context, tx *store.Tx, l lockedInterview) error) (err error) {
	defer store.WrapError(&err, "finish step %s of interview %s", c.Step, c.InterviewID)
	_, err = store.MakeChange(ctx, db, store.SystemChange(c.OrganizationID), func(ctx context.Context, tx *store.Tx) (none struct{}, err error) {
		l, err := lockInterview(ctx, tx, c.OrganizationID, c.InterviewID)
		if store.IsNoRows(err) {
			return none, store.ErrFenced
		}
		if err != nil {
			return none, err
		}
		tx.TouchInterview(c.InterviewID)
		again, err := endStep(ctx, tx, c, status)
		if err != nil {
			return none, err
		}
		if write != nil {
			if err := write(ctx, tx, l); err != nil {
				return none, err
			}
		}
		p := &pipeline{tx: tx, id: c.InterviewID}
		if again { // an earlier step may be running
			err = p.resetSteps(ctx, c.Step)
		}
		if err == nil && l.isSubmitted() {
			err = p.beginReady(ctx)
		}
		return none, err
	})
	return err
}

// endStep ends the claim's step, and reports whether it is requested once more.
func endStep(ctx context.Context, tx bun.IDB, c StepClaim, status StepStatus) (again bool, err error) {
	err = tx.NewRaw(`UPDATE interview_steps SET status = ?, finished_at = now(), job_at = NULL, leased_until = NULL,
    job_id = CASE WHEN requested THEN job_id END, last_error = CASE WHEN ? THEN NULL ELSE last_error END
WHERE interview_id = ? AND step = ? AND token = ? AND run = ? AND status = 'running' RETURNING requested`,
		status, status != StepFailed, c.InterviewID, c.Step, c.Token, c.Run).Scan(ctx, &again)
	if store.IsNoRows(err) {
		return false, store.ErrFenced
	}
	return again, err
}

// SkipStep ends the claim's step because there is nothing to do.
func SkipStep(ctx context.Context, db *store.DB, c StepClaim) error {
	return finishStep(ctx, db, c, StepSkipped, nil)
}

// maxStepError limits the stored length of an error, in bytes.
const maxStepError = 2000

// FailStep records that the claim's step failed, with a readable text. It is tried again later
// unless the error is permanent or it has been tried StepTries times. In those cases the step has
// failed, and the pipeline continues without it. An interview whose first report fails has failed.
func FailStep(ctx context.Context, db *store.DB, c StepClaim, cause error, hopeless bool) error {
	text := cause.Error()
	text = text[:min(len(text), maxStepError)]
	if !hopeless && c.Attempts < StepTries {
		return retryStep(ctx, db, c, text)
	}
	return finishStep(ctx, db, c, StepFailed, func(ctx context.Context, tx *store.Tx, l lockedInterview) error {
		_, err := tx.NewRaw(`UPDATE interview_steps SET last_error = ? WHERE interview_id = ? AND step = ?`, text, c.InterviewID, c.Step).Exec(ctx)
		if err != nil || c.Step != StepReport || l.Status != Processing {
			return err
		}
		moved, err := changeStatus(ctx, tx, c.InterviewID, Processing, `status = 'failed'`)
		if err != nil || !moved {
			return err
		}
		return emitInterview(ctx, tx, event.InterviewFailed, c.InterviewID)
	})
}

// retryStep postpones the claim's step.
func retryStep(ctx context.Context, db *store.DB, c StepClaim, text string) (err error) {
	defer store.WrapError(&err, "put off step %s of interview %s", c.Step, c.InterviewID)
	_, err = store.MakeChange(ctx, db, store.SystemChange(c.OrganizationID), func(ctx context.Context, tx *store.Tx) (none struct{}, err error) {
		result, err := tx.NewRaw(`UPDATE interview_steps SET last_error = ? WHERE interview_id = ? AND step = ? AND token = ? AND run = ? AND status = 'running'`,
			text, c.InterviewID, c.Step, c.Token, c.Run).Exec(ctx)
		if err != nil {
			return none, err
		}
		if n, err := result.RowsAffected(); err != nil || n == 0 {
			return none, cmp.Or(err, store.ErrFenced)
		}
		tx.TouchInterview(c.InterviewID)
		p := &pipeline{tx: tx, id: c.InterviewID}
		return none, p.queueStep(ctx, c.Step, stepDelay(c.Attempts), false)
	})
	return err
}

// MadeMedia is the result of the media step, below MediaPrefix of its version.
type MadeMedia struct {
	Version       int
	Kind          AnswerMode // video or audio
	DurationMS    int
	Width, Height *int
	Bytes         int64
	Playlist      string  // file below the prefix
	Poster        *string // file below the prefix; nil if there is none
	Details       json.RawMessage
	Places        []TakePlace // of all takes in it
	Events        []NewEvent  // findings in picture and sound
}

// TakePlace is a take's place on the interview's timeline.
type TakePlace struct {
	TakeID         uuid.UUID
	StartMS, EndMS int
}

// FinishMedia writes the playable media, replacing an earlier version.
func FinishMedia(ctx context.Context, db *store.DB, c StepClaim, m MadeMedia) error {
	return finishStep(ctx, db, c, StepDone, func(ctx context.Context, tx *store.Tx, l lockedInterview) error {
		var earlier []int
		err := tx.NewRaw(`SELECT version FROM interview_media WHERE interview_id = ? AND version <> ?`, c.InterviewID, m.Version).Scan(ctx, &earlier)
		if err != nil {
			return err
		}
		_, err = tx.NewRaw(`INSERT INTO interview_media AS m (interview_id, version, kind, duration_ms, width, height, bytes, playlist, poster, details)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb) ON CONFLICT (interview_id) DO UPDATE SET version = excluded.version, kind = excluded.kind,
    duration_ms = excluded.duration_ms, width = excluded.width, height = excluded.height, bytes = excluded.bytes, playlist = excluded.playlist,
    poster = excluded.poster, details = excluded.details, created_at = now()`,
			c.InterviewID, m.Version, m.Kind, m.DurationMS, m.Width, m.Height, m.Bytes, m.Playlist, m.Poster, jsonOrNil(m.Details)).Exec(ctx)
		if err != nil {
			return err
		}
		for _, at := range m.Places {
			_, err := tx.NewRaw(`UPDATE interview_takes SET start_ms = ?, end_ms = ? WHERE id = ? AND interview_id = ?`, at.StartMS, at.EndMS, at.TakeID, c.InterviewID).Exec(ctx)
			if err != nil {
				return err
			}
		}
		for _, version := range earlier {
			if err := addRemoval(ctx, tx, l.OrganizationID, l.ID, MediaPrefix(l.ID, version), false, 0); err != nil {
				return err
			}
		}
		return addServerEvents(ctx, tx, c.InterviewID, m.Events)
	})
}

// MadeTranscript is a transcript in the form of the API.
type MadeTranscript struct {
	Engine, Quality string
	Transcript      json.RawMessage // an object
}

// FinishTranscript writes the transcript, replacing an earlier one.
func FinishTranscript(ctx context.Context, db *store.DB, c StepClaim, m MadeTranscript) error {
	return finishStep(ctx, db, c, StepDone, func(ctx context.Context, tx *store.Tx, _ lockedInterview) error {
		_, err := tx.NewRaw(`INSERT INTO interview_transcripts AS t (interview_id, version, engine, quality, transcript) VALUES (?, 1, ?, ?, ?::json)
ON CONFLICT (interview_id) DO UPDATE SET version = t.version + 1, engine = excluded.engine, quality = excluded.quality, transcript = excluded.transcript, generated_at = now()`,
			c.InterviewID, m.Engine, m.Quality, string(m.Transcript)).Exec(ctx)
		return err
	})
}

// FinishSubtitles writes the captions, a WebVTT file.
func FinishSubtitles(ctx context.Context, db *store.DB, c StepClaim, vtt string) error {
	return finishStep(ctx, db, c, StepDone, func(ctx context.Context, tx *store.Tx, _ lockedInterview) error {
		_, err := tx.NewRaw(`INSERT INTO interview_subtitles (interview_id, vtt) VALUES (?, ?)
ON CONFLICT (interview_id) DO UPDATE SET vtt = excluded.vtt, generated_at = now()`, c.InterviewID, vtt).Exec(ctx)
		if err != nil {
			return err
		}
		return emitInterview(ctx, tx, event.InterviewSubtitlesReady, c.InterviewID)
	})
}

// FinishActivity writes the analysis of the trader's activity, an object.
func FinishActivity(ctx context.Context, db *store.DB, c StepClaim, activity json.RawMessage) error {
	return finishStep(ctx, db, c, StepDone, func(ctx context.Context, tx *store.Tx, _ lockedInterview) error {
		_, err := tx.NewRaw(`INSERT INTO interview_activities (interview_id, activity) VALUES (?, ?::json)
ON CONFLICT (interview_id) DO UPDATE SET activity = excluded.activity, generated_at = now()`, c.InterviewID, string(activity)).Exec(ctx)
		return err
	})
}

// MadeReport is a report in the form of the API, with the values that lists and filters need.
type MadeReport struct {
	Report         json.RawMessage // an object
	AttentionLevel string          // one of AttentionLevels
	ReviewPriority int             // 0 to 100
	HighFindings   int
	FindingKinds   []string
	Integrity      IntegritySummary
}

// FinishReport writes the report as version StepClaim.ReportVersion plus one. The interview is
// completed then, if it was not before.
func FinishReport(ctx context.Context, db *store.DB, c StepClaim, m MadeReport) error {
	return finishStep(ctx, db, c, StepDone, func(ctx context.Context, tx *store.Tx, l lockedInterview) error {
		if l.ReportVersion != c.ReportVersion {
			return store.ErrFenced
		}
		_, err := tx.NewRaw(`INSERT INTO interview_reports (interview_id, version, report) VALUES (?, ?, ?::json)`,
			c.InterviewID, c.ReportVersion+1, string(m.Report)).Exec(ctx)
		if err != nil {
			return err
		}
		kinds := slices.Compact(slices.Sorted(slices.Values(m.FindingKinds)))
		_, err = tx.NewRaw(`UPDATE interviews SET report_version = report_version + 1, attention_level = ?, review_priority = ?, high_findings = ?, finding_kinds = ?, integrity_summary = ?::jsonb,
    status = CASE WHEN status IN ('processing', 'failed') THEN 'completed' ELSE status END, completed_at = coalesce(completed_at, now()), updated_at = now()
WHERE id = ?`, m.AttentionLevel, m.ReviewPriority, m.HighFindings, store.TextArray(kinds), mustJSON(m.Integrity), c.InterviewID).Exec(ctx)
		if err != nil {
			return err
		}
		if l.Status != Completed {
			if err := emitInterview(ctx, tx, event.InterviewCompleted, c.InterviewID); err != nil {
				return err
			}
		}
		return emitInterview(ctx, tx, event.InterviewReportReady, c.InterviewID)
	})
}

// FinishPreparation stores the questions that were made from the trader's data, the best first. At
// the start, those are added for which the interview has room.
func FinishPreparation(ctx context.Context, db *store.DB, c StepClaim, questions []AutoQuestion) error {
	return finishStep(ctx, db, c, StepDone, func(ctx context.Context, tx *store.Tx, _ lockedInterview) error {
		text, err := json.Marshal(questions)
		if err != nil {
			return err
		}
		_, err = tx.NewRaw(`UPDATE interviews SET prepared = ?::jsonb, updated_at = now() WHERE id = ? AND status IN ('invited', 'expired')`, string(text), c.InterviewID).Exec(ctx)
		return err
	})
}

// maxStepDeaths is how often a worker may die on a step.
const maxStepDeaths = 2 * StepTries

// errStepDied is the reason for giving up a step on which every worker died.
var errStepDied = errors.New("each process that worked on it stopped in the middle")

// GiveUpDeadly fails the claim's step if every worker so far has died on it, and reports whether it
// did.
func GiveUpDeadly(ctx context.Context, db *store.DB, c StepClaim) (gaveUp bool, err error) {
	if !c.Revived || c.Attempts <= maxStepDeaths {
		return false, nil
	}
	return true, FailStep(ctx, db, c, errStepDied, true)
}

// jsonOrNil returns the column's value of a JSON text. Nil is null.
func jsonOrNil(text json.RawMessage) *string {
	if text == nil {
		return nil
	}
	s := string(text)
	return &s
}
