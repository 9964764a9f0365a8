package customapi_test

import (
	"context"
	"maps"
	"strings"
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
		"/health":                                {ok(`{"status":"ok","version":"7"}`)},
		"/traders?limit=5":                       {list("null", bareTrader)},
		"/traders?cursor=":                       {list("null", bareTrader)},
		"/accounts":                              {list("null", bareAccount)},
		"/trades":                                {list("null", bareTrade)},
		"/payouts":                               {list("null", barePayout)},
		"anonymous":                              {status(401)},
		"/traders?limit=1":                       {list("null", bareTrader)},
		"/traders?limit=200":                     {status(500)},
		"/traders?limit=5&updated_since=":        {status(500)},
		"/traders?cursor=unexpected-second-page": {status(500)},
	}
	maps.Copy(script, changes)
	return script
}

// expect returns the summary of a check in which all steps pass except those given
// as pairs of name and outcome. Without a second page, that step is skipped.
func expect(ok bool, changes ...string) string {
	steps := []string{"health", "traders_without_credentials", "traders", "traders_next_page", "accounts", "trades", "payouts"}
	return connectortest.Expected(ok, steps, append([]string{"traders_next_page", "skipped"}, changes...)...)
}

// allSkipped are the outcomes that follow a failed first step.
var allSkipped = []string{
	"traders_without_credentials", "skipped", "traders", "skipped", "accounts", "skipped", "trades", "skipped", "payouts", "skipped",
}

