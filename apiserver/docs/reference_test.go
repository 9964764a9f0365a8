package docs_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gorilla/mux"

	"github.com/assayhq/assay/apiserver/docs"
	"github.com/assayhq/assay/apiserver/openapi"
	"github.com/assayhq/assay/apiserver/openapi/openapitest"
)

// readReference returns all pages of the reference by their paths, starting from the links of the first one.
func readReference(t *testing.T) map[string]string {
	t.Helper()
	pages, err := docs.New("https://api.example")
	if err != nil {
		t.Fatal(err)
	}
	read := func(path string) string {
		r := httptest.NewRequestWithContext(t.Context(), "GET", path, nil)
		w := httptest.NewRecorder()
		serve := pages.Reference
		if name := strings.TrimPrefix(path, docs.AssetsPath); name != path {
			serve, r = pages.Asset, mux.SetURLVars(r, map[string]string{docs.AssetVariable: name})
		}
		if err := serve(w, r); err != nil || w.Code != http.StatusOK {
			t.Fatalf("%s: %d, %v", path, w.Code, err)
		}
		return w.Body.String()
	}
	all := map[string]string{"/docs": read("/docs")}
	for _, link := range regexp.MustCompile(`href="(/docs/[a-z-]+)"`).FindAllStringSubmatch(all["/docs"], -1) {
		all[link[1]] = read(link[1])
	}
	return all
}

// TestReferenceShowsEverything checks that the reference has each operation, event and object of the document, and
// that its links lead somewhere.
func TestReferenceShowsEverything(t *testing.T) {
	t.Parallel()
	doc, err := openapitest.Load(openapi.Committed())
	if err != nil {
		t.Fatal(err)
	}
	pages := readReference(t)
	var text strings.Builder
	ids := map[string]bool{}
	for path, page := range pages {
		text.WriteString(page)
		ids[path] = true
		for _, id := range regexp.MustCompile(` id="([^"]+)"`).FindAllStringSubmatch(page, -1) {
			ids[path+"#"+id[1]] = true
		}
	}
	missing := func(kind, name string) {
		if !strings.Contains(text.String(), ` id="`+name+`"`) {
			t.Errorf("the reference has no %s %s", kind, name)
		}
	}
	headers := map[string]bool{}
	for path, item := range doc.Paths.Map() {
		for method, o := range item.Operations() {
			missing("operation", o.OperationID)
			if !strings.Contains(text.String(), `<span class="method `+method+`">`+method+`</span> <code>`+path+`</code>`) {
				t.Errorf("the reference has no %s %s", method, path)
			}
			for _, answer := range o.Responses.Map() {
				for name := range answer.Value.Headers {
					headers[name] = true
				}
			}
		}
	}
	for name := range headers {
		if !regexp.MustCompile(`<p class="rule">[^<]*\b` + name + `\b`).MatchString(text.String()) {
			t.Errorf("the reference has no header %s of a response", name)
		}
	}
	for kind := range doc.Webhooks {
		missing("event", kind)
	}
	for name, s := range doc.Components.Schemas {
		if s.Value.Enum == nil && s.Value.Extensions["x-extensible-enum"] == nil {
			missing("object", name)
		}
	}
	for _, link := range regexp.MustCompile(`href="(/docs/[a-z-]+#[^/"][^"]*)"`).FindAllStringSubmatch(text.String(), -1) {
		if !ids[link[1]] {
			t.Errorf("%s leads nowhere", link[1])
		}
	}
	if strings.Contains(text.String(), openapi.Origin+"/") {
		t.Errorf("the reference names %s in place of the server's own address", openapi.Origin)
	}
}

// TestSamples checks that each operation which a key may call is shown in all languages, the same way.
func TestSamples(t *testing.T) {
	t.Parallel()
	section := regexp.MustCompile(`(?s)<section class="operation" id="(\w+)".*?</section>`)
	language := regexp.MustCompile(`<figure data-language="(\w+)">`)
	for path, page := range readReference(t) {
		for _, found := range section.FindAllStringSubmatch(page, -1) {
			var got []string
			for _, l := range language.FindAllStringSubmatch(found[0], -1) {
				got = append(got, l[1])
			}
			want := []string{"curl", "ts", "go", "python"}
			if !strings.Contains(found[0], "Authorization: Bearer") {
				want = want[:1] // it is for the pages, or for anybody
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s#%s is shown in %v, want %v", path, found[1], got, want)
			}
		}
	}
}

func BenchmarkReference(b *testing.B) {
	for b.Loop() {
		pages, err := docs.New("https://api.example")
		if err != nil {
			b.Fatal(err)
		}
		if err := pages.Reference(httptest.NewRecorder(), httptest.NewRequestWithContext(b.Context(), "GET", "/docs", nil)); err != nil {
			b.Fatal(err)
		}
	}
}

// TestReferenceHasTheDashboardsColors checks that the colors of the reference are those of the dashboard.
func TestReferenceHasTheDashboardsColors(t *testing.T) {
	t.Parallel()
	variable := regexp.MustCompile(`(--[a-z-]+): (light-dark\([^)]*\));`)
	read := func(path string) map[string]string {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		values := map[string]string{}
		for _, found := range variable.FindAllStringSubmatch(string(text), -1) {
			values[found[1]] = found[2]
		}
		return values
	}
	dashboard, reference := read("../web/src/ui/theme.css"), read("assets/reference.css")
	if len(reference) < 10 {
		t.Fatalf("the reference has %d colors", len(reference))
	}
	for name, value := range reference {
		if dashboard[name] != value {
			t.Errorf("%s is %s, in the dashboard %s", name, value, dashboard[name])
		}
	}
	known := slices.Collect(maps.Values(dashboard))
	for _, path := range []string{"assets/header.css", "templates/style.css"} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		colors := regexp.MustCompile(`light-dark\([^)]*\)`).FindAllString(string(text), -1)
		if len(colors) == 0 {
			t.Errorf("%s has no colors", path)
		}
		for _, color := range colors {
			if !slices.Contains(known, color) {
				t.Errorf("the dashboard has no %s, which is in %s", color, path)
			}
		}
	}
}

// TestReferenceShowsValues checks that the values of an enumeration, with what they mean, are with each member that has
// them, though the document describes them once.
func TestReferenceShowsValues(t *testing.T) {
	t.Parallel()
	traders := readReference(t)["/docs/traders"]
	_, update, _ := strings.Cut(traders, ` id="updateTrader"`)
	update, _, _ = strings.Cut(update, `<section class="operation"`)
	for _, want := range []string{"One of active, under_review, restricted, archived", "<code>under_review</code>: Someone is reviewing the trader."} {
		if !strings.Contains(update, want) {
			t.Errorf("the operation updateTrader does not say %q", want)
		}
	}
}
