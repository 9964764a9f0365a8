package analysis

import "time"

// Charts is the data of the charts; each is of bounded size.
type Charts struct {
	ByHour        [24]int      `json:"by_hour"`    // trades opened in each hour of the timezone
	ByWeekday     [7]int       `json:"by_weekday"` // Monday first
	HoldHistogram []HoldBin    `json:"hold_histogram"`
	DailyPnL      []PeriodPnL  `json:"daily_pnl"`
	Equity        []EquityLine `json:"equity"`
	Bursts        BurstLine    `json:"bursts"`
}

// HoldBin counts closed trades that were held for [From, To) seconds. The edges
// grow about logarithmically.
type HoldBin struct {
	From  float64  `json:"from_seconds"`
	To    *float64 `json:"to_seconds"` // null: without end
	Count int      `json:"count"`
}

// PeriodPnL is the result of what was closed on one day, or on Days days where
// single ones would be too many.
type PeriodPnL struct {
	Day      string  `json:"day"` // first day, YYYY-MM-DD in the account's timezone
	Days     int     `json:"days"`
	Currency string  `json:"currency"`
	Net      float64 `json:"net"`
	Closed   int     `json:"closed"`
}

// EquityLine is the running sum of the results of closed trades in one
// currency. It is not the account's equity: open positions do not show.
type EquityLine struct {
	Currency string        `json:"currency"`
	Points   []EquityPoint `json:"points"`
}

// EquityPoint sums up a stretch of closed trades that ends At.
type EquityPoint struct {
	At   time.Time `json:"at"`
	Net  float64   `json:"net"` // sum at the end of the stretch
	Low  float64   `json:"low"` // lowest and highest sum within it
	High float64   `json:"high"`
}

// BurstLine shows bursts on a time line: the largest ones, in order of time.
type BurstLine struct {
	Total int        `json:"total"`
	Shown []BurstBar `json:"shown"`
}

// BurstBar is one burst.
type BurstBar struct {
	AccountID     string    `json:"account_id"`
	From          time.Time `json:"from"` // first open
	To            time.Time `json:"to"`   // last open
	Decisions     int       `json:"decisions"`
	SameSideShare float64   `json:"same_side_share"`
}
