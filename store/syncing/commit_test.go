package syncing_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/history"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// state returns everything that a commit may change.
func (b *cycle) state(t *testing.T) map[string][]string {
	t.Helper()
	rows := make(map[string][]string)
	for _, table := range []string{"integrations", "sync_state", "sync_streams", "sync_runs", "integration_transitions"} {
		rows[table] = b.Texts(t, `SELECT r::text FROM `+table+` r ORDER BY 1`)
	}
	return rows
}

func TestCommitIsFenced(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	row := b.EndedRun(syncing.RunSucceeded)
	storetest.CommitCycle(t, b.DB, b.Claim, syncing.CycleCommit{Cycle: &b.Claim.Cycle, Ended: []syncing.EndedRun{row}})
	everything := syncing.CycleCommit{
		Ended: []syncing.EndedRun{
			b.EndedRun(syncing.RunFailed, func(e *syncing.EndedRun) { e.Error = &syncing.Error{Code: "server_error"} }),
			b.EndedRun(syncing.RunSucceeded, func(e *syncing.EndedRun) { e.RepeatOf = row.Run.ID }),
		},
		Streams:   map[record.Stream]*syncing.Stream{record.StreamTrades: {Watermark: b.Claim.Now, LastStatus: syncing.RunSucceeded}},
		Health:    &syncing.HealthChange{From: syncing.HealthPending, To: syncing.HealthHealthy, Reason: "test"},
		StartedAt: b.Claim.Now, FinishedAt: b.Claim.Now, SuccessAt: b.Claim.Now, Failures: 3, NewSlot: true, Backoff: time.Hour,
		Transitions: []syncing.Transition{{Kind: "lease", Reason: "test"}},
	}
	before := b.state(t)
	for _, mode := range []syncing.DueMode{syncing.DueHold, syncing.DueAtSlot, syncing.DueAfter, syncing.DueNever} {
		everything.Due.Mode = mode
		for _, lease := range []syncing.Lease{
			{IntegrationID: b.Claim.IntegrationID, Token: b.Claim.Token - 1},
			{IntegrationID: b.Claim.IntegrationID, Token: b.Claim.Token + 1},
			{IntegrationID: uuid.Must(uuid.NewV7()), Token: b.Claim.Token},
		} {
			if err := syncing.CommitCycle(t.Context(), b.DB, lease, everything); !errors.Is(err, store.ErrFenced) {
				t.Errorf("mode %d, lease %+v: error %v, want ErrFenced", mode, lease, err)
			}
		}
	}
	if diff := cmp.Diff(before, b.state(t)); diff != "" {
		t.Errorf("a fenced commit wrote (-before +after):\n%s", diff)
	}
	storetest.CommitCycle(t, b.DB, b.Claim, everything)
	for table, rows := range b.state(t) {
		if cmp.Equal(rows, before[table]) {
			t.Errorf("%s did not change under the lease in force: the test shows nothing", table)
		}
	}
}

