package customapi_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/alias"
	"github.com/assayhq/assay/connectors/connectortest"
	"github.com/assayhq/assay/connectors/customapi"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/connectors/record"
)

func TestStreams(t *testing.T) {
	t.Parallel()
	client := fetch.New(fetch.Options{})
	t.Cleanup(client.Close)
	c := customapi.New(client)
	want := []connectors.StreamSpec{
		{Stream: record.StreamTraders, Endpoint: "GET /traders", Order: connectors.ByTime},
		{Stream: record.StreamAccounts, Endpoint: "GET /accounts", Order: connectors.ByTime},
		{Stream: record.StreamTrades, Endpoint: "GET /trades", Order: connectors.UsuallyByTime, History: 90 * 24 * time.Hour},
		{Stream: record.StreamPayouts, Endpoint: "GET /payouts", Order: connectors.UsuallyByTime, Optional: true},
	}
	if diff := cmp.Diff(want, c.Streams()); diff != "" || c.Kind() != record.CustomAPI {
		t.Errorf("kind %q (-want +got)\n%s", c.Kind(), diff)
	}
}

func TestRequests(t *testing.T) {
	t.Parallel()
	since := time.Date(2025, 3, 4, 12, 30, 0, 120_000_789, time.FixedZone("", 2*3600))
	tests := []struct {
		name string
		req  connectors.PageRequest
		want string
	}{
		{"first page", connectors.PageRequest{Stream: record.StreamTraders}, "/traders?limit=200"},
		{
			"next page",
			connectors.PageRequest{Stream: record.StreamAccounts, Cursor: `a/b+c=&"ü`},
			"/accounts?cursor=a%2Fb%2Bc%3D%26%22%C3%BC&limit=200",
		},
		{"since", connectors.PageRequest{Stream: record.StreamTrades, UpdatedSince: since}, "/trades?limit=200&updated_since=2025-03-04T10%3A30%3A00.12Z"},
		{
			"since in whole seconds",
			connectors.PageRequest{Stream: record.StreamPayouts, UpdatedSince: at(10, 0, 0), Cursor: "2"},
			"/payouts?cursor=2&limit=200&updated_since=2025-03-04T10%3A00%3A00Z",
		},
		{
			"what other platforms need changes nothing",
			connectors.PageRequest{Stream: record.StreamTraders, Backfill: true},
			"/traders?limit=200",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newPlatform(t, connectortest.Script{"/": {list("null")}})
			if _, err := p.source.ReadPage(t.Context(), test.req); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{"GET /api" + test.want + " application/json"}, p.Seen()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestReadPage(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, connectortest.Script{"/traders": {
		ok(`{"data":[` + bareTrader), // broken: requested again
		list(`"next"`, bareTrader, with(bareTrader, "id", "null")),
	}})
	page, err := p.source.ReadPage(t.Context(), connectors.PageRequest{Stream: record.StreamTraders})
	if err != nil {
		t.Fatal(err)
	}
	page.Release()
	if len(page.Traders) != 1 || len(page.Rejected) != 1 || page.Seen != 2 || page.Next != "next" || page.Stats.Requests != 2 || page.Date.IsZero() {
		t.Errorf("page %+v", page)
	}
}

func TestReadPageErrors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		stream  record.Stream
		answers []answer
		want    connectors.Code
		status  int
		asked   int // requests sent
		message string
	}{
		{"no payouts", record.StreamPayouts, []answer{status(404)}, connectors.CodeNotFound, 404, 1, ""},
		{"wrong key", record.StreamTraders, []answer{status(401)}, connectors.CodeUnauthorized, 401, 1, ""},
		{"not allowed", record.StreamTraders, []answer{status(403)}, connectors.CodeForbidden, 403, 1, ""},
		{"throttled at once", record.StreamTraders, []answer{throttled("7")}, connectors.CodeThrottled, 429, 1, ""},
		{"null list", record.StreamTraders, []answer{ok(`{"data":null}`)}, connectors.CodeUnexpectedResponse, 200, 1, "no array of records"},
		{"login page", record.StreamTraders, []answer{ok(`<html>Sign in`)}, connectors.CodeUnexpectedResponse, 200, 3, "<html>Sign in"},
		{
			"too many records", record.StreamTraders,
			[]answer{ok("[" + strings.Repeat("1,", alias.MaxRecords) + "1]")},
			connectors.CodeResponseTooLarge, 200, 1, "more than 100000",
		},
		{"stream of another kind", record.StreamTradesOpen, nil, connectors.CodeInternal, 0, 0, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newPlatform(t, connectortest.Script{"/": test.answers})
			page, err := p.source.ReadPage(t.Context(), connectors.PageRequest{Stream: test.stream})
			var e *connectors.Error
			if !errors.As(err, &e) || page != nil {
				t.Fatalf("page %v, error %v", page, err)
			}
			if e.Code != test.want || e.HTTPStatus != test.status || !strings.Contains(e.Message, test.message) {
				t.Errorf("error %v, want %s with status %d and %q", e, test.want, test.status, test.message)
			}
			if got := len(p.Seen()); got != test.asked {
				t.Errorf("%d requests, want %d", got, test.asked)
			}
			if e.Code == connectors.CodeThrottled && e.RetryAfter != 7*time.Second {
				t.Errorf("wait %s", e.RetryAfter)
			}
		})
	}
}

