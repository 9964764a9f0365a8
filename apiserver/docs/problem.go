package docs

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/assayhq/assay/apiserver/middleware"
	"github.com/assayhq/assay/apiserver/problem"
)

// exampleRequestID is the request id used in examples.
const exampleRequestID = "7V2KQ4MZ3XHT6NRBWD5EYCLJPA"

// view holds what all pages show.
type view struct{ Title string }

// problemView holds what the page of a code shows.
type problemView struct {
	view
	Code        problem.Code
	Status      int
	StatusText  string
	Description string
	Guide       problem.Guide
	Advice      string
	Type        string      // the page's own address
	Faults      []faultView // for codes whose problems list faults
	Example     string      // a response as sent over the wire
}

// faultView is a code of an entry in the member errors.
type faultView struct {
	Code        problem.FaultCode
	Description string
}

// explainCode collects the documentation of a code.
func explainCode(writer problem.Writer, code problem.Code) (problemView, error) {
	answer, err := exampleAnswer(writer, code)
	v := problemView{
		view: view{code.Title()}, Code: code, Status: code.Status(), StatusText: http.StatusText(code.Status()),
		Description: code.Description(), Guide: code.Guide(), Advice: code.Guide().Retry.Advice(),
		Type: writer.Page(code), Example: answer,
	}
	if len(code.Example().Faults) > 0 {
		for _, fault := range problem.FaultCodes() {
			v.Faults = append(v.Faults, faultView{fault, fault.Description()})
		}
	}
	return v, err
}

// exampleAnswer formats a response with the code as curl -i shows it.
func exampleAnswer(writer problem.Writer, code problem.Code) (string, error) {
	p := code.Example()
	body, err := json.Marshal(writer.Document(exampleRequestID, p), jsontext.WithIndent("  "))
	if err != nil {
		return "", err
	}
	var text strings.Builder
	fmt.Fprintf(&text, "HTTP/1.1 %d %s\nContent-Type: %s\n%s: %s\n", code.Status(), http.StatusText(code.Status()),
		problem.MediaType, middleware.RequestIDHeader, exampleRequestID)
	for _, name := range slices.Sorted(maps.Keys(p.Header)) {
		for _, value := range p.Header[name] {
			fmt.Fprintf(&text, "%s: %s\n", strings.Replace(name, "Www-", "WWW-", 1), value)
		}
	}
	text.WriteString("\n")
	text.Write(body)
	return text.String(), nil
}

// indexView holds what the page of all codes shows.
type indexView struct {
	view
	Groups []group
}

// group holds the codes of one status.
type group struct {
	Status     int
	StatusText string
	Problems   []entry
}

// entry is one code in a list.
type entry struct {
	Code               problem.Code
	Title, Description string
}

// listCodes collects all codes by status.
func listCodes() indexView {
	v := indexView{view: view{"Problems"}}
	for _, code := range problem.Codes() {
		last := len(v.Groups) - 1
		if last < 0 || v.Groups[last].Status != code.Status() {
			v.Groups = append(v.Groups, group{Status: code.Status(), StatusText: http.StatusText(code.Status())})
			last++
		}
		v.Groups[last].Problems = append(v.Groups[last].Problems, entry{code, code.Title(), code.Description()})
	}
	return v
}
