// Package reporting works on the steps prepare, activity and report of interviews:
// it makes questions from the trader's data before the interview starts, and the
// report that a person reads afterwards. Package step claims and holds the steps,
// and makes sure that their results are written once.
package reporting

import (
	"context"
	"log/slog"
	"time"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/internal/interview/prose"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/interviews/steps"
	"github.com/assayhq/assay/store/interviews/worker"
	"github.com/assayhq/assay/store/work"
	"github.com/assayhq/assay/syncd/interviews/step"
)

// How steps are worked on.
const (
	stepTimeout = 15 * time.Minute // two million trades on a busy machine, and a language model
	defaultWait = 20 * time.Second
	preparing   = 2 // steps prepare for each slot of reports: while one waits for a platform, others have an answer
)

// Config is what a Pipeline needs. Steps, Store and Log are required.
type Config struct {
	Steps *step.Runner
	Store *store.DB
	Log   *slog.Logger
	// Connectors ask platforms for a trader before questions are made.
	Connectors connectors.Registry
	// Prose is the language model for organizations that allow transcripts to be
	// sent away. Nil means that there is none.
	Prose *prose.Client
	Slots int // steps at a time; 0 leaves them to other processes
	// Wait is how long questions wait for the platform: for its answer about the trader
	// and for the cycle that the interview has requested; default 20 s.
	Wait time.Duration
}

// Pipeline works on steps.
type Pipeline struct {
	Config
	handover handover
	studying chan struct{} // a place for each step that holds trades: Slots of them, because trades are most of the memory
}

// New returns a pipeline.
func New(c Config) *Pipeline {
	if c.Wait == 0 {
		c.Wait = defaultWait
	}
	return &Pipeline{Config: c, studying: make(chan struct{}, max(c.Slots, 1))}
}

// Kinds returns the pipeline as kinds of work for the process. Questions have slots of their own,
// because they wait for platforms, and reports must not wait with them. All of them load trades in the
// places of studying.
func (p *Pipeline) Kinds() []work.Kind {
	return []work.Kind{
		p.Steps.Kind("prepare", p.Slots*preparing, stepTimeout, worker.Selection{Steps: []steps.Name{steps.Prepare}}, p.doStep),
		p.Steps.Kind("report", p.Slots, stepTimeout, worker.Selection{Steps: []steps.Name{steps.Activity, steps.Report}}, p.doStep),
	}
}

// reservePlace waits until the step may load trades. The caller releases the place when it no longer
// needs them.
func (p *Pipeline) reservePlace(ctx context.Context) (release func(), err error) {
	select {
	case p.studying <- struct{}{}:
		return func() { <-p.studying }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// doStep does a step. It implements step.Do.
func (p *Pipeline) doStep(ctx context.Context, claim worker.Claim) (outcome string, err error) {
	switch claim.Step {
	case steps.Prepare:
		return p.prepareQuestions(ctx, claim)
	case steps.Activity:
		return p.analyzeActivity(ctx, claim)
	case steps.Report:
		return p.makeReport(ctx, claim)
	case steps.Media, steps.Transcript, steps.Subtitles:
		return "", step.Permanentf("step %s is not a step of reports", claim.Step)
	}
	return "", step.Permanentf("this version of assay has no step %q", claim.Step)
}
