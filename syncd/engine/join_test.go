package engine_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/syncd/engine"
	"github.com/assayhq/assay/syncd/enginetest"
)

// twoStreams reads a platform's trades as a partner's are read: the open trades in
// full each time, and then all trades.
type twoStreams struct {
	through
	fail map[record.Stream]connectors.Code
}

func newTwoStreams() *twoStreams {
	s := &twoStreams{fail: make(map[record.Stream]connectors.Code)}
	s.specs = func(specs []connectors.StreamSpec) []connectors.StreamSpec {
		at := slices.IndexFunc(specs, func(spec connectors.StreamSpec) bool { return spec.Stream == record.StreamTrades })
		open, closed := specs[at], specs[at]
		open.Stream, open.Snapshot, open.History = record.StreamTradesOpen, true, 0
		closed.Stream = record.StreamTradesClosed
		return slices.Replace(slices.Clone(specs), at, at+1, open, closed)
	}
	s.page = func(ctx context.Context, req connectors.PageRequest, read reader) (*connectors.Page, error) {
		stream := req.Stream
		if code := s.fail[stream]; code != "" {
			return nil, &connectors.Error{Code: code, Endpoint: "GET /" + string(stream), Message: "made by the test", Stats: connectors.Stats{Requests: 1}}
		}
		if stream.Resource() != record.Trades {
			return read(ctx, req)
		}
		req.Stream = record.StreamTrades
		page, err := read(ctx, req)
		for stream == record.StreamTradesOpen && err == nil && page.Next != "" { // all of it is one page
			var next *connectors.Page
			req.Cursor = page.Next
			if next, err = read(ctx, req); err == nil {
				page.Trades, page.Next = append(page.Trades, next.Trades...), next.Next
				next.Release()
			}
		}
		if err == nil && stream == record.StreamTradesOpen {
			page.Trades = slices.DeleteFunc(page.Trades, func(t record.Trade) bool { return !t.Open() })
			page.Seen = len(page.Trades)
		}
		return page, err
	}
	return s
}

// tradeRuns returns the rows of the runs that read trades.
func tradeRuns(t *testing.T, w *enginetest.Fixture) []string {
	t.Helper()
	return w.Texts(t, `SELECT concat_ws(' ', mode, status, pages, repeats, error->>'code') FROM sync_runs WHERE resource = 'trades' ORDER BY started_at, id`)
}

// TestOneRunOfTwoStreams: streams of one resource are one run.
func TestOneRunOfTwoStreams(t *testing.T) {
	t.Parallel()
	var log requestLog
	w := enginetest.New(t, long(&log))
	streams := newTwoStreams()
	e := w.NewEngine(t, with(t, w, &streams.through))
	runs := func(what string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, tradeRuns(t, w)); diff != "" {
			t.Errorf("%s: runs of trades (-want +got):\n%s", what, diff)
		}
	}
	cycle(t, w, e)
	runs("the first cycle", "backfill succeeded 11 0")
	w.Compare(t)
	for range 3 {
		cycle(t, w, e)
	}
	runs("cycles without changes", "backfill succeeded 11 0", "incremental succeeded 2 2")

	streams.fail[record.StreamTradesOpen] = connectors.CodeUnexpectedResponse
	before := moment(t, w, `SELECT watermark FROM sync_streams WHERE stream = 'trades_closed'`)
	cycle(t, w, e)
	runs("the first stream fails", "backfill succeeded 11 0", "incremental succeeded 2 2", "incremental failed 1 0 unexpected_response")
	check(t, w, "trades", syncing.RunFailed, connectors.CodeUnexpectedResponse, syncing.HealthDegraded)
	if after := moment(t, w, `SELECT watermark FROM sync_streams WHERE stream = 'trades_closed'`); !after.After(before) {
		t.Errorf("the watermark of the stream that was read did not move: %s, then %s", before, after)
	}

	delete(streams.fail, record.StreamTradesOpen)
	streams.fail[record.StreamTradesClosed] = connectors.CodeServerError
	cycle(t, w, e)
	check(t, w, "trades", syncing.RunFailed, connectors.CodeServerError, syncing.HealthDegraded)
	clear(streams.fail)
	cycle(t, w, e)
	check(t, w, "trades", syncing.RunSucceeded, "", syncing.HealthHealthy)
	w.Compare(t)
}

