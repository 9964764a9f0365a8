package statement

import "github.com/assayhq/assay/internal/statement/value"

// futures are the exports of futures platforms. Volumes are contracts.
var futures = []format{
	{
		name: "topstepx", platform: "other", kind: positions, confidence: High, profit: gross, costsPositive: true, order: value.MDY,
		columns: []column{
			{"id", roleID},
			{"contractname", roleSymbol},
			{"enteredat", roleOpenTime},
			{"exitedat", roleCloseTime},
			{"entryprice", roleOpenPrice},
			{"exitprice", roleClosePrice},
			{"fees", roleCommission},
			{"pnl", roleProfit},
			{"size", roleVolume},
			{"type", roleSide},
		},
		optional: []column{{"commissions", roleCommission}, {"account", roleAccount}, {"accountname", roleAccount}, {"tradeday", noRole}, {"tradeduration", noRole}},
	},
	{
		// Orders name their side by the book that they were filled from.
		name: "topstepx_orders", platform: "other", kind: fills, confidence: Low, profit: unknown, order: value.MDY, netting: true,
		columns: []column{
			{"contractname", roleSymbol},
			{"status", roleState},
			{"size", roleVolume},
			{"side", roleSide},
			{"filledat", roleOpenTime},
			{"executeprice", roleOpenPrice},
		},
		optional: []column{{"id", roleID}, {"positiondisposition", roleEntry}, {"accountname", roleAccount}, {"account", roleAccount}},
	},
	{
		// The side is that of the leg that came first.
		name: "tradovate_performance", platform: "other", kind: positions, confidence: High, profit: gross, order: value.MDY,
		columns: []column{
			{"symbol", roleSymbol},
			{"buyfillid", roleBuyID},
			{"sellfillid", roleSellID},
			{"qty", roleVolume},
			{"buyprice", roleBuyPrice},
			{"sellprice", roleSellPrice},
			{"pnl", roleProfit},
			{"boughttimestamp", roleBuyTime},
			{"soldtimestamp", roleSellTime},
		},
		optional: []column{{"account", roleAccount}},
	},
	{
		// The legs of positions, with the same fills as in Performance.
		name: "tradovate_positions", platform: "other", kind: positions, confidence: High, profit: gross, order: value.MDY,
		columns: []column{
			{"contract", roleSymbol},
			{"netpos", noRole},
			{"pairid", noRole},
			{"buyfillid", roleBuyID},
			{"sellfillid", roleSellID},
			{"pairedqty", roleVolume},
			{"buyprice", roleBuyPrice},
			{"sellprice", roleSellPrice},
			{"pl", roleProfit},
			{"boughttimestamp", roleBuyTime},
			{"soldtimestamp", roleSellTime},
		},
		optional: []column{{"account", roleAccount}, {"currency", roleCurrency}},
	},
	{
		// The first of two columns called Timestamp is in UTC.
		name: "tradovate_fills", platform: "other", kind: fills, confidence: Low, profit: unknown, costsPositive: true, order: value.MDY,
		columns: []column{
			{"fillid", roleID},
			{"bs", roleSide},
			{"contract", roleSymbol},
			{"quantity", roleVolume},
			{"price", roleOpenPrice},
			{"timestamp", roleOpenTime},
			{"commission", roleCommission},
		},
		optional: []column{{"account", roleAccount}},
	},
	{
		name: "tradovate_orders", platform: "other", kind: fills, confidence: Low, profit: unknown, order: value.MDY,
		columns: []column{
			{"orderid", roleID},
			{"bs", roleSide},
			{"contract", roleSymbol},
			{"avgprice", roleOpenPrice},
			{"filledqty", roleVolume},
			{"filltime", roleOpenTime},
			{"status", roleState},
		},
		optional: []column{{"account", roleAccount}, {"currency", roleCurrency}},
	},
	{
		// The list of completed orders, also as R | Trader's users choose its columns.
		name: "rithmic_orders", platform: "other", kind: fills, confidence: Low, profit: unknown, american: true,
		columns: []column{
			{"account", roleAccount},
			{"status", roleState},
			{"buysell", roleSide},
			{"symbol", roleSymbol},
			{"qtyfilled", roleVolume},
			{"avgfillprice", roleOpenPrice},
			{"updatetime", roleOpenTime},
		},
		optional: []column{{"ordernumber", roleID}},
	},
	{
		// The performance report. Who wrote its importers had no export of an account, so that its columns are known by name.
		name: "rithmic_performance", platform: "other", kind: positions, confidence: Medium, profit: gross, costsPositive: true, american: true,
		columns: []column{
			{"instrument", roleSymbol},
			{"fillsize", roleVolume},
			{"profit", roleGross}, // Trade P&L
			{"entrybuysell", roleSide},
			{"entryprice", roleOpenPrice},
			{"entrytime", roleOpenTime},
			{"exitprice", roleClosePrice},
			{"exittime", roleCloseTime},
		},
		optional: []column{{"account", roleAccount}, {"commissionfees", roleCommission}, {"netpl", roleNet}},
	},
	tradingViewOrders("closingtime"),
	tradingViewOrders("closetime"), // in German
	tradingViewTrades(column{"signal", roleState}),
	tradingViewTrades(),
	tradingViewBroker("status"),
	tradingViewBroker("state"), // in Spanish
	{
		// The panel of trades. The result of a fill is that of what it closes.
		name: "quantower", platform: "other", kind: fills, confidence: Low, profit: gross, costsPositive: true, order: value.MDY, localDates: true,
		columns: []column{
			{"account", roleAccount},
			{"datetime", roleOpenTime},
			{"symbol", roleSymbol},
			{"side", roleSide},
			{"quantity", roleVolume},
			{"price", roleOpenPrice},
			{"grosspl", roleProfit},
			{"fee", roleCommission},
			{"netpl", noRole},
		},
		optional: []column{{"tradeid", roleID}, {"positionid", rolePosition}},
	},
	{
		// The log of trade activity of Sierra Chart. The quantity of a fill is its own, not what has been filled of the order.
		name: "sierra_activity", platform: "other", kind: fills, confidence: Low, profit: unknown, netting: true,
		columns: []column{
			{"activitytype", roleKind},
			{"datetime", roleOpenTime},
			{"symbol", roleSymbol},
			{"quantity", roleVolume},
			{"buysell", roleSide},
			{"fillprice", roleOpenPrice},
		},
		optional: []column{{"fillexecutionserviceid", roleID}, {"tradeaccount", roleAccount}, {"openclose", roleEntry}, {"orderactionsource", roleMessage}},
	},
	{
		// The list of trades of Sierra Chart. Results are after commissions.
		name: "sierra_trades", platform: "other", kind: positions, confidence: High, profit: net, costsPositive: true,
		columns: []column{
			{"symbol", roleSymbol},
			{"tradetype", roleSide},
			{"entrydatetime", roleOpenTime},
			{"exitdatetime", roleCloseTime},
			{"entryprice", roleOpenPrice},
			{"exitprice", roleClosePrice},
			{"tradequantity", roleVolume},
			{"profitloss", roleProfit},
		},
		optional: []column{
			{"commission", roleCommission},
			{"account", roleAccount},
			{"cumulativeprofitloss", roleRunning},
			{"highestcumulativepl", roleRunning},
			{"lowestcumulativepl", roleRunning},
			{"maximumrunup", roleRunning},
			{"maximumdrawdown", roleRunning},
		},
	},
	{
		// The orders of WealthCharts, of which each was filled. A result is after commissions.
		name: "wealthcharts", platform: "other", kind: fills, confidence: Low, profit: net, signed: true,
		words: map[string]string{"1": "in", "2": "out", "3": "in", "4": "out"},
		columns: []column{
			{"name", roleAccount},
			{"orderid", roleID},
			{"symbol", roleSymbol},
			{"movtime", roleOpenTime},
			{"movtype", roleEntry},
			{"execqty", roleVolume},
			{"pricedone", roleOpenPrice},
			{"points", noRole},
			{"profit", roleProfit},
		},
	},
	profitOperations(true, column{"qtdcompra", roleVolume}, column{"qtdvenda", roleVolume}),
	profitOperations(false, column{"qty", roleVolume}),
	{
		// The list of orders of Nelogica's Profit, of which each has what was filled of it.
		name: "profit_orders", platform: "other", kind: fills, confidence: Low, profit: unknown, order: value.DMY, mark: value.Comma, netting: true,
		words: map[string]string{"C": "buy", "V": "sell"},
		columns: []column{
			{"account", roleAccount},
			{"clordid", roleID},
			{"symbol", roleSymbol},
			{"side", roleSide},
			{"status", roleState},
			{"ultimaatualizacao", roleOpenTime},
			{"precomedio", roleOpenPrice},
			{"qtdexecutada", roleVolume},
		},
	},
	atasTrades("instrument"),
	atasTrades("symbol"), // in Chinese
	{
		// The list of trades of DeepCharts.
		name: "deepcharts", platform: "other", kind: positions, confidence: High, profit: gross, signed: true, order: value.MDY, localDates: true,
		columns: []column{
			{"symbol", roleSymbol},
			{"quantity", roleVolume},
			{"entrydt", roleOpenTime},
			{"entryprice", roleOpenPrice},
			{"exitdt", roleCloseTime},
			{"exitprice", roleClosePrice},
			{"profitloss", roleProfit},
		},
	},
	ninjaTrader("instrument", "qty"),
	ninjaTrader("instrument", "quantity"), // as it was written earlier
	ninjaTrader("symbol", "qty"),          // in Portuguese
	ninjaTraderExecutions("quantity"),
	ninjaTraderExecutions("volume"), // in German
	{
		// The grid of orders, whose time is when an order last changed its state: when it was filled.
		name: "ninjatrader_orders", platform: "other", kind: fills, confidence: Low, profit: unknown, order: value.MDY, localDates: true, netting: true,
		columns: []column{
			{"instrument", roleSymbol},
			{"action", roleSide},
			{"quantity", noRole},
			{"state", roleState},
			{"filled", roleVolume},
			{"avgprice", roleOpenPrice},
			{"remaining", noRole},
			{"time", roleOpenTime},
		},
		optional: []column{{"id", roleID}, {"account", roleAccount}, {"accountdisplayname", roleAccount}},
	},
}

