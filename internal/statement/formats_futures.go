package statement

// futures are the exports of futures platforms. Volumes are contracts.
var futures = []format{
	{
		name: "topstepx", platform: "other", kind: positions, confidence: High, profit: gross, costsPositive: true, order: MDY,
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
			{"tradeday", noRole},
			{"tradeduration", noRole},
		},
		optional: []column{{"commissions", roleCommission}, {"account", roleAccount}, {"accountname", roleAccount}},
	},
	{
		// The side is that of the leg that came first.
		name: "tradovate_performance", platform: "other", kind: positions, confidence: High, profit: gross, order: MDY,
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
		name: "tradovate_positions", platform: "other", kind: positions, confidence: High, profit: gross, order: MDY,
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
		name: "tradovate_orders", platform: "other", kind: fills, confidence: Low, profit: unknown, order: MDY,
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
		name: "rithmic_orders", platform: "other", kind: fills, confidence: Low, profit: unknown,
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
		// Orders of paper trading and of brokers. An order is filled when it closes.
		name: "tradingview_orders", platform: "other", kind: fills, confidence: Low, profit: unknown, costsPositive: true,
		columns: []column{
			{"symbol", roleSymbol},
			{"side", roleSide},
			{"type", noRole},
			{"qty", roleVolume},
			{"fillprice", roleOpenPrice},
			{"status", roleState},
			{"placingtime", noRole},
			{"closingtime", roleOpenTime},
			{"orderid", roleID},
		},
		optional: []column{{"commission", roleCommission}},
	},
	{
		// The cumulated net profit next to it is the running sum of the profit.
		name: "ninjatrader", platform: "other", kind: positions, confidence: High, profit: net, costsPositive: true, order: MDY,
		columns: []column{
			{"instrument", roleSymbol},
			{"account", roleAccount},
			{"strategy", noRole},
			{"marketpos", roleSide},
			{"qty", roleVolume},
			{"entryprice", roleOpenPrice},
			{"exitprice", roleClosePrice},
			{"entrytime", roleOpenTime},
			{"exittime", roleCloseTime},
			{"profit", roleProfit},
		},
		optional: []column{{"commission", roleCommission}, {"tradenumber", noRole}},
	},
}
