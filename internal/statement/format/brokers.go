package format

import "github.com/assayhq/assay/internal/statement/value"

// brokers are the exports of platforms for contracts for difference other than
// MetaTrader.
var brokers = []Format{
	{
		Name: "matchtrader", Platform: "matchtrader", Kind: Positions, Confidence: High, Profit: Gross, Order: value.DMY,
		Columns: []Column{
			{"id", RoleID},
			{"symbol", RoleSymbol},
			{"opentime", RoleOpenTime},
			{"volume", RoleVolume},
			{"side", RoleSide},
			{"closetime", RoleCloseTime},
			{"openprice", RoleOpenPrice},
			{"closeprice", RoleClosePrice},
			{"stoploss", RoleStop},
			{"takeprofit", RoleTarget},
			{"swap", RoleSwap},
			{"commission", RoleCommission},
			{"profit", RoleProfit},
			{"reason", NoRole},
		},
	},
	{
		Name: "matchtrader", Platform: "matchtrader", Kind: OpenOnly, Confidence: High, Profit: Gross, Order: value.DMY,
		Columns: []Column{
			{"id", RoleID},
			{"symbol", RoleSymbol},
			{"opentime", RoleOpenTime},
			{"volume", RoleVolume},
			{"side", RoleSide},
			{"openprice", RoleOpenPrice},
			{"stoploss", RoleStop},
			{"takeprofit", RoleTarget},
			{"swap", RoleSwap},
			{"commission", RoleCommission},
			{"profit", RoleProfit},
		},
		Without: []string{"closetime", "closeprice"},
	},
	{
		// OANDA's history of transactions, as oandaReader gives it. Results are before financing and commission.
		Name: "oanda", Platform: "other", Kind: Fills, Confidence: Low, Profit: Gross, CostsPositive: true, Strict: true, Units: true, Hedging: true,
		Columns: []Column{
			{"ticket", RoleID},
			{"transactiondate", RoleOpenTime},
			{"transactiontype", RoleKind},
			{"details", RoleEntry},
			{"instrument", RoleSymbol},
			{"price", RoleOpenPrice},
			{"units", RoleVolume},
			{"direction", RoleSide},
			{"stoploss", RoleStop},
			{"takeprofit", RoleTarget},
			{"financing", RoleSwap},
			{"commission", RoleCommission},
			{"pl", RoleProfit},
		},
		Optional: []Column{{"gslfee", RoleCommission}},
	},
	{
		// The trading data of FundedNext's dashboard. A position that is open has words instead of the time of closing.
		// A further column has the volume in hundredths of a lot.
		Name: "fundednext", Platform: "other", Kind: Positions, Confidence: High, Profit: Gross,
		Columns: []Column{
			{"ticketid", RoleID},
			{"opentime", RoleOpenTime},
			{"openprice", RoleOpenPrice},
			{"closetime", RoleCloseTime},
			{"closeprice", RoleClosePrice},
			{"profit", RoleProfit},
			{"lots", RoleVolume},
			{"commission", RoleCommission},
			{"swap", RoleSwap},
			{"symbol", RoleSymbol},
			{"type", RoleSide},
		},
		Optional: []Column{{"sl", RoleStop}, {"tp", RoleTarget}},
	},
	{ // the history as CSV and XLSX, and that of a statement as HTML; people choose the columns
		Name: "ctrader_history", Platform: "ctrader", Kind: Positions, Confidence: High, Order: value.DMY,
		Columns: []Column{
			{"symbol", RoleSymbol},
			{"openingdirection", RoleSide},
			{"closingtime", RoleCloseTime},
			{"entryprice", RoleOpenPrice},
			{"closingprice", RoleClosePrice},
			{"net", RoleNet},
		},
		Optional: []Column{
			{"id", RoleID},
			{"dealid", RoleID},
			{"openingtime", RoleOpenTime},
			{"opentime", RoleOpenTime},
			{"entrytime", RoleOpenTime},
			{"closingquantity", RoleVolume},
			{"commission", RoleCommission},
			{"commissions", RoleCommission},
			{"swap", RoleSwap},
			{"gross", RoleGross},
		},
	},
	ctraderPositions("entryprice"),
	ctraderPositions("entry"), // of a statement as CSV
	{
		Name: "xtb_xstation", Platform: "other", Kind: Positions, Confidence: High,
		Columns: []Column{
			{"position", RoleID},
			{"symbol", RoleSymbol},
			{"type", RoleSide},
			{"volume", RoleVolume},
			{"opentime", RoleOpenTime},
			{"openprice", RoleOpenPrice},
			{"closetime", RoleCloseTime},
			{"closeprice", RoleClosePrice},
			{"commission", RoleCommission},
			{"swap", RoleSwap},
			{"rollover", RoleSwap},
			{"grosspl", RoleGross},
		},
		Optional: []Column{{"sl", RoleStop}, {"tp", RoleTarget}},
	},
	{
		Name: "xtb_xstation", Platform: "other", Kind: OpenOnly, Confidence: High,
		Columns: []Column{
			{"position", RoleID},
			{"symbol", RoleSymbol},
			{"type", RoleSide},
			{"volume", RoleVolume},
			{"opentime", RoleOpenTime},
			{"openprice", RoleOpenPrice},
			{"marketprice", NoRole},
			{"commission", RoleCommission},
			{"swap", RoleSwap},
			{"grosspl", RoleGross},
		},
		Optional: []Column{{"sl", RoleStop}, {"tp", RoleTarget}, {"rollover", RoleSwap}},
		Without:  []string{"closetime"},
	},
	{ // of the personal area, for accounts of MT4 and MT5
		Name: "exness", Platform: "other", Kind: Positions, Confidence: High, Profit: Gross,
		Columns: []Column{
			{"ticket", RoleID},
			{"openingtime", RoleOpenTime},
			{"closingtime", RoleCloseTime},
			{"type", RoleSide},
			{"lots", RoleVolume},
			{"originalpositionsize", NoRole},
			{"symbol", RoleSymbol},
			{"openingprice", RoleOpenPrice},
			{"closingprice", RoleClosePrice},
			{"stoploss", RoleStop},
			{"takeprofit", RoleTarget},
			{"commission", RoleCommission},
			{"swap", RoleSwap},
			{"profit", RoleProfit},
			{"closereason", NoRole},
		},
	},
	{
		// The history of positions. Fees and funding are in other exports.
		// A position that is still open has the results of what was closed so far, and another row when it is closed.
		Name: "binance_positions", Platform: "other", Kind: Positions, Confidence: High, Profit: Gross,
		Words: map[string]string{"Open": "pending", "Partially Closed": "pending"},
		Columns: []Column{
			{"symbol", RoleSymbol},
			{"positionside", RoleSide},
			{"entryprice", RoleOpenPrice},
			{"avgcloseprice", RoleClosePrice},
			{"closedvol", RoleVolume},
			{"closingpnl", RoleProfit},
			{"opened", RoleOpenTime},
			{"closed", RoleCloseTime},
		},
		Optional: []Column{{"status", RoleState}},
	},
	mexcPositions("fee"),
	mexcPositions("tradingfee"),
	{
		// The transaction history of IG, in which deposits and fees are transactions in cash. Its other texts are in the language of the account.
		Name: "ig_transactions", Platform: "other", Kind: Positions, Confidence: Medium, Profit: Gross, Signed: true, Zone: "UTC",
		Words: map[string]string{"true": "balance", "TRUE": "balance"},
		Columns: []Column{
			{"marketname", RoleSymbol},
			{"openlevel", RoleOpenPrice},
			{"closelevel", RoleClosePrice},
			{"size", RoleVolume},
			{"plamount", RoleProfit},
			{"dateutc", RoleCloseTime},
			{"opendateutc", RoleOpenTime},
			{"currencyisocode", RoleCurrency},
			{"cashtransaction", RoleKind},
		},
	},
	{
		// The settled positions of Hirose's LION FX. The side is that of the order that closed the position. A lot is 1,000 units
		// of most pairs, and 10,000 or 100,000 of some.
		Name: "lion_fx", Platform: "other", Kind: Positions, Confidence: High, Profit: Gross, Zone: "Asia/Tokyo", Currency: "JPY", Mark: value.Point, Units: true,
		Words: map[string]string{"売": "buy", "買": "sell"},
		Columns: []Column{
			{"closeexecutiontime", RoleCloseTime},
			{"positionnumber", RoleID},
			{"symbol", RoleSymbol},
			{"side", RoleSide},
			{"openexecutiontime", RoleOpenTime},
			{"openexecutionrate", RoleOpenPrice},
			{"closeexecutionrate", RoleClosePrice},
			{"closingpl", RoleNet},
		},
		Optional: []Column{{"lots", RoleVolume}, {"commission", RoleCommission}, {"swappl", RoleSwap}},
	},
	etoroPositions("units"),
	etoroPositions("unitscontracts"),
	{
		// The trading activity of Capital.com: what opened and closed each position. Swaps are rows of their own.
		Name: "capital_activity", Platform: "other", Kind: Fills, Confidence: Medium, Profit: Gross, Signed: true,
		Columns: []Column{
			{"tradeid", RolePosition},
			{"execid", RoleID},
			{"accountid", RoleAccount},
			{"instrumentsymbol", RoleSymbol},
			{"executiontype", RoleKind},
			{"quantity", RoleVolume},
			{"price", RoleOpenPrice},
			{"status", RoleEntry},
			{"rplconverted", RoleProfit}, // to the account's currency
			{"timestamp", RoleOpenTime},
		},
		Optional: []Column{{"takeprofit", RoleTarget}, {"stoploss", RoleStop}},
	},
	{
		// The trades of Hyperliquid, in the form of dates of the sender's browser. Those of spot markets take fees in what was bought.
		Name: "hyperliquid_trades", Platform: "other", Kind: Fills, Confidence: Low, Profit: Gross, CostsPositive: true, AfterFee: true,
		Words: map[string]string{
			"Open Long": "buy", "Close Short": "buy", "Open Short": "sell", "Close Long": "sell", "Long > Short": "sell", "Short > Long": "buy",
			"Liquidated Isolated Long": "sell", "Liquidated Cross Long": "sell", "Liquidated Isolated Short": "buy", "Liquidated Cross Short": "buy",
			"Buy": "transfer", "Sell": "transfer",
		},
		Effects: map[string]Entry{
			"Liquidated Isolated Long": EntryOut, "Liquidated Cross Long": EntryOut, "Liquidated Isolated Short": EntryOut, "Liquidated Cross Short": EntryOut,
		},
		Columns: []Column{
			{"time", RoleOpenTime},
			{"coin", RoleSymbol},
			{"dir", RoleSide},
			{"px", RoleOpenPrice},
			{"sz", RoleVolume},
			{"ntl", NoRole},
			{"fee", RoleCommission},
			{"closedpnl", RoleProfit},
		},
		Without: []string{"feetoken"},
	},
	binanceTrades("time"),
	binanceTrades("date"),
	{
		// The history of OKX's trading account, in which every change of the balance is a row. An exchange of coins has two.
		Name: "okx_trades", Platform: "other", Kind: Fills, Confidence: Low, Profit: Gross,
		Words: map[string]string{
			"Open long": "buy", "Close short": "buy", "Open short": "sell", "Close long": "sell",
			"Funding fee": "funding", "Swap": "trade", "Spot": "transfer", "Transfer in": "transfer", "Transfer out": "transfer", "Funding fee expense": "funding", "Funding fee income": "funding",
		},
		Columns: []Column{
			{"id", RoleID},
			{"orderid", NoRole},
			{"time", RoleOpenTime},
			{"tradetype", RoleKind},
			{"symbol", RoleSymbol},
			{"action", RoleSide},
			{"amount", RoleVolume},
			{"filledprice", RoleOpenPrice},
			{"pnl", RoleProfit},
			{"fee", RoleCommission},
			{"feeunit", RoleUnit},
			{"balancechange", NoRole},
		},
	},
	{
		// The history of OKX's positions. Results are before fees and funding, which are signed. A position that closed in part comes
		// again when it has closed.
		Name: "okx_positions", Platform: "other", Kind: Positions, Confidence: High, Profit: Gross,
		Words: map[string]string{"Partially closed": "pending", "Close position partially": "pending"},
		Columns: []Column{
			{"positioncreatetime", RoleOpenTime},
			{"positionupdatetime", RoleCloseTime},
			{"instrumentname", RoleSymbol},
			{"direction", RoleSide},
			{"averageopenprice", RoleOpenPrice},
			{"averagecloseprice", RoleClosePrice},
			{"margincurrency", RoleUnit},
			{"pnl", RoleProfit},
			{"fee", RoleCommission},
			{"fundingfee", RoleSwap},
		},
		Optional: []Column{{"totalclosequantity", RoleVolume}, {"liquidationclearancefee", RoleCommission}, {"type", RoleState}},
	},
	bybitTrades("contracts", "filledqty"),
	bybitTrades("market", "filledquantity"), // of a unified account
	{
		// No export's header is known for certain; importers read a list of fills.
		Name: "dxtrade_fills", Platform: "dxtrade", Kind: Fills, Confidence: Low, Profit: Unknown, CostsPositive: true,
		Columns: []Column{
			{"dateandtime", RoleOpenTime},
			{"side", RoleSide},
			{"fillprice", RoleOpenPrice},
			{"filledvolume", RoleVolume},
		},
		Optional: []Column{
			{"symbol", RoleSymbol},
			{"instrument", RoleSymbol},
			{"orderid", RoleID},
			{"id", RoleID},
			{"fillid", RoleID},
			{"positioncode", RolePosition},
			{"positionid", RolePosition},
			{"positioneffect", RoleEntry},
			{"account", RoleAccount},
			{"commission", RoleCommission},
			{"commissions", RoleCommission},
			{"swap", RoleSwap},
			{"financing", RoleSwap},
			{"pl", RoleProfit},
			{"settledpl", RoleProfit},
		},
	},
	dxTrade("dateandtime"),
	dxTrade("datetime"),
	dxTrade("time"),
}

