package customapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/alias"
	"github.com/assayhq/assay/connectors/customapi"
	"github.com/assayhq/assay/connectors/record"
)

// at returns a time on the day of all test data.
func at(hour, minute, second int) time.Time {
	return time.Date(2025, 3, 4, hour, minute, second, 0, time.UTC)
}

func decode(t *testing.T, stream record.Stream, items ...string) *connectors.Page {
	t.Helper()
	page, err := customapi.DecodePage([]byte(`{"data":[`+strings.Join(items, ",")+`]}`), stream, time.Time{}, 200)
	if err != nil {
		t.Fatal(err)
	}
	return page
}

const (
	fullTrader = `{"id":"T-1","updated_at":"2025-03-04T10:00:00Z","email":" Ada@Example.com ","first_name":"Ada","last_name":"King",
		"full_name":"Someone Else","country":"GB","phone":"+441234","registered_at":"2025-03-04T09:00:00+01:00","created_at":"2020-01-01T00:00:00Z",
		"kyc_status":"verified","tags":["vip","eu"],"metadata":{"tier":2.50}}`
	fullAccount = `{"id":9007199254740993,"trader_id":18446744073709551617,"updated_at":"2025-03-04T10:00:00Z","platform":"mt5","login":500123,
		"program":"100k Two Step","phase":"funded","status":"active","currency":"USD","initial_balance":"100,000.00","balance":101234.50,"equity":"99,000",
		"started_at":"2025-03-04T08:00:00Z","metadata":{}}`
	fullTrade = `{"id":"1","account_id":"A-1","symbol":"EURUSD.z","side":"buy","open_time":"2025-03-04T09:00:00Z","updated_at":"2025-03-04T10:00:00.1234567Z",
		"volume":0.10,"close_time":"2025-03-04T10:00:00Z","open_price":1.0812,"close_price":1.0830,"stop_loss":1.07,"take_profit":1.09,
		"commission":-3.50,"swap":0,"profit":18.0}`
	fullPayout = `{"id":"P-1","trader_id":"T-1","status":"paid","updated_at":"2025-03-04T10:00:00Z","account_id":"A-1","amount":1250.75,"currency":"EUR",
		"requested_at":"2025-03-04T08:00:00Z","paid_at":"2025-03-04T09:00:00Z"}`

	bareTrader  = `{"id":"T-1","updated_at":"2025-03-04T10:00:00Z"}`
	bareAccount = `{"id":"A-1","trader_id":"T-1","updated_at":"2025-03-04T10:00:00Z"}`
	bareTrade   = `{"id":"1","account_id":"A-1","symbol":"EURUSD","side":"buy","open_time":"2025-03-04T09:00:00Z","updated_at":"2025-03-04T10:00:00Z"}`
	barePayout  = `{"id":"P-1","trader_id":"T-1","status":"pending","updated_at":"2025-03-04T10:00:00Z"}`
)

