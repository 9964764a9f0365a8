package webhooks_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/ingest"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/integrations"
	"github.com/assayhq/assay/store/webhooks"
)

// told lists the deliveries of an endpoint in their order, as sequence, kind and
// status.
func (b *cycle) told(t testing.TB, endpoint uuid.UUID) []string {
	t.Helper()
	return b.Texts(t, `SELECT concat_ws(' ', sequence, event_type, status) FROM webhook_deliveries WHERE endpoint_id = $1 ORDER BY sequence`, endpoint)
}

func traderPage(at time.Time, ids ...string) record.Batch {
	var b record.Batch
	for _, id := range ids {
		b.Traders = append(b.Traders, record.Trader{ID: id, UpdatedAt: at})
	}
	return b
}

// TestEventsOfPages checks that pages emit events about their changes, after the first complete
// read and if somebody subscribes.
func TestEventsOfPages(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	at := b.Claim.Now.Add(-time.Hour).Truncate(time.Second)
	b.WritePage(t, b.NewRun(record.StreamTraders, syncing.ModeIncremental), traderPage(at, "T0"))
	if n := b.Texts(t, `SELECT count(*)::text FROM webhook_events`)[0]; n != "0" {
		t.Errorf("%s events although nobody subscribes", n)
	}
	all, some, off := b.CreateEndpoint(t, "*"), b.CreateEndpoint(t, "account.*", "payout.status_changed"), b.CreateEndpoint(t, "trader.created")
	if _, err := webhooks.UpdateEndpoint(t.Context(), b.DB, store.SystemChange(b.Org), off.ID, webhooks.EndpointPatch{IsActive: new(false)}); err != nil {
		t.Fatal(err)
	}
	account := func(status string, at time.Time) record.Batch {
		return record.Batch{Accounts: []record.Account{{ID: "A1", TraderID: "T1", Status: status, UpdatedAt: at}}}
	}
	b.WritePage(t, b.NewRun(record.StreamTraders, syncing.ModeBackfill), traderPage(at, "T1", "T2"))
	b.WritePage(t, b.NewRun(record.StreamAccounts, syncing.ModeBackfill), account("active", at))
	b.WritePage(t, b.NewRun(record.StreamTraders, syncing.ModeIncremental), traderPage(at.Add(time.Second), "T2", "T3"))
	b.WritePage(t, b.NewRun(record.StreamTraders, syncing.ModeIncremental), traderPage(at.Add(time.Second), "T2", "T3")) // unchanged
	b.WritePage(t, b.NewRun(record.StreamAccounts, syncing.ModeIncremental), account("active", at.Add(time.Second)))     // the same status
	b.WritePage(t, b.NewRun(record.StreamAccounts, syncing.ModeIncremental), account("breached", at.Add(2*time.Second)))
	b.WritePage(t, b.NewRun(record.StreamPayouts, syncing.ModeIncremental), record.Batch{Payouts: []record.Payout{{ID: "P1", Status: "paid", UpdatedAt: at}}})
	for name, c := range map[string]struct {
		endpoint uuid.UUID
		want     []string
	}{
		"everything": {all.ID, []string{
			"1 trader.updated pending", "2 trader.created pending", "3 account.status_changed pending", "4 payout.status_changed pending",
		}},
		"some":         {some.ID, []string{"1 account.status_changed pending", "2 payout.status_changed pending"}},
		"switched off": {off.ID, []string{"1 trader.created skipped"}},
	} {
		if diff := cmp.Diff(c.want, b.told(t, c.endpoint)); diff != "" {
			t.Errorf("%s is told (-want +got):\n%s", name, diff)
		}
	}
	data := b.Texts(t, `SELECT data->>'previous_status' || ' ' || (data->>'status') FROM webhook_events WHERE type = 'account.status_changed'`)
	if diff := cmp.Diff([]string{"active breached"}, data); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
}

// TestFirstStatus checks that an account that is read without a status emits events about the
// status that it gets, and about losing it.
func TestFirstStatus(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	e := b.CreateEndpoint(t, "*")
	at := b.Claim.Now.Add(-time.Hour).Truncate(time.Second)
	b.WritePage(t, b.NewRun(record.StreamAccounts, syncing.ModeBackfill), record.Batch{Accounts: []record.Account{{ID: "A1", TraderID: "T1", UpdatedAt: at}}})
	for n, status := range []string{"", "active", "active", "", "active"} {
		b.WritePage(t, b.NewRun(record.StreamAccounts, syncing.ModeIncremental), record.Batch{Accounts: []record.Account{{
			ID: "A1", TraderID: "T1", Status: status, Currency: fmt.Sprint("C", n), UpdatedAt: at.Add(time.Duration(n+1) * time.Second),
		}}})
	}
	want := []string{"1 account.status_changed pending", "2 account.status_changed pending", "3 account.status_changed pending"}
	if diff := cmp.Diff(want, b.told(t, e.ID)); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	data := b.Texts(t, `SELECT concat_ws(' to ', coalesce(data->>'previous_status', 'none'), coalesce(data->>'status', 'none')) FROM webhook_events ORDER BY id`)
	if diff := cmp.Diff([]string{"none to active", "active to none", "none to active"}, data); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
}

