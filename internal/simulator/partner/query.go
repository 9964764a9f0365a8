package partner

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxLimit bounds the limit parameter; it is the default too.
const maxLimit = 100

// listQuery is a parsed request for a page.
type listQuery struct {
	list       List
	page       int // from 1
	limit      int
	back       int   // records that the page begins earlier than it should, by a fault
	circle     bool  // behind the last page comes the first, by a fault
	since      int64 // microseconds; 0 is no filter
	descending bool
	scope      scope
	lag        int64 // microseconds by which a list of trades is behind, by a fault
}

// scope filters by account; empty lists filter nothing.
type scope struct{ plans, platforms []string }

func (s *scope) isEmpty() bool { return len(s.plans) == 0 && len(s.platforms) == 0 }

// sortKey returns the field by which the list can be sorted. Payouts have none.
func (l List) sortKey() string {
	switch l {
	case Customers:
		return "customerNr"
	case Accounts:
		return "accountNr"
	case ClosedTrades:
		return "closeDate"
	case OpenTrades:
		return "ticket"
	}
	return ""
}

// queryParameters returns what a list's query may hold.
func (l List) queryParameters() []string {
	names := []string{"page", "limit"}
	if l.sortKey() != "" {
		names = append(names, "sort_by", "sort_order")
	}
	switch l {
	case Customers:
		names = append(names, "updated_gte")
	case Accounts, Payouts:
		names = append(names, "updated_gte", "plan_category_ids", "platforms")
	}
	return names
}

// parseQuery reads the query. Its errors are for the caller to read.
func parseQuery(list List, rawQuery string) (listQuery, error) {
	q := listQuery{list: list, page: 1, limit: maxLimit}
	values, err := url.ParseQuery(rawQuery)
	if err != nil {
		return q, errors.New("the query cannot be read")
	}
	known := list.queryParameters()
	for name, given := range values {
		if !slices.Contains(known, name) {
			return q, fmt.Errorf("%s is not a parameter of %s: want %s", name, list.urlPath(), strings.Join(known, ", "))
		}
		if len(given) > 1 {
			return q, fmt.Errorf("%s is given more than once", name)
		}
		if given[0] == "" {
			return q, fmt.Errorf("%s is empty", name)
		}
	}
	if err := q.readPage(values); err != nil {
		return q, err
	}
	return q, q.readFilters(values)
}

func (q *listQuery) readPage(values url.Values) error {
	for name, target := range map[string]*int{"page": &q.page, "limit": &q.limit} {
		if !values.Has(name) {
			continue
		}
		n, err := strconv.Atoi(values.Get(name))
		if err != nil || n < 1 || n > 1_000_000_000 {
			return fmt.Errorf("%s must be an integer from 1", name)
		}
		*target = n
	}
	if q.limit > maxLimit {
		return fmt.Errorf("limit must be at most %d", maxLimit)
	}
	if by := values.Get("sort_by"); by != "" && by != q.list.sortKey() {
		return fmt.Errorf("sort_by must be %s", q.list.sortKey())
	}
	switch values.Get("sort_order") {
	case "", "asc":
	case "desc":
		q.descending = true
	default:
		return errors.New("sort_order must be asc or desc")
	}
	return nil
}

func (q *listQuery) readFilters(values url.Values) error {
	if values.Has("updated_gte") {
		at, err := time.Parse(time.RFC3339, values.Get("updated_gte"))
		if err != nil {
			return errors.New("updated_gte must be an RFC 3339 time such as 2026-01-31T08:00:00Z")
		}
		q.since = max(at.UnixMicro(), 1)
	}
	for name, target := range map[string]*[]string{"plan_category_ids": &q.scope.plans, "platforms": &q.scope.platforms} {
		if !values.Has(name) {
			continue
		}
		*target = strings.Split(values.Get(name), ",")
		if slices.Contains(*target, "") {
			return fmt.Errorf("%s holds an empty name", name)
		}
	}
	return nil
}

// pageOffset returns how many of the records lie before the page.
func (q *listQuery) pageOffset(total int) int {
	page := q.page - 1
	if q.circle && total > 0 {
		page %= (total + q.limit - 1) / q.limit
	}
	return max(page*q.limit-q.back, 0)
}

// isFiltered reports whether the query takes only a part of its list.
func (q *listQuery) isFiltered() bool { return q.since > 0 || !q.scope.isEmpty() }
