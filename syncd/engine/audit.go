package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/ingest"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/audits"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// auditLookback is how far back an audit reads trades. It is a day less than a
// platform must keep them, so that no trade becomes too old while the audit reads.
const auditLookback = 89 * 24 * time.Hour

// partialMarks are the findings that mean that a list does not show everything.
func partialMarks() []string {
	return []string{"page_size_ignored", "open_trades_truncated", "bare_array_full", "next_cursor_missing", "total_count_wrong", "endless_list"}
}

// hasAudited reports whether the open audit has had its chance in the present
// cycle, which means that a page was read or could not be read.
func (c *cycle) hasAudited() bool {
	s := c.settings.Audit.Sweep
	return s != nil && (s.Run.SavedAt.After(c.cycle.StartedAt) || s.Run.Attempt > 0)
}

// runAudit continues the open audit until it is over or the slice is.
func (c *cycle) runAudit(ctx context.Context) (next progress, err error) {
	a := c.settings.Audit
	if a.StartedAt.IsZero() {
		a.StartedAt = c.now()
		if err := c.retryStore(ctx, func(ctx context.Context) error { return audits.Begin(ctx, c.engine.Store, c.claim.Lease, a) }); err != nil {
			return sliceOver, err
		}
	}
	if err := c.checkSweep(ctx); err != nil {
		return sliceOver, err
	}
	for {
		switch {
		case a.Sweep == nil:
			spec, left := c.nextUnaudited()
			if !left {
				return listOver, c.finishAudit(ctx)
			}
			err = c.beginSweep(ctx, spec)
		case a.Sweep.Read:
			err = c.endSweep(ctx)
		default:
			if next, err = c.runSweep(ctx); next == sliceOver {
				return next, err
			}
		}
		if err != nil || c.settings.Audit == nil {
			return listOver, err
		}
	}
}

// retryStore calls fn, and calls it again while the database is away.
func (c *cycle) retryStore(ctx context.Context, fn func(context.Context) error) error {
	return c.engine.retryTransient(ctx, c.log, fn)
}

// nextUnaudited returns the first stream of the next resource to audit. left is
// false when no resource is left.
func (c *cycle) nextUnaudited() (spec connectors.StreamSpec, left bool) {
	i := slices.IndexFunc(c.specs, func(s connectors.StreamSpec) bool {
		return !slices.ContainsFunc(c.settings.Audit.Resources, func(r syncing.AuditedResource) bool { return r.Resource == s.Stream.Resource() })
	})
	if i < 0 {
		return connectors.StreamSpec{}, false
	}
	return c.specs[i], true
}

// neverRead reports whether a stream of the resource has no complete read to
// compare with. Its first read will bring everything.
func (c *cycle) neverRead(resource record.Resource) bool {
	return slices.ContainsFunc(c.specs, func(spec connectors.StreamSpec) bool {
		if spec.Stream.Resource() != resource {
			return false
		}
		s := c.settings.Streams[spec.Stream]
		return s == nil || c.dueOf(spec, s).IsZero()
	})
}

// dueOf returns the time before which a record must have been changed for a poll to
// have brought it. Changes within the overlap may still arrive.
func (c *cycle) dueOf(spec connectors.StreamSpec, s *syncing.Stream) time.Time {
	read := s.Watermark
	if spec.Snapshot {
		read = s.LastSuccessAt
	}
	if read.IsZero() {
		return read
	}
	return read.Add(-cmp.Or(spec.Overlap, connectors.DefaultOverlap))
}

// beginSweep starts reading a resource at its first stream.
func (c *cycle) beginSweep(ctx context.Context, spec connectors.StreamSpec) error {
	a, now := c.settings.Audit, c.now()
	a.Sweep = &syncing.Sweep{Run: syncing.OpenRun{
		ID: newID(), CycleID: a.ID, Stream: spec.Stream, Trigger: syncing.TriggerAudit, Mode: syncing.ModeIncremental, StartedAt: now, ReadFrom: now, SavedAt: now,
	}}
	if s := c.settings.Streams[spec.Stream]; s != nil && s.LastStatus == syncing.RunSkipped {
		return c.passOver(ctx, "")
	}
	if c.neverRead(spec.Stream.Resource()) {
		return c.passOver(ctx, "never_read")
	}
	c.aimSweep(a.Sweep, spec, now)
	return c.retryStore(ctx, func(ctx context.Context) error { return ingest.BeginSweep(ctx, c.engine.Store, c.claim.Lease, a) })
}

