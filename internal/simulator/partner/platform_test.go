package partner_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/partner"
	"github.com/assayhq/assay/internal/simulator/platformtest"
)

func TestRoutes(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, small(1))
	tests := []struct {
		name, method, path, authorization string
		status                            int
		says                              string // of the error body
	}{
		{name: "customers", path: "/v1/customers", status: 200},
		{name: "accounts", path: "/v1/prop-accounts", status: 200},
		{name: "closed trades", path: "/v1/trades/closed", status: 200},
		{name: "open trades", path: "/v1/trades/open", status: 200},
		{name: "payouts", path: "/v1/payouts", status: 200},
		{name: "scheme in another case", path: "/v1/payouts", authorization: "bearer " + key, status: 200},
		{name: "no key", path: "/v1/customers", authorization: "-", status: 401, says: "unauthorized"},
		{name: "wrong key", path: "/v1/customers", authorization: "Bearer " + key + "x", status: 401, says: "unauthorized"},
		{name: "other scheme", path: "/v1/customers", authorization: "Basic " + key, status: 401, says: "unauthorized"},
		{name: "unknown route without key", path: "/v2", authorization: "-", status: 401, says: "unauthorized"},
		{name: "unknown route", path: "/v1/orders", status: 404, says: "not_found"},
		{name: "without version", path: "/customers", status: 404, says: "not_found"},
		{name: "version twice", path: "/v1/v1/customers", status: 404, says: "not_found"},
		{name: "trailing slash", path: "/v1/customers/", status: 404, says: "not_found"},
		{name: "trades in general", path: "/v1/trades", status: 404, says: "not_found"},
		{name: "post", method: http.MethodPost, path: "/v1/customers", status: 405, says: "method_not_allowed"},
		{name: "head", method: http.MethodHead, path: "/v1/customers", status: 405, says: "method_not_allowed"},
		{name: "page 0", path: "/v1/customers?page=0", status: 400, says: "page must be"},
		{name: "page in words", path: "/v1/customers?page=first", status: 400, says: "page must be"},
		{name: "page twice", path: "/v1/customers?page=1&page=2", status: 400, says: "more than once"},
		{name: "limit 0", path: "/v1/customers?limit=0", status: 400, says: "limit must be"},
		{name: "limit 101", path: "/v1/customers?limit=101", status: 400, says: "at most 100"},
		{name: "limit 100", path: "/v1/customers?limit=100", status: 200},
		{name: "empty limit", path: "/v1/customers?limit=", status: 400, says: "limit is empty"},
		{name: "far page", path: "/v1/customers?page=1000000000", status: 200},
		{name: "customers by number", path: "/v1/customers?sort_by=customerNr&sort_order=asc", status: 200},
		{name: "customers by another field", path: "/v1/customers?sort_by=email", status: 400, says: "sort_by must be customerNr"},
		{name: "another order", path: "/v1/customers?sort_order=up", status: 400, says: "asc or desc"},
		{name: "accounts with a scope", path: "/v1/prop-accounts?plan_category_ids=11,12&platforms=MT5", status: 200},
		{name: "scope with a hole", path: "/v1/prop-accounts?platforms=mt5,,mt4", status: 400, says: "empty name"},
		{name: "payouts with a scope", path: "/v1/payouts?platforms=mt5&updated_gte=2026-01-01T00:00:00Z", status: 200},
		{name: "payouts in an order", path: "/v1/payouts?sort_by=payoutId", status: 400, says: "sort_by is not a parameter of /v1/payouts"},
		{name: "customers with a scope", path: "/v1/customers?platforms=mt5", status: 400, says: "platforms is not a parameter"},
		{name: "closed trades since", path: "/v1/trades/closed?updated_gte=2026-01-01T00:00:00Z", status: 400, says: "updated_gte is not a parameter"},
		{name: "open trades with a scope", path: "/v1/trades/open?plan_category_ids=11", status: 400, says: "plan_category_ids is not a parameter"},
		{name: "cursor", path: "/v1/trades/open?cursor=x", status: 400, says: "cursor is not a parameter"},
		{name: "since a date", path: "/v1/customers?updated_gte=2026-01-01", status: 400, says: "RFC 3339"},
		{name: "broken query", path: "/v1/customers?page=%zz", status: 400, says: "cannot be read"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			method, authorization := tt.method, tt.authorization
			if method == "" {
				method = http.MethodGet
			}
			switch authorization {
			case "":
				authorization = "Bearer " + key
			case "-":
				authorization = ""
			}
			r := platformtest.Do(t, p, method, tt.path, authorization)
			text := platformtest.ReadBody(t, r)
			if r.StatusCode != tt.status || r.Header.Get("Content-Type") != "application/json" {
				t.Fatalf("status %d, want %d: %s", r.StatusCode, tt.status, text)
			}
			if hasError := strings.HasPrefix(text, `{"error":{"code":"`); hasError != (tt.says != "") || !strings.Contains(text, tt.says) || !json.Valid([]byte(text)) {
				t.Errorf("body %.200s, want one with %q", text, tt.says)
			}
		})
	}
}

