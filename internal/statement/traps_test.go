package statement_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement"
	"github.com/assayhq/assay/internal/statement/value"
)

// plain is a header for the generic mapper.
const plain = "id;symbol;side;volume;open time;open price;close time;close price;commission;swap;profit\n"

// crypto is the header of an exchange that calls its results realized.
const crypto = "symbol;side;qty;entry price;exit price;entry time;exit time;fee;realizedPnl\n"

// seen is what a trap's test looks at.
type seen struct {
	Trades   string // one line for each: id side volume open close profit
	Warnings string // codes, but for those that every short file has
	Skipped  string
	Net      string
}

func summary(f *file) seen {
	var s seen
	for _, t := range f.Trades {
		line := []string{t.ID, string(t.Side), string(t.Volume), t.OpenTime.Format("2006-01-02T15:04:05.999"), "", string(t.Profit)}
		if !t.Open() {
			line[4] = t.CloseTime.Format("2006-01-02T15:04:05.999")
		}
		if strings.HasPrefix(t.ID, "row-") {
			line[0] = "row-*" + t.ID[min(len(t.ID), len("row-")+24):]
		}
		s.Trades += strings.Join(line, " ") + "\n"
	}
	var codes []string
	for _, w := range f.Warnings {
		if !slices.Contains([]string{"timezone_assumed", "account_unknown", "currency_unknown", "profit_assumed_gross"}, w.Code) {
			codes = append(codes, w.Code)
		}
	}
	s.Warnings = strings.Join(codes, " ")
	var skipped []string
	for _, k := range f.Skipped {
		skipped = append(skipped, k.Reason)
	}
	s.Skipped = strings.Join(skipped, " ")
	for _, a := range f.Net {
		s.Net = strings.TrimSpace(s.Net + " " + string(a.Value) + a.Currency)
	}
	return s
}

const (
	aTrade  = "1;EURUSD;buy;0.5;2026-01-13 10:00:00;1.1;2026-01-13 10:30:00;1.2;-1;0;50.5\n"
	aResult = "1 buy 0.5 2026-01-13T10:00:00 2026-01-13T10:30:00 49.5\n"
)

