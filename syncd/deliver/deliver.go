package deliver

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/webhooks"
	"github.com/assayhq/assay/store/work"
)

// How endpoints are claimed. A change should be on its way within a second, and an
// endpoint whose process died should be found within half a minute.
const (
	claimPause = 100 * time.Millisecond // between two claims while no endpoint is due
	runTimeout = 20 * time.Second
	retryPause = time.Second // after a run that failed
)

// Config is what a Deliverer needs. All fields but Slots, PublicURL, Now and Tracer are
// required.
type Config struct {
	Store      *store.DB
	Client     *fetch.Client // its guard decides which addresses may be called
	Registerer prometheus.Registerer
	Log        *slog.Logger
	// Slots is how many endpoints are worked on at a time, each with up to four
	// attempts; 0 leaves them to other processes. Endpoints that fail or are slow take
	// up at most half of the slots, and so do those of one organization. Up to three
	// times as many more, whose attempts take long, are worked on without a slot.
	Slots int
	// PublicURL is where people reach the dashboard, to which messages for channels
	// link. Empty means that they have no link.
	PublicURL string
	Now       func() time.Time // default time.Now
	// Tracer makes a span for each attempt and sends its context to the receiver as
	// traceparent. Nil means that there are no spans and no header.
	Tracer trace.Tracer
}

// Deliverer makes deliveries.
type Deliverer struct {
	Config
	transport *fetch.Transport
	metrics   *metrics
	places    *places
	fresh     time.Duration // how long an endpoint's settings are valid after they were read
	stopping  atomic.Bool
}

// New returns a deliverer. It registers its metrics.
func New(c Config) *Deliverer {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Tracer == nil {
		c.Tracer = noop.NewTracerProvider().Tracer("")
	}
	transport := c.Client.Transport(fetch.Limits{
		Dial: connectLimit, Handshake: tlsLimit, Idle: idleLimit,
		PerHost: c.Slots * (1 + mostYielded) * inFlight, // all endpoints may be those of one host, and a handshake costs more than a delivery
	})
	return &Deliverer{Config: c, metrics: newMetrics(c.Registerer), places: newPlaces(c.Slots), transport: transport, fresh: freshFor}
}

func (d *Deliverer) now() time.Time   { return d.Now() }
func (d *Deliverer) isStopping() bool { return d.stopping.Load() }

// Close closes the connections to receivers. Call it after all work has ended.
func (d *Deliverer) Close() { d.transport.CloseIdleConnections() }

// Kind returns the deliverer as a kind of work for the process.
func (d *Deliverer) Kind() work.Kind {
	return work.Kind{
		Name: "deliver", Slots: d.Slots, Pause: claimPause, Timeout: runTimeout,
		Claim: d.claimEndpoints, Survey: d.surveyBacklog, Stopping: func() { d.stopping.Store(true) },
	}
}

// claimEndpoints claims due endpoints as long as there are places for them.
func (d *Deliverer) claimEndpoints(ctx context.Context, limit int) (tasks []work.Task, err error) {
	read := d.now()
	claims, err := webhooks.ClaimDeliveries(ctx, d.Store, d.places.room(limit), leaseTime)
	for i := range claims {
		r := &run{Run: &claims[i], d: d, target: claims[i].Target, read: read, failing: claims[i].Failures > 0, hindered: claims[i].IsHindered()}
		if r.Revived {
			d.metrics.revived.Inc()
			d.Log.InfoContext(ctx, "deliveries taken over from a process that died", "endpoint_id", r.EndpointID, "organization_id", r.OrganizationID)
		}
		place := d.places.acquirePlace(r.OrganizationID, r.hindered)
		if place == nil { // more of one organization were claimed at once than its share
			tasks = append(tasks, func(ctx context.Context, _ func()) {
				if err := webhooks.UnclaimDeliveries(ctx, d.Store, r.Run); err != nil {
					d.logFailure(ctx, r, err)
				}
			})
			continue
		}
		tasks = append(tasks, func(ctx context.Context, freeSlot func()) {
			defer place.releasePlace()
			r.yield = func() {
				if place.yieldPlace() {
					freeSlot()
				}
			}
			if err := r.work(ctx); err != nil {
				d.logFailure(ctx, r, err)
			}
		})
	}
	return tasks, err
}

// surveyBacklog counts due deliveries and refreshes the gauge of deliveries.
func (d *Deliverer) surveyBacklog(ctx context.Context) (endpoints int64, oldest time.Duration, err error) {
	due, err := webhooks.CountDueDeliveries(ctx, d.Store)
	if err != nil {
		return 0, 0, err
	}
	d.metrics.backlog.Set(float64(due))
	return webhooks.CountDueEndpoints(ctx, d.Store)
}

// logFailure logs why a run failed. Another run continues with the endpoint.
func (d *Deliverer) logFailure(ctx context.Context, r *run, err error) {
	log := d.Log.With("endpoint_id", r.EndpointID, "organization_id", r.OrganizationID, "error", err)
	if ctx.Err() != nil || store.Transient(err) {
		log.WarnContext(ctx, "deliveries interrupted, will be retried")
		return
	}
	log.ErrorContext(ctx, "deliveries failed inside assay, will be retried")
}
