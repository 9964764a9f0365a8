package docs_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gorilla/mux"

	"github.com/assayhq/assay/apiserver/docs"
)

// answersHTML reports whether a request for an unknown code is answered with a page.
func answersHTML(t *testing.T, pages *docs.Pages, accept ...string) bool {
	t.Helper()
	rec := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, "/problems/nothing", nil)
	r.Header["Accept"] = accept
	err := pages.Problem(rec, mux.SetURLVars(r, map[string]string{docs.CodeVariable: "nothing"}))
	if (err == nil) != (rec.Code == http.StatusNotFound) {
		t.Errorf("Accept %q: error %v, status %d", accept, err, rec.Code)
	}
	return err == nil
}

func newPages(t testing.TB) *docs.Pages {
	t.Helper()
	pages, err := docs.New("https://assay.example")
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

func TestUnknownCodeAnswersWhatIsPreferred(t *testing.T) {
	t.Parallel()
	pages := newPages(t)
	tests := []struct {
		name   string
		accept []string
		html   bool
	}{
		{"nothing", nil, false},
		{"anything", []string{"*/*"}, false},
		{"any text", []string{"text/*"}, true},
		{"a browser", []string{"text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8"}, true},
		{"JSON", []string{"application/json"}, false},
		{"JSON before HTML", []string{"application/problem+json, text/html;q=0.9"}, false},
		{"HTML before JSON", []string{"text/html, application/json;q=0.9"}, true},
		{"both", []string{"application/json, text/html"}, false},
		{"in two lines", []string{"application/json;q=0.1", "text/html"}, true},
		{"HTML refused", []string{"text/html;q=0"}, false},
		{"malformed weight", []string{"text/html;q=high"}, false},
		{"malformed", []string{";;,/,text"}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := answersHTML(t, pages, tt.accept...); got != tt.html {
				t.Errorf("answers a page: %v, want %v", got, tt.html)
			}
		})
	}
}
