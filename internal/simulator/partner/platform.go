package partner

import (
	"cmp"
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
	*faultSet
	tables  *tables
	options Options
	key     host.Bearer
	buffers sync.Pool // of page bodies, for use again
}

// New makes a platform. It takes about a second and 90 MB for each million
// trades.
func New(o Options) (*Platform, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("partner platform: %w", err)
	}
	o.Dialect, o.Totals = cmp.Or(o.Dialect, Contract), cmp.Or(o.Totals, InMetadata)
	p := &Platform{
		faultSet: fault.NewSet(o.Firm.Seed, endpoints(), listFaults(), o.OnRequest),
		options:  o, key: host.NewBearer(o.Key), buffers: sync.Pool{New: func() any { return new([]byte) }},
	}
	var err error
	if p.tables, err = newTables(&p.options); err != nil {
		return nil, fmt.Errorf("partner platform: %w", err)
	}
	return p, nil
}

// ServeHTTP answers one request.
func (p *Platform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if p.options.BeforeRequest != nil {
		p.options.BeforeRequest(r)
	}
	endpoint := r.URL.EscapedPath()
	if !slices.Contains(endpoints(), endpoint) {
		endpoint = ""
	}
	fault.Serve(p.faultSet, w, r, endpoint, p.answerContract)
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
