package statement_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/assayhq/assay/internal/statement/refusal"

	"github.com/assayhq/assay/internal/sample"
	"github.com/assayhq/assay/internal/statement"
)

// Files that are made to cost much are read in a time that grows with their
// size, or refused. That this test ends is what it shows: each of these took
// minutes where work grew with the square.
func TestHostileFiles(t *testing.T) {
	t.Parallel()
	sheet := func(rows int, row string) func(*testing.T) []byte {
		return func(t *testing.T) []byte {
			return sheetWith(t, "<worksheet><sheetData>"+strings.Repeat(row, rows)+"</sheetData></worksheet>")
		}
	}
	text := func(s string) func(*testing.T) []byte { return func(*testing.T) []byte { return []byte(s) } }
	lines := func(n int, line func(int) string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(line(i))
		}
		return b.String()
	}
	// page puts HTML into the middle of a report, into a cell.
	page := func(inner string) func(*testing.T) []byte {
		return func(t *testing.T) []byte {
			return bytes.Replace(load(t, "mt5_report.html"), []byte(">1002<"), []byte(">1002"+inner+"<"), 1)
		}
	}
	// flex puts XML into the answer to a Flex query, behind its first element.
	flex := func(inner string) func(*testing.T) []byte {
		return func(t *testing.T) []byte {
			return bytes.Replace(load(t, "ibkr_flex.xml"), []byte("<Trades>"), []byte("<Trades>"+inner), 1)
		}
	}
	const large = 8 << 20
	tests := []struct {
		name    string
		content func(*testing.T) []byte
		code    refusal.Code // empty when it is read
	}{
		{"tags within each other", page(strings.Repeat("<b>", large/3)), ""},
		{"an endless tag", page("<b title='" + strings.Repeat("a", large)), refusal.NotUnderstood},
		{"endless attributes", page("<b " + strings.Repeat("a ", large/2)), refusal.NotUnderstood},
		{"many attributes", page(strings.Repeat("<b"+strings.Repeat(" a=b", 10_000)+">", large/40_000)), ""},
		{"an endless text", page(strings.Repeat("a", large)), refusal.FileTooLarge},
		{"an endless row", page(strings.Repeat("aaaaaaaaaaaa<b>", large/15)), refusal.FileTooLarge},
		{"an endless comment", page("<!--" + strings.Repeat("-", large)), refusal.NotUnderstood},
		{"an endless script", page("<script>" + strings.Repeat("<!--", large/4)), refusal.NotUnderstood},
		{"entities", page(strings.Repeat("&NotNestedGreaterGreater;<b>", 30_000)), ""},
		{"wide cells", page(strings.Repeat("<tr><td colspan=999>1", large/20)), refusal.FileTooLarge},
		{"high cells", page(strings.Repeat("<tr><td rowspan=1000 colspan=10000>1", large/40)), refusal.FileTooLarge},
		{"a wide row", page(strings.Repeat("<td>", 20_000)), refusal.FileTooLarge},
		{"empty rows", page(strings.Repeat("<tr>", large/4)), refusal.NotUnderstood},
		{"tables within each other", page(strings.Repeat("<table>", large/8)), refusal.NotUnderstood},
		{"a quoted cell of many lines", text(plain + "\"" + strings.Repeat("\n", 1_000_000)), refusal.NotUnderstood},
		{"copies of one row", text(plain + strings.Repeat(strings.Replace(aTrade, "1;", ";", 1), 100_000)), ""},
		{"parts of one position", text(plain + lines(100_000, func(i int) string {
			return fmt.Sprintf("1;EURUSD;buy;0.5;2026-01-13 10:00:00;1.1;2026-01-13 10:30:00;1.2;-1;0;%d.5\n", i)
		})), ""},
		{"opened, and never closed", text(fillsHeader + lines(100_000, func(i int) string {
			return fill("10:00", fmt.Sprint(i), []string{"BUY", "BUY", "SELL"}[i%3], "1.5", "1.1", "1", "")
		})), ""},
		{"headers alone", text(strings.Repeat("id;symbol;side\n", 100_000)), refusal.NotUnderstood},
		{"a header of many fees", text("id;symbol;side;open time;close time" + strings.Repeat(";fee", 10_000) + "\n" + strings.Repeat(strings.Repeat("1;", 10_000)+"\n", 100)), refusal.NotUnderstood},
		{"entities within each other, in XML", flex(`<!DOCTYPE a [<!ENTITY b "` + strings.Repeat("c", 1000) + `"><!ENTITY d "` + strings.Repeat("&b;", 1000) + `">]><Trade symbol="` + strings.Repeat("&d;", 1000) + `"/>`), refusal.NotUnderstood},
		{"elements within each other, in XML", flex(strings.Repeat("<a>", large/3)), ""},
		{"an endless attribute, in XML", flex(`<Trade symbol="` + strings.Repeat("a", large)), refusal.NotUnderstood},
		{"many attributes, in XML", flex(`<Trade ` + strings.Repeat(`a="" `, 100_000) + "/>"), refusal.FileTooLarge},
		{"rows that reach to the last column", sheet(20_000, `<row><c r="XFD1"><v>1</v></c></row>`), refusal.FileTooLarge},
		{"many cells of one long text", func(t *testing.T) []byte {
			return rezip(t, sheet(20_000, `<row><c t="s"><v>0</v></c></row>`)(t), func(name string, part []byte) []byte {
				if name == "xl/sharedStrings.xml" {
					return []byte("<sst><si><t>" + strings.Repeat("A", 200_000) + "</t></si></sst>")
				}
				return part
			})
		}, refusal.FileTooLarge},
	}
	for _, test := range sample.Cases(tests, 8) {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			content := test.content(t)
			f, err := read(t, "a", content, statement.Options{})
			sound(t, f, err)
			var r *refusal.Error
			if got := errors.As(err, &r); got != (test.code != "") || got && r.Code != test.code {
				t.Errorf("got %v", err)
			}
			if test.code == refusal.FileTooLarge && !strings.Contains(r.Detail, "more cells") && !strings.Contains(r.Detail, "more text") && !strings.Contains(r.Detail, "columns") {
				t.Errorf("refused for another reason: %s", r.Detail)
			}
		})
	}
}
