package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/ingest"
	"github.com/assayhq/assay/store/syncing"
)

// postponed is how long a cycle waits before it tries a failed page again, by the
// number of such tries. A deployment of the platform is over by then. A failure
// that lasts longer ends the run and shows in the integration's health.
var postponed = [...]time.Duration{15 * time.Second, time.Minute}

// askAgain is how long assay waits before it asks again for an optional resource
// that answered 404.
const askAgain = time.Hour

// handleFailure decides what follows from a page that could not be read or saved.
func (c *cycle) handleFailure(ctx context.Context, err error) (progress, error) {
	run := c.running
	f := judgeFailure(ctx, c.specOf(run.Stream), run, err, c.isSilent())
	pe := f.platform
	if pe == nil {
		return c.handleInternalError(ctx, f, err)
	}
	countRequests(run, pe.Stats)
	switch f.kind {
	case failureThrottled:
		return c.handleThrottling(ctx, pe)
	case failureDenied:
		c.denied = true
		return sliceOver, errors.Join(c.endRun(ctx, syncing.RunBlocked, pe), c.stopPolling(ctx))
	case failureSkipped:
		return listOver, c.endRun(ctx, syncing.RunSkipped, pe)
	case failureLooping:
		run.Cursor = "" // nothing to continue from: pages may have stood in for others
	case failureRejected:
		run.Rewind()
		run.Restarted = true
		return sliceOver, c.commitProgress(ctx, syncing.Due{Mode: syncing.DueAfter, Reason: "restart"})
	case failurePostponed:
		run.Attempt++
		c.reportFailing(ctx, pe)
		c.logWait(ctx, run, syncing.WaitRetry, pe, f.wait)
		return sliceOver, c.commitProgress(ctx, syncing.Due{Mode: syncing.DueAfter, After: f.wait, Reason: syncing.WaitRetry})
	case failureUnreachable:
		return sliceOver, errors.Join(c.endRun(ctx, syncing.RunFailed, pe), c.finishCycle(ctx, 0))
	default:
		if c.mayBeForgotten(run, pe) {
			before := *run
			run.Rewind()
			run.Doubted = &before
			return sliceOver, c.commitProgress(ctx, syncing.Due{Mode: syncing.DueAfter, Reason: "restart"})
		}
	}
	return listOver, c.endRun(ctx, syncing.RunFailed, pe)
}

// mayBeForgotten reports whether the platform may no longer know the cursor of an
// earlier run's checkpoint, although it does not say so with a status of 4xx: its
// answer is an error again, and other streams have been read since. The list is then
// read from its beginning, once. If that fails as well, the cursor is not to blame.
// A gateway that gives up shows that a page is slow, which says nothing of its cursor.
func (c *cycle) mayBeForgotten(run *syncing.OpenRun, pe *connectors.Error) bool {
	if run.Cursor == "" || run.StreamPages() > 0 || run.Doubtless {
		return false
	}
	switch pe.HTTPStatus {
	case 0, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return false
	}
	for stream, other := range c.settings.Streams {
		if stream != run.Stream && other.LastSuccessAt.After(run.SavedAt) {
			return true
		}
	}
	return false
}

// isSilent reports whether another stream of the cycle has failed because its answers
// were lost or late. The whole platform may hang, so the pages after that are not
// tried again later in the cycle.
func (c *cycle) isSilent() bool {
	for _, s := range c.settings.Streams {
		if s.LastCycleID != c.cycle.ID || s.LastStatus != syncing.RunFailed || s.LastError == nil {
			continue
		}
		switch connectors.Code(s.LastError.Code) {
		case connectors.CodeConnectFailed, connectors.CodeTimeout:
			return true
		}
	}
	return false
}

// rejectedCursor reports whether the platform refused to continue from a cursor.
// The list is then read from its beginning, once.
func rejectedCursor(run *syncing.OpenRun, pe *connectors.Error) bool {
	return run.Cursor != "" && !run.Restarted && pe.HTTPStatus >= http.StatusBadRequest && pe.HTTPStatus < http.StatusInternalServerError
}

