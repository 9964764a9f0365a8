package store

import "math"

// Page is one page of a list.
type Page struct {
	Number int // 1 is the first
	Limit  int // rows on a page
}

// Offset counts the rows before the page.
func (p Page) Offset() int64 {
	before, limit := int64(max(p.Number, 1))-1, p.MaxRows()
	if limit > 0 && before > math.MaxInt64/limit {
		return math.MaxInt64
	}
	return before * limit
}

// MaxRows is the number of rows on a page.
func (p Page) MaxRows() int64 { return int64(max(p.Limit, 0)) }
