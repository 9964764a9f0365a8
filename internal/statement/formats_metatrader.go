package statement

import "github.com/assayhq/assay/internal/statement/value"

// metatrader are the exports of the MetaTrader terminals and of the sites that
// read their accounts.
var metatrader = []format{
	{
		name: "mt5_report", platform: "mt5", kind: positions, confidence: High, profit: gross,
		columns: []column{
			{"time", roleOpenTime},
			{"position", roleID},
			{"symbol", roleSymbol},
			{"type", roleSide},
			{"volume", roleVolume},
			{"price", roleOpenPrice},
			{"sl", roleStop},
			{"tp", roleTarget},
			{"time", roleCloseTime},
			{"price", roleClosePrice},
			{"commission", roleCommission},
			{"swap", roleSwap},
			{"profit", roleProfit},
		},
		optional: []column{{"fee", roleCommission}},
	},
	{
		name: "mt5_report", platform: "mt5", kind: openOnly, confidence: High, profit: gross,
		columns: []column{
			{"time", roleOpenTime},
			{"position", roleID},
			{"symbol", roleSymbol},
			{"type", roleSide},
			{"volume", roleVolume},
			{"price", roleOpenPrice},
			{"sl", roleStop},
			{"tp", roleTarget},
			{"marketprice", noRole},
			{"swap", roleSwap},
			{"profit", roleProfit},
		},
		optional: []column{{"commission", roleCommission}},
	},
	mt5Deals("deal", "direction"),
	mt5Deals("transaction", "direction"), // in French
	mt5Deals("deal", "entry"),            // as brokers export it from the server
	mt5Deals("dealid", "entry"),          // as programs write it that run in the terminal
	mt5Deals("ticket", "entry"),          // as MetaTrader's library for Python gives it
	{
		name: "mt5_deals", platform: "mt5", kind: deals, confidence: High, profit: gross, // as servers write the confirmations of a day
		columns: []column{
			{"opentime", roleOpenTime},
			{"ticket", roleID},
			{"type", roleSide},
			{"size", roleVolume},
			{"item", roleSymbol},
			{"price", roleOpenPrice},
			{"order", roleOrder},
			{"entry", roleEntry},
			{"commission", roleCommission},
			{"swap", roleSwap},
			{"profit", roleProfit},
		},
		optional: []column{{"fee", roleCommission}},
	},
	{
		name: "mt5_deals", platform: "mt5", kind: deals, confidence: High, profit: gross, // the list of positions of the server, which has no costs
		words: map[string]string{"Trade Buy In": "buy", "Trade Sell In": "sell", "Trade Buy Out": "buy", "Trade Sell Out": "sell"},
		columns: []column{
			{"symbol", roleSymbol},
			{"accountnumber", roleAccount},
			{"position", rolePosition},
			{"datetime", roleOpenTime},
			{"transactiontype", roleSide},
			{"tradevolumelots", roleVolume},
			{"openprice", roleOpenPrice},
			{"profit", roleProfit},
		},
	},
	mt4Statement("size", "item"),
	mt4Statement("lots", "symbol"), // as terminals wrote it earlier, and as servers write the confirmations of a day
	{
		name: "ftmo_metrix", platform: "other", kind: positions, confidence: High, profit: gross, zone: "Europe/Prague",
		columns: []column{
			{"ticket", roleID},
			{"open", roleOpenTime},
			{"type", roleSide},
			{"volume", roleVolume},
			{"symbol", roleSymbol},
			{"price", roleOpenPrice},
			{"sl", roleStop},
			{"tp", roleTarget},
			{"close", roleCloseTime},
			{"price", roleClosePrice},
			{"swap", roleSwap},
			{"commissions", roleCommission},
			{"profit", roleProfit},
			{"pips", noRole},
		},
	},
	myfxbookHistory("unitslots"),
	myfxbookHistory("lots"), // as it was written earlier
	{
		name: "mql5_signal", platform: "other", kind: positions, confidence: High, profit: gross,
		columns: []column{
			{"time", roleOpenTime},
			{"type", roleSide},
			{"volume", roleVolume},
			{"symbol", roleSymbol},
			{"price", roleOpenPrice},
			{"time", roleCloseTime},
			{"price", roleClosePrice},
			{"commission", roleCommission},
			{"swap", roleSwap},
			{"profit", roleProfit},
		},
		optional: []column{{"sl", roleStop}, {"tp", roleTarget}},
		without:  []string{"position", "ticket", "deal"},
	},
	{
		name: "fxblue", platform: "other", kind: positions, confidence: High,
		columns: []column{
			{"type", roleKind},
			{"ticket", roleID},
			{"symbol", roleSymbol},
			{"lots", roleVolume},
			{"buysell", roleSide},
			{"openprice", roleOpenPrice},
			{"closeprice", roleClosePrice},
			{"opentime", roleOpenTime},
			{"closetime", roleCloseTime},
			{"profit", roleGross},
			{"swap", roleSwap},
			{"commission", roleCommission},
			{"netprofit", roleNet},
		},
		optional: []column{{"tp", roleTarget}, {"sl", roleStop}, {"account", roleAccount}, {"currency", roleCurrency}},
	},
}

