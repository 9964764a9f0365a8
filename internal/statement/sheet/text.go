package sheet

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"

	"github.com/assayhq/assay/internal/statement/refusal"
)

// maxRowBytes bounds one row of text; a longer one is a quote that nothing closes.
const maxRowBytes = 1 << 20

// text is a file of delimited text.
type text struct {
	r         io.ReaderAt
	size      int64
	encoding  textEncoding
	delimiter byte
	stated    bool // by a line "sep=;", which is no row
	newline   byte // ends a line; a carriage return in files of old Macs
}

func openText(r io.ReaderAt, size int64, head []byte, countNames func([]Cell) int) (Source, error) {
	encoding, err := sniffEncoding(io.NewSectionReader(r, 0, size), head, "")
	if err != nil {
		return nil, err
	}
	t := &text{r: r, size: size, encoding: encoding, newline: '\n'}
	sample, err := t.readSample()
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(sample)) == 0 {
		return nil, refusal.New(refusal.NotUnderstood, "The file is empty.")
	}
	if bytes.IndexByte(sample, '\n') < 0 && bytes.IndexByte(sample, '\r') >= 0 {
		t.newline = '\r'
	}
	first, _, _ := bytes.Cut(sample, []byte{t.newline})
	if t.delimiter, t.stated = statedDelimiter(string(first)); !t.stated {
		t.delimiter = guessDelimiter(sample, t.newline, countNames)
	}
	return t, nil
}

// readSample returns the beginning of the file, up to the end of a line.
func (t *text) readSample() ([]byte, error) {
	const length = 64 << 10
	sample := make([]byte, length)
	n, err := io.ReadFull(t.encoding.decodeFile(t.r, t.size), sample)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return sample[:n], nil
	}
	if i := bytes.LastIndexAny(sample[:n], "\r\n"); i > 0 {
		n = i + 1
	}
	return sample[:n], err
}

// statedDelimiter reads the line "sep=;" that some programs write for Excel.
func statedDelimiter(line string) (byte, bool) {
	line = strings.Trim(strings.TrimRight(line, "\r\n"), `"`)
	if len(line) == len("sep=;") && strings.EqualFold(line[:4], "sep=") {
		return line[4], true
	}
	return 0, false
}

// guessDelimiter takes the delimiter under which a line of the sample is the
// best header, and among equals the one that gives the most cells.
func guessDelimiter(sample []byte, newline byte, countNames func([]Cell) int) byte {
	const lines = 200
	best, bestNames, bestCells := byte(','), 0, 0
	for _, d := range []byte{',', ';', '\t', '|'} {
		s := splitter{in: bufio.NewReader(bytes.NewReader(sample)), delimiter: d, newline: newline}
		names, cells := 0, 0
		for range lines {
			got, err := s.next()
			if err != nil {
				break
			}
			names = max(names, countNames(got))
			if filled := CountFilled(got); filled > 1 {
				cells += filled
			}
		}
		if names > bestNames || names == bestNames && cells > bestCells {
			best, bestNames, bestCells = d, names, cells
		}
	}
	return best
}

func (t *text) Each(ctx context.Context, f func(*Row) error) error {
	s := splitter{in: bufio.NewReaderSize(t.encoding.decodeFile(t.r, t.size), 64<<10), delimiter: t.delimiter, newline: t.newline}
	r := Row{Delimiter: t.delimiter, Whole: true}
	for count := 0; ; {
		cells, err := s.next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case CountFilled(cells) == 0, t.stated && s.start == 1:
			continue
		}
		if count++; count > maxRows {
			return tooManyRows()
		}
		if count%1024 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		r.Line, r.Cells, r.Unended = s.start, cells, s.unended
		if err := f(&r); err != nil {
			return err
		}
	}
}

func tooManyRows() error {
	return refusal.New(refusal.FileTooLarge, "A file can have at most 1,000,000 rows. Export a shorter period.")
}

func tooManyColumns() error {
	return refusal.New(refusal.FileTooLarge, "A row can have at most 16,384 columns.")
}

func (t *text) Describe() Description {
	return Description{Kind: CSV, Delimiter: string(rune(t.delimiter)), Encoding: t.encoding.name}
}

// CountFilled counts the cells that are not empty.
func CountFilled(cells []Cell) int {
	n := 0
	for _, c := range cells {
		if c.Text != "" {
			n++
		}
	}
	return n
}

// splitter splits delimited text. Unlike encoding/csv it accepts a quote inside an
// unquoted cell, bounds a row, ends lines with carriage returns alone on request,
// and refuses a quoted cell that continues after its quote, because one quote too
// many would otherwise swallow rows unseen.
type splitter struct {
	in        *bufio.Reader
	delimiter byte
	newline   byte
	line      int  // last line read, from 1
	start     int  // line at which the last row began
	unended   bool // the text ended without a line break
	buf       []byte
	cells     []Cell
	quotes    quotes
}

