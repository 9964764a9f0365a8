// Package csvexport sends lists as CSV files and records these exports in the audit log.
package csvexport

import (
	"encoding/csv"
	"errors"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/response"
	"github.com/assayhq/assay/apiserver/route"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/privacy"
)

// DescribeFile documents the files that WriteFile and WriteFileOfObject send. All exports of lists share it.
func DescribeFile() []route.Answer {
	return []route.Answer{{
		Status: http.StatusOK, Shared: "Table", Media: []string{decode.MediaCSV}, Headers: []string{"Content-Disposition"}, About: "The rows as CSV. " + fileDescription,
	}}
}

// fileDescription says how to read the files.
const fileDescription = "The first line contains the column names; later versions may append columns. Numbers keep all their digits, and times are in UTC. " +
	"A text that a spreadsheet would evaluate as a formula, because it begins with `=`, `+`, `-`, `@`, a tab or a line break, is prefixed with an apostrophe. " +
	"The same is done within a text, after a comma, a semicolon, a quotation mark, a tab or a line break, where some spreadsheets begin a new cell. " +
	"If an error occurs after the response has begun, the connection is closed early, so a complete response is a complete export. The export is recorded in the audit log."

// errNoBody ends the reading of a list whose rows are not sent.
var errNoBody = errors.New("the response has no body")

// WriteFile answers with a CSV file of the rows that fill adds, and records the export. Its error, after sending
// has begun, breaks off the connection, so that nobody mistakes a part for the whole.
func WriteFile(w http.ResponseWriter, r *http.Request, db *store.DB, e privacy.ListExport, columns []string, fill func(add func(...string) error) error) error {
	file := csv.NewWriter(w)
	name := e.List
	if e.Of != "" {
		name += "-" + e.OwnerID.String()
	}
	begun := false
	begin := func() error {
		if r.Method != http.MethodHead {
			if err := recordExport(r, db, e); err != nil {
				return err
			}
		}
		begun = true
		response.BeginDownload(w, decode.MediaCSV+"; charset=utf-8", name+".csv")
		return file.Write(columns)
	}
	err := fill(func(cells ...string) error {
		if r.Method == http.MethodHead {
			return errNoBody
		}
		if !begun {
			if err := begin(); err != nil {
				return err
			}
		}
		return file.Write(cells)
	})
	if err == nil && !begun || errors.Is(err, errNoBody) {
		err = begin()
	}
	if err == nil {
		file.Flush()
		err = file.Error()
	}
	if err != nil {
		w.Header().Del("Content-Disposition") // matters if nothing has been sent: a problem is no file
	}
	return err
}

// WriteFileOfObject is like WriteFile for rows that belong to the object in the path.
func WriteFileOfObject(w http.ResponseWriter, r *http.Request, db *store.DB, e privacy.ListExport, columns []string, fill func(id uuid.UUID, add func(...string) error) error) error {
	id, err := route.ObjectID(r)
	if err != nil {
		return err
	}
	e.OwnerID = id
	return WriteFile(w, r, db, e, columns, func(add func(...string) error) error { return fill(id, add) })
}

// recordExport records an export and the names of its filters.
func recordExport(r *http.Request, db *store.DB, e privacy.ListExport) error {
	e.Filters = slices.DeleteFunc(slices.Sorted(maps.Keys(decode.QueryOf(r).Values())), func(name string) bool { return name == "sort" })
	return privacy.RecordListExport(r.Context(), db, route.NewChange(r), e)
}

// What formula consists of, as characters of a class of an expression.
const (
	// formulaSigns begin a formula. Full-width characters count in East Asian versions.
	formulaSigns = "=+@＝＋－＠-"
	// cellSeparators may begin a cell in the middle of a text, because spreadsheets of many countries
	// expect semicolons or tabs in the place of commas.
	cellSeparators = ",;\t\r\n\""
)

// formula matches the beginning of what some spreadsheet evaluates.
var formula = regexp.MustCompile(`((?:^|[` + cellSeparators + `])[ \t]*)([` + formulaSigns + `])`)

// Safe returns a text that no spreadsheet takes for a formula.
func Safe(text string) string {
	if !mayHoldFormula(text) {
		return text
	}
	text = formula.ReplaceAllString(text, "$1'$2")
	if text != "" && strings.ContainsRune("\t\r\n", rune(text[0])) {
		return "'" + text
	}
	return text
}

// mayHoldFormula reports whether formula can match, which takes longer to find out for certain.
func mayHoldFormula(text string) bool {
	first, _ := utf8.DecodeRuneInString(strings.TrimLeft(text, " "))
	return strings.ContainsRune(formulaSigns, first) || strings.ContainsAny(text, cellSeparators)
}

// Text returns the cell of a text, or an empty one if it is nil.
func Text(text *string) string {
	if text == nil {
		return ""
	}
	return Safe(*text)
}

// Time returns the cell of a time.
func Time(at *time.Time) string {
	if at == nil {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
}

// Number returns the cell of a number.
func Number(number *record.Decimal) string {
	if number == nil {
		return ""
	}
	return string(*number)
}

// ID returns the cell of an id.
func ID(id *uuid.UUID) string {
	if id == nil {
		return ""
	}
	return id.String()
}

// Count returns the cell of a count.
func Count(n int64) string { return strconv.FormatInt(n, 10) }
