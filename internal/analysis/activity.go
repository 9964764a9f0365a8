package analysis

import "time"

// Activity is the result of an analysis of trades: the activity object of the API. Every member
// is always present, and is null if its value does not exist.
type Activity struct {
	Window         Span              `json:"window"`                                                  // time window that was analyzed
	Timezone       string            `json:"timezone" api:"max=64" example:"UTC"`                     // timezone of hours and weekdays, and of days if an account has no timezone of its own
	TimezoneBasis  TimezoneBasis     `json:"timezone_basis"`                                          // how the timezone was determined
	Ruleset        string            `json:"ruleset" api:"max=64" example:"neutral"`                  // name of the ruleset
	RulesetVersion string            `json:"ruleset_version" api:"max=64" example:"0f5d6a0b7c1e2d3f"` // identifier of the ruleset's content
	Accounts       []AccountSummary  `json:"accounts" api:"items=10000"`                              // the trader's accounts that were analyzed
	Totals         Totals            `json:"totals"`                                                  // number of trades that were analyzed, with other totals
	Results        []CurrencyResult  `json:"results" api:"items=1000"`                                // results by currency
	Metrics        map[string]Metric `json:"metrics" api:"items=500"`                                 // metrics by name
	Detectors      []Detection       `json:"detectors" api:"items=200"`                               // result of each detector, whether or not it found something
	// The trades of the trader's accounts that evidence refers to, by account and in chronological
	// order. Trades of other traders are left out.
	EvidenceTrades []TradeFacts `json:"evidence_trades" api:"items=1000"`
	Charts         Charts       `json:"charts"`                    // data of the charts
	Outside        Outside      `json:"outside"`                   // trades before and after the window
	Excluded       []Exclusion  `json:"excluded" api:"items=20"`   // trades that were left out, by reason
	Sources        []Source     `json:"sources" api:"items=10000"` // where the trades came from
	CorrectedTests int          `json:"corrected_tests"`           // detectors included in the Benjamini–Hochberg correction
	DataGaps       []DataGap    `json:"data_gaps" api:"items=100"` // problems with the data itself
	// Limitations that apply to the entire analysis.
	Limitations []string `json:"limitations" api:"items=20,max=1000" example:"[\"Observations under your preset, not proof of intent.\"]"`
}

// Span is the requested window. If an end of it is open, that end is taken from the trades: the
// first open, or the last open or close. Null without trades.
type Span struct {
	From *time.Time `json:"from"` // start of the window
	To   *time.Time `json:"to"`   // end of the window
}

// AccountSummary is one account of the trader.
type AccountSummary struct {
	ID       string `json:"id" api:"max=36,format=uuid"`           // identifier of the account
	Platform string `json:"platform" api:"max=4096" example:"mt5"` // Platform of the account, as the platform names it. May be empty.
	Login    string `json:"login" api:"max=4096" example:"500123"` // Login of the account. May be empty.
	Phase    string `json:"phase" api:"max=4096" example:"funded"` // Phase of the account, such as evaluation or funded. May be empty.
	Currency string `json:"currency" api:"max=4096" example:"USD"` // Currency code (ISO 4217). Empty if the currency is unknown.
	Trades   int    `json:"trades" example:"240"`                  // number of trades that were analyzed
	// Name of the uploaded file that the account is known from. Empty for an account of a platform,
	// and if the file was uploaded without a name.
	File string `json:"file" api:"max=255" example:"statement.csv"`
}

// Totals is the number of trades that were analyzed, with other totals.
type Totals struct {
	Trades     int `json:"trades"`      // number of trades
	Closed     int `json:"closed"`      // number of closed trades
	Open       int `json:"open"`        // number of open trades
	Decisions  int `json:"decisions"`   // Number of decisions. Trades that were opened together are one decision.
	Symbols    int `json:"symbols"`     // number of symbol groups
	ActiveDays int `json:"active_days"` // number of days on which a trade was opened, in each account's timezone
	// Sum of the profit of closed trades, by currency, rounded to 1e-8. The key of an unknown
	// currency is empty.
	NetByCurrency map[string]float64 `json:"net_by_currency" api:"float,items=1000"`
}

// Status says whether something could be computed.
type Status string

// The states of a metric or detector.
const (
	OK               Status = "ok"
	InsufficientData Status = "insufficient_data" // The sample `n` is smaller than the minimum.
	NotCheckable     Status = "not_checkable"     // The data does not allow the check. `reason` explains why.
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

// Metric is one number with the information needed to judge it.
type Metric struct {
	Value  *float64       `json:"value" api:"float"`                     // Value of the metric. Null unless `status` is `ok`.
	Unit   string         `json:"unit" api:"max=4096" example:"seconds"` // unit of the value, such as seconds, share, count, or a currency
	N      int            `json:"n"`                                     // size of the sample behind the value
	MinN   int            `json:"min_n"`                                 // smallest sample that is meaningful
	Status Status         `json:"status"`                                // whether the metric could be computed
	Reason *string        `json:"reason" api:"max=60"`                   // Why the metric could not be computed. Null if it could.
	Params map[string]any `json:"params" api:"items=50"`                 // Parameters of the metric: strings and numbers. Never null.
	P      *float64       `json:"p_value" api:"float"`                   // Raw p-value. Null if there is no test.
	CI     *Interval      `json:"ci"`                                    // Confidence interval. Null if there is none.
}

// Interval is a confidence interval.
type Interval struct {
	Low   float64 `json:"low" api:"float"`   // lower end of the interval
	High  float64 `json:"high" api:"float"`  // upper end of the interval
	Level float64 `json:"level" api:"float"` // confidence level, such as 0.95
}

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
	ExcludedTooManySymbols   = "too_many_symbols" // beyond MaxSymbols
)
