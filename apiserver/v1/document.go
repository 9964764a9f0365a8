package v1

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/assayhq/assay/apiserver/response"
)

// documentCaching lets clients and proxies cache the document, which is public, if they check for
// a newer one each time.
const documentCaching = "public, no-cache"

// documentBody is an OpenAPI document.
//
//openapi:name OpenAPIDocument
type documentBody struct {
	OpenAPI    string           `json:"openapi" api:"max=20" example:"3.1.0"` // version of the OpenAPI specification
	Info       jsontext.Value   `json:"info" api:"nonnull"`                   // title, version, and license of the API
	Servers    []jsontext.Value `json:"servers" api:"nonnull,items=10"`       // servers that provide the API
	Security   []jsontext.Value `json:"security" api:"nonnull,items=10"`      // how callers authenticate
	Tags       []jsontext.Value `json:"tags" api:"nonnull,items=100"`         // groups of operations
	Paths      jsontext.Value   `json:"paths" api:"nonnull"`                  // operations of the API
	Webhooks   jsontext.Value   `json:"webhooks" api:"nonnull"`               // requests that are sent to webhook endpoints
	Components jsontext.Value   `json:"components" api:"nonnull"`             // objects that the operations share
}

// getDocument answers GET /v1/openapi.json. The route is public.
func (a *API) getDocument(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Cache-Control", documentCaching)
	return response.AnswerRepresentation(w, r, response.Representation{Body: a.openapi, Tag: response.EntityTag(a.openapi)})
}
