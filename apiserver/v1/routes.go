package v1

import (
	"net/http"
	"time"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/docs"
	"github.com/assayhq/assay/apiserver/openapi"
	"github.com/assayhq/assay/apiserver/problem"
)

// Handler serves a route. It writes an answer or returns an error, which
// becomes a problem document; never both.
type Handler func(w http.ResponseWriter, r *http.Request) error

// Route is one row of the table of routes.
type Route struct {
	Method string
	Path   string     // template, such as /v1/traders/{id}
	Scope  auth.Scope // what a key must hold; empty: anybody may call
	Handle Handler
	Limit  time.Duration // from the end of the header to the end of the answer; zero: answerLimit
	// Operation documents the route in the OpenAPI document.
	Operation Operation
}

// Time limits of routes (api.md, Other).
const (
	answerLimit    = 30 * time.Second
	liveCheckLimit = 130 * time.Second
)

// Routes is the table of routes. A GET serves HEAD as well.
//
// To add a route: write its handler, and beside it a function of
// *decode.Object that reads its body, or of *decode.Query that reads its query,
// which the handler calls; add its Operation to the operations_ file of its
// resource, and a row here. go generate then writes the OpenAPI document anew:
// bounds come from the reading code, the schemas of answers from the types
// that Operation.Answers names, and their descriptions from the comments of
// those types. The tests check every request and answer against it, and ask
// for an example of each documented answer.
func (a *API) Routes() []Route {
	const read, manage = auth.IntegrationsRead, auth.IntegrationsManage
	return []Route{
		{Method: "GET", Path: openapi.Path, Handle: a.document, Operation: documentOperation()},

		{Method: "GET", Path: "/v1/integrations/egress", Scope: read, Handle: a.egressInfo, Operation: egressOperation()},
		{Method: "POST", Path: "/v1/integrations/test", Scope: manage, Handle: a.testUnsaved, Limit: liveCheckLimit, Operation: a.testUnsavedOperation()},
		{Method: "GET", Path: "/v1/integrations", Scope: read, Handle: a.listIntegrations, Operation: listIntegrationsOperation()},
		{Method: "POST", Path: "/v1/integrations", Scope: manage, Handle: a.createIntegration, Limit: liveCheckLimit, Operation: a.createIntegrationOperation()},
		{Method: "GET", Path: "/v1/integrations/{id}", Scope: read, Handle: a.integration, Operation: integrationOperation()},
		{Method: "PATCH", Path: "/v1/integrations/{id}", Scope: manage, Handle: a.updateIntegration, Limit: liveCheckLimit, Operation: a.updateIntegrationOperation()},
		{Method: "DELETE", Path: "/v1/integrations/{id}", Scope: manage, Handle: a.deleteIntegration, Operation: deleteIntegrationOperation()},
		{Method: "POST", Path: "/v1/integrations/{id}/test", Scope: manage, Handle: a.testIntegration, Limit: liveCheckLimit, Operation: testIntegrationOperation()},
		{Method: "POST", Path: "/v1/integrations/{id}/sync", Scope: manage, Handle: a.requestSync, Operation: requestSyncOperation()},
		{Method: "GET", Path: "/v1/integrations/{id}/runs", Scope: read, Handle: a.listRuns, Operation: listRunsOperation()},
		{Method: "GET", Path: "/v1/integrations/{id}/schedule", Scope: read, Handle: a.schedule, Operation: scheduleOperation()},
		{Method: "GET", Path: "/v1/integrations/{id}/quarantine", Scope: read, Handle: a.listQuarantine, Operation: listQuarantineOperation()},
		{Method: "GET", Path: "/v1/integrations/{id}/findings", Scope: read, Handle: a.listFindings, Operation: listFindingsOperation()},

		{Method: "GET", Path: "/v1/traders", Scope: auth.TradersRead, Handle: a.listTraders, Operation: listTradersOperation()},
		{Method: "GET", Path: "/v1/traders/{id}", Scope: auth.TradersRead, Handle: a.trader, Operation: traderOperation()},
		{Method: "GET", Path: "/v1/traders/{id}/trades", Scope: auth.TradersRead, Handle: a.listTrades, Operation: listTradesOperation()},
	}
}

// pages lists what people read about the API: public, beside the table above,
// and served in the same way.
func (a *API) pages() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/docs", Handle: a.docs.Reference},
		{Method: http.MethodGet, Path: docs.AssetsPath + "{" + docs.AssetVariable + "}", Handle: a.docs.Asset},
		{Method: http.MethodGet, Path: "/problems", Handle: a.docs.Problems},
		{Method: http.MethodGet, Path: problem.PagesPath + "{" + docs.CodeVariable + "}", Handle: a.docs.Problem},
	}
}
