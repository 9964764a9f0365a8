package statement_test

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"
	"golang.org/x/text/encoding/unicode"

	"github.com/assayhq/assay/internal/statement"
	"github.com/assayhq/assay/internal/statement/refusal"
	"github.com/assayhq/assay/internal/statement/value"
)

// rowsOf splits an export of delimited text or HTML.
func rowsOf(t testing.TB, content []byte) [][]string {
	t.Helper()
	if bytes.HasPrefix(content, []byte("<")) {
		cells, err := statement.Cells(content)
		if err != nil {
			t.Fatal(err)
		}
		var rows [][]string
		for _, line := range slices.Sorted(maps.Keys(cells[""])) {
			rows = append(rows, cells[""][line])
		}
		return rows
	}
	text := strings.TrimPrefix(string(content), "sep=,\n")
	r := csv.NewReader(strings.NewReader(text))
	r.FieldsPerRecord, r.LazyQuotes = -1, true
	for _, d := range "\t;" {
		if strings.Count(text, string(d)) > strings.Count(text, ",") {
			r.Comma = d
		}
	}
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

var number = regexp.MustCompile(`^(- ?|\+)?[0-9]{1,3}( ?[0-9]{3})*(\.[0-9]+)?$`)

// typed gives cells the types that platforms give them: numbers are numbers.
func typed(text string) any {
	if !number.MatchString(text) {
		return text
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(text, " ", ""), 64)
	if err != nil {
		return text
	}
	return v
}

// serials also makes spreadsheet dates of the times of a layout.
func serials(layout string) func(string) any {
	return func(text string) any {
		if at, err := time.Parse(layout, text); err == nil {
			return at.Sub(time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)).Hours() / 24
		}
		return typed(text)
	}
}

// workbook writes rows to an XLSX file with another program than the one that
// is tested.
func workbook(t testing.TB, rows [][]string, as func(string) any) []byte {
	t.Helper()
	f := excelize.NewFile()
	defer func() { _ = f.Close() }()
	for i, cells := range rows {
		values := make([]any, len(cells))
		for j, c := range cells {
			if c != "" {
				values[j] = as(c)
			}
		}
		if err := f.SetSheetRow("Sheet1", fmt.Sprintf("A%d", i+1), &values); err != nil {
			t.Fatal(err)
		}
	}
	return saved(t, f)
}

