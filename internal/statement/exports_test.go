package statement_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/statement"
	"github.com/assayhq/assay/internal/statement/sheet"
	"github.com/assayhq/assay/internal/statement/value"
)

// lines writes what was read as lines to compare.
func lines(f *file) string {
	var b strings.Builder
	for _, t := range f.Trades {
		closed := "open"
		if !t.CloseTime.IsZero() {
			closed = t.CloseTime.Format(time.DateTime)
		}
		b.WriteString(strings.Join([]string{
			t.Symbol, string(t.Side), string(t.Volume), t.OpenTime.Format(time.DateTime), closed, string(t.Commission), string(t.Profit),
		}, " | ") + "\n")
	}
	return b.String()
}

// Exports as platforms write them under other settings, in other versions and languages.
func TestExportsUnderOtherSettings(t *testing.T) {
	t.Parallel()
	const (
		performance = "Trade number,Instrument,Account,Strategy,Market pos.,Qty,Entry price,Exit price,Entry time,Exit time,Entry name,Exit name,Profit,Cum. net profit,Commission,Clearing Fee,Exchange Fee,IP Fee,NFA Fee,MAE,MFE,ETD,Bars,\n"
		legs        = "100.00,105.00,1/13/2026 9:30:00 AM,1/13/2026 9:31:00 AM,Entry,Exit,"
		sierra      = "ActivityType\tDateTime\tSymbol\tOrderActionSource\tQuantity\tBuySell\tPrice\tFillPrice\tFilledQuantity\tTradeAccount\tOpenClose\tPositionQuantity\tFillExecutionServiceID\n"
		traded      = "ESH6 | buy | 2 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 | "
	)
	tests := []struct{ name, format, text, want string }{
		{
			"NinjaTrader, profits before costs", "ninjatrader",
			performance + "1,ESH6,A1,,Long,2," + legs + "$500.00,$493.00,$5.00,$0.50,$1.00,$0.30,$0.20,0,0,0,1,\n2,ESH6,A1,,Long,2," + legs + "$500.00,$986.00,$5.00,$0.50,$1.00,$0.30,$0.20,0,0,0,1,\n",
			traded + "-7 | 493\n" + traded + "-7 | 493\n",
		},
		{
			"NinjaTrader, profits after costs", "ninjatrader",
			performance + "1,ESH6,A1,,Long,2," + legs + "$500.00,$500.00,$0.00,$0.00,$0.00,$0.00,$0.00,0,0,0,1,\n2,ESH6,A1,,Long,2," + legs + "($7.00),$493.00,$5.00,$0.50,$1.00,$0.30,$0.20,0,0,0,1,\n",
			traded + "0 | 500\n" + traded + "-7 | -7\n",
		},
		{
			"NinjaTrader, as written earlier", "ninjatrader",
			"Trade-#,Instrument,Account,Strategy,Market pos.,Quantity,Entry price,Exit price,Entry time,Exit time,Entry name,Exit name,Profit,Cum. profit,Commission,MAE,MFE,ETD,Bars,\n1,ESH6,A1,,Long,2,100,105,1/13/2026 9:30:00 AM,1/13/2026 9:31:00 AM,E,X,493,493,7,0,0,0,1,\n",
			traded + "-7 | 493\n",
		},
		{
			"NinjaTrader, in French", "ninjatrader",
			"Numéro d’ordre;Instrument;Compte;Pos. marché.;Qté;Prix d'entrée;Prix de sortie;Heure d'entrée;Heure de sortie;Nom d'entrée;Nom de la sortie;Profit;Commission;MAE\n1;ESH6;A1;Long;2;100,00;105,00;13/01/2026 09:30:00;13/01/2026 09:31:00;Entrée;Sortie;500,00 $;0,00 $;0,00 $\n",
			traded + "0 | 500\n",
		},
		{
			"NinjaTrader, in Portuguese", "ninjatrader",
			"Núm. Neg.;Ativo;Conta;Estratégia;Pos mercado.;Qtd;Preço entrada;Preço saída;Hora entrada;Hora saída;Entrada;Saída;Profit;Acu lucro líquido;Corretagem;MAE\n1;ESH6;A1;;Comprada;2;100,00;105,00;13/01/2026 09:30:00;13/01/2026 09:31:00;Entry;Exit;500,00;500,00;0,00;0\n",
			traded + "0 | 500\n",
		},
		{
			"NinjaTrader, executions in Europe", "ninjatrader_executions",
			"Instrument;Action;Quantity;Price;Time;ID;E/X;Position;Order ID;Name;Commission;Rate;Account display name;Connection;\nESH6;Buy;2;100,25;13/01/2026 9:30:00;x1;Entry;2 L;o1;Entry;2,50 $;1;A1;Live;\nESH6;Sell;3;105,25;13/01/2026 9:31:00;x2;Entry;1 S;o2;Turn;3,75 $;1;A1;Live;\nESH6;Buy;1;104,00;13/01/2026 9:32:00;x3;Exit;-;o3;Exit;1,25 $;1;A1;Live;\n",
			traded + "-5 | \nESH6 | sell | 1 | 2026-01-13 09:31:00 | 2026-01-13 09:32:00 | -2.5 | \n",
		},
		{
			"NinjaTrader, exits that turn a position around and one that closes more than the file opens", "ninjatrader_executions",
			"Instrument,Action,Quantity,Price,Time,ID,E/X,Position,Account display name,\nESH6,Buy,2,100,1/13/2026 9:30:00 AM,x1,Entry,2 L,A1,\nESH6,Sell,3,105,1/13/2026 9:31:00 AM,x2,Exit,1 S,A1,\nESH6,Buy,2,104,1/13/2026 9:32:00 AM,x3,Exit,-,A1,\n",
			traded + " | \nESH6 | sell | 1 | 2026-01-13 09:31:00 | 2026-01-13 09:32:00 |  | \n",
		},
		{
			"TopstepX, an order whose effect is not known", "topstepx_orders",
			"Id,AccountName,ContractName,Status,Size,Side,FilledAt,ExecutePrice,PositionDisposition\n1,A1,ESH6,Filled,2,Bid,01/13/2026 04:30:00 -05:00,100,Opening\n2,A1,ESH6,Filled,3,Ask,01/13/2026 04:31:00 -05:00,105,Undetermined\n3,A1,ESH6,Filled,1,Bid,01/13/2026 04:32:00 -05:00,104,Undetermined\n",
			traded + " | \nESH6 | sell | 1 | 2026-01-13 09:31:00 | 2026-01-13 09:32:00 |  | \n",
		},
		{
			"cTrader, in Spanish and with the columns that people chose", "ctrader_history",
			"\"Símbolo\",\"Dirección de apertura\",\"Hora de cierre (UTC-5)\",\"Precio de entrada\",\"Precio de cierre\",\"Cantidad de Cierre\",\"$ neto\",\"Saldo $\"\n\"ESH6\",\"Buy\",\"13/01/2026 04:31:00.000\",\"100.00\",\"105.00\",\"2.00 Lotes\",\"493.00\",\"10\u00a0493.00\"\n",
			"ESH6 | buy | 2 | 0001-01-01 00:00:00 | 2026-01-13 09:31:00 |  | 493\n",
		},
		{
			"TradingView, orders at a broker of futures", "tradingview_orders",
			"Symbol,Side,Type,Qty,Remaining Qty,Filled Qty,Limit Price,Stop Price,Take Profit,Stop Loss,Avg Fill Price,Status,Update Time,Order ID,Expiry,Expiry Time\nESH6,Buy,Limit,2,0,2,100,,,,100,Filled,2026-01-13 09:30:00,11,Day,\nESH6,Sell,Take Profit,2,,,110,,,,,Cancelled,2026-01-13 09:31:00,12,Day,\nESH6,Sell,Stop Loss,2,0,2,,95,,,95,Filled,2026-01-13 09:31:00,13,Day,\n",
			traded + " | \n",
		},
		{
			"TradingView, orders at a broker that states results", "tradingview_orders",
			"Symbol,Side,Type,Qty,Filled Qty,Limit Price,Stop Price,Avg Fill Price,Status,Update Time,Position ID,Commission,Closed P&L,Net Closed P&L,Order ID\nESH6,Buy,Market,2,2,,,100,Filled,2026-01-13 09:30:00,ESH6:11,-1.5,,,11\nESH6,Sell,Take Profit,2,2,105,,105,Filled,2026-01-13 09:31:00,ESH6:11,-1.5,500.00,498.50,12\n",
			traded + "-3 | 497\n",
		},
		{
			"IG, transactions with a deposit", "ig_transactions",
			"TextDate,Summary,MarketName,Period,ProfitAndLoss,Transaction type,Reference,Open level,Close level,Size,Currency,PL Amount,Cash transaction,DateUtc,OpenDateUtc,CurrencyIsoCode\n13/01/26,Ordres de clôture,ESH6,-,E10.06,ORDRE,R1,100,105,+2,E,10.06,false,2026-01-13T09:31:00,2026-01-13T09:30:00,EUR\n13/01/26,Ordres de clôture,ESH6,-,E-5.00,ORDRE,R1,100,105,-1,E,-5,false,2026-01-13T09:31:00,2026-01-13T09:30:00,EUR\n14/01/26,Virement,Carte,-,E500.00,DEPO,R2,-,0,-,E,500,true,2026-01-14T00:00:00,2026-01-14T00:00:00,EUR\n",
			traded + " | 10.06\nESH6 | sell | 1 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 |  | -5\n",
		},
		{
			"eToro, closed positions with a side before the name, and costs in columns", "etoro_positions",
			"Position ID,Action,Amount,Units,Open Date,Close Date,Leverage,Spread,Profit,Open Rate,Close Rate,Take profit rate,Stop lose rate,Rollover Fees and Dividends,Copied From,Type,ISIN,Notes\n1,Buy ESH6, 126.50 ,2.000000,04/01/2026 09:30:00,04/01/2026 09:31:00,1, 0.00 , 10.00 ,100.00,105.00,0.00,0.00,-0.50,,CFD,,\n2,\"Sell NQ, Mini\", 126.50 ,1,04/01/2026 09:30:00,04/01/2026 09:31:00,1, 0.00 ,(5.00),100.00,105.00,0.00,0.00,0.00,,CFD,,\n",
			"ESH6 | buy | 2 | 2026-01-04 09:30:00 | 2026-01-04 09:31:00 |  | 9.5\nNQ, Mini | sell | 1 | 2026-01-04 09:30:00 | 2026-01-04 09:31:00 |  | -5\n",
		},
		{
			"eToro, as written since 2025, with results in dollars and euros", "etoro_positions",
			"Position ID,Action,Long / Short,Amount,Units / Contracts,Open Date,Close Date,Leverage,Spread Fees (USD),Market Spread (USD),Profit(USD),Profit(EUR),FX rate at open (USD),FX rate at close (USD),Open Rate,Close Rate,Take profit rate,Stop loss rate,Overnight Fees and Dividends,Copied From,Type,ISIN,Notes\n1,ESH6,Long,126.50,2,13/01/2026 09:30:00,13/01/2026 09:31:00,5,0.00,0.10,10.00,8.55,-,-,100.00,105.00,0.00,90.00,-0.50,-,CFD,,\n",
			traded + " | 9.5\n",
		},
		{
			"Capital.com, a position that closes in two parts, and its swap", "capital_activity",
			"Trade Id;Exec Id;Account Id;Instrument Symbol;Instrument Name;Order Id;Currency;Execution Type;Quantity;Price;Take Profit;Stop Loss;gsl;Source;Status;rpl;Rpl Converted;Swap;Swap Converted;Fee;Timestamp (UTC);Account type\na;11;5;ESH6;S&P;21;USD;TRADE;2;100;;;false;WEB;OPENED;0;0;0;0;0;2026-01-13 09:30:00;CFD\na;12;5;ESH6;S&P;21;USD;SWAP;2;100;;;false;SYSTEM;SWAP;0;0;-0.1;-0.09;0;2026-01-13 09:30:30;CFD\nb;13;5;ESH6;S&P;22;USD;TRADE;-1;101;;;false;WEB;OPENED;0;0;0;0;0;2026-01-13 09:30:30;CFD\na;14;5;ESH6;S&P;23;USD;TRADE;-2;105;;;false;WEB;CLOSED;10;9.2;0;0;0;2026-01-13 09:31:00;CFD\nb;15;5;ESH6;S&P;24;USD;TRADE;1;100;;;false;WEB;CLOSED;1;0.92;0;0;0;2026-01-13 09:32:00;CFD\n",
			traded + " | 9.2\nESH6 | sell | 1 | 2026-01-13 09:30:30 | 2026-01-13 09:32:00 |  | 0.92\n",
		},
		{
			"Hyperliquid, results after the fee of the fill, and a fill that turns a position around", "hyperliquid_trades",
			"time,coin,dir,px,sz,ntl,fee,closedPnl\n13/01/2026 - 09:30:00,ESH6,Open Long,100,2,200,0.5,-0.5\n13/01/2026 - 09:31:00,ESH6,Long > Short,105,3,315,0.75,9.25\n13/01/2026 - 09:32:00,ESH6,Close Short,104,1,104,0.25,0.75\n13/01/2026 - 09:33:00,HYPE/USDC,Buy,42,20,840,0.01,-0.5\n",
			traded + "-1 | 9\nESH6 | sell | 1 | 2026-01-13 09:31:00 | 2026-01-13 09:32:00 | -0.5 | 0.5\n",
		},
		{
			"cTrader, statement as CSV with open positions, orders and a sum", "ctrader_history",
			"Deals\nDeal ID,Order ID,Symbol,Opening Direction,Closing Direction,Opening time (UTC+8),Closing Time (UTC+8),Entry price,Closing price,Closing Quantity,Commissions,Pips,Net USD,Channel,Balance USD\nDID1,11,ESH6,Buy,Sell,13 Jan 2026 17:30:00.342,13 Jan 2026 17:31:00.488,100,105,2 Lots,-7.00,50,1 493.00,cbot,11 493.00\n,,,,,,,,,,-7.00,,1 493.00,,\n\nPositions\nCreated (UTC+8),Symbol,Quantity,Direction,Entry,TP,SL,Net USD\n13 Jan 2026 17:32:00,ESH6,1 Lots,Sell,74.410,76.493,73.957,—\n\nOrders\nSymbol,Direction,Submission Time (UTC+8),Order type,Current quantity,Submitted price,Distance,TP,SL\nNatGas,Buy,27 Dec 2025 09:20:31.808,Limit,0.1 Lots,2.312,46.4,,2.147\n\nSummary\nDeposit,Withdrawal,Total net,Equity\n10 000.00,0.00,10 000.00,1 711.06\n",
			traded + "-7 | 1493\nESH6 | sell | 1 | 2026-01-13 09:32:00 | open |  | \n",
		},
		{
			"DXtrade, thousands of units and years of two digits", "dxtrade_fills",
			"Trade code,Date and time,Order ID,Symbol,Side,Position effect,Trade volume,Trade price,Closed P&L,Net closed P&L,Commission\n1:1,13/01/26 09:30,1,ESH6,Buy,Opening,0.002 K,100,—,—,—\n1:2,13/01/26 09:31,2,ESH6,Sell,Closing,0.002 K,105,$10.00,$7.00,$3.00\n",
			traded + "-3 | 7\n",
		},
		{
			"TradingView, orders at a broker in Spanish", "tradingview_orders",
			"Símbolo,Lado,Tipo,Cantidad,Cant. pendiente,Cantidad ejecutada,Precio límite,Precio stop,Take Profit,Stop Loss,Precio medio de ejecución,Estado,Fecha Ult. Actualización,ID de Orden,Vencimiento,Fecha de vencimiento\nESH6,Vender,Stop Loss,2,0,2,,95,,,95,Ejecutadas,2026-01-13 09:31:00,13,Day,\nESH6,Vender,Take Profit,2,,,110,,,,,Canceladas,2026-01-13 09:31:00,12,Day,\nESH6,Comprar,Mercado,2,0,2,,,,,100,Ejecutadas,2026-01-13 09:30:00,11,Day,\n",
			traded + " | \n",
		},
		{
			"Sierra Chart, a log with few columns", "sierra_activity",
			strings.Join([]string{"ActivityType\tDateTime\tSymbol\tQuantity\tBuySell\tPrice\tFillPrice\tFilledQuantity", "Orders\t2026-01-13 09:29:59\tESH6\t2\tBuy\t100\t\t", "Fills\t2026-01-13 09:30:00\tESH6\t2\tBuy\t\t100\t2", "Fills\t2026-01-13 09:31:00\tESH6\t2\tSell\t\t105\t2\n"}, "\n"),
			traded + " | \n",
		},
		{
			"tastytrade, options that expire and are assigned, futures, and prices of the descriptions", "tastytrade",
			"Date,Type,Sub Type,Action,Symbol,Instrument Type,Description,Value,Quantity,Average Price,Commissions,Fees,Multiplier,Root Symbol,Underlying Symbol,Expiration Date,Strike Price,Call or Put,Order #,Total,Currency\n" +
				"2026-01-16T23:00:00+0200,Receive Deliver,Expiration,,ES  260116C1,Equity Option,Removal of 1.0 ES 01/16/26 Call 1.00 due to expiration.,0.00,1,0.00,--,0.00,100,ES,ES,1/16/26,1,CALL,,0.00,USD\n" +
				"2026-01-14T23:00:00+0200,Receive Deliver,Assignment,,ES  260116P1,Equity Option,Removal of option due to assignment,0.00,1,0.00,--,0.00,100,ES,ES,1/16/26,1,PUT,,0.00,USD\n" +
				"2026-01-13T11:32:00+0200,Trade,Sell to Open,SELL_TO_OPEN,ES  260116P1,Equity Option,Sold 1 ES 01/16/26 Put 1.00 @ 2.05,205.00,1,205.00,-1.00,-0.14,100,ES,ES,1/16/26,1,PUT,4,203.86,USD\n" +
				"2026-01-13T11:32:00+0200,Trade,Buy to Open,BUY_TO_OPEN,ES  260116C1,Equity Option,Bought 1 ES 01/16/26 Call 1.00 @ 3.70,-370.00,1,-370.00,-1.00,-0.15,100,ES,ES,1/16/26,1,CALL,3,-371.15,USD\n" +
				"2026-01-13T11:31:00+0200,Trade,Sell,SELL,/ESH6,Future,Sold 2 /ESH6 @ 105.0,0.00,2,0.00,-2.50,-1.00,,,,,,,2,-3.50,USD\n" +
				"2026-01-13T11:30:00+0200,Trade,Buy,BUY,/ESH6,Future,Bought 2 /ESH6 @ 100.0,0.00,2,0.00,-2.50,-1.00,,,,,,,1,-3.50,USD\n" +
				"2026-01-03T14:00:00+0200,Money Movement,Deposit,,,,Wire Funds Received,\"1,000.00\",0,,--,0.00,,,,,,,,\"1,000.00\",USD\n",
			"/" + traded + "-7 | \nES 260116P1 | sell | 1 | 2026-01-13 09:32:00 | 2026-01-14 21:00:00 | -1.14 | \nES 260116C1 | buy | 1 | 2026-01-13 09:32:00 | 2026-01-16 21:00:00 | -1.15 | \n",
		},
		{
			"TradeZero, a short sale whose last part is open", "tradezero",
			"Account,T/D,S/D,Currency,Type,Side,Symbol,Qty,Price,Exec Time,Comm,SEC,TAF,NSCC,Nasdaq,ECN Remove,ECN Add,Gross Proceeds,Net Proceeds,Clr Broker,Liq,Note\nX1,01/13/2026,01/15/2026,USD,3,SS,RBLX,2,49.88,04:30:00,0,0.06,0.01,0,0,0,0,99.76,99.69,SIM,,\nX1,01/13/2026,01/15/2026,USD,3,BC,RBLX,1,49.65,04:31:00,0,0,0,0,0,0.01,0,-49.65,-49.66,SIM,,\n",
			"RBLX | sell | 1 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 | -0.045 | \nRBLX | sell | 1 | 2026-01-13 09:30:00 | open | -0.035 | \n",
		},
		{
			"Webull, orders with few columns", "webull_orders",
			"Symbol,Side,Status,Filled,Avg Price,Filled Time\nESH6,Buy,Filled,2,100.00,01/13/2026 04:30:00 EST\nESH6,Sell,Cancelled,0,,\nESH6,Sell,Filled,2,105.00,01/13/2026 04:31:00 EST\n",
			traded + " | \n",
		},
		{
			"Lightspeed, blotter", "lightspeed",
			"Trade Number,Trade Date,Execution Time,Symbol,Side,Qty,Price,Commission Amount,FeeSEC,Buy/Sell,Principal Amount,NET Amount\n1,01/13/2026,04:30,ESH6,B,2,100.00,1.00,0.00,Long Buy,200.00,201.00\n2,01/13/2026,04:31,ESH6,S,2,105.00,1.00,0.01,Long Sell,-210.00,-208.99\n",
			traded + "-2.01 | \n",
		},
		{
			"Binance, trades of the spot market: a sale closes", "binance_spot",
			"Date(UTC),Pair,Side,Price,Executed,Amount,Fee\n2026-01-13 09:31:00,SOLUSDT,SELL,105,2SOL,210USDT,0.21USDT\n2026-01-13 09:30:00,SOLUSDT,BUY,100,2SOL,200USDT,0.002SOL\n2026-01-12 09:30:00,BTCUSDT,SELL,100,0.0020000000BTC,0.2USDT,0.1BNB\n",
			"SOLUSDT | buy | 2 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 |  | \n",
		},
		{
			"Binance, trades of the spot market as written earlier", "binance_spot",
			"Date(UTC),Market,Type,Price,Amount,Total,Fee,Fee Coin\n2026-01-13 09:31:00,ESH6,SELL,105,2,210,1.962e-05,BNB\n2026-01-13 09:30:00,ESH6,BUY,100,2,200,0.0001782,BNB\n",
			traded + " | \n",
		},
		{
			"Bybit, trades of the spot market", "bybit_spot",
			"Spot Pairs,Order Type,Direction,feeCoin,ExecFeeV2,Filled Value,Filled Price,Filled Quantity,Fees,Transaction ID,Order No.,Timestamp (UTC)\nESH6,MARKET,BUY,ES,0.01,200,100,2,--,t1, o1,09:30 2026-01-13\nESH6,MARKET,SELL,USDT,0.03,210,105,2,--,t2, o2,09:31 2026-01-13\nNQH6,MARKET,SELL,USDT,0.03,210,105,2,--,t3, o3,09:32 2026-01-13\n",
			traded + " | \n",
		},
		{
			"Moomoo, an order that was filled in parts and one that was not", "moomoo_orders",
			"Side,Symbol,Name,Order Price,Order Qty,Status,Filled@Avg Price,Order Time,Markets,Currency,Fill Qty,Fill Price,Fill Time,Markets,Currency,Platform Fees,Total\n" +
				"Sell,ESH6,ES,105,2,Filled,2@105,\"Jan 13, 2026 04:30:40 ET\",US,USD,2,105,\"Jan 13, 2026 04:31:00 ET\",US,USD,0.99,1.51\nBuy,NQH6,NQ,99,1,Cancelled,0@0,\"Jan 13, 2026 04:30:30 ET\",US,USD,,,,,,,\n" +
				"Buy,ESH6,ES,100,2,Filled,2@100,\"Jan 13, 2026 04:29:50 ET\",US,USD,1,100,\"Jan 13, 2026 04:30:00 ET\",US,USD,0.99,1.51\n,,,,,,,,,,1,100,\"Jan 13, 2026 04:30:00 ET\",US,USD,,\n",
			strings.Repeat(strings.Replace(traded, "| 2 |", "| 1 |", 1)+" | \n", 2),
		},
		{
			"Zerodha, an option that was sold first", "zerodha_tradebook",
			"symbol,isin,trade_date,exchange,segment,series,trade_type,auction,quantity,price,trade_id,order_id,order_execution_time,expiry_date\nNIFTY26JAN25000CE,,2026-01-13,NSE,FO,,sell,false,75.000000,110.250000,301,1799000000000000123,2026-01-13T15:00:00,2026-01-29\nNIFTY26JAN25000CE,,2026-01-13,NSE,FO,,buy,false,75.000000,90.100000,302,1799000000000000124,2026-01-13T15:01:00,2026-01-29\n",
			"NIFTY26JAN25000CE | sell | 75 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 |  | \n",
		},
		{
			"Dhan, the latest first and one that was not traded", "dhan_trades",
			"Date,Time,Name,Buy/Sell,Order,Exchange,Segment,Quantity/Lot,Trade Price,Trade Value,Status\n2026-01-13,15:02:00,ESH6,SELL,INTRADAY,NSE,Derivative,2,105,210,Cancelled\n2026-01-13,15:01:00,ESH6,SELL,INTRADAY,NSE,Derivative,2,105,210,Traded\n2026-01-13,15:00:00,ESH6,BUY,INTRADAY,NSE,Derivative,2,100,200,Traded\n",
			traded + " | \n",
		},
		{
			"Topstep, a printed list of trades", "generic",
			"ID,Contract,Size,Entry Time,Exit Time,Duration,Entry Price,Exit Price,P&L,Commissions,Fees,Direction\n31558224,ESH6,2,January 13 2026 @ 9:30:00 am,January 13 2026 @ 9:31:00 am,00:01:00,\"7,743.50\",\"7,748.50\",$500.00,$-3.00,$-4.00,Long\n",
			traded + "-7 | 493\n",
		},
		{
			"Coinbase, fills", "coinbase_fills",
			"portfolio,trade id,product,side,created at,size,size unit,price,fee,total,price/fee/total unit\ndefault,1,ESH6,BUY,2026-01-13T09:30:00.000Z,2.00000000,ES,100,0.3,-200.3,EUR\ndefault,2,ESH6,SELL,2026-01-13T09:31:00.000Z,2.00000000,ES,105,0.3,209.7,EUR\n",
			traded + " | \n",
		},
		{
			"KuCoin, filled orders of the spot market", "kucoin_spot",
			"UID,Account Type,Order ID,Symbol,Side,Order Type,Avg. Filled Price,Filled Amount,Filled Volume,Filled Volume (USDT),Filled Time(UTC+02:00),Fee,Tax,Maker/Taker,Fee Currency,Account Mode\n7,mainAccount,o1,ESH6,BUY,LIMIT,100,2,200,200,2026-01-13 11:30:00,6,,MAKER,USDT,CLASSIC\n7,mainAccount,o2,ESH6,SELL,LIMIT,105,2,210,210,2026-01-13 11:31:00,6.1,,TAKER,USDT,CLASSIC\n",
			traded + " | \n",
		},
		{
			"Trading 212, shares of which some were bought before", "trading212",
			"Action,Time,ISIN,Ticker,Name,No. of shares,Price / share,Currency (Price / share),Exchange rate,Result,Currency (Result),Total,Currency (Total),Notes,ID\nDeposit,2026-01-12 09:00:00.326,,,,,,,,,,1000.00,EUR,,D1\nMarket buy,2026-01-13 09:30:00.613,US1,ESH6,ES,2.0000000000,100.00,USD,1.09,,EUR,183.49,EUR,,EOF1\nLimit sell,2026-01-13 09:31:00.104,US1,ESH6,ES,2.0000000000,105.00,USD,1.09,9.17,EUR,192.66,EUR,,EOF2\nMarket sell,2026-01-13 09:32:00.104,US2,ASTR,Astra,0.6125400000,1.26,USD,1.10,-3.08,EUR,0.70,EUR,,EOF3\nDividend (Dividend),2026-01-14 09:00:00,US1,ESH6,ES,2,1.10,USD,,,,2.20,EUR,,DV1\n",
			traded + " | 9.17\n",
		},
		{
			"DEGIRO, transactions in Dutch", "degiro_transactions",
			"Datum,Tijd,Product,ISIN,Beurs,Uitvoeringsplaats,Aantal,Koers,,Lokale waarde,,Waarde EUR,Wisselkoers,AutoFX Kosten,Transactiekosten en/of kosten van derden EUR,Totaal EUR,Order ID,\n13-01-2026,09:31,ESH6,IE1,EAM,XAMS,-2,\"105,25\",EUR,\"210,50\",EUR,\"210,50\",,\"0,00\",\"-1,00\",\"209,50\",b,\n13-01-2026,09:30,ESH6,IE1,EAM,XAMS,2,\"100,25\",EUR,\"-200,50\",EUR,\"-200,50\",,\"0,00\",\"-2,00\",\"-202,50\",a,\n",
			traded + " | \n",
		},
		{
			"DEGIRO, transactions in French", "degiro_transactions",
			"Date,Heure,Produit,Code ISIN,Place boursière,Lieu d'exécution,Quantité,Cours,,Montant devise locale,,Montant EUR,Taux de change,Frais conversion AutoFX,Frais de courtage,Montant négocié EUR,ID Ordre\n13-01-2026,09:31,ESH6,IE1,EAM,XAMS,-2,105.25,EUR,210.50,EUR,210.50,,0.00,-1.00,209.50,b\n13-01-2026,09:30,ESH6,IE1,EAM,XAMS,2,100.25,EUR,-200.50,EUR,-200.50,,0.00,-2.00,-202.50,a\n",
			traded + " | \n",
		},
		{
			"positions of an exchange with fees of opening and closing", "generic",
			"Trading pair,Side,Opening time,Closed time,Average entry price,Average closing price,Closed qty,Position PnL,Realized PnL,Opening fee,Closing fee,Funding fee\nESH6,Close Long,2026-01-13 09:30:00,2026-01-13 09:31:00,100,105,2,500,493,-3,-4,0\n",
			traded + "-7 | 493\n",
		},
		{
			"MEXC, positions of futures, whose results are after fees", "mexc_positions",
			"UID,Futures,Open Time(UTC+02:00),Close Time,Margin Mode,Avg Entry Price,Avg Close Price,Direction,Closing Qty (Cont.),Fee,Realized PNL,Status\n7,ESH6,2026-01-13 11:30:00,2026-01-13 11:31:00,Isolated,100,105,Long,2,5USDT,495USDT,All Closed\n7,ETHUSDT,2026-01-13 11:30:00,2026-01-13 11:31:00,Isolated,100,105,Long,2,5USDT,495USDT,Partially Closed\n",
			"ESH6 | buy |  | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 | -5 | 495\n",
		},
		{
			"MEXC, positions of futures with columns in another order", "mexc_positions",
			"Futures;Open Time;Close Time;Margin Mode;Avg Entry Price;Avg Close Price;Direction;Closing Qty (Cont.);Trading Fee;Realized PNL;Status;UID\nESH6;2026-01-13 09:30:00;2026-01-13 09:31:00;Isolated;73,602.51;73,692.56;Short;550;1.62USDT;-6.57USDT;All Closed;7\n",
			"ESH6 | sell |  | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 | -1.62 | -6.57\n",
		},
		{
			"TopstepX, without day and duration", "topstepx",
			"Id,ContractName,EnteredAt,ExitedAt,EntryPrice,ExitPrice,Fees,PnL,Size,Type\n1,ESH6,01/13/2026 04:30:00 -05:00,01/13/2026 04:31:00 -05:00,100.000000000,105.000000000,7.0000,500.000000000,2,Long\n",
			traded + "-7 | 493\n",
		},
		{
			"TradingView, as written since 2026", "tradingview_orders",
			"Symbol,Side,Type,Quantity,Limit price,Stop price,Fill price,Status,Commission,Placing time,Closing time,Order ID,Level ID,Leverage,Margin\nESH6,Sell,Take Profit,2,105,,105,Filled,,2026-01-13 09:30:00,2026-01-13 09:31:00,2,,,\nESH6,Buy,Market,2,,,100,Filled,,2026-01-13 09:30:00,2026-01-13 09:30:00,1,,20x,\"2,908.00 USD\"\n",
			traded + " | \n",
		},
		{
			"TradingView, filled orders alone", "tradingview_orders",
			"Symbol,Side,Type,Qty,Fill Price,Commission,Placing Time,Closing Time,Order ID,Leverage\nESH6,Buy,Market,2,100,1.50,2026-01-13 09:30:00,2026-01-13 09:30:00,1,50:1\nESH6,Sell,Stop,2,105,1.50,2026-01-13 09:30:00,2026-01-13 09:31:00,2,50:1\n",
			traded + "-3 | \n",
		},
		{
			"TradingView, the history of trades, one within a minute, one closed in parts and one open", "tradingview_trades",
			"Symbol,Trade number,Type,Date and time,Order ID,Signal,Price,Size (value),Size (qty),Net PnL USD,Return %,Commission USD,Cumulative PnL USD,Cumulative PnL %\nESH6,1,Exit short,\"Jan 13, 2026, 09:29\",12,12,100,5000,1,-3.5,0.22,3.5,-3.5,1.02\nESH6,1,Entry short,\"Jan 13, 2026, 09:29\",11,11,100,5000,1,-3.5,0.22,3.5,-3.5,1.02\n" +
				"ESH6,2,Exit long,\"Jan 13, 2026, 09:31\",22,22,105,10000,2,493,0.22,7,489.5,1.02\nESH6,2,Entry long,\"Jan 13, 2026, 09:30\",21,21,100,10000,2,493,0.22,7,489.5,1.02\nESH6,3,Exit long,\"Jan 13, 2026, 09:32\",23,23,105,5000,1,246.5,0.22,3.5,736,1.02\nESH6,3,Entry long,\"Jan 13, 2026, 09:30\",21,21,100,5000,1,246.5,0.22,3.5,736,1.02\n" +
				"ESH6,4,Exit long,Open,,Open,—,5000,1,0,0,0,736,1.02\nESH6,4,Entry long,\"Jan 13, 2026, 09:33\",31,31,100,5000,1,0,0,0,736,1.02\n",
			"ESH6 | sell | 1 | 2026-01-13 09:29:00 | 2026-01-13 09:29:00 |  | -3.5\n" + traded + " | 493\n" + strings.NewReplacer("| 2 |", "| 1 |", "09:31", "09:32").Replace(traded) + " | 246.5\nESH6 | buy | 1 | 2026-01-13 09:33:00 | open |  | \n",
		},
		{
			"TradingView, the history of trades without signals", "tradingview_trades",
			"Symbol,Trade number,Type,Date and time,Order ID,Price,Size (qty),Net PnL USD,Commission USD\nESH6,4,Exit long,Open,,—,1,0,0\nESH6,4,Entry long,\"Jan 13, 2026, 09:33\",31,100,1,0,0\nESH6,2,Entry long,\"Jan 13, 2026, 09:30\",21,100,2,493,7\nESH6,2,Exit long,\"Jan 13, 2026, 09:31\",22,105,2,493,7\n",
			traded + " | 493\nESH6 | buy | 1 | 2026-01-13 09:33:00 | open |  | \n",
		},
		{
			"Rithmic, working orders above and many columns", "rithmic_orders",
			"\"Working Orders\"\n\"Account\",\"Status\",\"Buy/Sell\",\"Symbol\"\n\n\"Completed Orders\"\n\"Account\",\"Status\",\"Remarks\",\"Buy/Sell\",\"Qty To Fill\",\"Max Show Qty\",\"Symbol\",\"Price Type\",\"Avg Fill Price\",\"Limit Price\",\"Order Number\",\"Original Sequence Number\",\"Current Sequence Number\",\"User Id\",\"Update Time (EDT)\",\"Qty Filled\",\"Create Time (EDT)\",\"Commission\",\"Liquidity Indicator\",\"Executing Venue\",\"Commission Fill Rate\"\n\"A1\",\"Filled\",\"\",\"S\",\"2\",\"\",\"ESM6\",\"M\",\"105.0000\",\"\",\"2\",\"S2\",\"S2\",\"U\",\"2026-05-13 05:31:00\",\"2\",\"2026-05-13 05:30:30\",\"\",\"\",\"\",\"0.51\"\n\"A1\",\"Filled\",\"\",\"B\",\"2\",\"\",\"ESM6\",\"M\",\"100.0000\",\"\",\"1\",\"S1\",\"S1\",\"U\",\"2026-05-13 05:30:00\",\"2\",\"2026-05-13 05:30:00\",\"\",\"\",\"\",\"0.51\"\n",
			"ESM6 | buy | 2 | 2026-05-13 09:30:00 | 2026-05-13 09:31:00 |  | \n",
		},
		{
			"MT4, as written until 2007", "mt4_statement",
			"<table><tr><td>A/C No: 5012345</td><td>Name: Jane Roe</td></tr><tr><td>Closed Transactions:</td></tr><tr><td>N</td><td>Ticket</td><td>Open Time</td><td>Type</td><td>Lots</td><td>Symbol</td><td>Price</td><td>S/L</td><td>T/P</td><td>Close Time</td><td>Price</td><td>Commis</td><td>Swap</td><td>Trade P/L</td><td>Comment</td></tr>" +
				"<tr><td>1</td><td>77</td><td>2026.01.13 09:30</td><td>buy</td><td>2.00</td><td>ESH6</td><td>100.00</td><td>0.00</td><td>0.00</td><td>2026.01.13 09:31</td><td>105.00</td><td>-7.00</td><td>0.00</td><td>500.00</td><td></td></tr>" +
				"<tr><td colspan=11></td><td>-7.00</td><td>0.00</td><td>500.00</td><td></td></tr><tr><td>Closed P/L:</td><td>493.00</td></tr></table>",
			traded + "-7 | 493\n",
		},
		{
			"MT4, confirmation of a day", "mt4_statement",
			"<table><tr><td>A/C No: 5012345</td></tr><tr><td>Closed Transactions:</td></tr><tr><td>Ticket</td><td>Open Time</td><td>Type</td><td>Lots</td><td>Symbol</td><td>Price</td><td>S / L</td><td>T / P</td><td>Close Time</td><td>Price</td><td>Commission</td><td>R/O Swap</td><td>Trade P/L</td></tr>" +
				"<tr><td>77</td><td>2026.01.13 09:30</td><td>buy</td><td>2.00</td><td>ESH6</td><td>100.00</td><td>0.00</td><td>0.00</td><td>2026.01.13 09:31</td><td>105.00</td><td>-6.00</td><td>-1.00</td><td>500.00</td></tr><tr><td colspan=11>Closed P/L:</td><td>493.00</td></tr></table>",
			traded + "-6 | 493\n",
		},
		{
			"MT5, deals with the ids of two positions at a time", "mt5_deals",
			"Deal,Order,Position ID,Time,Type,Entry,Symbol,Volume,Price,Commission,Swap,Profit\n" +
				"1,10,99,2026.01.13 09:30:00,Buy,In,EURUSD,1,1.1,-1,0,0\n2,11,98,2026.01.13 09:31:00,Buy,In,EURUSD,1,1.15,-1,0,0\n" +
				"3,12,98,2026.01.13 09:32:00,Sell,Out,EURUSD,1,1.2,-1,0,5000\n4,13,99,2026.01.13 09:33:00,Sell,Out,EURUSD,1,1.2,-1,0,10000\n",
			"EURUSD | buy | 1 | 2026-01-13 09:31:00 | 2026-01-13 09:32:00 | -2 | 4998\nEURUSD | buy | 1 | 2026-01-13 09:30:00 | 2026-01-13 09:33:00 | -2 | 9998\n",
		},
		{
			"MT5, deals as a broker exports them", "mt5_deals",
			"Time;Deal;ID;Order;Position;Login;Name;Symbol;Type;Entry;Volume;Price;S / L;T / P;Reason;Commission;Fee;Swap;Profit;Dealer\n" +
				"2026.01.13 09:30:00;1;;11;11;7001001;Jane Roe;ESH6;buy;in;2.00;100.00;;;client;-3.00;0.00;0.00;0.00;0\n" +
				"2026.01.13 09:31:00;2;;12;11;7001001;Jane Roe;ESH6;sell;out;2.00;105.00;;;client;-3.00;-1.00;0.00;500.00;0\n",
			traded + "-7 | 493\n",
		},
		{
			"MT5, deals by numbers, as its library for Python gives them", "mt5_deals",
			"ticket,order,time,time_msc,type,entry,magic,position_id,reason,volume,price,commission,swap,profit,fee,symbol,comment,external_id\n" +
				"1,0,1768289400,1768289400000,2,0,0,0,0,0.0,0.0,0.0,0.0,10000.0,0.0,,deposit,\n" +
				"2,11,1768296600,1768296600123,0,0,0,11,3,2.0,100.0,-3.0,0.0,0.0,0.0,ESH6,,\n" +
				"3,12,1768296660,1768296660123,1,1,0,11,4,2.0,105.0,-3.0,0.0,500.0,-1.0,ESH6,[sl],\n",
			traded + "-7 | 493\n",
		},
		{
			"MT5, list of positions of the server", "mt5_deals",
			"Report,,,,,,,,\nName: Mt5 Position History List ,Produced At: 17/06/2026 19:49,,,,,,,\nSymbol,Account Number,Position,Position Status,Date Time,Transaction Type,Trade Volume Lots,Open Price,Profit\n" +
				"ESH6    ,7001001,1,Closed,1/13/2026 9:29:00 AM,Trade Buy In,2,100,0\nESH6    ,7001001,2,Closed,1/13/2026 9:30:00 AM,Trade Buy In,2,101,0\n" +
				"ESH6    ,7001001,2,Closed,1/13/2026 9:31:00 AM,Trade Sell Out,2,102,100\nESH6    ,7001001,1,Closed,1/13/2026 9:32:00 AM,Trade Sell Out,2,103,300\n",
			traded + " | 100\nESH6 | buy | 2 | 2026-01-13 09:29:00 | 2026-01-13 09:32:00 |  | 300\n",
		},
		{
			"cTrader, of an account in złoty", "ctrader_history",
			"Symbol,Opening Direction,Opening Time (UTC+0),Closing Time (UTC+0),Entry price,Closing Price,Closing Quantity,Net zł,Balance zł\nESH6,Buy,13/01/2026 09:30:00.000,13/01/2026 09:31:00.000,100,105,2.00 Lots,493.00,10493.00\n",
			traded + " | 493\n",
		},
		{
			"MT5, confirmation of a day", "mt5_deals",
			"<table><tr><td colspan=2>A/C No: <b>7001001</b></td><td colspan=3>Currency: <b>USD</b></td></tr><tr><td colspan=14><b>Deals:</b></td></tr><tr><td>&nbsp;&nbsp;&nbsp;Open Time</td><td>Ticket</td><td>Type</td><td>Size</td><td>Item</td><td>Price</td><td>Order</td><td colspan=2>Comment</td><td>Entry</td><td>Commission</td><td>Fee</td><td>Swap</td><td>Profit</td></tr>" +
				"<tr><td>2026.01.13 09:30:00</td><td>1</td><td>buy</td><td>2.00</td><td>ESH6</td><td>100.00</td><td>11</td><td colspan=2></td><td>in</td><td>-3.00</td><td>0.00</td><td>0.00</td><td>0.00</td></tr>" +
				"<tr><td>2026.01.13 09:31:00</td><td>2</td><td>sell</td><td>2.00</td><td>ESH6</td><td>105.00</td><td>12</td><td colspan=2></td><td>out</td><td>-3.00</td><td>-1.00</td><td>0.00</td><td>500.00</td></tr>" +
				"<tr><td colspan=10></td><td>-6.00</td><td>-1.00</td><td>0.00</td><td>500.00</td></tr><tr><td colspan=11></td><td colspan=2><b>Closed P/L:</b></td><td><b>493.00</b></td></tr><tr><td colspan=11></td><td colspan=2><b>Deposit/Withdrawal:</b></td><td><b>0.00</b></td></tr>" +
				"<tr><td colspan=14><b>Positions:</b></td></tr><tr><td>Open Time</td><td>Ticket</td><td>Type</td><td>Size</td><td>Item</td><td>Price</td><td>S / L</td><td>T / P</td><td colspan=2>Market Price</td><td>Swap</td><td colspan=3>Profit</td></tr><tr><td colspan=14>No transactions</td></tr>" +
				"<tr><td colspan=14><b>Working Orders:</b></td></tr><tr><td>Open Time</td><td>Ticket</td><td>Type</td><td>Size</td><td>Item</td><td>Price</td><td>S / L</td><td>T / P</td><td colspan=2>Market Price</td><td colspan=4>Comment</td></tr>" +
				"<tr><td colspan=3>Closed Trade P/L:</td><td colspan=2>493.00</td><td colspan=3></td><td colspan=3>Previous Ledger Balance:</td><td colspan=3>29 717.45</td></tr></table>",
			traded + "-7 | 493\n",
		},
		{
			"Quantower, several lots and another clock", "quantower",
			"Account,Date/Time,Symbol,Side,Order type,Quantity,Price,Gross P/L,Fee,Net P/L,Trade value,Trade ID,Order ID,Position ID,Connection name\nA1 (USD),2026-01-13 9:32:00 AM +00:00,ESH6,Buy,Market,1,104.00,50,1.25,48.75,1,t3,o3,,Sim\nA1 (USD),2026-01-13 9:31:00 AM +00:00,ESH6,Sell,Market,-3,105.00,500,3.75,496.25,1,t2,o2,,Sim\nA1 (USD),2026-01-13 9:30:00 AM +00:00,ESH6,Buy,Market,2,100.00,0,2.50,-2.50,1,t1,o1,,Sim\n",
			traded + "-5 | 495\nESH6 | sell | 1 | 2026-01-13 09:31:00 | 2026-01-13 09:32:00 | -2.5 | 47.5\n",
		},
		{
			"ATAS, in Chinese", "atas",
			"账户,品种,开仓时间,开仓价,开仓量,平仓时间,平仓价,平仓量,价格盈亏,利润(ticks),PnL,备注\nA1,ESH6,2026-01-13 09:30:00,100.25,2,2026-01-13 09:31:00,105.25,-2,5,20,500,\nA1,ESH6,2026-01-13 09:30:00,100.25,-2,2026-01-13 09:31:00,105.25,2,-5,-20,-500,\n",
			traded + " | 500\n" + strings.Replace(traded, "buy", "sell", 1) + " | -500\n",
		},
		{
			"DeepCharts", "deepcharts",
			"Symbol,Quantity,Entry DT,Entry Price,Exit DT,Exit Price,ProfitLoss\nESH6,2,2026-01-13 09:30:00,100.25,2026-01-13 09:31:00,105.25,500\nESH6,-2,2026-01-13 09:30:00,100.25,2026-01-13 09:31:00,105.25,-500\n",
			traded + " | 500\n" + strings.Replace(traded, "buy", "sell", 1) + " | -500\n",
		},
		{
			"Sierra Chart, the activity log", "sierra_activity",
			sierra + "Orders\t2026-01-13  09:29:59.900000\tESH6\tNew order\t2\tBuy\t\t\t0\tA1\t\t\t\nFills\t2026-01-13  09:30:00.000000\tESH6\tTrade simulation fill. Bid: 100.00 Ask: 100.25 Last: 100.25. Fill based on queue\t2\tBuy\t\t100.25\t2\tA1\tOpen\t2\te1\n" +
				"Fills\t2026-01-13  09:31:00.000000\tESH6\t\t1\tSell\t\t105.25\t1\tA1\tClose\t1\te2\nFills\t2026-01-13  09:31:00.000000\tESH6\t\t1\tSell\t\t105.25\t2\tA1\tClose\t0\te3\nAccount Balance\t2026-01-13  09:31:00.000000\t\t\t\t\t\t\t\tA1\t\t\t\n",
			strings.Repeat(strings.Replace(traded, "| 2 |", "| 1 |", 1)+" | \n", 2),
		},
		{
			"Binance, the history of positions", "binance_positions",
			"Symbol,Margin Mode,Position Side,Entry Price,Avg. Close Price,Max Open Interest,Closed Vol.,Closing PNL,Opened,Closed,Status\nESH6,Cross,Long,100.25,105.25,2,2,10,2026-01-13 09:30:00,2026-01-13 09:31:00,Closed\nESH6,Isolated,Short,100.25,105.25,2,2,-10,2026-01-13 09:30:00,2026-01-13 09:31:00,Closed\n",
			traded + " | 10\n" + strings.Replace(traded, "buy", "sell", 1) + " | -10\n",
		},
		{
			"WealthCharts, two accounts and a closing order without its opening", "wealthcharts",
			"name,order_id,symbol,mov_time,mov_type,exec_qty,price_done,points,profit,created_on\nA2,o9,ESH6,Tue Jan 13 2026 10:32:00 GMT+0100 (Central European Standard Time),2,-1,100,9,450,2026-01-13T09:29:00.000Z\n" +
				"A1,o3,ESH6,Tue Jan 13 2026 04:31:00 GMT-0500 (Eastern Standard Time),2,-2,105.25,10,493.8,2026-01-13T09:30:00.000Z\nA2,o4,ESH6,Tue Jan 13 2026 04:31:00 GMT-0500 (Eastern Standard Time),4,2,105.25,-10,-506.2,2026-01-13T09:30:00.000Z\n" +
				"A2,o2,ESH6,Tue Jan 13 2026 04:30:00 GMT-0500 (Eastern Standard Time),3,-2,100.25,,,2026-01-13T09:30:00.000Z\nA1,o1,ESH6,Tue Jan 13 2026 04:30:00 GMT-0500 (Eastern Standard Time),1,2,100.25,,,2026-01-13T09:30:00.000Z\n",
			strings.Replace(traded, "buy", "sell", 1) + " | -506.2\n" + traded + " | 493.8\n",
		},
		{
			"Profit of Nelogica, with one column of quantities", "profit_operations",
			"Conta;12345\nTitular;X\n\nAtivo;Abertura;Fechamento;Lado;Qtd;Preço Compra;Preço Venda;Res. Operação;Res. Operação (%)\nESH6;13/01/2026 09:30:00;13/01/2026 09:31:00;C;2;5.100,50;5.105,50;500,00;0,10\nESH6;13/01/2026 09:30:00;13/01/2026 09:31:00;V;1;5.100,50;5.099,50;-100,00;-0,07\n",
			traded + " | 500\nESH6 | sell | 1 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 |  | -100\n",
		},
		{
			"Profit of Nelogica, with an open position", "profit_operations",
			"Conta: 1000125\r\nTitular: A\r\nData Inicial: 13/01/2026\r\n\r\nSubconta;Ativo;Abertura;Fechamento;Tempo Operação;Qtd Compra;Qtd Venda;Lado;Preço Compra;Preço Venda;Preço de Mercado;Res. Intervalo Bruto;Res. Intervalo (%);Res. Operação;Res. Operação (%);TET;Total\r\n" +
				" - ;ESH6;13/01/2026 09:30:00;13/01/2026 09:31:00;1min;2;2;C;1.000,25;1.005,25;990,00;500,00;5,00;500,00;5,00; - ;500,00\r\n - ;ESH6;13/01/2026 09:30:00;13/01/2026 09:31:00;1min;2;2;V;1.005,25;1.000,25;990,00;-500,00;-5,00;-500,00;-5,00; - ;0,00\r\n" +
				" - ;ESH6;13/01/2026 09:30:00; - ; - ;0;2;V;990,00;1.000,25;990,00;20,00;10,25;20,00;10,25; - ;20,00\r\n",
			traded + " | 500\n" + strings.Replace(traded, "buy", "sell", 1) + " | -500\n" + strings.NewReplacer("buy", "sell", "2026-01-13 09:31:00", "open").Replace(traded) + " | \n",
		},
		{
			"Binance, the history of trades, with the year first", "binance_trades",
			"Uid,Time,Symbol,Side,Price,Quantity,Amount,Fee,Realized Profit,Buyer,Maker,Trade ID,Order ID\n1,26-01-13 09:31:00,ESH6,SELL,105.25,2,210.5,3.50000000 USDT,500,true,false,2,2\n1,26-01-13 09:30:00,ESH6,BUY,100.25,2,200.5,3.50000000 USDT,0,true,false,1,1\n1,26-01-10 10:00:00,ESH6,SELL,99,1,99,1.00000000 USDT,-5,true,false,0,0\n",
			traded + "-7 | 493\n",
		},
		{
			"Binance, the history of trades in UTC", "binance_trades",
			"Date(UTC),Symbol,Side,Price,Quantity,Amount,Fee,Realized Profit\n2026-01-13 09:30:00,ESH6,BUY,100.25,2,200.5,3.5,0\n2026-01-13 09:31:00,ESH6,SELL,105.25,2,210.5,3.5,500\n",
			traded + "-7 | 493\n",
		},
		{
			"Binance, the history of trades with fees in several coins", "binance_trades",
			"Date(UTC),Symbol,Side,Price,Quantity,Amount,Fee,Fee Coin,Realized Profit,Quote Asset\n2026-01-13 09:30:00,SOLUSDT,BUY,100.25,2,200.5,3.5,USDT,0,USDT\n2026-01-13 09:31:00,SOLUSDT,SELL,105.25,2,210.5,0.006,BNB,500,USDT\n",
			"SOLUSDT | buy | 2 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 | -3.5 | 496.5\n",
		},
		{
			"OKX, the history of positions, one of which closed in part", "okx_positions",
			"Position Create Time,Position Update Time,Business Line,Index,Instrument Name,Margin Mode,Direction,Leverage,Max Position Quantity,Total Close Quantity,Average Open Price,Average Close Price,Margin Currency,Pnl,Pnl Ratio,Fee,Funding Fee,Liquidation Clearance Fee,Type,Contract Face Value,Contract Multiplier\n" +
				"2026-01-13 09:30:00,2026-01-13 09:31:00,Perpetual,ES,ESH6,Cross,Long,10,2,2,100,105,USDT,500,0.1,-6,-0.5,-0.5,Close position,0.1,1\n2026-01-13 09:30:00,2026-01-13 09:31:00,Perpetual,ES,ESH6,Cross,Short,10,2,1,100,105,USDT,5,0.1,-6,-0.5,0,Partially closed,0.1,1\n",
			traded + "-6.5 | 493\n",
		},
		{
			"OKX, with marks before all cells, an exchange of coins, funding and a transfer", "okx_trades",
			"\ufeffUID:100,\ufeffAccount Type:Main,\ufeffTime Zone:UTC+3\n\ufeffid,\ufeffOrder id,\ufeffTime,\ufeffTrade Type,\ufeffSymbol,\ufeffAction,\ufeffAmount,\ufeffTrading Unit,\ufeffFilled Price,\ufeffPnL,\ufeffFee,\ufeffFee Unit,\ufeffPosition Change,\ufeffPosition Balance,\ufeffBalance Change,\ufeffBalance,\ufeffBalance Unit\n" +
				"\ufeff6,\ufeff26,\ufeff2026-01-13 12:35:00,\ufeffTransfer,\ufeff,\ufeffTransfer out,\ufeff0,\ufeffcont,\ufeff0,\ufeff0,\ufeff0,\ufeffUSDT,\ufeff0,\ufeff0,\ufeff-9,\ufeff9,\ufeffUSDT\n5,25,2026-01-13 12:34:00,Spot,BTC-USDT,Buy,0.04,BTC,37800,0,-0.0001,BTC,0,0,0.0399,1,BTC\n4,25,2026-01-13 12:34:00,Spot,BTC-USDT,Sell,1512,USDT,37800,0,0,USDT,0,0,-1512,1,USDT\n" +
				"3,23,2026-01-13 12:31:00,Swap,ESH6,Close long,2,cont,105.25,500,-3.5,USDT,-2,0,496.5,1,USDT\n2,22,2026-01-13 12:30:30,Swap,ESH6,Funding fee expense,2,cont,100.25,-0.4,0,USDT,0,2,-0.4,1,USDT\n1,21,2026-01-13 12:30:00,Swap,ESH6,Open long,2,cont,100.25,0,-3.5,USDT,2,2,-3.5,1,USDT\n",
			traded + "-7 | 493\n",
		},
		{
			"Bybit, positions of both sides, and funding", "bybit_trades",
			"Contracts,Order No.,Direction,Order Type,Filled Qty,Filled Price,Order Price,Filled Type,Trading Fee Rate,Fees Paid,Trasaction ID,Transaction Time(UTC+10),Final Balance (USDT)\nESH6,o4,Close Short,Market,2,105.25,0,Trade,0.00055,0.8,t4,19:31 2026-01-13,1028\nESH6,o3,Close Long,Market,2,105.25,0,Trade,0.00055,0.8,t3,19:31 2026-01-13,1028\n" +
				"ESH6,o5,Sell,,2,105.25,0,Funding,0.0001,0.8,t5,19:31 2026-01-13,1028\nESH6,o2,Open Short,Market,2,100.25,0,Trade,0.00055,0.8,t2,19:30 2026-01-13,1004\nESH6,o1,Open Long,Market,2,100.25,0,Trade,0.00055,0.33,t1,19:30 2026-01-13,1000\n",
			traded + " | \n" + strings.Replace(traded, "buy", "sell", 1) + " | \n",
		},
		{
			"Bybit, a unified account", "bybit_trades",
			"Market,Filled Type,Filled Quantity,Filled Price,Order Price,Fee Rate,Trading Fee,feeCoin,ExecFeeV2,Direction,Order Type,Trasaction ID,Order No.,Transaction Time(UTC+0)\nESH6,Trade,2,105.25,0,0.0006,2.5,USDT,,Short,Market,t2,o2,09:31 2026-01-13\nESH6,Liquidation,2,105.25,0,0.0006,2.5,USDT,,Short,Market,t3,o3,09:32 2026-01-13\nESH6,Trade,2,100.25,0,0.0006,2.5,USDT,,Long,Market,t1,o1,09:30 2026-01-13\n",
			traded + " | \n",
		},
		{
			"Exness, without costs and in the account's currency", "exness",
			"ticket,opening_time_utc,closing_time_utc,type,lots,original_position_size,symbol,opening_price,closing_price,stop_loss,take_profit,commission,swap,profit,equity,margin_level,close_reason\n1,2026-01-13T09:30:00,2026-01-13T09:31:00,buy,2,2,ESH6,100.25,105.25,,106,,,500,,,user\n",
			traded + " | 500\n",
		},
		{
			"a platform that is not known", "generic",
			"Ticker,Position Side,Filled Qty,Entry DateTime,Exit DateTime,Avg. Entry Price,Avg. Exit Price,Total Fees,Realized P&L\nESH6,Long,2,2026-01-13 09:30:00,2026-01-13 09:31:00,100.25,105.25,-7.00,500.00\n",
			traded + "-7 | 493\n",
		},
		{
			"Interactive Brokers, the section of trades alone", "ibkr",
			"Trades,Header,DataDiscriminator,Asset Category,Currency,Symbol,Date/Time,Quantity,T. Price,C. Price,Proceeds,Comm/Fee,Basis,Realized P/L,MTM P/L,Code\nTrades,Data,Order,Futures,USD,ESH6,\"2026-01-13, 04:30:00\",2,100,105,0,-3.5,0,0,0,O\nTrades,Data,Order,Futures,USD,ESH6,\"2026-01-13, 04:31:00\",-2,105,105,0,-3.5,0,493,0,C\n",
			traded + "-7 | 493\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := mustRead(t, "a", []byte(test.text), statement.Options{})
			if diff := cmp.Diff(test.want, lines(f)); diff != "" || f.Format != test.format || f.Reconciled == statement.Mismatch {
				t.Errorf("format %s, reconciled %s (-want +got)\n%s", f.Format, f.Reconciled, diff)
			}
		})
	}
}

