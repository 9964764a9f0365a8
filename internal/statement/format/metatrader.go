package format

import "github.com/assayhq/assay/internal/statement/value"

// metatrader are the exports of the MetaTrader terminals and of the sites that
// read their accounts.
var metatrader = []Format{
	{
		Name: "mt5_report", Platform: "mt5", Kind: Positions, Confidence: High, Profit: Gross,
		Columns: []Column{
			{"time", RoleOpenTime},
			{"position", RoleID},
			{"symbol", RoleSymbol},
			{"type", RoleSide},
			{"volume", RoleVolume},
			{"price", RoleOpenPrice},
			{"sl", RoleStop},
			{"tp", RoleTarget},
			{"time", RoleCloseTime},
			{"price", RoleClosePrice},
			{"commission", RoleCommission},
			{"swap", RoleSwap},
			{"profit", RoleProfit},
		},
		Optional: []Column{{"fee", RoleCommission}},
	},
	{
		Name: "mt5_report", Platform: "mt5", Kind: OpenOnly, Confidence: High, Profit: Gross,
		Columns: []Column{
			{"time", RoleOpenTime},
			{"position", RoleID},
			{"symbol", RoleSymbol},
			{"type", RoleSide},
			{"volume", RoleVolume},
			{"price", RoleOpenPrice},
			{"sl", RoleStop},
			{"tp", RoleTarget},
			{"marketprice", NoRole},
			{"swap", RoleSwap},
			{"profit", RoleProfit},
		},
		Optional: []Column{{"commission", RoleCommission}},
	},
	mt5Deals("deal", "direction"),
	mt5Deals("transaction", "direction"), // in French
	mt5Deals("deal", "entry"),            // as brokers export it from the server
	mt5Deals("dealid", "entry"),          // as programs write it that run in the terminal
	mt5Deals("ticket", "entry"),          // as MetaTrader's library for Python gives it
	{
		Name: "mt5_deals", Platform: "mt5", Kind: Deals, Confidence: High, Profit: Gross, // as servers write the confirmations of a day
		Columns: []Column{
			{"opentime", RoleOpenTime},
			{"ticket", RoleID},
			{"type", RoleSide},
			{"size", RoleVolume},
			{"item", RoleSymbol},
			{"price", RoleOpenPrice},
			{"order", RoleOrder},
			{"entry", RoleEntry},
			{"commission", RoleCommission},
			{"swap", RoleSwap},
			{"profit", RoleProfit},
		},
		Optional: []Column{{"fee", RoleCommission}},
	},
	{
		Name: "mt5_deals", Platform: "mt5", Kind: Deals, Confidence: High, Profit: Gross, // the list of positions of the server, which has no costs
		Words: map[string]string{"Trade Buy In": "buy", "Trade Sell In": "sell", "Trade Buy Out": "buy", "Trade Sell Out": "sell"},
		Columns: []Column{
			{"symbol", RoleSymbol},
			{"accountnumber", RoleAccount},
			{"position", RolePosition},
			{"datetime", RoleOpenTime},
			{"transactiontype", RoleSide},
			{"tradevolumelots", RoleVolume},
			{"openprice", RoleOpenPrice},
			{"profit", RoleProfit},
		},
	},
	mt4Statement("size", "item"),
	mt4Statement("lots", "symbol"), // as terminals wrote it earlier, and as servers write the confirmations of a day
	{
		Name: "ftmo_metrix", Platform: "other", Kind: Positions, Confidence: High, Profit: Gross, Zone: "Europe/Prague",
		Columns: []Column{
			{"ticket", RoleID},
			{"open", RoleOpenTime},
			{"type", RoleSide},
			{"volume", RoleVolume},
			{"symbol", RoleSymbol},
			{"price", RoleOpenPrice},
			{"sl", RoleStop},
			{"tp", RoleTarget},
			{"close", RoleCloseTime},
			{"price", RoleClosePrice},
			{"swap", RoleSwap},
			{"commissions", RoleCommission},
			{"profit", RoleProfit},
			{"pips", NoRole},
		},
	},
	myfxbookHistory("unitslots"),
	myfxbookHistory("lots"), // as it was written earlier
	{
		Name: "mql5_signal", Platform: "other", Kind: Positions, Confidence: High, Profit: Gross,
		Columns: []Column{
			{"time", RoleOpenTime},
			{"type", RoleSide},
			{"volume", RoleVolume},
			{"symbol", RoleSymbol},
			{"price", RoleOpenPrice},
			{"time", RoleCloseTime},
			{"price", RoleClosePrice},
			{"commission", RoleCommission},
			{"swap", RoleSwap},
			{"profit", RoleProfit},
		},
		Optional: []Column{{"sl", RoleStop}, {"tp", RoleTarget}},
		Without:  []string{"position", "ticket", "deal"},
	},
	{
		Name: "fxblue", Platform: "other", Kind: Positions, Confidence: High,
		Columns: []Column{
			{"type", RoleKind},
			{"ticket", RoleID},
			{"symbol", RoleSymbol},
			{"lots", RoleVolume},
			{"buysell", RoleSide},
			{"openprice", RoleOpenPrice},
			{"closeprice", RoleClosePrice},
			{"opentime", RoleOpenTime},
			{"closetime", RoleCloseTime},
			{"profit", RoleGross},
			{"swap", RoleSwap},
			{"commission", RoleCommission},
			{"netprofit", RoleNet},
		},
		Optional: []Column{{"tp", RoleTarget}, {"sl", RoleStop}, {"account", RoleAccount}, {"currency", RoleCurrency}},
	},
}

