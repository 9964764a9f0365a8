package clients_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/assayhq/assay/store/storetest"
)

// providerSecret is assay's own at the provider.
const providerSecret = "the-secret-of-assay-at-the-provider"

// startWithProvider starts an OpenID Connect provider, and an apiserver that
// people sign in to with it.
func startWithProvider(t *testing.T, env ...string) api {
	t.Helper()
	a := api{synced: newPlatform(t), connected: newPlatform(t)}
	a.configure(t)
	issuer, secretFile := "http://"+storetest.Address(t), filepath.Join(t.TempDir(), "secret")
	check(t, os.WriteFile(secretFile, []byte(providerSecret+"\n"), 0o600))
	text, err := os.ReadFile(a.config)
	check(t, err)
	text = fmt.Appendf(text, "oidc: {issuer: %q, client_id: assay, client_secret_file: %q}\n", issuer, secretFile)
	check(t, os.WriteFile(a.config, text, 0o600))
	dir := workspace(t, "oidc/provider.mjs")
	provider := exec.Command("node", "provider.mjs")
	provider.Dir = dir
	provider.Env = append(os.Environ(), append(env, "OIDC_ISSUER="+issuer, "OIDC_REDIRECT="+a.url+"/oidc/callback")...)
	start(t, "oidc-provider", issuer+"/.well-known/openid-configuration", provider)
	a.issuer, a.key = issuer, a.bootstrap(t, "Alpha Capital")
	start(t, "apiserver", a.url+"/v1/openapi.json", exec.Command(program(t, "apiserver"), "--config", a.config))
	return a
}

// person is somebody's browser.
type person struct {
	client *http.Client
	api    api
}

// trustful is a jar that takes this machine's own addresses for as safe as https,
// as browsers do.
type trustful struct{ jar http.CookieJar }

func safe(u *url.URL) *url.URL {
	other := *u
	other.Scheme = "https"
	return &other
}

// SetCookies implements http.CookieJar.
func (j trustful) SetCookies(u *url.URL, cookies []*http.Cookie) { j.jar.SetCookies(safe(u), cookies) }

// Cookies implements http.CookieJar.
func (j trustful) Cookies(u *url.URL) []*http.Cookie { return j.jar.Cookies(safe(u)) }

func newBrowser(t *testing.T, a api) person {
	t.Helper()
	jar, err := cookiejar.New(nil)
	check(t, err)
	return person{&http.Client{Jar: trustful{jar}}, a}
}

// move gives somebody another address at the provider.
func (a api) move(t *testing.T, subject, email string) {
	t.Helper()
	query := url.Values{"subject": {subject}, "email": {email}}
	if status, text := get(t, a.issuer+"/move?"+query.Encode(), ""); status != http.StatusOK {
		t.Fatalf("move: %d %s", status, text)
	}
}

// page is what a browser shows.
type page struct {
	status   int
	url      string
	location string // where it would lead to, if the browser went there
	body     string
}

func (p person) open(t *testing.T, method, target string, form url.Values) page {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, target, strings.NewReader(form.Encode()))
	check(t, err)
	req.Header.Set("Accept", "text/html,application/xhtml+xml,*/*;q=0.8")
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	res, err := p.client.Do(req)
	check(t, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	check(t, err)
	return page{res.StatusCode, res.Request.URL.String(), res.Header.Get("Location"), string(text)}
}

var (
	formAction = regexp.MustCompile(`<form [^>]*action="([^"]+)"`)
	abortLink  = regexp.MustCompile(`<a href="([^"]+/abort)"`)
)

// signIn begins a sign-in with the query and goes through the provider's pages as the person that
// login names. If login is empty, the person cancels there.
func (p person) signIn(t *testing.T, query, login string) page {
	t.Helper()
	shown := p.open(t, "GET", p.api.url+"/oidc/start"+query, nil)
	for range 2 { // who it is, and whether the provider may tell
		action := formAction.FindStringSubmatch(shown.body)
		switch {
		case action == nil:
			return shown
		case login == "":
			return p.open(t, "GET", abortLink.FindStringSubmatch(shown.body)[1], nil)
		case strings.Contains(shown.body, `name="login"`):
			shown = p.open(t, "POST", action[1], url.Values{"prompt": {"login"}, "login": {login}, "password": {"x"}})
		default:
			shown = p.open(t, "POST", action[1], url.Values{"prompt": {"consent"}})
		}
	}
	return shown
}

// addUser adds somebody who signs in with the provider.
func (a api) addUser(t *testing.T, email string) {
	t.Helper()
	body := fmt.Sprintf(`{"email": %q, "role": "reviewer", "sign_in": "oidc"}`, email)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, a.url+"/v1/users", strings.NewReader(body))
	check(t, err)
	req.Header.Set("Authorization", "Bearer "+a.key)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	check(t, err)
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusCreated {
		text, _ := io.ReadAll(res.Body)
		t.Fatalf("add user: %d %s", res.StatusCode, text)
	}
}

