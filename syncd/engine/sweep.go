package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/ingest"
	"github.com/assayhq/assay/store/syncing"
)

// mostThrottled is how often in a row a sweep waits because the platform refuses
// requests, before it gives up.
const mostThrottled = 30

// noteWithoutID means that a sweep has shown records whose ids cannot be read, so
// that it is unknown which stored records it has not shown.
const noteWithoutID = "records_without_id"

// runSweep reads pages of the current sweep until it is complete, has failed, or
// the slice is over.
func (c *cycle) runSweep(ctx context.Context) (progress, error) {
	run := c.settings.Audit.Sweep.Run
	spec := c.specOf(run.Stream)
	spec.PagesPerRun = 0 // an audit is as many runs as it takes
	next, err := c.eachPage(ctx, spec, run, 1, func(answers []fetched) (progress, error) {
		return c.processSwept(ctx, spec, answers[0])
	})
	if next != readOn || err != nil {
		return next, err
	}
	return sliceOver, c.yieldSlice(ctx)
}

// processSwept processes one answer of the platform.
func (c *cycle) processSwept(ctx context.Context, spec connectors.StreamSpec, f fetched) (progress, error) {
	if f.err != nil {
		return c.handleSweepFailure(ctx, f.err)
	}
	c.pages++
	s := c.settings.Audit.Sweep
	before := *s
	c.observeSwept(spec, f)
	loop := followCursor(spec, &s.Run, f.page.Next)
	last := f.page.Next == "" || isEndless(spec, &s.Run)
	next, more := c.nextOfResource(s.Run.Stream)
	s.Read = last && loop == nil && !more
	c.throttling.Answer(c.now())
	if err := c.writeSweep(ctx, f.page); err != nil {
		*s = before
		countRequests(&s.Run, f.page.Stats)
		return c.handleSweepFailure(ctx, err)
	}
	switch {
	case loop != nil:
		return listOver, c.closeSweep(ctx, sweepEnd{status: syncing.RunFailed, failure: loop})
	case last && more:
		return listOver, c.continueWith(ctx, next)
	case last:
		return listOver, nil
	}
	return readOn, nil
}

// continueWith continues with the next stream of the sweep's resource.
func (c *cycle) continueWith(ctx context.Context, next connectors.StreamSpec) error {
	a := c.settings.Audit
	run := &a.Sweep.Run
	run.Earlier = &syncing.RunPart{Stream: run.Stream, Status: syncing.RunSucceeded, FinishedAt: c.now(), Pages: run.Pages}
	c.aimSweep(a.Sweep, next, c.now())
	return c.retryStore(ctx, func(ctx context.Context) error { return ingest.SaveSweep(ctx, c.engine.Store, c.claim.Lease, a) })
}

// nextOfResource returns the stream that a sweep reads after the given one, of the
// same resource.
func (c *cycle) nextOfResource(stream record.Stream) (spec connectors.StreamSpec, more bool) {
	i := slices.IndexFunc(c.specs, func(s connectors.StreamSpec) bool { return s.Stream == stream })
	if i < 0 || i+1 >= len(c.specs) || c.specs[i+1].Stream.Resource() != stream.Resource() {
		return connectors.StreamSpec{}, false
	}
	return c.specs[i+1], true
}

// observeSwept records what a page says apart from its records.
func (c *cycle) observeSwept(spec connectors.StreamSpec, f fetched) {
	s := c.settings.Audit.Sweep
	c.countPage(spec, &s.Run, f.page)
	for _, finding := range f.page.Findings {
		if slices.Contains(partialMarks(), finding.Rule) {
			s.Note = finding.Rule
		}
	}
	for _, r := range f.page.Rejected {
		// It is unknown which stored record this is.
		if strings.HasPrefix(r.Key, record.RawKeyPrefix) {
			s.Note = noteWithoutID
		}
	}
}

// writeSweep compares a page with the store and repairs what differs.
func (c *cycle) writeSweep(ctx context.Context, page *connectors.Page) error {
	a := c.settings.Audit
	out, err := c.commitPage(ctx, page, a.Sweep.Run, &ingest.SweepPage{Audit: a, Sweep: *a.Sweep})
	if err == nil {
		a.Sweep = out.Sweep
	}
	return err
}

// handleSweepFailure decides what follows from a page that could not be read or compared.
func (c *cycle) handleSweepFailure(ctx context.Context, err error) (progress, error) {
	run := &c.settings.Audit.Sweep.Run
	f := judgeFailure(ctx, c.specOf(run.Stream), run, err, false)
	pe := f.platform
	if pe == nil {
		return c.handleSweepError(ctx, f, err)
	}
	countRequests(run, pe.Stats)
	status := syncing.RunFailed
	switch f.kind {
	case failureThrottled:
		if run.Attempt < mostThrottled {
			c.noteThrottled(ctx, run.Stream.Resource(), pe)
			run.ThrottledMS += pe.RetryAfter.Milliseconds()
			c.engine.metrics.throttled.WithLabelValues(string(c.claim.Kind)).Add(pe.RetryAfter.Seconds())
			return sliceOver, c.waitSweep(ctx, "throttled", pe, addJitter(pe.RetryAfter))
		}
		status = syncing.RunThrottled
	case failureDenied:
		if err := c.abandonAudit(ctx, syncing.RunBlocked, pe); err != nil {
			return sliceOver, err
		}
		c.denied = true
		return sliceOver, c.stopPolling(ctx)
	case failureSkipped:
		status = syncing.RunSkipped
	case failureRejected:
		return listOver, c.restartSweep(ctx, true)
	case failurePostponed:
		return sliceOver, c.waitSweep(ctx, syncing.WaitRetry, pe, f.wait)
	case failureUnreachable:
		return listOver, c.abandonAudit(ctx, syncing.RunFailed, pe)
	}
	return listOver, c.closeSweep(ctx, sweepEnd{status: status, failure: pe})
}

// waitSweep releases the integration until the page is due again.
func (c *cycle) waitSweep(ctx context.Context, reason string, pe *connectors.Error, wait time.Duration) error {
	a := c.settings.Audit
	a.Sweep.Run.Attempt++
	c.logWait(ctx, &a.Sweep.Run, reason, pe, wait)
	if err := c.retryStore(ctx, func(ctx context.Context) error { return ingest.SaveSweep(ctx, c.engine.Store, c.claim.Lease, a) }); err != nil {
		return err
	}
	return c.commitProgress(ctx, syncing.Due{Mode: syncing.DueAfter, After: wait, Reason: reason})
}

// handleSweepError does for an audit what handleInternalError does for runs.
func (c *cycle) handleSweepError(ctx context.Context, f failure, err error) (progress, error) {
	run := &c.settings.Audit.Sweep.Run
	pe := internalError("A page could not be compared.", err)
	pe.Endpoint = c.specOf(run.Stream).Endpoint
	switch f.kind {
	case failureStopped:
		return sliceOver, cmp.Or(ctx.Err(), err)
	case failurePaused:
		c.log.WarnContext(ctx, "audit pauses", "error", err)
		return sliceOver, c.commitProgress(ctx, syncing.Due{Mode: syncing.DueAfter, After: f.wait, Reason: "internal"})
	case failurePostponed:
		return sliceOver, c.waitSweep(ctx, "internal", pe, f.wait)
	}
	c.log.ErrorContext(ctx, "audit failed inside assay", "stream", run.Stream, "error", err)
	return listOver, c.closeSweep(ctx, sweepEnd{status: syncing.RunFailed, failure: pe})
}