// myfxbookHistory is the history of an account, whose column of volumes has two names.
func myfxbookHistory(volume string) Format {
	return Format{
		Name: "myfxbook", Platform: "other", Kind: Positions, Confidence: High, Profit: Net, Order: value.MDY,
		Columns: []Column{
			{"opendate", RoleOpenTime},
			{"closedate", RoleCloseTime},
			{"symbol", RoleSymbol},
			{"action", RoleSide},
			{volume, RoleVolume},
			{"sl", RoleStop},
			{"tp", RoleTarget},
			{"openprice", RoleOpenPrice},
			{"closeprice", RoleClosePrice},
			{"pips", NoRole},
			{"profit", RoleProfit},
		},
		Optional: []Column{{"ticket", RoleID}, {"commission", RoleCommission}, {"swap", RoleSwap}, {"tags", NoRole}},
	}
}

// mt4Statement is a statement of MT4, whose columns of volumes and symbols have two names.
func mt4Statement(volume, symbol string) Format {
	return Format{
		Name: "mt4_statement", Platform: "mt4", Kind: Positions, Confidence: High, Profit: Gross,
		Columns: []Column{
			{"ticket", RoleID},
			{"opentime", RoleOpenTime},
			{"type", RoleSide},
			{volume, RoleVolume},
			{symbol, RoleSymbol},
			{"price", RoleOpenPrice},
			{"sl", RoleStop},
			{"tp", RoleTarget},
			{"price", RoleClosePrice},
			{"commission", RoleCommission},
			{"swap", RoleSwap},
			{"profit", RoleProfit},
		},
		Optional: []Column{{"closetime", RoleCloseTime}, {"taxes", RoleCommission}},
	}
}

// mt5Deals is a list of deals of MT5, whose columns of numbers and directions have two names.
func mt5Deals(number, direction string) Format {
	return Format{
		Name: "mt5_deals", Platform: "mt5", Kind: Deals, Confidence: High, Profit: Gross, Coded: true,
		// The numbers of the types of deals that are no trades.
		Words: map[string]string{
			"2": "balance", "3": "credit", "4": "charge", "5": "correction", "6": "bonus", "7": "commission", "8": "commission", "9": "commission",
			"10": "commission", "11": "commission", "12": "interest", "13": "canceled", "14": "canceled", "15": "dividend", "16": "dividend", "17": "tax",
		},
		Columns: []Column{
			{"time", RoleOpenTime},
			{number, RoleID},
			{"symbol", RoleSymbol},
			{"type", RoleSide},
			{direction, RoleEntry},
			{"volume", RoleVolume},
			{"price", RoleOpenPrice},
			{"profit", RoleProfit},
		},
		Optional: []Column{
			{"order", RoleOrder},
			{"orderid", RoleOrder},
			{"commission", RoleCommission},
			{"commissions", RoleCommission}, // in Italian
			{"fee", RoleCommission},
			{"swap", RoleSwap},
			{"position", RolePosition},
			{"positionid", RolePosition},
			{"sl", RoleStop},
			{"tp", RoleTarget},
			{"account", RoleAccount},
			{"login", RoleAccount},
			{"currency", RoleCurrency},
		},
	}
}
