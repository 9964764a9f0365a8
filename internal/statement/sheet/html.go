package sheet

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/assayhq/assay/internal/statement/refusal"

	"golang.org/x/net/html"
)

// htmlFile is a report that a terminal wrote as HTML: the rows of all its tables,
// one after the other. It is read tag by tag and never held as a tree, so that
// deep nesting costs nothing.
type htmlFile struct {
	r          io.ReaderAt
	size       int64
	encoding   textEncoding
	checkTitle func(string) error
}

// Limits of HTML.
const (
	// maxTagBytes bounds a tag, a text between tags, a comment and a script.
	// Terminals write a few KiB.
	maxTagBytes = 1 << 20
	// maxSpan bounds how many columns a cell says it takes; HTML's own limit.
	maxSpan = 1000
)

func openHTML(r io.ReaderAt, size int64, head []byte, checkTitle func(string) error) (Source, error) {
	encoding, err := sniffEncoding(io.NewSectionReader(r, 0, size), head, declaredCharset(head))
	if err != nil {
		return nil, err
	}
	return &htmlFile{r: r, size: size, encoding: encoding, checkTitle: checkTitle}, nil
}

// declaredCharset returns what the file says of its encoding, such as "utf-8";
// empty when it says nothing.
func declaredCharset(head []byte) string {
	const mark = "charset="
	text := strings.ToLower(string(head))
	_, rest, found := strings.Cut(text, mark)
	if !found {
		return ""
	}
	rest = strings.TrimLeft(rest, `"' `)
	end := strings.IndexAny(rest, `"' />;`)
	if end < 0 {
		return ""
	}
	return rest[:end]
}

func (h *htmlFile) Describe() Description {
	return Description{Kind: HTML, Encoding: h.encoding.name}
}

func (h *htmlFile) Each(ctx context.Context, f func(*Row) error) error {
	decoded := h.encoding.decodeFile(h.r, h.size)
	p := htmlRows{z: html.NewTokenizer(fullReader{bufio.NewReaderSize(decoded, 64<<10)}), line: 1, checkTitle: h.checkTitle, visit: f, row: Row{Whole: true}, shapes: map[string]cellShape{}}
	p.z.SetMaxBuf(maxTagBytes)
	for count := 0; ; count++ {
		if count%4096 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		kind := p.z.Next()
		if kind == html.ErrorToken {
			return p.checkEnd()
		}
		start := p.line
		p.line += bytes.Count(p.z.Raw(), []byte{'\n'})
		if err := p.readToken(kind, start); err != nil {
			return err
		}
	}
}

// fullReader fills the buffers that it is given as far as it can, because the
// tokenizer copies what it has of a tag each time it needs more.
type fullReader struct{ r io.Reader }

func (r fullReader) Read(p []byte) (int, error) {
	n, err := io.ReadAtLeast(r.r, p, min(len(p), 64<<10))
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil
	}
	return n, err
}

// htmlRows makes rows of the tags of a file.
type htmlRows struct {
	z          *html.Tokenizer
	checkTitle func(string) error
	visit      func(*Row) error
	line       int
	read       usage

	tables   int  // that have begun and not ended
	document bool // an <html> has begun and not ended
	silent   bool // within a script, a style or another element whose text is not shown
	title    bool // within the title
	inRow    bool
	inCell   bool
	hidden   bool // the cell is not shown, and no column of the table
	shapes   map[string]cellShape
	row      Row
	text     []byte // of the cells of the row, one after the other
	cells    []span
	cell     int   // index of the cell that has begun
	start    int   // of its text
	reach    []int // how many more rows the cells of each column take
}

// span is the text of a cell, as a part of its row's.
type span struct{ start, end int }

func (p *htmlRows) readToken(kind html.TokenType, line int) error {
	switch kind {
	case html.TextToken:
		return p.readText(line)
	case html.StartTagToken, html.SelfClosingTagToken:
		return p.beginTag(tagName(p.z.Raw()[len("<"):]), line)
	case html.EndTagToken:
		return p.endTag(tagName(p.z.Raw()[len("</"):]))
	}
	return nil
}

// tagName returns the name at the beginning of a tag in small letters. The
// tokenizer's own TagName copies it.
func tagName(tag []byte) string {
	end := 0
	for end < len(tag) && strings.IndexByte(" \n\r\t\f/>", tag[end]) < 0 {
		end++
	}
	switch name := string(tag[:end]); name { // without a copy
	case "td":
		return "td"
	case "tr":
		return "tr"
	default:
		return strings.ToLower(name)
	}
}

// readText keeps what is shown in a cell, and checks the title.
func (p *htmlRows) readText(line int) error {
	if p.title {
		return p.checkTitle(string(p.z.Text()))
	}
	if !p.inCell || p.hidden || p.silent {
		return nil
	}
	p.text = append(p.text, p.z.Text()...)
	if len(p.text) > maxRowBytes {
		return refusal.New(refusal.FileTooLarge, "Line %d: a row of the table has more text than a statement can have. Send the report as the terminal wrote it.", line)
	}
	return nil
}

