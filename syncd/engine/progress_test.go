package engine_test

import (
	"testing"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/partner"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/integrations"
	"github.com/assayhq/assay/syncd/engine"
	"github.com/assayhq/assay/syncd/enginetest"
)

// reading returns the run of a stream that is under way, or nil if there is none.
func reading(t *testing.T, w *enginetest.Fixture, stream record.Stream) *syncing.StreamReading {
	t.Helper()
	s, err := integrations.ReadSchedule(t.Context(), w.DB, w.Organization, w.IntegrationID)
	if err != nil {
		t.Fatal(err)
	}
	for _, st := range s.Streams {
		if st.Stream == string(stream) {
			return st.Reading
		}
	}
	return nil
}

// TestProgress: during the first read of a list, assay shows how much of it was
// read and when the rest will have been read, also when another process continues
// for one that died. Afterwards no run is under way.
func TestProgress(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		stream  record.Stream
		fixture func(*testing.T) *enginetest.Fixture
		total   bool // whether the platform reports how long its lists are
	}{
		{"a customer's platform", record.StreamTrades, func(t *testing.T) *enginetest.Fixture {
			var log requestLog
			return enginetest.New(t, long(&log))
		}, false},
		{"a partner platform", record.StreamTradesClosed, func(t *testing.T) *enginetest.Fixture {
			return enginetest.NewPartner(t, partner.Options{Firm: firm.Options{Seed: 5, Traders: 10, AccountsPerTrader: 2, Trades: 1200, Payouts: 5, Weekends: true}, Totals: partner.TotalsPlaces()[0]}, nil)
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := tt.fixture(t)
			e := w.NewEngine(t, func(c *engine.Config) { c.PagesPerSlice = 3 })
			last, seen, estimated := 0.0, 0, 0
			for range 30 {
				runSlice(t, w, e)
				r := reading(t, w, tt.stream)
				if r == nil && seen > 0 {
					break
				}
				if r == nil || r.Share == nil { // no page was read yet
					continue
				}
				if *r.Share < last || *r.Share > 1 || r.Total > 0 != tt.total {
					t.Fatalf("slice %d: %+v, the share was %v", seen, r, last)
				}
				if seen++; *r.Share > last && r.EndsAt != nil {
					estimated++
					if r.EndsAt.Before(r.StartedAt.Add(-time.Second)) {
						t.Errorf("it began at %s and would be over at %s", r.StartedAt, r.EndsAt)
					}
				}
				last = *r.Share
				if seen == 2 { // another process continues
					w.Exec(t, `UPDATE sync_state SET owner = 'dead', claimable_at = now() - interval '1 second'`)
				}
			}
			if seen < 3 || last == 0 || estimated < 2 {
				t.Errorf("seen in %d slices, %d times with an estimate, up to a share of %v", seen, estimated, last)
			}
			if r := reading(t, w, tt.stream); r != nil {
				t.Errorf("at the end %+v still goes on", r)
			}
			w.Compare(t)
		})
	}
}
