package v1_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"html"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/apiserver/oidc"
	"github.com/assayhq/assay/store/seal"
)

// issuer is an OpenID Connect provider at which a test determines everybody's identity.
type issuer struct {
	*httptest.Server
	key    ed25519.PrivateKey
	claims map[string]any // of the next ID token
	groups []string       // of whoever returns next
}

// startIssuer starts a provider, and restarts the API with it.
func (b *testAPI) startIssuer(t *testing.T) *issuer {
	t.Helper()
	public, key, err := ed25519.GenerateKey(rand.Reader)
	check(t, err)
	i := &issuer{key: key}
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		check(t, json.NewEncoder(w).Encode(v))
	}
	mux.HandleFunc("GET /.well-known/openid-configuration", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{
			"issuer": i.URL, "authorization_endpoint": i.URL + "/auth", "token_endpoint": i.URL + "/token", "jwks_uri": i.URL + "/keys",
			"id_token_signing_alg_values_supported": []string{"EdDSA"},
		})
	})
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"keys": []any{map[string]any{"kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "use": "sig", "x": base64.RawURLEncoding.EncodeToString(public)}}})
	})
	mux.HandleFunc("POST /token", func(w http.ResponseWriter, _ *http.Request) {
		answer(w, map[string]any{"access_token": "a", "token_type": "Bearer", "id_token": i.sign(t)})
	})
	i.Server = httptest.NewServer(mux)
	t.Cleanup(i.Close)
	b.oidc = oidc.New(oidc.Options{
		GroupsClaim: "groups",
		Issuer:      i.URL, ClientID: "assay", ClientSecret: seal.NewSecret("secret"), RedirectURL: "https://assay.example/oidc/callback", Now: time.Now,
	})
	b.registry = prometheus.NewRegistry()
	b.startAPI(t, b.db)
	return i
}

// sign returns the signed ID token.
func (i *issuer) sign(t *testing.T) string {
	encoded := func(v any) string {
		text, err := json.Marshal(v)
		check(t, err)
		return base64.RawURLEncoding.EncodeToString(text)
	}
	text := encoded(map[string]any{"alg": "EdDSA"}) + "." + encoded(i.claims)
	return text + "." + base64.RawURLEncoding.EncodeToString(ed25519.Sign(i.key, []byte(text)))
}

// browser keeps cookies and does not follow redirects.
type browser struct {
	b       *testAPI
	cookies map[string]string
	header  http.Header
}

func (b *testAPI) newBrowser() *browser {
	return &browser{b, map[string]string{}, with("Accept", "text/html,*/*;q=0.8")}
}

// open opens one of the API's pages.
func (o *browser) open(t *testing.T, path string) reply {
	t.Helper()
	header := o.header.Clone()
	for name, value := range o.cookies {
		header.Add("Cookie", name+"="+value)
	}
	client := o.b.server.Client()
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	r := o.b.visit(t, path, header)
	for _, line := range r.header["Set-Cookie"] {
		cookie, err := http.ParseSetCookie(line)
		check(t, err)
		if o.cookies[cookie.Name] = cookie.Value; cookie.MaxAge < 0 {
			delete(o.cookies, cookie.Name)
		}
	}
	return r
}

// comeBack begins a sign-in with the query, and returns from the provider as the subject with the
// address.
func (o *browser) comeBack(t *testing.T, i *issuer, query, subject, email string) reply {
	t.Helper()
	r := o.open(t, "/oidc/start"+query).want(t, http.StatusSeeOther)
	to, err := url.Parse(r.header.Get("Location"))
	check(t, err)
	now := time.Now()
	i.claims = map[string]any{
		"iss": i.URL, "sub": subject, "aud": "assay", "nonce": to.Query().Get("nonce"), "iat": now.Unix(), "exp": now.Add(time.Minute).Unix(),
		"email": email, "email_verified": true, "groups": i.groups,
	}
	return o.open(t, "/oidc/callback?code=x&state="+to.Query().Get("state"))
}

// links returns the targets of the page's links by their texts.
func (r reply) links() map[string]string {
	found := map[string]string{}
	for _, part := range slices.Collect(strings.SplitSeq(r.body, `<a href="`))[1:] {
		to, rest, _ := strings.Cut(part, `"`)
		_, rest, _ = strings.Cut(rest, ">")
		text, _, _ := strings.Cut(rest, "</a>")
		found[text] = html.UnescapeString(to)
	}
	return found
}
