package connectors

import (
	"time"

	"github.com/assayhq/assay/connectors/record"
)

// StepStatus is the outcome of one step of a live check.
type StepStatus string

// The outcomes of a step.
const (
	StepPassed  StepStatus = "passed"  // The step passed.
	StepWarned  StepStatus = "warned"  // The step passed, but with a problem: it was slow, or the platform does not expose payouts.
	StepFailed  StepStatus = "failed"  // The step failed. If it is required, the check fails.
	StepSkipped StepStatus = "skipped" // The request was not made because an earlier step failed or because there is no second page.
)

// Step is one request of a live check.
type Step struct {
	Name       string // stable identifier, such as "health" or "traders_without_credentials"
	Required   bool
	Status     StepStatus
	Latency    time.Duration // from the first attempt to the last byte, including retries, without the waits that a 429 asks for; 0 when skipped
	HTTPStatus int           // 0 when there was no answer
	Endpoint   string        // as Error.Endpoint
	Code       Code          // empty when passed or skipped
	Message    string        // what was seen; empty when passed
	Hint       string        // who must do what; empty when passed
}

// Report is the result of a live check (service API, ConnectionReport).
type Report struct {
	OK        bool // every required step passed or warned, or was skipped as the contract allows
	Kind      record.Kind
	StartedAt time.Time
	Duration  time.Duration
	Steps     []Step // all steps of the kind, in order
}

// Bounds of a live check. Somebody waits for its report in a request.
const (
	// CheckDeadline bounds a live check as a whole. A wait that would exceed it is
	// not begun.
	CheckDeadline = 120 * time.Second
	// SlowStep is the latency above which a step warns.
	SlowStep = 10 * time.Second
)

// FirstFailure returns the required step that failed and must be reported first:
// one to which the platform refused the key, since all else may follow from that,
// or the first one. ok is false if none failed.
func (r Report) FirstFailure() (step Step, ok bool) {
	for _, s := range r.Steps {
		if !s.Required || s.Status != StepFailed {
			continue
		}
		if s.Denied() {
			return s, true
		}
		if !ok {
			step, ok = s, true
		}
	}
	return step, ok
}

// Denied reports whether the platform refused the credential.
func (s Step) Denied() bool { return (&Error{Code: s.Code}).Denied() }
