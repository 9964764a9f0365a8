package v1_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/store/access"
)

// scimUser is what providers read of a user.
type scimUser struct {
	Schemas               []string
	ID, ExternalID        string
	UserName, DisplayName string
	Name                  struct{ Formatted, GivenName, FamilyName string }
	Active                bool
	Roles                 []struct{ Value string }
	Meta                  struct{ ResourceType, Location string }
}

// scimError is a refusal.
type scimError struct {
	Schemas                  []string
	Status, ScimType, Detail string
}

// callSCIM sends a request as an identity provider does.
func (b *testAPI) callSCIM(t *testing.T, method, path, key, body string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, b.server.URL+"/scim/v2"+path, strings.NewReader(body))
	check(t, err)
	req.Header.Set("Content-Type", "application/scim+json")
	req.Header.Set("Accept", "application/scim+json")
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	res, err := b.server.Client().Do(req)
	check(t, err)
	defer func() { _ = res.Body.Close() }()
	text, err := io.ReadAll(res.Body)
	check(t, err)
	if media := res.Header.Get("Content-Type"); len(text) > 0 && media != "application/scim+json" {
		t.Errorf("%s %s answered %d in %s", method, path, res.StatusCode, media)
	}
	return reply{res.StatusCode, res.Header, string(text)}
}

// refusedSCIM requires a refusal in the form of SCIM.
func refusedSCIM(t *testing.T, r reply, status int, kind, detail string) {
	t.Helper()
	e := decodeInto[scimError](t, r.want(t, status))
	if e.Status != fmt.Sprint(status) || e.ScimType != kind || !strings.Contains(e.Detail, detail) || len(e.Schemas) != 1 || e.Schemas[0] != "urn:ietf:params:scim:api:messages:2.0:Error" {
		t.Errorf("refused with %s", r.body)
	}
}

// oktaUser is what Okta sends to create a user.
const oktaUser = `{"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": "test.user@okta.example", "name": {"givenName": "Test", "familyName": "User"},
"emails": [{"primary": true, "value": "test.user@okta.example", "type": "work"}], "displayName": "Test User", "locale": "en-US", "externalId": "00ujl29u0le5T6Aj10h7", "groups": [], "password": "1mz050nq", "active": true}`

// entraUser is what Entra ID sends to create a user, with the mapping of its app roles.
const entraUser = `{"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User", "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"],
"externalId": "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef", "userName": "zoe@entra.example", "active": true, "emails": [{"primary": true, "type": "work", "value": "zoe@entra.example"}], "meta": {"resourceType": "User"},
"name": {"formatted": "Zoe Miller", "familyName": "Miller", "givenName": "Zoe"}, "roles": [{"primary": "True", "type": "WindowsAzureActiveDirectoryRole", "value": "reviewer"}],
"urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": {"department": "Risk", "employeeNumber": 17, "manager": "8bd3d1ab-2e4f-4d07-9a3a-5a2c7b1f0d11"}}`

// patchBody wraps an operation.
func patchBody(operations ...string) string {
	return `{"schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], "Operations": [` + strings.Join(operations, ", ") + `]}`
}

