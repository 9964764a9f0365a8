package engine

import (
	"cmp"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/syncing"
)

// checkpointLife is how long a later run may continue from a checkpoint.
const checkpointLife = 24 * time.Hour

// step is what a slice does next.
type step int

const (
	stepDone     step = iota // nothing is left: the cycle is over
	stepStream               // run a stream of the cycle
	stepBackfill             // continue a parked backfill
	stepAudit                // continue the open audit
	stepNewCycle             // its slot has come: begin a new cycle first
)

// nextStep chooses the next step: first the streams that the cycle has not run yet,
// in the connector's order (see inOrder), then the parked backfills, and at last
// the audit. A cycle that has become due or was requested begins before a backfill
// or the audit continues, so that a long backfill never delays the other streams. A
// backfill that the present cycle has not reached yet goes first, because it would
// never continue if the other streams took longer than their interval.
func (c *cycle) nextStep() (connectors.StreamSpec, step) {
	backfill := -1
	specs := c.inOrder()
	for i, spec := range specs {
		s := c.settings.Streams[spec.Stream]
		switch {
		case s != nil && s.Run != nil && s.Run.ID != uuid.Nil:
			if backfill < 0 {
				backfill = i
			}
		case s != nil && s.LastCycleID == c.cycle.ID:
		case s != nil && c.now().Before(s.AskAgainAt) && c.cycle.Trigger != syncing.TriggerManual:
		default:
			return spec, stepStream
		}
	}
	due := !c.now().Before(c.claim.SlotAt)
	switch {
	case backfill < 0 && c.settings.Audit == nil:
		return connectors.StreamSpec{}, stepDone
	case backfill < 0 && (c.claim.ManualNoted || due && c.hasAudited()):
		return connectors.StreamSpec{}, stepNewCycle
	case backfill < 0:
		return connectors.StreamSpec{}, stepAudit
	case (c.claim.ManualNoted || due) && c.wasServed(specs[backfill].Stream):
		return connectors.StreamSpec{}, stepNewCycle
	}
	return specs[backfill], stepBackfill
}

// inOrder returns the streams in the order of this slice: first those of the
// resource that keeps its place, then the others in the connector's order.
func (c *cycle) inOrder() []connectors.StreamSpec {
	if c.first == "" {
		return c.specs
	}
	specs := slices.Clone(c.specs)
	slices.SortStableFunc(specs, func(a, b connectors.StreamSpec) int {
		return cmp.Compare(c.rankOf(a), c.rankOf(b))
	})
	return specs
}

// rankOf returns 0 for the streams of the resource that keeps its place, and 1
// for all others.
func (c *cycle) rankOf(spec connectors.StreamSpec) int {
	if spec.Stream.Resource() == c.first {
		return 0
	}
	return 1
}

// wasServed reports whether the parked backfill of a stream has had its chance in
// the present cycle, which means that a page was read or could not be read.
func (c *cycle) wasServed(stream record.Stream) bool {
	run := c.settings.Streams[stream].Run
	refused := c.throttling.Resource == stream.Resource() && c.throttling.LastAt.After(c.cycle.StartedAt)
	return run.SavedAt.After(c.cycle.StartedAt) || run.Attempt > 0 || refused
}

// openRun begins a run of a stream. It continues a parked run, or starts from an
// earlier run's checkpoint or from the watermark.
func openRun(spec connectors.StreamSpec, s *syncing.Stream, cycle syncing.Cycle, now time.Time) *syncing.OpenRun {
	if s.Run != nil && s.Run.ID != uuid.Nil {
		return s.Run
	}
	run := &syncing.OpenRun{
		ID: newID(), CycleID: cycle.ID, Stream: spec.Stream, Trigger: cycle.Trigger, Mode: syncing.ModeIncremental, StartedAt: now, ReadFrom: now,
		Unproven: true,
	}
	switch {
	case spec.Snapshot:
	case s.Watermark.IsZero():
		run.Mode = syncing.ModeBackfill
		if spec.History > 0 {
			run.UpdatedSince = now.Add(-spec.History)
		}
	default:
		run.UpdatedSince = s.Watermark.Add(-cmp.Or(spec.Overlap, connectors.DefaultOverlap))
	}
	if run.Mode == syncing.ModeBackfill && run.Trigger == syncing.TriggerSchedule {
		run.Trigger = syncing.TriggerBackfill
	}
	if left := s.Run; left != nil && !spec.Snapshot && now.Sub(left.SavedAt) < checkpointLife {
		run.UpdatedSince, run.ReadFrom, run.Skew = left.UpdatedSince, left.ReadFrom, left.Skew
		run.Cursor, run.CursorPages, run.Anchor = left.Cursor, left.CursorPages, left.Anchor
		run.SavedAt = left.SavedAt // the checkpoint keeps its age, also if this run reads no page
		run.Replaying, run.LastAt, run.ListProgress = left.Replaying, left.LastAt, left.ListProgress
		run.Doubtless, run.Unproven, run.Unusable = left.Doubtless, left.Unproven, left.Unusable
	}
	return run
}

