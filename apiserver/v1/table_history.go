package v1

import (
	"net/http"
	"strconv"

	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/privacy"
	"github.com/assayhq/assay/store/syncing/history"
	"github.com/assayhq/assay/store/webhooks"
)

// exportRuns answers GET /v1/integrations/{id}/runs/export with all runs.
func (a *API) exportRuns(w http.ResponseWriter, r *http.Request, sort string) error {
	columns := []string{
		"id", "cycle_id", "resource", "trigger", "mode", "status", "started_at", "finished_at", "records_seen", "records_upserted", "records_unchanged",
		"records_quarantined", "pages", "requests", "throttled_ms", "repeats", "updated_since", "error_code", "error_message",
	}
	return a.exportOf(w, r, "runs", "integration_id", columns, func(id uuid.UUID, add func(...string) error) error {
		return history.EachRun(r.Context(), a.store, callerOrganization(r), id, sort, func(run history.Run) error { return add(runCells(run)...) })
	})
}

// runCells returns the cells of a run in an export.
func runCells(r history.Run) []string {
	code, message := "", ""
	if r.Error != nil {
		code, message = r.Error.Code, safeCell(r.Error.Message)
	}
	return []string{
		r.ID.String(), r.CycleID.String(), safeCell(r.Resource), r.Trigger, r.Mode, r.Status, timeCell(&r.StartedAt), timeCell(r.FinishedAt),
		countCell(r.RecordsSeen), countCell(r.RecordsUpserted()), countCell(r.RecordsUnchanged), countCell(r.RecordsQuarantined), countCell(r.Pages), countCell(r.Requests),
		countCell(r.ThrottledMS), countCell(r.Repeats), timeCell(r.UpdatedSince), code, message,
	}
}

// exportQuarantine answers GET /v1/integrations/{id}/quarantine/export with all records that could
// not be used.
func (a *API) exportQuarantine(w http.ResponseWriter, r *http.Request, sort string) error {
	columns := []string{"resource", "key", "rule", "detail", "pointer", "count", "first_seen_at", "last_seen_at"}
	return a.exportOf(w, r, "quarantine", "integration_id", columns, func(id uuid.UUID, add func(...string) error) error {
		return history.EachQuarantined(r.Context(), a.store, callerOrganization(r), id, sort, func(q history.Quarantined) error {
			return add(safeCell(q.Resource), safeCell(record.ReadableKey(q.Key)), safeCell(q.Rule), safeCell(q.Detail), safeCell(q.Pointer), countCell(q.Count), timeCell(&q.FirstSeenAt), timeCell(&q.LastSeenAt))
		})
	})
}

// exportDeliveries answers GET /v1/webhooks/{id}/deliveries/export with all deliveries that match the
// filter.
func (a *API) exportDeliveries(w http.ResponseWriter, r *http.Request, f webhooks.DeliveryFilter) error {
	columns := []string{
		"id", "event_id", "event_type", "sequence", "occurred_at", "created_at", "status", "attempt_count", "next_attempt_at", "last_attempt_at", "last_latency_ms",
		"last_http_status", "last_error_code",
	}
	return a.exportOf(w, r, "deliveries", "webhook_id", columns, func(id uuid.UUID, add func(...string) error) error {
		return webhooks.EachDelivery(r.Context(), a.store, callerOrganization(r), id, f, func(d webhooks.Delivery) error { return add(deliveryCells(d)...) })
	})
}

// deliveryCells returns the cells of a delivery in an export.
func deliveryCells(d webhooks.Delivery) []string {
	at, latency, status, code := "", "", "", ""
	if n := len(d.Attempts); n > 0 {
		last := d.Attempts[n-1]
		at, latency, code = timeCell(&last.StartedAt), countCell(last.LatencyMS), textCell(last.ErrorCode)
		if last.HTTPStatus != nil {
			status = strconv.Itoa(*last.HTTPStatus)
		}
	}
	return []string{
		d.ID.String(), event.ID(d.EventID), string(d.EventType), countCell(d.Sequence), timeCell(&d.OccurredAt), timeCell(&d.CreatedAt), string(d.Status),
		strconv.Itoa(d.AttemptCount), timeCell(d.NextAttemptAt), at, latency, status, code,
	}
}

// exportAudit answers GET /v1/audit/export with all entries that match the filter.
func (a *API) exportAudit(w http.ResponseWriter, r *http.Request, f auditlog.Filter) error {
	columns := []string{
		"number", "at", "actor_kind", "actor_id", "actor_name", "action", "object_kind", "object_id", "request_id", "client_address", "before", "after", "previous_hash", "hash",
	}
	return a.answerTable(w, r, privacy.ListExport{List: "audit_log"}, columns, func(add func(...string) error) error {
		return auditlog.Each(r.Context(), a.store, callerOrganization(r), f, func(record store.AuditRecord) error {
			e := auditEntryOf(record)
			return add(countCell(e.Number), timeCell(&e.At), e.Actor.Kind, idCell(e.Actor.ID), safeCell(e.Actor.Name), e.Action, e.Object.Kind, idCell(e.Object.ID),
				textCell(e.RequestID), textCell(e.ClientAddress), safeCell(string(e.Before)), safeCell(string(e.After)), e.PreviousHash, e.Hash)
		})
	})
}

// exportOf answers with a CSV file of rows that belong to the object in the path.
func (a *API) exportOf(w http.ResponseWriter, r *http.Request, list, of string, columns []string, fill func(id uuid.UUID, add func(...string) error) error) error {
	id, err := objectID(r)
	if err != nil {
		return err
	}
	e := privacy.ListExport{List: list, Of: of, OwnerID: id}
	return a.answerTable(w, r, e, columns, func(add func(...string) error) error { return fill(id, add) })
}

func countCell(n int64) string { return strconv.FormatInt(n, 10) }
