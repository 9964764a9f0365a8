package v1_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/apiserver/problem"
)

// page sends a GET without a key.
func (b *testAPI) page(t *testing.T, path string) reply {
	t.Helper()
	return b.sendAs(t, path, "X-Request-Id", requestID)
}

// sendAs sends a GET without a key and with a header. Pages are not in the OpenAPI document, so
// their responses are not checked against it.
func (b *testAPI) sendAs(t *testing.T, path, name, value string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, b.server.URL+path, nil)
	check(t, err)
	req.Header.Set(name, value)
	res, err := b.server.Client().Do(req)
	check(t, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	check(t, err)
	return reply{res.StatusCode, res.Header, string(text)}
}

// links returns the targets of a page's links. The page must be well-formed XML, so unclosed
// elements are found.
func links(t *testing.T, page string) []string {
	t.Helper()
	var targets []string
	ids := make(map[string]bool)
	for decoder := xml.NewDecoder(strings.NewReader(page)); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return targets
		}
		if err != nil {
			t.Fatalf("not well formed: %v\n%s", err, page)
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		for _, a := range start.Attr {
			switch a.Name.Local {
			case "href":
				targets = append(targets, a.Value)
			case "id":
				if ids[a.Value] {
					t.Errorf("two elements have the id %s", a.Value)
				}
				ids[a.Value] = true
			case "src":
				if start.Name.Local != "img" || !strings.HasPrefix(a.Value, "/docs/") {
					t.Errorf("<%s> shows %s", start.Name.Local, a.Value)
				}
			case "style", "onclick":
				t.Errorf("<%s> has a %s", start.Name.Local, a.Name.Local)
			}
		}
		if start.Name.Local == "script" {
			t.Error("the page has a script")
		}
	}
}

var styleText = regexp.MustCompile(`(?s)<style>(.*?)</style>`)

// wantPage checks what all pages have in common.
func (r reply) wantPage(t *testing.T, status int) {
	t.Helper()
	r.want(t, status)
	style := styleText.FindStringSubmatch(r.body)
	if style == nil {
		t.Fatalf("the page has no stylesheet: %s", r.body)
	}
	sum := sha256.Sum256([]byte(style[1]))
	want := map[string]string{
		"Content-Type": "text/html; charset=utf-8",
		"Content-Security-Policy": "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
			"'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
		"X-Content-Type-Options": "nosniff",
		"Referrer-Policy":        "no-referrer",
		"Content-Length":         strconv.Itoa(len(r.body)),
	}
	got := make(map[string]string)
	for name := range want {
		got[name] = r.header.Get(name)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
}

func TestEveryProblemHasAPage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	index := b.page(t, "/problems")
	index.wantPage(t, http.StatusOK)
	listed := strings.Join(links(t, index.body), " ")
	writer := problem.NewWriter(b.server.URL)
	for _, code := range problem.Codes() {
		rec := httptest.NewRecorder()
		writer.Write(rec, requestID, code.Example())
		doc := decodeInto[problemBody](t, reply{body: rec.Body.String()})
		path, ok := strings.CutPrefix(doc.Type, b.server.URL)
		if !ok || doc.Code != string(code) {
			t.Fatalf("%s: type %s, code %s", code, doc.Type, doc.Code)
		}
		page := b.page(t, path)
		page.wantPage(t, http.StatusOK)
		links(t, page.body)
		for _, text := range []string{
			strconv.Itoa(code.Status()) + " " + http.StatusText(code.Status()),
			"<h1>" + code.Title() + "</h1>", "<code>" + string(code) + "</code>",
			"What it means", "Why it happens", "What to do", "Should you retry?",
			`&#34;type&#34;: &#34;https://assay.example/problems/` + string(code), `&#34;request_id&#34;`, "application/problem+json",
		} {
			if !strings.Contains(page.body, text) {
				t.Errorf("the page of %s does not hold %q", code, text)
			}
		}
		if !strings.Contains(listed, path) {
			t.Errorf("%s is not listed", code)
		}
	}
	page := b.page(t, "/problems/validation_failed")
	for _, fault := range problem.FaultCodes() {
		if !strings.Contains(page.body, `id="`+string(fault)+`"`) {
			t.Errorf("the fault code %s is not explained", fault)
		}
	}
}

