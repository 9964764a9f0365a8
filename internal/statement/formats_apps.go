package statement

import "github.com/assayhq/assay/internal/statement/value"

// apps are the exports of brokers whose customers trade in an app, and of exchanges, as lists of executions. Where
// shares are sold that have been bought before, a purchase opens and a sale closes.
var apps = []format{
	{
		// The account statement of Revolut's shares. Of a split the list has the new shares without a price, so it is refused.
		name: "revolut_stocks", platform: "other", kind: fills, confidence: Low, profit: unknown,
		words: map[string]string{
			"BUY - MARKET": "buy", "BUY - LIMIT": "buy", "BUY - STOP": "buy", "SELL - MARKET": "sell", "SELL - LIMIT": "sell", "SELL - STOP": "sell",
		},
		effects: map[string]entry{
			"BUY": in, "BUY - MARKET": in, "BUY - LIMIT": in, "BUY - STOP": in, "SELL": out, "SELL - MARKET": out, "SELL - LIMIT": out, "SELL - STOP": out,
		},
		columns: []column{
			{"date", roleOpenTime},
			{"ticker", roleSymbol},
			{"type", roleSide},
			{"quantity", roleVolume},
			{"pricepershare", roleOpenPrice},
			{"totalamount", noRole},
			{"fxrate", noRole},
		},
	},
	{
		// The account statement of Lightyear.
		name: "lightyear", platform: "other", kind: fills, confidence: Low, profit: unknown, order: value.DMY,
		effects: map[string]entry{"Buy": in, "Sell": out},
		columns: []column{
			{"date", roleOpenTime},
			{"reference", roleID},
			{"ticker", roleSymbol},
			{"isin", noRole},
			{"type", roleSide},
			{"quantity", roleVolume},
			{"ccy", noRole},
			{"priceshare", roleOpenPrice},
		},
	},
	{
		// The activity of Freetrade, in which orders are one type of rows. Prices are in the account's currency.
		name: "freetrade", platform: "other", kind: fills, confidence: Low, profit: unknown,
		effects: map[string]entry{"BUY": in, "SELL": out},
		columns: []column{
			{"title", noRole},
			{"type", noRole},
			{"timestamp", roleOpenTime},
			{"buysell", roleSide},
			{"ticker", roleSymbol},
			{"pricepershareinaccountcurrency", roleOpenPrice},
			{"quantity", roleVolume},
		},
		optional: []column{{"orderid", roleID}},
	},
	{
		// The transactions of Scalable Capital, which names shares by their ISIN.
		name: "scalable", platform: "other", kind: fills, confidence: Low, profit: unknown, costsPositive: true, order: value.YMD,
		words:   map[string]string{"Savings plan": "buy", "Rejected": "rejected", "Expired": "rejected"},
		effects: map[string]entry{"Buy": in, "Savings plan": in, "Sell": out},
		columns: []column{
			{"date", roleOpenTime},
			{"time", roleOpenTime},
			{"status", roleKind}, // an order that was canceled has its volume and price as well
			{"reference", roleID},
			{"assettype", noRole},
			{"type", roleSide},
			{"isin", roleSymbol},
			{"shares", roleVolume},
			{"price", roleOpenPrice},
			{"fee", roleCommission},
			{"tax", noRole},
			{"currency", roleCurrency},
		},
	},
	swissquote("date", "order#", "transaction", "quantity", "unitprice"),
	swissquote("datum", "auftrag#", "transaktionen", "anzahl", "stuckpreis"),
	{
		// The activities of Alpaca. A purchase closes a short sale, or opens.
		name: "alpaca_fills", platform: "other", kind: fills, confidence: Low, profit: unknown, zone: "UTC",
		words:   map[string]string{"sell_short": "sell"},
		effects: map[string]entry{"sell_short": in},
		columns: []column{
			{"activitytype", roleKind},
			{"transactiontime", roleOpenTime},
			{"price", roleOpenPrice},
			{"qty", roleVolume},
			{"side", roleSide},
			{"symbol", roleSymbol},
		},
		optional: []column{{"id", roleID}},
	},
	{
		// The trades of the Trader Workstation of Interactive Brokers. A result is after the commissions of both legs.
		name: "tws_trades", platform: "other", kind: fills, confidence: Low, profit: net, costsPositive: true, netting: true,
		columns: []column{
			{"fininstrument", roleSymbol},
			{"action", roleSide},
			{"quantity", roleVolume},
			{"price", roleOpenPrice},
			{"time", roleOpenTime},
			{"commission", roleCommission},
			{"realizedpl", roleProfit},
		},
		optional: []column{{"date", roleOpenTime}, {"account", roleAccount}},
	},
	{
		// The positions of KuCoin's futures. Results are after fees and funding, which have a column each.
		name: "kucoin_positions", platform: "other", kind: positions, confidence: High, profit: net, costsPositive: true,
		words: map[string]string{"LIQUID_LONG": "long", "LIQUID_SHORT": "short", "ADL_LONG": "long", "ADL_SHORT": "short"},
		columns: []column{
			{"uid", roleAccount},
			{"symbol", roleSymbol},
			{"closetype", roleSide},
			{"realizedpnl", roleProfit},
			{"totalfundingfees", roleSwap},
			{"totaltradingfees", roleCommission},
			{"positionopeningtime", roleOpenTime},
			{"positionclosingtime", roleCloseTime},
		},
		optional: []column{{"entryprice", roleOpenPrice}, {"closeprice", roleClosePrice}},
	},
	{
		// The filled orders of KuCoin's futures, with the result of what each closes.
		name: "kucoin_futures", platform: "other", kind: fills, confidence: Low, profit: gross, costsPositive: true,
		columns: []column{
			{"uid", roleAccount},
			{"orderid", roleID},
			{"symbol", roleSymbol},
			{"side", roleSide},
			{"avgfilledprice", roleOpenPrice},
			{"filledamount", roleVolume},
			{"filledtime", roleOpenTime},
			{"fee", roleCommission},
			{"realizedpnl", roleProfit},
		},
		optional: []column{{"status", roleState}, {"feecurrency", roleUnit}},
	},
	{
		// The transaction log of Deribit, whose sides say what opens and what closes. Fees and results are in the coin of the contract.
		name: "deribit_log", platform: "other", kind: fills, confidence: Low, profit: unknown, zone: "UTC", units: true,
		words: map[string]string{
			"open buy": "buy", "close buy": "buy", "open sell": "sell", "close sell": "sell", "settlement": "funding", "-": "transfer",
		},
		columns: []column{
			{"userseq", noRole},
			{"date", roleOpenTime},
			{"instrument", roleSymbol},
			{"type", roleKind},
			{"side", roleSide},
			{"amount", roleVolume},
			{"position", noRole},
			{"price", roleOpenPrice},
			{"cashflow", noRole},
		},
		optional: []column{{"tradeid", roleID}},
	},
	{
		// The history of trades of BitMEX, in which payments of funding are rows. Fees and results are in the smallest unit of a coin.
		name: "bitmex_trades", platform: "other", kind: fills, confidence: Low, profit: unknown, netting: true,
		words: map[string]string{"Funding": "funding"},
		columns: []column{
			{"transacttime", roleOpenTime},
			{"symbol", roleSymbol},
			{"exectype", roleKind},
			{"side", roleSide},
			{"lastqty", roleVolume},
			{"lastpx", roleOpenPrice},
		},
	},
	{
		// The executions of GMO Click Securities, whose kind says what opens and what closes. What is delivered is the result after
		// all costs. Volumes are units.
		name: "gmo_click", platform: "other", kind: fills, confidence: Low, profit: net, zone: "Asia/Tokyo", currency: "JPY", mark: value.Point, order: value.YMD, units: true, strict: true,
		words: map[string]string{
			"FXネオ新規": "open", "FXネオ決済": "close", "FXネオロスカット": "close", "CFD新規": "open", "CFD決済": "close", "CFDロスカット": "close",
		},
		columns: []column{
			{"exectime", roleOpenTime},
			{"取引区分", roleEntry},
			{"約定番号", roleID},
			{"銘柄名", roleSymbol},
			{"side", roleSide},
			{"execquantity", roleVolume},
			{"execprice", roleOpenPrice},
			{"受渡金額円貨", roleProfit},
		},
	},
}

// swissquote is the list of transactions of Swissquote, by the names of its columns in English or as they are. Costs are in
// the currency of each trade.
func swissquote(date, order, transaction, quantity, price string) format {
	return format{
		name: "swissquote", platform: "other", kind: fills, confidence: Low, profit: unknown, order: value.DMY,
		words: map[string]string{
			"Depotgebühren": "fee", "Custody Fees": "fee", "Zinsen auf Einlagen": "interest", "Interest on credits": "interest", "Dividende": "dividend",
			"Einzahlung": "deposit", "Auszahlung": "withdrawal", "Vergütung": "deposit", "Payment": "deposit",
		},
		effects: map[string]entry{"Buy": in, "Kauf": in, "Sell": out, "Verkauf": out},
		columns: []column{
			{date, roleOpenTime},
			{order, roleID},
			{transaction, roleSide},
			{"symbol", roleSymbol},
			{"isin", noRole},
			{quantity, roleVolume},
			{price, roleOpenPrice},
		},
	}
}
