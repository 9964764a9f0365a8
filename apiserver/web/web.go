// Package web serves the pages that people work on: the dashboard, the trader's
// interview and the shared report. They are written in TypeScript under src and
// pages, built by build.mjs into dist, and embedded, so that a build needs no
// Node.
//
// A page is one HTML file without any data. It requests what it shows from the routes of its own
// origin.
package web

import (
	"embed"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/gorilla/mux"

	"github.com/assayhq/assay/apiserver/page"
)

// AssetVariable is the path variable that names a file of the pages.
const AssetVariable = "asset"

// AssetsPath is where the files of the pages lie.
const AssetsPath = "/assets/"

//go:embed dist
var dist embed.FS

// policy lets a page run and load content from this origin, call only this origin, and show what
// it recorded itself (blob:). Inline scripts do not run.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; media-src 'self' blob:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Pages serves the pages. Its methods are handlers of public routes.
type Pages struct {
	dashboard page.Page
	interview page.Page
	share     page.Page
	assets    page.Assets
	preloads  map[string]string // by address of the dashboard: the header Link of its answer
}

// New reads the built pages.
func New() (*Pages, error) {
	assets, err := page.LoadAssets(dist, true, "dist/assets")
	if err != nil {
		return nil, fmt.Errorf("built pages: %w", err)
	}
	p := &Pages{assets: assets, preloads: make(map[string]string)}
	if err := p.readPreloads(); err != nil {
		return nil, fmt.Errorf("built pages: %w", err)
	}
	for name, made := range map[string]*page.Page{"dashboard": &p.dashboard, "interview": &p.interview, "share": &p.share} {
		text, err := dist.ReadFile("dist/" + name + ".html")
		if err != nil {
			return nil, fmt.Errorf("built pages: %w", err)
		}
		*made = page.HTML(text, policy, page.CacheNever)
	}
	return p, nil
}

// readPreloads reads which files each page of the dashboard loads beyond those that its HTML names. A
// browser that learns of them only from the dashboard's script shows the page a round trip later.
func (p *Pages) readPreloads() error {
	text, err := dist.ReadFile("dist/preloads.json")
	if err != nil {
		return err
	}
	var files map[string][]string
	if err := json.Unmarshal(text, &files); err != nil {
		return err
	}
	for address, names := range files {
		links := make([]string, len(names))
		for i, name := range names {
			kind := "modulepreload"
			if strings.HasSuffix(name, ".css") {
				kind = "preload; as=style"
			}
			links[i] = fmt.Sprintf("</%s>; rel=%s; crossorigin", name, kind)
		}
		p.preloads[address] = strings.Join(links, ", ")
	}
	return nil
}

// Asset answers GET /assets/{asset}.
func (p *Pages) Asset(w http.ResponseWriter, r *http.Request) error {
	return p.assets.Serve(w, r, mux.Vars(r)[AssetVariable])
}

// Addresses are the paths of the dashboard's pages, as templates (the table in
// src/dashboard/routes.ts). All of them serve the same page, whose script reads the address.
func Addresses() []string {
	return []string{
		"/", "/sign-in",
		"/integrations", "/integrations/new", "/integrations/{id}",
		"/traders", "/traders/{id}", "/payouts",
		"/interviews", "/interviews/new", "/interviews/{id}", "/interviews/{id}/print",
		"/rules",
		"/developers/keys", "/developers/webhooks", "/developers/webhooks/{id}",
		"/audit", "/people", "/organization",
	}
}

// Dashboard answers with the dashboard's page and the status. The address is one of Addresses, or
// empty if there is no such page. Its data depends on the session, so no cache stores it.
func (p *Pages) Dashboard(w http.ResponseWriter, status int, address string) error {
	h := w.Header()
	if links := p.preloads[address]; links != "" {
		h.Set("Link", links)
	}
	h.Set("Cache-Control", page.CacheNever)
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), display-capture=(), fullscreen=(self)")
	return p.dashboard.Write(w, status)
}

// Interview answers with the trader's page and the status. The page is the same for every link.
// The caller must check the link.
func (p *Pages) Interview(w http.ResponseWriter, status int) error {
	return writeSecret(w, p.interview, status, "camera=(self), microphone=(self), fullscreen=(self)")
}

// Share answers with the page of a shared report and the status.
func (p *Pages) Share(w http.ResponseWriter, status int) error {
	return writeSecret(w, p.share, status, "camera=(), microphone=(), fullscreen=(self)")
}

// writeSecret writes a page whose address must stay secret. permissions are browser features that
// the page may use in addition to those of every page.
func writeSecret(w http.ResponseWriter, p page.Page, status int, permissions string) error {
	h := w.Header()
	h.Set("Cache-Control", page.CacheNever)
	h.Set("X-Robots-Tag", "noindex, nofollow")
	h.Set("Permissions-Policy", permissions+", geolocation=(), display-capture=()")
	return p.Write(w, status)
}
