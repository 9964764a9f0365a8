package syncing_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/ingest"
	"github.com/assayhq/assay/store/seal"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/integrations"
)

// fleet is many integrations.
type fleet struct {
	storetest.OrgDB
	ids []uuid.UUID // in the order in which they are due
}

// setupFleet creates n integrations, the i-th of which became due n-i seconds ago.
func setupFleet(t *testing.T, n int) *fleet {
	t.Helper()
	f := &fleet{OrgDB: storetest.NewOrgDB(t)}
	for range n {
		f.ids = append(f.ids, uuid.Must(uuid.NewV7()))
	}
	f.Exec(t, `INSERT INTO integrations (id, organization_id, kind, name, base_url, api_key_preview, sync_interval_seconds, health_status)
SELECT id, $1, 'custom_api', id::text, 'https://platform.test', '', 300, 'pending' FROM unnest($2::uuid[]) AS id`, f.Org, f.ids)
	f.Exec(t, `INSERT INTO sync_state (integration_id, organization_id, kind, claimable_at, phase_ms, period_ms, slot_at)
SELECT u.id, $1, 'custom_api', now() - make_interval(secs => cardinality($2::uuid[]) - u.n + 1), 0, 300000, now()
FROM unnest($2::uuid[]) WITH ORDINALITY AS u(id, n)`, f.Org, f.ids)
	return f
}

// TestClaimReads checks that a claim reads little more than the rows that it claims, regardless of
// how many are due and claimed, and of how few were due when the statistics were updated.
func TestClaimReads(t *testing.T) {
	t.Parallel()
	f := setupFleet(t, 20_000)
	for _, quiet := range []bool{false, true} {
		if quiet {
			f.Exec(t, `UPDATE sync_state SET claimable_at = claimable_at + interval '1 day'`)
		}
		f.Vacuum(t, "sync_state")
		if quiet {
			f.Exec(t, `UPDATE sync_state SET claimable_at = claimable_at - interval '1 day'`)
		}
		for _, limit := range []int{1, 32, 1000} {
			for _, within := range []time.Duration{0, 3 * time.Second, 12 * time.Hour} {
				for _, generic := range []bool{false, true} {
					statement, args := syncing.ClaimStatement(limit, within)
					what := fmt.Sprintf("statistics of a quiet time %t, %d of them, within %s, generic %t: a claim", quiet, limit, within, generic)
					storetest.Explain(t, f.DB, generic, statement, args...).CheckReads(t, what, 100+25*limit, 20+3*limit)
				}
			}
		}
	}
}

// claim claims due integrations. Without within there is no limit to how long they have been due.
func (f *fleet) claim(t *testing.T, owner string, limit int, within time.Duration) []syncing.Claim {
	t.Helper()
	claims, err := syncing.ClaimDue(t.Context(), f.DB, owner, storetest.Lease, syncing.Selection{Limit: limit, Within: within})
	if err != nil {
		t.Fatalf("claim due: %v", err)
	}
	return claims
}

// TestClaimDueConcurrently claims five hundred integrations from twenty processes at once.
func TestClaimDueConcurrently(t *testing.T) {
	t.Parallel()
	const integrations, processes = 500, 20
	f := setupFleet(t, integrations)
	var (
		taken  sync.Map // integration → owner
		total  atomic.Int64
		wg     sync.WaitGroup
		by     [processes]int
		cycles sync.Map
	)
	for p := range processes {
		wg.Go(func() {
			owner := fmt.Sprint("process-", p)
			for deadline := time.Now().Add(5 * time.Minute); total.Load() < integrations; {
				claims, err := syncing.ClaimDue(t.Context(), f.DB, owner, storetest.Lease, syncing.Selection{Limit: 7, Within: time.Duration(p%2) * time.Hour})
				if err != nil || time.Now().After(deadline) {
					t.Errorf("%s claims: %v, %d of %d are claimed", owner, err, total.Load(), integrations)
					return
				}
				for _, c := range claims {
					if first, twice := taken.LoadOrStore(c.IntegrationID, owner); twice {
						t.Errorf("%s and %s have both claimed %s", first, owner, c.IntegrationID)
					}
					if _, twice := cycles.LoadOrStore(c.Cycle.ID, true); twice || c.Cycle.ID == uuid.Nil {
						t.Errorf("cycle %s of %s is another's too", c.Cycle.ID, c.IntegrationID)
					}
					if c.Token != 1 || c.PriorOwner != "" {
						t.Errorf("token %d and prior owner %q of %s, want 1 and none", c.Token, c.PriorOwner, c.IntegrationID)
					}
				}
				by[p] += len(claims)
				total.Add(int64(len(claims)))
			}
		})
	}
	wg.Wait()
	if n := total.Load(); n != integrations {
		t.Errorf("%d claims, want %d", n, integrations)
	}
	if got := f.Texts(t, `SELECT concat_ws(' ', count(*), count(DISTINCT owner) > 1, min(token), max(token), min(claimable_at) > now()) FROM sync_state`); got[0] != "500 t 1 1 t" {
		t.Errorf("rows, several owners, least and highest token, all leased: %s", got[0])
	}
}

