package interviews

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
)

// The pipeline of an interview has a row for each step. A worker processes a step as follows:
//
//  1. ClaimSteps claims due steps for the worker, for as long as the lease:
//     those that are queued, and those whose worker has let its lease expire.
//  2. HeartbeatStep extends the lease. If it returns ErrFenced, the worker stops and
//     removes the output.
//  3. FinishMedia, FinishTranscript, FinishSubtitles, FinishActivity,
//     FinishReport or FinishPreparation writes the result; SkipStep records that
//     there was nothing to do. Each advances the pipeline in the same
//     transaction. FailStep postpones the step, or gives it up after StepTries.
//
// The claim guards all of them: they take effect once, and with ErrFenced not at all. If a worker
// dies, another one claims its step as soon as the lease has expired.

// StepName names a step.
type StepName string

// The steps. StepPrepare runs before the trader starts, the others after the trader has submitted.
const (
	StepPrepare    StepName = "prepare"    // questions from the trader's data
	StepMedia      StepName = "media"      // from takes to playable media
	StepTranscript StepName = "transcript" // after media
	StepSubtitles  StepName = "subtitles"  // after the transcript
	StepActivity   StepName = "activity"   // in parallel with media
	StepReport     StepName = "report"     // after transcript and activity
)

// Steps lists the steps in their order.
func Steps() []StepName {
	return []StepName{StepPrepare, StepMedia, StepTranscript, StepSubtitles, StepActivity, StepReport}
}

// StepStatus is the state of a step.
type StepStatus string

// The statuses of a step.
const (
	StepPending StepStatus = "pending" // The step waits for another step or for the trader.
	StepQueued  StepStatus = "queued"  // The step will be done, possibly later.
	StepRunning StepStatus = "running" // The step is running.
	StepDone    StepStatus = "done"    // The step succeeded.
	StepFailed  StepStatus = "failed"  // The step failed, and assay does not retry it on its own.
	StepSkipped StepStatus = "skipped" // There was nothing to do.
)

// isOver reports whether the step does not change by itself any more.
func (s StepStatus) isOver() bool { return s == StepDone || s == StepFailed || s == StepSkipped }

// Step is a step of an interview's pipeline.
type Step struct {
	InterviewID uuid.UUID  `bun:"interview_id"`
	Step        StepName   `bun:"step"`
	Status      StepStatus `bun:"status"`
	Requested   bool       `bun:"requested"` // somebody waits for it, or requests it once more
	JobID       *uuid.UUID `bun:"job_id"`    // returned to clients that request it; nil if none has
	Attempts    int        `bun:"attempts"`  // since it was last queued
	LastError   *string    `bun:"last_error"`
	Token       int64      `bun:"token"`
	Run         int64      `bun:"run"`
	StartedAt   *time.Time `bun:"started_at"`
	FinishedAt  *time.Time `bun:"finished_at"`
}

const stepColumns = `interview_id, step, status, requested, job_id, attempts, last_error, token, run, started_at, finished_at`

// pipeline changes the steps of one interview, whose row is locked.
type pipeline struct {
	tx *store.Tx
	id uuid.UUID
}

// readSteps reads the steps.
func (p *pipeline) readSteps(ctx context.Context) (map[StepName]Step, error) {
	var list []Step
	err := p.tx.NewRaw(`SELECT `+stepColumns+` FROM interview_steps WHERE interview_id = ?`, p.id).Scan(ctx, &list)
	steps := make(map[StepName]Step, len(list))
	for _, s := range list {
		steps[s.Step] = s
	}
	return steps, err
}

// queueStep makes the step due after a delay, regardless of its state. It fences a worker that has
// it.
func (p *pipeline) queueStep(ctx context.Context, name StepName, after time.Duration, fresh bool) error {
	_, err := p.tx.NewRaw(`UPDATE interview_steps SET status = 'queued', token = token + 1, job_at = now() + ?::interval, leased_until = NULL, finished_at = NULL,
    requested = CASE WHEN ? THEN false ELSE requested END, attempts = CASE WHEN ? THEN 0 ELSE attempts END,
    last_error = CASE WHEN ? THEN NULL ELSE last_error END, job_id = coalesce(job_id, ?)
WHERE interview_id = ? AND step = ?`, store.IntervalText(after), fresh, fresh, fresh, store.NewID(), p.id, name).Exec(ctx)
	return err
}

// beginReady begins the steps that can begin once the trader has submitted.
func (p *pipeline) beginReady(ctx context.Context) error {
	steps, err := p.readSteps(ctx)
	if err != nil {
		return err
	}
	for _, name := range []StepName{StepMedia, StepActivity} {
		if steps[name].Status == StepPending {
			if err := p.queueStep(ctx, name, 0, true); err != nil {
				return err
			}
		}
	}
	media, transcript := steps[StepMedia].Status, steps[StepTranscript].Status
	if transcript == StepPending && media.isOver() {
		if err := p.queueStep(ctx, StepTranscript, 0, true); err != nil {
			return err
		}
	}
	if steps[StepSubtitles].Status == StepPending && media.isOver() && transcript.isOver() {
		if err := p.queueStep(ctx, StepSubtitles, 0, true); err != nil {
			return err
		}
	}
	if steps[StepReport].Status == StepPending && transcript.isOver() && steps[StepActivity].Status.isOver() {
		if err := p.queueStep(ctx, StepReport, 0, true); err != nil {
			return err
		}
	}
	return nil
}

