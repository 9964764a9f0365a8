package analysis

import (
	"time"

	"github.com/assayhq/assay/connectors/record"
)

// TradeFacts is what a reader of a finding wants to know of a trade.
type TradeFacts struct {
	AccountID string      `json:"account_id" api:"max=36,format=uuid"`     // the account
	TradeID   string      `json:"trade_id" api:"max=512" example:"T-17"`   // the platform's id of the trade
	Symbol    string      `json:"symbol" api:"max=4096" example:"EURUSD"`  // as the platform spells it
	Side      record.Side `json:"side"`                                    // the direction
	Volume    *float64    `json:"volume" api:"float" example:"0.5"`        // lots; null: unknown
	OpenTime  time.Time   `json:"open_time"`                               // when it was opened
	CloseTime *time.Time  `json:"close_time"`                              // when it was closed; null: it is open
	Net       *float64    `json:"net_profit" api:"float" example:"-12.34"` // net result in the account's currency; null: unknown, or open
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
	f := TradeFacts{AccountID: a.ID, TradeID: t.ID, Symbol: v.RawSymbol(t), Side: record.Side(t.Side.String()), OpenTime: timeOf(t.Open)}
	if volume, ok := t.Lots(); ok {
		f.Volume = &volume
	}
	if t.Closed() {
		closed := timeOf(t.Close)
		f.CloseTime = &closed
	}
	if net, ok := t.Net(); ok {
		f.Net = &net
	}
	return f
}