// passOver ends a sweep without a request.
func (c *cycle) passOver(ctx context.Context, note string) error {
	err := c.retryStore(ctx, func(ctx context.Context) error {
		return ingest.SaveSweep(ctx, c.engine.Store, c.claim.Lease, c.settings.Audit)
	})
	if err != nil {
		return err
	}
	return c.closeSweep(ctx, sweepEnd{status: syncing.RunSkipped, note: note})
}

// aimSweep points a sweep at the beginning of a stream.
func (c *cycle) aimSweep(s *syncing.Sweep, spec connectors.StreamSpec, now time.Time) {
	s.Run.Rewind()
	s.Run.Stream, s.Run.SavedAt, s.Due = spec.Stream, now, c.dueOf(spec, c.settings.Streams[spec.Stream])
	if spec.Stream.Resource() == record.Trades && !spec.Snapshot {
		s.Run.UpdatedSince = now.Add(-auditLookback)
	}
}

// checkSweep restarts a sweep that cannot be continued, because it has stood still
// for too long or because the database has crashed and has lost the list of shown
// records.
func (c *cycle) checkSweep(ctx context.Context) error {
	a := c.settings.Audit
	if a.Sweep == nil {
		return nil
	}
	lost := isStale(&a.Sweep.Run, c.now())
	if !lost {
		err := c.retryStore(ctx, func(ctx context.Context) error {
			pages, err := ingest.CountSweptPages(ctx, c.engine.Store, c.claim.Lease)
			lost = pages < a.Sweep.Run.Pages
			return err
		})
		if err != nil {
			return err
		}
	}
	if !lost {
		return nil
	}
	c.log.InfoContext(ctx, "sweep of an audit starts over", "audit_id", a.ID, "resource", a.Sweep.Run.Stream.Resource())
	return c.restartSweep(ctx, false)
}

// restartSweep starts the current sweep again in the same run.
func (c *cycle) restartSweep(ctx context.Context, refused bool) error {
	a := c.settings.Audit
	before := a.Sweep.Run
	spec := c.specOf(before.Stream)
	for _, s := range c.specs { // the resource's first stream
		if s.Stream.Resource() == before.Stream.Resource() {
			spec = s
			break
		}
	}
	fresh := syncing.Sweep{Run: syncing.OpenRun{
		ID: before.ID, CycleID: before.CycleID, Trigger: before.Trigger, Mode: before.Mode, StartedAt: before.StartedAt, ReadFrom: before.ReadFrom,
		Listed: before.Listed, Restarted: before.Restarted || refused,
	}}
	c.aimSweep(&fresh, spec, c.now())
	a.Sweep = &fresh
	return c.retryStore(ctx, func(ctx context.Context) error { return ingest.BeginSweep(ctx, c.engine.Store, c.claim.Lease, a) })
}

// finishAudit ends the audit after its last sweep.
func (c *cycle) finishAudit(ctx context.Context) error {
	a, status := c.settings.Audit, audits.Succeeded
	var good, bad int
	for _, r := range a.Resources {
		switch {
		case r.Complete || r.Status == syncing.RunSkipped && r.Note == nil:
			good++
		default:
			bad++
		}
	}
	switch {
	case bad > 0 && good > 0:
		status = audits.Partial
	case bad > 0:
		status = audits.Failed
	}
	err := c.retryStore(ctx, func(ctx context.Context) error {
		return audits.Finish(ctx, c.engine.Store, c.claim, a, status, c.now())
	})
	if err != nil {
		return err
	}
	c.engine.metrics.audits.WithLabelValues(string(c.claim.Kind), string(status)).Inc()
	c.log.InfoContext(ctx, "audit ended", "audit_id", a.ID, "trigger", a.Trigger, "status", status, "duration_ms", c.now().Sub(a.StartedAt).Milliseconds())
	c.settings.Audit = nil
	return nil
}

// abandonAudit ends the audit because the platform cannot be reached. Resources
// that were not audited yet are left out.
func (c *cycle) abandonAudit(ctx context.Context, status syncing.RunStatus, pe *connectors.Error) error {
	if err := c.closeSweep(ctx, sweepEnd{status: status, failure: pe}); err != nil {
		return err
	}
	a, now := c.settings.Audit, c.now()
	for {
		spec, left := c.nextUnaudited()
		if !left {
			return c.finishAudit(ctx)
		}
		a.Sweep = &syncing.Sweep{Run: syncing.OpenRun{
			ID: newID(), CycleID: a.ID, Stream: spec.Stream, Trigger: syncing.TriggerAudit, Mode: syncing.ModeIncremental, StartedAt: now, ReadFrom: now,
		}}
		if err := c.retryStore(ctx, func(ctx context.Context) error { return ingest.SaveSweep(ctx, c.engine.Store, c.claim.Lease, a) }); err != nil {
			return err
		}
		if err := c.closeSweep(ctx, sweepEnd{status: status, failure: pe}); err != nil {
			return err
		}
	}
}

