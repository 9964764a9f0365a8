package schedule

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/syncing"
)

// SliceRunner works on a claimed integration for one slice (engine.Engine). It releases
// the lease, unless it returns an error. In that case the scheduler releases it.
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

// Scheduler claims due integrations. Run it once.
type Scheduler struct {
	Config
	metrics *metrics

	due      chan struct{} // "poll for due integrations now"
	lookback lookback      // how far polls look back
	backlog  atomic.Bool   // the last poll found as many rows as there were slots
	progress atomic.Pointer[time.Time]

	failing    atomic.Pointer[error] // of the last poll; nil when it succeeded
	complained time.Time             // when that was last logged

	mu   sync.Mutex
	held map[syncing.Lease]heldSlice
	wg   sync.WaitGroup
}

// heldSlice is a slice in progress.
type heldSlice struct {
	cancel   context.CancelCauseFunc
	hindered bool
}

// complainEvery is how often a lasting failure to claim is logged.
const complainEvery = time.Minute

// claimBatch bounds the rows of one claiming statement, which holds their locks.
const claimBatch = 1000

// claimGrace is how long a claiming statement continues after ctx has ended. A
// statement that is cut off might still be executed, and leave leases that no
// process knows about.
const claimGrace = time.Second

// stopGrace is how long slices may take to stop before the scheduler releases their
// leases without waiting for them, which is safe because they are fenced.
const stopGrace = 2 * time.Second

// handBackLimit is how long releasing leases may take. It outlasts a short busy
// spell of the database, because leases that are not released keep their
// integrations waiting.
const handBackLimit = 5 * time.Second

// errLeaseLost ends a slice whose lease has passed to another process.
var errLeaseLost = errors.New("lease lost")

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
	s := &Scheduler{Config: c, due: make(chan struct{}, 1), held: make(map[syncing.Lease]heldSlice)}
	s.metrics = newMetrics(c.Registerer, s.Running)
	return s
}

// Run claims and works until ctx ends, then releases what it holds. It keeps house
// meanwhile. It returns within about three seconds of ctx's end.
func (s *Scheduler) Run(ctx context.Context) error {
	slicing, stop := context.WithCancel(ctx)
	defer stop()
	add := func(period time.Duration, job func(context.Context)) {
		s.wg.Go(func() { s.runEvery(slicing, period, job) })
	}
	s.addHousekeeping(add)
	s.wg.Go(func() { s.refreshGauges(slicing) }) // a process that has just started is measured as well
	if s.Slots > 0 {
		add(s.Tick, func(context.Context) { s.PollNow() })
		add(s.Lease/3, s.extendLeases)
		s.dispatchDue(slicing)
	}
	<-ctx.Done()
	s.stopSlices(ctx)
	return nil
}

// runEvery runs the job every period until ctx ends, but never twice at a time. Unlike a time
// of day for the next run, a ticker does not notice that somebody sets the machine's clock.
func (s *Scheduler) runEvery(ctx context.Context, period time.Duration, job func(context.Context)) {
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			s.runJob(ctx, job)
		}
	}
}

// runJob runs the job, and logs a panic, after which the job runs again at the next tick.
func (s *Scheduler) runJob(ctx context.Context, job func(context.Context)) {
	defer func() {
		if r := recover(); r != nil {
			s.Log.ErrorContext(ctx, "job failed", "error", panicError{r, debug.Stack()})
		}
	}()
	job(ctx)
}

// PollNow makes the scheduler poll for due integrations now instead of at the next
// tick. It never blocks.
func (s *Scheduler) PollNow() {
	select {
	case s.due <- struct{}{}:
	default:
	}
}

// dispatchDue claims due integrations on each request, until ctx ends.
func (s *Scheduler) dispatchDue(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.due:
		}
		s.claimDue(ctx)
	}
}

// stopSlices waits for slices and jobs to end and releases the leases of those slices that do not.
func (s *Scheduler) stopSlices(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		s.wg.Wait()
		close(done)
	}()
	grace := time.NewTimer(stopGrace)
	defer grace.Stop()
	select {
	case <-done:
	case <-grace.C:
	}
	// Releasing must work after ctx has ended, because it is part of stopping.
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), handBackLimit)
	defer cancel()
	if err := syncing.ReleaseLeases(after, s.Store, s.heldLeases()); err != nil {
		s.Log.WarnContext(after, "leases not released, they will expire", "error", err)
	}
	<-done
}

// Running returns the number of slices in progress.
func (s *Scheduler) Running() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.held)
}

// Progressed returns when the claiming loop last completed a round, for health
// checks. It is zero before Run.
func (s *Scheduler) Progressed() time.Time {
	return store.Deref(s.progress.Load())
}

