package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/syncing"
)

// TestAdvanceFindsLoops goes through lists that come back to a cursor after
// any number of pages, to any earlier page.
func TestAdvanceFindsLoops(t *testing.T) {
	t.Parallel()
	for before := range 51 { // pages before the loop
		for length := 1; length <= 50; length++ {
			cursor := func(page int) string { return fmt.Sprint(min(page, before+(page-before+1000*length)%length)) }
			if page := 70; before+length < page && cursor(page) != cursor(page+length) {
				t.Fatalf("the list of the test is no loop: %d before, %d long", before, length)
			}
			// Twice around the first power of two that the loop fits into is
			// where Brent's method ends at the latest.
			bound := 2
			for bound < max(before, length) {
				bound *= 2
			}
			bound = 2*bound + length
			run, found := new(syncing.OpenRun), 0
			for page := 1; page <= bound && found == 0; page++ {
				if advanceCheckpoint(run, cursor(page)) {
					found = page
				}
			}
			if found == 0 {
				t.Errorf("a loop of %d pages after %d others was not found in %d pages", length, before, bound)
			}
			if found > 0 && found <= before+length-1 {
				t.Errorf("a loop of %d pages after %d others was found on page %d, before any cursor came back", length, before, found)
			}
		}
	}
}

func TestAdvanceTrustsHonestLists(t *testing.T) {
	t.Parallel()
	const pages = 200_000
	run := new(syncing.OpenRun)
	for page := 1; page <= pages; page++ {
		next := fmt.Sprintf("cursor-%d", page)
		if advanceCheckpoint(run, next) {
			t.Fatalf("page %d of an honest list was taken for a loop", page)
		}
		if run.Cursor != next || run.CursorPages != int64(page) {
			t.Fatalf("after page %d the checkpoint is %q after %d pages", page, run.Cursor, run.CursorPages)
		}
	}
}

// TestAdvanceOverRuns looks for a loop that is longer than what one run reads: the
// anchor is part of the checkpoint.
func TestAdvanceOverRuns(t *testing.T) {
	t.Parallel()
	const loop, perRun = 90, 20
	run, page := new(syncing.OpenRun), 0
	for range 15 {
		for range perRun {
			page++
			if advanceCheckpoint(run, fmt.Sprint(page%loop)) {
				return
			}
		}
		run.SavedAt = noon
		run = openRun(connectors.StreamSpec{Stream: record.StreamTrades}, &syncing.Stream{Run: checkpointOf(run)}, syncing.Cycle{ID: newID()}, noon)
	}
	t.Errorf("a loop of %d pages was not found in %d pages", loop, page)
}

// TestUseless: what a list has shown counts over all runs that share its checkpoint.
func TestUseless(t *testing.T) {
	t.Parallel()
	good, bad, empty := connectors.Page{Seen: 1}, connectors.Page{Seen: 1}, connectors.Page{}
	good.Traders = make([]record.Trader, 1)
	spec := connectors.StreamSpec{Stream: record.StreamTraders}
	older := &syncing.OpenRun{ID: newID(), Stream: spec.Stream, Mode: syncing.ModeBackfill, RunTotals: syncing.RunTotals{Pages: 7, Seen: 1400}}
	for _, tt := range []struct {
		name   string
		s      syncing.Stream
		before []connectors.Page // read by the run that left the checkpoint
		pages  []connectors.Page
		want   bool
	}{
		{"only bad ones", syncing.Stream{}, nil, []connectors.Page{bad}, true},
		{"one bad change", syncing.Stream{Watermark: noon.Add(-time.Hour)}, nil, []connectors.Page{bad}, false},
		{"two bad changes", syncing.Stream{Watermark: noon.Add(-time.Hour)}, nil, []connectors.Page{bad, bad}, true},
		{"nothing", syncing.Stream{}, nil, []connectors.Page{empty}, false},
		{"a good one before the checkpoint", syncing.Stream{}, []connectors.Page{good}, []connectors.Page{bad}, false},
		{"bad ones before the checkpoint", syncing.Stream{}, []connectors.Page{bad}, []connectors.Page{empty}, true},
		{"a good one after the checkpoint", syncing.Stream{}, []connectors.Page{bad}, []connectors.Page{good, bad}, false},
		{"a run that a version without the count began", syncing.Stream{Run: older}, nil, []connectors.Page{bad, empty}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := &cycle{engine: &Engine{Config: Config{Now: func() time.Time { return noon }}}, claim: &syncing.Claim{Now: noon}}
			open := func(pages []connectors.Page) *syncing.OpenRun {
				run := openRun(spec, &tt.s, syncing.Cycle{ID: newID()}, noon)
				for _, page := range pages {
					c.countPage(spec, run, &page)
				}
				return run
			}
			if tt.before != nil {
				left := open(tt.before)
				left.Cursor = "next"
				tt.s.Run = checkpointOf(left)
			}
			if got := isUseless(open(tt.pages)); got != tt.want {
				t.Errorf("useless %t, want %t", got, tt.want)
			}
		})
	}
}

