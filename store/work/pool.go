// Package work runs work that is stored as rows of the database.
//
// All work follows the same pattern. A row becomes due. A process claims it under a lease, so that
// no other process gets it, extends the lease as long as it works, and writes the result in one
// transaction with a check that it still holds the lease. If a process dies, its lease expires and
// another process claims the row. No process needs to search for lost work.
//
// The rows and their statements belong to the packages that own the tables: steps of interviews to
// store/interviews, webhook endpoints to store/webhooks. A Pool claims them when it has a slot for
// them, and runs them. Integrations, which are claimed a hundred at a time for a whole slice of
// their work, have their own loop in syncd/schedule.
package work

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"runtime/debug"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/store"
)

// Times of a pool. A stopping process releases its work within 23 seconds, which is less than
// systemd and Kubernetes wait before they kill.
const (
	stopLimit   = 18 * time.Second // for tasks to complete
	cancelLimit = 5 * time.Second  // for tasks to return after their context has ended
	claimLimit  = 10 * time.Second
	claimPause  = 20 * time.Millisecond // between claims while there is work
	errorPause  = time.Second           // after a claim that failed
	restFactor  = 4                     // pauses are this many times longer than a claim takes, in case the server is slow
	maxRest     = 5 * time.Second       // but not longer: what is due must begin soon after the server has recovered
	surveyEvery = 15 * time.Second
)

// errStuck is returned by Run if tasks do not end although their context has.
var errStuck = errors.New("some work did not end in time; other processes take it over when its leases expire")

// Task does the work of a claimed row, and finishes or releases the row. Its context ends after the
// timeout of its kind, or when the process has to stop. A task that only waits may call freeSlot, so
// that another row is claimed meanwhile. Its kind must then limit how many tasks run without a slot.
type Task func(ctx context.Context, freeSlot func())

// Kind is a kind of work: rows of one table that become due.
type Kind struct {
	Name  string        // the label of its metrics
	Slots int           // rows that are processed at a time, if none frees its slot early; 0 leaves them to other processes
	Pause time.Duration // between two claims while nothing is due
	// Timeout is when a task's context ends at the latest.
	Timeout time.Duration
	// Claim claims up to limit due rows.
	Claim func(ctx context.Context, limit int) ([]Task, error)
	// Survey returns how many rows wait for a process, and how long the oldest has been due. Every
	// process reports the same values.
	Survey func(ctx context.Context) (due int64, oldest time.Duration, err error)
	// Stopping is called when nothing more will be claimed, and running tasks have 18 seconds to
	// complete. It may be nil.
	Stopping func()
}

// Config is the configuration of a Pool. All fields are required.
type Config struct {
	Registerer prometheus.Registerer
	Log        *slog.Logger
	Kinds      []Kind
}

// Pool claims due rows and runs their tasks.
type Pool struct {
	Config
	metrics *metrics
}

// New returns a pool. It registers its metrics.
func New(c Config) *Pool { return &Pool{c, newMetrics(c.Registerer)} }

// Run works until ctx ends. It then lets running tasks complete, and returns within 23 seconds.
func (p *Pool) Run(ctx context.Context) error {
	working, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	var loops, tasks sync.WaitGroup
	for _, k := range p.Kinds {
		if k.Slots > 0 {
			loops.Go(func() { p.runKind(ctx, working, k, &tasks) })
		}
	}
	loops.Go(func() { p.watchBacklog(ctx) })
	<-ctx.Done()
	for _, k := range p.Kinds {
		if k.Stopping != nil {
			k.Stopping()
		}
	}
	ended := make(chan struct{})
	go func() {
		loops.Wait() // before tasks, because loops start them
		tasks.Wait()
		close(ended)
	}()
	if endsWithin(ended, stopLimit) {
		return nil
	}
	cancel()
	if endsWithin(ended, cancelLimit) {
		return nil
	}
	return errStuck
}

// endsWithin reports whether the channel is closed in time.
func endsWithin(ended <-chan struct{}, limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-ended:
		return true
	case <-timer.C:
		return false
	}
}

