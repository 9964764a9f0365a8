package partnerplatform_test

import (
	"context"
	"maps"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/connectortest"
	"github.com/assayhq/assay/connectors/record"
)

// passing returns the answers of a platform that passes the check, with some
// of them replaced.
func passing(changes connectortest.Script) connectortest.Script {
	script := connectortest.Script{
		"/v1/prop-accounts": {list(bareAccount)},
		"/v1/customers":     {list(bareCustomer)},
		"/v1/trades/closed": {list(bareClosed)},
		"/v1/payouts":       {list(barePayout)},
	}
	maps.Copy(script, changes)
	return script
}

// expect returns the summary of a check in which all steps pass except those given
// as pairs of name and outcome.
func expect(ok bool, changes ...string) string {
	steps := []string{"authentication", "traders", "trading_accounts", "closed_trades", "payouts"}
	return connectortest.Expected(ok, steps, changes...)
}

// restSkipped are the outcomes that follow a failed first step.
func restSkipped(outcome string) string {
	return expect(false, "authentication", outcome, "traders", "skipped", "trading_accounts", "skipped", "closed_trades", "skipped", "payouts", "skipped")
}

// TestCheck checks platforms that answer well and badly.
func TestCheck(t *testing.T) {
	t.Parallel()
	const accounts, customers, closed, payouts = "/v1/prop-accounts", "/v1/customers", "/v1/trades/closed", "/v1/payouts"
	good := list(bareAccount)
	type answers = connectortest.Script
	tests := []struct {
		name    string
		answers answers
		want    string
	}{
		{"all is well", nil, expect(true)},
		{"empty lists", answers{accounts: {list()}, customers: {list()}, closed: {list()}, payouts: {list()}}, expect(true)},
		{"more records than asked for", answers{payouts: {ok(string(body(between(0, 300), "")))}}, expect(true)},
		{"bare arrays", answers{closed: {ok("[" + bareClosed + "]")}}, expect(true)},
		{"a total", answers{customers: {ok(`{"data":[` + bareCustomer + `],"metadata":{"total_count":"9000"}}`)}}, expect(true)},
		{"a total that lies", answers{customers: {ok(`{"data":[` + bareCustomer + `],"total_count":-5}`)}}, expect(true)},
		{"one failure is forgiven", answers{closed: {status(500), list()}}, expect(true)},
		{"a short wait is sat out", answers{closed: {throttled("1"), list()}}, expect(true)},

		{"wrong key", answers{accounts: {status(401)}}, restSkipped("failed unauthorized")},
		{"address not allowed", answers{accounts: {status(403)}}, restSkipped("failed forbidden")},
		{"no such path", answers{accounts: {status(404)}}, restSkipped("failed not_found")},
		{"down", answers{accounts: {status(503)}}, restSkipped("failed server_error")},
		{"login page", answers{accounts: {ok("<html>")}}, restSkipped("failed unexpected_response")},
		{"redirect", answers{accounts: {{Status: 302, Header: map[string]string{"Location": "/login"}}}}, restSkipped("failed unexpected_redirect")},
		{"no list", answers{accounts: {ok(`{"ok":true}`)}}, restSkipped("failed unexpected_response")},

		{"customers are forbidden", answers{customers: {status(403)}}, expect(false, "traders", "failed forbidden")},
		{"scope is refused", answers{accounts: {good, status(400)}}, expect(false, "trading_accounts", "failed unexpected_response")},
		{"no closed trades", answers{closed: {status(404)}}, expect(false, "closed_trades", "failed not_found")},
		{"closed trades are null", answers{closed: {ok(`{"data":null}`)}}, expect(false, "closed_trades", "failed unexpected_response")},
		{"throttled for good", answers{closed: {throttled("1")}}, expect(false, "closed_trades", "failed throttled")},

		{"no payouts", answers{payouts: {status(404)}}, expect(true, "payouts", "warned not_found")},
		{"payouts are down", answers{payouts: {status(500)}}, expect(true, "payouts", "failed server_error")},
		{"payouts are forbidden", answers{payouts: {status(403)}}, expect(true, "payouts", "failed forbidden")},
		{"payouts are no list", answers{payouts: {ok(`{}`)}}, expect(true, "payouts", "failed unexpected_response")},

		{"customer without id", answers{customers: {list(`{"email":"a@example.com"}`)}}, expect(true, "traders", "warned invalid_records")},
		{"account without number", answers{accounts: {list(`{}`)}}, expect(true, "trading_accounts", "warned invalid_records")},
		{"trade without close", answers{closed: {list(bareOpen)}}, expect(true, "closed_trades", "warned invalid_records")},
		{"payout is a number", answers{payouts: {list(`5`)}}, expect(true, "payouts", "warned invalid_records")},
		{"trade with findings only", answers{closed: {list(with(bareClosed, "symbol", "-", "side", "-", "pnl", `"n/a"`))}}, expect(true)},
	}
	// All checks run at once, since some of them mostly wait to try again.
	reports := make([]chan connectors.Report, len(tests))
	for i, test := range tests {
		p := newPlatform(t, respond(passing(test.answers)))
		reports[i] = make(chan connectors.Report, 1)
		go func() { reports[i] <- p.open("", nil).Check(t.Context(), nil) }()
	}
	for i, test := range tests {
		report := <-reports[i]
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, connectortest.Summary(report)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			checkReport(t, report)
		})
	}
}