// A position that Binance calls open has closed in part, and comes again when it has closed.
func TestPositionThatIsStillOpen(t *testing.T) {
	t.Parallel()
	const (
		names  = "Symbol,Margin Mode,Position Side,Entry Price,Avg. Close Price,Max Open Interest,Closed Vol.,Closing PNL,Opened,Closed,Status\n"
		closed = "BTCUSDT,Cross,Long,60000,60100,0.5,0.5,50,2026-01-13 09:30:00,2026-01-13 09:31:00,Closed\n"
		open   = "ETHUSDT,Cross,Short,2000,1990,0.4,0.1,1,2026-01-13 09:30:00,2026-01-13 09:32:00,Open\n"
	)
	f := mustRead(t, "a.csv", []byte(names+closed+open), zoned("UTC"))
	if diff := cmp.Diff("BTCUSDT | buy | 0.5 | 2026-01-13 09:30:00 | 2026-01-13 09:31:00 |  | 50\n", lines(f)); diff != "" {
		t.Errorf("trades (-want +got):\n%s", diff)
	}
}

// The account stands in an activity statement under the name of its language.
func TestAccountInOtherLanguages(t *testing.T) {
	t.Parallel()
	text := strings.NewReplacer("Account Information,Data,Account,", "Kontoinformation,Data,Konto,", "Account Information,Data,Base Currency,", "Kontoinformation,Data,Basiswährung,").Replace(string(load(t, "ibkr_activity.csv")))
	f := mustRead(t, "a.csv", []byte(text), statement.Options{})
	if a := f.Accounts[0]; a.Login != "7001001" || a.Currency != "USD" {
		t.Errorf("account %+v", a)
	}
}