func TestRecordsInFull(t *testing.T) {
	t.Parallel()
	changed := at(10, 0, 0)
	tests := []struct {
		name   string
		stream record.Stream
		item   string
		want   record.Batch
	}{
		{"trader", record.StreamTraders, fullTrader, record.Batch{Traders: []record.Trader{{
			ID: "T-1", UpdatedAt: changed, Email: "Ada@Example.com", FirstName: "Ada", LastName: "King", Country: "GB", Phone: "+441234",
			RegisteredAt: at(8, 0, 0), KYCStatus: "verified", Tags: []string{"vip", "eu"}, Metadata: `{"tier":2.50}`,
		}}}},
		{"bare trader", record.StreamTraders, bareTrader, record.Batch{Traders: []record.Trader{{ID: "T-1", UpdatedAt: changed}}}},
		{"account", record.StreamAccounts, fullAccount, record.Batch{Accounts: []record.Account{{
			ID: "9007199254740993", TraderID: "18446744073709551617", UpdatedAt: changed, Platform: "mt5", Login: "500123", Program: "100k Two Step",
			Phase: "funded", Status: "active", Currency: "USD", InitialBalance: "100000", Balance: "101234.5", Equity: "99000",
			StartedAt: at(8, 0, 0), Metadata: `{}`,
		}}}},
		{"bare account", record.StreamAccounts, bareAccount, record.Batch{Accounts: []record.Account{{ID: "A-1", TraderID: "T-1", UpdatedAt: changed}}}},
		{"trade", record.StreamTrades, fullTrade, record.Batch{Trades: []record.Trade{{
			ID: "1", AccountID: "A-1", Symbol: "EURUSD.z", Side: record.Buy, OpenTime: at(9, 0, 0), UpdatedAt: changed.Add(123456 * time.Microsecond),
			Volume: "0.1", CloseTime: changed, OpenPrice: "1.0812", ClosePrice: "1.083", StopLoss: "1.07", TakeProfit: "1.09",
			Commission: "-3.5", Swap: "0", Profit: "18",
		}}}},
		{"open trade", record.StreamTrades, bareTrade, record.Batch{Trades: []record.Trade{{
			ID: "1", AccountID: "A-1", Symbol: "EURUSD", Side: record.Buy, OpenTime: at(9, 0, 0), UpdatedAt: changed,
		}}}},
		{"payout", record.StreamPayouts, fullPayout, record.Batch{Payouts: []record.Payout{{
			ID: "P-1", TraderID: "T-1", AccountID: "A-1", Status: "paid", UpdatedAt: changed, Amount: "1250.75", Currency: "EUR",
			RequestedAt: at(8, 0, 0), PaidAt: at(9, 0, 0),
		}}}},
		{"bare payout", record.StreamPayouts, barePayout, record.Batch{Payouts: []record.Payout{{ID: "P-1", TraderID: "T-1", Status: "pending", UpdatedAt: changed}}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			page := decode(t, test.stream, test.item)
			if diff := cmp.Diff(test.want, page.Batch); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if page.Seen != 1 || len(page.Rejected) != 0 || len(page.Findings) != 0 || page.Next != "" {
				t.Errorf("seen %d, rejected %v, findings %v, next %q", page.Seen, page.Rejected, page.Findings, page.Next)
			}
		})
	}
}

func TestTraderNames(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, first, last, full, want string }{
		{"first and last win", `"Ada"`, `"King"`, `"X Y"`, "Ada|King"},
		{"first alone wins", `"Ada"`, `null`, `"X Y"`, "Ada|"},
		{"last alone wins", `""`, `"King"`, `"X Y"`, "|King"},
		{"full name", `null`, `null`, `"Ada King"`, "Ada|King"},
		{"split at the first space", `null`, `""`, `"Ada Augusta King"`, "Ada|Augusta King"},
		{"several spaces", `null`, `null`, `"  Ada   King "`, "Ada|King"},
		{"one word", `null`, `null`, `"Ada"`, "Ada|"},
		{"none", `null`, `null`, `null`, "|"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			page := decode(t, record.StreamTraders, with(bareTrader, "first_name", test.first, "last_name", test.last, "full_name", test.full))
			trader := page.Traders[0]
			if got := trader.FirstName + "|" + trader.LastName; got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestSide(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, sent, want string }{
		{"buy", `"buy"`, "buy"},
		{"sell", `"sell"`, "sell"},
		{"long", `"long"`, "buy"},
		{"short", `"short"`, "sell"},
		{"letter case", `"BUY"`, "buy"},
		{"mixed case, spaces", `" Short "`, "sell"},
		{"zero", `0`, "buy"},
		{"one", `1`, "sell"},
		{"zero as a string", `"0"`, "buy"},
		{"one as a string", `"1"`, "sell"},
		{"one as a float", `1.0`, "sell"},
		{"other number", `2`, "unknown_enum_value /side"},
		{"other word", `"balance"`, "unknown_enum_value /side"},
		{"number out of range", `1e99999`, "unknown_enum_value /side"},
		{"null", `null`, "required_missing /side"},
		{"empty", `""`, "required_missing /side"},
		{"boolean", `true`, "wrong_type /side"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			page := decode(t, record.StreamTrades, strings.Replace(bareTrade, `"buy"`, test.sent, 1))
			got := rejections(page)
			if len(page.Trades) == 1 {
				got = string(page.Trades[0].Side)
			}
			if got != test.want || len(page.Findings) != 0 {
				t.Errorf("got %s with findings %q, want %s", got, rules(page), test.want)
			}
		})
	}
}

