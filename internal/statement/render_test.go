package statement_test

import (
	"bytes"
	"encoding/csv"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// dateStyle is a way to write the dates of a file.
type dateStyle struct {
	name string
	// layout is empty for dates as the platform writes them.
	layout string
	// early means that no day is beyond 12, so that nothing in the file shows the order.
	early bool
	// told is the order that is sent along.
	told string
	// serial means that a workbook holds dates as numbers of days.
	serial bool
}

// numberStyle is a way to write the numbers of a file: the mark before decimals and the
// one between thousands.
type numberStyle struct {
	name, decimal, thousands string // without a decimal mark, as the platform writes them
}

// rendering writes an example in another way than the platform.
type rendering struct {
	dates   dateStyle
	numbers numberStyle
	words   map[string]string // of the language, by the example's
	comma   bool              // the example has decimal commas
	dmy     bool              // the example's dates have the day first
}

// Dates that begin a cell.
var (
	cellDate    = regexp.MustCompile(`^(\d{4}[-./]\d{2}[-./]\d{2}|\d{1,2}[-./]\d{1,2}[-./](?:\d{4}|\d{2})|\d{1,2} [A-Z][a-z]{2} \d{4}|20\d{6})(?:$|[ ;,T])`)
	dateLayouts = []string{"2006.01.02", "2006-01-02", "2006/01/02", "02 Jan 2006", "20060102", "02.01.2006"}
	dayFirst    = []string{"02/01/2006", "02/01/06"}
	monthFirst  = []string{"01/02/2006", "1/2/2006", "1/2/06"}
)

// parseDate reads the date at the beginning of a cell and says how it is written.
func (r rendering) parseDate(cell string) (day time.Time, layout, rest string, ok bool) {
	m := cellDate.FindStringSubmatch(cell)
	if m == nil {
		return day, "", "", false
	}
	orders := monthFirst
	if r.dmy {
		orders = dayFirst
	}
	for _, layout := range slices.Concat(dateLayouts, orders) {
		if day, err := time.Parse(layout, m[1]); err == nil && day.Format(layout) == m[1] {
			return day, layout, cell[len(m[1]):], true
		}
	}
	return day, "", "", false
}

// hasDayFirst reports whether a day beyond 12 comes first in a date of the cells.
func hasDayFirst(cells []string) bool {
	first := regexp.MustCompile(`^(1[3-9]|2\d|3[01])[-./]\d{1,2}[-./]\d`)
	return slices.ContainsFunc(cells, first.MatchString)
}

// rewriteCell writes one cell.
func (r rendering) rewriteCell(text string) string {
	if word, ok := r.words[text]; ok {
		return word
	}
	if word, ok := r.words[strings.TrimSuffix(text, ":")]; ok && strings.HasSuffix(text, ":") {
		return word + ":"
	}
	if day, layout, rest, ok := r.parseDate(text); ok {
		if r.dates.early && day.Day() > 12 {
			day = day.AddDate(0, 0, -10)
		}
		if r.dates.layout != "" {
			layout = r.dates.layout
		}
		return day.Format(layout) + rest
	}
	text = r.number(text)
	if word := r.words["Lots"]; word != "" {
		text = strings.Replace(text, " Lots", " "+word, 1)
	}
	return text
}

// A number with decimals, and what stands around it.
var (
	pointNumber = regexp.MustCompile(`^([-+($ ]*)(\d[\d ,]*)\.(\d+)([)%]*(?: Lots)?)$`)
	commaNumber = regexp.MustCompile(`^([-+($ ]*)(\d[\d.]*),(\d+)([)%]*(?: Lots)?)$`)
	// Such a number has no decimals: its points stand between thousands.
	pointGroups = regexp.MustCompile(`^(-?)(\d{1,3}(?:\.\d{3})+)()()$`)
)

// number writes a number with decimals. Others may be ids, and stay as they are.
func (r rendering) number(text string) string {
	if r.numbers.decimal == "" {
		return text
	}
	m := pointNumber.FindStringSubmatch(text)
	if r.comma {
		if m = commaNumber.FindStringSubmatch(text); m == nil {
			m = pointGroups.FindStringSubmatch(text)
		}
	}
	if m == nil {
		return text
	}
	digits := strings.Map(func(c rune) rune {
		if c < '0' || c > '9' {
			return -1
		}
		return c
	}, m[2])
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + r.numbers.thousands + digits[i:]
	}
	if m[3] != "" {
		digits += r.numbers.decimal + m[3]
	}
	return m[1] + digits + m[4]
}

// exampleCells are the cells of an example, whatever its kind.
func exampleCells(t testing.TB, content []byte) (all []string) {
	t.Helper()
	switch {
	case isXML(content):
		for _, m := range attributeText.FindAllSubmatch(content, -1) {
			all = append(all, string(m[1]))
		}
	default:
		for _, row := range rowsOf(t, content) {
			all = append(all, row...)
		}
	}
	return all
}

var (
	elementText   = regexp.MustCompile(`>([^<>\n]+)<`)
	attributeText = regexp.MustCompile(`="([^"]*)"`)
)

func isXML(content []byte) bool { return bytes.HasPrefix(content, []byte("<FlexQueryResponse")) }

func isMarkup(content []byte) bool { return bytes.HasPrefix(content, []byte("<")) }

// text writes the example as a file of its own kind, in UTF-8 without a mark.
func (r rendering) text(t testing.TB, content []byte) string {
	t.Helper()
	switch {
	case isXML(content):
		return attributeText.ReplaceAllStringFunc(string(content), func(s string) string {
			return `="` + r.rewriteCell(s[2:len(s)-1]) + `"`
		})
	case isMarkup(content):
		return elementText.ReplaceAllStringFunc(string(content), func(s string) string {
			return ">" + r.rewriteCell(s[1:len(s)-1]) + "<"
		})
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Comma = delimiterOf(content)
	for _, row := range rowsOf(t, content) {
		for i := range row {
			row[i] = r.rewriteCell(row[i])
		}
		if err := w.Write(row); err != nil {
			t.Fatal(err)
		}
	}
	w.Flush()
	return b.String()
}

// delimiterOf is the mark between the cells of an example.
func delimiterOf(content []byte) rune {
	best := ','
	for _, d := range "\t;" {
		if bytes.Count(content, []byte(string(d))) > bytes.Count(content, []byte{','}) {
			best = d
		}
	}
	return best
}

// workbook writes the example as XLSX, with numbers in the cells that hold nothing else.
func (r rendering) workbook(t testing.TB, content []byte) []byte {
	t.Helper()
	if r.comma {
		r.numbers = numberStyle{decimal: "."} // which the workbook's numbers show as the reader's country does
	}
	rows := rowsOf(t, content)
	for _, row := range rows {
		for i := range row {
			row[i] = r.rewriteCell(row[i])
		}
	}
	return workbook(t, rows, func(text string) any {
		if r.dates.serial {
			if moment, ok := r.moment(text); ok {
				return moment.Sub(time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)).Hours() / 24
			}
		}
		return typed(text)
	})
}

// moment reads a cell that holds a date and a time alone, as a spreadsheet does.
func (r rendering) moment(text string) (time.Time, bool) {
	day, _, rest, ok := r.parseDate(text)
	if !ok {
		return day, false
	}
	for _, clock := range []string{"", " 15:04", " 15:04:05", " 15:04:05.000", " 3:04:05 PM"} {
		if at, err := time.Parse(clock, rest); err == nil {
			return day.Add(at.Sub(at.Truncate(24 * time.Hour))), true
		}
	}
	return day, false
}