// sweepEnd is how a sweep ends.
type sweepEnd struct {
	status  syncing.RunStatus
	failure *connectors.Error // nil if it has not failed
	note    string            // why it does not show everything; empty if it does
	unshown ingest.Unshown    // what it should have shown, if it was read completely
	marked  []string          // keys of the rows that it has marked as missing
}

// closeSweep ends the current sweep, whatever its result, and stores what it has
// found.
func (c *cycle) closeSweep(ctx context.Context, e sweepEnd) error {
	a, now := c.settings.Audit, c.now()
	s := a.Sweep
	r := syncing.AuditedResource{
		Resource: s.Run.Stream.Resource(), Status: e.status, Seen: s.Run.Seen, Judged: s.Absent + s.Stale + s.Current, Absent: s.Absent, Stale: s.Stale,
		Unshown: e.unshown.Count, Missing: int64(len(e.marked)), UnshownHashes: e.unshown.Remembered, RepairedIDs: s.RepairedIDs, MissingIDs: []string{}, StartedAt: s.Run.StartedAt, FinishedAt: now,
	}
	if r.RepairedIDs == nil {
		r.RepairedIDs = []string{}
	}
	for _, key := range e.marked[:min(len(e.marked), syncing.MaxAuditIDs)] {
		r.MissingIDs = append(r.MissingIDs, record.ReadableKey(key))
	}
	if e.note != "" {
		r.Note = &e.note
	}
	r.Complete = e.status == syncing.RunSucceeded && e.note == ""
	if r.Complete {
		ratio := 1.0
		if r.Judged > 0 {
			ratio = float64(s.Current) / float64(r.Judged)
		}
		r.Ratio = &ratio
	}
	ended := syncing.EndedRun{Run: s.Run, Status: e.status, FinishedAt: now}
	if e.failure != nil {
		ended.Error = syncError(r.Resource, e.failure, now)
		r.Error = ended.Error
	}
	findings, err := c.sweepFindings(ctx, &r, e.unshown)
	if err != nil {
		return err
	}
	// If ending the sweep is retried, it must find the sweep unchanged.
	err = c.retryStore(ctx, func(ctx context.Context) error {
		return ingest.EndSweep(ctx, c.engine.Store, ingest.SweepCommit{Claim: c.claim, Audit: a.ID, Run: ended, Result: r, Findings: findings})
	})
	if err != nil {
		return err
	}
	a.Resources, a.Sweep = append(a.Resources, r), nil
	c.engine.metrics.countRun(ctx, c.claim.Kind, &ended.Run, e.status, now.Sub(ended.Run.StartedAt))
	c.engine.metrics.countSweep(c.claim.Kind, &r, s.Current)
	c.logRun(ctx, &ended)
	return nil
}

// sweepFindings returns the rules that the sweep as a whole has found broken.
func (c *cycle) sweepFindings(ctx context.Context, r *syncing.AuditedResource, u ingest.Unshown) (findings []record.Finding, err error) {
	if u.TooMany {
		findings = append(findings, record.Finding{Rule: "many_missing", Resource: r.Resource, Count: int(u.Count)})
	}
	// A scope leaves out accounts that trades may well name, and records of erased
	// people are stored nowhere.
	if !r.Complete || c.settings.AccountScope != nil || c.claim.Suppressing {
		return findings, nil
	}
	complete := map[record.Resource]bool{}
	for _, done := range c.settings.Audit.Resources {
		complete[done.Resource] = done.Complete
	}
	var broken []record.Finding
	err = c.retryStore(ctx, func(ctx context.Context) (err error) {
		broken, err = ingest.FindBrokenReferences(ctx, c.engine.Store, c.claim, c.settings.Audit.Sweep, complete)
		return err
	})
	return append(findings, broken...), err
}

