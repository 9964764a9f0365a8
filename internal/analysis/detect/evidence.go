package detect

import (
	"cmp"
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/trades"
)

// EvidenceList collects the trades that a finding was seen in, the first ones of
// what is added.
type EvidenceList struct {
	Total int // of all trades that were added
	shown []result.Evidence
}

// isFull reports whether more would not be shown, only counted.
func (e *EvidenceList) isFull() bool { return len(e.shown) >= result.MaxEvidence }

// AddTrade adds a trade of an account.
func (e *EvidenceList) AddTrade(a *trades.AccountView, t *trades.Trade) {
	e.Total++
	if !e.isFull() {
		e.shown = append(e.shown, result.Evidence{Type: "trade", AccountID: a.ID, TradeID: t.ID})
	}
}

// AddCluster adds the trades of one decision.
func (e *EvidenceList) AddCluster(a *trades.AccountView, cluster uint32) {
	if e.isFull() { // most decisions of many: what is only counted costs nothing
		e.Total += int(a.Clusters[cluster].Trades)
		return
	}
	for t := range a.TradesOf(cluster) {
		e.AddTrade(a, t)
	}
}

// AddOpening adds the trade that began a decision.
func (e *EvidenceList) AddOpening(a *trades.AccountView, cluster uint32) {
	e.AddTrade(a, &a.Trades[a.Clusters[cluster].First])
}

// SortShown returns what is shown, by account and trade.
func (e *EvidenceList) SortShown() []result.Evidence {
	slices.SortFunc(e.shown, func(a, b result.Evidence) int {
		return cmp.Or(strings.Compare(a.AccountID, b.AccountID), strings.Compare(a.TradeID, b.TradeID))
	})
	return e.shown
}
