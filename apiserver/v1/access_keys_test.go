package v1_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/auth"
)

// keyMade is the part of an ApiKeyCreated that the tests check.
type keyMade struct {
	ID        uuid.UUID
	Prefix    string
	Secret    string
	ExpiresAt *time.Time `json:"expires_at"`
}

func TestAPIKeys(t *testing.T) {
	t.Parallel()
	b := setup(t)
	r := b.send(t, "POST", "/v1/api-keys", b.key, map[string]any{
		"name": "Reporting", "scopes": []string{"traders:read", "integrations:read"}, "expires_in_days": 30,
	}).want(t, http.StatusCreated)
	made := decodeInto[keyMade](t, r)
	if !strings.HasPrefix(made.Secret, "svc_live_") || made.Prefix != made.Secret[:15] {
		t.Errorf("secret %q, prefix %q", made.Secret, made.Prefix)
	}
	if made.ExpiresAt == nil || time.Until(*made.ExpiresAt).Round(time.Hour) != 30*24*time.Hour {
		t.Errorf("expires at %v", made.ExpiresAt)
	}
	forever := decodeInto[keyMade](t, b.send(t, "POST", "/v1/api-keys", b.key, map[string]any{
		"name": "Writing", "scopes": []string{"traders:write"}, "expires_in_days": nil,
	}).want(t, http.StatusCreated))
	if forever.ExpiresAt != nil {
		t.Errorf("expires at %v", forever.ExpiresAt)
	}

	// Each key may do what its scopes permit and nothing else.
	b.send(t, "GET", "/v1/traders", made.Secret, nil).want(t, http.StatusOK)
	b.send(t, "GET", "/v1/api-keys", made.Secret, nil).wantProblem(t, http.StatusForbidden, "insufficient_scope")

	b.send(t, "DELETE", "/v1/api-keys/"+made.ID.String(), b.key, nil).want(t, http.StatusNoContent)
	b.send(t, "DELETE", "/v1/api-keys/"+made.ID.String(), b.key, nil).want(t, http.StatusNoContent)
	b.send(t, "GET", "/v1/traders", made.Secret, nil).wantProblem(t, http.StatusUnauthorized, "api_key_revoked")

	list := b.send(t, "GET", "/v1/api-keys", b.key, nil).want(t, http.StatusOK)
	if strings.Contains(list.body, made.Secret) || strings.Contains(list.body, forever.Secret) {
		t.Error("the list shows a secret")
	}
	type key struct {
		Name          string
		Scopes        []string
		CreatedByName string     `json:"created_by_name"`
		RevokedAt     *time.Time `json:"revoked_at"`
		revoked       bool
	}
	listed := decodeInto[struct{ Data []key }](t, list).Data
	for i := range listed {
		listed[i].revoked, listed[i].RevokedAt = listed[i].RevokedAt != nil, nil
	}
	all := make([]string, 0, len(auth.Scopes()))
	for _, s := range auth.Scopes() {
		all = append(all, string(s))
	}
	want := []key{
		{"Writing", []string{"traders:write"}, "test", nil, false},
		{"Reporting", []string{"traders:read", "integrations:read"}, "test", nil, true},
		{"test", all, "test", nil, false},
	}
	if diff := cmp.Diff(want, listed, cmp.AllowUnexported(key{})); diff != "" {
		t.Errorf("list (-want +got):\n%s", diff)
	}
}

