package fetch

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/netip"
	"time"

	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
)

// Limits of one attempt and of the connection pool.
const (
	attemptLimit     = 20 * time.Second // platform contract, Limits: hard timeout
	dialLimit        = 10 * time.Second // all addresses of a host together
	handshakeLimit   = 10 * time.Second
	idleLimit        = 90 * time.Second // how long an unused connection is kept
	idleConns        = 1024             // over all platforms
	idleConnsPerHost = 64               // many integrations may share a partner's one host
	headerLimit      = 64 << 10         // bytes of an answer's header
	tlsSessions      = 1024             // cached for resumption
)

const userAgent = "assay/1 (+https://github.com/assayhq/assay)"

// Options configures New. The zero value is a production client without a
// request budget.
type Options struct {
	// AllowCIDRs are exceptions to the address guard (egress.allow_cidrs).
	AllowCIDRs []netip.Prefix
	// RootCAs verifies platforms' certificates; nil means the system's.
	RootCAs *x509.CertPool
	// Resolver looks up host names; nil means net.DefaultResolver.
	Resolver Resolver
	// RequestsPerSecond is the budget of each integration, with a burst of
	// one. Zero or less means unlimited.
	RequestsPerSecond float64
	// Backoff is the mean wait before the first repetition of a failed request. The
	// mean before the second is twice as long. Zero means a second.
	Backoff time.Duration
	// Reserver shares the budgets between processes; nil means that this
	// process is the only one.
	Reserver Reserver
	// Observe is called once for every attempt, from the goroutine of the Get,
	// with the context of the attempt's span; it must not block. May be nil.
	Observe func(context.Context, Event)
	// Tracer makes a span for each attempt, with the host and path but without
	// queries, headers and bodies. Nil means that there are no spans.
	Tracer trace.Tracer
}

// Event describes one attempt, for metrics. It holds no host, path or key.
type Event struct {
	Kind     record.Kind
	Resource string // Request.Resource
	// Code is the HTTP status of a complete answer as text ("other" for a status
	// that is not registered), otherwise the connectors.Code of the failure, or
	// "canceled" if the caller's context ended.
	Code string
	// Duration is the attempt's time at the platform: from the dial to the
	// last byte, without waits for budget and memory.
	Duration time.Duration
	// Retry is the reason of the retry that follows, a connectors.Code. It is empty
	// if none follows.
	Retry string
}

// Client holds what all integrations of a process share: connections, the address
// guard, budgets and the large-body token. It is safe for concurrent use. A process
// should have only one.
type Client struct {
	transport *Transport
	guard     *Guard
	tls       *tls.Config
	budgets   *budgets // nil means unlimited
	bodies    *bodies
	backoff   time.Duration // mean wait before the first repetition
	observe   func(context.Context, Event)
	tracer    trace.Tracer
}

// New returns a client. It starts no goroutine and sends nothing.
func New(o Options) *Client {
	c := &Client{
		guard: newGuard(o.AllowCIDRs, o.Resolver),
		tls: &tls.Config{
			RootCAs:            o.RootCAs,
			MinVersion:         tls.VersionTLS12,
			NextProtos:         []string{"http/1.1"},
			ClientSessionCache: tls.NewLRUClientSessionCache(tlsSessions),
		},
		budgets: newBudgets(o.RequestsPerSecond, o.Reserver),
		bodies:  newBodies(),
		backoff: cmp.Or(o.Backoff, time.Second),
		observe: o.Observe,
		tracer:  o.Tracer,
	}
	if c.tracer == nil {
		c.tracer = noop.NewTracerProvider().Tracer("")
	}
	c.transport = c.Transport(Limits{Dial: dialLimit, Handshake: handshakeLimit, Idle: idleLimit})
	return c
}

// Close closes idle connections. It does not affect requests under way, so end
// their contexts first.
func (c *Client) Close() { c.transport.CloseIdleConnections() }

// Guard returns the client's address guard.
func (c *Client) Guard() *Guard { return c.guard }

// Platform returns one integration's platform. It sends nothing. A base URL or key
// that cannot be used shows as the error of the first Get. Platforms of the same
// integration share its budget. Without an integration id, the platform has its own
// budget.
func (c *Client) Platform(kind record.Kind, cfg connectors.Config) *Platform {
	p := &Platform{client: c, kind: kind, key: &cfg.APIKey, id: cfg.IntegrationID}
	p.base, p.baseErr = parseBase(cfg.BaseURL)
	if p.id == "" {
		p.own = c.budgets.newUnsharedBudget()
	}
	return p
}
