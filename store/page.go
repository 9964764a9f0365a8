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

// eachChunk is how many rows EachRow reads at a time, so that a long list takes little memory.
const eachChunk = 1000

// EachRow calls visit for all rows of a list that read returns page by page. Each page is read from
// a snapshot of its own, so that a slow reader of the list holds no transaction open. Every row
// whose place in the list stays the same comes once.
func EachRow[Row any](read func(Page) ([]Row, int, error), position func(Row) keyset.Position, visit func(Row) error) error {
	p := Page{Limit: eachChunk}
	for {
		rows, total, err := read(p)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if err := visit(row); err != nil {
				return err
			}
		}
		if len(rows) < p.Limit {
			return nil
		}
		p.After, p.Total = position(rows[len(rows)-1]), total
	}
}
