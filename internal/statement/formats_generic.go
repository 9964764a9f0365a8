package statement

// aliases are the names that the generic mapper knows, folded and in English. A name is compared as
// a whole: "price" is never a part of "entryprice". If several columns have the same role, the name
// that comes first here is used.
var aliases = []column{
	{"positionid", roleID},
	{"tradeid", roleID},
	{"ticket", roleID},
	{"position", roleID},
	{"dealid", roleID},
	{"deal", roleID},
	{"orderid", roleID},
	{"order", roleID},
	{"id", roleID},
	{"#", roleID},
	{"symbol", roleSymbol},
	{"instrument", roleSymbol},
	{"contractname", roleSymbol},
	{"contract", roleSymbol},
	{"item", roleSymbol},
	{"pair", roleSymbol},
	{"market", roleSymbol},
	{"side", roleSide},
	{"buysell", roleSide},
	{"openingdirection", roleSide},
	{"direction", roleSide},
	{"marketpos", roleSide},
	{"action", roleSide},
	{"type", roleSide},
	{"lots", roleVolume},
	{"lot", roleVolume},
	{"unitslots", roleVolume},
	{"volume", roleVolume},
	{"closingquantity", roleVolume},
	{"quantity", roleVolume},
	{"qty", roleVolume},
	{"size", roleVolume},
	{"contracts", roleVolume},
	{"opentime", roleOpenTime},
	{"opendatetime", roleOpenTime},
	{"openingtime", roleOpenTime},
	{"opendate", roleOpenTime},
	{"entrytime", roleOpenTime},
	{"entrydate", roleOpenTime},
	{"enteredat", roleOpenTime},
	{"openedat", roleOpenTime},
	{"open", roleOpenTime},
	{"closetime", roleCloseTime},
	{"closedatetime", roleCloseTime},
	{"closingtime", roleCloseTime},
	{"closedate", roleCloseTime},
	{"exittime", roleCloseTime},
	{"exitdate", roleCloseTime},
	{"exitedat", roleCloseTime},
	{"closedat", roleCloseTime},
	{"close", roleCloseTime},
	{"openprice", roleOpenPrice},
	{"openingprice", roleOpenPrice},
	{"entryprice", roleOpenPrice},
	{"openrate", roleOpenPrice},
	{"closeprice", roleClosePrice},
	{"closingprice", roleClosePrice},
	{"exitprice", roleClosePrice},
	{"closerate", roleClosePrice},
	{"sl", roleStop},
	{"stoploss", roleStop},
	{"tp", roleTarget},
	{"takeprofit", roleTarget},
	{"commission", roleCommission},
	{"commissions", roleCommission},
	{"comm", roleCommission},
	{"fee", roleCommission},
	{"fees", roleCommission},
	{"taxes", roleCommission},
	{"swap", roleSwap},
	{"swaps", roleSwap},
	{"rollover", roleSwap},
	{"financing", roleSwap},
	{"netprofit", roleNet},
	{"netpl", roleNet},
	{"netpnl", roleNet},
	{"net", roleNet},
	{"grosspl", roleGross},
	{"grossprofit", roleGross},
	{"grosspnl", roleGross},
	{"gross", roleGross},
	{"profit", roleProfit},
	{"pl", roleProfit},
	{"pnl", roleProfit},
	{"profitloss", roleProfit},
	{"account", roleAccount},
	{"login", roleAccount},
	{"accountid", roleAccount},
	{"accountnumber", roleAccount},
	{"status", roleState},
	{"state", roleState},
	{"currency", roleCurrency},
	{"accountcurrency", roleCurrency},
}

// pairs are names that stand for opening and closing when they occur twice.
var pairs = map[string][2]role{
	"time":     {roleOpenTime, roleCloseTime},
	"date":     {roleOpenTime, roleCloseTime},
	"datetime": {roleOpenTime, roleCloseTime},
	"price":    {roleOpenPrice, roleClosePrice},
}

// furtherNames are columns that tables of trades, orders and payments have in
// addition to those with a role: a row of such names is a header.
var furtherNames = []string{
	"amount", "balance", "channel", "closeorigin", "comment", "cost", "currentprice", "description", "duration", "equity", "filled", "gain", "label", "leverage", "limitprice",
	"magic", "magicnumber", "margin", "note", "openorigin", "operation", "ordercomment", "paymentmethod", "product", "productdescription", "purchasevalue", "reason", "requestid",
	"result", "salevalue", "signal", "stopprice", "transaction", "transactionid", "venue", "versionid",
}

// running are columns whose cells depend on the rest of the export: a row keeps its
// identity if they change.
var running = []string{"balance", "cumnetprofit", "cumprofit", "gain", "tradenumber", "trade#", "no", "nr", "number"}

// generic reads tables of unknown platforms by the names of their columns.
var generic = format{name: "generic", platform: "other", kind: positions, confidence: Medium, profit: unknown}

// tradeLocker is the generic mapper for files that carry the platform's name:
// no export's header is known for certain.
var tradeLocker = format{name: "tradelocker", platform: "tradelocker", kind: positions, confidence: Low, profit: unknown}
