package v1

import (
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/assayhq/assay/apiserver/openapi"
)

// documentCaching lets clients and proxies keep the document, which is public,
// if they ask each time whether there is a newer one.
const documentCaching = "public, no-cache"

// documentBody is an OpenAPI document.
//
//openapi:name OpenAPIDocument
type documentBody struct {
	OpenAPI    string           `json:"openapi" api:"max=20" example:"3.1.0"` // the version of OpenAPI
	Info       jsontext.Value   `json:"info" api:"nonnull"`                   // title, version, licence
	Servers    []jsontext.Value `json:"servers" api:"nonnull,items=10"`       // where the API is served
	Security   []jsontext.Value `json:"security" api:"nonnull,items=10"`      // how callers say who they are
	Tags       []jsontext.Value `json:"tags" api:"nonnull,items=100"`         // the groups of operations
	Paths      jsontext.Value   `json:"paths" api:"nonnull"`                  // the operations
	Components jsontext.Value   `json:"components" api:"nonnull"`             // the parts that operations share
}

// document answers GET /v1/openapi.json, to anybody.
func (a *API) document(w http.ResponseWriter, r *http.Request) error {
	header := w.Header()
	header.Set("Cache-Control", documentCaching)
	header.Set("ETag", a.openapi.ETag)
	if names(r.Header["If-None-Match"], a.openapi.ETag) {
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	header.Set("Content-Type", openapi.MediaType)
	header.Set("Content-Length", strconv.Itoa(len(a.openapi.Text)))
	// An error means that the client has gone.
	_, _ = io.WriteString(w, a.openapi.Text)
	return nil
}

// names reports whether the values of an If-None-Match header name the entity
// tag; weak tags count like strong ones (RFC 9110, 13.1.2).
func names(values []string, tag string) bool {
	for _, value := range values {
		for given := range strings.SplitSeq(value, ",") {
			given = strings.TrimPrefix(strings.TrimSpace(given), "W/")
			if given == tag || given == "*" {
				return true
			}
		}
	}
	return false
}

func documentOperation() Operation {
	return Operation{
		ID: "getOpenAPI", Tag: tagDocument, Summary: "Read this document",
		Description: "Reads the OpenAPI document of the API. No key is needed.",
		Answers: []Answer{
			{Status: http.StatusOK, About: "The document.", Body: documentBody{}, Headers: []string{"ETag", "Cache-Control"}},
			{Status: http.StatusNotModified, About: "The document has the ETag that `If-None-Match` names.", Headers: []string{"ETag", "Cache-Control"}},
		},
	}
}