// checkpointOf returns what an unsuccessful run leaves for the next one, or nil if
// there is nothing to continue from. A checkpoint that was doubted is kept if the
// beginning of the list could not be read either.
func checkpointOf(run *syncing.OpenRun) *syncing.OpenRun {
	switch {
	case run.Cursor != "":
	case run.Doubted != nil && run.StreamPages() == 0:
		return checkpointOf(run.Doubted)
	default:
		return nil
	}
	left := *run
	left.ID, left.Attempt, left.Listed, left.Earlier, left.RunTotals = uuid.Nil, 0, false, nil, syncing.RunTotals{}
	left.BaseAt = time.Time{} // another run has its own pace
	left.Doubted, left.Doubtless = nil, run.Doubtless || run.Doubted != nil
	return &left
}

// isStale reports whether a run has stood still for so long that its checkpoint can
// no longer be used.
func isStale(run *syncing.OpenRun, now time.Time) bool {
	last := run.StartedAt
	if run.SavedAt.After(last) {
		last = run.SavedAt
	}
	return now.Sub(last) >= checkpointLife
}

// isFull reports whether a run has read as many pages as a run of its stream may.
func isFull(spec connectors.StreamSpec, run *syncing.OpenRun) bool {
	return spec.PagesPerRun > 0 && run.StreamPages() >= int64(spec.PagesPerRun) || isEndless(spec, run)
}

// isEndless reports whether a run has read as many pages as its stream may have, or
// as many empty ones in a row.
func isEndless(spec connectors.StreamSpec, run *syncing.OpenRun) bool {
	return run.StreamPages() >= maxPages(spec) || isHollow(spec, run)
}

// isHollow reports whether a run has read a fiftieth of the pages that its stream may
// have in a row without a record, which is 2,000 unless the stream has its own bound.
// Databases that filter after they have cut a page send some, so the next run goes
// on. A list whose last page has a cursor, too, sends them for ever.
func isHollow(spec connectors.StreamSpec, run *syncing.OpenRun) bool {
	return int64(run.EmptyPages) >= max(1, maxPages(spec)/50)
}

// maxPages returns how many pages a stream may have.
func maxPages(spec connectors.StreamSpec) int64 {
	return int64(cmp.Or(spec.MaxPages, connectors.DefaultMaxPages))
}

// followCursor moves a run's checkpoint past a page, which has been counted and whose
// successor is next. It returns an error if the list has returned to an earlier cursor.
func followCursor(spec connectors.StreamSpec, run *syncing.OpenRun, next string) *connectors.Error {
	if next == "" || !advanceCheckpoint(run, next) {
		return nil
	}
	return &connectors.Error{
		Code: connectors.CodeCursorLoop, Endpoint: spec.Endpoint, Message: "The list returned a next_cursor that it had returned before.",
	}
}

// advanceCheckpoint moves a run's checkpoint past a page whose successor is next.
// It reports whether the list has returned to an earlier cursor. It uses Brent's
// method: one cursor is kept as an anchor and is replaced after pages 1, 2, 4, 8
// and so on.
func advanceCheckpoint(run *syncing.OpenRun, next string) (loop bool) {
	if next != "" && next == run.Anchor {
		return true
	}
	run.CursorPages++
	run.Cursor = next
	if run.CursorPages&(run.CursorPages-1) == 0 {
		run.Anchor = next
	}
	return false
}
