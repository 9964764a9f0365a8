package v1

import (
	"github.com/assayhq/assay/apiserver/auth"
)

// privacyRoutes lists the routes of exporting and erasing all data of a person.
func (a *API) privacyRoutes() []Route {
	return Document([]Route{
		{Method: "GET", Path: "/v1/interviews/{id}/export", Scope: auth.InterviewsRead, Handle: withID(a.exportInterview), Limit: archiveLimit, Produces: mediaZIP, ID: "exportInterview"},

		{Method: "GET", Path: "/v1/traders/{id}/export", Scope: auth.TradersRead, Also: auth.InterviewsRead, Handle: withID(a.exportTrader), Limit: archiveLimit, Produces: mediaZIP, ID: "exportTrader"},
		{Method: "POST", Path: "/v1/traders/{id}/erase", Scope: auth.TradersWrite, Also: auth.InterviewsDelete, Handle: withID(a.eraseTrader), ID: "eraseTrader"},
	}, privacyOperations)
}
