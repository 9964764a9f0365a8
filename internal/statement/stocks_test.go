package statement_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement"
	"github.com/assayhq/assay/internal/statement/format"
)

// executed are the canonical trades as a list of executions gives them.
func executed(named, costs bool) []record.Trade {
	trades := canonical()
	for i := range trades {
		t := &trades[i]
		t.AccountID, t.StopLoss, t.TakeProfit, t.Swap = "7001001", "", "", ""
		if t.ID == "1004" {
			t.Commission = "-1.95" // what the others count as swap is part of it
		}
		if !named {
			t.ID = ""
		}
		if !costs {
			t.Commission, t.Profit = "", ""
		}
	}
	return trades
}

// What brokers for stocks export gives the same positions.
func TestExportsOfStockBrokers(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, format, currency string
		confidence             format.Confidence
		named, costs           bool
	}{
		{"ibkr_activity.csv", "ibkr", "USD", format.Medium, false, true},
		{"ibkr_flex.csv", "ibkr", "USD", format.Medium, true, true},
		{"ibkr_flex.xml", "ibkr", "USD", format.Medium, true, true},
		{"thinkorswim.csv", "thinkorswim", "", format.Low, false, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := mustRead(t, test.name, load(t, test.name), zoned("America/New_York"))
			got := append([]record.Trade(nil), f.Trades...)
			for i := range got {
				if !test.named {
					got[i].ID = ""
				}
			}
			if diff := cmp.Diff(executed(test.named, test.costs), got); diff != "" {
				t.Errorf("trades (-want +got)\n%s", diff)
			}
			want := statement.Account{Login: "7001001", Currency: test.currency, Platform: "other", Trades: 5}
			if diff := cmp.Diff([]statement.Account{want}, f.Accounts); diff != "" || f.Format != test.format || f.Confidence != test.confidence || f.RejectedRows != 0 {
				t.Errorf("format %s, confidence %s, %d rejected, accounts (-want +got)\n%s", f.Format, f.Confidence, f.RejectedRows, diff)
			}
			if test.costs && (f.NetBasis != statement.StatedNet || f.Net[0].Value != "1239.55") {
				t.Errorf("net %s %v", f.NetBasis, f.Net)
			}
		})
	}
}

// edit replaces text that an example has, once.
func edit(t *testing.T, name, old, replacement string) []byte {
	t.Helper()
	text := string(load(t, name))
	if !strings.Contains(text, old) {
		t.Fatalf("%s does not contain %q", name, old)
	}
	return []byte(strings.Replace(text, old, replacement, 1))
}

