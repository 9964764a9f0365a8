package engine_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/syncd/enginetest"
)

// TestFailuresInsideAssay makes assay itself fail on the list of trades. The
// failure must be visible, keep what was read, and not prevent the other lists from
// being read.
func TestFailuresInsideAssay(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		page func(*connectors.Page) (*connectors.Page, error)
	}{
		{"a panic while a page is decoded", func(*connectors.Page) (*connectors.Page, error) { panic("made by the test") }},
		{"an error that is not the platform's", func(*connectors.Page) (*connectors.Page, error) { return nil, errors.New("made by the test") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := enginetest.New(t, small)
			broken := true
			w.Engine = w.NewEngine(t, with(t, w, &through{page: func(ctx context.Context, req connectors.PageRequest, read reader) (*connectors.Page, error) {
				page, err := read(ctx, req)
				if !broken || req.Stream != record.StreamTrades || req.Cursor == "" || err != nil {
					return page, err
				}
				page.Release()
				return tt.page(page)
			}}))
			w.Cycle(t)
			check(t, w, "trades", syncing.RunFailed, connectors.CodeInternal, syncing.HealthDegraded)
			if i := w.Integration(t); strings.Contains(i.LastError.Message, "made by the test") {
				t.Errorf("the customer is told %q", i.LastError.Message)
			}
			if i := w.Integration(t); i.Counters.Payouts == 0 || i.Counters.Trades == 0 {
				t.Errorf("counters %+v: the first page of trades and the payouts should have arrived", i.Counters)
			}
			broken = false
			w.Cycle(t)
			w.Compare(t)
			check(t, w, "trades", syncing.RunSucceeded, "", syncing.HealthHealthy)
		})
	}
}
