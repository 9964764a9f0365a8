package statement_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/internal/statement/refusal"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement"
)

// commas is the header plain with commas.
var commas = strings.ReplaceAll(plain, ";", ",")

// withCommas writes rows with commas.
func withCommas(rows string) string { return strings.ReplaceAll(rows, ";", ",") }

// second, third and fourth are trades after aTrade.
var (
	second = strings.Replace(aTrade, "1;", "2;", 1)
	third  = strings.Replace(aTrade, "1;", "3;", 1)
	fourth = strings.Replace(aTrade, "1;", "4;", 1)
)

// What looks like a trade and cannot be read refuses the file: it never vanishes
// among the notes, and half a trade never becomes an open position.
func TestNoTradeVanishes(t *testing.T) {
	t.Parallel()
	cut := func(text string, bytes int) string { return text[:len(text)-bytes] }
	tests := []struct {
		name   string
		text   string
		detail string // part of it
	}{
		{"semicolons in a file with commas", commas + withCommas(aTrade) + second, "Line 3: the row looks like a trade, but its cells are separated by semicolons and those of the table by commas"},
		{"semicolons with decimal commas", commas + withCommas(aTrade) + strings.ReplaceAll(second, ".", ","), "Line 3: the row looks like a trade, but its cells are separated by semicolons"},
		{"semicolons after the last trade, without a line break", commas + withCommas(aTrade) + cut(second, 1), "Line 3: the row looks like a trade"},
		{"a quoted row", commas + withCommas(aTrade) + `"` + cut(second, 1) + "\"\n", "Line 3: the row looks like a trade"},
		{"commas in a file with semicolons", plain + aTrade + withCommas(second), "separated by commas and those of the table by semicolons"},
		{"tabs in a file with semicolons", plain + aTrade + strings.ReplaceAll(second, ";", "\t"), "separated by tabs"},
		{"bars in a file with semicolons", plain + aTrade + strings.ReplaceAll(second, ";", "|"), "separated by bars"},

		{"cut after the price of opening", plain + aTrade + second[:strings.Index(second, ";2026-01-13 10:30")], "Line 3: the file ends within this row, in cell 6 of 11, so it was truncated. Export it again."},
		{"cut within the time of closing", plain + aTrade + second[:strings.Index(second, ":30:00")], "Line 3: the file ends within this row, in cell 7 of 11"},
		{"cut before the time of closing", plain + aTrade + second[:strings.Index(second, "2026-01-13 10:30")], "Line 3: the file ends within this row, in cell 7 of 11"},
		{"cut after the side", plain + aTrade + "2;EURUSD;buy", "Line 3: the file ends within this row, in cell 3 of 11"},
		{"cut within the side", plain + aTrade + "2;EURUSD;bu", "Line 3: the file ends within this row, in cell 3 of 11"},
		{"cut after the symbol", plain + aTrade + "2;EURUSD", "Line 3: the file ends within this row, in cell 2 of 11"},
		{"cut within the id", plain + aTrade + "2", "Line 3: the file ends within this row, in cell 1 of 11"},
		{"cut within the only trade", plain + cut(aTrade, 12), "Line 2: the file ends within this row"},
		{"cut within the result", plain + aTrade + second + third + cut(fourth, 2), "Line 5: the file ends within this row, in cell 11 of 11"},
		{"cut within the result, after the point", plain + aTrade + second + third + cut(fourth, 1+1), "Line 5: the file ends within this row, in cell 11 of 11"},
		{"a short row among others", plain + aTrade + "2;EURUSD;buy;0.5;2026-01-13 10:00:00;1.1\n" + third, "Line 3: the row has 6 cells, fewer than the 11 that a trade of this table needs"},

		{"a trade without symbol and side", plain + aTrade + "2;;;0.5;2026-01-13 10:00:00;1.1;2026-01-13 10:30:00;1.2;-1;0;50.5\n", "Line 3: the symbol is missing"},
		{"a trade without volume and price", plain + aTrade + "2;EURUSD;by;;2026-01-13 10:00:00;;2026-01-13 10:30:00;;-1;0;50.5\n", "Line 3: the side is neither buy nor sell"},
		{"a buy of a negative volume", plain + aTrade + "2;EURUSD;buy;-0.5;2026-01-13 10:00:00;1.1;2026-01-13 10:30:00;1.2;-1;0;50.5\n", "Line 3: the volume is negative although the side is buy"},
		{"a trade behind a note that ends the table", plain + aTrade + "Note:\n" + second, "Line 4 looks like a trade, but there is no row of column names above it"},
		{"trades behind a title without a header", plain + aTrade + "Summary\n" + second + third, "Line 4 looks like a trade"},
		{"trades of another export", plain + aTrade + "\n" + strings.ReplaceAll(string(load(t, "topstepx.csv")), ",", ";"), "come from different exports"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f, err := read(t, "a.csv", []byte(test.text), statement.Options{})
			var r *refusal.Error
			if !errors.As(err, &r) || r.Code != refusal.NotUnderstood || !strings.Contains(r.Detail, test.detail) {
				t.Errorf("got %+v, %v; want %q", f, err, test.detail)
			}
		})
	}
}

