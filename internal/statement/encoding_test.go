package statement_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement"
)

// written is how a test writes the canonical trades.
type written struct {
	header    string // names of the columns, separated by |
	comment   string
	delimiter string
	mark      string
	newline   string
	layout    string
	buy, sell string
}

// bytes writes the trades in UTF-8.
func (w written) text() string {
	var b strings.Builder
	line := func(cells ...string) {
		for i, c := range cells {
			if strings.Contains(c, w.delimiter) {
				cells[i] = `"` + c + `"`
			}
		}
		b.WriteString(strings.Join(cells, w.delimiter) + w.newline)
	}
	num := func(d record.Decimal) string { return strings.Replace(string(d), ".", w.mark, 1) }
	line(strings.Split(w.header, "|")...)
	for _, t := range canonical() {
		side := w.buy
		if t.Side == record.Sell {
			side = w.sell
		}
		line(t.ID, t.Symbol, side, num(t.Volume), t.OpenTime.Format(w.layout), num(t.OpenPrice), t.CloseTime.Format(w.layout), num(t.ClosePrice),
			num(t.StopLoss), num(t.TakeProfit), num(t.Commission), num(t.Swap), num(t.Profit), w.comment)
	}
	return b.String()
}

const (
	english = "Position ID|Symbol|Side|Lots|Open Time|Open Price|Close Time|Close Price|S/L|T/P|Commission|Swap|Net Profit|Comment"
	french  = "Ticket|Symbole|Type|Volume|Ouverture|Open Price|Fermeture|Close Price|SL|TP|Commissions|Swap|Net Profit|Durée"
	russian = "Позиция|Символ|Направление|Объем|Время открытия|Цена открытия|Время закрытия|Цена закрытия|S / L|T / P|Комиссия|Своп|Net Profit|Комментарий"
)

func encoded(t *testing.T, e encoding.Encoding, text string) []byte {
	t.Helper()
	out, err := e.NewEncoder().Bytes([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// Every encoding with every decimal mark and delimiter gives the same trades.
func TestEncodings(t *testing.T) {
	t.Parallel()
	utf16 := unicode.UTF16
	encodings := []struct {
		name     string
		encoding encoding.Encoding
		want     string
		header   string
		comment  string
	}{
		{"ascii", encoding.Nop, "utf-8", english, "manual"},
		{"utf-8", encoding.Nop, "utf-8", russian, "вручную"},
		{"utf-8 with mark", unicode.UTF8BOM, "utf-8", french, "à la main"},
		{"utf-16le with mark", utf16(unicode.LittleEndian, unicode.UseBOM), "utf-16le", russian, "вручную"},
		{"utf-16be with mark", utf16(unicode.BigEndian, unicode.UseBOM), "utf-16be", french, "à la main"},
		{"utf-16le", utf16(unicode.LittleEndian, unicode.IgnoreBOM), "utf-16le", russian, "вручную"},
		{"utf-16be", utf16(unicode.BigEndian, unicode.IgnoreBOM), "utf-16be", english, "manual"},
		{"windows-1251", charmap.Windows1251, "windows-1251", russian, "вручную"},
		{"windows-1252", charmap.Windows1252, "windows-1252", french, "à la main, très vite"},
	}
	marks := []struct{ name, mark string }{{"point", "."}, {"comma", ","}}
	delimiters := []struct{ name, delimiter string }{{"commas", ","}, {"semicolons", ";"}, {"tabs", "\t"}, {"bars", "|"}}
	for _, e := range encodings {
		for _, m := range marks {
			for _, d := range delimiters {
				t.Run(e.name+"/"+m.name+"/"+d.name, func(t *testing.T) {
					t.Parallel()
					w := written{e.header, e.comment, d.delimiter, m.mark, "\r\n", "2006.01.02 15:04:05", "buy", "sell"}
					f := mustRead(t, "a.csv", encoded(t, e.encoding, w.text()), zoned("UTC"))
					if diff := cmp.Diff(canonical(), f.Trades); diff != "" {
						t.Errorf("trades (-want +got)\n%s", diff)
					}
					got := []string{f.Encoding, f.Delimiter, string(f.Decimal), string(f.NetBasis)}
					if diff := cmp.Diff([]string{e.want, d.delimiter, m.mark, "stated_net"}, got); diff != "" {
						t.Errorf("(-want +got)\n%s", diff)
					}
				})
			}
		}
	}
}

// Ends of lines of every system, a stated delimiter, and cells in quotes.
func TestLines(t *testing.T) {
	t.Parallel()
	base := written{english, "a", ";", ".", "\n", "2006-01-02T15:04:05Z", "Long", "Short"}
	tests := []struct {
		name   string
		change func(*written)
		text   func(string) string
	}{
		{"line feeds", func(*written) {}, nil},
		{"carriage returns", func(w *written) { w.newline = "\r" }, nil},
		{"both", func(w *written) { w.newline = "\r\n" }, nil},
		{"no end of the last line", func(*written) {}, func(s string) string { return strings.TrimSuffix(s, "\n") }},
		{"blank lines", func(w *written) { w.newline = "\n\n;;\n" }, nil},
		{"stated delimiter", func(*written) {}, func(s string) string { return "sep=;\n" + s }},
		{"stated delimiter in quotes", func(*written) {}, func(s string) string { return "\"sep=;\"\n" + s }},
		{"a quoted delimiter", func(w *written) { w.comment = "one; two" }, nil},
		{"a quoted line end", func(w *written) { w.comment = "\"one\ntwo; three\"" }, func(s string) string { return strings.ReplaceAll(s, `""`, `"`) }},
		{"a quote within a cell", func(w *written) { w.comment = `5" wide` }, nil},
		{"everything quoted", func(*written) {}, func(s string) string {
			return `"` + strings.ReplaceAll(strings.ReplaceAll(strings.TrimSuffix(s, "\n"), ";", `";"`), "\n", "\"\n\"") + `"`
		}},
		{"spaces around cells", func(*written) {}, func(s string) string { return strings.ReplaceAll(s, ";", " ;\u00a0") }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			w := base
			test.change(&w)
			text := w.text()
			if test.text != nil {
				text = test.text(text)
			}
			f := mustRead(t, "a.csv", []byte(text), statement.Options{})
			if diff := cmp.Diff(canonical(), f.Trades); diff != "" {
				t.Errorf("trades (-want +got)\n%s", diff)
			}
			if f.Delimiter != ";" || f.TimezoneBasis != statement.ZoneOfFile {
				t.Errorf("delimiter %q, zone %q", f.Delimiter, f.TimezoneBasis)
			}
		})
	}
}
