package route

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/apiserver/problem"
)

// TestDeprecatedRoute: whatever a deprecated operation answers says so, and no other
// operation of its path does.
func TestDeprecatedRoute(t *testing.T) {
	t.Parallel()
	router, _, _ := newAttempts(t)
	ok := func(w http.ResponseWriter, _ *http.Request) error {
		w.Header().Add("Link", `<https://assay.example/v1/things>; rel="first"`)
		w.WriteHeader(http.StatusNoContent)
		return nil
	}
	refuse := func(http.ResponseWriter, *http.Request) error { return problem.New(problem.NotFound, "") }
	since, sunset := time.Date(2026, 11, 26, 0, 0, 0, 0, time.UTC), time.Date(2027, 6, 1, 0, 0, 0, 0, time.UTC)
	handler := router.Handler([]Route{
		{Method: http.MethodGet, Path: "/things", Handle: ok, Operation: Operation{Deprecated: &Deprecation{Since: since, Sunset: sunset, Instead: "Use x."}}},
		{Method: http.MethodDelete, Path: "/things", Handle: refuse, Operation: Operation{Deprecated: &Deprecation{Since: since, Instead: "Use x."}}},
		{Method: http.MethodPut, Path: "/things", Handle: ok},
	})
	first, policy := `<https://assay.example/v1/things>; rel="first"`, "<"+deprecationPolicy+`>; rel="deprecation"`
	type headers struct {
		Status              int
		Deprecation, Sunset string
		Link                []string
	}
	for method, want := range map[string]headers{
		http.MethodGet:    {http.StatusNoContent, "@1795651200", "Tue, 01 Jun 2027 00:00:00 GMT", []string{policy, first}},
		http.MethodHead:   {http.StatusNoContent, "@1795651200", "Tue, 01 Jun 2027 00:00:00 GMT", []string{policy, first}},
		http.MethodDelete: {http.StatusNotFound, "@1795651200", "", []string{policy}},
		http.MethodPut:    {http.StatusNoContent, "", "", []string{first}},
		http.MethodPatch:  {Status: http.StatusMethodNotAllowed},
	} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), method, "/things", nil))
		got := headers{w.Code, w.Header().Get("Deprecation"), w.Header().Get("Sunset"), w.Header().Values("Link")}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", method, diff)
		}
	}
}
