package format

import "github.com/assayhq/assay/internal/statement/value"

// futures are the exports of futures platforms. Volumes are contracts.
var futures = []Format{
	{
		Name: "topstepx", Platform: "other", Kind: Positions, Confidence: High, Profit: Gross, CostsPositive: true, Order: value.MDY,
		Columns: []Column{
			{"id", RoleID},
			{"contractname", RoleSymbol},
			{"enteredat", RoleOpenTime},
			{"exitedat", RoleCloseTime},
			{"entryprice", RoleOpenPrice},
			{"exitprice", RoleClosePrice},
			{"fees", RoleCommission},
			{"pnl", RoleProfit},
			{"size", RoleVolume},
			{"type", RoleSide},
		},
		Optional: []Column{{"commissions", RoleCommission}, {"account", RoleAccount}, {"accountname", RoleAccount}, {"tradeday", NoRole}, {"tradeduration", NoRole}},
	},
	{
		// Orders name their side by the book that they were filled from.
		Name: "topstepx_orders", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown, Order: value.MDY, Netting: true,
		Columns: []Column{
			{"contractname", RoleSymbol},
			{"status", RoleState},
			{"size", RoleVolume},
			{"side", RoleSide},
			{"filledat", RoleOpenTime},
			{"executeprice", RoleOpenPrice},
		},
		Optional: []Column{{"id", RoleID}, {"positiondisposition", RoleEntry}, {"accountname", RoleAccount}, {"account", RoleAccount}},
	},
	{
		// The side is that of the leg that came first.
		Name: "tradovate_performance", Platform: "other", Kind: Positions, Confidence: High, Profit: Gross, Order: value.MDY,
		Columns: []Column{
			{"symbol", RoleSymbol},
			{"buyfillid", RoleBuyID},
			{"sellfillid", RoleSellID},
			{"qty", RoleVolume},
			{"buyprice", RoleBuyPrice},
			{"sellprice", RoleSellPrice},
			{"pnl", RoleProfit},
			{"boughttimestamp", RoleBuyTime},
			{"soldtimestamp", RoleSellTime},
		},
		Optional: []Column{{"account", RoleAccount}},
	},
	{
		// The legs of positions, with the same fills as in Performance.
		Name: "tradovate_positions", Platform: "other", Kind: Positions, Confidence: High, Profit: Gross, Order: value.MDY,
		Columns: []Column{
			{"contract", RoleSymbol},
			{"netpos", NoRole},
			{"pairid", NoRole},
			{"buyfillid", RoleBuyID},
			{"sellfillid", RoleSellID},
			{"pairedqty", RoleVolume},
			{"buyprice", RoleBuyPrice},
			{"sellprice", RoleSellPrice},
			{"pl", RoleProfit},
			{"boughttimestamp", RoleBuyTime},
			{"soldtimestamp", RoleSellTime},
		},
		Optional: []Column{{"account", RoleAccount}, {"currency", RoleCurrency}},
	},
	{
		// The first of two columns called Timestamp is in UTC.
		Name: "tradovate_fills", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown, CostsPositive: true, Order: value.MDY,
		Columns: []Column{
			{"fillid", RoleID},
			{"bs", RoleSide},
			{"contract", RoleSymbol},
			{"quantity", RoleVolume},
			{"price", RoleOpenPrice},
			{"timestamp", RoleOpenTime},
			{"commission", RoleCommission},
		},
		Optional: []Column{{"account", RoleAccount}},
	},
	{
		Name: "tradovate_orders", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown, Order: value.MDY,
		Columns: []Column{
			{"orderid", RoleID},
			{"bs", RoleSide},
			{"contract", RoleSymbol},
			{"avgprice", RoleOpenPrice},
			{"filledqty", RoleVolume},
			{"filltime", RoleOpenTime},
			{"status", RoleState},
		},
		Optional: []Column{{"account", RoleAccount}, {"currency", RoleCurrency}},
	},
	{
		// The list of completed orders, also as R | Trader's users choose its columns.
		Name: "rithmic_orders", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown, American: true,
		Columns: []Column{
			{"account", RoleAccount},
			{"status", RoleState},
			{"buysell", RoleSide},
			{"symbol", RoleSymbol},
			{"qtyfilled", RoleVolume},
			{"avgfillprice", RoleOpenPrice},
			{"updatetime", RoleOpenTime},
		},
		Optional: []Column{{"ordernumber", RoleID}},
	},
	{
		// The performance report. Who wrote its importers had no export of an account, so that its columns are known by name.
		Name: "rithmic_performance", Platform: "other", Kind: Positions, Confidence: Medium, Profit: Gross, CostsPositive: true, American: true,
		Columns: []Column{
			{"instrument", RoleSymbol},
			{"fillsize", RoleVolume},
			{"profit", RoleGross}, // Trade P&L
			{"entrybuysell", RoleSide},
			{"entryprice", RoleOpenPrice},
			{"entrytime", RoleOpenTime},
			{"exitprice", RoleClosePrice},
			{"exittime", RoleCloseTime},
		},
		Optional: []Column{{"account", RoleAccount}, {"commissionfees", RoleCommission}, {"netpl", RoleNet}},
	},
	tradingViewOrders("closingtime"),
	tradingViewOrders("closetime"), // in German
	tradingViewTrades(Column{"signal", RoleState}),
	tradingViewTrades(),
	tradingViewBroker("status"),
	tradingViewBroker("state"), // in Spanish
	{
		// The panel of trades. The result of a fill is that of what it closes.
		Name: "quantower", Platform: "other", Kind: Fills, Confidence: Low, Profit: Gross, CostsPositive: true, Order: value.MDY, LocalDates: true,
		Columns: []Column{
			{"account", RoleAccount},
			{"datetime", RoleOpenTime},
			{"symbol", RoleSymbol},
			{"side", RoleSide},
			{"quantity", RoleVolume},
			{"price", RoleOpenPrice},
			{"grosspl", RoleProfit},
			{"fee", RoleCommission},
			{"netpl", NoRole},
		},
		Optional: []Column{{"tradeid", RoleID}, {"positionid", RolePosition}},
	},
	{
		// The log of trade activity of Sierra Chart. The quantity of a fill is its own, not what has been filled of the order.
		Name: "sierra_activity", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown, Netting: true,
		Columns: []Column{
			{"activitytype", RoleKind},
			{"datetime", RoleOpenTime},
			{"symbol", RoleSymbol},
			{"quantity", RoleVolume},
			{"buysell", RoleSide},
			{"fillprice", RoleOpenPrice},
		},
		Optional: []Column{{"fillexecutionserviceid", RoleID}, {"tradeaccount", RoleAccount}, {"openclose", RoleEntry}, {"orderactionsource", RoleMessage}},
	},
	{
		// The list of trades of Sierra Chart. Results are after commissions.
		Name: "sierra_trades", Platform: "other", Kind: Positions, Confidence: High, Profit: Net, CostsPositive: true,
		Columns: []Column{
			{"symbol", RoleSymbol},
			{"tradetype", RoleSide},
			{"entrydatetime", RoleOpenTime},
			{"exitdatetime", RoleCloseTime},
			{"entryprice", RoleOpenPrice},
			{"exitprice", RoleClosePrice},
			{"tradequantity", RoleVolume},
			{"profitloss", RoleProfit},
		},
		Optional: []Column{
			{"commission", RoleCommission},
			{"account", RoleAccount},
			{"cumulativeprofitloss", RoleRunning},
			{"highestcumulativepl", RoleRunning},
			{"lowestcumulativepl", RoleRunning},
			{"maximumrunup", RoleRunning},
			{"maximumdrawdown", RoleRunning},
		},
	},
	{
		// The orders of WealthCharts, of which each was filled. A result is after commissions.
		Name: "wealthcharts", Platform: "other", Kind: Fills, Confidence: Low, Profit: Net, Signed: true,
		Words: map[string]string{"1": "in", "2": "out", "3": "in", "4": "out"},
		Columns: []Column{
			{"name", RoleAccount},
			{"orderid", RoleID},
			{"symbol", RoleSymbol},
			{"movtime", RoleOpenTime},
			{"movtype", RoleEntry},
			{"execqty", RoleVolume},
			{"pricedone", RoleOpenPrice},
			{"points", NoRole},
			{"profit", RoleProfit},
		},
	},
	profitOperations(true, Column{"qtdcompra", RoleVolume}, Column{"qtdvenda", RoleVolume}),
	profitOperations(false, Column{"qty", RoleVolume}),
	{
		// The list of orders of Nelogica's Profit, of which each has what was filled of it.
		Name: "profit_orders", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown, Order: value.DMY, Mark: value.Comma, Netting: true,
		Words: map[string]string{"C": "buy", "V": "sell"},
		Columns: []Column{
			{"account", RoleAccount},
			{"clordid", RoleID},
			{"symbol", RoleSymbol},
			{"side", RoleSide},
			{"status", RoleState},
			{"ultimaatualizacao", RoleOpenTime},
			{"precomedio", RoleOpenPrice},
			{"qtdexecutada", RoleVolume},
		},
	},
	atasTrades("instrument"),
	atasTrades("symbol"), // in Chinese
	{
		// The list of trades of DeepCharts.
		Name: "deepcharts", Platform: "other", Kind: Positions, Confidence: High, Profit: Gross, Signed: true, Order: value.MDY, LocalDates: true,
		Columns: []Column{
			{"symbol", RoleSymbol},
			{"quantity", RoleVolume},
			{"entrydt", RoleOpenTime},
			{"entryprice", RoleOpenPrice},
			{"exitdt", RoleCloseTime},
			{"exitprice", RoleClosePrice},
			{"profitloss", RoleProfit},
		},
	},
	ninjaTrader("instrument", "qty"),
	ninjaTrader("instrument", "quantity"), // as it was written earlier
	ninjaTrader("symbol", "qty"),          // in Portuguese
	ninjaTraderExecutions("quantity"),
	ninjaTraderExecutions("volume"), // in German
	{
		// The grid of orders, whose time is when an order last changed its state: when it was filled.
		Name: "ninjatrader_orders", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown, Order: value.MDY, LocalDates: true, Netting: true,
		Columns: []Column{
			{"instrument", RoleSymbol},
			{"action", RoleSide},
			{"quantity", NoRole},
			{"state", RoleState},
			{"filled", RoleVolume},
			{"avgprice", RoleOpenPrice},
			{"remaining", NoRole},
			{"time", RoleOpenTime},
		},
		Optional: []Column{{"id", RoleID}, {"account", RoleAccount}, {"accountdisplayname", RoleAccount}},
	},
}

