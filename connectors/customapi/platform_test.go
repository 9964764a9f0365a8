package customapi_test

import (
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/customapi"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/store/seal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const apiKey = "customer-key-1234567890"

// answer is what the platform says to one request.
type answer struct {
	status int
	body   string
	header map[string]string
}

func ok(body string) answer { return answer{status: 200, body: body} }

func status(code int) answer {
	return answer{status: code, body: `{"error":{"code":"x","message":"y"}}`}
}

func throttled(seconds string) answer {
	return answer{status: 429, header: map[string]string{"Retry-After": seconds}}
}

// platform is a customer's platform over TLS. It answers a request that
// carries the key by the longest entry of answers that begins its path and
// query, one answer after the other, the last one for ever. Without the key it
// answers by the entry "anonymous", else 401.
type platform struct {
	server    *httptest.Server
	connector *customapi.Connector
	source    connectors.Source

	mu       sync.Mutex
	answers  map[string][]answer
	requests []string
}

func newPlatform(t *testing.T, answers map[string][]answer) *platform {
	t.Helper()
	p := &platform{answers: answers}
	p.server = httptest.NewUnstartedServer(p)
	p.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	p.server.StartTLS()
	t.Cleanup(p.server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(p.server.Certificate())
	client := fetch.New(fetch.Options{AllowCIDRs: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, RootCAs: roots})
	t.Cleanup(client.Close)
	p.connector = customapi.New(client)
	p.source = p.open(p.server.URL + "/api")
	return p
}

func (p *platform) open(baseURL string) connectors.Source {
	return p.connector.Open(connectors.Config{BaseURL: baseURL, APIKey: seal.NewSecret(apiKey)})
}

func (p *platform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	a := p.answer(r)
	p.mu.Unlock()
	for name, value := range a.header {
		w.Header().Set(name, value)
	}
	w.WriteHeader(a.status)
	_, _ = io.WriteString(w, a.body)
}

// answer notes the request and finds what to say to it.
func (p *platform) answer(r *http.Request) answer {
	line := strings.TrimPrefix(r.URL.RequestURI(), "/api")
	key := ""
	if r.Header.Get("Authorization") != "Bearer "+apiKey {
		key = "anonymous"
	}
	body, _ := io.ReadAll(r.Body)
	p.requests = append(p.requests, strings.TrimSpace(fmt.Sprintf("%s %s %s %s%s", r.Method, line, r.Header.Get("Accept"), key, body)))
	if _, sent := r.Header["Authorization"]; key != "" && sent {
		return status(400) // something that is not the key
	}
	if key == "" {
		for prefix := range p.answers {
			if strings.HasPrefix(line, prefix) && len(prefix) > len(key) {
				key = prefix
			}
		}
	}
	list := p.answers[key]
	switch {
	case len(list) == 0 && key == "anonymous":
		return status(401)
	case len(list) == 0:
		return status(404)
	case len(list) > 1:
		p.answers[key] = list[1:]
	}
	return list[0]
}

// seen returns the requests so far.
func (p *platform) seen() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.requests...)
}

func list(next string, items ...string) answer {
	return ok(`{"data":[` + strings.Join(items, ",") + `],"next_cursor":` + next + `}`)
}
