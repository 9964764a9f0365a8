package statement

import "github.com/assayhq/assay/internal/statement/value"

// brokers are the exports of platforms for contracts for difference other than
// MetaTrader.
var brokers = []format{
	{
		name: "matchtrader", platform: "matchtrader", kind: positions, confidence: High, profit: gross, order: value.DMY,
		columns: []column{
			{"id", roleID},
			{"symbol", roleSymbol},
			{"opentime", roleOpenTime},
			{"volume", roleVolume},
			{"side", roleSide},
			{"closetime", roleCloseTime},
			{"openprice", roleOpenPrice},
			{"closeprice", roleClosePrice},
			{"stoploss", roleStop},
			{"takeprofit", roleTarget},
			{"swap", roleSwap},
			{"commission", roleCommission},
			{"profit", roleProfit},
			{"reason", noRole},
		},
	},
	{
		name: "matchtrader", platform: "matchtrader", kind: openOnly, confidence: High, profit: gross, order: value.DMY,
		columns: []column{
			{"id", roleID},
			{"symbol", roleSymbol},
			{"opentime", roleOpenTime},
			{"volume", roleVolume},
			{"side", roleSide},
			{"openprice", roleOpenPrice},
			{"stoploss", roleStop},
			{"takeprofit", roleTarget},
			{"swap", roleSwap},
			{"commission", roleCommission},
			{"profit", roleProfit},
		},
		without: []string{"closetime", "closeprice"},
	},
	{
		// OANDA's history of transactions, as oandaReader gives it. Results are before financing and commission.
		name: "oanda", platform: "other", kind: fills, confidence: Low, profit: gross, costsPositive: true, strict: true, units: true, hedging: true,
		columns: []column{
			{"ticket", roleID},
			{"transactiondate", roleOpenTime},
			{"transactiontype", roleKind},
			{"details", roleEntry},
			{"instrument", roleSymbol},
			{"price", roleOpenPrice},
			{"units", roleVolume},
			{"direction", roleSide},
			{"stoploss", roleStop},
			{"takeprofit", roleTarget},
			{"financing", roleSwap},
			{"commission", roleCommission},
			{"pl", roleProfit},
		},
		optional: []column{{"gslfee", roleCommission}},
	},
	{
		// The trading data of FundedNext's dashboard. A position that is open has words instead of the time of closing.
		// A further column has the volume in hundredths of a lot.
		name: "fundednext", platform: "other", kind: positions, confidence: High, profit: gross,
		columns: []column{
			{"ticketid", roleID},
			{"opentime", roleOpenTime},
			{"openprice", roleOpenPrice},
			{"closetime", roleCloseTime},
			{"closeprice", roleClosePrice},
			{"profit", roleProfit},
			{"lots", roleVolume},
			{"commission", roleCommission},
			{"swap", roleSwap},
			{"symbol", roleSymbol},
			{"type", roleSide},
		},
		optional: []column{{"sl", roleStop}, {"tp", roleTarget}},
	},
	{ // the history as CSV and XLSX, and that of a statement as HTML; people choose the columns
		name: "ctrader_history", platform: "ctrader", kind: positions, confidence: High, order: value.DMY,
		columns: []column{
			{"symbol", roleSymbol},
			{"openingdirection", roleSide},
			{"closingtime", roleCloseTime},
			{"entryprice", roleOpenPrice},
			{"closingprice", roleClosePrice},
			{"net", roleNet},
		},
		optional: []column{
			{"id", roleID},
			{"dealid", roleID},
			{"openingtime", roleOpenTime},
			{"opentime", roleOpenTime},
			{"entrytime", roleOpenTime},
			{"closingquantity", roleVolume},
			{"commission", roleCommission},
			{"commissions", roleCommission},
			{"swap", roleSwap},
			{"gross", roleGross},
		},
	},
	ctraderPositions("entryprice"),
	ctraderPositions("entry"), // of a statement as CSV
	{
		name: "xtb_xstation", platform: "other", kind: positions, confidence: High,
		columns: []column{
			{"position", roleID},
			{"symbol", roleSymbol},
			{"type", roleSide},
			{"volume", roleVolume},
			{"opentime", roleOpenTime},
			{"openprice", roleOpenPrice},
			{"closetime", roleCloseTime},
			{"closeprice", roleClosePrice},
			{"commission", roleCommission},
			{"swap", roleSwap},
			{"rollover", roleSwap},
			{"grosspl", roleGross},
		},
		optional: []column{{"sl", roleStop}, {"tp", roleTarget}},
	},
	{
		name: "xtb_xstation", platform: "other", kind: openOnly, confidence: High,
		columns: []column{
			{"position", roleID},
			{"symbol", roleSymbol},
			{"type", roleSide},
			{"volume", roleVolume},
			{"opentime", roleOpenTime},
			{"openprice", roleOpenPrice},
			{"marketprice", noRole},
			{"commission", roleCommission},
			{"swap", roleSwap},
			{"grosspl", roleGross},
		},
		optional: []column{{"sl", roleStop}, {"tp", roleTarget}, {"rollover", roleSwap}},
		without:  []string{"closetime"},
	},
	{ // of the personal area, for accounts of MT4 and MT5
		name: "exness", platform: "other", kind: positions, confidence: High, profit: gross,
		columns: []column{
			{"ticket", roleID},
			{"openingtime", roleOpenTime},
			{"closingtime", roleCloseTime},
			{"type", roleSide},
			{"lots", roleVolume},
			{"originalpositionsize", noRole},
			{"symbol", roleSymbol},
			{"openingprice", roleOpenPrice},
			{"closingprice", roleClosePrice},
			{"stoploss", roleStop},
			{"takeprofit", roleTarget},
			{"commission", roleCommission},
			{"swap", roleSwap},
			{"profit", roleProfit},
			{"closereason", noRole},
		},
	},
	{
		// The history of positions. Fees and funding are in other exports.
		// A position that is still open has the results of what was closed so far, and another row when it is closed.
		name: "binance_positions", platform: "other", kind: positions, confidence: High, profit: gross,
		words: map[string]string{"Open": "pending", "Partially Closed": "pending"},
		columns: []column{
			{"symbol", roleSymbol},
			{"positionside", roleSide},
			{"entryprice", roleOpenPrice},
			{"avgcloseprice", roleClosePrice},
			{"closedvol", roleVolume},
			{"closingpnl", roleProfit},
			{"opened", roleOpenTime},
			{"closed", roleCloseTime},
		},
		optional: []column{{"status", roleState}},
	},
	mexcPositions("fee"),
	mexcPositions("tradingfee"),
	{
		// The transaction history of IG, in which deposits and fees are transactions in cash. Its other texts are in the language of the account.
		name: "ig_transactions", platform: "other", kind: positions, confidence: Medium, profit: gross, signed: true, zone: "UTC",
		words: map[string]string{"true": "balance", "TRUE": "balance"},
		columns: []column{
			{"marketname", roleSymbol},
			{"openlevel", roleOpenPrice},
			{"closelevel", roleClosePrice},
			{"size", roleVolume},
			{"plamount", roleProfit},
			{"dateutc", roleCloseTime},
			{"opendateutc", roleOpenTime},
			{"currencyisocode", roleCurrency},
			{"cashtransaction", roleKind},
		},
	},
	{
		// The settled positions of Hirose's LION FX. The side is that of the order that closed the position. A lot is 1,000 units
		// of most pairs, and 10,000 or 100,000 of some.
		name: "lion_fx", platform: "other", kind: positions, confidence: High, profit: gross, zone: "Asia/Tokyo", currency: "JPY", mark: value.Point, units: true,
		words: map[string]string{"売": "buy", "買": "sell"},
		columns: []column{
			{"closeexecutiontime", roleCloseTime},
			{"positionnumber", roleID},
			{"symbol", roleSymbol},
			{"side", roleSide},
			{"openexecutiontime", roleOpenTime},
			{"openexecutionrate", roleOpenPrice},
			{"closeexecutionrate", roleClosePrice},
			{"closingpl", roleNet},
		},
		optional: []column{{"lots", roleVolume}, {"commission", roleCommission}, {"swappl", roleSwap}},
	},
	etoroPositions("units"),
	etoroPositions("unitscontracts"),
	{
		// The trading activity of Capital.com: what opened and closed each position. Swaps are rows of their own.
		name: "capital_activity", platform: "other", kind: fills, confidence: Medium, profit: gross, signed: true,
		columns: []column{
			{"tradeid", rolePosition},
			{"execid", roleID},
			{"accountid", roleAccount},
			{"instrumentsymbol", roleSymbol},
			{"executiontype", roleKind},
			{"quantity", roleVolume},
			{"price", roleOpenPrice},
			{"status", roleEntry},
			{"rplconverted", roleProfit}, // to the account's currency
			{"timestamp", roleOpenTime},
		},
		optional: []column{{"takeprofit", roleTarget}, {"stoploss", roleStop}},
	},
	{
		// The trades of Hyperliquid, in the form of dates of the sender's browser. Those of spot markets take fees in what was bought.
		name: "hyperliquid_trades", platform: "other", kind: fills, confidence: Low, profit: gross, costsPositive: true, afterFee: true,
		words: map[string]string{
			"Open Long": "buy", "Close Short": "buy", "Open Short": "sell", "Close Long": "sell", "Long > Short": "sell", "Short > Long": "buy",
			"Liquidated Isolated Long": "sell", "Liquidated Cross Long": "sell", "Liquidated Isolated Short": "buy", "Liquidated Cross Short": "buy",
			"Buy": "transfer", "Sell": "transfer",
		},
		effects: map[string]entry{
			"Liquidated Isolated Long": out, "Liquidated Cross Long": out, "Liquidated Isolated Short": out, "Liquidated Cross Short": out,
		},
		columns: []column{
			{"time", roleOpenTime},
			{"coin", roleSymbol},
			{"dir", roleSide},
			{"px", roleOpenPrice},
			{"sz", roleVolume},
			{"ntl", noRole},
			{"fee", roleCommission},
			{"closedpnl", roleProfit},
		},
		without: []string{"feetoken"},
	},
	binanceTrades("time"),
	binanceTrades("date"),
	{
		// The history of OKX's trading account, in which every change of the balance is a row. An exchange of coins has two.
		name: "okx_trades", platform: "other", kind: fills, confidence: Low, profit: gross,
		words: map[string]string{
			"Open long": "buy", "Close short": "buy", "Open short": "sell", "Close long": "sell",
			"Funding fee": "funding", "Swap": "trade", "Spot": "transfer", "Transfer in": "transfer", "Transfer out": "transfer", "Funding fee expense": "funding", "Funding fee income": "funding",
		},
		columns: []column{
			{"id", roleID},
			{"orderid", noRole},
			{"time", roleOpenTime},
			{"tradetype", roleKind},
			{"symbol", roleSymbol},
			{"action", roleSide},
			{"amount", roleVolume},
			{"filledprice", roleOpenPrice},
			{"pnl", roleProfit},
			{"fee", roleCommission},
			{"feeunit", roleUnit},
			{"balancechange", noRole},
		},
	},
	{
		// The history of OKX's positions. Results are before fees and funding, which are signed. A position that closed in part comes
		// again when it has closed.
		name: "okx_positions", platform: "other", kind: positions, confidence: High, profit: gross,
		words: map[string]string{"Partially closed": "pending", "Close position partially": "pending"},
		columns: []column{
			{"positioncreatetime", roleOpenTime},
			{"positionupdatetime", roleCloseTime},
			{"instrumentname", roleSymbol},
			{"direction", roleSide},
			{"averageopenprice", roleOpenPrice},
			{"averagecloseprice", roleClosePrice},
			{"margincurrency", roleUnit},
			{"pnl", roleProfit},
			{"fee", roleCommission},
			{"fundingfee", roleSwap},
		},
		optional: []column{{"totalclosequantity", roleVolume}, {"liquidationclearancefee", roleCommission}, {"type", roleState}},
	},
	bybitTrades("contracts", "filledqty"),
	bybitTrades("market", "filledquantity"), // of a unified account
	{
		// No export's header is known for certain; importers read a list of fills.
		name: "dxtrade_fills", platform: "dxtrade", kind: fills, confidence: Low, profit: unknown, costsPositive: true,
		columns: []column{
			{"dateandtime", roleOpenTime},
			{"side", roleSide},
			{"fillprice", roleOpenPrice},
			{"filledvolume", roleVolume},
		},
		optional: []column{
			{"symbol", roleSymbol},
			{"instrument", roleSymbol},
			{"orderid", roleID},
			{"id", roleID},
			{"fillid", roleID},
			{"positioncode", rolePosition},
			{"positionid", rolePosition},
			{"positioneffect", roleEntry},
			{"account", roleAccount},
			{"commission", roleCommission},
			{"commissions", roleCommission},
			{"swap", roleSwap},
			{"financing", roleSwap},
			{"pl", roleProfit},
			{"settledpl", roleProfit},
		},
	},
	dxTrade("dateandtime"),
	dxTrade("datetime"),
	dxTrade("time"),
}

