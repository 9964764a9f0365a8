package engine

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/syncing"
)

// cycle is one slice of work on an integration. Its fields mirror what the store
// holds. commitCycle writes them there.
type cycle struct {
	engine   *Engine
	claim    *syncing.Claim
	settings syncing.Settings
	source   connectors.Source
	specs    []connectors.StreamSpec
	log      *slog.Logger
	began    time.Time // on the process's clock, at the claim

	cycle   syncing.Cycle
	running *syncing.OpenRun // the run that is reading pages; nil when there is none
	pages   int              // read in this slice
	newSlot bool             // the cycle began in this slice and its slot is not saved yet
	manual  bool             // the cycle answers a request for a manual sync, not saved yet

	ended       []syncing.EndedRun                // not saved yet
	touched     map[record.Stream]*syncing.Stream // not saved yet
	transitions []syncing.Transition              // not saved yet
	denied      bool                              // the platform refused the key in this slice
	parked      bool                              // a backfill was parked, not saved yet
	unconfirmed bool                              // the platform must be confirmed before a page is read; used by the fetching half only
	unknown     *connectors.Error                 // why this slice's comparison refuses pages; used by the fetching half only
	broken      string                            // why the cycle could not even begin
	health      *syncing.HealthChange             // found before the cycle is over, not saved yet
	throttling  syncing.Throttling                // how the platform limits requests; mirrors the claim's
	first       record.Resource                   // the resource to read first because the slice before was refused on it; may be empty
	successAt   time.Time                         // of the newest success, not saved yet
	notable     bool                              // the cycle has done something worth announcing and has not announced it yet
}

// now is the time on the database's clock.
func (c *cycle) now() time.Time {
	return c.claim.Now.Add(c.engine.Now().Sub(c.began)).UTC().Truncate(time.Microsecond)
}

// loadSettings reads the integration's settings and takes over a dead process's
// run.
func (c *cycle) loadSettings(ctx context.Context) error {
	err := c.engine.retryTransient(ctx, c.log, func(ctx context.Context) (err error) {
		c.settings, err = syncing.ReadSettings(ctx, c.engine.Store, c.claim)
		return err
	})
	if errors.Is(err, seal.ErrUnknownKey) || errors.Is(err, seal.ErrTampered) {
		return c.abandonCycle(ctx, err)
	}
	if err != nil {
		return err
	}
	connector, known := c.engine.Connectors.Connector(c.claim.Kind)
	if !known {
		return c.abandonCycle(ctx, errors.New("no connector for kind "+string(c.claim.Kind)))
	}
	c.specs = connector.Streams()
	c.source = connector.Open(connectors.Config{
		IntegrationID: c.claim.IntegrationID.String(), BaseURL: c.settings.BaseURL, APIKey: c.settings.APIKey, Scope: (*connectors.AccountScope)(c.settings.AccountScope),
	})
	c.unconfirmed = c.settings.Unconfirmed
	return c.takeOver(ctx)
}

// takeOver closes the row of a run whose process died, and continues from the same
// checkpoint in a new row.
func (c *cycle) takeOver(ctx context.Context) error {
	if c.claim.PriorOwner == "" {
		return nil
	}
	c.transitions = append(c.transitions, syncing.Transition{Kind: "lease", Reason: "the lease of process " + c.claim.PriorOwner + " expired; its cycle was taken over"})
	c.log.InfoContext(ctx, "cycle taken over from a process whose lease expired", "prior_owner", c.claim.PriorOwner, "cycle_id", c.cycle.ID)
	if c.running == nil {
		return nil
	}
	if part := c.running.Earlier; part != nil && c.running.CycleID == c.cycle.ID {
		// It may not be saved yet that the previous stream has ended.
		c.noteEnd(c.changeStream(part.Stream), &syncing.EndedRun{Run: syncing.OpenRun{Stream: part.Stream}, Status: part.Status, Error: part.Error, FinishedAt: part.FinishedAt})
	}
	if !c.running.Listed {
		return nil
	}
	c.ended = append(c.ended, syncing.EndedRun{Run: *c.running, Status: syncing.RunInterrupted, FinishedAt: c.now()})
	next := *c.running
	next.ID, next.StartedAt, next.Listed, next.RunTotals = newID(), c.now(), false, syncing.RunTotals{}
	next.BaseAt = time.Time{}
	if next.Earlier != nil {
		part := *next.Earlier
		part.Pages, next.Earlier = 0, &part
	}
	c.running = &next
	return c.commitProgress(ctx, syncing.Due{Mode: syncing.DueHold})
}

// runStreams runs streams until the cycle is over or the slice is.
func (c *cycle) runStreams(ctx context.Context) error {
	c.first = c.throttling.TakePlace(c.cycle.ID)
	c.parkBackfill()
	for {
		if c.running == nil {
			spec, step := c.nextStep()
			switch step {
			case stepDone:
				return c.finishCycle(ctx, 0)
			case stepNewCycle:
				c.startCycle()
				continue
			case stepAudit:
				if next, err := c.continueAudit(ctx); next == sliceOver || err != nil {
					return err
				}
				continue
			case stepBackfill:
				if err := c.judgeCycle(ctx); err != nil {
					return err
				}
			case stepStream:
				if err := c.savePark(ctx); err != nil {
					return err
				}
			}
			if err := c.beginRun(ctx, spec); err != nil {
				return err
			}
		}
		if next, err := c.readStream(ctx); next == sliceOver || err != nil {
			return err
		}
	}
}

// continueAudit continues the audit after the cycle has been judged.
func (c *cycle) continueAudit(ctx context.Context) (progress, error) {
	if err := c.judgeCycle(ctx); err != nil {
		return sliceOver, err
	}
	return c.runAudit(ctx)
}

