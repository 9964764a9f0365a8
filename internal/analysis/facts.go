package analysis

import (
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/analysis/micros"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/trades"
)

// collectFacts returns the facts of the trader's own trades that evidence points
// at.
func collectFacts(v *trades.View, detections []result.Detection) []result.TradeFacts {
	wanted := map[string]map[string]bool{} // ids of trades by account
	for _, d := range detections {
		for _, e := range d.Evidence {
			if wanted[e.AccountID] == nil {
				wanted[e.AccountID] = map[string]bool{}
			}
			wanted[e.AccountID][e.TradeID] = true
		}
	}
	out := []result.TradeFacts{}
	for _, a := range v.Accounts {
		ids := wanted[a.ID]
		for i := range a.Trades {
			if len(ids) == 0 {
				break
			}
			if t := &a.Trades[i]; ids[t.ID] {
				delete(ids, t.ID)
				out = append(out, factsOf(v, a, t))
			}
		}
	}
	return out
}

func factsOf(v *trades.View, a *trades.AccountView, t *trades.Trade) result.TradeFacts {
	f := result.TradeFacts{AccountID: a.ID, TradeID: t.ID, Symbol: v.RawSymbol(t), Side: record.Side(t.Side.String()), OpenTime: micros.TimeOf(t.Open)}
	if volume, ok := t.Lots(); ok {
		f.Volume = &volume
	}
	if t.Closed() {
		closed := micros.TimeOf(t.Close)
		f.CloseTime = &closed
	}
	if net, ok := t.Net(); ok {
		f.Net = &net
	}
	return f
}
