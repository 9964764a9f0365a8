package result

// CurrencyResult sums up the trades of all accounts with one currency. Amounts are exact to 1e-8.
// Losses and drawdowns are positive.
type CurrencyResult struct {
	Currency    string   `json:"currency" api:"max=4096" example:"USD"` // Currency of the amounts. Empty if it is unknown.
	Trades      int      `json:"trades"`                                // number of trades
	Closed      int      `json:"closed"`                                // number of closed trades with a known profit
	Won         int      `json:"won"`                                   // number of these above zero
	Lost        int      `json:"lost"`                                  // number of these below zero
	Net         Amount   `json:"net"`                                   // sum of their profits
	AverageLoss Amount   `json:"average_loss"`                          // average loss of those below zero
	LargestLoss Amount   `json:"largest_loss"`                          // largest loss of a trade
	MaxDrawdown Amount   `json:"max_drawdown"`                          // largest fall of the running sum from its peak
	MeanHold    *float64 `json:"mean_hold_seconds" api:"float"`         // average holding time of closed trades
}

// Amount is an exact decimal number. The empty string is encoded as null.
type Amount string

// MarshalJSON implements json.Marshaler.
func (a Amount) MarshalJSON() ([]byte, error) {
	if a == "" {
		return []byte("null"), nil
	}
	return []byte(a), nil
}