// runKind claims rows of a kind whenever there are slots for them, until ctx ends. Their tasks run
// with the context working.
func (p *Pool) runKind(ctx, working context.Context, k Kind, tasks *sync.WaitGroup) {
	slots := make(chan struct{}, k.Slots) // contains one element for each free slot
	for range k.Slots {
		slots <- struct{}{}
	}
	failing := complaint{log: p.Log, kind: k.Name}
	for {
		free := acquireSlots(ctx, slots)
		if free == 0 {
			return
		}
		asked := time.Now()
		claimed, err := p.claim(ctx, k, free)
		took := time.Since(asked)
		for range free - len(claimed) {
			slots <- struct{}{}
		}
		for _, task := range claimed {
			tasks.Go(func() {
				freeSlot := sync.OnceFunc(func() { slots <- struct{}{} })
				defer freeSlot()
				p.runTask(working, k, task, freeSlot)
			})
		}
		failing.note(ctx, err)
		pause := k.Pause/2 + rand.N(k.Pause) //nolint:gosec // spreads processes, which needs no secrecy
		switch {
		case err != nil:
			pause = errorPause
		case len(claimed) > 0:
			pause = claimPause
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(max(pause, min(restFactor*took, maxRest))):
		}
	}
}

// acquireSlots waits for a free slot, and takes all free ones. It returns 0 if ctx has ended.
func acquireSlots(ctx context.Context, slots <-chan struct{}) (n int) {
	select {
	case <-ctx.Done():
		return 0
	case <-slots:
	}
	if ctx.Err() != nil { // both were ready
		return 0
	}
	for n = 1; ; n++ {
		select {
		case <-slots:
		default:
			return n
		}
	}
}

// claim claims rows. It is not canceled when the process stops, because it would be unknown whether
// rows were claimed, and their leases would have to expire.
func (p *Pool) claim(ctx context.Context, k Kind, limit int) ([]Task, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), claimLimit)
	defer cancel()
	return k.Claim(ctx, limit)
}

// runTask runs a task. If it panics, its row is claimed again when the lease has expired.
func (p *Pool) runTask(ctx context.Context, k Kind, task Task, freeSlot func()) {
	ctx, cancel := context.WithTimeout(ctx, k.Timeout)
	defer cancel()
	began := time.Now()
	defer func() {
		p.metrics.duration.WithLabelValues(k.Name).Observe(time.Since(began).Seconds())
		if cause := recover(); cause != nil {
			p.Log.ErrorContext(ctx, "work failed inside assay, will be retried when its lease expires", "queue", k.Name,
				"panic", fmt.Sprint(cause), "stack", string(debug.Stack()))
		}
	}()
	task(ctx, freeSlot)
}

// watchBacklog refreshes the gauges until ctx ends.
func (p *Pool) watchBacklog(ctx context.Context) {
	tick := time.NewTicker(surveyEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for _, k := range p.Kinds {
			due, oldest, err := k.Survey(ctx)
			if err != nil {
				if ctx.Err() == nil {
					p.Log.WarnContext(ctx, "backlog not counted, will be retried", "queue", k.Name, "error", err)
				}
				continue
			}
			p.metrics.jobs.WithLabelValues(k.Name).Set(float64(due))
			p.metrics.oldest.WithLabelValues(k.Name).Set(oldest.Seconds())
		}
	}
}

// complainEvery is how often repeated failures of claims are logged, because every claim fails
// while the database is unavailable.
const complainEvery = time.Minute

// complaint logs failed claims.
type complaint struct {
	log  *slog.Logger
	kind string
	last time.Time
}

// note logs an error, unless one was logged recently.
func (c *complaint) note(ctx context.Context, err error) {
	switch {
	case err == nil:
		c.last = time.Time{}
	case time.Since(c.last) >= complainEvery:
		c.last = time.Now()
		level := slog.LevelError
		if store.Transient(err) {
			level = slog.LevelWarn
		}
		c.log.Log(ctx, level, "due work not claimed, will be retried", "queue", c.kind, "error", err)
	}
}
