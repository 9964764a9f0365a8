package store

import (
	"context"
	"math"
	"slices"
	"strings"

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
	// Uncounted allows a total that is a lower bound, where counting would take longer than reading
	// the page: the rows up to the end of the page, and one if more follow. ListTraders heeds it.
	Uncounted bool
	// Among are the positions whose rows the page has, in place of those after a position: see
	// EachRow. Rows that are gone since are left out.
	Among []keyset.Position
	// positions receives the positions of the page's rows in place of the rows: see ScanPositions.
	positions *[]keyset.Position
	// List identifies the list and its filters in cursors, or is nil if the list has none. It plays
	// no part in reading the page.
	List []byte
}

// Offset counts the rows before the page, from the position After if there is one.
func (p Page) Offset() int64 {
	if p.HasTotal() {
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

// HasTotal reports whether Total is set, because the page is found by positions.
func (p Page) HasTotal() bool { return p.After != nil || p.Among != nil }

// CountRows returns the number that the query counts, or Total for a page found by positions.
func (p Page) CountRows(ctx context.Context, db bun.IDB, query string, args ...any) (total int, err error) {
	if p.HasTotal() {
		return p.Total, nil
	}
	err = db.NewRaw(query, args...).Scan(ctx, &total)
	return total, err
}

// Where returns the condition that a row of the list with the order may be on the page, or
// keyset.ErrInvalid.
func (p Page) Where(order keyset.Order) (condition string, args []any, err error) {
	if p.Among == nil {
		return order.After(p.After)
	}
	same := order // what identifies a row, which stays the same when its first column changes
	if len(order) > 1 {
		same = order[1:]
	}
	names, places := make([]string, len(same)), make([]string, len(same))
	for i, c := range same {
		values := make([]string, len(p.Among))
		for n, position := range p.Among {
			values[n] = *position[len(position)-len(same)+i]
		}
		names[i], places[i], args = c.SQL, "?::"+string(c.Type)+"[]", append(args, Array(values))
	}
	return "(" + strings.Join(names, ", ") + ") IN (SELECT * FROM unnest(" + strings.Join(places, ", ") + "))", args, nil
}

// ScanPositions reads the positions of the page's rows, if EachRow has asked for those in place of
// the rows. The query goes on after what it selects.
func (p Page) ScanPositions(ctx context.Context, db bun.IDB, order keyset.Order, query string, args ...any) (done bool, err error) {
	if p.positions == nil {
		return false, nil
	}
	columns := make([]string, len(order))
	for i, c := range order {
		columns[i] = c.Text()
	}
	*p.positions = nil
	rows, err := db.QueryContext(ctx, `SELECT `+strings.Join(columns, ", ")+query, args...)
	if err != nil {
		return true, err
	}
	defer rows.Close()
	for rows.Next() {
		position, into := make(keyset.Position, len(order)), make([]any, len(order))
		for i := range position {
			into[i] = &position[i]
		}
		if err := rows.Scan(into...); err != nil {
			return true, err
		}
		*p.positions = append(*p.positions, position)
	}
	return true, rows.Err()
}

// How many rows EachRow reads at a time, so that a long list takes little memory, and how many
// positions, which are smaller: about 15 MB.
const (
	eachChunk     = 1000
	eachPositions = 100 * eachChunk
)

// EachRow calls visit for all rows of a list that read returns page by page. Each page is read from
// a snapshot of its own, so that a slow reader of the list holds no transaction or connection. Every
// row whose place in the list stays the same comes once.
//
// If no index has the order, each page would sort the whole list. Then the positions of many rows are
// read at once, and the rows by what identifies them. For this, read calls Page.ScanPositions.
func EachRow[Row any](order keyset.Order, read func(Page) ([]Row, int, error), position func(Row) keyset.Position, visit func(Row) error) error {
	if order[0].Unindexed {
		return eachSorted(read, visit)
	}
	p := Page{Limit: eachChunk}
	for {
		rows, total, err := read(p)
		if err != nil {
			return err
		}
		if err := visitAll(rows, visit); err != nil {
			return err
		}
		if len(rows) < p.Limit {
			return nil
		}
		p.After, p.Total = position(rows[len(rows)-1]), total
	}
}

// eachSorted is EachRow for an order that no index has.
func eachSorted[Row any](read func(Page) ([]Row, int, error), visit func(Row) error) error {
	p := Page{Limit: eachPositions}
	for {
		var positions []keyset.Position
		p.positions = &positions
		_, total, err := read(p)
		if err != nil {
			return err
		}
		for among := range slices.Chunk(positions, eachChunk) {
			rows, _, err := read(Page{Limit: len(among), Among: among, Total: len(among)})
			if err != nil {
				return err
			}
			if err := visitAll(rows, visit); err != nil {
				return err
			}
		}
		if len(positions) < p.Limit {
			return nil
		}
		p.After, p.Total = positions[len(positions)-1], total
	}
}

func visitAll[Row any](rows []Row, visit func(Row) error) error {
	for _, row := range rows {
		if err := visit(row); err != nil {
			return err
		}
	}
	return nil
}
