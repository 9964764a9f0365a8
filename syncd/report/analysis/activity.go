package analysis

import "time"

// Activity is what an analysis says: the activity object of the API. Each field
// is always present; null stands for what does not exist.
type Activity struct {
	Window         Span              `json:"window"`
	Timezone       string            `json:"timezone"`
	TimezoneBasis  TimezoneBasis     `json:"timezone_basis"`
	Ruleset        string            `json:"ruleset"`
	RulesetVersion string            `json:"ruleset_version"`
	Accounts       []AccountSummary  `json:"accounts"`
	Totals         Totals            `json:"totals"`
	Metrics        map[string]Metric `json:"metrics"`
	Detectors      []Detection       `json:"detectors"`
	Charts         Charts            `json:"charts"`
	Excluded       []Exclusion       `json:"excluded"`
	Sources        []Source          `json:"sources"`
	CorrectedTests int               `json:"corrected_tests"` // p-values in the Benjamini–Hochberg correction
	Limitations    []string          `json:"limitations"`
}

// Span is the window as asked for, or where that is open, as found: the first
// open and the last open or close. Null without trades.
type Span struct {
	From *time.Time `json:"from"`
	To   *time.Time `json:"to"`
}

// AccountSummary is one account of the trader.
type AccountSummary struct {
	ID       string `json:"id"`
	Platform string `json:"platform"`
	Login    string `json:"login"`
	Phase    string `json:"phase"`
	Currency string `json:"currency"`
	Trades   int    `json:"trades"` // that were analysed
}

// Totals counts what was analysed.
type Totals struct {
	Trades     int `json:"trades"`
	Closed     int `json:"closed"`
	Open       int `json:"open"`
	Decisions  int `json:"decisions"`   // entry clusters
	Symbols    int `json:"symbols"`     // symbol groups
	ActiveDays int `json:"active_days"` // days with an open, per account's timezone
	// NetByCurrency sums the profit of closed trades; "" is an unknown currency.
	NetByCurrency map[string]float64 `json:"net_by_currency"`
}

// Status says whether something could be computed.
type Status string

// The states of a metric or detector.
const (
	OK               Status = "ok"
	InsufficientData Status = "insufficient_data" // n is below the minimum
	NotCheckable     Status = "not_checkable"     // the data cannot tell; Reason says why
)

// Reasons of NotCheckable.
const (
	ReasonNoBalance       = "no_balance"
	ReasonNoCalendar      = "no_calendar"
	ReasonTimezoneUnknown = "timezone_unknown"
	ReasonNeedsQuotes     = "needs_quotes"
	ReasonNoVolume        = "no_volume"
	ReasonNoPrices        = "no_prices"
	ReasonNoRule          = "no_rule" // the ruleset sets no limit
	ReasonOneAccount      = "one_account"
	ReasonNotPositive     = "not_positive" // the denominator is not above zero
	ReasonNoStopData      = "no_stop_data" // no trade states a stop: there may be none, or the source tells none
	ReasonNoContractSize  = "no_contract_size"
)

// Metric is one number with what is needed to judge it.
type Metric struct {
	Value  *float64       `json:"value"` // null unless Status is ok
	Unit   string         `json:"unit"`  // such as seconds, share, count, or a currency
	N      int            `json:"n"`     // sample behind the value
	MinN   int            `json:"min_n"`
	Status Status         `json:"status"`
	Reason *string        `json:"reason"`
	Params map[string]any `json:"params"` // strings, numbers; never null
	P      *float64       `json:"p_value"`
	CI     *Interval      `json:"ci"`
}

// Interval is a confidence interval.
type Interval struct {
	Low   float64 `json:"low"`
	High  float64 `json:"high"`
	Level float64 `json:"level"` // such as 0.95
}

// Exclusion counts trades that were left out for one reason.
type Exclusion struct {
	Reason   string   `json:"reason"`
	Count    int      `json:"count"`
	Examples []string `json:"examples"` // up to five ids of trades, smallest first
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
	ExcludedTooManySymbols   = "too_many_symbols" // beyond MaxSymbols
)
