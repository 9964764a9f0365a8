package v1_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/store/storetest"
)

// auditList is the part of a response of GET /v1/audit that the tests check.
type auditList struct {
	Data []struct {
		Number        int64
		At            time.Time
		Actor         struct{ Kind, Name string }
		Action        string
		Object        struct{ Kind, ID string }
		RequestID     *string `json:"request_id"`
		ClientAddress *string `json:"client_address"`
	}
	Meta struct{ Total int }
}

// audit reads the organization's log.
func (b *testAPI) audit(t *testing.T, query string) auditList {
	t.Helper()
	return decodeInto[auditList](t, b.send(t, "GET", "/v1/audit?limit=100"+query, b.key, nil).want(t, http.StatusOK))
}

// actions lists the actions, newest first.
func (l auditList) actions() (all []string) {
	for _, e := range l.Data {
		all = append(all, e.Action)
	}
	return all
}

// TestAuditOfRequests makes changes through the API and checks the entries.
func TestAuditOfRequests(t *testing.T) {
	t.Parallel()
	b := setup(t)
	before := b.audit(t, "").Meta.Total
	key := decodeInto[struct{ ID, Secret string }](t, b.send(t, "POST", "/v1/api-keys", b.key, `{"name": "Reporting", "scopes": ["traders:read"]}`).want(t, http.StatusCreated))
	b.send(t, "DELETE", "/v1/api-keys/"+key.ID, b.key, nil).want(t, http.StatusNoContent)
	id := b.create(t)
	b.send(t, "PATCH", "/v1/integrations/"+id.String(), b.key, `{"name": "Desk", "is_active": false}`).want(t, http.StatusOK)
	trader := decodeInto[struct{ ID string }](t, b.send(t, "POST", "/v1/traders", b.key, `{"full_name": "Ada Lovelace", "email": "ada@example.com"}`).want(t, http.StatusCreated))
	b.send(t, "PATCH", "/v1/traders/"+trader.ID, b.key, `{"status": "restricted", "country": "GB"}`).want(t, http.StatusOK)
	b.send(t, "POST", "/v1/traders/"+trader.ID+"/notes", b.key, `{"body": "Seen at the races"}`).want(t, http.StatusCreated)
	b.send(t, "DELETE", "/v1/integrations/"+id.String(), b.key, nil).want(t, http.StatusNoContent)

	// Requests that are refused or change nothing leave no entries.
	b.send(t, "PATCH", "/v1/traders/"+trader.ID, b.key, `{"status": "asleep"}`).want(t, http.StatusUnprocessableEntity)
	b.send(t, "PATCH", "/v1/traders/"+trader.ID, b.key, `{}`).want(t, http.StatusOK)
	b.send(t, "DELETE", "/v1/api-keys/"+key.ID, b.key, nil).want(t, http.StatusNoContent)
	b.send(t, "POST", "/v1/integrations/test", b.key, b.newIntegration()).want(t, http.StatusOK)
	b.send(t, "POST", "/v1/traders", key.Secret, `{"full_name": "Nobody"}`).want(t, http.StatusUnauthorized)

	r := b.send(t, "GET", "/v1/audit?actor_kind=api_key", b.key, nil).want(t, http.StatusOK)
	b.golden(t, "audit", stripHashes(r))
	for _, secret := range []string{key.Secret, storetest.PlatformKey, "Lovelace", "ada@", "races"} {
		if strings.Contains(r.body, secret) {
			t.Errorf("the log tells %q", secret)
		}
	}
	list := b.audit(t, "")
	if list.Meta.Total != before+8 || len(list.Data) != list.Meta.Total {
		t.Errorf("%d entries, and %d listed; want %d: %v", list.Meta.Total, len(list.Data), before+8, list.actions())
	}
	if other := decodeInto[auditList](t, b.send(t, "GET", "/v1/audit", b.other, nil)); other.Meta.Total != before {
		t.Errorf("another organization sees %d entries, want its own %d", other.Meta.Total, before)
	}
}

