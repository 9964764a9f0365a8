package page_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/assayhq/assay/apiserver/page"
	"github.com/assayhq/assay/apiserver/problem"
)

// ask requests a page or an asset with the headers and returns the response.
func ask(t *testing.T, target string, serve func(http.ResponseWriter, *http.Request) error, headers ...string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, target, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	if err := serve(w, r); err != nil {
		t.Fatal(err)
	}
	return w.Result()
}

func bodyOf(t *testing.T, r *http.Response) string {
	t.Helper()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestPage(t *testing.T) {
	t.Parallel()
	p := page.HTML([]byte("<p>Hello"), "default-src 'self'", page.CacheNever)
	first := ask(t, "/", p.Serve)
	for name, want := range map[string]string{
		"Content-Type": "text/html; charset=utf-8", "Content-Length": "8", "Content-Security-Policy": "default-src 'self'", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
	} {
		if got := first.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if got := bodyOf(t, first); got != "<p>Hello" || first.StatusCode != http.StatusOK {
		t.Errorf("%d %q", first.StatusCode, got)
	}
	tag := first.Header.Get("ETag")
	for known, want := range map[string]int{
		tag: 304, "W/" + tag: 304, `"x", ` + tag: 304, "*": 304, `"x"`: 200, "no tag": 200, "": 200,
	} {
		r := ask(t, "/", p.Serve, "If-None-Match", known)
		if r.StatusCode != want || want == 304 && bodyOf(t, r) != "" {
			t.Errorf("to who has %s: %d, want %d", known, r.StatusCode, want)
		}
	}
	if other := page.HTML([]byte("<p>Other"), "", page.CacheNever); ask(t, "/", other.Serve).Header.Get("ETag") == tag {
		t.Error("two pages have the same tag")
	}
	gone := httptest.NewRecorder()
	if err := p.Write(gone, http.StatusGone); err != nil || gone.Code != http.StatusGone || gone.Body.String() != "<p>Hello" {
		t.Errorf("under another status: %d %q, %v", gone.Code, gone.Body, err)
	}
}

func TestAssets(t *testing.T) {
	t.Parallel()
	script := strings.Repeat("let a = 1;\n", 100)
	files := fstest.MapFS{"dist/a.js": {Data: []byte(script)}, "dist/b.css": {Data: []byte("p {}")}, "dist/c.svg": {Data: []byte("<svg/>")}, "dist/sub/d.js": {Data: []byte("1")}}
	for _, hashed := range []bool{false, true} {
		assets, err := page.LoadAssets(files, hashed, "dist")
		if err != nil || len(assets) != 3 {
			t.Fatalf("%d assets, %v", len(assets), err)
		}
		address, err := assets.Address("/assets/", "a.js")
		if err != nil || hashed != (address == "/assets/a.js") || !hashed && !strings.HasPrefix(address, "/assets/a.js?v=") {
			t.Errorf("address %q, %v", address, err)
		}
		serve := func(w http.ResponseWriter, r *http.Request) error { return assets.Serve(w, r, "a.js") }
		for target, cache := range map[string]string{address: page.CacheForever, "/assets/a.js?v=old": page.CacheHour} {
			if hashed {
				cache = page.CacheForever
			}
			r := ask(t, target, serve)
			if got := r.Header.Get("Cache-Control"); got != cache || r.Header.Get("Vary") != "Accept-Encoding" || bodyOf(t, r) != script {
				t.Errorf("%s is kept as %q, want %q", target, got, cache)
			}
		}
		plain, zipped := ask(t, address, serve), ask(t, address, serve, "Accept-Encoding", "br, gzip;q=0.5")
		text := bodyOf(t, zipped)
		reader, err := gzip.NewReader(bytes.NewReader([]byte(text)))
		if err != nil {
			t.Fatal(err)
		}
		unzipped, err := io.ReadAll(reader)
		if err != nil || string(unzipped) != script || len(text) >= len(script) || zipped.Header.Get("Content-Encoding") != "gzip" {
			t.Errorf("compressed: %d bytes, %v", len(text), err)
		}
		if zipped.Header.Get("ETag") == plain.Header.Get("ETag") {
			t.Error("compressed and plain have the same tag")
		}
		if r := ask(t, address, serve, "Accept-Encoding", "gzip", "If-None-Match", zipped.Header.Get("ETag")); r.StatusCode != http.StatusNotModified {
			t.Errorf("to who has it compressed: %d", r.StatusCode)
		}
		for _, refused := range []string{"gzip;q=0", "gzip; q=0.0", "br", "", "gzip;q=much"} {
			if r := ask(t, address, serve, "Accept-Encoding", refused); r.Header.Get("Content-Encoding") != "" {
				t.Errorf("compressed for %q", refused)
			}
		}
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		if err := assets.Serve(httptest.NewRecorder(), r, "dist/a.js"); problem.From(err).Code != problem.NotFound {
			t.Errorf("an asset that is none: %v", err)
		}
		if _, err := assets.Address("/", "x.js"); err == nil {
			t.Error("an asset that is none has an address")
		}
	}
	for _, name := range []string{"dist/a.html", "dist/a", "dist/a.JS"} {
		if _, err := page.LoadAssets(fstest.MapFS{name: {}}, true, "dist"); err == nil {
			t.Errorf("%s is taken", name)
		}
	}
	if _, err := page.LoadAssets(files, true, "none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that is none: %v", err)
	}
}

// TestPrefersHTML checks that the headers of browsers prefer a page, and those of programs do
// not.
func TestPrefersHTML(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]bool{
		"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8": true, "text/html": true, "text/html;q=0.5, application/json;q=0.4": true,
		"*/*": false, "application/json": false, "application/json, text/html": false, "application/problem+json, text/html;q=0.9": false, "text/html;q=0": false, "text/*": true,
	} {
		if got := page.PrefersHTML(http.Header{"Accept": {accept}}); got != want {
			t.Errorf("%q: %v, want %v", accept, got, want)
		}
	}
	if page.PrefersHTML(http.Header{}) {
		t.Error("without a header")
	}
}
