package result

import (
	"time"

	"github.com/assayhq/assay/connectors/record"
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