func TestVariantsOfInteractiveBrokers(t *testing.T) {
	t.Parallel()
	const columns = "Asset Category,Currency,Symbol,Date/Time,Quantity,T. Price,C. Price,Proceeds,Comm/Fee,Basis,Realized P/L,MTM P/L,Code"
	german := "Vermögenswertkategorie,Währung,Symbol,Datum/Zeit,Menge,T.-Kurs,Schlusskurs,Erlös,Prov./Gebühr,Basis,Realisierter G&V,MTM G&V,Code"
	flex := strings.Split(strings.TrimSpace(string(load(t, "ibkr_flex.csv"))), "\n")
	sections := []string{"BOF,U1,Trades", "BOA,U1", "BOS,TRNT,Trades", "HEADER,TRNT," + flex[0]}
	for _, line := range flex[1:] {
		sections = append(sections, "DATA,TRNT,"+line)
	}
	sections = append(sections, "EOS,TRNT,5", `HEADER,POST,"ClientAccountID","Symbol","Quantity"`, `DATA,POST,"7001001","ACME","10"`, "EOF")
	dollars := string(load(t, "ibkr_activity.csv"))
	rated := strings.NewReplacer(`"CurrencyPrimary"`, `"CurrencyPrimary","FXRateToBase"`, `"USD"`, `"USD","1"`)
	tests := []struct {
		name    string
		content []byte
		trades  int
		net     string
		warning string
	}{
		{"an account in a currency in which nothing was traded", []byte(strings.Replace(dollars, "Base Currency,USD", "Base Currency,EUR", 1)), 5, "1239.55", ""},
		{"trades in two currencies with the rates to the account's", []byte(strings.ReplaceAll(rated.Replace(string(load(t, "ibkr_flex.csv"))), `"USD","1","CFD","NAS100"`, `"EUR","1.1","CFD","NAS100"`)), 5, "1235.45", ""},
		{"a query with the zone of its times", []byte(strings.ReplaceAll(string(load(t, "ibkr_flex.csv")), `","0.5"`, ` EST","0.5"`)), 5, "1239.55", ""},
		{"another language", edit(t, "ibkr_activity.csv", columns, german), 5, "1239.55", ""},
		{"a mark of UTF-8", append([]byte("\xef\xbb\xbf"), load(t, "ibkr_activity.csv")...), 5, "1239.55", ""},
		{"executions without orders", []byte(strings.ReplaceAll(string(load(t, "ibkr_activity.csv")), "Data,Order", "Data,Other")), 5, "", ""},
		{"a conversion of currencies", edit(t, "ibkr_activity.csv", "Trades,SubTotal,", "Trades,Header,DataDiscriminator,Asset Category,Currency,Symbol,Date/Time,Quantity,T. Price,,Proceeds,Comm in USD,,,MTM in USD,Code\n"+
			`Trades,Data,Order,Forex,CHF,USD.CHF,"2026-03-02, 10:00:00","20,000",0.88,,-17600,-2,,,1,`+"\nTrades,SubTotal,"), 6, "1239.55", "other_currencies"},
		{"a trade in another currency", edit(t, "ibkr_activity.csv", `CFDs,USD,NAS100,"2026-07-15, 10:02`, `CFDs,EUR,NAS100,"2026-07-15, 10:02`), 5, "1280.55", "other_currencies"},
		{"a query with descriptors", []byte(strings.Join(sections, "\n") + "\n"), 5, "1239.55", ""},
		{"a query with day and time apart", []byte(strings.NewReplacer(`"DateTime"`, `"TradeDate","TradeTime"`, ";", `","`).Replace(string(load(t, "ibkr_flex.csv")))), 5, "1239.55", ""},
		{"a query of confirmations", []byte(strings.NewReplacer("TradePrice", "Price", "IBCommission", "Commission").Replace(string(load(t, "ibkr_flex.csv")))), 5, "1239.55", ""},
		{"confirmations as XML", []byte(strings.NewReplacer("<Trade ", "<TradeConfirm ", "tradePrice", "price", "ibCommission", "commission").Replace(string(load(t, "ibkr_flex.xml")))), 5, "1239.55", ""},
		{"a query without results", regexp.MustCompile(` fifoPnlRealized="[^"]*"`).ReplaceAll(load(t, "ibkr_flex.xml"), nil), 5, "", "no_results"},
		{"closed lots", []byte(strings.TrimSpace(string(load(t, "ibkr_flex.csv"))) + "\n" + strings.Replace(flex[1], "EXECUTION", "CLOSED_LOT", 1) + "\n"), 5, "1239.55", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := mustRead(t, "a", test.content, statement.Options{})
			if f.Format != "ibkr" || len(f.Trades) != test.trades || test.net != "" && f.Net[0].Value != record.Decimal(test.net) {
				t.Errorf("format %s, %d trades, net %v", f.Format, len(f.Trades), f.Net)
			}
			if unstated := test.warning == "no_results"; unstated != (f.NetBasis == statement.NoNet) || unstated != slices.Contains(f.Lacks, "profit") {
				t.Errorf("net %s, lacks %v", f.NetBasis, f.Lacks)
			}
			told := false
			for _, w := range f.Warnings {
				told = told || w.Code == test.warning
			}
			if told != (test.warning != "") {
				t.Errorf("warnings %v", f.Warnings)
			}
			if f.TimezoneBasis != statement.ZoneOfFile || f.Timezone != "America/New_York" {
				t.Errorf("timezone %s, %s", f.Timezone, f.TimezoneBasis)
			}
		})
	}
}