// Unknown values of optional enumerations are kept together with the platform's own
// metadata.
func TestUnknownEnumValues(t *testing.T) {
	t.Parallel()
	account := with(bareAccount, "platform", `"mt6"`, "phase", `"Funded"`, "status", `7`, "metadata", `{"desk":"A","unrecognized":1}`)
	page := decode(t, record.StreamAccounts, account)
	a := page.Accounts[0]
	if a.Platform != "" || a.Phase != "funded" || a.Status != "" {
		t.Errorf("platform %q, phase %q, status %q", a.Platform, a.Phase, a.Status)
	}
	if metadata, unknown := `{"desk":"A","unrecognized":1}`, `{"platform":"mt6","status":7}`; a.Metadata != metadata || a.Unrecognized != unknown {
		t.Errorf("metadata %s and beside it %s, want %s and %s", a.Metadata, a.Unrecognized, metadata, unknown)
	}
	if got := rules(page); got != "unknown_enum_value enum_case" {
		t.Errorf("findings %s", got)
	}
	page = decode(t, record.StreamTraders, with(bareTrader, "kyc_status", `"approved"`))
	if got, want := page.Traders[0].Unrecognized, `{"kyc_status":"approved"}`; got != want || page.Traders[0].Metadata != "" {
		t.Errorf("metadata %s and beside it %s, want %s", page.Traders[0].Metadata, got, want)
	}
	page = decode(t, record.StreamPayouts, strings.Replace(barePayout, "pending", "done", 1), strings.Replace(barePayout, "pending", "PAID", 1))
	if got := rejections(page); got != "unknown_enum_value /status" || page.Payouts[0].Status != "paid" || rules(page) != "enum_case" {
		t.Errorf("rejected %s, payouts %v, findings %s", got, page.Payouts, rules(page))
	}
}

// A required field that is missing, null or of the wrong type rejects its record
// and no other.
func TestRequiredFields(t *testing.T) {
	t.Parallel()
	tests := []struct {
		stream record.Stream
		item   string
		fields string
	}{
		{record.StreamTraders, bareTrader, "id updated_at"},
		{record.StreamAccounts, bareAccount, "id trader_id updated_at"},
		{record.StreamTrades, bareTrade, "id account_id symbol side open_time updated_at"},
		{record.StreamPayouts, barePayout, "id trader_id status updated_at"},
	}
	for _, test := range tests {
		for _, field := range strings.Fields(test.fields) {
			t.Run(string(test.stream)+" "+field, func(t *testing.T) {
				t.Parallel()
				missing, null, object := with(test.item, field, "-"), with(test.item, field, "null"), with(test.item, field, "{}")
				page := decode(t, test.stream, missing, test.item, null, object)
				if page.Seen != 4 || page.Len() != 1 {
					t.Errorf("%d of %d records were accepted", page.Len(), page.Seen)
				}
				want := fmt.Sprintf("required_missing /%[1]s, required_missing /%[1]s, wrong_type /%[1]s", field)
				if got := rejections(page); got != want {
					t.Errorf("rejected %s, want %s", got, want)
				}
			})
		}
	}
}

