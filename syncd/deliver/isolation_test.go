package deliver_test

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/store/webhooks"
)

// tenant is another organization whose deliveries the same process makes.
func (b *process) tenant(t *testing.T) *process {
	t.Helper()
	other := *b
	other.Org = storetest.Organization(t, b.DB).ID
	return &other
}

// hanging makes endpoints that accept a request and answer when the test is over or
// releases them. most is the highest number of requests at a time.
func (b *process) hanging(t *testing.T, n int, release <-chan struct{}) (made []webhooks.MadeEndpoint, most func() int) {
	t.Helper()
	var mu sync.Mutex
	var open, highest int
	enter := func(by int) {
		mu.Lock()
		defer mu.Unlock()
		open += by
		highest = max(highest, open)
	}
	hang := tlsServer(t, nil, http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		enter(1)
		defer enter(-1)
		_, _ = q.Body.Read(make([]byte, 1<<16))
		select {
		case <-release:
		case <-q.Context().Done():
		}
	}))
	b.options.RootCAs.AddCert(hang.Certificate())
	for range n {
		made = append(made, b.endpoint(t, hang.URL))
	}
	return made, func() int {
		mu.Lock()
		defer mu.Unlock()
		return highest
	}
}

// held returns the number of endpoints that are being worked on.
func (b *process) held(t *testing.T, condition string) (n int) {
	t.Helper()
	if err := b.Conn.QueryRow(t.Context(), `SELECT count(*) FROM webhook_states WHERE leased_until > now() AND `+condition).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

// TestDeadEndpoints: more endpoints hang than may be worked on at a time when they fail. The living
// endpoints still receive everything. It takes long because dead endpoints hang until the limit of
// an attempt, which is 15 s.
func TestDeadEndpoints(t *testing.T) {
	t.Parallel()
	const dead, events = 6, 40
	b := setup(t)
	b.slots = 4
	other := b.tenant(t)
	var living []*receiver
	for _, o := range []*process{b, other} {
		made, _ := o.hanging(t, dead, nil)
		for _, e := range made { // they have failed before
			b.Exec(t, `UPDATE webhook_states SET failures = 1, failing_since = now() WHERE endpoint_id = $1`, e.ID)
		}
	}
	for range 3 {
		living = append(living, b.receiver(t, nil))
	}
	b.start(t)
	other.trader(t)
	for range events {
		b.trader(t)
	}
	// An attempt at a dead endpoint takes longer than all waits here.
	for _, r := range living {
		r.wait(t, events)
	}
	storetest.Eventually(t, "the dead hold half of the places", func() bool { return b.held(t, `failures > 0`) == 2 })
}

// TestSlowEndpoints: all endpoints of one organization answer late for the first
// time and at once. Another organization still receives everything.
func TestSlowEndpoints(t *testing.T) {
	t.Parallel()
	const slow, events = 8, 40
	b := setup(t)
	b.slots = 4
	release := make(chan struct{})
	hanging, most := b.hanging(t, slow, release)
	other := b.tenant(t)
	living := other.receiver(t, nil)
	b.start(t)
	b.trader(t)
	storetest.Eventually(t, "the slow ones are called", func() bool { return most() > 0 })
	for range events {
		other.trader(t)
	}
	living.wait(t, events)
	storetest.Eventually(t, "all slow ones are called, because they yield their places", func() bool { return most() == slow })
	timer := time.NewTimer(2500 * time.Millisecond) // long enough to count as slow
	defer timer.Stop()
	<-timer.C
	close(release)
	marked := func() (n int) {
		if err := b.Conn.QueryRow(t.Context(), `SELECT count(*) FROM webhook_states WHERE slow AND failures = 0`).Scan(&n); err != nil {
			t.Fatal(err)
		}
		return n
	}
	storetest.Eventually(t, "slowness is noted", func() bool { return marked() > 0 })
	for _, e := range hanging {
		storetest.Eventually(t, "all get it in the end", func() bool {
			list := b.deliveries(t, e.ID)
			return len(list) == 1 && list[0].Status == webhooks.DeliverySucceeded
		})
	}
}

// TestSuddenlySlowEndpoints: more endpoints than there are places stop answering at once, although
// none has failed or been slow before. The others wait no longer than it takes to notice that.
func TestSuddenlySlowEndpoints(t *testing.T) {
	t.Parallel()
	const organizations, slow, events = 5, 2, 40 // organizations × slow endpoints
	b := setup(t)
	b.slots = 4
	release := make(chan struct{})
	defer close(release)
	other := b.tenant(t)
	living := other.receiver(t, nil)
	for range organizations {
		o := b.tenant(t)
		_, most := o.hanging(t, slow, release)
		o.trader(t)
		defer func() {
			if most() == 0 {
				t.Error("no slow endpoint of an organization was called")
			}
		}()
	}
	b.start(t)
	storetest.Eventually(t, "slow endpoints hold more than all places", func() bool { return b.held(t, `NOT slow AND failures = 0`) > b.slots })
	for range events {
		other.trader(t)
	}
	living.wait(t, events) // an attempt at a slow endpoint takes longer
}
