package fault

import (
	"net/http"
	"slices"
)

// Active are the faults that strike one request. Its methods run the hooks of
// a stage.
type Active[Q, P any] []struck[Q, P]

type struck[Q, P any] struct {
	*Fault[Q, P]
	options Options
}

// None reports whether the request is served as the contract wants it.
func (a Active[Q, P]) None() bool { return len(a) == 0 }

// SkipsAuth reports whether the key of a request is not to be looked at.
func (a Active[Q, P]) SkipsAuth(r *http.Request) bool {
	return slices.ContainsFunc(a, func(f struck[Q, P]) bool { return f.OpenAuth || f.AnyKey && r.Header.Get("Authorization") != "" })
}

// Query changes the parsed query of a list.
func (a Active[Q, P]) Query(q *Q) {
	for i := range a {
		if f := &a[i]; f.Fault.Query != nil {
			f.Fault.Query(q, &f.options)
		}
	}
}

// Record changes one record, the i-th of its page.
func (a Active[Q, P]) Record(list string, i int, record []byte) []byte {
	for k := range a {
		if f := &a[k]; f.Fault.Record != nil && i%f.options.Every == 0 {
			record = f.Fault.Record(list, i, record, &f.options)
		}
	}
	return record
}

// Page changes a page's records, then the page as a whole.
func (a Active[Q, P]) Page(list string, q *Q, p *P, records [][]byte) {
	for i := range records {
		records[i] = a.Record(list, i, records[i])
	}
	for i := range a {
		if f := &a[i]; f.Fault.Page != nil {
			f.Fault.Page(q, p, &f.options)
		}
	}
}

func (a Active[Q, P]) faultNames() []string {
	var names []string
	for i := range a {
		names = append(names, a[i].Name)
	}
	return names
}

func (a Active[Q, P]) answerByFault(x *Exchange) bool {
	for i := range a {
		if f := &a[i]; f.Answer != nil && f.Answer(x, &f.options) {
			return true
		}
	}
	return false
}

func (a Active[Q, P]) applyBody(x *Exchange, status int, body []byte) []byte {
	for i := range a {
		if f := &a[i]; f.Body != nil {
			body = f.Body(x, status, body, &f.options)
		}
	}
	return body
}

func (a Active[Q, P]) applyHeader(x *Exchange) {
	for i := range a {
		if f := &a[i]; f.Header != nil {
			f.Header(x, &f.options)
		}
	}
}

func (a Active[Q, P]) applyWrite(x *Exchange, status int, body []byte) bool {
	for i := range a {
		if f := &a[i]; f.Write != nil && f.Write(x, status, body, &f.options) {
			return true
		}
	}
	return false
}
