package partnerplatform_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors/record"
)

// A record as such a platform sends it, with every field under the contract's own name.
const (
	fullCustomer = `{"customerId":900719925474099312345,"email":" Ada@Example.com ","firstName":"Ada","lastName":"King","country":"United Kingdom",
		"phone":"+441234","kycStatus":"Approved","createdAt":"2025-03-04 08:00:00","updatedAt":"2025-03-04T11:00:00+01:00","customerNr":1007,
		"lastLoginIp":"192.0.2.7","address":{"city":"London"}}`
	fullAccount = `{"accountNr":500123,"customer":{"customerId":17,"name":"Ada"},"login":"L-9","platform":"MatchTrader","plan":"100k Two Step",
		"phase":"Phase 2","status":"Pending Review","currency":"USD","initialBalance":"100,000.00","currentBalance":"101234.50","currentEquity":99000,
		"createdAt":1741075200,"updatedAt":1741082400000,"accountId":"9f3c","planCategoryName":"Two Step","fundedAt":"2025-03-01","breachedAt":null}`
	fullTrade = `{"ticket":77,"account":{"accountNr":"500123"},"symbol":"EURUSD.z","side":"Sell","lots":0.10,"openDate":"2025-03-04 09:00:00.5",
		"closeDate":"2025-03-04T10:00:00Z","openPrice":1.0812,"closePrice":1.0830,"stopLossPrice":1.07,"takeProfitPrice":1.09,
		"commission":-3.50,"swap":0,"pnl":-18.0}`
	fullPayout = `{"payoutId":"P-1","customer":{"customerId":"17"},"account":{"accountNr":500123},"shareAmount":1250.75,"finalAmount":1,"currency":"EUR",
		"status":"PAID","requestedAt":"2025-03-04T08:00:00Z","approvedAt":"2025-03-04T09:00:00Z","profitSplit":"80%","requestAmount":1563.44}`
)

