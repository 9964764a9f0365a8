package oidc_test

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/apiserver/oidc"
	"github.com/assayhq/assay/store/seal"
)

const secret = "the-secret-of-the-client"

// issuer is a provider whose statements the test controls.
type issuer struct {
	*httptest.Server
	key     *rsa.PrivateKey
	mu      sync.Mutex
	claims  map[string]any // of the ID token
	header  map[string]any // of the ID token
	answer  http.HandlerFunc
	info    map[string]any // user info; nil if there is none
	form    url.Values     // form received by the token endpoint
	methods []string       // supported methods of client authentication; nil if not stated, and then the header is used
	scopes  []string       // supported scopes; nil if not stated
	found   int            // discoveries
	fails   bool           // discoveries fail
}

func newIssuer(t *testing.T) *issuer {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	i := &issuer{key: key}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/openid-configuration", i.discovery)
	mux.HandleFunc("GET /keys", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, map[string]any{"keys": []any{map[string]any{
			"kty": "RSA", "kid": "1", "alg": "RS256", "use": "sig",
			"n": encode(key.N.Bytes()), "e": encode(big.NewInt(int64(key.E)).Bytes()),
		}}})
	})
	mux.HandleFunc("POST /token", i.token)
	mux.HandleFunc("GET /info", func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, i.info) })
	i.Server = httptest.NewUnstartedServer(mux)
	i.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	i.Start()
	t.Cleanup(i.Close)
	now := time.Now()
	i.claims = map[string]any{
		"iss": i.URL, "sub": "subject", "aud": "assay", "nonce": "nonce", "iat": now.Unix(), "exp": now.Add(time.Minute).Unix(),
		"email": "zoe@example.com", "email_verified": true,
	}
	i.header = map[string]any{"alg": "RS256", "kid": "1"}
	return i
}

func (i *issuer) discovery(w http.ResponseWriter, _ *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.found++
	if i.fails {
		http.Error(w, strings.Repeat("away ", 1000), http.StatusBadGateway)
		return
	}
	config := map[string]any{
		"issuer": i.URL, "authorization_endpoint": i.URL + "/auth", "token_endpoint": i.URL + "/token", "jwks_uri": i.URL + "/keys",
		"id_token_signing_alg_values_supported": []string{"RS256"},
	}
	if i.scopes != nil {
		config["scopes_supported"] = i.scopes
	}
	if i.methods != nil {
		config["token_endpoint_auth_methods_supported"] = i.methods
	}
	if i.info != nil {
		config["userinfo_endpoint"] = i.URL + "/info"
	}
	writeJSON(w, config)
}

func (i *issuer) token(w http.ResponseWriter, r *http.Request) {
	_ = r.ParseForm()
	i.mu.Lock()
	i.form = r.PostForm
	answer := i.answer
	i.mu.Unlock()
	id, password, _ := r.BasicAuth()
	if i.methods != nil {
		id, password = r.PostForm.Get("client_id"), r.PostForm.Get("client_secret")
	}
	if id != "assay" || password != secret {
		http.Error(w, `{"error": "invalid_client"}`, http.StatusUnauthorized)
		return
	}
	if answer != nil {
		answer(w, r)
		return
	}
	writeJSON(w, map[string]any{"access_token": "a", "token_type": "Bearer", "expires_in": 60, "id_token": i.sign(i.key)})
}

func (i *issuer) sign(key *rsa.PrivateKey) string {
	text := encode(marshal(i.header)) + "." + encode(marshal(i.claims))
	sum := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(rand.Reader, key, crypto.SHA256, sum[:])
	if err != nil {
		panic(err)
	}
	return text + "." + encode(signature)
}

func marshal(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return text
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(marshal(v))
}

func (i *issuer) provider(now func() time.Time) *oidc.Provider {
	return oidc.New(i.options(now))
}

func (i *issuer) options(now func() time.Time) oidc.Options {
	return oidc.Options{
		Issuer: i.URL, ClientID: "assay", ClientSecret: seal.NewSecret(secret), RedirectURL: "https://assay.example/oidc/callback", Now: now,
	}
}

func TestStart(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	to, err := i.provider(time.Now).Start(t.Context(), "state", "nonce", "verifier")
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(to)
	if err != nil || u.Path != "/auth" || "http://"+u.Host != i.URL {
		t.Fatalf("leads to %s (%v)", to, err)
	}
	sum := sha256.Sum256([]byte("verifier"))
	want := url.Values{
		"client_id": {"assay"}, "redirect_uri": {"https://assay.example/oidc/callback"}, "response_type": {"code"}, "scope": {"openid email profile"},
		"state": {"state"}, "nonce": {"nonce"}, "code_challenge": {encode(sum[:])}, "code_challenge_method": {"S256"},
	}
	if diff := cmp.Diff(want, u.Query()); diff != "" {
		t.Errorf("query (-want +got):\n%s", diff)
	}
}

