package decode_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assayhq/assay/apiserver/decode"
)

func TestAccepts(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		lines []string
		want  bool
	}{
		{"absent", nil, true},
		{"empty", []string{""}, true},
		{"nothing but commas", []string{" , ,"}, true},
		{"the type", []string{"application/json"}, true},
		{"in other case", []string{"Application/JSON"}, true},
		{"with a charset", []string{"application/json; charset=utf-8"}, true},
		{"with a parameter and a quality", []string{`application/json;profile="a,b;q=0";q=0.3`}, true},
		{"any subtype", []string{"application/*"}, true},
		{"anything", []string{"*/*"}, true},
		{"a browser's", []string{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}, true},
		{"the last of many", []string{"text/html, text/plain", "application/json;q=0.001"}, true},
		{"empty elements", []string{",text/html,,application/json"}, true},
		{"another type", []string{"text/html"}, false},
		{"types that only look alike", []string{"application/vnd.x+json, application/problem+json, text/json, application/json5"}, false},
		{"any subtype of another type", []string{"text/*"}, false},
		{"excluded", []string{"application/json;q=0"}, false},
		{"excluded with decimals", []string{"application/json; q=0.000"}, false},
		{"excluded from everything", []string{"*/*;q=0"}, false},
		{"everything but this", []string{"*/*, application/json;q=0"}, false},
		{"everything but its group", []string{"*/*;q=1, application/*;q=0"}, false},
		{"nothing but this", []string{"*/*;q=0, application/json;q=0.1"}, true},
		{"its group but nothing else", []string{"*/*;q=0, application/*"}, true},
		{"once excluded and once not", []string{"application/json;q=0, application/json;q=0.5"}, true},
		{"a variant excluded", []string{"application/json;v=2;q=0, */*"}, true},
		{"broken: no slash", []string{"json"}, true},
		{"broken: star alone", []string{"text/html, image/gif, *; q=.2"}, true},
		{"broken: star before a subtype", []string{"*/json"}, true},
		{"broken: quality", []string{"text/html;q=high"}, true},
		{"broken: quality above one", []string{"text/html;q=1.5"}, true},
		{"broken: negative quality", []string{"text/html;q=-1"}, true},
		{"broken: decimals", []string{"text/html;q=0.0001"}, true},
		{"broken: quote", []string{`text/html;a="b`}, true},
		{"broken: slashes", []string{"text//html"}, true},
		{"broken in its last element", []string{"text/html, ;"}, true},
		{"very many", []string{strings.Repeat("text/html,", 3000)}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := decode.Accepts(http.Header{"Accept": tt.lines}, "application/json"); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// FuzzAccepts checks that naming the type accepts it, whatever else the header contains, and that
// a header that excludes the type names something.
func FuzzAccepts(f *testing.F) {
	for _, seed := range []string{"", "*/*;q=0", "application/json;q=0", `text/html;a="b,\"`, "text/*;q=0.5, ,;", "*", "\xff/\x00"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		const media = "application/json"
		if !decode.Accepts(http.Header{"Accept": {text, media}}, media) {
			t.Errorf("%q beside %s excludes it", text, media)
		}
		if !decode.Accepts(http.Header{"Accept": {text}}, media) && !strings.Contains(text, "/") {
			t.Errorf("%q names nothing and excludes %s", text, media)
		}
	})
}
