package integrations

import (
	"net/http"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/apiserver/v1/table"
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
	return table.AnswerOf(w, r, a.store, privacy.ListExport{List: "runs", Of: "integration_id"}, columns, func(id uuid.UUID, add func(...string) error) error {
		return history.EachRun(r.Context(), a.store, route.CallerOrganization(r), id, sort, func(run history.Run) error { return add(runCells(run)...) })
	})
}

// runCells returns the cells of a run in an export.
func runCells(r history.Run) []string {
	code, message := "", ""
	if r.Error != nil {
		code, message = r.Error.Code, table.Safe(r.Error.Message)
	}
	return []string{
		r.ID.String(), r.CycleID.String(), table.Safe(r.Resource), r.Trigger, r.Mode, r.Status, table.Time(&r.StartedAt), table.Time(r.FinishedAt),
		table.Count(r.RecordsSeen), table.Count(r.RecordsUpserted()), table.Count(r.RecordsUnchanged), table.Count(r.RecordsQuarantined), table.Count(r.Pages), table.Count(r.Requests),
		table.Count(r.ThrottledMS), table.Count(r.Repeats), table.Time(r.UpdatedSince), code, message,
	}
}

// exportQuarantine answers GET /v1/integrations/{id}/quarantine/export with all records that could
// not be used.
func (a *API) exportQuarantine(w http.ResponseWriter, r *http.Request, sort string) error {
	columns := []string{"resource", "key", "rule", "detail", "pointer", "count", "first_seen_at", "last_seen_at"}
	return table.AnswerOf(w, r, a.store, privacy.ListExport{List: "quarantine", Of: "integration_id"}, columns, func(id uuid.UUID, add func(...string) error) error {
		return history.EachQuarantined(r.Context(), a.store, route.CallerOrganization(r), id, sort, func(q history.Quarantined) error {
			return add(table.Safe(q.Resource), table.Safe(record.ReadableKey(q.Key)), table.Safe(q.Rule), table.Safe(q.Detail), table.Safe(q.Pointer), table.Count(q.Count), table.Time(&q.FirstSeenAt), table.Time(&q.LastSeenAt))
		})
	})
}