// handleThrottling releases the integration for as long as the platform refuses
// requests. It ends a cycle that would otherwise wait for longer than an interval
// since the first refusal, counting all its waits in that time.
func (c *cycle) handleThrottling(ctx context.Context, pe *connectors.Error) (progress, error) {
	resource := c.running.Stream.Resource()
	c.noteThrottled(ctx, resource, pe)
	wait, now := c.pauseAfter(ctx, pe), c.now()
	c.throttling.Refuse(c.cycle.ID, resource, now)
	if now.Add(wait).Sub(c.throttling.CycleSince) > c.claim.Period {
		// The next cycle leaves the platform alone for as long as it asked, too.
		return sliceOver, errors.Join(c.endRun(ctx, syncing.RunThrottled, pe), c.finishCycle(ctx, wait))
	}
	if c.throttling.ShouldReport(now, wait, c.claim.Period) {
		c.reportFailing(ctx, pe)
	}
	c.running.ThrottledMS += wait.Milliseconds()
	c.engine.metrics.throttled.WithLabelValues(string(c.claim.Kind)).Add(wait.Seconds())
	c.logWait(ctx, c.running, "throttled", pe, wait)
	return sliceOver, c.commitProgress(ctx, syncing.Due{Mode: syncing.DueAfter, After: wait, Reason: "throttled"})
}

// pauseAfter returns how long to leave a platform alone after an answer 429: for as
// long as it asks, but at least until the gap between requests, which the answer
// widens, has passed.
func (c *cycle) pauseAfter(ctx context.Context, pe *connectors.Error) time.Duration {
	gap, err := syncing.ReadWidenedGap(ctx, c.engine.Store, c.claim.IntegrationID)
	if err != nil && ctx.Err() == nil { // then the next request waits for its slot
		c.log.WarnContext(ctx, "request gap not read", "error", err)
	}
	return max(addJitter(pe.RetryAfter), gap)
}

// reportFailing announces that the running stream makes no progress. It does not
// wait for the end of the run and the cycle, because that may take minutes.
func (c *cycle) reportFailing(ctx context.Context, pe *connectors.Error) {
	resource, now := c.running.Stream.Resource(), c.now()
	c.changeStream(c.running.Stream).LastError = syncError(resource, pe, now)
	if c.settings.Health != syncing.HealthHealthy && c.settings.Health != syncing.HealthPending {
		return
	}
	c.health = &syncing.HealthChange{From: c.settings.Health, To: syncing.HealthDegraded, Reason: fmt.Sprintf("%s: %s", resource, pe.Code), At: now}
	c.settings.Health = syncing.HealthDegraded
	c.logHealth(ctx, c.health)
}

// logHealth logs that the health has changed.
func (c *cycle) logHealth(ctx context.Context, h *syncing.HealthChange) {
	c.log.InfoContext(ctx, "health changed", "from", h.From, "to", h.To, "reason", h.Reason)
}

// addJitter returns the wait plus up to a tenth of it.
func addJitter(wait time.Duration) time.Duration {
	return wait + rand.N(wait/10+time.Millisecond) //nolint:gosec // jitter needs no secrecy
}

// yieldSlice makes way for others at the end of a slice.
func (c *cycle) yieldSlice(ctx context.Context) error {
	err := c.commitProgress(ctx, syncing.Due{Mode: syncing.DueAfter, Reason: "yield"})
	if err == nil && c.engine.Yielded != nil {
		c.engine.Yielded()
	}
	return err
}

// endRun closes the current run. What the run wrote, and whether its row exists
// already, decides whether the end is saved at once or with the cycle.
func (c *cycle) endRun(ctx context.Context, status syncing.RunStatus, pe *connectors.Error) error {
	run, now := *c.running, c.now()
	c.running = nil
	s := c.changeStream(run.Stream)
	ended := syncing.EndedRun{Run: run, Status: status, FinishedAt: now}
	if pe != nil {
		ended.Error = syncError(run.Stream.Resource(), pe, now)
	}
	c.noteEnd(s, &ended)
	if part := run.Earlier; part != nil && status == syncing.RunSucceeded {
		ended.Status, ended.Error = part.Status, part.Error
	}
	if isRepeatable(&run, ended.Status) {
		ended.RepeatOf, s.LastRunID = s.LastRunID, run.ID
		if ended.RepeatOf != uuid.Nil {
			s.LastRunID = ended.RepeatOf
		}
	} else {
		s.LastRunID = uuid.Nil
	}
	c.ended = append(c.ended, ended)
	c.notable = c.notable || run.Changed() || run.Trigger == syncing.TriggerManual || run.Mode == syncing.ModeBackfill
	if status == syncing.RunSucceeded && run.Mode == syncing.ModeBackfill && c.claim.Quarantined > 0 {
		if err := c.releaseQuarantine(ctx, &run, time.Time{}); err != nil {
			return err
		}
	}
	if !run.Listed || c.willJoin(&run) {
		return nil
	}
	return c.commitProgress(ctx, syncing.Due{Mode: syncing.DueHold})
}

