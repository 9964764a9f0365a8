package deliver_test

import (
	"net/http"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/webhooks"
	"github.com/assayhq/assay/syncd/deliver"
)

// TestChangesHoldAtOnce: a change that somebody makes while deliveries are under
// way applies to the attempts that begin afterwards, not only to the next run.
func TestChangesHoldAtOnce(t *testing.T) {
	t.Parallel()
	const events = 12
	for _, test := range []struct {
		name   string
		change func(t *testing.T, b *process, first, second *receiver) webhooks.MadeEndpoint
		second int // requests that the second address gets
		later  int // requests that the first address still gets
	}{
		{"another URL", func(t *testing.T, b *process, first, second *receiver) webhooks.MadeEndpoint {
			_, err := webhooks.UpdateEndpoint(t.Context(), b.DB, store.SystemChange(b.Org), first.ID, webhooks.EndpointPatch{URL: &second.URL})
			if err != nil {
				t.Fatal(err)
			}
			return first.MadeEndpoint
		}, events - 4, 0},
		{"another secret", func(t *testing.T, b *process, first, _ *receiver) webhooks.MadeEndpoint {
			made, err := webhooks.RotateSecret(t.Context(), b.DB, store.SystemChange(b.Org), first.ID, 0)
			if err != nil {
				t.Fatal(err)
			}
			return made
		}, 0, events - 4},
		{"switched off", func(t *testing.T, b *process, first, _ *receiver) webhooks.MadeEndpoint {
			_, err := webhooks.UpdateEndpoint(t.Context(), b.DB, store.SystemChange(b.Org), first.ID, webhooks.EndpointPatch{IsActive: new(false)})
			if err != nil {
				t.Fatal(err)
			}
			return first.MadeEndpoint
		}, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			release := make(chan struct{})
			first := b.receiver(t, func(_ http.ResponseWriter, q *http.Request) {
				select {
				case <-release:
				case <-q.Context().Done():
				}
			}, "trader.*")
			second := b.receiver(t, nil, "ping")
			for range events {
				b.trader(t)
			}
			b.start(t)
			first.wait(t, 4)
			timer := time.NewTimer(300 * time.Millisecond) // the endpoint's settings are read again
			defer timer.Stop()
			<-timer.C
			changed := test.change(t, b, first, second)
			close(release)
			over := func() bool {
				n := 0
				for _, d := range b.deliveries(t, first.ID) {
					if d.Status == webhooks.DeliverySucceeded || d.Status == webhooks.DeliverySkipped {
						n++
					}
				}
				return n == events
			}
			storetest.Eventually(t, "all is over", over)
			if got := len(first.all()); got != 4+test.later {
				t.Errorf("the first got %d", got)
			}
			if got := len(second.all()); got != test.second {
				t.Errorf("the second got %d", got)
			}
			for _, m := range append(first.all()[4:], second.all()...) {
				verify(t, changed.Secret, m)
			}
		})
	}
}

