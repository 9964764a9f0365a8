package statement_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/statement"
	"github.com/assayhq/assay/internal/statement/format"
	"github.com/assayhq/assay/internal/statement/sheet"
)

// warningOf returns what a warning says; empty for one that the file does not have.
func warningOf(f *file, code string) string {
	at := slices.IndexFunc(f.Warnings, func(w sheet.Warning) bool { return w.Code == code })
	if at < 0 {
		return ""
	}
	return f.Warnings[at].Detail
}

// Lists of executions of unknown platforms, in which as much was sold as bought. That does not prove that they begin without
// positions, so each has a warning.
func TestExecutionsOfUnknownPlatforms(t *testing.T) {
	t.Parallel()
	const (
		bought = "ESH6 | buy | 2 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 | "
		sold   = "ESH6 | sell | 1 | 2026-01-13 09:32:00 | 2026-01-13 09:33:00 | "
	)
	tests := []struct{ name, text, want string }{
		{
			"Tradervue, with a day, a time and three columns of fees",
			"Date,Time,Symbol,Quantity,Price,Side,Commission,TransFee,ECNFee\n2026-01-13,09:30:00,ESH6,2,100,Buy,1.00,0.10,0.25\n2026-01-13,09:31:00,ESH6,2,105,Sell,1.00,0.10,0.25\n2026-01-13,09:32:00,ESH6,1,105,Sell,1,0,0\n2026-01-13,09:33:00,ESH6,1,104,Buy,1,0,0\n",
			bought + "-2.7 | \n" + sold + "-2 | \n",
		},
		{
			"the latest first, and one order that turns the position around",
			"Instrument,Action,Quantity,Price,Time,Commission\nESH6,Buy,1,104,2026-01-13 09:33:00,1\nESH6,Sell,1,105,2026-01-13 09:32:00,1\nESH6,Sell,2,105,2026-01-13 09:31:00,2\nESH6,Buy,2,100,2026-01-13 09:30:00,2\n",
			bought + "-4 | \n" + sold + "-2 | \n",
		},
		{
			"orders with their fills, and one that was cancelled",
			"orderId,Account,Date,Fill Time,B/S,Contract,Product,Filled Qty,Avg Fill Price,Status\n1,A1,01/13/2026,01/13/2026 09:30:00,Buy,ESH6,ES,2,100,Filled\n2,A1,01/13/2026,,Buy,ESH6,ES,0,,Cancelled\n3,A1,01/13/2026,01/13/2026 09:31:00,Sell,ESH6,ES,2,105,Filled\n",
			bought + " | \n",
		},
		{
			"TradeStation, with the day of the trade beside its time",
			"Account,T/D,S/D,Currency,Type,Side,Symbol,Qty,Price,Exec Time,Comm,SEC,TAF,Gross Proceeds,Net Proceeds\n11,01/13/2026,01/14/2026,USD,2,B,ESH6,2,100,09:30:00,1.00,0,0,-200,-201\n11,01/13/2026,01/14/2026,USD,2,S,ESH6,2,105,09:31:00,1.00,0.02,0.01,210,208.97\n",
			bought + "-2.03 | \n",
		},
		{
			"futures, whose trading day is not the day of the execution",
			"Trade Date,Date,Exec Time,Symbol,Side,Qty,Price\n2026-01-14,2026-01-13,23:30:00,ESH6,Buy,2,100\n2026-01-14,2026-01-14,00:30:00,ESH6,Sell,2,105\n",
			"ESH6 | buy | 2 | 2026-01-13 23:30:00 | 2026-01-14 00:30:00 |  | \n",
		},
		{
			"a name of the security, and the broker",
			"Time,Symbol,Sec,Brokerage,Side,Price,Qty\n2026-01-13 09:30:00,ESH6,S&P,Zenith,Buy,100,2\n2026-01-13 09:31:00,ESH6,S&P,Zenith,Sell,105,2\n",
			bought + " | \n",
		},
		{
			"a brokerage that is a fee",
			"Time,Symbol,Brokerage,Side,Price,Qty\n2026-01-13 09:30:00,ESH6,1,Buy,100,2\n2026-01-13 09:31:00,ESH6,1,Sell,105,2\n",
			bought + "-2 | \n",
		},
		{
			"totals below the list",
			"Symbol,Side,Qty,Price,Exec Time\nESH6,Buy,2,100,2026-01-13 09:30:00\nESH6,Sell,2,105,2026-01-13 09:31:00\nTotal,,4,102.5,\n",
			bought + " | \n",
		},
		{
			"totals and averages below the times",
			"Exec Time,Symbol,Side,Qty,Price\n2026-01-13 09:30:00,ESH6,Buy,2,100\n2026-01-13 09:31:00,ESH6,Sell,2,105\nTotal,,,4,102.5\nAverage,,,2,102.5\n",
			bought + " | \n",
		},
		{
			"totals in Chinese",
			"代码,方向,数量,成交价,成交时间\nESH6,买入,2,100,2026-01-13 09:30:00\nESH6,卖出,2,105,2026-01-13 09:31:00\n合计,,4,102.5,\n",
			bought + " | \n",
		},
		{
			"a fee in a coin that was bought",
			"Time,Pair,Side,Price,Executed Qty,Fee,Fee Coin\n2026-01-13 09:30:00,ESH6,Buy,100,2,0.1,BNB\n2026-01-13 09:31:00,ESH6,Sell,105,2,0.1,BNB\n",
			bought + " | \n",
		},
		{
			"Futu, in Chinese",
			"成交时间,方向,代码,名称,数量,成交价,成交编号,订单编号,状态\n2026-01-13 09:30:00,买入,ESH6,标普,2,100,11,21,已成交\n2026-01-13 09:31:00,卖出,ESH6,标普,2,105,12,22,已成交\n",
			bought + " | \n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := mustRead(t, "a.csv", []byte(test.text), zoned("UTC"))
			if diff := cmp.Diff(test.want, lines(f)); diff != "" {
				t.Errorf("trades (-want +got):\n%s", diff)
			}
			if detail := warningOf(f, "flat_start_assumed"); !strings.Contains(detail, "before the first execution") {
				t.Errorf("warnings %+v", f.Warnings)
			}
			if f.Format != "executions" || f.Confidence != format.Low || f.NetBasis != statement.NoNet {
				t.Errorf("format %s, confidence %s, net %s", f.Format, f.Confidence, f.NetBasis)
			}
		})
	}
}