// endSweep looks for records that a completely read sweep has not shown, marks them
// as missing, and ends the sweep.
func (c *cycle) endSweep(ctx context.Context) error {
	s := c.settings.Audit.Sweep
	resource := s.Run.Stream.Resource()
	if s.Note != "" {
		if s.Note == noteWithoutID { // the list was read to its end all the same
			if err := c.releaseSwept(ctx); err != nil {
				return err
			}
		}
		return c.closeSweep(ctx, sweepEnd{status: syncing.RunPartial, note: s.Note})
	}
	if c.settings.AccountScope != nil && (resource == record.Accounts || resource == record.Payouts) {
		// Records outside the scope are not shown, but they are not missing either.
		if err := c.releaseSwept(ctx); err != nil {
			return err
		}
		return c.closeSweep(ctx, sweepEnd{status: syncing.RunSucceeded})
	}
	u, err := c.readMissing(ctx)
	if errors.Is(err, store.ErrConflict) {
		return c.restartSweep(ctx, false)
	}
	if err != nil {
		return err
	}
	if resource == record.Traders && len(u.Keys) > 0 && !s.Asked {
		asked, err := c.askForTraders(ctx, u.Keys)
		if err != nil || asked {
			return err
		}
	}
	var marked []string
	if len(u.Keys) > 0 {
		err := c.retryStore(ctx, func(ctx context.Context) error {
			return ingest.MarkMissing(ctx, c.engine.Store, c.claim, s, u.Keys)
		})
		if err != nil {
			return err
		}
		marked = u.Keys
	}
	if !u.TooMany { // otherwise the list may be incomplete, and the quarantined records may be among what it lacks
		if err := c.releaseSwept(ctx); err != nil {
			return err
		}
	}
	return c.closeSweep(ctx, sweepEnd{status: syncing.RunSucceeded, unshown: u, marked: marked})
}

// releaseSwept removes from the quarantine the records that a completely read sweep
// no longer shows. Records that it shows in a valid version have already left.
func (c *cycle) releaseSwept(ctx context.Context) error {
	if c.claim.Quarantined == 0 {
		return nil
	}
	s := c.settings.Audit.Sweep
	run := s.Run
	run.ReadFrom, run.Earlier = run.StartedAt, nil
	return c.releaseQuarantine(ctx, &run, s.Run.UpdatedSince)
}

func (c *cycle) readMissing(ctx context.Context) (u ingest.Unshown, err error) {
	err = c.retryStore(ctx, func(ctx context.Context) (err error) {
		u, err = ingest.FindUnshown(ctx, c.engine.Store, c.claim, c.settings.Audit)
		return err
	})
	return u, err
}

// mostAsked bounds the traders that a sweep asks for one by one.
const mostAsked = 20

// askForTraders asks the platform for each trader that its list does not show, if
// the platform supports that. A trader that the platform knows all the same counts
// as shown and is refreshed. asked is true when there are such traders, which means
// that the sweep must be judged again, and when the sweep is over because it is not
// known whether this is still the same platform.
func (c *cycle) askForTraders(ctx context.Context, keys []string) (asked bool, err error) {
	if err := c.confirmPlatform(ctx); err != nil {
		pe, ok := platformError(ctx, err)
		if !ok {
			return false, err
		}
		return true, c.closeSweep(ctx, sweepEnd{status: syncing.RunFailed, failure: pe})
	}
	reader, can := c.source.(connectors.TraderReader)
	if !can {
		return false, nil
	}
	var (
		hidden = &connectors.Page{Release: func() {}}
		gone   = record.Finding{Rule: "trader_missing", Resource: record.Traders}
		listed = record.Finding{Rule: "trader_unlisted", Resource: record.Traders}
	)
	for _, id := range keys[:min(len(keys), mostAsked)] {
		trader, err := reader.ReadTrader(ctx, id)
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		var pe *connectors.Error
		switch {
		case err == nil:
			hidden.Traders = append(hidden.Traders, trader)
			addOccurrence(&listed, id)
			continue
		case errors.As(err, &pe) && pe.Code == connectors.CodeNotFound:
			addOccurrence(&gone, id)
			// Kept until traders can be read again, and saved with the slice.
			c.changeStream(record.StreamTraders).LastError = integrations.MissingTrader(id, pe.Endpoint, pe.HTTPStatus, c.now())
			continue
		}
		break // the list alone has to do
	}
	hidden.Seen = len(hidden.Traders)
	for _, f := range []record.Finding{gone, listed} {
		if f.Count > 0 {
			hidden.Findings = append(hidden.Findings, f)
		}
	}
	if len(hidden.Findings) == 0 {
		return false, nil
	}
	c.settings.Audit.Sweep.Asked = true
	c.settings.Audit.Sweep.Run.Pages++
	return true, c.writeSweep(ctx, hidden)
}

// addOccurrence adds an occurrence to a finding.
func addOccurrence(f *record.Finding, id string) {
	if f.Count++; len(f.Samples) < record.MaxSamples {
		f.Samples = append(f.Samples, id)
	}
}
