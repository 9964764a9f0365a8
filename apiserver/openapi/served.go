package openapi

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// Path is where the document is served.
const Path = "/v1/openapi.json"

// Origin stands in the committed document for the API's origin, in its servers and in
// its examples.
const Origin = "https://assay.example"

//go:embed openapi.json
var committed string

// compact returns the committed document without white space, which is almost half of it.
var compact = sync.OnceValue(func() string { //nolint:gochecknoglobals // a constant that is computed
	text := jsontext.Value(committed)
	if err := text.Compact(); err != nil {
		panic("openapi.json, which is embedded, is no JSON: " + err.Error())
	}
	return string(text)
})

// Serve returns the document of an API that is served at publicURL, which has no trailing slash.
func Serve(publicURL string) []byte {
	quoted, err := jsontext.AppendQuote(nil, publicURL)
	if err != nil {
		quoted = []byte(`"` + Origin + `"`) // not UTF-8 and therefore not a URL, so Origin stays
	}
	return []byte(strings.ReplaceAll(compact(), Origin, strings.Trim(string(quoted), `"`)))
}

// Committed returns the document as it is committed, with Origin for its server.
func Committed() string { return committed }
