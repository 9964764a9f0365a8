// Package docs serves the API's documentation for people: a page for each problem code, at the
// address that problem documents give as their type, and the reference at /docs.
//
// All pages are rendered when the process starts, from the same definitions as the responses that
// they explain, and do not change until the process ends.
package docs

import (
	"embed"
	"fmt"
	"net/http"

	"github.com/gorilla/mux"

	"github.com/assayhq/assay/apiserver/middleware"
	"github.com/assayhq/assay/apiserver/page"
	"github.com/assayhq/assay/apiserver/problem"
)

// CodeVariable is the path variable that names a problem's code.
const CodeVariable = "code"

// AssetVariable is the path variable that names a file of the reference.
const AssetVariable = "asset"

// AssetsPath is where the files of the reference lie.
const AssetsPath = "/docs/"

//go:embed assets/*.* assets/swagger-ui/*.js assets/swagger-ui/*.css
var assetFiles embed.FS

// Pages serves the pages. Its methods are handlers of public routes.
type Pages struct {
	problems  map[problem.Code]page.Page
	index     page.Page
	unknown   page.Page
	reference page.Page
	assets    page.Assets
	templates templates
}

// New renders the pages. publicURL is the origin of the links in them.
func New(publicURL string) (*Pages, error) {
	assets, err := page.LoadAssets(assetFiles, false, "assets", "assets/swagger-ui")
	if err != nil {
		return nil, fmt.Errorf("assets: %w", err)
	}
	t, err := parseTemplates(assets)
	if err != nil {
		return nil, fmt.Errorf("pages: %w", err)
	}
	p := &Pages{problems: make(map[problem.Code]page.Page), assets: assets, templates: t}
	writer := problem.NewWriter(publicURL)
	for _, code := range problem.Codes() {
		explained, err := explainCode(writer, code)
		if err != nil {
			return nil, fmt.Errorf("example of %s: %w", code, err)
		}
		if p.problems[code], err = t.renderPage("problem.html", t.policy, explained); err != nil {
			return nil, fmt.Errorf("page of %s: %w", code, err)
		}
	}
	if p.index, err = t.renderPage("index.html", t.policy, listCodes()); err != nil {
		return nil, fmt.Errorf("page of all problems: %w", err)
	}
	if p.unknown, err = t.renderPage("unknown.html", t.policy, view{"No such problem"}); err != nil {
		return nil, fmt.Errorf("page of unknown problems: %w", err)
	}
	if p.reference, err = t.renderPage("reference.html", referencePolicy, view{"Reference"}); err != nil {
		return nil, fmt.Errorf("reference: %w", err)
	}
	return p, nil
}

// referencePolicy lets the reference run the scripts and load the stylesheets of this origin, and
// call only this origin, so that a key that somebody tries out there is sent nowhere else. The
// renderer's stylesheet contains its pictures.
const referencePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Reference answers GET /docs with the reference, rendered from the OpenAPI document.
func (p *Pages) Reference(w http.ResponseWriter, r *http.Request) error {
	return p.reference.Serve(w, r)
}

// Asset answers GET /docs/{asset}.
func (p *Pages) Asset(w http.ResponseWriter, r *http.Request) error {
	return p.assets.Serve(w, r, mux.Vars(r)[AssetVariable])
}

// Problems answers GET /problems with all codes.
func (p *Pages) Problems(w http.ResponseWriter, r *http.Request) error {
	return p.index.Serve(w, r)
}

// Problem answers GET /problems/{code}. For an unknown code it answers 404: with a problem
// document as everywhere, or with a page if a person's browser asks.
func (p *Pages) Problem(w http.ResponseWriter, r *http.Request) error {
	if found, ok := p.problems[problem.Code(mux.Vars(r)[CodeVariable])]; ok {
		return found.Serve(w, r)
	}
	w.Header().Set("Vary", "Accept")
	if !page.PrefersHTML(r.Header) {
		return problem.New(problem.NotFound, "")
	}
	middleware.EventFrom(r.Context()).Problem = string(problem.NotFound)
	return p.unknown.Write(w, http.StatusNotFound)
}
