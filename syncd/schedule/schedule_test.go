package schedule_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"go.uber.org/goleak"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/syncd/schedule"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(storetest.Suite{M: m}) }

// runner is a schedule.SliceRunner made of a function.
type runner func(ctx context.Context, claim syncing.Claim) error

func (t runner) RunSlice(ctx context.Context, claim syncing.Claim) error { return t(ctx, claim) }

// orgDB is a database with integrations.
type orgDB struct{ storetest.OrgDB }

func setup(t *testing.T) *orgDB {
	t.Helper()
	return &orgDB{storetest.NewOrgDB(t)}
}

// add makes n integrations that became due that long ago.
func (b *orgDB) add(t *testing.T, n int, ago time.Duration) {
	t.Helper()
	b.Exec(t, `WITH i AS (
    INSERT INTO integrations (id, organization_id, kind, name, base_url, api_key_preview, sync_interval_seconds, health_status)
    SELECT gen_random_uuid(), $1, 'custom_api', 'Platform', 'https://platform.test', '', 300, 'pending' FROM generate_series(1, $2) RETURNING id
)
INSERT INTO sync_state (integration_id, organization_id, kind, claimable_at, phase_ms, period_ms, slot_at)
SELECT id, $1, 'custom_api', now() - $3::interval, (extract(epoch FROM now())::bigint * 1000 + 1800000) % 3600000, 3600000, now() - interval '1 day' FROM i`, b.Org, n, ago)
}

// text returns the result of a query for one text.
func (b *orgDB) text(t *testing.T, query string, args ...any) (text string) {
	t.Helper()
	if err := b.Conn.QueryRow(t.Context(), query, args...).Scan(&text); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return text
}

// becomes waits until a query of one text returns the wanted text.
func (b *orgDB) becomes(t *testing.T, want, query string, args ...any) {
	t.Helper()
	got := ""
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); {
		if got = b.text(t, query, args...); got == want {
			return
		}
	}
	t.Fatalf("%s gives %q after a minute, want %q", query, got, want)
}

// config returns the configuration of a quick scheduler.
func (b *orgDB) config(owner string, run runner) schedule.Config {
	return schedule.Config{
		Store: b.DB, Runner: run, Registerer: prometheus.NewRegistry(), Log: slog.New(slog.DiscardHandler), Owner: owner,
		Slots: 8, Lease: time.Minute, Tick: 5 * time.Millisecond,
	}
}

// run starts a scheduler and returns a function that stops it and waits for its
// end. It is stopped at the end of the test at the latest.
func run(t *testing.T, s *schedule.Scheduler) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Work(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("run: %v", err)
		}
	})
	t.Cleanup(stop)
	return stop
}

// over ends a cycle: its integration is due again in half an hour.
func (b *orgDB) over(ctx context.Context, claim syncing.Claim) error {
	return syncing.CommitCycle(ctx, b.DB, claim.Lease, syncing.CycleCommit{Due: syncing.Due{Mode: syncing.DueAtSlot}})
}

