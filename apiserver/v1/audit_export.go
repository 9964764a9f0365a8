package v1

import (
	"net/http"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog"
	"github.com/assayhq/assay/store/privacy"
)

// exportAudit answers GET /v1/audit/export with all entries that match the filter.
func (a *API) exportAudit(w http.ResponseWriter, r *http.Request, f auditlog.Filter) error {
	columns := []string{
		"number", "at", "actor_kind", "actor_id", "actor_name", "action", "object_kind", "object_id", "request_id", "client_address", "before", "after", "previous_hash", "hash",
	}
	return answerTable(w, r, a.store, privacy.ListExport{List: "audit_log"}, columns, func(add func(...string) error) error {
		return auditlog.Each(r.Context(), a.store, callerOrganization(r), f, func(record store.AuditRecord) error {
			e := auditEntryOf(record)
			return add(countCell(e.Number), timeCell(&e.At), e.Actor.Kind, idCell(e.Actor.ID), safeCell(e.Actor.Name), e.Action, e.Object.Kind, idCell(e.Object.ID),
				textCell(e.RequestID), textCell(e.ClientAddress), safeCell(string(e.Before)), safeCell(string(e.After)), e.PreviousHash, e.Hash)
		})
	})
}
