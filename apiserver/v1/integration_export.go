package v1

import (
	"net/http"

	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/privacy"
	"github.com/assayhq/assay/store/syncing/history"
)

// exportRuns answers GET /v1/integrations/{id}/runs/export with all runs.
func (a *API) exportRuns(w http.ResponseWriter, r *http.Request, sort string) error {
	columns := []string{
		"id", "cycle_id", "resource", "trigger", "mode", "status", "started_at", "finished_at", "records_seen", "records_upserted", "records_unchanged",
		"records_quarantined", "pages", "requests", "throttled_ms", "repeats", "updated_since", "error_code", "error_message",
	}
	return answerTableOf(w, r, a.store, privacy.ListExport{List: "runs", Of: "integration_id"}, columns, func(id uuid.UUID, add func(...string) error) error {
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
	return answerTableOf(w, r, a.store, privacy.ListExport{List: "quarantine", Of: "integration_id"}, columns, func(id uuid.UUID, add func(...string) error) error {
		return history.EachQuarantined(r.Context(), a.store, callerOrganization(r), id, sort, func(q history.Quarantined) error {
			return add(safeCell(q.Resource), safeCell(record.ReadableKey(q.Key)), safeCell(q.Rule), safeCell(q.Detail), safeCell(q.Pointer), countCell(q.Count), timeCell(&q.FirstSeenAt), timeCell(&q.LastSeenAt))
		})
	})
}