// ctraderPositions are the open positions of a statement.
func ctraderPositions(price string) Format {
	return Format{
		Name: "ctrader_history", Platform: "ctrader", Kind: OpenOnly, Confidence: High, Order: value.DMY,
		Columns: []Column{
			{"created", RoleOpenTime},
			{"symbol", RoleSymbol},
			{"quantity", RoleVolume},
			{"direction", RoleSide},
			{price, RoleOpenPrice},
		},
		Optional: []Column{
			{"id", RoleID},
			{"sl", RoleStop},
			{"tp", RoleTarget},
			{"commission", RoleCommission},
			{"commissions", RoleCommission},
			{"swap", RoleSwap},
			{"gross", RoleGross},
			{"net", RoleNet},
		},
	}
}

// etoroPositions are the closed positions of eToro's account statement. The name of the instrument has the side before
// it, or a column has the side. Results are before overnight fees; a further column has them in euros.
func etoroPositions(units string) Format {
	return Format{
		Name: "etoro_positions", Platform: "other", Kind: Positions, Confidence: High, Profit: Gross, Order: value.DMY, Sided: true, Currency: "USD",
		Columns: []Column{
			{"action", RoleSymbol},
			{"amount", NoRole},
			{units, RoleVolume},
			{"opendate", RoleOpenTime},
			{"closedate", RoleCloseTime},
			{"profit", RoleProfit},
			{"openrate", RoleOpenPrice},
			{"closerate", RoleClosePrice},
		},
		Optional: []Column{
			{"positionid", RoleID},
			{"longshort", RoleSide},
			{"takeprofitrate", RoleTarget},
			{"stoploserate", RoleStop}, // as eToro spelled it
			{"stoplossrate", RoleStop},
			{"rolloverfeesanddividends", RoleSwap},
			{"overnightfeesanddividends", RoleSwap},
		},
	}
}