func TestEndless(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		bound int
		pages int64
		empty int
		want  bool
	}{
		{"below its own bound", 50, 49, 0, false},
		{"at its own bound", 50, 50, 0, true},
		{"below the general bound", 0, connectors.DefaultMaxPages - 1, 0, false},
		{"at the general bound", 0, connectors.DefaultMaxPages, 0, true},
		{"below the bound of empty pages", 0, 3000, 1999, false},
		{"at the bound of empty pages", 0, 3000, 2000, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := isEndless(connectors.StreamSpec{MaxPages: tt.bound}, &syncing.OpenRun{EmptyPages: tt.empty, RunTotals: syncing.RunTotals{Pages: tt.pages}}); got != tt.want {
				t.Errorf("endless %t, want %t", got, tt.want)
			}
		})
	}
}

func TestOpenRun(t *testing.T) {
	t.Parallel()
	const history = 90 * 24 * time.Hour
	scheduled := syncing.Cycle{ID: newID(), Trigger: syncing.TriggerSchedule}
	manual := syncing.Cycle{ID: newID(), Trigger: syncing.TriggerManual}
	watermark := noon.Add(-5 * time.Minute)
	started := noon.Add(-24*time.Hour - time.Minute)
	left := func(saved time.Duration) *syncing.OpenRun {
		return &syncing.OpenRun{
			CycleID: newID(), Stream: record.StreamTrades, Trigger: syncing.TriggerBackfill, Mode: syncing.ModeBackfill,
			UpdatedSince: started.Add(-history), ReadFrom: started, StartedAt: started, Skew: -time.Second, Cursor: "next", CursorPages: 12, Anchor: "a",
			SavedAt: noon.Add(-saved), Replaying: true, LastAt: started,
		}
	}
	parked := left(48 * time.Hour)
	parked.ID, parked.Attempt, parked.Pages = newID(), 1, 70
	for _, tt := range []struct {
		name  string
		spec  connectors.StreamSpec
		s     syncing.Stream
		cycle syncing.Cycle
		want  syncing.OpenRun
	}{
		{
			name: "the first read of everything", cycle: scheduled,
			want: syncing.OpenRun{Mode: syncing.ModeBackfill, Trigger: syncing.TriggerBackfill, StartedAt: noon, ReadFrom: noon},
		}, {
			name: "the first read of ninety days", spec: connectors.StreamSpec{History: history}, cycle: scheduled,
			want: syncing.OpenRun{Mode: syncing.ModeBackfill, Trigger: syncing.TriggerBackfill, UpdatedSince: noon.Add(-history), StartedAt: noon, ReadFrom: noon},
		}, {
			name: "a first read that was asked for", cycle: manual,
			want: syncing.OpenRun{Mode: syncing.ModeBackfill, Trigger: syncing.TriggerManual, StartedAt: noon, ReadFrom: noon},
		}, {
			name: "from the watermark on, ten minutes over", spec: connectors.StreamSpec{History: history}, s: syncing.Stream{Watermark: watermark}, cycle: scheduled,
			want: syncing.OpenRun{Mode: syncing.ModeIncremental, Trigger: syncing.TriggerSchedule, UpdatedSince: watermark.Add(-10 * time.Minute), StartedAt: noon, ReadFrom: noon},
		}, {
			name: "a list that is read in full each time", spec: connectors.StreamSpec{Snapshot: true}, s: syncing.Stream{Run: left(time.Minute)}, cycle: scheduled,
			want: syncing.OpenRun{Mode: syncing.ModeIncremental, Trigger: syncing.TriggerSchedule, StartedAt: noon, ReadFrom: noon},
		}, {
			name: "from a checkpoint", spec: connectors.StreamSpec{History: history}, s: syncing.Stream{Run: left(24*time.Hour - time.Second)}, cycle: scheduled,
			want: syncing.OpenRun{
				Mode: syncing.ModeBackfill, Trigger: syncing.TriggerBackfill, UpdatedSince: started.Add(-history), StartedAt: noon, ReadFrom: started, Skew: -time.Second,
				Cursor: "next", CursorPages: 12, Anchor: "a", SavedAt: noon.Add(time.Second - 24*time.Hour), Replaying: true, LastAt: started,
			},
		}, {
			name: "a checkpoint is good for a day", spec: connectors.StreamSpec{History: history}, s: syncing.Stream{Run: left(24 * time.Hour)}, cycle: scheduled,
			want: syncing.OpenRun{Mode: syncing.ModeBackfill, Trigger: syncing.TriggerBackfill, UpdatedSince: noon.Add(-history), StartedAt: noon, ReadFrom: noon},
		}, {
			name: "from a checkpoint behind a watermark", s: syncing.Stream{Watermark: watermark, Run: left(time.Minute)}, cycle: manual,
			want: syncing.OpenRun{
				Mode: syncing.ModeIncremental, Trigger: syncing.TriggerManual, UpdatedSince: started.Add(-history), StartedAt: noon, ReadFrom: started, Skew: -time.Second,
				Cursor: "next", CursorPages: 12, Anchor: "a", SavedAt: noon.Add(-time.Minute), Replaying: true, LastAt: started,
			},
		}, {
			name: "a parked run goes on as it is", s: syncing.Stream{Run: parked}, cycle: manual, want: *parked,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.spec.Stream = record.StreamTrades
			got := openRun(tt.spec, &tt.s, tt.cycle, noon)
			tt.want.Stream = record.StreamTrades
			if tt.want.ID == uuid.Nil {
				tt.want.ID, tt.want.CycleID = got.ID, tt.cycle.ID
				tt.want.Unproven = tt.want.Cursor == "" // older versions leave checkpoints without it
			}
			if diff := cmp.Diff(&tt.want, got, cmpopts.EquateComparable(uuid.UUID{})); diff != "" {
				t.Errorf("run (-want +got):\n%s", diff)
			}
			if got.ID == uuid.Nil {
				t.Error("the run has no id")
			}
		})
	}
}

