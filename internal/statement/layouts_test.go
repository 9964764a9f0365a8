package statement_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/statement"
)

// Exports in the encoding and the form in which platforms write them, with what was worked out by hand.
func TestLayouts(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, zone, want string }{
		{
			"mt5_turkish.html", "eet",
			"EURUSD | buy | 1.5 | 2026-01-13 07:30:00 | 2026-01-13 08:30:00 | -7 | 291.8\nXAUUSD | sell | 0.1 | 2026-01-14 07:30:00 | 2026-01-14 09:00:00 | -1 | -101\n",
		},
		{
			"mt5_korean.html", "eet",
			"EURUSD | buy | 1.5 | 2026-01-13 07:30:00 | 2026-01-13 08:30:00 | -7 | 291.8\nXAUUSD | sell | 0.1 | 2026-01-14 07:30:00 | 2026-01-14 09:00:00 | -1 | -101\n",
		},
		{
			"mt4_cyrillic.htm", "eet",
			"gbpusd | buy | 0.3 | 2026-01-13 07:30:00 | 2026-01-13 08:30:00 | -2.1 | 27.9\ngbpusd | buy | 0.2 | 2026-01-13 07:30:00 | 2026-01-13 09:30:00 | -1.4 | -21.4\n",
		},
		{
			"gmo_click.csv", "",
			"米ドル/円 | buy |  | 2026-01-13 01:00:00 | 2026-01-14 03:00:00 |  | 2515\nユーロ/円 | sell |  | 2026-01-13 02:00:00 | 2026-01-14 04:00:00 |  | -2030\n",
		},
		{
			"moomoo_chinese.csv", "",
			"AAPL | buy | 1 | 2026-01-13 14:30:00 | 2026-01-13 15:05:00 |  | \nAAPL | buy | 2 | 2026-01-13 14:30:01 | 2026-01-13 15:05:00 |  | \nTSLA | sell | 2 | 2026-01-13 15:10:00 | 2026-01-13 15:20:00 |  | \n",
		},
		{
			"tiger_chinese.csv", "Asia/Shanghai",
			"AAPL | buy | 10 | 2026-01-08 14:12:14 | 2026-01-09 15:54:14 | -1.98 | \nMSFT | buy | 5 | 2026-01-12 02:17:06 | open | -0.5 | \n",
		},
		{
			"brazil_cv.csv", "America/Sao_Paulo",
			"WINJ26 | buy | 2 | 2026-01-13 13:30:00 | 2026-01-13 13:45:00 | -3 | \nPETR4 | buy | 10 | 2026-01-13 14:00:00 | open | -1.1 | \n",
		},
		{
			"two_orders.csv", "UTC",
			"ESH6 | buy | 2 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 | -3.48 | \n",
		},
		{
			"kucoin_futures_orders.csv", "",
			"XBTUSDTM | buy | 20 | 2026-01-13 09:30:00 | 2026-01-13 10:30:00 | -1.444 | 18.556\n",
		},
		{
			"kucoin_futures_pnl.csv", "",
			"XBTUSDTM | buy |  | 2026-01-13 09:30:00 | 2026-01-13 10:30:00 | -1.444 | 18.456\nETHUSDTM | sell |  | 2026-01-13 11:30:00 | 2026-01-13 12:30:00 | -0.55 | -5.5\n",
		},
		{
			"bybit_like_positions.csv", "UTC",
			"BTCUSDT | buy | 0.5 | 2026-01-13 09:30:00 | 2026-01-13 10:30:00 |  | 449.75\nBTCUSDT | buy | 0.5 | 2026-01-13 11:30:00 | 2026-01-13 12:30:00 |  | 199.75\nETHUSDT | sell | 2 | 2026-01-14 09:30:00 | 2026-01-14 10:30:00 |  | 96.7\n",
		},
		{
			"bybit_like_fills.csv", "",
			"BTCUSDT | buy | 0.5 | 2026-01-13 09:30:00 | 2026-01-13 10:30:00 | -49.78 | 450.22\n",
		},
		{
			"bingx_perpetual.csv", "",
			"BTC-USDT | buy | 0.02 | 2026-01-13 09:30:00 | 2026-01-13 10:30:00 | -1.81 | 18.19\nETH-USDT | sell | 0.5 | 2026-01-13 11:30:00 | 2026-01-13 12:30:00 | -1.5025 | -6.5025\n",
		},
		{
			"deribit_log.csv", "UTC",
			"BTC-PERPETUAL | buy |  | 2026-01-13 09:30:00 | 2026-01-13 10:30:00 |  | \n",
		},
		{
			"bitmex_history.csv", "",
			"XBTUSD | buy | 100 | 2026-01-13 09:30:00 | 2026-01-13 10:30:00 |  | \n",
		},
		{
			"cryptocom_trades.csv", "",
			"BTC_USDT | buy | 0.1 | 2026-01-13 09:30:00 | 2026-01-13 10:30:00 | -9.1 | \n",
		},
		{
			"revolut_stocks.csv", "",
			"AAPL | buy | 2 | 2026-01-13 14:30:00 | 2026-01-13 15:30:00 |  | \nNVDA | buy | 1.5 | 2026-01-14 15:00:00 | open |  | \n",
		},
		{
			"trade_republic.csv", "",
			"US0378331005 | buy | 2 | 2026-01-13 09:30:00 | 2026-01-13 10:30:00 | -2 | \n",
		},
		{
			"scalable.csv", "Europe/Berlin",
			"US0378331005 | buy | 2 | 2026-01-13 09:30:00 | 2026-01-13 10:30:00 | -1.98 | \n",
		},
		{
			"swissquote.csv", "Europe/Zurich",
			"NESN | buy | 5 | 2026-01-13 09:30:00 | 2026-01-13 10:30:00 |  | \n",
		},
		{
			"lightyear.csv", "UTC",
			"AAPL | buy | 2 | 2026-01-13 14:30:00 | 2026-01-13 15:30:00 |  | \n",
		},
		{
			"freetrade.csv", "",
			"VOD | buy | 100 | 2026-01-13 09:30:00 | 2026-01-13 10:30:00 |  | \n",
		},
		{
			"alpaca_fills.csv", "",
			"TSLA | sell | 1 | 2026-01-13 14:30:00 | 2026-01-13 15:30:00 |  | \nTSLA | sell | 1 | 2026-01-13 14:30:01 | 2026-01-13 15:30:00 |  | \n",
		},
		{
			"tws_trades.csv", "UTC",
			"ES Mar20'26 @CME | buy | 2 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 | -8.4 | 491.6\n",
		},
		{
			"tt_fills.csv", "UTC",
			"ES Mar26 | buy | 2 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 |  | \n",
		},
		{
			"tradersync.csv", "UTC",
			"ESH6 | buy | 2 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 | -7 | 493\nESH6 | sell | 1 | 2026-01-14 09:30:00 | 2026-01-14 09:31:00 | -3.5 | -253.5\n",
		},
		{
			"tradezella.csv", "UTC",
			"ESH6 | buy | 2 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 | -7 | 493\n",
		},
		{
			"xtb_2025.xlsx", "",
			"DE40 | buy | 0.5 | 2026-01-13 09:30:00 | 2026-01-13 10:30:00 | -1.5 | 122.5\nGOLD | sell | 0.1 | 2026-01-14 09:30:00 | 2026-01-14 10:30:00 | 0 | -100\n",
		},
		{
			"plus500.csv", "UTC",
			"Gold | buy |  | 2026-01-13 09:30:00 | 2026-01-13 10:30:00 |  | 99\nUS 500 | sell |  | 2026-01-14 09:30:00 | 2026-01-14 10:30:00 |  | -50\n",
		},
		{
			"thinktrader.csv", "",
			"EURUSD | buy | 1 | 2026-01-13 09:30:00 | 2026-01-13 10:30:00 | -7 | 92.5\nUS30 | sell | 2 | 2026-01-14 09:30:00 | 2026-01-14 10:30:00 | 0 | -20\n",
		},
		{
			"jforex_positions.csv", "",
			"EUR/USD | buy |  | 2026-01-13 09:30:00 | 2026-01-13 10:30:00 | -7 | 92.5\n",
		},
		{
			"delta_exchange.csv", "Asia/Kolkata",
			"BTCUSD | buy | 10 | 2026-01-13 09:30:00 | 2026-01-13 10:30:00 | -0.905 | 9.095\n",
		},
		{
			"prorealtime.csv", "Europe/Paris",
			"DAX Mini | buy | 2 | 2026-01-13 09:30:00 | 2026-01-13 10:30:00 | -1 | 99\nDAX Mini | sell | 1 | 2026-01-14 09:30:00 | 2026-01-14 10:30:00 | -0.5 | -25.5\n",
		},
		{
			"ninjatrader_german.csv", "Europe/Berlin",
			"ES 03-26 | buy | 2 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 | -8 | \n",
		},
		{
			"nordic_utf16.tsv", "Europe/Stockholm",
			"EURUSD | buy | 1.5 | 2026-01-13 09:30:00 | 2026-01-13 10:30:00 | -7 | 291.8\n",
		},
		{
			"others_swiss_thousands.csv", "Europe/Zurich",
			"US30 | buy | 0.5 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 | -1000 | 4000\n",
		},
		{
			"others_indian_lakh.csv", "Asia/Kolkata",
			"BANKNIFTY | buy | 2 | 2026-01-13 04:00:00 | 2026-01-13 04:01:00 | -1040 | 103960.5\n",
		},
		{
			"others_total_fees.csv", "UTC",
			"ES | buy | 2 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 | -5 | 494\nES | buy | 2 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 | -5 | 594\n",
		},
		{
			"others_total_commission.csv", "UTC",
			"ES | buy | 2 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 | -5 | 495\n",
		},
		{
			"others_japanese_sjis.csv", "Asia/Tokyo",
			"USDJPY | buy | 0.5 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 | 0 | 5000\n",
		},
		{
			"others_us_parens.csv", "UTC",
			"ES | buy | 2 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 | -4.2 | 495.8\nES | sell | 2 | 2026-01-14 13:30:00 | 2026-01-14 13:31:00 | -4.2 | -504.2\n",
		},
		{
			"others_epoch_ms.csv", "",
			"BTCUSDT | buy |  | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 | -45.25 | 454.75\n",
		},
		{
			"others_iso_offsets.csv", "",
			"ES | buy | 2 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 | -5 | 495\n",
		},
		{
			"others_russian_1251.csv", "Europe/Moscow",
			"EURUSD | buy | 1 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 | -7 | 93\n",
		},
		{
			"others_gross_costs_net.csv", "UTC",
			"ES | buy | 2 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 | -7 | 493\n",
		},
		{
			"others_est_header.csv", "",
			"ES | buy | 2 | 2026-07-14 09:30:00 | 2026-07-14 09:31:00 |  | 500\n",
		},
		{
			"others_weekday_footer.csv", "UTC",
			"ES | buy | 2 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 |  | 500\n",
		},
		{
			"chinese_futures.csv", "Asia/Shanghai",
			"rb2605 | buy | 1 | 2026-01-13 01:30:00 | 2026-01-13 02:00:00 | -6.2 | 93.8\nrb2605 | buy | 1 | 2026-01-13 01:30:00 | 2026-01-13 02:30:00 | -6.2 | 193.8\nm2605 | sell | 1 | 2026-01-13 03:00:00 | open | -1.5 | \n",
		},
		{
			"profit_orders.csv", "America/Sao_Paulo",
			"WINJ26 | buy | 2 | 2026-01-13 13:30:00 | 2026-01-13 13:45:00 |  | \nWDOG26 | sell | 1 | 2026-01-13 14:00:01 | open |  | \n",
		},
		{
			"qmt.csv", "",
			"600519 | buy | 10 | 2026-01-13 01:31:00 | 2026-01-14 02:00:00 |  | \n",
		},
		{
			"bitget_orders.csv", "UTC",
			"BTCUSDT | buy | 0.5 | 2026-01-13 09:30:00 | 2026-01-13 10:30:00 | -54.3 | 445.7\n",
		},
		{
			"phemex.csv", "UTC",
			"BTCUSDT | buy | 0.5 | 2026-01-13 09:30:00 | 2026-01-13 10:30:00 | -54.3 | 445.7\n",
		},
		{
			"fills_action_effect.csv", "UTC",
			"ES | sell | 1 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 | -2 | \nNQ | sell | 1 | 2026-01-13 09:32:00 | open | -1 | \n",
		},
		{
			"buy_to_open.csv", "UTC",
			"AAPL | buy | 1 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 | -1.5 | \nAAPL | buy | 1 | 2026-01-13 09:30:00 | open | -0.5 | \n",
		},
		{
			"tradelocker_closed.csv", "UTC",
			"EURUSD | buy |  | 2026-01-13 09:30:00 | 2026-01-13 10:30:00 | -7 | 92.5\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := mustRead(t, test.name, loadLayout(t, test.name), statement.Options{Timezone: test.zone})
			if diff := cmp.Diff(test.want, lines(f)); diff != "" || f.RejectedRows > 0 {
				t.Errorf("format %s, rejected %v, trades (-want +got):\n%s", f.Format, f.Rejected, diff)
			}
		})
	}
}

