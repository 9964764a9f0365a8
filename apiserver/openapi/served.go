package openapi

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Path is where the document is served.
const Path = "/v1/openapi.json"

// MediaType is the media type of the document. It is the general one of JSON:
// browsers show it, and proxies compress it, where a particular one would be
// downloaded and left alone.
const MediaType = "application/json"

// Origin stands in the committed document for the place where the API is
// served, in its servers and in its examples.
const Origin = "https://assay.example"

//go:embed openapi.json
var committed string

// Served is the document as one apiserver serves it.
type Served struct {
	Text string
	ETag string // strong
}

// Serve returns the document of an API that is served at publicURL, without a
// trailing slash.
func Serve(publicURL string) Served {
	quoted, err := jsontext.AppendQuote(nil, publicURL)
	if err != nil {
		quoted = []byte(`"` + Origin + `"`) // no UTF-8, hence no URL: the placeholder says as much
	}
	text := strings.ReplaceAll(committed, Origin, strings.Trim(string(quoted), `"`))
	sum := sha256.Sum256([]byte(text))
	return Served{text, `"` + base64.RawURLEncoding.EncodeToString(sum[:12]) + `"`}
}

// Committed returns the document as it is committed, with Origin for its server.
func Committed() string { return committed }
