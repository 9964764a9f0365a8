package result

import "time"

// Charts is the data of the charts. Each is of limited size.
type Charts struct {
	ByHour        [24]int      `json:"by_hour"`                        // number of trades opened in each hour of the timezone
	ByWeekday     [7]int       `json:"by_weekday"`                     // number of trades opened on each weekday, Monday first
	HoldHistogram []HoldBin    `json:"hold_histogram" api:"items=100"` // histogram of how long trades were held
	DailyPnL      []PeriodPnL  `json:"daily_pnl" api:"items=100000"`   // results by day
	Equity        []EquityLine `json:"equity" api:"items=1000"`        // running sums of results
	Bursts        BurstLine    `json:"bursts"`                         // bursts on a timeline
	Sides         SideChart    `json:"sides"`                          // buys compared with sells
}

// HoldBin is the number of closed trades that were held for a time in [`from`, `to`) seconds.
// The edges grow about logarithmically.
type HoldBin struct {
	From  float64  `json:"from_seconds" api:"float"` // lower edge in seconds, inclusive
	To    *float64 `json:"to_seconds" api:"float"`   // Upper edge in seconds, exclusive. Null if there is no upper limit.
	Count int      `json:"count"`                    // number of trades
}

// PeriodPnL is the result of the trades closed on one day, or on several days if single days
// would be too many.
type PeriodPnL struct {
	Day      string  `json:"day" api:"max=10" example:"2026-01-09"` // first day, as YYYY-MM-DD in the account's timezone
	Days     int     `json:"days"`                                  // number of days
	Currency string  `json:"currency" api:"max=4096" example:"USD"` // Currency of the result. Empty if it is unknown.
	Net      float64 `json:"net" api:"float"`                       // net result
	Closed   int     `json:"closed"`                                // number of trades that were closed
}

// EquityLine is the running sum of the results of closed trades in one currency. It is not the
// account's equity, because it does not include open positions.
type EquityLine struct {
	Currency string        `json:"currency" api:"max=4096" example:"USD"` // Currency of the sums. Empty if it is unknown.
	Points   []EquityPoint `json:"points" api:"items=500"`                // points in chronological order
}

// EquityPoint is a summary of a series of closed trades that ends at `at`.
type EquityPoint struct {
	At   time.Time `json:"at"`               // when the series ends
	Net  float64   `json:"net" api:"float"`  // sum at the end of the series
	Low  float64   `json:"low" api:"float"`  // lowest sum within the series
	High float64   `json:"high" api:"float"` // highest sum within the series
}

// BurstLine is a timeline of the largest bursts, in chronological order.
type BurstLine struct {
	Total int        `json:"total"`                 // total number of bursts
	Shown []BurstBar `json:"shown" api:"items=200"` // the largest bursts, in chronological order
}

// BurstBar is one burst.
type BurstBar struct {
	AccountID     string    `json:"account_id" api:"max=36,format=uuid"` // identifier of the account
	From          time.Time `json:"from"`                                // when the first trade of the burst was opened
	To            time.Time `json:"to"`                                  // when the last trade of the burst was opened
	Decisions     int       `json:"decisions"`                           // number of decisions in the burst
	SameSideShare float64   `json:"same_side_share" api:"float"`         // share of the burst's decisions on its more frequent side
}

// SideChart is the division of decisions into buys and sells, by time and by symbol.
type SideChart struct {
	Periods []SidePeriod `json:"periods" api:"items=800"` // periods in chronological order
	Symbols []SideSymbol `json:"symbols" api:"items=20"`  // the symbol groups with the most decisions, in descending order
	Rest    SideRest     `json:"rest"`                    // all other symbol groups
}

// SidePeriod is the number of decisions that began on one day, or on several days if single days
// would be too many.
type SidePeriod struct {
	Day   string `json:"day" api:"max=10" example:"2026-01-09"` // first day, as YYYY-MM-DD in the account's timezone
	Days  int    `json:"days"`                                  // number of days
	Buys  int    `json:"buys"`                                  // number of decisions to buy
	Sells int    `json:"sells"`                                 // number of decisions to sell
}

// SideSymbol is the number of decisions in one symbol group.
type SideSymbol struct {
	Symbol string `json:"symbol" api:"max=4096" example:"EURUSD"` // symbol without additions of brokers
	Buys   int    `json:"buys"`                                   // number of decisions to buy
	Sells  int    `json:"sells"`                                  // number of decisions to sell
}

// SideRest is the number of decisions in the symbol groups that have no entry of their own.
type SideRest struct {
	Symbols int `json:"symbols"` // number of symbol groups
	Buys    int `json:"buys"`    // number of decisions to buy
	Sells   int `json:"sells"`   // number of decisions to sell
}
