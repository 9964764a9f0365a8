package boot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/pprof"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/assayhq/assay/store"
)

// DebugOptions says what a daemon's private listener shows.
type DebugOptions struct {
	// Gatherer provides /metrics.
	Gatherer prometheus.Gatherer
	// Alive answers /healthz: nil means that the process does its work. It must not
	// touch the database. A nil function means always alive.
	Alive func() error
	// Ready answers /readyz: nil means that the process can serve.
	Ready func(context.Context) error
	// Remarks return what /readyz adds to "ok", each on lines of its own. An empty
	// one adds nothing.
	Remarks []func(context.Context) string
	// PProf adds /debug/pprof.
	PProf bool
}

// DebugHandler serves /metrics, /healthz, /readyz and, if wanted,
// /debug/pprof. The probes answer 200 "ok" or 503 with the reason.
func DebugHandler(o DebugOptions) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(o.Gatherer, promhttp.HandlerOpts{EnableOpenMetrics: true})) // which exemplars need
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) {
		if o.Alive == nil {
			writeProbe(w, nil)
			return
		}
		writeProbe(w, o.Alive())
	})
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		err := o.Ready(r.Context())
		var remarks []string
		for _, remark := range o.Remarks {
			if err == nil {
				remarks = append(remarks, remark(r.Context()))
			}
		}
		writeProbe(w, err, remarks...)
	})
	if o.PProf {
		mux.HandleFunc("/debug/pprof/", pprof.Index)
		mux.HandleFunc("/debug/pprof/cmdline", pprof.Cmdline)
		mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
		mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
		mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	}
	return mux
}

func writeProbe(w http.ResponseWriter, err error, remarks ...string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	if err != nil {
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = fmt.Fprintln(w, err) // a probe that has gone away needs no answer
		return
	}
	_, _ = fmt.Fprintln(w, "ok")
	for _, remark := range remarks {
		if remark != "" {
			_, _ = fmt.Fprintln(w, remark)
		}
	}
}

// Readiness reports whether a process can serve: it has started and is not
// stopping, the database answers within a second, and its schema is current. The
// database's answer is kept for a second, so that probes cost next to nothing.
type Readiness struct {
	db  *store.DB
	now func() time.Time

	mu       sync.Mutex
	starting bool
	stopping bool
	asked    time.Time
	last     error
}

// NewReadiness returns a Readiness that depends on the database.
func NewReadiness(db *store.DB) *Readiness { return &Readiness{db: db, now: time.Now} }

// errStopping is the answer of a stopping process.
var errStopping = errors.New("stopping")

// errStarting is the answer of a process that does not listen yet.
var errStarting = errors.New("starting")

// Hold makes the process unready until Start, because it does not listen yet.
func (r *Readiness) Hold() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.starting = true
}

// Start ends Hold.
func (r *Readiness) Start() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.starting = false
}

// Stop makes the process unready permanently.
func (r *Readiness) Stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopping = true
}

// Check returns nil if the process can serve, otherwise the reason why not.
func (r *Readiness) Check(ctx context.Context) error {
	const life, limit = time.Second, time.Second
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stopping {
		return errStopping
	}
	if !r.asked.IsZero() && r.now().Sub(r.asked) < life {
		return r.readinessError()
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	r.asked, r.last = r.now(), r.db.CheckSchema(ctx)
	if r.last == nil {
		r.last = r.db.CheckWritable(ctx)
	}
	return r.readinessError()
}

// readinessError returns the error for the database's last answer. A fault of the
// database comes first, because an operator can do something about it.
func (r *Readiness) readinessError() error {
	if r.last == nil && r.starting {
		return errStarting
	}
	return r.last
}

// ServeDebug serves the private listener, whose address the configuration gives under
// key, until ctx ends.
func ServeDebug(ctx context.Context, key, address string, handler http.Handler, log *slog.Logger) error {
	listener, err := Listen(ctx, key, address)
	if err != nil {
		return fmt.Errorf("private listener: %w", err)
	}
	log.InfoContext(ctx, "private listener ready", "address", listener.Addr().String())
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	select {
	case err := <-done:
		return fmt.Errorf("private listener: %w", err)
	case <-ctx.Done():
	}
	err = server.Close()
	if ended := <-done; !errors.Is(ended, http.ErrServerClosed) {
		err = errors.Join(err, ended)
	}
	return err
}

// WaitForSchema waits until the database answers and checks that its schema is
// current. An old schema is an error that says what to do. It waits for a database
// that is down until ctx ends.
func WaitForSchema(ctx context.Context, db *store.DB, log *slog.Logger) error {
	const first, longest = 100 * time.Millisecond, 5 * time.Second
	for wait := first; ; wait = min(2*wait, longest) {
		err := db.CheckSchema(ctx)
		if err == nil || errors.Is(err, store.ErrSchemaOld) {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if store.Refused(err) || !store.Transient(err) {
			return err
		}
		log.WarnContext(ctx, "database does not respond, waiting", "error", err, "wait_ms", wait.Milliseconds())
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}