// quotes follows the quotes of a row; each byte is looked at once, however
// many lines the row has.
type quotes struct {
	seen   int  // bytes of the row
	quoted bool // within a quoted cell
	within bool // within an unquoted cell
}

// next returns the cells of the next row, or io.EOF.
func (s *splitter) next() ([]Cell, error) {
	s.buf, s.quotes = s.buf[:0], quotes{}
	if err := s.readLine(); err != nil {
		return nil, err
	}
	s.start = s.line
	for s.openQuote() {
		if err := s.readLine(); errors.Is(err, io.EOF) {
			return nil, refusal.New(refusal.NotUnderstood, "Line %d: a quoted cell is never closed.", s.start)
		} else if err != nil {
			return nil, err
		}
	}
	return s.splitRow(strings.Trim(string(s.buf), "\r\n"))
}

// readLine appends one line, with its end, to the row.
func (s *splitter) readLine() error {
	before := len(s.buf)
	for {
		part, err := s.in.ReadSlice(s.newline)
		s.buf = append(s.buf, part...)
		if len(s.buf) > maxRowBytes {
			return refusal.New(refusal.NotUnderstood, "Line %d: a row is longer than 1 MiB, or a quoted cell is never closed.", s.line+1)
		}
		switch {
		case err == nil, errors.Is(err, io.EOF) && len(s.buf) > before:
			s.line++
			s.unended = err != nil
			return nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return err
		}
	}
}

// openQuote reports whether the row so far ends within a quoted cell.
func (s *splitter) openQuote() bool {
	q := &s.quotes
	if q.seen == 0 && bytes.IndexByte(s.buf, '"') < 0 {
		return false
	}
	for _, b := range s.buf[q.seen:] {
		switch {
		case b == '"' && (q.quoted || !q.within):
			q.quoted = !q.quoted // a doubled quote closes and opens again
		case q.quoted:
		case b == s.delimiter:
			q.within = false
		case b != ' ':
			q.within = true
		}
	}
	q.seen = len(s.buf)
	return q.quoted
}

// splitRow cuts a row into trimmed cells, which share its memory.
func (s *splitter) splitRow(line string) ([]Cell, error) {
	s.cells = s.cells[:0]
	for {
		var c string
		if quoted := strings.TrimLeft(line, " "); strings.HasPrefix(quoted, `"`) {
			var ok bool
			if c, line, ok = s.cutQuoted(quoted[1:]); !ok {
				return nil, refusal.New(refusal.NotUnderstood, "Line %d: text follows the closing quote of a cell.", s.start)
			}
		} else {
			i := strings.IndexByte(line, s.delimiter)
			if i < 0 {
				i = len(line)
			}
			c, line = line[:i], line[i:]
			if strings.ContainsAny(c, "\r\n") {
				return nil, refusal.New(refusal.NotUnderstood, "Line %d: a line break within the row differs from those at the ends of rows. Use the same line breaks in all rows, and send the file again.", s.start)
			}
		}
		if len(s.cells) == maxColumns {
			return nil, tooManyColumns()
		}
		s.cells = append(s.cells, Cell{Text: unprotectCell(strings.TrimSpace(strings.TrimPrefix(c, "\ufeff")))})
		if line == "" {
			return s.cells, nil
		}
		line = line[1:]
	}
}

// unprotectCell returns the text of a cell such as ="0012", which exports write so that
// spreadsheet programs leave the text as it is.
func unprotectCell(text string) string {
	if inner, ok := strings.CutPrefix(text, `="`); ok && strings.HasSuffix(inner, `"`) {
		return strings.TrimSpace(inner[:len(inner)-1])
	}
	return text
}

// cutQuoted cuts a cell whose opening quote is gone; rest is empty or begins
// with the delimiter.
func (s *splitter) cutQuoted(line string) (c, rest string, ok bool) {
	doubled := false
	for i := 0; i < len(line); i++ {
		if line[i] != '"' {
			continue
		}
		if i+1 < len(line) && line[i+1] == '"' {
			doubled, i = true, i+1
			continue
		}
		c, rest = line[:i], strings.TrimLeft(line[i+1:], " ")
		if doubled {
			c = strings.ReplaceAll(c, `""`, `"`)
		}
		return c, rest, rest == "" || rest[0] == s.delimiter
	}
	return "", "", false
}

// FirstFilled returns the first cell that is not empty, and how many of them there are.
func FirstFilled(cells []Cell) (first, filled int) {
	for i := len(cells) - 1; i >= 0; i-- {
		if cells[i].Text != "" {
			first = i
			filled++
		}
	}
	return first, filled
}