// Exports that do not say enough for trades, or whose columns are not known.
func TestRefusedLayouts(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, want string }{
		{"bitfinex_trades.csv", "do not say whether a sale closes"},
		{"cmc_history.csv", "names the order that opened a position"},
		{"saxo_closed.csv", "days without times and no sides"},
		{"deriv_profit.csv", "No table of trades was found"},
		{"avanza.csv", "Missing: symbol, side, close_time"},
		{"bitvavo.csv", "name a time zone in each row"},
		{"kite_orders.csv", "Export the tradebook of Zerodha's Console"},
		{"ib_portal.csv", "have days without times"},
		{"sold_before.csv", "more of AAPL was sold than bought"},
		{"htx.csv", "Missing: close_time"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if _, err := read(t, test.name, loadLayout(t, test.name), zoned("UTC")); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want a refusal with %q", err, test.want)
			}
		})
	}
}

func loadLayout(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "layouts", name))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// A list of executions of an unknown platform is read if its words or its results show what opens and what closes, and what is
// only bought is open.
func TestExecutionsThatShowPositions(t *testing.T) {
	t.Parallel()
	const header = "Symbol,Side,Qty,Price,Fee,Realized PnL,Exec Time\n"
	tests := []struct{ name, text, want, warning string }{
		{
			"results before fees, and an open position", header + "ESH6,Buy,2,100,-1,0,2026-01-13 09:30:00\nESH6,Sell,1,110,-0.5,10,2026-01-13 09:31:00\n",
			"ESH6 | buy | 1 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 | -1 | 9\nESH6 | buy | 1 | 2026-01-13 09:30:00 | open | -0.5 | \n", "",
		},
		{
			"results after all fees", header + "ESH6,Sell,2,110,-1,0,2026-01-13 09:30:00\nESH6,Buy,2,100,-1,18,2026-01-13 09:31:00\n",
			"ESH6 | sell | 2 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 | -2 | 18\n", "",
		},
		{
			"results after the fee of the execution", header + "ESH6,Buy,2,100,-1,-1,2026-01-13 09:30:00\nESH6,Sell,2,110,-1.5,18.5,2026-01-13 09:31:00\n",
			"ESH6 | buy | 2 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 | -2.5 | 17.5\n", "",
		},
		{
			"words that say what closes, and both sides at once",
			"Symbol,Side,Qty,Price,Exec Time\nESH6,Open Long,2,100,2026-01-13 09:30:00\nESH6,OPEN_SHORT,2,100,2026-01-13 09:31:00\nESH6,Close Long,2,110,2026-01-13 09:32:00\n",
			"ESH6 | buy | 2 | 2026-01-13 09:30:00 | 2026-01-13 09:32:00 |  | \nESH6 | sell | 2 | 2026-01-13 09:31:00 | open |  | \n", "",
		},
		{
			"a symbol that is only bought", "Symbol,Side,Qty,Price,Exec Time\nESH6,Buy,2,100,2026-01-13 09:30:00\nESH6,Sell,2,110,2026-01-13 09:31:00\nNQH6,Buy,1,100,2026-01-13 09:32:00\n",
			"ESH6 | buy | 2 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 |  | \nNQH6 | buy | 1 | 2026-01-13 09:32:00 | open |  | \n", "flat_start_assumed",
		},
		{
			"a column that is the sum of the fees", "Symbol,Side,Qty,Price,Exec Time,Exchange Fee,Platform Fee,All Fees\nESH6,Buy,2,100,2026-01-13 09:30:00,1,0.5,1.5\nESH6,Sell,2,110,2026-01-13 09:31:00,1,0.5,1.5\n",
			"ESH6 | buy | 2 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 | -3 | \n", "flat_start_assumed",
		},
		{
			"a fee in the coin that was bought, and one in that of the price", "Symbol,Side,Qty,Price,Exec Time,Fee,Fee Coin\nBTC_USDT,Buy,0.1,90000,2026-01-13 09:30:00,0.0001,BTC\nBTC_USDT,Sell,0.1,91000,2026-01-13 09:31:00,9.1,USDT\n",
			"BTC_USDT | buy | 0.1 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 | -9.1 | \n", "fees_in_coins",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := mustRead(t, "a.csv", []byte(test.text), zoned("UTC"))
			if diff := cmp.Diff(test.want, lines(f)); diff != "" {
				t.Errorf("trades (-want +got):\n%s", diff)
			}
			if test.warning != "" && warningOf(f, test.warning) == "" || test.warning == "" && warningOf(f, "flat_start_assumed") != "" {
				t.Errorf("warnings %+v, want %q", f.Warnings, test.warning)
			}
		})
	}
}

// Results that do not agree with what the executions close tell rows of positions, and lists that begin within a position.
func TestExecutionsWithOtherResults(t *testing.T) {
	t.Parallel()
	const header = "Symbol,Side,Qty,Price,Realized PnL,Exec Time\n"
	tests := []struct{ name, text, want string }{
		{"positions with one time, one without a gain", header + "ESH6,Buy,1,100,0,2026-01-13 09:30:00\nESH6,Sell,1,105,5,2026-01-13 09:31:00\nESH6,Buy,1,105,3,2026-01-13 09:32:00\n", "no execution that opened it"},
		{"an opening that would close", header + "ESH6,Buy,1,100,0,2026-01-13 09:30:00\nESH6,Sell,1,105,5,2026-01-13 09:31:00\nESH6,Buy,2,100,0,2026-01-13 09:32:00\nESH6,Sell,1,105,0,2026-01-13 09:33:00\n", "has no result, although it closes"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if _, err := read(t, "a.csv", []byte(test.text), zoned("UTC")); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want a refusal with %q", err, test.want)
			}
		})
	}
}