// mexcPositions is the history of MEXC's futures positions, whose column of fees has two names. Results are after fees:
// of BTCUSDT, whose contract is 0.0001 BTC, only such results agree with the prices. Volumes are contracts of each
// coin's own size, so that they are not read. A position that closed in part comes again when it has closed.
func mexcPositions(fee string) Format {
	return Format{
		Name: "mexc_positions", Platform: "other", Kind: Positions, Confidence: High, Profit: Net, CostsPositive: true,
		Words: map[string]string{"Open": "pending", "Partially Closed": "pending"},
		Columns: []Column{
			{"futures", RoleSymbol},
			{"opentime", RoleOpenTime},
			{"closetime", RoleCloseTime},
			{"marginmode", NoRole},
			{"avgentryprice", RoleOpenPrice},
			{"avgcloseprice", RoleClosePrice},
			{"direction", RoleSide},
			{fee, RoleCommission},
			{"realizedpnl", RoleProfit},
		},
		Optional: []Column{{"status", RoleState}, {"uid", RoleAccount}},
	}
}

// dxTrade is the history of trades of DXtrade, whose time has several names. The closed
// result stands before costs, next to the one after them.
func dxTrade(moment string) Format {
	return Format{
		Name: "dxtrade_fills", Platform: "dxtrade", Kind: Fills, Confidence: Low, Profit: Gross, CostsPositive: true,
		Columns: []Column{
			{moment, RoleOpenTime},
			{"symbol", RoleSymbol},
			{"side", RoleSide},
			{"positioneffect", RoleEntry},
			{"tradevolume", RoleVolume},
			{"tradeprice", RoleOpenPrice},
			{"closedpl", RoleProfit},
		},
		Optional: []Column{
			{"tradecode", RoleID},
			{"orderid", RoleID},
			{"positioncode", RolePosition},
			{"positionid", RolePosition},
			{"account", RoleAccount},
			{"commission", RoleCommission},
			{"commissions", RoleCommission},
			{"swap", RoleSwap},
			{"financing", RoleSwap},
		},
	}
}

