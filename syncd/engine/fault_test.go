package engine_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/sample"
	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/syncd/enginetest"
)

// TestFaults reads a platform that fails in a known way on its list of trades. Then it fixes the
// platform and checks that nothing was lost. It takes long because the waits that platforms ask for
// are real.
func TestFaults(t *testing.T) {
	t.Parallel()
	// Some 60 of the fixture's trades change in the day between the two cycles.
	world := reference.Options{Firm: firm.Options{Seed: 4, Traders: 10, AccountsPerTrader: 2, Trades: 700, Payouts: 8, Weekends: true}}
	type want struct {
		status  syncing.RunStatus // of the run of trades
		code    connectors.Code   // of the integration's last error; empty when there is none
		health  syncing.Health
		finding string // empty when none is expected
	}
	ok := want{syncing.RunSucceeded, "", syncing.HealthHealthy, ""}
	found := func(rule string) want { return want{syncing.RunSucceeded, "", syncing.HealthHealthy, rule} }
	failed := func(code connectors.Code) want { return want{syncing.RunFailed, code, syncing.HealthDegraded, ""} }
	blocked := func(code connectors.Code) want { return want{syncing.RunBlocked, code, syncing.HealthBlocked, ""} }
	tests := []struct {
		fault   string
		option  fault.Options
		first   bool // strikes the first cycle, not a later one
		damaged bool // content, see expectCaughtUp
		want    want
	}{
		{fault: "status-401", want: blocked(connectors.CodeUnauthorized)},
		{fault: "status-403", want: blocked(connectors.CodeForbidden)},
		{fault: "status-404", want: failed(connectors.CodeNotFound)},
		{fault: "status-500", want: failed(connectors.CodeServerError)},
		{fault: "status-502", option: fault.Options{Times: 2}, want: ok},
		{fault: "status-503", want: failed(connectors.CodeServerError)},
		{fault: "status-429", option: fault.Options{Times: 3}, want: ok},
		{fault: "status-429-huge", want: want{syncing.RunThrottled, connectors.CodeThrottled, syncing.HealthDegraded, ""}},
		{fault: "html-200", want: failed(connectors.CodeUnexpectedResponse)},
		{fault: "truncated-json", want: failed(connectors.CodeUnexpectedResponse)},
		{fault: "truncated-json", option: fault.Options{Times: 1}, want: ok},
		{fault: "empty-body", want: failed(connectors.CodeUnexpectedResponse)},
		{fault: "reset", option: fault.Options{Times: 2}, want: ok},
		{fault: "cut-body", option: fault.Options{Times: 1}, want: ok},
		{fault: "reset", want: failed(connectors.CodeConnectFailed)},
		{fault: "redirect", want: failed(connectors.CodeUnexpectedRedirect)},
		{fault: "huge-body", want: failed(connectors.CodeResponseTooLarge)},
		{fault: "gzip-bomb", want: failed(connectors.CodeResponseTooLarge)},
		{fault: "cyclic-cursor", first: true, want: failed(connectors.CodeCursorLoop)},
		{fault: "expired-cursor", option: fault.Options{Times: 1}, first: true, want: ok},
		{fault: "missing-id", first: true, want: failed(connectors.CodeUnexpectedResponse)},
		{fault: "missing-id", option: fault.Options{Every: 7}, first: true, damaged: true, want: ok},
		{fault: "missing-updated-at", option: fault.Options{Every: 3}, want: ok},
		{fault: "huge-number", option: fault.Options{Every: 5}, first: true, damaged: true, want: ok},
		{fault: "invalid-utf8", first: true, damaged: true, want: found("invalid_text")},
		{fault: "lone-surrogate", first: true, damaged: true, want: found("invalid_text")},
		{fault: "nul", first: true, damaged: true, want: found("invalid_text")},
		{fault: "numeric-strings", first: true, damaged: true, want: want{syncing.RunSucceeded, "", syncing.HealthHealthy, ""}},
		{fault: "duplicate-records", first: true, want: ok},
		{fault: "overlapping-pages", first: true, want: ok},
		{fault: "unordered", first: true, want: ok},
		{fault: "ignores-limit", first: true, want: found("limit_ignored")},
		{fault: "ignores-updated-since", want: found("updated_since_ignored")},
		{fault: "short-pages", first: true, want: ok},
		{fault: "empty-pages", first: true, want: ok},
		{fault: "bare-array", first: true, damaged: true, want: want{syncing.RunSucceeded, "", syncing.HealthHealthy, ""}},
		{fault: "data-null", want: failed(connectors.CodeUnexpectedResponse)},
		{fault: "deep-nesting", first: true, want: want{}},
		{fault: "huge-record", first: true, damaged: true, want: want{}},
		{fault: "chunked", first: true, want: ok},
		{fault: "gzip", first: true, want: ok},
	}
	for _, tt := range sample.Cases(tests, 8) {
		name := tt.fault
		if tt.option.Times > 0 {
			name += "/passing"
		} else if tt.option.Every > 0 {
			name += "/some"
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewClocked(t, world)
			if !tt.first {
				w.Cycle(t)
				w.Platform.Advance(firm.History / 85)
			}
			option := tt.option
			option.Endpoint = "/trades"
			if err := w.Platform.SetFault(tt.fault, option); err != nil {
				t.Fatal(err)
			}
			before := watermark(t, w, record.StreamTrades)
			w.Cycle(t)
			if moved := watermark(t, w, record.StreamTrades) != before; moved != (tt.want.status == syncing.RunSucceeded) && tt.want != (want{}) {
				t.Errorf("watermark moved: %t after a run that %s", moved, tt.want.status)
			}
			if tt.want != (want{}) {
				check(t, w, "trades", tt.want.status, tt.want.code, tt.want.health)
			}
			if tt.want.finding != "" {
				if rules := w.Texts(t, `SELECT rule FROM findings WHERE resource = 'trades'`); !slices.Contains(rules, tt.want.finding) {
					t.Errorf("findings %q, want %s", rules, tt.want.finding)
				}
			}
			if rules := w.Texts(t, `SELECT rule FROM findings WHERE rule = 'order_violated'`); len(rules) > 0 {
				t.Errorf("the order of trades is a finding, although the contract sets none")
			}
			expectCaughtUp(t, w, tt.damaged)
		})
	}
}