func TestClaimDueOrder(t *testing.T) {
	t.Parallel()
	f := setupFleet(t, 5)
	f.Exec(t, `UPDATE sync_state SET claimable_at = now() + interval '1 hour' WHERE integration_id = $1`, f.ids[0])
	f.Exec(t, `UPDATE sync_state SET claimable_at = 'infinity' WHERE integration_id = $1`, f.ids[2])
	got := make(map[uuid.UUID]bool)
	for _, c := range f.claim(t, "a", 2, 0) {
		got[c.IntegrationID] = true
	}
	if want := map[uuid.UUID]bool{f.ids[1]: true, f.ids[3]: true}; !cmp.Equal(got, want) {
		t.Errorf("claimed %v, want the two that were due first: %v", got, want)
	}
	if rest := f.claim(t, "a", 10, 0); len(rest) != 1 || rest[0].IntegrationID != f.ids[4] {
		t.Errorf("then %+v, want the third", rest)
	}
}

// TestClaimDueSkipsLocked checks that a locked row delays nobody.
func TestClaimDueSkipsLocked(t *testing.T) {
	t.Parallel()
	f := setupFleet(t, 3)
	tx, err := f.Conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec(t.Context(), `SELECT FROM sync_state WHERE integration_id = $1 FOR UPDATE`, f.ids[0]); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute) // it must not wait for the lock at all
	defer cancel()
	claims, err := syncing.ClaimDue(ctx, f.DB, "a", storetest.Lease, syncing.Selection{Limit: 10})
	if err != nil || len(claims) != 2 {
		t.Fatalf("%d claims beside a locked row, %v; want 2", len(claims), err)
	}
	if _, err := syncing.ClaimOne(ctx, f.DB, "a", f.ids[0], storetest.Lease); !errors.Is(err, store.ErrConflict) {
		t.Errorf("claiming the locked one gives %v, want ErrConflict", err)
	}
	if err := tx.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if claims := f.claim(t, "a", 10, 0); len(claims) != 1 || claims[0].IntegrationID != f.ids[0] {
		t.Errorf("claims %+v after the lock, want the one that was locked", claims)
	}
}

// TestClaimDueWithin checks that rows that have been due for longer are ignored.
func TestClaimDueWithin(t *testing.T) {
	t.Parallel()
	f := setupFleet(t, 2)
	f.Exec(t, `UPDATE sync_state SET claimable_at = now() - interval '1 hour' WHERE integration_id = $1`, f.ids[0])
	// On a slow machine the second one may also be too old by the time of the claim, so it is made
	// due until it is found.
	storetest.Eventually(t, "the one just due is claimed", func() bool {
		f.Exec(t, `UPDATE sync_state SET claimable_at = now() WHERE integration_id = $1`, f.ids[1])
		claims := f.claim(t, "a", 10, 3*time.Second)
		for _, c := range claims {
			if c.IntegrationID == f.ids[0] {
				t.Fatal("one that was due an hour ago was claimed by a look that reaches no further than three seconds")
			}
		}
		return len(claims) == 1
	})
	if claims := f.claim(t, "a", 10, 0); len(claims) != 1 || claims[0].IntegrationID != f.ids[0] {
		t.Errorf("a look at all claims %+v, want the old one", claims)
	}
}

