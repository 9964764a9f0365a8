package auditlog

import (
	"net/http"

	"github.com/assayhq/assay/apiserver/csvexport"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog"
	"github.com/assayhq/assay/store/privacy"
)

// exportAudit answers GET /v1/audit/export with all entries that match the filter.
func (a *API) exportAudit(w http.ResponseWriter, r *http.Request, f auditlog.Filter) error {
	columns := []string{
		"number", "at", "actor_kind", "actor_id", "actor_name", "action", "object_kind", "object_id", "request_id", "client_address", "before", "after", "previous_hash", "hash",
	}
	return csvexport.WriteFile(w, r, a.store, privacy.ListExport{List: "audit_log"}, columns, func(add func(...string) error) error {
		return auditlog.Each(r.Context(), a.store, route.CallerOrganization(r), f, func(record store.AuditRecord) error {
			e := auditEntryOf(record)
			return add(csvexport.Count(e.Number), csvexport.Time(&e.At), e.Actor.Kind, csvexport.ID(e.Actor.ID), csvexport.Safe(e.Actor.Name), e.Action, e.Object.Kind, csvexport.ID(e.Object.ID),
				csvexport.Text(e.RequestID), csvexport.Text(e.ClientAddress), csvexport.Safe(string(e.Before)), csvexport.Safe(string(e.After)), e.PreviousHash, e.Hash)
		})
	})
}