// ctraderPositions are the open positions of a statement.
func ctraderPositions(price string) format {
	return format{
		name: "ctrader_history", platform: "ctrader", kind: openOnly, confidence: High, order: value.DMY,
		columns: []column{
			{"created", roleOpenTime},
			{"symbol", roleSymbol},
			{"quantity", roleVolume},
			{"direction", roleSide},
			{price, roleOpenPrice},
		},
		optional: []column{
			{"id", roleID},
			{"sl", roleStop},
			{"tp", roleTarget},
			{"commission", roleCommission},
			{"commissions", roleCommission},
			{"swap", roleSwap},
			{"gross", roleGross},
			{"net", roleNet},
		},
	}
}

// etoroPositions are the closed positions of eToro's account statement. The name of the instrument has the side before
// it, or a column has the side. Results are before overnight fees; a further column has them in euros.
func etoroPositions(units string) format {
	return format{
		name: "etoro_positions", platform: "other", kind: positions, confidence: High, profit: gross, order: value.DMY, sided: true, currency: "USD",
		columns: []column{
			{"action", roleSymbol},
			{"amount", noRole},
			{units, roleVolume},
			{"opendate", roleOpenTime},
			{"closedate", roleCloseTime},
			{"profit", roleProfit},
			{"openrate", roleOpenPrice},
			{"closerate", roleClosePrice},
		},
		optional: []column{
			{"positionid", roleID},
			{"longshort", roleSide},
			{"takeprofitrate", roleTarget},
			{"stoploserate", roleStop}, // as eToro spelled it
			{"stoplossrate", roleStop},
			{"rolloverfeesanddividends", roleSwap},
			{"overnightfeesanddividends", roleSwap},
		},
	}
}

