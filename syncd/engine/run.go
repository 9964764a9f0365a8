package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/ingest"
	"github.com/assayhq/assay/store/syncing"
)

// fetched is what the fetching half of a run passes to the writing half.
type fetched struct {
	page *connectors.Page // nil if err is set
	err  error
	sent time.Time // database time at which the answered request was sent
}

// release gives back the page's memory.
func (f fetched) release() {
	if f.page != nil {
		f.page.Release()
	}
}

// releaseAll gives back the memory of pages.
func releaseAll(answers []fetched) {
	for _, f := range answers {
		f.release()
	}
}

// progress says how a slice goes on after a page.
type progress int

const (
	readOn    progress = iota // with the next page
	listOver                  // with something else: the list has been read, or has failed, or begins anew
	sliceOver                 // not at all: the integration is released, until it is due again
)

// readStream reads pages of the current stream until its run ends or the slice does.
func (c *cycle) readStream(ctx context.Context) (progress, error) {
	most := 1
	if c.running.Mode == syncing.ModeBackfill {
		most = pagesTogether
	}
	next, err := c.eachPage(ctx, c.specOf(c.running.Stream), *c.running, most, func(answers []fetched) (progress, error) {
		return c.processAnswers(ctx, answers, most)
	})
	if next != readOn || err != nil {
		return next, err
	}
	return sliceOver, c.yieldSlice(ctx)
}

// eachPage reads pages of a run and processes them, until process says that no more
// are to be read, or the slice has no room left. Pages are fetched while previous ones
// are processed. process gets all that have arrived meanwhile, at least one and at most
// as many as most says.
func (c *cycle) eachPage(ctx context.Context, spec connectors.StreamSpec, run syncing.OpenRun, most int, process func([]fetched) (progress, error)) (progress, error) {
	fetchCtx, stop := context.WithCancel(ctx)
	ahead, room := newReadAhead(most), c.engine.PagesPerSlice-c.pages
	go func() {
		defer ahead.close()
		c.fetchPages(fetchCtx, spec, run, room, ahead)
	}()
	var answers []fetched // not given back yet
	// The fetching half never outlives the slice, and every page is given back, also if
	// process panics.
	defer func() {
		stop()
		releaseAll(answers)
		ahead.drain()
	}()
	for {
		if answers = ahead.take(); len(answers) == 0 {
			return readOn, ctx.Err()
		}
		if next, err := process(answers); next != readOn || err != nil {
			return next, err
		}
		releaseAll(answers)
		answers = nil
	}
}

// fetchPages reads up to room pages of a run one after the other and passes each to
// the writing half. It ends after the last page, after an error, or when the
// slice's time is up. It runs concurrently with the writing half and shares nothing
// with it that changes.
func (c *cycle) fetchPages(ctx context.Context, spec connectors.StreamSpec, run syncing.OpenRun, room int, ahead *readAhead) {
	for ; room > 0 && c.engine.Now().Sub(c.began) < c.engine.TimePerSlice; room-- {
		f := c.readPage(ctx, connectors.PageRequest{
			Stream: run.Stream, UpdatedSince: run.UpdatedSince, Backfill: run.Mode == syncing.ModeBackfill,
			Cursor: run.Cursor,
		})
		last := f.err != nil || f.page.Next == ""
		if !last {
			run.Pages++
			last = advanceCheckpoint(&run, f.page.Next) || isFull(spec, &run)
		}
		if !ahead.put(ctx, f) {
			f.release()
			return
		}
		if last {
			return
		}
	}
}

// readPage reads one page. What comes from outside is decoded here, so a panic
// affects only the run that met it.
func (c *cycle) readPage(ctx context.Context, req connectors.PageRequest) (f fetched) {
	defer func() {
		if r := recover(); r != nil {
			f = fetched{err: fmt.Errorf("panic while reading a page: %v\n%s", r, debug.Stack())}
		}
	}()
	if f.err = c.confirmPlatform(ctx); f.err != nil {
		return f
	}
	f.page, f.err = c.source.ReadPage(ctx, req)
	if f.err == nil {
		f.sent = c.now().Add(-f.page.Stats.Attempt)
	}
	return f
}