func TestCommitSaysWhatIsNext(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		manual bool // a sync was requested meanwhile
		s      syncing.CycleCommit
		cycle  bool // it continues
		want   string
	}{
		{
			name: "the turn goes on", cycle: true, s: syncing.CycleCommit{Due: syncing.Due{Mode: syncing.DueHold}},
			want: "owner=test-1 lease- f",
		}, {
			name: "until the slot", s: syncing.CycleCommit{Due: syncing.Due{Mode: syncing.DueAtSlot}},
			want: "owner=- slot- f",
		}, {
			name: "a sync was requested", manual: true, s: syncing.CycleCommit{Due: syncing.Due{Mode: syncing.DueAtSlot}},
			want: "owner=- now-requested t",
		}, {
			name: "a pause before the slot", s: syncing.CycleCommit{Due: syncing.Due{Mode: syncing.DueAtSlot}, Backoff: 50 * time.Minute},
			want: "owner=- slot,late- f",
		}, {
			name: "a person does not wait for it", manual: true, s: syncing.CycleCommit{Due: syncing.Due{Mode: syncing.DueAtSlot}, Backoff: 50 * time.Minute},
			want: "owner=- now-requested t",
		}, {
			name: "a yield", cycle: true, s: syncing.CycleCommit{Due: syncing.Due{Mode: syncing.DueAfter, Reason: "yield"}},
			want: "owner=- now-yield f",
		}, {
			name: "a wait", cycle: true, s: syncing.CycleCommit{Due: syncing.Due{Mode: syncing.DueAfter, After: 50 * time.Minute, Reason: "throttled"}},
			want: "owner=- late-throttled f",
		}, {
			name: "a sync that was asked for comes after a wait", manual: true, cycle: true, s: syncing.CycleCommit{Due: syncing.Due{Mode: syncing.DueAfter, After: 50 * time.Minute, Reason: "throttled"}},
			want: "owner=- late-throttled t",
		}, {
			name: "never", s: syncing.CycleCommit{Due: syncing.Due{Mode: syncing.DueNever, Reason: "blocked"}},
			want: "owner=- never-blocked f",
		}, {
			name: "this cycle is the one that was asked for", manual: true, cycle: true, s: syncing.CycleCommit{TakeManual: true},
			want: "owner=test-1 lease- f",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setupCycle(t)
			// No slot begins by itself within the next half hour.
			if _, err := b.Conn.Exec(t.Context(), `UPDATE sync_state SET period_ms = 3600000, slot_at = now() + interval '30 minutes'`); err != nil {
				t.Fatal(err)
			}
			storetest.PostponeSlots(t, b.Conn)
			if tt.manual {
				if reason, err := integrations.RequestSync(t.Context(), b.DB, store.SystemChange(b.Org), b.Claim.IntegrationID); err != nil || reason != "" {
					t.Fatalf("request: %q, %v", reason, err)
				}
			}
			if tt.cycle {
				tt.s.Cycle = &b.Claim.Cycle
			}
			storetest.CommitCycle(t, b.DB, b.Claim, tt.s)
			got := b.Texts(t, `SELECT concat_ws(' ', 'owner=' || coalesce(owner, '-'), CASE
                WHEN claimable_at = 'infinity' THEN 'never'
                WHEN claimable_at = slot_at AND slot_at > now() + interval '40 minutes' THEN 'slot,late'
                WHEN claimable_at = slot_at THEN 'slot'
                WHEN claimable_at > now() + interval '40 minutes' THEN 'late'
                WHEN claimable_at > now() THEN 'lease' ELSE 'now' END || '-' || coalesce(wait_reason, ''), manual) FROM sync_state`)
			if got[0] != tt.want {
				t.Errorf("owner, when and why, and the note: %q, want %q", got[0], tt.want)
			}
			if got := b.Texts(t, `SELECT concat_ws(' ', cycle_id IS NOT NULL, cycle_trigger IS NOT NULL, cycle_started_at IS NOT NULL) FROM sync_state`); tt.cycle != (got[0] == "t t t") || !tt.cycle != (got[0] == "f f f") {
				t.Errorf("the cycle's id, trigger and start are there: %s; it goes on: %t", got[0], tt.cycle)
			}
		})
	}
}

// TestCommitNewSlot begins a cycle in the middle of a claim.
func TestCommitNewSlot(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	if _, err := b.Conn.Exec(t.Context(), `UPDATE sync_state SET slot_at = now() - interval '1 hour'`); err != nil {
		t.Fatal(err)
	}
	b.Claim.Cycle.ID = uuid.Must(uuid.NewV7())
	storetest.CommitCycle(t, b.DB, b.Claim, syncing.CycleCommit{Cycle: &b.Claim.Cycle, NewSlot: true})
	got := b.Texts(t, `SELECT concat_ws(' ', slot_at > now() - interval '1 minute', slot_at <= now() + interval '5 minutes',
        (round(extract(epoch FROM slot_at) * 1000)::bigint - phase_ms) % period_ms, cycle_id = $1) FROM sync_state`, b.Claim.Cycle.ID)
	if got[0] != "t t 0 t" {
		t.Errorf("the slot is the next one on the grid and the cycle is the new one: %s", got[0])
	}
}