// ninjaTraderExecutions are the executions of NinjaTrader, by the name of the column of volumes in English.
func ninjaTraderExecutions(volume string) Format {
	return Format{
		Name: "ninjatrader_executions", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown, CostsPositive: true, Order: value.MDY, LocalDates: true, Netting: true,
		Columns: []Column{
			{"instrument", RoleSymbol},
			{"action", RoleSide},
			{volume, RoleVolume},
			{"price", RoleOpenPrice},
			{"time", RoleOpenTime},
			{"ex", RoleEntry},
		},
		Optional: []Column{{"id", RoleID}, {"commission", RoleCommission}, {"account", RoleAccount}, {"accountdisplayname", RoleAccount}, {"position", RoleHeld}},
	}
}

// tradingViewOrders are the orders of paper trading and of brokers, by the name of the column of the time at which an order closed,
// which is when it was filled.
func tradingViewOrders(closed string) Format {
	return Format{
		Name: "tradingview_orders", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown, CostsPositive: true,
		Words: map[string]string{"Take Profit": "close", "Stop Loss": "close"},
		Columns: []Column{
			{"symbol", RoleSymbol},
			{"side", RoleSide},
			{"fillprice", RoleOpenPrice},
			{"placingtime", NoRole},
			{closed, RoleOpenTime},
		},
		Optional: []Column{{"type", RoleKind}, {"orderid", RoleID}, {"qty", RoleVolume}, {"quantity", RoleVolume}, {"volume", RoleVolume}, {"status", RoleState}, {"commission", RoleCommission}},
	}
}