// checkReport checks what every report must hold.
func checkReport(t *testing.T, r connectors.Report) {
	t.Helper()
	connectortest.CheckReport(t, record.PartnerPlatform, "GET /v1/", r)
	for _, s := range r.Steps {
		if s.Required != (s.Name != "payouts") {
			t.Errorf("step %s is required: %t", s.Name, s.Required)
		}
	}
}

func TestCheckRequests(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		scope *connectors.AccountScope
		want  string // of the requests that a scope restricts
	}{
		{"without scope", nil, "limit=1&page=1"},
		{"with scope", scope(), "limit=1&page=1&plan_category_ids=12%2C34567890123456789012&platforms=mt5%2Cc+trader"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newPlatform(t, respond(passing(nil)))
			p.open("/v1", test.scope).Check(t.Context(), nil)
			want := []string{
				"GET /v1/prop-accounts?limit=1&page=1 application/json",
				"GET /v1/customers?limit=1&page=1 application/json",
				"GET /v1/prop-accounts?" + test.want + " application/json",
				"GET /v1/trades/closed?limit=1&page=1 application/json",
				"GET /v1/payouts?" + test.want + " application/json",
			}
			if diff := cmp.Diff(want, p.Seen()); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// The message of a step says what is wrong without showing the record.
func TestCheckSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	bad := with(bareClosed, "closeDate", `"last tuesday"`)
	p := newPlatform(t, respond(passing(connectortest.Script{"/v1/trades/closed": {list(bad)}})))
	step := p.open("", nil).Check(t.Context(), nil).Steps[3]
	want := "1 of 1 records cannot be used: A closed trade has no readable closeDate, so it looks like an open one. (close_time_missing at /closeDate)"
	if step.Message != want {
		t.Errorf("step %s: %s", step.Name, step.Message)
	}
}

func TestCheckTriesAtMostThreeTimes(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, respond(passing(connectortest.Script{"/v1/prop-accounts": {status(500)}})))
	if report := p.open("", nil).Check(t.Context(), nil); report.OK {
		t.Error("the check passed")
	}
	if got := len(p.Seen()); got != 3 {
		t.Errorf("%d requests, want 3", got)
	}
}

func TestCheckWarnsOfSlowSteps(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, respond(passing(connectortest.Script{"/v1/payouts": {status(404)}, "/v1/customers": {list(`{}`)}})))
	p.connector.SetSlowStep(time.Nanosecond)
	report := p.open("", nil).Check(t.Context(), nil)
	slow := "warned timeout"
	want := expect(true, "authentication", slow, "traders", "warned invalid_records", "trading_accounts", slow, "closed_trades", slow, "payouts", "warned not_found")
	if diff := cmp.Diff(want, connectortest.Summary(report)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	checkReport(t, report)
}

// A wait that would exceed the deadline is not begun, and ends the check.
func TestCheckDeadline(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, respond(passing(connectortest.Script{"/v1/customers": {throttled("60")}})))
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	report := p.open("", nil).Check(ctx, nil)
	want := expect(false, "traders", "failed throttled", "trading_accounts", "skipped", "closed_trades", "skipped", "payouts", "skipped")
	if diff := cmp.Diff(want, connectortest.Summary(report)); diff != "" || ctx.Err() != nil {
		t.Errorf("context %v (-want +got)\n%s", ctx.Err(), diff)
	}
	checkReport(t, report)
}

func TestCheckEndsWithItsContext(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, respond(passing(nil)))
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	for _, ctx := range []context.Context{canceled, late} {
		report := p.open("", nil).Check(ctx, nil)
		if diff := cmp.Diff(restSkipped("failed timeout"), connectortest.Summary(report)); diff != "" {
			t.Errorf("%v (-want +got)\n%s", ctx.Err(), diff)
		}
		checkReport(t, report)
	}
	if got := p.Seen(); len(got) != 0 {
		t.Errorf("requests %v", got)
	}
}

func TestCheckOfAnUnreachablePlatform(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, respond(passing(nil)))
	p.Close()
	report := p.open("", nil).Check(t.Context(), nil)
	if diff := cmp.Diff(restSkipped("failed connect_failed"), connectortest.Summary(report)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	checkReport(t, report)
}
