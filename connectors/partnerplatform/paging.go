package partnerplatform

import (
	"fmt"

	"github.com/assayhq/assay/connectors"
)

// maxMeetings is how many pages must be the same as one before them until the list
// counts as a loop. A correct list whose rows move by exactly one page between two
// requests shows a page twice, but not three times in a row.
const maxMeetings = 3

// sighting is what the decision on a list's next page must know about a page.
type sighting struct {
	rows  int
	total int64  // as reported; unknown if there was none, or none that can be read
	hash  uint64 // of the ids of the page's records
	// enough means that everything beyond the page is known already, by the
	// two-hour rule of closed trades.
	enough bool
}

// advance decides where a list continues after the page at which the cursor
// points. more is false if the list ends. rules are the findings about the page.
// The error is a *connectors.Error with CodeCursorLoop.
//
// The contract's rule comes first: there is a next page while the page is full and
// page × 100 is below the total. Without a total, only full pages count. The rule
// is amended where a list that breaks the contract would silently lose rows:
//
//   - A total below the rows that have been seen cannot be true and counts as absent.
//   - A page that has been read before does not end the list by the total, but is
//     an error: the platform ignores the parameter page, and after as many
//     repetitions as the total asks for, the list would look complete.
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
		next.total = unknown // the earlier total is no better
	}
	if s.rows > pageLimit {
		rules = append(rules, ruleLimitIgnored)
	}
	if total > int64(c.page-1)*pageLimit+int64(s.rows) && s.rows < pageLimit {
		rules = append(rules, rulePageSizeIgnored)
	}
	repeated := fresh && next.compareAnchor(s)
	over := total != unknown && int64(c.page)*pageLimit >= total
	if next.met >= maxMeetings || repeated && over && s.rows >= pageLimit {
		return c, false, rules, &connectors.Error{Code: connectors.CodeCursorLoop, Message: fmt.Sprintf(
			"page %d has the same records as an earlier page: the parameter page is ignored, or the list starts over at its end", c.page)}
	}
	next.recordShrinkage(total)

	end := s.rows < pageLimit || c.page == 1 && total == int64(s.rows) || over || s.enough
	switch {
	case next.rewindPage(fresh, end):
		return next, true, rules, nil
	case end:
		return c, false, rules, nil
	case c.page == maxPages:
		return c, false, append(rules, ruleOpenTradesTruncated), nil
	}
	next.page = c.page + 1
	return next, true, rules, nil
}

// validTotal returns the total unless the page shows that it is wrong: too low for
// the rows up to the end of the page, or too high because there are no rows where
// more should be.
func (s sighting) validTotal(page int) (total int64, rules []string) {
	before := int64(page-1) * pageLimit
	low := s.rows > 0 && s.total != unknown && s.total < before+int64(min(s.rows, pageLimit))
	if high := s.rows == 0 && s.total > before; low || high {
		return unknown, []string{ruleTotalCountWrong}
	}
	return s.total, nil
}

// compareAnchor compares a page that is read for the first time with the anchor,
// and reports whether they are the same. The anchor is replaced after pages 1, 2,
// 4, 8 and so on (Brent's method), so that a loop of any length is found at a
// bounded cost. Pages that are read again because the list has shrunk may well be
// the same and are not compared.
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
// shorter between two requests. If d rows before the present page were removed, the
// rows after them have moved d places towards the start, and the first d rows that
// the present page would have shown are on earlier pages.
//
// This covers removed rows, wherever they were, as far as the total decreases from
// one page to the next that is read, also if that happens again while pages are
// read again. It does not cover rows that are removed while others are added, as far
// as the total does not show it; rows that are removed between two pages of which
// one has no total; lists without a total; and a list that keeps shrinking after its
// pages have been read three times on average (see rewindPage). A later run reads
// rows that are missed in this way: a changed record by its updated_gte, an open
// trade in the next cycle, and a closed trade if it is no older than the overlap.
func (c *cursor) recordShrinkage(total int64) {
	if total == unknown {
		return
	}
	// Before the first page no rows can have been skipped.
	if gone := c.total - total; c.total != unknown && gone > 0 && c.page > 1 {
		from := int64(c.page-1) * pageLimit
		if c.lost != unknown {
			from = c.lost // they have moved together with the others
		}
		c.lost = max(from-gone, 0)
	}
	c.total = total
}

// rewindPage goes back to the page on which rows may have been skipped, if there
// are such rows. It goes back only from a page that is new, so that every rewind
// advances the run, and at the end of the list. In all, about twice as many pages
// are read again as the list has, and a few more, because short lists change as
// much as long ones. Beyond that a run goes back by a single page. Otherwise a
// total that changes up and down would keep it busy for ever.
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

// isBeyondTotal reports whether the cursor's page was requested without a total
// that promises it. Then it need not exist, and a 404 is the end of the list.
func (c cursor) isBeyondTotal() bool {
	return c.page > 1 && (c.total == unknown || int64(c.page-1)*pageLimit >= c.total)
}
