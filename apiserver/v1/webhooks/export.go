package webhooks

import (
	"net/http"
	"strconv"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/csvexport"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/privacy"
	"github.com/assayhq/assay/store/webhooks"
)

// exportDeliveries answers GET /v1/webhooks/{id}/deliveries/export with all deliveries that match the
// filter.
func (a *API) exportDeliveries(w http.ResponseWriter, r *http.Request, f webhooks.DeliveryFilter) error {
	columns := []string{
		"id", "event_id", "event_type", "sequence", "occurred_at", "created_at", "status", "attempt_count", "next_attempt_at", "last_attempt_at", "last_latency_ms",
		"last_http_status", "last_error_code",
	}
	return csvexport.WriteFileOfObject(w, r, a.store, privacy.ListExport{List: "deliveries", Of: "webhook_id"}, columns, func(id uuid.UUID, add func(...string) error) error {
		return webhooks.EachDelivery(r.Context(), a.store, route.CallerOrganization(r), id, f, func(d webhooks.Delivery) error { return add(deliveryCells(d)...) })
	})
}

// deliveryCells returns the cells of a delivery in an export.
func deliveryCells(d webhooks.Delivery) []string {
	at, latency, status, code := "", "", "", ""
	if n := len(d.Attempts); n > 0 {
		last := d.Attempts[n-1]
		at, latency, code = csvexport.Time(&last.StartedAt), csvexport.Count(last.LatencyMS), csvexport.Text(last.ErrorCode)
		if last.HTTPStatus != nil {
			status = strconv.Itoa(*last.HTTPStatus)
		}
	}
	return []string{
		d.ID.String(), event.ID(d.EventID), string(d.EventType), csvexport.Count(d.Sequence), csvexport.Time(&d.OccurredAt), csvexport.Time(&d.CreatedAt), string(d.Status),
		strconv.Itoa(d.AttemptCount), csvexport.Time(d.NextAttemptAt), at, latency, status, code,
	}
}
