// Package reporting works the steps prepare, activity and report of interviews:
// questions from the trader's data before the interview starts, and what a person
// reads after it. How steps are claimed, held and written once is package step's.
package reporting

import (
	"context"
	"log/slog"
	"time"

	"github.com/riverqueue/river"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/internal/interview/prose"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/syncd/interviews/step"
)

// How jobs are worked on.
const (
	jobTimeout  = 15 * time.Minute // two million trades on a busy machine, and a language model
	fetchPause  = 50 * time.Millisecond
	fetchEvery  = 500 * time.Millisecond
	defaultWait = 20 * time.Second
)

// Config is what a Pipeline needs. Steps, Store and Log are required.
type Config struct {
	Steps *step.Runner
	Store *store.DB
	Log   *slog.Logger
	// Connectors ask platforms for a trader before questions are made.
	Connectors connectors.Registry
	// Prose is the language model of organizations that let transcripts be sent
	// away; nil: there is none.
	Prose *prose.Client
	Slots int // steps at a time; 0 leaves them to other processes
	// Wait is how long questions wait for the cycle of the platform that the
	// interview has asked for; default 20 s.
	Wait time.Duration
}

// Pipeline works steps. It is a part of the process's queue.
type Pipeline struct {
	Config
	handover handover
}

// New returns a pipeline.
func New(c Config) *Pipeline {
	if c.Wait == 0 {
		c.Wait = defaultWait
	}
	return &Pipeline{Config: c}
}

// Register implements queue.Part.
func (p *Pipeline) Register(w *river.Workers) { river.AddWorker(w, &worker{p: p}) }

// Queues implements queue.Part.
func (p *Pipeline) Queues() map[string]river.QueueConfig {
	if p.Slots == 0 {
		return nil
	}
	return map[string]river.QueueConfig{interviews.QueueReport: {MaxWorkers: p.Slots, FetchCooldown: fetchPause, FetchPollInterval: fetchEvery}}
}

// Tend implements queue.Part: there is nothing beside the jobs.
func (p *Pipeline) Tend(context.Context) {}

// Stopping implements queue.Part.
func (p *Pipeline) Stopping() {}

// Stopped implements queue.Part.
func (p *Pipeline) Stopped() {}

// worker works the jobs.
type worker struct {
	river.WorkerDefaults[interviews.ReportJob]
	p *Pipeline
}

// Timeout implements river.Worker.
func (w *worker) Timeout(*river.Job[interviews.ReportJob]) time.Duration { return jobTimeout }

// NextRetry implements river.Worker: schedules are kept in the steps, and a job
// that failed has not come as far.
func (w *worker) NextRetry(*river.Job[interviews.ReportJob]) time.Time {
	return w.p.Steps.Now().Add(step.RetryPause)
}

// Work implements river.Worker.
func (w *worker) Work(ctx context.Context, job *river.Job[interviews.ReportJob]) error {
	return w.p.Steps.Work(ctx, job.Args.StepJob, w.p.doStep)
}

// doStep does a step. It implements step.Do.
func (p *Pipeline) doStep(ctx context.Context, claim interviews.StepClaim) (outcome string, err error) {
	switch claim.Step {
	case interviews.StepPrepare:
		return p.prepareQuestions(ctx, claim)
	case interviews.StepActivity:
		return p.analyzeActivity(ctx, claim)
	case interviews.StepReport:
		return p.makeReport(ctx, claim)
	case interviews.StepMedia, interviews.StepTranscript, interviews.StepSubtitles:
		return "", step.Hopelessf("step %s is none of reports", claim.Step)
	}
	return "", step.Hopelessf("this version of assay knows no step %q", claim.Step)
}
