package analysis

import (
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/analysis/micros"
)

// TradeFacts is a summary of a trade for readers of a finding.
type TradeFacts struct {
	AccountID string      `json:"account_id" api:"max=36,format=uuid"`     // identifier of the account
	TradeID   string      `json:"trade_id" api:"max=512" example:"T-17"`   // the trade's ID on the platform
	Symbol    string      `json:"symbol" api:"max=4096" example:"EURUSD"`  // symbol, as spelled by the platform
	Side      record.Side `json:"side"`                                    // direction of the trade
	Volume    *float64    `json:"volume" api:"float" example:"0.5"`        // Volume in lots. Null if it is unknown.
	OpenTime  time.Time   `json:"open_time"`                               // when the trade was opened
	CloseTime *time.Time  `json:"close_time"`                              // When the trade was closed. Null while it is open.
	Net       *float64    `json:"net_profit" api:"float" example:"-12.34"` // Net result in the account's currency. Null if it is unknown or the trade is open.
}

// collectFacts returns the facts of the trader's own trades that evidence points
// at.
func (v *View) collectFacts(detections []Detection) []TradeFacts {
	wanted := map[string]map[string]bool{} // ids of trades by account
	for _, d := range detections {
		for _, e := range d.Evidence {
			if wanted[e.AccountID] == nil {
				wanted[e.AccountID] = map[string]bool{}
			}
			wanted[e.AccountID][e.TradeID] = true
		}
	}
	out := []TradeFacts{}
	for _, a := range v.Accounts {
		ids := wanted[a.ID]
		for i := range a.Trades {
			if len(ids) == 0 {
				break
			}
			if t := &a.Trades[i]; ids[t.ID] {
				delete(ids, t.ID)
				out = append(out, v.factsOf(a, t))
			}
		}
	}
	return out
}

func (v *View) factsOf(a *AccountView, t *Trade) TradeFacts {
	f := TradeFacts{AccountID: a.ID, TradeID: t.ID, Symbol: v.RawSymbol(t), Side: record.Side(t.Side.String()), OpenTime: micros.TimeOf(t.Open)}
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