// mexcPositions is the history of MEXC's futures positions, whose column of fees has two names. Results are after fees:
// of BTCUSDT, whose contract is 0.0001 BTC, only such results agree with the prices. Volumes are contracts of each
// coin's own size, so that they are not read. A position that closed in part comes again when it has closed.
func mexcPositions(fee string) format {
	return format{
		name: "mexc_positions", platform: "other", kind: positions, confidence: High, profit: net, costsPositive: true,
		words: map[string]string{"Open": "pending", "Partially Closed": "pending"},
		columns: []column{
			{"futures", roleSymbol},
			{"opentime", roleOpenTime},
			{"closetime", roleCloseTime},
			{"marginmode", noRole},
			{"avgentryprice", roleOpenPrice},
			{"avgcloseprice", roleClosePrice},
			{"direction", roleSide},
			{fee, roleCommission},
			{"realizedpnl", roleProfit},
		},
		optional: []column{{"status", roleState}, {"uid", roleAccount}},
	}
}

// dxTrade is the history of trades of DXtrade, whose time has several names. The closed
// result stands before costs, next to the one after them.
func dxTrade(moment string) format {
	return format{
		name: "dxtrade_fills", platform: "dxtrade", kind: fills, confidence: Low, profit: gross, costsPositive: true,
		columns: []column{
			{moment, roleOpenTime},
			{"symbol", roleSymbol},
			{"side", roleSide},
			{"positioneffect", roleEntry},
			{"tradevolume", roleVolume},
			{"tradeprice", roleOpenPrice},
			{"closedpl", roleProfit},
		},
		optional: []column{
			{"tradecode", roleID},
			{"orderid", roleID},
			{"positioncode", rolePosition},
			{"positionid", rolePosition},
			{"account", roleAccount},
			{"commission", roleCommission},
			{"commissions", roleCommission},
			{"swap", roleSwap},
			{"financing", roleSwap},
		},
	}
}

