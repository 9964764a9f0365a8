package statement_test

import (
	"archive/zip"
	"bytes"
	"slices"
	"strings"
	"testing"

	"github.com/assayhq/assay/internal/statement/sheet"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/statement"
)

// packed writes an archive of files, name and content by turns.
func packed(t *testing.T, files ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(files); i += 2 {
		w, err := z.Create(files[i])
		if err == nil {
			_, err = w.Write([]byte(files[i+1]))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The only statement of an archive is read as if it had come by itself.
func TestPackedStatement(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"mt4_statement.htm", "mt5_report.html", "mt5_report.csv"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, content := sourceOf(t, name), string(load(t, name))
			f := mustRead(t, "a.zip", packed(t, "report/", "", "report/"+strings.ToUpper(name), content, "__MACOSX/report/._"+name, "x", "report/graph.gif", "GIF89a"), s.options)
			s.check(t, f)
			want := mustRead(t, name, load(t, name), s.options)
			want.Kind = sheet.ZIP
			if diff := cmp.Diff(want, f); diff != "" {
				t.Errorf("(-by itself +packed)\n%s", diff)
			}
		})
	}
}

// Several statements of an account, such as those of its months, are read as one. A trade that
// stands in two of them is one trade.
func TestPackedStatements(t *testing.T) {
	t.Parallel()
	s := sourceOf(t, "ftmo_metrix.csv")
	lines := strings.SplitAfter(strings.TrimRight(string(load(t, s.name)), "\n"), "\n")
	header, rows := lines[0], lines[1:]
	archive := packed(t, "2026/02.csv", header+strings.Join(rows[1:], ""), "2026/01.csv", header+rows[0]+rows[1], "2026/graph.gif", "GIF89a")
	f := mustRead(t, "a.zip", archive, s.options)
	want := mustRead(t, s.name, load(t, s.name), s.options)
	if diff := cmp.Diff(want.Trades, f.Trades); diff != "" {
		t.Errorf("trades (-in one file +in two)\n%s", diff)
	}
	if f.Kind != sheet.ZIP || !slices.ContainsFunc(f.Skipped, func(s statement.Skipped) bool { return s.Reason == "duplicate" && s.Count == 1 }) {
		t.Errorf("kind %s, skipped %v", f.Kind, f.Skipped)
	}
}

// monthOfMT5 is the report of an account of MT5 with one position.
func monthOfMT5(account, currency, id, month string) string {
	return "Trade History Report\nAccount:,,,\"" + account + " (" + currency + ", Example-Server, real, Hedge)\"\nPositions\n" +
		"Time,Position,Symbol,Type,Volume,Price,S / L,T / P,Time,Price,Commission,Swap,Profit\n" +
		"2026." + month + ".13 10:00:00," + id + ",EURUSD,buy,0.50,1.0842,,,2026." + month + ".13 10:30:00,1.0852,-1.00,0.00,21.00\n" +
		"Results\nTotal Net Profit:,,,20.00\nTotal Trades:,,,1,Short Trades (won %):,,,0 (0.00%),Long Trades (won %):,,,1 (100.00%)\n"
}

