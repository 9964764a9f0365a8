package v1

import (
	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/decode"
)

// auditRoutes lists the routes of the audit log.
func (a *API) auditRoutes() []Route {
	return Document([]Route{
		{Method: "GET", Path: "/v1/audit", Scope: auth.APIKeysManage, Query: withQuery(readAuditQuery, a.listAudit), ID: "listAudit"},
		{Method: "GET", Path: "/v1/audit/export", Scope: auth.APIKeysManage, Query: withQuery(readAuditFilter, a.exportAudit), Limit: downloadLimit, Produces: decode.MediaCSV, ID: "exportAudit"},
	}, auditOperations)
}
