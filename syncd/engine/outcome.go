package engine

import (
	"fmt"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/syncing"
)

// Bounds of an integration's health. A failing integration is still polled once an
// hour, so that it recovers without help.
const (
	failingAfter   = 3 // cycles in a row without any success
	leastStaleness = 15 * time.Minute
	longestBackoff = time.Hour
)

// evidence is what a cycle showed, from which its integration is judged.
type evidence struct {
	Failures    int // cycles in a row without any success, before this one
	Now         time.Time
	Period      time.Duration
	ConnectedAt time.Time
	Denied      bool
	Broken      string // why the cycle could not begin; empty when it did
	Resources   []resourceEvidence
	Again       bool // the cycle was judged before; only what changed since counts
}

// resourceEvidence is the evidence of one stream.
type resourceEvidence struct {
	Resource    record.Resource
	Status      syncing.RunStatus // of the stream's newest run; empty when the cycle did not reach it
	Error       *syncing.Error
	Backfilling bool      // its first read is under way and made progress
	DataFrom    time.Time // how recent its data is; zero when there is none
}

// isGood reports whether the stream counts as a success of the cycle.
func (r resourceEvidence) isGood() bool {
	return r.Backfilling || r.Status == syncing.RunSucceeded
}

// verdict is the judgment on an integration.
type verdict struct {
	Health   syncing.Health
	Failures int
	Reason   string
	Backoff  time.Duration // least time to the next cycle; 0 means that the next slot decides
}

// judgeHealth decides an integration's health after a cycle.
func judgeHealth(e evidence) verdict {
	if e.Denied {
		return verdict{Health: syncing.HealthBlocked, Failures: e.Failures + 1, Reason: "the platform refused the API key"}
	}
	success, bad, oldest := false, e.Broken, e.Now
	for _, r := range e.Resources {
		success = success || r.isGood()
		if !r.isGood() && r.Status != syncing.RunSkipped && bad == "" {
			bad = describeFailure(r)
		}
		if at := r.dataFrom(e.ConnectedAt); r.Status != syncing.RunSkipped && !r.Backfilling && at.Before(oldest) {
			oldest = at
		}
	}
	v := verdict{Failures: e.Failures}
	switch {
	case success:
		v.Failures = 0
	case !e.Again:
		v.Failures++
	}
	stale := max(3*e.Period, leastStaleness)
	switch {
	case v.Failures >= failingAfter:
		v.Health, v.Reason = syncing.HealthFailing, fmt.Sprintf("%d cycles in a row without success: %s", v.Failures, bad)
		v.Backoff = backoffPeriod(e.Period, v.Failures)
	case bad != "" && e.Now.Sub(oldest) > stale:
		v.Health, v.Reason = syncing.HealthFailing, fmt.Sprintf("data is older than %s: %s", stale, bad)
	case bad != "":
		v.Health, v.Reason = syncing.HealthDegraded, bad
	default:
		v.Health, v.Reason = syncing.HealthHealthy, describeReading(e.Resources)
	}
	return v
}

// dataFrom returns how recent the stream's data is. A stream without data ages from
// the time at which the integration was connected.
func (r resourceEvidence) dataFrom(connected time.Time) time.Time {
	if r.DataFrom.IsZero() {
		return connected
	}
	return r.DataFrom
}

// describeReading describes what a healthy integration has read.
func describeReading(resources []resourceEvidence) string {
	for _, r := range resources {
		if r.Backfilling {
			return fmt.Sprintf("every resource is being read; the first read of %s is in progress", r.Resource)
		}
	}
	return "every resource was read"
}

func describeFailure(r resourceEvidence) string {
	switch {
	case r.Error != nil:
		return fmt.Sprintf("%s: %s", r.Resource, r.Error.Code)
	case r.Status == "":
		return fmt.Sprintf("%s: not reached", r.Resource)
	}
	return fmt.Sprintf("%s: %s", r.Resource, r.Status)
}

// backoffPeriod returns the period between the cycles of a failing integration:
// twice the interval after the third failure, then twice as long each time, at most
// an hour.
func backoffPeriod(period time.Duration, failures int) time.Duration {
	wait := period
	for n := failingAfter; n <= failures && wait < longestBackoff; n++ {
		wait *= 2
	}
	return min(wait, longestBackoff)
}