// TestOrderIsFoundWhereItIsSet: every list is sent out of order, and the finding
// names the lists whose order the contract sets.
func TestOrderIsFoundWhereItIsSet(t *testing.T) {
	t.Parallel()
	w := enginetest.NewClocked(t, reference.Options{Firm: firm.Options{Seed: 4, Traders: 10, AccountsPerTrader: 2, Trades: 700, Payouts: 8, Weekends: true}})
	if err := w.Platform.SetFault("unordered", fault.Options{}); err != nil {
		t.Fatal(err)
	}
	w.Cycle(t)
	got := w.Texts(t, `SELECT resource FROM findings WHERE rule = 'order_violated' ORDER BY 1`)
	if want := []string{"accounts", "traders"}; !slices.Equal(got, want) {
		t.Errorf("order_violated of %q, want %q", got, want)
	}
}

// watermark returns a stream's watermark, or "" until the stream has been read
// completely.
func watermark(t *testing.T, w *enginetest.Fixture, stream record.Stream) string {
	t.Helper()
	if at := w.Texts(t, `SELECT coalesce(watermark::text, '') FROM sync_streams WHERE stream = $1`, stream); len(at) > 0 {
		return at[0]
	}
	return ""
}

// check compares the newest run of a resource, and the integration, with the
// expected outcome of a fault.
func check(t *testing.T, w *enginetest.Fixture, resource string, status syncing.RunStatus, code connectors.Code, health syncing.Health) {
	t.Helper()
	got := w.Texts(t, `SELECT status FROM sync_runs WHERE resource = $1 ORDER BY started_at DESC, id DESC LIMIT 1`, resource)
	if got[0] != string(status) {
		t.Errorf("run %s, want %s", got[0], status)
	}
	i := w.Integration(t)
	if i.HealthStatus != health {
		t.Errorf("health %s, want %s", i.HealthStatus, health)
	}
	switch {
	case code == "" && i.LastError != nil:
		t.Errorf("last error %+v, want none", i.LastError)
	case code != "" && (i.LastError == nil || i.LastError.Code != string(code)):
		t.Errorf("last error %+v, want %s", i.LastError, code)
	case code != "" && (i.LastError.Hint == "" || i.LastError.Endpoint == ""):
		t.Errorf("last error %+v lacks a hint or an endpoint", i.LastError)
	}
}

