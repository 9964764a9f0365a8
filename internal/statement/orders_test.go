package statement_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement"
	"github.com/assayhq/assay/internal/statement/format"
	"github.com/assayhq/assay/internal/statement/sheet"
)

// Lists of filled orders give the same positions. They state no results, because the
// value of a point is not in them.
func TestListsOfOrders(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		account string
		basis   statement.TimezoneBasis
		costs   bool
		named   bool
		skipped string
	}{
		{"tradovate_orders", "7001001", statement.ZoneGiven, false, true, "cancelled"},
		{"tradingview_orders", "", statement.ZoneGiven, false, true, "cancelled"},
		{"rithmic_orders", "7001001", statement.ZoneOfFile, false, true, "cancelled"},
		{"topstepx_orders", "7001001", statement.ZoneOfFile, false, true, "cancelled pending_order"},
		{"tradovate_fills", "7001001", statement.ZoneOfFile, true, true, ""},
		{"ninjatrader_executions", "7001001", statement.ZoneGiven, true, true, ""},
		{"ninjatrader_orders", "7001001", statement.ZoneGiven, false, true, "cancelled pending_order"},
		{"webull_orders", "", statement.ZoneOfFile, false, false, "cancelled"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := mustRead(t, test.name+".csv", load(t, test.name+".csv"), zoned("UTC"))
			want := canonical()
			for i := range want {
				w := &want[i]
				w.AccountID, w.StopLoss, w.TakeProfit, w.Swap, w.Profit = test.account, "", "", "", ""
				if !test.costs {
					w.Commission = ""
				}
				if !test.named {
					w.ID = f.Trades[i].ID
				}
			}
			if diff := cmp.Diff(want, f.Trades); diff != "" {
				t.Errorf("trades (-want +got)\n%s", diff)
			}
			if f.Format != test.name || f.Confidence != format.Low || f.TimezoneBasis != test.basis || f.NetBasis != statement.NoNet || f.Net != nil {
				t.Errorf("format %s, confidence %s, timezone %s, net %s %v", f.Format, f.Confidence, f.TimezoneBasis, f.NetBasis, f.Net)
			}
			var skipped []string
			for _, s := range f.Skipped {
				skipped = append(skipped, s.Reason)
			}
			if diff := cmp.Diff(test.skipped, strings.Join(skipped, " ")); diff != "" {
				t.Errorf("skipped (-want +got)\n%s", diff)
			}
		})
	}
}

// A list that begins within a position has closing orders first. The platform names those of brackets; a
// plain order cannot be told from an opening one, so that a warning says what may be wrong.
func TestListWithinPosition(t *testing.T) {
	t.Parallel()
	const header = "Symbol,Side,Type,Quantity,Fill price,Status,Placing time,Closing time,Order ID\n"
	order := func(id, side, kind, price string) string {
		return strings.Join([]string{"MNQ1!", side, kind, "1", price, "Filled", "2026-01-13 09:0" + id + ":00", "2026-01-13 09:0" + id + ":00", id}, ",") + "\n"
	}
	rest := order("2", "Buy", "Market", "29203") + order("3", "Sell", "Stop Loss", "29195.5")
	tests := []struct {
		name, text, want, warning string
	}{
		{"a bracket", header + order("1", "Sell", "Take Profit", "29201.25") + rest, "MNQ1! | buy | 1 | 2026-01-13 09:02:00 | 2026-01-13 09:03:00 |  | \n", "close_without_open"},
		{"a plain order", header + order("1", "Sell", "Market", "29201.25") + rest, "MNQ1! | sell | 1 | 2026-01-13 09:01:00 | 2026-01-13 09:02:00 |  | \n", "close_without_open"},
		{"plain orders", header + order("1", "Sell", "Market", "29201.25") + order("2", "Sell", "Market", "29203") + order("3", "Buy", "Market", "29195.5"), "MNQ1! | sell | 1 | 2026-01-13 09:01:00 | 2026-01-13 09:03:00 |  | \nMNQ1! | sell | 1 | 2026-01-13 09:02:00 | open |  | \n", "open_at_end"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := mustRead(t, "a.csv", []byte(test.text), zoned("UTC"))
			if diff := cmp.Diff(test.want, lines(f)); diff != "" {
				t.Errorf("trades (-want +got)\n%s", diff)
			}
			if !slices.ContainsFunc(f.Warnings, func(w sheet.Warning) bool { return w.Code == test.warning }) {
				t.Errorf("warnings %+v", f.Warnings)
			}
		})
	}
}

