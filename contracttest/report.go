package contracttest

import "time"

// Status is how a case ended.
type Status string

// The statuses.
const (
	Passed  Status = "passed"
	Failed  Status = "failed"  // a MUST is broken
	Warned  Status = "warned"  // a SHOULD is broken
	Waived  Status = "waived"  // broken, and a waiver allows it
	Skipped Status = "skipped" // not judged; Skip and Message say why
	Told    Status = "info"    // what the contract does not say
)

// Skip says why a case was not judged.
type Skip string

// The reasons.
const (
	SkipNoData   Skip = "no-data"        // the platform has no records that would show it
	SkipHidden   Skip = "not-exposed"    // the platform does not expose payouts
	SkipDepends  Skip = "depends"        // another case failed that it stands on
	SkipUnseen   Skip = "not-observable" // nothing happened that would show it
	SkipBudget   Skip = "request-budget" // the requests were used up
	SkipDeadline Skip = "deadline"       // the time was used up
	SkipAway     Skip = "unreachable"    // the platform cannot be reached
	SkipThrottle Skip = "throttled"      // the platform answered 429 however long was waited
)

// Verdict sums a profile up.
type Verdict string

// The verdicts.
const (
	Conformant Verdict = "conformant" // no MUST is broken
	Violations Verdict = "violations" // some MUST is broken
	Untested   Verdict = "untested"   // the platform could not be tested, or not to the end
)

// Result is what a check found out about a case.
type Result struct {
	Case
	Status  Status `json:"status"`
	Skip    Skip   `json:"skip,omitempty"`
	Message string `json:"message"` // what was seen
	// DependsOn is the id of the case that stands in the way; empty unless Skip is SkipDepends.
	DependsOn string `json:"depends_on,omitempty"`
	// Waiver is the waiver that names the case; Expired says that it no longer counts.
	Waiver  *Waiver `json:"waiver,omitempty"`
	Expired bool    `json:"waiver_expired,omitempty"`
	// Exchanges are the numbers of the requests that it was judged by.
	Exchanges []int         `json:"exchanges"`
	Duration  time.Duration `json:"duration_ns"`
	// Curl is a command line that shows a failure; empty for other results.
	Curl string `json:"curl,omitempty"`
}

// Broken reports whether the rule is broken, waived or not.
func (r *Result) Broken() bool {
	return r.Status == Failed || r.Status == Warned || r.Status == Waived
}

// Unasked reports whether the case was not judged because nothing was asked: GET
// /health failed, as the contract has it, or the platform is out of reach. There
// are many of these cases, and one reason for all.
func (r *Result) Unasked() bool {
	return r.Status == Skipped && (r.Skip == SkipAway || r.DependsOn == healthCase)
}

// countUnasked counts the cases that were not judged because nothing was asked.
func (r *Report) countUnasked() (n int) {
	for i := range r.Results {
		if r.Results[i].Unasked() {
			n++
		}
	}
	return n
}

// Exchange is one request and what came back. The key stands nowhere in it.
type Exchange struct {
	Number   int               `json:"number"` // from 1
	At       time.Time         `json:"at"`
	Method   string            `json:"method"`
	URL      string            `json:"url"`
	Key      string            `json:"key"`     // "sent", "none" or "wrong"
	Attempt  int               `json:"attempt"` // from 1
	Status   int               `json:"status"`  // 0: no answer
	Header   map[string]string `json:"header,omitempty"`
	Body     string            `json:"body,omitempty"` // its first 2 KiB
	Bytes    int64             `json:"bytes"`          // of the body, decompressed, as far as it was read
	Duration time.Duration     `json:"duration_ns"`
	Error    string            `json:"error,omitempty"`
	Curl     string            `json:"curl"`
}

// Sample says how much of a list was read.
type Sample struct {
	List     string `json:"list"`
	Requests int    `json:"requests"` // that were answered with a page
	Records  int    `json:"records"`  // judged, repetitions included
	Whole    bool   `json:"whole"`    // every record of the list was among them
}

// Load is what the sustained rate showed.
type Load struct {
	Requests int           `json:"requests"`
	Failed   int           `json:"failed"`
	Rate     float64       `json:"rate"` // requests a second that were begun
	Median   time.Duration `json:"median_ns"`
	P95      time.Duration `json:"p95_ns"`
	Slowest  time.Duration `json:"slowest_ns"`
}

// Report is what a check found out.
type Report struct {
	Format    int           `json:"format"` // of this document: 1
	URL       string        `json:"url"`
	Profile   Profile       `json:"profile"`
	Only      []string      `json:"only,omitempty"`
	StartedAt time.Time     `json:"started_at"`
	Duration  time.Duration `json:"duration_ns"`
	Requests  int           `json:"requests"` // the sustained rate's included
	// Verdict is that of the profile that was asked for, Verdicts those of all
	// that it holds.
	Verdict  Verdict             `json:"verdict"`
	Verdicts map[Profile]Verdict `json:"verdicts"`
	// Untested says why the platform could not be tested; empty otherwise.
	Untested  string     `json:"untested,omitempty"`
	Samples   []Sample   `json:"samples"`
	Load      *Load      `json:"load,omitempty"` // nil when the profile has none
	Results   []Result   `json:"results"`
	Exchanges []Exchange `json:"exchanges"`
}

// Format is the version of the report's JSON.
const Format = 1

// Count counts the results with a status.
func (r *Report) Count(s Status) int {
	n := 0
	for i := range r.Results {
		if r.Results[i].Status == s {
			n++
		}
	}
	return n
}

// Unjudged reports whether one of the report's results leaves open whether a MUST
// is broken: the check ended before it came to that, or the case that stands in
// the way is none of this report.
func (r *Report) Unjudged(result *Result) bool {
	if result.Status != Skipped || result.Level != Must {
		return false
	}
	switch result.Skip {
	case SkipBudget, SkipDeadline, SkipThrottle:
		return true
	}
	return result.Skip == SkipDepends && r.findResult(result.DependsOn) == nil
}

// findResult finds a result by its case's id; nil when there is none.
func (r *Report) findResult(id string) *Result {
	for i := range r.Results {
		if r.Results[i].ID == id {
			return &r.Results[i]
		}
	}
	return nil
}

// Failures are the ids of the cases whose rule is broken, waived ones included.
func (r *Report) Failures() []string {
	var ids []string
	for i := range r.Results {
		if r.Results[i].Broken() {
			ids = append(ids, r.Results[i].ID)
		}
	}
	return ids
}

// BrokenRules are the results whose rule is broken: those that fail the verdict
// first, then the warnings, then what is waived.
func (r *Report) BrokenRules() []*Result {
	var broken []*Result
	for _, status := range []Status{Failed, Warned, Waived} {
		for i := range r.Results {
			if r.Results[i].Status == status {
				broken = append(broken, &r.Results[i])
			}
		}
	}
	return broken
}

// Exchange finds an exchange by its number; nil when there is none.
func (r *Report) Exchange(number int) *Exchange {
	if number < 1 || number > len(r.Exchanges) {
		return nil
	}
	return &r.Exchanges[number-1]
}
