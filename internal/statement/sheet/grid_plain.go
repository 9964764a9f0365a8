package sheet

import "bytes"

// A sheet is millions of cells, nearly all of which are written in one of a few
// ways. Those are read here, byte by byte, in a fifth of the time that the tags of
// any XML take. What is written otherwise is left to markup.

// readPlainCells reads the next cells of the row, up to the first that is not
// plain or not yet in the buffer to its end.
func (g *grid) readPlainCells() error {
	window, _ := g.in.Peek(g.in.Buffered())
	rest := window
	for {
		c, after, ok := cutPlainCell(rest)
		if !ok {
			break
		}
		column, err := g.addCell(c.reference)
		if err != nil {
			return err
		}
		if !c.empty {
			g.setCell(column, c.kind, c.value, g.styleUnit(c.style))
		}
		rest = after
	}
	_, err := g.in.Discard(len(window) - len(rest))
	return err
}

// plainCell is a cell whose XML has nothing to be replaced.
type plainCell struct {
	reference, style, value []byte
	kind                    cellKind
	empty                   bool // <c/>
}

// cutPlainCell cuts off a cell such as <c r="A1" s="2" t="s"><v>7</v></c>; ok is false if text does
// not begin with one.
func cutPlainCell(text []byte) (c plainCell, rest []byte, ok bool) {
	if rest, ok = cutText(text, "<c"); !ok {
		return c, text, false
	}
	if rest, ok = c.cutAttributes(rest); !ok {
		return c, text, false
	}
	if rest, c.empty = cutText(rest, "/>"); c.empty {
		return c, rest, true
	}
	for _, p := range plainForms {
		inside, begins := cutText(rest, p.begin)
		if !begins {
			continue
		}
		end := 0
		for end < len(inside) && inside[end] != '<' && inside[end] != '&' {
			end++
		}
		c.value = inside[:end]
		rest, ok = cutText(inside[end:], p.end)
		return c, rest, ok
	}
	return c, text, false
}

// plainForms are what stands around the value of a cell.
var plainForms = [...]struct{ begin, end string }{
	{"><v>", "</v></c>"},
	{"><is><t>", "</t></is></c>"},
	{`><is><t xml:space="preserve">`, "</t></is></c>"},
}

// cutAttributes cuts off the attributes of a cell, whose names are one letter.
func (c *plainCell) cutAttributes(text []byte) (rest []byte, ok bool) {
	const before = len(` r="`)
	var name []byte
	for len(text) > before && text[0] == ' ' {
		length := bytes.IndexByte(text[before:], '"')
		if text[2] != '=' || text[3] != '"' || length < 0 {
			return text, false
		}
		value := text[before : before+length]
		switch attribute := text[1]; {
		case bytes.IndexByte(value, '&') >= 0:
			return text, false
		case attribute == 'r' && c.reference == nil: // of two, the first counts
			c.reference = value
		case attribute == 's' && c.style == nil:
			c.style = value
		case attribute == 't' && name == nil:
			name = value
		case attribute != 's' && attribute != 'r' && attribute != 't':
			return text, false
		}
		text = text[before+length+1:]
	}
	c.kind = kindOfCell(name)
	return text, true
}

func cutText(text []byte, prefix string) (rest []byte, ok bool) {
	if len(text) < len(prefix) || string(text[:len(prefix)]) != prefix {
		return text, false
	}
	return text[len(prefix):], true
}
