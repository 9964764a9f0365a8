package analysis

import "time"

// Charts is the data of the charts; each is of bounded size.
type Charts struct {
	ByHour        [24]int      `json:"by_hour"`                        // trades opened in each hour of the timezone
	ByWeekday     [7]int       `json:"by_weekday"`                     // Monday first
	HoldHistogram []HoldBin    `json:"hold_histogram" api:"items=100"` // how long trades were held
	DailyPnL      []PeriodPnL  `json:"daily_pnl" api:"items=100000"`   // results of days
	Equity        []EquityLine `json:"equity" api:"items=1000"`        // running sums of results
	Bursts        BurstLine    `json:"bursts"`                         // bursts on a time line
	Sides         SideChart    `json:"sides"`                          // buys against sells
}

// HoldBin counts closed trades that were held for [From, To) seconds. The edges
// grow about logarithmically.
type HoldBin struct {
	From  float64  `json:"from_seconds" api:"float"` // its lower edge
	To    *float64 `json:"to_seconds" api:"float"`   // null: without end
	Count int      `json:"count"`                    // trades in it
}

// PeriodPnL is the result of what was closed on one day, or on Days days where
// single ones would be too many.
type PeriodPnL struct {
	Day      string  `json:"day" api:"max=10" example:"2026-01-09"` // first day, YYYY-MM-DD in the account's timezone
	Days     int     `json:"days"`                                  // how many days it is about
	Currency string  `json:"currency" api:"max=4096" example:"USD"` // of the result; empty when it is not known
	Net      float64 `json:"net" api:"float"`                       // the result
	Closed   int     `json:"closed"`                                // trades that were closed
}

// EquityLine is the running sum of the results of closed trades in one
// currency. It is not the account's equity: open positions do not show.
type EquityLine struct {
	Currency string        `json:"currency" api:"max=4096" example:"USD"` // of the sums; empty when it is not known
	Points   []EquityPoint `json:"points" api:"items=500"`                // in the order of time
}

// EquityPoint sums up a stretch of closed trades that ends At.
type EquityPoint struct {
	At   time.Time `json:"at"`               // end of the stretch
	Net  float64   `json:"net" api:"float"`  // sum at the end of the stretch
	Low  float64   `json:"low" api:"float"`  // lowest and highest sum within it
	High float64   `json:"high" api:"float"` // highest sum within it
}

// BurstLine shows bursts on a time line: the largest ones, in order of time.
type BurstLine struct {
	Total int        `json:"total"`                 // how many bursts there are
	Shown []BurstBar `json:"shown" api:"items=200"` // the largest of them, in the order of time
}

// BurstBar is one burst.
type BurstBar struct {
	AccountID     string    `json:"account_id" api:"max=36,format=uuid"` // the account
	From          time.Time `json:"from"`                                // first open
	To            time.Time `json:"to"`                                  // last open
	Decisions     int       `json:"decisions"`                           // in the burst
	SameSideShare float64   `json:"same_side_share" api:"float"`         // share of its decisions on the side that has most
}

// SideChart shows how decisions divide into buys and sells, by time and by
// symbol.
type SideChart struct {
	Periods []SidePeriod `json:"periods" api:"items=800"` // by day, in the order of time
	Symbols []SideSymbol `json:"symbols" api:"items=20"`  // the symbol groups with most decisions, the most first
	Rest    SideRest     `json:"rest"`                    // all other symbol groups
}

// SidePeriod counts the decisions that began on one day, or on Days days where
// single ones would be too many.
type SidePeriod struct {
	Day   string `json:"day" api:"max=10" example:"2026-01-09"` // first day, YYYY-MM-DD in the account's timezone
	Days  int    `json:"days"`                                  // how many days it is about
	Buys  int    `json:"buys"`                                  // decisions to buy
	Sells int    `json:"sells"`                                 // decisions to sell
}

// SideSymbol counts the decisions of one symbol group.
type SideSymbol struct {
	Symbol string `json:"symbol" api:"max=4096" example:"EURUSD"` // without what brokers add to it
	Buys   int    `json:"buys"`                                   // decisions to buy
	Sells  int    `json:"sells"`                                  // decisions to sell
}

// SideRest counts the decisions of symbol groups that have no row of their own.
type SideRest struct {
	Symbols int `json:"symbols"` // how many there are
	Buys    int `json:"buys"`    // decisions to buy
	Sells   int `json:"sells"`   // decisions to sell
}
