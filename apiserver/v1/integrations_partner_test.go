package v1_test

import (
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/partner"
	"github.com/assayhq/assay/store/storetest"
)

// partnerPlatform is a partner platform that records requests.
type partnerPlatform struct {
	*partner.Platform
	url  string
	mu   sync.Mutex
	seen []string
}

// startPartner serves a partner platform that the API can reach.
func startPartner(t *testing.T, b *testAPI) *partnerPlatform {
	t.Helper()
	p := new(partnerPlatform)
	var err error
	p.Platform, err = partner.New(partner.Options{
		Key:  storetest.PlatformKey,
		Firm: firm.Options{Seed: 1, Traders: 10, AccountsPerTrader: 1, Trades: 20, Payouts: 5, Start: worldStart},
		OnRequest: func(r fault.RequestInfo) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.seen = append(p.seen, r.Path+"?"+r.RawQuery)
		},
	})
	check(t, err)
	server := httptest.NewTLSServer(p)
	t.Cleanup(server.Close)
	// All httptest servers have the same certificate.
	p.url = server.URL
	b.platformURL = server.URL
	return p
}

// asked returns the requests since the last call.
func (p *partnerPlatform) asked() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.seen
	p.seen = nil
	return list
}

// fail makes a path of the platform fail, or every path if it is empty.
func (p *partnerPlatform) fail(t *testing.T, name, path string) {
	t.Helper()
	p.ClearFaults()
	check(t, p.SetFault(name, fault.Options{Endpoint: path}))
}

// body returns the body of a create that succeeds, with changes.
func (p *partnerPlatform) body(set map[string]any) map[string]any {
	body := map[string]any{"kind": "partner_platform", "base_url": p.url, "api_key": storetest.PlatformKey}
	maps.Copy(body, set)
	return body
}

// steps formats a report's steps as "name status code".
func (r reportState) steps() (list []string) {
	for _, s := range r.Steps {
		list = append(list, strings.TrimSpace(s.Name+" "+s.Status+" "+s.Code))
	}
	return list
}

// checkRequests returns the requests of a live check, with the scope's parameters.
func checkRequests(scope string) []string {
	return []string{
		"/v1/prop-accounts?limit=1&page=1", "/v1/customers?limit=1&page=1", "/v1/prop-accounts?limit=1&page=1" + scope,
		"/v1/trades/closed?limit=1&page=1", "/v1/payouts?limit=1&page=1" + scope,
	}
}

func TestPartnerFromCreationToRemoval(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"", "/v1"} {
		t.Run("base URL with "+version+" at its end", func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			p := startPartner(t, b)
			body := p.body(map[string]any{"base_url": p.url + version})
			b.golden(t, "partner_report", b.send(t, "POST", "/v1/integrations/test", b.key, body).want(t, http.StatusOK))
			if diff := cmp.Diff(checkRequests(""), p.asked()); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			if list := b.send(t, "GET", "/v1/integrations", b.key, nil); list.body != noIntegrations {
				t.Errorf("a test saved something: %s", list.body)
			}

			created := b.send(t, "POST", "/v1/integrations", b.key, body).want(t, http.StatusCreated)
			if strings.Contains(created.body, storetest.PlatformKey) {
				t.Error("the platform's key is answered")
			}
			created.body = strings.Replace(created.body, `"base_url":"`+p.url+version+`"`, `"base_url":"`+p.url+`"`, 1) // it stays as it was given
			b.golden(t, "partner_created", created)
			id := decodeInto[integrationState](t, created).ID
			path := "/v1/integrations/" + id.String()

			// The version belongs to the same platform.
			patched := decodeInto[integrationState](t, b.send(t, "PATCH", path, b.key, map[string]any{"name": nil, "base_url": p.url + "/v1"}).want(t, http.StatusOK))
			if patched.Base_URL != p.url+"/v1" || patched.Name != "Partner platform" || patched.Health != "pending" || patched.Next == nil {
				t.Errorf("patched to %+v", patched)
			}
			b.send(t, "DELETE", path, b.key, nil).want(t, http.StatusNoContent)
			b.send(t, "GET", path, b.key, nil).wantProblem(t, http.StatusNotFound, "not_found")
			again := decodeInto[integrationState](t, b.send(t, "POST", "/v1/integrations", b.key, p.body(nil)).want(t, http.StatusCreated))
			if again.ID == id { // no trader had been read by which to recognize it
				t.Errorf("connected again the platform goes on with %s", id)
			}
		})
	}
}

