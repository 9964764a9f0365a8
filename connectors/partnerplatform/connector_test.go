package partnerplatform_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/connectortest"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/connectors/partnerplatform"
	"github.com/assayhq/assay/connectors/record"
)

func TestStreams(t *testing.T) {
	t.Parallel()
	client := fetch.New(fetch.Options{})
	t.Cleanup(client.Close)
	c := partnerplatform.New(client)
	want := []connectors.StreamSpec{
		{Stream: record.StreamTraders, Endpoint: "GET /v1/customers"},
		{Stream: record.StreamAccounts, Endpoint: "GET /v1/prop-accounts"},
		{Stream: record.StreamTradesOpen, Endpoint: "GET /v1/trades/open", Snapshot: true},
		{Stream: record.StreamTradesClosed, Endpoint: "GET /v1/trades/closed", Overlap: 2 * time.Hour, PagesPerRun: 5000},
		{Stream: record.StreamPayouts, Endpoint: "GET /v1/payouts", Optional: true, Dispensable: true},
	}
	if diff := cmp.Diff(want, c.Streams()); diff != "" || c.Kind() != record.PartnerPlatform {
		t.Errorf("kind %q (-want +got)\n%s", c.Kind(), diff)
	}
}

// scope is an account scope whose values need escaping in a query.
func scope() *connectors.AccountScope {
	return &connectors.AccountScope{PlanCategoryIDs: []json.Number{"12", "34567890123456789012"}, Platforms: []string{"mt5", "c trader"}}
}

const scoped = "plan_category_ids=12,34567890123456789012&platforms=mt5,c trader"