func TestFinish(t *testing.T) {
	t.Parallel()
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name  string
		set   func(i *issuer)
		email string // that is told; "-": the answer is refused
		err   error
	}{
		{"as it should be", func(*issuer) {}, "zoe@example.com", nil},
		{"secret in the body", func(i *issuer) { i.methods = []string{"private_key_jwt", "client_secret_post"} }, "zoe@example.com", nil},
		{"verified as a text", func(i *issuer) { i.claims["email_verified"] = "true" }, "zoe@example.com", nil},
		{"a minute late", func(i *issuer) { i.claims["exp"] = time.Now().Add(-30 * time.Second).Unix() }, "zoe@example.com", nil},
		{"not verified", func(i *issuer) { i.claims["email_verified"] = false }, "", nil},
		{"of which it does not say", func(i *issuer) { delete(i.claims, "email_verified") }, "", nil},
		{"of a domain that Entra ID has verified", func(i *issuer) { delete(i.claims, "email_verified"); i.claims["xms_edov"] = true }, "zoe@example.com", nil},
		{"of a domain that it has verified, as a number in a text", func(i *issuer) { delete(i.claims, "email_verified"); i.claims["xms_edov"] = "1" }, "zoe@example.com", nil},
		{"of a domain that it has not verified", func(i *issuer) { delete(i.claims, "email_verified"); i.claims["xms_edov"] = false }, "", nil},
		{"not verified, of a verified domain", func(i *issuer) { i.claims["email_verified"] = false; i.claims["xms_edov"] = true }, "", nil},
		{"without an address", func(i *issuer) { delete(i.claims, "email") }, "", nil},
		{"address at the user info", func(i *issuer) {
			delete(i.claims, "email")
			i.info = map[string]any{"sub": "subject", "email": "info@example.com", "email_verified": true}
		}, "info@example.com", nil},
		{"verified by the user info alone, as Okta does", func(i *issuer) {
			delete(i.claims, "email_verified")
			i.info = map[string]any{"sub": "subject", "email": "zoe@example.com", "email_verified": true}
		}, "zoe@example.com", nil},
		{"another address than the user info has verified", func(i *issuer) {
			delete(i.claims, "email_verified")
			i.info = map[string]any{"sub": "subject", "email": "info@example.com", "email_verified": true}
		}, "info@example.com", nil},
		{"not verified, whatever the user info says", func(i *issuer) {
			i.claims["email_verified"] = false
			i.info = map[string]any{"sub": "subject", "email": "zoe@example.com", "email_verified": true}
		}, "", nil},
		{"verified by nobody", func(i *issuer) {
			delete(i.claims, "email_verified")
			i.info = map[string]any{"sub": "subject", "email_verified": true}
		}, "", nil},
		{"somebody else's user info", func(i *issuer) {
			delete(i.claims, "email")
			i.info = map[string]any{"sub": "another", "email": "info@example.com", "email_verified": true}
		}, "-", oidc.ErrRefused},
		{"another sign-in's nonce", func(i *issuer) { i.claims["nonce"] = "another" }, "-", oidc.ErrRefused},
		{"no nonce", func(i *issuer) { delete(i.claims, "nonce") }, "-", oidc.ErrRefused},
		{"for another client", func(i *issuer) { i.claims["aud"] = "another" }, "-", oidc.ErrRefused},
		{"of another issuer", func(i *issuer) { i.claims["iss"] = "https://another.example" }, "-", oidc.ErrRefused},
		{"old", func(i *issuer) { i.claims["exp"] = time.Now().Add(-2 * time.Minute).Unix() }, "-", oidc.ErrRefused},
		{"without a subject", func(i *issuer) { delete(i.claims, "sub") }, "-", oidc.ErrRefused},
		{"of a very long subject", func(i *issuer) { i.claims["sub"] = strings.Repeat("x", 256) }, "-", oidc.ErrRefused},
		{"signed by nobody", func(i *issuer) { i.header["alg"] = "none" }, "-", oidc.ErrRefused},
		{"signed by somebody else", func(i *issuer) { i.key = other }, "-", oidc.ErrRefused},
		{"no ID token", func(i *issuer) {
			i.answer = func(w http.ResponseWriter, _ *http.Request) {
				writeJSON(w, map[string]any{"access_token": "a", "token_type": "Bearer"})
			}
		}, "-", oidc.ErrRefused},
		{"a code that it does not know", func(i *issuer) {
			i.answer = func(w http.ResponseWriter, _ *http.Request) {
				http.Error(w, `{"error": "invalid_grant"}`, http.StatusBadRequest)
			}
		}, "-", oidc.ErrRefused},
		{"broken", func(i *issuer) {
			i.answer = func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "broken", http.StatusInternalServerError) }
		}, "-", oidc.ErrUnavailable},
		{"sends on", func(i *issuer) {
			i.answer = func(w http.ResponseWriter, r *http.Request) {
				http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
			}
		}, "-", oidc.ErrRefused},
		{"closes", func(i *issuer) {
			i.answer = func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }
		}, "-", oidc.ErrUnavailable},
		{"very much of it", func(i *issuer) {
			i.answer = func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				_, _ = fmt.Fprintf(w, `{"access_token": "a", "token_type": "Bearer", "filler": %q}`, strings.Repeat("x", 2<<20))
			}
		}, "-", oidc.ErrUnavailable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			i := newIssuer(t)
			tt.set(i)
			got, err := i.provider(time.Now).Finish(t.Context(), "code", "nonce", "verifier")
			if !errors.Is(err, tt.err) {
				t.Fatalf("got %+v, %v; want %v", got, err, tt.err)
			}
			if err != nil {
				if len(err.Error()) > 500 || strings.Contains(err.Error(), secret) {
					t.Errorf("the error says too much: %v", err)
				}
				return
			}
			if diff := cmp.Diff(oidc.Identity{Issuer: i.URL, Subject: "subject", Email: tt.email}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if i.form.Get("code_verifier") != "verifier" || i.form.Get("code") != "code" {
				t.Errorf("it was asked with %v", i.form)
			}
		})
	}
}