// A platform that refuses the cursor of a page is reported as that, unless something else explains the refusal.
func TestRefusedCursorIsNamed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		cursor string
		answer answer
		want   bool
	}{
		{"c", status(400), true},
		{"c", status(404), true},
		{"c", status(410), true},
		{"", status(400), false},
		{"c", status(401), false},
		{"c", throttled("7"), false},
		{"c", ok(`{"data":null}`), false},
	} {
		p := newPlatform(t, connectortest.Script{"/": []answer{test.answer}})
		_, err := p.source.ReadPage(t.Context(), connectors.PageRequest{Stream: record.StreamTrades, Cursor: test.cursor})
		var e *connectors.Error
		if !errors.As(err, &e) || strings.Contains(e.Message, "refused the cursor") != test.want {
			t.Errorf("cursor %q: %v, named: want %t", test.cursor, err, test.want)
		}
	}
}

func TestReadPageEndsWithItsContext(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.source.ReadPage(ctx, connectors.PageRequest{Stream: record.StreamTraders}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestReadTrader(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		id     string
		answer answer
		want   connectors.Code // empty when the trader is found
		asked  string
	}{
		{"found", "T-1", ok(bareTrader), "", "/traders/T-1"},
		{"id needs escaping", "a/b?c d%", ok(trader(`"a/b?c d%"`, "2025-03-04T10:00:00Z")), "", "/traders/a%2Fb%3Fc%20d%25"},
		{"numeric id", "7", ok(trader(`7`, "2025-03-04T10:00:00Z")), "", "/traders/7"},
		{"unknown", "T-1", status(404), connectors.CodeNotFound, "/traders/T-1"},
		{"another trader", "T-2", ok(bareTrader), connectors.CodeUnexpectedResponse, "/traders/T-2"},
		{"unusable", "T-1", ok(`{"id":"T-1"}`), connectors.CodeInvalidRecords, "/traders/T-1"},
		{"in an envelope", "T-1", ok(`{"data":` + bareTrader + `}`), connectors.CodeInvalidRecords, "/traders/T-1"},
		{"a list", "T-1", ok(`[` + bareTrader + `]`), connectors.CodeUnexpectedResponse, "/traders/T-1"},
		{"no id", "", status(500), connectors.CodeNotFound, ""},
		{"a path of its own", "..", status(500), connectors.CodeNotFound, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newPlatform(t, connectortest.Script{"/traders/": {test.answer}})
			got, err := p.source.(connectors.TraderReader).ReadTrader(t.Context(), test.id)
			var e *connectors.Error
			if test.want == "" && (err != nil || got.ID != test.id) || test.want != "" && (!errors.As(err, &e) || e.Code != test.want) {
				t.Errorf("trader %+v, error %v, want code %q", got, err, test.want)
			}
			var want []string
			if test.asked != "" {
				want = []string{"GET /api" + test.asked + " application/json"}
			}
			if diff := cmp.Diff(want, p.Seen()); diff != "" {
				t.Errorf("requests (-want +got)\n%s", diff)
			}
		})
	}
}
