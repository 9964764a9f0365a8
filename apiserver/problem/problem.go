// Package problem defines the API's error responses, which are documents of the media type
// application/problem+json (RFC 9457), and the single mapping from Go errors to them.
package problem

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/assayhq/assay/store/blob"
)

// Problem is an error that is reported to an API caller. Handlers return it as an error. From
// converts every other error.
type Problem struct {
	Code          Code
	Detail        string      // for a person; if empty, the code's description is used. Never holds an input value or a cause
	RequiredScope string      // InsufficientScope only
	Organizations []string    // OrganizationRequired only: their names
	IntegrationID string      // IntegrationExists only: the integration that is there
	Faults        []Fault     // ValidationFailed and InvalidHeader, values that another object already has, and files that a part of the form would help to read
	Header        http.Header // sent with the document, such as Allow; may be nil
	Cause         error       // for the log only; may be nil
}

// New returns a problem. If detail is empty, the code's own description is used.
func New(code Code, detail string) *Problem { return &Problem{Code: code, Detail: detail} }

// Unavailable returns a 503 that asks the caller to come back after the given time, in whole
// seconds and at least one.
func Unavailable(detail string, after time.Duration, cause error) *Problem {
	seconds := max(1, int((after+time.Second-1)/time.Second))
	p := &Problem{Code: ServiceUnavailable, Detail: detail, Cause: cause}
	return p.With("Retry-After", strconv.Itoa(seconds))
}

// retryDisk is how long callers are asked to wait if an upload cannot be stored.
const retryDisk = time.Minute

// NotStored returns the problem of an upload that a disk does not take.
func NotStored(cause error) *Problem {
	detail := "The upload cannot be stored right now."
	if errors.Is(cause, syscall.ENOSPC) || errors.Is(cause, syscall.EDQUOT) || errors.Is(cause, blob.ErrFull) {
		detail = "There is no space left for uploads right now."
	}
	return Unavailable(detail, retryDisk, cause)
}

// With sets a header of the response and returns the problem.
func (p *Problem) With(name, value string) *Problem {
	if p.Header == nil {
		p.Header = make(http.Header, 1)
	}
	p.Header.Set(name, value)
	return p
}

// Status returns the response's HTTP status.
func (p *Problem) Status() int { return p.Code.Status() }

// FaultCodes returns the codes of the faults, without duplicates and in order of appearance.
func (p *Problem) FaultCodes() []string {
	var codes []string
	for _, f := range p.Faults {
		if !slices.Contains(codes, string(f.Code)) {
			codes = append(codes, string(f.Code))
		}
	}
	return codes
}

// Error implements error.
func (p *Problem) Error() string {
	if p.Cause != nil {
		return fmt.Sprintf("%s: %v", p.Code, p.Cause)
	}
	if len(p.Faults) > 0 {
		return fmt.Sprintf("%s (%d faults)", p.Code, len(p.Faults))
	}
	return string(p.Code)
}

// Unwrap returns the cause.
func (p *Problem) Unwrap() error { return p.Cause }
