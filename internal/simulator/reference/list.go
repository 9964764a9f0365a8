package reference

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/assayhq/assay/internal/simulator/fault"
	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/wire"
)

// Bounds of the limit parameter (contract, Limits).
const (
	defaultLimit = 100
	maxLimit     = 500
)

// listQuery is a parsed request for a page.
type listQuery struct {
	list    Resource
	since   int64 // microseconds; 0 is no filter
	cursor  string
	limit   int
	account string // trades only; empty is no filter
	counter int    // of the faults that count pages in their cursors
}

// listPage is a page on its way out.
type listPage struct {
	fault.List
	places []firm.Position // of the records, for the faults that set wrong cursors
	next   string          // empty on the last page
	lastly string          // JSON that means "no more pages", instead of null; "-" leaves it out
}

// parseList reads the query. Its errors are for the caller to read.
func parseList(list Resource, rawQuery string) (listQuery, error) {
	q := listQuery{list: list, limit: defaultLimit}
	values, err := url.ParseQuery(rawQuery)
	if err != nil {
		return q, fmt.Errorf("the query cannot be read")
	}
	for _, name := range []string{"updated_since", "cursor", "limit", "account_id"} {
		if len(values[name]) > 1 {
			return q, fmt.Errorf("%s is given more than once", name)
		}
	}
	if values.Has("limit") {
		q.limit, err = strconv.Atoi(values.Get("limit"))
		if err != nil || q.limit < 1 || q.limit > maxLimit {
			return q, fmt.Errorf("limit must be an integer from 1 to %d", maxLimit)
		}
	}
	if values.Has("updated_since") {
		// A plus sign that was not percent-encoded arrives as a space; no
		// RFC 3339 time has one, so the intention is clear all the same.
		since, err := parseSince(values.Get("updated_since"))
		if err != nil {
			return q, fmt.Errorf("updated_since must be an RFC 3339 time such as 2026-01-31T08:00:00Z")
		}
		q.since = since
	}
	q.cursor = values.Get("cursor")
	if list == Trades {
		q.account = values.Get("account_id")
	}
	return q, nil
}

// parseSince reads updated_since. Records carry microseconds; a finer time is
// rounded up, since nothing before it may be returned.
func parseSince(text string) (int64, error) {
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		b := []byte(text)
		if len(b) >= 6 && b[len(b)-6] == ' ' {
			b[len(b)-6] = '+'
		}
		if t, err = time.Parse(time.RFC3339, string(b)); err != nil {
			return 0, err
		}
	}
	at := t.UnixMicro()
	if t.Nanosecond()%1000 != 0 {
		at++
	}
	return max(at, 0), nil
}

// serveList answers with a page of a list.
func (p *Platform) serveList(x *fault.Exchange, faults activeFaults) {
	list := Resource(x.Endpoint[1:])
	q, err := parseList(list, x.Request.URL.RawQuery)
	if err != nil {
		x.Fail(http.StatusBadRequest, "invalid_parameter", err.Error()+".")
		return
	}
	faults.Query(&q)
	var after *firm.Position
	if q.cursor != "" {
		place, err := decodeCursor(list, q.cursor)
		if err != nil {
			x.Fail(http.StatusBadRequest, "invalid_cursor", err.Error()+".")
			return
		}
		after = &place
	}
	buffer := p.buffers.Get().(*[]byte)
	defer p.buffers.Put(buffer)
	if faults.None() {
		*buffer = p.world.appendPage((*buffer)[:0], &q, after)
	} else {
		page := p.world.extractPage(&q, after)
		faults.Page(string(list), &q, page, page.Records)
		*buffer = page.appendTo((*buffer)[:0])
	}
	x.Send(http.StatusOK, *buffer)
}

// appendPage writes a page's body without holding its records one by one.
func (w *tables) appendPage(dst []byte, q *listQuery, after *firm.Position) []byte {
	dst = append(dst, `{"data":[`...)
	next := ""
	w.withTable(q, after, func(refs []uint32, more bool, t lister) {
		for i, ref := range refs {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = t.AppendRecord(dst, ref)
		}
		if more {
			next = encodeCursor(q.list, t.At(refs[len(refs)-1]))
		}
	})
	dst = wire.AppendNullable(append(dst, `],"next_cursor":`...), next)
	return append(dst, '}')
}

// extractPage takes a page's records out, for the faults to work on.
func (w *tables) extractPage(q *listQuery, after *firm.Position) *listPage {
	page := &listPage{}
	w.withTable(q, after, func(refs []uint32, more bool, t lister) {
		for _, ref := range refs {
			page.Records = append(page.Records, t.AppendRecord(nil, ref))
			page.places = append(page.places, t.At(ref))
		}
		if more {
			page.next = encodeCursor(q.list, t.At(refs[len(refs)-1]))
		}
	})
	return page
}

// appendTo writes the page in its shape.
func (p *listPage) appendTo(dst []byte) []byte {
	return p.List.Append(dst, func(dst []byte) []byte {
		switch {
		case p.next != "":
			return wire.AppendString(append(dst, `,"next_cursor":`...), p.next)
		case p.lastly != "-":
			return wire.AppendRaw(append(dst, `,"next_cursor":`...), p.lastly)
		}
		return dst
	})
}

// lister is what a page needs of a table, whatever its types.
type lister interface {
	AppendRecord(dst []byte, ref uint32) []byte
	At(ref uint32) firm.Position
}

// withTable selects a page's rows and calls f with them while the world is
// held still.
func (w *tables) withTable(q *listQuery, after *firm.Position, f func(refs []uint32, more bool, t lister)) {
	if q.account != "" {
		w.IndexAccounts()
	}
	w.Read(func() {
		var refs []uint32
		var more bool
		switch q.list {
		case Traders:
			refs, more = w.traders.Page(q.since, after, q.limit)
			f(refs, more, &w.traders)
		case Accounts:
			refs, more = w.accounts.Page(q.since, after, q.limit)
			f(refs, more, &w.accounts)
		case Payouts:
			refs, more = w.payouts.Page(q.since, after, q.limit)
			f(refs, more, &w.payouts)
		case Trades:
			if q.account == "" {
				refs, more = w.trades.Page(q.since, after, q.limit)
			} else {
				refs, more = w.trades.PageOf(w.accountTrades(q.account), q.since, after, q.limit)
			}
			f(refs, more, &w.trades)
		}
	})
}

// accountTrades lists the rows of an account's trades, in no order.
func (w *tables) accountTrades(account string) []uint32 {
	var refs []uint32
	if ref, ok := w.accounts.Find(account); ok {
		for _, trade := range w.TradesOf(ref) {
			if _, _, custom := w.trades.Custom(trade); !custom {
				refs = append(refs, trade)
			}
		}
	}
	for ref := range w.trades.Customs {
		if record, raw, _ := w.trades.Custom(ref); !raw && record.AccountID == account {
			refs = append(refs, ref)
		}
	}
	return refs
}
