package docs

import (
	"cmp"
	"maps"
	"net/http"

	"github.com/assayhq/assay/apiserver/page"
	"github.com/assayhq/assay/apiserver/problem"
)

// signInView holds what the page of a failed sign-in shows.
type signInView struct {
	view
	Status     int
	StatusText string
	Code       problem.Code
	Detail     string
	RequestID  string
}

// SignInFailed answers a person's browser with a page that explains why a sign-in failed, and
// reports whether it answered: other clients get the problem document.
func (p *Pages) SignInFailed(w http.ResponseWriter, r *http.Request, failure *problem.Problem, requestID string) bool {
	w.Header().Set("Vary", "Accept")
	if !page.PrefersHTML(r.Header) {
		return false
	}
	made, err := p.templates.renderPage("signin.html", p.templates.policy, signInView{
		view: view{failure.Code.Title()}, Status: failure.Status(), StatusText: http.StatusText(failure.Status()), Code: failure.Code,
		Detail: cmp.Or(failure.Detail, failure.Code.Description()), RequestID: requestID,
	})
	if err != nil {
		return false
	}
	maps.Copy(w.Header(), failure.Header)
	return made.Write(w, failure.Status()) == nil
}

// Link leads to another page of this site.
type Link struct{ Text, To string }

// chooseView holds what a page of links shows.
type chooseView struct {
	view
	Lead  string
	Links []Link
}

// Choose answers a person's browser with a page of links for that person only, and reports
// whether it answered: other clients get another response.
func (p *Pages) Choose(w http.ResponseWriter, r *http.Request, title, lead string, links []Link) (bool, error) {
	w.Header().Set("Vary", "Accept")
	if !page.PrefersHTML(r.Header) {
		return false, nil
	}
	made, err := p.templates.renderPage("choose.html", p.templates.policy, chooseView{view{title}, lead, links})
	if err != nil {
		return false, err
	}
	return true, made.Write(w, http.StatusOK)
}
