package webhooks_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/directory"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/webhooks"
)

// backlog writes deliveries of an endpoint that wait for an unavailable receiver.
func (b *cycle) backlog(t testing.TB, endpoint uuid.UUID, n int) {
	t.Helper()
	_, err := b.Conn.Exec(t.Context(), `WITH happened AS (
    INSERT INTO webhook_events (id, organization_id, type, data) SELECT gen_random_uuid(), $1, 'ping', '{}' FROM generate_series(1, $3) RETURNING id
), numbered AS (SELECT id, row_number() OVER () AS n FROM happened), state AS (
    UPDATE webhook_states SET sequence = sequence + $3, version = version + 1 WHERE endpoint_id = $2 RETURNING sequence - $3 AS before, era
)
INSERT INTO webhook_deliveries (id, endpoint_id, organization_id, event_id, event_type, sequence, era, status, next_attempt_at, created_at)
SELECT gen_random_uuid(), $2, $1, v.id, 'ping', s.before + v.n, s.era, 'pending', now(), now() + v.n * interval '1 microsecond' FROM numbered AS v, state AS s`, b.Org, endpoint, n)
	if err != nil {
		t.Fatal(err)
	}
}

// claimed claims an endpoint.
func (b *cycle) claimed(t testing.TB, endpoint uuid.UUID) webhooks.Run {
	t.Helper()
	run, err := webhooks.ClaimEndpoint(t.Context(), b.DB, endpoint, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// statuses counts an endpoint's deliveries by their status in the history.
func (b *cycle) statuses(t testing.TB, endpoint uuid.UUID) map[webhooks.DeliveryStatus]int {
	t.Helper()
	got := make(map[webhooks.DeliveryStatus]int)
	for _, s := range webhooks.DeliveryStatuses() {
		list, total, err := webhooks.ListDeliveries(t.Context(), b.DB, b.Org, endpoint, webhooks.DeliveryFilter{Status: s}, store.Page{Number: 1, Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range list {
			if d.Status != s {
				t.Errorf("a delivery that is %s is listed as %s", d.Status, s)
			}
		}
		if total > 0 {
			got[s] = total
		}
	}
	return got
}

func (b *cycle) switched(t testing.TB, endpoint uuid.UUID, active bool) {
	t.Helper()
	if _, err := webhooks.UpdateEndpoint(t.Context(), b.DB, store.SystemChange(b.Org), endpoint, webhooks.EndpointPatch{IsActive: &active}); err != nil {
		t.Fatal(err)
	}
}

// TestBacklogIsSkippedByAndBy checks that switching an endpoint off writes one row, however many
// deliveries wait. The history shows at once what a worker then does in limited steps.
func TestBacklogIsSkippedByAndBy(t *testing.T) {
	t.Parallel()
	const waiting = 6000
	for name, off := range map[string]func(t *testing.T, b *cycle, id uuid.UUID){
		"by hand": func(t *testing.T, b *cycle, id uuid.UUID) { b.switched(t, id, false) },
		"by 410": func(t *testing.T, b *cycle, id uuid.UUID) {
			if j, err := webhooks.JudgeEndpoint(t.Context(), b.DB, store.SystemChange(b.Org), id, true); err != nil || j != webhooks.JudgedDisabled {
				t.Fatalf("judged %q, %v", j, err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setupCycle(t)
			e := b.CreateEndpoint(t, "*")
			// The planner was last told that there are none.
			b.backlog(t, e.ID, 1)
			b.Exec(t, `DELETE FROM webhook_deliveries`)
			b.Exec(t, `ANALYZE webhook_deliveries`)
			b.backlog(t, e.ID, waiting)
			touched := func() string {
				return b.Texts(t, `SELECT count(*)::text FROM webhook_deliveries WHERE status = 'skipped'`)[0]
			}
			off(t, b, e.ID)
			if got := touched(); got != "0" {
				t.Errorf("switching off has written %s deliveries", got)
			}
			if diff := cmp.Diff(map[webhooks.DeliveryStatus]int{webhooks.DeliverySkipped: waiting}, b.statuses(t, e.ID)); diff != "" {
				t.Errorf("history (-want +got):\n%s", diff)
			}
			run := b.claimed(t, e.ID)
			due, err := webhooks.ReadDue(t.Context(), b.DB, e.ID, 10)
			if err != nil || len(due.Due) > 0 || !due.GivenUp {
				t.Fatalf("%d due, given up: %v, %v", len(due.Due), due.GivenUp, err)
			}
			if n, err := webhooks.SkipDeliveries(t.Context(), b.DB, &run); err != nil || n != 5000 {
				t.Errorf("skipped %d at first, %v", n, err)
			}
			if n, err := webhooks.SkipDeliveries(t.Context(), b.DB, &run); err != nil || n != waiting-5000 {
				t.Errorf("skipped %d then, %v", n, err)
			}
			if due, err = webhooks.ReadDue(t.Context(), b.DB, e.ID, 10); err != nil || due.GivenUp {
				t.Errorf("given up: %v, %v", due.GivenUp, err)
			}
			if got := touched(); got != fmt.Sprint(waiting) {
				t.Errorf("%s deliveries are skipped", got)
			}
		})
	}
}

// TestSwitchedOnBeforeAllIsSkipped checks that what waited when the endpoint was switched off stays
// given up, that new deliveries do not, and that a retry revives the requested ones.
func TestSwitchedOnBeforeAllIsSkipped(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	e := b.CreateEndpoint(t, "*")
	b.backlog(t, e.ID, 3)
	b.switched(t, e.ID, false)
	list, _, err := webhooks.ListDeliveries(t.Context(), b.DB, b.Org, e.ID, webhooks.DeliveryFilter{}, store.Page{Number: 1, Limit: 10})
	if err != nil || list[0].NextAttemptAt != nil {
		t.Fatalf("next attempt %v, %v", list[0].NextAttemptAt, err)
	}
	if _, err := webhooks.RetryDelivery(t.Context(), b.DB, store.SystemChange(b.Org), list[0].ID); !errors.Is(err, webhooks.ErrEndpointDisabled) {
		t.Errorf("retry while it is off: %v", err)
	}
	b.switched(t, e.ID, true)
	if d, err := webhooks.RetryDelivery(t.Context(), b.DB, store.SystemChange(b.Org), list[0].ID); err != nil || d.Status != webhooks.DeliveryPending {
		t.Errorf("retried: %s, %v", d.Status, err)
	}
	if _, err := directory.CreateTrader(t.Context(), b.DB, store.SystemChange(b.Org), directory.NewTrader{FullName: "Zoe"}); err != nil {
		t.Fatal(err)
	}
	run := b.claimed(t, e.ID)
	if n, err := webhooks.SkipDeliveries(t.Context(), b.DB, &run); err != nil || n != 2 {
		t.Errorf("skipped %d, %v", n, err)
	}
	due, err := webhooks.ReadDue(t.Context(), b.DB, e.ID, 10)
	if err != nil || len(due.Due) != 2 || due.GivenUp {
		t.Fatalf("%d due, %v", len(due.Due), err)
	}
	// An attempt fails that was under way while the endpoint was off and on.
	b.switched(t, e.ID, false)
	b.switched(t, e.ID, true)
	d := due.Due[0]
	_, err = webhooks.RecordAttempts(t.Context(), b.DB, webhooks.Progress{Run: &run, Lease: time.Minute, Attempts: []webhooks.AttemptOutcome{{
		Attempt: webhooks.Attempt{DeliveryID: d.ID, Number: 1, Trigger: d.Trigger, StartedAt: time.Now(), LatencyMS: 1, ErrorCode: new("timeout")},
		Status:  webhooks.DeliveryPending, Scheduled: 1, Wait: time.Second,
	}}})
	if err != nil {
		t.Fatal(err)
	}
	if got := b.Texts(t, `SELECT status FROM webhook_deliveries WHERE id = $1`, d.ID)[0]; got != "skipped" {
		t.Errorf("it is %s", got)
	}
}

// TestHeldEndpoint checks that an endpoint whose receiver has asked for a pause is not due before
// the pause is over, whatever happens meanwhile.
func TestHeldEndpoint(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	e := b.CreateEndpoint(t, "*")
	happen := func() {
		t.Helper()
		if _, err := directory.CreateTrader(t.Context(), b.DB, store.SystemChange(b.Org), directory.NewTrader{FullName: "Zoe"}); err != nil {
			t.Fatal(err)
		}
	}
	happen()
	run := b.claimed(t, e.ID)
	if err := webhooks.HoldDeliveries(t.Context(), b.DB, &run, time.Minute); err != nil {
		t.Fatal(err)
	}
	happen()
	if _, err := webhooks.ClaimEndpoint(t.Context(), b.DB, e.ID, time.Minute); !errors.Is(err, store.ErrFenced) {
		t.Errorf("it is claimed: %v", err)
	}
	if _, err := b.Conn.Exec(t.Context(), `UPDATE webhook_states SET held_until = now(), job_at = now()`); err != nil {
		t.Fatal(err)
	}
	b.claimed(t, e.ID)
}

// TestBacklogCounts counts what waits for a process, and not what waits for its receiver or nobody wants.
func TestBacklogCounts(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	for n, change := range []string{
		`job_at = now()`,
		`job_at = now() + interval '1 hour'`, // it has just been read
		`job_at = now(), failures = 1`,
		`job_at = now(), slow = true`,
		`job_at = now(), held_until = now() + interval '1 hour'`,
	} {
		e := b.CreateEndpoint(t, "*")
		b.backlog(t, e.ID, 1+10*n)
		b.Exec(t, `UPDATE webhook_states SET `+change+` WHERE endpoint_id = $1`, e.ID)
	}
	off, deleted := b.CreateEndpoint(t, "*"), b.CreateEndpoint(t, "*")
	b.backlog(t, off.ID, 100)
	b.backlog(t, deleted.ID, 1000)
	b.switched(t, off.ID, false)
	if err := webhooks.DeleteEndpoint(t.Context(), b.DB, store.SystemChange(b.Org), deleted.ID, nil); err != nil {
		t.Fatal(err)
	}
	if due, err := webhooks.CountDueDeliveries(t.Context(), b.DB); err != nil || due != 1 {
		t.Errorf("%d are due, want 1, %v", due, err)
	}
}

// TestAttemptsAreBounded checks that retries do not make a delivery grow without limit, and that
// its history is shown in limited parts.
func TestAttemptsAreBounded(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	e := b.CreateEndpoint(t, "*")
	b.backlog(t, e.ID, 1)
	list, _, err := webhooks.ListDeliveries(t.Context(), b.DB, b.Org, e.ID, webhooks.DeliveryFilter{}, store.Page{Number: 1, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	id := list[0].ID
	for _, n := range []int{webhooks.MaxAttempts - 1, webhooks.MaxAttempts} {
		_, err := b.Conn.Exec(t.Context(), `WITH tried AS (
    INSERT INTO webhook_attempts (delivery_id, number, trigger, started_at, latency_ms) SELECT $1, n, 'manual', now(), 1 FROM generate_series(1, $2) AS n ON CONFLICT DO NOTHING
) UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL, attempts = $2 WHERE id = $1`, id, n)
		if err != nil {
			t.Fatal(err)
		}
		d, err := webhooks.RetryDelivery(t.Context(), b.DB, store.SystemChange(b.Org), id)
		if want := n == webhooks.MaxAttempts; errors.Is(err, webhooks.ErrTooManyAttempts) != want {
			t.Errorf("retry after %d attempts: %v", n, err)
		}
		if err == nil && (d.AttemptCount != n || len(d.Attempts) != webhooks.ShownAttempts || d.Attempts[webhooks.ShownAttempts-1].Number != n) {
			t.Errorf("of %d attempts %d are shown", d.AttemptCount, len(d.Attempts))
		}
	}
}

// TestHistoryPages checks that the pages of a history contain each delivery once, the newest first,
// and that the total is exact, also for a period.
func TestHistoryPages(t *testing.T) {
	t.Parallel()
	const all, perPage = 57, 10
	b := setupCycle(t)
	e, other := b.CreateEndpoint(t, "*"), b.CreateEndpoint(t, "*")
	b.backlog(t, e.ID, all)
	b.backlog(t, other.ID, 3)
	if _, err := b.Conn.Exec(t.Context(), `UPDATE webhook_deliveries SET created_at = '2026-01-01Z'::timestamptz + sequence * interval '1 minute'`); err != nil {
		t.Fatal(err)
	}
	at := func(minute int) *time.Time {
		return new(time.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC))
	}
	for name, c := range map[string]struct {
		filter      webhooks.DeliveryFilter
		first, last int64
	}{
		"all":     {webhooks.DeliveryFilter{}, all, 1},
		"since":   {webhooks.DeliveryFilter{Since: at(20)}, all, 20},
		"until":   {webhooks.DeliveryFilter{Until: at(20)}, 19, 1},
		"between": {webhooks.DeliveryFilter{Since: at(10), Until: at(31)}, 30, 10},
		"event":   {webhooks.DeliveryFilter{Event: "ping"}, all, 1},
		"none":    {webhooks.DeliveryFilter{Since: at(all + 1)}, 0, 1},
	} {
		next := c.first
		for n := 1; next >= c.last; n++ {
			list, total, err := webhooks.ListDeliveries(t.Context(), b.DB, b.Org, e.ID, c.filter, store.Page{Number: n, Limit: perPage})
			if err != nil || total != int(c.first-c.last+1) || len(list) != min(perPage, int(next-c.last+1)) {
				t.Fatalf("%s: page %d has %d of %d, %v", name, n, len(list), total, err)
			}
			for _, d := range list {
				if d.Sequence != next {
					t.Fatalf("%s: number %d where %d belongs", name, d.Sequence, next)
				}
				next--
			}
		}
		if _, total, err := webhooks.ListDeliveries(t.Context(), b.DB, b.Org, e.ID, c.filter, store.Page{Number: 99, Limit: perPage}); err != nil || total != int(c.first-c.last+1) {
			t.Errorf("%s: beyond the end there are %d, %v", name, total, err)
		}
	}
}

// attempt writes an attempt at the delivery like the run that has made it.
func (b *cycle) attempt(t testing.TB, run *webhooks.Run, d webhooks.DueDelivery, status webhooks.DeliveryStatus) webhooks.EndpointHealth {
	t.Helper()
	o := webhooks.AttemptOutcome{
		Attempt: webhooks.Attempt{DeliveryID: d.ID, Number: d.Attempts + 1, Trigger: d.Trigger, StartedAt: time.Now(), LatencyMS: 1},
		Status:  status, Scheduled: min(d.Scheduled+1, webhooks.ScheduledAttempts), Wait: time.Hour,
	}
	if status != webhooks.DeliverySucceeded {
		o.ErrorCode = new("timeout")
	}
	done, err := webhooks.RecordAttempts(t.Context(), b.DB, webhooks.Progress{Run: run, Lease: time.Minute, Attempts: []webhooks.AttemptOutcome{o}})
	if err != nil {
		t.Fatal(err)
	}
	return done.Health
}

func (b *cycle) due(t testing.TB, endpoint uuid.UUID) webhooks.DueDelivery {
	t.Helper()
	due, err := webhooks.ReadDue(t.Context(), b.DB, endpoint, 10)
	if err != nil || len(due.Due) == 0 {
		t.Fatalf("%d due, %v", len(due.Due), err)
	}
	return due.Due[0]
}

// TestAttemptsAreWrittenAgain checks that attempts are written again, without any change, if it is
// unknown whether they were written.
func TestAttemptsAreWrittenAgain(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	e := b.CreateEndpoint(t, "*")
	b.backlog(t, e.ID, 1)
	b.woken(t, e.ID)
	run, d := b.claimed(t, e.ID), b.due(t, e.ID)
	for range 2 {
		if health := b.attempt(t, &run, d, webhooks.DeliveryPending); health.Failures != 1 {
			t.Errorf("%d failures", health.Failures)
		}
	}
	if got := b.Texts(t, `SELECT concat_ws(' ', status, attempts, scheduled) FROM webhook_deliveries`)[0]; got != "pending 1 1" {
		t.Errorf("the delivery is %s", got)
	}
}

// woken makes an endpoint due, as a ping does.
func (b *cycle) woken(t testing.TB, endpoint uuid.UUID) {
	t.Helper()
	if _, err := webhooks.PingEndpoint(t.Context(), b.DB, store.SystemChange(b.Org), endpoint); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Conn.Exec(t.Context(), `DELETE FROM webhook_deliveries WHERE trigger = 'test' AND endpoint_id = $1`, endpoint); err != nil {
		t.Fatal(err)
	}
}

// TestRetryLosesNothing checks that a received delivery stays received regardless of the result of
// a retry, and that a retry is made although an earlier attempt has failed meanwhile.
func TestRetryLosesNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		do   func(t *testing.T, b *cycle, run *webhooks.Run, d webhooks.DueDelivery, retry func())
		want string
	}{
		{"a retry fails", func(t *testing.T, b *cycle, run *webhooks.Run, d webhooks.DueDelivery, retry func()) {
			b.attempt(t, run, d, webhooks.DeliverySucceeded)
			retry()
			b.attempt(t, run, b.due(t, run.EndpointID), webhooks.DeliveryFailed)
		}, "succeeded 2"},
		{"a retry is skipped", func(t *testing.T, b *cycle, run *webhooks.Run, d webhooks.DueDelivery, retry func()) {
			b.attempt(t, run, d, webhooks.DeliverySucceeded)
			retry()
			b.switched(t, run.EndpointID, false)
			if n, err := webhooks.SkipDeliveries(t.Context(), b.DB, run); err != nil || n != 1 {
				t.Errorf("skipped %d, %v", n, err)
			}
		}, "succeeded 1"},
		{"a first success by hand", func(t *testing.T, b *cycle, run *webhooks.Run, d webhooks.DueDelivery, retry func()) {
			b.attempt(t, run, d, webhooks.DeliveryFailed)
			retry()
			b.attempt(t, run, b.due(t, run.EndpointID), webhooks.DeliverySucceeded)
		}, "succeeded 2"},
		{"a retry fails of what had failed", func(t *testing.T, b *cycle, run *webhooks.Run, d webhooks.DueDelivery, retry func()) {
			b.attempt(t, run, d, webhooks.DeliveryFailed)
			retry()
			b.attempt(t, run, b.due(t, run.EndpointID), webhooks.DeliveryFailed)
		}, "failed 2"},
		{"an attempt from before fails", func(t *testing.T, b *cycle, run *webhooks.Run, d webhooks.DueDelivery, retry func()) {
			b.switched(t, run.EndpointID, false)
			b.switched(t, run.EndpointID, true)
			retry()
			b.attempt(t, run, d, webhooks.DeliveryPending)
			if again := b.due(t, run.EndpointID); again.Trigger != webhooks.TriggerByHand || again.Attempts != 1 {
				t.Errorf("due is %+v", again)
			}
		}, "pending 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := setupCycle(t)
			e := b.CreateEndpoint(t, "*")
			b.backlog(t, e.ID, 1)
			b.woken(t, e.ID)
			run, d := b.claimed(t, e.ID), b.due(t, e.ID)
			c.do(t, b, &run, d, func() {
				if _, err := webhooks.RetryDelivery(t.Context(), b.DB, store.SystemChange(b.Org), d.ID); err != nil {
					t.Fatal(err)
				}
			})
			if got := b.Texts(t, `SELECT concat_ws(' ', status, attempts) FROM webhook_deliveries`)[0]; got != c.want {
				t.Errorf("the delivery is %s, want %s", got, c.want)
			}
		})
	}
}

// TestChoosingToRetryBlocksNobody checks that changes with events for an endpoint go on while
// deliveries to send again are searched for, which takes seconds among a million.
func TestChoosingToRetryBlocksNobody(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	e := b.CreateEndpoint(t, "*")
	b.backlog(t, e.ID, 3)
	b.Exec(t, `UPDATE webhook_deliveries SET status = CASE WHEN sequence = 1 THEN 'succeeded' ELSE 'failed' END, next_attempt_at = NULL`)
	searching, err := b.Conn.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := searching.Exec(t.Context(), `LOCK TABLE webhook_events`); err != nil {
		t.Fatal(err)
	}
	done := make(chan webhooks.Resent, 1)
	go func() {
		made, err := webhooks.RetryDeliveries(t.Context(), b.DB, store.SystemChange(b.Org), e.ID, webhooks.Resending{})
		if err != nil {
			t.Error(err)
		}
		done <- made
	}()
	storetest.AwaitBlocked(t, b.URL, true)
	if _, err := searching.Exec(t.Context(), `SELECT FROM webhook_states WHERE endpoint_id = $1 FOR UPDATE NOWAIT`, e.ID); err != nil {
		t.Errorf("while deliveries are searched for: %v", err)
	}
	if err := searching.Rollback(t.Context()); err != nil {
		t.Fatal(err)
	}
	if made, want := <-done, (webhooks.Resent{Queued: 2, Last: 3}); made != want {
		t.Errorf("%+v, want %+v", made, want)
	}
}

// TestPausedEndpointIsNotJudged: what failed before a pause does not count, and neither do the pings
// with which somebody tries the receiver meanwhile.
func TestPausedEndpointIsNotJudged(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	e := b.CreateEndpoint(t, "*")
	fail := func() {
		t.Helper()
		b.Exec(t, `UPDATE webhook_states SET failures = 10, failing_since = now() - interval '6 days', warnings = 2`)
	}
	pause := func(paused bool) {
		t.Helper()
		if _, err := webhooks.UpdateEndpoint(t.Context(), b.DB, store.SystemChange(b.Org), e.ID, webhooks.EndpointPatch{Paused: &paused}); err != nil {
			t.Fatal(err)
		}
		if got := b.Texts(t, `SELECT concat_ws(' ', failures, failing_since, warnings) FROM webhook_states`)[0]; got != "0 0" {
			t.Errorf("failures, since when, and warnings: %s", got)
		}
	}
	fail()
	pause(true)
	fail()
	for _, gone := range []bool{false, true} {
		if j, err := webhooks.JudgeEndpoint(t.Context(), b.DB, store.SystemChange(b.Org), e.ID, gone); err != nil || j != webhooks.JudgedSound {
			t.Errorf("a paused endpoint is judged %q, %v", j, err)
		}
	}
	pause(false)
	fail()
	if j, err := webhooks.JudgeEndpoint(t.Context(), b.DB, store.SystemChange(b.Org), e.ID, false); err != nil || j != webhooks.JudgedDisabled {
		t.Errorf("an endpoint that is not paused is judged %q, %v", j, err)
	}
}