// What real exports contain in addition to trades does not lead to a refusal.
func TestNotesAreNoTrades(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, text, skipped string
	}{
		{"no line break at the end", strings.TrimSuffix(plain+aTrade+second, "\n"), ""},
		{"results of different lengths", strings.TrimSuffix(plain+aTrade+strings.Replace(second, "50.5", "50", 1)+third+strings.Replace(fourth, "50.5", "7", 1), "\n"), ""},
		{"totals at the end, without a line break", plain + aTrade + second + "Total;;;;;;;;-2;0;101", "total"},
		{"a footer without a line break", plain + aTrade + "Generated by Platform 4 on 2026-01-31; all times are UTC", "note"},
		{"a footer with a number", plain + aTrade + "Page 1 of 1", "note"},
		{"a comment with marks", plain + aTrade + "Times are local, amounts in USD, net | gross, see help\n" + second, "note"},
		{"a deposit that is short", plain + aTrade + "2;;balance;;2026-01-13 10:00:00", "balance"},
		{"a pending order", plain + aTrade + "2;EURUSD;buy limit;0.5;2026-01-13 10:00:00;1.1;;;;;\n", "pending_order"},
		{"a comment in the last column, trimmed where it is empty", "id;symbol;side;volume;open time;open price;close time;close price;commission;swap;profit;comment\n" +
			strings.Replace(aTrade, "\n", ";by hand\n", 1) + second, ""},
		{"cells that hold other marks", commas + `1,"A;B",buy,0.5,2026-01-13 10:00:00,1.1,2026-01-13 10:30:00,1.2,-1,0,50.5` + "\n", ""},
		{"a mark and UTF-8", "\ufeff" + plain + aTrade, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := mustRead(t, "a.csv", []byte(test.text), statement.Options{})
			if got := summary(f); got.Skipped != test.skipped || len(f.Rejected) > 0 {
				t.Errorf("skipped %q, rejected %v", got.Skipped, f.Rejected)
			}
			if closed := strings.Count(test.text, ";50"); len(f.Trades) < min(closed, 1) || slices.ContainsFunc(f.Trades, func(r record.Trade) bool { return r.Open() }) {
				t.Errorf("trades %+v", f.Trades)
			}
		})
	}
}

// Trades after the present are not used, and their lines are listed. If the zone of
// the times is not known, the clock of a platform may be ahead by as much as zones
// are.
func TestTradesInTheFuture(t *testing.T) {
	t.Parallel()
	at := func(opened, closed string) string {
		return strings.NewReplacer("2026-01-13 10:00:00", opened, "2026-01-13 10:30:00", closed).Replace(second)
	}
	now := time.Date(2026, 1, 14, 12, 0, 0, 0, time.UTC)
	tests := []struct {
		name     string
		text     string
		timezone string
		want     []statement.Rejected
	}{
		{"in the past", aTrade + at("2026-01-14 11:00:00", "2026-01-14 11:30:00"), "UTC", nil},
		{"a clock that is a little ahead", aTrade + at("2026-01-14 11:00:00", "2026-01-14 13:00:00"), "UTC", nil},
		{"closed in two hours", aTrade + at("2026-01-14 11:00:00", "2026-01-14 14:00:00"), "UTC", []statement.Rejected{{Line: 3, Reason: statement.InFuture}}},
		{"the clock of Auckland, not stated", aTrade + at("2026-01-15 00:30:00", "2026-01-15 00:50:00"), "", nil},
		{"the clock of Auckland, stated", aTrade + at("2026-01-15 00:30:00", "2026-01-15 00:50:00"), "Pacific/Auckland", nil},
		{"tomorrow evening, not stated", aTrade + at("2026-01-15 10:00:00", "2026-01-15 10:30:00"), "", []statement.Rejected{{Line: 3, Reason: statement.InFuture}}},
		{"years ahead", at("2031-01-15 10:00:00", "2031-01-15 10:30:00") + aTrade + at("2032-01-15 10:00:00", ""), "UTC", []statement.Rejected{
			{Line: 2, Reason: statement.InFuture}, {Line: 4, Reason: statement.InFuture},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := mustRead(t, "a.csv", []byte(plain+test.text), statement.Options{Timezone: test.timezone, Now: now})
			if diff := cmp.Diff(test.want, f.Rejected); diff != "" {
				t.Errorf("rejected (-want +got)\n%s", diff)
			}
			if n := strings.Count(test.text, "\n"); len(f.Trades)+f.RejectedRows != n || len(f.Rejected) != f.RejectedRows {
				t.Errorf("%d trades and %d rejected of %d rows", len(f.Trades), f.RejectedRows, n)
			}
			if told := strings.Contains(summary(f).Warnings, "in_future"); told != (len(test.want) > 0) {
				t.Errorf("warnings %q", summary(f).Warnings)
			}
		})
	}
	_, err := read(t, "a.csv", []byte(plain+at("2031-01-15 10:00:00", "2031-01-15 10:30:00")), statement.Options{Timezone: "UTC", Now: now})
	var r *refusal.Error
	if !errors.As(err, &r) || !strings.Contains(r.Detail, "The only trade in the file is in the future (line 2)") || r.Resend != "timezone" {
		t.Errorf("a file of the future alone: %v", err)
	}
}

// Deals that close what the file does not open are listed by line.
func TestRejectedDeals(t *testing.T) {
	t.Parallel()
	text := string(load(t, "mt5_deals.tsv"))
	lines := strings.SplitAfter(text, "\n")
	opening := slices.IndexFunc(lines, func(s string) bool { return strings.Contains(s, "\tin\t") })
	f := mustRead(t, "a.tsv", []byte(strings.Join(slices.Delete(slices.Clone(lines), opening, opening+1), "")), statement.Options{})
	if len(f.Rejected) != 1 || f.Rejected[0].Reason != statement.CloseWithoutOpen || f.Rejected[0].Line < 2 || f.RejectedRows != 1 {
		t.Errorf("rejected %+v of %d", f.Rejected, f.RejectedRows)
	}
}
