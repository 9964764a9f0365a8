package store

import (
	"context"
	"database/sql"
	"math"
	"strings"

	"github.com/google/uuid"
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
	// among identifies the rows that the page has, in place of those after a position: see EachRow. Rows
	// that are gone since are left out.
	among rowSet
	// sorted receives what identifies the page's rows in place of the rows: see ScanPositions.
	sorted *sortedRows
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
func (p Page) HasTotal() bool { return p.After != nil || p.among != nil }

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
	if p.among == nil {
		return order.After(p.After)
	}
	same := identityOf(order)
	names, places := make([]string, len(same)), make([]string, len(same))
	for i, c := range same {
		names[i], places[i], args = c.SQL, "?::"+string(c.Type)+"[]", append(args, p.among[i].array(c.Type))
	}
	return "(" + strings.Join(names, ", ") + ") IN (SELECT * FROM unnest(" + strings.Join(places, ", ") + "))", args, nil
}

// identityOf returns the columns of an order that identify a row, which stay the same when its first column changes.
func identityOf(order keyset.Order) keyset.Order {
	if len(order) > 1 {
		return order[1:]
	}
	return order
}

// rowSet identifies rows by the values of the columns that do so.
type rowSet []packedValues

// packedValues are the values of a column in little memory: of ids their bytes, and of others the elements of an array
// in SQL, each after a comma.
type packedValues []byte

// arrayElement escapes a text for an array in SQL.
var arrayElement = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// add adds a value of a type, as text.
func (v *packedValues) add(t keyset.Type, text string) error {
	if t == keyset.UUID {
		id, err := uuid.Parse(text)
		*v = append(*v, id[:]...)
		return err
	}
	*v = append(append(append(*v, `,"`...), arrayElement.Replace(text)...), '"')
	return nil
}

// array returns the values as an array in SQL.
func (v packedValues) array(t keyset.Type) string {
	if t != keyset.UUID {
		return "{" + string(v[1:]) + "}"
	}
	var text strings.Builder
	for i := 0; i < len(v); i += len(uuid.UUID{}) {
		text.WriteString("," + uuid.UUID(v[i:i+len(uuid.UUID{})]).String())
	}
	return "{" + text.String()[1:] + "}"
}

// sortedRows are rows in an order that no index has.
type sortedRows struct {
	sets  []rowSet // of eachChunk rows each, and fewer in the last one
	count int
	last  keyset.Position // of the last row
}

// ScanPositions reads what identifies the page's rows, if EachRow has asked for that in place of the rows. The query
// goes on after what it selects.
func (p Page) ScanPositions(ctx context.Context, db bun.IDB, order keyset.Order, query string, args ...any) (done bool, err error) {
	if p.sorted == nil {
		return false, nil
	}
	columns, values, into := make([]string, len(order)), make([]sql.NullString, len(order)), make([]any, len(order))
	for i, c := range order {
		columns[i], into[i] = c.Text(), &values[i]
	}
	rows, err := db.QueryContext(ctx, `SELECT `+strings.Join(columns, ", ")+query, args...)
	if err != nil {
		return true, err
	}
	defer rows.Close()
	same := identityOf(order)
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return true, err
		}
		if p.sorted.count%eachChunk == 0 {
			p.sorted.sets = append(p.sorted.sets, make(rowSet, len(same)))
		}
		p.sorted.count++
		set := p.sorted.sets[len(p.sorted.sets)-1]
		for i, c := range same {
			if err := set[i].add(c.Type, values[len(values)-len(same)+i].String); err != nil {
				return true, err
			}
		}
	}
	p.sorted.last = make(keyset.Position, len(order))
	for i, v := range values {
		if v.Valid {
			p.sorted.last[i] = &v.String
		}
	}
	return true, rows.Err()
}

// How many rows EachRow reads at a time, so that a long list takes little memory, and of how many it holds what
// identifies them: 16 bytes of a payout, and those of two ids of a trade, so 3 to 10 MB.
const (
	eachChunk  = 1000
	eachSorted = 200 * eachChunk
)

// EachRow calls visit for all rows of a list that read returns page by page. Each page is read from
// a snapshot of its own, so that a slow reader of the list holds no transaction or connection. Every
// row whose place in the list stays the same comes once.
//
// If no index has the order, each page would sort the whole list. Then what identifies many rows is
// read at once, and the rows by that. For this, read calls Page.ScanPositions.
func EachRow[Row any](order keyset.Order, read func(Page) ([]Row, int, error), position func(Row) keyset.Position, visit func(Row) error) error {
	if order[0].Unindexed {
		return eachSortedRow(read, visit)
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

// eachSortedRow is EachRow for an order that no index has.
func eachSortedRow[Row any](read func(Page) ([]Row, int, error), visit func(Row) error) error {
	p := Page{Limit: eachSorted}
	for {
		sorted := sortedRows{}
		p.sorted = &sorted
		_, total, err := read(p)
		if err != nil {
			return err
		}
		for _, set := range sorted.sets {
			rows, _, err := read(Page{Limit: eachChunk, among: set, Total: total})
			if err != nil {
				return err
			}
			if err := visitAll(rows, visit); err != nil {
				return err
			}
		}
		if sorted.count < p.Limit {
			return nil
		}
		p.After, p.Total = sorted.last, total
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

// likeEscapes are the special characters of LIKE, escaped.
var likeEscapes = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// EscapeLike escapes the special characters of LIKE and ILIKE in a text that is searched for.
func EscapeLike(text string) string { return likeEscapes.Replace(text) }
