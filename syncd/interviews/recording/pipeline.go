// Package recording works the steps media, transcript and subtitles of interviews
// that traders have submitted.
//
// How steps are claimed, held and written once is package step's. Blobs are
// written below a prefix that no other claim has, before the rows that name them;
// a claim that is lost, as when the interview is deleted meanwhile, removes its
// own.
package recording

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"

	"github.com/assayhq/assay/internal/interview/media"
	"github.com/assayhq/assay/internal/interview/media/speech"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/blob"
	"github.com/assayhq/assay/store/interviews"
	"github.com/assayhq/assay/syncd/interviews/step"
)

// How jobs are worked on.
const (
	jobTimeout = 6 * time.Hour // three hours of recording on a busy machine
	fetchPause = 50 * time.Millisecond
	fetchEvery = 500 * time.Millisecond
	writeLimit = 10 * time.Second // for the removal of what a lost claim has written
)

// Config is what a Pipeline needs. Steps, Store, Blobs, Registerer and Log are
// required, and Producer unless Slots is 0.
type Config struct {
	Steps    *step.Runner
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
	Slots      int    // steps at a time; 0 leaves them to other processes
	Workdir    string // parent of the folders for temporary files; default the system's
}

// Pipeline works steps. It is a part of the process's queue.
type Pipeline struct {
	Config
	metrics *metrics
}

// New returns a pipeline. It registers its metrics.
func New(c Config) *Pipeline { return &Pipeline{Config: c, metrics: newMetrics(c.Registerer)} }

// Register implements queue.Part.
func (p *Pipeline) Register(w *river.Workers) { river.AddWorker(w, &worker{p: p}) }

// Queues implements queue.Part.
func (p *Pipeline) Queues() map[string]river.QueueConfig {
	if p.Slots == 0 {
		return nil
	}
	return map[string]river.QueueConfig{interviews.QueueMedia: {MaxWorkers: p.Slots, FetchCooldown: fetchPause, FetchPollInterval: fetchEvery}}
}

// Tend implements queue.Part: there is nothing beside the jobs.
func (p *Pipeline) Tend(context.Context) {}

// Stopping implements queue.Part.
func (p *Pipeline) Stopping() {}

// Stopped implements queue.Part.
func (p *Pipeline) Stopped() {}

// worker works the jobs.
type worker struct {
	river.WorkerDefaults[interviews.MediaJob]
	p *Pipeline
}

// Timeout implements river.Worker.
func (w *worker) Timeout(*river.Job[interviews.MediaJob]) time.Duration { return jobTimeout }

// NextRetry implements river.Worker: schedules are kept in the steps, and a job
// that failed has not come as far.
func (w *worker) NextRetry(*river.Job[interviews.MediaJob]) time.Time {
	return w.p.Steps.Now().Add(step.RetryPause)
}

// Work implements river.Worker.
func (w *worker) Work(ctx context.Context, job *river.Job[interviews.MediaJob]) error {
	return w.p.Steps.Work(ctx, job.Args.StepJob, w.p.doStep)
}
