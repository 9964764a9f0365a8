package openapi_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/assayhq/assay/apiserver/openapi"
)

func TestServe(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"https://api.example.org", "http://127.0.0.1:8080", "https://example.org/assay", `https://example.org/"quoted"\`, "\xff"} {
		t.Run(url, func(t *testing.T) {
			t.Parallel()
			text := openapi.Serve(url)
			var doc struct {
				Servers []struct{ URL string }
			}
			if err := json.Unmarshal(text, &doc); err != nil {
				t.Fatal(err)
			}
			want := url
			if url == "\xff" {
				want = openapi.Origin
			}
			if len(doc.Servers) != 1 || doc.Servers[0].URL != want {
				t.Errorf("servers %v, want %s", doc.Servers, want)
			}
			if bytes.ContainsAny(text, "\n") {
				t.Error("the document is served with white space")
			}
			if want != openapi.Origin && strings.Contains(string(text), openapi.Origin) {
				t.Error("the placeholder is served")
			}
		})
	}
}

// TestSize keeps what operations and events share in the components: generators, /docs and people read the
// whole document.
func TestSize(t *testing.T) {
	t.Parallel()
	const most = 745_000 // bytes, without the white space
	if text := openapi.Serve(openapi.Origin); len(text) > most {
		t.Errorf("the document has %d bytes, want at most %d", len(text), most)
	}
}

// TestVisibleCharacters looks for line separators and other invisible characters. Generators copy
// patterns into the source of a client, where these are not allowed.
func TestVisibleCharacters(t *testing.T) {
	t.Parallel()
	text := string(openapi.Serve(openapi.Origin))
	if i := strings.IndexFunc(text, func(c rune) bool { return c != ' ' && !unicode.IsGraphic(c) }); i >= 0 {
		t.Errorf("%+q has a character that cannot be seen", text[max(i-80, 0):i+10])
	}
}
