package contracttest

import "time"

// Status is how a case ended.
type Status string

// The statuses.
const (
	Passed  Status = "passed"
	Failed  Status = "failed"  // a MUST is broken
	Warned  Status = "warned"  // a SHOULD is broken
	Waived  Status = "waived"  // broken, but waived
	Skipped Status = "skipped" // not judged; Skip and Message say why
	Noted   Status = "info"    // not specified by the contract
)

// Skip says why a case was not checked.
type Skip string

// The reasons.
const (
	SkipNoData   Skip = "no-data"        // the platform has no records to judge it by
	SkipHidden   Skip = "not-exposed"    // the platform does not expose payouts
	SkipDepends  Skip = "depends"        // a case that it depends on failed
	SkipUnseen   Skip = "not-observable" // nothing happened to judge it by
	SkipBudget   Skip = "request-budget" // the request budget was used up
	SkipDeadline Skip = "deadline"       // the time was used up
	SkipAway     Skip = "unreachable"    // the platform cannot be reached
	SkipThrottle Skip = "throttled"      // the platform answered 429, however long the check waited
)

// Verdict is the overall result of a profile.
type Verdict string

// The verdicts.
const (
	Conformant Verdict = "conformant" // no MUST is broken
	Violations Verdict = "violations" // a MUST is broken
	Untested   Verdict = "untested"   // the platform could not be tested, or not completely
)

// Result is the result of a case.
type Result struct {
	Case
	Status  Status `json:"status"`
	Skip    Skip   `json:"skip,omitempty"`
	Message string `json:"message"` // what was observed
	// DependsOn is the id of the case that prevents judging; empty unless Skip is SkipDepends.
	DependsOn string `json:"depends_on,omitempty"`
	// Waiver is the waiver for the case. Expired means that it is no longer valid.
	Waiver  *Waiver `json:"waiver,omitempty"`
	Expired bool    `json:"waiver_expired,omitempty"`
	// Exchanges are the numbers of the requests that the case was judged by.
	Exchanges []int         `json:"exchanges"`
	Duration  time.Duration `json:"duration_ns"`
	// Curl is a command line that reproduces a failure; empty for other results.
	Curl string `json:"curl,omitempty"`
}

// Broken reports whether the rule is broken, waived or not.
func (r *Result) Broken() bool {
	return r.Status == Failed || r.Status == Warned || r.Status == Waived
}

// Unasked reports whether the case was not judged because nothing was requested: GET /health
// failed, or the platform is unreachable. There are many of these cases, all with the same
// reason.
func (r *Result) Unasked() bool {
	return r.Status == Skipped && (r.Skip == SkipAway || r.DependsOn == healthCase)
}

// countUnasked counts the cases that were not judged because nothing was requested.
func (r *Report) countUnasked() (n int) {
	for i := range r.Results {
		if r.Results[i].Unasked() {
			n++
		}
	}
	return n
}

// Exchange is one request and its answer. It never holds the key.
type Exchange struct {
	Number   int               `json:"number"` // from 1
	At       time.Time         `json:"at"`
	Method   string            `json:"method"`
	URL      string            `json:"url"`
	Key      string            `json:"key"`     // "sent", "none" or "wrong"
	Attempt  int               `json:"attempt"` // from 1
	Status   int               `json:"status"`  // 0 if there was no answer
	Header   map[string]string `json:"header,omitempty"`
	Body     string            `json:"body,omitempty"` // its first 2 KiB
	Bytes    int64             `json:"bytes"`          // bytes of the body, decompressed, as far as it was read
	Duration time.Duration     `json:"duration_ns"`
	Error    string            `json:"error,omitempty"`
	Curl     string            `json:"curl"`
}

// Sample says how much of a list was read.
type Sample struct {
	List     string `json:"list"`
	Requests int    `json:"requests"` // requests answered with a page
	Records  int    `json:"records"`  // judged records, including repeated ones
	Whole    bool   `json:"whole"`    // all records of the list were read
}

// Load is the result of the sustained rate.
type Load struct {
	Requests int           `json:"requests"`
	Failed   int           `json:"failed"`
	Rate     float64       `json:"rate"` // requests started per second
	Median   time.Duration `json:"median_ns"`
	P95      time.Duration `json:"p95_ns"`
	Slowest  time.Duration `json:"slowest_ns"`
}

// Report is the result of a check.
type Report struct {
	Format    int           `json:"format"` // version of this format: 1
	URL       string        `json:"url"`
	Profile   Profile       `json:"profile"`
	Only      []string      `json:"only,omitempty"`
	StartedAt time.Time     `json:"started_at"`
	Duration  time.Duration `json:"duration_ns"`
	Requests  int           `json:"requests"` // including those of the sustained rate
	// Verdict is that of the requested profile. Verdicts also has those of the profiles that it
	// includes.
	Verdict  Verdict             `json:"verdict"`
	Verdicts map[Profile]Verdict `json:"verdicts"`
	// Untested says why the platform could not be tested. It is empty otherwise.
	Untested  string     `json:"untested,omitempty"`
	Samples   []Sample   `json:"samples"`
	Load      *Load      `json:"load,omitempty"` // nil if the profile does not test it
	Results   []Result   `json:"results"`
	Exchanges []Exchange `json:"exchanges"`
}

// Format is the version of the report's JSON format.
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

// Unjudged reports whether a result leaves open whether a MUST is broken: the check ended before
// that case, or the case that prevents judging is not in this report.
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

// findResult returns the result of a case, or nil if there is none.
func (r *Report) findResult(id string) *Result {
	for i := range r.Results {
		if r.Results[i].ID == id {
			return &r.Results[i]
		}
	}
	return nil
}

// Failures returns the ids of the cases whose rule is broken, waived ones included.
func (r *Report) Failures() []string {
	var ids []string
	for i := range r.Results {
		if r.Results[i].Broken() {
			ids = append(ids, r.Results[i].ID)
		}
	}
	return ids
}

// BrokenRules returns the results whose rule is broken: first those that fail the verdict, then
// the warnings, then the waived ones.
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

// Exchange returns the exchange with a number, or nil if there is none.
func (r *Report) Exchange(number int) *Exchange {
	if number < 1 || number > len(r.Exchanges) {
		return nil
	}
	return &r.Exchanges[number-1]
}
