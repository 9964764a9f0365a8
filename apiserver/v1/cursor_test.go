package v1_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/access"
)

// anyPage is a page of any list.
type anyPage struct {
	Data []json.RawMessage
	Meta struct {
		Page, Limit, Total int
		NextCursor         *string `json:"next_cursor"`
	}
}

// longLists fills lists of each kind, and returns their paths.
func (b *testAPI) longLists(t *testing.T) []string {
	t.Helper()
	const length = 7
	records := record.Batch{Traders: []record.Trader{{ID: "T"}}, Accounts: []record.Account{{ID: "A", TraderID: "T"}, {ID: "B", TraderID: "T"}}}
	opened := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for n := range length {
		records.Traders = append(records.Traders, record.Trader{ID: fmt.Sprintf("T-%d", n), FirstName: "Ann"})
		for _, account := range []string{"A", "B"} {
			records.Trades = append(records.Trades, record.Trade{
				ID: fmt.Sprint(n), AccountID: account, Symbol: "X", Side: record.Buy, OpenTime: opened.Add(time.Duration(n/3) * time.Second),
			})
		}
	}
	for n := range length {
		// Some have no status, no trader who has arrived, and no time.
		payout := record.Payout{ID: fmt.Sprint(n), TraderID: []string{"T-1", "T-2", "unknown"}[n%3], Status: []string{"", "pending", "Paid"}[n%3]}
		if n%2 == 0 {
			payout.AccountID = []string{"A-1", "a-2"}[n/2%2]
			payout.PaidAt = opened.Add(time.Duration(n/3) * time.Second)
		}
		records.Payouts = append(records.Payouts, payout)
	}
	i := b.connectPlatform(t, records)
	hook := b.newHook(t, "trader.*", "interview.*")
	for range length {
		b.makeKey(t, b.key, auth.TradersRead)
	}
	for range 3 {
		b.inStatus(t, "invited")
	}
	assigned := b.inStatus(t, "completed")
	b.send(t, "POST", "/v1/interviews/"+assigned.String()+"/assign", b.key, `{"user_id":"`+b.newPerson(t, b.org.ID, access.RoleReviewer).ID.String()+`"}`).want(t, http.StatusOK)
	b.exec(t, `UPDATE trades SET open_time = NULL WHERE id = '5' AND integration_id IN (SELECT id FROM integrations WHERE organization_id = $1)`, b.org.ID)
	b.exec(t, `INSERT INTO sync_runs (id, integration_id, cycle_id, resource, trigger, mode, status, pages, requests, records_seen, records_inserted, records_updated,
    records_unchanged, records_quarantined, throttled_ms, repeats, started_at)
SELECT gen_random_uuid(), $1, gen_random_uuid(), 'traders', 'schedule', 'incremental', 'succeeded', 1, 2, 30, 10, 5, 14, 1, 0, 0,
    timestamptz '2026-01-02' + n / 2 * interval '1 second' FROM generate_series(1, $2::int) AS n`, i.ID, length)
	b.exec(t, `INSERT INTO quarantine (integration_id, resource, key, raw, pointer, rule, detail, count, first_seen_at, last_seen_at)
SELECT $1, 'trades', 'ü' || n, '{}', '/side', 'unknown_enum_value', 'side', 1, '2026-01-02', timestamptz '2026-01-02' + n / 3 * interval '1 second' FROM generate_series(1, $2::int) AS n`, i.ID, length)
	b.exec(t, `INSERT INTO findings (integration_id, resource, rule, count, samples, first_seen_at, last_seen_at)
SELECT $1, 'trades', 'rule' || n, 1, '{}', '2026-01-02', timestamptz '2026-01-02' + n / 3 * interval '1 second' FROM generate_series(1, $2::int) AS n`, i.ID, length)

	integration := "/v1/integrations/" + i.ID.String()
	return []string{
		"/v1/traders", "/v1/traders?search=ann", "/v1/traders/" + b.ids(t)["T"].String() + "/trades", "/v1/audit", "/v1/audit?object_kind=api_key", "/v1/api-keys",
		integration + "/runs", integration + "/quarantine", integration + "/findings", "/v1/webhooks/" + hook.ID.String() + "/deliveries",
		"/v1/audit?sort=number", integration + "/runs?sort=started_at", integration + "/runs?sort=status", integration + "/runs?sort=-resource",
		integration + "/runs?resource=traders&status=succeeded", integration + "/quarantine?rule=unknown_enum_value", integration + "/quarantine?sort=resource", integration + "/quarantine?sort=-resource",
		"/v1/traders/" + b.ids(t)["T"].String() + "/trades?sort=symbol", "/v1/traders/" + b.ids(t)["T"].String() + "/trades?sort=-symbol",
		integration + "/quarantine?sort=last_seen_at", integration + "/quarantine?sort=-count", integration + "/quarantine?sort=-rule", integration + "/quarantine?sort=first_seen_at",
		"/v1/webhooks/" + hook.ID.String() + "/deliveries?sort=event", "/v1/webhooks/" + hook.ID.String() + "/deliveries?sort=-attempt_count",
		"/v1/interviews", "/v1/interviews?sort=created_at", "/v1/interviews?sort=-completed_at", "/v1/interviews?sort=-review_priority", "/v1/interviews?sort=complete_by",
		"/v1/interviews?sort=trader", "/v1/interviews?sort=-trader", "/v1/interviews?sort=status", "/v1/interviews?sort=-status", "/v1/interviews?sort=decision", "/v1/interviews?sort=-decision",
		"/v1/interviews?sort=assignee", "/v1/interviews?sort=-assignee", "/v1/interviews?sort=created_by", "/v1/interviews?sort=-created_by",
		"/v1/interviews?sort=completed_at", "/v1/interviews?sort=review_priority", "/v1/interviews?sort=-complete_by",
		"/v1/payouts", "/v1/payouts?sort=trader", "/v1/payouts?sort=-trader", "/v1/payouts?sort=status", "/v1/payouts?sort=-status", "/v1/payouts?sort=paid_at", "/v1/payouts?sort=-paid_at",
		"/v1/payouts?sort=account", "/v1/payouts?sort=-account", "/v1/payouts?sort=external_id", "/v1/payouts?sort=-external_id",
		"/v1/webhooks/" + hook.ID.String() + "/deliveries?sort=status", "/v1/webhooks/" + hook.ID.String() + "/deliveries?sort=-status",
	}
}