// onGrid checks the slots of the fleet's claimed rows.
func (f *fleet) onGrid(t *testing.T) {
	t.Helper()
	bad := f.Texts(t, `SELECT concat_ws(' ', phase_ms, period_ms, slot_at, now()) FROM sync_state WHERE NOT (
    (round(extract(epoch FROM slot_at) * 1000)::bigint - phase_ms) % period_ms = 0 AND slot_at > last_started_at
    AND slot_at <= last_started_at + make_interval(secs => period_ms / 1000.0))`)
	if len(bad) > 0 {
		t.Errorf("%d slots are not the next ones on the grid, such as (phase, period, slot, now) %s", len(bad), bad[0])
	}
}

// TestSlots checks that slots lie on the epoch's grid, each integration's at its own phase, and
// that one cycle makes up for all slots that passed.
func TestSlots(t *testing.T) {
	t.Parallel()
	f := setupFleet(t, 60)
	f.Exec(t, `UPDATE sync_state s SET period_ms = p.period, phase_ms = (p.n * 7919) % p.period, claimable_at = now() - interval '9 hours', slot_at = now() - interval '9 hours'
FROM (SELECT integration_id, row_number() OVER () AS n, (ARRAY[60000, 300000, 61000, 3600000])[1 + row_number() OVER () % 4] AS period FROM sync_state) p
WHERE p.integration_id = s.integration_id`)
	claims := f.claim(t, "a", 100, 0)
	if len(claims) != 60 {
		t.Fatalf("%d claims, want 60", len(claims))
	}
	for _, c := range claims {
		f.Exec(t, `UPDATE sync_state SET last_started_at = $2 WHERE integration_id = $1`, c.IntegrationID, c.Now)
		if !c.Cycle.StartedAt.Equal(c.Now) || c.Cycle.Trigger != syncing.TriggerSchedule {
			t.Errorf("cycle %+v of the claim at %s", c.Cycle, c.Now)
		}
	}
	f.onGrid(t)
	for _, c := range claims {
		storetest.CommitCycle(t, f.DB, c, syncing.CycleCommit{Due: syncing.Due{Mode: syncing.DueAtSlot}})
	}
	f.onGrid(t)
	// Those whose slots have passed since the claim are due from then on.
	if got := f.Texts(t, `SELECT count(*)::text FROM sync_state WHERE claimable_at NOT BETWEEN slot_at AND greatest(slot_at, now()) OR wait_reason IS NOT NULL`); got[0] != "0" {
		t.Errorf("%s integrations do not wait for their slots", got[0])
	}
}

// TestSlotsStayPut checks that within one slot, the next slot remains the same however often an
// integration is claimed.
func TestSlotsStayPut(t *testing.T) {
	t.Parallel()
	f := setupFleet(t, 1)
	// This is the middle between two slots, half an hour from either.
	f.Exec(t, `UPDATE sync_state SET period_ms = 3600000`)
	storetest.PostponeSlots(t, f.Conn)
	slots := make(map[string]bool)
	for range 5 {
		f.Exec(t, `UPDATE sync_state SET claimable_at = now()`)
		for _, c := range f.claim(t, "a", 1, 0) {
			storetest.CommitCycle(t, f.DB, c, syncing.CycleCommit{Due: syncing.Due{Mode: syncing.DueAtSlot}})
		}
		slots[f.Texts(t, `SELECT slot_at::text FROM sync_state`)[0]] = true
	}
	if len(slots) != 1 {
		t.Errorf("slots %v, want one", slots)
	}
}

// TestPhase checks that an integration's place on the grid depends only on its id and interval.
func TestPhase(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	phase := func(interval int) string {
		t.Helper()
		if _, err := integrations.Update(t.Context(), b.DB, store.SystemChange(b.Org), b.Claim.IntegrationID, integrations.Patch{SyncIntervalSeconds: &interval}); err != nil {
			t.Fatal(err)
		}
		return b.Texts(t, `SELECT concat_ws(' ', phase_ms, period_ms) FROM sync_state`)[0]
	}
	first := b.Texts(t, `SELECT concat_ws(' ', phase_ms, period_ms) FROM sync_state`)[0]
	short := phase(60)
	if again := phase(300); again != first {
		t.Errorf("phase and period %s after a change there and back, want %s", again, first)
	}
	if again := phase(60); again != short {
		t.Errorf("phase and period %s after a change there and back, want %s", again, short)
	}
}

