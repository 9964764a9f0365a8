package docs

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"strings"
)

//go:embed templates
var files embed.FS

// templates makes HTML pages, all of them with the same frame and stylesheet.
type templates struct {
	*template.Template
	policy string // of the pages without scripts
}

func parseTemplates(assets map[string]asset) (templates, error) {
	style, err := files.ReadFile("templates/style.css")
	if err != nil {
		return templates{}, err
	}
	css := "\n" + string(style)
	t, err := template.New("").Funcs(template.FuncMap{
		"style": func() template.CSS { return template.CSS(css) }, //nolint:gosec // our own file, not input
		"text":  markCode,
		"asset": func(name string) (string, error) {
			a, ok := assets[name]
			if !ok {
				return "", fmt.Errorf("there is no asset %s", name)
			}
			return a.address(name), nil
		},
	}).ParseFS(files, "templates/*.html")
	// Nothing runs, and nothing is loaded but the stylesheet in the page and its icon.
	policy := "default-src 'none'; style-src " + styleHash(css) + "; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
	return templates{t, policy}, err
}

// page makes a page from the template of that name.
func (t templates) page(name, policy string, data any) (page, error) {
	var text bytes.Buffer
	if err := t.ExecuteTemplate(&text, name, data); err != nil {
		return page{}, err
	}
	return newPage(text.Bytes(), policy), nil
}

// markCode turns the parts of a text between backticks into code.
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