// TestWhatIsAskedForGoesFirst: a ping and a retry wait neither for the backlog nor
// for the rest of the deliveries being made.
func TestWhatIsAskedForGoesFirst(t *testing.T) {
	t.Parallel()
	const backlog = 200 // more than are read at a time
	b := setup(t)
	b.tune = func(d *deliver.Deliverer) { d.LookAlways() } // the next attempt sees what was requested, however fast attempts are
	const underWay = 4                                     // at a time
	var arrived atomic.Int32
	release, done := make(chan struct{}), make(chan struct{})
	defer close(done)
	r := b.receiver(t, func(_ http.ResponseWriter, q *http.Request) {
		wait := done
		if arrived.Add(1) <= underWay {
			wait = release
		}
		select {
		case <-wait:
		case <-q.Context().Done():
		}
	}, "trader.*")
	failed := b.delivered(t, r)
	for range backlog {
		b.trader(t)
	}
	b.start(t)
	r.wait(t, underWay)
	if _, err := webhooks.PingEndpoint(t.Context(), b.DB, store.SystemChange(b.Org), r.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := webhooks.RetryDelivery(t.Context(), b.DB, store.SystemChange(b.Org), failed); err != nil {
		t.Fatal(err)
	}
	close(release)
	var asked []string
	const soon = 2 * underWay // those that begin when the first end
	for _, m := range r.wait(t, soon)[:soon] {
		if m.Type == "ping" || m.Seq == 1 {
			asked = append(asked, m.Type)
		}
	}
	if len(asked) != 2 {
		t.Errorf("of a ping and a retry, %v were among the first %d", asked, soon)
	}
}

// TestManyAreAskedFor: more deliveries than are read at a time are requested, and each look at the
// endpoint finds those that the run does not know yet. They are sent all the same.
func TestManyAreAskedFor(t *testing.T) {
	t.Parallel()
	const asked = 70
	b := setup(t)
	b.tune = func(d *deliver.Deliverer) { d.LookAlways() }
	r := b.receiver(t, nil, "trader.*")
	for range asked {
		b.trader(t)
	}
	b.Exec(t, `UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL, scheduled = 10, attempts = 10`)
	if _, err := webhooks.RetryDeliveries(t.Context(), b.DB, store.SystemChange(b.Org), r.ID, webhooks.Resending{}); err != nil {
		t.Fatal(err)
	}
	b.start(t)
	r.wait(t, asked)
}

// TestAnswerOfThePreviousURL: a receiver that ends all deliveries, or asks for a pause, does so for
// itself, not for the URL that replaces it while its answer is awaited.
func TestAnswerOfThePreviousURL(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, retryAfter string
		status           int
	}{
		{"it is gone", "", http.StatusGone},
		{"it wants to be left alone", "3600", http.StatusServiceUnavailable},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			release := make(chan struct{})
			previous := b.receiver(t, func(w http.ResponseWriter, _ *http.Request) {
				<-release
				if tt.retryAfter != "" {
					w.Header().Set("Retry-After", tt.retryAfter)
				}
				w.WriteHeader(tt.status)
			}, "trader.*")
			next := b.receiver(t, nil, "integration.*")
			b.start(t)
			b.trader(t)
			previous.wait(t, 1)
			if _, err := webhooks.UpdateEndpoint(t.Context(), b.DB, store.SystemChange(b.Org), previous.ID, webhooks.EndpointPatch{URL: &next.URL}); err != nil {
				t.Fatal(err)
			}
			close(release)
			b.delivery(t, previous.ID, 1)
			b.trader(t)
			next.wait(t, 1)
			if e, err := webhooks.ReadEndpoint(t.Context(), b.DB, b.Org, previous.ID); err != nil || !e.IsActive {
				t.Errorf("the endpoint is %+v, %v", e, err)
			}
		})
	}
}

