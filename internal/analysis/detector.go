package analysis

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

// Detection is what one detector says. With Status ok and a Severity above none
// it is a finding of the report.
type Detection struct {
	ID     string  `json:"id" api:"max=64" example:"5f0c6a9e8b7d4c3a2b1f0e9d8c7b6a59"` // hash of the content: equal findings have equal ids
	Kind   string  `json:"kind" api:"open,max=60" example:"short_holding"`             // what it looks for
	Area   string  `json:"area" api:"max=20" example:"activity"`                       // activity
	Status Status  `json:"status"`                                                     // whether it could look
	Reason *string `json:"reason" api:"max=60"`                                        // of a status other than ok
	// Severity is null unless Status is ok.
	Severity      *Severity      `json:"severity"`
	Title         string         `json:"title" api:"max=200" example:"Short holding times"`                                              // what it is about, in few words
	Detail        string         `json:"detail" api:"max=4096" example:"Half of the trades were held for less than 120 s."`              // what was seen, in a sentence or two
	Metric        *FindingMetric `json:"metric"`                                                                                         // the number that it rests on; null: there is none
	Evidence      []Evidence     `json:"evidence" api:"items=20"`                                                                        // trades that show it
	EvidenceTotal int            `json:"evidence_total"`                                                                                 // before Evidence was cut to MaxEvidence
	Limitations   []string       `json:"limitations" api:"items=20,max=1000" example:"[\"Stops that were hit at once count as well.\"]"` // what else could explain it, or what it cannot see
	// SuggestedQuestion is what an interviewer could ask; null for none.
	SuggestedQuestion *string `json:"suggested_question" api:"max=1000"`
}

// FindingMetric is the number that a finding rests on.
type FindingMetric struct {
	Name        string   `json:"name" api:"max=100" example:"hold_under_120s_share"` // key of Activity.Metrics
	Value       float64  `json:"value" api:"float"`                                  // the number
	Unit        string   `json:"unit" api:"max=4096" example:"share"`                // its unit
	Threshold   *float64 `json:"threshold" api:"float"`                              // the one that was reached, or the lowest that was not
	N           int      `json:"n"`                                                  // sample behind it
	P           *float64 `json:"p_value" api:"float"`                                // raw p-value; null: there is no test
	PAdjusted   *float64 `json:"p_adjusted" api:"float"`                             // after Holm over the detector's comparisons and Benjamini–Hochberg over the detectors
	Comparisons int      `json:"comparisons"`                                        // how many the detector made, of which this is the least likely one
	CILow       *float64 `json:"ci_low" api:"float"`                                 // lower end of the confidence interval; null: there is none
	CIHigh      *float64 `json:"ci_high" api:"float"`                                // upper end of the confidence interval; null: there is none
}

// Evidence points at what a finding was seen in.
type Evidence struct {
	Type      string `json:"type" api:"max=20" example:"trade"`     // trade
	AccountID string `json:"account_id" api:"max=36,format=uuid"`   // the account, which may be another trader's
	TradeID   string `json:"trade_id" api:"max=512" example:"T-17"` // the platform's id of the trade
}

// MaxEvidence bounds the evidence of one finding.
const MaxEvidence = 20

// Candidate is a detection whose severity is judged once all detectors have run.
type Candidate struct {
	// Detection is complete but for ID, Severity and Metric.PAdjusted.
	Detection Detection
	// P is the p-value that takes part in the correction over the detectors, already
	// corrected for all that this detector has looked at; nil stays out of it, as
	// descriptive detectors do.
	P *float64
	// Judge gives the severity, and the threshold that decided it (nil for
	// none), for an adjusted p-value, which is 1 where P is nil. It is called
	// once, and only when Status is ok.
	Judge func(adjusted float64) (severity Severity, threshold *float64)
}

// Result is what one detector found out.
type Result struct {
	Metrics    map[string]Metric
	Candidates []Candidate
}

// Detector computes metrics of one subject and judges them. It must only read
// the View, and give equal Results for equal ones.
type Detector struct {
	Name string // of the file that it stands in, for tests and benchmarks
	Run  func(v *View) Result
}
