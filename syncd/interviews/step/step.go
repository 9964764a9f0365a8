// Package step works on the steps of interviews' pipelines for the packages that
// know what to do in them.
//
// A step is claimed for a minute at a time and held by heartbeats, so that the step
// of a process that died is soon started again. Results are written only once,
// because the claim guards all writes. A process that stops releases its steps.
package step

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/blob"
	"github.com/assayhq/assay/store/interviews/worker"
	"github.com/assayhq/assay/store/work"
)

// How steps are worked on.
const (
	defaultLease = time.Minute
	claimPause   = 500 * time.Millisecond // between two claims while no step is due
	writeLimit   = 10 * time.Second       // for writing the outcome of a step that was broken off
)

// Config is what a Runner needs. Store, Registerer and Log are required.
type Config struct {
	Store      *store.DB
	Registerer prometheus.Registerer
	Log        *slog.Logger
	Lease      time.Duration // default a minute
}

// Runner works on steps.
type Runner struct {
	Config
	steps   *prometheus.CounterVec
	revived prometheus.Counter
	outages *prometheus.GaugeVec
}

// New returns a runner. It registers its metrics.
func New(c Config) *Runner {
	if c.Lease == 0 {
		c.Lease = defaultLease
	}
	metric := promauto.With(c.Registerer)
	return &Runner{
		Config: c,
		steps: metric.NewCounterVec(prometheus.CounterOpts{
			Name: "assay_interview_steps_total", Help: "Attempts at steps of interviews, by outcome.",
		}, []string{"step", "outcome"}),
		revived: metric.NewCounter(prometheus.CounterOpts{
			Name: "assay_interview_steps_requeued_total", Help: "Steps that were taken over from a process that died.",
		}),
		outages: metric.NewGaugeVec(prometheus.GaugeOpts{
			Name: "assay_interview_steps_in_outage", Help: "Steps that wait until a disk, the blob store or the database works again.",
		}, []string{"queue"}),
	}
}

// Kind returns the selected steps as a kind of work for the process, which does that
// many at a time.
func (r *Runner) Kind(name string, slots int, timeout time.Duration, selected worker.Selection, do Do) work.Kind {
	return work.Kind{
		Name: name, Slots: slots, Pause: claimPause, Timeout: timeout,
		Claim: func(ctx context.Context, limit int) ([]work.Task, error) {
			claims, err := worker.ClaimDue(ctx, r.Store, selected, limit, r.Lease)
			tasks := make([]work.Task, len(claims))
			for i, claim := range claims {
				tasks[i] = func(ctx context.Context, _ func()) { r.Work(ctx, claim, do) }
			}
			return tasks, err
		},
		Survey: func(ctx context.Context) (int64, time.Duration, error) {
			outages, err := worker.CountOutages(ctx, r.Store, selected)
			if err != nil {
				return 0, 0, err
			}
			r.outages.WithLabelValues(name).Set(float64(outages))
			return worker.CountDue(ctx, r.Store, selected)
		},
	}
}

// permanent marks an error that a repetition cannot cure: another try would fail, too.
type permanent struct{ error }

// Unwrap returns the error.
func (p *permanent) Unwrap() error { return p.error }

// Permanent marks an error as permanent.
func Permanent(err error) error { return &permanent{err} }

// Permanentf makes a permanent error.
func Permanentf(format string, args ...any) error { return Permanent(fmt.Errorf(format, args...)) }

// IsPermanent reports whether a step that failed with the error is given up at once.
func IsPermanent(err error) bool {
	_, marked := errors.AsType[*permanent](err)
	return marked
}

// outage is an error of what a step works with, and not of the interview.
type outage struct{ error }

// Unwrap returns the error.
func (o *outage) Unwrap() error { return o.error }

// Outage marks an error as one of a disk or a server that the step needs. It returns nil for nil.
func Outage(err error) error {
	if err == nil {
		return nil
	}
	return &outage{err}
}

// isOutage reports whether a step that failed with the error is tried again until the outage is over,
// however often that is.
func isOutage(err error) bool {
	_, marked := errors.AsType[*outage](err)
	return !IsPermanent(err) && (marked || store.Transient(err) || errors.Is(err, blob.ErrFull) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT))
}

// IsFinal reports whether a step whose attempt failed with the error is given up.
func IsFinal(claim worker.Claim, err error) bool {
	if isOutage(err) {
		return claim.IsOutageTooLong()
	}
	return IsPermanent(err) || claim.Attempts >= worker.Tries
}

