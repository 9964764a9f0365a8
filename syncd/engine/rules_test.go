package engine

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/syncing"
)

// noRegistry takes metrics and shows none.
type noRegistry struct{ prometheus.Registerer }

func (noRegistry) MustRegister(...prometheus.Collector) {}

func TestCheckClock(t *testing.T) {
	t.Parallel()
	began := noon.Add(900 * time.Millisecond) // the request; headers have whole seconds
	for _, tt := range []struct {
		name     string
		run      syncing.OpenRun
		date     time.Time
		skew     time.Duration // of the run afterwards
		readFrom time.Duration // from began
		finding  bool
	}{
		{name: "a clock that is right, in the same second", date: noon},
		{name: "an answer in the next second", date: noon.Add(time.Second), skew: time.Second},
		{name: "no header"},
		{name: "a second slow", date: noon.Add(-time.Second), skew: -time.Second, readFrom: -time.Second},
		{name: "a minute slow", date: noon.Add(-time.Minute), skew: -time.Minute, readFrom: -time.Minute},
		{name: "slower than a minute", date: noon.Add(-61 * time.Second), skew: -61 * time.Second, readFrom: -61 * time.Second, finding: true},
		{name: "an hour slow", date: noon.Add(-time.Hour), skew: -time.Hour, readFrom: -time.Hour, finding: true},
		{name: "a minute fast loses nothing", date: noon.Add(time.Minute), skew: time.Minute},
		{name: "faster than a minute", date: noon.Add(61 * time.Second), skew: 61 * time.Second, finding: true},
		{name: "an hour fast", date: noon.Add(time.Hour), skew: time.Hour, finding: true},
		{name: "known already", run: syncing.OpenRun{Skew: -time.Hour}, date: noon.Add(-time.Hour), skew: -time.Hour},
		{name: "not on later pages", run: syncing.OpenRun{RunTotals: syncing.RunTotals{Pages: 2}}, date: noon.Add(-time.Hour)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.run.Stream, tt.run.ReadFrom = record.StreamTrades, began
			f, found := checkClock(&tt.run, tt.date, began)
			if tt.run.Skew != tt.skew || !tt.run.ReadFrom.Equal(began.Add(tt.readFrom)) {
				t.Errorf("skew %s, read from %s; want %s, %s", tt.run.Skew, tt.run.ReadFrom.Sub(began), tt.skew, tt.readFrom)
			}
			if found != tt.finding || found && (f.Rule != "clock_skew" || f.Resource != record.Trades || f.Count != 1) {
				t.Errorf("finding %t %+v, want %t", found, f, tt.finding)
			}
		})
	}
}

func TestCheckOrder(t *testing.T) {
	t.Parallel()
	at := func(minutes int) time.Time { return noon.Add(time.Duration(minutes) * time.Minute) }
	page := func(minutes ...int) (b record.Batch) {
		for _, m := range minutes {
			trade := record.Trade{ID: at(m).Format("1504"), UpdatedAt: at(m)}
			b.Trades = append(b.Trades, trade)
		}
		return b
	}
	untimed := record.Batch{Trades: []record.Trade{{ID: "untimed"}}}
	for _, tt := range []struct {
		name  string
		pages []record.Batch
		want  []string // ids of the first records of pages that go back
	}{
		{name: "ascending", pages: []record.Batch{page(0, 1), page(2, 3)}},
		{name: "equal times over the edge of a page", pages: []record.Batch{page(0, 1), page(1, 2)}},
		{name: "a page that goes back", pages: []record.Batch{page(0, 5), page(4, 6), page(6, 7)}, want: []string{"1204"}},
		{name: "an empty page in between", pages: []record.Batch{page(0, 5), {}, page(4)}, want: []string{"1204"}},
		{name: "records without times say nothing", pages: []record.Batch{page(0, 5), untimed, page(5)}},
		{name: "every page goes back", pages: []record.Batch{page(9), page(6), page(3)}, want: []string{"1206", "1203"}},
		{name: "traders", pages: []record.Batch{
			{Traders: []record.Trader{{ID: "a", UpdatedAt: at(2)}}}, {Traders: []record.Trader{{ID: "b", UpdatedAt: at(1)}}},
		}, want: []string{"b"}},
		{name: "accounts", pages: []record.Batch{
			{Accounts: []record.Account{{ID: "a", UpdatedAt: at(2)}}}, {Accounts: []record.Account{{ID: "b", UpdatedAt: at(1)}}},
		}, want: []string{"b"}},
		{name: "payouts", pages: []record.Batch{
			{Payouts: []record.Payout{{ID: "a", UpdatedAt: at(2)}}}, {Payouts: []record.Payout{{ID: "b", UpdatedAt: at(1)}}},
		}, want: []string{"b"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			run := &syncing.OpenRun{Stream: record.StreamTrades}
			var got []string
			for _, p := range tt.pages {
				for _, f := range checkOrder(connectors.StreamSpec{Order: connectors.ByTime}, run, p) {
					if f.Rule != "order_violated" || f.Count != 1 || len(f.Samples) != 1 {
						t.Fatalf("finding %+v", f)
					}
					got = append(got, f.Samples[0])
				}
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("records out of order (-want +got):\n%s", diff)
			}
		})
	}
}

// TestCheckOrderWhereNoneIsSet: where the contract sets no order there is no
// finding, and the progress is estimated as long as the list is sorted by time.
func TestCheckOrderWhereNoneIsSet(t *testing.T) {
	t.Parallel()
	page := func(minutes ...int) (b record.Batch) {
		for _, m := range minutes {
			b.Trades = append(b.Trades, record.Trade{ID: "x", UpdatedAt: noon.Add(time.Duration(m) * time.Minute)})
		}
		return b
	}
	for _, tt := range []struct {
		name  string
		order connectors.Order
		pages []record.Batch
		known bool // how much of the list has been read
	}{
		{"by time", connectors.UsuallyByTime, []record.Batch{page(0, 5), {}, page(5, 9)}, true},
		{"a page that goes back", connectors.UsuallyByTime, []record.Batch{page(0, 5), page(3, 9), page(10, 12)}, false},
		{"records that go back within a page", connectors.UsuallyByTime, []record.Batch{page(5, 0), page(6, 9)}, false},
		{"in any order", connectors.AnyOrder, []record.Batch{page(0, 5), page(5, 9)}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			run := &syncing.OpenRun{Stream: record.StreamTrades, ReadFrom: noon.Add(time.Hour)}
			for _, p := range tt.pages {
				if found := checkOrder(connectors.StreamSpec{Order: tt.order}, run, p); len(found) > 0 {
					t.Errorf("findings %+v", found)
				}
			}
			if _, known := run.Share(); known != tt.known {
				t.Errorf("progress known: %t, want %t", known, tt.known)
			}
		})
	}
}
