package engine_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/sample"
	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/partner"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/syncd/enginetest"
)

// TestPartnerFaults reads a partner platform that fails in a known way. Then it fixes the platform
// and checks that nothing was lost. It takes long because the waits that platforms ask for are
// real.
func TestPartnerFaults(t *testing.T) {
	t.Parallel()
	const closed, open, payouts = "/v1/trades/closed", "/v1/trades/open", "/v1/payouts"
	type want struct {
		status  syncing.RunStatus // of the run of the resource
		code    connectors.Code   // of the integration's last error; empty when there is none
		health  syncing.Health
		finding string // empty when none is expected
	}
	ok := want{syncing.RunSucceeded, "", syncing.HealthHealthy, ""}
	found := func(rule string) want { return want{syncing.RunSucceeded, "", syncing.HealthHealthy, rule} }
	failed := func(code connectors.Code) want { return want{syncing.RunFailed, code, syncing.HealthDegraded, ""} }
	tests := []struct {
		fault    string
		endpoint string // of the fault; empty means closed trades
		option   fault.Options
		first    bool // strikes the first cycle, not a later one
		damaged  bool // content, or the directory is known to be incomplete: see expectCaughtUp
		want     want
	}{
		{fault: "status-401", want: want{syncing.RunBlocked, connectors.CodeUnauthorized, syncing.HealthBlocked, ""}},
		{fault: "status-403", endpoint: open, want: want{syncing.RunBlocked, connectors.CodeForbidden, syncing.HealthBlocked, ""}},
		{fault: "status-401", endpoint: payouts, want: failed(connectors.CodeUnauthorized)},
		{fault: "status-403", endpoint: payouts, want: failed(connectors.CodeForbidden)},
		{fault: "payouts-404", endpoint: payouts, want: want{syncing.RunSkipped, "", syncing.HealthHealthy, ""}},
		{fault: "status-404", endpoint: open, want: failed(connectors.CodeNotFound)},
		{fault: "status-500", want: failed(connectors.CodeServerError)},
		{fault: "status-502", option: fault.Options{Times: 2}, first: true, want: ok},
		{fault: "status-429", option: fault.Options{Times: 3}, first: true, want: ok},
		{fault: "html-200", want: failed(connectors.CodeUnexpectedResponse)},
		{fault: "html-200", endpoint: open, want: failed(connectors.CodeUnexpectedResponse)},
		{fault: "truncated-json", option: fault.Options{Times: 1}, want: ok},
		{fault: "data-null", first: true, want: failed(connectors.CodeUnexpectedResponse)},
		{fault: "bare-array", first: true, want: ok},
		{fault: "envelope-items", first: true, want: ok},
		{fault: "envelope-results", first: true, want: ok},
		{fault: "envelope-records", first: true, want: ok},

		{fault: "total-too-high", first: true, want: ok},
		{fault: "total-too-low", first: true, want: found("total_count_wrong")},
		{fault: "total-zero", first: true, want: found("total_count_wrong")},
		{fault: "total-negative", first: true, want: found("total_count_wrong")},
		{fault: "total-word", first: true, want: found("total_count_wrong")},
		{fault: "total-page", first: true, damaged: true, want: ok},
		{fault: "total-string", first: true, want: ok},
		{fault: "total-absent", first: true, want: ok},
		{fault: "total-moved", first: true, want: ok},
		{fault: "ignores-page", first: true, want: failed(connectors.CodeCursorLoop)},
		{fault: "endless-list", first: true, want: ok}, // the short page ends it
		{fault: "ignores-limit", first: true, want: found("limit_ignored")},
		{fault: "ignores-limit", option: fault.Options{Size: 50}, first: true, damaged: true, want: found("page_size_ignored")},
		{fault: "overlapping-pages", first: true, want: ok},
		{fault: "duplicate-records", first: true, want: found("limit_ignored")},
		{fault: "unordered", want: ok},
		{fault: "ignores-order", want: found("order_violated")},
		{fault: "lagging-open", endpoint: open, want: ok},
		{fault: "lagging-closed", want: ok},

		{fault: "missing-id", first: true, want: failed(connectors.CodeUnexpectedResponse)},
		{fault: "missing-id", option: fault.Options{Every: 7}, first: true, damaged: true, want: ok},
		{fault: "object-id", option: fault.Options{Every: 3}, first: true, damaged: true, want: ok},
		{fault: "account-null", option: fault.Options{Every: 3}, first: true, damaged: true, want: ok},
		{fault: "account-empty-object", option: fault.Options{Every: 3}, first: true, damaged: true, want: ok},
		{fault: "record-number", option: fault.Options{Every: 3}, first: true, damaged: true, want: ok},
		{fault: "record-null", endpoint: open, option: fault.Options{Every: 2}, first: true, want: ok},
		{fault: "local-times", first: true, want: failed(connectors.CodeUnexpectedResponse)},
		{fault: "local-times", endpoint: open, first: true, want: found("open_time_missing")},
		{fault: "zoneless-times", first: true, want: ok},
		{fault: "unix-times", first: true, want: ok},
		{fault: "unix-milli-times", first: true, want: ok},
		{fault: "unknown-enum", first: true, damaged: true, want: found("side_assumed")},
		{fault: "huge-number", option: fault.Options{Every: 5}, first: true, damaged: true, want: ok},
		{fault: "invalid-utf8", first: true, damaged: true, want: found("invalid_text")},
		{fault: "nul", first: true, damaged: true, want: found("invalid_text")},
		{fault: "deep-nesting", first: true, want: failed(connectors.CodeUnexpectedResponse)},
		{fault: "huge-record", first: true, damaged: true, want: ok},
	}
	for _, tt := range sample.Cases(tests, 8) {
		t.Run(strings.TrimPrefix(tt.fault+tt.endpoint, "/"), func(t *testing.T) {
			t.Parallel()
			w := enginetest.NewPartner(t, partner.Options{Firm: firm.Options{Seed: 4, Traders: 10, AccountsPerTrader: 2, Trades: 700, Payouts: 8, Weekends: true}}, nil)
			if !tt.first {
				w.Cycle(t)
				w.Partner.Advance(time.Hour)
			}
			resource, stream := "trades", record.StreamTradesClosed
			option := tt.option
			switch option.Endpoint = tt.endpoint; tt.endpoint {
			case "":
				option.Endpoint = closed
			case open:
				stream = record.StreamTradesOpen
			case payouts:
				resource, stream = "payouts", record.StreamPayouts
			}
			if err := w.Partner.SetFault(tt.fault, option); err != nil {
				t.Fatal(err)
			}
			before := watermark(t, w, stream)
			w.Cycle(t)
			if moved := watermark(t, w, stream) != before; moved != (tt.want.status == syncing.RunSucceeded) && stream != record.StreamTradesOpen {
				t.Errorf("watermark moved: %t after a run that %s", moved, tt.want.status)
			}
			check(t, w, resource, tt.want.status, tt.want.code, tt.want.health)
			if tt.want.finding != "" {
				if rules := w.Texts(t, `SELECT rule FROM findings WHERE resource = $1`, resource); !slices.Contains(rules, tt.want.finding) {
					t.Errorf("findings %q, want %s", rules, tt.want.finding)
				}
			}
			expectCaughtUp(t, w, tt.damaged)
		})
	}
}
