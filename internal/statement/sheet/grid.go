package sheet

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// grid reads the rows of one sheet.
type grid struct {
	markup
	strings *sharedStrings
	units   []string // of the cells' styles
	cells   []Cell
	line    int
	// values are the texts of the row's cells, one after the other, so that a row
	// is one string. spans are where those of each cell are.
	values []byte
	spans  []span
	value  []byte // of the cell being read
}

// next reads the next row and returns its number; io.EOF when there is none.
func (g *grid) next() (line int, err error) {
	g.cells, g.spans, g.values = g.cells[:0], g.spans[:0], g.values[:0]
	for {
		t, err := g.markup.next(false)
		if err != nil {
			return 0, err
		}
		if t != startToken || string(g.name) != "row" {
			continue
		}
		g.line++
		if number := g.attributeBytes("r"); len(number) > 0 { // an error would take memory for each row
			if n, err := strconv.Atoi(string(number)); err == nil && n > g.line {
				g.line = n
			}
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
		if err := g.readPlainCells(); err != nil {
			return err
		}
		t, err := g.markup.next(false)
		switch {
		case errors.Is(err, io.EOF):
			return refuseDamaged()
		case err != nil:
			return err
		case t == endToken && string(g.name) == "row":
			g.cutValues()
			return nil
		case t == startToken && string(g.name) == "c":
			if err := g.readCell(); err != nil {
				return err
			}
		}
	}
}

// cutValues gives the cells their texts.
func (g *grid) cutValues() {
	text := string(g.values)
	for i, s := range g.spans {
		if s.end > s.start {
			g.cells[i].Text = text[s.start:s.end]
		}
	}
}

// readCell reads a cell, whose tag has been read.
func (g *grid) readCell() error {
	column, err := g.addCell(g.attributeBytes("r"))
	if err != nil || g.empty {
		return err
	}
	kind, unit := kindOfCell(g.attributeBytes("t")), g.styleUnit(g.attributeBytes("s"))
	formula, valued, err := g.readValue()
	if err != nil {
		return err
	}
	g.setCell(column, kind, g.value, unit)
	g.cells[column].Pending = formula && (!valued || kind == numberCell && len(g.value) == 0)
	return nil
}

// addCell adds the cell with a reference such as "AB12", or the next one where
// there is none. Those left out before it are empty.
func (g *grid) addCell(reference []byte) (column int, err error) {
	column = len(g.cells)
	if n := columnOf(reference); n >= 0 {
		column = n
	}
	if column >= maxColumns {
		return 0, tooManyColumns()
	}
	for len(g.cells) <= column {
		g.cells, g.spans = append(g.cells, Cell{}), append(g.spans, span{})
	}
	return column, nil
}

// readValue reads what is in the cell: its value, or its text in place. The
// formula and phonetic readings do not count. formula says that there is one, and
// valued that the cell has a value, which may be an empty text.
func (g *grid) readValue() (formula, valued bool, err error) {
	g.value = g.value[:0]
	wanted, phonetic := false, false
	for {
		t, err := g.markup.next(wanted)
		switch {
		case errors.Is(err, io.EOF):
			return false, false, refuseDamaged()
		case err != nil:
			return false, false, err
		}
		if wanted {
			g.value = append(g.value, g.text...) // nearly always the only one
			wanted = false
		}
		switch name := string(g.name); {
		case name == "c" && t == endToken:
			return formula, valued, nil
		case name == "f":
			formula = true
		case name == "rPh":
			phonetic = t == startToken && !g.empty
		case name == "v" || name == "t":
			valued = true
			wanted = t == startToken && !g.empty && !phonetic
		}
	}
}

// cellKind is how the value of a cell is meant.
type cellKind uint8

const (
	textCell   cellKind = iota // as written
	sharedCell                 // the number of a shared string
	numberCell
	boolCell
)

func kindOfCell(name []byte) cellKind {
	switch string(name) {
	case "s":
		return sharedCell
	case "", "n":
		return numberCell
	case "b":
		return boolCell
	}
	return textCell
}

// setCell sets the value of a cell of the row, and the unit of a number.
func (g *grid) setCell(column int, kind cellKind, value []byte, unit string) {
	value = bytes.TrimSpace(value)
	c, start := Cell{}, len(g.values)
	switch kind {
	case sharedCell:
		if i, err := strconv.Atoi(string(value)); err == nil {
			c.Text = strings.TrimSpace(g.strings.stringAt(i))
		}
	case numberCell:
		g.values, c.Number = appendNumber(g.values, value)
		c.Unit = unit
	case boolCell: // which is not the number 1 that stands for it
		g.values = append(g.values, strings.ToUpper(strconv.FormatBool(string(value) == "1"))...)
	case textCell:
		g.values = appendValid(g.values, value)
	}
	g.cells[column], g.spans[column] = c, span{start, len(g.values)}
}

// appendValid appends a text as UTF-8.
func appendValid(to, text []byte) []byte {
	if utf8.Valid(text) {
		return append(to, text...)
	}
	return append(to, bytes.ToValidUTF8(text, []byte("\ufffd"))...)
}

// ExactDigits are the digits that a spreadsheet keeps of a number. More are
// what is left of its binary form: 1.0842000000000001.
const ExactDigits = 15

// appendNumber appends a number in the form that a spreadsheet shows. number is
// false for other text.
func appendNumber(to, value []byte) (text []byte, number bool) {
	if len(value) <= ExactDigits && isPlainNumber(value) && !bytes.HasSuffix(value, []byte(".0")) { // 7001001.0, as programs in Java write it
		return append(to, value...), len(value) > 0
	}
	v, err := strconv.ParseFloat(string(value), 64)
	if err != nil || v > 1e21 || v < -1e21 {
		return appendValid(to, value), false
	}
	var digits [32]byte
	v, _ = strconv.ParseFloat(string(strconv.AppendFloat(digits[:0], v, 'g', ExactDigits, 64)), 64)
	return strconv.AppendFloat(to, v, 'f', -1, 64), true
}

// isPlainNumber reports whether a text has digits, points and minus signs alone.
func isPlainNumber(text []byte) bool {
	for _, c := range text {
		if (c < '0' || c > '9') && c != '.' && c != '-' {
			return false
		}
	}
	return true
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
