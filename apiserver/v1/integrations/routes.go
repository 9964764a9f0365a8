package integrations

import (
	"context"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
)

// Routes lists the routes of integrations.
func (a *API) Routes() []route.Route {
	return route.Document([]route.Route{
		{Method: "GET", Path: "/v1/integrations/egress", Scope: auth.IntegrationsRead, Handle: a.egressInfo, ID: "getEgress"},
		{Method: "POST", Path: "/v1/integrations/test", Scope: auth.IntegrationsManage, Handle: a.testUnsaved, Limit: liveCheckLimit, Produces: response.MediaJSON + ", " + response.MediaEvents, ReadBody: a.describeNew, ID: "testConnection"},
		{Method: "GET", Path: "/v1/integrations", Scope: auth.IntegrationsRead, Query: route.WithQuery((*decode.Query).Collection, a.listIntegrations), ID: "listIntegrations"},
		{Method: "POST", Path: "/v1/integrations", Scope: auth.IntegrationsManage, Handle: a.createIntegration, Limit: liveCheckLimit, ReadBody: a.describeNew, ID: "createIntegration"},
		{Method: "GET", Path: "/v1/integrations/{id}", Scope: auth.IntegrationsRead, Handle: route.WithID(a.getIntegration), ID: "getIntegration"},
		{Method: "PATCH", Path: "/v1/integrations/{id}", Scope: auth.IntegrationsManage, Handle: route.WithID(a.updateIntegration), Limit: liveCheckLimit, ReadBody: a.describePatch, ID: "updateIntegration"},
		{Method: "DELETE", Path: "/v1/integrations/{id}", Scope: auth.IntegrationsManage, Handle: a.deleteIntegration, ID: "deleteIntegration"},
		{Method: "POST", Path: "/v1/integrations/{id}/test", Scope: auth.IntegrationsManage, Handle: a.testIntegration, Limit: liveCheckLimit, Produces: response.MediaJSON + ", " + response.MediaEvents, ID: "testIntegration"},
		{Method: "POST", Path: "/v1/integrations/{id}/sync", Scope: auth.IntegrationsManage, Handle: a.requestSync, ID: "requestSync"},
		{Method: "POST", Path: "/v1/integrations/{id}/audit", Scope: auth.IntegrationsManage, Handle: a.requestAudit, ID: "requestIntegrationAudit"},
		{Method: "GET", Path: "/v1/integrations/{id}/audit", Scope: auth.IntegrationsRead, Handle: route.WithID(a.integrationAudits), ID: "getIntegrationAudits"},
		{Method: "GET", Path: "/v1/integrations/{id}/runs", Scope: auth.IntegrationsRead, Query: route.WithQuery(readRunsQuery, a.listRuns), ID: "listSyncRuns"},
		{Method: "GET", Path: "/v1/integrations/{id}/runs/export", Scope: auth.IntegrationsRead, Query: route.WithQuery(readRunFilter, a.exportRuns), Limit: route.DownloadLimit, Produces: decode.MediaCSV, ID: "exportSyncRuns"},
		{Method: "GET", Path: "/v1/integrations/{id}/schedule", Scope: auth.IntegrationsRead, Handle: route.WithID(a.getSchedule), ID: "getSchedule"},
		{Method: "GET", Path: "/v1/integrations/{id}/quarantine", Scope: auth.IntegrationsRead, Query: route.WithQuery(readQuarantineQuery, a.listQuarantine), ID: "listQuarantine"},
		{Method: "GET", Path: "/v1/integrations/{id}/quarantine/export", Scope: auth.IntegrationsRead, Query: route.WithQuery(readQuarantineFilter, a.exportQuarantine), Limit: route.DownloadLimit, Produces: decode.MediaCSV, ID: "exportQuarantine"},
		{Method: "GET", Path: "/v1/integrations/{id}/findings", Scope: auth.IntegrationsRead, Query: route.WithQuery((*decode.Query).Page, a.listFindings), ID: "listFindings"},
	}, operations)
}

// describeNew reads the body of a create as createIntegration does.
func (a *API) describeNew(o *decode.Object) { _, _ = a.integrationFrom(context.Background(), o) }

// describePatch reads the body of a PATCH as updateIntegration does for a platform of any kind.
func (a *API) describePatch(o *decode.Object) { _, _ = a.patchFrom(context.Background(), o, "") }