// myfxbookHistory is the history of an account, whose column of volumes has two names.
func myfxbookHistory(volume string) format {
	return format{
		name: "myfxbook", platform: "other", kind: positions, confidence: High, profit: net, order: value.MDY,
		columns: []column{
			{"opendate", roleOpenTime},
			{"closedate", roleCloseTime},
			{"symbol", roleSymbol},
			{"action", roleSide},
			{volume, roleVolume},
			{"sl", roleStop},
			{"tp", roleTarget},
			{"openprice", roleOpenPrice},
			{"closeprice", roleClosePrice},
			{"pips", noRole},
			{"profit", roleProfit},
		},
		optional: []column{{"ticket", roleID}, {"commission", roleCommission}, {"swap", roleSwap}, {"tags", noRole}},
	}
}

// mt4Statement is a statement of MT4, whose columns of volumes and symbols have two names.
func mt4Statement(volume, symbol string) format {
	return format{
		name: "mt4_statement", platform: "mt4", kind: positions, confidence: High, profit: gross,
		columns: []column{
			{"ticket", roleID},
			{"opentime", roleOpenTime},
			{"type", roleSide},
			{volume, roleVolume},
			{symbol, roleSymbol},
			{"price", roleOpenPrice},
			{"sl", roleStop},
			{"tp", roleTarget},
			{"price", roleClosePrice},
			{"commission", roleCommission},
			{"swap", roleSwap},
			{"profit", roleProfit},
		},
		optional: []column{{"closetime", roleCloseTime}, {"taxes", roleCommission}},
	}
}

// mt5Deals is a list of deals of MT5, whose columns of numbers and directions have two names.
func mt5Deals(number, direction string) format {
	return format{
		name: "mt5_deals", platform: "mt5", kind: deals, confidence: High, profit: gross, coded: true,
		// The numbers of the types of deals that are no trades.
		words: map[string]string{
			"2": "balance", "3": "credit", "4": "charge", "5": "correction", "6": "bonus", "7": "commission", "8": "commission", "9": "commission",
			"10": "commission", "11": "commission", "12": "interest", "13": "canceled", "14": "canceled", "15": "dividend", "16": "dividend", "17": "tax",
		},
		columns: []column{
			{"time", roleOpenTime},
			{number, roleID},
			{"symbol", roleSymbol},
			{"type", roleSide},
			{direction, roleEntry},
			{"volume", roleVolume},
			{"price", roleOpenPrice},
			{"profit", roleProfit},
		},
		optional: []column{
			{"order", roleOrder},
			{"orderid", roleOrder},
			{"commission", roleCommission},
			{"commissions", roleCommission}, // in Italian
			{"fee", roleCommission},
			{"swap", roleSwap},
			{"position", rolePosition},
			{"positionid", rolePosition},
			{"sl", roleStop},
			{"tp", roleTarget},
			{"account", roleAccount},
			{"login", roleAccount},
			{"currency", roleCurrency},
		},
	}
}
