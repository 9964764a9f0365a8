package deliver

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/webhooks"
	"github.com/assayhq/assay/syncd/queue"
)

// How jobs are worked. A change is to be on its way within a second, and an endpoint
// whose process died is found within half a minute.
const (
	fetchPause   = 20 * time.Millisecond // between two looks for jobs
	fetchEvery   = 100 * time.Millisecond
	reviveEvery  = 5 * time.Second
	surveyEvery  = 15 * time.Second
	retryPause   = time.Second
	defaultSlots = 2 * webhooks.MaxEndpoints // half of them is as many as one organization may need
)

// Config is what a Deliverer needs. All fields but Slots, Idle, Now and Tracer are required.
type Config struct {
	Store      *store.DB
	Client     *fetch.Client // whose guard decides what may be called
	Registerer prometheus.Registerer
	Log        *slog.Logger
	// Slots is how many endpoints are worked on at a time, each with up to four
	// attempts; default 40. Those that fail or are slow take up at most half of
	// them, and those of one organization too.
	Slots int
	Idle  bool             // deliveries are left to other processes
	Now   func() time.Time // default time.Now
	// Tracer makes a span for each attempt, whose context the receiver gets as
	// traceparent. Nil: none are made, and nothing is sent.
	Tracer trace.Tracer
}

// Deliverer makes deliveries.
type Deliverer struct {
	Config
	transport *fetch.Transport
	metrics   *metrics
	places    *places
	fresh     time.Duration // how long what is known of an endpoint holds
	stopping  atomic.Bool
}

// New returns a deliverer. It registers its metrics.
func New(c Config) *Deliverer {
	if c.Slots <= 0 {
		c.Slots = defaultSlots
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Tracer == nil {
		c.Tracer = noop.NewTracerProvider().Tracer("")
	}
	transport := c.Client.Transport(fetch.Limits{
		Dial: connectLimit, Handshake: tlsLimit, Idle: idleLimit,
		PerHost: c.Slots * inFlight, // all endpoints may be those of one host, and a handshake costs more than a delivery
	})
	return &Deliverer{Config: c, metrics: newMetrics(c.Registerer), places: newPlaces(c.Slots), transport: transport, fresh: freshFor}
}

func (d *Deliverer) now() time.Time   { return d.Now() }
func (d *Deliverer) isStopping() bool { return d.stopping.Load() }

// Run makes deliveries until ctx ends, lets attempts that are under way end, and
// returns within eighteen seconds then. It is for processes that do nothing
// else with the queue.
func (d *Deliverer) Run(ctx context.Context) error {
	return queue.New(queue.Config{Store: d.Store, Registerer: d.Registerer, Log: d.Log, Parts: []queue.Part{d}}).Run(ctx)
}

// Register implements queue.Part.
func (d *Deliverer) Register(w *river.Workers) { river.AddWorker(w, &worker{d: d}) }

// Queues implements queue.Part.
func (d *Deliverer) Queues() map[string]river.QueueConfig {
	if d.Idle {
		return nil
	}
	return map[string]river.QueueConfig{store.QueueDeliver: {MaxWorkers: d.Slots, FetchCooldown: fetchPause, FetchPollInterval: fetchEvery}}
}

// Tend implements queue.Part: it takes up what others have lost.
func (d *Deliverer) Tend(ctx context.Context) {
	if d.Idle {
		return
	}
	revive, survey := time.NewTicker(reviveEvery), time.NewTicker(surveyEvery)
	defer revive.Stop()
	defer survey.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-revive.C:
			d.reviveLost(ctx)
		case <-survey.C:
			d.measureBacklog(ctx)
		}
	}
}

// Stopping implements queue.Part.
func (d *Deliverer) Stopping() { d.stopping.Store(true) }

// Stopped implements queue.Part.
func (d *Deliverer) Stopped() { d.transport.CloseIdleConnections() }

// reviveLost takes up what a process that died had in hand.
func (d *Deliverer) reviveLost(ctx context.Context) {
	n, err := webhooks.ReviveDeliveries(ctx, d.Store)
	switch {
	case err != nil && ctx.Err() == nil:
		d.Log.WarnContext(ctx, "lost jobs not looked for, will be tried again", "error", err)
	case n > 0:
		d.metrics.revived.Add(float64(n))
		d.Log.InfoContext(ctx, "deliveries taken over from a process that died", "endpoints", n)
	}
}

// measureBacklog refreshes the gauge. Every process reports the same figure.
func (d *Deliverer) measureBacklog(ctx context.Context) {
	due, err := webhooks.CountDueDeliveries(ctx, d.Store)
	if err != nil {
		if ctx.Err() == nil {
			d.Log.WarnContext(ctx, "deliveries not surveyed, will be tried again", "error", err)
		}
		return
	}
	d.metrics.backlog.Set(float64(due))
}

// worker works the jobs.
type worker struct {
	river.WorkerDefaults[store.DeliveryJob]
	d *Deliverer
}

// Work implements river.Worker.
func (w *worker) Work(ctx context.Context, job *river.Job[store.DeliveryJob]) error {
	next, err := w.d.workJob(ctx, job.Args, job.ID)
	switch {
	case err != nil:
		w.d.logFailure(ctx, job.Args, err)
		return err
	case next < 0:
		return nil
	}
	return river.JobSnooze(next)
}

// logFailure says why a job failed, which is tried again at once.
func (d *Deliverer) logFailure(ctx context.Context, job store.DeliveryJob, err error) {
	log := d.Log.With("endpoint_id", job.EndpointID, "error", err)
	if ctx.Err() != nil || store.Transient(err) {
		log.WarnContext(ctx, "deliveries broken off, will be tried again")
		return
	}
	log.ErrorContext(ctx, "deliveries failed inside assay, will be tried again")
}

// NextRetry implements river.Worker: schedules are kept in deliveries, and a job
// that failed did so inside assay.
func (w *worker) NextRetry(*river.Job[store.DeliveryJob]) time.Time {
	return w.d.now().Add(retryPause)
}
