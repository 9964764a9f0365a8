package steps

import (
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
)

// The pipeline of an interview has a row for each step. A worker processes a step as follows:
//
//  1. worker.ClaimDue claims due steps for the worker, for as long as the lease:
//     those that are queued, and those whose worker has let its lease expire.
//  2. worker.Heartbeat extends the lease. If it returns ErrFenced, the worker stops and
//     removes the output.
//  3. worker.FinishMedia, worker.FinishTranscript, worker.FinishSubtitles, worker.FinishActivity,
//     worker.FinishReport or worker.FinishPreparation writes the result; worker.Skip records that
//     there was nothing to do. Each advances the pipeline in the same
//     transaction. worker.Fail postpones the step, or gives it up after worker.Tries;
//     worker.Postpone waits for the end of an outage.
//
// The claim guards all of them: they take effect once, and with ErrFenced not at all. If a worker
// dies, another one claims its step as soon as the lease has expired.

// Name names a step.
type Name string

// The steps. Prepare runs before the trader starts, the others after the trader has submitted.
const (
	Prepare    Name = "prepare"    // questions from the trader's data
	Media      Name = "media"      // from takes to playable media
	Transcript Name = "transcript" // after media
	Subtitles  Name = "subtitles"  // after the transcript
	Activity   Name = "activity"   // in parallel with media
	Report     Name = "report"     // after transcript and activity
)

// All lists the steps in their order.
func All() []Name {
	return []Name{Prepare, Media, Transcript, Subtitles, Activity, Report}
}

// OrderSQL is the SQL that sorts rows of interview_steps in the order of All.
var OrderSQL = writeOrder(All())

func writeOrder(names []Name) string {
	var order strings.Builder
	for i, name := range names {
		fmt.Fprintf(&order, ` WHEN '%s' THEN %d`, name, i)
	}
	return `CASE step` + order.String() + ` END`
}

// Status is the state of a step.
type Status string

// The statuses of a step.
const (
	Pending Status = "pending" // The step waits for another step or for the trader.
	Queued  Status = "queued"  // The step will be done, possibly later.
	Running Status = "running" // The step is running.
	Done    Status = "done"    // The step succeeded.
	Failed  Status = "failed"  // The step failed, and assay does not retry it on its own.
	Skipped Status = "skipped" // There was nothing to do.
)

// IsOver reports whether the step does not change by itself any more.
func (s Status) IsOver() bool { return s == Done || s == Failed || s == Skipped }

// Step is a step of an interview's pipeline.
type Step struct {
	InterviewID uuid.UUID  `bun:"interview_id"`
	Step        Name       `bun:"step"`
	Status      Status     `bun:"status"`
	Requested   bool       `bun:"requested"` // somebody waits for it, or requests it once more
	JobID       *uuid.UUID `bun:"job_id"`    // returned to clients that request it; nil if none has
	Attempts    int        `bun:"attempts"`  // since it was last queued
	LastError   *string    `bun:"last_error"`
	Token       int64      `bun:"token"`
	Run         int64      `bun:"run"`
	StartedAt   *time.Time `bun:"started_at"`
	FinishedAt  *time.Time `bun:"finished_at"`
}

// Columns selects a Step.
const Columns = `interview_id, step, status, requested, job_id, attempts, last_error, token, run, started_at, finished_at`
