package fault_test

import (
	"context"
	"io"
	"net/http"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/host"
	"github.com/assayhq/assay/internal/simulator/partner"
	"github.com/assayhq/assay/internal/simulator/reference"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// platform is a platform of either kind that is being served.
type platform struct {
	*host.Server
	faulty
	paths []string // the first one is a list of trades
}

// faulty is how faults are switched on and off.
type faulty interface {
	SetFault(name string, o fault.Options) error
	ClearFault(name string) bool
	ClearFaults()
}

// kinds start the kinds of platforms, all of the same frozen firm.
var kinds = map[string]func() (*platform, error){
	"reference": func() (*platform, error) {
		s, err := reference.Start(reference.Options{Firm: small})
		if err != nil {
			return nil, err
		}
		return &platform{s.Server, s.Platform, []string{"/trades", "/health", "/traders/tr_00000001"}}, nil
	},
	"partner": func() (*platform, error) {
		s, err := partner.Start(partner.Options{Firm: small})
		if err != nil {
			return nil, err
		}
		return &platform{s.Server, s.Platform, []string{"/v1/trades/closed", "/v1/trades/open", "/v1/customers", "/v1/prop-accounts", "/v1/payouts"}}, nil
	},
}

// start starts a platform until the test ends.
func start(t *testing.T, kind string) *platform {
	t.Helper()
	p, err := kinds[kind]()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// small is a firm that has some of everything.
var small = firm.Options{
	Seed: 31, Start: time.Date(2026, 3, 4, 15, 0, 0, 0, time.UTC), Traders: 30, AccountsPerTrader: 2, Trades: 1_200, Payouts: 40,
}

// set switches a fault on.
func (p *platform) set(t *testing.T, name string, o fault.Options) {
	t.Helper()
	if err := p.SetFault(name, o); err != nil {
		t.Fatal(err)
	}
}

// response is a response whose body has been read.
type response struct {
	status int
	header http.Header
	length int64 // as announced; -1 if it was not
	body   string
}

// get asks for a path with the key.
func (p *platform) get(t *testing.T, path string) response {
	t.Helper()
	got, err := p.try(t, path, p.Key, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// statuses asks for a path n times.
func (p *platform) statuses(t *testing.T, n int, path string) (got []int) {
	t.Helper()
	for range n {
		got = append(got, p.get(t, path).status)
	}
	return got
}

// try is get with any key and within a time. Its connection is its own, and it accepts no
// compression and follows no redirect by itself.
func (p *platform) try(t *testing.T, path, key string, patience time.Duration) (response, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	r, err := p.open(t, ctx, path, key)
	if err != nil {
		return response{}, err
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	return response{r.StatusCode, r.Header, r.ContentLength, string(body)}, err
}

// open is try without reading the body, over HTTP/1.1.
func (p *platform) open(t *testing.T, ctx context.Context, path, key string) (*http.Response, error) {
	t.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.URL+path, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+key)
	transport := p.Client().Transport.(*http.Transport)
	transport.ForceAttemptHTTP2, transport.DisableKeepAlives, transport.DisableCompression = false, true, true
	client := &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return client.Do(request)
}
