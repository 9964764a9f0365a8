package format

import (
	"slices"

	"github.com/assayhq/assay/internal/statement/words"
)

// otherExport is an export that lists something else than trades, or does not say enough of them.
type otherExport struct {
	titles []string // folded, of columns that only this export has together
	detail string   // what is missing, and what to export instead
}

// sendTable is the advice where a platform has no better export.
const sendTable = "Send a table with the columns symbol, side, open_time, close_time, volume and net_profit."

// otherExports are those that people send by mistake, as their platforms have others from which trades can be read.
var otherExports = []otherExport{
	{
		[]string{"closingdirection"},
		"The closed results of Bybit do not say when a position was opened. Export the history of derivatives' trades instead.",
	},
	{
		[]string{"cumclosedpzopenfeeinfo"},
		"The closed results of Bybit do not say when a position was opened. Export the history of derivatives' trades instead.",
	},
	{
		[]string{"contract", "cashflow", "walletbalance"},
		"The transaction log of Bybit lists changes of the balance. Export the history of derivatives' trades instead.",
	},
	{
		[]string{"account", "operation", "coin", "change", "remark"},
		"The transaction history of Binance lists changes of the balance. Export the position history or the trade history of futures instead.",
	},
	{
		[]string{"txid", "ordertxid", "pair"},
		"The history of trades of Kraken does not say whether a sale closes a position or opens a short one, so trades cannot be told from it.",
	},
	{
		[]string{"txid", "refid", "asset"},
		"The ledger of Kraken lists changes of the balance, so trades cannot be told from it.",
	},
	{
		[]string{"datetime", "newaverageentryprice", "realizedfunding"},
		"The account log of Kraken's futures lists changes of the balance, and of a trade its result alone. " + sendTable,
	},
	{
		[]string{"quantitytransacted"},
		"The transactions of Coinbase list payments and conversions. Export the fills of Coinbase Advanced instead.",
	},
	{
		[]string{"underlyingasset", "ordertime", "reduceonly"},
		"The order history of Blofin says when orders were placed, and not when they were filled. Trades cannot be told from it.",
	},
	{
		[]string{"balancebefore", "balanceafter", "action"},
		"The balance history of TradingView does not say when a position was opened. Export the history of orders instead.",
	},
	{
		[]string{"details", "realizedequitychange"},
		"The account activity of eToro lists changes of the balance. Send the account statement as XLSX, which has the closed positions as well.",
	},
	{
		[]string{"id", "type", "time", "comment", "symbol", "amount"},
		"The cash operations of XTB do not say which purchase a sale belongs to. Export the closed positions instead.",
	},
	{
		[]string{"type", "instrument", "time", "amount", "comment", "product"},
		"The cash operations of XTB do not say which purchase a sale belongs to. Export the closed positions instead.",
	},
	{
		[]string{"valutadatum", "mutatie", "saldo"},
		"The account statement of DEGIRO lists changes of the balance. Export the transactions instead.",
	},
	{
		[]string{"valuedate", "fx", "change", "balance"},
		"The account statement of DEGIRO lists changes of the balance. Export the transactions instead.",
	},
	{
		[]string{"openeddate", "closeddate", "costpershare", "proceedspershare"},
		"The realized gains of Schwab do not say whether shares were sold short, nor at what time they were traded. Export the account statement of thinkorswim instead.",
	},
	{
		[]string{"activitydate", "transcode", "instrument"},
		"The history of Robinhood has days without times and no results, so trades cannot be told from it. " + sendTable,
	},
	{
		[]string{"date", "action", "feescomm", "amount"},
		"The transactions of Schwab have days without times and no results, so trades cannot be told from them. Export the account statement of thinkorswim instead.",
	},
	{
		[]string{"rundate", "action", "symbol"},
		"The account history of Fidelity has days without times and no results, so trades cannot be told from it. " + sendTable,
	},
	{
		[]string{"transactiondate", "transactiontype", "securitytype"},
		"The transactions of E*TRADE have days without times and no results, so trades cannot be told from them. " + sendTable,
	},
	{
		[]string{"scripcontract", "buyprice", "sellprice"},
		"The trades of Angel One have days without times and no results, so trades cannot be told from them. " + sendTable,
	},
	{
		[]string{"time", "type", "instrument", "product", "qty", "avgprice", "status"},
		"The orders of Kite are those of a day, and their volumes are written as 75/75. Export the tradebook of Zerodha's Console instead.",
	},
	{
		[]string{"symbol", "buyvalue", "sellvalue", "openquantity"},
		"The profit and loss of Zerodha has the sums of instruments instead of trades. Export the tradebook instead.",
	},
	{
		[]string{"futurestradingpair", "direction"},
		"This list of MEXC does not say when a position was opened. Export the history of futures positions instead.",
	},
	{
		[]string{"tradedate", "valuedate", "event", "instrumentsymbol"},
		"The transactions of Saxo have days without times and no results, so trades cannot be told from them. Export the closed positions of the account instead.",
	},
	{
		[]string{"約定日", "売却決済単価円", "平均取得価額円"},
		"The realized results of Rakuten Securities do not say when a position was opened. " + sendTable,
	},
	{
		[]string{"orderid", "relatedid", "product", "units"},
		"The history of CMC Markets names the order that opened a position instead of the time. " + sendTable,
	},
	{
		[]string{"pair", "amount", "price", "feeperc", "feecurrency", "orderid"},
		"The trades of Bitfinex do not say whether a sale closes a position or opens a short one, so trades cannot be told from it.",
	},
	{
		[]string{"timezone", "quotecurrency", "quoteprice", "receivedpaidcurrency"},
		"The transactions of Bitvavo name a time zone in each row, and times are read in one. " + sendTable,
	},
	{
		[]string{"tradedateclose", "tradedateopen", "quantityclose"},
		"The closed positions of Saxo have days without times and no sides. " + sendTable,
	},
	{
		[]string{"ticket#", "volume", "date", "sold", "bought", "netpl"},
		"The closed trades of FXCM take two rows each, one of the opening and one of the closing. Write both times, prices and the side into one row. " + sendTable,
	},
	{
		[]string{"type", "datetime", "account", "amount", "rate", "subtype"},
		"The transactions of Bitstamp name the coin beside its amount, and no pair. " + sendTable,
	},
	{
		[]string{"datetime", "symbol", "side", "orderid", "stopprice", "event"},
		"The history of orders of DXtrade has the prices of orders instead of those at which they were filled. Export the history of trades or the list of fills instead.",
	},
	{
		[]string{"time", "coin", "sz", "side", "payment", "rate"},
		"The funding history of Hyperliquid lists payments. Export the history of trades instead.",
	},
	{
		[]string{"route", "cloid"},
		"The list of trades of DAS Trader has times without dates. " + sendTable,
	},
}

// DescribeOther returns what is missing in an export that is known to be no list of trades, by the titles of its columns, and
// what to export instead; known is false for others.
func DescribeOther(titles []string) (detail string, known bool) {
	names := make([]string, len(titles))
	for i, title := range titles {
		names[i] = words.Fold(title)
	}
	for _, other := range otherExports {
		if !slices.ContainsFunc(other.titles, func(name string) bool { return !slices.Contains(names, name) }) {
			return other.detail, true
		}
	}
	return "", false
}