// TestTurns works off what is due in as many slices at a time as there are slots,
// and each integration once.
func TestTurns(t *testing.T) {
	t.Parallel()
	const integrations, slots = 60, 8
	b := setup(t)
	b.add(t, integrations/2, 0)
	b.add(t, integrations/2, time.Hour)
	var running, most atomic.Int64
	full := make(chan struct{}) // closed when all slots are taken at once
	allTaken := sync.OnceFunc(func() { close(full) })
	c := b.config("a", func(ctx context.Context, claim syncing.Claim) error {
		n := running.Add(1)
		defer running.Add(-1)
		for seen := most.Load(); n > seen && !most.CompareAndSwap(seen, n); seen = most.Load() {
		}
		if n == slots {
			allTaken()
		}
		select {
		case <-full:
		case <-ctx.Done():
			return ctx.Err()
		}
		return b.over(ctx, claim)
	})
	c.Slots = slots
	registry := prometheus.NewRegistry()
	c.Registerer = registry
	s := schedule.New(c)
	stop := run(t, s)
	b.becomes(t, fmt.Sprint(integrations), `SELECT count(*)::text FROM sync_state WHERE token = 1 AND owner IS NULL AND claimable_at = slot_at`)
	stop()
	if n := most.Load(); n != slots {
		t.Errorf("at most %d slices ran at a time, want %d", n, slots)
	}
	if err := testutil.GatherAndCompare(registry, strings.NewReader(`# HELP assay_syncd_cycles_running Slices in progress in the process.
# TYPE assay_syncd_cycles_running gauge
assay_syncd_cycles_running 0
`), "assay_syncd_cycles_running"); err != nil {
		t.Errorf("after the end: %v", err)
	}
	// Nothing is claimed after the scheduler has stopped.
	b.add(t, 3, 0)
	s.PollNow()
	if got := b.text(t, `SELECT count(*)::text FROM sync_state WHERE token = 0`); got != "3" {
		t.Errorf("%s of 3 integrations are left alone after the end", got)
	}
}

// TestWithoutSlots: a process that leaves integrations to others still measures them and keeps house.
func TestWithoutSlots(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.add(t, 1, time.Hour)
	c := b.config("a", b.over)
	c.Slots = 0
	registry := prometheus.NewRegistry()
	c.Registerer = registry
	stop := run(t, schedule.New(c))
	b.becomes(t, "1", `SELECT count(*)::text FROM housekeeping WHERE job = 'interviews_close' AND due_at > now()`)
	storetest.Eventually(t, "the integrations are measured", func() bool {
		n, err := testutil.GatherAndCount(registry, "assay_syncd_integrations_polled")
		return err == nil && n == 1
	})
	stop()
	if got := b.text(t, `SELECT string_agg(token::text, ' ') FROM sync_state`); got != "0" {
		t.Errorf("claims of the integration: %s, want none", got)
	}
}