// NinjaTrader writes dates as the computer does: without AM and PM, nothing shows that the
// month comes first.
func TestDatesOfTheSendersComputer(t *testing.T) {
	t.Parallel()
	const text = "Instrument,Account,Market pos.,Qty,Entry price,Exit price,Entry time,Exit time,Profit\nESH6,A1,Long,2,100.00,105.00,01-04-2026 09:30:00,01-04-2026 09:31:00,500.00 $\n"
	if _, err := read(t, "a.csv", []byte(text), statement.Options{}); err == nil || !strings.Contains(err.Error(), "date_order") {
		t.Errorf("got %v", err)
	}
	for _, half := range []string{"a. m.", "a.m.", "am", "π.μ.", "SA", "ص"} { // in Mexico, Australia, Greece, Vietnam and Egypt, the day stands first
		if _, err := read(t, "a.csv", []byte(strings.NewReplacer("01-04-2026", "01/04/2026", ":00,", ":00 "+half+",").Replace(text)), statement.Options{}); err == nil || !strings.Contains(err.Error(), "date_order") {
			t.Errorf("%s: got %v", half, err)
		}
	}
	american := mustRead(t, "a.csv", []byte(strings.NewReplacer("01-04-2026", "1/4/2026", "09:", "9:", ":00,", ":00 AM,").Replace(text)), statement.Options{})
	if got := american.Trades[0].OpenTime.Format(time.DateOnly); got != "2026-01-04" {
		t.Errorf("opened on %s", got)
	}
	dotted := strings.ReplaceAll(text, "01-04-2026", "01.04.2026")
	for _, f := range []*file{mustRead(t, "a.csv", []byte(text), statement.Options{DateOrder: value.DMY}), mustRead(t, "a.csv", []byte(dotted), statement.Options{})} {
		if got := f.Trades[0].OpenTime.Format(time.DateOnly); got != "2026-04-01" {
			t.Errorf("opened on %s", got)
		}
	}
}

