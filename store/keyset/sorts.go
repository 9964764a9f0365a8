package keyset

import "strings"

// Sorts are the orders of a list from which its reader chooses one by name: the name of a column,
// after "-" if the column descends. The other columns only decide between equal rows. The reverse
// of an order reverses all of its columns, so that an index has both.
type Sorts[Row any] struct {
	Columns []SortColumn[Row] // the first one's own direction is the default order
	Ties    []SortColumn[Row] // what identifies a row
}

// SortColumn is a column of a list, in the direction that readers usually want.
type SortColumn[Row any] struct {
	Column
	Name  string        // that readers choose; empty in ties
	Value func(Row) any // see PositionOf
}

// nameOrder returns the name of the order that begins with the column.
func (c SortColumn[Row]) nameOrder(reversed bool) string {
	if c.Descending != reversed {
		return "-" + c.Name
	}
	return c.Name
}

// Names lists the names of the orders, the default first.
func (s Sorts[Row]) Names() (names []string) {
	for _, c := range s.Columns {
		names = append(names, c.nameOrder(false), c.nameOrder(true))
	}
	return names
}

// chooseColumns returns the columns of the order with the name, and whether they are reversed. An unknown
// name stands for the default.
func (s Sorts[Row]) chooseColumns(name string) (columns []SortColumn[Row], reversed bool) {
	first := s.Columns[0]
	for _, c := range s.Columns {
		if c.Name == strings.TrimPrefix(name, "-") {
			first, reversed = c, name != c.nameOrder(false)
		}
	}
	return append([]SortColumn[Row]{first}, s.Ties...), reversed
}

// Order returns the order with the name, which is empty for the default.
func (s Sorts[Row]) Order(name string) Order {
	columns, reversed := s.chooseColumns(name)
	order := make(Order, len(columns))
	for i, c := range columns {
		order[i] = c.Column
		order[i].Descending = c.Descending != reversed
	}
	return order
}

// PositionIn returns the function that tells the position of a row in the order with the name.
func (s Sorts[Row]) PositionIn(name string) func(Row) Position {
	columns, _ := s.chooseColumns(name)
	return func(row Row) Position {
		values := make([]any, len(columns))
		for i, c := range columns {
			values[i] = c.Value(row)
		}
		return PositionOf(values...)
	}
}
