package schedule

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/work"
)

// SliceRunner works on a claimed integration for one slice (engine.Engine). It releases
// the lease, unless it returns an error.
type SliceRunner interface {
	RunSlice(ctx context.Context, claim syncing.Claim) error
}

// Config is what a Scheduler needs.
type Config struct {
	Store      *store.DB
	Runner     SliceRunner
	Registerer prometheus.Registerer
	Log        *slog.Logger
	// Owner names the process in leases; it must be unique. Required.
	Owner string
	// Slots is how many slices run at a time. 0 leaves integrations to other processes;
	// housekeeping and the survey run all the same.
	Slots int
	// Lease is how long a silent process keeps its integrations; default 15 s.
	Lease time.Duration
	// Tick is how often the scheduler polls for due integrations; default 200 ms.
	Tick time.Duration
	// HistoryDays is how long ended runs and transitions are kept; default 30.
	HistoryDays int
	// Audit is the time after midnight UTC at which nightly audits begin.
	Audit time.Duration
	// Now is the process's clock, from which polls for due integrations look back;
	// default time.Now.
	Now func() time.Time
}

// Scheduler says which integrations and housekeeping are due.
type Scheduler struct {
	Config
	metrics  *metrics
	due      chan struct{} // "poll for due integrations now"
	lookback lookback      // how far polls look back
	hindered atomic.Int64  // claimed integrations whose platforms fail
}

// releaseLimit is how long releasing a lease may take when the process stops. It
// outlasts a short busy spell of the database, because leases that are not released
// keep their integrations waiting.
const releaseLimit = 5 * time.Second

// New returns a scheduler.
func New(c Config) *Scheduler {
	if c.Lease == 0 {
		c.Lease = 15 * time.Second
	}
	if c.Tick == 0 {
		c.Tick = 200 * time.Millisecond
	}
	if c.HistoryDays == 0 {
		c.HistoryDays = 30
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	return &Scheduler{Config: c, metrics: newMetrics(c.Registerer), due: make(chan struct{}, 1)}
}

// Kinds returns sync cycles and housekeeping as kinds of work for the process. Short jobs
// have a slot each, because some end what others wait for. Long ones are done one after
// the other.
func (s *Scheduler) Kinds() []work.Kind {
	jobs, short := work.Jobs{Store: s.Store, Log: s.Log, Owner: s.Owner}, s.shortJobs()
	return []work.Kind{
		{Name: "cycles", Slots: s.Slots, Every: s.Tick, Wake: s.due, Claim: s.claimDue},
		jobs.Kind("housekeeping", len(short), jobPause, short),
		jobs.Kind("pruning", 1, jobPause, s.longJobs()),
	}
}

// PollNow makes the process poll for due integrations now instead of at the next
// tick. It never blocks.
func (s *Scheduler) PollNow() {
	select {
	case s.due <- struct{}{}:
	default:
	}
}

// claimDue claims due integrations. Those whose platforms fail get at most half of the
// slots, so that platforms that hang do not delay the others.
func (s *Scheduler) claimDue(ctx context.Context, limit int) (tasks []work.Task, err error) {
	for len(tasks) < limit {
		most, all := limit-len(tasks), false
		if room := (s.Slots+1)/2 - int(s.hindered.Load()); room > 0 {
			most, all = min(most, room), true
		}
		claims, err := s.poll(ctx, most, all)
		for _, claim := range claims {
			tasks = append(tasks, s.newTask(claim))
		}
		if err != nil || len(claims) < most {
			return tasks, err
		}
	}
	return tasks, nil
}

// poll claims at most limit due integrations, and without all only those whose platforms work.
func (s *Scheduler) poll(ctx context.Context, limit int, all bool) ([]syncing.Claim, error) {
	began := s.Now()
	within := s.lookback.chooseWithin(began, all)
	claims, err := syncing.ClaimDue(ctx, s.Store, s.Owner, s.Lease, syncing.Selection{Limit: limit, Within: within, Sound: !all})
	ended := s.Now()
	if err != nil {
		s.metrics.claimFailures.Inc()
		s.lookback.noteFailure(began, ended, within)
		return nil, err
	}
	s.lookback.notePoll(began, ended, within, all, claims, limit)
	s.metrics.claim.Observe(ended.Sub(began).Seconds())
	return claims, nil
}

// newTask returns a slice of a claimed integration as a task.
func (s *Scheduler) newTask(claim syncing.Claim) work.Task {
	if claim.Hindered {
		s.hindered.Add(1)
	} else if claim.Cycle.StartedAt.Equal(claim.Now) { // and not a cycle that continues
		s.metrics.lag.Observe(max(claim.Now.Sub(claim.DueAt), 0).Seconds())
	}
	return func(ctx context.Context, _ func()) {
		s.metrics.running.Inc()
		defer s.metrics.running.Dec()
		if claim.Hindered {
			defer s.hindered.Add(-1)
		}
		s.runSlice(ctx, claim)
	}
}

// runSlice runs a slice and extends its lease meanwhile. When the process stops, the lease is
// released at once, even if the slice does not end: what it still writes is fenced.
func (s *Scheduler) runSlice(ctx context.Context, claim syncing.Claim) {
	log, released := s.Log.With("integration_id", claim.IntegrationID), make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(released)
		s.releaseLease(ctx, log, claim.Lease)
	})
	held, release := work.Hold(ctx, s.Lease, func(ctx context.Context) error { return syncing.ExtendLease(ctx, s.Store, claim.Lease, s.Lease) })
	defer release()
	err := s.runSafely(held, claim)
	switch {
	case ctx.Err() != nil, !stop(): // in this order: stop could prevent what begins after the slice has noticed that ctx ended
		<-released
	case err == nil:
	case errors.Is(err, store.ErrFenced), errors.Is(context.Cause(held), store.ErrFenced):
		log.InfoContext(ctx, "lease lost: another process has it, or the settings changed")
	default: // the lease runs out, because what failed here would fail again at once
		log.ErrorContext(ctx, "cycle failed", "error", err)
	}
}

// runSafely runs a slice. A panic is an error of it.
func (s *Scheduler) runSafely(ctx context.Context, claim syncing.Claim) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v\n%s", cause, debug.Stack())
		}
	}()
	return s.Runner.RunSlice(ctx, claim)
}

// releaseLease releases a lease while the process stops.
func (s *Scheduler) releaseLease(ctx context.Context, log *slog.Logger, lease syncing.Lease) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseLimit)
	defer cancel()
	if err := syncing.ReleaseLease(ctx, s.Store, lease); err != nil {
		log.WarnContext(ctx, "lease not released, it will expire", "error", err)
	}
}
