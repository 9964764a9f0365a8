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

// PagesPath is where the pages that explain the codes lie, below the public URL.
const PagesPath = "/problems/"

// Writer writes problem documents.
type Writer struct{ pages string }

// NewWriter returns a writer whose documents point to pages under publicURL.
func NewWriter(publicURL string) Writer {
	return Writer{strings.TrimRight(publicURL, "/") + PagesPath}
}

// document is the wire form of a problem.
type document struct {
	Type          string  `json:"type"`
	Title         string  `json:"title"`
	Status        int     `json:"status"`
	Detail        string  `json:"detail"`
	Code          Code    `json:"code"`
	RequestID     string  `json:"request_id"`
	RequiredScope string  `json:"required_scope,omitzero"`
	Errors        []Fault `json:"errors,omitempty"`
}

// Page is the address of the page that explains the code: the type of its
// problems.
func (wr Writer) Page(c Code) string { return wr.pages + string(c) }

// Write answers with the problem. An error of the connection is not reported:
// there is nobody left to tell.
func (wr Writer) Write(w http.ResponseWriter, requestID string, p *Problem) {
	body := wr.Document(requestID, p)
	header := w.Header()
	for name, values := range p.Header {
		header[name] = values
	}
	header.Set("Content-Type", MediaType)
	header.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(p.Status())
	_, _ = w.Write(body)
}

// Document returns the problem as JSON text.
func (wr Writer) Document(requestID string, p *Problem) []byte {
	doc := document{
		Type:          wr.Page(p.Code),
		Title:         p.Code.Title(),
		Status:        p.Status(),
		Detail:        cmp.Or(p.Detail, p.Code.Description()),
		Code:          p.Code,
		RequestID:     requestID,
		RequiredScope: p.RequiredScope,
		Errors:        p.Faults,
	}
	body, err := json.Marshal(doc)
	if err != nil { // a name in a pointer or a path that is no UTF-8: answer without the particulars
		doc.Errors, doc.Detail = nil, p.Code.Description()
		body, _ = json.Marshal(doc)
	}
	return body
}
