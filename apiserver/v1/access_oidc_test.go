package v1_test

import (
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/apiserver/oidc"
	"github.com/assayhq/assay/store/access"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
)

// visit opens a page, which is not in the document.
func (b *testAPI) visit(t *testing.T, path string, header http.Header) reply {
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

// TestOIDCWithoutProvider checks that both addresses tell people and programs that there is no
// provider, or that it does not answer.
func TestOIDCWithoutProvider(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
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
	if !strings.Contains(r.body, "provider did not respond") || r.header.Get("Retry-After") != "5" || r.header.Get("Cache-Control") != "no-store" {
		t.Errorf("shows %s with %v", r.body, r.header)
	}
	b.visit(t, "/oidc/callback?code=x&state=y", with("Cookie", "__Host-assay_oidc=AAAA")).
		wantProblem(t, http.StatusBadRequest, "sign_in_expired")
	made := b.send(t, "POST", "/v1/users", b.key, map[string]any{"email": "zoe@example.com", "role": "viewer", "sign_in": "oidc"}).want(t, http.StatusCreated)
	if got := decodeInto[userMade](t, made); got.Password != "none" || got.InitialPassword != "" || got.SecretAvailable {
		t.Errorf("made %s", made.body)
	}
}

// TestOIDCFromAnotherSite checks that another site's page can send a person here, but cannot sign
// the person in.
func TestOIDCFromAnotherSite(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	b.startIssuer(t)
	o := b.newBrowser()
	const path = "/oidc/start?organization=Alpha+%26+Sons&return_to=%2Ftraders"
	for _, from := range []string{"cross-site", "same-site"} {
		o.header.Set("Sec-Fetch-Site", from)
		r := o.open(t, path).want(t, http.StatusOK)
		if r.header.Get("Set-Cookie") != "" || r.links()["Continue to sign in"] != path {
			t.Errorf("%s: leads to %v with %v", from, r.links(), r.header)
		}
		b.visit(t, path, with("Sec-Fetch-Site", from)).wantProblem(t, http.StatusForbidden, "csrf_failed")
	}
	for _, from := range []string{"same-origin", "none"} {
		o.header.Set("Sec-Fetch-Site", from)
		o.open(t, path).want(t, http.StatusSeeOther)
	}
}

// TestOIDCNamesNobodyHas checks that any text as an organization's name results in the response
// that the person is unknown there.
func TestOIDCNamesNobodyHas(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	i := b.startIssuer(t)
	for _, name := range []string{strings.Repeat("%C3%A4", 201), strings.Repeat("a", 199) + "%C3%A4", "%00", "%FF", "Alpha%00Capital"} {
		b.newBrowser().comeBack(t, i, "?organization="+name, "1", "owner@example.com").want(t, http.StatusForbidden)
	}
}

// TestOIDCIsThrottled checks that returning without a sign-in in progress causes only a limited
// number of requests to the provider.
func TestOIDCIsThrottled(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	i := b.startIssuer(t)
	o := b.newBrowser()
	comeBack := func() reply {
		t.Helper()
		to, err := url.Parse(o.open(t, "/oidc/start").want(t, http.StatusSeeOther).header.Get("Location"))
		check(t, err)
		i.claims = map[string]any{"iss": "somebody else"}
		return o.open(t, "/oidc/callback?code=x&state="+to.Query().Get("state"))
	}
	comeBack().want(t, http.StatusForbidden)
	b.exec(t, `UPDATE sign_in_budgets SET spent_until = now() + interval '1 day'`)
	if r := comeBack().want(t, http.StatusTooManyRequests); r.header.Get("Retry-After") == "" {
		t.Errorf("header %v", r.header)
	}
	// A successful sign-in does not count.
	b.exec(t, `DELETE FROM sign_in_budgets`)
	o.comeBack(t, i, "?organization=Alpha+Capital", "1", "owner@example.com").want(t, http.StatusSeeOther)
	if n := b.readText(t, `SELECT count(*)::text FROM sign_in_budgets WHERE spent_until > now()`); n != "0" {
		t.Errorf("%s budgets are spent", n)
	}
}

// TestOIDCAmongOrganizations checks that if another organization adds a person's address, even
// earlier than the person's own, it is offered as a second choice and never replaces it.
func TestOIDCAmongOrganizations(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	i := b.startIssuer(t)
	body := map[string]any{"email": "zoe@example.com", "role": "viewer", "sign_in": "oidc"}
	b.send(t, "POST", "/v1/users", b.other, body).want(t, http.StatusCreated)
	b.newBrowser().comeBack(t, i, "", "1", "zoe@example.com").want(t, http.StatusSeeOther)
	b.send(t, "POST", "/v1/users", b.key, body).want(t, http.StatusCreated)

	zoe := b.newBrowser()
	in := func(r reply, organization string) {
		t.Helper()
		if to := r.want(t, http.StatusSeeOther).header.Get("Location"); to != "/traders" {
			t.Errorf("leads to %s", to)
		}
		shown := decodeInto[sessionPart](t, zoe.open(t, "/session").want(t, http.StatusOK))
		if shown.Organization.Name != organization || shown.Method != "oidc" {
			t.Errorf("session %+v, want one of %s", shown, organization)
		}
	}
	for _, name := range []string{"Alpha Capital", "Beta Capital", "Alpha Capital"} {
		asked := zoe.comeBack(t, i, "?return_to=/traders", "1", "zoe@example.com").want(t, http.StatusOK)
		in(zoe.open(t, asked.links()[name]), name)
		zoe.open(t, asked.links()[name]).want(t, http.StatusBadRequest) // once
	}
	in(zoe.comeBack(t, i, "?return_to=/traders&organization=alpha+capital", "1", "zoe@example.com"), "Alpha Capital")

	// A choice is only valid in the browser that was asked, and for that sign-in.
	asked := zoe.comeBack(t, i, "", "1", "zoe@example.com").want(t, http.StatusOK)
	path := asked.links()["Alpha Capital"]
	b.newBrowser().open(t, path).want(t, http.StatusBadRequest)
	zoe.open(t, strings.Replace(path, "state=", "state=x", 1)).want(t, http.StatusBadRequest)
	third, _ := newNamedOrganization(t, b.db, "Gamma Capital")
	zoe.open(t, strings.Replace(path, b.org.ID.String(), third.ID.String(), 1)).want(t, http.StatusForbidden)
	// Programs receive the names.
	zoe.header = with("Accept", "application/json")
	p := zoe.comeBack(t, i, "", "1", "zoe@example.com").wantProblem(t, http.StatusConflict, "organization_required")
	if diff := cmp.Diff([]string{"Alpha Capital", "Beta Capital"}, p.Organizations); diff != "" {
		t.Errorf("organizations (-want +got):\n%s", diff)
	}
}

// TestOIDCGroups checks that groups at the provider give a person's role at each sign-in, end the
// sessions of another role, and keep out who is in none of them.
func TestOIDCGroups(t *testing.T) {
	t.Parallel()
	b := setupAlone(t)
	b.roles = map[string]access.Role{"risk": access.RoleReviewer, "staff": access.RoleViewer, "heads": access.RoleOwner}
	i := b.startIssuer(t)
	b.send(t, "POST", "/v1/users", b.key, map[string]any{"email": "zoe@example.com", "role": "viewer", "sign_in": "oidc"}).want(t, http.StatusCreated)
	role := func(email string) string {
		t.Helper()
		return b.readText(t, `SELECT role FROM people WHERE email = '`+email+`'`)
	}

	first := b.newBrowser()
	i.groups = []string{"lunch", "staff", "risk"}
	first.comeBack(t, i, "", "1", "zoe@example.com").want(t, http.StatusSeeOther)
	first.open(t, "/session").want(t, http.StatusOK)
	if got := role("zoe@example.com"); got != "reviewer" {
		t.Errorf("the highest role of the groups is %s", got)
	}
	if n := b.readText(t, `SELECT count(*)::text FROM audit_log WHERE action = 'user.updated' AND after->>'role' = 'reviewer'`); n != "1" {
		t.Errorf("the change is in the audit log %s times", n)
	}

	again := b.newBrowser()
	i.groups = []string{"staff"}
	again.comeBack(t, i, "", "1", "zoe@example.com").want(t, http.StatusSeeOther)
	again.open(t, "/session").want(t, http.StatusOK)
	first.open(t, "/session").want(t, http.StatusUnauthorized)
	if got := role("zoe@example.com"); got != "viewer" {
		t.Errorf("a person who has left a group is a %s", got)
	}

	for _, groups := range [][]string{nil, {}, {"Staff", "lunch"}} {
		i.groups = groups
		r := b.newBrowser().comeBack(t, i, "", "1", "zoe@example.com").want(t, http.StatusForbidden)
		if !strings.Contains(r.body, "None of your groups") {
			t.Errorf("with the groups %v: %s", groups, r.body)
		}
	}

	// The only owner stays one, whatever the groups say.
	i.groups = []string{"staff"}
	b.newBrowser().comeBack(t, i, "?organization=Alpha+Capital", "2", "owner@example.com").want(t, http.StatusSeeOther)
	if got := b.readText(t, `SELECT role FROM people WHERE organization_id = '`+b.org.ID.String()+`' AND email = 'owner@example.com'`); got != "owner" {
		t.Errorf("the only owner is a %s", got)
	}
}