// A second fill of an order has no symbol, and is refused although sums below a list are not.
func TestFurtherFillWithoutSymbol(t *testing.T) {
	t.Parallel()
	const text = "Symbol,Side,Qty,Price,Exec Time\nESH6,Buy,1,100,2026-01-13 09:30:00\n,,1,101,2026-01-13 09:30:01\nESH6,Sell,1,105,2026-01-13 09:31:00\n"
	if _, err := read(t, "a.csv", []byte(text), zoned("UTC")); err == nil || !strings.Contains(err.Error(), "an execution has no symbol") {
		t.Errorf("got %v", err)
	}
}

// A table of open positions is read, and not the executions beside it that say less.
func TestExecutionsBesideOpenPositions(t *testing.T) {
	t.Parallel()
	text := "ID,Symbol,Open Time,Volume,Side,Open Price,Stop loss,Take profit,Swap,Commission,Profit\n7,ESH6,13/01/2026 09:30:00,2,BUY,100,0,0,0,0,5\n\nSymbol,Side,Exec Time,Qty,Price\nNQH6,B,13/01/2026 10:00:00,1,100\nNQH6,S,13/01/2026 11:00:00,1,105\n"
	f := mustRead(t, "a.csv", []byte(text), zoned("UTC"))
	if diff := cmp.Diff("ESH6 | buy | 2 | 2026-01-13 09:30:00 | open | 0 | \n", lines(f)); diff != "" {
		t.Errorf("trades (-want +got):\n%s", diff)
	}
}

