package deliver_test

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/goleak"

	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/webhooks"
	"github.com/assayhq/assay/syncd/deliver"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(storetest.Suite{M: m}) }

// slots is how many endpoints are worked on at a time, unless a test says so. An organization may use
// half of them.
const slots = 2 * webhooks.MaxEndpoints

// process is an organization and a process that delivers its webhooks.
type process struct {
	storetest.OrgDB
	registry *prometheus.Registry
	options  fetch.Options
	slots    int
	// publicURL is where messages for channels link to.
	publicURL string
	tune      func(*deliver.Deliverer) // called before it is started; nil changes nothing
}

// setup makes an organization. Deliveries begin when start is called.
func setup(t *testing.T) *process {
	t.Helper()
	return &process{
		OrgDB: storetest.NewOrgDB(t), registry: prometheus.NewRegistry(),
		options: fetch.Options{
			AllowCIDRs: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, RootCAs: x509.NewCertPool(),
		},
	}
}

// start runs a deliverer until stop is called, or the test ends.
func (b *process) start(t *testing.T) (stop func()) {
	t.Helper()
	client := fetch.New(b.options)
	d := deliver.New(deliver.Config{
		Store: b.DB, Client: client, Registerer: b.registry, Log: slog.New(slog.DiscardHandler), Slots: cmp.Or(b.slots, slots), PublicURL: b.publicURL,
	})
	if b.tune != nil {
		b.tune(d)
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- d.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("the deliverer ended with %v", err)
		}
		client.Close()
	})
	t.Cleanup(stop)
	return stop
}

// received is a request that a receiver got.
type received struct {
	Header http.Header
	Body   []byte
	ID     string          `json:"id"`
	Type   string          `json:"type"`
	Seq    int64           `json:"sequence"`
	Data   json.RawMessage `json:"data"`
}

// receiver is a webhook endpoint with the server behind it.
type receiver struct {
	webhooks.MadeEndpoint
	server *httptest.Server

	mu  sync.Mutex
	got []received
}

// receiver makes an endpoint that subscribes to the events. answer answers after
// the request has been noted. Nil means 204.
func (b *process) receiver(t *testing.T, answer http.HandlerFunc, events ...string) *receiver {
	t.Helper()
	r := new(receiver)
	r.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		body, err := io.ReadAll(q.Body)
		if err != nil {
			return
		}
		m := received{Header: q.Header, Body: body}
		if err := json.Unmarshal(body, &m); err != nil {
			t.Errorf("the body is no JSON: %v", err)
		}
		r.mu.Lock()
		r.got = append(r.got, m)
		r.mu.Unlock()
		if answer == nil {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		answer(w, q)
	}))
	r.server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	r.server.StartTLS()
	t.Cleanup(r.server.Close)
	b.options.RootCAs.AddCert(r.server.Certificate())
	r.MadeEndpoint = b.endpoint(t, r.server.URL+"/hook", events...)
	return r
}

// endpoint makes an endpoint at any URL.
func (b *process) endpoint(t *testing.T, url string, events ...string) webhooks.MadeEndpoint {
	t.Helper()
	if len(events) == 0 {
		events = []string{"*"}
	}
	return b.newEndpoint(t, webhooks.NewEndpoint{URL: url, Events: events})
}

// newEndpoint makes an endpoint of any kind.
func (b *process) newEndpoint(t *testing.T, n webhooks.NewEndpoint) webhooks.MadeEndpoint {
	t.Helper()
	made, err := webhooks.CreateEndpoint(t.Context(), b.DB, store.SystemChange(b.Org), n)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// all returns the requests that the receiver got so far.
func (r *receiver) all() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.got)
}

// wait returns the first n requests once they have arrived.
func (r *receiver) wait(t *testing.T, n int) []received {
	t.Helper()
	storetest.Eventually(t, "the receiver is called", func() bool { return len(r.all()) >= n })
	return r.all()
}

// trader makes a trader, which emits an event.
func (b *process) trader(t *testing.T) directory.Trader {
	t.Helper()
	made, err := directory.CreateTrader(t.Context(), b.DB, store.SystemChange(b.Org), directory.NewTrader{FullName: "Zoe Miller"})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// deliveries returns an endpoint's deliveries, the newest first.
func (b *process) deliveries(t *testing.T, endpoint uuid.UUID) []webhooks.Delivery {
	t.Helper()
	list, _, err := webhooks.ListDeliveries(t.Context(), b.DB, b.Org, endpoint, webhooks.DeliveryFilter{}, store.Page{Number: 1, Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// delivery waits until the newest delivery of an endpoint has had an attempt.
func (b *process) delivery(t *testing.T, endpoint uuid.UUID, attempts int) (d webhooks.Delivery) {
	t.Helper()
	storetest.Eventually(t, "the attempt is written down", func() bool {
		list := b.deliveries(t, endpoint)
		if len(list) == 0 || len(list[0].Attempts) < attempts {
			return false
		}
		d = list[0]
		return true
	})
	return d
}

// tlsServer starts a server with its own TLS configuration.
func tlsServer(t *testing.T, config *tls.Config, h http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.TLS = config
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// soon is much longer than anything here should take.
const soon = 10 * time.Second

func newRegistry() *prometheus.Registry { return prometheus.NewRegistry() }