// TestProvisioning creates, finds, changes, deactivates and deletes users as Okta and Entra ID do.
func TestProvisioning(t *testing.T) {
	t.Parallel()
	b := setup(t)
	okta := decodeInto[scimUser](t, b.callSCIM(t, "POST", "/Users", b.key, oktaUser).want(t, http.StatusCreated))
	if !okta.Active || okta.UserName != "test.user@okta.example" || okta.DisplayName != "Test User" || okta.ExternalID != "00ujl29u0le5T6Aj10h7" || okta.Roles[0].Value != "viewer" || okta.Meta.ResourceType != "User" || okta.Meta.Location != "https://assay.example/scim/v2/Users/"+okta.ID {
		t.Errorf("created %+v", okta)
	}
	refusedSCIM(t, b.callSCIM(t, "POST", "/Users", b.key, strings.ReplaceAll(oktaUser, "test.user@okta", "TEST.user@okta")), http.StatusConflict, "uniqueness", "userName")
	entra := decodeInto[scimUser](t, b.callSCIM(t, "POST", "/Users", b.key, entraUser).want(t, http.StatusCreated))
	if entra.DisplayName != "Zoe Miller" || entra.Name != struct{ Formatted, GivenName, FamilyName string }{"Zoe Miller", "Zoe", "Miller"} || entra.Roles[0].Value != "reviewer" {
		t.Errorf("created %+v", entra)
	}
	bare := decodeInto[scimUser](t, b.callSCIM(t, "POST", "/Users", b.key, `{"Schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "UserName": "bare@example.com"}`).want(t, http.StatusCreated))
	b.callSCIM(t, "PATCH", "/Users/"+bare.ID, b.key, `{"Operations": [{"op": "replace", "path": "active", "value": false}]}`).want(t, http.StatusOK)
	b.callSCIM(t, "DELETE", "/Users/"+bare.ID, b.key, "").want(t, http.StatusNoContent)
	path := "/Users/" + entra.ID
	if diff := cmp.Diff(entra, decodeInto[scimUser](t, b.callSCIM(t, "GET", path, b.key, "").want(t, http.StatusOK))); diff != "" {
		t.Errorf("read (-created +read):\n%s", diff)
	}
	refusedSCIM(t, b.callSCIM(t, "GET", path, b.other, ""), http.StatusNotFound, "", entra.ID)
	refusedSCIM(t, b.callSCIM(t, "PATCH", path, b.other, patchBody(`{"op": "replace", "path": "active", "value": false}`)), http.StatusNotFound, "", entra.ID)
	for filter, want := range map[string]int{
		`userName eq "ZOE@entra.example"`:                      1,
		`userName eq "nobody"`:                                 0,
		`userName eq "zoe@entra.example" and active eq true`:   1,
		`displayName sw "Test"`:                                1,
		`externalId eq "0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef"`: 1,
		`externalId eq "0A21F0F2-8d2a-4f8e-bf98-7363c4aed4ef"`: 0,
		"":                                    3,
		`emails.value eq "ZOE@entra.example"`: 1,
		`emails eq "zoe@entra.example"`:       1,
		`emails pr`:                           3,
		`emails[type eq "work"].value eq "zoe@entra.example"`:   1,
		`userName eq "nobody" or not (roles.value eq "viewer")`: 2,
		`roles eq "reviewer"`:                         1,
		`meta.lastModified ge "2020-01-01T00:00:00Z"`: 3,
		`meta.created lt "2020-01-01T00:00:00Z"`:      0,
		`meta.resourceType eq "User" and name pr`:     3,
	} {
		list := decodeInto[struct {
			TotalResults, StartIndex, ItemsPerPage int
			Resources                              []scimUser
		}](t, b.callSCIM(t, "GET", "/Users?startIndex=1&count=100&filter="+url.QueryEscape(filter), b.key, "").want(t, http.StatusOK))
		if list.TotalResults != want || len(list.Resources) != want || list.ItemsPerPage != want {
			t.Errorf("%s finds %+v", filter, list)
		}
	}
	for _, filter := range []string{`name eq "Zoe"`, `userName pr and meta co "x"`} {
		refusedSCIM(t, b.callSCIM(t, "GET", "/Users?filter="+url.QueryEscape(filter), b.key, ""), http.StatusBadRequest, "invalidFilter", "filter")
	}
	for _, c := range []struct {
		operations []string
		want       string // name, role, whether active, and the end of the external ID
	}{
		{[]string{`{"op": "Replace", "path": "displayName", "value": "Zoe M."}`, `{"op": "Add", "path": "roles[primary eq \"True\"].value", "value": "owner"}`}, "Zoe M. owner true 4ef"},
		{[]string{`{"op": "replace", "value": {"displayName": "Zoe", "roles": [{"value": "viewer"}], "locale": "de"}}`}, "Zoe viewer true 4ef"},
		{[]string{`{"op": "Add", "path": "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department", "value": "Trading"}`}, "Zoe viewer true 4ef"},
		{[]string{`{"Op": "Replace", "Path": "active", "Value": "False"}`}, "Zoe viewer false 4ef"},
		{[]string{`{"op": "Replace", "path": "displayName", "value": "Zoe Miller"}`}, "Zoe Miller viewer false 4ef"},
		{[]string{`{"op": "replace", "value": {"active": true}}`}, "Zoe Miller viewer true 4ef"},
		{[]string{`{"op": "Replace", "path": "externalId", "value": "entra-7"}`, `{"op": "Replace", "path": "active", "value": "True"}`}, "Zoe Miller viewer true a-7"},
		{[]string{`{"op": "Add", "path": "emails[type eq \"work\"].value", "value": "zoe@entra.example"}`, `{"op": "Replace", "path": "name.givenName", "value": "Zoë"}`, `{"op": "Add", "path": "name.formatted", "value": "Zoë Miller"}`}, "Zoë Miller viewer true a-7"},
		{[]string{`{"op": "remove", "path": "externalId"}`}, "Zoë Miller viewer true "},
		{[]string{`{"op": "Add", "value": {"externalId": "00u1", "displayName": "Zoe Miller", "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": {"department": "Risk"}}}`}, "Zoe Miller viewer true 0u1"},
		{[]string{`{"op": "replace", "path": "roles", "value": [{"value": "reviewer"}]}`, `{"op": "remove", "path": "roles"}`}, "Zoe Miller viewer true 0u1"},
		{[]string{`{"op": "Replace", "value": {"active": "False"}}`}, "Zoe Miller viewer false 0u1"},
		{[]string{`{"op": "Add", "path": "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager", "value": "8bd3d1ab"}`, `{"op": "Replace", "path": "phoneNumbers[type eq \"mobile\"].primary", "value": "False"}`, `{"op": "Replace", "path": "active", "value": "True"}`}, "Zoe Miller viewer true 0u1"},
		{[]string{`{"op": "Add", "path": "urn:ietf:params:scim:schemas:extension:contoso:2.0:User:tag", "value": "x"}`}, "Zoe Miller viewer true 0u1"},
		{[]string{`{"op": "replace", "value": {"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "title": null, "company": "Contoso", "urn:ietf:params:scim:schemas:core:2.0:User:displayName": "Zoe", "roles[primary eq \"True\"].value": "reviewer", "name.formatted": "Z."}}`}, "Zoe reviewer true 0u1"},
		{[]string{`{"op": "replace", "value": {"active": "False", "title": null}}`}, "Zoe reviewer false 0u1"},
		{[]string{`{"op": "Replace", "path": "urn:ietf:params:scim:schemas:core:2.0:User:active", "value": "True"}`}, "Zoe reviewer true 0u1"},
		{[]string{`{"op": "Replace", "path": "roles", "value": []}`}, "Zoe viewer true 0u1"},
		{[]string{`{"op": "Add", "path": "roles", "value": [{"value": "owner"}]}`}, "Zoe owner true 0u1"},
		{[]string{`{"op": "Add", "path": "roles", "value": [{"value": "viewer"}]}`, `{"op": "Add", "path": "roles", "value": []}`}, "Zoe owner true 0u1"},
		{[]string{`{"op": "Remove", "path": "roles[value eq \"reviewer\"]"}`}, "Zoe owner true 0u1"},
		{[]string{`{"op": "Remove", "path": "roles", "value": [{"value": "viewer"}]}`}, "Zoe owner true 0u1"},
		{[]string{`{"op": "Remove", "path": "roles[value eq \"owner\"]"}`, `{"op": "Add", "path": "roles", "value": [{"value": "reviewer"}]}`}, "Zoe reviewer true 0u1"},
		{[]string{`{"op": "Add", "path": "roles", "value": [{"value": "owner"}]}`, `{"op": "Remove", "path": "roles", "value": [{"value": "reviewer"}]}`}, "Zoe owner true 0u1"},
		{[]string{`{"op": "Remove", "path": "roles", "value": [{"value": "owner"}]}`}, "Zoe viewer true 0u1"},
		{[]string{`{"op": "Add", "path": "roles[primary eq \"True\"].value", "value": "owner"}`, `{"op": "Add", "path": "roles[primary eq \"True\"].value", "value": "reviewer"}`}, "Zoe reviewer true 0u1"},
		{[]string{`{"op": "Remove", "path": "roles[primary eq \"True\"]"}`}, "Zoe viewer true 0u1"},
		{[]string{`{"op": "Replace", "value": {"roles": [{"value": "owner"}], "active": "False"}}`}, "Zoe owner false 0u1"},
		{[]string{`{"op": "Replace", "value": {"roles": []}}`}, "Zoe viewer false 0u1"},
	} {
		b.callSCIM(t, "PATCH", path, b.key, patchBody(c.operations...)).want(t, http.StatusOK)
		u := decodeInto[scimUser](t, b.callSCIM(t, "GET", path, b.key, "").want(t, http.StatusOK))
		if got := fmt.Sprint(u.DisplayName, " ", u.Roles[0].Value, " ", u.Active, " ", u.ExternalID[max(len(u.ExternalID)-3, 0):]); got != c.want {
			t.Errorf("after %v: %s, want %s", c.operations, got, c.want)
		}
	}
	b.send(t, "GET", "/v1/users/"+entra.ID, b.key, nil).wantProblem(t, http.StatusNotFound, "not_found")
	u := decodeInto[scimUser](t, b.callSCIM(t, "PUT", path, b.key, strings.Replace(entraUser, "zoe@", "zoe.miller@", 1)).want(t, http.StatusOK))
	if !u.Active || u.UserName != "zoe.miller@entra.example" {
		t.Errorf("replaced %+v", u)
	}
	b.send(t, "GET", "/v1/users/"+entra.ID, b.key, nil).want(t, http.StatusOK)
	b.callSCIM(t, "PATCH", path, b.key, patchBody(`{"op": "replace", "path": "active", "value": false}`)).want(t, http.StatusOK)
	for _, status := range []int{http.StatusNoContent, http.StatusNotFound} {
		b.callSCIM(t, "DELETE", path, b.key, "").want(t, status)
	}
	b.callSCIM(t, "GET", path, b.key, "").want(t, http.StatusNotFound)
	if n := b.readText(t, `SELECT count(*)::text FROM audit_log WHERE action = 'user.removed' AND object_id = '`+entra.ID+`'`); n != "1" {
		t.Errorf("the audit log has %s entries of the removal", n)
	}
}

