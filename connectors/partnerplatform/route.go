package partnerplatform

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/fetch"
	"github.com/assayhq/assay/connectors/record"
)

// Bounds of the contract (platform contract, Limits).
const (
	pageLimit     = 100           // records per page in sync
	checkLimit    = 1             // records per page in the live check
	maxOpenPages  = 50            // pages of open trades per run
	closedOverlap = 2 * time.Hour // of closed trades, whose list has no updated_gte
	maxClosed     = 5000          // pages of closed trades per run
)

// route is one of the platform's lists.
type route struct {
	spec connectors.StreamSpec
	path string
	// sortBy is sent as sort_by; empty sends neither it nor sort_order.
	sortBy string
	// newestFirst reverses the order in incremental runs, so that what is new since
	// the last run comes first.
	newestFirst bool
	// updatedGTE sends the run's lower bound.
	updatedGTE bool
	// scoped sends the filters of the integration's account scope.
	scoped bool
	// maxPages ends the list; zero sets no bound.
	maxPages int
}

// listRoutes lists the platform's lists in the order of a cycle (platform contract,
// Third-party platform routes).
func listRoutes() []route {
	all := []route{
		{spec: connectors.StreamSpec{Stream: record.StreamTraders}, path: "/v1/customers", sortBy: "customerNr", updatedGTE: true},
		{spec: connectors.StreamSpec{Stream: record.StreamAccounts}, path: "/v1/prop-accounts", sortBy: "accountNr", updatedGTE: true, scoped: true},
		{spec: connectors.StreamSpec{Stream: record.StreamTradesOpen, Snapshot: true}, path: "/v1/trades/open", sortBy: "ticket", maxPages: maxOpenPages},
		{
			spec: connectors.StreamSpec{Stream: record.StreamTradesClosed, Overlap: closedOverlap, PagesPerRun: maxClosed},
			path: "/v1/trades/closed", sortBy: "closeDate", newestFirst: true,
		},
		{spec: connectors.StreamSpec{Stream: record.StreamPayouts, Optional: true, Dispensable: true}, path: "/v1/payouts", updatedGTE: true, scoped: true},
	}
	for i := range all {
		all[i].spec.Endpoint = "GET " + all[i].path
	}
	return all
}

// routeOf returns the list that the stream is read from.
func routeOf(stream record.Stream) (r route, ok bool) {
	for _, r := range listRoutes() {
		if r.spec.Stream == stream {
			return r, true
		}
	}
	return route{}, false
}

// pageRequest is the request for one page of a run.
func (r route) pageRequest(req connectors.PageRequest, page int, scope connectors.AccountScope) fetch.Request {
	query := url.Values{"page": {strconv.Itoa(page)}, "limit": {strconv.Itoa(pageLimit)}}
	if r.updatedGTE && !req.UpdatedSince.IsZero() {
		query.Set("updated_gte", fetch.Timestamp(req.UpdatedSince))
	}
	if r.sortBy != "" {
		query.Set("sort_by", r.sortBy)
		query.Set("sort_order", "asc")
		if r.newestFirst && !req.Backfill {
			query.Set("sort_order", "desc")
		}
	}
	return r.completeRequest(query, scope)
}

// checkRequest is the request of a step of the live check; scope is the zero
// value where the contract sends none.
func (r route) checkRequest(scope connectors.AccountScope) fetch.Request {
	return r.completeRequest(url.Values{"page": {"1"}, "limit": {strconv.Itoa(checkLimit)}}, scope)
}

// completeRequest adds to the query what every request of the list carries.
func (r route) completeRequest(query url.Values, scope connectors.AccountScope) fetch.Request {
	if r.scoped {
		var ids []string
		for _, id := range scope.PlanCategoryIDs {
			ids = append(ids, id.String())
		}
		setList(query, "plan_category_ids", ids)
		setList(query, "platforms", scope.Platforms)
	}
	return fetch.Request{Path: r.path, Query: query, Resource: string(r.spec.Stream.Resource())}
}

// setList sets a parameter to comma-separated values, if there are any.
func setList(query url.Values, name string, values []string) {
	if len(values) > 0 {
		query.Set(name, strings.Join(values, ","))
	}
}
