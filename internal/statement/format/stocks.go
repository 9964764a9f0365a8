package format

import "github.com/assayhq/assay/internal/statement/value"

// stocks are the exports of brokers for stocks, options and futures: lists of executions. Volumes
// are shares or contracts.
var stocks = []Format{
	{
		// The table that ibkrReader makes. Realized results are after the commissions of both legs.
		Name: "ibkr", Platform: "other", Kind: Fills, Confidence: Medium, Profit: Net, Zone: "America/New_York",
		Columns: []Column{
			{"datadiscriminator", NoRole},
			{"assetcategory", NoRole},
			{"currency", RoleCurrency},
			{"account", RoleAccount},
			{"symbol", RoleSymbol},
			{"datetime", RoleOpenTime},
			{"quantity", RoleVolume},
			{"tprice", RoleOpenPrice},
			{"commfee", RoleCommission},
			{"realizedpl", RoleProfit},
			{"opencloseindicator", RoleEntry},
			{"tradeid", RoleID},
			{"buysell", RoleSide},
		},
	},
	{
		// The orders of Webull, of which some are in New York's time with its abbreviation.
		Name: "webull_orders", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown, Order: value.MDY,
		Columns: []Column{
			{"symbol", RoleSymbol},
			{"side", RoleSide},
			{"status", RoleState},
			{"filled", RoleVolume},
			{"avgprice", RoleOpenPrice},
			{"filledtime", RoleOpenTime},
		},
	},
	{
		// The table that moomooReader makes of the history of orders, with a row for each fill. Fees have columns of other names in
		// each country, and an order that was not filled has none of its cells.
		Name: "moomoo_orders", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown, Order: value.MDY,
		Words:   map[string]string{"Buy": "buy", "Sell": "sell", "Short Sell": "sell", "Buy Back": "buy"},
		Effects: map[string]Entry{"Short Sell": EntryIn, "Buy Back": EntryOut},
		Columns: []Column{
			{"side", RoleSide},
			{"symbol", RoleSymbol},
			{"status", RoleState},
			{"fillqty", RoleVolume},
			{"fillprice", RoleOpenPrice},
			{"filltime", RoleOpenTime},
		},
	},
	{
		// The same in Chinese.
		Name: "moomoo_orders", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown, Order: value.YMD,
		Words:   map[string]string{"卖空": "sell", "买回": "buy"},
		Effects: map[string]Entry{"卖空": EntryIn, "买回": EntryOut},
		Columns: []Column{
			{"direction", RoleSide},
			{"securitycode", RoleSymbol},
			{"交易状态", RoleState},
			{"已成交均价", NoRole},
			{"execquantity", RoleVolume},
			{"execprice", RoleOpenPrice},
			{"exectime", RoleOpenTime},
		},
	},
	{
		// The trades of TradeZero, whose codes of sides tell sales of shares from short ones. Fees have a column each.
		Name: "tradezero", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown, Order: value.MDY, Zone: "America/New_York",
		Words:   map[string]string{"B": "buy", "S": "sell", "SS": "sell", "BC": "buy"},
		Effects: map[string]Entry{"B": EntryIn, "S": EntryOut, "SS": EntryIn, "BC": EntryOut},
		Columns: []Column{
			{"account", RoleAccount},
			{"td", RoleOpenTime},
			{"sd", NoRole},
			{"currency", RoleCurrency},
			{"side", RoleSide},
			{"symbol", RoleSymbol},
			{"qty", RoleVolume},
			{"price", RoleOpenPrice},
			{"exectime", RoleOpenTime},
			{"comm", RoleCommission},
			{"sec", RoleCommission},
			{"taf", RoleCommission},
			{"nscc", RoleCommission},
			{"nasdaq", RoleCommission},
			{"ecnremove", RoleCommission},
			{"ecnadd", RoleCommission},
		},
	},
	{
		// The blotter of Lightspeed, with the same codes as TradeZero's for short sales.
		Name: "lightspeed", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown, Order: value.MDY, Zone: "America/New_York",
		Words:   map[string]string{"SS": "sell", "BC": "buy"},
		Effects: map[string]Entry{"SS": EntryIn, "BC": EntryOut},
		Columns: []Column{
			{"tradenumber", RoleID},
			{"tradedate", RoleOpenTime},
			{"executiontime", RoleOpenTime},
			{"symbol", RoleSymbol},
			{"side", RoleSide},
			{"qty", RoleVolume},
			{"price", RoleOpenPrice},
			{"commissionamount", RoleCommission},
			{"feesec", RoleCommission},
		},
		Optional: []Column{{"accountnumber", RoleAccount}},
	},
	{
		// The table that tastytradeReader makes of the history of transactions. One of an account for futures says neither open nor close.
		Name: "tastytrade", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown,
		Words: map[string]string{
			"BUY_TO_OPEN": "buy", "BUY_TO_CLOSE": "buy", "SELL_TO_OPEN": "sell", "SELL_TO_CLOSE": "sell", "REMOVAL": "sell", "Money Movement": "transfer",
		},
		Effects: map[string]Entry{"BUY_TO_OPEN": EntryIn, "BUY_TO_CLOSE": EntryOut, "SELL_TO_OPEN": EntryIn, "SELL_TO_CLOSE": EntryOut, "REMOVAL": EntryGone},
		Columns: []Column{
			{"date", RoleOpenTime},
			{"type", RoleKind},
			{"subtype", NoRole},
			{"action", RoleSide},
			{"symbol", RoleSymbol},
			{"instrumenttype", NoRole},
			{"description", NoRole},
			{"quantity", RoleVolume},
			{"averageprice", RoleOpenPrice},
			{"commissions", RoleCommission},
			{"fees", RoleCommission},
		},
		Optional: []Column{{"currency", RoleCurrency}},
	},
	{
		// The table that tastyworksReader makes. Commissions are part of the fees.
		Name: "tastytrade", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown, Order: value.MDY, Currency: "USD",
		Words: map[string]string{
			"BUY_TO_OPEN": "buy", "BUY_TO_CLOSE": "buy", "SELL_TO_OPEN": "sell", "SELL_TO_CLOSE": "sell", "REMOVAL": "sell", "Money Movement": "transfer",
		},
		Effects: map[string]Entry{"BUY_TO_OPEN": EntryIn, "BUY_TO_CLOSE": EntryOut, "SELL_TO_OPEN": EntryIn, "SELL_TO_CLOSE": EntryOut, "REMOVAL": EntryGone},
		Columns: []Column{
			{"datetime", RoleOpenTime},
			{"transactioncode", RoleKind},
			{"transactionsubcode", NoRole},
			{"symbol", RoleSymbol},
			{"buysell", RoleSide},
			{"openclose", NoRole},
			{"quantity", RoleVolume},
			{"price", RoleOpenPrice},
			{"fees", RoleCommission},
			{"description", NoRole},
		},
		Optional: []Column{{"accountreference", RoleAccount}},
	},
	{
		// The tradebook of Zerodha, for accounts in which futures and options are sold first as well.
		Name: "zerodha_tradebook", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown, Zone: "Asia/Kolkata", Currency: "INR",
		Columns: []Column{
			{"symbol", RoleSymbol},
			{"isin", NoRole},
			{"tradedate", NoRole},
			{"segment", NoRole},
			{"tradetype", RoleSide},
			{"auction", NoRole},
			{"quantity", RoleVolume},
			{"price", RoleOpenPrice},
			{"tradeid", RoleID},
			{"orderexecutiontime", RoleOpenTime},
		},
	},
	{
		// The list of executions of brokers in mainland China, where what is sold has been bought before. Fees have columns of other
		// names at each broker.
		Name: "china_stocks", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown, Zone: "Asia/Shanghai", Currency: "CNY", Strict: true,
		Effects: map[string]Entry{"买": EntryIn, "买入": EntryIn, "证券买入": EntryIn, "卖": EntryOut, "卖出": EntryOut, "证券卖出": EntryOut},
		Columns: []Column{
			{"tradedate", RoleOpenTime},
			{"exectime", RoleOpenTime},
			{"securitycode", RoleSymbol},
			{"side", RoleSide},
			{"execprice", RoleOpenPrice},
			{"execquantity", RoleVolume},
		},
		Optional: []Column{{"tradeid", RoleID}},
	},
	{
		// The history of trades of Dhan.
		Name: "dhan_trades", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown, Zone: "Asia/Kolkata", Currency: "INR",
		Columns: []Column{
			{"date", RoleOpenTime},
			{"time", RoleOpenTime},
			{"name", RoleSymbol},
			{"buysell", RoleSide},
			{"segment", NoRole},
			{"quantitylot", RoleVolume},
			{"tradeprice", RoleOpenPrice},
			{"tradevalue", NoRole},
			{"status", RoleKind},
		},
	},
	{
		Name: "thinkorswim", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown, Order: value.MDY, Signed: true,
		Columns: []Column{
			{"exectime", RoleOpenTime},
			{"spread", NoRole},
			{"side", RoleSide},
			{"qty", RoleVolume},
			{"poseffect", RoleEntry},
			{"symbol", RoleSymbol},
			{"exp", NoRole},
			{"strike", NoRole},
			{"type", NoRole},
			{"price", RoleOpenPrice},
			{"netprice", NoRole},
		},
	},
}
