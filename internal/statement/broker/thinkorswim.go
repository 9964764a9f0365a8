package broker

import (
	"context"
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/statement/sheet"
	"github.com/assayhq/assay/internal/statement/table"
	"github.com/assayhq/assay/internal/statement/words"
)

// thinkorswimReader makes a list of fills of an account statement of thinkorswim. The statement has
// a table for each subject, and in that of executed trades the further legs of a spread repeat
// neither time nor spread. An option's symbol is that of what it is an option on.
type thinkorswimReader struct{ sheet.Source }

// isThinkorswim reports whether a row is the title of an account statement or of the trades of a day, or
// the header of the executed trades or of a table above them: people cut off the lines that name
// them. The titles of the tables alone do not show it, because others write "Cash Balance" too.
func isThinkorswim(cells []sheet.Cell) bool {
	first, filled := sheet.FirstFilled(cells)
	if filled != 1 {
		return fillColumns(cells) != nil || hasTitles(cells, "timeplaced", "poseffect") || hasTitles(cells, "ref#", "miscfees")
	}
	name := words.Fold(cells[first].Text)
	return strings.HasPrefix(name, "accountstatementfor") || strings.HasPrefix(name, "todaystradeactivity")
}

// hasTitles reports whether a row has cells with all of the folded names.
func hasTitles(cells []sheet.Cell, names ...string) bool {
	for _, name := range names {
		if !slices.ContainsFunc(cells, func(c sheet.Cell) bool { return words.Fold(c.Text) == name }) {
			return false
		}
	}
	return true
}

// Each implements sheet.Source.
func (s thinkorswimReader) Each(ctx context.Context, f func(*sheet.Row) error) error {
	var at map[string]int // columns of the table of fills; nil outside of it
	moment := ""
	return s.Source.Each(ctx, func(r *sheet.Row) error {
		first, filled := sheet.FirstFilled(r.Cells)
		switch columns := fillColumns(r.Cells); {
		case columns != nil:
			at, moment = columns, ""
			return f(r)
		case filled == 1: // the title of a table, or of the file
			if err := table.RefuseMixed(r, table.IsTradeLike); err != nil {
				return err
			}
			at = nil
			if login, ok := statementLogin(r.Cells[first].Text); ok {
				return f(&sheet.Row{Sheet: r.Sheet, Line: r.Line, Cells: []sheet.Cell{{Text: "Account:"}, {Text: login}}})
			}
			return nil
		case at == nil:
			return nil
		}
		cellAt := func(name string) *sheet.Cell {
			if i := at[name]; i < len(r.Cells) {
				return &r.Cells[i]
			}
			return &sheet.Cell{}
		}
		if when := cellAt("exectime"); when.Text == "" {
			when.Text = moment
		} else {
			moment = strings.Clone(when.Text)
		}
		if strike := cellAt("strike").Text; strike != "" { // the symbol of a future has its month
			symbol := cellAt("symbol")
			symbol.Text = strings.Join(strings.Fields(symbol.Text+" "+cellAt("exp").Text+" "+strike+" "+cellAt("type").Text), " ")
		}
		return f(r)
	})
}

// fillColumns returns the columns of the header of executed trades by their folded names; nil for
// other rows.
func fillColumns(cells []sheet.Cell) map[string]int {
	columns := map[string]int{}
	for i, c := range cells {
		switch name := words.Fold(c.Text); name {
		case "exectime", "poseffect", "symbol", "exp", "strike", "type":
			columns[name] = i
		}
	}
	if len(columns) < 6 {
		return nil
	}
	return columns
}

// statementLogin reads the account of "Account Statement for 12345678 (individual) since 1/5/26".
func statementLogin(title string) (login string, ok bool) {
	_, rest, found := strings.Cut(title, "Account Statement for ")
	if !found {
		return "", false
	}
	login, _, _ = strings.Cut(rest, " ")
	login = table.ReadLogin(login)
	return login, login != ""
}