func TestHandBack(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	f := &fleet{OrgDB: b.OrgDB}
	run := b.NewRun(record.StreamTrades, syncing.ModeBackfill)
	run.Cursor = "next"
	b.WritePage(t, run, trades(storetest.Trade("a", "1", 0)), func(p *ingest.PageCommit) { p.More = true })
	stale := b.Claim.Lease
	stale.Token--
	for _, l := range []syncing.Lease{stale, {IntegrationID: uuid.Must(uuid.NewV7()), Token: 1}} {
		if err := syncing.ReleaseLease(t.Context(), b.DB, l); err != nil {
			t.Fatal(err)
		}
	}
	if got := b.Texts(t, `SELECT owner FROM sync_state`)[0]; got != "test-1" {
		t.Fatalf("a stale lease handed back that of %s", got)
	}
	if err := syncing.ReleaseLease(t.Context(), b.DB, b.Claim.Lease); err != nil {
		t.Fatal(err)
	}
	if got := b.Texts(t, `SELECT concat_ws(' ', owner IS NULL, claimable_at <= now(), wait_reason, cycle_id IS NOT NULL, run->>'cursor') FROM sync_state`)[0]; got != "t t handed_back t next" {
		t.Errorf("free, due, the reason, the cycle and the checkpoint: %s", got)
	}
	// The previous holder cannot write any more, even before another process claims it.
	if _, err := ingest.WritePage(t.Context(), b.DB, ingest.PageCommit{Claim: &b.Claim, Batch: trades(storetest.Trade("a", "2", 0)), Run: run, More: true, Lease: storetest.Lease}); !errors.Is(err, store.ErrFenced) {
		t.Errorf("writing a page under it gives %v, want ErrFenced", err)
	}
	if err := syncing.CommitCycle(t.Context(), b.DB, b.Claim.Lease, syncing.CycleCommit{}); !errors.Is(err, store.ErrFenced) {
		t.Errorf("settling under it gives %v, want ErrFenced", err)
	}
	claims := f.claim(t, "test-2", 1, 0)
	if len(claims) != 1 || claims[0].PriorOwner != "" || claims[0].Cycle.ID != b.Claim.Cycle.ID || claims[0].Run == nil || claims[0].Run.ID != run.ID {
		t.Errorf("claims %+v, want the same cycle and run, and no owner before", claims)
	}
	// A second release under the old lease does not affect the new one.
	if err := syncing.ReleaseLease(t.Context(), b.DB, b.Claim.Lease); err != nil {
		t.Fatal(err)
	}
	if got := b.Texts(t, `SELECT owner FROM sync_state`)[0]; got != "test-2" {
		t.Errorf("owner %q after the old lease was handed back twice", got)
	}
}

func TestHeartbeat(t *testing.T) {
	t.Parallel()
	f := setupFleet(t, 6)
	claims := f.claim(t, "a", 6, 0)
	byID := make(map[uuid.UUID]syncing.Lease)
	for _, c := range claims {
		byID[c.IntegrationID] = c.Lease
	}
	f.Exec(t, `UPDATE sync_state SET claimable_at = now() - interval '1 second'`)
	// Of six leases, the first two are in force, one of which has expired but has not been claimed.
	// The others were lost in four ways.
	taken, given, settled, held := f.ids[2], f.ids[3], f.ids[4], f.ids[5]
	if _, err := syncing.ClaimOne(t.Context(), f.DB, "b", taken, storetest.Lease); err != nil {
		t.Fatal(err)
	}
	if err := syncing.ReleaseLease(t.Context(), f.DB, byID[given]); err != nil {
		t.Fatal(err)
	}
	if err := syncing.CommitCycle(t.Context(), f.DB, byID[settled], syncing.CycleCommit{Due: syncing.Due{Mode: syncing.DueAtSlot}}); err != nil {
		t.Fatal(err)
	}
	inactive := false
	if _, err := integrations.Update(t.Context(), f.DB, store.SystemChange(f.Org), held, integrations.Patch{IsActive: &inactive}); err != nil {
		t.Fatal(err)
	}
	before := f.Texts(t, `SELECT s::text FROM sync_state s WHERE integration_id = ANY ($1) ORDER BY 1`, f.ids[2:])
	got := make(map[uuid.UUID]bool)
	for id, l := range byID {
		err := syncing.ExtendLease(t.Context(), f.DB, l, time.Hour)
		if errors.Is(err, store.ErrFenced) {
			got[id] = true
		} else if err != nil {
			t.Fatal(err)
		}
	}
	if want := map[uuid.UUID]bool{taken: true, given: true, settled: true, held: true}; !cmp.Equal(got, want) {
		t.Errorf("lost %v, want %v", got, want)
	}
	if diff := cmp.Diff(before, f.Texts(t, `SELECT s::text FROM sync_state s WHERE integration_id = ANY ($1) ORDER BY 1`, f.ids[2:])); diff != "" {
		t.Errorf("rows whose lease was lost changed (-before +after):\n%s", diff)
	}
	if got := f.Texts(t, `SELECT count(*)::text FROM sync_state WHERE claimable_at > now() + interval '30 minutes' AND owner = 'a'`)[0]; got != "2" {
		t.Errorf("%s leases were extended, want 2", got)
	}
}

