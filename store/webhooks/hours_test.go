package webhooks_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/webhooks"
)

// TestCountHours counts attempts of this hour and of earlier ones, and not those of another
// endpoint or of an earlier week.
func TestCountHours(t *testing.T) {
	t.Parallel()
	b := setupCycle(t)
	e, other := b.CreateEndpoint(t, "*"), b.CreateEndpoint(t, "*")
	b.backlog(t, e.ID, 1)
	b.backlog(t, other.ID, 1)
	const attempts = `INSERT INTO webhook_attempts (delivery_id, number, trigger, started_at, latency_ms, http_status, error_code)
SELECT d.id, $2 + n, 'schedule', date_trunc('hour', now(), 'UTC') - $3::interval + n * interval '1 second', n * 10, 200, $4 FROM webhook_deliveries AS d, generate_series(1, $5) AS n WHERE d.endpoint_id = $1`
	for i, a := range []struct {
		endpoint uuid.UUID
		ago      string
		code     *string
		n        int
	}{
		{e.ID, "0 hours", nil, 100},
		{e.ID, "3 hours", nil, 1},
		{e.ID, "3 hours", new("http_status"), 2},
		{e.ID, "167 hours", new("timeout"), 1},
		{e.ID, "168 hours", nil, 7},
		{other.ID, "3 hours", nil, 9},
	} {
		if _, err := b.Conn.Exec(t.Context(), attempts, a.endpoint, 1000*i, a.ago, a.code, a.n); err != nil {
			t.Fatal(err)
		}
	}
	hours, err := webhooks.CountHours(t.Context(), b.DB, b.Org, e.ID)
	if err != nil {
		t.Fatal(err)
	}
	if len(hours) != webhooks.ShownHours {
		t.Fatalf("%d hours", len(hours))
	}
	last := hours[len(hours)-1].StartsAt
	got := make(map[time.Duration]webhooks.Hour)
	for _, h := range hours {
		if h.Delivered+h.Failed > 0 {
			ago := last.Sub(h.StartsAt)
			h.StartsAt = time.Time{}
			got[ago] = h
		} else if h.P95LatencyMS != nil {
			t.Errorf("an hour without attempts took %d ms", *h.P95LatencyMS)
		}
	}
	want := map[time.Duration]webhooks.Hour{
		0:               {Delivered: 100, P95LatencyMS: new(int64(950))},
		3 * time.Hour:   {Delivered: 1, Failed: 2, P95LatencyMS: new(int64(20))},
		167 * time.Hour: {Failed: 1, P95LatencyMS: new(int64(10))},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("hours, by how long ago they were (-want +got):\n%s", diff)
	}
	if _, err := webhooks.CountHours(t.Context(), b.DB, uuid.New(), e.ID); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("another organization: %v", err)
	}
}
