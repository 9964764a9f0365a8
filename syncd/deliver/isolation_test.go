package deliver_test

import (
	"net/http"
	"testing"

	"github.com/assayhq/assay/store/storetest"
)

// TestDeadEndpoints: more endpoints hang than may be worked on at a time while
// they fail, and the living get everything meanwhile.
func TestDeadEndpoints(t *testing.T) {
	t.Parallel()
	const dead, events = 6, 40
	b := setup(t)
	b.slots = 4
	hang := tlsServer(t, nil, http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
		_, _ = q.Body.Read(make([]byte, 1<<16))
		<-q.Context().Done()
	}))
	b.options.RootCAs.AddCert(hang.Certificate())
	var ids []any
	for range dead {
		ids = append(ids, b.endpoint(t, hang.URL).ID)
	}
	for _, id := range ids { // they have failed before
		b.exec(t, `UPDATE webhook_states SET failures = 1, failing_since = now() WHERE endpoint_id = $1`, id)
	}
	var living []*receiver
	for range 3 {
		living = append(living, b.receiver(t, nil))
	}
	b.start(t)
	for range events {
		b.trader(t)
	}
	// An attempt at a dead one takes longer than anything is waited for here.
	for _, r := range living {
		r.wait(t, events)
	}
	storetest.Eventually(t, "the dead hold no more than half of the places", func() bool {
		var held int
		err := b.conn.QueryRow(t.Context(), `SELECT count(*) FROM webhook_states WHERE leased_until > now() AND failures > 0`).Scan(&held)
		return err == nil && held == 2
	})
}
