package statement_test

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/xuri/excelize/v2"

	"github.com/assayhq/assay/internal/statement"
)

// Another reader sees the same cells in workbooks of every kind of cell.
func TestCellsAgainstExcelize(t *testing.T) {
	t.Parallel()
	workbooks := map[string][]byte{"kinds of cells": kindsOfCells(t)}
	for _, s := range sources() {
		workbooks[s.name] = workbook(t, rowsOf(t, load(t, s.name)), typed)
	}
	for name, content := range workbooks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, err := excelize.OpenReader(bytes.NewReader(content), excelize.Options{RawCellValue: true})
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = f.Close() }()
			want := map[string]map[int][]string{}
			for _, sheet := range f.GetSheetList() {
				rows, err := f.GetRows(sheet)
				if err != nil {
					t.Fatal(err)
				}
				for i, cells := range rows {
					for j := range cells {
						cells[j] = rounded(strings.TrimSpace(cells[j]))
						if isTruth(t, f, sheet, j+1, i+1) {
							cells[j] = map[string]string{"0": "FALSE", "1": "TRUE"}[cells[j]]
						}
					}
					if strings.Join(cells, "") != "" {
						if want[sheet] == nil {
							want[sheet] = map[int][]string{}
						}
						want[sheet][i+1] = cells
					}
				}
			}
			got, err := statement.Cells(content)
			if err != nil {
				t.Fatal(err)
			}
			for _, rows := range got {
				for line, cells := range rows {
					for len(cells) > 0 && cells[len(cells)-1] == "" {
						cells = cells[:len(cells)-1]
					}
					rows[line] = cells
				}
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// A workbook has the same cells whether its XML is written as spreadsheet programs
// write it, which has a reader of its own, or in another way that means the same.
func TestCellsOfOtherXML(t *testing.T) {
	t.Parallel()
	workbooks := map[string][]byte{"kinds of cells": kindsOfCells(t)}
	for _, s := range sources() {
		workbooks[s.name] = workbook(t, rowsOf(t, load(t, s.name)), typed)
	}
	for name, content := range workbooks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			other := rezip(t, content, func(part string, text []byte) []byte {
				if strings.HasPrefix(part, "xl/worksheets/") {
					return bytes.ReplaceAll(text, []byte("<c "), []byte("<c\n"))
				}
				return text
			})
			want, err := statement.Cells(other)
			if err != nil {
				t.Fatal(err)
			}
			got, err := statement.Cells(content)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// isTruth reports whether a cell is true or false, which the workbook writes as 1 and 0.
func isTruth(t *testing.T, f *excelize.File, sheet string, column, line int) bool {
	t.Helper()
	at, err := excelize.CoordinatesToCellName(column, line)
	if err != nil {
		t.Fatal(err)
	}
	kind, err := f.GetCellType(sheet, at)
	if err != nil {
		t.Fatal(err)
	}
	return kind == excelize.CellTypeBool
}

// rounded writes a number with the fifteen digits that a spreadsheet shows.
func rounded(text string) string {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || len(text) <= 15 && !strings.ContainsAny(text, "eE") {
		return text
	}
	v, _ = strconv.ParseFloat(fmt.Sprintf("%.15g", v), 64)
	return strconv.FormatFloat(v, 'f', -1, 64)
}

func kindsOfCells(t *testing.T) []byte {
	t.Helper()
	f := excelize.NewFile()
	defer func() { _ = f.Close() }()
	if _, err := f.NewSheet("Zweite & letzte"); err != nil {
		t.Fatal(err)
	}
	values := []any{
		"text", `<&>"' é 東 😀`, " spaces ", 1, -2.5, 0.1 + 0.2, 1.0842000000000001, 1e-7, 123456789012345.0, true, false, "line\nline",
		[]excelize.RichTextRun{{Text: "rich "}, {Text: "text", Font: &excelize.Font{Bold: true}}},
		"text",
	}
	for i, v := range values {
		for sheet, at := range map[string]string{"Sheet1": fmt.Sprintf("C%d", 3*i+2), "Zweite & letzte": fmt.Sprintf("%c1", 'A'+i)} {
			var err error
			if runs, ok := v.([]excelize.RichTextRun); ok {
				err = f.SetCellRichText(sheet, at, runs)
			} else {
				err = f.SetCellValue(sheet, at, v)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return saved(t, f)
}