// TestProvisioningEndsSessions ends what a person does as soon as the provider deactivates them,
// and keeps the last owner.
func TestProvisioningEndsSessions(t *testing.T) {
	t.Parallel()
	b := setup(t)
	cookie, person := b.newSession(t, b.org.ID, access.RoleReviewer)
	b.send(t, "GET", "/session", cookie, nil).want(t, http.StatusOK)
	b.callSCIM(t, "PATCH", "/Users/"+person.ID.String(), b.key, patchBody(`{"op": "Replace", "path": "active", "value": "False"}`)).want(t, http.StatusOK)
	if r := b.send(t, "GET", "/session", cookie, nil); r.status != http.StatusUnauthorized {
		t.Errorf("the session answers %d", r.status)
	}
	b.callSCIM(t, "PATCH", "/Users/"+person.ID.String(), b.key, patchBody(`{"op": "Replace", "path": "active", "value": "True"}`)).want(t, http.StatusOK)
	if r := b.send(t, "GET", "/session", cookie, nil); r.status != http.StatusUnauthorized {
		t.Errorf("the session of before answers %d", r.status)
	}
	_, owner := b.newSession(t, b.org.ID, access.RoleOwner)
	first, err := access.FindPersonByEmail(t.Context(), b.db, b.org.ID, "owner@example.com")
	check(t, err)
	b.callSCIM(t, "PATCH", "/Users/"+first.ID.String(), b.key, patchBody(`{"op": "Replace", "path": "active", "value": false}`)).want(t, http.StatusOK)
	refusedSCIM(t, b.callSCIM(t, "PATCH", "/Users/"+owner.ID.String(), b.key, patchBody(`{"op": "Replace", "path": "active", "value": "False"}`)), http.StatusConflict, "mutability", "last owner")
	refusedSCIM(t, b.callSCIM(t, "DELETE", "/Users/"+owner.ID.String(), b.key, ""), http.StatusConflict, "mutability", "last owner")
	// Another address would remove the password.
	refusedSCIM(t, b.callSCIM(t, "PATCH", "/Users/"+owner.ID.String(), b.key, patchBody(`{"op": "Replace", "path": "userName", "value": "other@example.com"}`)), http.StatusConflict, "mutability", "last owner")
	// Without one, the next sign-in at the provider links the account by the new address.
	b.exec(t, `UPDATE people SET password_hash = NULL, password_expires_at = NULL, oidc_issuer = 'https://login.example', oidc_subject = '1' WHERE id = $1`, owner.ID)
	b.callSCIM(t, "PATCH", "/Users/"+owner.ID.String(), b.key, patchBody(`{"op": "Replace", "path": "userName", "value": "other@example.com"}`)).want(t, http.StatusOK)
}

