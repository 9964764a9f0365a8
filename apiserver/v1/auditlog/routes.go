package auditlog

import (
	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/route"
)

// Routes lists the routes of the audit log.
func (a *API) Routes() []route.Route {
	return route.Document([]route.Route{
		{Method: "GET", Path: "/v1/audit", Scope: auth.APIKeysManage, Query: route.WithQuery(readAuditQuery, a.listAudit), ID: "listAudit"},
		{Method: "GET", Path: "/v1/audit/export", Scope: auth.APIKeysManage, Query: route.WithQuery(readAuditFilter, a.exportAudit), Limit: route.DownloadLimit, Produces: decode.MediaCSV, ID: "exportAudit"},
	}, operations)
}