// TestHinderedIntegrations: platforms that hang after a failure take up half of the slots, however many
// there are and however long they have been due, and the others are read meanwhile.
func TestHinderedIntegrations(t *testing.T) {
	t.Parallel()
	const slots, hindered, sound = 8, 20, 30
	b := setup(t)
	b.add(t, hindered, time.Hour)
	b.Exec(t, `UPDATE sync_state SET failures = (integration_id::text < '8')::int, wait_reason = CASE WHEN integration_id::text >= '8' THEN 'retry' END`)
	b.add(t, sound, 0)
	hang := make(chan struct{})
	var hanging, most atomic.Int64
	c := b.config("a", func(ctx context.Context, claim syncing.Claim) error {
		if !claim.Hindered {
			return b.over(ctx, claim)
		}
		n := hanging.Add(1)
		defer hanging.Add(-1)
		for seen := most.Load(); n > seen && !most.CompareAndSwap(seen, n); seen = most.Load() {
		}
		select {
		case <-hang:
			return b.over(ctx, claim)
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	c.Slots = slots
	run(t, schedule.New(c))
	const read = `SELECT count(*)::text FROM sync_state WHERE token = 1 AND owner IS NULL AND claimable_at = slot_at`
	b.becomes(t, fmt.Sprint(sound), read)
	b.becomes(t, fmt.Sprint(slots/2), `SELECT count(owner)::text FROM sync_state`)
	close(hang)
	b.becomes(t, fmt.Sprint(sound+hindered), read)
	if n := most.Load(); n != slots/2 {
		t.Errorf("at most %d slices of platforms that hang ran at a time, want %d", n, slots/2)
	}
}

// TestSharedWork: several schedulers share the work, even if their clocks are
// wrong.
func TestSharedWork(t *testing.T) {
	t.Parallel()
	const integrations = 200
	b := setup(t)
	b.add(t, integrations, time.Minute)
	var wrong sync.Map
	for owner, off := range map[string]time.Duration{"right": 0, "fast": time.Hour, "slow": -time.Hour} {
		c := b.config(owner, func(ctx context.Context, claim syncing.Claim) error {
			if apart := time.Since(claim.Now).Abs(); apart > 10*time.Minute || !claim.Cycle.StartedAt.Equal(claim.Now) ||
				!claim.SlotAt.After(claim.Now) || claim.SlotAt.After(claim.Now.Add(time.Hour)) {
				wrong.Store(claim.IntegrationID, fmt.Sprintf("%s apart: %+v", apart, claim))
			}
			return b.over(ctx, claim)
		})
		c.Now = func() time.Time { return time.Now().Add(off) }
		run(t, schedule.New(c))
	}
	b.becomes(t, fmt.Sprint(integrations), `SELECT count(*)::text FROM sync_state WHERE token > 0 AND owner IS NULL`)
	if got := b.text(t, `SELECT max(token)::text FROM sync_state`); got != "1" {
		t.Errorf("an integration was claimed %s times", got)
	}
	wrong.Range(func(id, what any) bool {
		t.Errorf("claim of %s with a wrong time: %s", id, what)
		return true
	})
}

// TestPanic: a slice that panics harms only itself, and its integration is tried
// again when the lease has run out.
func TestPanic(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.add(t, 5, 0)
	bad := b.text(t, `SELECT min(integration_id::text) FROM sync_state`)
	var log logText
	var again atomic.Bool
	c := b.config("a", func(ctx context.Context, claim syncing.Claim) error {
		if claim.IntegrationID.String() != bad {
			return b.over(ctx, claim)
		}
		if claim.PriorOwner == "a" {
			again.Store(true)
			return b.over(ctx, claim)
		}
		panic("made by the test")
	})
	c.Log, c.Lease = slog.New(slog.NewTextHandler(&log, nil)), 300*time.Millisecond
	stop := run(t, schedule.New(c))
	b.becomes(t, "5", `SELECT count(*)::text FROM sync_state WHERE owner IS NULL AND claimable_at = slot_at`)
	stop()
	if !again.Load() {
		t.Error("the integration whose slice panicked was not taken over from the process itself")
	}
	if text := log.String(); !strings.Contains(text, "made by the test") || !strings.Contains(text, "level=ERROR") || !strings.Contains(text, bad) {
		t.Errorf("the log does not tell of the panic:\n%s", text)
	}
}

// logText collects a log.
type logText struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *logText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// TestFailedTurn: an integration whose slice fails is left until the lease runs
// out, and the others continue.
func TestFailedTurn(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.add(t, 1, 0)
	var slices atomic.Int64
	c := b.config("a", func(ctx context.Context, claim syncing.Claim) error {
		if slices.Add(1) == 1 {
			return errors.New("made by the test")
		}
		return b.over(ctx, claim)
	})
	c.Lease = time.Hour
	stop := run(t, schedule.New(c))
	b.becomes(t, "a 1", `SELECT concat_ws(' ', owner, token) FROM sync_state`)
	b.add(t, 1, 0)
	b.becomes(t, "1", `SELECT count(*)::text FROM sync_state WHERE claimable_at = slot_at`)
	if got := b.text(t, `SELECT concat_ws(' ', owner, token) FROM sync_state WHERE owner IS NOT NULL`); got != "a 1" {
		t.Errorf("owner and token of the failed one: %s, want its lease to run", got)
	}
	b.Exec(t, `UPDATE sync_state SET claimable_at = now() WHERE owner IS NOT NULL`)
	b.becomes(t, "2", `SELECT count(*)::text FROM sync_state WHERE claimable_at = slot_at`)
	stop()
}

// TestLostLease ends a slice that another process has taken over, and does not
// touch the new lease.
func TestLostLease(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.add(t, 1, 0)
	started, ended := make(chan struct{}), make(chan error, 1)
	c := b.config("a", func(ctx context.Context, _ syncing.Claim) error {
		close(started)
		<-ctx.Done()
		ended <- ctx.Err()
		return ctx.Err()
	})
	c.Lease = 300 * time.Millisecond
	s := schedule.New(c)
	stop := run(t, s)
	<-started
	b.Exec(t, `UPDATE sync_state SET owner = 'b', token = token + 1, claimable_at = now() + interval '1 hour'`)
	before := b.text(t, `SELECT s::text FROM sync_state s`)
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("the slice goes on a minute after its lease was lost")
	}
	stop()
	if after := b.text(t, `SELECT s::text FROM sync_state s`); after != before {
		t.Errorf("the new holder's row was\n%s\nand is\n%s", before, after)
	}
}

// TestHeartbeat keeps the lease of a slice that waits for its platform.
func TestHeartbeat(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.add(t, 1, 0)
	release := make(chan struct{})
	c := b.config("a", func(ctx context.Context, claim syncing.Claim) error {
		select {
		case <-release:
			return b.over(ctx, claim)
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	c.Lease = 600 * time.Millisecond
	run(t, schedule.New(c))
	b.becomes(t, "a", `SELECT coalesce(owner, '') FROM sync_state`)
	// The end of the lease moves on, again and again.
	for range 3 {
		until := b.text(t, `SELECT claimable_at::text FROM sync_state`)
		b.becomes(t, "t", `SELECT (claimable_at > $1::timestamptz)::text::char FROM sync_state`, until)
	}
	close(release)
	b.becomes(t, "true", `SELECT (owner IS NULL)::text FROM sync_state`)
}

// TestStopHandsBack: when the process is stopped, its integrations are free at
// once, whether or not their slices react.
func TestStopHandsBack(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		deaf bool // the slice ignores that it should end
	}{{"slices that end", false}, {"a slice that ignores its context", true}} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.add(t, 4, 0)
			release := make(chan struct{})
			var late atomic.Int64
			c := b.config("a", func(ctx context.Context, claim syncing.Claim) error {
				if !tt.deaf {
					<-ctx.Done()
					return ctx.Err()
				}
				<-release
				err := b.over(context.WithoutCancel(ctx), claim)
				if errors.Is(err, store.ErrFenced) {
					late.Add(1)
				}
				return err
			})
			stop := run(t, schedule.New(c))
			b.becomes(t, "4", `SELECT count(owner)::text FROM sync_state`)
			stopped := make(chan struct{})
			go func() {
				defer close(stopped)
				stop()
			}()
			b.becomes(t, "4", `SELECT count(*)::text FROM sync_state WHERE owner IS NULL AND claimable_at <= now() AND wait_reason = 'handed_back' AND cycle_id IS NOT NULL`)
			if tt.deaf {
				select {
				case <-stopped:
					t.Error("the scheduler ended although slices still run")
				default:
				}
			}
			close(release)
			<-stopped
			if tt.deaf && late.Load() != 4 {
				t.Errorf("%d of 4 slices that ended late were fenced", late.Load())
			}
			if got := b.text(t, `SELECT count(*)::text FROM sync_state WHERE wait_reason = 'handed_back'`); got != "4" {
				t.Errorf("%s of 4 integrations are still handed back after the end", got)
			}
		})
	}
}

// TestStartStop stops schedulers at any moment. They must leave no lease and no
// goroutine behind.
func TestStartStop(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.add(t, 40, time.Minute)
	for round := range 40 {
		c := b.config(fmt.Sprint("process-", round), func(ctx context.Context, claim syncing.Claim) error {
			// Due again at once, so that there is always something to claim.
			return syncing.CommitCycle(ctx, b.DB, claim.Lease, syncing.CycleCommit{Cycle: &claim.Cycle, Due: syncing.Due{Mode: syncing.DueAfter, Reason: "yield"}})
		})
		c.Tick = time.Duration(1+round%5) * time.Millisecond
		stop := run(t, schedule.New(c))
		if round%4 > 0 { // otherwise it is stopped before it has begun
			b.becomes(t, "t", `SELECT (sum(token) > $1)::text::char FROM sync_state`, b.tokens(t)+int64(round%7)*10)
		}
		stop()
		if got := b.text(t, `SELECT count(*)::text FROM sync_state WHERE owner IS NOT NULL OR claimable_at > now()`); got != "0" {
			t.Fatalf("round %d: %s leases are left behind", round, got)
		}
	}
}

// tokens counts all claims so far.
func (b *orgDB) tokens(t *testing.T) (n int64) {
	t.Helper()
	if err := b.Conn.QueryRow(t.Context(), `SELECT sum(token)::bigint FROM sync_state`).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestFullSlotsForgetNothing: integrations that became due while all slots were
// taken are claimed as soon as a slot is free, however long they have been due by
// then.
func TestFullSlotsForgetNothing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	release := make(chan struct{})
	c := b.config("a", func(ctx context.Context, claim syncing.Claim) error {
		select {
		case <-release:
			return b.over(ctx, claim)
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	// No ticks: the scheduler polls once, and then only on request.
	c.Slots, c.Tick = 1, time.Hour
	var passed, asked atomic.Int64
	polled := make(chan struct{})
	c.Now = func() time.Time {
		if asked.Add(1) == 2 {
			close(polled)
		}
		return time.Now().Add(time.Duration(passed.Load()))
	}
	s := schedule.New(c)
	run(t, s)
	<-polled // and found nothing, so that later polls do not look back to the beginning
	b.add(t, 1, 0)
	s.PollNow()
	b.becomes(t, "1", `SELECT count(owner)::text FROM sync_state`)
	const wait = 7 * time.Second // longer than normal polls look back, shorter than the time between wide polls
	b.add(t, 3, wait)
	passed.Store(int64(wait))
	s.PollNow()
	close(release)
	b.becomes(t, "4", `SELECT count(*)::text FROM sync_state WHERE owner IS NULL AND claimable_at = slot_at`)
}

// TestLatePoll: after the process has stood still, it polls for everything that has
// become due in that time.
func TestLatePoll(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var asleep atomic.Int64
	c := b.config("a", func(ctx context.Context, claim syncing.Claim) error { return b.over(ctx, claim) })
	c.Tick = time.Hour // it polls once, and then only on request
	c.Now = func() time.Time { return time.Now().Add(time.Duration(asleep.Load())) }
	s := schedule.New(c)
	run(t, s)
	b.add(t, 1, 0)
	s.PollNow()
	b.becomes(t, "1", `SELECT count(*)::text FROM sync_state WHERE claimable_at = slot_at`)
	const sleep = 7 * time.Second // see TestFullSlotsForgetNothing
	b.add(t, 3, sleep)
	asleep.Store(int64(sleep))
	s.PollNow()
	b.becomes(t, "4", `SELECT count(*)::text FROM sync_state WHERE claimable_at = slot_at`)
}

// TestDatabaseAway checks that claiming continues when the database comes back.
func TestDatabaseAway(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var log logText
	c := b.config("a", func(ctx context.Context, claim syncing.Claim) error { return b.over(ctx, claim) })
	c.Log = slog.New(slog.NewTextHandler(&log, nil))
	run(t, schedule.New(c))
	b.add(t, 1, 0)
	b.becomes(t, "1", `SELECT count(*)::text FROM sync_state WHERE claimable_at = slot_at`)
	// The scheduler's connections end, but not this one.
	b.Exec(t, `ALTER TABLE sync_state RENAME TO away`)
	for deadline := time.Now().Add(5 * time.Minute); !strings.Contains(log.String(), "claiming fails"); {
		if time.Now().After(deadline) {
			t.Fatal("the failure was not logged within a minute")
		}
	}
	b.Exec(t, `ALTER TABLE away RENAME TO sync_state`)
	b.Exec(t, `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)
	b.add(t, 1, 0)
	b.becomes(t, "2", `SELECT count(*)::text FROM sync_state WHERE claimable_at = slot_at`)
}