// TestProvisioningFindsWhoWasAddedAgain deactivates a person whom an owner then adds by hand. The
// provider must find one person and be able to take access away from that one.
func TestProvisioningFindsWhoWasAddedAgain(t *testing.T) {
	t.Parallel()
	b := setup(t)
	find := func(email string) []scimUser {
		t.Helper()
		r := b.callSCIM(t, "GET", "/Users?filter="+url.QueryEscape(`userName eq "`+email+`"`), b.key, "").want(t, http.StatusOK)
		return decodeInto[struct{ Resources []scimUser }](t, r).Resources
	}
	active := func(id string, active bool) reply {
		return b.callSCIM(t, "PATCH", "/Users/"+id, b.key, patchBody(fmt.Sprintf(`{"op": "Replace", "path": "active", "value": %t}`, active)))
	}
	provided := decodeInto[scimUser](t, b.callSCIM(t, "POST", "/Users", b.key, entraUser).want(t, http.StatusCreated))
	active(provided.ID, false).want(t, http.StatusOK)
	refusedSCIM(t, b.callSCIM(t, "POST", "/Users", b.key, entraUser), http.StatusConflict, "uniqueness", "userName") // the provider activates the person instead
	again := b.newPerson(t, b.org.ID, access.RoleReviewer)
	for _, c := range []struct{ name, method, path string }{
		{"added", "POST", "/v1/users"},
		{"given the address", "PATCH", "/v1/users/" + again.ID.String()},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := map[string]any{"email": "ZOE@entra.example", "name": "Zoe", "role": "reviewer"}
			id := decodeInto[struct{ ID string }](t, b.send(t, c.method, c.path, b.key, body)).ID
			if found := find("zoe@entra.example"); len(found) != 1 || found[0].ID != id || !found[0].Active {
				t.Fatalf("the provider finds %+v, want %s", found, id)
			}
			refusedSCIM(t, active(provided.ID, false), http.StatusNotFound, "", provided.ID)
			active(id, false).want(t, http.StatusOK)
			b.send(t, "GET", "/v1/users/"+id, b.key, nil).wantProblem(t, http.StatusNotFound, "not_found")
			provided.ID = id
		})
	}
}