func TestOptionsThatMakeNoSense(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		o    partner.Options
		want string
	}{
		{"no key", partner.Options{}, "no API key"},
		{"dialect", partner.Options{Key: key, Dialect: "french"}, "want one of [contract seeded walk]"},
		{"totals", partner.Options{Key: key, Totals: "header"}, "want one of [metadata top none]"},
		{"negative", partner.Options{Key: key, Firm: firm.Options{Traders: -1}}, "traders is -1"},
		{"trades without accounts", partner.Options{Key: key, Firm: firm.Options{Traders: 5, Trades: 1}}, "trades need accounts"},
		{"speed", partner.Options{Key: key, Firm: firm.Options{Speed: -1}}, "speed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := partner.New(tt.o); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
		})
	}
}

func TestEmptyPlatform(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, partner.Options{Key: key})
	for _, list := range partner.Lists() {
		if got := platformtest.ReadBody(t, platformtest.Get(t, p, path(list))); got != `{"data":[],"metadata":{"total_count":0}}` {
			t.Errorf("%s: %s", list, got)
		}
	}
}

func TestUpdatedGTE(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, small(2))
	p.Advance(3 * time.Hour)
	for _, list := range []partner.List{partner.Customers, partner.Accounts} {
		all := walk(t, p, list, 100, nil)
		times := readAll(t, list, all, func(s sent) time.Time { return s.time("updatedAt") })
		for _, since := range []time.Time{platformtest.Wednesday(), slices.MinFunc(times, time.Time.Compare), slices.MaxFunc(times, time.Time.Compare), times[len(times)/2]} {
			var want []string
			for i, record := range all {
				if !times[i].Before(since) {
					want = append(want, record)
				}
			}
			for _, text := range []string{since.Format(time.RFC3339), since.In(time.FixedZone("", -5*3600)).Format(time.RFC3339)} {
				if diff := cmp.Diff(want, walk(t, p, list, 11, url.Values{"updated_gte": {text}})); diff != "" {
					t.Errorf("%s since %s (-want +got):\n%s", list, text, diff)
				}
			}
		}
	}
	since := url.Values{"updated_gte": {platformtest.Wednesday().Add(time.Second).Format(time.RFC3339)}}
	var want []string
	for o := range p.AllPayouts() {
		if o.UpdatedAt.After(platformtest.Wednesday()) {
			want = append(want, o.PayoutID)
		}
	}
	got := readAll(t, partner.Payouts, walk(t, p, partner.Payouts, 100, since), func(s sent) string { return s.str("payoutId") })
	if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 {
		t.Errorf("payouts (-want +got):\n%s", diff)
	}
}

