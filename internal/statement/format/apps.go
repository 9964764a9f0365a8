package format

import "github.com/assayhq/assay/internal/statement/value"

// apps are the exports of brokers whose customers trade in an app, and of exchanges, as lists of executions. Where
// shares are sold that have been bought before, a purchase opens and a sale closes.
var apps = []Format{
	{
		// The account statement of Revolut's shares. Of a split the list has the new shares without a price, so it is refused.
		Name: "revolut_stocks", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown,
		Words: map[string]string{
			"BUY - MARKET": "buy", "BUY - LIMIT": "buy", "BUY - STOP": "buy", "SELL - MARKET": "sell", "SELL - LIMIT": "sell", "SELL - STOP": "sell",
		},
		Effects: map[string]Entry{
			"BUY": EntryIn, "BUY - MARKET": EntryIn, "BUY - LIMIT": EntryIn, "BUY - STOP": EntryIn, "SELL": EntryOut, "SELL - MARKET": EntryOut, "SELL - LIMIT": EntryOut, "SELL - STOP": EntryOut,
		},
		Columns: []Column{
			{"date", RoleOpenTime},
			{"ticker", RoleSymbol},
			{"type", RoleSide},
			{"quantity", RoleVolume},
			{"pricepershare", RoleOpenPrice},
			{"totalamount", NoRole},
			{"fxrate", NoRole},
		},
	},
	{
		// The account statement of Lightyear.
		Name: "lightyear", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown, Order: value.DMY,
		Effects: map[string]Entry{"Buy": EntryIn, "Sell": EntryOut},
		Columns: []Column{
			{"date", RoleOpenTime},
			{"reference", RoleID},
			{"ticker", RoleSymbol},
			{"isin", NoRole},
			{"type", RoleSide},
			{"quantity", RoleVolume},
			{"ccy", NoRole},
			{"priceshare", RoleOpenPrice},
		},
	},
	{
		// The activity of Freetrade, in which orders are one type of rows. Prices are in the account's currency.
		Name: "freetrade", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown,
		Effects: map[string]Entry{"BUY": EntryIn, "SELL": EntryOut},
		Columns: []Column{
			{"title", NoRole},
			{"type", NoRole},
			{"timestamp", RoleOpenTime},
			{"buysell", RoleSide},
			{"ticker", RoleSymbol},
			{"pricepershareinaccountcurrency", RoleOpenPrice},
			{"quantity", RoleVolume},
		},
		Optional: []Column{{"orderid", RoleID}},
	},
	{
		// The transactions of Scalable Capital, which names shares by their ISIN.
		Name: "scalable", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown, CostsPositive: true, Order: value.YMD,
		Words:   map[string]string{"Savings plan": "buy", "Rejected": "rejected", "Expired": "rejected"},
		Effects: map[string]Entry{"Buy": EntryIn, "Savings plan": EntryIn, "Sell": EntryOut},
		Columns: []Column{
			{"date", RoleOpenTime},
			{"time", RoleOpenTime},
			{"status", RoleKind}, // an order that was canceled has its volume and price as well
			{"reference", RoleID},
			{"assettype", NoRole},
			{"type", RoleSide},
			{"isin", RoleSymbol},
			{"shares", RoleVolume},
			{"price", RoleOpenPrice},
			{"fee", RoleCommission},
			{"tax", NoRole},
			{"currency", RoleCurrency},
		},
	},
	swissquote("date", "order#", "transaction", "quantity", "unitprice"),
	swissquote("datum", "auftrag#", "transaktionen", "anzahl", "stuckpreis"),
	{
		// The activities of Alpaca. A purchase closes a short sale, or opens.
		Name: "alpaca_fills", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown, Zone: "UTC",
		Words:   map[string]string{"sell_short": "sell"},
		Effects: map[string]Entry{"sell_short": EntryIn},
		Columns: []Column{
			{"activitytype", RoleKind},
			{"transactiontime", RoleOpenTime},
			{"price", RoleOpenPrice},
			{"qty", RoleVolume},
			{"side", RoleSide},
			{"symbol", RoleSymbol},
		},
		Optional: []Column{{"id", RoleID}},
	},
	{
		// The trades of the Trader Workstation of Interactive Brokers. A result is after the commissions of both legs.
		Name: "tws_trades", Platform: "other", Kind: Fills, Confidence: Low, Profit: Net, CostsPositive: true, Netting: true,
		Columns: []Column{
			{"fininstrument", RoleSymbol},
			{"action", RoleSide},
			{"quantity", RoleVolume},
			{"price", RoleOpenPrice},
			{"time", RoleOpenTime},
			{"commission", RoleCommission},
			{"realizedpl", RoleProfit},
		},
		Optional: []Column{{"date", RoleOpenTime}, {"account", RoleAccount}},
	},
	{
		// The positions of KuCoin's futures. Results are after fees and funding, which have a column each.
		Name: "kucoin_positions", Platform: "other", Kind: Positions, Confidence: High, Profit: Net, CostsPositive: true,
		Words: map[string]string{"LIQUID_LONG": "long", "LIQUID_SHORT": "short", "ADL_LONG": "long", "ADL_SHORT": "short"},
		Columns: []Column{
			{"uid", RoleAccount},
			{"symbol", RoleSymbol},
			{"closetype", RoleSide},
			{"realizedpnl", RoleProfit},
			{"totalfundingfees", RoleSwap},
			{"totaltradingfees", RoleCommission},
			{"positionopeningtime", RoleOpenTime},
			{"positionclosingtime", RoleCloseTime},
		},
		Optional: []Column{{"entryprice", RoleOpenPrice}, {"closeprice", RoleClosePrice}},
	},
	{
		// The filled orders of KuCoin's futures, with the result of what each closes.
		Name: "kucoin_futures", Platform: "other", Kind: Fills, Confidence: Low, Profit: Gross, CostsPositive: true,
		Columns: []Column{
			{"uid", RoleAccount},
			{"orderid", RoleID},
			{"symbol", RoleSymbol},
			{"side", RoleSide},
			{"avgfilledprice", RoleOpenPrice},
			{"filledamount", RoleVolume},
			{"filledtime", RoleOpenTime},
			{"fee", RoleCommission},
			{"realizedpnl", RoleProfit},
		},
		Optional: []Column{{"status", RoleState}, {"feecurrency", RoleUnit}},
	},
	{
		// The transaction log of Deribit, whose sides say what opens and what closes. Fees and results are in the coin of the contract.
		Name: "deribit_log", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown, Zone: "UTC", Units: true,
		Words: map[string]string{
			"open buy": "buy", "close buy": "buy", "open sell": "sell", "close sell": "sell", "settlement": "funding", "-": "transfer",
		},
		Columns: []Column{
			{"userseq", NoRole},
			{"date", RoleOpenTime},
			{"instrument", RoleSymbol},
			{"type", RoleKind},
			{"side", RoleSide},
			{"amount", RoleVolume},
			{"position", NoRole},
			{"price", RoleOpenPrice},
			{"cashflow", NoRole},
		},
		Optional: []Column{{"tradeid", RoleID}},
	},
	{
		// The history of trades of BitMEX, in which payments of funding are rows. Fees and results are in the smallest unit of a coin.
		Name: "bitmex_trades", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown, Netting: true,
		Words: map[string]string{"Funding": "funding"},
		Columns: []Column{
			{"transacttime", RoleOpenTime},
			{"symbol", RoleSymbol},
			{"exectype", RoleKind},
			{"side", RoleSide},
			{"lastqty", RoleVolume},
			{"lastpx", RoleOpenPrice},
		},
	},
	{
		// The executions of GMO Click Securities, whose kind says what opens and what closes. What is delivered is the result after
		// all costs. Volumes are units.
		Name: "gmo_click", Platform: "other", Kind: Fills, Confidence: Low, Profit: Net, Zone: "Asia/Tokyo", Currency: "JPY", Mark: value.Point, Order: value.YMD, Units: true, Strict: true,
		Words: map[string]string{
			"FXネオ新規": "open", "FXネオ決済": "close", "FXネオロスカット": "close", "CFD新規": "open", "CFD決済": "close", "CFDロスカット": "close",
		},
		Columns: []Column{
			{"exectime", RoleOpenTime},
			{"取引区分", RoleEntry},
			{"約定番号", RoleID},
			{"銘柄名", RoleSymbol},
			{"side", RoleSide},
			{"execquantity", RoleVolume},
			{"execprice", RoleOpenPrice},
			{"受渡金額円貨", RoleProfit},
		},
	},
}

// swissquote is the list of transactions of Swissquote, by the names of its columns in English or as they are. Costs are in
// the currency of each trade.
func swissquote(date, order, transaction, quantity, price string) Format {
	return Format{
		Name: "swissquote", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown, Order: value.DMY,
		Words: map[string]string{
			"Depotgebühren": "fee", "Custody Fees": "fee", "Zinsen auf Einlagen": "interest", "Interest on credits": "interest", "Dividende": "dividend",
			"Einzahlung": "deposit", "Auszahlung": "withdrawal", "Vergütung": "deposit", "Payment": "deposit",
		},
		Effects: map[string]Entry{"Buy": EntryIn, "Kauf": EntryIn, "Sell": EntryOut, "Verkauf": EntryOut},
		Columns: []Column{
			{date, RoleOpenTime},
			{order, RoleID},
			{transaction, RoleSide},
			{"symbol", RoleSymbol},
			{"isin", NoRole},
			{quantity, RoleVolume},
			{price, RoleOpenPrice},
		},
	}
}