// A Flex query has rates to the currency of the row's account, and a commission has a currency of its own.
func TestRatesOfFlexQueries(t *testing.T) {
	t.Parallel()
	const header = "ClientAccountID,CurrencyPrimary,FXRateToBase,AssetClass,Symbol,DateTime,Quantity,TradePrice,IBCommission,IBCommissionCurrency,FifoPnlRealized,Buy/Sell,Open/CloseIndicator,TradeID,LevelOfDetail\n"
	id := 0
	trade := func(account, currency, rate, symbol, fee, profit string) string {
		id += 2
		row := strings.Join([]string{account, currency, rate, "STK", symbol, "20260113;%s3000", "%s10", "100", "-2", fee, "%s", "BUY", "%s", "%d", "EXECUTION"}, ",") + "\n"
		return fmt.Sprintf(row, "09", "", "0", "O", id) + fmt.Sprintf(row, "10", "-", profit, "C", id+1)
	}
	tests := []struct{ name, text, want, warning string }{
		{
			"a commission in the account's currency", trade("U1", "USD", "1", "AAPL", "USD", "98") + trade("U1", "JPY", "0.0064", "EUR.JPY", "USD", "20000"),
			"AAPL -4 98, EUR.JPY -4 128, USD 226", "",
		},
		{
			"a commission in the currency of the trade", trade("U1", "USD", "1", "AAPL", "USD", "98") + trade("U1", "JPY", "0.0064", "EUR.JPY", "JPY", "20000"),
			"AAPL -4 98, EUR.JPY -0.0256 128, USD 226", "",
		},
		{
			"commissions in a third currency", trade("U1", "USD", "1", "AAPL", "CHF", "98") + trade("U1", "JPY", "0.0064", "EUR.JPY", "CHF", "20000"),
			"AAPL  98, EUR.JPY  128, USD 226", "other_currencies 4",
		},
		{
			"two accounts", trade("U1", "EUR", "1", "SAP", "EUR", "98") + trade("U2", "GBP", "1.27", "VOD", "GBP", "100"),
			"SAP -4 98, VOD  , EUR 98", "other_currencies 2",
		},
		{
			"an account in a currency in which nothing was traded", trade("U1", "USD", "0.9", "AAPL", "USD", "100") + trade("U1", "GBP", "1.2", "VOD", "GBP", "100"),
			"AAPL -3.6 90, VOD -4.8 120,  210", "currency_unknown 0",
		},
		{
			"such an account with one currency", trade("U1", "USD", "0.9", "AAPL", "USD", "100"),
			"AAPL -4 100, USD 100", "",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			f := mustRead(t, "a.csv", []byte(header+test.text), statement.Options{})
			var got []string
			for _, trade := range f.Trades {
				got = append(got, fmt.Sprintf("%s %s %s", trade.Symbol, trade.Commission, trade.Profit))
			}
			for _, n := range f.Net {
				got = append(got, fmt.Sprintf("%s %s", n.Currency, n.Value))
			}
			if diff := cmp.Diff(test.want, strings.Join(got, ", ")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			told := ""
			for _, w := range f.Warnings {
				if strings.Contains(w.Code, "currenc") {
					told += fmt.Sprintf("%s %d", w.Code, w.Count)
				}
			}
			if told != test.warning {
				t.Errorf("warnings %v", f.Warnings)
			}
		})
	}
}

// The legs of a spread share the time of the first, and options are told apart by what they give
// a right to.
func TestSpread(t *testing.T) {
	t.Parallel()
	const first = ",3/2/26 10:00:00,VERTICAL,SELL,-1,TO OPEN,SPY,17 APR 26,600,PUT,5.10,2.05,LMT\n,,,BUY,+1,TO OPEN,SPY,17 APR 26,590,PUT,3.05,CREDIT,\n"
	const last = ",3/9/26 10:00:00,VERTICAL,BUY,+1,TO CLOSE,SPY,17 APR 26,600,PUT,4.10,1.55,LMT\n,,,SELL,-1,TO CLOSE,SPY,17 APR 26,590,PUT,2.55,DEBIT,\n"
	f := mustRead(t, "a.csv", edit(t, "thinkorswim.csv", "\n\nProfits and Losses", "\n"+last+first+"\nProfits and Losses"), zoned("America/New_York"))
	var got []string
	for _, trade := range f.Trades {
		if strings.HasPrefix(trade.Symbol, "SPY") {
			got = append(got, fmt.Sprintf("%s %s %s–%s %s", trade.Side, trade.Symbol, trade.OpenPrice, trade.ClosePrice, trade.OpenTime.Format("15:04")))
		}
	}
	slices.Sort(got)
	want := []string{"buy SPY 17 APR 26 590 PUT 3.05–2.55 15:00", "sell SPY 17 APR 26 600 PUT 5.1–4.1 15:00"}
	if diff := cmp.Diff(want, got); diff != "" || len(f.Trades) != 7 {
		t.Errorf("%d trades (-want +got)\n%s", len(f.Trades), diff)
	}
}