func saved(t testing.TB, f *excelize.File) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := f.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Programs in Java write 7001001.0 into the cell of a whole number, which every
// spreadsheet shows as 7001001, and no spreadsheet keeps more than fifteen digits.
func TestWholeNumbersOfWorkbooks(t *testing.T) {
	t.Parallel()
	rows := rowsOf(t, []byte("login;"+plain+"7001001;1005"+aTrade[1:]+"7001001;123456789012345678"+aTrade[1:]))
	content := rezip(t, workbook(t, rows, typed), func(part string, text []byte) []byte {
		if strings.HasPrefix(part, "xl/worksheets/") {
			return []byte(strings.NewReplacer("<v>7001001</v>", "<v>7001001.0</v>", "<v>1005</v>", "<v>1005.0</v>").Replace(string(text)))
		}
		return text
	})
	f := mustRead(t, "a.xlsx", content, statement.Options{})
	want := seen{Trades: "1005" + aResult[1:] + "row-*" + aResult[1:], Warnings: "ids_rounded", Net: "99"}
	if diff := cmp.Diff(want, summary(f)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if len(f.Accounts) != 1 || f.Accounts[0].Login != "7001001" {
		t.Errorf("accounts %+v", f.Accounts)
	}
}

// rezip passes every part of an archive through change; nil leaves it out.
func rezip(t testing.TB, content []byte, change func(name string, part []byte) []byte) []byte {
	t.Helper()
	in, err := zip.NewReader(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	out := zip.NewWriter(&b)
	for _, f := range in.File {
		r, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		part, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		if part = change(f.Name, part); part == nil {
			continue
		}
		w, err := out.Create(f.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(part); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func toUTF16(e unicode.Endianness, bom unicode.BOMPolicy) func(string, []byte) []byte {
	return func(_ string, part []byte) []byte {
		out, err := unicode.UTF16(e, bom).NewEncoder().Bytes(part)
		if err != nil {
			panic(err)
		}
		return out
	}
}

// Every source's export as a workbook gives the same trades, also when its XML
// is in UTF-16, as MT5 writes it.
func TestSourcesAsWorkbooks(t *testing.T) {
	t.Parallel()
	encodings := []struct {
		name   string
		change func(string, []byte) []byte
	}{
		{"utf-8", func(_ string, part []byte) []byte { return part }},
		{"utf-16le", toUTF16(unicode.LittleEndian, unicode.UseBOM)},
		{"utf-16be", toUTF16(unicode.BigEndian, unicode.UseBOM)},
		{"utf-16le without mark", toUTF16(unicode.LittleEndian, unicode.IgnoreBOM)},
	}
	for _, s := range sources() {
		as := typed
		if s.format == "generic" { // decimal commas are texts
			as = func(text string) any { return text }
		}
		content := workbook(t, rowsOf(t, load(t, s.name)), as)
		for _, e := range encodings {
			t.Run(s.name+"/"+e.name, func(t *testing.T) {
				t.Parallel()
				f := mustRead(t, strings.Replace(s.name, ".csv", ".xlsx", 1), rezip(t, content, e.change), s.options)
				s.check(t, f)
				if f.Encoding != "xlsx" || f.Delimiter != "" {
					t.Errorf("encoding %q, delimiter %q", f.Encoding, f.Delimiter)
				}
			})
		}
	}
}

// Dates that are numbers of days are the same as dates in text.
func TestSerialDates(t *testing.T) {
	t.Parallel()
	const layout = "02/01/2006 15:04:05"
	for _, s := range sources() {
		if s.format != "xtb_xstation" && s.format != "matchtrader" {
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			rows := rowsOf(t, load(t, s.name))
			f := mustRead(t, "a.xlsx", workbook(t, rows, serials(layout)), s.options)
			s.check(t, f)
			if f.DateOrder != value.YMD || strings.Contains(summary(f).Warnings, "dates_without_time") {
				t.Errorf("date order %q, warnings %s", f.DateOrder, summary(f).Warnings)
			}
			from1904 := func(name string, part []byte) []byte {
				if name == "xl/workbook.xml" {
					return bytes.Replace(part, []byte("<workbookPr"), []byte(`<workbookPr date1904="1"`), 1)
				}
				return part
			}
			earlier := func(text string) any {
				if days, ok := serials(layout)(text).(float64); ok && strings.Contains(text, "/") {
					return days - 1462
				}
				return typed(text)
			}
			s.check(t, mustRead(t, "a.xlsx", rezip(t, workbook(t, rows, earlier), from1904), s.options))
		})
	}
}

// Positions, open positions, orders and payments on sheets of their own.
func TestSheets(t *testing.T) {
	t.Parallel()
	f := excelize.NewFile()
	defer func() { _ = f.Close() }()
	put := func(sheet string, rows [][]string) {
		if _, err := f.NewSheet(sheet); err != nil {
			t.Fatal(err)
		}
		for i, cells := range rows {
			for j, c := range cells {
				at, _ := excelize.CoordinatesToCellName(j+1, i+1)
				if err := f.SetCellValue(sheet, at, typed(c)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	put("PENDING ORDERS 14072026", rowsOf(t, load(t, "xtb_xstation.csv")))
	put("CLOSED POSITION HISTORY", rowsOf(t, load(t, "xtb_xstation.csv")))
	put("OPEN POSITION 14072026", rowsOf(t, []byte("Position,Symbol,Type,Volume,Open time,Open price,Market price,SL,TP,Commission,Swap,Rollover,Gross P/L\n"+
		"1006,EURUSD,SELL,0.20,16/07/2026 09:00:00,1.16,1.161,1.17,0,-1.40,0,0,-20.00\nTotal,,,,,,,,,,,,-20.00\n")))
	put("CASH OPERATION HISTORY", rowsOf(t, []byte("ID,Type,Time,Symbol,Comment,Amount\n77,Deposit,01/01/2026 10:00:00,,,10000.00\n")))
	for _, s := range sources() {
		if s.format == "xtb_xstation" {
			s.open = true
			got := mustRead(t, "x.xlsx", saved(t, f), s.options)
			s.check(t, got)
			skipped := map[string]int{}
			for _, k := range got.Skipped {
				skipped[k.Reason] = k.Count
			}
			if diff := cmp.Diff(map[string]int{"other_table": 9, "total": 2}, skipped); diff != "" {
				t.Errorf("skipped (-want +got)\n%s", diff)
			}
		}
	}
}

// Day and hour in two columns of a workbook are one moment.
func TestSerialDayAndHour(t *testing.T) {
	t.Parallel()
	rows := rowsOf(t, []byte("symbol;side;lots;open date;open time;close date;close time;net profit\nEURUSD;buy;0.5;46035;0.416666666666667;46035;0.4375;49.5\n"))
	f := mustRead(t, "a.xlsx", workbook(t, rows, typed), statement.Options{})
	want := "row-* buy 0.5 2026-01-13T10:00:00 2026-01-13T10:30:00 49.5\n"
	if got := summary(f); got.Trades != want {
		t.Errorf("got %q", got.Trades)
	}
}

// What a format shows next to an amount counts as if it was written there, and what is no number
// is no amount.
func TestShownUnits(t *testing.T) {
	t.Parallel()
	percent, dollars, euros := "0.00%", `_-[$$-409]* #,##0.00_ ;[Red]-[$$-409]* #,##0.00`, `#,##0.00\ "€"`
	tests := []struct {
		name     string
		formats  [2]string // of the results of two trades
		change   func(f *excelize.File) error
		currency string
		refusal  string
	}{
		{"one currency", [2]string{euros, euros}, nil, "EUR", ""},
		{"its code", [2]string{`#,##0.00 [$CHF]`, `"CHF" 0.00`}, nil, "CHF", ""},
		{"no unit", [2]string{`0.0,"k"`, `0.00;[Red]-0.00`}, nil, "", ""},
		{"a percentage", [2]string{dollars, percent}, nil, "", "Sheet Sheet1, line 3: a number cannot be read"},
		{"a date", [2]string{dollars, "dd/mm/yyyy"}, nil, "", "Sheet Sheet1, line 3: a number is shown as a date. Send the file as the platform exported it"},
		{"two currencies", [2]string{dollars, euros}, nil, "", "Line 3: the trades of one account are in two currencies"},
		{"true", [2]string{dollars, dollars}, func(f *excelize.File) error { return f.SetCellValue("Sheet1", "K3", true) }, "", "line 3: a number cannot be read"},
		{"a formula without its value", [2]string{dollars, dollars}, func(f *excelize.File) error {
			return errors.Join(f.SetCellValue("Sheet1", "K3", nil), f.SetCellFormula("Sheet1", "K3", "G3*100"))
		}, "", "line 3: a formula has not been calculated. Open the workbook in a spreadsheet program and save it"},
	}
	rows := rowsOf(t, []byte(plain+aTrade+strings.Replace(aTrade, "1;E", "2;E", 1)))
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f, err := excelize.OpenReader(bytes.NewReader(workbook(t, rows, typed)))
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = f.Close() }()
			for i, format := range tt.formats {
				style, err := f.NewStyle(&excelize.Style{CustomNumFmt: &format})
				if err != nil {
					t.Fatal(err)
				}
				for _, column := range "DK" { // the format of a volume says nothing
					cell := fmt.Sprintf("%c%d", column, i+2)
					if err := f.SetCellStyle("Sheet1", cell, cell, style); err != nil {
						t.Fatal(err)
					}
				}
			}
			if tt.change != nil {
				if err := tt.change(f); err != nil {
					t.Fatal(err)
				}
			}
			got, err := read(t, "a.xlsx", saved(t, f), statement.Options{})
			switch {
			case tt.refusal != "":
				if err == nil || !strings.Contains(err.Error(), tt.refusal) {
					t.Errorf("got %v", err)
				}
			case err != nil:
				t.Error(err)
			case summary(got).Net != "99"+tt.currency || summary(got).Trades != aResult+"2"+aResult[1:]:
				t.Errorf("got %+v", summary(got))
			}
		})
	}
}

// Texts in place, in runs, with their reading, and in sections without markup.
func TestInlineTexts(t *testing.T) {
	t.Parallel()
	cells := []string{`<is><t>X</t></is>`, `<is><r><t>bu</t></r><r><t xml:space="preserve">y</t></r><rPh sb="0" eb="1"><t>no</t></rPh></is>`}
	row := `<x:row>`
	for i, c := range append(cells, `<is><t><![CDATA[2026-01-13 10:00]]></t></is>`, `<is><t>2026&#45;01-13 10:30</t></is>`) {
		row += fmt.Sprintf(`<x:c r='%c2' t="inlineStr">%s</x:c>`, 'A'+i, c)
	}
	header := `<x:row>`
	for _, name := range []string{"symbol", "side", "open time", "close time", "net profit"} {
		header += `<x:c t="str"><x:v>` + name + `</x:v></x:c>`
	}
	f := mustRead(t, "a.xlsx", sheetWith(t, `<?xml version="1.0"?><!-- a > b --><x:worksheet><x:sheetData>`+header+`</x:row>`+row+
		`<x:c r="E2"><x:f>1/0</x:f><x:v>4.0999999999999996</x:v></x:c></x:row></x:sheetData></x:worksheet>`), statement.Options{})
	want := "row-* buy  2026-01-13T10:00:00 2026-01-13T10:30:00 4.1\n"
	if got := summary(f); got.Trades != want {
		t.Errorf("got %q", got.Trades)
	}
}

// An archive that says less of its parts than is in them is refused.
func TestArchiveThatLies(t *testing.T) {
	t.Parallel()
	honest := sheetWith(t, strings.Repeat(" ", 900<<10))
	in, err := zip.NewReader(bytes.NewReader(honest), int64(len(honest)))
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	out := zip.NewWriter(&b)
	for _, f := range in.File {
		head := f.FileHeader
		if f.Name == "xl/worksheets/sheet1.xml" {
			head.UncompressedSize64 = 1000
		}
		w, err := out.CreateRaw(&head)
		if err != nil {
			t.Fatal(err)
		}
		r, err := f.OpenRaw()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(w, r); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	_, err = read(t, "a.xlsx", b.Bytes(), statement.Options{})
	var r *refusal.Error
	if !errors.As(err, &r) {
		t.Errorf("got %v", err)
	}
}
