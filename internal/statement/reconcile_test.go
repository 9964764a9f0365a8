package statement_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assayhq/assay/internal/statement/sheet"

	"github.com/assayhq/assay/internal/statement"
)

// The file's own totals must agree with what was read, otherwise the result says
// so.
func TestReconciliation(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, file, old, new string
		want                 statement.Reconciled
		basis                statement.NetBasis
	}{
		{"results", "mt5_report.csv", "", "", statement.ResultsBlock, statement.VerifiedByTotal},
		{"another net profit", "mt5_report.csv", "1 239.55", "1 239.57", statement.Mismatch, statement.Computed},
		{"a cent of rounding", "mt5_report.csv", "1 239.55", "1 239.56", statement.ResultsBlock, statement.VerifiedByTotal},
		{"another number of trades", "mt5_report.csv", "Total Trades:,,,5", "Total Trades:,,,6", statement.Mismatch, statement.Computed},
		{"a position closed in parts", "mt5_report.csv", "Total Trades:,,,5,Short Trades (won %):,,,2 (50.00%),Long Trades (won %):,,,3", "Total Trades:,,,6,Short Trades (won %):,,,2 (50.00%),Long Trades (won %):,,,4", statement.ResultsBlock, statement.VerifiedByTotal},
		{"fewer trades than were read", "mt5_report.csv", "Total Trades:,,,5,Short Trades (won %):,,,2 (50.00%),Long Trades (won %):,,,3", "Total Trades:,,,4,Short Trades (won %):,,,2 (50.00%),Long Trades (won %):,,,2", statement.Mismatch, statement.Computed},
		{"another number of longs", "mt5_report.csv", "3 (66.67%)", "2 (66.67%)", statement.Mismatch, statement.Computed},
		{"another number of shorts", "mt5_report.csv", "2 (50.00%)", "3 (50.00%)", statement.Mismatch, statement.Computed},
		{"a trade that is missing", "mt5_report.csv", "NAS100,buy,2.00,22 310.5,,,2026.07.15 17:02:00,22 290,0.00,0.00,- 41.00", "NAS100,buy,2.00,22 310.5,,,2026.07.15 17:02:00,22 290,0.00,0.00,- 40.00", statement.Mismatch, statement.Computed},
		{"results without their title", "mt5_report.csv", "Results", "Nothing", statement.ResultsBlock, statement.VerifiedByTotal},
		{"MT4's total", "mt4_statement.csv", "Closed P/L:,1239.55", "Closed P/L:,1000.00", statement.Mismatch, statement.Computed},
		{"MT4's magic number and comment below a trade", "mt4_statement.htm", "<tr align=right><td title=\"#1005", "<tr align=right><td colspan=9>&nbsp;</td><td>11</td><td colspan=3>EA 7</td></tr>\n<tr align=right><td title=\"#1005", statement.TotalRow, statement.VerifiedByTotal},
		{"a total row", "matchtrader_closed.csv", ",1256.90,", ",1256.00,", statement.Mismatch, statement.Computed},
		{"a total of costs", "matchtrader_closed.csv", ",-16.10,", ",-17.10,", statement.Mismatch, statement.Computed},
		{"no total", "matchtrader_closed.csv", "Total,,,,,,,,,,-1.25,-16.10,1256.90,\n", "", statement.NotReconciled, statement.Computed},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			content := string(load(t, test.file))
			if test.old != "" && strings.Count(content, test.old) == 0 {
				t.Fatalf("%q is not in the file", test.old)
			}
			f := mustRead(t, test.file, []byte(strings.ReplaceAll(content, test.old, test.new)), zoned("UTC"))
			warned := slices.ContainsFunc(f.Warnings, func(w sheet.Warning) bool { return w.Code == "total_mismatch" })
			if f.Reconciled != test.want || f.NetBasis != test.basis || warned != (test.want == statement.Mismatch) {
				t.Errorf("reconciled %s, net %s, warned %t", f.Reconciled, f.NetBasis, warned)
			}
		})
	}
}

// What the file states overrides the options, and a difference is reported.
func TestFileGoesBeforeOptions(t *testing.T) {
	t.Parallel()
	f := mustRead(t, "a.csv", load(t, "mt5_report.csv"), statement.Options{AccountLogin: "1", Currency: "EUR", Timezone: "UTC"})
	if a := f.Accounts[0]; a.Login != "7001001" || a.Currency != "USD" {
		t.Errorf("account %+v", a)
	}
	for _, code := range []string{"account_differs", "currency_differs"} {
		if !slices.ContainsFunc(f.Warnings, func(w sheet.Warning) bool { return w.Code == code }) {
			t.Errorf("no warning %s", code)
		}
	}
}