// parkBackfill parks a backfill at the start of a slice, so that the other streams
// of the cycle keep their interval. A backfill that the platform refused in the
// slice before keeps its place. Otherwise it would never continue when the other
// streams use up what the platform allows.
func (c *cycle) parkBackfill() {
	if c.running != nil && c.running.Mode == syncing.ModeBackfill && c.running.Stream.Resource() != c.first {
		c.changeStream(c.running.Stream).Run = c.running
		c.running, c.parked = nil, true
	}
}

// savePark saves a parked backfill before another run's state replaces it.
func (c *cycle) savePark(ctx context.Context) error {
	if !c.parked {
		return nil
	}
	return c.commitProgress(ctx, syncing.Due{Mode: syncing.DueHold})
}

// startCycle begins a new cycle in the middle of a slice, while a backfill of the
// previous cycle continues. A resource that kept its place did so for the previous
// cycle only.
func (c *cycle) startCycle() {
	c.first = ""
	c.cycle = syncing.Cycle{ID: newID(), Trigger: syncing.TriggerSchedule, StartedAt: c.now()}
	if c.claim.ManualNoted {
		c.cycle.Trigger = syncing.TriggerManual
		c.manual, c.claim.ManualNoted = true, false
	}
	c.newSlot = true
	c.claim.SlotAt = c.now().Add(c.claim.Period)
}

// beginRun opens the run of a stream, or continues the one that is parked.
func (c *cycle) beginRun(ctx context.Context, spec connectors.StreamSpec) error {
	s := c.changeStream(spec.Stream)
	if s.Run != nil && s.Run.ID != uuid.Nil && isStale(s.Run, c.now()) {
		c.interruptRun(spec.Stream)
	}
	parked := s.Run != nil && s.Run.ID != uuid.Nil
	c.running = openRun(spec, s, c.cycle, c.now())
	s.Run = nil
	if parked || !c.joinRuns() || !c.running.Listed || c.running.Mode != syncing.ModeBackfill {
		return nil
	}
	return c.engine.retryTransient(ctx, c.log, func(ctx context.Context) error {
		return syncing.RelistRun(ctx, c.engine.Store, c.claim.Lease, c.running)
	})
}

// joinRuns lets the new run continue in the row of the run that has just ended, if
// both read the same resource, because a partner's open and closed trades are one
// run. It reports whether it did.
func (c *cycle) joinRuns() bool {
	if len(c.ended) == 0 {
		return false
	}
	before := c.ended[len(c.ended)-1]
	run := &before.Run
	if run.CycleID != c.running.CycleID || run.Stream.Resource() != c.running.Stream.Resource() {
		return false
	}
	c.ended = c.ended[:len(c.ended)-1]
	c.changeStream(run.Stream).LastRunID = uuid.Nil
	c.running.ID, c.running.StartedAt, c.running.Listed, c.running.RunTotals = run.ID, run.StartedAt, run.Listed, run.RunTotals
	c.running.Earlier = &syncing.RunPart{Stream: run.Stream, Status: before.Status, Error: before.Error, FinishedAt: before.FinishedAt, Pages: run.Pages}
	return true
}

// willJoin reports whether another run will continue a run that has come to the end
// of its stream. See joinRuns.
func (c *cycle) willJoin(run *syncing.OpenRun) bool {
	next, step := c.nextStep()
	return step == stepStream && run.CycleID == c.cycle.ID && next.Stream.Resource() == run.Stream.Resource()
}

// changeStream returns a stream's state and marks it as changed.
func (c *cycle) changeStream(name record.Stream) *syncing.Stream {
	s, known := c.settings.Streams[name]
	if !known {
		s = &syncing.Stream{}
		c.settings.Streams[name] = s
	}
	c.touched[name] = s
	return s
}

// specOf returns the description of a stream.
func (c *cycle) specOf(name record.Stream) connectors.StreamSpec {
	i := slices.IndexFunc(c.specs, func(s connectors.StreamSpec) bool { return s.Stream == name })
	if i < 0 {
		return connectors.StreamSpec{Stream: name}
	}
	return c.specs[i]
}

// commitProgress saves what is not saved yet. With DueHold the slice continues.
func (c *cycle) commitProgress(ctx context.Context, due syncing.Due) error {
	return c.commitCycle(ctx, syncing.CycleCommit{Cycle: &c.cycle, Run: c.running, Due: due, Failures: c.claim.Failures, Health: c.health})
}

// commitCycle adds to a commit what the cycle has gathered, and writes it.
func (c *cycle) commitCycle(ctx context.Context, s syncing.CycleCommit) error {
	s.Ended, s.Streams, s.Transitions = c.ended, c.touched, append(s.Transitions, c.transitions...)
	s.NewSlot, s.TakeManual, s.StartedAt, s.SuccessAt = c.newSlot, c.manual, c.cycle.StartedAt, c.successAt
	s.Throttling = c.throttling
	err := c.engine.retryTransient(ctx, c.log, func(ctx context.Context) error {
		return syncing.CommitCycle(ctx, c.engine.Store, c.claim.Lease, s)
	})
	if err != nil {
		return err
	}
	for i := range c.ended {
		e := &c.ended[i]
		c.logRun(ctx, e)
		c.engine.metrics.countRun(ctx, c.claim.Kind, &e.Run, e.Status, e.FinishedAt.Sub(e.Run.StartedAt))
	}
	c.ended, c.transitions, c.health = nil, nil, nil
	c.touched = make(map[record.Stream]*syncing.Stream)
	c.newSlot, c.manual, c.parked = false, false, false
	if s.Due.Mode != syncing.DueHold {
		c.engine.metrics.slices.Inc()
	}
	return nil
}

// newID returns a time-ordered id.
func newID() uuid.UUID { return uuid.Must(uuid.NewV7()) }