// ninjaTraderExecutions are the executions of NinjaTrader, by the name of the column of volumes in English.
func ninjaTraderExecutions(volume string) format {
	return format{
		name: "ninjatrader_executions", platform: "other", kind: fills, confidence: Low, profit: unknown, costsPositive: true, order: value.MDY, localDates: true, netting: true,
		columns: []column{
			{"instrument", roleSymbol},
			{"action", roleSide},
			{volume, roleVolume},
			{"price", roleOpenPrice},
			{"time", roleOpenTime},
			{"ex", roleEntry},
		},
		optional: []column{{"id", roleID}, {"commission", roleCommission}, {"account", roleAccount}, {"accountdisplayname", roleAccount}, {"position", roleHeld}},
	}
}

// tradingViewOrders are the orders of paper trading and of brokers, by the name of the column of the time at which an order closed,
// which is when it was filled.
func tradingViewOrders(closed string) format {
	return format{
		name: "tradingview_orders", platform: "other", kind: fills, confidence: Low, profit: unknown, costsPositive: true,
		words: map[string]string{"Take Profit": "close", "Stop Loss": "close"},
		columns: []column{
			{"symbol", roleSymbol},
			{"side", roleSide},
			{"fillprice", roleOpenPrice},
			{"placingtime", noRole},
			{closed, roleOpenTime},
		},
		optional: []column{{"type", roleKind}, {"orderid", roleID}, {"qty", roleVolume}, {"quantity", roleVolume}, {"volume", roleVolume}, {"status", roleState}, {"commission", roleCommission}},
	}
}