func TestRecordsInFull(t *testing.T) {
	t.Parallel()
	closed := record.Trade{
		ID: "77", AccountID: "500123", Symbol: "EURUSD.z", Side: record.Sell, OpenTime: at(9, 0, 0).Add(500 * time.Millisecond), Volume: "0.1",
		CloseTime: at(10, 0, 0), OpenPrice: "1.0812", ClosePrice: "1.083", StopLoss: "1.07", TakeProfit: "1.09", Commission: "-3.5", Swap: "0", Profit: "-18",
	}
	open := closed
	open.CloseTime, open.ClosePrice = time.Time{}, ""
	tests := []struct {
		name   string
		stream record.Stream
		item   string
		want   record.Batch
	}{
		{"customer", record.StreamTraders, fullCustomer, record.Batch{Traders: []record.Trader{{
			ID: "900719925474099312345", UpdatedAt: at(10, 0, 0), Email: "Ada@Example.com", FirstName: "Ada", LastName: "King", Country: "United Kingdom",
			Phone: "+441234", RegisteredAt: at(8, 0, 0), KYCStatus: "Approved", Metadata: `{"customer_nr":1007,"last_login_ip":"192.0.2.7"}`,
		}}}},
		{"bare customer", record.StreamTraders, bareCustomer, record.Batch{Traders: []record.Trader{{ID: "C-1"}}}},
		{"account", record.StreamAccounts, fullAccount, record.Batch{Accounts: []record.Account{{
			ID: "500123", TraderID: "17", UpdatedAt: at(10, 0, 0), Platform: "matchtrader", Login: "L-9", Program: "100k Two Step", Phase: "phase 2",
			Status: "pending review", Currency: "USD", InitialBalance: "100000", Balance: "101234.5", Equity: "99000", StartedAt: at(8, 0, 0),
			PartnerID: "9f3c", Metadata: `{"partner_account_id":"9f3c","plan_category_name":"Two Step","funded_at":"2025-03-01"}`,
		}}}},
		{"bare account", record.StreamAccounts, bareAccount, record.Batch{Accounts: []record.Account{{ID: "A-1", Login: "A-1"}}}},
		{"closed trade", record.StreamTradesClosed, fullTrade, record.Batch{Trades: []record.Trade{closed}}},
		{"open trade", record.StreamTradesOpen, fullTrade, record.Batch{Trades: []record.Trade{open}}},
		{"payout", record.StreamPayouts, fullPayout, record.Batch{Payouts: []record.Payout{{
			ID: "P-1", TraderID: "17", AccountID: "500123", Status: "paid", Amount: "1250.75", Currency: "EUR", RequestedAt: at(8, 0, 0), PaidAt: at(9, 0, 0),
			Metadata: `{"profit_split":"80%","request_amount":1563.44}`,
		}}}},
		{"bare payout", record.StreamPayouts, barePayout, record.Batch{Payouts: []record.Payout{{ID: "P-1"}}}},
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

func TestSide(t *testing.T) {
	t.Parallel()
	const assumed = "buy side_assumed"
	tests := []struct{ name, sent, want string }{
		{"sell", `"sell"`, "sell"},
		{"short", `"short"`, "sell"},
		{"one", `1`, "sell"},
		{"one as a string", `"1"`, "sell"},
		{"one as a float", `1.0`, "sell"},
		{"letter case", `"SELL"`, "sell"},
		{"mixed case, spaces", `" Short "`, "sell"},
		{"buy", `"Buy"`, "buy"},
		{"long", `"LONG"`, "buy"},
		{"zero", `0`, "buy"},
		{"zero as a string", `"0"`, "buy"},
		{"zero as a float", `0.00`, "buy"},
		{"order type", `"sell limit"`, assumed},
		{"other number", `2`, assumed},
		{"near one", `1.5`, assumed},
		{"other word", `"balance"`, assumed},
		{"null", `null`, assumed},
		{"empty", `""`, assumed},
		{"boolean", `true`, "buy wrong_type side_assumed"},
		{"object", `{}`, "buy wrong_type side_assumed"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			page := decode(t, record.StreamTradesClosed, with(bareClosed, "side", test.sent))
			if got := strings.TrimSpace(string(page.Trades[0].Side) + " " + rules(page)); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestLots(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		members []string
		want    record.Decimal
	}{
		{"lots", []string{"lots", `250`, "volume", `1`}, "250"},
		{"lots are zero", []string{"lots", `0`, "volume", `1`}, "0"},
		{"lots are null", []string{"lots", `null`, "lot", `null`, "volume", `1`}, "1"},
		{"lots cannot be read", []string{"lots", `"n/a"`, "volume", `1`}, "1"},
		{"volume", []string{"volume", `0.01`, "quantity", `2`}, "0.01"},
		{"volume of a hundred", []string{"volume", `100`}, "100"},
		{"volume of a hundred, written out", []string{"volume", `1.00E2`}, "100"},
		{"volume beyond a hundred", []string{"volume", `100.01`}, ""},
		{"volume in units, quantity in lots", []string{"volume", `100000`, "quantity", `1`}, "1"},
		{"volume is zero", []string{"volume", `0.0`, "quantity", `3`}, "3"},
		{"volume is negative", []string{"volume", `-1`}, ""},
		{"quantity", []string{"quantity", `99.99`}, "99.99"},
		{"quantity in units", []string{"quantity", `1000`}, ""},
		{"none", nil, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			page := decode(t, record.StreamTradesOpen, with(bareOpen, test.members...))
			if got := page.Trades[0].Volume; got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// An account may be named in many ways; some of them stand for the partner's second id.
func TestAccountOfTrades(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name      string
		members   []string
		trade     string // account id, with * if it is the partner's id
		payout    string
		rejection string // of the trade
	}{
		{"number", []string{"accountNr", `12`}, "12", "12", ""},
		{"number in snake case", []string{"account_nr", `"12"`}, "12", "12", ""},
		{"number in an object", []string{"account.accountNr", `12`, "account.id", `5`}, "12", "12", ""},
		{"partner's id", []string{"accountId", `"x"`}, "x*", "x*", ""},
		{"partner's id in snake case", []string{"account_id", `7`}, "7*", "7*", ""},
		{"account as a string", []string{"account", `"12"`}, "12", "12", ""},
		{"account as a number", []string{"account", `12`}, "12", "12", ""},
		{"account as null", []string{"account", `null`, "accountId", `"x"`}, "x*", "x*", ""},
		{"account as an object without number", []string{"account.id", `5`, "accountId", `"x"`}, "x*", "x*", ""},
		{"account as an object, prop account", []string{"account.id", `5`, "propAccountId", `"x"`}, "x*", "", ""},
		{"number before partner's id", []string{"accountNr", `12`, "accountId", `"x"`}, "12", "12", ""},
		{"long number", []string{"accountNr", `12345678901234567890123`}, "12345678901234567890123", "12345678901234567890123", ""},
		{"prop account", []string{"propAccountId", `"x"`}, "x*", "", ""},
		{"account as an empty object", []string{"account", `{}`}, "", "", "wrong_type /account"},
		{"number as an object", []string{"accountNr", `{"id":1}`}, "", "", "wrong_type /accountNr"},
		{"number as a boolean", []string{"accountNr", `true`}, "", "", "wrong_type /accountNr"},
		{"nothing", nil, "", "", "required_missing /accountNr"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			page := decode(t, record.StreamTradesClosed, with(with(bareClosed, "accountNr", "-"), test.members...))
			if got := rejections(page); got != test.rejection {
				t.Errorf("rejected %q, want %q", got, test.rejection)
			}
			shown := func(id string, byPartnerID bool) string {
				if byPartnerID {
					return id + "*"
				}
				return id
			}
			if test.rejection == "" {
				if got := shown(page.Trades[0].AccountID, page.Trades[0].AccountName != ""); got != test.trade {
					t.Errorf("trade of %q, want %q", got, test.trade)
				}
			}
			p := decode(t, record.StreamPayouts, with(barePayout, test.members...)).Payouts[0]
			if got := shown(p.AccountID, p.AccountName != ""); got != test.payout {
				t.Errorf("payout of %q, want %q", got, test.payout)
			}
		})
	}
}

func TestTimes(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		sent string
		want time.Time
	}{
		{"RFC 3339", `"2025-03-04T11:00:00+01:00"`, at(10, 0, 0)},
		{"space separated", `"2025-03-04 10:00:00"`, at(10, 0, 0)},
		{"seconds", `1741082400`, at(10, 0, 0)},
		{"seconds as a string", `"1741082400"`, at(10, 0, 0)},
		{"milliseconds", `1741082400000`, at(10, 0, 0)},
		{"German date", `"04.03.2025 10:00"`, time.Time{}},
		{"American date", `"03/04/2025 10:00:00 AM"`, time.Time{}},
		{"date alone", `"2025-03-04"`, time.Time{}},
		{"no offset", `"2025-03-04T10:00:00"`, time.Time{}},
		{"zero", `0`, time.Time{}},
		{"first year", `"0001-01-01T00:00:00Z"`, time.Time{}},
		{"Unix time 0 as text", `"1970-01-01 00:00:00"`, time.Time{}},
		{"Unix time 0 in RFC 3339", `"1970-01-01T00:00:00Z"`, time.Time{}},
		{"null", `null`, time.Time{}},
		{"boolean", `false`, time.Time{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			open := decode(t, record.StreamTradesOpen, with(bareOpen, "openDate", test.sent))
			if got := open.Trades[0].OpenTime; !got.Equal(test.want) {
				t.Errorf("opened %v, want %v", got, test.want)
			}
			if got := strings.Contains(rules(open), "open_time_missing"); got != test.want.IsZero() {
				t.Errorf("findings %q", rules(open))
			}
			// Without a close time, a closed trade would look open.
			closed, want := decode(t, record.StreamTradesClosed, with(bareClosed, "closeDate", "-", "closeTime", test.sent)), ""
			switch {
			case test.want.IsZero() && test.sent == "null":
				want = "close_time_missing /closeDate"
			case test.want.IsZero():
				want = "close_time_missing /closeTime"
			}
			if got := rejections(closed); got != want {
				t.Errorf("rejected %q, want %q", got, want)
			}
			// The list of open trades may contain close times, in any form, and
			// they are ignored.
			ignored := decode(t, record.StreamTradesOpen, with(bareOpen, "closeDate", test.sent, "closePrice", `"x"`))
			if !ignored.Trades[0].Open() || ignored.Trades[0].ClosePrice != "" || rules(ignored) != "" {
				t.Errorf("open trade %+v, findings %q", ignored.Trades[0], rules(ignored))
			}
		})
	}
}

func TestFindings(t *testing.T) {
	t.Parallel()
	customers, accounts := record.StreamTraders, record.StreamAccounts
	open, closed, payouts := record.StreamTradesOpen, record.StreamTradesClosed, record.StreamPayouts
	tests := []struct {
		name    string
		stream  record.Stream
		members []string
		want    string
	}{
		{"no symbol", open, []string{"symbol", `""`}, "symbol_missing"},
		{"symbol is an object", open, []string{"symbol", `{"name":"X"}`}, "wrong_type symbol_missing"},
		{"no open time", closed, []string{"openDate", "-"}, "open_time_missing"},
		{"close before open", closed, []string{"closeDate", `"2025-03-04 08:59:59"`}, "close_before_open"},
		{"close at open", closed, []string{"closeDate", `"2025-03-04 09:00:00"`}, ""},
		{"no open time to close before", closed, []string{"openDate", "-", "closeDate", `1`}, "open_time_missing"},
		{"numeric string in a trade", closed, []string{"openPrice", `"1.08"`}, "numeric_string"},
		{"numeric string in an account", accounts, []string{"balance", `"-1,000.08"`}, ""},
		{"comma for a point", accounts, []string{"balance", `"1000,08"`}, "invalid_number"},
		{"phone as a number", customers, []string{"phone", `491701234`}, "number_as_text"},
		{"customer as a number", accounts, []string{"customer", `5`}, ""},
		{"email too long", customers, []string{"email", `"` + strings.Repeat("a", 320) + `@"`}, "too_long"},
		{"status as a number", payouts, []string{"status", `1`}, "number_as_text"},
		{"account id as a float", accounts, []string{"accountId", `5.0`}, "id_as_float"},
		{"unreadable update time", customers, []string{"updatedAt", `"today"`}, "invalid_time"},
		{"NUL in a name", customers, []string{"firstName", `"A\u0000"`}, "invalid_text"},
		{"unknown member", customers, []string{"shoeSize.eu", `43`}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			page := decode(t, test.stream, with(bare(test.stream), test.members...))
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

// A fault in one record costs no other record, and its pointer leads to it.
func TestRejectedKeys(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		stream record.Stream
		item   string
		key    string // "raw" means a hash of the text
		rule   string
	}{
		{"customer without id", record.StreamTraders, `{"email":"a@example.com"}`, "raw", "required_missing"},
		{"customer with a rounded id", record.StreamTraders, `{"customerId":1.5e10}`, "raw", "invalid_id"},
		{"account without number", record.StreamAccounts, `{"platform":"mt5"}`, "raw", "required_missing"},
		{"account with an endless number", record.StreamAccounts, `{"accountNr":1,"balance":1e99999}`, "1", "number_out_of_range"},
		{"trade without ticket", record.StreamTradesOpen, with(bareOpen, "ticket", "-"), "raw", "required_missing"},
		{"trade without account", record.StreamTradesOpen, with(bareOpen, "accountNr", "-"), "raw", "required_missing"},
		{"trade with a close that stands for none", record.StreamTradesClosed, with(bareClosed, "closeDate", `"9999-12-31 23:59:59"`), record.TradeKey("A-1", "1"), "close_time_missing"},
		{"trade without close", record.StreamTradesClosed, bareOpen, record.TradeKey("A-1", "1"), "close_time_missing"},
		{"trade with an endless number", record.StreamTradesOpen, with(bareOpen, "pnl", `1e99999`), record.TradeKey("A-1", "1"), "number_out_of_range"},
		{"payout without id", record.StreamPayouts, `{"status":"paid"}`, "raw", "required_missing"},
		{"number", record.StreamPayouts, `5`, "raw", "not_an_object"},
		{"null", record.StreamTradesOpen, `null`, "raw", "not_an_object"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			page := decode(t, test.stream, bare(test.stream), test.item)
			if page.Len() != 1 || len(page.Rejected) != 1 || page.Seen != 2 {
				t.Fatalf("page %+v", page)
			}
			want := test.key
			if want == "raw" {
				want = record.RawKey(test.item)
			}
			if r := page.Rejected[0]; r.Key != want || r.Rule != test.rule || r.Raw != test.item || r.Detail == "" {
				t.Errorf("rejected %+v, want key %q and rule %s", r, want, test.rule)
			}
		})
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
		{record.StreamTraders, `{"customerId":17,"customerNr":1e99999}`, record.Owner{TraderID: "17"}},
		{record.StreamAccounts, `{"accountNr":1,"customer":{"customerId":17},"balance":1e99999}`, record.Owner{TraderID: "17", AccountID: "1"}},
		{record.StreamTradesOpen, with(bareOpen, "ticket", "-"), record.Owner{AccountID: "A-1"}},
		{record.StreamTradesClosed, bareOpen, record.Owner{AccountID: "A-1"}},
		{record.StreamPayouts, `{"customerId":17,"accountId":"9f3c"}`, record.Owner{TraderID: "17", AccountID: "9f3c"}},
	}
	for _, test := range tests {
		page := decode(t, test.stream, test.item)
		if len(page.Rejected) != 1 || page.Rejected[0].Owner != test.want {
			t.Errorf("%s: rejected %+v, want one of %+v", test.item, page.Rejected, test.want)
		}
	}
}

// Ids are as in the text: they do not go through a float.
func TestLongNumbers(t *testing.T) {
	t.Parallel()
	id := json.Number("98765432109876543210987654321")
	page := decode(t, record.StreamAccounts, fmt.Sprintf(`{"accountNr":%s}`, id), fmt.Sprintf(`{"accountNr":"%s","login":%s}`, id, id))
	for _, a := range page.Accounts {
		if a.ID != id.String() || a.Login != id.String() {
			t.Errorf("account %q with login %q", a.ID, a.Login)
		}
	}
}
