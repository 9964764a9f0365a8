package statement_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/assayhq/assay/internal/statement/refusal"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"

	"github.com/assayhq/assay/internal/statement"
)

// sourceOf returns the source whose example has the name.
func sourceOf(t testing.TB, name string) source {
	t.Helper()
	for _, s := range sources() {
		if s.name == name {
			return s
		}
	}
	t.Fatalf("no source %s", name)
	return source{}
}

var htmlSources = []string{"mt5_report.html", "mt4_statement.htm", "mt4_detailed.htm"}

// Terminals write Unicode with a mark, and code pages with and without saying so.
func TestHTMLEncodings(t *testing.T) {
	t.Parallel()
	const said = `<meta http-equiv="Content-Type" content="text/html; charset=%s">`
	tests := []struct {
		name     string
		encoding encoding.Encoding
		declared string
		company  string
		want     string
	}{
		{"utf-8", encoding.Nop, "", "Exämple", "utf-8"},
		{"utf-8 with mark", unicode.UTF8BOM, "", "Exämple", "utf-8"},
		{"utf-16le with mark", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "utf-16", "例", "utf-16le"},
		{"utf-16le without mark", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "", "Exämple", "utf-16le"},
		{"utf-16be with mark", unicode.UTF16(unicode.BigEndian, unicode.UseBOM), "", "Exämple", "utf-16be"},
		{"windows-1252", charmap.Windows1252, "windows-1252", "Exämple", "windows-1252"},
		{"windows-1252 that nobody names", charmap.Windows1252, "", "Exämple", "windows-1252"},
		{"windows-1250", charmap.Windows1250, "windows-1250", "Příklad", "windows-1250"},
		{"windows-1251 that nobody names", charmap.Windows1251, "", "Пример", "windows-1251"},
		{"windows-1251 that is called utf-8", charmap.Windows1251, "utf-8", "Пример", "windows-1251"},
		{"windows-1256", charmap.Windows1256, "windows-1256", "مثال", "windows-1256"},
		{"shift_jis", japanese.ShiftJIS, "Shift_JIS", "例", "shift_jis"},
	}
	for _, name := range htmlSources {
		for _, test := range tests {
			t.Run(name+"/"+test.name, func(t *testing.T) {
				t.Parallel()
				s := sourceOf(t, name)
				text := strings.ReplaceAll(string(load(t, name)), "Example Markets", test.company)
				if test.declared != "" {
					text = strings.Replace(text, "<meta ", fmt.Sprintf(said, test.declared)+"<meta ", 1)
				}
				f := mustRead(t, name, encoded(t, test.encoding, text), s.options)
				s.check(t, f)
				if f.Encoding != test.want || f.Delimiter != "" {
					t.Errorf("encoding %q, delimiter %q", f.Encoding, f.Delimiter)
				}
			})
		}
	}
}

// A file that ends early is refused, wherever it ends.
func TestHTMLCut(t *testing.T) {
	t.Parallel()
	for _, name := range append([]string{"ctrader_statement.html"}, htmlSources...) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			content := bytes.TrimSpace(load(t, name))
			step := 1 // bytes, beside a share of the content
			if testing.Short() {
				step = 97
			}
			for n := len(content) - 1; n > 300; n -= step + min(n/2000, (len(content)-n)/100) {
				_, err := read(t, name, content[:n], statement.Options{})
				var r *refusal.Error
				if !errors.As(err, &r) || !strings.Contains(r.Detail, "Line ") || !strings.Contains(r.Detail, "truncated") {
					t.Fatalf("after %d bytes, %q: %v", n, content[n-20:n], err)
				}
			}
		})
	}
}