// What a statement says of its account, zone and results is said of its own trades alone.
func TestPackedAccounts(t *testing.T) {
	t.Parallel()
	okx := func(zone, id string) string {
		return "UID:12345678,Account Type:Unified,Time Zone:" + zone + "\nid,Order id,Time,Trade Type,Symbol,Action,Amount,Trading Unit,Filled Price,Filled Unit,PnL,Fee,Fee Unit,Position Change,Position Balance,Position Unit,Balance Change,Balance,Balance Unit\n" +
			id + "1,11,2026-01-13 09:30:00,Swap,BTC-USDT-SWAP,Open long,1,Cont,60000,USDT,0,-0.3,USDT,0,0,USDT,-0.3,99,USDT\n" +
			id + "2,12,2026-01-13 10:30:00,Swap,BTC-USDT-SWAP,Close long,1,Cont,60500,USDT,5,-0.3,USDT,0,0,USDT,4.7,104,USDT\n"
	}
	flex := string(load(t, "ibkr_flex.csv"))
	const orders = "Symbol,Side,Type,Qty,Fill Price,Status,Placing Time,Closing Time,Order ID\n"
	scalp := func(day string) string { // within a second
		at := "Filled,2026-01-" + day + " 09:30:00,2026-01-" + day + " 09:30:00," + day
		return "ESH6,Sell,Market,1,5001," + at + "2\nESH6,Buy,Market,1,5000," + at + "1\n"
	}
	bought := func(day string) string {
		return " | ESH6 | buy | 1 | 2026-01-" + day + " 09:30:00 | 2026-01-" + day + " 09:30:00 |  | \n"
	}
	const january, february = " | EURUSD | buy | 0.5 | 2026-01-13 10:00:00 | 2026-01-13 10:30:00 | -1 | 20\n", " | EURUSD | buy | 0.5 | 2026-02-13 10:00:00 | 2026-02-13 10:30:00 | -1 | 20\n"
	tests := []struct {
		name       string
		content    []byte
		trades     string // with their accounts; not compared if empty
		net        []statement.Amount
		reconciled statement.Reconciled
	}{
		{
			"two accounts in two currencies", packed(t, "a.csv", monthOfMT5("111111", "USD", "1", "01"), "b.csv", monthOfMT5("222222", "EUR", "2", "02")),
			"111111" + january + "222222" + february,
			[]statement.Amount{{Currency: "USD", Value: "20"}, {Currency: "EUR", Value: "20"}},
			statement.ResultsBlock,
		},
		{
			"two accounts in files of one name", packed(t, "a/report.csv", monthOfMT5("111111", "USD", "1", "01"), "b/report.csv", monthOfMT5("222222", "USD", "2", "02")),
			"111111" + january + "222222" + february,
			[]statement.Amount{{Currency: "USD", Value: "40"}},
			statement.ResultsBlock,
		},
		{
			"two months of an account", packed(t, "a.csv", monthOfMT5("111111", "USD", "1", "01"), "b.csv", monthOfMT5("111111", "USD", "2", "02")),
			"111111" + january + "111111" + february,
			[]statement.Amount{{Currency: "USD", Value: "40"}},
			statement.ResultsBlock,
		},
		{
			"a month twice", packed(t, "a.csv", monthOfMT5("111111", "USD", "1", "01"), "b.csv", monthOfMT5("111111", "USD", "1", "01")),
			"111111" + january,
			[]statement.Amount{{Currency: "USD", Value: "20"}},
			statement.ResultsBlock,
		},
		{
			"a month whose results differ", packed(t, "a.csv", strings.Replace(monthOfMT5("111111", "USD", "1", "01"), ",20.00", ",21.00", 1), "b.csv", monthOfMT5("111111", "USD", "2", "02")),
			"",
			[]statement.Amount{{Currency: "USD", Value: "40"}},
			statement.Mismatch,
		},
		{
			"two clocks", packed(t, "a.csv", okx("UTC+1", "1"), "b.csv", okx("UTC+2", "2")),
			"12345678 | BTC-USDT-SWAP | buy | 1 | 2026-01-13 07:30:00 | 2026-01-13 08:30:00 | -0.6 | 4.4\n12345678 | BTC-USDT-SWAP | buy | 1 | 2026-01-13 08:30:00 | 2026-01-13 09:30:00 | -0.6 | 4.4\n",
			[]statement.Amount{{Value: "8.8"}},
			statement.NotReconciled,
		},
		{
			"two lists with the latest first", packed(t, "a.csv", orders+scalp("14")+scalp("13"), "b.csv", orders+scalp("16")+scalp("15")),
			bought("13") + bought("14") + bought("15") + bought("16"), nil, statement.NotReconciled,
		},
		{
			"two answers to queries", packed(t, "a.csv", flex, "b.csv", strings.ReplaceAll(flex, `"7001001"`, `"7001002"`)),
			"",
			[]statement.Amount{{Currency: "USD", Value: "2479.1"}},
			statement.NotReconciled,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := mustRead(t, "a.zip", test.content, statement.Options{})
			got := ""
			for i, line := range strings.SplitAfter(strings.TrimSuffix(lines(f), "\n"), "\n") {
				got += f.Trades[i].AccountID + " | " + strings.TrimSuffix(line, "\n") + "\n"
			}
			if diff := cmp.Diff(test.trades, got); test.trades != "" && diff != "" {
				t.Errorf("trades (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(test.net, f.Net); diff != "" || f.Reconciled != test.reconciled {
				t.Errorf("reconciled %s, net (-want +got)\n%s", f.Reconciled, diff)
			}
		})
	}
}