func TestClaimOne(t *testing.T) {
	t.Parallel()
	patch := func(p integrations.Patch) func(*testing.T, *cycle) {
		return func(t *testing.T, b *cycle) {
			if _, err := integrations.Update(t.Context(), b.DB, store.SystemChange(b.Org), b.Claim.IntegrationID, p); err != nil {
				t.Fatal(err)
			}
		}
	}
	off, key := false, seal.NewSecret("fedcba9876543210")
	for _, tt := range []struct {
		name  string
		set   func(*testing.T, *cycle) // from the state in which test-1 holds the lease
		want  error
		prior string
		same  bool // the cycle continues
	}{
		{name: "somebody holds it", want: store.ErrConflict},
		{name: "switched off", set: patch(integrations.Patch{IsActive: &off}), want: store.ErrBlocked},
		{name: "waiting for a live check", set: patch(integrations.Patch{APIKey: &key}), want: store.ErrBlocked},
		{
			name: "deleted", want: store.ErrBlocked,
			set: func(t *testing.T, b *cycle) {
				if err := integrations.Delete(t.Context(), b.DB, store.SystemChange(b.Org), b.Claim.IntegrationID, nil); err != nil {
					t.Fatal(err)
				}
			},
		},
		{
			name: "unknown", want: store.ErrNotFound,
			set: func(_ *testing.T, b *cycle) { b.Claim.IntegrationID = uuid.Must(uuid.NewV7()) },
		},
		{
			name: "blocked by the platform", want: store.ErrBlocked,
			set: func(t *testing.T, b *cycle) {
				storetest.CommitCycle(t, b.DB, b.Claim, syncing.CycleCommit{Due: syncing.Due{Mode: syncing.DueNever, Reason: "blocked"}})
			},
		},
		{
			name: "its process has died", prior: "test-1", same: true,
			set: func(t *testing.T, b *cycle) {
				if _, err := b.Conn.Exec(t.Context(), `UPDATE sync_state SET claimable_at = now() - interval '1 second'`); err != nil {
					t.Fatal(err)
				}
			},
		},
		{
			name: "in the middle of a wait", same: true,
			set: func(t *testing.T, b *cycle) {
				storetest.CommitCycle(t, b.DB, b.Claim, syncing.CycleCommit{Cycle: &b.Claim.Cycle, Due: syncing.Due{Mode: syncing.DueAfter, After: time.Hour, Reason: "throttled"}})
			},
		},
		{
			name: "before its slot",
			set: func(t *testing.T, b *cycle) {
				storetest.CommitCycle(t, b.DB, b.Claim, syncing.CycleCommit{Due: syncing.Due{Mode: syncing.DueAtSlot}})
			},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setupCycle(t)
			if tt.set != nil {
				tt.set(t, b)
			}
			claim, err := syncing.ClaimOne(t.Context(), b.DB, "test-2", b.Claim.IntegrationID, storetest.Lease)
			if !errors.Is(err, tt.want) {
				t.Fatalf("error %v, want %v", err, tt.want)
			}
			if tt.want != nil {
				return
			}
			if claim.PriorOwner != tt.prior || (claim.Cycle.ID == b.Claim.Cycle.ID) != tt.same || claim.Token != b.Claim.Token+1 {
				t.Errorf("claim %+v, want prior owner %q, the same cycle %t, the next token", claim, tt.prior, tt.same)
			}
		})
	}
}
