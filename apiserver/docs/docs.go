// Package docs serves the API's documentation for people: a page for each problem code, at the
// address that problem documents give as their type, the reference at /docs, and at /docs/console a
// page on which operations can be tried out.
//
// All pages are rendered from the same definitions as the responses that they explain, and do not
// change until the process ends. The reference is rendered when somebody first asks for it.
package docs

import (
	"embed"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/gorilla/mux"

	"github.com/assayhq/assay/apiserver/middleware"
	"github.com/assayhq/assay/apiserver/openapi"
	"github.com/assayhq/assay/apiserver/page"
	"github.com/assayhq/assay/apiserver/problem"
)

// CodeVariable is the path variable that names a problem's code.
const CodeVariable = "code"

// AssetVariable is the path variable that names a section of the reference, or a file.
const AssetVariable = "asset"

// AssetsPath is where the sections of the reference and its files lie.
const AssetsPath = "/docs/"

// consoleAddress is the address of the console below AssetsPath.
const consoleAddress = "console"

//go:embed assets/*.* assets/swagger-ui/*.js assets/swagger-ui/*.css
var assetFiles embed.FS

// Pages serves the pages. Its methods are handlers of public routes.
type Pages struct {
	problems  map[problem.Code]page.Page
	index     page.Page
	unknown   page.Page
	reference func() (map[string]page.Page, error) // by address below AssetsPath
	console   page.Page
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
	if p.console, err = t.renderPage("console.html", consolePolicy, view{"Console"}); err != nil {
		return nil, fmt.Errorf("console: %w", err)
	}
	p.reference = sync.OnceValues(func() (map[string]page.Page, error) {
		return t.renderReference(strings.ReplaceAll(openapi.Committed(), openapi.Origin, publicURL))
	})
	return p, nil
}

// consolePolicy lets the console run the scripts and load the stylesheets of this origin, and
// call only this origin, so that a key that somebody tries out there is sent nowhere else. The
// renderer's stylesheet contains its pictures.
const consolePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Asset answers GET /docs/{asset} with a section of the reference, the console or a file.
func (p *Pages) Asset(w http.ResponseWriter, r *http.Request) error {
	name := mux.Vars(r)[AssetVariable]
	if name == consoleAddress {
		return p.console.Serve(w, r)
	}
	if strings.Contains(name, ".") {
		return p.assets.Serve(w, r, name)
	}
	pages, err := p.reference()
	if err != nil {
		return err
	}
	if found, ok := pages[name]; ok {
		return found.Serve(w, r)
	}
	return problem.New(problem.NotFound, "")
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
