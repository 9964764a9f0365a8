package statement_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/sample"
	"github.com/assayhq/assay/internal/statement"
	"github.com/assayhq/assay/internal/statement/refusal"
	"github.com/assayhq/assay/internal/statement/value"
)

// family is an example in one language.
type family struct {
	file, format, language string
	options                statement.Options
	words                  map[string]string
	page                   encoding.Encoding // in which programs write the language without Unicode
}

// listFamilies returns all examples, each in every language in which its platform is known to write it.
func listFamilies() []family {
	var all []family
	add := func(file, format string, o statement.Options) {
		own := "English"
		switch file {
		case "generic_german.csv":
			own = "German"
		case "profit_operations.csv":
			own = "Portuguese"
		case "ftmo_metrix_fr.csv":
			own = "French"
		}
		all = append(all, family{file, format, own, o, nil, charmap.Windows1252})
		for _, l := range languagesOf(file) {
			all = append(all, family{file, format, l.name, o, l.words, l.page})
		}
	}
	for _, s := range sources() {
		add(s.name, s.format, s.options)
	}
	for _, name := range []string{"tradovate_orders", "tradovate_fills", "tradingview_orders", "rithmic_orders", "topstepx_orders", "ninjatrader_executions", "ninjatrader_orders", "webull_orders"} {
		add(name+".csv", name, zoned("UTC"))
	}
	add("matchtrader_open.csv", "matchtrader", zoned("UTC"))
	for _, name := range []string{"ibkr_activity.csv", "ibkr_flex.csv", "ibkr_flex.xml"} {
		add(name, "ibkr", zoned("America/New_York"))
	}
	add("thinkorswim.csv", "thinkorswim", zoned("America/New_York"))
	return all
}

func dateStyles() []dateStyle {
	return []dateStyle{
		{name: "as exported"},
		{name: "2026-01-31", layout: "2006-01-02"},
		{name: "31/01/2026", layout: "02/01/2006"},
		{name: "01/31/2026", layout: "01/02/2006"},
		{name: "31.01.2026", layout: "02.01.2006"},
		{name: "a spreadsheet's date", serial: true},
		{name: "day first, none beyond 12", layout: "02/01/2006", early: true},
		{name: "the same with `dmy`", layout: "02/01/2006", early: true, told: "dmy"},
		{name: "month first, no day beyond 12", layout: "01/02/2006", early: true},
		{name: "the same with `mdy`", layout: "01/02/2006", early: true, told: "mdy"},
	}
}

func numberStyles() []numberStyle {
	return []numberStyle{
		{"1234.50", ".", ""},
		{"1,234.50", ".", ","},
		{"1 234.50", ".", "\u00a0"},
		{"1'234.50", ".", "'"},
		{"1234,50", ",", ""},
		{"1.234,50", ",", "."},
		{"1 234,50", ",", "\u00a0"},
	}
}

// writing is a way to write dates and numbers. Dates and numbers are varied one after the other,
// because each is decided without the other.
type writing struct {
	dates   dateStyle
	numbers numberStyle
}

func (w writing) name() string { return w.dates.name + w.numbers.name }

func listWritings() []writing {
	var all []writing
	for _, d := range dateStyles() {
		all = append(all, writing{dates: d})
	}
	for _, n := range numberStyles() {
		all = append(all, writing{numbers: n})
	}
	return all
}

// matrixEncodings are how the bytes of a file stand for its text.
func matrixEncodings() []string {
	return []string{"UTF-8", "UTF-8 with mark", "UTF-16LE", "UTF-16BE", inCodePage, inXLSX}
}

const (
	inCodePage = "code page"
	inXLSX     = "XLSX"
)

var unicodeEncodings = map[string]encoding.Encoding{
	"UTF-8":           encoding.Nop,
	"UTF-8 with mark": unicode.UTF8BOM,
	"UTF-16LE":        unicode.UTF16(unicode.LittleEndian, unicode.UseBOM),
	"UTF-16BE":        unicode.UTF16(unicode.BigEndian, unicode.UseBOM),
}

// Outcomes of a combination that are no refusals.
const (
	asMeant     = "yes"
	nonexistent = "–"
	byDay       = "read with the day first"
	byMonth     = "read with the month first"
)

// example is a file as its platform writes it.
type example struct {
	family
	content []byte
	cells   []string
	dmy     bool // the day comes first in its dates
	// want is what it gives, without and with early days.
	want map[bool]*result
}

func (f family) openExample(t testing.TB) *example {
	t.Helper()
	content := bytes.TrimPrefix(load(t, f.file), []byte("\xef\xbb\xbf"))
	e := &example{family: f, content: content, cells: exampleCells(t, content), want: map[bool]*result{}}
	e.dmy = hasDayFirst(e.cells)
	o := f.options
	if o.DateOrder = value.MDY; e.dmy {
		o.DateOrder = value.DMY
	}
	for _, early := range []bool{false, true} {
		r := rendering{dates: dateStyle{early: early}, comma: f.format == "generic", dmy: e.dmy}
		want, _, err := f.readStatement(t, []byte(r.text(t, content)), o)
		if err != nil {
			t.Fatalf("%s cannot be read as it is: %v", f.file, err)
		}
		e.want[early] = want
	}
	return e
}