// An order without a price was not filled, whatever a platform calls its state. One that is
// called filled must have a price.
func TestOrdersWithoutPrice(t *testing.T) {
	t.Parallel()
	text := string(load(t, "tradingview_orders.csv"))
	row := "EURUSD,Buy,Limit,1,1.05,,,%s,,,,2026-01-13 08:00:00,2026-01-13 09:00:00,77\n"
	f := mustRead(t, "a.csv", []byte(text+strings.Replace(row, "%s", "Inactive", 1)), statement.Options{})
	if len(f.Trades) != 5 || f.RejectedRows != 0 {
		t.Errorf("%d trades, %d rejected", len(f.Trades), f.RejectedRows)
	}
	if _, err := read(t, "a.csv", []byte(text+strings.Replace(row, "%s", "Filled", 1)), statement.Options{}); err == nil || !strings.Contains(err.Error(), "the price is missing") {
		t.Errorf("got %v", err)
	}
}

// The seconds that MetaTrader's library gives are those of the server's clock, which the sender knows.
func TestSecondsOfTheServer(t *testing.T) {
	t.Parallel()
	const text = "deal,time,position_id,type,entry,volume,price,profit,symbol\n1,1768296600,11,0,0,2,100,0,ESH6\n2,1768296660,11,1,1,2,105,500,ESH6\n"
	f := mustRead(t, "deals.csv", []byte(text), statement.Options{Timezone: "Europe/Athens"})
	if got, want := f.Trades[0].OpenTime.Format(time.DateTime), "2026-01-13 07:30:00"; got != want {
		t.Errorf("opened at %s, want %s", got, want)
	}
	f = mustRead(t, "deals.csv", []byte(text), statement.Options{})
	if !slices.ContainsFunc(f.Warnings, func(w sheet.Warning) bool { return w.Code == "timezone_assumed" }) {
		t.Errorf("warnings %+v", f.Warnings)
	}
}