// The lines that name the export, and the account, may be cut off. A future's symbol has its month.
func TestThinkorswimWithoutTitle(t *testing.T) {
	t.Parallel()
	const options = ",4/17/26 15:00:00,SINGLE,,+1,EXPIRED,MSFT,17 APR 26,397.5,CALL,0.00,0.00,\n,3/9/26 10:00:00,SINGLE,BUY,+1,TO CLOSE,MSFT,17 APR 26,350,PUT,1.10,1.10,LMT\n,3/2/26 10:00:00,SINGLE,SELL,-1,TO OPEN,MSFT,17 APR 26,397.5,CALL,2.34,2.34,LMT\n" +
		",3/2/26 09:00:00,FUTURE,BUY,+1,TO OPEN,/VXMJ26,APR 26,,FUTURE,20,20,LMT\n"
	const want = "EURUSD XAUUSD EURUSD GBPJPY MSFT 17 APR 26 397.5 CALL NAS100 /VXMJ26"
	whole := string(edit(t, "thinkorswim.csv", "\n\nProfits and Losses", "\n"+options+"\nProfits and Losses"))
	section := whole[strings.Index(whole, "Account Trade History"):strings.Index(whole, "Profits and Losses")]
	for name, text := range map[string]string{
		"whole": whole, "without its title": whole[strings.Index(whole, "Cash Balance"):], "from the orders on": whole[strings.Index(whole, "Account Order History"):],
		"the trades alone": section, "the trades without their title": section[strings.Index(section, "\n")+1:],
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := mustRead(t, "a.csv", []byte(text), zoned("America/New_York"))
			var got []string
			for _, trade := range f.Trades {
				got = append(got, trade.Symbol)
			}
			if diff := cmp.Diff(want, strings.Join(got, " ")); diff != "" || f.RejectedRows != 1 {
				t.Errorf("%d rejected, symbols (-want +got)\n%s", f.RejectedRows, diff)
			}
		})
	}
	for _, other := range []string{"account;" + plain + "paperMoney;" + aTrade, "Cash Balance\n" + plain + aTrade, "Account Order History\n" + plain + aTrade} {
		if f := mustRead(t, "a.csv", []byte(other), statement.Options{}); f.Format != "generic" || len(f.Trades) != 1 {
			t.Errorf("format %s of other trades, %d trades", f.Format, len(f.Trades))
		}
	}
}

func TestRefusedExportsOfStockBrokers(t *testing.T) {
	t.Parallel()
	activity, flexXML := load(t, "ibkr_activity.csv"), load(t, "ibkr_flex.xml")
	lastTrade := strings.LastIndex(string(activity), "-41")
	tests := []struct {
		name    string
		content []byte
		detail  string
	}{
		{"cut within a trade", activity[:lastTrade-40], "truncated"},
		{"XML that ends too early", flexXML[:len(flexXML)/2], "the XML is broken"},
		{"a statement without trades", []byte("Statement,Header,Field Name,Field Value\nStatement,Data,Title,Activity Statement\n"), "includes the section Trades"},
		{"a price that is none", edit(t, "ibkr_flex.csv", `"22310.5"`, `"n/a (x)"`), "a number cannot be read"},
		{"other XML", []byte("<?xml version=\"1.0\"?><trades/>"), "This is XML"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := read(t, "a", test.content, statement.Options{})
			if test.detail == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			if err == nil || !strings.Contains(err.Error(), test.detail) {
				t.Errorf("want %q, got %v", test.detail, err)
			}
		})
	}
}
