package v1

import (
	"net/http"
	"time"

	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/decode"
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
	// Limit is the time from the end of the header to the end of the answer;
	// zero: answerLimit.
	Limit time.Duration
	// Query reads the parameters that the route takes; nil: it takes none. What
	// it notes and all other parameters are refused before Handle is called,
	// which reads the values with the same function.
	Query func(*decode.Query)
	// Produces is the media type of answers; empty: JSON. A DELETE answers
	// without a body.
	Produces string
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
		{Method: "GET", Path: "/v1/integrations/egress", Scope: read, Handle: a.egressInfo},
		{Method: "POST", Path: "/v1/integrations/test", Scope: manage, Handle: a.testUnsaved, Limit: liveCheckLimit},
		{Method: "GET", Path: "/v1/integrations", Scope: read, Handle: a.listIntegrations},
		{Method: "POST", Path: "/v1/integrations", Scope: manage, Handle: a.createIntegration, Limit: liveCheckLimit},
		{Method: "GET", Path: "/v1/integrations/{id}", Scope: read, Handle: a.integration},
		{Method: "PATCH", Path: "/v1/integrations/{id}", Scope: manage, Handle: a.updateIntegration, Limit: liveCheckLimit},
		{Method: "DELETE", Path: "/v1/integrations/{id}", Scope: manage, Handle: a.deleteIntegration},
		{Method: "POST", Path: "/v1/integrations/{id}/test", Scope: manage, Handle: a.testIntegration, Limit: liveCheckLimit},
		{Method: "POST", Path: "/v1/integrations/{id}/sync", Scope: manage, Handle: a.requestSync},
		{Method: "GET", Path: "/v1/integrations/{id}/runs", Scope: read, Handle: a.listRuns, Query: reading((*decode.Query).Page)},
		{Method: "GET", Path: "/v1/integrations/{id}/schedule", Scope: read, Handle: a.schedule},
		{Method: "GET", Path: "/v1/integrations/{id}/quarantine", Scope: read, Handle: a.listQuarantine, Query: reading((*decode.Query).Page)},
		{Method: "GET", Path: "/v1/integrations/{id}/findings", Scope: read, Handle: a.listFindings, Query: reading((*decode.Query).Page)},

		{Method: "GET", Path: "/v1/api-keys", Scope: auth.APIKeysManage, Handle: a.listAPIKeys},
		{Method: "POST", Path: "/v1/api-keys", Scope: auth.APIKeysManage, Handle: a.createAPIKey},
		{Method: "DELETE", Path: "/v1/api-keys/{id}", Scope: auth.APIKeysManage, Handle: a.revokeAPIKey},

		{Method: "GET", Path: "/v1/traders", Scope: auth.TradersRead, Handle: a.listTraders, Query: reading(readTradersQuery)},
		{Method: "POST", Path: "/v1/traders", Scope: auth.TradersWrite, Handle: a.createTrader},
		{Method: "GET", Path: "/v1/traders/{id}", Scope: auth.TradersRead, Handle: a.trader},
		{Method: "PATCH", Path: "/v1/traders/{id}", Scope: auth.TradersWrite, Handle: a.updateTrader},
		{Method: "GET", Path: "/v1/traders/{id}/trades", Scope: auth.TradersRead, Handle: a.listTrades, Query: reading(readTradesQuery)},
		{Method: "POST", Path: "/v1/traders/{id}/notes", Scope: auth.TradersWrite, Handle: a.addNote},
		{Method: "DELETE", Path: "/v1/traders/{id}/notes/{noteId}", Scope: auth.TradersWrite, Handle: a.deleteNote},
	}
}
