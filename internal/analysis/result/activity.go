// Package result holds the types of what an analysis of trades finds out: its metrics,
// detections and charts, as the API returns them.
package result

import (
	"slices"
	"time"
)

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

// Findings returns the detections that found something, severest first, in the
// order of the report where that is equal.
func (a *Activity) Findings() []Detection {
	var out []Detection
	for _, d := range a.Detectors {
		if d.Severity != nil && *d.Severity != None {
			out = append(out, d)
		}
	}
	slices.SortStableFunc(out, func(x, y Detection) int { return y.Severity.Rank() - x.Severity.Rank() })
	return out
}