// TestEventsOfMergedTraders checks that a trader from the platform who replaces one added by hand
// is not a new one.
func TestEventsOfMergedTraders(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	e := b.CreateEndpoint(t, "trader.*")
	email := "zoe@example.com"
	made, err := directory.CreateTrader(t.Context(), b.DB, store.SystemChange(b.Org), directory.NewTrader{FullName: "Zoe", Email: &email})
	if err != nil {
		t.Fatal(err)
	}
	b.WritePage(t, b.NewRun(record.StreamTraders, syncing.ModeIncremental), record.Batch{Traders: []record.Trader{{ID: "T1", Email: email, UpdatedAt: b.Claim.Now}}})
	if diff := cmp.Diff([]string{"1 trader.created pending", "2 trader.updated pending"}, b.told(t, e.ID)); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	ids := b.Texts(t, `SELECT data->>'trader_id' FROM webhook_events`)
	if diff := cmp.Diff([]string{made.ID.String(), made.ID.String()}, ids); diff != "" {
		t.Errorf("traders (-want +got):\n%s", diff)
	}
}

// TestNothingIsToldOfWhatDidNotHappen checks that a rolled-back change leaves neither an event nor
// a gap.
func TestNothingIsToldOfWhatDidNotHappen(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	e := b.CreateEndpoint(t, "*")
	id := "X1"
	for range 2 { // the second one is a conflict
		_, err := directory.CreateTrader(t.Context(), b.DB, store.SystemChange(b.Org), directory.NewTrader{FullName: "Zoe", ExternalID: &id})
		if err != nil && !errors.Is(err, store.ErrConflict) {
			t.Fatal(err)
		}
	}
	refused := errors.New("refused")
	err := integrations.Delete(t.Context(), b.DB, store.SystemChange(b.Org), b.Claim.IntegrationID, func(integrations.Integration) error { return refused })
	if !errors.Is(err, refused) {
		t.Fatal(err)
	}
	if err := integrations.Delete(t.Context(), b.DB, store.SystemChange(b.Org), b.Claim.IntegrationID, nil); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"1 trader.created pending", "2 integration.deleted pending"}, b.told(t, e.ID)); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// TestEndpointIsDue checks that an endpoint is due from the first event on until all deliveries are
