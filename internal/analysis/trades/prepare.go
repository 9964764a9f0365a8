package trades

import (
	"cmp"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/assayhq/assay/internal/analysis/instrument"
	"github.com/assayhq/assay/internal/analysis/micros"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/ruleset"
	"github.com/assayhq/assay/internal/analysis/stat"
)

// Prepare returns the view of an input. It shares the input's trades, and copies them
// only when some can't be used or they are not in order.
func Prepare(in *Input) *View {
	v := &View{Ruleset: in.Ruleset, Calendar: in.Calendar, Location: in.Location, Basis: in.Basis, raw: in.Symbols}
	if v.Ruleset == nil {
		v.Ruleset = ruleset.Neutral()
	}
	if v.Location == nil {
		v.Location = time.UTC
	}
	if v.Basis == "" {
		v.Basis = result.AssumedUTC
	}
	known := in.Instruments
	if known == nil {
		known = instrument.NewNames(nil)
	}
	v.groupSymbols(known)
	var out exclusions
	for _, x := range in.Excluded {
		out.merge(x)
	}
	trades := usableTrades(in, &out)
	v.splitAccounts(in.Accounts, trades)
	for _, a := range v.Accounts {
		v.Trades += len(a.Trades)
		v.Decisions += len(a.Clusters)
	}
	v.Excluded = out.listExclusions()
	return v
}

// groupSymbols fills Symbols, the group of each raw name, and what is known of
// each group.
func (v *View) groupSymbols(known instrument.Names) {
	keys := make([]string, len(v.raw))
	for i, raw := range v.raw {
		keys[i] = known.KeyOf(raw)
	}
	v.Symbols = slices.Clone(keys)
	slices.Sort(v.Symbols)
	v.Symbols = slices.Compact(v.Symbols)
	v.keys = make([]uint32, len(keys))
	for i, key := range keys {
		at, _ := slices.BinarySearch(v.Symbols, key)
		v.keys[i] = uint32(at)
	}
	// A ruleset may name a contract month; of several the first in order counts.
	sizes := map[string]float64{}
	for _, symbol := range slices.Backward(slices.Sorted(maps.Keys(v.Ruleset.ContractSizes))) {
		sizes[known.KeyOf(symbol)] = v.Ruleset.ContractSizes[symbol]
	}
	v.contracts = make([]contract, len(v.Symbols))
	for i, key := range v.Symbols {
		base, quote := instrument.BaseAndQuote(key)
		v.contracts[i] = contract{base, quote, sizes[key]}
	}
}

// usableTrades returns the trades in order, without those that are excluded.
func usableTrades(in *Input, out *exclusions) []Trade {
	w := in.openWindow()
	all, sorted := true, true
	for i := range in.Trades {
		t := &in.Trades[i]
		if reason := in.exclusionReason(t, w); reason != "" {
			out.countExcluded(reason, t.ID)
			all = false
			continue
		}
		sorted = sorted && (i == 0 || !all || compareTrades(in.Accounts, &in.Trades[i-1], t) <= 0)
	}
	if all && sorted {
		return in.Trades
	}
	kept := make([]Trade, 0, len(in.Trades))
	for i := range in.Trades {
		if in.exclusionReason(&in.Trades[i], w) == "" {
			kept = append(kept, in.Trades[i])
		}
	}
	sortTrades(in.Accounts, kept)
	return kept
}

// openWindow returns the bounds of open times, half-open.
func (in *Input) openWindow() [2]int64 {
	w := [2]int64{math.MinInt64, math.MaxInt64}
	if !in.Window.From.IsZero() {
		w[0] = in.Window.From.UnixMicro()
	}
	if !in.Window.To.IsZero() {
		w[1] = in.Window.To.UnixMicro()
	}
	return w
}

// maxMicros bounds times to the years that can be written as text.
const maxMicros = 253_402_300_799 * micros.Second