// Markup around the text of the cells changes nothing.
func TestHTMLMarkup(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, old, new string }{
		{"capitals", "<td>1002", "<TD>1002"},
		{"a script in a cell", ">1002</td>", "><script>if (1 < 2) document.write('</tr><td>9')</script>1002</td>"},
		{"a comment", ">1002</td>", "><!-- <td>9</td> -->1002</td>"},
		{"a hidden cell", ">1002</td>", ">1002</td><td style='display: none'>7</td><td class=\"x hidden\" colspan=3>8</td><td hidden>9</td>"},
		{"numbers of characters", ">1002</td>", ">&#49;&#x30;02</td>"},
		{"markup in a cell", ">1002</td>", "><font color=red><b>10</b>02</font></td>"},
		{"lines in a cell", ">1002</td>", ">\n\t1002 <br>\n</td>"},
		{"tags that nobody ends", ">1002</td>", ">1002"},
		{"a style", "<body", "<style>td > b { content: '<table>' }</style><body"},
		{"a picture", "<div align", `<img src="data:image/png;base64,` + strings.Repeat("A", 500_000) + `"><div align`},
		{"a table around it", "<body", "<table><tr><td>Menu</td><td><table><tr><td>Home</td></tr></table></td></tr></table><body"},
		{"tags within each other", "<body", strings.Repeat("<div>", 100_000) + "<body"},
		{"tables within each other", "<body", strings.Repeat("<table><tr><td>", 20_000) + strings.Repeat("</table>", 20_000) + "<body"},
	}
	for _, name := range htmlSources {
		want := mustRead(t, name, load(t, name), statement.Options{})
		for _, test := range tests {
			t.Run(name+"/"+test.name, func(t *testing.T) {
				t.Parallel()
				text := strings.Replace(string(load(t, name)), test.old, test.new, 1)
				got := mustRead(t, name, []byte(text), statement.Options{})
				if diff := cmp.Diff(want.Trades, got.Trades); diff != "" || got.Reconciled != want.Reconciled {
					t.Errorf("reconciled %s (-want +got)\n%s", got.Reconciled, diff)
				}
			})
		}
	}
}

// A row that was edited is refused with its line, or shows in the totals.
func TestHTMLRows(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, old, new, detail string }{
		{"a cell is missing", `<td class="">- 8.40</td><td class="">0.00</td>`, "", "the row has 12 cells"},
		{"no number", `<td class="">- 8.40</td>`, "<td>8/4</td>", "a number cannot be read"},
		{"no time", ">2026.01.14 17:45:00<", ">2026.13.14 17:45:00<", "a date or time cannot be read"},
		{"no side", "<td>sell</td><td class=\"hidden\" colspan=\"8\">EA&nbsp;#7</td><td class=\"\">1.20", "<td>seII</td><td>1.20", "neither buy nor sell"},
		{"cells are one", "<td>1002</td><td>XAUUSD</td>", "<td>1002 XAUUSD</td>", ""},
		{"a row of another table", "<td>1002</td>", "<td>1002</td><td>7</td>", ""},
	}
	content := string(load(t, "mt5_report.html"))
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			at := strings.Index(content, "<td>1002</td>")
			text := content[:at-200] + strings.Replace(content[at-200:], test.old, test.new, 1)
			if text == content {
				t.Fatal("nothing was changed")
			}
			_, err := read(t, "a.html", []byte(text), statement.Options{})
			line := fmt.Sprintf("Line %d: ", strings.Count(content[:at], "\n")+1)
			if err == nil || !strings.Contains(err.Error(), line) || !strings.Contains(err.Error(), test.detail) {
				t.Errorf("want %q, got %v", line, err)
			}
		})
	}
	t.Run("a sum", func(t *testing.T) {
		t.Parallel()
		for _, name := range htmlSources {
			text := strings.Replace(string(load(t, name)), "1 234.80", "1 234.78", 1)
			if f := mustRead(t, name, []byte(text), statement.Options{}); f.Reconciled != statement.Mismatch {
				t.Errorf("%s: a profit that is two cents less: reconciled %s", name, f.Reconciled)
			}
		}
	})
}

// Reports of strategy testers hold trades that nobody made.
func TestTesterReports(t *testing.T) {
	t.Parallel()
	report := string(load(t, "mt5_report.html"))
	const title = "<title>7001001: Jane Roe - Trade History Report</title>"
	const heading = "<b>Trade History Report</b>"
	tests := []struct{ name, content string }{
		{"MT5", strings.Replace(report, title, "<title>Strategy Tester Report</title>", 1)},
		{"MT5, German", strings.Replace(report, heading, "<b>Strategietester-Bericht</b>", 1)},
		{"MT5, Russian", strings.Replace(report, title, "<title>Отчет Тестера Стратегий</title>", 1)},
		{"MT5, Chinese", strings.Replace(report, heading, "<b>策略测试报告</b>", 1)},
		{"MT5, by what was tested", strings.Replace(report, ">Company:<", ">Expert:<", 1)},
		{"MT4", strings.Replace(string(load(t, "mt4_statement.htm")), "<title>Statement: ", "<title>Strategy Tester: ", 1)},
		{"MT5, as CSV", "Strategy Tester Report,,\n" + string(load(t, "mt5_report.csv"))},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := read(t, "ReportTester.html", []byte(test.content), statement.Options{})
			if err == nil || !strings.Contains(err.Error(), "strategy tester report") {
				t.Errorf("got %v", err)
			}
		})
	}
}
