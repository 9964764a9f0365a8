package format

import "github.com/assayhq/assay/internal/statement/value"

// spot are the exports of accounts that sell nothing but what they hold: a purchase opens, and a sale closes. Fees are
// in the currency of each trade, or in what was bought, so that those of several cannot be added. Volumes are shares or
// coins.
var spot = []Format{
	{
		// The history of trades of Binance's spot market. A volume has its coin behind it.
		Name: "binance_spot", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown, Order: value.YMD,
		Effects: map[string]Entry{"BUY": EntryIn, "SELL": EntryOut},
		Columns: []Column{
			{"date", RoleOpenTime},
			{"pair", RoleSymbol},
			{"side", RoleSide},
			{"price", RoleOpenPrice},
			{"executed", RoleVolume},
			{"amount", NoRole},
			{"fee", NoRole},
		},
	},
	{
		// As Binance wrote it earlier.
		Name: "binance_spot", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown, Order: value.YMD,
		Effects: map[string]Entry{"BUY": EntryIn, "SELL": EntryOut},
		Columns: []Column{
			{"date", RoleOpenTime},
			{"market", RoleSymbol},
			{"type", RoleSide},
			{"price", RoleOpenPrice},
			{"amount", RoleVolume},
			{"total", NoRole},
			{"fee", NoRole},
		},
	},
	{
		// The history of trades of Bybit's spot market.
		Name: "bybit_spot", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown,
		Effects: map[string]Entry{"BUY": EntryIn, "SELL": EntryOut},
		Columns: []Column{
			{"spotpairs", RoleSymbol},
			{"direction", RoleSide},
			{"filledprice", RoleOpenPrice},
			{"filledquantity", RoleVolume},
			{"transactionid", RoleID},
			{"timestamp", RoleOpenTime},
		},
	},
	{
		// The fills of Coinbase Advanced, formerly Coinbase Pro.
		Name: "coinbase_fills", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown,
		Effects: map[string]Entry{"BUY": EntryIn, "SELL": EntryOut},
		Columns: []Column{
			{"tradeid", RoleID},
			{"product", RoleSymbol},
			{"side", RoleSide},
			{"createdat", RoleOpenTime},
			{"size", RoleVolume},
			{"sizeunit", NoRole},
			{"price", RoleOpenPrice},
		},
	},
	{
		// The filled orders of KuCoin's spot market.
		Name: "kucoin_spot", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown,
		Effects: map[string]Entry{"BUY": EntryIn, "SELL": EntryOut},
		Columns: []Column{
			{"uid", RoleAccount},
			{"orderid", NoRole},
			{"symbol", RoleSymbol},
			{"side", RoleSide},
			{"avgfilledprice", RoleOpenPrice},
			{"filledamount", RoleVolume},
			{"filledvolume", NoRole},
			{"filledtime", RoleOpenTime},
		},
		Without: []string{"leverage", "realizedpnl"}, // of futures
	},
	{
		// The history of trades of Kraken. Rows of its margin accounts are refused, because they may be short.
		Name: "kraken_spot", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown, Zone: "UTC",
		Effects: map[string]Entry{"buy": EntryIn, "sell": EntryOut},
		Columns: []Column{
			{"txid", RoleID},
			{"ordertxid", NoRole},
			{"pair", RoleSymbol},
			{"time", RoleOpenTime},
			{"type", RoleSide},
			{"ordertype", NoRole},
			{"price", RoleOpenPrice},
			{"vol", RoleVolume},
			{"margin", RoleMargin},
		},
	},
	{
		// The history of Trading 212's account for shares. The result of a sale is at the average price of what was bought.
		Name: "trading212", Platform: "other", Kind: Fills, Confidence: Low, Profit: Gross, Zone: "UTC",
		Words: map[string]string{
			"Market buy": "buy", "Limit buy": "buy", "Stop buy": "buy", "Stop limit buy": "buy",
			"Market sell": "sell", "Limit sell": "sell", "Stop sell": "sell", "Stop limit sell": "sell",
		},
		Effects: map[string]Entry{
			"Market buy": EntryIn, "Limit buy": EntryIn, "Stop buy": EntryIn, "Stop limit buy": EntryIn,
			"Market sell": EntryOut, "Limit sell": EntryOut, "Stop sell": EntryOut, "Stop limit sell": EntryOut,
		},
		Columns: []Column{
			{"action", RoleSide},
			{"time", RoleOpenTime},
			{"isin", NoRole},
			{"ticker", RoleSymbol},
			{"noofshares", RoleVolume},
			{"priceshare", RoleOpenPrice},
		},
		Optional: []Column{{"id", RoleID}, {"result", RoleProfit}},
	},
	degiroFormat("date", "time", "product", "isin", "quantity", "price"),
	degiroFormat("datum", "tijd", "product", "isin", "aantal", "koers"),        // in Dutch
	degiroFormat("datum", "uhrzeit", "produkt", "isin", "anzahl", "kurs"),      // in German
	degiroFormat("date", "time", "produit", "isin", "quantite", "cours"),       //nolint:misspell // French
	degiroFormat("date", "time", "produit", "codeisin", "quantite", "cours"),   //nolint:misspell // French
	degiroFormat("fecha", "time", "producto", "isin", "numero", "price"),       //nolint:misspell // Spanish
	degiroFormat("data", "time", "produto", "isin", "quantidade", "price"),     // in Portuguese
	degiroFormat("data", "time", "produto", "isin", "quantidade", "precos"),    // as well
	degiroFormat("data", "time", "prodotto", "isin", "quantita", "quotazione"), // in Italian
}

// degiroFormat is the list of transactions of DEGIRO, by the names of its columns in English or as they are. The sign of
// the quantity is the side.
func degiroFormat(date, clock, product, isin, quantity, price string) Format {
	return Format{
		Name: "degiro_transactions", Platform: "other", Kind: Fills, Confidence: Low, Profit: Unknown, Order: value.DMY, Signed: true,
		Effects: map[string]Entry{"buy": EntryIn, "sell": EntryOut},
		Columns: []Column{
			{date, RoleOpenTime},
			{clock, RoleOpenTime},
			{product, RoleSymbol},
			{isin, NoRole},
			{quantity, RoleVolume},
			{price, RoleOpenPrice},
		},
	}
}
