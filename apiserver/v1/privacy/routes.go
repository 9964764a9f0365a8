package privacy

import (
	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/route"
)

// Routes lists the routes of exporting and erasing all data of a person.
func (a *API) Routes() []route.Route {
	return route.Document([]route.Route{
		{Method: "GET", Path: "/v1/interviews/{id}/export", Scope: auth.InterviewsRead, Handle: route.WithID(a.exportInterview), Limit: archiveLimit, Produces: mediaZIP, ID: "exportInterview"},

		{Method: "GET", Path: "/v1/traders/{id}/export", Scope: auth.TradersRead, Also: auth.InterviewsRead, Handle: route.WithID(a.exportTrader), Limit: archiveLimit, Produces: mediaZIP, ID: "exportTrader"},
		{Method: "POST", Path: "/v1/traders/{id}/erase", Scope: auth.TradersWrite, Also: auth.InterviewsDelete, Handle: route.WithID(a.eraseTrader), ID: "eraseTrader"},
	}, operations)
}
