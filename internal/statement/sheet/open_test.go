package sheet_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/unicode"

	"github.com/assayhq/assay/internal/statement/refusal"
	"github.com/assayhq/assay/internal/statement/sheet"
)

// hooks recognize two names of columns, one title and no platform.
var hooks = sheet.Hooks{
	CountNames: func(cells []sheet.Cell) int {
		n := 0
		for _, c := range cells {
			if c.Text == "Symbol" || c.Text == "Profit" {
				n++
			}
		}
		return n
	},
	CheckTitle: func(title string) error {
		if title == "Backtest" {
			return refusal.New(refusal.NotUnderstood, "a backtest")
		}
		return nil
	},
	Recognize: func(_ context.Context, rows sheet.Source) (sheet.Source, error) { return rows, nil },
}

// readCells returns the texts of a file's rows by line, and what the file says of itself.
func readCells(t *testing.T, content []byte) (map[int][]string, sheet.Description) {
	t.Helper()
	rows, err := sheet.Open(t.Context(), bytes.NewReader(content), int64(len(content)), hooks)
	if err != nil {
		t.Fatal(err)
	}
	all := map[int][]string{}
	err = rows.Each(t.Context(), func(r *sheet.Row) error {
		for _, c := range r.Cells {
			all[r.Line] = append(all[r.Line], c.Text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all, rows.Describe()
}

func utf16(t *testing.T, text string) []byte {
	t.Helper()
	out, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().Bytes([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func zipped(t *testing.T, name, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Files of all kinds of text give the same rows.
func TestOpenText(t *testing.T) {
	t.Parallel()
	want := map[int][]string{1: {"Symbol", "Profit"}, 2: {"EUR,USD", "1.5"}}
	for _, tt := range []struct {
		name    string
		content []byte
		want    sheet.Description
	}{
		{"commas", []byte("Symbol,Profit\n\"EUR,USD\",1.5\n"), sheet.Description{Kind: sheet.CSV, Delimiter: ",", Encoding: "utf-8"}},
		{"semicolons, by the names of columns", []byte("Symbol;Profit\r\nEUR,USD;1.5"), sheet.Description{Kind: sheet.CSV, Delimiter: ";", Encoding: "utf-8"}},
		{"tabs in UTF-16", utf16(t, "Symbol\tProfit\nEUR,USD\t1.5\n"), sheet.Description{Kind: sheet.CSV, Delimiter: "\t", Encoding: "utf-16le"}},
		{"line breaks of old Macs", []byte("Symbol|Profit\rEUR,USD|1.5\r"), sheet.Description{Kind: sheet.CSV, Delimiter: "|", Encoding: "utf-8"}},
		{"HTML", []byte("<table><tr><th>Symbol<th>Profit</tr>\n<tr><td>EUR,USD<td>1.5</tr></table>"), sheet.Description{Kind: sheet.HTML, Encoding: "utf-8"}},
		{"an archive", zipped(t, "a.csv", "Symbol;Profit\nEUR,USD;1.5\n"), sheet.Description{Kind: sheet.ZIP, Delimiter: ";", Encoding: "utf-8"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, described := readCells(t, tt.content)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("rows (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(tt.want, described); diff != "" {
				t.Errorf("description (-want +got)\n%s", diff)
			}
		})
	}
}

// A line "sep=;" is no row, and states the delimiter against all appearance.
func TestStatedDelimiter(t *testing.T) {
	t.Parallel()
	got, _ := readCells(t, []byte("sep=|\na,b,c|d\n"))
	if diff := cmp.Diff(map[int][]string{2: {"a,b,c", "d"}}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A file that is no table is refused with a code, some by the hooks.
func TestOpenRefusals(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, content string
		want          refusal.Code
	}{
		{"nothing", "", refusal.NotUnderstood},
		{"a PDF", "%PDF-1.7", refusal.UnsupportedFileType},
		{"NUL bytes", "a,b\n\x00,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z", refusal.NotUnderstood},
		{"an open quote", "a,\"b\n", refusal.NotUnderstood},
		{"an archive of something else", string(zipped(t, "a.png", "x")), refusal.UnsupportedFileType},
		{"the title of a report that is none", "<html><title>Backtest</title><table><tr><td>a</table></html>", refusal.NotUnderstood},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rows, err := sheet.Open(t.Context(), strings.NewReader(tt.content), int64(len(tt.content)), hooks)
			if err == nil {
				err = rows.Each(t.Context(), func(*sheet.Row) error { return nil })
			}
			refused, ok := errors.AsType[*refusal.Error](err)
			if !ok || refused.Code != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// Cells that take several rows or columns leave those of others in their places.
func TestHTMLSpans(t *testing.T) {
	t.Parallel()
	const text = `<table><tr><th rowspan=2>a<th colspan=2>b<th>c</tr><tr><td>d<td>e<td>f</tr><tr><td rowspan=0 colspan=x>g<td rowspan=99>h</tr>
<tr><td>i</tr><tr><td>j<td>k</tr></table><table><tr><td>l<td>m</tr></table>`
	got, _ := readCells(t, []byte(strings.ReplaceAll(text, "</tr>", "</tr>\n")))
	want := map[int][]string{1: {"a", "b", "", "c"}, 2: {"", "d", "e", "f"}, 3: {"g", "h"}, 5: {"i"}, 6: {"j", "", "k"}, 7: {"l", "m"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