// renderExample writes the example in one combination; ok is false if there is no such file.
func (e *example) renderExample(t testing.TB, encoded string, w writing) (content []byte, ok bool) {
	t.Helper()
	r := rendering{dates: w.dates, numbers: w.numbers, words: e.words, comma: e.format == "generic", dmy: e.dmy}
	if encoded == inXLSX {
		if isXML(e.content) || w.numbers.decimal != "" || w.dates.serial && !slices.ContainsFunc(e.cells, func(c string) bool { _, ok := r.moment(c); return ok }) {
			return nil, false
		}
		return r.workbook(t, e.content), true
	}
	if w.dates.serial {
		return nil, false
	}
	text := r.text(t, e.content)
	code := unicodeEncodings[encoded]
	if encoded == inCodePage {
		if code = e.page; !slices.ContainsFunc([]byte(text), func(b byte) bool { return b >= 0x80 }) {
			return nil, false // the same bytes as in UTF-8
		}
	}
	content, err := code.NewEncoder().Bytes([]byte(text))
	return content, err == nil
}

// result is what all ways to write an example have in common.
type result struct {
	Format     string
	Trades     []record.Trade
	Net        []statement.Amount
	Accounts   []statement.Account
	Reconciled statement.Reconciled
	Basis      statement.NetBasis
	Skipped    map[string]int
}

func (f family) readStatement(t testing.TB, content []byte, o statement.Options) (*result, value.DateOrder, error) {
	t.Helper()
	file, err := statement.Read(t.Context(), bytes.NewReader(content), int64(len(content)), f.file, o)
	if err != nil {
		return nil, "", err
	}
	r := &result{file.Format, tradesOf(t, file), file.Net, file.Accounts, file.Reconciled, file.NetBasis, map[string]int{}}
	for i := range r.Trades {
		if strings.HasPrefix(r.Trades[i].ID, "row-") { // a hash of the row's cells
			r.Trades[i].ID = ""
		}
	}
	for _, s := range file.Skipped {
		if s.Reason != "note" && s.Reason != "other_table" { // in a language that is not known, a title is a note
			r.Skipped[s.Reason] = s.Count
		}
	}
	return r, file.DateOrder, nil
}

var lineNumber = regexp.MustCompile(`([Ll]ines?) \d+`)

// tellOutcome reads one combination and says what it gives, as a cell of the table.
func (e *example) tellOutcome(t *testing.T, encoded string, w writing) string {
	t.Helper()
	content, ok := e.renderExample(t, encoded, w)
	if !ok {
		return nonexistent
	}
	o := e.options
	o.DateOrder = value.DateOrder(w.dates.told)
	got, order, err := e.readStatement(t, content, o)
	var refused *refusal.Error
	switch {
	case errors.As(err, &refused) && refused.Resend != "":
		return "asks for `" + refused.Resend + "`"
	case errors.As(err, &refused):
		return lineNumber.ReplaceAllString(refused.Detail, "$1 N")
	case err != nil:
		t.Fatal(err)
	}
	diff := cmp.Diff(e.want[w.dates.early], got)
	switch {
	case diff == "":
		return asMeant
	case w.dates.early && w.dates.told == "" && order == value.DMY:
		return byDay
	case w.dates.early && w.dates.told == "" && order == value.MDY:
		return byMonth
	}
	t.Errorf("%s, %s, %s, %s (-want +got)\n%s", e.file, e.language, encoded, w.name(), diff)
	return "other trades"
}

// outcomes are those of one family in one language, by encoding and writing.
type outcomes map[string]map[string]string

// Every example gives the same trades and totals in each language, encoding, order of dates and form
// of numbers, or says what is to be sent along. The table for readers is docs/reference/statements.md.
func TestMatrix(t *testing.T) {
	t.Parallel()
	all := sample.Cases(listFamilies(), 8)
	results := make([]outcomes, len(all))
	t.Run("read", func(t *testing.T) {
		for i, f := range all {
			t.Run(f.file+"/"+f.language, func(t *testing.T) {
				t.Parallel()
				x := f.openExample(t)
				results[i] = outcomes{}
				for _, e := range matrixEncodings() {
					results[i][e] = map[string]string{}
					for _, w := range listWritings() {
						results[i][e][w.name()] = x.tellOutcome(t, e, w)
					}
				}
			})
		}
	})
	if testing.Short() {
		return // the table needs all of them
	}
	compareDocument(t, filepath.Join("..", "..", "docs", "reference", "statements.md"), matrixDocument(all, results))
}

// compareDocument compares a generated document with the one in the repository, or writes it.
func compareDocument(t *testing.T, path, text string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), text); diff != "" {
		t.Errorf("%s differs (-want +got): run this test with -update\n%s", path, diff)
	}
}