// TestProvisioningRefuses refuses callers without a valid token and invalid users, in the form of
// SCIM.
func TestProvisioningRefuses(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, path := range []string{"/ServiceProviderConfig", "/ResourceTypes", "/ResourceTypes/User", "/Schemas", "/Schemas/urn:ietf:params:scim:schemas:core:2.0:User"} {
		b.callSCIM(t, "GET", path, b.key, "").want(t, http.StatusOK)
	}
	_, narrow := newOrganization(t, b.db, auth.TradersRead)
	for _, key := range []string{"", "forged", auth.NewKey().Secret().Reveal()} {
		r := b.callSCIM(t, "GET", "/Users", key, "")
		refusedSCIM(t, r, http.StatusUnauthorized, "", "Create one under Developers, API keys")
		if r.header.Get("WWW-Authenticate") == "" {
			t.Error("there is no challenge")
		}
	}
	refusedSCIM(t, b.callSCIM(t, "POST", "/Users", narrow, oktaUser), http.StatusForbidden, "", "lacks the scope api_keys:manage")
	long := `roles[value eq \"` + strings.Repeat("x", 4_000) + `\"]`
	for _, c := range []struct {
		name, method, path, body string
		status                   int
		kind, detail             string
	}{
		{"no address", "POST", "/Users", strings.ReplaceAll(oktaUser, "test.user@okta.example", "test.user"), http.StatusBadRequest, "invalidValue", "userName must be the email address"},
		{"a long externalId", "POST", "/Users", strings.ReplaceAll(oktaUser, "00ujl29u0le5T6Aj10h7", strings.Repeat("x", 256)), http.StatusBadRequest, "invalidValue", "at most 255"},
		{"a role that is none", "POST", "/Users", strings.ReplaceAll(entraUser, `"reviewer"`, `"admin"`), http.StatusBadRequest, "invalidValue", "owner, reviewer or viewer"},
		{"no userName", "POST", "/Users", `{"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"]}`, http.StatusBadRequest, "invalidValue", ""},
		{"no JSON", "POST", "/Users", `{`, http.StatusBadRequest, "invalidSyntax", ""},
		{"a text for no attribute", "PATCH", "/Users/01980000-0000-7000-8000-000000000002", patchBody(`{"op": "replace", "value": "Zoe"}`), http.StatusBadRequest, "invalidValue", ""},
		{"an attribute without a name to remove", "PATCH", "/Users/01980000-0000-7000-8000-000000000002", patchBody(`{"op": "remove", "value": {"externalId": "x"}}`), http.StatusBadRequest, "noTarget", ""},
		{"a filter that is none", "GET", "/Users?filter=userName+is+zoe", "", http.StatusBadRequest, "invalidFilter", ""},
		{"a long filter", "GET", "/Users?filter=userName+eq+%22" + strings.Repeat("x", 1_000) + "%22", "", http.StatusBadRequest, "invalidFilter", ""},
		{"a long path", "PATCH", "/Users/01980000-0000-7000-8000-000000000002", patchBody(`{"op": "replace", "path": "` + long + `", "value": "viewer"}`), http.StatusBadRequest, "invalidPath", ""},
		{"one of two paths", "PATCH", "/Users/01980000-0000-7000-8000-000000000002", patchBody(`{"op": "replace", "path": "active", "Path": "` + long + `", "value": "viewer"}`), http.StatusBadRequest, "invalidPath", ""},
		{"a long path as a name", "PATCH", "/Users/01980000-0000-7000-8000-000000000002", patchBody(`{"op": "add", "value": {"` + long + `": "viewer"}}`), http.StatusBadRequest, "invalidPath", ""},
		{"many paths", "PATCH", "/Users/01980000-0000-7000-8000-000000000002", patchBody(slices.Repeat([]string{`{"op": "replace", "path": "active", "value": true}`}, 1_000)...), http.StatusBadRequest, "invalidPath", ""},
		{"nobody", "GET", "/Users/01980000-0000-7000-8000-000000000002", "", http.StatusNotFound, "", "01980000"},
		{"no id", "DELETE", "/Users/zoe", "", http.StatusNotFound, "", "zoe"},
		{"groups", "GET", "/Groups", "", http.StatusNotFound, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			refusedSCIM(t, b.callSCIM(t, c.method, c.path, b.key, c.body), c.status, c.kind, c.detail)
		})
	}
}
