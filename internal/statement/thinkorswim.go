package statement

import (
	"context"
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/statement/words"
)

// thinkorswimReader makes a list of fills of an account statement of thinkorswim. The statement has
// a table for each subject, and in that of executed trades the further legs of a spread repeat
// neither time nor spread. An option's symbol is that of what it is an option on.
type thinkorswimReader struct{ source }

// isThinkorswim reports whether a row is the title of an account statement or of the trades of a day, or
// the header of the executed trades or of a table above them: people cut off the lines that name
// them. The titles of the tables alone do not show it, because others write "Cash Balance" too.
func isThinkorswim(cells []cell) bool {
	first, filled := firstFilled(cells)
	if filled != 1 {
		return fillColumns(cells) != nil || hasTitles(cells, "timeplaced", "poseffect") || hasTitles(cells, "ref#", "miscfees")
	}
	name := words.Fold(cells[first].text)
	return strings.HasPrefix(name, "accountstatementfor") || strings.HasPrefix(name, "todaystradeactivity")
}

// hasTitles reports whether a row has cells with all of the folded names.
func hasTitles(cells []cell, names ...string) bool {
	for _, name := range names {
		if !slices.ContainsFunc(cells, func(c cell) bool { return words.Fold(c.text) == name }) {
			return false
		}
	}
	return true
}

// each implements source.
func (s thinkorswimReader) each(ctx context.Context, f func(*row) error) error {
	var at map[string]int // columns of the table of fills; nil outside of it
	moment := ""
	return s.source.each(ctx, func(r *row) error {
		first, filled := firstFilled(r.cells)
		switch columns := fillColumns(r.cells); {
		case columns != nil:
			at, moment = columns, ""
			return f(r)
		case filled == 1: // the title of a table, or of the file
			if err := refuseMixed(r, tradeLike); err != nil {
				return err
			}
			at = nil
			if login, ok := statementLogin(r.cells[first].text); ok {
				return f(&row{sheet: r.sheet, line: r.line, cells: []cell{{text: "Account:"}, {text: login}}})
			}
			return nil
		case at == nil:
			return nil
		}
		cellAt := func(name string) *cell {
			if i := at[name]; i < len(r.cells) {
				return &r.cells[i]
			}
			return &cell{}
		}
		if when := cellAt("exectime"); when.text == "" {
			when.text = moment
		} else {
			moment = strings.Clone(when.text)
		}
		if strike := cellAt("strike").text; strike != "" { // the symbol of a future has its month
			symbol := cellAt("symbol")
			symbol.text = strings.Join(strings.Fields(symbol.text+" "+cellAt("exp").text+" "+strike+" "+cellAt("type").text), " ")
		}
		return f(r)
	})
}

// fillColumns returns the columns of the header of executed trades by their folded names; nil for
// other rows.
func fillColumns(cells []cell) map[string]int {
	columns := map[string]int{}
	for i, c := range cells {
		switch name := words.Fold(c.text); name {
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
	login = readLogin(login)
	return login, login != ""
}