// TestCommitRuns checks that runs that changed nothing share a row, and that all others have their
// own.
func TestCommitRuns(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	first := b.EndedRun(syncing.RunSucceeded)
	storetest.CommitCycle(t, b.DB, b.Claim, syncing.CycleCommit{Cycle: &b.Claim.Cycle, Ended: []syncing.EndedRun{first}})
	var last syncing.EndedRun
	for i := range 2 {
		b.Claim.Cycle.ID = uuid.Must(uuid.NewV7())
		last = b.EndedRun(syncing.RunSucceeded, func(e *syncing.EndedRun) {
			e.RepeatOf, e.Run.Pages, e.FinishedAt = first.Run.ID, int64(10+i), b.Claim.Now.Add(time.Duration(i+1)*time.Minute)
		})
		storetest.CommitCycle(t, b.DB, b.Claim, syncing.CycleCommit{Cycle: &b.Claim.Cycle, Ended: []syncing.EndedRun{last}})
	}
	failed := b.EndedRun(syncing.RunFailed, func(e *syncing.EndedRun) {
		e.Error = &syncing.Error{Resource: "trades", Code: "server_error", Message: "It failed.", HTTPStatus: 500, Endpoint: "GET /trades", Hint: "Look."}
	})
	storetest.CommitCycle(t, b.DB, b.Claim, syncing.CycleCommit{Cycle: &b.Claim.Cycle, Ended: []syncing.EndedRun{failed}})

	runs, total, err := history.ListRuns(t.Context(), b.DB, b.Org, b.Claim.IntegrationID, history.RunFilter{}, store.Page{Number: 1, Limit: 10})
	if err != nil || total != 2 {
		t.Fatalf("%d rows, %v; want 2", total, err)
	}
	shared, own := runs[0], runs[1]
	if shared.ID != first.Run.ID {
		shared, own = own, shared
	}
	if shared.ID != first.Run.ID || shared.Repeats != 2 || shared.CycleID != last.Run.CycleID || shared.Pages != 11 ||
		!shared.StartedAt.Equal(first.Run.StartedAt) || !shared.FinishedAt.Equal(last.FinishedAt) {
		t.Errorf("shared row %+v, want the first's id and start, and the last's cycle, end and counts", shared)
	}
	if shared.RecordsSeen != 300 || shared.RecordsUnchanged != 300 || shared.UpdatedSince == nil || !shared.UpdatedSince.Equal(last.Run.UpdatedSince) {
		t.Errorf("shared row %+v: records older than the stored ones count as unchanged", shared)
	}
	if own.ID != failed.Run.ID || own.Repeats != 0 || own.Status != "failed" || own.Error == nil || own.Error.Code != "server_error" {
		t.Errorf("failed row %+v", own)
	}
}

// TestCommitTwice checks that a commit that is repeated, because it is unknown whether it was
// committed, does not double its rows.
func TestCommitTwice(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	s := syncing.CycleCommit{
		Ended:   []syncing.EndedRun{b.EndedRun(syncing.RunSucceeded)},
		Streams: map[record.Stream]*syncing.Stream{record.StreamTrades: {Watermark: b.Claim.Now}},
		Due:     syncing.Due{Mode: syncing.DueNever, Reason: "blocked"},
	}
	storetest.CommitCycle(t, b.DB, b.Claim, s)
	before := b.state(t)
	storetest.CommitCycle(t, b.DB, b.Claim, s)
	if diff := cmp.Diff(before, b.state(t)); diff != "" {
		t.Errorf("the second commit wrote (-before +after):\n%s", diff)
	}
}

// TestCommitTwiceAtOnce repeats the commit while the first attempt, whose result is unknown,
// still waits in the database. Streams that it saves for the first time exist once.
func TestCommitTwiceAtOnce(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	storetest.CommitCycle(t, b.DB, b.Claim, syncing.CycleCommit{Streams: map[record.Stream]*syncing.Stream{record.StreamTraders: {Watermark: b.Claim.Now.Add(-time.Hour)}}})
	s := syncing.CycleCommit{Streams: map[record.Stream]*syncing.Stream{
		record.StreamTraders: {Watermark: b.Claim.Now}, record.StreamTrades: {Watermark: b.Claim.Now},
	}}
	tx, err := b.Conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `SELECT FROM sync_state FOR UPDATE`); err != nil {
		t.Fatal(err)
	}
	observer := storetest.Conn(t, b.Conn.Config().ConnString()) // a transaction would keep seeing the first activity
	attempts := make(chan error, 2)
	for range cap(attempts) {
		go func() { attempts <- syncing.CommitCycle(t.Context(), b.DB, b.Claim.Lease, s) }()
	}
	storetest.Eventually(t, "both attempts wait", func() bool {
		var waiting int
		if err := observer.QueryRow(t.Context(), `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`).Scan(&waiting); err != nil {
			t.Fatal(err)
		}
		return waiting == cap(attempts)
	})
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range cap(attempts) {
		if err := <-attempts; err != nil {
			t.Error(err)
		}
	}
	got, err := syncing.ReadSettings(t.Context(), b.DB, &b.Claim)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(s.Streams, got.Streams); diff != "" {
		t.Errorf("streams (-saved +loaded):\n%s", diff)
	}
}

