package result

// Severity orders findings. None is a detector that ran and found nothing.
type Severity string

// The severities, least first.
const (
	None   Severity = "none"
	Info   Severity = "info"
	Low    Severity = "low"
	Medium Severity = "medium"
	High   Severity = "high"
)

// Rank orders severities: 0 for none (and anything unknown) to 4 for high.
func (s Severity) Rank() int {
	switch s {
	case Info:
		return 1
	case Low:
		return 2
	case Medium:
		return 3
	case High:
		return 4
	}
	return 0
}

// Detection is the result of one detector. It is a finding of the report if `status` is `ok` and
// `severity` is above `none`.
type Detection struct {
	ID     string  `json:"id" api:"max=64" example:"5f0c6a9e8b7d4c3a2b1f0e9d8c7b6a59"` // Hash of the content. Equal findings have equal IDs.
	Kind   string  `json:"kind" api:"open,max=60" example:"short_holding"`             // what the detector looks for
	Area   string  `json:"area" api:"max=20" example:"activity"`                       // always `activity`
	Status Status  `json:"status"`                                                     // whether the detector could judge the data
	Reason *string `json:"reason" api:"max=60"`                                        // reason for a status other than `ok`
	// Severity of the finding. Null unless `status` is `ok`.
	Severity *Severity `json:"severity"`
	Title    string    `json:"title" api:"max=200" example:"Short holding times"` // short title of the finding
	// Description of what was observed, in one or two sentences.
	Detail        string         `json:"detail" api:"max=4096" example:"Half of the trades were held for less than 120 s."`
	Metric        *FindingMetric `json:"metric"`                  // The number that the finding is based on. Null if there is none.
	Evidence      []Evidence     `json:"evidence" api:"items=20"` // trades that show the finding
	EvidenceTotal int            `json:"evidence_total"`          // total amount of evidence, including what exceeds the maximum length of `evidence`
	// Other possible explanations, and what the detector cannot see.
	Limitations []string `json:"limitations" api:"items=20,max=1000" example:"[\"Stops that were hit at once count as well.\"]"`
	// Question that an interviewer could ask. Null if there is none.
	SuggestedQuestion *string `json:"suggested_question" api:"max=1000"`
}

// FindingMetric is the number that a finding is based on.
type FindingMetric struct {
	Name      string   `json:"name" api:"max=100" example:"hold_under_120s_share"` // key of the metric in `metrics`
	Value     float64  `json:"value" api:"float"`                                  // value of the metric
	Unit      string   `json:"unit" api:"max=4096" example:"share"`                // unit of the value
	Threshold *float64 `json:"threshold" api:"float"`                              // the threshold that was reached, or the lowest one that was not
	N         int      `json:"n"`                                                  // size of the sample
	P         *float64 `json:"p_value" api:"float"`                                // Raw p-value. Null if there is no test.
	// p-value, adjusted with the Holm method across the detector's comparisons and with the
	// Benjamini–Hochberg method across the detectors.
	PAdjusted   *float64 `json:"p_adjusted" api:"float"`
	Comparisons int      `json:"comparisons"`         // Number of comparisons that the detector made. This metric is of the least likely one.
	CILow       *float64 `json:"ci_low" api:"float"`  // Lower end of the confidence interval. Null if there is none.
	CIHigh      *float64 `json:"ci_high" api:"float"` // Upper end of the confidence interval. Null if there is none.
}

// Evidence is a reference to what a finding is based on.
type Evidence struct {
	Type      string `json:"type" api:"max=20" example:"trade"`     // always `trade`
	AccountID string `json:"account_id" api:"max=36,format=uuid"`   // identifier of the account, which may belong to another trader
	TradeID   string `json:"trade_id" api:"max=512" example:"T-17"` // the trade's ID on the platform
}

// MaxEvidence bounds the evidence of one finding.
const MaxEvidence = 20

// NewFindingMetric makes the metric that a finding shows of one of the activity's.
// Status must be OK.
func NewFindingMetric(name string, m Metric) *FindingMetric {
	f := &FindingMetric{Name: name, Value: *m.Value, Unit: m.Unit, N: m.N, P: m.P, Comparisons: 1}
	if m.CI != nil {
		f.CILow, f.CIHigh = &m.CI.Low, &m.CI.High
	}
	return f
}

// WithComparisons says for how many comparisons the detector corrects its p.
func (f *FindingMetric) WithComparisons(comparisons int) *FindingMetric {
	f.Comparisons = comparisons
	return f
}
