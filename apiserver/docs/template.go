package docs

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"html/template"
	"strings"

	"github.com/assayhq/assay/apiserver/page"
)

//go:embed templates
var files embed.FS

// templates renders HTML pages, all with the same frame and stylesheet.
type templates struct {
	*template.Template
	policy string // policy of the pages without scripts
}

func parseTemplates(assets page.Assets) (templates, error) {
	style, err := files.ReadFile("templates/style.css")
	if err != nil {
		return templates{}, err
	}
	header, err := assetFiles.ReadFile("assets/header.css")
	if err != nil {
		return templates{}, err
	}
	css := "\n" + string(header) + string(style)
	t, err := template.New("").Funcs(template.FuncMap{
		"style": func() template.CSS { return template.CSS(css) }, //nolint:gosec // our own file, not input
		"text":  markCode,
		"asset": func(name string) (string, error) { return assets.Address(AssetsPath, name) },
	}).ParseFS(files, "templates/*.html")
	// No scripts run, and nothing is loaded except the page's stylesheet and its icon.
	policy := "default-src 'none'; style-src " + styleHash(css) + "; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	return templates{t, policy}, err
}

// styleHash returns a stylesheet's hash as a source in a Content-Security-Policy.
func styleHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// renderPage renders a page from the template with that name.
func (t templates) renderPage(name, policy string, data any) (page.Page, error) {
	var text bytes.Buffer
	if err := t.ExecuteTemplate(&text, name, data); err != nil {
		return page.Page{}, err
	}
	return page.HTML(text.Bytes(), policy, page.CacheHour), nil
}

// markCode formats the parts of a text between backticks as code.
func markCode(text string) template.HTML {
	var out strings.Builder
	for i, part := range strings.Split(text, "`") {
		escaped := template.HTMLEscapeString(part)
		if i%2 == 1 {
			escaped = "<code>" + escaped + "</code>"
		}
		out.WriteString(escaped)
	}
	return template.HTML(out.String()) //nolint:gosec // every part has been escaped
}