// made, and that no two processes hold it.
func TestEndpointIsDue(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	e := b.CreateEndpoint(t, "*")
	due := func() int64 {
		t.Helper()
		n, _, err := webhooks.CountDueEndpoints(t.Context(), b.DB)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	happen := func() {
		if _, err := directory.CreateTrader(t.Context(), b.DB, store.SystemChange(b.Org), directory.NewTrader{FullName: "Zoe"}); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		happen()
	}
	if n := due(); n != 1 {
		t.Errorf("%d endpoints are due", n)
	}
	run, err := webhooks.ClaimEndpoint(t.Context(), b.DB, e.ID, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := webhooks.ClaimEndpoint(t.Context(), b.DB, e.ID, time.Minute); !errors.Is(err, store.ErrFenced) {
		t.Errorf("a second process has it in hand too: %v", err)
	}
	if others, err := webhooks.ClaimDeliveries(t.Context(), b.DB, webhooks.Room{Places: 10, Hindered: 10}, time.Minute); err != nil || len(others) > 0 {
		t.Errorf("a second process has %d in hand too, %v", len(others), err)
	}
	list, err := webhooks.ReadDue(t.Context(), b.DB, e.ID, 10)
	if err != nil || len(list.Due) != 3 {
		t.Fatalf("%d due, %v", len(list.Due), err)
	}
	happen() // while they are made
	p := webhooks.Progress{Run: &run, Lease: time.Minute, Finish: true, Version: list.Version, Next: -time.Second}
	if done, err := webhooks.RecordAttempts(t.Context(), b.DB, p); err != nil || done.Finished {
		t.Errorf("the run ended (%v) although something was added: %v", done.Finished, err)
	}
	if list, err = webhooks.ReadDue(t.Context(), b.DB, e.ID, 10); err != nil || len(list.Due) != 4 {
		t.Fatalf("%d due, %v", len(list.Due), err)
	}
	p.Version = list.Version
	if done, err := webhooks.RecordAttempts(t.Context(), b.DB, p); err != nil || !done.Finished {
		t.Errorf("the run did not end: %v", err)
	}
	if n := due(); n != 0 {
		t.Errorf("%d endpoints are due when nothing waits", n)
	}
	if happen(); due() != 1 {
		t.Error("an endpoint for which something has happened is not due")
	}
	if _, err := webhooks.RecordAttempts(t.Context(), b.DB, webhooks.Progress{Run: &webhooks.Run{EndpointID: e.ID, Number: 99}}); !errors.Is(err, store.ErrFenced) {
		t.Errorf("a run that was never begun writes: %v", err)
	}
}

// TestDeadProcess checks that another process claims a dead process's endpoint when its lease has
// expired, and that the dead one's writes are refused.
func TestDeadProcess(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	e := b.CreateEndpoint(t, "*")
	if _, err := directory.CreateTrader(t.Context(), b.DB, store.SystemChange(b.Org), directory.NewTrader{FullName: "Zoe"}); err != nil {
		t.Fatal(err)
	}
	dead, err := webhooks.ClaimEndpoint(t.Context(), b.DB, e.ID, time.Microsecond)
	if err != nil || dead.Revived {
		t.Fatalf("claimed %+v, %v", dead, err)
	}
	next, err := webhooks.ClaimEndpoint(t.Context(), b.DB, e.ID, time.Minute)
	if err != nil || !next.Revived {
		t.Fatalf("claimed %+v, %v", next, err)
	}
	if _, err := webhooks.RecordAttempts(t.Context(), b.DB, webhooks.Progress{Run: &dead}); !errors.Is(err, store.ErrFenced) {
		t.Errorf("the dead process writes: %v", err)
	}
	if _, err := webhooks.RecordAttempts(t.Context(), b.DB, webhooks.Progress{Run: &next, Lease: time.Minute}); err != nil {
		t.Errorf("the next process cannot write: %v", err)
	}
}

// TestCrowdedOut checks that endpoints for which a process has no place are left to others, and do
// not block those behind them.
func TestCrowdedOut(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	failing, sound := b.CreateEndpoint(t, "*"), b.CreateEndpoint(t, "*")
	if _, err := directory.CreateTrader(t.Context(), b.DB, store.SystemChange(b.Org), directory.NewTrader{FullName: "Zoe"}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Conn.Exec(t.Context(), `UPDATE webhook_states SET failures = 3, job_at = job_at - interval '1 minute' WHERE endpoint_id = $1`, failing.ID); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		room webhooks.Room
		want []uuid.UUID
	}{
		{"no place for the organization", webhooks.Room{Places: 9, Hindered: 9, Full: []uuid.UUID{b.Org}}, nil},
		{"none for its failing ones", webhooks.Room{Places: 9, Hindered: 9, HinderedFull: []uuid.UUID{b.Org}}, []uuid.UUID{sound.ID}},
		{"none for failing ones", webhooks.Room{Places: 9}, []uuid.UUID{sound.ID}},
		{"one place", webhooks.Room{Places: 1, Hindered: 1}, []uuid.UUID{failing.ID}},
		{"places for all", webhooks.Room{Places: 9, Hindered: 9, Full: []uuid.UUID{uuid.New()}, HinderedFull: []uuid.UUID{uuid.New()}}, []uuid.UUID{failing.ID, sound.ID}},
	} {
		runs, err := webhooks.ClaimDeliveries(t.Context(), b.DB, tt.room, time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		var got []uuid.UUID
		for i := range runs {
			got = append(got, runs[i].EndpointID)
			if err := webhooks.UnclaimDeliveries(t.Context(), b.DB, &runs[i]); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: claimed (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestFailingEndpointsTakeTurns checks that if a process has fewer places than failing endpoints,
// each is claimed once before any is claimed again.
func TestFailingEndpointsTakeTurns(t *testing.T) {
	t.Parallel()
	const all, places = 12, 5
	b := setupCycle(t)
	for range all {
		b.CreateEndpoint(t, "*")
	}
	if _, err := directory.CreateTrader(t.Context(), b.DB, store.SystemChange(b.Org), directory.NewTrader{FullName: "Zoe"}); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Conn.Exec(t.Context(), `UPDATE webhook_states SET failures = 1`); err != nil {
		t.Fatal(err)
	}
	claimed := make(map[uuid.UUID]bool)
	for len(claimed) < all {
		runs, err := webhooks.ClaimDeliveries(t.Context(), b.DB, webhooks.Room{Places: 40, Hindered: min(places, all-len(claimed))}, time.Minute)
		if err != nil || len(runs) == 0 {
			t.Fatalf("%d claimed after %d, %v", len(runs), len(claimed), err)
		}
		for i := range runs {
			if claimed[runs[i].EndpointID] {
				t.Fatalf("one was claimed again before others were, after %d", len(claimed))
			}
			claimed[runs[i].EndpointID] = true
			if err := webhooks.ReleaseDeliveries(t.Context(), b.DB, &runs[i], 0); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestEventsCross emits all kinds of events and changes endpoints at once: there are no deadlocks,
// and the numbers of every endpoint have no gap.
func TestEventsCross(t *testing.T) {
	t.Parallel()
	const rounds = 25
	b := setupCycle(t)
	var hooks []uuid.UUID
	for range 4 {
		hooks = append(hooks, b.CreateEndpoint(t, "*").ID)
	}
	var group sync.WaitGroup
	do := func(name string, f func(n int) error) {
		group.Go(func() {
			for n := range rounds {
				if err := f(n); err != nil && !errors.Is(err, store.ErrFenced) {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
	c := store.SystemChange(b.Org)
	at := b.Claim.Now.Add(-time.Hour).Truncate(time.Second)
	do("page", func(n int) error {
		_, err := ingest.WritePage(t.Context(), b.DB, ingest.PageCommit{
			Claim: &b.Claim, Batch: traderPage(at.Add(time.Duration(n)*time.Second), "T1", "T2", "T3"), Run: b.NewRun(record.StreamTraders, syncing.ModeIncremental), Lease: storetest.Lease,
		})
		return err
	})
	for writer := range 3 {
		do("trader", func(n int) error {
			email := fmt.Sprintf("%d.%d@example.com", writer, n)
			made, err := directory.CreateTrader(t.Context(), b.DB, c, directory.NewTrader{FullName: "Zoe", Email: &email})
			if err != nil {
				return err
			}
			_, err = directory.UpdateTrader(t.Context(), b.DB, c, made.ID, directory.TraderPatch{Status: new("restricted")})
			return err
		})
	}
	do("commit", func(n int) error {
		health := []syncing.Health{syncing.HealthHealthy, syncing.HealthDegraded}
		return syncing.CommitCycle(t.Context(), b.DB, b.Claim.Lease, syncing.CycleCommit{
			Cycle: &b.Claim.Cycle, Health: &syncing.HealthChange{From: health[n%2], To: health[(n+1)%2], Reason: "a test"},
		})
	})
	for i, id := range hooks {
		do("switch", func(n int) error {
			_, err := webhooks.UpdateEndpoint(t.Context(), b.DB, c, id, webhooks.EndpointPatch{IsActive: new(n%2 == 1)})
			return err
		})
		do("judge", func(n int) error {
			_, err := webhooks.JudgeEndpoint(t.Context(), b.DB, c, id, n%10 == i)
			return err
		})
		do("ping", func(int) error {
			_, err := webhooks.PingEndpoint(t.Context(), b.DB, c, id)
			return err
		})
	}
	do("claim", func(int) error {
		runs, err := webhooks.ClaimDeliveries(t.Context(), b.DB, webhooks.Room{Places: 2, Hindered: 2}, time.Minute)
		for i := range runs {
			err = errors.Join(err, webhooks.ReleaseDeliveries(t.Context(), b.DB, &runs[i], 0))
		}
		return err
	})
	group.Wait()
	for _, id := range hooks {
		told := b.told(t, id)
		for n, line := range told {
			if !strings.HasPrefix(line, fmt.Sprint(n+1, " ")) {
				t.Fatalf("after %d comes %s", n, line)
			}
		}
		if got := b.Texts(t, `SELECT sequence::text FROM webhook_states WHERE endpoint_id = $1`, id)[0]; got != fmt.Sprint(len(told)) {
			t.Errorf("%d deliveries, and the state says %s", len(told), got)
		}
	}
}

// TestRepeatedCommit checks that a commit that is written again, because its result was
// lost, emits no second event. The next cycle's commit does.
func TestRepeatedCommit(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	e := b.CreateEndpoint(t, "*")
	cycle := b.Claim.Cycle
	cycle.Trigger = syncing.TriggerManual
	s := syncing.CycleCommit{
		Cycle: &b.Claim.Cycle, Over: &cycle, FinishedAt: b.Claim.Now, Health: &syncing.HealthChange{From: syncing.HealthHealthy, To: syncing.HealthDegraded, Reason: "a test"},
	}
	for range 2 {
		if err := syncing.CommitCycle(t.Context(), b.DB, b.Claim.Lease, s); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"1 integration.degraded pending", "2 integration.sync_completed pending"}
	if diff := cmp.Diff(want, b.told(t, e.ID)); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	s.FinishedAt = s.FinishedAt.Add(time.Second)
	if err := syncing.CommitCycle(t.Context(), b.DB, b.Claim.Lease, s); err != nil {
		t.Fatal(err)
	}
	want = append(want, "3 integration.degraded pending", "4 integration.sync_completed pending")
	if diff := cmp.Diff(want, b.told(t, e.ID)); diff != "" {
		t.Errorf("told by the next (-want +got):\n%s", diff)
	}
	old := b.Texts(t, `SELECT id::text FROM webhook_events WHERE extract(epoch FROM now()) * 1000 - ('x' || lpad(replace(left(id::text, 13), '-', ''), 16, '0'))::bit(64)::bigint > 86400000`)
	if len(old) > 0 {
		t.Errorf("the ids %v would be forgotten before their time", old)
	}
}

// TestPruneWebhooks checks that payloads and responses are deleted after 30 days, the rest after
// 90.
func TestPruneWebhooks(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	e := b.CreateEndpoint(t, "*")
	for _, days := range []int{1, 29, 31, 89, 91, 200} {
		at := time.Now().AddDate(0, 0, -days)
		id := uuid.Must(uuid.NewV7())
		ms := at.UnixMilli()
		for i := range 6 {
			id[i] = byte(ms >> (40 - 8*i))
		}
		for _, statement := range []string{
			`INSERT INTO webhook_events (id, organization_id, type, occurred_at, data) VALUES ($1, $2, 'ping', $4, '{}'), ($1::uuid, $2, $3::text, $4, '{}') ON CONFLICT DO NOTHING`,
			`INSERT INTO webhook_deliveries (id, endpoint_id, organization_id, event_id, event_type, sequence, status, created_at) SELECT $1::uuid, $3::uuid, $2::uuid, $1::uuid, 'ping', 1, 'succeeded', $4::timestamptz`,
			`INSERT INTO webhook_attempts (delivery_id, number, trigger, started_at, latency_ms, response_body) SELECT $1::uuid, 1, 'schedule', $4::timestamptz, 1, 'thank you' WHERE $2::uuid IS NOT NULL AND $3::text IS NOT NULL`,
		} {
			if _, err := b.Conn.Exec(t.Context(), statement, id, b.Org, e.ID.String(), at); err != nil {
				t.Fatalf("%s: %v", statement, err)
			}
		}
	}
	if _, err := webhooks.Prune(t.Context(), b.DB); err != nil {
		t.Fatal(err)
	}
	got := b.Texts(t, `SELECT concat_ws(' ', (now()::date - d.created_at::date), v.data IS NOT NULL, a.response_body IS NOT NULL)
FROM webhook_deliveries AS d JOIN webhook_events AS v ON v.id = d.event_id JOIN webhook_attempts AS a ON a.delivery_id = d.id ORDER BY d.created_at DESC`)
	if diff := cmp.Diff([]string{"1 t t", "29 t t", "31 f f", "89 f f"}, got); diff != "" {
		t.Errorf("what is left (-want +got):\n%s", diff)
	}
	if left := b.Texts(t, `SELECT count(*)::text FROM webhook_events UNION ALL SELECT count(*)::text FROM webhook_attempts`); !slices.Equal(left, []string{"4", "4"}) {
		t.Errorf("events and attempts left: %v", left)
	}
}

// TestDeletedEndpoint checks that its secrets are deleted at once, and that it receives no events.
func TestDeletedEndpoint(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	e := b.CreateEndpoint(t, "*")
	if err := webhooks.DeleteEndpoint(t.Context(), b.DB, store.SystemChange(b.Org), e.ID, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := directory.CreateTrader(t.Context(), b.DB, store.SystemChange(b.Org), directory.NewTrader{FullName: "Zoe"}); err != nil {
		t.Fatal(err)
	}
	got := b.Texts(t, `SELECT concat_ws(' ', secret IS NULL, previous_secret IS NULL, (SELECT count(*) FROM webhook_deliveries)) FROM webhook_endpoints`)
	if diff := cmp.Diff([]string{"t t 0"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if list, err := webhooks.ListEndpoints(t.Context(), b.DB, b.Org); err != nil || len(list) != 0 {
		t.Errorf("%v, %v", list, err)
	}
}