// TestLatencyIsOurs observes how late first attempts are only as far as the process is to blame: not
// for what waits because of its receiver, or because somebody has paused the endpoint.
func TestLatencyIsOurs(t *testing.T) {
	t.Parallel()
	type happening func(*testing.T, *process, uuid.UUID) error
	pause := func(paused bool) happening {
		return func(t *testing.T, b *process, id uuid.UUID) error {
			_, err := webhooks.UpdateEndpoint(t.Context(), b.DB, store.SystemChange(b.Org), id, webhooks.EndpointPatch{Paused: &paused})
			return err
		}
	}
	set := func(state string) happening {
		return func(t *testing.T, b *process, _ uuid.UUID) error {
			b.Exec(t, `UPDATE webhook_states SET `+state)
			return nil
		}
	}
	release := func(after time.Duration, made ...webhooks.AttemptOutcome) happening {
		return func(t *testing.T, b *process, id uuid.UUID) error {
			run, err := webhooks.ClaimEndpoint(t.Context(), b.DB, id, time.Minute)
			if err != nil {
				return err
			}
			if _, err := webhooks.RecordAttempts(t.Context(), b.DB, webhooks.Progress{Run: &run, Attempts: made, Lease: time.Minute}); err != nil {
				return err
			}
			return webhooks.ReleaseDeliveries(t.Context(), b.DB, &run, after)
		}
	}
	success := webhooks.AttemptOutcome{Attempt: webhooks.Attempt{DeliveryID: uuid.New(), Number: 1, Trigger: webhooks.TriggerOfSchedule, StartedAt: time.Now()}, Status: webhooks.DeliverySucceeded}
	for _, tt := range []struct {
		name   string
		events []happening // at the endpoint, which has had a delivery for an hour
		count  uint64      // of attempts that are observed
	}{
		{"nothing has claimed it", nil, 1},
		{"more deliveries than one run sends", []happening{release(0, success)}, 1},
		{"the database failed", []happening{release(time.Second)}, 1},
		{"it was paused until now", []happening{pause(true), pause(false)}, 0},
		{"it was paused, and one run was not enough", []happening{pause(true), pause(false), release(0, success)}, 0},
		{"it fails", []happening{set(`failures = 1, failing_since = now()`)}, 0},
		{"it failed until now", []happening{set(`failures = 1, failing_since = now()`), release(0, success)}, 0},
		{"it was slow until now", []happening{set(`slow = true`), release(0, success)}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			r := b.receiver(t, nil, "trader.*")
			b.trader(t)
			b.Exec(t, `UPDATE webhook_deliveries SET created_at = created_at - interval '1 hour'`)
			for _, happen := range tt.events {
				if err := happen(t, b, r.ID); err != nil {
					t.Fatal(err)
				}
			}
			stop := b.start(t)
			b.delivery(t, r.ID, 1)
			stop()
			families, err := b.registry.Gather()
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range families {
				if f.GetName() != "assay_webhook_delivery_latency_seconds" {
					continue
				}
				h := f.GetMetric()[0].GetHistogram()
				if n, sum := h.GetSampleCount(), h.GetSampleSum(); n != tt.count || sum < 3600*float64(n) || sum > 4000*float64(n) {
					t.Errorf("%d attempts with %.0f s together, want %d with an hour each", n, sum, tt.count)
				}
			}
		})
	}
}

// delivered makes a delivery that has failed permanently.
func (b *process) delivered(t *testing.T, r *receiver) uuid.UUID {
	t.Helper()
	b.trader(t)
	id := b.deliveries(t, r.ID)[0].ID
	b.Exec(t, `UPDATE webhook_deliveries SET status = 'failed', next_attempt_at = NULL, scheduled = 10, attempts = 10 WHERE id = $1`, id)
	return id
}

// TestReceiverThatWantsToBeLeftAlone: Retry-After applies to the receiver, not to
// one delivery. An attempt that somebody requests is made all the same, and another
// URL is another receiver.
func TestReceiverThatWantsToBeLeftAlone(t *testing.T) {
	t.Parallel()
	const events = 6
	b := setup(t)
	busy := b.receiver(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(http.StatusServiceUnavailable)
	}, "trader.*")
	free := b.receiver(t, nil, "integration.*")
	b.Exec(t, `UPDATE webhook_states SET failures = 1, failing_since = now() WHERE endpoint_id = $1`, busy.ID) // one at a time
	for range events {
		b.trader(t)
	}
	b.start(t)
	put := func() bool {
		var off bool
		err := b.Conn.QueryRow(t.Context(), `SELECT leased_until IS NULL AND job_at > now() + interval '50 minutes' FROM webhook_states WHERE endpoint_id = $1`, busy.ID).Scan(&off)
		return err == nil && off
	}
	storetest.Eventually(t, "the endpoint is put off", put)
	b.trader(t)
	if !put() {
		t.Error("an event has woken it")
	}
	for _, d := range b.deliveries(t, busy.ID) {
		if d.Status != webhooks.DeliveryPending || d.NextAttemptAt == nil || time.Until(*d.NextAttemptAt) < 50*time.Minute {
			t.Errorf("number %d is %s and due at %v", d.Sequence, d.Status, d.NextAttemptAt)
		}
	}
	if n := len(busy.all()); n != 1 {
		t.Errorf("it was called %d times", n)
	}
	if _, err := webhooks.PingEndpoint(t.Context(), b.DB, store.SystemChange(b.Org), busy.ID); err != nil {
		t.Fatal(err)
	}
	if m := busy.wait(t, 2)[1]; m.Type != "ping" {
		t.Errorf("it is told %s", m.Type)
	}
	storetest.Eventually(t, "the endpoint is put off again", put)
	if _, err := webhooks.UpdateEndpoint(t.Context(), b.DB, store.SystemChange(b.Org), busy.ID, webhooks.EndpointPatch{URL: &free.URL}); err != nil {
		t.Fatal(err)
	}
	free.wait(t, events)
}