// Every request has the parameters of the contract's table and no other.
func TestRequests(t *testing.T) {
	t.Parallel()
	since := time.Date(2025, 3, 4, 12, 30, 0, 120_000_789, time.FixedZone("", 2*3600))
	const gte = "&updated_gte=2025-03-04T10:30:00.12Z"
	tests := []struct {
		name   string
		stream record.Stream
		// The query of a backfill, of an incremental run, and the parameters that a
		// scope adds.
		path, backfill, incremental, scoped string
	}{
		{"customers", record.StreamTraders, "/v1/customers", "limit=100&page=1&sort_by=customerNr&sort_order=asc", "limit=100&page=1&sort_by=customerNr&sort_order=asc" + gte, ""},
		{"accounts", record.StreamAccounts, "/v1/prop-accounts", "limit=100&page=1&sort_by=accountNr&sort_order=asc", "limit=100&page=1&sort_by=accountNr&sort_order=asc" + gte, scoped},
		{"open trades", record.StreamTradesOpen, "/v1/trades/open", "limit=100&page=1&sort_by=ticket&sort_order=asc", "limit=100&page=1&sort_by=ticket&sort_order=asc", ""},
		{"closed trades", record.StreamTradesClosed, "/v1/trades/closed", "limit=100&page=1&sort_by=closeDate&sort_order=asc", "limit=100&page=1&sort_by=closeDate&sort_order=desc", ""},
		{"payouts", record.StreamPayouts, "/v1/payouts", "limit=100&page=1", "limit=100&page=1" + gte, scoped},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newPlatform(t, respond(connectortest.Script{test.path: {list()}}))
			backfill := connectors.PageRequest{Stream: test.stream, Backfill: true}
			incremental := connectors.PageRequest{Stream: test.stream, UpdatedSince: since}
			for _, source := range []connectors.Source{
				p.open("", nil), p.open("/v1", &connectors.AccountScope{}), p.open("", scope()),
			} {
				for _, req := range []connectors.PageRequest{backfill, incremental} {
					page, err := source.ReadPage(t.Context(), req)
					if err != nil {
						t.Fatal(err)
					}
					page.Release()
				}
			}
			with := func(query, more string) string {
				sent, err := url.ParseQuery(strings.TrimSuffix(query+"&"+more, "&"))
				if err != nil {
					t.Fatal(err)
				}
				return fmt.Sprintf("GET %s?%s application/json", test.path, sent.Encode())
			}
			without := []string{with(test.backfill, ""), with(test.incremental, "")}
			want := append(append(without, without...), with(test.backfill, test.scoped), with(test.incremental, test.scoped))
			if diff := cmp.Diff(want, p.Seen()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// A scope of one kind sends that kind alone.
func TestRequestsOfPartialScopes(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, respond(connectortest.Script{"/v1/payouts": {list()}}))
	for _, s := range []connectors.AccountScope{{Platforms: []string{"mt4"}}, {PlanCategoryIDs: []json.Number{"7"}}} {
		if _, err := p.open("", &s).ReadPage(t.Context(), connectors.PageRequest{Stream: record.StreamPayouts}); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"GET /v1/payouts?limit=100&page=1&platforms=mt4 application/json",
		"GET /v1/payouts?limit=100&page=1&plan_category_ids=7 application/json",
	}
	if diff := cmp.Diff(want, p.Seen()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A list without a total may end with a full page. A platform that answers 404 or
// alike for the next page has said that there is none. If the first page is missing,
// or one that the total promises, the list cannot be read.
func TestNotFoundEndsTheList(t *testing.T) {
	t.Parallel()
	full := func(envelope string) answer { return ok(string(body(between(0, 100), envelope))) }
	tests := []struct {
		name  string
		first answer
		next  int // status
		read  int // pages until the end
		code  connectors.Code
	}{
		{"no total", full(""), 404, 2, ""},
		{"no total and 400, as of a limit of pages", full(""), 400, 1, connectors.CodeUnexpectedResponse},
		{"no total and 410", full(""), 410, 2, ""},
		{"no total and 416", full(""), 416, 2, ""},
		{"no total and 422", full(""), 422, 1, connectors.CodeUnexpectedResponse},
		{"no total and 418", full(""), 418, 1, connectors.CodeUnexpectedResponse},
		{"a total that cannot be true", full(total(7)), 404, 2, ""},
		{"a total that promises the page", full(total(101)), 404, 1, connectors.CodeNotFound},
		{"a total that promises the page and 422", full(total(101)), 422, 1, connectors.CodeUnexpectedResponse},
		{"no first page", status(404), 404, 0, connectors.CodeNotFound},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newPlatform(t, respond(connectortest.Script{"/v1/payouts": {test.first, status(test.next)}}))
			source, read, cursor := p.open("", nil), 0, ""
			var err error
			for read == 0 || cursor != "" {
				var page *connectors.Page
				if page, err = source.ReadPage(t.Context(), connectors.PageRequest{Stream: record.StreamPayouts, Cursor: cursor}); err != nil {
					break
				}
				page.Release()
				if cursor, read = page.Next, read+1; page.Date.IsZero() || page.Stats.Requests != 1 {
					t.Errorf("page %d tells date %v and %d requests", read, page.Date, page.Stats.Requests)
				}
			}
			var e *connectors.Error
			if errors.As(err, &e); read != test.read || (e == nil) != (test.code == "") || e != nil && e.Code != test.code {
				t.Errorf("%d pages, error %v", read, err)
			}
		})
	}
}

func TestBaseURL(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, base, want string }{
		{"origin", "", "/v1/customers"},
		{"version", "/v1", "/v1/customers"},
		{"version and slash", "/v1/", "/v1/customers"},
		{"prefix", "/api", "/api/v1/customers"},
		{"prefix and version", "/api/v1", "/api/v1/customers"},
		{"another version", "/v12", "/v12/v1/customers"},
		{"part of a name", "/apiv1", "/apiv1/v1/customers"},
		{"only the last one", "/v1/v1", "/v1/v1/customers"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newPlatform(t, func(*http.Request) answer { return list() })
			if _, err := p.open(test.base, nil).ReadPage(t.Context(), connectors.PageRequest{Stream: record.StreamTraders}); err != nil {
				t.Fatal(err)
			}
			if got := p.Seen()[0]; !strings.HasPrefix(got, "GET "+test.want+"?") {
				t.Errorf("request %s", got)
			}
		})
	}
	t.Run("host", func(t *testing.T) {
		t.Parallel()
		if got := partnerplatform.WithoutVersion("https://v1"); got != "https://v1" {
			t.Errorf("a host became %s", got)
		}
	})
}