// tradingViewTrades is the history of trades of paper trading, with a row for what opened each and one for what closed
// it. Of one that is open the latter says so instead of a time, or as its signal. The result is after commissions and stands in
// both rows, and a commission may be that of the row or of the trade.
func tradingViewTrades(signal ...column) format {
	return format{
		name: "tradingview_trades", platform: "other", kind: fills, confidence: High, profit: net, numbered: true,
		words: map[string]string{"Entry long": "buy", "Exit long": "sell", "Entry short": "sell", "Exit short": "buy", "Open": "pending"},
		columns: append([]column{
			{"symbol", roleSymbol},
			{"tradenumber", rolePosition},
			{"type", roleSide},
			{"dateandtime", roleOpenTime},
			{"orderid", roleID},
			{"price", roleOpenPrice},
			{"size", roleVolume},
			{"netpnl", roleProfit},
		}, signal...),
		optional: []column{{"cumulativepnl", roleRunning}},
	}
}

// tradingViewBroker is the history of orders at a connected broker. The result of a fill is that of what it closes.
// Brokers may show in the time of a filled stop or target when it was last changed.
func tradingViewBroker(state string) format {
	return format{
		name: "tradingview_orders", platform: "other", kind: fills, confidence: Low, profit: gross,
		words: map[string]string{"Take Profit": "close", "Stop Loss": "close"},
		columns: []column{
			{"symbol", roleSymbol},
			{"side", roleSide},
			{"filledqty", roleVolume},
			{"avgfillprice", roleOpenPrice},
			{state, roleState},
			{"updatetime", roleOpenTime},
		},
		optional: []column{{"type", roleKind}, {"orderid", roleID}, {"commission", roleCommission}, {"closedpl", roleProfit}},
	}
}