// Brokers in mainland China list executions of shares that cannot be sold before they are bought.
func TestChineseStocks(t *testing.T) {
	t.Parallel()
	const text = "成交日期,成交时间,证券代码,证券名称,买卖标志,成交价格,成交数量,成交金额\n20260113,09:25:00,600036,招商银行,卖出,40.5,50,2025\n20260113,09:31:00,600519,贵州茅台,买入,1650.50,10,16505\n20260114,10:00:00,600519,贵州茅台,证券卖出,1700.00,10,17000\n20260114,14:55:00,000001,平安银行,买入,10.50,20,210\n"
	f := mustRead(t, "a.csv", []byte(text), statement.Options{})
	want := "600519 | buy | 10 | 2026-01-13 01:31:00 | 2026-01-14 02:00:00 |  | \n000001 | buy | 20 | 2026-01-14 06:55:00 | open |  | \n"
	if diff := cmp.Diff(want, lines(f)); diff != "" {
		t.Errorf("trades (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]statement.Rejected{{Line: 2, Reason: statement.CloseWithoutOpen}}, f.Rejected); diff != "" || f.Format != "china_stocks" {
		t.Errorf("format %s, rejected (-want +got):\n%s", f.Format, diff)
	}
	if _, err := read(t, "a.csv", []byte(text+"20260115,09:31:00,600519,贵州茅台,融券卖出,1650.50,10,16505\n"), statement.Options{}); err == nil {
		t.Error("a short sale was read as another one")
	}
}

// LION FX has the side of the order that closed a position, three decimals that may be thousands elsewhere, and lots of its own.
func TestSettledPositionsOfLionFX(t *testing.T) {
	t.Parallel()
	const text = "決済約定日時,ポジション番号,通貨ペア,両建,注文手法,約定区分,執行条件,指定レート,売買,Lot数,新規約定日時,新規約定値,決済約定値,pip損益,円換算レート,売買損益,手数料,スワップ損益,決済損益\n" +
		"2026/01/13 10:15:30,1001,USD/JPY,,通常,決済,成行,0,売,1,2026/01/12 09:00:00,146.500,146.800,30.0,1,3000,0,120,3120\n" +
		"2026/01/14 22:40:10,1002,EUR/JPY,,通常,決済,成行,0,買,2,2026/01/13 21:00:00,157.200,157.000,20.0,1,4000,-100,-50,3850\n" +
		",,,,,,,,,,,,,,,,合計,,6970\n"
	f := mustRead(t, "a.csv", []byte(text), statement.Options{})
	want := "USD/JPY | buy |  | 2026-01-12 00:00:00 | 2026-01-13 01:15:30 | 0 | 3120\nEUR/JPY | sell |  | 2026-01-13 12:00:00 | 2026-01-14 13:40:10 | -100 | 3850\n"
	if diff := cmp.Diff(want, lines(f)); diff != "" {
		t.Errorf("trades (-want +got):\n%s", diff)
	}
	if f.Format != "lion_fx" || f.Reconciled != statement.TotalRow || f.Accounts[0].Currency != "JPY" {
		t.Errorf("format %s, reconciled %s, accounts %+v", f.Format, f.Reconciled, f.Accounts)
	}
	if detail := warningOf(f, "volume_in_units"); !strings.Contains(detail, "not in standard lots") {
		t.Errorf("warnings %+v", f.Warnings)
	}
}

// The amounts in the currency of the balance are the account's, whichever column stands first.
func TestResultsInTheCurrencyOfTheBalance(t *testing.T) {
	t.Parallel()
	for _, names := range []string{"Net USD,Net EUR", "Net EUR,Net USD"} {
		row := map[string]string{"Net USD,Net EUR": "110,100", "Net EUR,Net USD": "100,110"}[names]
		text := "ID,Symbol,Opening Direction,Opening Time (UTC+0),Closing Time (UTC+0),Entry Price,Closing Price,Closing Quantity," + names + ",Balance EUR\n13,ESH6,Buy,13/01/2026 09:30:00.000,13/01/2026 09:31:00.000,1.05,1.06,1.00 Lots," + row + ",25000\n"
		f := mustRead(t, "a.csv", []byte(text), statement.Options{})
		if diff := cmp.Diff([]statement.Amount{{Currency: "EUR", Value: "100"}}, f.Net); diff != "" {
			t.Errorf("%s: net (-want +got):\n%s", names, diff)
		}
	}
	if _, err := read(t, "a.csv", []byte("ID,Symbol,Opening Direction,Closing Time (UTC+0),Entry Price,Closing Price,Net USD,Net EUR\n13,ESH6,Buy,13/01/2026 09:31:00.000,1.05,1.06,110,100\n"), statement.Options{}); err == nil {
		t.Error("one of two currencies was chosen without a balance")
	}
	const (
		positions = "ID,Symbol,Side,Open Time,Close Time,Open Price,Close Price,"
		moments   = "13,ESH6,Buy,2026-01-13 09:30:00,2026-01-13 09:31:00,1.05,1.06,"
	)
	f := mustRead(t, "a.csv", []byte(positions+"Commission USD,Commission EUR,Gross Profit USD,Gross Profit EUR,Balance EUR\n"+moments+"-2.2,-2,112.2,102,25000\n"), zoned("UTC"))
	if diff := cmp.Diff("ESH6 | buy |  | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 | -2 | 100\n", lines(f)); diff != "" {
		t.Errorf("commissions in two currencies (-want +got):\n%s", diff)
	}
	for _, balances := range []string{"Balance USD,Balance EUR", "Balance EUR,Balance USD"} {
		if _, err := read(t, "a.csv", []byte(positions+"Net USD,Net EUR,"+balances+"\n"+moments+"110,100,27500,25000\n"), zoned("UTC")); err == nil || !strings.Contains(err.Error(), "two currencies") {
			t.Errorf("%s: got %v", balances, err)
		}
	}
}

// A deposit in a table of trades has a number and a time, so that it is no total of the table.
func TestDepositWithoutType(t *testing.T) {
	t.Parallel()
	const text = "Ticket,Login,Type,Symbol,Volume,Swaps,Commission,Open Time,Open Price,Close Time,Close Price,Profit,Currency,Comment\n7001,88,buy,ESH6,2,-0.5,-0.5,2026-01-13 09:30:00,100,2026-01-13 09:31:00,105,10,USD,\n7002,88,,,,,,2026-01-14 10:00:00,,,,500.00,USD,Deposit\n"
	f := mustRead(t, "a.csv", []byte(text), zoned("UTC"))
	if diff := cmp.Diff("ESH6 | buy | 2 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 | -0.5 | 9\n", lines(f)); diff != "" || f.Reconciled != statement.NotReconciled {
		t.Errorf("reconciled %s, trades (-want +got):\n%s", f.Reconciled, diff)
	}
}

// Volumes are units, also those that could be lots, if one in four is 1,000 or more. Otherwise, only the large one is left out.
func TestVolumesBesideUnits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, volumes, want, warning string
	}{
		{"one in two", "100000 10", ", ", "so all volumes were taken for units"},
		{"one in four, of 1,000", "1000 10 10 10", ", , , ", "so all volumes were taken for units"},
		{"one in five", "1000 10 10 10 10", ", 10, 10, 10, 10", "above 100"},
		{"one in four, below 1,000", "999 10 10 10", ", 10, 10, 10", "above 100"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			text := "Position ID,Symbol,Direction,Volume,Entry Price,Closing Price,Open Time,Closing Time,Net P&L\n"
			for i, volume := range strings.Fields(test.volumes) {
				text += strconv.Itoa(i+1) + ",EURUSD,Buy," + volume + ",1.05,1.06,2026-01-13 09:30:00,2026-01-13 09:31:00,442\n"
			}
			f := mustRead(t, "a.csv", []byte(text), zoned("UTC"))
			var volumes []string
			for _, trade := range f.Trades {
				volumes = append(volumes, string(trade.Volume))
			}
			if got := strings.Join(volumes, ", "); got != test.want {
				t.Errorf("volumes %q, want %q", got, test.want)
			}
			if detail := warningOf(f, "volume_in_units"); !strings.Contains(detail, test.warning) {
				t.Errorf("warning %q, want %q", detail, test.warning)
			}
		})
	}
}