// noteEnd records what the end of a run means for its stream.
func (c *cycle) noteEnd(s *syncing.Stream, ended *syncing.EndedRun) {
	run, now := &ended.Run, ended.FinishedAt
	s.LastCycleID, s.LastStatus, s.Run = c.cycle.ID, ended.Status, nil
	switch ended.Status {
	case syncing.RunSucceeded:
		c.successAt = now
		s.LastError, s.LastSuccessAt, s.AskAgainAt = nil, now, time.Time{}
		if !c.specOf(run.Stream).Snapshot {
			s.Watermark = run.ReadFrom
		}
	case syncing.RunSkipped:
		s.LastError, s.AskAgainAt = nil, now.Add(askAgain)
	default:
		s.Run = checkpointOf(run)
		if ended.Error != nil {
			s.LastError = ended.Error
		}
	}
}

// releaseQuarantine removes from the quarantine of a resource what a complete read
// has not met again. Such a read covers everything, or everything that was changed
// since some time.
func (c *cycle) releaseQuarantine(ctx context.Context, run *syncing.OpenRun, from time.Time) error {
	since := run.ReadFrom
	if run.Earlier != nil && run.StartedAt.Before(since) {
		since = run.StartedAt // of the stream that the run has read before
	}
	return c.engine.retryTransient(ctx, c.log, func(ctx context.Context) error {
		left, err := ingest.ForgetQuarantine(ctx, c.engine.Store, c.claim, run.Stream.Resource(), since, from)
		if err == nil {
			c.claim.Quarantined = left
		}
		return err
	})
}

// isRepeatable reports whether the run may share the row of the previous run.
func isRepeatable(run *syncing.OpenRun, status syncing.RunStatus) bool {
	return status == syncing.RunSucceeded && run.Trigger == syncing.TriggerSchedule && !run.Changed() && !run.Listed
}

// judgeCycle judges the cycle before a parked backfill or the audit continues, because the cycle
// is over for everything except the backfill. It happens once a cycle.
func (c *cycle) judgeCycle(ctx context.Context) error {
	if !c.claim.FinishedAt.Before(c.cycle.StartedAt) {
		return nil
	}
	v := judgeHealth(c.gatherEvidence(false))
	c.engine.metrics.countCycle(c.claim.Kind, v.Health)
	c.claim.FinishedAt = c.now()
	return c.commitVerdict(ctx, v, syncing.CycleCommit{Cycle: &c.cycle, Due: syncing.Due{Mode: syncing.DueHold}})
}

// finishCycle ends the cycle and releases the integration until the next slot,
// which is at least pause from now.
func (c *cycle) finishCycle(ctx context.Context, pause time.Duration) error {
	again := !c.claim.FinishedAt.Before(c.cycle.StartedAt) // judgeCycle has judged and counted it
	v := judgeHealth(c.gatherEvidence(again))
	if !again {
		c.engine.metrics.countCycle(c.claim.Kind, v.Health)
	}
	return c.commitVerdict(ctx, v, syncing.CycleCommit{Due: syncing.Due{Mode: syncing.DueAtSlot}, Backoff: max(v.Backoff, pause)})
}

// stopPolling ends the cycle and stops polling until a live check passes. Parked
// runs end with the cycle. Later runs continue from their checkpoints.
func (c *cycle) stopPolling(ctx context.Context) error {
	for _, spec := range c.specs {
		if s := c.settings.Streams[spec.Stream]; s != nil && s.Run != nil && s.Run.ID != uuid.Nil {
			c.interruptRun(spec.Stream)
		}
	}
	v := judgeHealth(c.gatherEvidence(false))
	c.engine.metrics.countCycle(c.claim.Kind, v.Health)
	return c.commitVerdict(ctx, v, syncing.CycleCommit{Due: syncing.Due{Mode: syncing.DueNever, Reason: "blocked"}})
}