// A run follows the cursor over pages, and starts again if a cursor cannot be read.
func TestReadPages(t *testing.T) {
	t.Parallel()
	all := between(0, 250)
	p := newPlatform(t, func(r *http.Request) answer {
		var n int
		_, _ = fmt.Sscan(r.URL.Query().Get("page"), &n)
		return ok(string(body(cut(all, n, 100), total(len(all)))))
	})
	source := p.open("", nil)
	read, cursor := 0, "of another version"
	for {
		page, err := source.ReadPage(t.Context(), connectors.PageRequest{Stream: record.StreamPayouts, Cursor: cursor})
		if err != nil {
			t.Fatal(err)
		}
		page.Release()
		read += len(page.Payouts)
		if page.Stats.Requests != 1 || page.Date.IsZero() {
			t.Errorf("page %+v", page)
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	if got := len(p.Seen()); read != len(all) || got != 3 {
		t.Errorf("%d payouts with %d requests", read, got)
	}
}

// TestReadPageErrors reads pages that are refused or broken.
func TestReadPageErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		stream  record.Stream
		answers []answer
		want    connectors.Code // empty when the page is read
		asked   int
	}{
		{"no payouts", record.StreamPayouts, []answer{status(404)}, connectors.CodeNotFound, 1},
		{"wrong key", record.StreamTraders, []answer{status(401)}, connectors.CodeUnauthorized, 1},
		{"not allowed", record.StreamTradesOpen, []answer{status(403)}, connectors.CodeForbidden, 1},
		{"throttled at once", record.StreamTradesClosed, []answer{throttled("7")}, connectors.CodeThrottled, 1},
		{"HTML with 200", record.StreamTraders, []answer{ok(`<html>Sign in`)}, connectors.CodeUnexpectedResponse, 3},
		{"null list", record.StreamTraders, []answer{ok(`{"data":null}`)}, connectors.CodeUnexpectedResponse, 1},
		{"object for a list", record.StreamAccounts, []answer{ok(`{"data":{"1":{}}}`)}, connectors.CodeUnexpectedResponse, 1},
		{"number for an object", record.StreamAccounts, []answer{ok(`5`)}, connectors.CodeUnexpectedResponse, 1},
		{"two lists", record.StreamAccounts, []answer{ok(`{"data":[],"records":[]}`)}, connectors.CodeUnexpectedResponse, 1},
		{"error in an envelope", record.StreamPayouts, []answer{ok(`{"success":false,"message":"no"}`)}, connectors.CodeUnexpectedResponse, 1},
		{"broken, then whole", record.StreamTraders, []answer{ok(`{"data":[`), list(bareCustomer)}, "", 2},
		{"failing, then whole", record.StreamTraders, []answer{status(502), ok(`{"items":[` + bareCustomer + `]}`)}, "", 2},
		{"bare array", record.StreamTraders, []answer{ok(`[` + bareCustomer + `]`)}, "", 1},
		{"results", record.StreamTraders, []answer{ok(`{"total_count":1,"results":[` + bareCustomer + `]}`)}, "", 1},
		{"stream of another kind", record.StreamTrades, nil, connectors.CodeInternal, 0},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			script := connectortest.Script{"": test.answers}
			p := newPlatform(t, func(*http.Request) answer { return script.Next("", status(404)) })
			page, err := p.open("", nil).ReadPage(t.Context(), connectors.PageRequest{Stream: test.stream})
			var e *connectors.Error
			if test.want == "" && (err != nil || len(page.Traders) != 1) || test.want != "" && (!errors.As(err, &e) || e.Code != test.want || page != nil) {
				t.Fatalf("page %+v, error %v", page, err)
			}
			if got := len(p.Seen()); got != test.asked {
				t.Errorf("%d requests, want %d", got, test.asked)
			}
			if e != nil && e.Code == connectors.CodeThrottled && e.RetryAfter != 7*time.Second {
				t.Errorf("wait %s", e.RetryAfter)
			}
			if e != nil && test.asked > 0 && (e.HTTPStatus == 0 || !strings.HasPrefix(e.Endpoint, "GET /v1/")) {
				t.Errorf("error without its place: %+v", e)
			}
		})
	}
}

// The error for a list that returns to an earlier page says where it does.
func TestCircleNamesItsPlace(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, func(*http.Request) answer { return ok(string(body(between(0, 100), ""))) })
	source := p.open("", nil)
	req := connectors.PageRequest{Stream: record.StreamPayouts}
	for {
		page, err := source.ReadPage(t.Context(), req)
		var e *connectors.Error
		if errors.As(err, &e) {
			if e.Code != connectors.CodeCursorLoop || e.HTTPStatus != 200 || e.Endpoint != "GET /v1/payouts?limit=100&page=4" || e.Retryable() {
				t.Errorf("error %+v", e)
			}
			return
		}
		if err != nil || page.Next == "" {
			t.Fatalf("page %+v, error %v", page, err)
		}
		page.Release()
		req.Cursor = page.Next
	}
}

func TestReadPageEndsWithItsContext(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, respond(nil))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.open("", nil).ReadPage(ctx, connectors.PageRequest{Stream: record.StreamTraders}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