// tastytrade wrote its history with other columns while it was called tastyworks, and names what closes an option that expires.
func TestTransactionsOfTastytrade(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{
			"as tastyworks",
			"Date/Time,Transaction Code,Transaction Subcode,Symbol,Buy/Sell,Open/Close,Quantity,Expiration Date,Strike,Call/Put,Price,Fees,Amount,Description,Account Reference\n" +
				"01/15/2026 11:00 PM,Receive Deliver,Expiration,PCG,,,1,01/15/2026,12,P,,0.00,0,Removal of option due to expiration,Individual...46\n" +
				"01/14/2026 9:31 AM,Trade,Buy to Close,PCG,Buy,Close,2,01/15/2026,10.5,C,0.46,0.14,-92,Bought 2 PCG 01/15/26 Call 10.50 @ 0.46,Individual...46\n" +
				"01/13/2026 9:31 AM,Trade,Buy to Open,PCG,Buy,Open,1,01/15/2026,12,P,0.30,1.14,-30,Bought 1 PCG 01/15/26 Put 12.00 @ 0.30,Individual...46\n" +
				"01/13/2026 9:30 AM,Trade,Sell to Open,PCG,Sell,Open,2,01/15/2026,10.5,C,2.46,1.14,492,Sold 2 PCG 01/15/26 Call 10.50 @ 2.46,Individual...46\n" +
				"01/10/2026 11:00 PM,Money Movement,Deposit,,,,0,,,,,0.00,500,Wire,Individual...46\n",
			"PCG 01/15/2026 10.5 C | sell | 2 | 2026-01-13 09:30:00 | 2026-01-14 09:31:00 | -1.28 | \nPCG 01/15/2026 12 P | buy | 1 | 2026-01-13 09:31:00 | 2026-01-15 23:00:00 | -1.14 | \n",
		},
		{
			"an expiration with an action",
			"Date,Type,Sub Type,Action,Symbol,Instrument Type,Description,Value,Quantity,Average Price,Commissions,Fees,Multiplier,Root Symbol,Underlying Symbol,Expiration Date,Strike Price,Call or Put,Order #,Total,Currency\n" +
				"2026-01-15T21:00:00+0100,Receive Deliver,Expiration,BUY_TO_CLOSE,TSLL  260115P00007000,Equity Option,Removal of 1.0 TSLL 01/15/26 Put 7.00 due to expiration.,0.00,1,0.00,--,0.00,100,TSLL,TSLL,1/15/26,7,PUT,,0.00,USD\n" +
				"2026-01-13T15:00:00+0100,Trade,Sell to Open,SELL_TO_OPEN,TSLL  260115P00007000,Equity Option,Sold 1 TSLL 01/15/26 Put 7.00 @ 0.15,15.00,1,15.00,-1.00,-0.14,100,TSLL,TSLL,1/15/26,7,PUT,323,13.86,USD\n",
			"TSLL 260115P00007000 | sell | 1 | 2026-01-13 14:00:00 | 2026-01-15 20:00:00 | -1.14 | \n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := mustRead(t, "a.csv", []byte(test.text), zoned("UTC"))
			if diff := cmp.Diff(test.want, lines(f)); diff != "" || f.Format != "tastytrade" {
				t.Errorf("format %s, trades (-want +got):\n%s", f.Format, diff)
			}
		})
	}
}