// interruptRun ends a parked run and keeps its checkpoint.
func (c *cycle) interruptRun(name record.Stream) {
	s := c.changeStream(name)
	if s.Run.Listed {
		c.ended = append(c.ended, syncing.EndedRun{Run: *s.Run, Status: syncing.RunInterrupted, FinishedAt: c.now()})
	}
	s.Run = checkpointOf(s.Run)
}

// commitVerdict saves a commit together with the integration's verdict.
func (c *cycle) commitVerdict(ctx context.Context, v verdict, s syncing.CycleCommit) error {
	c.claim.Failures = v.Failures
	s.Failures, s.FinishedAt = v.Failures, c.now()
	if v.Health != c.settings.Health {
		s.Health = &syncing.HealthChange{From: c.settings.Health, To: v.Health, Reason: v.Reason}
		c.logHealth(ctx, s.Health)
		c.settings.Health = v.Health
	}
	// It is not known here what the cycle did in earlier slices.
	resumed := c.cycle.StartedAt.Before(c.claim.Now) && c.claim.FinishedAt.Before(c.cycle.StartedAt)
	if over := c.cycle; c.notable || s.Health != nil || resumed {
		s.Over, c.notable = &over, false
	}
	return c.commitCycle(ctx, s)
}

// gatherEvidence returns what the cycle has shown so far.
func (c *cycle) gatherEvidence(again bool) evidence {
	e := evidence{
		Failures: c.claim.Failures, Now: c.now(), Period: c.claim.Period, ConnectedAt: c.claim.ConnectedAt, Denied: c.denied,
		Broken: c.broken, Again: again,
	}
	for _, spec := range c.specs {
		e.Resources = append(e.Resources, c.streamEvidence(spec, c.settings.Streams[spec.Stream]))
	}
	return e
}

// streamEvidence returns the evidence of one stream. s is nil if the cycle never
// reached the stream.
func (c *cycle) streamEvidence(spec connectors.StreamSpec, s *syncing.Stream) resourceEvidence {
	r := resourceEvidence{Resource: spec.Stream.Resource()}
	if s == nil {
		return r
	}
	if s.LastCycleID == c.cycle.ID || s.LastStatus == syncing.RunSkipped {
		r.Status, r.Error = s.LastStatus, s.LastError
	}
	r.DataFrom = s.Watermark
	if spec.Snapshot { // read in full each time: there is no watermark
		r.DataFrom = s.LastSuccessAt
	}
	// Empty pages are no progress.
	r.Backfilling = r.Status == syncing.RunPartial && s.Watermark.IsZero() && (s.Run == nil || !isHollow(spec, s.Run))
	if run := s.Run; run != nil && run.ID != uuid.Nil && run.Mode == syncing.ModeBackfill {
		// Only pages read since the last judgement are progress: a backfill
		// that stands still must not make up for a platform that is down.
		r.Backfilling = run.SavedAt.After(c.claim.FinishedAt)
		r.DataFrom = run.SavedAt
		if run.Attempt > 0 || c.throttling.Refused > 1 && c.throttling.Resource == r.Resource {
			r.Backfilling, r.Error = false, s.LastError // reported, and not fixed yet
		}
	}
	return r
}

// abandonCycle ends a cycle that could not begin because of a failure inside assay.
func (c *cycle) abandonCycle(ctx context.Context, cause error) error {
	pe := internalError("The integration could not be read.", cause)
	c.log.ErrorContext(ctx, "integration can't be synced", "error", cause)
	if c.settings.Streams == nil {
		c.settings.Streams = make(map[record.Stream]*syncing.Stream)
	}
	if c.running != nil {
		// The run continues from its checkpoint when the cause has been fixed.
		c.changeStream(c.running.Stream).Run, c.running = c.running, nil
	}
	c.changeStream(record.StreamTraders).LastError = syncError(record.Traders, pe, c.now())
	c.broken = pe.Message
	return c.finishCycle(ctx, 0)
}

