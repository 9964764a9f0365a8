package partnerplatform

import (
	"fmt"

	"github.com/assayhq/assay/connectors"
)

// maxMeetings is how many pages must be the same as one before them until the
// list is taken to go round in circles. An honest list whose rows move by
// exactly one page between two requests shows a page twice; three times in a
// row is not honest.
const maxMeetings = 3

// sighting is what the decision on a list's next page must know of a page.
type sighting struct {
	rows  int
	total int64  // as told; unknown when none was, or none that can be read
	hash  uint64 // of the ids of the page's records
	// enough says that everything beyond the page is known already, by the
	// two-hour rule of closed trades.
	enough bool
}

// advance decides where a list goes on after the page at which the cursor
// points. more is false when it ends. rules are the findings that the page
// gives rise to. The error is a *connectors.Error with CodeCursorLoop.
//
// The contract's rule comes first: there is a next page while a full page came
// and page × 100 is below the total; full pages alone count when no total is
// told. It is amended where a list that does not keep the contract would lose
// rows without a sign:
//
//   - A total below the rows that have been seen cannot be true and counts as absent.
//   - A page that has been met before does not end the list by the total, it
//     fails: the parameter page is ignored, and after as many repetitions as the
//     total asks for, the list would look complete.
//   - When the total sinks, pages before are read again; see recordShrinkage.
//
// A first page with as many rows as the total ends the list, however many
// those are: then the limit is ignored and everything is there.
func (c cursor) advance(s sighting, maxPages int) (next cursor, more bool, rules []string, err error) {
	next = c
	next.reads++
	next.frontier = max(c.frontier, c.page)
	fresh := c.page > c.frontier
	total, rules := s.validTotal(c.page)
	if len(rules) > 0 {
		next.total = unknown // what it said before is no better
	}
	if s.rows > pageLimit {
		rules = append(rules, RuleLimitIgnored)
	}
	if total > int64(c.page-1)*pageLimit+int64(s.rows) && s.rows < pageLimit {
		rules = append(rules, RulePageSizeIgnored)
	}
	repeated := fresh && next.compareAnchor(s)
	over := total != unknown && int64(c.page)*pageLimit >= total
	if next.met >= maxMeetings || repeated && over && s.rows >= pageLimit {
		return c, false, rules, &connectors.Error{Code: connectors.CodeCursorLoop, Message: fmt.Sprintf(
			"page %d holds the same records as a page before it: the parameter page is ignored, or the list begins anew at its end", c.page)}
	}
	next.recordShrinkage(total)

	end := s.rows < pageLimit || c.page == 1 && total == int64(s.rows) || over || s.enough
	switch {
	case next.rewindPage(fresh, end):
		return next, true, rules, nil
	case end:
		return c, false, rules, nil
	case c.page == maxPages:
		return c, false, append(rules, RuleOpenTradesTruncated), nil
	}
	next.page = c.page + 1
	return next, true, rules, nil
}

// validTotal returns the total unless the page shows that it is wrong: too low for
// the rows that stand before and on the page, or too high because there is
// nothing where more should be.
func (s sighting) validTotal(page int) (total int64, rules []string) {
	before := int64(page-1) * pageLimit
	low := s.rows > 0 && s.total != unknown && s.total < before+int64(min(s.rows, pageLimit))
	if high := s.rows == 0 && s.total > before; low || high {
		return unknown, []string{RuleTotalCountWrong}
	}
	return s.total, nil
}

// compareAnchor compares a page that is read for the first time with the anchor, and
// reports whether they are the same. The anchor is replaced after pages 1, 2,
// 4, 8 and so on (Brent's method), so that a circle of any length is found, at
// a bounded cost. Pages that are read again because the list has shrunk may
// well be the same and are not compared.
func (c *cursor) compareAnchor(s sighting) (same bool) {
	if s.rows == 0 {
		return false
	}
	if same = s.hash == c.anchor; same {
		c.met++
	}
	if p := c.frontier; p&(p-1) == 0 && !same {
		c.anchor, c.met = s.hash, 0
	}
	return same
}

// recordShrinkage notes which rows may have been skipped because the list has become
// shorter between two requests. If d rows before the present page have gone,
// those behind them have moved d places towards the start, and the first d rows
// that the present page would have shown stand on pages before it.
//
// This is covered: rows that go, wherever they stood, as far as the total sinks
// from one page to the next that is read; also when that happens again while
// pages are read anew. It is not covered: rows that go while others come, in so
// far as the total does not show it; what goes between two pages of which one
// does not tell the total; lists without a total; and a list that keeps on
// shrinking after its pages have been read three times on average (see rewindPage).
// Rows that are missed so are met by a later run: a changed record by its
// updated_gte, an open trade in the next cycle, a closed trade when it is no
// older than the overlap.
func (c *cursor) recordShrinkage(total int64) {
	if total == unknown {
		return
	}
	// Before the first page nothing can have been skipped.
	if gone := c.total - total; c.total != unknown && gone > 0 && c.page > 1 {
		from := int64(c.page-1) * pageLimit
		if c.lost != unknown {
			from = c.lost // they have moved on with the others
		}
		c.lost = max(from-gone, 0)
	}
	c.total = total
}

// rewindPage goes back to the page on which rows may have been skipped, if any
// were. It goes back from a page that is new, so that every turn of this kind
// brings the run further, and at the end of the list. In all, about twice as
// many pages are read again as the list has, and a few more, because short
// lists change as much as long ones; beyond that a run goes back by a single
// page. Otherwise a total that changes to and fro would keep it busy for ever.
func (c *cursor) rewindPage(fresh, end bool) bool {
	const few = 10
	again := c.reads - c.frontier
	allowed := 2*c.frontier + few - again
	if c.lost == unknown || !fresh && (!end || allowed <= 0) {
		return false
	}
	target := int(c.lost/pageLimit) + 1
	back := max(target, c.page-max(allowed, 1), 1)
	if c.total != unknown && int64(back-1)*pageLimit >= c.total {
		return false // no page is left there
	}
	c.page, c.lost = back, unknown
	return true
}

// isBeyondTotal reports whether the cursor's page was asked for without a total that
// promises it: then it need not be there, and 404 is the end of the list.
func (c cursor) isBeyondTotal() bool {
	return c.page > 1 && (c.total == unknown || int64(c.page-1)*pageLimit >= c.total)
}
