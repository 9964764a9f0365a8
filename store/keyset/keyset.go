// Package keyset pages through lists by the position of a row in place of the number of a page, so
// that the last page costs what the first does.
package keyset

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"
)

// ErrInvalid means that a position is not one of the list's.
var ErrInvalid = errors.New("position is not one of this list")

// Position is the place of a row in a list: the values of the list's order as text, nil for null.
type Position []*string

// Order is the order of a list by columns, whose values together identify a row. A page that begins
// after a position costs the same wherever it is, if an index has the order.
type Order []Column

// Column is a column of an order. Nulls come last in both directions.
type Column struct {
	SQL        string
	Type       Type
	Descending bool
	Nullable   bool
	// Unindexed says that no index has an order that begins with the column, so that each page of
	// one sorts the whole list.
	Unindexed bool
}

// Type is the type of a column, as in SQL.
type Type string

// The types of columns.
const (
	Time   Type = "timestamptz"
	UUID   Type = "uuid"
	Number Type = "bigint"
	Text   Type = "text"
	// Decimal is a number with any digits, whose position is its text.
	Decimal Type = "numeric"
)

// SQL returns the order as an ORDER BY clause.
func (o Order) SQL() string {
	parts := make([]string, len(o))
	for i, c := range o {
		parts[i] = c.SQL
		switch {
		case c.Descending && c.Nullable:
			parts[i] += " DESC NULLS LAST"
		case c.Descending:
			parts[i] += " DESC"
		}
	}
	return " ORDER BY " + strings.Join(parts, ", ")
}

// Text returns the column as text in SQL, as it is in a Position.
func (c Column) Text() string {
	if c.Type == Time {
		return "to_json(" + c.SQL + ")#>>'{}'" // RFC 3339
	}
	return "(" + c.SQL + ")::text"
}

// PositionOf returns the position of the row with the values, one for each column of the order: a
// time, id, number or text, or a pointer to a time, number or text, nil for null.
func PositionOf(values ...any) Position {
	p := make(Position, len(values))
	for i, value := range values {
		switch v := value.(type) {
		case time.Time:
			p[i] = new(v.UTC().Format(time.RFC3339Nano))
		case *time.Time:
			if v != nil {
				p[i] = new(v.UTC().Format(time.RFC3339Nano))
			}
		case *string:
			if v != nil {
				p[i] = new(*v)
			}
		case *int:
			if v != nil {
				p[i] = new(strconv.Itoa(*v))
			}
		default:
			p[i] = new(fmt.Sprint(v))
		}
	}
	return p
}

// Values returns the values of the position with their types, nil for null, or no values if the
// position is nil. It returns
// ErrInvalid if the position is not one of this order.
func (o Order) Values(p Position) ([]any, error) {
	if p == nil {
		return nil, nil
	}
	if len(p) != len(o) {
		return nil, ErrInvalid
	}
	values := make([]any, len(o))
	for i, c := range o {
		if p[i] == nil {
			if !c.Nullable {
				return nil, ErrInvalid
			}
			continue
		}
		v, err := c.Type.parse(*p[i])
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
		}
		values[i] = v
	}
	return values, nil
}

// decimal matches the decimal numbers of records, which have no exponent.
var decimal = regexp.MustCompile(`^-?[0-9]{1,1000}(\.[0-9]{1,1000})?$`)

// parse reads a value of the type.
func (t Type) parse(text string) (any, error) {
	switch t {
	case Time:
		return time.Parse(time.RFC3339Nano, text)
	case UUID:
		return uuid.Parse(text)
	case Number:
		return strconv.ParseInt(text, 10, 64)
	case Decimal:
		if !decimal.MatchString(text) {
			return nil, errors.New("text is no decimal number")
		}
		return text, nil
	case Text:
		if strings.ContainsRune(text, 0) || !utf8.ValidString(text) {
			return nil, errors.New("text cannot be stored")
		}
		return text, nil
	}
	return nil, fmt.Errorf("unknown type %q", t)
}

// After returns the condition that a row comes after the position, or a true condition if the
// position is nil. It returns ErrInvalid like Values.
func (o Order) After(p Position) (condition string, args []any, err error) {
	if p == nil {
		return "true", nil, nil
	}
	values, err := o.Values(p)
	if err != nil {
		return "", nil, err
	}
	if o.isUniform() {
		condition, args = o.afterRow(values)
		return condition, args, nil
	}
	condition, args = o.afterColumns(values)
	if first := o[0]; !first.Nullable {
		// An index finds rows by this condition, and not by the other one.
		condition = fmt.Sprintf("%s %s= ?::%s AND (%s)", first.SQL, first.comparison(), first.Type, condition)
		args = append([]any{values[0]}, args...)
	}
	return condition, args, nil
}

// Part is a part of the rows after a position that an index finds by itself.
type Part struct {
	Condition string // empty if all rows meet it
	Args      []any
}

// Parts divides the rows after a position by the first column of the order into those with a value
// and those without one, because no index finds both at once. There is one part without a position,
// after a position without a value, and if the order has no index or its first column no nulls. The
// rows of a part also have to meet the condition of After.
func (o Order) Parts(after Position) []Part {
	first := o[0]
	if after == nil || !first.Nullable || first.Unindexed {
		return []Part{{}}
	}
	none := Part{Condition: " AND " + first.SQL + " IS NULL"}
	if after[0] == nil {
		return []Part{none}
	}
	return []Part{{fmt.Sprintf(" AND %s %s= ?::%s", first.SQL, first.comparison(), first.Type), []any{*after[0]}}, none}
}

// isUniform reports whether the columns have one direction and no nulls, so that they can be
// compared as one row.
func (o Order) isUniform() bool {
	for _, c := range o {
		if c.Nullable || c.Descending != o[0].Descending {
			return false
		}
	}
	return true
}

// afterRow compares all columns as one row.
func (o Order) afterRow(values []any) (condition string, args []any) {
	names, places := make([]string, len(o)), make([]string, len(o))
	for i, c := range o {
		names[i], places[i] = c.SQL, "?::"+string(c.Type)
	}
	return fmt.Sprintf("(%s) %s (%s)", strings.Join(names, ", "), o[0].comparison(), strings.Join(places, ", ")), values
}

// afterColumns compares column by column: a row comes after the position if its first column does,
// or if that is equal and the rest comes after.
func (o Order) afterColumns(values []any) (condition string, args []any) {
	if len(o) == 0 {
		return "false", nil
	}
	c := o[0]
	rest, restArgs := o[1:].afterColumns(values[1:])
	if values[0] == nil {
		return fmt.Sprintf("(%s IS NULL AND %s)", c.SQL, rest), restArgs
	}
	beyond := fmt.Sprintf("%s %s ?::%s", c.SQL, c.comparison(), c.Type)
	if c.Nullable {
		beyond += fmt.Sprintf(" OR %s IS NULL", c.SQL)
	}
	return fmt.Sprintf("(%s OR %s = ?::%s AND %s)", beyond, c.SQL, c.Type, rest), append([]any{values[0], values[0]}, restArgs...)
}

// comparison returns the operator between a value that comes after and one that comes before.
func (c Column) comparison() string {
	if c.Descending {
		return "<"
	}
	return ">"
}