// processAnswers processes answers of the platform, as many together as can be, and at
// most that many.
func (c *cycle) processAnswers(ctx context.Context, answers []fetched, most int) (next progress, err error) {
	for len(answers) > 0 && next == readOn && err == nil {
		n := c.countTogether(answers[:min(most, len(answers))])
		next, err = c.processPages(ctx, answers[:n])
		answers = answers[n:]
	}
	return next, err
}

// countTogether counts the first answers that may be written as one page. The rules of
// the contract, quarantine and erasure distinguish what one page shows from what a
// later one does. So the pages must be new, and hold nothing but good records, each once.
func (c *cycle) countTogether(answers []fetched) int {
	if len(answers) == 1 { // as always, but in a first read
		return 1
	}
	ids := make(map[string]bool)
	for n, f := range answers {
		if f.err != nil || len(f.page.Rejected)+len(f.page.Findings) > 0 || c.running.Replaying || c.claim.Suppressing {
			return max(n, 1)
		}
		for id := range f.page.IDs() {
			if ids[id] && n > 0 {
				return n
			}
			ids[id] = true
		}
	}
	return len(answers)
}

// processPages writes pages in one transaction, or in one for each if that fails, so
// that a page that cannot be saved costs none of the others. An answer that is an error
// is processed by itself.
func (c *cycle) processPages(ctx context.Context, answers []fetched) (progress, error) {
	if failed := answers[0].err; failed != nil {
		return c.handleFailure(ctx, failed)
	}
	before, read := *c.running, c.pages
	page, loop := c.joinPages(answers)
	bad := page.Next == "" && isUseless(c.running)
	if bad || loop != nil {
		c.running.Cursor = "" // nothing to continue from, even after a crash
	}
	out, err := c.commitPage(ctx, page, *c.running, nil)
	if err != nil {
		*c.running = before // nothing of the page counts, except that it was asked for
		if len(answers) > 1 && ctx.Err() == nil && !errors.Is(err, store.ErrFenced) {
			c.pages = read
			return c.processAnswers(ctx, answers, 1)
		}
		countRequests(c.running, page.Stats)
		return c.handleFailure(ctx, err)
	}
	*c.running = out.Run
	if c.throttling.Answer(c.now()) { // saved at once, because the page's commit leaves it alone
		if err := c.commitProgress(ctx, syncing.Due{Mode: syncing.DueHold}); err != nil {
			return sliceOver, err
		}
	}
	switch {
	case bad:
		return listOver, c.endRun(ctx, syncing.RunFailed, c.uselessError(page))
	case loop != nil:
		return listOver, c.endRun(ctx, syncing.RunFailed, loop)
	case page.Next == "":
		return listOver, c.endRun(ctx, syncing.RunSucceeded, nil)
	case isFull(c.specOf(c.running.Stream), c.running):
		return listOver, c.endRun(ctx, syncing.RunPartial, nil)
	}
	return readOn, nil
}

// joinPages counts the pages up to one with which the run ends, and returns the page that
// a platform with longer pages would have sent. loop is an error of the last cursor.
func (c *cycle) joinPages(answers []fetched) (joined *connectors.Page, loop *connectors.Error) {
	spec := c.specOf(c.running.Stream)
	for _, f := range answers {
		c.pages++
		page := *f.page
		page.Findings = slices.Clip(page.Findings) // the fetched page may be counted again
		c.observePage(&page, f.sent)
		loop = followCursor(spec, c.running, page.Next)
		if joined != nil {
			page.Batch = joined.Batch.Concat(page.Batch)
			page.Findings = slices.Concat(joined.Findings, page.Findings)
			page.Stats.Requests += joined.Stats.Requests
			page.Stats.Throttled += joined.Stats.Throttled
		}
		joined = &page
		if loop != nil || isFull(spec, c.running) {
			break
		}
	}
	return joined, loop
}