// readPage reads a page of a list with more parameters.
func (b *testAPI) readPage(t *testing.T, path string, parameters ...string) (anyPage, http.Header) {
	t.Helper()
	separator := "?"
	if strings.Contains(path, "?") {
		separator = "&"
	}
	r := b.send(t, "GET", path+separator+strings.Join(parameters, "&"), b.key, nil).want(t, http.StatusOK)
	return decodeInto[anyPage](t, r), r.header
}

// TestCursors walks through each list by cursors, and expects what the whole list has.
func TestCursors(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, path := range b.longLists(t) {
		whole, _ := b.readPage(t, path, "limit=100")
		if len(whole.Data) < 3 || whole.Meta.NextCursor != nil {
			t.Errorf("%s: %d items, next cursor %v; want a list of some items", path, len(whole.Data), whole.Meta.NextCursor)
		}
		var walked []json.RawMessage
		parameters := []string{"limit=2"}
		for number := 1; ; number++ {
			page, header := b.readPage(t, path, parameters...)
			walked = append(walked, page.Data...)
			if page.Meta.Page != number || page.Meta.Limit != 2 || page.Meta.Total != whole.Meta.Total {
				t.Errorf("%s: page %d has meta %+v, want a total of %d", path, number, page.Meta, whole.Meta.Total)
			}
			if page.Meta.NextCursor == nil {
				break
			}
			cursor := "cursor=" + url.QueryEscape(*page.Meta.NextCursor)
			if link := header.Get("Link"); number > 1 && !strings.Contains(link, cursor) {
				t.Errorf("%s: page %d links to %s, want its cursor", path, number, link)
			}
			parameters = []string{"limit=2", cursor}
		}
		if diff := cmp.Diff(textsOf(whole.Data), textsOf(walked)); diff != "" {
			t.Errorf("%s: the pages differ from the whole list (-whole +pages):\n%s", path, diff)
		}
	}
}

func textsOf(data []json.RawMessage) (texts []string) {
	for _, d := range data {
		texts = append(texts, string(d))
	}
	return texts
}

// TestCursorsHoldTheirPlace adds items while a list is walked through.
func TestCursorsHoldTheirPlace(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for n := range 4 {
		b.newTrader(t, fmt.Sprintf(`{"full_name":"Trader %d"}`, n))
	}
	first, _ := b.readPage(t, "/v1/traders", "limit=2")
	rest, _ := b.readPage(t, "/v1/traders", "limit=100", "page=1")
	b.newTrader(t, `{"full_name":"Trader 5"}`)
	second, _ := b.readPage(t, "/v1/traders", "limit=2", "cursor="+*first.Meta.NextCursor)
	if diff := cmp.Diff(textsOf(rest.Data[2:]), textsOf(second.Data)); diff != "" {
		t.Errorf("the second page (-want +got):\n%s", diff)
	}
}

func TestInvalidCursors(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 3 {
		b.newTrader(t, `{"full_name":"Ann"}`)
	}
	page, _ := b.readPage(t, "/v1/traders", "limit=1", "search=ann")
	cursor := *page.Meta.NextCursor
	raw, err := base64.RawURLEncoding.DecodeString(cursor)
	check(t, err)
	forge := func(old, replacement string) string {
		return base64.RawURLEncoding.EncodeToString([]byte(strings.Replace(string(raw), old, replacement, 1)))
	}
	for _, query := range []string{
		"search=bob&cursor=" + cursor, "cursor=" + cursor, "search=ann&page=2&cursor=" + cursor, "cursor=x", "cursor=eyJuIjoxfQ", "cursor=" + strings.Repeat("A", 20_000),
		"search=ann&cursor=" + cursor + "&cursor=" + cursor, "search=ann&cursor=" + forge(`"n":2`, `"n":0`), "search=ann&cursor=" + forge(`"t":3`, `"t":-1`),
	} {
		p := b.send(t, "GET", "/v1/traders?"+query, b.key, nil).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
		if faults := p.faults(); len(faults) != 1 || !strings.HasPrefix(faults[0], "cursor ") {
			t.Errorf("%.80s: faults %v, want one of the cursor", query, faults)
		}
	}
	for _, forged := range []string{forge(`"a":["2`, `"a":["x`), forge(`"a":[`, `"a":["1",`), forge(`"a":["`, `"a":[null,"`)} {
		b.send(t, "GET", "/v1/traders?search=ann&cursor="+forged, b.key, nil).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
	}
	for _, limit := range []string{"limit=1", "limit=2", "limit=100"} { // another limit is no other list
		if page, _ := b.readPage(t, "/v1/traders", "search=ann", limit, "cursor="+cursor); !slices.Contains([]int{1, 2}, len(page.Data)) {
			t.Errorf("%s: %d traders", limit, len(page.Data))
		}
	}
}