func TestRejectedKeys(t *testing.T) {
	t.Parallel()
	noSide, noID := with(bareTrade, "side", "null"), with(bareTrade, "id", "null")
	page := decode(t, record.StreamTrades, noSide, noID, `5`)
	want := []string{record.TradeKey("A-1", "1"), record.RawKey(noID), record.RawKey("5")}
	var got []string
	for i, r := range page.Rejected {
		got = append(got, r.Key)
		if r.Raw != []string{noSide, noID, "5"}[i] || r.Detail == "" {
			t.Errorf("rejected %+v", r)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("keys (-want +got)\n%s", diff)
	}
	page = decode(t, record.StreamTraders, with(bareTrader, "updated_at", `"yesterday"`))
	if r := page.Rejected[0]; r.Key != "T-1" || strings.Contains(r.Detail, "yesterday") {
		t.Errorf("rejected %+v", r)
	}
}

// A rejected record says whose it is, even if it has no id of its own.
func TestRejectedOwners(t *testing.T) {
	t.Parallel()
	tests := []struct {
		stream record.Stream
		item   string
		want   record.Owner
	}{
		{record.StreamTraders, with(bareTrader, "updated_at", "null"), record.Owner{TraderID: "T-1"}},
		{record.StreamAccounts, with(bareAccount, "updated_at", "null"), record.Owner{TraderID: "T-1", AccountID: "A-1"}},
		{record.StreamTrades, with(bareTrade, "side", "null"), record.Owner{AccountID: "A-1"}},
		{record.StreamTrades, with(bareTrade, "id", "null"), record.Owner{AccountID: "A-1"}},
		{record.StreamPayouts, with(barePayout, "status", "null"), record.Owner{TraderID: "T-1"}},
		{record.StreamPayouts, with(with(barePayout, "trader_id", "null"), "account_id", "880123"), record.Owner{AccountID: "880123"}},
	}
	for _, test := range tests {
		page := decode(t, test.stream, test.item)
		if len(page.Rejected) != 1 || page.Rejected[0].Owner != test.want {
			t.Errorf("%s: rejected %+v, want one of %+v", test.item, page.Rejected, test.want)
		}
	}
}

// A fault of an optional field costs that field only.
func TestFindings(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		stream record.Stream
		item   string
		want   string
	}{
		{"alias of registered_at", record.StreamTraders, with(bareTrader, "created_at", `"2025-03-04T09:00:00Z"`), ""},
		{"alias of volume", record.StreamTrades, with(bareTrade, "lots", `0.5`), ""},
		{"unreadable time", record.StreamTraders, with(bareTrader, "registered_at", `"04.03.2025"`), "invalid_time"},
		{"Unix time", record.StreamAccounts, with(bareAccount, "started_at", `1741082400`), "invalid_time"},
		{"no close time as year 1", record.StreamTrades, with(bareTrade, "close_time", `"0001-01-01T00:00:00Z"`), "invalid_time"},
		{"no close time of MySQL", record.StreamTrades, with(bareTrade, "close_time", `"0000-00-00 00:00:00"`), "invalid_time"},
		{"no close time as 0", record.StreamTrades, with(bareTrade, "close_time", `0`), "invalid_time"},
		{"no close time as a fraction", record.StreamTrades, with(bareTrade, "close_time", `"0.0"`), "invalid_time"},
		{"no close time with a space", record.StreamTrades, with(bareTrade, "close_time", `" 0001-01-01T00:00:00Z"`), "invalid_time"},
		{"no close time as Unix time 0", record.StreamTrades, with(bareTrade, "close_time", `"1970-01-01T02:00:00+02:00"`), "invalid_time"},
		{"no close time as Unix time 0 with price 0", record.StreamTrades, with(bareTrade, "close_time", `"1970-01-01T00:00:00Z"`, "close_price", `0`), "invalid_time close_incomplete"},
		{"no close time as the last one of a database", record.StreamTrades, with(bareTrade, "close_time", `"9999-12-31T23:59:59.9999999Z"`), "invalid_time"},
		{"no close time beyond year 9999", record.StreamTrades, with(bareTrade, "close_time", `"9999-12-31T23:59:59-05:00"`), "invalid_time"},
		{"no close time as a last day", record.StreamTrades, with(bareTrade, "close_time", `"9999-12-31"`), "invalid_time"},
		{"no close time of SQL Server", record.StreamTrades, with(bareTrade, "close_time", `"1900-01-01T00:00:00Z"`), "invalid_time"},
		{"no close time of Delphi", record.StreamTrades, with(bareTrade, "close_time", `"1899-12-30T00:00:00Z"`), "invalid_time"},
		{"close time years after the open time", record.StreamTrades, with(bareTrade, "close_time", `"2033-03-04T10:00:00Z"`, "close_price", `1`), ""},
		{"close time many years after the open time", record.StreamTrades, with(bareTrade, "close_time", `"2043-03-04T10:00:00Z"`, "updated_at", `"2043-03-04T10:00:00Z"`, "close_price", `1`), ""},
		{"no close time as false", record.StreamTrades, with(bareTrade, "close_time", `false`), "wrong_type"},
		{"metadata is a list", record.StreamTraders, with(bareTrader, "metadata", `[]`), "wrong_type"},
		{"country in words", record.StreamTraders, with(bareTrader, "country", `"Germany"`), "country_format"},
		{"country in small letters", record.StreamTraders, with(bareTrader, "country", `"de"`), "country_format"},
		{"currency of four letters", record.StreamAccounts, with(bareAccount, "currency", `"USDT"`), "currency_format"},
		{"email", record.StreamTraders, with(bareTrader, "email", `"a+b@c"`), ""},
		{"no email", record.StreamTraders, with(bareTrader, "email", `"-"`), "email_format"},
		{"email without a name", record.StreamTraders, with(bareTrader, "email", `"@c.example"`), "email_format"},
		{"email with two signs", record.StreamTraders, with(bareTrader, "email", `"a@b@c.example"`), "email_format"},
		{"email with a space", record.StreamTraders, with(bareTrader, "email", `"a b@c.example"`), "email_format"},
		{"phone", record.StreamTraders, with(bareTrader, "phone", `"+442071838750"`), ""},
		{"phone without a plus", record.StreamTraders, with(bareTrader, "phone", `"442071838750"`), "phone_format"},
		{"phone with spaces", record.StreamTraders, with(bareTrader, "phone", `"+44 20 7183 8750"`), "phone_format"},
		{"phone with a trunk zero", record.StreamTraders, with(bareTrader, "phone", `"+0442071838750"`), "phone_format"},
		{"phone of sixteen digits", record.StreamTraders, with(bareTrader, "phone", `"+1234567890123456"`), "phone_format"},
		{"paid_at of a pending payout", record.StreamPayouts, with(barePayout, "paid_at", `"2025-03-04T09:00:00Z"`), "paid_at_early"},
		{"paid_at of a paid payout", record.StreamPayouts, with(barePayout, "status", `"paid"`, "paid_at", `"2025-03-04T09:00:00Z"`), ""},
		{"payout currency", record.StreamPayouts, with(barePayout, "currency", `"$"`), "currency_format"},
		{"numeric string in a trade", record.StreamTrades, with(bareTrade, "open_price", `"1.08"`), "numeric_string"},
		{"numeric string in an account", record.StreamAccounts, with(bareAccount, "balance", `"1,000.08"`), ""},
		{"thousands comma in a trade", record.StreamTrades, with(bareTrade, "open_price", `"1,080.5"`), "invalid_number"},
		{"phone as a number", record.StreamTraders, with(bareTrader, "phone", `491701234`), "number_as_text phone_format"},
		{"close price without close time", record.StreamTrades, with(bareTrade, "close_price", `1.09`), "close_incomplete"},
		{"close time without close price", record.StreamTrades, with(bareTrade, "close_time", `"2025-03-04T10:00:00Z"`), "close_incomplete"},
		{"close before open", record.StreamTrades, with(bareTrade, "close_time", `"2025-03-04T08:00:00Z"`, "close_price", `1`), "close_before_open"},
		{"close at open", record.StreamTrades, with(bareTrade, "close_time", `"2025-03-04T09:00:00Z"`, "close_price", `1`), ""},
		{"NUL in a name", record.StreamTraders, with(bareTrader, "first_name", `"A\u0000"`), "invalid_text"},
		{"email too long", record.StreamTraders, with(bareTrader, "email", `"`+strings.Repeat("a", alias.MaxTextBytes)+`@"`), "too_long"},
		{"repeated member", record.StreamTraders, strings.Replace(bareTrader, "{", `{"id":"T-1",`, 1), "duplicate_member"},
		{"unknown member", record.StreamTraders, with(bareTrader, "shoe_size", `{"eu":43}`), ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			page := decode(t, test.stream, test.item)
			if page.Len() != 1 || rules(page) != test.want {
				t.Errorf("%d records, rejected %s, findings %q, want %q", page.Len(), rejections(page), rules(page), test.want)
			}
			for _, f := range page.Findings {
				if f.Count != 1 || len(f.Samples) != 1 || f.Resource != test.stream.Resource() {
					t.Errorf("finding %+v", f)
				}
			}
		})
	}
}

