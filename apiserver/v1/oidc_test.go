package v1_test

import (
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/apiserver/oidc"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
)

// visit opens a page, which is no part of the document.
func (b *bundle) visit(t *testing.T, path string, header http.Header) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.server.URL+path, nil)
	check(t, err)
	maps.Copy(req.Header, header)
	res, err := b.server.Client().Do(req)
	check(t, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	check(t, err)
	return reply{res.StatusCode, res.Header, string(text)}
}

// TestOIDCWithoutProvider: both addresses say that there is no provider, or that
// it does not answer, to people and to programs.
func TestOIDCWithoutProvider(t *testing.T) {
	t.Parallel()
	b := setup(t)
	page := with("Accept", "text/html")
	for _, path := range []string{"/oidc/start", "/oidc/callback?code=x&state=y"} {
		b.visit(t, path, nil).wantProblem(t, http.StatusNotFound, "not_found")
		r := b.visit(t, path, page).want(t, http.StatusNotFound)
		if !strings.Contains(r.body, "has no OpenID Connect provider") || !strings.HasPrefix(r.header.Get("Content-Type"), "text/html") {
			t.Errorf("%s shows %s", path, r.body)
		}
	}
	b.oidc = oidc.New(oidc.Options{
		Issuer: "http://" + storetest.Address(t), ClientID: "assay", ClientSecret: seal.NewSecret("secret"), RedirectURL: "https://assay.example/oidc/callback", Now: time.Now,
	})
	b.registry = prometheus.NewRegistry()
	b.startAPI(t, b.db)
	r := b.visit(t, "/oidc/start", nil)
	r.wantProblem(t, http.StatusServiceUnavailable, "service_unavailable")
	if r.header.Get("Retry-After") != "5" || r.header.Get("Set-Cookie") != "" {
		t.Errorf("header %v", r.header)
	}
	r = b.visit(t, "/oidc/start", page).want(t, http.StatusServiceUnavailable)
	if !strings.Contains(r.body, "provider does not answer") || r.header.Get("Retry-After") != "5" || r.header.Get("Cache-Control") != "no-store" {
		t.Errorf("shows %s with %v", r.body, r.header)
	}
	b.visit(t, "/oidc/callback?code=x&state=y", with("Cookie", "__Host-assay_oidc=AAAA")).
		wantProblem(t, http.StatusBadRequest, "sign_in_expired")
	made := b.send(t, "POST", "/v1/users", b.key, map[string]any{"email": "zoe@example.com", "role": "viewer", "sign_in": "oidc"}).want(t, http.StatusCreated)
	if got := decodeInto[userMade](t, made); got.Password != "none" || got.InitialPassword != "" || got.SecretAvailable {
		t.Errorf("made %s", made.body)
	}
}
