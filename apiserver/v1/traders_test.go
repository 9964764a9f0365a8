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

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing/integrations"
)

func at(text string) time.Time {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return t
}

// connectPlatform inserts records into the database and returns their integration.
func (b *testAPI) connectPlatform(t testing.TB, records record.Batch) integrations.Integration {
	t.Helper()
	i := storetest.Integration(t, b.db, b.org.ID, b.platformURL)
	storetest.Records(t, b.databaseURL, i, records)
	return i
}

// fullDirectory holds a trader with all fields, and one with only an id.
func fullDirectory() record.Batch {
	return record.Batch{
		Traders: []record.Trader{
			{
				ID: "T-1", FirstName: "Zoë", LastName: "Müller", Email: "Zoe@Example.com", Country: "DE", Phone: "+4930123456",
				KYCStatus: "verified", Tags: []string{"vip", "<b>"}, RegisteredAt: at("2026-01-02T03:04:05.123456Z"),
				UpdatedAt: at("2026-02-03T04:05:06Z"), Metadata: `{"score": 90071992547409930001.10, "b": [1, null, "\u2028"]}`,
			},
			{ID: "T-2", UpdatedAt: at("2026-02-03T04:05:06Z"), Unrecognized: `{"kyc_status":"under review"}`},
		},
		Accounts: []record.Account{
			{
				ID: "A-1", TraderID: "T-1", UpdatedAt: at("2026-02-03T04:05:06Z"), Platform: "mt5", Login: "100", Program: "Two step", Phase: "funded",
				Status: "active", Currency: "EUR", InitialBalance: "100000", Balance: "100500.55", Equity: "-0.000000000000000000001",
				StartedAt: at("2026-01-05T00:00:00Z"), Metadata: `{"a": 1}`,
			},
			{ID: "A-2", TraderID: "T-1", UpdatedAt: at("2026-02-03T04:05:06Z"), Unrecognized: `{"platform":"mt6","status":7}`},
		},
		Trades: []record.Trade{
			{
				ID: "1", AccountID: "A-1", Symbol: "EURUSD", Side: record.Buy, OpenTime: at("2026-01-10T10:00:00Z"), UpdatedAt: at("2026-01-10T11:00:00Z"),
				Volume: "0.10", CloseTime: at("2026-01-10T11:00:00Z"), OpenPrice: "1.08500", ClosePrice: "1.09", StopLoss: "1.08", TakeProfit: "1.1",
				Commission: "-3.5", Swap: "0", Profit: "46.5",
			},
			{
				ID: "2", AccountID: "A-1", Symbol: "XAUUSD", Side: record.Sell, OpenTime: at("2026-01-11T10:00:00Z"), UpdatedAt: at("2026-01-11T10:00:00Z"),
				Volume: "123456789012345678901234567890.123456789",
			},
			{ID: "1", AccountID: "A-2", Symbol: "EURUSD", Side: record.Sell, OpenTime: at("2026-01-12T10:00:00Z"), CloseTime: at("2026-01-12T10:00:01Z"), UpdatedAt: at("2026-01-12T10:00:01Z")},
		},
		Payouts: []record.Payout{
			{
				ID: "P-1", TraderID: "T-1", AccountID: "A-1", Status: "paid", UpdatedAt: at("2026-02-01T00:00:00Z"), Amount: "1234.56", Currency: "EUR",
				RequestedAt: at("2026-01-30T00:00:00Z"), PaidAt: at("2026-02-01T00:00:00Z"), Metadata: `{"profit_split": 80, "request_amount": "1543.20"}`,
			},
			{ID: "P-2", TraderID: "T-1", Status: "pending", UpdatedAt: at("2026-02-01T00:00:00Z")},
		},
	}
}

// ids returns the ids of the traders by their external ids.
func (b *testAPI) ids(t testing.TB) map[string]uuid.UUID {
	t.Helper()
	list := decodeInto[struct {
		Data []struct {
			ID       uuid.UUID
			External string `json:"external_id"`
		}
	}](t, b.send(t, "GET", "/v1/traders?limit=100", b.key, nil).want(t, http.StatusOK))
	ids := make(map[string]uuid.UUID)
	for _, row := range list.Data {
		ids[row.External] = row.ID
	}
	return ids
}