// resetSteps makes steps wait for those before them, as if they had not been done, and fences their
// workers. A client that has requested one still waits for it.
func (p *pipeline) resetSteps(ctx context.Context, names ...StepName) error {
	_, err := p.tx.NewRaw(`UPDATE interview_steps SET status = 'pending', token = token + 1, job_at = NULL, leased_until = NULL, finished_at = NULL
WHERE interview_id = ? AND step IN (?)`, p.id, bun.List(names)).Exec(ctx)
	return err
}

// retryFailed restarts what has failed of recording and transcript, with everything that depends on
// them except the report, once none of it is being processed. A deleted recording cannot be made
// again.
func (p *pipeline) retryFailed(ctx context.Context, l lockedInterview) (steps map[StepName]Step, err error) {
	if steps, err = p.readSteps(ctx); err != nil || !l.isSubmitted() || !l.MediaKept {
		return steps, err
	}
	chain := []StepName{StepMedia, StepTranscript, StepSubtitles}
	if steps[StepMedia].Status != StepFailed {
		chain = chain[1:]
	}
	if steps[chain[0]].Status != StepFailed || slices.ContainsFunc(chain, func(s StepName) bool { return !steps[s].Status.isOver() }) {
		return steps, nil
	}
	if err := p.queueStep(ctx, chain[0], 0, true); err != nil {
		return steps, err
	}
	if err := p.resetSteps(ctx, chain[1:]...); err != nil {
		return steps, err
	}
	if steps[StepReport].Status == StepQueued { // it must include their results
		if err := p.resetSteps(ctx, StepReport); err != nil {
			return steps, err
		}
	}
	return p.readSteps(ctx)
}

// requestStep records that somebody requests the step, and begins it if possible. The id is that of
// the job that does it.
func (p *pipeline) requestStep(ctx context.Context, name StepName, ready bool) (job uuid.UUID, err error) {
	steps, err := p.readSteps(ctx)
	if err != nil {
		return job, err
	}
	switch step := steps[name]; {
	case step.Status == StepQueued || step.Status == StepPending && step.JobID != nil:
		return *step.JobID, nil
	case step.Status == StepRunning || !ready:
		// A step that is being processed may have read data that has changed since, so it must run
		// once more.
		err = p.tx.NewRaw(`UPDATE interview_steps SET job_id = CASE WHEN requested OR status <> 'running' THEN coalesce(job_id, ?0) ELSE ?0 END, requested = true,
    status = CASE status WHEN 'running' THEN status ELSE 'pending' END WHERE interview_id = ?1 AND step = ?2 RETURNING job_id`,
			store.NewID(), p.id, name).Scan(ctx, &job)
		return job, err
	}
	if err := p.queueStep(ctx, name, 0, true); err != nil {
		return job, err
	}
	err = p.tx.NewRaw(`SELECT job_id FROM interview_steps WHERE interview_id = ? AND step = ?`, p.id, name).Scan(ctx, &job)
	return job, err
}

// lockInterview locks an interview, and returns what decides which actions are permitted. It
// returns sql.ErrNoRows if the organization has no such interview.
func lockInterview(ctx context.Context, tx bun.IDB, orgID, id uuid.UUID) (l lockedInterview, err error) {
	err = tx.NewRaw(`SELECT id, organization_id, trader_id, status, started_at IS NOT NULL AS started, hold_at IS NOT NULL AS held, report_version,
    retention_days, window_hours, retake_of_id, complete_by, decision, assignee_id, communicated_at IS NOT NULL AS communicated, purged_at IS NOT NULL AS purged, media_purge_at IS NOT NULL AS media_kept
FROM interviews WHERE id = ? AND organization_id = ? FOR NO KEY UPDATE`, id, orgID).Scan(ctx, &l)
	return l, err
}

// lockedInterview is what decides which actions on an interview are permitted.
type lockedInterview struct {
	ID             uuid.UUID  `bun:"id"`
	OrganizationID uuid.UUID  `bun:"organization_id"`
	TraderID       uuid.UUID  `bun:"trader_id"`
	Status         Status     `bun:"status"`
	Started        bool       `bun:"started"`
	Held           bool       `bun:"held"`
	ReportVersion  int        `bun:"report_version"`
	RetentionDays  int        `bun:"retention_days"`
	WindowHours    int        `bun:"window_hours"`
	RetakeOfID     *uuid.UUID `bun:"retake_of_id"`
	CompleteBy     *time.Time `bun:"complete_by"`
	Decision       *Decision  `bun:"decision"`
	AssigneeID     *uuid.UUID `bun:"assignee_id"`
	Communicated   bool       `bun:"communicated"`
	Purged         bool       `bun:"purged"`
	MediaKept      bool       `bun:"media_kept"` // the recording exists
}

// isSubmitted reports whether there is something to report on.
func (l lockedInterview) isSubmitted() bool {
	return slices.Contains([]Status{Processing, Completed, Failed}, l.Status)
}

// stateError returns the error for an action that the interview's status does not permit.
func (l lockedInterview) stateError(err error) error {
	return &StateError{Err: err, Status: l.Status, CompleteBy: l.CompleteBy}
}
