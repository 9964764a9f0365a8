package integrations

import (
	"net/http"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/csvexport"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store/privacy"
	"github.com/assayhq/assay/store/syncing/history"
)

// exportRuns answers GET /v1/integrations/{id}/runs/export with all runs that match the filter.
func (a *API) exportRuns(w http.ResponseWriter, r *http.Request, f history.RunFilter) error {
	columns := []string{
		"id", "cycle_id", "resource", "trigger", "mode", "status", "started_at", "finished_at", "records_seen", "records_upserted", "records_unchanged",
		"records_quarantined", "pages", "requests", "throttled_ms", "repeats", "updated_since", "error_code", "error_message",
	}
	return csvexport.WriteFileOfObject(w, r, a.store, privacy.ListExport{List: "runs", Of: "integration_id"}, columns, func(id uuid.UUID, add func(...string) error) error {
		return history.EachRun(r.Context(), a.store, route.CallerOrganization(r), id, f, func(run history.Run) error { return add(runCells(run)...) })
	})
}

// runCells returns the cells of a run in an export.
func runCells(r history.Run) []string {
	code, message := "", ""
	if r.Error != nil {
		code, message = r.Error.Code, csvexport.Safe(r.Error.Message)
	}
	return []string{
		r.ID.String(), r.CycleID.String(), csvexport.Safe(r.Resource), r.Trigger, r.Mode, r.Status, csvexport.Time(&r.StartedAt), csvexport.Time(r.FinishedAt),
		csvexport.Count(r.RecordsSeen), csvexport.Count(r.RecordsUpserted()), csvexport.Count(r.RecordsUnchanged), csvexport.Count(r.RecordsQuarantined), csvexport.Count(r.Pages), csvexport.Count(r.Requests),
		csvexport.Count(r.ThrottledMS), csvexport.Count(r.Repeats), csvexport.Time(r.UpdatedSince), code, message,
	}
}

// exportQuarantine answers GET /v1/integrations/{id}/quarantine/export with all records that could
// not be used and match the filter.
func (a *API) exportQuarantine(w http.ResponseWriter, r *http.Request, f history.QuarantineFilter) error {
	columns := []string{"resource", "key", "rule", "detail", "pointer", "count", "first_seen_at", "last_seen_at"}
	return csvexport.WriteFileOfObject(w, r, a.store, privacy.ListExport{List: "quarantine", Of: "integration_id"}, columns, func(id uuid.UUID, add func(...string) error) error {
		return history.EachQuarantined(r.Context(), a.store, route.CallerOrganization(r), id, f, func(q history.Quarantined) error {
			return add(csvexport.Safe(q.Resource), csvexport.Safe(record.ReadableKey(q.Key)), csvexport.Safe(q.Rule), csvexport.Safe(q.Detail), csvexport.Safe(q.Pointer), csvexport.Count(q.Count), csvexport.Time(&q.FirstSeenAt), csvexport.Time(&q.LastSeenAt))
		})
	})
}
