package report

import (
	"time"

	"github.com/assayhq/assay/internal/analysis/result"
)

// Areas of findings.
const (
	AreaActivity  = "activity"
	AreaClaims    = "claims"
	AreaIntegrity = "integrity"
	AreaData      = "data"
)

// statusDone is the status of a report that is written.
const statusDone = "done"

// InsufficientData is the attention level of an interview about which too little is
// known: fewer than 20 trades and no transcript.
const InsufficientData = "insufficient_data"

// leastTrades is the number below which trades alone make no report.
const leastTrades = 20

// MaxEvidence bounds the evidence of one finding.
const MaxEvidence = result.MaxEvidence

// Report is the report object of the API.
type Report struct {
	Version        int       `json:"version"`
	Status         string    `json:"status"` // done
	GeneratedAt    time.Time `json:"generated_at"`
	RulesetVersion *string   `json:"ruleset_version"` // null when no trades were analyzed
	Engines        Engines   `json:"engines"`
	Inputs         Inputs    `json:"inputs"`
	Summary        string    `json:"summary"` // at most 1,200 characters, from templates
	// SummaryDraft is a language model's text, to be read with care. It is null if
	// none was requested.
	SummaryDraft     *SummaryDraft    `json:"summary_draft"`
	AttentionLevel   string           `json:"attention_level"` // none, low, medium, high, insufficient_data
	ReviewPriority   int              `json:"review_priority"` // 0 to 100, for the order of the queue and nothing else
	Findings         []Finding        `json:"findings"`        // severest first
	ClaimChecks      []ClaimCheck     `json:"claim_checks"`    // in the order in which they were said
	IntegritySummary IntegritySummary `json:"integrity_summary"`
	DataGaps         []string         `json:"data_gaps"`
	Disclaimer       string           `json:"disclaimer"`
	Shared           Shared           `json:"shared"` // content of a shared report
}

// Engines are the programs that took part.
type Engines struct {
	STT *string `json:"stt"` // null when nothing was recognized
	LLM *string `json:"llm"` // null when no language model was asked
}

// Inputs says what the report was made from.
type Inputs struct {
	Trades            int         `json:"trades"`
	Accounts          int         `json:"accounts"`
	Window            result.Span `json:"window"`
	Files             int         `json:"files"`
	TranscriptQuality *string     `json:"transcript_quality"` // null when there is no transcript
}

// SummaryDraft is a language model's summary of the transcript. Text is null if the
// answer did not pass the checks. Problem then says why.
type SummaryDraft struct {
	Text           *string `json:"text"`
	Model          string  `json:"model"`
	PromptSHA256   string  `json:"prompt_sha256"`
	RawOutput      string  `json:"raw_output"`
	AcceptedClaims int     `json:"accepted_claims"`
	RefusedClaims  int     `json:"refused_claims"`
	Problem        *string `json:"problem"`
	Note           string  `json:"note"`
	// ClaimChecks are claims that only the model found. They are compared with the
	// data like all others. No finding rests on them.
	ClaimChecks []ClaimCheck `json:"claim_checks"`
}

// Finding is one observation.
type Finding struct {
	ID                string                `json:"id"` // a hash of the content
	Kind              string                `json:"kind"`
	Area              string                `json:"area"`
	Severity          result.Severity       `json:"severity"` // info, low, medium, high
	Title             string                `json:"title"`
	Detail            string                `json:"detail"`
	Metric            *result.FindingMetric `json:"metric"`
	Evidence          []Evidence            `json:"evidence"`
	EvidenceTotal     int                   `json:"evidence_total"`
	Limitations       []string              `json:"limitations"`
	SuggestedQuestion *string               `json:"suggested_question"`
	Shareable         bool                  `json:"shareable"` // may be shown outside of the firm, because it rests on no comparison with other accounts
}

// Evidence is what a finding rests on. Its members depend on the type.
type Evidence struct {
	Type      string `json:"type"` // trade, transcript, integrity_event, metric
	AccountID string `json:"account_id,omitempty"`
	TradeID   string `json:"trade_id,omitempty"`
	// Own reports for a trade whether its account is the interviewed trader's.
	// Other trades must not be shown outside of the firm.
	Own       *bool  `json:"own,omitempty"`
	SegmentID string `json:"segment_id,omitempty"`
	StartMS   *int   `json:"start_ms,omitempty"`
	EndMS     *int   `json:"end_ms,omitempty"`
	Quote     string `json:"quote,omitempty"`
	EventID   string `json:"event_id,omitempty"`
	Path      string `json:"path,omitempty"` // of a metric in the activity
}

// ClaimCheck is a claim, compared with the data.
type ClaimCheck struct {
	ID    string `json:"id"` // a hash of what was said and where
	Topic string `json:"topic"`
	About string `json:"about"` // a part of the topic, such as hedging; may be empty
	Op    string `json:"op"`    // =, <, >, range, bool, set
	// Value is a number, the two ends of a range, true or false, or names.
	Value         any                   `json:"value"`
	Unit          string                `json:"unit"`
	Approximate   bool                  `json:"approximate"`
	Modality      string                `json:"modality"`  // plain, always, usually, sometimes, never
	On            []string              `json:"on"`        // instruments that it is about; empty means all
	Statement     string                `json:"statement"` // what is stated, to be read after "Says:"
	Quote         string                `json:"quote"`
	SegmentID     string                `json:"segment_id"`
	StartMS       int                   `json:"start_ms"`
	EndMS         int                   `json:"end_ms"`
	Also          []AlsoSaid            `json:"also"`       // where the same thing is said again
	Confidence    *float64              `json:"confidence"` // of the words that carry the value, 0 to 1; null when not known
	FoundBy       string                `json:"found_by"`   // rules or model
	Verdict       string                `json:"verdict"`    // consistent, partly, inconsistent, unclear, not_checkable
	Reason        *string               `json:"reason"`     // of unclear and not_checkable
	Detail        string                `json:"detail"`
	Severity      result.Severity       `json:"severity"`  // none unless inconsistent, and low until confirmed
	Confirmed     bool                  `json:"confirmed"` // a reviewer has confirmed it
	Corrected     bool                  `json:"corrected"` // a reviewer has corrected the words
	Observed      *result.FindingMetric `json:"observed"`
	Evidence      []Evidence            `json:"evidence"` // trades
	EvidenceTotal int                   `json:"evidence_total"`
	Shareable     bool                  `json:"shareable"` // as of a finding
}

// AlsoSaid is a place where a statement is repeated. Its id may be confirmed
// instead of the statement's.
type AlsoSaid struct {
	ID        string `json:"id"`
	Quote     string `json:"quote"`
	SegmentID string `json:"segment_id"`
	StartMS   int    `json:"start_ms"`
	EndMS     int    `json:"end_ms"`
}

// IntegritySummary counts the integrity findings by severity.
type IntegritySummary struct {
	Low    int `json:"low"`
	Medium int `json:"medium"`
	High   int `json:"high"`
	// TelemetryComplete means that the browser gave a sign of life throughout.
	TelemetryComplete bool `json:"telemetry_complete"`
}