// TestGroups reads a person's groups from where the provider has them.
func TestGroups(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		set  func(i *issuer)
		want []string
		err  error
	}{
		{"in the ID token", func(i *issuer) { i.claims["groups"] = []string{"risk", "staff"} }, []string{"risk", "staff"}, nil},
		{"the only one alone", func(i *issuer) { i.claims["groups"] = "risk" }, []string{"risk"}, nil},
		{"in none", func(i *issuer) { i.claims["groups"] = []string{} }, []string{}, nil},
		{"not told", func(*issuer) {}, nil, nil},
		{"in the user info", func(i *issuer) { i.info = map[string]any{"sub": "subject", "groups": []string{"risk"}} }, []string{"risk"}, nil},
		{"in somebody else's user info", func(i *issuer) { i.info = map[string]any{"sub": "another", "groups": []string{"risk"}} }, nil, oidc.ErrRefused},
		{"in more than Entra ID sends", func(i *issuer) {
			i.claims["_claim_names"] = map[string]any{"groups": "src1"}
			i.claims["_claim_sources"] = map[string]any{"src1": map[string]any{"endpoint": "https://graph.windows.net/1/users/2/getMemberObjects"}}
		}, nil, nil},
		{"something else", func(i *issuer) { i.claims["groups"] = map[string]any{"risk": true} }, nil, oidc.ErrRefused},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			i := newIssuer(t)
			tt.set(i)
			o := i.options(time.Now)
			o.GroupsClaim = "groups"
			got, err := oidc.New(o).Finish(t.Context(), "code", "nonce", "verifier")
			if !errors.Is(err, tt.err) {
				t.Fatalf("got %+v, %v; want %v", got, err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got.Groups); err == nil && diff != "" {
				t.Errorf("groups (-want +got):\n%s", diff)
			}
			if _, many := i.claims["_claim_names"]; err == nil && got.ManyGroups != many {
				t.Errorf("too many groups: %t", got.ManyGroups)
			}
			if err == nil && got.Email != "zoe@example.com" {
				t.Errorf("the email is %q", got.Email)
			}
		})
	}
}

// TestGroupsScope asks for the groups' scope where the provider has one.
func TestGroupsScope(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	i.scopes = []string{"openid", "groups"}
	o := i.options(time.Now)
	o.GroupsClaim = "groups"
	to, err := oidc.New(o).Start(t.Context(), "state", "nonce", "verifier")
	if err != nil || !strings.Contains(to, "scope=openid+email+profile+groups") {
		t.Errorf("leads to %s, %v", to, err)
	}
}

// TestProviderAway checks that not every request calls an unavailable provider, that it is called
// again before long, and that a known provider remains in use.
func TestProviderAway(t *testing.T) {
	t.Parallel()
	i := newIssuer(t)
	i.fails = true
	now := time.Now()
	p := i.provider(func() time.Time { return now })
	start := func() error {
		_, err := p.Start(t.Context(), "state", "nonce", "verifier")
		return err
	}
	for range 5 {
		if err := start(); !errors.Is(err, oidc.ErrUnavailable) || len(err.Error()) > 500 {
			t.Fatalf("got %.600s", err)
		}
	}
	if i.found != 1 {
		t.Errorf("it was asked %d times", i.found)
	}
	i.fails, now = false, now.Add(6*time.Second)
	if err := start(); err != nil {
		t.Fatal(err)
	}
	i.fails, now = true, now.Add(2*time.Hour)
	for range 5 {
		if err := start(); err != nil {
			t.Fatal(err)
		}
	}
	if i.found != 3 {
		t.Errorf("it was asked %d times", i.found)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := i.provider(time.Now).Finish(ended, "code", "nonce", "verifier"); !errors.Is(err, oidc.ErrUnavailable) {
		t.Errorf("with nobody waiting: %v", err)
	}
}
