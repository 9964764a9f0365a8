// Package pipeline works the steps media, transcript and subtitles of interviews
// that traders have submitted.
//
// A step is claimed for a minute at a time and held by heartbeats, so that the
// step of a process that died is begun anew soon, and what is written is written
// once: all writing is guarded by the claim. Blobs are written below a prefix
// that no other claim has, before the rows that name them; a claim that is lost,
// as when the interview is deleted meanwhile, removes its own.
package pipeline

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/blob"
	"github.com/assayhq/assay/syncd/media"
	"github.com/assayhq/assay/syncd/media/speech"
)

// How steps are worked on.
const (
	defaultLease = time.Minute
	beats        = 4             // in a lease
	jobTimeout   = 6 * time.Hour // three hours of recording on a busy machine
	retryPause   = time.Second
	requeueEvery = 5 * time.Second
	fetchPause   = 50 * time.Millisecond
	fetchEvery   = 500 * time.Millisecond
	writeLimit   = 10 * time.Second // for writing what came of a step that was broken off
)

// errStopping is why steps end when the process does.
var errStopping = errors.New("the process stops")

// Config is what a Pipeline needs. Store, Blobs, Registerer and Log are
// required, and Producer unless Slots is 0.
type Config struct {
	Store    *store.DB
	Blobs    *blob.Bucket
	Producer *media.Producer
	// Local listens to recordings on this machine; nil: nothing does.
	Local speech.Engine
	// Server listens to those of organizations that let theirs be sent away; nil:
	// there is none.
	Server     speech.Engine
	Registerer prometheus.Registerer
	Log        *slog.Logger
	Slots      int           // steps at a time; 0 leaves them to other processes
	Workdir    string        // parent of the folders for temporary files; default the system's
	Lease      time.Duration // default a minute
	Now        func() time.Time
}

// Pipeline works steps. It is a part of the process's queue.
type Pipeline struct {
	Config
	metrics  *metrics
	stopping context.Context //nolint:containedctx // ends with the process's work, not with a call
	stop     context.CancelCauseFunc
}

// New returns a pipeline. It registers its metrics.
func New(c Config) *Pipeline {
	if c.Lease == 0 {
		c.Lease = defaultLease
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	p := &Pipeline{Config: c, metrics: newMetrics(c.Registerer)}
	p.stopping, p.stop = context.WithCancelCause(context.Background())
	return p
}

// Register implements queue.Part.
func (p *Pipeline) Register(w *river.Workers) { river.AddWorker(w, &worker{p: p}) }

// Queues implements queue.Part.
func (p *Pipeline) Queues() map[string]river.QueueConfig {
	if p.Slots == 0 {
		return nil
	}
	return map[string]river.QueueConfig{store.QueueMedia: {MaxWorkers: p.Slots, FetchCooldown: fetchPause, FetchPollInterval: fetchEvery}}
}

// Tend implements queue.Part: steps that others have lost are queued again.
func (p *Pipeline) Tend(ctx context.Context) {
	if p.Slots == 0 {
		return
	}
	tick := time.NewTicker(min(requeueEvery, p.Lease))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		switch n, err := p.Store.RequeueSteps(ctx); {
		case err != nil && ctx.Err() == nil:
			p.Log.WarnContext(ctx, "lost steps of interviews not looked for, will be tried again", "error", err)
		case n > 0:
			p.metrics.requeued.Add(float64(n))
			p.Log.InfoContext(ctx, "steps of interviews queued again that a process has lost", "steps", n)
		}
	}
}

// Stopping implements queue.Part: what is under way is given back.
func (p *Pipeline) Stopping() { p.stop(errStopping) }

// Stopped implements queue.Part.
func (p *Pipeline) Stopped() {}

// worker works the jobs.
type worker struct {
	river.WorkerDefaults[store.MediaJob]
	p *Pipeline
}

// Timeout implements river.Worker.
func (w *worker) Timeout(*river.Job[store.MediaJob]) time.Duration { return jobTimeout }

// NextRetry implements river.Worker: schedules are kept in the steps, and a job
// that failed has not come as far.
func (w *worker) NextRetry(*river.Job[store.MediaJob]) time.Time {
	return w.p.Now().Add(retryPause)
}

// Work implements river.Worker.
func (w *worker) Work(ctx context.Context, job *river.Job[store.MediaJob]) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(w.p.stopping, func() { cancel(errStopping) })()
	return w.p.work(ctx, job.Args.StepJob)
}
