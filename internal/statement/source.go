package statement

import "context"

// cell is one cell of a row. Text is trimmed.
type cell struct {
	text string
	// number says that a workbook holds the cell as a number, whose decimal
	// mark is a point whatever the file's texts use.
	number bool
	// unit is what the workbook's format shows next to the number; see readUnits.
	unit string
	// pending says that the workbook holds a formula and no value of it.
	pending bool
}

// row is one row of a file; its cells are only valid until the next one.
type row struct {
	sheet string // name; empty for text and HTML
	line  int    // from 1, within the sheet
	cells []cell
	// delimiter separates the cells of text. It is zero in a workbook and in HTML.
	delimiter byte
	// unended says that the text ends within the row's line, without a line break.
	unended bool
	// whole says that each cell is written, also an empty one: a row with fewer
	// cells than others was cut.
	whole bool
}

// source gives the rows of a file, as often as asked.
type source interface {
	// each calls f with every row that holds anything, in order. It returns
	// f's error, a *refusal.Error, or the reader's error.
	each(ctx context.Context, f func(*row) error) error
	// describe returns what the file says of itself. Of several files in an archive, it is the first
	// one's, with the warnings of all.
	describe() description
}

// description is what a file says of itself.
type description struct {
	kind Kind
	// delimiter of a CSV file; empty for other kinds.
	delimiter string
	// encoding of text, such as "utf-8" or "windows-1251"; of a workbook "xlsx".
	encoding string
	// epoch1904 says that serial days count from 1904.
	epoch1904 bool
	warnings  []Warning
}
