// Package web serves the pages that people work on: the trader's interview and
// the shared report. They are written in TypeScript under src and pages, built
// by build.mjs into dist, and embedded, so that a build needs no Node.
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
	interview page.Page
	assets    page.Assets
}

// New reads the built pages.
func New() (*Pages, error) {
	assets, err := page.LoadAssets(dist, true, "dist/assets")
	if err != nil {
		return nil, fmt.Errorf("built pages: %w", err)
	}
	interview, err := dist.ReadFile("dist/interview.html")
	if err != nil {
		return nil, fmt.Errorf("built pages: %w", err)
	}
	return &Pages{interview: page.HTML(interview, policy, page.CacheNever), assets: assets}, nil
}

// Asset answers GET /assets/{asset}.
func (p *Pages) Asset(w http.ResponseWriter, r *http.Request) error {
	return p.assets.Serve(w, r, mux.Vars(r)[AssetVariable])
}

// Interview answers with the trader's page, under the status. It is the same
// for every link; whether the link is good is for the caller to know.
func (p *Pages) Interview(w http.ResponseWriter, status int) error {
	h := w.Header()
	h.Set("Cache-Control", page.CacheNever)
	h.Set("X-Robots-Tag", "noindex, nofollow")
	h.Set("Permissions-Policy", "camera=(self), microphone=(self), fullscreen=(self), geolocation=(), display-capture=()")
	return p.interview.Write(w, status)
}