// TestCommitStreams checks that the saved state of a stream comes back with the next cycle.
func TestCommitStreams(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	run := b.NewRun(record.StreamTrades, syncing.ModeBackfill)
	run.Cursor, run.Anchor, run.CursorPages, run.SavedAt, run.LastAt = "next", "a", 5, b.Claim.Now, b.Claim.Now
	run.RunTotals = syncing.RunTotals{Pages: 5, Requests: 6, Seen: 1000, Inserted: 999, Quarantined: 1}
	at := b.Claim.Now.Add(123 * time.Microsecond)
	want := map[record.Stream]*syncing.Stream{
		record.StreamTrades: {Run: &run, LastStatus: syncing.RunThrottled, LastCycleID: uuid.Must(uuid.NewV7()), LastError: &syncing.Error{Code: "throttled", At: at}},
		record.StreamTraders: {
			Watermark: at, LastCycleID: uuid.Must(uuid.NewV7()), LastRunID: uuid.Must(uuid.NewV7()), LastStatus: syncing.RunSucceeded, LastSuccessAt: at,
		},
		record.StreamPayouts: {LastStatus: syncing.RunSkipped, AskAgainAt: at},
	}
	storetest.CommitCycle(t, b.DB, b.Claim, syncing.CycleCommit{Streams: want})
	got, err := syncing.ReadSettings(t.Context(), b.DB, &b.Claim)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got.Streams); diff != "" {
		t.Errorf("streams (-saved +loaded):\n%s", diff)
	}
}

func TestCommitHealth(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	at := b.Claim.Now.Add(time.Second)
	storetest.CommitCycle(t, b.DB, b.Claim, syncing.CycleCommit{
		Due: syncing.Due{Mode: syncing.DueAtSlot}, Failures: 2, StartedAt: b.Claim.Now, FinishedAt: at, SuccessAt: at,
		Health:      &syncing.HealthChange{From: syncing.HealthPending, To: syncing.HealthDegraded, Reason: "trades: server_error"},
		Transitions: []syncing.Transition{{Kind: "lease", Reason: "taken over"}},
	})
	i, err := integrations.Read(t.Context(), b.DB, b.Org, b.Claim.IntegrationID)
	if err != nil {
		t.Fatal(err)
	}
	if i.HealthStatus != syncing.HealthDegraded || !i.LastSyncStartedAt.Equal(b.Claim.Now) || !i.LastSyncFinishedAt.Equal(at) || !i.LastSuccessAt.Equal(at) {
		t.Errorf("integration %+v", i)
	}
	schedule, err := integrations.ReadSchedule(t.Context(), b.DB, b.Org, b.Claim.IntegrationID)
	if err != nil {
		t.Fatal(err)
	}
	if schedule.Failures != 2 {
		t.Errorf("%d failures, want 2", schedule.Failures)
	}
	var got []string
	for _, tr := range schedule.Transitions[:2] {
		line := tr.Kind + " " + tr.Reason
		if tr.From != nil && tr.To != nil {
			line += " " + *tr.From + " " + *tr.To
		}
		got = append(got, line)
	}
	if diff := cmp.Diff([]string{"lease taken over", "health trades: server_error pending degraded"}, got); diff != "" {
		t.Errorf("newest transitions (-want +got):\n%s", diff)
	}
	// Timestamps that a commit does not set remain unchanged.
	claim, err := syncing.ClaimOne(t.Context(), b.DB, "test-2", b.Claim.IntegrationID, storetest.Lease)
	if err != nil {
		t.Fatal(err)
	}
	storetest.CommitCycle(t, b.DB, claim, syncing.CycleCommit{Due: syncing.Due{Mode: syncing.DueAtSlot}})
	if again, err := integrations.Read(t.Context(), b.DB, b.Org, b.Claim.IntegrationID); err != nil || !again.LastSuccessAt.Equal(at) || again.HealthStatus != syncing.HealthDegraded {
		t.Errorf("integration %+v, %v; want the timestamps and the health as before", again, err)
	}
}
