package v1

import (
	"github.com/assayhq/assay/apiserver/auth"
	"github.com/assayhq/assay/apiserver/decode"
)

// traderRoutes lists the routes of traders and their payouts.
func (a *API) traderRoutes() []Route {
	return Document([]Route{
		{Method: "GET", Path: "/v1/traders", Scope: auth.TradersRead, Query: withQuery(readTradersQuery, a.listTraders), ID: "listTraders"},

		{Method: "GET", Path: "/v1/payouts", Scope: auth.TradersRead, Query: withQuery(readPayoutsQuery, a.listPayouts), ID: "listPayouts"},
		{Method: "GET", Path: "/v1/payouts/export", Scope: auth.TradersRead, Query: withQuery(readPayoutFilter, a.exportPayouts), Limit: downloadLimit, Produces: decode.MediaCSV, ID: "exportPayouts"},

		{Method: "POST", Path: "/v1/traders", Scope: auth.TradersWrite, Handle: a.createTrader, ID: "createTrader"},
		{Method: "GET", Path: "/v1/traders/export", Scope: auth.TradersRead, Query: withQuery(readTraderFilter, a.exportTraders), Limit: downloadLimit, Produces: decode.MediaCSV, ID: "exportTraders"},
		{Method: "GET", Path: "/v1/traders/{id}", Scope: auth.TradersRead, Handle: withID(a.getTrader), ID: "getTrader"},
		{Method: "PATCH", Path: "/v1/traders/{id}", Scope: auth.TradersWrite, Handle: withID(a.updateTrader), ID: "updateTrader"},
		{Method: "GET", Path: "/v1/traders/{id}/trades", Scope: auth.TradersRead, Query: withQuery(readTradesQuery, a.listTrades), ID: "listTrades"},
		{Method: "GET", Path: "/v1/traders/{id}/trades/export", Scope: auth.TradersRead, Query: withQuery(readTradeFilter, a.exportTrades), Limit: downloadLimit, Produces: decode.MediaCSV, ID: "exportTrades"},
		{Method: "POST", Path: "/v1/traders/{id}/notes", Scope: auth.TradersWrite, Handle: withID(a.addNote), ID: "createNote"},
		{Method: "GET", Path: "/v1/traders/{id}/duplicates", Scope: auth.TradersRead, Query: withQuery((*decode.Query).Collection, a.listDuplicates), ID: "listDuplicates"},
		{Method: "POST", Path: "/v1/traders/{id}/duplicates/{duplicateId}/merge", Scope: auth.TradersWrite, Handle: a.mergeTraders, ID: "mergeTraders"},
		{Method: "PUT", Path: "/v1/traders/{id}/duplicates/{duplicateId}/dismissal", Scope: auth.TradersWrite, Handle: a.dismissDuplicate, ID: "dismissDuplicate"},
		{Method: "DELETE", Path: "/v1/traders/{id}/duplicates/{duplicateId}/dismissal", Scope: auth.TradersWrite, Handle: a.restoreDuplicate, ID: "restoreDuplicate"},
		{Method: "DELETE", Path: "/v1/traders/{id}/notes/{noteId}", Scope: auth.TradersWrite, Handle: withID(a.deleteNote), ID: "deleteNote"},
	}, traderOperations)
}