func TestScope(t *testing.T) {
	t.Parallel()
	for _, dialect := range []partner.Dialect{partner.Contract, partner.Seeded} {
		o := small(3)
		o.Dialect = dialect
		p := newPlatform(t, o)
		accounts := make(map[string]partner.Account)
		for a := range p.AllAccounts() {
			accounts[a.AccountNr] = a
		}
		tests := []struct {
			name  string
			query url.Values
			in    func(partner.Account) bool
		}{
			{"plans", url.Values{"plan_category_ids": {"12,14"}}, func(a partner.Account) bool { return a.PlanCategoryID == "12" || a.PlanCategoryID == "14" }},
			{"platforms", url.Values{"platforms": {"MT4,ctrader"}}, func(a partner.Account) bool { return a.Platform == "mt4" || a.Platform == "ctrader" }},
			{"both", url.Values{"plan_category_ids": {"11"}, "platforms": {"mt5"}}, func(a partner.Account) bool { return a.PlanCategoryID == "11" && a.Platform == "mt5" }},
			{"none that is", url.Values{"platforms": {"nobody"}}, func(partner.Account) bool { return false }},
		}
		for _, tt := range tests {
			var wantAccounts, wantPayouts []string
			for a := range p.AllAccounts() {
				if tt.in(a) {
					wantAccounts = append(wantAccounts, a.AccountNr)
				}
			}
			for payout := range p.AllPayouts() {
				if a, ok := accounts[payout.AccountNr]; ok && tt.in(a) {
					wantPayouts = append(wantPayouts, payout.PayoutID)
				}
			}
			gotAccounts := readAll(t, partner.Accounts, walk(t, p, partner.Accounts, 10, tt.query), func(s sent) string { return s.str("accountNr") })
			gotPayouts := readAll(t, partner.Payouts, walk(t, p, partner.Payouts, 10, tt.query), func(s sent) string { return s.str("payoutId") })
			if diff := cmp.Diff(wantAccounts, gotAccounts); diff != "" {
				t.Errorf("%s %s accounts (-want +got):\n%s", dialect, tt.name, diff)
			}
			if diff := cmp.Diff(wantPayouts, gotPayouts); diff != "" {
				t.Errorf("%s %s payouts (-want +got):\n%s", dialect, tt.name, diff)
			}
		}
	}
}

// What a filter selects must follow every change, though it is kept.
func TestSelectionsFollowChanges(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, small(4))
	scope := url.Values{"platforms": {"mine"}}
	count := func(list partner.List) int { return len(walk(t, p, list, 100, scope)) }
	steps := []struct {
		name              string
		do                func()
		accounts, payouts int
	}{
		{"nothing", func() {}, 0, 0},
		{"account", func() { p.PutAccount(partner.Account{AccountNr: "1", Platform: "mine"}) }, 1, 0},
		{"payout", func() { p.PutPayout(partner.Payout{PayoutID: "p", AccountNr: "1"}) }, 1, 1},
		{"account leaves the scope", func() { p.PutAccount(partner.Account{AccountNr: "1", Platform: "other"}) }, 0, 0},
		{"and comes back", func() { p.PutAccount(partner.Account{AccountNr: "1", Platform: "Mine"}) }, 1, 1},
		{"payout goes", func() { p.Delete(partner.Payouts, "p") }, 1, 0},
		{"account goes", func() { p.Delete(partner.Accounts, "1") }, 0, 0},
		{"payout before its account", func() { p.PutPayout(partner.Payout{PayoutID: "q", AccountNr: "2"}) }, 0, 0},
		{"account behind its payout", func() { p.PutAccount(partner.Account{AccountNr: "2", Platform: "mine"}) }, 1, 1},
	}
	for _, step := range steps {
		step.do()
		if accounts, payouts := count(partner.Accounts), count(partner.Payouts); accounts != step.accounts || payouts != step.payouts {
			t.Errorf("%s: %d accounts and %d payouts, want %d and %d", step.name, accounts, payouts, step.accounts, step.payouts)
		}
	}
}