// handleInternalError does what follows from an error that is not the platform's.
func (c *cycle) handleInternalError(ctx context.Context, f failure, err error) (progress, error) {
	switch f.kind {
	case failureStopped:
		return sliceOver, cmp.Or(ctx.Err(), err)
	case failurePaused, failurePostponed:
		if f.kind == failurePostponed {
			c.running.Attempt++
		}
		c.log.WarnContext(ctx, "cycle pauses", "error", err)
		return sliceOver, c.commitProgress(ctx, syncing.Due{Mode: syncing.DueAfter, After: f.wait, Reason: "internal"})
	}
	c.log.ErrorContext(ctx, "run failed inside assay", "stream", c.running.Stream, "error", err)
	pe := internalError("A page could not be saved.", err)
	pe.Endpoint = c.specOf(c.running.Stream).Endpoint
	return listOver, c.endRun(ctx, syncing.RunFailed, pe)
}

// traceRun makes a run's span, once its end is saved. The span belongs to the slice
// that ended the run, and may have begun in an earlier one.
func (c *cycle) traceRun(ctx context.Context, e *syncing.EndedRun) {
	run := &e.Run
	_, span := c.engine.Tracer.Start(ctx, "sync run "+string(run.Stream.Resource()), trace.WithTimestamp(run.StartedAt))
	defer span.End(trace.WithTimestamp(e.FinishedAt))
	if !span.IsRecording() {
		return
	}
	span.SetAttributes(
		attribute.Stringer("assay.run_id", run.ID), attribute.String("assay.stream", string(run.Stream)), attribute.String("assay.mode", string(run.Mode)),
		attribute.String("assay.status", string(e.Status)), attribute.Int64("assay.pages", run.Pages), attribute.Int64("assay.records", run.Seen),
	)
	if e.Error != nil {
		span.SetAttributes(attribute.String("error.type", e.Error.Code))
		span.SetStatus(codes.Error, e.Error.Code)
	}
}

// logRun logs the one event of a run, once its end is saved, and makes its span.
func (c *cycle) logRun(ctx context.Context, e *syncing.EndedRun) {
	c.traceRun(ctx, e)
	run, level := &e.Run, slog.LevelInfo
	if isRepeatable(run, e.Status) {
		level = slog.LevelDebug
	}
	attrs := []slog.Attr{
		slog.String("cycle_id", run.CycleID.String()), slog.String("run_id", run.ID.String()), slog.String("stream", string(run.Stream)),
		slog.String("mode", string(run.Mode)), slog.String("trigger", string(run.Trigger)), slog.String("status", string(e.Status)),
		slog.Int64("pages", run.Pages), slog.Int64("requests", run.Requests), slog.Int64("seen", run.Seen),
		slog.Int64("inserted", run.Inserted), slog.Int64("updated", run.Updated), slog.Int64("unchanged", run.Unchanged),
		slog.Int64("stale", run.Stale), slog.Int64("quarantined", run.Quarantined), slog.Int64("throttled_ms", run.ThrottledMS),
		slog.Int64("duration_ms", e.FinishedAt.Sub(run.StartedAt).Milliseconds()),
	}
	if e.Error != nil {
		level = slog.LevelWarn
		attrs = append(attrs, slog.String("code", e.Error.Code), slog.String("endpoint", e.Error.Endpoint), slog.Int("http_status", e.Error.HTTPStatus),
			slog.String("error", e.Error.Message))
	}
	c.log.LogAttrs(ctx, level, "run ended", attrs...)
}

// logWait logs and counts that a run, or the sweep of an audit, waits.
func (c *cycle) logWait(ctx context.Context, run *syncing.OpenRun, reason string, pe *connectors.Error, wait time.Duration) {
	c.engine.metrics.waits.WithLabelValues(string(c.claim.Kind), reason).Inc()
	log := c.log.With("reason", reason, "stream", run.Stream, "code", pe.Code, "endpoint", pe.Endpoint, "http_status", pe.HTTPStatus, "wait_ms", wait.Milliseconds())
	if run == c.running {
		log.WarnContext(ctx, "run waits")
	} else {
		log.WarnContext(ctx, "audit waits")
	}
}
