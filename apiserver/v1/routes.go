package v1

import (
	"net/http"
	"time"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/docs"
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
}

// Time limits of routes (api.md, Other).
const (
	answerLimit    = 30 * time.Second
	liveCheckLimit = 130 * time.Second
)

// Routes is the table of routes. A GET serves HEAD as well.
func (a *API) Routes() []Route {
	const read, manage = auth.IntegrationsRead, auth.IntegrationsManage
	return []Route{
		{"GET", "/v1/integrations/egress", read, a.egressInfo, 0},
		{"POST", "/v1/integrations/test", manage, a.testUnsaved, liveCheckLimit},
		{"GET", "/v1/integrations", read, a.listIntegrations, 0},
		{"POST", "/v1/integrations", manage, a.createIntegration, liveCheckLimit},
		{"GET", "/v1/integrations/{id}", read, a.integration, 0},
		{"PATCH", "/v1/integrations/{id}", manage, a.updateIntegration, liveCheckLimit},
		{"DELETE", "/v1/integrations/{id}", manage, a.deleteIntegration, 0},
		{"POST", "/v1/integrations/{id}/test", manage, a.testIntegration, liveCheckLimit},
		{"POST", "/v1/integrations/{id}/sync", manage, a.requestSync, 0},
		{"GET", "/v1/integrations/{id}/runs", read, a.listRuns, 0},
		{"GET", "/v1/integrations/{id}/schedule", read, a.schedule, 0},
		{"GET", "/v1/integrations/{id}/quarantine", read, a.listQuarantine, 0},
		{"GET", "/v1/integrations/{id}/findings", read, a.listFindings, 0},

		{"GET", "/v1/traders", auth.TradersRead, a.listTraders, 0},
		{"GET", "/v1/traders/{id}", auth.TradersRead, a.trader, 0},
		{"GET", "/v1/traders/{id}/trades", auth.TradersRead, a.listTrades, 0},
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
