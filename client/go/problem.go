package assay

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// maxProblem bounds what is read of a refusal, in bytes. The API's are smaller.
const maxProblem = 1 << 20

// Error says what the server refused, with everything that is wrong with the request's values. By the id
// of the request, the server's log finds it.
func (p *Problem) Error() string {
	var text strings.Builder
	fmt.Fprintf(&text, "assay: %s (%d", cmp.Or(p.Code, p.Title), p.Status)
	if p.RequestID != "" {
		text.WriteString(", request " + p.RequestID)
	}
	text.WriteString(")")
	if p.Detail != "" {
		text.WriteString(": " + p.Detail)
	}
	for _, f := range p.Errors {
		fmt.Fprintf(&text, "\n  %s: %s", f.Place(), f.Detail)
	}
	return text.String()
}

// Place is where the invalid value stands: a JSON pointer into the body, or the name of the parameter
// or the header.
func (f Fault) Place() string {
	for _, place := range []*string{f.Pointer, f.Parameter, f.Header} {
		if place != nil {
			return *place
		}
	}
	return "request"
}

// isProblem reports whether a body is a problem document of the API.
func isProblem(header http.Header) bool {
	return strings.HasPrefix(header.Get("Content-Type"), "application/problem+json")
}

// readProblem reads a refusal. What is not a problem document, such as a proxy's page, becomes one
// without a code, whatever its status.
func readProblem(res *http.Response) error {
	defer res.Body.Close()
	p := &Problem{Status: int32(res.StatusCode), Title: http.StatusText(res.StatusCode), RequestID: res.Header.Get("X-Request-Id")}
	text, err := io.ReadAll(io.LimitReader(res.Body, maxProblem))
	if err != nil {
		return fmt.Errorf("assay: read the problem of status %d: %w", res.StatusCode, err)
	}
	if !isProblem(res.Header) || json.Unmarshal(text, p) != nil {
		p.Detail = "The answer is not one of assay's API. Check the server's URL: "
		if res.StatusCode >= http.StatusInternalServerError || res.StatusCode == http.StatusRequestEntityTooLarge {
			p.Detail = "A proxy in front of assay has answered: "
		}
		p.Detail += res.Request.URL.Redacted()
	}
	return p
}
