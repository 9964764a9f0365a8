package v1_test

import (
	"compress/gzip"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	assetAddress = regexp.MustCompile(`(?:href|src)="(/docs/[^"#]+\.[a-z]+[^"#]*)"`)
	inlineCode   = regexp.MustCompile(`<style|style="|<script>| on[a-z]+="|<(?:script|link|img)[^>]*https?://`)
)

// TestReference checks the pages of the API's documentation that run scripts.
func TestReference(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for path, calls := range map[string]string{"/docs": "default-src 'none'", "/docs/traders": "default-src 'none'", "/docs/console": "connect-src 'self'"} {
		page := b.page(t, path).want(t, http.StatusOK)
		// Parameters that a browser or a link may add.
		if got := b.sendAs(t, path+"?utm_source=mail", "Accept", "image/png").want(t, http.StatusOK); got.body != page.body {
			t.Errorf("%s depends on its query", path)
		}
		policy := page.header.Get("Content-Security-Policy")
		for _, directive := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", calls, "frame-ancestors 'none'"} {
			if !strings.Contains(policy+";", directive+";") {
				t.Errorf("the policy of %s, %q, has no %s", path, policy, directive)
			}
		}
		if strings.Contains(policy, "unsafe") {
			t.Errorf("policy of %s: %q", path, policy)
		}
		if found := inlineCode.FindString(page.body); found != "" {
			t.Errorf("%s holds %q", path, found)
		}
		addresses := assetAddress.FindAllStringSubmatch(page.body, -1)
		if len(addresses) < 3 {
			t.Errorf("assets of %s: %v", path, addresses)
		}
		for _, address := range addresses {
			asset := b.page(t, address[1]).want(t, http.StatusOK)
			if got := asset.header.Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
				t.Errorf("%s: Cache-Control %q", address[1], got)
			}
			if asset.body == "" || asset.header.Get("Content-Type") == "" {
				t.Errorf("%s: %d bytes of %q", address[1], len(asset.body), asset.header.Get("Content-Type"))
			}
		}
	}
	b.page(t, "/docs/nothing").want(t, http.StatusNotFound)
}

func TestAssets(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const script = "/docs/swagger-ui-bundle.js"
	want, err := os.ReadFile(filepath.Join("..", "docs", "assets", "swagger-ui", "swagger-ui-bundle.js"))
	check(t, err)
	tests := []struct {
		name     string
		path     string
		encoding string
		zipped   bool
		cache    string
	}{
		{"as it is", script, "identity", false, "public, max-age=3600"},
		{"compressed", script, "br, gzip;q=0.5", true, "public, max-age=3600"},
		{"compression refused", script, "gzip;q=0", false, "public, max-age=3600"},
		{"another version", script + "?v=000000000000", "x-gzip, gzip", true, "public, max-age=3600"},
	}
	tags := make(map[string]bool)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := b.sendAs(t, tt.path, "Accept-Encoding", tt.encoding).want(t, http.StatusOK)
			body := r.body
			if got := r.header.Get("Content-Encoding") == "gzip"; got != tt.zipped {
				t.Fatalf("compressed: %v, want %v", got, tt.zipped)
			}
			if tt.zipped {
				reader, err := gzip.NewReader(strings.NewReader(body))
				check(t, err)
				text, err := io.ReadAll(reader)
				check(t, err)
				if len(body) > len(text)/3 {
					t.Errorf("%d bytes of %d are sent", len(body), len(text))
				}
				body = string(text)
			}
			if body != string(want) {
				t.Errorf("%d bytes, want %d", len(body), len(want))
			}
			if got := r.header.Get("Cache-Control"); got != tt.cache || r.header.Get("Vary") != "Accept-Encoding" {
				t.Errorf("headers %v", r.header)
			}
			if got := r.header.Get("Content-Type"); got != "text/javascript; charset=utf-8" {
				t.Errorf("Content-Type %q", got)
			}
			tags[r.header.Get("ETag")] = true
		})
	}
	if len(tags) != 2 {
		t.Errorf("entity tags %v, want one for each form", tags)
	}
	for _, path := range []string{"/docs/LICENSE", "/docs/nothing.js", "/docs/..%2Fdocs.go", "/docs/"} {
		b.page(t, path).wantProblem(t, http.StatusNotFound, "not_found")
	}
}