// Do does a step and writes its result by one of the store's Finish methods or
// worker.Skip. It returns "done", "skipped" if there was nothing to do, or "failed" if
// the result lacks what will not come by itself. Its context ends when the claim is lost
// or the process stops.
type Do func(ctx context.Context, claim worker.Claim) (outcome string, err error)

// Work does the claim's step and writes its outcome. It releases the step if ctx is canceled.
func (r *Runner) Work(ctx context.Context, claim worker.Claim, do Do) {
	if claim.Revived && r.giveUpDeadly(ctx, claim) {
		return
	}
	began := time.Now()
	held, release := work.Hold(ctx, r.Lease, func(ctx context.Context) error { return worker.Heartbeat(ctx, r.Store, claim, r.Lease) })
	outcome, err := r.doSafely(held, claim, do)
	if err != nil && context.Cause(held) != nil {
		err = context.Cause(held) // and not an error that follows from its end
	}
	release()
	r.commitOutcome(ctx, claim, began, outcome, err)
}

// errPanic is what a step that panicked failed with. People read it, so the log has the rest.
var errPanic = errors.New("internal error: see the log of syncd")

// doSafely does a step. A panic is an error of it.
func (r *Runner) doSafely(ctx context.Context, claim worker.Claim, do Do) (outcome string, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			r.Log.ErrorContext(ctx, "step of an interview failed inside assay", "interview_id", claim.InterviewID, "step", claim.Step,
				"panic", fmt.Sprint(cause), "stack", string(debug.Stack()))
			err = errPanic
		}
	}()
	return do(ctx, claim)
}

// giveUpDeadly notes that the step's process died, and reports whether the step was
// given up because every process that tried it has died.
func (r *Runner) giveUpDeadly(ctx context.Context, claim worker.Claim) bool {
	r.revived.Inc()
	log := r.Log.With("interview_id", claim.InterviewID, "organization_id", claim.OrganizationID, "step", claim.Step, "attempt", claim.Attempts)
	log.InfoContext(ctx, "step of an interview taken over from a process that died")
	gaveUp, err := worker.GiveUpDeadly(ctx, r.Store, claim)
	if err != nil {
		log.WarnContext(ctx, "failed step of an interview not ended, will be retried when its lease expires", "error", err)
	} else if gaveUp {
		log.WarnContext(ctx, "step of an interview failed: each process that worked on it stopped midway")
		r.steps.WithLabelValues(string(claim.Step), "failed").Inc()
	}
	return gaveUp
}

// commitOutcome writes the outcome of a step that has not written its own.
func (r *Runner) commitOutcome(ctx context.Context, claim worker.Claim, began time.Time, outcome string, err error) {
	log := r.Log.With("interview_id", claim.InterviewID, "organization_id", claim.OrganizationID, "step", claim.Step,
		"attempt", claim.Attempts, "duration_ms", time.Since(began).Milliseconds())
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), writeLimit) // even if the process stops
	defer cancel()
	var written error
	switch {
	case err == nil:
		log.InfoContext(ctx, "step of an interview ended", "outcome", outcome)
	case errors.Is(err, store.ErrFenced), errors.Is(err, store.ErrNotFound):
		outcome = "lost"
		log.InfoContext(ctx, "step of an interview dropped: another process has it, or the interview was deleted")
	case errors.Is(err, context.Canceled): // the process stops
		outcome = "stopped"
		written = worker.Release(ctx, r.Store, claim)
	case isOutage(err) && !IsFinal(claim, err):
		outcome = "outage"
		log.WarnContext(ctx, "step of an interview met an outage, will be retried", "error", err)
		written = retryWrite(ctx, func() error { return worker.Postpone(ctx, r.Store, claim, err) })
	default:
		outcome = "retried"
		final := IsFinal(claim, err)
		if final {
			outcome = "failed"
		}
		log.WarnContext(ctx, "step of an interview failed", "error", err, "final", final)
		written = retryWrite(ctx, func() error { return worker.Fail(ctx, r.Store, claim, err, final) })
	}
	if written != nil && !errors.Is(written, store.ErrFenced) {
		// The lease runs out, and the step is started again.
		log.WarnContext(ctx, "outcome of a step of an interview not saved", "error", written)
	}
	r.steps.WithLabelValues(string(claim.Step), outcome).Inc()
}

// retryWrite calls fn until it succeeds or the time is over.
func retryWrite(ctx context.Context, fn func() error) error {
	return store.RetryTransient(ctx, 50*time.Millisecond, writeLimit, fn, func(error, time.Duration) {})
}
