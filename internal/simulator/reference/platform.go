package reference

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/host"
)

// Platform is a trading platform that implements the contract. It is an
// http.Handler and safe for concurrent use.
//
// The handler serves the routes at the root; http.StripPrefix puts it under
// another base URL. Serving over TLS 1.2 or later is the server's part; Start
// does both.
type Platform struct {
	*faultSet
	world   *tables
	key     host.Bearer
	buffers sync.Pool // of page bodies, for use again
}

// New makes a platform. It takes about a second and 80 MB for each million
// trades.
func New(o Options) (*Platform, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("reference platform: %w", err)
	}
	w, err := newTables(&o)
	if err != nil {
		return nil, fmt.Errorf("reference platform: %w", err)
	}
	return &Platform{
		faultSet: fault.NewSet(o.Firm.Seed, endpoints(), listFaults(w.Now), o.OnRequest),
		world:    w, key: host.NewBearer(o.Key), buffers: sync.Pool{New: func() any { return new([]byte) }},
	}, nil
}

// The six routes.
const (
	endpointHealth   = "/health"
	endpointTraders  = "/traders"
	endpointTrader   = "/traders/{id}"
	endpointAccounts = "/accounts"
	endpointTrades   = "/trades"
	endpointPayouts  = "/payouts"
)

// endpoints lists the routes as fault.Options.Endpoint names them.
func endpoints() []string {
	return []string{
		endpointHealth, endpointTraders, endpointTrader,
		endpointAccounts, endpointTrades, endpointPayouts,
	}
}

// findRoute finds the endpoint of a request; empty when there is none. The path is
// looked at in its encoded form, so that an id may hold a slash.
func findRoute(r *http.Request) (endpoint, id string) {
	path := r.URL.EscapedPath()
	switch path {
	case endpointHealth, endpointTraders, endpointAccounts, endpointTrades, endpointPayouts:
		return path, ""
	}
	rest, ok := strings.CutPrefix(path, "/traders/")
	if !ok || rest == "" || strings.Contains(rest, "/") {
		return "", ""
	}
	id, err := url.PathUnescape(rest)
	if err != nil {
		return "", ""
	}
	return endpointTrader, id
}

// ServeHTTP answers one request.
func (p *Platform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	at, id := findRoute(r)
	fault.Serve(p.faultSet, w, r, at, func(x *fault.Exchange, faults activeFaults) { p.answerContract(x, faults, id) })
}

// answerContract answers as the contract says, faults aside: authenticate, then
// route.
func (p *Platform) answerContract(x *fault.Exchange, faults activeFaults, id string) {
	switch {
	case !p.key.Allows(x.Request) && !faults.SkipsAuth(x.Request):
		x.Header().Set("WWW-Authenticate", "Bearer")
		x.Fail(http.StatusUnauthorized, "unauthorized", "Send the API key as Authorization: Bearer <API_KEY>.")
	case x.Endpoint == "":
		x.Fail(http.StatusNotFound, "not_found", "There is no such route.")
	case x.Request.Method != http.MethodGet:
		x.Header().Set("Allow", http.MethodGet)
		x.Fail(http.StatusMethodNotAllowed, "method_not_allowed", "Only GET is supported.")
	case x.Endpoint == endpointHealth:
		x.Send(http.StatusOK, []byte(`{"status":"ok","provider":"reference platform","version":"1"}`))
	case x.Endpoint == endpointTrader:
		p.serveTrader(x, faults, id)
	default:
		p.serveList(x, faults)
	}
}

// serveTrader answers with one trader, without an envelope.
func (p *Platform) serveTrader(x *fault.Exchange, faults activeFaults, id string) {
	var body []byte
	p.world.Read(func() {
		t := &p.world.traders
		if ref, ok := t.Find(id); ok && t.Updated(ref) != 0 {
			body = t.AppendRecord(nil, ref)
		}
	})
	if body == nil {
		x.Fail(http.StatusNotFound, "not_found", "There is no trader with this id.")
		return
	}
	x.Send(http.StatusOK, faults.Record(string(Traders), 0, body))
}