// TestTransactionsOfOanda checks that only fills are executions, and that what closes is told by the order that was filled.
func TestTransactionsOfOanda(t *testing.T) {
	t.Parallel()
	const header = "TICKET,TRANSACTION DATE,TRANSACTION TYPE,DETAILS,INSTRUMENT,PRICE,UNITS,DIRECTION,SPREAD COST,STOP LOSS,TAKE PROFIT,FINANCING,COMMISSION,PL,BALANCE\n"
	text := header + "1,2026-04-08 19:50:45 AEST,MARKET_ORDER,CLIENT_ORDER,EUR_USD,,2500,Buy,,1.05,1.2,,,,1000\n" +
		"2,2026-04-08 19:50:46 AEST,ORDER_FILL,MARKET_ORDER,EUR_USD,1.1,2500,Buy,-0.1,1.05,1.2,,,,1000\n" +
		"3,2026-04-09 07:00:00 AEST,DAILY_FINANCING,DAILY_FINANCING,,,,,,,,-0.5,,,999.5\n" +
		"4,2026-04-09 19:35:17 AEST,ORDER_FILL,MARKET_ORDER_TRADE_CLOSE,EUR_USD,1.102,-2500,Sell,-0.1,,,,0,5,1004.5\n" +
		"5,2026-04-09 20:00:00 AEST,LIMIT_ORDER,CLIENT_ORDER,EUR_USD,1.0,2500,Buy,,,,,,,1004.5\n" +
		"6,2026-04-09 21:00:00 AEST,ORDER_FILL,LIMIT_ORDER,XAU_USD,3000,5,Sell,0,,,,,,1004.5\n" +
		"7,2026-04-09 22:00:00 AEST,ORDER_FILL,STOP_LOSS_ORDER,XAU_USD,3002,-5,Buy,0,,,-0.25,0.5,-10,993.75\n" +
		"8,2026-04-09 23:00:00 AEST,TRANSFER_FUNDS,CLIENT_REQUEST,,,,,,,,,,,1993.75\n"
	f := mustRead(t, "a.csv", []byte(text), statement.Options{})
	want := "EUR_USD | buy |  | 2026-04-08 09:50:46 | 2026-04-09 09:35:17 | 0 | 5\nXAU_USD | sell |  | 2026-04-09 11:00:00 | 2026-04-09 12:00:00 | -0.5 | -10.75\n"
	if diff := cmp.Diff(want, lines(f)); diff != "" || f.Format != "oanda" {
		t.Errorf("format %s, trades (-want +got):\n%s", f.Format, diff)
	}
	unknown := header + "1,2026-04-08 19:50:45 AEST,ORDER_FILL,SOME_OTHER_ORDER,EUR_USD,1.1,2500,Buy,0,,,,,,1000\n"
	if _, err := read(t, "a.csv", []byte(unknown), statement.Options{}); err == nil || !strings.Contains(err.Error(), "neither opens nor closes") {
		t.Errorf("a fill of an unknown kind of order: %v", err)
	}
}