func TestAPIKeyFaults(t *testing.T) {
	t.Parallel()
	b := setup(t)
	long := strings.Repeat("n", 101)
	tests := []struct {
		name string
		body string
		want []string
	}{
		{"nothing", `{}`, []string{"#/name required", "#/scopes required"}},
		{"nulls", `{"name": null, "scopes": null, "expires_in_days": null}`, []string{"#/name required", "#/scopes required"}},
		{"no scope", `{"name": "x", "scopes": []}`, []string{"#/scopes too_few_items"}},
		{"unknown and repeated scopes", `{"name": "x", "scopes": ["traders:read", "admin", "traders:read", 1]}`, []string{"#/scopes/1 unknown_scope", "#/scopes/2 invalid_format", "#/scopes/3 wrong_type"}},
		{"unknown scope", `{"name": "x", "scopes": ["traders:read", "admin", "traders:read"]}`, []string{"#/scopes/1 unknown_scope", "#/scopes/2 invalid_format"}},
		{"long name", `{"name": "` + long + `", "scopes": ["traders:read"]}`, []string{"#/name too_long"}},
		{"blank name", `{"name": " ", "scopes": ["traders:read"]}`, []string{"#/name invalid_format"}},
		{"name that turns the text around", `{"name": "abc\u202edef", "scopes": ["traders:read"]}`, []string{"#/name invalid_format"}},
		{"name of two lines", `{"name": "abc\u2028def", "scopes": ["traders:read"]}`, []string{"#/name invalid_format"}},
		{"expiry below", `{"name": "x", "scopes": ["traders:read"], "expires_in_days": 0}`, []string{"#/expires_in_days out_of_range"}},
		{"expiry above", `{"name": "x", "scopes": ["traders:read"], "expires_in_days": 3651}`, []string{"#/expires_in_days out_of_range"}},
		{"expiry of half a day", `{"name": "x", "scopes": ["traders:read"], "expires_in_days": 0.5}`, []string{"#/expires_in_days invalid_format"}},
		{"unknown members", `{"name": "x", "scopes": ["traders:read"], "secret": "mine"}`, []string{"#/secret unknown_field"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := b.send(t, "POST", "/v1/api-keys", b.key, tt.body).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
			if diff := cmp.Diff(tt.want, p.faults()); diff != "" {
				t.Errorf("faults (-want +got):\n%s", diff)
			}
		})
	}
	for _, body := range []string{
		`{"name": "` + long[:100] + `", "scopes": ["traders:read"], "expires_in_days": 1}`, `{"name": "x", "scopes": ["traders:read"], "expires_in_days": 3650}`,
	} {
		b.send(t, "POST", "/v1/api-keys", b.key, body).want(t, http.StatusCreated)
	}
}

func TestKeyRevokesItself(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := decodeInto[keyMade](t, b.send(t, "POST", "/v1/api-keys", b.key, map[string]any{
		"name": "Short-lived", "scopes": []string{"api_keys:manage"},
	}).want(t, http.StatusCreated))
	b.send(t, "DELETE", "/v1/api-keys/"+made.ID.String(), made.Secret, nil).want(t, http.StatusNoContent)
	b.send(t, "DELETE", "/v1/api-keys/"+made.ID.String(), made.Secret, nil).wantProblem(t, http.StatusUnauthorized, "api_key_revoked")
}

// TestListsAreWholeUnlessPaged reads a list that is short enough to be returned whole.
func TestListsAreWholeUnlessPaged(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 30 { // more than a page of other lists has
		b.makeKey(t, b.key, auth.TradersRead)
	}
	for query, want := range map[string]struct{ items, page, limit int }{
		"":                 {31, 1, 10000},
		"?limit=10":        {10, 1, 10},
		"?limit=10&page=4": {1, 4, 10},
		"?limit=10&page=5": {0, 5, 10},
	} {
		r := b.send(t, "GET", "/v1/api-keys"+query, b.key, nil).want(t, http.StatusOK)
		got := decodeInto[struct {
			Data []struct{ ID string }
			Meta struct{ Page, Limit, Total int }
		}](t, r)
		if len(got.Data) != want.items || got.Meta.Page != want.page || got.Meta.Limit != want.limit || got.Meta.Total != 31 {
			t.Errorf("%q: %d items, %+v, want %+v of 31", query, len(got.Data), got.Meta, want)
		}
		if link := r.header.Get("Link"); !strings.Contains(link, `rel="last"`) {
			t.Errorf("%q: Link %q", query, link)
		}
	}
	b.send(t, "GET", "/v1/api-keys?limit=10001", b.key, nil).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
}
