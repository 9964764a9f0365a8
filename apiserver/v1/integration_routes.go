package v1

import (
	"context"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/decode"
)

// integrationRoutes lists the routes of integrations.
func (a *API) integrationRoutes() []Route {
	return Document([]Route{
		{Method: "GET", Path: "/v1/integrations/egress", Scope: auth.IntegrationsRead, Handle: a.egressInfo, ID: "getEgress"},
		{Method: "POST", Path: "/v1/integrations/test", Scope: auth.IntegrationsManage, Handle: a.testUnsaved, Limit: liveCheckLimit, Produces: mediaJSON + ", " + mediaEvents, ReadBody: a.describeNew, ID: "testConnection"},
		{Method: "GET", Path: "/v1/integrations", Scope: auth.IntegrationsRead, Query: withQuery((*decode.Query).Collection, a.listIntegrations), ID: "listIntegrations"},
		{Method: "POST", Path: "/v1/integrations", Scope: auth.IntegrationsManage, Handle: a.createIntegration, Limit: liveCheckLimit, ReadBody: a.describeNew, ID: "createIntegration"},
		{Method: "GET", Path: "/v1/integrations/{id}", Scope: auth.IntegrationsRead, Handle: withID(a.getIntegration), ID: "getIntegration"},
		{Method: "PATCH", Path: "/v1/integrations/{id}", Scope: auth.IntegrationsManage, Handle: withID(a.updateIntegration), Limit: liveCheckLimit, ReadBody: a.describePatch, ID: "updateIntegration"},
		{Method: "DELETE", Path: "/v1/integrations/{id}", Scope: auth.IntegrationsManage, Handle: a.deleteIntegration, ID: "deleteIntegration"},
		{Method: "POST", Path: "/v1/integrations/{id}/test", Scope: auth.IntegrationsManage, Handle: a.testIntegration, Limit: liveCheckLimit, Produces: mediaJSON + ", " + mediaEvents, ID: "testIntegration"},
		{Method: "POST", Path: "/v1/integrations/{id}/sync", Scope: auth.IntegrationsManage, Handle: a.requestSync, ID: "requestSync"},
		{Method: "POST", Path: "/v1/integrations/{id}/audit", Scope: auth.IntegrationsManage, Handle: a.requestAudit, ID: "requestIntegrationAudit"},
		{Method: "GET", Path: "/v1/integrations/{id}/audit", Scope: auth.IntegrationsRead, Handle: withID(a.integrationAudits), ID: "getIntegrationAudits"},
		{Method: "GET", Path: "/v1/integrations/{id}/runs", Scope: auth.IntegrationsRead, Query: withQuery(readRunsQuery, a.listRuns), ID: "listSyncRuns"},
		{Method: "GET", Path: "/v1/integrations/{id}/runs/export", Scope: auth.IntegrationsRead, Query: withQuery(readRunSort, a.exportRuns), Limit: downloadLimit, Produces: decode.MediaCSV, ID: "exportSyncRuns"},
		{Method: "GET", Path: "/v1/integrations/{id}/schedule", Scope: auth.IntegrationsRead, Handle: withID(a.getSchedule), ID: "getSchedule"},
		{Method: "GET", Path: "/v1/integrations/{id}/quarantine", Scope: auth.IntegrationsRead, Query: withQuery(readQuarantineQuery, a.listQuarantine), ID: "listQuarantine"},
		{Method: "GET", Path: "/v1/integrations/{id}/quarantine/export", Scope: auth.IntegrationsRead, Query: withQuery(readQuarantineSort, a.exportQuarantine), Limit: downloadLimit, Produces: decode.MediaCSV, ID: "exportQuarantine"},
		{Method: "GET", Path: "/v1/integrations/{id}/findings", Scope: auth.IntegrationsRead, Query: withQuery((*decode.Query).Page, a.listFindings), ID: "listFindings"},
	}, integrationOperations)
}

// describeNew reads the body of a create as createIntegration does.
func (a *API) describeNew(o *decode.Object) { _, _ = a.integrationFrom(context.Background(), o) }

// describePatch reads the body of a PATCH as updateIntegration does for a platform of any kind.
func (a *API) describePatch(o *decode.Object) { _, _ = a.patchFrom(context.Background(), o, "") }
