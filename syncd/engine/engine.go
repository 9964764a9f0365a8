package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/syncing"
)

// Config is what an Engine needs.
type Config struct {
	// Store holds all state. Required.
	Store *store.DB
	// Connectors knows the kinds of platform. Required.
	Connectors connectors.Registry
	// Registerer takes the metrics. Required.
	Registerer prometheus.Registerer
	// Log takes one event per run. Required.
	Log *slog.Logger
	// Lease is for how long a page extends the lease; default 15 s.
	Lease time.Duration
	// PagesPerSlice and TimePerSlice bound a slice. A cycle that reaches one of them
	// makes room for others and continues later. Defaults 50 and 30 s.
	PagesPerSlice int
	TimePerSlice  time.Duration
	// Yielded is called when a slice has made room for others although it could
	// continue at once. May be nil; must not block.
	Yielded func()
	// Tracer makes a span for each slice and each run. Nil means that there are no
	// spans.
	Tracer trace.Tracer
	// Now is the process's clock. It only measures how much time passes, because
	// the database says what time it is. Default time.Now.
	Now func() time.Time
}

// Defaults of Config.
const (
	DefaultLease         = 15 * time.Second
	DefaultPagesPerSlice = 50
	DefaultTimePerSlice  = 30 * time.Second
)

// Engine runs cycles. It is safe for concurrent use and starts no goroutine that
// outlives a call.
type Engine struct {
	Config
	metrics *metrics
}

// New returns an engine.
func New(c Config) *Engine {
	if c.Lease == 0 {
		c.Lease = DefaultLease
	}
	if c.PagesPerSlice == 0 {
		c.PagesPerSlice = DefaultPagesPerSlice
	}
	if c.TimePerSlice == 0 {
		c.TimePerSlice = DefaultTimePerSlice
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Tracer == nil {
		c.Tracer = noop.NewTracerProvider().Tracer("")
	}
	return &Engine{Config: c, metrics: newMetrics(c.Registerer)}
}

// RunSlice works on a claimed integration until its cycle is over or must make room for
// others, and releases the lease. It returns nil also when the platform fails,
// because that is recorded and is no error of the engine. It returns
// store.ErrFenced when the lease was lost, and ctx's error, with the lease still
// held, when ctx ended.
func (e *Engine) RunSlice(ctx context.Context, claim syncing.Claim) error {
	ctx, span := e.Tracer.Start(ctx, "sync slice", trace.WithAttributes(
		attribute.Stringer("assay.integration_id", claim.IntegrationID), attribute.String("assay.kind", string(claim.Kind)), attribute.Stringer("assay.cycle_id", claim.Cycle.ID),
	))
	defer span.End()
	c := &cycle{
		engine: e, claim: &claim, cycle: claim.Cycle, running: claim.Run, throttling: claim.Throttling,
		began: e.Now(), log: e.Log.With("integration_id", claim.IntegrationID, "kind", claim.Kind),
		touched: make(map[record.Stream]*syncing.Stream),
	}
	if err := c.loadSettings(ctx); err != nil {
		return err
	}
	return c.runStreams(ctx)
}

// retryTransient calls fn until it succeeds, fails for good, or ctx ends. While the
// database is away, a cycle waits where it is. Everything fn does must be
// idempotent or be refused under an old lease.
func (e *Engine) retryTransient(ctx context.Context, log *slog.Logger, fn func(context.Context) error) error {
	err := store.RetryTransient(ctx, 200*time.Millisecond, 5*time.Second, func() error { return fn(ctx) }, func(err error, wait time.Duration) {
		log.WarnContext(ctx, "database is not available, cycle waits", "error", err, "wait_ms", wait.Milliseconds())
	})
	if store.Transient(err) { // ctx ended while the cycle waited
		return ctx.Err()
	}
	return err
}

// platformError converts an error of a source into the form that is recorded. ok is
// false for errors that are not the platform's, such as those of the database or of
// ctx.
func platformError(ctx context.Context, err error) (pe *connectors.Error, ok bool) {
	if ctx.Err() != nil || !errors.As(err, &pe) {
		return nil, false
	}
	return pe, true
}

// syncError returns the platform's error as it is stored.
func syncError(resource record.Resource, pe *connectors.Error, at time.Time) *syncing.Error {
	return &syncing.Error{
		Resource: string(resource), Code: string(pe.Code), Message: pe.Message, HTTPStatus: pe.HTTPStatus,
		Endpoint: pe.Endpoint, Hint: pe.Code.Hint(), At: at,
	}
}

// internalError returns a failure inside assay that concerns one integration.
func internalError(message string, err error) *connectors.Error {
	return &connectors.Error{Code: connectors.CodeInternal, Message: message, Err: fmt.Errorf("internal: %w", err)}
}
