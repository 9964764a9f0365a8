package v1_test

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/connectors/record"
)

// listedDuplicates is the answer of GET /v1/traders/{id}/duplicates.
type listedDuplicates struct {
	Data []struct {
		Trader      person
		Reasons     []string
		Mergeable   bool
		DismissedAt *string `json:"dismissed_at"`
		DismissedBy *string `json:"dismissed_by"`
	}
	Meta struct {
		Page, Limit, Total int
		NextCursor         *string `json:"next_cursor"`
	}
	TooCommon []string `json:"too_common"`
}

// listDuplicates reads the duplicates of a trader.
func (b *testAPI) listDuplicates(t testing.TB, id uuid.UUID) listedDuplicates {
	t.Helper()
	return decodeInto[listedDuplicates](t, b.send(t, "GET", "/v1/traders/"+id.String()+"/duplicates", b.key, nil).want(t, http.StatusOK))
}

// TestDuplicates lists, dismisses, restores and merges the duplicates of a trader.
func TestDuplicates(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.connectPlatform(t, record.Batch{Traders: []record.Trader{
		{ID: "T-1", FirstName: "Zoe", LastName: "Miller", Email: "zoe@example.com", Phone: "+49 30 1234567"}, {ID: "T-2", FirstName: "Zoe", Email: "ZOE@example.com"},
	}})
	synced, other := b.ids(t)["T-1"], b.ids(t)["T-2"]
	hand := b.newTrader(t, `{"full_name": "Z. Miller", "phone": "0049 (30) 1234-567"}`)
	path := func(id, duplicate uuid.UUID) string {
		return "/v1/traders/" + id.String() + "/duplicates/" + duplicate.String()
	}
	found := b.listDuplicates(t, synced)
	if len(found.Data) != 2 || found.TooCommon == nil {
		t.Fatalf("found %+v", found)
	}
	if d := found.Data[0]; d.Trader.ID != other || !slices.Equal(d.Reasons, []string{"email"}) || d.Mergeable {
		t.Errorf("of the same platform: %+v", d)
	}
	if d := found.Data[1]; d.Trader.ID != hand.ID || !slices.Equal(d.Reasons, []string{"phone"}) || !d.Mergeable || d.DismissedAt != nil {
		t.Errorf("added by hand: %+v", d)
	}
	if m := found.Meta; m.Page != 1 || m.Total != 2 || m.NextCursor != nil {
		t.Errorf("meta of the whole list: %+v", m)
	}
	list := "/v1/traders/" + synced.String() + "/duplicates?limit=1"
	first := decodeInto[listedDuplicates](t, b.send(t, "GET", list, b.key, nil).want(t, http.StatusOK))
	if len(first.Data) != 1 || first.Data[0].Trader.ID != other || first.Meta.Total != 2 || first.Meta.NextCursor == nil {
		t.Fatalf("first page: %+v", first)
	}
	for _, next := range []string{list + "&page=2", list + "&cursor=" + url.QueryEscape(*first.Meta.NextCursor)} {
		r := b.send(t, "GET", next, b.key, nil).want(t, http.StatusOK)
		second := decodeInto[listedDuplicates](t, r)
		if len(second.Data) != 1 || second.Data[0].Trader.ID != hand.ID || second.Meta.NextCursor != nil || !strings.Contains(r.header.Get("Link"), `rel="first"`) {
			t.Errorf("%s: %+v, links %s", next, second, r.header.Get("Link"))
		}
	}
	weak := b.weakKey(t, auth.TradersRead)
	b.send(t, "PUT", path(synced, other)+"/dismissal", weak, nil).wantProblem(t, http.StatusForbidden, "insufficient_scope")
	for range 2 {
		b.send(t, "PUT", path(synced, other)+"/dismissal", b.key, nil).want(t, http.StatusNoContent)
	}
	if d := b.listDuplicates(t, other).Data[0]; d.Trader.ID != synced || d.DismissedAt == nil || d.DismissedBy == nil {
		t.Errorf("dismissed: %+v", d)
	}
	b.send(t, "DELETE", path(other, synced)+"/dismissal", b.key, nil).want(t, http.StatusNoContent)
	if d := b.listDuplicates(t, other).Data[0]; d.DismissedAt != nil || d.DismissedBy != nil {
		t.Errorf("restored: %+v", d)
	}
	for _, c := range []struct {
		name, path, want string
	}{
		{"both synced", path(synced, other) + "/merge", "read from platforms"},
		{"itself", path(synced, synced) + "/merge", "same trader"},
	} {
		if r := b.send(t, "POST", c.path, b.key, nil).want(t, http.StatusConflict); !strings.Contains(r.body, c.want) {
			t.Errorf("%s: %s", c.name, r.body)
		}
	}
	b.send(t, "POST", path(synced, uuid.New())+"/merge", b.key, nil).wantProblem(t, http.StatusNotFound, "not_found")
	b.send(t, "POST", path(synced, hand.ID)+"/merge", b.other, nil).wantProblem(t, http.StatusNotFound, "not_found")
	merged := decodeInto[person](t, b.send(t, "POST", path(hand.ID, synced)+"/merge", b.key, nil).want(t, http.StatusOK))
	if merged.ID != hand.ID || merged.Source != "custom_api" || *merged.FullName != "Z. Miller" || *merged.Email != "zoe@example.com" {
		text, _ := json.Marshal(merged)
		t.Errorf("merged: %s", text)
	}
	b.send(t, "GET", "/v1/traders/"+synced.String(), b.key, nil).wantProblem(t, http.StatusNotFound, "not_found")
}