func TestTraders(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.connectPlatform(t, fullDirectory())
	ids := b.ids(t)
	b.golden(t, "traders", b.send(t, "GET", "/v1/traders", b.key, nil).want(t, http.StatusOK))
	b.golden(t, "trader", b.send(t, "GET", "/v1/traders/"+ids["T-1"].String(), b.key, nil).want(t, http.StatusOK))
	b.golden(t, "trader_bare", b.send(t, "GET", "/v1/traders/"+ids["T-2"].String(), b.key, nil).want(t, http.StatusOK))
	b.golden(t, "trades", b.send(t, "GET", "/v1/traders/"+ids["T-1"].String()+"/trades", b.key, nil).want(t, http.StatusOK))
	b.golden(t, "empty_page", b.send(t, "GET", "/v1/traders", b.other, nil).want(t, http.StatusOK))
}

func TestTradersOutliveTheirIntegration(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := b.connectPlatform(t, fullDirectory())
	id := b.ids(t)["T-1"]
	b.send(t, "DELETE", "/v1/integrations/"+i.ID.String(), b.key, nil).want(t, http.StatusNoContent)
	got := decodeInto[struct {
		IntegrationID *uuid.UUID `json:"integration_id"`
		Source        string
		Accounts      []struct{ ID uuid.UUID }
	}](t, b.send(t, "GET", "/v1/traders/"+id.String(), b.key, nil).want(t, http.StatusOK))
	if got.IntegrationID != nil || got.Source != "custom_api" || len(got.Accounts) != 2 {
		t.Errorf("got %+v", got)
	}
}

func TestSearch(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.connectPlatform(t, fullDirectory())
	tests := []struct {
		name   string
		search string
		want   int
	}{
		{"nothing", "", 2},
		{"name in other case", "zoë MÜ", 1},
		{"email", "zoe@EXAMPLE", 1},
		{"external id", "t-", 2},
		{"no hit", "nobody", 0},
		{"percent is no wildcard", "%", 0},
		{"underscore is no wildcard", "T_1", 0},
		{"backslash", `\`, 0},
		{"quote", `'; --`, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := b.send(t, "GET", "/v1/traders?search="+url.QueryEscape(tt.search), b.key, nil).want(t, http.StatusOK)
			got := decodeInto[struct {
				Data []struct{ ID uuid.UUID }
				Meta struct{ Total int }
			}](t, r)
			if len(got.Data) != tt.want || got.Meta.Total != tt.want {
				t.Errorf("%d of %d found, want %d", len(got.Data), got.Meta.Total, tt.want)
			}
		})
	}
}

func TestTradeFilters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.connectPlatform(t, fullDirectory())
	path := "/v1/traders/" + b.ids(t)["T-1"].String()
	detail := decodeInto[struct {
		Accounts []struct {
			ID       uuid.UUID
			External string `json:"external_id"`
		}
	}](t, b.send(t, "GET", path, b.key, nil).want(t, http.StatusOK))
	accounts := make(map[string]string)
	for _, a := range detail.Accounts {
		accounts[a.External] = a.ID.String()
	}
	tests := []struct {
		name  string
		query string
		want  []string // account and id
	}{
		{"none", "", []string{"A-2 1", "A-1 2", "A-1 1"}},
		{"account", "account_id=" + accounts["A-1"], []string{"A-1 2", "A-1 1"}},
		{"unknown account", "account_id=" + uuid.NewString(), nil},
		{"symbol", "symbol=EURUSD", []string{"A-2 1", "A-1 1"}},
		{"open", "state=open", []string{"A-1 2"}},
		{"closed", "state=closed", []string{"A-2 1", "A-1 1"}},
		{"from is included", "from=2026-01-11T10:00:00Z", []string{"A-2 1", "A-1 2"}},
		{"to is not", "to=2026-01-11T10:00:00Z", []string{"A-1 1"}},
		{"with an offset", "from=2026-01-12T12:00:00%2B02:00", []string{"A-2 1"}},
		{"together", "symbol=EURUSD&state=closed&from=2026-01-11T00:00:00Z", []string{"A-2 1"}},
		{"second page", "limit=2&page=2", []string{"A-1 1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			list := decodeInto[struct {
				Data []struct {
					ID      string
					Account string `json:"account_external_id"`
				}
			}](t, b.send(t, "GET", path+"/trades?"+tt.query, b.key, nil).want(t, http.StatusOK))
			var got []string
			for _, trade := range list.Data {
				got = append(got, trade.Account+" "+trade.ID)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("trades (-want +got):\n%s", diff)
			}
		})
	}
	p := b.send(t, "GET", path+"/trades?account_id=7&state=x&symbol="+strings.Repeat("S", 101)+"&from=now&to=1&page=0&limit=101", b.key, nil).
		wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
	want := []string{"account_id invalid_format", "symbol too_long", "state invalid_format", "from invalid_format", "to invalid_format", "page out_of_range", "limit out_of_range"}
	if diff := cmp.Diff(want, p.faults()); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
	p = b.send(t, "GET", path+"/trades?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z", b.key, nil).
		wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
	if diff := cmp.Diff([]string{"to out_of_range"}, p.faults()); diff != "" {
		t.Errorf("faults (-want +got):\n%s", diff)
	}
}

