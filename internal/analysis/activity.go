package analysis

import "time"

// Activity is what an analysis says: the activity object of the API. Each field
// is always present; null stands for what does not exist.
type Activity struct {
	Window         Span              `json:"window"`                                                                                                 // the time that was analysed
	Timezone       string            `json:"timezone" api:"max=64" example:"UTC"`                                                                    // of hours and weekdays, and of days where an account has none of its own
	TimezoneBasis  TimezoneBasis     `json:"timezone_basis"`                                                                                         // how the timezone is known
	Ruleset        string            `json:"ruleset" api:"max=64" example:"neutral"`                                                                 // name of the thresholds
	RulesetVersion string            `json:"ruleset_version" api:"max=64" example:"0f5d6a0b7c1e2d3f"`                                                // identifies the content of the thresholds
	Accounts       []AccountSummary  `json:"accounts" api:"items=10000"`                                                                             // the trader's accounts that were analysed
	Totals         Totals            `json:"totals"`                                                                                                 // what was analysed
	Metrics        map[string]Metric `json:"metrics" api:"items=500"`                                                                                // by name
	Detectors      []Detection       `json:"detectors" api:"items=200"`                                                                              // what each detector says, whether it found something or not
	EvidenceTrades []TradeFacts      `json:"evidence_trades" api:"items=1000"`                                                                       // the trades of the trader's accounts that evidence points at, by account, in the order of time; other traders' are left out
	Charts         Charts            `json:"charts"`                                                                                                 // the data of charts
	Outside        Outside           `json:"outside"`                                                                                                // trades that lie before and after the window
	Excluded       []Exclusion       `json:"excluded" api:"items=20"`                                                                                // trades that were left out, by reason
	Sources        []Source          `json:"sources" api:"items=10000"`                                                                              // where the trades came from
	CorrectedTests int               `json:"corrected_tests"`                                                                                        // detectors in the Benjamini–Hochberg correction
	DataGaps       []DataGap         `json:"data_gaps" api:"items=100"`                                                                              // what is wrong with the data itself
	Limitations    []string          `json:"limitations" api:"items=20,max=1000" example:"[\"Observations under a ruleset, not proof of intent.\"]"` // what holds for the whole of it
}

// Span is the window as asked for, or where that is open, as found: the first
// open and the last open or close. Null without trades.
type Span struct {
	From *time.Time `json:"from"` // its begin
	To   *time.Time `json:"to"`   // its end
}

// AccountSummary is one account of the trader.
type AccountSummary struct {
	ID       string `json:"id" api:"max=36,format=uuid"`           // the account
	Platform string `json:"platform" api:"max=4096" example:"mt5"` // as the platform names it; may be empty
	Login    string `json:"login" api:"max=4096" example:"500123"` // may be empty
	Phase    string `json:"phase" api:"max=4096" example:"funded"` // such as evaluation or funded; may be empty
	Currency string `json:"currency" api:"max=4096" example:"USD"` // ISO 4217; empty when it is not known
	Trades   int    `json:"trades" example:"240"`                  // that were analysed
}

// Totals counts what was analysed.
type Totals struct {
	Trades     int `json:"trades"`      // all of them
	Closed     int `json:"closed"`      // closed ones
	Open       int `json:"open"`        // open ones
	Decisions  int `json:"decisions"`   // entry clusters
	Symbols    int `json:"symbols"`     // symbol groups
	ActiveDays int `json:"active_days"` // days with an open, per account's timezone
	// NetByCurrency sums the profit of closed trades, to 1e-8; "" is an unknown currency.
	NetByCurrency map[string]float64 `json:"net_by_currency" api:"float,items=1000"`
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
	Value  *float64       `json:"value" api:"float"`                     // null unless Status is ok
	Unit   string         `json:"unit" api:"max=4096" example:"seconds"` // such as seconds, share, count, or a currency
	N      int            `json:"n"`                                     // sample behind the value
	MinN   int            `json:"min_n"`                                 // smallest sample that says something
	Status Status         `json:"status"`                                // whether it could be computed
	Reason *string        `json:"reason" api:"max=60"`                   // why it could not be checked; null: it could
	Params map[string]any `json:"params" api:"items=50"`                 // strings, numbers; never null
	P      *float64       `json:"p_value" api:"float"`                   // raw p-value; null: there is no test
	CI     *Interval      `json:"ci"`                                    // null: there is none
}

// Interval is a confidence interval.
type Interval struct {
	Low   float64 `json:"low" api:"float"`   // lower end
	High  float64 `json:"high" api:"float"`  // upper end
	Level float64 `json:"level" api:"float"` // such as 0.95
}

// Exclusion counts trades that were left out for one reason.
type Exclusion struct {
	Reason   string   `json:"reason" api:"open,max=60" example:"duplicate"`        // why they were left out
	Count    int      `json:"count" example:"1"`                                   // how many there are
	Examples []string `json:"examples" api:"items=5,max=512" example:"[\"T-17\"]"` // up to five ids of trades, smallest first
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