// TestPausedEndpoint checks that nothing is sent to an endpoint that somebody has paused, however often
// processes look, except what somebody asks for, and that everything is sent when it goes on.
func TestPausedEndpoint(t *testing.T) {
	t.Parallel()
	b := setup(t)
	paused := b.receiver(t, nil, "trader.*")
	other := b.receiver(t, nil, "trader.*")
	change := func(p webhooks.EndpointPatch) {
		t.Helper()
		if _, err := webhooks.UpdateEndpoint(t.Context(), b.DB, store.SystemChange(b.Org), paused.ID, p); err != nil {
			t.Fatal(err)
		}
	}
	stop := b.start(t)
	b.trader(t)
	paused.wait(t, 1)
	change(webhooks.EndpointPatch{Paused: new(true)})
	const events = 12
	for range events / 2 {
		b.trader(t)
	}
	other.wait(t, 1+events/2)
	stop()
	b.registry = newRegistry()
	b.start(t)
	for range events / 2 {
		b.trader(t)
	}
	url := paused.URL + "?again"
	change(webhooks.EndpointPatch{URL: &url}) // which ends a pause that the receiver has asked for
	other.wait(t, 1+events)
	if _, err := webhooks.PingEndpoint(t.Context(), b.DB, store.SystemChange(b.Org), paused.ID); err != nil {
		t.Fatal(err)
	}
	if m := paused.wait(t, 2)[1]; m.Type != "ping" {
		t.Errorf("a paused endpoint is sent %s", m.Type)
	}
	storetest.Eventually(t, "nothing is due", func() bool {
		var idle bool
		err := b.Conn.QueryRow(t.Context(), `SELECT leased_until IS NULL AND job_at > now() + interval '1 year' FROM webhook_states WHERE endpoint_id = $1`, paused.ID).Scan(&idle)
		return err == nil && idle
	})
	if n := len(paused.all()); n != 2 {
		t.Errorf("it was called %d times", n)
	}
	for _, d := range b.deliveries(t, paused.ID) {
		if want := d.Sequence > 1 && d.EventType != event.Ping; want != (d.Status == webhooks.DeliveryPending && d.NextAttemptAt == nil) {
			t.Errorf("number %d is %s and due at %v", d.Sequence, d.Status, d.NextAttemptAt)
		}
	}
	b.Exec(t, `UPDATE webhook_states SET failures = 1, failing_since = now() - interval '6 days' WHERE endpoint_id = $1`, paused.ID) // before the pause
	change(webhooks.EndpointPatch{Paused: new(false)})
	var got []int64
	for _, m := range paused.wait(t, 2+events)[2:] {
		got = append(got, m.Seq)
	}
	if first := slices.Max(got[:4]); first > 8 { // four at a time, the ping had the last number
		t.Errorf("sent in the order %v", got)
	}
	slices.Sort(got)
	for i, sequence := range got {
		if sequence != int64(i)+2 {
			t.Fatalf("sent %v, want all from 2 on", got)
		}
	}
	if e, err := webhooks.ReadEndpoint(t.Context(), b.DB, b.Org, paused.ID); err != nil || !e.IsActive || e.PausedAt != nil {
		t.Errorf("afterwards it is %+v, %v", e, err)
	}
}
