package analysis

import (
	"cmp"
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/trades"
)

// evidence collects the trades that a finding was seen in, the first ones of
// what is added.
type evidence struct {
	shown []result.Evidence
	total int
}

// isFull reports whether more would not be shown, only counted.
func (e *evidence) isFull() bool { return len(e.shown) >= result.MaxEvidence }

func (e *evidence) addTrade(a *trades.AccountView, t *trades.Trade) {
	e.total++
	if !e.isFull() {
		e.shown = append(e.shown, result.Evidence{Type: "trade", AccountID: a.ID, TradeID: t.ID})
	}
}

// addCluster adds the trades of one decision.
func (e *evidence) addCluster(a *trades.AccountView, cluster uint32) {
	if e.isFull() { // most decisions of many: what is only counted costs nothing
		e.total += int(a.Clusters[cluster].Trades)
		return
	}
	for t := range a.TradesOf(cluster) {
		e.addTrade(a, t)
	}
}

// addOpening adds the trade that began a decision.
func (e *evidence) addOpening(a *trades.AccountView, cluster uint32) {
	e.addTrade(a, &a.Trades[a.Clusters[cluster].First])
}

// sortShown returns what is shown, by account and trade.
func (e *evidence) sortShown() []result.Evidence {
	slices.SortFunc(e.shown, func(a, b result.Evidence) int {
		return cmp.Or(strings.Compare(a.AccountID, b.AccountID), strings.Compare(a.TradeID, b.TradeID))
	})
	return e.shown
}