// Exports that overlap are read as one also if their rows have no ids, or are deals or fills. Within one
// of them, equal rows are as many as there are.
func TestPackedOverlap(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"ninjatrader.csv", "mql5_signal.csv", "atas.csv", "mt5_deals.tsv", "quantower.csv", "dxtrade_trades.csv"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := sourceOf(t, name)
			lines := strings.SplitAfter(strings.TrimRight(string(load(t, name)), "\n")+"\n", "\n")
			header, rows := lines[0], lines[1:len(lines)-1]
			early, late := strings.Join(rows[:4], ""), strings.Join(rows[2:], "")
			f := mustRead(t, "a.zip", packed(t, "1.csv", header+early, "2.csv", header+late), s.options)
			want := mustRead(t, name, load(t, name), s.options)
			if diff := cmp.Diff(want.Trades, f.Trades); diff != "" || !slices.ContainsFunc(f.Skipped, func(s statement.Skipped) bool { return s.Reason == "duplicate" && s.Count == 2 }) {
				t.Errorf("skipped %v, trades (-in one file +in two)\n%s", f.Skipped, diff)
			}
			if s.lacks == nil || s.lacks[0] != "id" {
				return
			}
			f = mustRead(t, "a.zip", packed(t, "1.csv", header+strings.Join(rows, ""), "2.csv", header+rows[1]+rows[1]), s.options)
			if len(f.Trades) != len(want.Trades)+1 {
				t.Errorf("%d trades, and the second row is in the second file twice", len(f.Trades))
			}
		})
	}
}

// Archives that are not one statement are refused with what to do.
func TestRefusedArchives(t *testing.T) {
	t.Parallel()
	text := string(load(t, "mt5_report.csv"))
	tests := []struct {
		name    string
		content []byte
		detail  string
	}{
		{"one that is no statement", packed(t, "a.csv", text, "b.pdf.csv", "%PDF"), "File b.pdf.csv: This is a PDF"},
		{"of two exports", packed(t, "a.csv", text, "b.csv", string(load(t, "mt4_statement.csv"))), "different exports"},
		{"a row that cannot be read", packed(t, "a.csv", text, "b.csv", strings.Replace(text, "1.0852", "one and a bit", 1)), "Sheet b.csv, line"},
		{"none", packed(t, "a.gif", "GIF89a"), "Send the XLSX, CSV or HTML file inside"},
		{"a workbook", packed(t, "a.xlsx", "PK\x03\x04"), "Send the XLSX file itself"},
		{"an archive", packed(t, "a.csv", string(packed(t, "b.csv", text))), "another archive"},
		{"nothing in it", packed(t, "a.csv", ""), "The file is empty"},
		{"a bomb", packed(t, "a.csv", strings.Repeat("a", 40<<20)), "unpacks to more"},
		{"a picture", packed(t, "a.html", "\x89PNG"), "This is a picture"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if _, err := read(t, "a.zip", test.content, statement.Options{}); err == nil || !strings.Contains(err.Error(), test.detail) {
				t.Errorf("want %q, got %v", test.detail, err)
			}
		})
	}
	broken := packed(t, "a.csv", text)
	copy(broken[60:], "xxxxxxxx")
	if _, err := read(t, "a.zip", broken, statement.Options{}); err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("a damaged archive: %v", err)
	}
}
