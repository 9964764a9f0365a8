// Package work runs work that is stored as rows of the database.
//
// All work follows the same pattern. A row becomes due. A process claims it under a lease, so that
// no other process gets it, extends the lease as long as it works, and writes the result in one
// transaction with a check that it still holds the lease. If a process dies, its lease expires and
// another process claims the row. No process needs to search for lost work.
//
// The rows and their statements belong to the packages that own the tables, and so does the order in
// which rows are claimed: integrations to store/syncing, webhook endpoints to store/webhooks, steps
// of interviews and removals of blobs to store/interviews. A Pool claims them when it has slots for
// them, and runs them. Hold extends the lease of a row. Housekeeping, which no table asks for, has a
// row for each Job.
package work

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
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
	surveyEvery = 15 * time.Second
	stuckAfter  = time.Minute // several times claimLimit
)

// errStuck is returned by Run if tasks do not end although their context has.
var errStuck = errors.New("some work did not end in time; other processes take it over when its leases expire")

// Task does the work of a claimed row, and finishes or releases the row. Its context ends after the
// timeout of its kind, or when the process stops. A task that only waits may call freeSlot, so
// that another row is claimed meanwhile. Its kind must then limit how many tasks run without a slot.
type Task func(ctx context.Context, freeSlot func())

// Kind is a kind of work: rows of one table that become due.
type Kind struct {
	Name  string        // the label of its metrics
	Slots int           // rows that are processed at a time, if none frees its slot early; 0 leaves them to other processes
	Pause time.Duration // between two claims while nothing is due
	// Every is the time from one claim to the next, in the place of Pause, for work that has to begin at
	// its time. Claims that take longer than that are rarer.
	Every time.Duration
	// Wake ends a pause. It may be nil.
	Wake <-chan struct{}
	// Timeout is when a task's context ends at the latest. 0 means that only the process ends it.
	Timeout time.Duration
	// Claim claims up to limit due rows. Tasks that it returns beside an error are run.
	Claim func(ctx context.Context, limit int) ([]Task, error)
	// Survey returns how many rows wait for a process, and how long the oldest has been due. Every
	// process reports the same values. It may be nil.
	Survey func(ctx context.Context) (due int64, oldest time.Duration, err error)
	// Stopping asks running tasks to complete within 18 seconds, when nothing more will be claimed.
	// If it is nil, their contexts end at once.
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
	loops   []*loop // one for each kind
}

// New returns a pool. It registers its metrics.
func New(c Config) *Pool {
	p := &Pool{Config: c, metrics: newMetrics(c.Registerer)}
	for _, k := range c.Kinds {
		p.loops = append(p.loops, &loop{Kind: k, log: c.Log.With("queue", k.Name), duration: p.metrics.duration.WithLabelValues(k.Name)})
	}
	return p
}

// Run works until ctx ends. It then lets running tasks complete, and returns within 23 seconds.
func (p *Pool) Run(ctx context.Context) error {
	working, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	var loops, tasks sync.WaitGroup
	for _, l := range p.loops {
		if l.Slots > 0 {
			loops.Go(func() { l.run(ctx, working, &tasks) })
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

// Failing returns why rows of some kind are not claimed, or nil if the last claims succeeded.
func (p *Pool) Failing() error {
	for _, l := range p.loops {
		if err := store.Deref(l.failing.Load()); err != nil {
			return err
		}
	}
	return nil
}

// Stuck returns an error if a claim has not ended for so long that it never will.
func (p *Pool) Stuck() error {
	for _, l := range p.loops {
		if began := l.claiming.Load(); began != nil && time.Since(*began) > stuckAfter {
			return fmt.Errorf("the claim of queue %s has not ended for %s", l.Name, time.Since(*began).Round(time.Second))
		}
	}
	return nil
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
			if k.Survey == nil {
				continue
			}
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
