package partnerplatform

import (
	"strconv"
	"strings"
)

// cursor is the position of a run in a list, and the page with which it continues.
// It is sent as text in connectors.Page.Next and outlives processes. The texts of a
// run's cursors all differ, because they count the pages read.
type cursor struct {
	page     int    // to request next, from 1
	reads    int    // pages read so far, including those read again
	frontier int    // the highest page read so far
	total    int64  // the list's length as last reported; unknown if it never was
	lost     int64  // index of the first row that may have been skipped; unknown if none was
	anchor   uint64 // hash of the page that later ones are compared with; 0 before the first
	met      int    // how many later pages were the same
}

// unknown is the value of unknown numbers.
const unknown = -1

// startCursor returns the cursor of a run that has read nothing.
func startCursor() cursor { return cursor{page: 1, total: unknown, lost: unknown} }

// maxPage bounds page numbers, far above any list, so that products of them
// cannot overflow.
const maxPage = 1 << 40

// parts is how many numbers a cursor is written as.
const parts = 7

// encodedParts returns a cursor's parts as they are written: none is negative.
func (c cursor) encodedParts() [parts]uint64 {
	return [...]uint64{
		uint64(c.page), uint64(c.reads), uint64(c.frontier),
		uint64(c.total + 1), uint64(c.lost + 1), c.anchor, uint64(c.met),
	}
}

// String writes the cursor: its numbers in base 36, separated by dots.
func (c cursor) String() string {
	var text []byte
	for i, n := range c.encodedParts() {
		if i > 0 {
			text = append(text, '.')
		}
		text = strconv.AppendUint(text, n, 36)
	}
	return string(text)
}

// parseCursor reads what String has written, and the empty text as the start. For
// any other text ok is false and the cursor is the start.
func parseCursor(text string) (c cursor, ok bool) {
	if text == "" {
		return startCursor(), true
	}
	split := strings.Split(text, ".")
	if len(split) != parts {
		return startCursor(), false
	}
	var n [parts]uint64
	for i, part := range split {
		var err error
		if n[i], err = strconv.ParseUint(part, 36, 64); err != nil {
			return startCursor(), false
		}
	}
	c = cursor{
		page: int(n[0]), reads: int(n[1]), frontier: int(n[2]),
		total: int64(n[3]) - 1, lost: int64(n[4]) - 1, anchor: n[5], met: int(n[6]),
	}
	if c.String() != text || !c.isValid() {
		return startCursor(), false
	}
	return c, true
}

// isValid reports whether a run can have reached the cursor.
func (c cursor) isValid() bool {
	return c.page >= 1 && c.page <= c.frontier+1 &&
		c.frontier >= 1 && c.frontier <= maxPage && c.reads >= c.frontier && c.reads <= maxPage &&
		c.total >= unknown && c.lost >= unknown && c.lost < int64(c.frontier)*pageLimit &&
		c.anchor != 0 && c.met >= 0 && c.met < maxMeetings
}
