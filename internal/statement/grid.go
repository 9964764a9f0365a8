package statement

import (
	"errors"
	"io"
	"strconv"
	"strings"
)

// grid reads the rows of one sheet.
type grid struct {
	markup
	strings *sharedStrings
	cells   []cell
	line    int
}

// next reads the next row and returns its number; io.EOF when there is none.
func (g *grid) next() (line int, err error) {
	g.cells = g.cells[:0]
	for {
		t, err := g.markup.next(false)
		if err != nil {
			return 0, err
		}
		if t != startToken || string(g.name) != "row" {
			continue
		}
		g.line++
		if n, err := strconv.Atoi(string(g.attributeBytes("r"))); err == nil && n > g.line {
			g.line = n
		}
		if g.empty {
			return g.line, nil
		}
		return g.line, g.readRow()
	}
}

// readRow reads the cells of a row up to its end.
func (g *grid) readRow() error {
	for {
		t, err := g.markup.next(false)
		switch {
		case errors.Is(err, io.EOF):
			return refuseDamaged()
		case err != nil:
			return err
		case t == endToken && string(g.name) == "row":
			return nil
		case t == startToken && string(g.name) == "c":
			if err := g.readCell(); err != nil {
				return err
			}
		}
	}
}

// readCell reads a cell; those left out before it are empty.
func (g *grid) readCell() error {
	column := len(g.cells)
	if n := columnOf(g.attributeBytes("r")); n >= 0 {
		column = n
	}
	if column >= maxColumns {
		return tooManyColumns()
	}
	kind := g.attributeText("t")
	for len(g.cells) <= column {
		g.cells = append(g.cells, cell{})
	}
	if g.empty {
		return nil
	}
	value, err := g.readValue()
	if err != nil {
		return err
	}
	g.cells[column] = g.cellOf(kind, value)
	return nil
}

// readValue reads what is in the cell: its value, or its text in place. The
// formula and phonetic readings do not count.
func (g *grid) readValue() (string, error) {
	value := ""
	wanted, phonetic := false, false
	for {
		t, err := g.markup.next(wanted)
		switch {
		case errors.Is(err, io.EOF):
			return "", refuseDamaged()
		case err != nil:
			return "", err
		}
		if wanted {
			value += string(g.text) // nearly always the only one
			wanted = false
		}
		switch name := string(g.name); {
		case name == "c" && t == endToken:
			return value, nil
		case name == "rPh":
			phonetic = t == startToken && !g.empty
		case name == "v" || name == "t":
			wanted = t == startToken && !g.empty && !phonetic
		}
	}
}

func (g *grid) cellOf(kind, value string) cell {
	switch kind {
	case "s":
		i, err := strconv.Atoi(strings.TrimSpace(value))
		if err != nil {
			return cell{}
		}
		return cell{text: strings.TrimSpace(g.strings.stringAt(i))}
	case "", "n":
		return numberCell(strings.TrimSpace(value))
	}
	return cell{text: strings.TrimSpace(strings.ToValidUTF8(value, "\ufffd"))}
}

// exactDigits are the digits that a spreadsheet keeps of a number. More are
// what is left of its binary form: 1.0842000000000001.
const exactDigits = 15

func numberCell(value string) cell {
	if len(value) <= exactDigits && strings.Trim(value, "0123456789.-") == "" {
		return cell{text: value, number: value != ""}
	}
	v, err := strconv.ParseFloat(value, 64)
	if err != nil || v > 1e21 || v < -1e21 {
		return cell{text: strings.ToValidUTF8(value, "\ufffd")}
	}
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', exactDigits, 64), 64)
	return cell{text: strconv.FormatFloat(v, 'f', -1, 64), number: true}
}

// columnOf reads the column of a reference such as "AB12"; -1 for none.
func columnOf(ref []byte) int {
	n := 0
	for i := range len(ref) {
		c := ref[i] &^ 0x20
		if c < 'A' || c > 'Z' {
			break
		}
		if n = n*26 + int(c-'A') + 1; n > maxColumns {
			return maxColumns
		}
	}
	return n - 1
}
