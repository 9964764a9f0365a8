package partner

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/wire"
)

// listPage is a page on its way out.
type listPage struct {
	fault.List
	total  int    // of all pages
	totals Totals // where the total is
	text   string // JSON instead of the total
}

// serveList answers with a page of a list.
func (p *Platform) serveList(x *fault.Exchange, faults activeFaults) {
	list := List(strings.TrimPrefix(x.Endpoint, "/v1/"))
	q, err := parseQuery(list, x.Request.URL.RawQuery)
	if err != nil {
		x.Fail(http.StatusBadRequest, "invalid_parameter", err.Error()+".")
		return
	}
	faults.Query(&q)
	page := listPage{totals: p.tables.o.Totals}
	if faults.None() {
		buffer := p.buffers.Get().(*[]byte)
		defer p.buffers.Put(buffer)
		*buffer = append((*buffer)[:0], `{"data":[`...)
		page.total = p.tables.visitPage(&q, func(i int, ref uint32, t lister) {
			if i > 0 {
				*buffer = append(*buffer, ',')
			}
			*buffer = t.AppendRecord(*buffer, ref)
		})
		*buffer = append(page.appendTotal(append(*buffer, ']')), '}')
		x.Send(http.StatusOK, *buffer)
		return
	}
	page.total = p.tables.visitPage(&q, func(_ int, ref uint32, t lister) {
		page.Records = append(page.Records, t.AppendRecord(nil, ref))
	})
	faults.Page(string(list), &q, &page, page.Records)
	x.Send(http.StatusOK, page.List.Append(nil, page.appendTotal))
}

// appendTotal appends the total with a comma before it, where it belongs.
func (p *listPage) appendTotal(dst []byte) []byte {
	text := p.text
	if text == "" {
		text = strconv.Itoa(p.total)
	}
	switch p.totals {
	case NoTotals:
		return dst
	case TopLevel:
		return append(append(dst, `,"total_count":`...), text...)
	}
	return append(append(append(dst, `,"metadata":{"total_count":`...), text...), '}')
}

// lister is what a page needs of a table, whatever its types.
type lister interface {
	AppendRecord(dst []byte, ref uint32) []byte
}

// visitPage calls each with the rows of a page, in order, while the world is held
// still, and returns how many there are on all pages.
func (t *tables) visitPage(q *listQuery, each func(i int, ref uint32, t lister)) (total int) {
	t.Read(func() {
		whole, table := t.indexAndTable(q.list)
		if q.lag > 0 {
			whole, table = t.laggingIndex(q)
		}
		var refs []uint32
		if q.isFiltered() {
			all := t.selectRows(q, whole)
			total = len(all)
			from := min(q.pageOffset(total), total)
			refs = all[from:min(from+q.limit, total)]
		} else {
			total = len(whole)
			refs = whole.rowWindow(q.pageOffset(total), q.limit, q.descending)
		}
		for i, ref := range refs {
			each(i, ref, table)
		}
	})
	return total
}

// indexAndTable returns a list's index and table.
func (t *tables) indexAndTable(list List) (index, lister) {
	switch list {
	case Customers:
		return t.byNr[customersByNr], &t.customers
	case Accounts:
		return t.byNr[accountsByNr], &t.accounts
	case ClosedTrades:
		return t.closed, &t.trades
	case OpenTrades:
		return t.open, &t.trades
	}
	return t.byPayout, &t.payouts
}

// laggingIndex returns a list of trades as it is by a fault: the closed ones without
// the latest, or the open ones with those that closed a moment ago, as if they
// were open still.
func (t *tables) laggingIndex(q *listQuery) (index, lister) {
	past, _ := slices.BinarySearchFunc(t.closed, place{key: wire.Micros(t.Now()) - q.lag}, place.compare)
	if q.list == ClosedTrades {
		return t.closed[:past], &t.trades
	}
	open := slices.Clone(t.open)
	for _, at := range t.closed[past:] {
		open.insert(place{numberOf(t.trades.ID(at.ref)), at.ref})
	}
	return open, stillOpen{t}
}

// stillOpen writes trades without what closing added.
type stillOpen struct{ t *tables }

func (s stillOpen) AppendRecord(dst []byte, ref uint32) []byte {
	if _, raw, _ := s.t.trades.Custom(ref); raw {
		return s.t.trades.AppendRecord(dst, ref)
	}
	r := s.t.trades.Record(ref)
	r.CloseDate, r.ClosePrice, r.PnL = time.Time{}, wire.Decimal{}, wire.Decimal{}
	return s.t.appendTrade(dst, ref, &r)
}

// selection is the rows that a filter selects, in order.
type selection struct {
	filter  string
	version uint64
	refs    []uint32
}

// selectRows returns the rows of a list that a query's filters leave.
func (t *tables) selectRows(q *listQuery, whole index) []uint32 {
	filter := fmt.Sprint(q.since, q.descending, q.scope)
	t.keeping.Lock()
	defer t.keeping.Unlock()
	if kept, ok := t.kept[q.list]; ok && kept.filter == filter && kept.version == t.version[q.list] {
		return kept.refs
	}
	var refs []uint32
	list := t.changeList(q.list)
	for _, at := range whole {
		if list.Updated(at.ref) >= q.since && t.isWithin(q, at.ref) {
			refs = append(refs, at.ref)
		}
	}
	if q.descending {
		slices.Reverse(refs)
	}
	t.kept[q.list] = selection{filter, t.version[q.list], refs}
	return refs
}

// changeList returns the list that knows when the records of a list changed.
func (t *tables) changeList(list List) *firm.List {
	switch list {
	case Customers:
		return t.customers.List
	case Accounts:
		return t.accounts.List
	}
	return t.payouts.List
}

// isWithin reports whether a record is within a query's scope.
func (t *tables) isWithin(q *listQuery, ref uint32) bool {
	if q.scope.isEmpty() {
		return true
	}
	if q.list == Payouts {
		payout := t.payouts.Record(ref)
		account, found := t.accounts.Find(payout.AccountNr)
		if !found {
			return false
		}
		ref = account
	}
	account := t.accounts.Record(ref)
	return q.scope.matchesAccount(&account)
}