func TestCheckpointOf(t *testing.T) {
	t.Parallel()
	run := syncing.OpenRun{
		ID: newID(), CycleID: newID(), Stream: record.StreamTrades, Mode: syncing.ModeBackfill, UpdatedSince: noon, ReadFrom: noon, StartedAt: noon, Skew: time.Second,
		Cursor: "next", Anchor: "a", CursorPages: 5, SavedAt: noon, Attempt: 2, Listed: true, Replaying: true, LastAt: noon,
		RunTotals: syncing.RunTotals{Pages: 5, Requests: 6, Seen: 1000, Inserted: 1000},
	}
	want := run
	want.ID, want.Attempt, want.Listed, want.RunTotals = uuid.Nil, 0, false, syncing.RunTotals{}
	if diff := cmp.Diff(&want, checkpointOf(&run)); diff != "" {
		t.Errorf("checkpoint (-want +got):\n%s", diff)
	}
	if run.Pages != 5 {
		t.Error("the run itself was changed")
	}
	run.Cursor = ""
	if left := checkpointOf(&run); left != nil {
		t.Errorf("checkpoint %+v of a run that has read nothing, want none", left)
	}
}

// TestNext chooses among the streams of a platform in the states in which a slice
// may find them.
func TestNext(t *testing.T) {
	t.Parallel()
	const traders, accounts, trades, payouts = record.StreamTraders, record.StreamAccounts, record.StreamTrades, record.StreamPayouts
	current, before := newID(), newID()
	done := func() *syncing.Stream { return &syncing.Stream{LastCycleID: current} }
	old := func() *syncing.Stream { return &syncing.Stream{LastCycleID: before} }
	parked := func(saved time.Duration, attempt int) *syncing.Stream {
		return &syncing.Stream{LastCycleID: before, Run: &syncing.OpenRun{ID: newID(), Mode: syncing.ModeBackfill, SavedAt: noon.Add(saved), Attempt: attempt}}
	}
	asked := func(in time.Duration) *syncing.Stream {
		return &syncing.Stream{LastCycleID: before, AskAgainAt: noon.Add(in)}
	}
	left := func() *syncing.Stream {
		return &syncing.Stream{LastCycleID: current, Run: &syncing.OpenRun{Cursor: "x"}}
	}
	type streams map[record.Stream]*syncing.Stream
	for _, tt := range []struct {
		name    string
		streams streams
		slot    time.Duration // from now; 0 means five minutes
		noted   bool          // a sync was requested
		first   record.Resource
		manual  bool          // the cycle was requested
		refused time.Duration // when the platform last refused trades, from now; 0 means that it did not
		step    step
		stream  record.Stream
	}{
		{name: "the first cycle begins with the first stream", streams: streams{}, step: stepStream, stream: traders},
		{name: "in the connector's order", streams: streams{traders: done(), trades: done()}, step: stepStream, stream: accounts},
		{name: "what another cycle read is read again", streams: streams{traders: done(), accounts: old(), trades: old(), payouts: old()}, step: stepStream, stream: accounts},
		{name: "everything was read", streams: streams{traders: done(), accounts: done(), trades: done(), payouts: done()}, step: stepDone},
		{name: "a checkpoint is for the next cycle", streams: streams{traders: done(), accounts: done(), trades: left(), payouts: done()}, step: stepDone},
		{
			name:    "an optional stream that is not there is left alone",
			streams: streams{traders: done(), accounts: done(), trades: done(), payouts: asked(time.Second)}, step: stepDone,
		},
		{
			name:    "until it is asked for again",
			streams: streams{traders: done(), accounts: done(), trades: done(), payouts: asked(0)}, step: stepStream, stream: payouts,
		},
		{
			name:    "or a person wants to know",
			streams: streams{traders: done(), accounts: done(), trades: done(), payouts: asked(time.Second)}, manual: true, step: stepStream, stream: payouts,
		},
		{
			name:    "others come before a parked backfill",
			streams: streams{traders: done(), accounts: done(), trades: parked(-time.Hour, 0), payouts: old()}, step: stepStream, stream: payouts,
		},
		{
			name:    "which goes on then",
			streams: streams{traders: done(), accounts: done(), trades: parked(-time.Hour, 0), payouts: done()}, step: stepBackfill, stream: trades,
		},
		{
			name:    "the first of several",
			streams: streams{traders: parked(-time.Hour, 0), accounts: done(), trades: parked(-time.Hour, 0), payouts: done()}, step: stepBackfill, stream: traders,
		},
		{
			name: "the slot has come: a new cycle", slot: -1,
			streams: streams{traders: done(), accounts: done(), trades: parked(-time.Minute, 0), payouts: done()}, step: stepNewCycle,
		},
		{
			name: "but not before the backfill has had its chance in the old one", slot: -1,
			streams: streams{traders: done(), accounts: done(), trades: parked(-time.Hour, 0), payouts: done()}, step: stepBackfill, stream: trades,
		},
		{
			name: "which it has had when its page could not be read", slot: -1,
			streams: streams{traders: done(), accounts: done(), trades: parked(-time.Hour, 1), payouts: done()}, step: stepNewCycle,
		},
		{
			name: "or the platform refused it", slot: -1, refused: -time.Minute,
			streams: streams{traders: done(), accounts: done(), trades: parked(-time.Hour, 0), payouts: done()}, step: stepNewCycle,
		},
		{
			name: "not when it had refused it in an earlier cycle", slot: -1, refused: -time.Hour,
			streams: streams{traders: done(), accounts: done(), trades: parked(-time.Hour, 0), payouts: done()}, step: stepBackfill, stream: trades,
		},
		{
			name: "nor when it refused another stream", slot: -1, refused: -time.Minute,
			streams: streams{traders: parked(-time.Hour, 0), accounts: done(), trades: done(), payouts: done()}, step: stepBackfill, stream: traders,
		},
		{
			name: "what keeps its place goes first", first: record.Trades, streams: streams{}, step: stepStream, stream: trades,
		},
		{
			name: "a person asked for a cycle", noted: true,
			streams: streams{traders: done(), accounts: done(), trades: parked(-time.Minute, 0), payouts: done()}, step: stepNewCycle,
		},
		{
			name: "and waits as long as a slot would", noted: true,
			streams: streams{traders: done(), accounts: done(), trades: parked(-time.Hour, 0), payouts: done()}, step: stepBackfill, stream: trades,
		},
		{
			name: "which comes after this one otherwise", noted: true,
			streams: streams{traders: done(), accounts: done(), trades: done(), payouts: done()}, step: stepDone,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if tt.slot == 0 {
				tt.slot = 5 * time.Minute
			}
			trigger := syncing.TriggerSchedule
			if tt.manual {
				trigger = syncing.TriggerManual
			}
			c := &cycle{
				engine: New(Config{Now: func() time.Time { return noon }, Registerer: noRegistry{}}), began: noon,
				claim:    &syncing.Claim{Now: noon, SlotAt: noon.Add(tt.slot), ManualNoted: tt.noted},
				cycle:    syncing.Cycle{ID: current, Trigger: trigger, StartedAt: noon.Add(-2 * time.Minute)},
				specs:    []connectors.StreamSpec{{Stream: traders}, {Stream: accounts}, {Stream: trades}, {Stream: payouts, Optional: true}},
				settings: syncing.Settings{Streams: tt.streams}, first: tt.first,
			}
			if tt.refused != 0 {
				c.throttling = syncing.Throttling{Refused: 1, Resource: record.Trades, LastAt: noon.Add(tt.refused)}
			}
			spec, step := c.nextStep()
			if step != tt.step || spec.Stream != tt.stream {
				t.Errorf("step %d with stream %q, want %d with %q", step, spec.Stream, tt.step, tt.stream)
			}
		})
	}
}
