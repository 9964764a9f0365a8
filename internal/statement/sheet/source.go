// Package sheet reads files into rows of cells: CSV with any delimiter and in many encodings, XLSX,
// the HTML that terminals write, the XML of Flex queries, and archives of these. It knows kinds of files
// and no platforms; what depends on those is given to Open as Hooks. Files come from outside, so
// everything that a file can make large is bounded.
package sheet

import "context"

// Cell is one cell of a row. Text is trimmed.
type Cell struct {
	Text string
	// Number says that a workbook holds the cell as a number, whose decimal
	// mark is a point whatever the file's texts use.
	Number bool
	// Unit is what the workbook's format shows next to the number: Percent, Date, or the sign or
	// code of a currency. It is empty if the format shows none, and for text.
	Unit string
	// Pending says that the workbook holds a formula and no value of it.
	Pending bool
}

// Row is one row of a file; its cells are only valid until the next one.
type Row struct {
	Sheet string // name; empty for text and HTML
	Line  int    // from 1, within the sheet
	Cells []Cell
	// Delimiter separates the cells of text. It is zero in a workbook and in HTML.
	Delimiter byte
	// Unended says that the text ends within the row's line, without a line break.
	Unended bool
	// Whole says that each cell is written, also an empty one: a row with fewer
	// cells than others was cut.
	Whole bool
}

// Source gives the rows of a file, as often as asked.
type Source interface {
	// Each calls f with every row that holds anything, in order. It returns
	// f's error, a *refusal.Error, or the reader's error.
	Each(ctx context.Context, f func(*Row) error) error
	// Describe returns what the file says of itself. Of several files in an archive, it is the first
	// one's, with the warnings of all.
	Describe() Description
}

// Description is what a file says of itself.
type Description struct {
	Kind Kind
	// Delimiter of a CSV file; empty for other kinds.
	Delimiter string
	// Encoding of text, such as "utf-8" or "windows-1251"; of a workbook "xlsx".
	Encoding string
	// Epoch1904 says that serial days count from 1904.
	Epoch1904 bool
	Warnings  []Warning
}

// Kind is what kind of file a statement came in.
type Kind string

// The kinds of files.
const (
	CSV  Kind = "csv" // text with any delimiter
	HTML Kind = "html"
	XLSX Kind = "xlsx"
	XML  Kind = "xml"
	ZIP  Kind = "zip" // of CSV and HTML
)

// Warning says what a reader of the analysis should know.
type Warning struct {
	Code   string // such as "volume_in_units"
	Detail string // one sentence; holds nothing of the file's cells
	Count  int    // trades concerned; 0 means the file as a whole
}