func TestPages(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var records record.Batch
	for i := range 60 {
		records.Traders = append(records.Traders, record.Trader{ID: fmt.Sprintf("T-%02d", i), FirstName: "Ann"})
	}
	b.connectPlatform(t, records)
	const base = "https://assay.example/v1/traders?"
	link := func(pairs ...string) string {
		var list []string
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, fmt.Sprintf("<%s%s>; rel=%q", base, pairs[i+1], pairs[i]))
		}
		return strings.Join(list, ", ")
	}
	tests := []struct {
		name  string
		query string
		rows  int
		meta  string
		link  string
	}{
		{"default", "", 25, `{"page":1,"limit":25,"total":60}`, link("first", "limit=25&page=1", "next", "limit=25&page=2", "last", "limit=25&page=3")},
		{"last", "page=3", 10, `{"page":3,"limit":25,"total":60}`, link("first", "limit=25&page=1", "prev", "limit=25&page=2", "last", "limit=25&page=3")},
		{"past the end", "page=9", 0, `{"page":9,"limit":25,"total":60}`, link("first", "limit=25&page=1", "prev", "limit=25&page=3", "last", "limit=25&page=3")},
		{
			"far past the end", "page=1000000000&limit=100", 0, `{"page":1000000000,"limit":100,"total":60}`,
			link("first", "limit=100&page=1", "prev", "limit=100&page=1", "last", "limit=100&page=1"),
		},
		{"exactly full", "page=2&limit=30", 30, `{"page":2,"limit":30,"total":60}`, link("first", "limit=30&page=1", "prev", "limit=30&page=1", "last", "limit=30&page=2")},
		{
			"filters stay", "search=ann&limit=50", 50, `{"page":1,"limit":50,"total":60}`,
			link("first", "limit=50&page=1&search=ann", "next", "limit=50&page=2&search=ann", "last", "limit=50&page=2&search=ann"),
		},
		{
			"uncounted", "search=ann&count=none", 25, `{"page":1,"limit":25,"total":60}`,
			link("first", "count=none&limit=25&page=1&search=ann", "next", "count=none&limit=25&page=2&search=ann"),
		},
		{
			"last uncounted", "page=3&count=none", 10, `{"page":3,"limit":25,"total":60}`,
			link("first", "count=none&limit=25&page=1", "prev", "count=none&limit=25&page=2", "last", "count=none&limit=25&page=3"),
		},
		{
			"filters cannot break out", "tag=" + url.QueryEscape(">;\r\n x"), 0, `{"page":1,"limit":25,"total":0}`,
			link("first", "limit=25&page=1&tag=%3E%3B%0D%0A+x", "last", "limit=25&page=1&tag=%3E%3B%0D%0A+x"),
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := b.send(t, "GET", "/v1/traders?"+tt.query, b.key, nil).want(t, http.StatusOK)
			if got := len(decodeInto[struct{ Data []struct{ ID string } }](t, r).Data); got != tt.rows {
				t.Errorf("%d rows, want %d", got, tt.rows)
			}
			if !strings.Contains(r.body, `"meta":`+strings.TrimSuffix(tt.meta, "}")+`,"next_cursor":`) {
				t.Errorf("meta in %s, want %s", r.body[max(0, len(r.body)-80):], tt.meta)
			}
			if diff := cmp.Diff(tt.link, r.header.Get("Link")); diff != "" {
				t.Errorf("Link (-want +got):\n%s", diff)
			}
		})
	}
	faults := []struct{ query, want string }{
		{"page=0", "page out_of_range"},
		{"page=-1", "page out_of_range"},
		{"page=x", "page invalid_format"},
		{"limit=0", "limit out_of_range"},
		{"limit=101", "limit out_of_range"},
		{"limit=1e1", "limit invalid_format"},
		{"search=" + strings.Repeat("x", 201), "search too_long"},
		{"search=%00", "search invalid_format"},
		{"search=%ff", "search invalid_format"},
	}
	for _, tt := range faults {
		p := b.send(t, "GET", "/v1/traders?"+tt.query, b.key, nil).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
		if diff := cmp.Diff([]string{tt.want}, p.faults()); diff != "" {
			t.Errorf("%s: faults (-want +got):\n%s", tt.query, diff)
		}
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	b := setup(t)
	i := b.connectPlatform(t, record.Batch{})
	conn := storetest.Conn(t, b.databaseURL)
	for _, statement := range []string{
		`INSERT INTO sync_runs (id, integration_id, cycle_id, resource, trigger, mode, status, pages, requests, records_seen, records_inserted, records_updated,
    records_unchanged, records_quarantined, throttled_ms, repeats, updated_since, error, started_at, finished_at)
VALUES (gen_random_uuid(), $1, gen_random_uuid(), 'traders', 'schedule', 'incremental', 'succeeded', 1, 2, 30, 10, 5, 14, 1, 1500, 7,
    '2026-01-01T00:00:00Z', NULL, '2026-01-02T00:00:00Z', '2026-01-02T00:00:01.5Z'),
    (gen_random_uuid(), $1, gen_random_uuid(), 'trades', 'manual', 'backfill', 'failed', 0, 3, 0, 0, 0, 0, 0, 0, 0,
    NULL, '{"resource": "trades", "code": "server_error", "message": "the platform answered with status 500", "http_status": 500, "endpoint": "GET /trades?limit=200", "hint": "h", "at": "2026-01-02T00:00:03Z"}',
    '2026-01-02T00:00:02Z', NULL)`,
		`INSERT INTO quarantine (integration_id, resource, key, raw, pointer, rule, detail, count, first_seen_at, last_seen_at)
VALUES ($1, 'trades', E'A-1\x1f7', '{"id": 7, "side": "up"}', '/side', 'unknown_enum_value', 'side must be buy or sell', 3, '2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z')`,
		`INSERT INTO findings (integration_id, resource, rule, count, samples, first_seen_at, last_seen_at)
VALUES ($1, 'traders', 'clock_skew', 2, '{}', '2026-01-02T00:00:00Z', '2026-01-03T00:00:00Z'),
    ($1, 'accounts', 'numeric_string', 5, '{A-1,A-2}', '2026-01-02T00:00:00Z', '2026-01-04T00:00:00Z')`,
	} {
		_, err := conn.Exec(t.Context(), statement, i.ID)
		check(t, err)
	}
	for _, list := range []string{"runs", "quarantine", "findings"} {
		path := "/v1/integrations/" + i.ID.String() + "/" + list
		b.golden(t, list, b.send(t, "GET", path, b.key, nil).want(t, http.StatusOK))
		b.send(t, "GET", path+"?limit=101", b.key, nil).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
		if r := b.send(t, "GET", path+"?page=2", b.key, nil).want(t, http.StatusOK); !strings.HasPrefix(r.body, `{"data":[],`) {
			t.Errorf("%s past the end: %s", list, r.body)
		}
	}
	// A caller that may not read traders does not get what the platform sent of them.
	made := b.send(t, "POST", "/v1/api-keys", b.key, map[string]any{"name": "monitor", "scopes": []string{"integrations:read"}}).want(t, http.StatusCreated)
	monitor := decodeInto[keyMade](t, made).Secret
	r := b.send(t, "GET", "/v1/integrations/"+i.ID.String()+"/quarantine", monitor, nil).want(t, http.StatusOK)
	if !strings.Contains(r.body, `"raw":"","pointer":"/side"`) {
		t.Errorf("without traders:read: %s", r.body)
	}
}