// Ids of a database that is not UTF-8 would all lose the same letters, so that two people became one. Each
// goes to quarantine under a key of its own.
func TestIDsThatLookTheSame(t *testing.T) {
	t.Parallel()
	page := decode(t, record.StreamTraders, bareTrader, with(bareTrader, "id", "\"m\xfcller\""), with(bareTrader, "id", "\"m\xf6ller\""))
	if got := rejections(page); got != "invalid_id /id, invalid_id /id" || len(page.Traders) != 1 {
		t.Fatalf("rejected %s, %d traders", got, len(page.Traders))
	}
	if a, b := page.Rejected[0], page.Rejected[1]; a.Key == b.Key || !utf8.ValidString(a.Raw) {
		t.Errorf("both are kept under %s, as %q and %q", a.Key, a.Raw, b.Raw)
	}
	page = decode(t, record.StreamTrades, with(bareTrade, "account_id", "\"m\xfcller\""))
	if got := rejections(page); got != "invalid_id /account_id" {
		t.Errorf("trade of such an account: rejected %s", got)
	}
}

// A closing time that cannot be read rejects the trade, which would otherwise be
// shown as open.
func TestUnreadableCloseTimes(t *testing.T) {
	t.Parallel()
	for _, at := range []string{`1741082400`, `"2025-03-04 10:00:00"`, `"2025-03-04"`, `"04.03.2025 10:00"`, `"open"`, `"0000-00-01T00:00:00Z"`, `"0000-01-01T00:00:00Z"`, `{"$date":"2025-03-04T10:00:00Z"}`, `[2025,3,4]`, `true`} {
		page := decode(t, record.StreamTrades, with(bareTrade, "close_time", at), with(bareTrade, "id", `"2"`))
		if got := rejections(page); got != "invalid_time /close_time" || len(page.Trades) != 1 {
			t.Errorf("close_time %s: rejected %s, %d trades", at, got, len(page.Trades))
		}
	}
}

// A number that cannot be stored rejects the record even in an optional field.
func TestNumbersOutOfRange(t *testing.T) {
	t.Parallel()
	page := decode(t, record.StreamTrades, with(bareTrade, "profit", "1e200000"), with(bareTrade, "swap", `"1e-200000"`), bareTrade)
	if got := rejections(page); got != "number_out_of_range /profit, number_out_of_range /swap" || len(page.Trades) != 1 {
		t.Errorf("rejected %s", got)
	}
	page = decode(t, record.StreamTraders, with(bareTrader, "metadata", `{"a":[1e200000]}`))
	if got := rejections(page); got != "number_out_of_range /metadata" {
		t.Errorf("rejected %s", got)
	}
}
