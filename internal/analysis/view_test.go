package analysis_test

import (
	"cmp"
	"math"
	"slices"
	"testing"

	"github.com/assayhq/assay/internal/analysis/trades"
)

// TestOrderOfCloses compares with sorting: closes that are spread, that are equal,
// and all but one within a second of many years.
func TestOrderOfCloses(t *testing.T) {
	t.Parallel()
	r := random(3)
	for _, tc := range []struct {
		name string
		hold func(i int) int64
	}{
		{"spread", func(int) int64 { return int64(r.ExpFloat64() * 1e9) }},
		{"one moment", func(i int) int64 { return int64(5000 - i) }},
		{"few moments", func(i int) int64 { return int64(i%3)*1e6 + int64(5000-i) }},
		{"one far away", func(i int) int64 { return int64(i) + int64(math.Pow(10, float64(i/4999)*17)) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			in := trades.Input{Accounts: owner(1), Symbols: []string{"EURUSD"}}
			for i := range 5000 {
				deal := trades.Trade{ID: accountID(i), Open: int64(i), Close: int64(i) + tc.hold(i), Has: trades.HasClose}
				if i%7 == 3 {
					deal.Has = 0
				}
				in.Trades = append(in.Trades, deal)
			}
			a := trades.Prepare(&in).Accounts[0]
			var want []uint32
			for i := range in.Trades {
				if in.Trades[i].Closed() {
					want = append(want, uint32(i))
				}
			}
			slices.SortStableFunc(want, func(x, y uint32) int { return cmp.Compare(a.Trades[x].Close, a.Trades[y].Close) })
			if !slices.Equal(a.ByClose, want) {
				t.Error("closed trades are not in order of their close")
			}
		})
	}
}