// An order that closes more than the file opens does not open the rest, unless the platform's own
// column of positions says so: what it closes may be older than the file.
func TestClosingMoreThanIsOpen(t *testing.T) {
	t.Parallel()
	const (
		topstepx    = "Id,ContractName,Status,Size,Side,FilledAt,ExecutePrice,PositionDisposition,AccountName\n"
		ninjatrader = "Instrument,Action,Quantity,Price,Time,E/X,ID,Commission,Account\n"
	)
	tests := []struct{ name, text, want string }{
		{
			"TopstepX", topstepx +
				"1,ESH6,Filled,2,Bid,01/13/2026 10:00:00 +00:00,6000,Opening,A\n2,ESH6,Filled,3,Ask,01/13/2026 10:05:00 +00:00,6001,Closing,A\n" +
				"3,ESH6,Filled,1,Bid,01/13/2026 11:00:00 +00:00,6010,Opening,A\n4,ESH6,Filled,1,Ask,01/13/2026 11:05:00 +00:00,6020,Closing,A\n" +
				"5,ESH6,Filled,1,Bid,01/13/2026 12:00:00 +00:00,6010,Opening,A\n6,ESH6,Filled,1,Ask,01/13/2026 12:05:00 +00:00,6020,Closing,A\n",
			"ESH6 | buy | 2 | 2026-01-13 10:00:00 | 2026-01-13 10:05:00 |  | \nESH6 | buy | 1 | 2026-01-13 11:00:00 | 2026-01-13 11:05:00 |  | \nESH6 | buy | 1 | 2026-01-13 12:00:00 | 2026-01-13 12:05:00 |  | \n",
		},
		{
			"NinjaTrader without its column of positions", ninjatrader +
				"ES 03-26,Buy,2,6000,1/13/2026 10:00:00 AM,Entry,a,$0,Sim\nES 03-26,Sell,3,6001,1/13/2026 10:05:00 AM,Exit,b,$0,Sim\n",
			"ES 03-26 | buy | 2 | 2026-01-13 10:00:00 | 2026-01-13 10:05:00 | 0 | \n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := mustRead(t, "a.csv", []byte(test.text), zoned("UTC"))
			if diff := cmp.Diff(test.want, lines(f)); diff != "" {
				t.Errorf("trades (-want +got)\n%s", diff)
			}
			if diff := cmp.Diff([]statement.Rejected{{Line: 3, Reason: statement.CloseWithoutOpen}}, f.Rejected); diff != "" {
				t.Errorf("rejected (-want +got)\n%s", diff)
			}
		})
	}
}

// What was filled of an order before it was cancelled was traded.
func TestPartFilledOrder(t *testing.T) {
	t.Parallel()
	text := strings.Replace(string(load(t, "rithmic_orders.csv")), "Cancelled,,S,0.50,EURUSD,0,,", "Cancelled,,B,0.50,EURUSD,0.2,1.0842,", 1)
	text = strings.Replace(text, "Filled,,S,0.50,EURUSD,0.50,1.0852", "Filled,,S,0.70,EURUSD,0.70,1.0852", 1)
	f := mustRead(t, "a.csv", []byte(text), zoned("UTC"))
	if len(f.Trades) != 6 || f.Trades[1].Volume != "0.2" || len(f.Skipped) != 0 {
		t.Errorf("trades %+v, skipped %v", f.Trades, f.Skipped)
	}
}

// A strategy's list of trades is no history.
func TestStrategyLists(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"Trade #,Type,Signal,Date/Time,Price,Contracts,Profit,Cum. Profit\n1,Entry Long,Long,2026-01-13 09:30,100,1,,\n1,Exit Long,Close,2026-01-13 10:30,105,1,5,5\n",
		"Trade number,Type,Date and time,Signal,Price USD,Size (qty),Net PnL USD\n1,Exit long,2026-01-13 10:30,Close,105,1,5\n1,Entry long,2026-01-13 09:30,Long,100,1,5\n",
	} {
		if _, err := read(t, "list.csv", []byte(text), statement.Options{}); err == nil || !strings.Contains(err.Error(), "strategy tester report") {
			t.Errorf("got %v", err)
		}
	}
}

// Myfxbook called the volume Lots before.
func TestMyfxbookLots(t *testing.T) {
	t.Parallel()
	text := strings.Replace(string(load(t, "myfxbook.csv")), "Units/Lots", "Lots", 1)
	f := mustRead(t, "a.csv", []byte(text), zoned("eet"))
	if f.Format != "myfxbook" || f.NetBasis != statement.StatedNet || f.Net[0].Value != record.Decimal("1239.55") {
		t.Errorf("format %s, net %s %v", f.Format, f.NetBasis, f.Net)
	}
}