// claimDue claims due integrations as long as there are any and slots are free.
// While more are due than there are slots, each slice that ends makes room for the
// next one at once. Integrations whose platforms fail get at most half of the slots,
// so that platforms that hang do not delay the others.
func (s *Scheduler) claimDue(ctx context.Context) {
	s.progress.Store(new(s.Now()))
	for ctx.Err() == nil {
		limit, all := s.freeSlots()
		s.backlog.Store(limit <= 0 || !all)
		if limit <= 0 {
			return
		}
		began := s.Now()
		within := s.lookback.chooseWithin(began, all)
		claims, err := s.claimLeases(ctx, limit, within, all)
		ended := s.Now()
		if err != nil {
			s.lookback.noteFailure(began, ended, within)
			if ctx.Err() == nil {
				s.claimFailed(ctx, err)
			}
			return
		}
		s.claimWorks(ctx)
		s.lookback.notePoll(began, ended, within, all, claims, limit)
		s.metrics.claim.Observe(ended.Sub(began).Seconds())
		for _, claim := range claims {
			if claim.Cycle.StartedAt.Equal(claim.Now) && !claim.Hindered { // not a cycle that continues, or waits for platforms that hang
				s.metrics.lag.Observe(max(claim.Now.Sub(claim.DueAt), 0).Seconds())
			}
			s.startSlice(ctx, claim)
		}
		if len(claims) < limit {
			return
		}
	}
}

// freeSlots returns how many integrations may be claimed now, and whether hindered
// ones may be among them.
func (s *Scheduler) freeSlots() (limit int, all bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	limit = min(s.Slots-len(s.held), claimBatch)
	room := (s.Slots + 1) / 2
	for _, slice := range s.held {
		if slice.hindered {
			room--
		}
	}
	if room > 0 {
		return min(limit, room), true
	}
	return limit, false
}

// claimFailed notes that claiming does not work. It logs that at first and then
// once a minute.
func (s *Scheduler) claimFailed(ctx context.Context, err error) {
	s.metrics.claimFailures.Inc()
	s.failing.Store(&err)
	if now := s.Now(); now.Sub(s.complained) >= complainEvery {
		s.complained = now
		s.Log.WarnContext(ctx, "claiming fails, retrying", "error", err)
	}
}

// claimWorks notes that claiming works again.
func (s *Scheduler) claimWorks(ctx context.Context) {
	if s.failing.Swap(nil) != nil {
		s.complained = time.Time{}
		s.Log.InfoContext(ctx, "claiming works again")
	}
}

// Failing returns the error of the last poll for due integrations, or nil if it
// succeeded.
func (s *Scheduler) Failing() error {
	if err := s.failing.Load(); err != nil {
		return *err
	}
	return nil
}

// claimLeases takes the leases of due integrations. It outlasts ctx by a moment.
// Slices of integrations that it brings then end at once and release the leases.
func (s *Scheduler) claimLeases(ctx context.Context, limit int, within time.Duration, all bool) ([]syncing.Claim, error) {
	after, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(claimGrace, cancel) })
	defer stop()
	return syncing.ClaimDue(after, s.Store, s.Owner, s.Lease, syncing.Selection{Limit: limit, Within: within, Sound: !all})
}

// startSlice starts a slice that runs concurrently with the others.
func (s *Scheduler) startSlice(ctx context.Context, claim syncing.Claim) {
	slice, cancel := context.WithCancelCause(ctx)
	s.mu.Lock()
	s.held[claim.Lease] = heldSlice{cancel, claim.Hindered}
	s.mu.Unlock()
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		defer s.dropLease(claim.Lease, cancel)
		err := s.runSlice(slice, claim)
		if err == nil {
			return
		}
		// The lease is released even if the process is stopping.
		after, cancel := context.WithTimeout(context.WithoutCancel(slice), handBackLimit)
		defer cancel()
		s.handleFailure(after, slice, claim, err)
	}()
}

// runSlice shields the process from a panic in one integration's slice.
func (s *Scheduler) runSlice(ctx context.Context, claim syncing.Claim) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = panicError{r, debug.Stack()}
		}
	}()
	return s.Runner.RunSlice(ctx, claim)
}

// handleFailure logs why a slice failed, and releases its lease.
func (s *Scheduler) handleFailure(ctx, slice context.Context, claim syncing.Claim, err error) {
	log := s.Log.With("integration_id", claim.IntegrationID)
	switch {
	case errors.Is(err, store.ErrFenced), errors.Is(context.Cause(slice), errLeaseLost):
		log.InfoContext(ctx, "lease lost: another process has it, or the settings changed")
		return
	case slice.Err() != nil:
	default:
		// Let the lease run out, because what failed here would fail again at once.
		log.ErrorContext(ctx, "cycle failed", "error", err)
		return
	}
	if err := syncing.ReleaseLeases(ctx, s.Store, []syncing.Lease{claim.Lease}); err != nil {
		log.WarnContext(ctx, "lease not released, it will expire", "error", err)
	}
}

func (s *Scheduler) dropLease(l syncing.Lease, cancel context.CancelCauseFunc) {
	cancel(nil)
	s.mu.Lock()
	delete(s.held, l)
	s.mu.Unlock()
	if s.backlog.Load() {
		s.PollNow()
	}
}

func (s *Scheduler) heldLeases() []syncing.Lease {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([]syncing.Lease, 0, len(s.held))
	for l := range s.held {
		list = append(list, l)
	}
	return list
}

// extendLeases extends the leases of slices that wait for a slow platform, and
// ends the slices whose lease was lost.
func (s *Scheduler) extendLeases(ctx context.Context) {
	lost, err := syncing.ExtendLeases(ctx, s.Store, s.heldLeases(), s.Lease)
	if err != nil {
		if ctx.Err() == nil {
			s.Log.WarnContext(ctx, "leases not extended, will be retried", "error", err)
		}
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range lost {
		if slice, held := s.held[l]; held {
			slice.cancel(errLeaseLost)
		}
	}
}
