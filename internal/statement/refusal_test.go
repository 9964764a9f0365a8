package statement_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode"

	"github.com/xuri/excelize/v2"
	charset "golang.org/x/text/encoding/unicode"

	"github.com/assayhq/assay/internal/statement"
	"github.com/assayhq/assay/internal/statement/refusal"
	"github.com/assayhq/assay/internal/statement/value"
)

// container begins an older Microsoft file that holds a stream of a name.
func container(stream string) []byte {
	b := append([]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), make([]byte, 1016)...)
	for _, c := range stream {
		b = append(b, byte(c), 0)
	}
	return append(b, make([]byte, 512)...)
}

// replaced changes one part of a workbook with one trade.
func replaced(t *testing.T, part string, change func([]byte) []byte) []byte {
	t.Helper()
	return rezip(t, workbook(t, rowsOf(t, []byte(plain+aTrade)), typed), func(name string, content []byte) []byte {
		if name == part {
			return change(content)
		}
		return content
	})
}

func sheetWith(t *testing.T, xml string) []byte {
	t.Helper()
	return replaced(t, "xl/worksheets/sheet1.xml", func([]byte) []byte { return []byte(xml) })
}

func encrypted(t *testing.T) []byte {
	t.Helper()
	f := excelize.NewFile()
	defer func() { _ = f.Close() }()
	var b bytes.Buffer
	if err := f.Write(&b, excelize.Options{Password: "secret"}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// What cannot be read, or only by guessing, is refused with a reason that helps.
func TestRefusals(t *testing.T) {
	t.Parallel()
	const (
		tooLarge  = refusal.FileTooLarge
		kind      = refusal.UnsupportedFileType
		ununderst = refusal.NotUnderstood
		ambiguous = refusal.AmbiguousDates
	)
	text := func(s string) func(*testing.T) []byte { return func(*testing.T) []byte { return []byte(s) } }
	tests := []struct {
		name    string
		content func(*testing.T) []byte
		options statement.Options
		code    refusal.Code
		detail  string // part of it
		resend  string
	}{
		{"empty", text(""), statement.Options{}, ununderst, "empty", ""},
		{"only a mark", text("\xef\xbb\xbf\n"), statement.Options{}, ununderst, "empty", ""},
		{"no table", text("hello\nworld\n"), statement.Options{}, ununderst, "No table of trades", ""},
		{"rows in one cell", text("\"" + strings.TrimSpace(plain) + "\"\n\"" + strings.TrimSpace(aTrade) + "\"\n"), statement.Options{}, ununderst, "Line 1 has the names of all columns in one cell", ""},
		{"Bybit's closed results", text("Contracts,Closing Direction,Qty,Entry Price,Exit Price,Closed P&L,Exit Type,Trade Time(UTC+0)\nBTCUSDT,Close Long,1,2,3,1,Trade,2026-01-13 10:00:00\n"), statement.Options{}, ununderst, "Export the history of derivatives' trades", ""},
		{"realized gains of Schwab", text("Symbol,Name,Closed Date,Opened Date,Quantity,Proceeds Per Share,Cost Per Share,Proceeds,Cost Basis (CB),Gain/Loss ($)\nNVDA,NVIDIA,03/20/2026,03/02/2026,10,$130.00,$120.00,$1300.00,$1200.00,$100.00\n"), statement.Options{}, ununderst, "Export the account statement of thinkorswim", ""},
		{"the trades of a day of DAS Trader", text("Time,Symbol,Side,Price,Qty,Route,Broker,Account,Type,Cloid,\n09:30:00,AAPL,B,2.78,10,SMRT,,X,Margin,AUTO,\n"), statement.Options{}, ununderst, "times without dates", ""},
		{"the balance history of TradingView", text("Time,Balance before,Balance after,Realized PnL (value),Realized PnL (currency),Action\n2026-01-13 09:31:00,100,90,-10,USD,\"Close short position for symbol MES1! at price 7549.00 for 1 units.\"\n"), statement.Options{}, ununderst, "Export the history of orders", ""},
		{"Binance's changes of the balance", text("\"User_ID\",\"UTC_Time\",\"Account\",\"Operation\",\"Coin\",\"Change\",\"Remark\"\n\"1\",\"2026-01-13 09:31:00\",\"USD-M Futures\",\"Fee\",\"USDT\",\"-1\",\"\"\n"), statement.Options{}, ununderst, "Export the position history or the trade history of futures", ""},
		{"the account activity of eToro", text("Date,Type,Details,Amount,Units,Realized Equity Change,Realized Equity,Balance,Position ID,Asset type,NWA\n13/01/2026 09:30:00,Open Position,AAPL/USD,100.00,1,0.00,100.00,0.00,1,Stocks,0.00\n"), statement.Options{}, ununderst, "Send the account statement as XLSX", ""},
		{"the history of Robinhood", text("Activity Date,Process Date,Settle Date,Instrument,Description,Trans Code,Quantity,Price,Amount\n1/15/2026,1/15/2026,1/17/2026,AAPL,\"Apple\nCUSIP: 1\",Buy,10,$150.00,($1500.00)\n"), statement.Options{}, ununderst, "has days without times and no results", ""},
		{"the transactions of Schwab", text("Date,Action,Symbol,Description,Quantity,Price,Fees & Comm,Amount\n03/16/2026,Buy,TSLA,TESLA,5,$250.00,,-$1250.00\n"), statement.Options{}, ununderst, "Export the account statement of thinkorswim", ""},
		{"the account history of Fidelity", text("\n\nRun Date,Action,Symbol,Description,Type,Price ($),Quantity,Commission ($),Fees ($),Amount ($),Settlement Date\n06/12/2026,YOU BOUGHT ACME (ACME) (Cash),ACME,ACME CORP,Cash,135,100,,,-13500,06/15/2026\n"), statement.Options{}, ununderst, "history of Fidelity has days without times", ""},
		{"the transactions of E*TRADE", text("For Account:,#####1234\n\nTransactionDate,TransactionType,SecurityType,Symbol,Quantity,Amount,Price,Commission,Description\n06/01/26,Bought,EQ,F,100,-1200,12.00,0,FORD\n"), statement.Options{}, ununderst, "transactions of E*TRADE have days without times", ""},
		{"the trades of Angel One", text("ClientCode,X1\n\nTradeBook And Charges\nScrip/Contract,Buy/Sell,Buy Price,Sell Price,Quantity,Brokerage,Order Type,Segment,Exchange,Order ID,Trade ID,Date\nACME LTD,Buy,100,,10,1,Delivery,CAPITAL,NSE,1001,501,2026-01-13\n"), statement.Options{}, ununderst, "days without times", ""},
		{"the profit and loss of Zerodha", text("Symbol,ISIN,Quantity,Buy Value,Sell Value,Realized P&L,Realized P&L Pct.,Open Quantity\nACME,INE1,28,45729.6,46019.4,289.8,0.6337,0\n"), statement.Options{}, ununderst, "Export the tradebook instead", ""},
		{"orders of MEXC's futures", text("UID,Time(UTC+00:00),Futures Trading Pair,Direction,Leverage,Order Type,Filled Qty (Cont.),Average Filled Price,Closing PNL,Trading Fee,Status\n1,2026-01-13 11:00:00,BTC_USDT,Long,5,Limit,1,30000,200,5,Filled\n"), statement.Options{}, ununderst, "Export the history of futures positions instead", ""},
		{"the account statement of DEGIRO", text("Datum,Tijd,Valutadatum,Product,ISIN,Omschrijving,FX,Mutatie,,Saldo,,Order Id\n15-12-2025,16:55,15-12-2025,VICI,US9256521090,\"Koop 1 @ 33,9 USD\",,USD,\"-33,90\",USD,\"-33,90\",5\n"), statement.Options{}, ununderst, "Export the transactions instead", ""},
		{"the cash operations of XTB", text("ID;Type;Time;Comment;Symbol;Amount\n1;Stock purchase;13.01.2026 09:30:00;OPEN BUY 1 @ 100.00;AAPL.US;-100.00\n"), statement.Options{}, ununderst, "Export the closed positions instead", ""},
		{"a table of payments", func(t *testing.T) []byte { return load(t, "matchtrader_finance.csv") }, statement.Options{}, ununderst, "Missing: symbol", ""},
		{"a header alone", text(plain), statement.Options{}, ununderst, "but no trades", ""},
		{"only payments", text(plain + "2;;balance;;2026-01-13 10:00:00;;;;;;1000\n"), statement.Options{}, ununderst, "but no trades", ""},
		{"no sides", text("symbol;open time;close time;lots\nX;2026-01-13 10:00;2026-01-13 11:00;1\n"), statement.Options{}, ununderst, "Missing: side", ""},
		{"no size", text("symbol;side;open time;close time\nX;buy;2026-01-13 10:00;2026-01-13 11:00\n"), statement.Options{}, ununderst, "Missing: volume or net", ""},
		{"fills without a symbol", text("Date and Time;Side;Filled Volume;Fill Price\n2026-01-13 10:00;BUY;1;1.5\n"), statement.Options{}, ununderst, "Missing: symbol", ""},
		{"a row without end", text(plain + "\"" + strings.Repeat("a;", 1<<20) + "\"\n"), statement.Options{}, ununderst, "Line 2: a row is longer than 1 MiB", ""},
		{"prices in 32nds", text(plain + strings.Replace(aTrade, ";1.2;", ";120'05;", 1)), statement.Options{}, ununderst, "Line 2: the price counts in 32nds", ""},
		{"prices in halves of 32nds", text(plain + strings.NewReplacer("EURUSD", "ZN 03-26", ";1.2;", ";113'165;").Replace(aTrade)), statement.Options{}, ununderst, "Line 2: the price counts in 32nds", ""},
		{"a price with a dash", text(plain + strings.Replace(aTrade, ";1.2;", ";113-16;", 1)), statement.Options{}, ununderst, "Line 2: a number cannot be read", ""},
		{"thousands by a letter", text(plain + strings.Replace(aTrade, "50.5", "$1.25K", 1)), statement.Options{}, ununderst, "Line 2: a number cannot be read", ""},
		{"a narrow column", text(plain + strings.Replace(aTrade, "50.5", "####", 1)), statement.Options{}, ununderst, "Line 2: a column was too narrow", ""},
		{"an error instead of a number", text(plain + strings.Replace(aTrade, "50.5", "#WERT!", 1)), statement.Options{}, ununderst, "Line 2: the cell holds the error of a formula", ""},
		{"errors instead of ids", text(plain + "#NAME?" + aTrade[strings.IndexByte(aTrade, ';'):]), statement.Options{}, ununderst, "Line 2: the cell holds the error of a formula", ""},
		{"a hexadecimal number", text(plain + strings.Replace(aTrade, "50.5", "0xA", 1)), statement.Options{}, ununderst, "Line 2: a number cannot be read", ""},
		{"debits without a minus", text(plain + strings.Replace(aTrade, "50.5", "50.5 D", 1)), statement.Options{}, ununderst, "Line 2: a number cannot be read", ""},
		{"a comma too many", text(strings.ReplaceAll(plain+aTrade+strings.NewReplacer("1;E", "2;E", ";50.5", ";1,585.00").Replace(aTrade), ";", ",")), statement.Options{}, ununderst, "Line 3: the row has 12 cells, unlike the 11 column names", ""},
		{"a comma too many before the last cell", text(strings.ReplaceAll(strings.TrimSpace(plain)+";comment\n"+strings.Replace(aTrade, ".5\n", ".5;\n", 1)+strings.NewReplacer("1;E", "2;E", ";50.5\n", ";1,585.00;\n").Replace(aTrade), ";", ",")), statement.Options{}, ununderst, "Line 3: the row has 13 cells, unlike the 12 column names", ""},
		{"a cell too few", text(strings.TrimSpace(plain) + ";comment\n" + strings.Replace(aTrade, ".5\n", ".5;\n", 1) + strings.NewReplacer("1;E", "2;E", ";0;50.5\n", ";50.5;\n").Replace(aTrade)), statement.Options{}, ununderst, "Line 3: the row has 11 cells, unlike the 12 column names", ""},
		{"a line break of another kind", text(plain + strings.TrimSpace(aTrade) + "\r" + strings.Replace(aTrade, "1;E", "2;E", 1)), statement.Options{}, ununderst, "Line 2: a line break within the row", ""},
		{"two columns of one name", text(strings.TrimSpace(plain) + ";profit\n" + strings.Replace(aTrade, "50.5", "50.5;60.5", 1)), statement.Options{}, ununderst, "Two columns of the table in line 1 have the same name", ""},
		{"tables side by side", text(strings.TrimSpace(plain) + ";;" + plain + strings.TrimSpace(aTrade) + ";;" + strings.Replace(aTrade, "1;E", "2;E", 1)), statement.Options{}, ununderst, "side by side", ""},
		{"years of two digits first", text(plain + strings.ReplaceAll(aTrade, "2026-", "26-")), statement.Options{}, ambiguous, "Line 2 has a date such as 26-01-13", "date_order"},
		{"an amount in pips", text(plain + strings.Replace(aTrade, "50.5", "50.5 pips", 1)), statement.Options{}, ununderst, "Line 2: a number cannot be read", ""},
		{"prices called open and close", text("symbol;side;lots;open;close;p/l\nUS30;buy;1;43500.25;43600.5;100.25\n"), statement.Options{}, ununderst, "Missing: open_time, close_time", ""},
		{"amounts in two currencies", text(plain + strings.Replace(aTrade, "50.5", "50.5 USD", 1) + strings.NewReplacer("1;E", "2;E", "50.5", "€ 60", "-1", "-1 EUR").Replace(aTrade)), statement.Options{}, ununderst, "Line 3: the trades of one account are in two currencies", ""},
		{"amounts with the signs of two currencies", text(plain + strings.Replace(aTrade, "50.5", "$50.50", 1) + strings.NewReplacer("1;E", "2;E", "50.5", "€60.50").Replace(aTrade)), statement.Options{}, ununderst, "Line 3: the trades of one account are in two currencies", ""},
		{"a fee in a coin", text(plain + strings.Replace(aTrade, ";-1;", ";0.0003BNB;", 1)), statement.Options{}, ununderst, "Line 2: the trades of one account are in two currencies", ""},
		{"results in two coins", text(plain + strings.NewReplacer(";-1;", ";0;", "50.5", "0.0005 BTC").Replace(aTrade) + strings.NewReplacer("1;E", "2;E", ";-1;", ";0;", "50.5", "0.1 ETH").Replace(aTrade)), statement.Options{}, ununderst, "Line 3: the trades of one account are in two currencies", ""},
		{"tables with the signs of two currencies", text(plain + strings.Replace(aTrade, "50.5", "$50.50", 1) + "\n" + plain + strings.NewReplacer("1;E", "2;E", "50.5", "€60.50").Replace(aTrade)), statement.Options{}, ununderst, "Line 4: the trades of one account are in two currencies", ""},
		{"columns in two currencies", text(strings.NewReplacer("commission", "commission (USD)", "profit", "profit (EUR)").Replace(plain) + aTrade), statement.Options{}, ununderst, "Line 1: the trades of one account are in two currencies", ""},
		{"results in two currencies", text(strings.Replace(plain, "profit", "profit (USD);profit (EUR)", 1) + strings.Replace(aTrade, "50.5", "50.5;45.5", 1)), statement.Options{}, ununderst, "Line 1: results are given in two currencies", ""},
		{"a known export with results in two currencies", func(t *testing.T) []byte {
			return bytes.Replace(load(t, "ctrader_history.csv"), []byte("Balance USD"), []byte("Net EUR"), 1)
		}, statement.Options{}, ununderst, "Line 1: results are given in two currencies", ""},
		{"sides of the orders that closed", text(plain + strings.Replace(aTrade, "buy", "sell", 1) + strings.NewReplacer("1;E", "2;E", "1.1;", "1.3;").Replace(aTrade)), statement.Options{}, ununderst, "In 2 of 2 profitable trades, the price moved against the side, first in line 2", ""},
		{"names of columns that are not known", text("Closing Ref,Closed,Opened,Market,Size,Total\nA,2026-01-13 10:30,2026-01-13 10:00,US30,+2,50.5\n"), statement.Options{}, ununderst, "Missing: side. If it has them under other names, rename these columns", ""},
		{"executions that leave a position open", text("Symbol,Side,Exec Time,Qty,Price\nX,B,2026-01-13 10:00,1,1.5\n"), statement.Options{}, ununderst, "Line 2: more of X was bought than sold. A list of executions that does not say what opens and what closes is read only if", ""},
		{"positions whose times have names that are not known", text("Symbol,Side,Beginning,Ending,Qty,Open Price,Close Price\nX,buy,2026-01-13 10:00,2026-01-13 11:00,1,1.5,1.6\n"), statement.Options{}, ununderst, "Missing: open_time, close_time. If it has them under other names, rename these columns.", ""},
		{"an abbreviation of several zones", text(plain + strings.ReplaceAll(aTrade, ":00;1", ":00 CST;1")), statement.Options{}, ununderst, "Line 2 names a time zone by an abbreviation", "timezone"},
		{"such an abbreviation in a heading", text(strings.Replace(plain, "open time", "open time (CST)", 1) + aTrade), statement.Options{}, ununderst, "Line 1 names a time zone by an abbreviation", "timezone"},
		{"times in two zones", text(strings.NewReplacer("open time", "open time (UTC+2)", "close time", "close time (UTC+3)").Replace(plain) + aTrade), statement.Options{}, ununderst, "The columns of times in line 1 name different UTC offsets", ""},
		{"closed or open", text("symbol;side;open time;lots;profit\nX;buy;2026-01-13 10:00;1;5.5\n"), statement.Options{}, ununderst, "Missing: close_time", ""},
		{"one time that may be anything", text("time;symbol;side;lots;price;profit\n2026-01-13 10:00;X;buy;1;1.5;2\n"), statement.Options{}, ununderst, "close_time", ""},
		{"executions whose time has a name that is not known", text("Symbol,Side,Placed,Qty,Price\nX,B,2026-01-13 10:00,1,1.5\nX,S,2026-01-13 11:00,1,1.5\n"), statement.Options{}, ununderst, "Missing: open_time, close_time. If it has them under other names, rename these columns. A list of orders or single executions does not show", ""},
		{"executions of days without times", text("Symbol,Side,Date,Qty,Price\nX,B,2026-01-13,1,1.5\nX,S,2026-01-13,1,1.5\n"), statement.Options{}, ununderst, "have days without times", ""},
		{"positions in the place of executions", text("Symbol,Side,Time,Qty,Price\nX,Long,2026-01-13 10:00,1,1.5\nX,Short,2026-01-13 11:00,1,1.5\n"), statement.Options{}, ununderst, "Line 2: an execution is neither a purchase nor a sale", ""},
		{"orders in a state that is not known", text("Symbol,Side,Filled Time,Qty,Fill Price,Status\nX,B,2026-01-13 10:00,1,1.5,Resting\nX,S,2026-01-13 11:00,1,1.5,Filled\n"), statement.Options{}, ununderst, "Line 2: it is not known whether an order in this state was filled", ""},
		{"a second fill below the first", text("Symbol,Side,Time,Qty,Price\nX,B,2026-01-13 10:00,1,1.5\n,,2026-01-13 10:01,1,1.6\nX,S,2026-01-13 11:00,1,1.5\n"), statement.Options{}, ununderst, "Line 3: an execution has no symbol", ""},
		{"orders that may have their limits as prices", text("Symbol,Side,Time,Qty,Price,Status\nX,B,2026-01-13 10:00,1,1.5,Filled\nX,S,2026-01-13 11:00,1,1.5,Filled\n"), statement.Options{}, ununderst, "A list of orders or single executions does not show", ""},
		{"options whose symbol does not name the contract", text("Symbol,Strike,Side,Time,Qty,Price\nX,5,B,2026-01-13 10:00,1,1.5\nX,6,S,2026-01-13 11:00,1,1.5\n"), statement.Options{}, ununderst, "the symbol of an option does not name the contract", ""},

		{"a page", text("\ufeff<!DOCTYPE html><html><body><p>Sign in</p><table><tr><td>Email<td></table></body></html>"), statement.Options{}, ununderst, "No table of trades", ""},
		{"a page that is cut off, in UTF-16", func(t *testing.T) []byte {
			return encoded(t, charset.UTF16(charset.LittleEndian, charset.UseBOM), "<html><table>\n<tr>")
		}, statement.Options{}, ununderst, "Line 2: the file ends before", ""},
		{"XML", text("<?xml version='1.0'?><trades/>"), statement.Options{}, kind, "This is XML", ""},
		{"PDF", text("%PDF-1.7\n..."), statement.Options{}, kind, "PDF", ""},
		{"a page that a browser saved as one file", text("From: <Saved by Blink>\r\nMIME-Version: 1.0\r\n\r\n<table>"), statement.Options{}, kind, "web archive", ""},
		{"a web archive", text("MIME-Version: 1.0\r\nContent-Type: multipart/related\r\n\r\n<table>"), statement.Options{}, kind, "web archive", ""},
		{"JSON", text(`{"trades": []}`), statement.Options{}, kind, "JSON", ""},
		{"old Excel XML", text(`<?xml version="1.0"?><Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet">`), statement.Options{}, kind, "Excel 2003 XML", ""},
		{"old Excel", func(*testing.T) []byte { return container("Workbook") }, statement.Options{}, kind, "old Excel workbook (XLS)", ""},
		{"password-protected", encrypted, statement.Options{}, kind, "password-protected", ""},
		{"binary", func(*testing.T) []byte { return bytes.Repeat([]byte{1, 2, 3, 0xff, 7}, 999) }, statement.Options{}, kind, "neither a text file nor a workbook", ""},
		{"another archive", func(t *testing.T) []byte {
			return rezip(t, workbook(t, nil, typed), func(name string, part []byte) []byte {
				if name == "_rels/.rels" || strings.HasPrefix(name, "xl/workbook") {
					return nil
				}
				return part
			})
		}, statement.Options{}, kind, "ZIP archive", ""},
		{"a text document", func(t *testing.T) []byte {
			return replaced(t, "_rels/.rels", func([]byte) []byte {
				return []byte(`<Relationships><Relationship Id="a" Type="http://x/officeDocument" Target="word/document.xml"/></Relationships>`)
			})
		}, statement.Options{}, kind, "ZIP archive", ""},
		{"NUL bytes", text(plain + strings.Replace(aTrade, "EURUSD", "EUR\x00USD", 1)), statement.Options{}, ununderst, "NUL bytes", ""},
		{"a truncated workbook", func(t *testing.T) []byte { b := workbook(t, nil, typed); return b[:len(b)/2] }, statement.Options{}, ununderst, "damaged", ""},
		{"a truncated sheet", func(t *testing.T) []byte { return sheetWith(t, `<worksheet><sheetData><row r="1"><c r="A1"><v>1`) }, statement.Options{}, ununderst, "damaged", ""},
		{"an external entity", func(t *testing.T) []byte {
			return sheetWith(t, `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><worksheet><sheetData><row><c t="str"><v>&x;</v></c></row></sheetData></worksheet>`)
		}, statement.Options{}, kind, "document type declaration", ""},
		{"an unknown entity", func(t *testing.T) []byte {
			return sheetWith(t, `<worksheet><sheetData><row><c t="str"><v>&x;</v></c></row></sheetData></worksheet>`)
		}, statement.Options{}, ununderst, "damaged", ""},
		{"a bomb in shared strings", func(t *testing.T) []byte {
			return replaced(t, "xl/sharedStrings.xml", func([]byte) []byte {
				return []byte("<sst>" + strings.Repeat("<si><t>"+strings.Repeat("A", 1000)+"</t></si>", 80<<10) + "</sst>")
			})
		}, statement.Options{}, tooLarge, "unpacks to more", ""},
		{"a bomb of spaces", func(t *testing.T) []byte { return sheetWith(t, strings.Repeat(" ", 40<<20)) }, statement.Options{}, tooLarge, "unpacks to more", ""},
		{"a column beyond the last", func(t *testing.T) []byte {
			return sheetWith(t, `<worksheet><sheetData><row r="1"><c r="ZZZZ1"><v>1</v></c></row></sheetData></worksheet>`)
		}, statement.Options{}, tooLarge, "16,384 columns", ""},
		{"too many columns in text", text(plain + strings.Repeat(";", 20_000) + "\n"), statement.Options{}, tooLarge, "16,384 columns", ""},
		{"too many rows", text(plain + strings.Repeat("a\n", 1_000_001)), statement.Options{}, tooLarge, "1,000,000 rows", ""},
		{"too many sheets", func(t *testing.T) []byte {
			f := excelize.NewFile()
			defer func() { _ = f.Close() }()
			for i := range 65 {
				if _, err := f.NewSheet(fmt.Sprint("S", i)); err != nil {
					t.Fatal(err)
				}
			}
			return saved(t, f)
		}, statement.Options{}, tooLarge, "64 sheets", ""},
		{"a quote that nothing closes", text(plain + strings.Replace(aTrade, "EURUSD", `"EURUSD`, 1) + aTrade), statement.Options{}, ununderst, "Line 2: a quoted cell is never closed", ""},
		{"text after a quote", text(plain + strings.Replace(aTrade, "EURUSD", `"EUR"USD`, 1)), statement.Options{}, ununderst, "Line 2: text follows the closing quote", ""},

		{"no date tells day from month", text(plain + "1;X;buy;1;03/04/2026 10:00;1;03/04/2026 11:00;1;0;0;1.5\n"), statement.Options{}, ambiguous, "date_order dmy or mdy", "date_order"},
		{"dates in both orders", text(plain + "1;X;buy;1;13/04/2026 10:00;1;04/13/2026 11:00;1;0;0;1.5\n"), statement.Options{}, ambiguous, "day first", ""},
		{"dates that a spreadsheet turned around", text(plain + "1;X;buy;1;2025-05-12 10:00;1;2025-05-12 11:00;1;0;0;1.5\n2;X;buy;1;13/12/2025 10:00;1;13/12/2025 11:00;1;0;0;1.5\n"), statement.Options{DateOrder: value.DMY}, ambiguous, "the one in line 3 does not", ""},
		{"a login that a spreadsheet rounded", text("login;" + plain + "7.00E+06;" + aTrade), statement.Options{}, ununderst, "rounded the account's number", ""},
		{"dates against the order told", text(plain + "1;X;buy;1;13/04/2026 10:00;1;13/04/2026 11:00;1;0;0;1.5\n"), statement.Options{DateOrder: value.MDY}, ambiguous, "contradict", "date_order"},
		{"dates that a spreadsheet has half understood", func(t *testing.T) []byte {
			rows := rowsOf(t, []byte(plain+"1;X;buy;1;03/04/2026;1;03/04/2026;1;0;0;1.5\n2;X;buy;1;46115.5;1;46115.6;1;0;0;1.5\n"))
			return workbook(t, rows, typed)
		}, statement.Options{DateOrder: value.DMY}, ambiguous, "spreadsheet", ""},
		{"numbers that a spreadsheet has half understood", func(t *testing.T) []byte {
			return workbook(t, rowsOf(t, load(t, "generic_german.csv")), typed)
		}, statement.Options{}, ununderst, "Spreadsheet", ""},
		{"no number tells the mark", text(strings.NewReplacer("0.5;", "1;", "1.1", "1", "1.2", "1", "50.5", "1,234").Replace(plain + aTrade)), statement.Options{}, ununderst, "Line 2 has a number such as 1,234", "decimal"},
		{"numbers of both marks", text(plain + aTrade + strings.Replace(aTrade, "50.5", "50,5", 1)), statement.Options{}, ununderst, "decimal comma in line 3", ""},
		{"numbers against the mark told", text(plain + aTrade), statement.Options{Decimal: value.Comma}, ununderst, "line 2 has a decimal point", "decimal"},
		{"a number that is none", text(plain + strings.Replace(aTrade, "1.2", "1.2.3", 1)), statement.Options{}, ununderst, "Line 2: a number cannot be read", ""},
		{"a date that is none", text(plain + strings.Replace(aTrade, "2026-01-13", "2026-02-30", 1)), statement.Options{}, ununderst, "Line 2: a date or time cannot be read", ""},
		{"a time that is missing", text(plain + "1;X;buy;1;;1;2026-01-13 10:30:00;1;0;0;1.5\n"), statement.Options{}, ununderst, "Line 2: the time of opening is missing", ""},
		{"sides 1 and -1", text(plain + strings.Replace(aTrade, "buy", "1", 1) + strings.NewReplacer("1;E", "2;E", "buy", "-1").Replace(aTrade)), statement.Options{}, ununderst, "Line 3: the side is neither buy nor sell", ""},
		{"a side that is none", text(plain + strings.Replace(aTrade, "buy", "maybe", 1)), statement.Options{}, ununderst, "Line 2: the side is neither buy nor sell", ""},
		{"one account in two currencies", text("currency;" + plain + "USD;" + aTrade + "EUR;" + aTrade), statement.Options{}, ununderst, "Line 3: the trades of one account are in two currencies", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f, err := read(t, "export.xlsx", test.content(t), test.options)
			var r *refusal.Error
			if !errors.As(err, &r) {
				t.Fatalf("got %+v, %v; want a refusal", f, err)
			}
			if r.Code != test.code || !strings.Contains(r.Detail, test.detail) || r.Resend != test.resend {
				t.Errorf("got %s %q, resend %q", r.Code, r.Detail, r.Resend)
			}
			for _, s := range append(r.Seen, r.Detail) {
				if strings.ContainsFunc(s, unicode.IsControl) || len(s) > 500 {
					t.Errorf("not fit to be shown: %q", s)
				}
			}
		})
	}
}

// Sizes are refused before anything is read.
func TestSizes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		head string
		size int64
	}{
		{"text", plain, 64<<20 + 1},
		{"workbook", "PK\x03\x04", 32<<20 + 1},
		{"a gigabyte of text", plain, 1 << 30},
		{"a gigabyte of HTML", "<html><table>", 1 << 30},
		{"a gigabyte of XML", "<FlexQueryResponse>", 1 << 30},
		{"a gigabyte of an archive", "PK\x03\x04", 1 << 30},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := statement.Read(t.Context(), strings.NewReader(test.head), test.size, "a", statement.Options{})
			var r *refusal.Error
			if !errors.As(err, &r) || r.Code != refusal.FileTooLarge {
				t.Errorf("got %v", err)
			}
		})
	}
}