// TestOpenIDConnect: people sign in with a provider that others have written. It takes long because it
// starts a provider and an apiserver twice.
func TestOpenIDConnect(t *testing.T) {
	t.Parallel()
	tools(t) // before anything is started
	if out, ok := node(t, ".", nil, "-p", "process.versions.node.split('.')[0] >= 20"); !ok || strings.TrimSpace(out) != "true" {
		storetest.LeaveOut(t, "oidc-provider needs Node 20 or newer")
	}
	for name, env := range map[string]string{"address at the user info": "OIDC_CLAIMS=userinfo", "address in the ID token": "OIDC_CLAIMS=token"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := startWithProvider(t, env)
			a.addUser(t, "zoe@example.com")
			a.addUser(t, "unverified@example.com")
			a.signsIn(t)
			a.refuses(t)
		})
	}
}

// signsIn signs in, works, and signs out.
func (a api) signsIn(t *testing.T) {
	t.Helper()
	zoe := newBrowser(t, a)
	shown := zoe.signIn(t, "?return_to=/session%3Fx", "ZOE@example.com")
	if shown.status != http.StatusUnprocessableEntity || shown.url != a.url+"/session?x" { // the page that was asked for
		t.Fatalf("at the end of the sign-in: %d %s %s", shown.status, shown.url, shown.body)
	}
	var session struct {
		User struct {
			Email, Role string
			OIDCLinked  bool `json:"oidc_linked"`
		}
		Method    string
		CSRFToken string `json:"csrf_token"`
	}
	shown = zoe.open(t, "GET", a.url+"/session", nil)
	check(t, json.Unmarshal([]byte(shown.body), &session))
	if session.User.Email != "zoe@example.com" || session.User.Role != "reviewer" || !session.User.OIDCLinked || session.Method != "oidc" {
		t.Errorf("session %s", shown.body)
	}
	if shown := zoe.open(t, "GET", a.url+"/v1/traders", nil); shown.status != http.StatusOK {
		t.Errorf("traders: %d %s", shown.status, shown.body)
	}
	// The provider knows the person still, and asks nothing.
	if shown := zoe.open(t, "GET", a.url+"/oidc/start?return_to=/v1/users", nil); shown.status != http.StatusOK || !strings.Contains(shown.body, "zoe@example.com") {
		t.Errorf("the second sign-in: %d %s", shown.status, shown.body)
	}
	// The account is linked: it is the person's under any address.
	a.move(t, "ZOE@example.com", "zoe@elsewhere.example")
	if shown := newBrowser(t, a).signIn(t, "?return_to=/session", "ZOE@example.com"); shown.status != http.StatusOK || !strings.Contains(shown.body, `"zoe@example.com"`) {
		t.Errorf("with another address: %d %s", shown.status, shown.body)
	}
}

// refuses tries what must not sign anybody in, and must say why.
func (a api) refuses(t *testing.T) {
	t.Helper()
	a.move(t, "mallory", "zoe@example.com")
	for _, tt := range []struct {
		name   string
		query  string
		login  string
		status int
		say    string
	}{
		{"nobody here", "", "nobody@example.com", 403, "Nobody here has the email address"},
		{"address not verified", "", "unverified@example.com", 403, "has not verified your email address"},
		{"somebody else's account with the address", "", "mallory", 403, "is linked to another account at the provider"},
		{"another organization", "?organization=Beta", "ZOE@example.com", 403, "Nobody here has the email address"},
		{"broken off", "", "", 403, "The provider did not sign you in"},
	} {
		somebody := newBrowser(t, a)
		shown := somebody.signIn(t, tt.query, tt.login)
		if shown.status != tt.status || !strings.Contains(shown.body, tt.say) || !strings.Contains(shown.body, "<h1>Sign-in refused</h1>") {
			t.Errorf("%s: %d %s", tt.name, shown.status, shown.body)
		}
		if shown := somebody.open(t, "GET", a.url+"/v1/traders", nil); shown.status != http.StatusUnauthorized {
			t.Errorf("%s: and yet /v1/traders answers %d", tt.name, shown.status)
		}
	}
	// A link that somebody else has begun signs nobody in.
	other := newBrowser(t, a)
	stopped := &http.Client{Jar: other.client.Jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if r.URL.Path == "/oidc/callback" {
			return http.ErrUseLastResponse
		}
		return nil
	}}
	halfway := person{stopped, a}.signIn(t, "", "ZOE@example.com")
	theirs, ok := strings.CutPrefix(halfway.location, a.url)
	if !ok {
		t.Fatalf("halfway: %d %s leads to %q", halfway.status, halfway.url, halfway.location)
	}
	for _, path := range []string{theirs, "/oidc/callback", "/oidc/callback?code=x&state=y", "/oidc/callback?error=access_denied"} {
		if shown := newBrowser(t, a).open(t, "GET", a.url+path, nil); shown.status != http.StatusBadRequest || !strings.Contains(shown.body, "<h1>Sign-in expired</h1>") {
			t.Errorf("%s: %d %s", path, shown.status, shown.body)
		}
	}
	// Nor does another sign-in of the same browser take it, nor the same a second time.
	forged := strings.Replace(theirs, "state=", "state=x", 1)
	if shown := other.open(t, "GET", a.url+forged, nil); shown.status != http.StatusBadRequest {
		t.Errorf("another state: %d %s", shown.status, shown.body)
	}
	if shown := other.open(t, "GET", a.url+theirs, nil); shown.url != a.url+"/" {
		t.Errorf("in the browser that has begun it: %d %s %s", shown.status, shown.url, shown.body)
	}
	if shown := other.open(t, "GET", a.url+theirs, nil); shown.status != http.StatusBadRequest {
		t.Errorf("once more: %d %s", shown.status, shown.body)
	}
}