// bybitTrades is the history of derivatives' trades: fills, and payments of funding. A fee is in the coin of
// the contract, so that those of several contracts cannot be added.
func bybitTrades(symbol, volume string) Format {
	return Format{
		Name: "bybit_trades", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown,
		Words: map[string]string{"Open Long": "buy", "Close Short": "buy", "Open Short": "sell", "Close Long": "sell"},
		Columns: []Column{
			{symbol, RoleSymbol},
			{"filledtype", RoleKind},
			{volume, RoleVolume},
			{"filledprice", RoleOpenPrice},
			{"direction", RoleSide},
			{"trasactionid", RoleID}, // as Bybit spells it
			{"transactiontime", RoleOpenTime},
		},
	}
}

// binanceTrades is the history of futures' trades: fills, with the result of what each closes, before fees. Years
// have two digits and come first. A column may say in which coin each fee is.
func binanceTrades(moment string) Format {
	return Format{
		Name: "binance_trades", Platform: "other", Kind: Fills, Confidence: Low, Profit: Gross, CostsPositive: true, Order: value.YMD,
		Columns: []Column{
			{moment, RoleOpenTime},
			{"symbol", RoleSymbol},
			{"side", RoleSide},
			{"price", RoleOpenPrice},
			{"quantity", RoleVolume},
			{"fee", RoleCommission},
			{"realizedprofit", RoleProfit},
		},
		Optional: []Column{{"tradeid", RoleID}, {"uid", RoleAccount}, {"feecoin", RoleCoin}, {"quoteasset", RoleUnit}},
	}
}