// profitOperations is the report of operations of Nelogica's Profit, of Brazil's futures. The prices are those that were
// bought and sold at.
func profitOperations(bothVolumes bool, volumes ...column) format {
	return format{
		name: "profit_operations", platform: "other", kind: positions, confidence: High, profit: gross, order: value.DMY, bothVolumes: bothVolumes,
		words: map[string]string{"C": "buy", "V": "sell"},
		columns: append(volumes,
			column{"symbol", roleSymbol},
			column{"open", roleOpenTime},
			column{"close", roleCloseTime},
			column{"side", roleSide},
			column{"precocompra", roleBuyPrice},
			column{"precovenda", roleSellPrice},
			column{"resoperacao", roleProfit},
		),
		// The price is the market's of now, and the time that since the operation before.
		optional: []column{{"total", roleRunning}, {"drawdown", roleRunning}, {"precodemercado", roleRunning}, {"tet", roleRunning}},
	}
}

// ninjaTrader is the list of a performance report's trades. Its columns have the names
// of the terminal's language, and the senders choose them. Whether profits are before or
// after costs is a setting, which the running sum of the net results shows.
func ninjaTrader(symbol, quantity string) format {
	return format{
		name: "ninjatrader", platform: "other", kind: positions, confidence: High, profit: net, costsPositive: true, order: value.MDY, localDates: true,
		columns: []column{
			{symbol, roleSymbol},
			{"account", roleAccount},
			{"marketpos", roleSide},
			{quantity, roleVolume},
			{"entryprice", roleOpenPrice},
			{"exitprice", roleClosePrice},
			{"entrytime", roleOpenTime},
			{"exittime", roleCloseTime},
			{"profit", roleProfit},
		},
		optional: []column{
			{"commission", roleCommission},
			{"clearingfee", roleCommission},
			{"exchangefee", roleCommission},
			{"ipfee", roleCommission},
			{"nfafee", roleCommission},
			{"cumnetprofit", roleRunning},
			{"cumprofit", roleRunning},
			{"strategy", noRole},
			{"tradenumber", noRole},
		},
	}
}

// atasTrades is the journal of a workbook that also holds statistics and executions. Costs are in the latter.
func atasTrades(symbol string) format {
	return format{
		name: "atas", platform: "other", kind: positions, confidence: High, profit: gross, signed: true,
		columns: []column{
			{"account", roleAccount},
			{symbol, roleSymbol},
			{"opentime", roleOpenTime},
			{"openprice", roleOpenPrice},
			{"openvolume", roleVolume},
			{"closetime", roleCloseTime},
			{"closeprice", roleClosePrice},
			{"closevolume", noRole},
			{"pnl", roleProfit},
		},
	}
}
