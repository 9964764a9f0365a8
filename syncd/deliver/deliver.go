package deliver

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/riverqueue/river"

	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/store"
)

// How jobs are worked (architecture.md, Engines).
const (
	jobTimeout   = 20 * time.Second // an attempt and what is written of it
	rescueAfter  = 25 * time.Second
	fetchPause   = 20 * time.Millisecond // between two looks for jobs
	fetchEvery   = 100 * time.Millisecond
	jobsKept     = time.Minute                // that have ended
	stopLimit    = attemptLimit + time.Second // an attempt, and writing what came of it
	reviveEvery  = 5 * time.Second
	surveyEvery  = 15 * time.Second
	startPause   = time.Second
	retryPause   = time.Second
	defaultSlots = 2 * store.MaxWebhookEndpoints // half of them is as many as one organization may need
)

// Config is what a Deliverer needs. All fields but Slots and Now are required.
type Config struct {
	Store      *store.DB
	Client     *fetch.Client // whose guard decides what may be called
	Registerer prometheus.Registerer
	Log        *slog.Logger
	// Slots is how many endpoints are worked on at a time, each with up to four
	// attempts; default 40. Those that fail or are slow take up at most half of
	// them, and those of one organization too.
	Slots int
	Now   func() time.Time // default time.Now
}

// Deliverer makes deliveries.
type Deliverer struct {
	Config
	transport *fetch.Transport
	metrics   *metrics
	places    *places
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
	transport := c.Client.Transport(fetch.Limits{
		Dial: connectLimit, Handshake: tlsLimit, Idle: idleLimit,
		PerHost: c.Slots * inFlight, // all endpoints may be those of one host, and a handshake costs more than a delivery
	})
	return &Deliverer{Config: c, metrics: newMetrics(c.Registerer), places: newPlaces(c.Slots), transport: transport}
}

func (d *Deliverer) now() time.Time { return d.Now() }
func (d *Deliverer) stopped() bool  { return d.stopping.Load() }

// Run makes deliveries until ctx ends, lets attempts that are under way end, and
// returns within sixteen seconds then; five more while the database is away.
func (d *Deliverer) Run(ctx context.Context) error {
	defer d.transport.CloseIdleConnections()
	client, err := d.start(ctx)
	if err != nil || client == nil {
		return err
	}
	revive, survey := time.NewTicker(reviveEvery), time.NewTicker(surveyEvery)
	defer revive.Stop()
	defer survey.Stop()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-revive.C:
			d.revive(ctx)
		case <-survey.C:
			d.survey(ctx)
		}
	}
	d.stopping.Store(true)
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopLimit)
	defer cancel()
	err = client.Stop(stop)
	if errors.Is(err, context.DeadlineExceeded) {
		// What is still under way is broken off, and made again by others.
		stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordLimit)
		defer cancel()
		err = client.StopAndCancel(stop)
	}
	return err
}

// start begins to work jobs, as soon as the database lets it; nil when ctx ended
// before.
func (d *Deliverer) start(ctx context.Context) (*store.JobClient, error) {
	workers := river.NewWorkers()
	river.AddWorker(workers, &worker{d: d})
	client, err := d.Store.JobClient(&river.Config{
		Queues: map[string]river.QueueConfig{store.QueueDeliver: {
			MaxWorkers: d.Slots, FetchCooldown: fetchPause, FetchPollInterval: fetchEvery,
		}},
		Workers: workers, PollOnly: true,
		JobTimeout: jobTimeout, RescueStuckJobsAfter: rescueAfter, CompletedJobRetentionPeriod: jobsKept,
		Logger: newQueueLog(d.Log),
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
		d.Log.WarnContext(ctx, "job queue not started, will be tried again", "error", err)
		select {
		case <-ctx.Done():
			return nil, nil //nolint:nilnil // there is nothing to stop
		case <-time.After(startPause):
		}
	}
}

// revive takes up what a process that died had in hand.
func (d *Deliverer) revive(ctx context.Context) {
	n, err := d.Store.ReviveDeliveries(ctx)
	switch {
	case err != nil && ctx.Err() == nil:
		d.Log.WarnContext(ctx, "lost jobs not looked for, will be tried again", "error", err)
	case n > 0:
		d.metrics.revived.Add(float64(n))
		d.Log.InfoContext(ctx, "deliveries taken over from a process that died", "endpoints", n)
	}
}

// survey refreshes the gauges. Every process reports the same figures.
func (d *Deliverer) survey(ctx context.Context) {
	queues, due, err := d.Store.SurveyQueues(ctx)
	if err != nil {
		if ctx.Err() == nil {
			d.Log.WarnContext(ctx, "queues not surveyed, will be tried again", "error", err)
		}
		return
	}
	d.metrics.backlog.Set(float64(due))
	d.metrics.jobs.Reset()
	d.metrics.oldest.Reset()
	d.metrics.jobs.WithLabelValues(store.QueueDeliver).Set(0)
	d.metrics.oldest.WithLabelValues(store.QueueDeliver).Set(0)
	for _, q := range queues {
		d.metrics.jobs.WithLabelValues(q.Queue).Set(float64(q.Backlog))
		d.metrics.oldest.WithLabelValues(q.Queue).Set(q.Oldest.Seconds())
	}
}

// worker works the jobs.
type worker struct {
	river.WorkerDefaults[store.DeliveryJob]
	d *Deliverer
}

// Work implements river.Worker.
func (w *worker) Work(ctx context.Context, job *river.Job[store.DeliveryJob]) error {
	began := w.d.now()
	next, err := w.d.work(ctx, job.Args, job.ID)
	w.d.metrics.duration.WithLabelValues(store.QueueDeliver).Observe(w.d.now().Sub(began).Seconds())
	switch {
	case err != nil:
		w.d.failed(ctx, job.Args, err)
		return err
	case next < 0:
		return nil
	}
	return river.JobSnooze(next)
}

// failed says why a job failed, which is tried again at once.
func (d *Deliverer) failed(ctx context.Context, job store.DeliveryJob, err error) {
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
