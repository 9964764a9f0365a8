package statement

// stocks are the exports of brokers for stocks, options and futures: lists of executions. Volumes
// are shares or contracts.
var stocks = []format{
	{
		// The table that ibkrReader makes. Realized results are after the commissions of both legs.
		name: "ibkr", platform: "other", kind: fills, confidence: Medium, profit: net, zone: "America/New_York",
		columns: []column{
			{"datadiscriminator", noRole},
			{"assetcategory", noRole},
			{"currency", roleCurrency},
			{"account", roleAccount},
			{"symbol", roleSymbol},
			{"datetime", roleOpenTime},
			{"quantity", roleVolume},
			{"tprice", roleOpenPrice},
			{"commfee", roleCommission},
			{"realizedpl", roleProfit},
			{"opencloseindicator", roleEntry},
			{"tradeid", roleID},
			{"buysell", roleSide},
		},
	},
	{
		// The orders of Webull, of which some are in New York's time with its abbreviation.
		name: "webull_orders", platform: "other", kind: fills, confidence: Low, profit: unknown, order: MDY,
		columns: []column{
			{"symbol", roleSymbol},
			{"side", roleSide},
			{"status", roleState},
			{"filled", roleVolume},
			{"totalqty", noRole},
			{"avgprice", roleOpenPrice},
			{"placedtime", noRole},
			{"filledtime", roleOpenTime},
		},
	},
	{
		name: "thinkorswim", platform: "other", kind: fills, confidence: Low, profit: unknown, order: MDY, signed: true,
		columns: []column{
			{"exectime", roleOpenTime},
			{"spread", noRole},
			{"side", roleSide},
			{"qty", roleVolume},
			{"poseffect", roleEntry},
			{"symbol", roleSymbol},
			{"exp", noRole},
			{"strike", noRole},
			{"type", noRole},
			{"price", roleOpenPrice},
			{"netprice", noRole},
		},
	},
}
