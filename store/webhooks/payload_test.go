package webhooks_test

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/webhooks"
)

func TestPayload(t *testing.T) {
	t.Parallel()
	id := uuid.MustParse("01980000-0000-7000-8000-000000000004")
	at := time.Date(2026, 11, 20, 9, 0, 0, 120_000, time.FixedZone("", 3600))
	due := webhooks.DueDelivery{EventID: id, EventType: event.Ping, OccurredAt: at, Sequence: 42, Data: []byte(`{"endpoint_id":null}`)}
	body := due.Payload()
	const want = `{"id":"evt_01980000000070008000000000000004","type":"ping","timestamp":"2026-11-20T08:00:00.000120Z","sequence":42,"data":{"endpoint_id":null}}`
	if diff := cmp.Diff(want, string(body)); diff != "" {
		t.Errorf("body (-want +got):\n%s", diff)
	}
	if !json.Valid(body) {
		t.Error("the body is no JSON")
	}
	sent := webhooks.Delivery{EventID: id, EventType: event.Ping, OccurredAt: at, Sequence: 42, Data: due.Data}
	if diff := cmp.Diff(want, string(sent.Payload())); diff != "" {
		t.Errorf("body of a delivery that is shown (-want +got):\n%s", diff)
	}
}