// stripHashes replaces what differs from run to run.
func stripHashes(r reply) reply {
	r.body = hashes.ReplaceAllString(r.body, `"<random>"`)
	return r
}

func TestAuditFilters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	made := make([]string, 3)
	for n := range made {
		made[n] = decodeInto[struct{ ID string }](t, b.send(t, "POST", "/v1/traders", b.key, fmt.Sprintf(`{"full_name": "Trader %d"}`, n)).want(t, http.StatusCreated)).ID
	}
	b.send(t, "PATCH", "/v1/traders/"+made[1], b.key, `{"status": "restricted"}`).want(t, http.StatusOK)
	second := url.QueryEscape(b.audit(t, "&object_id="+made[1]).Data[1].At.Format(time.RFC3339Nano))
	me := decodeInto[struct{ Data []struct{ ID string } }](t, b.send(t, "GET", "/v1/api-keys", b.key, nil)).Data[0].ID
	const created, updated = "trader.created", "trader.updated"
	for _, c := range []struct {
		query string
		want  []string
	}{
		{"", []string{updated, created, created, created, "api_key.created", "user.created", "organization.created"}},
		{"&action=trader.updated", []string{updated}},
		{"&object_kind=trader", []string{updated, created, created, created}},
		{"&object_id=" + made[1], []string{updated, created}},
		{"&object_id=" + made[1] + "&action=trader.created", []string{created}},
		{"&actor_kind=system", []string{"api_key.created", "user.created", "organization.created"}},
		{"&actor_kind=person", nil},
		{"&actor_id=" + me, []string{updated, created, created, created}},
		{"&actor_id=" + uuid.NewString(), nil},
		{"&object_kind=trader&from=" + second, []string{updated, created, created}},
		{"&object_kind=trader&to=" + second, []string{created}},
	} {
		list := b.audit(t, c.query)
		if diff := cmp.Diff(c.want, list.actions()); diff != "" || list.Meta.Total != len(c.want) {
			t.Errorf("%s: total %d (-want +got):\n%s", c.query, list.Meta.Total, diff)
		}
	}
	for query, want := range map[string]string{
		"action=trader.eaten": "action invalid_format", "object_kind=horse": "object_kind invalid_format", "actor_kind=ghost": "actor_kind invalid_format", "object_id=7": "object_id invalid_format",
		"from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z": "to out_of_range", "actor=me": "actor unknown_field",
	} {
		p := b.send(t, "GET", "/v1/audit?"+query, b.key, nil).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
		if diff := cmp.Diff([]string{want}, p.faults()); diff != "" {
			t.Errorf("%s (-want +got):\n%s", query, diff)
		}
	}
	page := b.send(t, "GET", "/v1/audit?limit=2&page=2&object_kind=trader", b.key, nil).want(t, http.StatusOK)
	if link := page.header.Get("Link"); !strings.Contains(link, `object_kind=trader&page=1>; rel="prev"`) && !strings.Contains(link, "page=1") {
		t.Errorf("Link %s", link)
	}
}

// TestRepetitionsAreNotAudited checks that a repeated request, which changes nothing, leaves no
// entry.
func TestRepetitionsAreNotAudited(t *testing.T) {
	t.Parallel()
	b := setup(t)
	before := b.audit(t, "").Meta.Total
	for _, c := range []struct {
		path string
		body any
		want int // rows
	}{
		{"/v1/api-keys", map[string]any{"name": "x", "scopes": []string{string(auth.TradersRead)}}, 1},
		{"/v1/integrations", b.newIntegration(), 1},
		{"/v1/traders", map[string]any{"full_name": "x"}, 1},
		{"/v1/traders", map[string]any{"full_name": ""}, 0},
	} {
		a := b.post(t, c.path, uuid.NewString(), c.body)
		for range 3 {
			b.attempt(t, a)
		}
		after := b.audit(t, "").Meta.Total
		if after != before+c.want {
			t.Errorf("%s %v: %d entries, want %d", c.path, c.body, after-before, c.want)
		}
		before = after
	}
}