// observePage records what a page says apart from its records. sent is when it was
// asked for.
func (c *cycle) observePage(page *connectors.Page, sent time.Time) {
	run := c.running
	c.countPage(c.specOf(run.Stream), run, page)
	if finding, broken := checkClock(run, page.Date, sent); broken {
		page.Findings = append(page.Findings, finding)
	}
}

// countPage adds a page to the run's totals and records the rules of lists that the
// page breaks.
func (c *cycle) countPage(spec connectors.StreamSpec, run *syncing.OpenRun, page *connectors.Page) {
	countRequests(run, page.Stats)
	run.Pages++
	run.Seen += int64(page.Seen)
	if run.EmptyPages++; page.Seen > 0 {
		run.EmptyPages = 0
	}
	if run.Unproven = run.Unproven && page.Len() == 0; run.Unproven {
		run.Unusable += int64(page.Seen)
	}
	run.Attempt, run.SavedAt = 0, c.now()
	if !spec.Snapshot { // another list follows, and has its own length
		run.Read, run.Total = page.Read, page.Total
	}
	page.Findings = append(page.Findings, checkPace(run.Stream.Resource(), page)...)
	page.Findings = append(page.Findings, checkOrder(spec, run, page.Batch)...)
	if isEndless(spec, run) && page.Next != "" {
		page.Findings = append(page.Findings, record.Finding{Rule: "endless_list", Resource: run.Stream.Resource(), Count: 1})
	}
	run.Paced()
}

// countRequests adds what a page cost to the run's totals.
func countRequests(run *syncing.OpenRun, stats connectors.Stats) {
	run.Requests += int64(stats.Requests)
	run.ThrottledMS += stats.Throttled.Milliseconds()
}

// commitPage merges a page into the store, and with it the run, or the sweep if it is not nil.
func (c *cycle) commitPage(ctx context.Context, page *connectors.Page, run syncing.OpenRun, sweep *ingest.SweepPage) (out ingest.PageOutcome, err error) {
	began := c.engine.Now()
	commit := ingest.PageCommit{
		Claim: c.claim, Batch: page.Batch, Rejected: page.Rejected, Findings: page.Findings,
		Run: run, More: page.Next != "", Lease: c.engine.Lease, Sweep: sweep,
	}
	err = c.retryStore(ctx, func(ctx context.Context) (err error) {
		out, err = ingest.WritePage(ctx, c.engine.Store, commit)
		return err
	})
	if errors.Is(err, store.ErrFenced) {
		c.engine.metrics.fenced.Inc()
	}
	if err == nil {
		c.claim.Quarantined = out.Quarantined
		c.engine.metrics.countPage(ctx, c.claim.Kind, run.Stream.Resource(), out, c.engine.Now().Sub(began))
	}
	return out, err
}

// isUseless reports whether a run that has read its list to the end has seen records
// but none that can be used, which means that the list is not what the contract
// describes. A single changed record that is invalid does not mean that. One usable
// record is enough, so that no number of others ahead of it keeps it out. What
// another stream has brought into the same run says nothing about the list.
func isUseless(run *syncing.OpenRun) bool {
	return run.Unproven && run.Unusable > 0 && (run.Mode == syncing.ModeBackfill || run.Unusable > 1)
}

func (c *cycle) uselessError(page *connectors.Page) *connectors.Error {
	e := &connectors.Error{
		Code: connectors.CodeUnexpectedResponse, Endpoint: c.specOf(c.running.Stream).Endpoint, HTTPStatus: 200,
		Message: "None of the records could be used.",
	}
	if len(page.Rejected) > 0 {
		e.Message += " The first of the last page: " + page.Rejected[0].Detail
	}
	return e
}
