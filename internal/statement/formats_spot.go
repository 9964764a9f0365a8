package statement

import "github.com/assayhq/assay/internal/statement/value"

// spot are the exports of accounts that sell nothing but what they hold: a purchase opens, and a sale closes. Fees are
// in the currency of each trade, or in what was bought, so that those of several cannot be added. Volumes are shares or
// coins.
var spot = []format{
	{
		// The history of trades of Binance's spot market. A volume has its coin behind it.
		name: "binance_spot", platform: "other", kind: fills, confidence: Low, profit: unknown, order: value.YMD,
		effects: map[string]entry{"BUY": in, "SELL": out},
		columns: []column{
			{"date", roleOpenTime},
			{"pair", roleSymbol},
			{"side", roleSide},
			{"price", roleOpenPrice},
			{"executed", roleVolume},
			{"amount", noRole},
			{"fee", noRole},
		},
	},
	{
		// As Binance wrote it earlier.
		name: "binance_spot", platform: "other", kind: fills, confidence: Low, profit: unknown, order: value.YMD,
		effects: map[string]entry{"BUY": in, "SELL": out},
		columns: []column{
			{"date", roleOpenTime},
			{"market", roleSymbol},
			{"type", roleSide},
			{"price", roleOpenPrice},
			{"amount", roleVolume},
			{"total", noRole},
			{"fee", noRole},
		},
	},
	{
		// The history of trades of Bybit's spot market.
		name: "bybit_spot", platform: "other", kind: fills, confidence: Low, profit: unknown,
		effects: map[string]entry{"BUY": in, "SELL": out},
		columns: []column{
			{"spotpairs", roleSymbol},
			{"direction", roleSide},
			{"filledprice", roleOpenPrice},
			{"filledquantity", roleVolume},
			{"transactionid", roleID},
			{"timestamp", roleOpenTime},
		},
	},
	{
		// The fills of Coinbase Advanced, formerly Coinbase Pro.
		name: "coinbase_fills", platform: "other", kind: fills, confidence: Low, profit: unknown,
		effects: map[string]entry{"BUY": in, "SELL": out},
		columns: []column{
			{"tradeid", roleID},
			{"product", roleSymbol},
			{"side", roleSide},
			{"createdat", roleOpenTime},
			{"size", roleVolume},
			{"sizeunit", noRole},
			{"price", roleOpenPrice},
		},
	},
	{
		// The filled orders of KuCoin's spot market.
		name: "kucoin_spot", platform: "other", kind: fills, confidence: Low, profit: unknown,
		effects: map[string]entry{"BUY": in, "SELL": out},
		columns: []column{
			{"uid", roleAccount},
			{"orderid", noRole},
			{"symbol", roleSymbol},
			{"side", roleSide},
			{"avgfilledprice", roleOpenPrice},
			{"filledamount", roleVolume},
			{"filledvolume", noRole},
			{"filledtime", roleOpenTime},
		},
		without: []string{"leverage", "realizedpnl"}, // of futures
	},
	{
		// The history of trades of Kraken. Rows of its margin accounts are refused, because they may be short.
		name: "kraken_spot", platform: "other", kind: fills, confidence: Low, profit: unknown, zone: "UTC",
		effects: map[string]entry{"buy": in, "sell": out},
		columns: []column{
			{"txid", roleID},
			{"ordertxid", noRole},
			{"pair", roleSymbol},
			{"time", roleOpenTime},
			{"type", roleSide},
			{"ordertype", noRole},
			{"price", roleOpenPrice},
			{"vol", roleVolume},
			{"margin", roleMargin},
		},
	},
	{
		// The history of Trading 212's account for shares. The result of a sale is at the average price of what was bought.
		name: "trading212", platform: "other", kind: fills, confidence: Low, profit: gross, zone: "UTC",
		words: map[string]string{
			"Market buy": "buy", "Limit buy": "buy", "Stop buy": "buy", "Stop limit buy": "buy",
			"Market sell": "sell", "Limit sell": "sell", "Stop sell": "sell", "Stop limit sell": "sell",
		},
		effects: map[string]entry{
			"Market buy": in, "Limit buy": in, "Stop buy": in, "Stop limit buy": in,
			"Market sell": out, "Limit sell": out, "Stop sell": out, "Stop limit sell": out,
		},
		columns: []column{
			{"action", roleSide},
			{"time", roleOpenTime},
			{"isin", noRole},
			{"ticker", roleSymbol},
			{"noofshares", roleVolume},
			{"priceshare", roleOpenPrice},
		},
		optional: []column{{"id", roleID}, {"result", roleProfit}},
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
func degiroFormat(date, clock, product, isin, quantity, price string) format {
	return format{
		name: "degiro_transactions", platform: "other", kind: fills, confidence: Low, profit: unknown, order: value.DMY, signed: true,
		effects: map[string]entry{"buy": in, "sell": out},
		columns: []column{
			{date, roleOpenTime},
			{clock, roleOpenTime},
			{product, roleSymbol},
			{isin, noRole},
			{quantity, roleVolume},
			{price, roleOpenPrice},
		},
	}
}