func TestPartnerChecks(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := startPartner(t, b)
	const skipped = " skipped"
	passed := []string{"authentication passed", "traders passed", "trading_accounts passed", "closed_trades passed"}
	tests := []struct {
		name        string
		fault, path string
		set         map[string]any
		ok          bool
		steps       []string
		code        string // code of the saved error; empty if there is none
	}{
		{
			name: "wrong key", set: map[string]any{"api_key": "wrong-key-of-the-platform"},
			steps: []string{"authentication failed unauthorized", "traders" + skipped, "trading_accounts" + skipped, "closed_trades" + skipped, "payouts" + skipped},
			code:  "unauthorized",
		},
		{
			name: "key that may not read customers", fault: "status-403", path: "/v1/customers",
			steps: []string{"authentication passed", "traders failed forbidden", "trading_accounts passed", "closed_trades passed", "payouts passed"},
			code:  "forbidden",
		},
		{name: "no payouts", fault: "payouts-404", ok: true, steps: slices.Concat(passed, []string{"payouts warned not_found"})},
		{name: "payouts that are refused", fault: "status-403", path: "/v1/payouts", ok: true, steps: slices.Concat(passed, []string{"payouts failed forbidden"})},
		{name: "open trades are not asked for", fault: "status-403", path: "/v1/trades/open", ok: true, steps: slices.Concat(passed, []string{"payouts passed"})},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p.ClearFaults()
			if tt.fault != "" {
				p.fail(t, tt.fault, tt.path)
			}
			for _, path := range []string{"/v1/integrations/test", "/v1/integrations"} {
				status := map[string]int{"/v1/integrations/test": http.StatusOK, "/v1/integrations": http.StatusCreated}[path]
				r := b.send(t, "POST", path, b.key, p.body(tt.set)).want(t, status)
				report := decodeInto[reportState](t, r)
				if path == "/v1/integrations" {
					report = decodeInto[struct{ Report reportState }](t, r).Report
				}
				if diff := cmp.Diff(tt.steps, report.steps()); diff != "" || report.OK != tt.ok {
					t.Errorf("%s: ok %v, want %v, steps (-want +got):\n%s", path, report.OK, tt.ok, diff)
				}
				if path == "/v1/integrations" {
					b.wantChecked(t, decodeInto[integrationState](t, r), tt.ok, tt.code)
				}
			}
		})
	}
	p.fail(t, "status-401", "")
	b.golden(t, "partner_report_unauthorized", b.send(t, "POST", "/v1/integrations/test", b.key, p.body(nil)).want(t, http.StatusOK))
}

// wantChecked checks what is saved of a live check, and removes the integration for the next one.
func (b *testAPI) wantChecked(t *testing.T, created integrationState, ok bool, code string) {
	t.Helper()
	health := map[bool]string{true: "pending", false: "check_failed"}[ok]
	state := b.state(t, created.ID)
	if state.Health != health || (state.Next != nil) != ok || (state.LastError == nil) != (code == "") {
		t.Errorf("saved as %+v", state)
	} else if code != "" && state.LastError.Code != code {
		t.Errorf("saved with the error %+v, want %s", state.LastError, code)
	}
	b.send(t, "DELETE", "/v1/integrations/"+created.ID.String(), b.key, nil).want(t, http.StatusNoContent)
}

// TestPartnerThatRefusesItsKey checks that an integration is blocked if the platform refuses its
// key during polling, and continues once it is repaired.
func TestPartnerThatRefusesItsKey(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := startPartner(t, b)
	id := decodeInto[integrationState](t, b.send(t, "POST", "/v1/integrations", b.key, p.body(nil)).want(t, http.StatusCreated)).ID
	path := "/v1/integrations/" + id.String()
	p.fail(t, "status-401", "")
	p.asked()
	b.send(t, "POST", path+"/test", b.key, nil).want(t, http.StatusOK)
	if s := b.state(t, id); s.Health != "blocked" || s.Next != nil || s.LastError == nil || s.LastError.Endpoint != "GET /v1/prop-accounts?limit=1&page=1" {
		t.Errorf("after 401: %+v", s)
	}
	if asked := p.asked(); len(asked) != 1 {
		t.Errorf("after a refused key the check goes on: %q", asked)
	}
	if r := b.send(t, "POST", path+"/sync", b.key, nil).want(t, http.StatusOK); r.body != `{"queued":false,"reason":"blocked"}` && r.body != `{"queued":false,"reason":"check_failed"}` {
		t.Errorf("with a refused key: %s", r.body)
	}
	p.ClearFaults()
	b.send(t, "POST", path+"/test", b.key, nil).want(t, http.StatusOK)
	if s := b.state(t, id); s.Health != "pending" || s.Next == nil || s.LastError != nil {
		t.Errorf("mended: %+v", s)
	}
}

// scope is the account_scope of an Integration in a response.
func (b *testAPI) scope(t *testing.T, r reply) string {
	t.Helper()
	_, rest, ok := strings.Cut(r.body, `"account_scope":`)
	scope, _, found := strings.Cut(rest, `,"sync_interval_seconds"`)
	if !ok || !found {
		t.Fatalf("no account_scope in %s", r.body)
	}
	return scope
}