// TestProblemsLeadToTheirPages follows the type of problems that the API returns, and the links
// of the pages that explain them.
func TestProblemsLeadToTheirPages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	answers := []reply{
		b.send(t, "GET", "/v1/traders", "", nil),
		b.send(t, "GET", "/v1/traders", "svc_live_x", nil),
		b.send(t, "GET", "/v1/traders?limit=0", b.key, nil),
		b.send(t, "PUT", "/v1/traders", b.key, nil),
		b.send(t, "GET", "/nothing", "", nil),
		b.page(t, "/problems/nothing"),
		b.send(t, "POST", "/problems", "", nil),
		b.send(t, "POST", "/v1/integrations", b.key, "{"),
		b.send(t, "POST", "/v1/integrations", b.key, `{"name": "`+strings.Repeat("x", 2<<20)+`"}`),
	}
	targets := []string{"/problems"}
	for _, answer := range answers {
		doc := decodeInto[problemBody](t, answer)
		if doc.Status != answer.status || doc.Code == "" {
			t.Errorf("answered %d: %s", answer.status, answer.body)
		}
		path, ok := strings.CutPrefix(doc.Type, "https://assay.example")
		if !ok {
			t.Errorf("the type %s lies elsewhere", doc.Type)
		}
		targets = append(targets, path)
	}
	seen := make(map[string]bool)
	for len(targets) > 0 {
		path := targets[0]
		targets = targets[1:]
		if seen[path] || !strings.HasPrefix(path, "/problems") {
			continue
		}
		seen[path] = true
		targets = append(targets, links(t, b.page(t, path).want(t, http.StatusOK).body)...)
	}
	if got, want := len(seen), len(problem.Codes())+1; got != want {
		t.Errorf("%d pages are linked, want %d", got, want)
	}
}

func TestPagesAreCached(t *testing.T) {
	t.Parallel()
	b := setup(t)
	first := b.page(t, "/problems/conflict").want(t, http.StatusOK)
	etag := first.header.Get("ETag")
	if got := first.header.Get("Cache-Control"); got != "public, max-age=3600" {
		t.Errorf("Cache-Control %q", got)
	}
	tests := []struct {
		name  string
		match string
		want  int
	}{
		{"the same", etag, http.StatusNotModified},
		{"among others", `"x", W/` + etag, http.StatusNotModified},
		{"any", "*", http.StatusNotModified},
		{"another", `"x"`, http.StatusOK},
		{"without quotes", strings.Trim(etag, `"`), http.StatusOK},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := b.sendAs(t, "/problems/conflict", "If-None-Match", tt.match).want(t, tt.want)
			if r.header.Get("ETag") != etag || r.header.Get("Cache-Control") != "public, max-age=3600" {
				t.Errorf("headers %v", r.header)
			}
			if tt.want == http.StatusNotModified && r.body != "" {
				t.Errorf("304 with a body: %s", r.body)
			}
		})
	}
	if other := b.page(t, "/problems/not_found"); other.header.Get("ETag") == etag {
		t.Error("two pages have the same tag")
	}
}

func TestUnknownProblem(t *testing.T) {
	t.Parallel()
	b := setup(t)
	document := b.sendAs(t, "/problems/%3Cscript%3E", "Accept", "*/*")
	document.wantProblem(t, http.StatusNotFound, "not_found")
	page := b.sendAs(t, "/problems/%3Cscript%3E", "Accept", "text/html,*/*;q=0.8")
	page.wantPage(t, http.StatusNotFound)
	links(t, page.body)
	for _, r := range []reply{document, page} {
		if strings.Contains(r.body, "script") {
			t.Errorf("the address is repeated: %s", r.body)
		}
		if r.header.Get("Vary") != "Accept" || r.header.Get("Cache-Control") != "no-store" {
			t.Errorf("headers %v", r.header)
		}
	}
	b.server.Close()
	if got := strings.Count(b.log.String(), `"route":"/problems/{code}","status":404`); got != 2 {
		t.Errorf("%d requests are logged under their route: %s", got, b.log)
	}
}