// TestCheck checks platforms that answer well and badly.
func TestCheck(t *testing.T) {
	t.Parallel()
	type answers = connectortest.Script
	tests := []struct {
		name    string
		answers answers
		want    string
	}{
		{"all is well", nil, expect(true)},
		{"empty lists", answers{
			"/traders?limit=5": {list("null")}, "/accounts": {list("null")}, "/trades": {list("null")}, "/payouts": {list("null")},
		}, expect(true)},
		{"second page", answers{"/traders?limit=5": {list(`"c2"`, bareTrader)}}, expect(true, "traders_next_page", "passed")},
		{"numeric cursor", answers{"/traders?limit=5": {list(`2`, bareTrader)}}, expect(true, "traders_next_page", "passed")},
		{"empty cursor", answers{"/traders?limit=5": {list(`""`, bareTrader)}}, expect(true)},
		{"more records than asked for", answers{"/accounts": {list("null", strings.Repeat(bareAccount+",", 9)+bareAccount)}}, expect(true)},
		{
			"full pages without next_cursor",
			answers{"/traders?limit=5": {ok(`{"data":` + bare(5) + `,"nextCursor":"c2"}`)}, "/trades": {ok("[" + strings.Repeat(bareTrade+",", 4) + bareTrade + "]")}},
			expect(true, "traders", "warned unexpected_response", "trades", "warned unexpected_response"),
		},
		{"bare arrays", answers{"/trades": {ok("[" + bareTrade + "]")}}, expect(true)},
		{"no payouts", answers{"/payouts": {status(404)}}, expect(true, "payouts", "warned not_found")},
		{"one failure is forgiven", answers{"/trades": {status(500), list("null", bareTrade)}}, expect(true)},
		{"a short wait is sat out", answers{"/trades": {throttled("1"), list("null", bareTrade)}}, expect(true)},

		{"health needs the key", answers{"/health": {status(401)}}, expect(false, append(allSkipped, "health", "failed unauthorized")...)},
		{"health is missing", answers{"/health": {status(404)}}, expect(false, append(allSkipped, "health", "failed not_found")...)},
		{"health is down", answers{"/health": {status(503)}}, expect(false, append(allSkipped, "health", "failed server_error")...)},
		{"health says no", answers{"/health": {ok(`{"status":"degraded"}`)}}, expect(false, append(allSkipped, "health", "failed unexpected_response")...)},
		{"health in capitals", answers{"/health": {ok(`{"status":"OK"}`)}}, expect(false, append(allSkipped, "health", "failed unexpected_response")...)},
		{"health with spaces", answers{"/health": {ok(`{"status":" ok "}`)}}, expect(false, append(allSkipped, "health", "failed unexpected_response")...)},
		{"health is true", answers{"/health": {ok(`{"status":true}`)}}, expect(false, append(allSkipped, "health", "failed unexpected_response")...)},
		{"health is text", answers{"/health": {ok(`ok`)}}, expect(false, append(allSkipped, "health", "failed unexpected_response")...)},
		{"health is a list", answers{"/health": {ok(`["ok"]`)}}, expect(false, append(allSkipped, "health", "failed unexpected_response")...)},
		{"health is empty", answers{"/health": {{Status: 204}}}, expect(false, append(allSkipped, "health", "failed unexpected_response")...)},
		{
			"health redirects",
			answers{"/health": {{Status: 302, Header: map[string]string{"Location": "/login"}}}},
			expect(false, append(allSkipped, "health", "failed unexpected_redirect")...),
		},
		{"escaped status is the same string", answers{"/health": {ok(`{"status":"\u006fk"}`)}}, expect(true)},

		{"strangers are refused with 403", answers{"anonymous": {status(403)}}, expect(true)},
		{"strangers are answered", answers{"anonymous": {list("null", bareTrader)}}, expect(false, "traders_without_credentials", "failed unexpected_response")},
		{"strangers get an empty page", answers{"anonymous": {{Status: 200}}}, expect(false, "traders_without_credentials", "failed unexpected_response")},
		{"strangers get 404", answers{"anonymous": {status(404)}}, expect(true, "traders_without_credentials", "warned not_found")},
		{"strangers get 400", answers{"anonymous": {status(400)}}, expect(true, "traders_without_credentials", "warned unexpected_response")},
		{"strangers get 204", answers{"anonymous": {{Status: 204}}}, expect(true, "traders_without_credentials", "warned unexpected_response")},
		{
			"strangers are redirected",
			answers{"anonymous": {{Status: 302, Header: map[string]string{"Location": "/login"}}}},
			expect(true, "traders_without_credentials", "warned unexpected_redirect"),
		},
		{"strangers get 304", answers{"anonymous": {status(304)}}, expect(true, "traders_without_credentials", "warned unexpected_response")},
		{"strangers make it stumble", answers{"anonymous": {status(500)}}, expect(true, "traders_without_credentials", "warned server_error")},

		{"traders are forbidden", answers{"/traders?limit=5": {status(403)}}, expect(false, "traders", "failed forbidden")},
		{"traders are no list", answers{"/traders?limit=5": {ok(`{"traders":[]}`)}}, expect(false, "traders", "failed unexpected_response")},
		{"traders are null", answers{"/traders?limit=5": {ok(`{"data":null}`)}}, expect(false, "traders", "failed unexpected_response")},
		{"traders are broken", answers{"/traders?limit=5": {ok(`{"data":[`)}}, expect(false, "traders", "failed unexpected_response")},
		{
			"trader without updated_at",
			answers{"/traders?limit=5": {list(`"c2"`, bareTrader, `{"id":"x","updated_at":null}`)}},
			expect(false, "traders", "failed unexpected_response", "traders_next_page", "passed"),
		},
		{
			"next page fails",
			answers{"/traders?limit=5": {list(`"c2"`, bareTrader)}, "/traders?cursor=": {status(400)}},
			expect(false, "traders_next_page", "failed unexpected_response"),
		},
		{
			"next page is no list",
			answers{"/traders?limit=5": {list(`"c2"`, bareTrader)}, "/traders?cursor=": {ok(`{}`)}},
			expect(false, "traders_next_page", "failed unexpected_response"),
		},
		{
			"cursor is ignored",
			answers{"/traders?limit=5": {list(`"c2"`, bareTrader)}, "/traders?cursor=": {list(`"c2"`, bareTrader)}},
			expect(false, "traders_next_page", "failed cursor_loop"),
		},
		{
			"an empty page leads on",
			answers{"/traders?limit=5": {list(`"c2"`, bareTrader)}, "/traders?cursor=": {list(`"c3"`)}, "/trades": {list(`"c4"`)}},
			expect(true, "traders_next_page", "warned unexpected_response", "trades", "warned unexpected_response"),
		},
		{"traders are not quite JSON", answers{"/traders?limit=5": {list("null", `{"score":NaN,`+bareTrader[1:])}}, expect(false, "traders", "failed unexpected_response")},
		{
			"account without trader",
			answers{"/accounts": {list("null", with(bareAccount, "trader_id", "null"))}},
			expect(false, "accounts", "failed unexpected_response"),
		},
		{"no accounts endpoint", answers{"/accounts": {status(404)}}, expect(false, "accounts", "failed not_found")},
		{"trade without symbol", answers{"/trades": {list("null", with(bareTrade, "symbol", "-"))}}, expect(false, "trades", "failed unexpected_response")},
		{"trade of unknown side", answers{"/trades": {list("null", with(bareTrade, "side", `"up"`))}}, expect(false, "trades", "failed unexpected_response")},
		{"trade with an unreadable optional field", answers{"/trades": {list("null", with(bareTrade, "swap", `"n/a"`))}}, expect(true)},
		{"payout of unknown status", answers{"/payouts": {list("null", with(barePayout, "status", `"done"`))}}, expect(false, "payouts", "failed unexpected_response")},
		{"payouts are down", answers{"/payouts": {status(500)}}, expect(false, "payouts", "failed server_error")},
		{"throttled for good", answers{"/trades": {throttled("1")}}, expect(false, "trades", "failed throttled")},
		{
			"everything is null",
			answers{"/traders?limit=5": {ok(`null`)}, "/accounts": {ok(`null`)}, "/trades": {ok(`null`)}, "/payouts": {ok(`null`)}},
			expect(false, "traders", "failed unexpected_response", "accounts", "failed unexpected_response", "trades", "failed unexpected_response",
				"payouts", "failed unexpected_response"),
		},
	}
	// All checks run at once, since some of them mostly wait to try again.
	reports := make([]chan connectors.Report, len(tests))
	for i, test := range tests {
		p := newPlatform(t, passing(test.answers))
		reports[i] = make(chan connectors.Report, 1)
		go func() { reports[i] <- p.source.Check(t.Context(), nil) }()
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
	connectortest.CheckReport(t, record.CustomAPI, "GET /", r)
}

func TestCheckRequests(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, passing(connectortest.Script{"/traders?limit=5": {list(`"c 2"`, bareTrader)}}))
	p.source.Check(t.Context(), nil)
	want := []string{
		"GET /api/health application/json",
		"GET /api/traders?limit=1 application/json anonymous",
		"GET /api/traders?limit=5 application/json",
		"GET /api/traders?cursor=c+2&limit=5 application/json",
		"GET /api/accounts?limit=5 application/json",
		"GET /api/trades?limit=5 application/json",
		"GET /api/payouts?limit=5 application/json",
	}
	if diff := cmp.Diff(want, p.Seen()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestCheckTriesAtMostThreeTimes(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, passing(connectortest.Script{"/health": {status(500)}}))
	if report := p.source.Check(t.Context(), nil); report.OK {
		t.Error("the check passed")
	}
	if got := len(p.Seen()); got != 3 {
		t.Errorf("%d requests, want 3", got)
	}
}

// The message of a failed step says what is wrong without showing the record.
func TestCheckSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	bad := with(bareAccount, "updated_at", `"last tuesday"`)
	p := newPlatform(t, passing(connectortest.Script{"/accounts": {list("null", bareAccount, bad)}}))
	step, _ := p.source.Check(t.Context(), nil).FirstFailure()
	want := "1 of 2 records cannot be used: updated_at is not an RFC 3339 time with an offset. (invalid_time at /updated_at)"
	if step.Name != "accounts" || step.Message != want {
		t.Errorf("step %s: %s", step.Name, step.Message)
	}
}

