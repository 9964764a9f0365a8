// Package web serves the pages that people work on: the dashboard, the trader's
// interview and the shared report. They are written in TypeScript under src and
// pages, built by build.mjs into dist, and embedded, so that a build needs no
// Node.
//
// A page is one HTML file without any data: what it shows it asks the routes of
// its own origin for.
package web

import (
	"embed"
	"fmt"
	"net/http"

	"github.com/gorilla/mux"

	"github.com/assayhq/assay/apiserver/page"
)

// AssetVariable is the path variable that names a file of the pages.
const AssetVariable = "asset"

// AssetsPath is where the files of the pages lie.
const AssetsPath = "/assets/"

//go:embed dist
var dist embed.FS

// policy lets a page run and load what comes from this origin, call this origin
// alone, and show what it recorded itself (blob:). Nothing inline runs.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Pages serves the pages. Its methods are handlers of public routes.
type Pages struct {
	dashboard page.Page
	interview page.Page
	share     page.Page
	assets    page.Assets
}

// New reads the built pages.
func New() (*Pages, error) {
	assets, err := page.LoadAssets(dist, true, "dist/assets")
	if err != nil {
		return nil, fmt.Errorf("built pages: %w", err)
	}
	p := &Pages{assets: assets}
	for name, made := range map[string]*page.Page{"dashboard": &p.dashboard, "interview": &p.interview, "share": &p.share} {
		text, err := dist.ReadFile("dist/" + name + ".html")
		if err != nil {
			return nil, fmt.Errorf("built pages: %w", err)
		}
		*made = page.HTML(text, policy, page.CacheNever)
	}
	return p, nil
}

// Asset answers GET /assets/{asset}.
func (p *Pages) Asset(w http.ResponseWriter, r *http.Request) error {
	return p.assets.Serve(w, r, mux.Vars(r)[AssetVariable])
}

// Addresses are the paths of the dashboard's pages, as templates (the table of
// src/dashboard/routes.ts). The page is the same at all of them: its script looks
// at the address.
func Addresses() []string {
	return []string{
		"/", "/sign-in",
		"/integrations", "/integrations/new", "/integrations/{id}",
		"/traders", "/traders/{id}",
		"/interviews", "/interviews/new", "/interviews/{id}", "/interviews/{id}/print",
		"/rules",
		"/developers/keys", "/developers/webhooks", "/developers/webhooks/{id}",
		"/audit", "/people", "/organization",
	}
}

// Dashboard answers with the dashboard's page, under the status. Whose data it
// shows follows from the session, so no cache keeps it.
func (p *Pages) Dashboard(w http.ResponseWriter, status int) error {
	h := w.Header()
	h.Set("Cache-Control", page.CacheNever)
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), display-capture=(), fullscreen=(self)")
	return p.dashboard.Write(w, status)
}

// Interview answers with the trader's page, under the status. It is the same
// for every link; whether the link is good is for the caller to know.
func (p *Pages) Interview(w http.ResponseWriter, status int) error {
	return writeSecret(w, p.interview, status, "camera=(self), microphone=(self), fullscreen=(self)")
}

// Share answers with the page of a shared report, under the status.
func (p *Pages) Share(w http.ResponseWriter, status int) error {
	return writeSecret(w, p.share, status, "camera=(), microphone=(), fullscreen=(self)")
}

// writeSecret writes a page whose address nobody else may learn. permissions are
// what its browser may use beside what every page may.
func writeSecret(w http.ResponseWriter, p page.Page, status int, permissions string) error {
	h := w.Header()
	h.Set("Cache-Control", page.CacheNever)
	h.Set("X-Robots-Tag", "noindex, nofollow")
	h.Set("Permissions-Policy", permissions+", geolocation=(), display-capture=()")
	return p.Write(w, status)
}