// expectCaughtUp fixes the platform and expects that the store has caught up after a cycle,
// and that no record that is valid now stays in quarantine. After damaged content
// everything is read again, as an operator would request, because what was decoded
// from it looks like real content, and quarantined records need not arrive again.
func expectCaughtUp(t *testing.T, w *enginetest.Fixture, damaged bool) {
	t.Helper()
	if w.Partner != nil {
		w.Partner.ClearFaults()
	} else {
		w.Platform.ClearFaults()
	}
	w.Pass(t)
	if damaged {
		if _, err := w.Conn.Exec(context.Background(), `UPDATE sync_streams SET watermark = NULL, run = NULL`); err != nil {
			t.Fatal(err)
		}
	}
	w.Cycle(t)
	w.Compare(t)
	if left := w.Texts(t, `SELECT resource || ' ' || key || ' ' || rule FROM quarantine WHERE key NOT LIKE 'sha256:%' AND key NOT LIKE '%' || chr(31) || 'sha256:%'`); len(left) > 0 {
		t.Errorf("%d records still in quarantine, such as %q", len(left), left[0])
	}
	if i := w.Integration(t); i.HealthStatus != syncing.HealthHealthy {
		t.Errorf("health %s after the platform was mended, want healthy", i.HealthStatus)
	}
}

// TestBadRecordsHideNoGoodOne: more bad records than a page holds stand before the good ones that
// follow. A run fails as long as it sees nothing else, and brings the first good record.
func TestBadRecordsHideNoGoodOne(t *testing.T) {
	t.Parallel()
	w := enginetest.New(t, reference.Options{Firm: firm.Options{Seed: 4, Traders: 5, AccountsPerTrader: 1, Trades: 10, Payouts: 1, Weekends: true}})
	w.Cycle(t)
	p := w.Platform.Platform
	at := p.Now().Format(time.RFC3339)
	for i := range 250 {
		id := fmt.Sprintf("credit-%03d", i)
		p.PutRaw(reference.Trades, id, time.Time{}, fmt.Sprintf(`{"id":%q,"account_id":"ac","symbol":"EURUSD","side":"balance","open_time":%q,"updated_at":%[2]q}`, id, at))
	}
	before := watermark(t, w, record.StreamTrades)
	w.Cycle(t)
	check(t, w, "trades", syncing.RunFailed, connectors.CodeUnexpectedResponse, syncing.HealthDegraded)
	if watermark(t, w, record.StreamTrades) != before {
		t.Error("the watermark moved over records that cannot be used")
	}
	p.PutTrade(reference.Trade{AccountID: "ac", ID: "good", Symbol: "EURUSD", Side: "buy", OpenTime: p.Now().Add(-time.Hour)})
	w.Cycle(t)
	check(t, w, "trades", syncing.RunSucceeded, "", syncing.HealthHealthy)
	if got := text(t, w, `SELECT count(*)::text FROM trades WHERE id = 'good'`); got != "1" {
		t.Error("the good trade behind the bad ones is not stored")
	}
	if watermark(t, w, record.StreamTrades) == before {
		t.Error("the watermark did not move")
	}
	if got := text(t, w, `SELECT count(*)::text FROM quarantine`); got != "250" {
		t.Errorf("%s records in quarantine, want 250", got)
	}
}
