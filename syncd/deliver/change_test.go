package deliver_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/storetest"
)

// TestChangesHoldAtOnce: what somebody changes while deliveries are being made
// holds for the attempts that begin afterwards, not only for the next run.
func TestChangesHoldAtOnce(t *testing.T) {
	t.Parallel()
	const events = 12
	for _, test := range []struct {
		name   string
		change func(t *testing.T, b *bundle, first, second *receiver) store.MadeEndpoint
		second int // requests that go elsewhere then
		later  int // that go on to the first
	}{
		{"another URL", func(t *testing.T, b *bundle, first, second *receiver) store.MadeEndpoint {
			_, err := b.UpdateWebhookEndpoint(t.Context(), store.SystemChange(b.org), first.ID, store.WebhookPatch{URL: &second.URL})
			if err != nil {
				t.Fatal(err)
			}
			return first.MadeEndpoint
		}, events - 4, 0},
		{"another secret", func(t *testing.T, b *bundle, first, _ *receiver) store.MadeEndpoint {
			made, err := b.RotateWebhookSecret(t.Context(), store.SystemChange(b.org), first.ID, 0)
			if err != nil {
				t.Fatal(err)
			}
			return made
		}, 0, events - 4},
		{"switched off", func(t *testing.T, b *bundle, first, _ *receiver) store.MadeEndpoint {
			_, err := b.UpdateWebhookEndpoint(t.Context(), store.SystemChange(b.org), first.ID, store.WebhookPatch{IsActive: ptr(false)})
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
			timer := time.NewTimer(300 * time.Millisecond) // what is known of the endpoint is looked at again
			defer timer.Stop()
			<-timer.C
			changed := test.change(t, b, first, second)
			close(release)
			over := func() bool {
				n := 0
				for _, d := range b.deliveries(t, first.ID) {
					if d.Status == store.DeliverySucceeded || d.Status == store.DeliverySkipped {
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
