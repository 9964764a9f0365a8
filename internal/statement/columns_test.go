package statement_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Tables of unknown platforms whose columns say more, or less, than their names.
func TestColumnsOfUnknownPlatforms(t *testing.T) {
	t.Parallel()
	const (
		times = "Symbol,Open Time,Close Time,Open Price,Close Price"
		trade = "EURUSD,2026-01-13 09:30:00,2026-01-13 10:30:00,1.05000,1.05100"
		again = "EURUSD,2026-01-14 09:30:00,2026-01-14 10:30:00,1.05000,1.05100"
		fills = "Exec Time,Symbol,Expiry,Strike,Option Type,Action,Qty,Price\n"
		kept  = "EURUSD | buy |  | 2026-01-13T09:30:00 | 1.05 | 2026-01-13T10:30:00 | 1.051 | "
		later = "EURUSD | buy |  | 2026-01-14T09:30:00 | 1.05 | 2026-01-14T10:30:00 | 1.051 | "
	)
	tests := []struct{ name, text, want string }{
		{
			"the side alone in a column of another name", times + ",Setup,Position,Profit\n" + trade + ",retest,Long,100\n" + again + ",retest,Short,-100\n",
			"told: no_costs\n" + kept + " |  | 100\n" + strings.Replace(later, "buy", "sell", 1) + " |  | -100\n",
		},
		{
			"a total of the other amounts", times + ",Side,Profit,Commission,Swap,Total\n" + trade + ",Buy,100,-5,-1,94\n" + again + ",Buy,50,-5,0,45\n",
			kept + "-5 | -1 | 94\n" + later + "-5 | 0 | 45\n",
		},
		{
			"a total of the trades before", times + ",Side,Profit,Total\n" + trade + ",Buy,100,100\n" + again + ",Buy,50,150\n",
			"told: no_costs\n" + kept + " |  | 100\n" + later + " |  | 50\n",
		},
		{
			"costs of other names", times + ",Side,Gross P&L,Exec Fee,Overnight Fee\n" + trade + ",Buy,100,-5,-1\n",
			kept + "-5 | -1 | 94\n",
		},
		{
			"a result after costs", times + ",Side,PnL,Trading Fees,P&L after fees\n" + trade + ",Buy,100,5,95\n",
			"told: costs_positive\n" + kept + "-5 |  | 95\n",
		},
		{
			"prices called Open and Close", "Symbol,Side,Open Time,Open,Close Time,Close,Profit\nEURUSD,Buy,2026-01-13 09:30:00,1.05,2026-01-13 10:30:00,1.051,100\n",
			"told: no_costs\n" + kept + " |  | 100\n",
		},
		{
			"contracts of one underlying", fills +
				"2026-01-13 09:30:00,NIFTY,2026-01-29,26000,CE,Buy,75,50\n2026-01-13 09:31:00,NIFTY,2026-02-26,26000,CE,Sell,75,90\n" +
				"2026-01-13 09:32:00,NIFTY,2026-01-29,26000,CE,Sell,75,55\n2026-01-13 09:33:00,NIFTY,2026-02-26,26000,CE,Buy,75,80\n",
			"told: flat_start_assumed\nNIFTY 2026-01-29 26000 CE | buy | 75 | 2026-01-13T09:30:00 | 50 | 2026-01-13T09:32:00 | 55 |  |  |\n" +
				"NIFTY 2026-02-26 26000 CE | sell | 75 | 2026-01-13T09:31:00 | 90 | 2026-01-13T09:33:00 | 80 |  |  |\n",
		},
		{
			"sides of positions, and what was done", "Date,Time,Symbol,Side,Action,Qty,Price,Commission\n2026-01-13,09:30:00,AMD,Short,Open,10,150,-1\n2026-01-13,09:31:00,AMD,Short,Close,10,149,-1\n",
			"AMD | sell | 10 | 2026-01-13T09:30:00 | 150 | 2026-01-13T09:31:00 | 149 | -2 |  |\n",
		},
		{
			"both sides of a symbol at once", "Exec Time,Symbol,Side,Position Side,Qty,Price\n2026-01-13 09:30:00,BTCUSDT,BUY,LONG,1,100\n2026-01-13 09:31:00,BTCUSDT,SELL,SHORT,1,101\n" +
				"2026-01-13 09:32:00,BTCUSDT,SELL,LONG,1,102\n2026-01-13 09:33:00,BTCUSDT,BUY,SHORT,1,99\n",
			"BTCUSDT | buy | 1 | 2026-01-13T09:30:00 | 100 | 2026-01-13T09:32:00 | 102 |  |  |\nBTCUSDT | sell | 1 | 2026-01-13T09:31:00 | 101 | 2026-01-13T09:33:00 | 99 |  |  |\n",
		},
		{
			"a volume that is what was paid", "Exec Time,Symbol,Side,Price,Quantity,Volume\n2026-01-13 09:30:00,ES,Buy,100,2,200\n2026-01-13 09:31:00,ES,Sell,110,2,220\n",
			"told: flat_start_assumed\nES | buy | 2 | 2026-01-13T09:30:00 | 100 | 2026-01-13T09:31:00 | 110 |  |  |\n",
		},
		{
			"dates beside an American zone", "Exec Time,Symbol,Side,Price,Qty\n03/04/2026 09:30:00 EST,ES,Buy,100,2\n03/04/2026 09:31:00 EST,ES,Sell,110,2\n",
			"told: timezone_not_used flat_start_assumed\nES | buy | 2 | 2026-03-04T14:30:00 | 100 | 2026-03-04T14:31:00 | 110 |  |  |\n",
		},
		{
			"a side in the symbol", "Contract,Open Time,Close Time,Size,PnL\nBTCUSDT Long·20x,2026-01-13 09:30:00,2026-01-13 10:30:00,0.5BTC,100\nBTCUSDT Short·20x,2026-01-14 09:30:00,2026-01-14 10:30:00,0.5BTC,-50\n",
			"told: no_costs\nBTCUSDT | buy | 0.5 | 2026-01-13T09:30:00 |  | 2026-01-13T10:30:00 |  |  |  | 100\nBTCUSDT | sell | 0.5 | 2026-01-14T09:30:00 |  | 2026-01-14T10:30:00 |  |  |  | -50\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := mustRead(t, "a.csv", []byte(test.text), zoned("UTC"))
			if diff := cmp.Diff(test.want, describeExport(f)); diff != "" {
				t.Errorf("read (-want +got):\n%s", diff)
			}
		})
	}
}

