package traders

import (
	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/route"
)

// Routes lists the routes of traders and their payouts.
func (a *API) Routes() []route.Route {
	return route.Document([]route.Route{
		{Method: "GET", Path: "/v1/traders", Scope: auth.TradersRead, Query: route.WithQuery(readTradersQuery, a.listTraders), ID: "listTraders"},

		{Method: "GET", Path: "/v1/payouts", Scope: auth.TradersRead, Query: route.WithQuery(readPayoutsQuery, a.listPayouts), ID: "listPayouts"},
		{Method: "GET", Path: "/v1/payouts/export", Scope: auth.TradersRead, Query: route.WithQuery(readPayoutFilter, a.exportPayouts), Limit: route.DownloadLimit, Produces: decode.MediaCSV, ID: "exportPayouts"},

		{Method: "POST", Path: "/v1/traders", Scope: auth.TradersWrite, Handle: a.createTrader, ID: "createTrader"},
		{Method: "GET", Path: "/v1/traders/export", Scope: auth.TradersRead, Query: route.WithQuery(readTraderFilter, a.exportTraders), Limit: route.DownloadLimit, Produces: decode.MediaCSV, ID: "exportTraders"},
		{Method: "GET", Path: "/v1/traders/{id}", Scope: auth.TradersRead, Handle: route.WithID(a.getTrader), ID: "getTrader"},
		{Method: "PATCH", Path: "/v1/traders/{id}", Scope: auth.TradersWrite, Handle: route.WithID(a.updateTrader), ID: "updateTrader"},
		{Method: "GET", Path: "/v1/traders/{id}/trades", Scope: auth.TradersRead, Query: route.WithQuery(readTradesQuery, a.listTrades), ID: "listTrades"},
		{Method: "GET", Path: "/v1/traders/{id}/trades/export", Scope: auth.TradersRead, Query: route.WithQuery(readTradeFilter, a.exportTrades), Limit: route.DownloadLimit, Produces: decode.MediaCSV, ID: "exportTrades"},
		{Method: "POST", Path: "/v1/traders/{id}/notes", Scope: auth.TradersWrite, Handle: route.WithID(a.addNote), ID: "createNote"},
		{Method: "GET", Path: "/v1/traders/{id}/duplicates", Scope: auth.TradersRead, Query: route.WithQuery((*decode.Query).Collection, a.listDuplicates), ID: "listDuplicates"},
		{Method: "POST", Path: "/v1/traders/{id}/duplicates/{duplicateId}/merge", Scope: auth.TradersWrite, Handle: a.mergeTraders, ID: "mergeTraders"},
		{Method: "PUT", Path: "/v1/traders/{id}/duplicates/{duplicateId}/dismissal", Scope: auth.TradersWrite, Handle: a.dismissDuplicate, ID: "dismissDuplicate"},
		{Method: "DELETE", Path: "/v1/traders/{id}/duplicates/{duplicateId}/dismissal", Scope: auth.TradersWrite, Handle: a.restoreDuplicate, ID: "restoreDuplicate"},
		{Method: "DELETE", Path: "/v1/traders/{id}/notes/{noteId}", Scope: auth.TradersWrite, Handle: route.WithID(a.deleteNote), ID: "deleteNote"},
	}, operations)
}