func TestCheckWarnsOfSlowSteps(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, passing(connectortest.Script{"/payouts": {status(404)}}))
	p.connector.SetSlowStep(time.Nanosecond)
	report := p.open().Check(t.Context(), nil)
	slow := "warned timeout"
	want := expect(true, "health", slow, "traders_without_credentials", slow, "traders", slow, "accounts", slow, "trades", slow, "payouts", "warned not_found")
	if diff := cmp.Diff(want, connectortest.Summary(report)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	checkReport(t, report)
}

// A wait that would exceed the deadline is not begun, and ends the check.
func TestCheckDeadline(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		answer answer
		want   string
	}{
		{"throttled", throttled("60"), "failed throttled"},
		{"unavailable for a while", answer{Status: 503, Header: map[string]string{"Retry-After": "60"}}, "failed throttled"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newPlatform(t, passing(connectortest.Script{"/traders?limit=5": {test.answer}}))
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			report := p.source.Check(ctx, nil)
			want := expect(false, "traders", test.want, "accounts", "skipped", "trades", "skipped", "payouts", "skipped")
			if diff := cmp.Diff(want, connectortest.Summary(report)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if ctx.Err() != nil {
				t.Error("the wait was begun")
			}
			checkReport(t, report)
		})
	}
}

func TestCheckEndsWithItsContext(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, passing(nil))
	want := expect(false, append(allSkipped, "health", "failed timeout")...)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	for _, ctx := range []context.Context{canceled, late} {
		report := p.source.Check(ctx, nil)
		if diff := cmp.Diff(want, connectortest.Summary(report)); diff != "" {
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
	p := newPlatform(t, nil)
	p.Close()
	report := p.source.Check(t.Context(), nil)
	want := expect(false, append(allSkipped, "health", "failed connect_failed")...)
	if diff := cmp.Diff(want, connectortest.Summary(report)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	checkReport(t, report)
}