// Tables that could only be read by guessing.
func TestColumnsThatDecideNothing(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, text, want string }{
		{"the side of what closed", "Symbol,Open Time,Close Time,Exit name,Profit\nES,2026-01-13 09:30:00,2026-01-13 10:30:00,Sell,100\n", "Missing: side"},
		{"dates beside a European zone", "Exec Time,Symbol,Side,Price,Qty\n03/04/2026 09:30:00 CET,ES,Buy,100,2\n03/04/2026 09:31:00 CET,ES,Sell,110,2\n", "which number is the day"},
		{
			"a trade on margin", `"txid","ordertxid","pair","time","type","ordertype","price","cost","fee","vol","margin","misc","ledgers"` + "\nT1,O1,XXBTZUSD,2026-01-13 09:30:00.1,sell,limit,90000.0,9000.0,23.4,0.1,1800.0,,\n",
			"a trade on margin does not say",
		},
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

// describeExport writes what users are told and the trades on lines. That the account, its currency or a known
// format is missing says nothing of the trades.
func describeExport(f *file) string {
	var b strings.Builder
	var told []string
	for _, w := range f.Warnings {
		if !slices.Contains([]string{"account_unknown", "currency_unknown", "low_confidence"}, w.Code) {
			told = append(told, w.Code)
		}
	}
	if told != nil {
		b.WriteString("told: " + strings.Join(told, " ") + "\n")
	}
	moment := func(at time.Time) string {
		if at.IsZero() {
			return ""
		}
		return at.Format("2006-01-02T15:04:05")
	}
	for _, t := range f.Trades {
		cells := []string{
			t.Symbol, string(t.Side), string(t.Volume), moment(t.OpenTime), string(t.OpenPrice), moment(t.CloseTime), string(t.ClosePrice),
			string(t.Commission), string(t.Swap), string(t.Profit),
		}
		b.WriteString(strings.TrimRight(strings.Join(cells, " | "), " ") + "\n")
	}
	return b.String()
}