// What a refusal repeats of a file is cut, clean and no formula.
func TestSeenIsClean(t *testing.T) {
	t.Parallel()
	header := "=cmd|' /C calc'!A0;symbol\u202e;" + strings.Repeat("x", 500) + ";\x1b[31mside;+1+1\n"
	_, err := read(t, "a.csv", []byte(header+"a;b;c;d;e\n"), statement.Options{})
	var r *refusal.Error
	if !errors.As(err, &r) {
		t.Fatal(err)
	}
	if len(r.Seen) == 0 {
		t.Error("nothing of the file is named")
	}
	for _, s := range r.Seen {
		if len(s) > 40 || strings.ContainsAny(s, "\x1b\u202e") || strings.HasPrefix(s, "=") || strings.HasPrefix(s, "+") {
			t.Errorf("seen %q", s)
		}
	}
}

// Options are checked before the file is read, all at once.
func TestOptions(t *testing.T) {
	t.Parallel()
	bad := statement.Options{
		Timezone: "Mars/Olympus", Currency: "usd", InitialBalance: "-1", AccountLogin: strings.Repeat("7", 65), Platform: "mt6", DateOrder: "ymd", Decimal: ";",
	}
	var names []string
	for _, e := range bad.Check() {
		names = append(names, e.Option)
	}
	if got := strings.Join(names, " "); got != "timezone currency initial_balance account_login platform date_order decimal" {
		t.Errorf("faults of %s", got)
	}
	_, err := read(t, "a.csv", []byte(plain+aTrade), bad)
	var fault *statement.OptionError
	if !errors.As(err, &fault) {
		t.Errorf("got %v", err)
	}
	if faults := (statement.Options{AccountLogin: "a\nb"}).Check(); len(faults) != 1 {
		t.Errorf("a login of two lines: %v", faults)
	}
	for _, zone := range []string{"UTC", "Europe/Prague", "+02:00", "-5", "+0530", "ny_close", "eet"} {
		if faults := zoned(zone).Check(); faults != nil {
			t.Errorf("%s: %v", zone, faults[0])
		}
	}
	for _, zone := range []string{"+15:00", "+2:", "Local", "../../etc/passwd", "UTC+", "ny close"} {
		if faults := zoned(zone).Check(); faults == nil {
			t.Errorf("%s is taken", zone)
		}
	}
}

// What the options say fills in what the file does not.
func TestOptionsFillIn(t *testing.T) {
	t.Parallel()
	f := mustRead(t, "a.csv", []byte(plain+aTrade), statement.Options{Currency: "CHF", AccountLogin: "77", Platform: "mt5", Timezone: "UTC"})
	want := statement.Account{Login: "77", Currency: "CHF", Platform: "mt5", Trades: 1}
	if f.Accounts[0] != want || f.Trades[0].AccountID != "77" {
		t.Errorf("account %+v, trade of %q", f.Accounts[0], f.Trades[0].AccountID)
	}
}

// A reader stops when its context ends.
func TestCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, content := range map[string][]byte{"text": []byte(plain + strings.Repeat(aTrade, 2000)), "workbook": workbook(t, rowsOf(t, []byte(plain+aTrade)), typed)} {
		if _, err := statement.Read(ctx, bytes.NewReader(content), int64(len(content)), "a", statement.Options{}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