// tradingViewTrades is the history of trades of paper trading, with a row for what opened each and one for what closed
// it. Of one that is open the latter says so instead of a time, or as its signal. The result is after commissions and stands in
// both rows, and a commission may be that of the row or of the trade.
func tradingViewTrades(signal ...Column) Format {
	return Format{
		Name: "tradingview_trades", Platform: "other", Kind: Fills, Confidence: High, Profit: Net, Numbered: true,
		Words: map[string]string{"Entry long": "buy", "Exit long": "sell", "Entry short": "sell", "Exit short": "buy", "Open": "pending"},
		Columns: append([]Column{
			{"symbol", RoleSymbol},
			{"tradenumber", RolePosition},
			{"type", RoleSide},
			{"dateandtime", RoleOpenTime},
			{"orderid", RoleID},
			{"price", RoleOpenPrice},
			{"size", RoleVolume},
			{"netpnl", RoleProfit},
		}, signal...),
		Optional: []Column{{"cumulativepnl", RoleRunning}},
	}
}

// tradingViewBroker is the history of orders at a connected broker. The result of a fill is that of what it closes.
// Brokers may show in the time of a filled stop or target when it was last changed.
func tradingViewBroker(state string) Format {
	return Format{
		Name: "tradingview_orders", Platform: "other", Kind: Fills, Confidence: Low, Profit: Gross,
		Words: map[string]string{"Take Profit": "close", "Stop Loss": "close"},
		Columns: []Column{
			{"symbol", RoleSymbol},
			{"side", RoleSide},
			{"filledqty", RoleVolume},
			{"avgfillprice", RoleOpenPrice},
			{state, RoleState},
			{"updatetime", RoleOpenTime},
		},
		Optional: []Column{{"type", RoleKind}, {"orderid", RoleID}, {"commission", RoleCommission}, {"closedpl", RoleProfit}},
	}
}

