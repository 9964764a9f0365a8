// Package step works the steps of interviews' pipelines for those who know what
// is to be done in them.
//
// A step is claimed for a minute at a time and held by heartbeats, so that the
// step of a process that died is begun anew soon, and what is written is written
// once: all writing is guarded by the claim. A process that stops gives back what
// it has in hand.
package step

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/syncd/queue"
)

// How steps are worked on.
const (
	defaultLease = time.Minute
	beats        = 4 // in a lease
	requeueEvery = 5 * time.Second
	writeLimit   = 10 * time.Second // for writing what came of a step that was broken off
)

// RetryPause is how long the queue waits with a job whose step could not be
// claimed. Steps have schedules of their own.
const RetryPause = time.Second

// errStopping is why steps end when the process does.
var errStopping = errors.New("the process stops")

// Config is what a Runner needs. Store, Registerer and Log are required.
type Config struct {
	Store      *store.DB
	Registerer prometheus.Registerer
	Log        *slog.Logger
	Lease      time.Duration // default a minute
	Now        func() time.Time
}

// Runner works steps, and looks after those that processes have lost. It is a
// part of the process's queue that takes no jobs of its own.
type Runner struct {
	Config
	steps    *prometheus.CounterVec
	requeued prometheus.Counter
	stopping context.Context //nolint:containedctx // ends with the process's work, not with a call
	stop     context.CancelCauseFunc
}

var _ queue.Part = (*Runner)(nil)

// New returns a runner. It registers its metrics.
func New(c Config) *Runner {
	if c.Lease == 0 {
		c.Lease = defaultLease
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	r := &Runner{
		Config: c,
		steps: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "interview_steps_total", Help: "Tries at steps of interviews, by step and what came of it.",
		}, []string{"step", "outcome"}),
		requeued: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "interview_steps_requeued_total", Help: "Steps of interviews that were lost, because their process died, and queued again.",
		}),
	}
	c.Registerer.MustRegister(r.steps, r.requeued)
	r.stopping, r.stop = context.WithCancelCause(context.Background())
	return r
}

// Register implements queue.Part.
func (r *Runner) Register(*river.Workers) {}

// Queues implements queue.Part.
func (r *Runner) Queues() map[string]river.QueueConfig { return nil }

// Tend implements queue.Part: steps that others have lost are queued again.
func (r *Runner) Tend(ctx context.Context) {
	tick := time.NewTicker(min(requeueEvery, r.Lease))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		switch n, err := interviews.RequeueSteps(ctx, r.Store); {
		case err != nil && ctx.Err() == nil:
			r.Log.WarnContext(ctx, "lost steps of interviews not looked for, will be tried again", "error", err)
		case n > 0:
			r.requeued.Add(float64(n))
			r.Log.InfoContext(ctx, "steps of interviews queued again that a process has lost", "steps", n)
		}
	}
}

// Stopping implements queue.Part: what is under way is given back.
func (r *Runner) Stopping() { r.stop(errStopping) }

// Stopped implements queue.Part.
func (r *Runner) Stopped() {}

// hopeless is an error that no other try will mend.
type hopeless struct{ error }

// Unwrap returns the error.
func (h *hopeless) Unwrap() error { return h.error }

// Hopeless marks an error as one that no other try will mend.
func Hopeless(err error) error { return &hopeless{err} }

// Hopelessf makes an error that no other try will mend.
func Hopelessf(format string, args ...any) error { return Hopeless(fmt.Errorf(format, args...)) }

// IsHopeless reports whether a step with the error is given up at once.
func IsHopeless(err error) bool {
	_, marked := errors.AsType[*hopeless](err)
	return marked
}

// Do does a step and writes what came of it by one of the store's Finish methods
// or SkipStep: "done", or "skipped" when there was nothing to do. Its context
// ends when the claim is lost or the process stops.
type Do func(ctx context.Context, claim interviews.StepClaim) (outcome string, err error)

// Work does a step, if it is still to be done, and writes what came of it. Its
// error means that the queue should call again.
func (r *Runner) Work(ctx context.Context, job interviews.StepJob, do Do) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(r.stopping, func() { cancel(errStopping) })()
	claim, err := interviews.ClaimStep(ctx, r.Store, job, r.Lease)
	if errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrFenced) {
		return nil // the interview is gone, or the step is another job's
	}
	if err != nil {
		if context.Cause(ctx) != nil {
			return context.Cause(ctx)
		}
		r.Log.WarnContext(ctx, "step of an interview not claimed, will be tried again", "interview_id", job.InterviewID, "step", job.Step, "error", err)
		return err
	}
	began := r.Now()
	held, release := r.holdClaim(ctx, claim)
	outcome, err := do(held, claim)
	if err != nil && context.Cause(held) != nil {
		err = context.Cause(held) // and not what its end has broken
	}
	release()
	r.commitOutcome(ctx, claim, began, outcome, err)
	return nil
}

// holdClaim keeps the claim until release is called. The context ends with
// store.ErrFenced when it is lost.
func (r *Runner) holdClaim(ctx context.Context, claim interviews.StepClaim) (held context.Context, release func()) {
	held, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(r.Lease / beats)
		defer tick.Stop()
		for last := time.Now(); ; {
			select {
			case <-held.Done():
				return
			case <-tick.C:
			}
			asked := time.Now()
			err := interviews.HeartbeatStep(held, r.Store, claim, r.Lease)
			switch {
			case err == nil:
				last = asked
			case errors.Is(err, store.ErrFenced), time.Since(last) > r.Lease:
				cancel(store.ErrFenced)
			}
		}
	}()
	return held, func() {
		cancel(nil)
		<-done
	}
}

// commitOutcome writes what came of a step that has not ended by itself.
func (r *Runner) commitOutcome(ctx context.Context, claim interviews.StepClaim, began time.Time, outcome string, err error) {
	log := r.Log.With("interview_id", claim.InterviewID, "organization_id", claim.OrganizationID, "step", claim.Step,
		"attempt", claim.Attempts, "duration", r.Now().Sub(began).Round(time.Millisecond))
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeLimit) // also when the process stops
	defer cancel()
	var written error
	switch {
	case err == nil:
		log.InfoContext(ctx, "step of an interview ended", "outcome", outcome)
	case errors.Is(err, store.ErrFenced), errors.Is(err, store.ErrNotFound):
		outcome = "lost"
		log.InfoContext(ctx, "step of an interview dropped: it is another process's, or the interview is gone")
	case errors.Is(err, errStopping), errors.Is(err, context.Canceled):
		outcome = "stopped"
		written = interviews.ReleaseStep(ctx, r.Store, claim)
	default:
		outcome = "failed"
		log.WarnContext(ctx, "step of an interview failed", "error", err, "final", IsHopeless(err) || claim.Attempts >= interviews.StepTries)
		written = r.retryWrite(ctx, func() error { return interviews.FailStep(ctx, r.Store, claim, err, IsHopeless(err)) })
	}
	if written != nil && !errors.Is(written, store.ErrFenced) {
		// The lease runs out, and the step is begun anew.
		log.WarnContext(ctx, "outcome of a step of an interview not written", "error", written)
	}
	r.steps.WithLabelValues(string(claim.Step), outcome).Inc()
}

// retryWrite calls fn until the database has it, or the time is over.
func (r *Runner) retryWrite(ctx context.Context, fn func() error) error {
	for pause := 50 * time.Millisecond; ; pause *= 2 {
		err := fn()
		if err == nil || !store.Transient(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}
