package result

// Exclusion is the number of trades that were left out for one reason.
type Exclusion struct {
	Reason   string   `json:"reason" api:"open,max=60" example:"duplicate"`        // why the trades were left out
	Count    int      `json:"count" example:"1"`                                   // number of trades
	Examples []string `json:"examples" api:"items=5,max=512" example:"[\"T-17\"]"` // up to five trade IDs, smallest first
}

// Reasons of an Exclusion.
const (
	ExcludedNegativeDuration = "negative_duration" // closed before it was opened
	ExcludedNoOpenTime       = "no_open_time"
	ExcludedDuplicate        = "duplicate"      // same account and id
	ExcludedOutsideWindow    = "outside_window" // opened before or after
	ExcludedNumberRange      = "number_out_of_range"
	ExcludedUnknownAccount   = "unknown_account"
	ExcludedUnknownSide      = "unknown_side"
	ExcludedNoSymbol         = "no_symbol"
	ExcludedTooManySymbols   = "too_many_symbols" // beyond trades.MaxSymbols
)