// exclusionReason says why a trade is excluded; empty when it is not.
func (in *Input) exclusionReason(t *Trade, window [2]int64) string {
	switch {
	case int(t.Account) >= len(in.Accounts):
		return result.ExcludedUnknownAccount
	case int(t.Symbol) >= len(in.Symbols):
		return result.ExcludedNoSymbol
	case t.Side > Sell:
		return result.ExcludedUnknownSide
	case t.Open < window[0] || t.Open >= window[1]:
		return result.ExcludedOutsideWindow
	case outOfRange(t):
		return result.ExcludedNumberRange
	case t.Closed() && t.Close < t.Open:
		return result.ExcludedNegativeDuration
	}
	return ""
}

// outOfRange reports whether a number of the trade can't be computed with.
func outOfRange(t *Trade) bool {
	if t.Open > maxMicros || t.Open < -maxMicros || t.Closed() && (t.Close > maxMicros || t.Close < -maxMicros) {
		return true
	}
	for _, x := range [...]float64{t.Volume, t.OpenPrice, t.StopLoss, t.TakeProfit, t.Profit} {
		if !(x >= -MaxNumber && x <= MaxNumber) { // NaN fails both
			return true
		}
	}
	return false
}

// splitAccounts gives each account its part of the ordered trades.
func (v *View) splitAccounts(accounts []Account, trades []Trade) {
	order := make([]int, len(accounts))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(strings.Compare(accounts[a].ID, accounts[b].ID), cmp.Compare(a, b))
	})
	chain := newChainer(len(v.Symbols), v.Ruleset.ClusterGapSeconds)
	for i, at := range order {
		if i > 0 && accounts[order[i-1]].ID == accounts[at].ID {
			continue
		}
		a := &AccountView{Account: accounts[at]}
		if a.Location == nil {
			a.Location = v.Location
		}
		n, _ := slices.BinarySearchFunc(trades, a.ID, func(t Trade, id string) int {
			if accounts[t.Account].ID <= id {
				return -1
			}
			return 1
		})
		a.Trades, trades = trades[:n:n], trades[n:]
		chain.buildClusters(v, a)
		if a.Peer { // only its decisions are compared
			v.Peers = append(v.Peers, a)
			continue
		}
		a.Days = openDays(a)
		a.ByClose = closeOrder(len(a.Trades), func(i int) (int64, bool) { return a.Trades[i].Close, a.Trades[i].Closed() })
		a.ClosedClusters = closeOrder(len(a.Clusters), func(i int) (int64, bool) { return a.Clusters[i].Close, a.Clusters[i].Closed })
		a.ResultDays = sumUpDays(a)
		v.Accounts = append(v.Accounts, a)
	}
}

// openDays returns the day of each open.
func openDays(a *AccountView) []int32 {
	out := make([]int32, len(a.Trades))
	c := micros.NewClock(a.Location)
	for i := range a.Trades {
		out[i] = c.DayOf(a.Trades[i].Open)
	}
	return out
}

// closeOrder returns what is closed of n things in order of their open: in
// order of the close, equal ones in order of the open. It counts them into
// stretches of time, about as many as there are things, so that only those that
// closed soon after each other are compared.
func closeOrder(n int, end func(i int) (at int64, closed bool)) []uint32 {
	first, last, closed := int64(math.MaxInt64), int64(math.MinInt64), 0
	for i := range n {
		if at, ok := end(i); ok {
			first, last = min(first, at), max(last, at)
			closed++
		}
	}
	if closed == 0 {
		return nil
	}
	length := max(bits.Len64(uint64(last-first))-bits.Len(uint(closed))-1, 0) // of a stretch, as a power of two
	places := make([]uint32, (last-first)>>length+2)
	for i := range n {
		if at, ok := end(i); ok {
			places[(at-first)>>length+1]++
		}
	}
	for k := range places[1:] {
		places[k+1] += places[k]
	}
	out := make([]uint32, closed)
	for i := range n {
		if at, ok := end(i); ok {
			place := &places[(at-first)>>length]
			out[*place] = uint32(i)
			*place++ // from where the stretch begins to where it ends
		}
	}
	from := uint32(0)
	for _, to := range places[:len(places)-1] {
		if to-from > 1 {
			slices.SortFunc(out[from:to], func(i, k uint32) int {
				x, _ := end(int(i))
				y, _ := end(int(k))
				return cmp.Or(cmp.Compare(x, y), cmp.Compare(i, k))
			})
		}
		from = to
	}
	return out
}

