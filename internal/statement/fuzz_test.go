package statement_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement"
	"github.com/assayhq/assay/internal/statement/refusal"
)

// sound checks what holds for every answer to every file.
func sound(t *testing.T, f *file, err error) {
	t.Helper()
	var refused *refusal.Error
	if err != nil {
		if !errors.As(err, &refused) {
			t.Fatalf("neither a file nor a refusal: %v", err)
		}
		if refused.Detail == "" || strings.ContainsFunc(refused.Detail+strings.Join(refused.Seen, ""), unicode.IsControl) {
			t.Fatalf("refusal %+q", refused)
		}
		return
	}
	if len(f.Trades) == 0 {
		t.Fatal("a file without trades was taken")
	}
	ids := map[[2]string]bool{}
	for _, trade := range f.Trades {
		key := [2]string{trade.AccountID, trade.ID}
		if trade.ID == "" || ids[key] {
			t.Fatalf("id %q is empty or taken", trade.ID)
		}
		ids[key] = true
		if trade.Symbol == "" || trade.Side != record.Buy && trade.Side != record.Sell {
			t.Fatalf("trade %+v", trade)
		}
		if trade.Open() && (trade.ClosePrice != "" || trade.Profit != "") {
			t.Fatalf("an open trade has a result: %+v", trade)
		}
		for _, d := range []record.Decimal{trade.Volume, trade.OpenPrice, trade.ClosePrice, trade.StopLoss, trade.TakeProfit, trade.Commission, trade.Swap, trade.Profit} {
			if again, err := record.ParseDecimal(string(d)); d != "" && (err != nil || again != d) {
				t.Fatalf("number %q", d)
			}
		}
		if strings.ContainsFunc(trade.ID+trade.Symbol+trade.AccountID, unicode.IsControl) {
			t.Fatalf("control characters in %+q", trade)
		}
	}
	skipped, accounts := 0, 0
	for _, s := range f.Skipped {
		skipped += s.Count
		if s.Count < len(s.Lines) || len(s.Lines) > statement.MaxLines {
			t.Fatalf("skipped %+v", s)
		}
	}
	for _, a := range f.Accounts {
		accounts += a.Trades
	}
	if accounts != len(f.Trades) || skipped > f.RowsRead {
		t.Fatalf("%d trades, of accounts %d; %d rows, skipped %d", len(f.Trades), accounts, f.RowsRead, skipped)
	}
}

func FuzzText(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "sources", "*"))
	if err != nil {
		f.Fatal(err)
	}
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(content)
	}
	f.Add([]byte(plain + aTrade + aTrade))
	f.Add([]byte("\xff\xfes\x00y\x00m\x00"))
	f.Fuzz(func(t *testing.T, content []byte) {
		got, err := read(t, "a.csv", content, statement.Options{})
		sound(t, got, err)
	})
}

// FuzzHTML reads any bytes that begin like HTML.
func FuzzHTML(f *testing.F) {
	for _, name := range htmlSources {
		f.Add(load(f, name))
	}
	f.Add([]byte("<table><tr><td rowspan=2 colspan=3>a<td class=hidden>b<tr><td>&nbsp;<script></td></script></table>"))
	f.Add([]byte("<table><tr><td>Time<td>\xd0\xc0</table>"))
	f.Add([]byte("\xff\xfe<\x00h\x00t\x00m\x00l\x00>\x00"))
	f.Fuzz(func(t *testing.T, content []byte) {
		if !bytes.HasPrefix(content, []byte("\xff\xfe")) {
			content = append([]byte("<html>"), bytes.TrimPrefix(content, []byte("<html>"))...)
		}
		got, err := read(t, "a.html", content, statement.Options{})
		sound(t, got, err)
	})
}

// FuzzFlexXML reads any bytes that begin like the answer to a Flex query.
func FuzzFlexXML(f *testing.F) {
	const head = "<FlexQueryResponse>"
	_, example, _ := bytes.Cut(load(f, "ibkr_flex.xml"), []byte(head))
	f.Add(example)
	f.Add([]byte("<FlexStatements><Trades><Trade/><Trade symbol='' /></Trades></FlexStatements></FlexQueryResponse>"))
	f.Fuzz(func(t *testing.T, content []byte) {
		got, err := read(t, "a.xml", append([]byte(head), content...), statement.Options{})
		sound(t, got, err)
	})
}

// FuzzSheet reads a workbook with any XML for its sheet and its texts.
func FuzzSheet(f *testing.F) {
	const head, foot = `<worksheet><sheetData>`, `</sheetData></worksheet>`
	row := func(cells ...string) string {
		s := "<row>"
		for _, c := range cells {
			s += `<c t="str"><v>` + c + `</v></c>`
		}
		return s + "</row>"
	}
	names := row("id", "symbol", "side", "volume", "open time", "open price", "close time", "close price", "net profit")
	f.Add([]byte(head+names+row("1", "X", "buy", "0.5", "2026-01-13 10:00", "1.1", "2026-01-13 11:00", "1.2", "5")+foot), []byte("<sst/>"))
	f.Add([]byte(head+names+`<row r="7"><c r="A7"><v>1</v></c><c r="B7" t="s"><v>0</v></c><c r="C7" t="inlineStr"><is><r><t>bu</t></r><r><t>y</t></r><rPh><t>no</t></rPh></is></c><c r="D7"><f>1/2</f><v>0.50000000000000001</v></c><c r="E7"><v>46035.5</v></c></row>`+foot),
		[]byte(`<sst><si><t xml:space="preserve"> X&amp;Y </t></si></sst>`))
	f.Add([]byte(`<?xml version="1.0"?><!-- > --><x:worksheet><x:sheetData><x:row><x:c r='A1' t="str"><x:v><![CDATA[a>b]]></x:v></x:c></x:row></x:sheetData></x:worksheet>`), []byte("<sst><si/></sst>"))
	f.Add([]byte("<!DOCTYPE x><worksheet/>"), []byte(""))
	f.Fuzz(func(t *testing.T, sheet, texts []byte) {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, part := range []struct {
			name    string
			content []byte
		}{
			{"_rels/.rels", []byte(`<Relationships><Relationship Id="r" Type="x/officeDocument" Target="xl/workbook.xml"/></Relationships>`)},
			{"xl/workbook.xml", []byte(`<workbook><sheets><sheet name="S" r:id="r1"/></sheets></workbook>`)},
			{"xl/_rels/workbook.xml.rels", []byte(`<Relationships><Relationship Id="r1" Type="x/worksheet" Target="worksheets/a.xml"/></Relationships>`)},
			{"xl/worksheets/a.xml", sheet},
			{"xl/sharedStrings.xml", texts},
		} {
			w, err := z.CreateHeader(&zip.FileHeader{Name: part.name, Method: zip.Store})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Write(part.content); err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		got, err := read(t, "a.xlsx", b.Bytes(), statement.Options{})
		sound(t, got, err)
	})
}

// FuzzArchive reads any bytes that begin like an archive.
func FuzzArchive(f *testing.F) {
	f.Add(workbook(f, [][]string{{"id", "symbol"}, {"1", "X"}}, typed))
	f.Add([]byte("PK\x03\x04"))
	f.Fuzz(func(t *testing.T, content []byte) {
		got, err := read(t, "a.xlsx", append([]byte("PK\x03\x04"), bytes.TrimPrefix(content, []byte("PK\x03\x04"))...), statement.Options{})
		sound(t, got, err)
	})
}
