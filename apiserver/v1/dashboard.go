package v1

import (
	"net/http"
	"net/url"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/middleware"
	pages "github.com/assayhq/assay/apiserver/page"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/route"
)

// signInPath is the dashboard's sign-in page. The query parameter return_to holds the path to
// continue at.
const signInPath = "/sign-in"

// dashboardAt answers GET of an address of web.Addresses. It redirects visitors without a session to the
// sign-in page.
func (a *API) dashboardAt(address string) route.Handler {
	return func(w http.ResponseWriter, r *http.Request) error {
		if _, ok := auth.PresentedToken(r); !ok && r.URL.Path != signInPath {
			to := signInPath
			if wanted := r.URL.RequestURI(); wanted != "/" {
				to += "?" + url.Values{"return_to": {wanted}}.Encode()
			}
			http.Redirect(w, r, to, http.StatusSeeOther)
			return nil
		}
		return a.web.Dashboard(w, http.StatusOK, address)
	}
}

// noSuchPage answers for an unknown address: browsers get the dashboard, which shows that the
// page does not exist, and other clients get a problem document.
func (a *API) noSuchPage(w http.ResponseWriter, r *http.Request) error {
	w.Header().Set("Vary", "Accept")
	if read := r.Method == http.MethodGet || r.Method == http.MethodHead; !read || !pages.PrefersHTML(r.Header) {
		return problem.New(problem.NotFound, "")
	}
	middleware.EventFrom(r.Context()).Problem = string(problem.NotFound)
	return a.web.Dashboard(w, http.StatusNotFound, "")
}
