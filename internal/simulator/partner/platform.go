package partner

import (
	"fmt"
	"net/http"
	"slices"
	"sync"

	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/host"
)

// Platform is the third-party platform. It is an http.Handler that serves the
// routes under /v1, and safe for concurrent use.
type Platform struct {
	tables  *tables
	options Options
	key     host.Bearer
	faults  *fault.Set[listQuery, listPage]
	buffers sync.Pool // of page bodies, for use again
}

// RequestInfo describes a request and its answer.
type RequestInfo = fault.RequestInfo

// New makes a platform. It takes about a second and 90 MB for each million
// trades.
func New(o Options) (*Platform, error) {
	p, err := newPlatform(o)
	if err != nil {
		return nil, fmt.Errorf("partner platform: %w", err)
	}
	return p, nil
}

func newPlatform(o Options) (*Platform, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if o.Dialect == "" {
		o.Dialect = Contract
	}
	if o.Totals == "" {
		o.Totals = InMetadata
	}
	p := &Platform{
		options: o, key: host.NewBearer(o.Key), faults: fault.NewSet(o.Seed, Endpoints(), listFaults()),
		buffers: sync.Pool{New: func() any { return new([]byte) }},
	}
	var err error
	if p.tables, err = newTables(&p.options); err != nil {
		return nil, err
	}
	return p, nil
}

// ServeHTTP answers one request.
func (p *Platform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p.options.BeforeRequest != nil {
		p.options.BeforeRequest(r)
	}
	endpoint := r.URL.EscapedPath()
	if !slices.Contains(Endpoints(), endpoint) {
		endpoint = ""
	}
	p.faults.Serve(w, r, endpoint, p.options.OnRequest, p.answerContract)
}

// answerContract answers as the contract says, faults aside: authenticate, then
// route.
func (p *Platform) answerContract(x *fault.Exchange, faults activeFaults) {
	switch {
	case !p.key.Allows(x.Request) && !faults.SkipsAuth(x.Request):
		x.Header().Set("WWW-Authenticate", "Bearer")
		x.Fail(http.StatusUnauthorized, "unauthorized", "Send the API key as Authorization: Bearer <API_KEY>.")
	case x.Endpoint == "", p.options.NoPayouts && x.Endpoint == Payouts.urlPath():
		x.Fail(http.StatusNotFound, "not_found", "There is no such route.")
	case x.Request.Method != http.MethodGet:
		x.Header().Set("Allow", http.MethodGet)
		x.Fail(http.StatusMethodNotAllowed, "method_not_allowed", "Only GET is supported.")
	default:
		p.serveList(x, faults)
	}
}
