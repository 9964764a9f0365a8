package problem

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
)

// MediaType is the media type of problem documents.
const MediaType = "application/problem+json"

// PagesPath is the path, below the public URL, of the pages that explain the codes.
const PagesPath = "/problems/"

// Writer writes problem documents.
type Writer struct{ pages string }

// NewWriter returns a writer whose documents point to pages under publicURL.
func NewWriter(publicURL string) Writer {
	return Writer{strings.TrimRight(publicURL, "/") + PagesPath}
}

// document is a problem document (RFC 9457).
//
//openapi:name Problem
type document struct {
	Type          string   `json:"type" api:"max=2048,format=uri"`                                   // URL of a page that explains the code
	Title         string   `json:"title" api:"max=100"`                                              // human-readable form of the code
	Status        int      `json:"status" api:"min=400,max=599"`                                     // HTTP status code of the response
	Detail        string   `json:"detail" api:"max=4096"`                                            // Human-readable explanation of the problem. The wording may change.
	Code          Code     `json:"code" api:"open"`                                                  // Machine-readable code of the problem. Stable.
	RequestID     string   `json:"request_id" api:"min=8,max=128" pattern:"^[A-Za-z0-9._-]{8,128}$"` // identifier of the request in the server's log
	RequiredScope string   `json:"required_scope,omitzero" api:"max=100" pattern:"^[a-z_]+:[a-z]+$"` // Scope that the API key lacks. Present only with `insufficient_scope`.
	Organizations []string `json:"organizations,omitempty" api:"max=200,items=100"`                  // Names of the organizations to choose from. Present only with `organization_required`.
	// Unique identifier of the existing integration. Present only with `integration_exists`.
	IntegrationID string `json:"integration_id,omitzero" api:"max=36" pattern:"^[0-9a-f-]{36}$"`
	// Everything that is wrong with the request's values, up to 50 entries. Present if the problem
	// concerns specific values, as with `validation_failed`, or one that another object has.
	Errors []Fault `json:"errors,omitempty" api:"items=50"`
}

// Page returns the address of the page that explains the code, which is the type of its problems.
func (wr Writer) Page(c Code) string { return wr.pages + string(c) }

// Wire returns a value of the type from which problems are encoded.
func Wire() any { return document{} }

// Document returns the document that Write encodes.
func (wr Writer) Document(requestID string, p *Problem) any { return wr.buildDocument(requestID, p) }

func (wr Writer) buildDocument(requestID string, p *Problem) document {
	return document{
		Type:          wr.Page(p.Code),
		Title:         p.Code.Title(),
		Status:        p.Status(),
		Detail:        cmp.Or(p.Detail, p.Code.Description()),
		Code:          p.Code,
		RequestID:     requestID,
		RequiredScope: p.RequiredScope,
		Organizations: p.Organizations,
		IntegrationID: p.IntegrationID,
		Errors:        p.Faults,
	}
}

// Write answers with the problem. It does not report connection errors, because nobody is left to
// receive them.
func (wr Writer) Write(w http.ResponseWriter, requestID string, p *Problem) {
	doc := wr.buildDocument(requestID, p)
	body, err := json.Marshal(doc)
	if err != nil { // a name in a pointer or a path is not UTF-8: answer without the particulars
		doc.Errors, doc.Detail = nil, p.Code.Description()
		body, _ = json.Marshal(doc)
	}
	header := w.Header()
	for name, values := range p.Header {
		header[name] = values
	}
	header.Set("Content-Type", MediaType)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(p.Status())
	_, _ = w.Write(body)
}