func TestLesserPlatforms(t *testing.T) {
	t.Parallel()
	for _, dialect := range partner.Dialects() {
		o := small(5)
		o.Dialect, o.NoPayouts, o.NoUpdatedAt, o.NumericAccountNumbers = dialect, true, true, true
		p := newPlatform(t, o)
		if r := platformtest.Get(t, p, "/v1/payouts"); r.StatusCode != 404 {
			t.Errorf("payouts: status %d", r.StatusCode)
		}
		for _, list := range []partner.List{partner.Customers, partner.Accounts} {
			if text := platformtest.ReadBody(t, platformtest.Get(t, p, path(list))); strings.Contains(text, "updated") {
				t.Errorf("%s: %.300s", list, text)
			}
		}
		for a := range p.AllAccounts() {
			if !a.UpdatedAt.IsZero() {
				t.Fatalf("the truth has %s", a.UpdatedAt)
			}
		}
		for _, list := range []partner.List{partner.Accounts, partner.ClosedTrades} {
			for _, record := range walk(t, p, list, 100, nil) {
				if _, number := read(t, list, record).value("accountNr"); !number && !strings.Contains(record, `"account":{"accountNr":`) {
					t.Fatalf("%s: account number is no number: %s", list, record)
				}
			}
		}
		if got := walk(t, p, partner.Customers, 100, url.Values{"updated_gte": {"2026-03-01T00:00:00Z"}}); len(got) == 0 || len(got) == 130 {
			t.Errorf("updated_gte shows %d of 130 customers", len(got))
		}
	}
}

func TestRequestHooks(t *testing.T) {
	t.Parallel()
	var log []string
	var p *partner.Platform
	o := small(6)
	o.OnRequest = func(i fault.RequestInfo) {
		log = append(log, fmt.Sprintf("%s %s?%s %d %d %s", i.Method, i.Path, i.RawQuery, i.Status, i.BodyBytes, strings.Join(i.Faults, " ")))
		p.Counts() // no lock is held
	}
	o.BeforeRequest = func(r *http.Request) {
		if r.URL.Path == "/v1/customers" {
			p.PutCustomer(partner.Customer{CustomerID: "early", CustomerNr: "1"})
		}
	}
	p = newPlatform(t, o)
	if err := p.SetFault("status-503", fault.Options{Endpoint: "/v1/payouts"}); err != nil {
		t.Fatal(err)
	}
	if got := platformtest.ReadBody(t, platformtest.Get(t, p, "/v1/customers?limit=1")); !strings.HasPrefix(got, `{"data":[{"customerId":"early"`) {
		t.Errorf("the hook's change is not in the answer: %s", got)
	}
	platformtest.Get(t, p, "/v1/payouts")
	p.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/nothing", strings.NewReader("four")))
	want := []string{"GET /v1/customers?limit=1 200 0 ", "GET /v1/payouts? 503 0 status-503", "POST /nothing? 401 4 "}
	if diff := cmp.Diff(want, log); diff != "" {
		t.Errorf("requests (-want +got):\n%s", diff)
	}
}

func FuzzQuery(f *testing.F) {
	for _, seed := range []string{
		"limit=5&page=2", "updated_gte=2026-01-01T00:00:00Z", "page=-1", "plan_category_ids=11,12&platforms=mt5", "sort_by=accountNr&sort_order=desc",
		"updated_gte=9999-12-31T23:59:59.999999999Z", "updated_gte=0000-01-01T00:00:00Z", "%", "platforms=%00", "page=99999999999999999999",
	} {
		f.Add(seed)
	}
	o := small(12)
	o.Firm.Trades = 50
	p := newPlatform(f, o)
	f.Fuzz(func(t *testing.T, query string) {
		r := httptest.NewRequest(http.MethodGet, "/v1/prop-accounts", nil)
		r.URL.RawQuery = query
		r.Header.Set("Authorization", "Bearer "+key)
		w := httptest.NewRecorder()
		p.ServeHTTP(w, r)
		if w.Code != 200 && w.Code != 400 || !json.Valid(w.Body.Bytes()) {
			t.Errorf("status %d for %q: %s", w.Code, query, w.Body)
		}
	})
}
