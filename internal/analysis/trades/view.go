package trades

import (
	"iter"
	"slices"
	"time"

	"github.com/assayhq/assay/internal/analysis/calendar"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/ruleset"
)

// View is an Input prepared for detectors: trades in order, without what was
// excluded, decisions, symbol groups and days. Detectors only read it.
type View struct {
	Ruleset  *ruleset.Ruleset
	Calendar *calendar.Calendar
	Location *time.Location
	Basis    result.TimezoneBasis
	// Symbols are the keys of symbol groups, in order; see instrument.Names.
	Symbols []string
	// Accounts are the trader's own, by id; Peers are other traders' accounts.
	Accounts, Peers []*AccountView
	// Trades and Decisions count those of Accounts.
	Trades, Decisions int
	// Excluded is what was left out, by reason.
	Excluded []result.Exclusion

	raw       []string   // symbols as the trades name them
	keys      []uint32   // symbol group of each raw symbol
	contracts []contract // of each symbol group
}

// AccountView is one account with its trades.
type AccountView struct {
	Account
	// Trades are in order of open time, then id.
	Trades []Trade
	// ByClose holds the closed trades in order of their close, equal ones in
	// order of their open: indices of Trades.
	ByClose []uint32
	// Cluster holds each trade's decision: index in Clusters.
	Cluster []uint32
	// Clusters are the decisions, in order of their first open, then of the
	// trade's id that opened it.
	Clusters []Cluster
	// ClosedClusters holds the decisions that are completely closed, in order of
	// their close, equal ones in order of their open: indices of Clusters.
	ClosedClusters []uint32
	// Days holds the day of each trade's open in the account's timezone, as
	// days since 1970-01-01.
	Days []int32

	// ResultDays are the days with closed trades of a known result, in order.
	ResultDays []ResultDay
}

// Cluster is one decision: a chain of opens of one account, symbol group and side, with
// gaps of at most Ruleset.ClusterGapSeconds, of which something is still open when the
// next one follows, and at most five such gaps from the first open to the last.
type Cluster struct {
	Open int64 // of the first trade, microseconds
	// Close is the last close; of no meaning unless Closed.
	Close  int64
	First  uint32 // index of the first trade in AccountView.Trades
	Trades uint32
	Key    uint32 // symbol group
	Side   Side
	// Closed reports that all its trades are; Lots and Net that all of them
	// state a positive volume and a net result.
	Closed, HasLots, HasNet bool
	Lots, Net               float64 // sums
}

// WasClosedBefore reports whether a decision was over when the one at index i began. One
// that closed in the moment in which it opened is not over before itself.
func (a *AccountView) WasClosedBefore(cluster uint32, i int) bool {
	end, start := a.Clusters[cluster].Close, a.Clusters[i].Open
	return end < start || end == start && int(cluster) < i
}

// TradesOf yields the trades of one decision. They need not lie side by side, but they
// lie within n gaps of its first.
func (a *AccountView) TradesOf(cluster uint32) iter.Seq[*Trade] {
	return func(yield func(*Trade) bool) {
		c := &a.Clusters[cluster]
		left := int(c.Trades)
		for i := int(c.First); left > 0; i++ {
			if a.Cluster[i] == cluster {
				if !yield(&a.Trades[i]) {
					return
				}
				left--
			}
		}
	}
}

// Key returns the symbol group of a trade: an index in Symbols.
func (v *View) Key(t *Trade) uint32 { return v.keys[t.Symbol] }

// RawSymbol returns the symbol of a trade as its platform names it.
func (v *View) RawSymbol(t *Trade) string { return v.raw[t.Symbol] }

// AccountsIn returns the accounts of a currency.
func (v *View) AccountsIn(currency string) []*AccountView {
	return slices.DeleteFunc(slices.Clone(v.Accounts), func(a *AccountView) bool { return a.Currency != currency })
}

// ListCurrencies returns the currencies of the accounts, in order.
func (v *View) ListCurrencies() []string {
	var out []string
	for _, a := range v.Accounts {
		out = append(out, a.Currency)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// DecisionsPerDay counts the decisions of each day on which there was any in one
// of the accounts, the fewest first.
func DecisionsPerDay(accounts ...*AccountView) []float64 {
	byDay := map[int32]int{}
	for _, a := range accounts {
		for i := range a.Clusters {
			byDay[a.Days[a.Clusters[i].First]]++
		}
	}
	counts := make([]float64, 0, len(byDay))
	for _, n := range byDay {
		counts = append(counts, float64(n))
	}
	slices.Sort(counts)
	return counts
}