// profitOperations is the report of operations of Nelogica's Profit, of Brazil's futures. The prices are those that were
// bought and sold at.
func profitOperations(bothVolumes bool, volumes ...Column) Format {
	return Format{
		Name: "profit_operations", Platform: "other", Kind: Positions, Confidence: High, Profit: Gross, Order: value.DMY, BothVolumes: bothVolumes,
		Words: map[string]string{"C": "buy", "V": "sell"},
		Columns: append(volumes,
			Column{"symbol", RoleSymbol},
			Column{"open", RoleOpenTime},
			Column{"close", RoleCloseTime},
			Column{"side", RoleSide},
			Column{"precocompra", RoleBuyPrice},
			Column{"precovenda", RoleSellPrice},
			Column{"resoperacao", RoleProfit},
		),
		// The price is the market's of now, and the time that since the operation before.
		Optional: []Column{{"total", RoleRunning}, {"drawdown", RoleRunning}, {"precodemercado", RoleRunning}, {"tet", RoleRunning}},
	}
}

// ninjaTrader is the list of a performance report's trades. Its columns have the names
// of the terminal's language, and the senders choose them. Whether profits are before or
// after costs is a setting, which the running sum of the net results shows.
func ninjaTrader(symbol, quantity string) Format {
	return Format{
		Name: "ninjatrader", Platform: "other", Kind: Positions, Confidence: High, Profit: Net, CostsPositive: true, Order: value.MDY, LocalDates: true,
		Columns: []Column{
			{symbol, RoleSymbol},
			{"account", RoleAccount},
			{"marketpos", RoleSide},
			{quantity, RoleVolume},
			{"entryprice", RoleOpenPrice},
			{"exitprice", RoleClosePrice},
			{"entrytime", RoleOpenTime},
			{"exittime", RoleCloseTime},
			{"profit", RoleProfit},
		},
		Optional: []Column{
			{"commission", RoleCommission},
			{"clearingfee", RoleCommission},
			{"exchangefee", RoleCommission},
			{"ipfee", RoleCommission},
			{"nfafee", RoleCommission},
			{"cumnetprofit", RoleRunning},
			{"cumprofit", RoleRunning},
			{"strategy", NoRole},
			{"tradenumber", NoRole},
		},
	}
}

// atasTrades is the journal of a workbook that also holds statistics and executions. Costs are in the latter.
func atasTrades(symbol string) Format {
	return Format{
		Name: "atas", Platform: "other", Kind: Positions, Confidence: High, Profit: Gross, Signed: true,
		Columns: []Column{
			{"account", RoleAccount},
			{symbol, RoleSymbol},
			{"opentime", RoleOpenTime},
			{"openprice", RoleOpenPrice},
			{"openvolume", RoleVolume},
			{"closetime", RoleCloseTime},
			{"closeprice", RoleClosePrice},
			{"closevolume", NoRole},
			{"pnl", RoleProfit},
		},
	}
}