// TestNoClosedTrades: a partner has open trades and no closed ones yet.
func TestNoClosedTrades(t *testing.T) {
	t.Parallel()
	var log requestLog
	w := enginetest.New(t, long(&log))
	streams := newTwoStreams()
	read := streams.page
	streams.page = func(ctx context.Context, req connectors.PageRequest, next reader) (*connectors.Page, error) {
		if req.Stream == record.StreamTradesClosed {
			return &connectors.Page{Release: func() {}}, nil
		}
		return read(ctx, req, next)
	}
	e := w.NewEngine(t, with(t, w, &streams.through))
	cycle(t, w, e)
	check(t, w, "trades", syncing.RunSucceeded, "", syncing.HealthHealthy)
	if got := text(t, w, `SELECT (watermark IS NOT NULL)::text FROM sync_streams WHERE stream = 'trades_closed'`); got != "true" {
		t.Error("the empty list of closed trades has no watermark")
	}
}

// TestBackfillOfOneOfTwoStreams: while one stream of a resource is read for the
// first time, the other keeps its interval in runs of its own.
func TestBackfillOfOneOfTwoStreams(t *testing.T) {
	t.Parallel()
	var log requestLog
	w := enginetest.New(t, long(&log))
	e := w.NewEngine(t, with(t, w, &newTwoStreams().through), func(c *engine.Config) { c.PagesPerSlice = 5 })
	runSlice(t, w, e) // traders, accounts, all open trades, two pages of closed ones
	if diff := cmp.Diff([]string{"backfill running 1 0"}, tradeRuns(t, w)); diff != "" {
		t.Errorf("after the first slice (-want +got):\n%s", diff)
	}
	w.Exec(t, `UPDATE sync_state SET slot_at = now() - interval '1 second'`)
	runSlice(t, w, e)
	if diff := cmp.Diff([]string{"backfill running 1 0", "incremental succeeded 1 0"}, tradeRuns(t, w)); diff != "" {
		t.Errorf("after the next cycle has begun (-want +got):\n%s", diff)
	}
	if at, began := moment(t, w, `SELECT last_success_at FROM sync_streams WHERE stream = 'trades_open'`), moment(t, w, `SELECT cycle_started_at FROM sync_state`); at.Before(began) {
		t.Errorf("open trades were read at %s, not in the cycle of %s", at, began)
	}
	cycle(t, w, e)
	check(t, w, "trades", syncing.RunSucceeded, "", syncing.HealthHealthy)
	w.Compare(t)
}

// TestCrashInTheSecondOfTwoStreams: the stream that was read before the crash is
// not read again in the cycle, and its errors are not forgotten.
func TestCrashInTheSecondOfTwoStreams(t *testing.T) {
	t.Parallel()
	var log requestLog
	w := enginetest.New(t, long(&log))
	streams := newTwoStreams()
	read := streams.page
	g := newGate(record.StreamTradesClosed, 4)
	opened := 0
	streams.page = func(ctx context.Context, req connectors.PageRequest, next reader) (*connectors.Page, error) {
		if req.Stream == record.StreamTradesOpen {
			opened++
			return nil, &connectors.Error{Code: connectors.CodeUnexpectedResponse, Endpoint: "GET /open", Message: "made by the test", Stats: connectors.Stats{Requests: 1}}
		}
		return g.page(ctx, req, func(ctx context.Context, req connectors.PageRequest) (*connectors.Page, error) {
			return read(ctx, req, next)
		})
	}
	e := w.NewEngine(t, with(t, w, &streams.through))
	ctx, kill := context.WithCancel(t.Context())
	claim, done := w.Claim(t, "dead"), make(chan error)
	go func() { done <- e.RunSlice(ctx, claim) }()
	<-g.reached
	written(t, w, g.n-1)
	kill()
	if err := <-done; err == nil {
		t.Fatal("the killed slice ended as if nothing had happened")
	}
	expire(t, w)
	cycle(t, w, e)
	if opened != 1 {
		t.Errorf("the first stream was read %d times in the cycle", opened)
	}
	want := []string{"backfill interrupted", "backfill failed unexpected_response"}
	if diff := cmp.Diff(want, w.Texts(t, `SELECT concat_ws(' ', mode, status, error->>'code') FROM sync_runs WHERE resource = 'trades' ORDER BY started_at, id`)); diff != "" {
		t.Errorf("runs of trades (-want +got):\n%s", diff)
	}
	w.Compare(t)
}
