package store

import (
	"context"
	"math"

	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store/keyset"
)

// Page is one page of a list.
type Page struct {
	Number int // 1 is the first
	Limit  int // rows on a page
	// After is the position of the row before the page, or nil if the page is found by its number.
	After keyset.Position
	// Total is the number of rows that the list had when its first page was read. It is set if
	// After is, so that only the first page counts the list.
	Total int
	// List identifies the list and its filters in cursors, or is nil if the list has none. It plays
	// no part in reading the page.
	List []byte
}

// Offset counts the rows before the page, from the position After if there is one.
func (p Page) Offset() int64 {
	if p.After != nil {
		return 0
	}
	before, limit := int64(max(p.Number, 1))-1, p.MaxRows()
	if limit > 0 && before > math.MaxInt64/limit {
		return math.MaxInt64
	}
	return before * limit
}

// MaxRows is the number of rows on a page.
func (p Page) MaxRows() int64 { return int64(max(p.Limit, 0)) }

// CountRows returns the number that the query counts, or Total for a page after a position.
func (p Page) CountRows(ctx context.Context, db bun.IDB, query string, args ...any) (total int, err error) {
	if p.After != nil {
		return p.Total, nil
	}
	err = db.NewRaw(query, args...).Scan(ctx, &total)
	return total, err
}