func TestPartnerScope(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := startPartner(t, b)
	id := decodeInto[integrationState](t, b.send(t, "POST", "/v1/integrations", b.key, p.body(nil)).want(t, http.StatusCreated)).ID
	path := "/v1/integrations/" + id.String()
	tests := []struct {
		name  string
		scope string // as it is sent
		saved string // as it is answered; empty: the same
		asked string // parameters of the live check
	}{
		{"both", `{"plan_category_ids":[11,12],"platforms":["mt5","MatchTrader"]}`, "", "&plan_category_ids=11%2C12&platforms=mt5%2CMatchTrader"},
		{"plans alone", `{"plan_category_ids":[11]}`, `{"plan_category_ids":[11],"platforms":[]}`, "&plan_category_ids=11"},
		{"platforms alone", `{"platforms":["mt5"]}`, `{"plan_category_ids":[],"platforms":["mt5"]}`, "&platforms=mt5"},
		{"numbers in all their digits", `{"plan_category_ids":[9007199254740993,1.50]}`, `{"plan_category_ids":[9007199254740993,1.5],"platforms":[]}`, "&plan_category_ids=9007199254740993%2C1.5"},
		{"characters that a query cannot hold", `{"platforms":["a&b=c d","é"]}`, `{"plan_category_ids":[],"platforms":["a&b=c d","é"]}`, "&platforms=a%26b%3Dc+d%2C%C3%A9"},
		{"empty lists narrow nothing", `{"plan_category_ids":[],"platforms":[]}`, "", ""},
		{"nothing named", `{}`, `{"plan_category_ids":[],"platforms":[]}`, ""},
		{"null lists", `{"plan_category_ids":null,"platforms":null}`, `{"plan_category_ids":[],"platforms":[]}`, ""},
		{"none", `null`, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			saved := tt.saved
			if saved == "" {
				saved = tt.scope
			}
			p.asked()
			for _, r := range []reply{
				b.send(t, "PATCH", path, b.key, `{"account_scope": `+tt.scope+`}`).want(t, http.StatusOK),
				b.send(t, "GET", path, b.key, nil).want(t, http.StatusOK),
			} {
				if diff := cmp.Diff(saved, b.scope(t, r)); diff != "" {
					t.Errorf("account_scope (-want +got):\n%s", diff)
				}
			}
			if diff := cmp.Diff(checkRequests(tt.asked), p.asked()); diff != "" {
				t.Errorf("requests of the live check (-want +got):\n%s", diff)
			}
			body := p.body(map[string]any{"account_scope": jsontext.Value(tt.scope)})
			b.send(t, "POST", "/v1/integrations/test", b.key, body).want(t, http.StatusOK)
			if diff := cmp.Diff(checkRequests(tt.asked), p.asked()); diff != "" {
				t.Errorf("requests of a test (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPartnerFaults(t *testing.T) {
	t.Parallel()
	b := setup(t)
	p := startPartner(t, b)
	id := decodeInto[integrationState](t, b.send(t, "POST", "/v1/integrations", b.key, p.body(nil)).want(t, http.StatusCreated)).ID
	p.asked()
	tests := []struct {
		name  string
		scope any
		want  []string
	}{
		{"no object", []any{"mt5"}, []string{"#/account_scope wrong_type"}},
		{"no lists", map[string]any{"plan_category_ids": 11, "platforms": "mt5"}, []string{"#/account_scope/plan_category_ids wrong_type", "#/account_scope/platforms wrong_type"}},
		{
			"elements of other types",
			map[string]any{"plan_category_ids": []any{1, "2", nil}, "platforms": []any{"mt5", 5}},
			[]string{"#/account_scope/plan_category_ids/1 wrong_type", "#/account_scope/plan_category_ids/2 wrong_type", "#/account_scope/platforms/1 wrong_type"},
		},
		{
			"platforms that cannot be told apart in a list",
			map[string]any{"platforms": []any{"mt5", "a,b", "", "a\tb"}},
			[]string{"#/account_scope/platforms/1 invalid_format", "#/account_scope/platforms/2 invalid_format", "#/account_scope/platforms/3 invalid_format"},
		},
		{
			"long",
			map[string]any{"plan_category_ids": []any{jsontext.Value(strings.Repeat("1", 31))}, "platforms": []any{strings.Repeat("x", 101)}},
			[]string{"#/account_scope/plan_category_ids/0 out_of_range", "#/account_scope/platforms/0 too_long"},
		},
		{"too many", map[string]any{"plan_category_ids": make([]int, 101), "platforms": slices.Repeat([]string{"x"}, 101)}, []string{
			"#/account_scope/plan_category_ids too_long", "#/account_scope/platforms too_long",
		}},
		{"unknown member", map[string]any{"plans": []any{1}}, []string{"#/account_scope/plans unknown_field"}},
	}
	for _, route := range []struct{ method, path string }{{"POST", "/v1/integrations"}, {"POST", "/v1/integrations/test"}, {"PATCH", "/v1/integrations/" + id.String()}} {
		for _, tt := range tests {
			t.Run(route.method+" "+route.path+" "+tt.name, func(t *testing.T) {
				body := map[string]any{"account_scope": tt.scope}
				if route.method == "POST" {
					body = p.body(body)
				}
				got := b.send(t, route.method, route.path, b.key, body).wantProblem(t, http.StatusUnprocessableEntity, "validation_failed")
				if diff := cmp.Diff(tt.want, got.faults()); diff != "" {
					t.Errorf("faults (-want +got):\n%s", diff)
				}
			})
		}
	}
	if asked := p.asked(); len(asked) > 0 {
		t.Errorf("the platform was asked %q", asked)
	}
}