// TestPositionsOfOanda checks that a fill of a market order closes what is open on the other side only if it has a result:
// accounts that hedge hold both sides at once.
func TestPositionsOfOanda(t *testing.T) {
	t.Parallel()
	const header = "TICKET,TRANSACTION DATE,TRANSACTION TYPE,DETAILS,INSTRUMENT,PRICE,UNITS,DIRECTION,SPREAD COST,STOP LOSS,TAKE PROFIT,FINANCING,COMMISSION,PL,BALANCE\n"
	tests := []struct{ name, rows, want string }{
		{
			"a hedge",
			"1,2026-04-08 10:00:00 UTC,ORDER_FILL,MARKET_ORDER,EUR_USD,1.1,2500,Buy,0,,,,,,1000\n" +
				"2,2026-04-08 11:00:00 UTC,ORDER_FILL,MARKET_ORDER,EUR_USD,1.101,2500,Sell,0,,,,,0,1000\n" +
				"3,2026-04-08 12:00:00 UTC,ORDER_FILL,MARKET_ORDER_TRADE_CLOSE,EUR_USD,1.102,-2500,Sell,0,,,,0,5,1005\n" +
				"4,2026-04-08 13:00:00 UTC,ORDER_FILL,MARKET_ORDER_TRADE_CLOSE,EUR_USD,1.102,-2500,Buy,0,,,,0,-2.5,1002.5\n",
			"EUR_USD | buy |  | 2026-04-08 10:00:00 | 2026-04-08 12:00:00 | 0 | 5\nEUR_USD | sell |  | 2026-04-08 11:00:00 | 2026-04-08 13:00:00 | 0 | -2.5\n",
		},
		{
			"a partial close, and an order that closes the rest and turns the position around",
			"1,2026-04-08 10:00:00 UTC,ORDER_FILL,MARKET_ORDER,EUR_USD,1.1,2500,Buy,0,,,,,,1000\n" +
				"2,2026-04-08 11:00:00 UTC,ORDER_FILL,MARKET_ORDER,EUR_USD,1.101,1000,Sell,0,,,,,1,1001\n" +
				"3,2026-04-08 12:00:00 UTC,ORDER_FILL,LIMIT_ORDER,EUR_USD,1.102,2500,Sell,0,,,,,3,1004\n" +
				"4,2026-04-08 13:00:00 UTC,ORDER_FILL,STOP_LOSS_ORDER,EUR_USD,1.104,1000,Buy,0,,,,,-2,1002\n",
			"EUR_USD | buy |  | 2026-04-08 10:00:00 | 2026-04-08 11:00:00 |  | 1\nEUR_USD | buy |  | 2026-04-08 10:00:00 | 2026-04-08 12:00:00 |  | 3\nEUR_USD | sell |  | 2026-04-08 12:00:00 | 2026-04-08 13:00:00 |  | -2\n",
		},
		{
			"a close without a gain, at the price of the opening",
			"1,2026-04-08 10:00:00 UTC,ORDER_FILL,MARKET_ORDER,EUR_USD,1.1,2500,Buy,0,,,,,,1000\n" +
				"2,2026-04-08 11:00:00 UTC,ORDER_FILL,MARKET_ORDER,EUR_USD,1.10,2500,Sell,0,,,,,0,1000\n",
			"EUR_USD | buy |  | 2026-04-08 10:00:00 | 2026-04-08 11:00:00 |  | 0\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := mustRead(t, "a.csv", []byte(header+test.rows), statement.Options{})
			if diff := cmp.Diff(test.want, lines(f)); diff != "" || f.RejectedRows != 0 {
				t.Errorf("rejected %+v, trades (-want +got):\n%s", f.Rejected, diff)
			}
		})
	}
}

// A list that nets to zero may have begun within a position, so the refusal of another one speaks of what was bought and sold.
func TestUnbalancedExecutions(t *testing.T) {
	t.Parallel()
	const text = "Symbol,Side,Qty,Price,Exec Time\nESH6,Buy,2,100,2026-01-13 09:30:00\nESH6,Sell,1,105,2026-01-13 09:31:00\n"
	if _, err := read(t, "a.csv", []byte(text), zoned("UTC")); err == nil || !strings.Contains(err.Error(), "only if as much was sold as bought") {
		t.Errorf("got %v", err)
	}
}