// Each trap of the formats in one row.
func TestTraps(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		text    string
		options statement.Options
		want    seen
	}{
		{"one trade", plain + aTrade, statement.Options{}, seen{Trades: aResult, Net: "49.5"}},
		{"only open positions", plain + "1;EURUSD;buy;0.5;2026-01-13 10:00:00;1.1;;;-1;0;50.5\n", statement.Options{}, seen{
			Trades: "1 buy 0.5 2026-01-13T10:00:00  \n", Warnings: "only_open_positions",
		}},
		{"a close of 1970 is none", plain + "1;EURUSD;buy;0.5;2026-01-13 10:00:00;1.1;1970.01.01 00:00:00;0;-1;0;50.5\n", statement.Options{}, seen{
			Trades: "1 buy 0.5 2026-01-13T10:00:00  \n", Warnings: "only_open_positions",
		}},
		{"close before open is kept", plain + "1;EURUSD;buy;0.5;2026-01-13 10:00:00;1.1;2026-01-13 09:00:00;1.2;0;0;1.5\n", statement.Options{}, seen{
			Trades: "1 buy 0.5 2026-01-13T10:00:00 2026-01-13T09:00:00 1.5\n", Warnings: "close_before_open", Net: "1.5",
		}},
		{"a time that summer time skips", strings.ReplaceAll(plain+aTrade, "2026-01-13 10:", "2026-03-29 02:"), statement.Options{Timezone: "Europe/Berlin"}, seen{
			Trades: "1 buy 0.5 2026-03-29T01:00:00 2026-03-29T01:30:00 49.5\n", Warnings: "nonexistent_time", Net: "49.5",
		}},
		{"an amount of 10^15", plain + "1;EURUSD;buy;0.5;2026-01-13 10:00:00;1.1;2026-01-13 10:30:00;1.2;-0.25;0;1000000000000000.75\n", statement.Options{}, seen{
			Trades: "1 buy 0.5 2026-01-13T10:00:00 2026-01-13T10:30:00 1000000000000000.5\n", Net: "1000000000000000.5",
		}},
		{"copies of a row with an id are one trade", plain + aTrade + aTrade, statement.Options{}, seen{Trades: aResult, Skipped: "duplicate", Net: "49.5"}},
		{"copies of a row without are trades", strings.ReplaceAll(plain+aTrade+aTrade, "\n1;", "\n;"), statement.Options{}, seen{
			Trades: strings.Replace(aResult, "1", "row-*", 1) + strings.Replace(aResult, "1", "row-*-2", 1), Net: "99",
		}},
		{"parts of a position share its id", plain + strings.Replace(aTrade, "10:30", "10:40", 1) + aTrade, statement.Options{}, seen{
			Trades: "1-043edbe2 buy 0.5 2026-01-13T10:00:00 2026-01-13T10:40:00 49.5\n" + aResult, Warnings: "partial_closes", Net: "99",
		}},
		{"ids that a spreadsheet rounded", plain + strings.Replace(aTrade, "1;", "1.23457E+11;", 1), statement.Options{}, seen{
			Trades: strings.Replace(aResult, "1", "row-*", 1), Warnings: "ids_rounded", Net: "49.5",
		}},
		{"ids and logins of a table that keeps numbers as floats", "login;" + plain + "7001001.0;" + strings.Replace(aTrade, "1;", "1.0;", 1) + "7001001;" + strings.NewReplacer("1;E", "2;E").Replace(aTrade), statement.Options{}, seen{
			Trades: aResult + strings.Replace(aResult, "1", "2", 1), Net: "99",
		}},
		{"a zone in the names of columns with times of summer and winter", strings.NewReplacer("open time", "open time (CDT)", "close time", "close time (CDT)").Replace(plain) + aTrade + strings.NewReplacer("1;E", "2;E", "-01-", "-07-").Replace(aTrade), statement.Options{Timezone: "UTC"}, seen{
			Trades: strings.NewReplacer("T10", "T16").Replace(aResult) + strings.NewReplacer("1 b", "2 b", "-01-", "-07-", "T10", "T15").Replace(aResult), Net: "99", Warnings: "timezone_not_used",
		}},
		{"an abbreviation of several zones", plain + strings.NewReplacer(":00;1", ":00 CST;1").Replace(aTrade), statement.Options{Timezone: "America/Chicago"}, seen{
			Trades: strings.NewReplacer("T10", "T16").Replace(aResult), Net: "49.5",
		}},
		{"such an abbreviation in the names of columns", strings.NewReplacer("open time", "open time (CST)", "close time", "close time (CST)").Replace(plain) + aTrade, statement.Options{Timezone: "America/Chicago"}, seen{
			Trades: strings.NewReplacer("T10", "T16").Replace(aResult), Net: "49.5",
		}},
		{"a journal with more columns of its own than of trades", "symbol;side;open_time;close_time;volume;net_profit;Setup;Mistakes;Emotion;Rating;Playbook;Screenshot;Tags;Lesson\n" +
			"EURUSD;buy;2026-01-13 10:00:00;2026-01-13 10:30:00;0.5;49.5;a;b;c;5;d;e;f;g\n", statement.Options{}, seen{
			Trades: strings.Replace(aResult, "1", "row-*", 1), Net: "49.5",
		}},
		{"no results", "id;symbol;side;volume;open time;close time;Result in euros\n1;EURUSD;buy;0.5;2026-01-13 10:00:00;2026-01-13 10:30:00;49.5\n", statement.Options{}, seen{
			Trades: strings.Replace(aResult, " 49.5", " ", 1), Warnings: "no_results",
		}},
		{"rows that are numbered anew in each export", strings.Replace(plain, "id;", "#;", 1) + aTrade, statement.Options{}, seen{
			Trades: strings.Replace(aResult, "1", "row-*", 1), Net: "49.5",
		}},
		{"positions that are sides and no ids", strings.Replace(plain, "id;", "Position;", 1) + strings.Replace(aTrade, "1;", "Long;", 1) + strings.NewReplacer("1;E", "Long;E", "0.5;2", "0.6;2").Replace(aTrade), statement.Options{}, seen{
			Trades: strings.Replace(aResult, "1", "row-*", 1) + strings.NewReplacer("1 buy 0.5", "row-* buy 0.6").Replace(aResult), Net: "99",
		}},
		{"cells that are protected from spreadsheets", "login;" + plain + `="7001001";="1";EURUSD;buy;"=""0.5""";="2026-01-13 10:00:00";1.1;2026-01-13 10:30:00;1.2;="-1";0;50.5` + "\n", statement.Options{}, seen{
			Trades: aResult, Net: "49.5",
		}},
		{"no trades among them", plain + aTrade +
			"2;;balance;;2026-01-13 10:00:00;;;;;;1000\n3;;Deposit;;2026-01-13 10:00:00;;;;;;1000\n4;;Withdrawal;;2026-01-13 10:00:00;;;;;;-5\n" +
			"5;;Credit;;2026-01-13 10:00:00;;;;;;1\n6;;Correction;;2026-01-13 10:00:00;;;;;;1\n7;AAPL;Dividend;;2026-01-13 10:00:00;;;;;;1\n" +
			"8;EURUSD;buy limit;0.1;2026-01-13 10:00:00;1.05;;;;;\n9;EURUSD;Sell Stop;0.1;2026-01-13 10:00:00;1.05;;;;;\n" +
			"10;EURUSD;cancelled;0.1;2026-01-13 10:00:00;1.05;;;;;\nTotal;;;;;;;;-1;0;50.50\nGenerated by the platform\n", statement.Options{}, seen{
			Trades: aResult, Net: "49.5", Skipped: "pending_order balance deposit withdrawal credit correction dividend cancelled total note",
		}},
		{"a total that differs", plain + aTrade + "Total;;;;;;;;-1;0;77\n", statement.Options{}, seen{
			Trades: aResult, Net: "49.5", Skipped: "total", Warnings: "total_mismatch",
		}},
		{"averages are no totals", plain + aTrade + "Total;;;;;;;;-1;0;50.5\nAverage;;;0.5;;1.1;;1.2;-1;0;51\nMax;;;;;;;;-1;0;51\n", statement.Options{}, seen{
			Trades: aResult, Net: "49.5", Skipped: "note total",
		}},
		{"subtotals", plain + aTrade + "Subtotal;;;;;;;;-1;0;50.5\n" + strings.Replace(aTrade, "1", "2", 1) + "Subtotal;;;;;;;;-1;0;50.5\nTotal;;;;;;;;-2;0;101\n", statement.Options{}, seen{
			Trades: aResult + strings.Replace(aResult, "1", "2", 1), Net: "99", Skipped: "total",
		}},
		{"quantities in units", plain + strings.Replace(aTrade, "0.5", "100000", 1), statement.Options{}, seen{
			Trades: strings.Replace(aResult, " 0.5", " ", 1), Net: "49.5", Warnings: "volume_in_units",
		}},
		{"a word for units", plain + strings.Replace(aTrade, "0.5", "15 Oz", 1), statement.Options{}, seen{
			Trades: strings.Replace(aResult, " 0.5", " ", 1), Net: "49.5", Warnings: "volume_in_units",
		}},
		{"mostly units", plain + strings.Replace(aTrade, "0.5", "1000", 1) + strings.NewReplacer("1;E", "2;E", ";0.5", ";5000").Replace(aTrade) + strings.NewReplacer("1;E", "3;E", ";0.5", ";50").Replace(aTrade), statement.Options{}, seen{
			Trades: strings.Replace(aResult, " 0.5", " ", 1) + "2" + strings.Replace(aResult, " 0.5", " ", 1)[1:] + "3" + strings.Replace(aResult, " 0.5", " ", 1)[1:],
			Net:    "148.5", Warnings: "volume_in_units",
		}},
		{"what was sold has a minus", plain + strings.NewReplacer("buy", "sell", ";0.5", ";-0.5").Replace(aTrade), statement.Options{}, seen{
			Trades: strings.Replace(aResult, "buy", "sell", 1), Net: "49.5",
		}},
		{"net that is not gross plus costs", "id;symbol;side;lots;open time;close time;commission;gross profit;net profit\n1;EURUSD;buy;0.5;2026-01-13 10:00;2026-01-13 10:30;-1;50.5;49.5\n2;EURUSD;buy;0.5;2026-01-13 10:00;2026-01-13 10:30;-1;50.5;47.5\n", statement.Options{}, seen{
			Trades: aResult + "2 buy 0.5 2026-01-13T10:00:00 2026-01-13T10:30:00 47.5\n", Net: "97", Warnings: "net_differs",
		}},
		{"sides with a letter", plain + strings.Replace(aTrade, "buy", "L", 1) + strings.NewReplacer("1;E", "2;E", "buy", "S").Replace(aTrade), statement.Options{}, seen{
			Trades: aResult + strings.NewReplacer("1 buy", "2 sell").Replace(aResult), Net: "99",
		}},
		{"a small number without a mark among those with commas", plain + strings.NewReplacer(";-1;0;", ";-1;1E-03;", "1.1", "1,1", "1.2", "1,2", "0.5;", "0,5;", "50.5", "50,5").Replace(aTrade), statement.Options{}, seen{
			Trades: strings.Replace(aResult, "49.5", "49.501", 1), Net: "49.501",
		}},
		{"lots by name", plain + strings.Replace(aTrade, "0.5", "0.50 Lots", 1), statement.Options{}, seen{Trades: aResult, Net: "49.5"}},
		{"costs without a minus, and a rebate with one", plain + strings.Replace(aTrade, ";-1;", ";1;", 1) + strings.NewReplacer("1;E", "2;E", ";-1;", ";3;").Replace(aTrade) + strings.NewReplacer("1;E", "3;E", ";-1;", ";-2;").Replace(aTrade), statement.Options{}, seen{
			Trades: aResult + strings.NewReplacer("1 b", "2 b", "49.5", "47.5").Replace(aResult) + strings.NewReplacer("1 b", "3 b", "49.5", "52.5").Replace(aResult), Net: "149.5", Warnings: "costs_positive",
		}},
		{"costs without a minus", plain + strings.Replace(aTrade, ";-1;", ";1;", 1), statement.Options{}, seen{Trades: aResult, Net: "49.5", Warnings: "costs_positive"}},
		{"dates only", plain + "1;EURUSD;buy;0.5;2026-01-13;1.1;2026-01-14;1.2;0;0;1.5\n", statement.Options{}, seen{
			Trades: "1 buy 0.5 2026-01-13T00:00:00 2026-01-14T00:00:00 1.5\n", Warnings: "dates_without_time", Net: "1.5",
		}},
		{"day and hour in two columns", "symbol;side;lots;open date;open time;close date;close time;net profit\nEURUSD;buy;0.5;13.01.2026;10:00;13.01.2026;10:30;49.5\n", statement.Options{}, seen{
			Trades: "row-* buy 0.5 2026-01-13T10:00:00 2026-01-13T10:30:00 49.5\n", Net: "49.5",
		}},
		{"one trade against its side", plain + aTrade + strings.NewReplacer("1;E", "2;E", "buy", "sell").Replace(aTrade), statement.Options{}, seen{
			Trades: aResult + strings.NewReplacer("1 buy", "2 sell").Replace(aResult), Net: "99",
		}},
		{"two accounts in two currencies", "account;currency;" + plain + "A;USD;" + aTrade + "B;EUR;" + aTrade, statement.Options{}, seen{
			Trades: aResult + aResult, Net: "49.5USD 49.5EUR", Warnings: "several_accounts",
		}},
		{"the given clock is New York's closing", plain + "1;EURUSD;buy;0.5;2026-03-10 10:00;1.1;2026-03-30 10:00;1.2;0;0;1.5\n", zoned("ny_close"), seen{
			Trades: "1 buy 0.5 2026-03-10T07:00:00 2026-03-30T07:00:00 1.5\n", Net: "1.5",
		}},
		{"the given clock is eastern Europe's", plain + "1;EURUSD;buy;0.5;2026-03-10 10:00;1.1;2026-03-30 10:00;1.2;0;0;1.5\n", zoned("eet"), seen{
			Trades: "1 buy 0.5 2026-03-10T08:00:00 2026-03-30T07:00:00 1.5\n", Net: "1.5",
		}},
		{"the given clock is an offset", plain + aTrade, zoned("-05:30"), seen{
			Trades: "1 buy 0.5 2026-01-13T15:30:00 2026-01-13T16:00:00 49.5\n", Net: "49.5",
		}},
		{"an offset in the file goes before the given clock", plain + strings.ReplaceAll(aTrade, ":00;", ":00+02:00;"), zoned("Asia/Tokyo"), seen{
			Trades: "1 buy 0.5 2026-01-13T08:00:00 2026-01-13T08:30:00 49.5\n", Net: "49.5", Warnings: "timezone_not_used",
		}},
		{"month first as told", plain + "1;EURUSD;buy;0.5;03/04/2026 10:00;1.1;03/04/2026 11:00;1.2;0;0;1.5\n", statement.Options{DateOrder: value.MDY}, seen{
			Trades: "1 buy 0.5 2026-03-04T10:00:00 2026-03-04T11:00:00 1.5\n", Net: "1.5",
		}},
		{"one day beyond 12 tells the order of all", plain + "1;EURUSD;buy;0.5;03/04/2026 10:00;1.1;25/04/2026 11:00;1.2;0;0;1.5\n", statement.Options{}, seen{
			Trades: "1 buy 0.5 2026-04-03T10:00:00 2026-04-25T11:00:00 1.5\n", Net: "1.5",
		}},
		{"years of two digits last, as told", plain + strings.ReplaceAll(aTrade, "2026-01-13", "26-01-13"), statement.Options{DateOrder: value.DMY}, seen{
			Trades: strings.ReplaceAll(aResult, "2026-01-13", "2013-01-26"), Net: "49.5",
		}},
		{"all rows end with a separator", plain + strings.ReplaceAll(aTrade, "\n", ";\n"), statement.Options{}, seen{Trades: aResult, Net: "49.5"}},
		{"thousands as told", plain + strings.Replace(aTrade, "50.5", "1,234", 1), statement.Options{}, seen{
			Trades: strings.Replace(aResult, "49.5", "1233", 1), Net: "1233",
		}},
		{"a comma as told", strings.NewReplacer("0.5", "1", "1.1", "1", "1.2", "1", "50.5", "1,234").Replace(plain + aTrade), statement.Options{Decimal: value.Comma}, seen{
			Trades: "1 buy 1 2026-01-13T10:00:00 2026-01-13T10:30:00 0.234\n", Net: "0.234",
		}},
		{"types and states of orders", "type;status;" + plain + "limit;filled;" + aTrade + "stop;cancelled;" + strings.Replace(aTrade, "1", "2", 1) + "limit;pending;" + strings.Replace(aTrade, "1", "3", 1), statement.Options{}, seen{
			Trades: aResult, Net: "49.5", Skipped: "cancelled pending_order",
		}},
		{"open positions by the title", "Open Positions\nsymbol;side;lots;open time;profit\nX;buy;1;2026-01-13 10:00;-3.5\n", statement.Options{}, seen{
			Trades: "row-* buy 1 2026-01-13T10:00:00  \n", Warnings: "only_open_positions no_costs",
		}},
		{"both legs at one moment", "symbol,buyFillId,sellFillId,qty,buyPrice,sellPrice,pnl,boughtTimestamp,soldTimestamp\nMNQ,12,9,1,100.25,100.50,$0.50,01/13/2026 10:00:00,01/13/2026 10:00:00\n", statement.Options{}, seen{
			Trades: "12-9 sell 1 2026-01-13T10:00:00 2026-01-13T10:00:00 0.5\n", Net: "0.5", Warnings: "no_costs",
		}},
		{"pips and percent are no money", strings.Replace(plain, "profit", "profit (pips);profit %;p/l %;profit", 1) + strings.Replace(aTrade, ";50.5", ";10.5;0.25;0.3;50.5", 1), statement.Options{}, seen{Trades: aResult, Net: "49.5"}},
		{"amounts name their currency", strings.Replace(plain, "swap;profit", "swap;profit (NET)", 1) + strings.NewReplacer(";-1;", ";-1 EUR;", "50.5", "49.5 EUR").Replace(aTrade), statement.Options{}, seen{Trades: aResult, Net: "49.5EUR"}},
		{"prices in thousands", plain + strings.NewReplacer(";1.1;", ";22'310.5;", ";1.2;", ";113'165;").Replace(aTrade), statement.Options{}, seen{Trades: aResult, Net: "49.5"}},
		{"units are no lots", strings.Replace(plain, "volume", "volume (units)", 1) + strings.Replace(aTrade, "0.5", "50", 1), statement.Options{}, seen{
			Trades: strings.Replace(aResult, " 0.5", " ", 1), Net: "49.5",
		}},
		{"brackets say which of two", strings.NewReplacer("swap;profit", "swap;p/l (unrealized);p/l (gross);p/l (net)").Replace(plain) + strings.Replace(aTrade, ";50.5", ";7.5;50.5;49.5", 1), statement.Options{}, seen{Trades: aResult, Net: "49.5"}},
		{"realized results after fees", crypto + "BTCUSDT;Long;0.5;60000;60100.5;2026-01-13 10:00:00;2026-01-13 10:30:00;30.03;20.22\nETHUSDT;Short;2;3000;2999.5;2026-01-13 10:00:00;2026-01-13 10:30:00;6;-5\n", statement.Options{}, seen{
			Trades: "row-* buy 0.5 2026-01-13T10:00:00 2026-01-13T10:30:00 20.22\nrow-* sell 2 2026-01-13T10:00:00 2026-01-13T10:30:00 -5\n", Net: "15.22", Warnings: "costs_positive",
		}},
		{"realized results before fees", crypto + "BTCUSDT;Long;0.5;60000;60100.5;2026-01-13 10:00:00;2026-01-13 10:30:00;-30.03;50.25\nETHUSDT;Short;-2;3000;2999.5;2026-01-13 10:00:00;2026-01-13 10:30:00;-6;1\n", statement.Options{}, seen{
			Trades: "row-* buy 0.5 2026-01-13T10:00:00 2026-01-13T10:30:00 20.22\nrow-* sell 2 2026-01-13T10:00:00 2026-01-13T10:30:00 -5\n", Net: "15.22",
		}},
		{"a total of fees counts once", strings.NewReplacer("commission;swap", "commission;fees;total fees").Replace(plain) + strings.Replace(aTrade, ";-1;0;", ";-0.25;-0.75;-1;", 1), statement.Options{}, seen{Trades: aResult, Net: "49.5"}},
		{"a position that a limit order opened", "type;" + plain + "buy limit;" + aTrade + "buy limit;2;EURUSD;buy;0.5;2026-01-13 10:00:00;1.1;;;;;\n", statement.Options{}, seen{Trades: aResult, Net: "49.5", Skipped: "pending_order"}},
		{"a position whose side is that of the limit order", plain + strings.Replace(aTrade, "buy", "Buy Limit", 1) + "2;EURUSD;Sell Stop;0.5;2026-01-13 10:00:00;1.1;2026-01-13 10:30:00;1.1;0;0;0\n", statement.Options{}, seen{Trades: aResult, Net: "49.5", Skipped: "pending_order"}},
		{"a position that expired", "status;" + plain + "expired;" + aTrade + "expired;2;EURUSD;buy;0.5;2026-01-13 10:00:00;1.1;;;;;\n", statement.Options{}, seen{Trades: aResult, Net: "49.5", Skipped: "cancelled"}},
		{"short sales", "Instrument,Action,Quantity,Price,Time,ID,E/X\nES 03-26,Sell short,1,6100.25,1/13/2026 3:00:00 PM,a,Entry\nES 03-26,Buy to cover,1,6090.25,1/13/2026 3:10:00 PM,b,Exit\n", statement.Options{}, seen{
			Trades: "a sell 1 2026-01-13T15:00:00 2026-01-13T15:10:00 \n", Warnings: "low_confidence",
		}},
		{"a symbol that looks like a total", plain + strings.Replace(aTrade, "EURUSD", "TOTAL", 1), statement.Options{}, seen{Trades: aResult, Net: "49.5"}},
		{"Price is no part of Entry Price", "symbol;side;lots;entry time;exit time;price;entry price;exit price;net profit\nX;buy;1;2026-01-13 10:00;2026-01-13 10:30;77.5;1.5;2.5;3.5\n", statement.Options{}, seen{
			Trades: "row-* buy 1 2026-01-13T10:00:00 2026-01-13T10:30:00 3.5\n", Net: "3.5",
		}},
		{"an export without opening times", "ID,Symbol,Opening Direction,Closing Time (UTC-3),Entry price,Closing Price,Closing Quantity,Net USD\n5,EURUSD,Sell,13/01/2026 21:30:00,1.1,1.05,1.00 Lots,12.5\n", statement.Options{}, seen{
			Trades: "5 sell 1 0001-01-01T00:00:00 2026-01-14T00:30:00 12.5\n", Net: "12.5USD", Warnings: "no_open_time",
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := mustRead(t, "a.csv", []byte(test.text), test.options)
			if diff := cmp.Diff(test.want, summary(f)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// Price without its twin is neither the opening nor the closing price.
func TestPriceIsTakenAsAWhole(t *testing.T) {
	t.Parallel()
	f := mustRead(t, "a.csv", []byte("symbol;side;lots;entry time;exit time;price;entry price;exit price;net profit\nX;buy;1;2026-01-13 10:00;2026-01-13 10:30;77.5;1.5;2.5;3.5\n"), statement.Options{})
	if got := f.Trades[0]; got.OpenPrice != "1.5" || got.ClosePrice != "2.5" {
		t.Errorf("open price %s, close price %s", got.OpenPrice, got.ClosePrice)
	}
}

// What a point is worth is the same in all trades of a symbol, and shows whether results are before or after costs.
func TestPointsShowCosts(t *testing.T) {
	t.Parallel()
	const names = "symbol,side,qty,open time,close time,open price,close price,commission,p/l\n"
	row := func(symbol, side, from, to, fee, profit string) string {
		return symbol + "," + side + ",2,2026-01-13 10:00,2026-01-13 10:30," + from + "," + to + "," + fee + "," + profit + "\n"
	}
	for name, test := range map[string]struct{ text, net string }{
		"before":                  {row("ES", "buy", "5000", "5010", "9", "1000") + row("ES", "sell", "5000", "5010", "9", "-1000"), "-18"},
		"after":                   {row("ES", "buy", "5000", "5010", "9", "991") + row("ES", "sell", "5000", "5010", "9", "-1009"), "-18"},
		"after, with a minus":     {row("ES", "buy", "5000", "5010", "-9", "991") + row("ES", "buy", "5000", "5025", "-9", "2491"), "3482"},
		"after, one of no profit": {row("ES", "buy", "5000", "5000.05", "9", "-4") + row("ES", "buy", "5000", "5025", "9", "2491"), "2487"},
		"nothing shows it":        {row("ES", "buy", "5000", "5010", "9", "991") + row("ES", "buy", "5000", "5010", "9", "991"), "1964"},
		"symbols that differ":     {row("ES", "buy", "5000", "5010", "9", "991") + row("NQ", "buy", "5000", "5010", "9", "391"), "1364"},
	} {
		f := mustRead(t, "a.csv", []byte(names+test.text), statement.Options{})
		if got := f.Net[0].Value; got != record.Decimal(test.net) {
			t.Errorf("%s: net %s, want %s", name, got, test.net)
		}
	}
}

// A day may have a column of its own, for opening and closing alike.
func TestTimesBesideADay(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"date,symbol,side,entry time,exit time,qty,p/l\n01/13/2026,X,buy,9:35 AM,10:42 AM,1,3.5\n":                              "2026-01-13 09:35 13 10:42",
		"trade date,symbol,side,entry time,exit time,qty,p/l\n2026-01-13,X,buy,09:35:00,10:42:00,1,3.5\n":                       "2026-01-13 09:35 13 10:42",
		"trade date,symbol,side,entry time,exit time,qty,p/l\n2026-01-14,X,buy,2026-01-13 09:35:00,2026-01-13 10:42:00,1,3.5\n": "2026-01-13 09:35 13 10:42",
		"date,symbol,side,entry time,exit time,qty,p/l\n2026-01-14,X,buy,2026-01-13 09:35:00,2026-01-13 10:42:00,1,3.5\n":       "2026-01-13 09:35 13 10:42",
		"date,symbol,side,entry time,exit time,qty,p/l\n01/13/2026,X,buy,11:50 PM,12:10 AM,1,3.5\n":                             "2026-01-13 23:50 14 00:10",
		"entry date,entry time,exit date,exit time,symbol,side,qty,p/l\n2026-01-12,09:35:00,2026-01-13,10:42:00,X,buy,1,3.5\n":  "2026-01-12 09:35 13 10:42",
	} {
		f := mustRead(t, "a.csv", []byte(text), statement.Options{})
		if got := f.Trades[0].OpenTime.Format("2006-01-02 15:04 ") + f.Trades[0].CloseTime.Format("02 15:04"); got != want {
			t.Errorf("got %s, want %s, of %s", got, want, text)
		}
	}
}

// A zone in the name of a column of times is that of the times.
func TestZonesInNamesOfColumns(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"open time (America/New_York)": "15:30", "open time [UTC]": "10:30", "open time UTC": "10:30", "open time GMT+2": "08:30", "OpenTimeUTC": "10:30", "open_time_utc": "10:30", "open time (GMT +2)": "08:30", "open time": "09:30",
	} {
		text := "symbol,side," + name + "," + strings.NewReplacer("open", "close", "Open", "Close").Replace(name) + ",p/l\nX,buy,2026-01-13 10:30,2026-01-13 11:30,3.5\n"
		f := mustRead(t, "a.csv", []byte(text), zoned("+01:00"))
		if got := f.Trades[0].OpenTime.Format("15:04"); got != want || (name == "open time") != (f.TimezoneBasis == statement.ZoneGiven) {
			t.Errorf("%s: got %s, want %s, basis %s", name, got, want, f.TimezoneBasis)
		}
	}
}

// Columns called Entry and Exit are prices if nothing else is and they hold numbers.
func TestEntriesAreTakenForPrices(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"symbol,side,qty,entry,exit,open time,close time,p/l\nX,buy,1,1.5,2.5,2026-01-13 10:00,2026-01-13 10:30,3.5\n":                              "1.5 2.5",
		"symbol,side,qty,entry,exit,open time,close time,p/l\nX,buy,1,Breakout,Target,2026-01-13 10:00,2026-01-13 10:30,3.5\n":                      " ",
		"symbol,side,qty,entry,exit,open time,close time,entry price,exit price,p/l\nX,buy,1,77,78,2026-01-13 10:00,2026-01-13 10:30,1.5,2.5,3.5\n": "1.5 2.5",
	} {
		f := mustRead(t, "a.csv", []byte(text), statement.Options{})
		if got := string(f.Trades[0].OpenPrice + " " + f.Trades[0].ClosePrice); got != want {
			t.Errorf("prices %q, want %q, of %s", got, want, text)
		}
	}
}

// All forms of dates give the same moment.
func TestDateForms(t *testing.T) {
	t.Parallel()
	want := time.Date(2026, 6, 13, 9, 10, 0, 0, time.UTC)
	forms := []string{
		"2026.06.13 09:10", "2026.06.13 09:10:00", "2026-06-13 09:10:00", "2026/06/13 09:10:00", "2026-06-13T09:10:00", "2026-06-13T09:10:00Z",
		"2026-06-13T09:10:00.000Z", "2026-06-13T11:10:00+02:00", "2026-06-13 04:10:00 -05:00", "2026-06-13 11:10:00 UTC+2", "2026-06-13 09:10:00 GMT",
		"2026-06-1309:10:00", "20260613 09:10:00", "13/06/2026 09:10:00", "13.06.2026 09:10", "13-06-2026 09:10:00.000", "13/6/26 9:10", "06/13/2026 09:10:00",
		"6/13/2026 9:10:00 AM", "6/13/2026 9:10 a.m.", "6/13/2026 9:10:00 a. m.", "06/13/2026 09:10:00\u00a0a.\u00a0m.", "06/13/2026 04:10:00 -05:00", "13 Jun 2026 09:10:00.000", "13 June 2026 09:10", "13-Jun-2026 09:10:00", "Jun 13, 2026 09:10:00",
		"13 junio 2026 09:10", "13. Juni 2026 09:10", "13 juin 2026 09:10", "13 giu 2026, 09:10:00", "13-jun.-2026 09:10", "June 13 2026, 09:10", "June 13 2026 @ 9:10:00 am", "Jun 13, 2026 05:10:00 ET", "06/13/2026 04:10 CT", "Sat Jun 13 2026 05:10:00 GMT-0400 (Eastern Daylight Time)", "Sat, 13 Jun 2026 09:10:00 GMT", "09:10 2026-06-13",
		"2026/6/13 上午 9:10:00", "2026/6/13 上午09:10", "2026-06-13 오전 9:10:00", "2026. 6. 13. 오전 9:10:00", "2026/06/13 午前9:10:00", "2026年6月13日 09:10:00", "2026년 6월 13일 오전 9:10", "2026.06.13. 9:10",
		"13/06/2026 9:10:00 SA", "13/6/2026 09:10 ص", "13\u200f/6\u200f/2026 9:10:00 ص", "13/6/2026 9:10:00 π.μ.", "13/6/2026 9:10 πμ", "13/06/2026 9:10:00 PG", "6/13/2026 9:10 AM", "13/06/2026, 9:10 am", "13-06-2026 09:10 AM", "46186.381944444444", "46186,381944444444", "1781341800", "1781341800000",
	}
	for _, form := range forms {
		t.Run(form, func(t *testing.T) {
			t.Parallel()
			f := mustRead(t, "a.csv", []byte(plain+"1;EURUSD;buy;0.5;"+form+";1.1;"+form+";1.2;0;0;1.5\n"), statement.Options{})
			if got := f.Trades[0]; !got.OpenTime.Equal(want) || !got.CloseTime.Equal(want) {
				t.Errorf("opened %v, closed %v", got.OpenTime, got.CloseTime)
			}
		})
	}
}

// Words for the halves of the day give the same moments in all languages.
func TestHalvesOfTheDay(t *testing.T) {
	t.Parallel()
	for form, want := range map[string]string{
		"2026/6/13 下午 1:05:00": "13:05", "2026/6/13 下午12:05": "12:05", "2026/6/13 上午12:05": "00:05", "2026/06/13 午後0:05": "12:05", "2026/06/13 午前0:05": "00:05", "2026-06-13 오후 11:05:00": "23:05",
		"13/06/2026 1:05:00 CH": "13:05", "13/06/2026 12:05:00 SA": "00:05", "13/6/2026 1:05 م": "13:05", "13/6/2026 1:05 μ.μ.": "13:05", "13/06/2026 1:05:00 PTG": "13:05", "6/13/2026 1:05 PM": "13:05", "13/06/2026 1:05 p. m.": "13:05",
		"2026/6/13 下午 13:05": "", "13/06/2026 0:05:00 CH": "", "2026/6/13 上午 1:05 AM": "", "13/06/2026 1:05 CHF": "",
	} {
		f, err := read(t, "a.csv", []byte(plain+"1;EURUSD;buy;0.5;"+form+";1.1;"+form+";1.2;0;0;1.5\n"), statement.Options{})
		switch {
		case want == "" && (err == nil || !strings.Contains(err.Error(), "a date or time cannot be read")):
			t.Errorf("%s: %v", form, err)
		case want != "" && err != nil:
			t.Errorf("%s: %v", form, err)
		case want != "" && f.Trades[0].OpenTime.Format("15:04") != want:
			t.Errorf("%s: got %v", form, f.Trades[0].OpenTime)
		}
	}
}

// Short names of months with an accent are those of their own language.
func TestShortMonthsWithAccents(t *testing.T) {
	t.Parallel()
	for form, want := range map[string]time.Month{"13 déc. 2025 09:10": time.December, "13 Mär 2026 09:10": time.March, "13 févr. 2026 09:10": time.February, "13 août 2026 09:10": time.August} {
		f := mustRead(t, "a.csv", []byte(plain+"1;EURUSD;buy;0.5;"+form+";1.1;"+form+";1.2;0;0;1.5\n"), statement.Options{})
		if got := f.Trades[0].OpenTime.Month(); got != want {
			t.Errorf("%s is in %s", form, got)
		}
	}
}

// All forms of numbers give the same amount.
func TestNumberForms(t *testing.T) {
	t.Parallel()
	tests := []struct {
		form string
		want record.Decimal
	}{
		{"1234.5", "1234.5"},
		{"1,234.50", "1234.5"},
		{"1 234.50", "1234.5"},
		{"1\u00a0234.50", "1234.5"},
		{"1\u202f234.50", "1234.5"},
		{"1'234.50", "1234.5"},
		{"1’234.50", "1234.5"},
		{"R 1,234.50", "1234.5"},
		{"1 234 kr.", "1234"},
		{"12 34.50", "1234.5"}, // as MT5's format shows thousands
		{"$1,234.50", "1234.5"},
		{"1.234,50 €", "1234.5"},
		{"USD 1234.50", "1234.5"},
		{"1234.50 USD", "1234.5"},
		{"+1234.50", "1234.5"},
		{"3.14E-05", "0.0000314"},
		{"-1.962e-05", "-0.00001962"},
		{"3,14E-05", "0.0000314"},
		{"5E-2", "0.05"},
		{"- 0.08", "-0.08"},
		{"-0.08", "-0.08"},
		{"−0.08", "-0.08"},
		{"0.08-", "-0.08"},
		{"(0.08)", "-0.08"},
		{"$(0.08)", "-0.08"},
		{"($0.08)", "-0.08"},
		{"-$0.08", "-0.08"},
		{"-0,08", "-0.08"},
		{"1.234.567,5", "1234567.5"},
		{"-", ""},
		{"", ""},
		{"n/a", ""},
	}
	for _, test := range tests {
		t.Run(test.form, func(t *testing.T) {
			t.Parallel()
			text := "symbol;side;open time;close time;net profit\nX;buy;2026-01-13 10:00;2026-01-13 11:00;" + test.form + "\n"
			f := mustRead(t, "a.csv", []byte(text), statement.Options{})
			if got := f.Trades[0].Profit; got != test.want {
				t.Errorf("profit %q, want %q", got, test.want)
			}
		})
	}
}
