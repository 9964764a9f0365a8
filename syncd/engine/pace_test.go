package engine_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/syncd/enginetest"
)

// TestRulesOfPace: answers that take too long, and answers 429 to a rate that the
// contract promises, are findings. A platform that is down for a while and says for how
// long says nothing about its rate.
func TestRulesOfPace(t *testing.T) {
	t.Parallel()
	w := enginetest.New(t, reference.Options{Firm: firm.Options{Seed: 3, Traders: 5, AccountsPerTrader: 1, Trades: 10, Weekends: true}})
	refusals := map[record.Stream]int{record.StreamAccounts: http.StatusTooManyRequests, record.StreamTrades: http.StatusServiceUnavailable}
	e := w.NewEngine(t, with(t, w, &through{page: func(ctx context.Context, req connectors.PageRequest, read reader) (*connectors.Page, error) {
		if status := refusals[req.Stream]; status != 0 {
			delete(refusals, req.Stream)
			return nil, &connectors.Error{Code: connectors.CodeThrottled, HTTPStatus: status, RetryAfter: time.Second, Message: "made by the test"}
		}
		page, err := read(ctx, req)
		if err == nil && req.Stream == record.StreamTraders {
			page.Stats.Attempt = 11 * time.Second
		}
		return page, err
	}}))
	cycle(t, w, e)
	if diff := cmp.Diff([]string{"accounts capacity_below_contract 1", "traders slow_response 1"}, findings(t, w)); diff != "" {
		t.Errorf("findings (-want +got)\n%s", diff)
	}
}
