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