func (p *htmlRows) beginTag(name string, line int) error {
	switch name {
	case "td", "th":
		if !p.inRow {
			p.beginRow(line)
		}
		return p.beginCell()
	case "tr":
		if err := p.endRow(); err != nil {
			return err
		}
		p.beginRow(line)
	case "table":
		p.tables++
		return p.endRow() // of the table around this one
	case "html":
		p.document = true
	case "br", "p", "div", "li":
		if p.inCell && !p.hidden {
			p.text = append(p.text, ' ')
		}
	case "title":
		p.title = true
	case "script", "style", "textarea":
		p.silent = true
	}
	return nil
}

func (p *htmlRows) endTag(name string) error {
	switch name {
	case "td", "th":
		p.endCell()
	case "tr":
		return p.endRow()
	case "table":
		p.tables = max(0, p.tables-1)
		clear(p.reach)
		return p.endRow()
	case "html":
		p.document = false
	case "title":
		p.title = false
	case "script", "style", "textarea":
		p.silent = false
	}
	return nil
}

func (p *htmlRows) beginRow(line int) {
	p.inRow, p.row.Line = true, line
	p.text, p.cells = p.text[:0], p.cells[:0]
}

// beginCell begins a cell. One that takes several columns is followed by empty
// cells, so that the cells after it stand in their columns.
func (p *htmlRows) beginCell() error {
	p.endCell()
	s := p.shapeOf(p.z.Raw())
	p.hidden = s.hidden
	if p.inCell = true; p.hidden {
		return nil
	}
	for len(p.cells) < len(p.reach) && p.reach[len(p.cells)] > 0 {
		p.reach[len(p.cells)]--
		p.cells = append(p.cells, span{})
	}
	p.cell = len(p.cells)
	if p.cell+s.columns > maxColumns {
		return tooManyColumns()
	}
	for range s.columns {
		if s.rows > 1 {
			for len(p.reach) <= len(p.cells) {
				p.reach = append(p.reach, 0)
			}
			p.reach[len(p.cells)] = s.rows - 1
		}
		p.cells = append(p.cells, span{})
	}
	p.start = len(p.text)
	return nil
}

// cellShape is what the tag of a cell says of it.
type cellShape struct {
	columns, rows int  // that the cell takes
	hidden        bool // terminals hide cells that have no heading above them
}

// shapeOf reads the tag of a cell. A report has few different ones, so they are
// kept.
func (p *htmlRows) shapeOf(tag []byte) cellShape {
	const most, longest = 64, 256
	if s, known := p.shapes[string(tag)]; known {
		return s
	}
	s := p.readShape()
	if len(p.shapes) < most && len(tag) <= longest {
		p.shapes[string(tag)] = s
	}
	return s
}

func (p *htmlRows) readShape() cellShape {
	s := cellShape{columns: 1, rows: 1}
	for {
		key, value, more := p.z.TagAttr()
		switch string(key) {
		case "class":
			s.hidden = s.hidden || slices.ContainsFunc(bytes.Fields(value), func(name []byte) bool { return string(name) == "hidden" })
		case "style":
			s.hidden = s.hidden || bytes.Contains(bytes.ReplaceAll(value, []byte{' '}, nil), []byte("display:none"))
		case "hidden":
			s.hidden = true
		case "colspan":
			s.columns = spanOf(value)
		case "rowspan":
			s.rows = spanOf(value)
		}
		if !more {
			return s
		}
	}
}

// spanOf reads how many columns or rows a cell takes; one for what is no number.
func spanOf(value []byte) int {
	n, err := strconv.Atoi(string(bytes.TrimSpace(value)))
	if err != nil {
		return 1
	}
	return min(max(n, 1), maxSpan)
}

func (p *htmlRows) endCell() {
	if p.inCell && !p.hidden {
		p.cells[p.cell] = span{p.start, len(p.text)}
	}
	p.inCell = false
}

// endRow ends the row, if one has begun, and passes it on unless it is empty.
func (p *htmlRows) endRow() error {
	if !p.inRow {
		return nil
	}
	p.endCell()
	p.inRow = false
	for i := len(p.cells); i < len(p.reach); i++ {
		p.reach[i] = max(0, p.reach[i]-1)
	}
	text := string(p.text)
	p.row.Cells = p.row.Cells[:0]
	for _, s := range p.cells {
		p.row.Cells = append(p.row.Cells, Cell{Text: foldSpace(text[s.start:s.end])})
	}
	if CountFilled(p.row.Cells) == 0 {
		p.read.cells += len(p.row.Cells)
		return nil
	}
	if err := p.read.countCells(p.row.Cells); err != nil {
		return err
	}
	return p.visit(&p.row)
}

// checkEnd refuses a file that ends before its tables do.
func (p *htmlRows) checkEnd() error {
	switch err := p.z.Err(); {
	case errors.Is(err, html.ErrBufferExceeded):
		return refusal.New(refusal.NotUnderstood, "Line %d: a tag or text is longer than 1 MiB, which no terminal writes. Export the report again.", p.line)
	case !errors.Is(err, io.EOF):
		return err
	case p.tables > 0, p.inRow, p.document, p.silent, p.title:
		return refusal.New(refusal.NotUnderstood, "Line %d: the file ends before the end of its table, so it was truncated. Export it again.", p.line)
	}
	return nil
}

// foldSpace trims a text and makes one space of several, of line breaks, and of
// those that cannot be broken, as a browser shows them.
func foldSpace(s string) string {
	s = strings.TrimSpace(s)
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= utf8.RuneSelf || c == ' ' && s[i+1] == ' ' {
			return strings.Join(strings.Fields(s), " ")
		}
	}
	return s
}