// bybitTrades is the history of derivatives' trades: fills, and payments of funding. A fee is in the coin of
// the contract, so that those of several contracts cannot be added.
func bybitTrades(symbol, volume string) format {
	return format{
		name: "bybit_trades", platform: "other", kind: fills, confidence: Low, profit: unknown,
		words: map[string]string{"Open Long": "buy", "Close Short": "buy", "Open Short": "sell", "Close Long": "sell"},
		columns: []column{
			{symbol, roleSymbol},
			{"filledtype", roleKind},
			{volume, roleVolume},
			{"filledprice", roleOpenPrice},
			{"direction", roleSide},
			{"trasactionid", roleID}, // as Bybit spells it
			{"transactiontime", roleOpenTime},
		},
	}
}

// binanceTrades is the history of futures' trades: fills, with the result of what each closes, before fees. Years
// have two digits and come first. A column may say in which coin each fee is.
func binanceTrades(moment string) format {
	return format{
		name: "binance_trades", platform: "other", kind: fills, confidence: Low, profit: gross, costsPositive: true, order: value.YMD,
		columns: []column{
			{moment, roleOpenTime},
			{"symbol", roleSymbol},
			{"side", roleSide},
			{"price", roleOpenPrice},
			{"quantity", roleVolume},
			{"fee", roleCommission},
			{"realizedprofit", roleProfit},
		},
		optional: []column{{"tradeid", roleID}, {"uid", roleAccount}, {"feecoin", roleCoin}, {"quoteasset", roleUnit}},
	}
}