// gapsPerDecision is how many of the gaps of a ruleset a decision lasts from its first open to its last,
// at most. Without an end, somebody who opens a position every two seconds would have made
// one decision in an hour.
const gapsPerDecision = 5

// chainer forms entry clusters. It holds the last cluster of each symbol group
// and side.
type chainer struct {
	gap  int64
	last []chainEnd
	turn uint32 // account that last belongs to
}

// chainEnd is the last cluster of a symbol group and side.
type chainEnd struct {
	first, last int64 // opens of its first and last trade
	close       int64 // its last close so far, or the end of time while a trade is open
	cluster     uint32
	turn        uint32
}

func newChainer(symbols int, gapSeconds float64) *chainer {
	return &chainer{gap: int64(gapSeconds * micros.Second), last: make([]chainEnd, 2*symbols)}
}

// joinLast reports whether a trade belongs to the last cluster of its symbol group and side,
// and makes it the last trade of that cluster, or the first of a new one. What opened in the
// same moment belongs together. What opens later does if something of the cluster is still
// open then: a position after the other one is another decision.
func (c *chainer) joinLast(v *View, t *Trade) (end *chainEnd, joined bool) {
	end = &c.last[2*v.Key(t)+uint32(t.Side)]
	closed := int64(math.MaxInt64)
	if t.Closed() {
		closed = t.Close
	}
	if end.turn == c.turn && (t.Open == end.last || t.Open-end.last <= c.gap && t.Open-end.first <= gapsPerDecision*c.gap && t.Open < end.close) {
		end.last, end.close = t.Open, max(end.close, closed)
		return end, true
	}
	end.first, end.last, end.close, end.turn = t.Open, t.Open, closed, c.turn
	return end, false
}

// buildClusters fills Cluster and Clusters of an account.
func (c *chainer) buildClusters(v *View, a *AccountView) {
	a.Cluster = make([]uint32, len(a.Trades))
	a.Clusters = make([]Cluster, 0, len(a.Trades)-c.countJoined(v, a))
	c.turn++
	for i := range a.Trades {
		t := &a.Trades[i]
		end, joined := c.joinLast(v, t)
		if !joined {
			end.cluster = uint32(len(a.Clusters))
			a.Clusters = append(a.Clusters, Cluster{Open: t.Open, First: uint32(i), Key: v.Key(t), Side: t.Side, Closed: true, HasLots: true, HasNet: true})
		}
		a.Cluster[i] = end.cluster
		a.Clusters[end.cluster].addTrade(t)
	}
}

// countJoined counts the trades that are not the first of their cluster, so that no
// memory is allocated for clusters that do not exist.
func (c *chainer) countJoined(v *View, a *AccountView) int {
	n := 0
	c.turn++
	for i := range a.Trades {
		if _, joined := c.joinLast(v, &a.Trades[i]); joined {
			n++
		}
	}
	return n
}

// addTrade adds a trade.
func (c *Cluster) addTrade(t *Trade) {
	c.Trades++
	c.Closed = c.Closed && t.Closed()
	if t.Closed() {
		if c.Trades == 1 || t.Close > c.Close {
			c.Close = t.Close
		}
	}
	lots, ok := t.Lots()
	c.HasLots = c.HasLots && ok
	c.Lots += lots
	net, ok := t.Net()
	c.HasNet = c.HasNet && ok
	if ok {
		c.Net += net
	}
	if c.Trades > 1 {
		c.Lots, c.Net = stat.DropBinaryRest(c.Lots), stat.DropBinaryRest(c.Net)
	}
}
