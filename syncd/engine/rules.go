package engine

import (
	"context"
	"net/http"
	"time"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/ingest"
	"github.com/assayhq/assay/store/syncing"
)

// clockTolerance is how far a platform's clock may be off before it is worth a
// message to the customer.
const clockTolerance = time.Minute

// checkClock compares the platform's clock with the database's on the first answer
// of a run. A platform whose clock is slow stamps changes with times in the past,
// so the run's start is moved back by the same amount. A clock that is off by more
// than a minute is a finding.
func checkClock(run *syncing.OpenRun, date, began time.Time) (record.Finding, bool) {
	if run.Skew != 0 || date.IsZero() || run.StreamPages() > 1 {
		return record.Finding{}, false
	}
	// The header has whole seconds, so both are compared in whole seconds. A
	// correct clock then shows no skew.
	run.Skew = date.Sub(began.Truncate(time.Second))
	if run.Skew < 0 {
		run.ReadFrom = run.ReadFrom.Add(run.Skew)
	}
	if run.Skew.Abs() <= clockTolerance {
		return record.Finding{}, false
	}
	return record.Finding{Rule: "clock_skew", Resource: run.Stream.Resource(), Count: 1}, true
}

// checkPace records a finding for an answer that took longer than platforms should
// need.
func checkPace(resource record.Resource, page *connectors.Page) []record.Finding {
	if page.Stats.Attempt <= connectors.SlowStep {
		return nil
	}
	return []record.Finding{{Rule: "slow_response", Resource: resource, Count: 1}}
}

// noteThrottled counts that a platform has answered 429 although it was asked no
// more than the contract requires it to serve. A finding that cannot be saved is
// not worth ending a cycle for, because the next 429 brings it again.
func (c *cycle) noteThrottled(ctx context.Context, resource record.Resource, pe *connectors.Error) {
	if c.claim.Kind != record.CustomAPI || pe.HTTPStatus != http.StatusTooManyRequests {
		return
	}
	err := ingest.NoteFindings(ctx, c.engine.Store, c.claim, []record.Finding{{Rule: "capacity_below_contract", Resource: resource, Count: 1}})
	if err != nil && ctx.Err() == nil {
		c.log.WarnContext(ctx, "finding not saved", "rule", "capacity_below_contract", "error", err)
	}
}

// checkOrder compares the first record of a page with the last record of the
// previous page. Where the contract orders the list by updated_at, a page that goes
// back is a finding. Where it sets no order, such a page ends the estimate of how
// much of the list has been read. Ids, which decide between equal times, may be
// ordered in more than one way. Only the connector compares them, within a page.
func checkOrder(spec connectors.StreamSpec, run *syncing.OpenRun, batch record.Batch) []record.Finding {
	first, last, id := pageEdges(batch)
	if last.IsZero() || spec.Order == connectors.AnyOrder {
		return nil
	}
	previous := run.LastAt
	run.LastAt = last
	if previous.IsZero() {
		run.FirstAt = first
	}
	if spec.Order == connectors.UsuallyByTime && (last.Before(first) || first.Before(previous)) {
		run.FirstAt = time.Time{}
		return nil
	}
	if previous.IsZero() || first.IsZero() || !first.Before(previous) {
		return nil
	}
	return []record.Finding{{Rule: "order_violated", Resource: run.Stream.Resource(), Count: 1, Samples: []string{id}}}
}

// pageEdges returns the times of a page's first and last record and the id of the
// first. They are zero when the platform does not send updated_at.
func pageEdges(b record.Batch) (first, last time.Time, id string) {
	switch {
	case len(b.Traders) > 0:
		f, l := b.Traders[0], b.Traders[len(b.Traders)-1]
		return f.UpdatedAt, l.UpdatedAt, f.ID
	case len(b.Accounts) > 0:
		f, l := b.Accounts[0], b.Accounts[len(b.Accounts)-1]
		return f.UpdatedAt, l.UpdatedAt, f.ID
	case len(b.Trades) > 0:
		f, l := b.Trades[0], b.Trades[len(b.Trades)-1]
		return f.UpdatedAt, l.UpdatedAt, f.ID
	case len(b.Payouts) > 0:
		f, l := b.Payouts[0], b.Payouts[len(b.Payouts)-1]
		return f.UpdatedAt, l.UpdatedAt, f.ID
	}
	return time.Time{}, time.Time{}, ""
}
