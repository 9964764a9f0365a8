// Package queue is a process's one client of the job queue, and what is common
// to all kinds of jobs.
//
// There is one client because any of a database's clients may do the queue's
// housekeeping for all, and one that does not know a kind of job throws such
// jobs away when their process dies. So every process knows every kind, and only
// takes jobs from the queues that it is to work on.
package queue

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
	"github.com/riverqueue/river/rivertype"

	"github.com/assayhq/assay/store"
)

// How jobs are worked. A stopping process gives its jobs back within 25 seconds, which
// is less than systemd and Kubernetes wait before they kill.
const (
	jobTimeout  = 20 * time.Second // of kinds that name none
	rescueAfter = 25 * time.Second
	jobsKept    = time.Minute // that have ended
	stopLimit   = 18 * time.Second
	cancelLimit = 5 * time.Second
	surveyEvery = 15 * time.Second
	startPause  = time.Second
)

// Part works on some kinds of jobs.
type Part interface {
	// Register adds the workers of its kinds. It is called once, also where the
	// process leaves the jobs to others.
	Register(w *river.Workers)
	// Queues is what it takes jobs from, and how many at a time; empty where the
	// process leaves them to others.
	Queues() map[string]river.QueueConfig
	// Tend does what is to be done beside the jobs, until ctx ends.
	Tend(ctx context.Context)
	// Stopping says that no more jobs will come, and that those under way have
	// eighteen seconds.
	Stopping()
	// Stopped says that no job is under way any more.
	Stopped()
}

// Config is what a Queue needs. All fields are required.
type Config struct {
	Store      *store.DB
	Registerer prometheus.Registerer
	Log        *slog.Logger
	Parts      []Part
}

// Queue works the jobs of its parts.
type Queue struct {
	Config
	metrics *metrics
}

// New returns a queue. It registers its metrics.
func New(c Config) *Queue { return &Queue{c, newMetrics(c.Registerer)} }

// Run works jobs until ctx ends, lets those under way end, and returns within
// twenty-three seconds then.
func (q *Queue) Run(ctx context.Context) error {
	client, err := q.startClient(ctx)
	if err != nil || client == nil {
		return err
	}
	var tending sync.WaitGroup
	for _, p := range q.Parts {
		tending.Go(func() { p.Tend(ctx) })
	}
	tending.Go(func() { q.watchQueue(ctx) })
	<-ctx.Done()
	for _, p := range q.Parts {
		p.Stopping()
	}
	err = q.stopClient(ctx, client)
	tending.Wait()
	for _, p := range q.Parts {
		p.Stopped()
	}
	return err
}

// stopClient lets jobs end, and breaks off those that do not.
func (q *Queue) stopClient(ctx context.Context, client *store.JobClient) error {
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	err := client.Stop(stop)
	if errors.Is(err, context.DeadlineExceeded) {
		// What is still under way is broken off, and made again by others.
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), cancelLimit)
		defer cancel()
		err = client.StopAndCancel(stop)
	}
	return err
}

// startClient begins to work jobs, as soon as the database lets it. It returns
// nil when ctx ended before, or when there is nothing to work on.
func (q *Queue) startClient(ctx context.Context) (*store.JobClient, error) {
	workers, queues := river.NewWorkers(), map[string]river.QueueConfig{}
	for _, p := range q.Parts {
		p.Register(workers)
		for name, config := range p.Queues() {
			queues[name] = config
		}
	}
	if len(queues) == 0 {
		<-ctx.Done()
		return nil, nil //nolint:nilnil // there is nothing to stop
	}
	client, err := q.Store.JobClient(&river.Config{
		Queues: queues, Workers: workers, PollOnly: true,
		JobTimeout: jobTimeout, RescueStuckJobsAfter: rescueAfter, CompletedJobRetentionPeriod: jobsKept,
		Middleware: []rivertype.Middleware{river.WorkerMiddlewareFunc(q.measureJob)}, Logger: newLog(q.Log),
	})
	if err != nil {
		return nil, err
	}
	for {
		// The client ends by Stop, which lets jobs end, and not with ctx.
		err := client.Start(context.WithoutCancel(ctx))
		if err == nil || !store.Transient(err) {
			return client, err
		}
		q.Log.WarnContext(ctx, "job queue not started, will be tried again", "error", err)
		select {
		case <-ctx.Done():
			return nil, nil //nolint:nilnil // there is nothing to stop
		case <-time.After(startPause):
		}
	}
}
