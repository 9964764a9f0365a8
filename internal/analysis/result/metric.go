package result

import "math"

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

// NewMetric returns a metric of a sample of n; it has a value when the sample
// has at least minN.
func NewMetric(unit string, value float64, n, minN int) Metric {
	m := Metric{Unit: unit, N: n, MinN: minN, Status: OK, Params: map[string]any{}}
	if n < minN || math.IsNaN(value) || math.IsInf(value, 0) {
		m.Status = InsufficientData
		return m
	}
	m.Value = &value
	return m
}

// UndefinedMetric returns a metric that the data can't tell, for a reason.
func UndefinedMetric(unit string, n, minN int, reason string) Metric {
	return Metric{Unit: unit, N: n, MinN: minN, Status: NotCheckable, Reason: &reason, Params: map[string]any{}}
}

// RatioMetric returns a metric of a quotient; it is not checkable where the whole
// is not positive.
func RatioMetric(unit string, part, whole float64, n, minN int) Metric {
	if n >= minN && !(whole > 0) {
		return UndefinedMetric(unit, n, minN, ReasonNotPositive)
	}
	return NewMetric(unit, part/whole, n, minN)
}

// AddParam adds a parameter.
func (m Metric) AddParam(name string, value any) Metric {
	m.Params[name] = value
	return m
}

// WithP adds a p-value as it is before any correction.
func (m Metric) WithP(p float64) Metric {
	if m.Status == OK {
		m.P = &p
	}
	return m
}

// WithCI adds a 95 % confidence interval.
func (m Metric) WithCI(low, high float64) Metric {
	if m.Status == OK {
		m.CI = &Interval{Low: low, High: high, Level: 0.95}
	}
	return m
}
