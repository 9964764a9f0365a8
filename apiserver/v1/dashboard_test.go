package v1_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/oidc"
	"github.com/assayhq/assay/apiserver/web"
	"github.com/assayhq/assay/store/storetest"
)

const acceptHTML = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

// loaded is what the dashboard's page loads.
var loaded = regexp.MustCompile(`(?:src|href)="(/assets/[^"]+)"`)

// TestDashboardIsServedAtItsAddresses opens every address with a session and without one.
func TestDashboardIsServedAtItsAddresses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.server.Client().CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	cookie := auth.SessionCookie + "=" + auth.NewToken().Secret().Reveal()
	for _, address := range web.Addresses() {
		path := variable.ReplaceAllString(address, "0190a000-0000-7000-8000-000000000001") + "?status=invited"
		page := b.sendAs(t, path, "Cookie", cookie)
		page.want(t, http.StatusOK)
		want := map[string]string{
			"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; connect-src 'self'; " +
				"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
			"Permissions-Policy": "camera=(), microphone=(), geolocation=(), display-capture=(), fullscreen=(self)",
		}
		got := make(map[string]string)
		for name := range want {
			got[name] = page.header.Get(name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: headers (-want +got):\n%s", path, diff)
		}
		stranger := b.page(t, path)
		if address == "/sign-in" {
			stranger.want(t, http.StatusOK)
		} else if to := stranger.header.Get("Location"); stranger.status != http.StatusSeeOther || to != "/sign-in?"+(url.Values{"return_to": {path}}).Encode() {
			t.Errorf("%s without a session: %d to %s", path, stranger.status, to)
		}
	}
	if to := b.page(t, "/").header.Get("Location"); to != "/sign-in" {
		t.Errorf("the first page without a session leads to %s", to)
	}

	page := b.page(t, "/sign-in").body
	for _, inline := range []string{"<style", " style=", "onload=", "<script>"} {
		if strings.Contains(page, inline) {
			t.Errorf("the page holds %s, which its policy forbids: %s", inline, page)
		}
	}
	files := loaded.FindAllStringSubmatch(page, -1)
	if len(files) < 3 {
		t.Errorf("the page loads %v", files)
	}
	for _, file := range files {
		b.page(t, file[1]).want(t, http.StatusOK)
	}
}

// TestAddressesOfNothing checks that people see that a page does not exist, and programs get a
// problem.
func TestAddressesOfNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, path := range []string{"/nothing", "/integrations/a/b", "/traders/"} {
		if r := b.sendAs(t, path, "Accept", acceptHTML); r.status != http.StatusNotFound || r.header.Get("Content-Type") != "text/html; charset=utf-8" || !strings.Contains(r.header.Get("Vary"), "Accept") {
			t.Errorf("a browser gets %d %v of %s", r.status, r.header, path)
		}
		b.sendAs(t, path, "Accept", "application/json").wantProblem(t, http.StatusNotFound, "not_found")
	}
	if r := b.sendAs(t, "/v1/nothing", "Accept", acceptHTML); r.status != http.StatusUnauthorized {
		t.Errorf("a browser gets %d of what lies below /v1", r.status)
	}
}

// TestSignInMethods checks that the page learns whether it can offer the provider's account.
func TestSignInMethods(t *testing.T) {
	t.Parallel()
	b := setup(t)
	want := func(methods ...string) {
		t.Helper()
		got := decodeInto[struct{ Methods []string }](t, b.send(t, "GET", "/session/methods", "", nil).want(t, http.StatusOK))
		if diff := cmp.Diff(methods, got.Methods); diff != "" {
			t.Errorf("methods (-want +got):\n%s", diff)
		}
	}
	want("password")
	b.oidc = oidc.New(oidc.Options{Issuer: "http://" + storetest.Address(t), ClientID: "assay", RedirectURL: "https://assay.example/oidc/callback", Now: time.Now})
	b.restart(t)
	want("password", "oidc")
}
