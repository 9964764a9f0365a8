package partnerplatform_test

import (
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/connectors/partnerplatform"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/seal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const apiKey = "partner-key-1234567890"

// answer is what the platform says to one request.
type answer struct {
	status int
	body   string
	header map[string]string
}

func ok(body string) answer { return answer{status: 200, body: body} }

func status(code int) answer { return answer{status: code, body: `{"error":"x"}`} }

func throttled(seconds string) answer {
	return answer{status: 429, header: map[string]string{"Retry-After": seconds}}
}

// list is a page of items without a total.
func list(items ...string) answer { return ok(`{"data":[` + strings.Join(items, ",") + `]}`) }

// platform is a partner's platform over TLS. answer says what it answers to a
// request with the right key.
type platform struct {
	server    *httptest.Server
	connector *partnerplatform.Connector

	mu       sync.Mutex
	answer   func(r *http.Request) answer
	requests []string
}

func newPlatform(t *testing.T, answers func(r *http.Request) answer) *platform {
	t.Helper()
	p := &platform{answer: answers}
	p.server = httptest.NewUnstartedServer(p)
	p.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	p.server.StartTLS()
	t.Cleanup(p.server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(p.server.Certificate())
	client := fetch.New(fetch.Options{AllowCIDRs: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, RootCAs: roots, RequestsPerSecond: 1000})
	t.Cleanup(client.Close)
	p.connector = partnerplatform.New(client)
	return p
}

// respond answers requests for each path by its list, one after the other, the last
// one for ever.
func respond(byPath map[string][]answer) func(*http.Request) answer {
	return func(r *http.Request) answer {
		list := byPath[r.URL.Path]
		switch {
		case len(list) == 0:
			return status(404)
		case len(list) > 1:
			byPath[r.URL.Path] = list[1:]
		}
		return list[0]
	}
}

func (p *platform) open(path string, scope *connectors.AccountScope) connectors.Source {
	return p.connector.Open(connectors.Config{BaseURL: p.server.URL + path, APIKey: seal.NewSecret(apiKey), Scope: scope})
}

func (p *platform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	body, _ := io.ReadAll(r.Body)
	p.requests = append(p.requests, fmt.Sprintf("%s %s %s%s", r.Method, r.URL.RequestURI(), r.Header.Get("Accept"), body))
	a := status(401)
	if r.Header.Get("Authorization") == "Bearer "+apiKey {
		a = p.answer(r)
	}
	p.mu.Unlock()
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(a.status)
	_, _ = io.WriteString(w, a.body)
}

// seen returns the requests so far.
func (p *platform) seen() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.requests...)
}

// at is a moment of the day that all test data is about.
func at(hour, minute, second int) time.Time {
	return time.Date(2025, 3, 4, hour, minute, second, 0, time.UTC)
}

// object is a record, by dotted path. A value is JSON text.
type object map[string]string

// with returns a copy with members set; the value "-" takes one out.
func (o object) with(pairs ...string) object {
	changed := make(object, len(o))
	for path, value := range o {
		changed[path] = value
	}
	for i := 0; i < len(pairs); i += 2 {
		if changed[pairs[i]] = pairs[i+1]; pairs[i+1] == "-" {
			delete(changed, pairs[i])
		}
	}
	return changed
}

func (o object) String() string {
	root := map[string]any{}
	for path, value := range o {
		names, m := strings.Split(path, "."), root
		for _, name := range names[:len(names)-1] {
			below, ok := m[name].(map[string]any)
			if !ok {
				below = map[string]any{}
				m[name] = below
			}
			m = below
		}
		m[names[len(names)-1]] = json.RawMessage(value)
	}
	text, err := json.Marshal(root)
	if err != nil {
		panic(err) // a test's own JSON
	}
	return string(text)
}

// The smallest records without a finding.
var (
	bareCustomer = object{"customerId": `"C-1"`}
	bareAccount  = object{"accountNr": `"A-1"`}
	bareOpen     = object{"ticket": `"1"`, "accountNr": `"A-1"`, "symbol": `"EURUSD"`, "side": `"buy"`, "openDate": `"2025-03-04T09:00:00Z"`}
	bareClosed   = bareOpen.with("closeDate", `"2025-03-04T10:00:00Z"`)
	barePayout   = object{"payoutId": `"P-1"`}
)

// bare is the smallest record of the stream.
func bare(stream record.Stream) object {
	switch stream {
	case record.StreamTraders:
		return bareCustomer
	case record.StreamAccounts:
		return bareAccount
	case record.StreamTradesOpen:
		return bareOpen
	case record.StreamTradesClosed:
		return bareClosed
	}
	return barePayout
}

// decode decodes a page of the records as the first of a backfill.
func decode(t *testing.T, stream record.Stream, items ...object) *connectors.Page {
	t.Helper()
	var texts []string
	for _, o := range items {
		texts = append(texts, o.String())
	}
	return decodeText(t, stream, `{"data":[`+strings.Join(texts, ",")+`]}`)
}

func decodeText(t *testing.T, stream record.Stream, body string) *connectors.Page {
	t.Helper()
	page, err := partnerplatform.DecodePage([]byte(body), connectors.PageRequest{Stream: stream, Backfill: true})
	if err != nil {
		t.Fatal(err)
	}
	return page
}

// rules names a page's findings.
func rules(p *connectors.Page) string {
	var names []string
	for _, f := range p.Findings {
		names = append(names, f.Rule)
	}
	return strings.Join(names, " ")
}

// rejections names the rules and members of a page's rejected records.
func rejections(p *connectors.Page) string {
	var all []string
	for _, r := range p.Rejected {
		all = append(all, r.Rule+" "+r.Pointer)
	}
	return strings.Join(all, ", ")
}
