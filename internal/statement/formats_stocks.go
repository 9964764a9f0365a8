package statement

import "github.com/assayhq/assay/internal/statement/value"

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
		name: "webull_orders", platform: "other", kind: fills, confidence: Low, profit: unknown, order: value.MDY,
		columns: []column{
			{"symbol", roleSymbol},
			{"side", roleSide},
			{"status", roleState},
			{"filled", roleVolume},
			{"avgprice", roleOpenPrice},
			{"filledtime", roleOpenTime},
		},
	},
	{
		// The table that moomooReader makes of the history of orders, with a row for each fill. Fees have columns of other names in
		// each country, and an order that was not filled has none of its cells.
		name: "moomoo_orders", platform: "other", kind: fills, confidence: Low, profit: unknown, order: value.MDY,
		words:   map[string]string{"Buy": "buy", "Sell": "sell", "Short Sell": "sell", "Buy Back": "buy"},
		effects: map[string]entry{"Short Sell": in, "Buy Back": out},
		columns: []column{
			{"side", roleSide},
			{"symbol", roleSymbol},
			{"status", roleState},
			{"fillqty", roleVolume},
			{"fillprice", roleOpenPrice},
			{"filltime", roleOpenTime},
		},
	},
	{
		// The same in Chinese.
		name: "moomoo_orders", platform: "other", kind: fills, confidence: Low, profit: unknown, order: value.YMD,
		words:   map[string]string{"卖空": "sell", "买回": "buy"},
		effects: map[string]entry{"卖空": in, "买回": out},
		columns: []column{
			{"direction", roleSide},
			{"securitycode", roleSymbol},
			{"交易状态", roleState},
			{"已成交均价", noRole},
			{"execquantity", roleVolume},
			{"execprice", roleOpenPrice},
			{"exectime", roleOpenTime},
		},
	},
	{
		// The trades of TradeZero, whose codes of sides tell sales of shares from short ones. Fees have a column each.
		name: "tradezero", platform: "other", kind: fills, confidence: Low, profit: unknown, order: value.MDY, zone: "America/New_York",
		words:   map[string]string{"B": "buy", "S": "sell", "SS": "sell", "BC": "buy"},
		effects: map[string]entry{"B": in, "S": out, "SS": in, "BC": out},
		columns: []column{
			{"account", roleAccount},
			{"td", roleOpenTime},
			{"sd", noRole},
			{"currency", roleCurrency},
			{"side", roleSide},
			{"symbol", roleSymbol},
			{"qty", roleVolume},
			{"price", roleOpenPrice},
			{"exectime", roleOpenTime},
			{"comm", roleCommission},
			{"sec", roleCommission},
			{"taf", roleCommission},
			{"nscc", roleCommission},
			{"nasdaq", roleCommission},
			{"ecnremove", roleCommission},
			{"ecnadd", roleCommission},
		},
	},
	{
		// The blotter of Lightspeed, with the same codes as TradeZero's for short sales.
		name: "lightspeed", platform: "other", kind: fills, confidence: Low, profit: unknown, order: value.MDY, zone: "America/New_York",
		words:   map[string]string{"SS": "sell", "BC": "buy"},
		effects: map[string]entry{"SS": in, "BC": out},
		columns: []column{
			{"tradenumber", roleID},
			{"tradedate", roleOpenTime},
			{"executiontime", roleOpenTime},
			{"symbol", roleSymbol},
			{"side", roleSide},
			{"qty", roleVolume},
			{"price", roleOpenPrice},
			{"commissionamount", roleCommission},
			{"feesec", roleCommission},
		},
		optional: []column{{"accountnumber", roleAccount}},
	},
	{
		// The table that tastytradeReader makes of the history of transactions. One of an account for futures says neither open nor close.
		name: "tastytrade", platform: "other", kind: fills, confidence: Low, profit: unknown,
		words: map[string]string{
			"BUY_TO_OPEN": "buy", "BUY_TO_CLOSE": "buy", "SELL_TO_OPEN": "sell", "SELL_TO_CLOSE": "sell", "REMOVAL": "sell", "Money Movement": "transfer",
		},
		effects: map[string]entry{"BUY_TO_OPEN": in, "BUY_TO_CLOSE": out, "SELL_TO_OPEN": in, "SELL_TO_CLOSE": out, "REMOVAL": gone},
		columns: []column{
			{"date", roleOpenTime},
			{"type", roleKind},
			{"subtype", noRole},
			{"action", roleSide},
			{"symbol", roleSymbol},
			{"instrumenttype", noRole},
			{"description", noRole},
			{"quantity", roleVolume},
			{"averageprice", roleOpenPrice},
			{"commissions", roleCommission},
			{"fees", roleCommission},
		},
		optional: []column{{"currency", roleCurrency}},
	},
	{
		// The table that tastyworksReader makes. Commissions are part of the fees.
		name: "tastytrade", platform: "other", kind: fills, confidence: Low, profit: unknown, order: value.MDY, currency: "USD",
		words: map[string]string{
			"BUY_TO_OPEN": "buy", "BUY_TO_CLOSE": "buy", "SELL_TO_OPEN": "sell", "SELL_TO_CLOSE": "sell", "REMOVAL": "sell", "Money Movement": "transfer",
		},
		effects: map[string]entry{"BUY_TO_OPEN": in, "BUY_TO_CLOSE": out, "SELL_TO_OPEN": in, "SELL_TO_CLOSE": out, "REMOVAL": gone},
		columns: []column{
			{"datetime", roleOpenTime},
			{"transactioncode", roleKind},
			{"transactionsubcode", noRole},
			{"symbol", roleSymbol},
			{"buysell", roleSide},
			{"openclose", noRole},
			{"quantity", roleVolume},
			{"price", roleOpenPrice},
			{"fees", roleCommission},
			{"description", noRole},
		},
		optional: []column{{"accountreference", roleAccount}},
	},
	{
		// The tradebook of Zerodha, for accounts in which futures and options are sold first as well.
		name: "zerodha_tradebook", platform: "other", kind: fills, confidence: Low, profit: unknown, zone: "Asia/Kolkata", currency: "INR",
		columns: []column{
			{"symbol", roleSymbol},
			{"isin", noRole},
			{"tradedate", noRole},
			{"segment", noRole},
			{"tradetype", roleSide},
			{"auction", noRole},
			{"quantity", roleVolume},
			{"price", roleOpenPrice},
			{"tradeid", roleID},
			{"orderexecutiontime", roleOpenTime},
		},
	},
	{
		// The list of executions of brokers in mainland China, where what is sold has been bought before. Fees have columns of other
		// names at each broker.
		name: "china_stocks", platform: "other", kind: fills, confidence: Low, profit: unknown, zone: "Asia/Shanghai", currency: "CNY", strict: true,
		effects: map[string]entry{"买": in, "买入": in, "证券买入": in, "卖": out, "卖出": out, "证券卖出": out},
		columns: []column{
			{"tradedate", roleOpenTime},
			{"exectime", roleOpenTime},
			{"securitycode", roleSymbol},
			{"side", roleSide},
			{"execprice", roleOpenPrice},
			{"execquantity", roleVolume},
		},
		optional: []column{{"tradeid", roleID}},
	},
	{
		// The history of trades of Dhan.
		name: "dhan_trades", platform: "other", kind: fills, confidence: Low, profit: unknown, zone: "Asia/Kolkata", currency: "INR",
		columns: []column{
			{"date", roleOpenTime},
			{"time", roleOpenTime},
			{"name", roleSymbol},
			{"buysell", roleSide},
			{"segment", noRole},
			{"quantitylot", roleVolume},
			{"tradeprice", roleOpenPrice},
			{"tradevalue", noRole},
			{"status", roleKind},
		},
	},
	{
		name: "thinkorswim", platform: "other", kind: fills, confidence: Low, profit: unknown, order: value.MDY, signed: true,
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
