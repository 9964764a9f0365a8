package scim_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/apiserver/scim"
)

func TestRepairBooleans(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"the value of active", `{"Operations":[{"op":"Replace","path":"active","value":"False"}]}`, `{"Operations":[{"op":"Replace","path":"active","value":false}]}`},
		{"other letters", `{"Operations":[{"Op":"Replace","Path":"Active","Value":"TRUE"}]}`, `{"Operations":[{"Op":"Replace","Path":"Active","Value":true}]}`},
		{"without a path", `{"Operations":[{"op":"replace","value":{"active":"true"}}]}`, `{"Operations":[{"op":"replace","value":{"active":true}}]}`},
		{"a full path", `{"path":"urn:ietf:params:scim:schemas:core:2.0:User:active","value":"False"}`, `{"path":"urn:ietf:params:scim:schemas:core:2.0:User:active","value":false}`},
		{"a full name", `{"urn:ietf:params:scim:schemas:core:2.0:User:active":"False"}`, `{"urn:ietf:params:scim:schemas:core:2.0:User:active":false}`},
		{"a full name of another", `{"urn:ietf:params:scim:schemas:core:2.0:User:displayName":"False"}`, `{"urn:ietf:params:scim:schemas:core:2.0:User:displayName":"False"}`},
		{"primary", `{"roles":[{"primary":"True","value":"owner"}]}`, `{"roles":[{"primary":true,"value":"owner"}]}`},
		{"a name", `{"Operations":[{"op":"replace","path":"displayName","value":"True"}],"displayName":"False"}`, `{"Operations":[{"op":"replace","path":"displayName","value":"True"}],"displayName":"False"}`},
		{"no boolean", `{"active":"maybe"}`, `{"active":"maybe"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var in any
			if err := json.Unmarshal([]byte(c.in), &in); err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(scim.RepairBooleans(in))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Errorf("repaired (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRepairFilter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"a part of what is chosen", `emails[type eq "work"].value eq "z@desk.test"`, `emails[type eq "work" and value eq "z@desk.test"]`},
		{"a boolean", `roles[primary eq "True"].value eq "owner" and active eq true`, `roles[primary eq "True" and value eq "owner"] and active eq true`},
		{"present", `emails[type eq "work"].value pr and active eq true`, `emails[type eq "work" and value pr] and active eq true`},
		{"two", `emails[type eq "]"].value eq "a\"b" or emails[type eq "b"].value sw "c"`, `emails[type eq "]" and value eq "a\"b"] or emails[type eq "b" and value sw "c"]`},
		{"brackets alone", `emails[type eq "work" and value eq "a"]`, `emails[type eq "work" and value eq "a"]`},
		{"in a text", `userName eq "emails[type eq x].value eq 1"`, `userName eq "emails[type eq x].value eq 1"`},
		{"a text that does not end", `userName eq "emails[type eq x].value eq`, `userName eq "emails[type eq x].value eq`},
		{"none", ``, ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/scim/v2/Users?count=1&filter="+url.QueryEscape(c.in), http.NoBody)
			if err := scim.RepairFilter(r); err != nil {
				t.Fatal(err)
			}
			if got := r.URL.Query().Get("filter"); got != c.want || r.URL.Query().Get("count") != "1" {
				t.Errorf("the filter is %s, want %s; the query is %s", got, c.want, r.URL.RawQuery)
			}
		})
	}
}

// TestWhatIsNotThere: a provider that pushes groups learns what to do, and one that reads what is supported gets
// addresses, as RFC 7643 says, or nothing.
func TestWhatIsNotThere(t *testing.T) {
	t.Parallel()
	handle, err := scim.New(scim.Config{PublicURL: "https://assay.example"})
	if err != nil {
		t.Fatal(err)
	}
	ask := func(method, path string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		if err := handle(w, httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader("{}"))); err != nil {
			t.Fatal(err)
		}
		return w
	}
	for _, path := range []string{"/scim/v2/Groups", "/scim/v2/Groups/7"} {
		if w := ask(http.MethodPost, path); w.Code != http.StatusNotFound || !strings.Contains(w.Body.String(), "Switch the pushing of groups off") {
			t.Errorf("%s is answered with %d %s", path, w.Code, w.Body)
		}
	}
	if w := ask(http.MethodGet, "/scim/v2/ServiceProviderConfig"); w.Code != http.StatusOK || strings.Contains(w.Body.String(), `Uri":""`) || !strings.Contains(w.Body.String(), "docs/guides/people.md") {
		t.Errorf("what is supported: %d %s", w.Code, w.Body)
	}
}

// FuzzPatch sends any patch to an unknown user: it is refused, and nothing else.
func FuzzPatch(f *testing.F) {
	for _, operation := range []string{
		`{"op": "Replace", "path": "active", "value": "False"}`, `{"op": "replace", "value": {"active": true, "name": {"givenName": "Zoe"}}}`,
		`{"op": "remove", "path": "roles[primary eq \"True\"].value"}`, `{"op": "Add", "path": "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department", "value": "Risk"}`,
		`{"op": "add", "path": "emails", "value": [7, null]}`, `{"op": "replace", "path": "userName", "value": null}`,
	} {
		f.Add(`{"schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "Operations": [` + operation + `]}`)
	}
	handle, err := scim.New(scim.Config{PublicURL: "https://assay.example"})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body string) {
		w := httptest.NewRecorder()
		if err := handle(w, httptest.NewRequest(http.MethodPatch, scim.Prefix+"/Users/nobody", strings.NewReader(body))); err != nil {
			t.Fatal(err)
		}
		if w.Code != http.StatusBadRequest && w.Code != http.StatusNotFound {
			t.Errorf("answered %d %s", w.Code, w.Body)
		}
	})
}

func TestWriteError(t *testing.T) {
	t.Parallel()
	w := httptest.NewRecorder()
	scim.WriteError(w, problem.New(problem.InvalidAPIKey, "").With("WWW-Authenticate", "Bearer"))
	var e struct {
		Schemas        []string
		Status, Detail string
	}
	if err := json.Unmarshal(w.Body.Bytes(), &e); err != nil {
		t.Fatal(err)
	}
	if w.Code != http.StatusUnauthorized || w.Header().Get("WWW-Authenticate") != "Bearer" || e.Status != "401" || !strings.Contains(e.Detail, "Create one under Developers, API keys") {
		t.Errorf("wrote %d %s", w.Code, w.Body)
	}
}
