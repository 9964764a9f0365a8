package partnerplatform_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors"
	"github.com/assayhq/assay/connectors/record"
)

// contractField is a field of the contract's tables with its names in their order.
type contractField struct {
	stream  record.Stream
	names   string
	value   string // JSON that the field may have
	another string // JSON of another value
	read    func(*connectors.Page) string
	want    [2]string // what is read of value and of another
	missing string    // what is read when the field is absent; "rejected" when the record is
}

func trader(read func(record.Trader) any) func(*connectors.Page) string {
	return func(p *connectors.Page) string { return only(p, p.Traders, read) }
}

func account(read func(record.Account) any) func(*connectors.Page) string {
	return func(p *connectors.Page) string { return only(p, p.Accounts, read) }
}

func trade(read func(record.Trade) any) func(*connectors.Page) string {
	return func(p *connectors.Page) string { return only(p, p.Trades, read) }
}

func payout(read func(record.Payout) any) func(*connectors.Page) string {
	return func(p *connectors.Page) string { return only(p, p.Payouts, read) }
}

// only returns what is read from a page's only record.
func only[T any](p *connectors.Page, records []T, read func(T) any) string {
	if len(records) != 1 {
		return strings.TrimSpace("rejected " + rejections(p))
	}
	switch v := read(records[0]).(type) {
	case time.Time:
		if v.IsZero() {
			return ""
		}
		return v.Format(time.RFC3339Nano)
	default:
		return fmt.Sprint(v)
	}
}

// contractFields lists the contract's tables once more (platform contract,
// Third-party platform records).
func contractFields() []contractField {
	const (
		ten, eleven = `"2025-03-04T10:00:00Z"`, `"2025-03-04T11:00:00Z"`
		early, late = "2025-03-04T10:00:00Z", "2025-03-04T11:00:00Z"
	)
	words := [2]string{"one", "two"}
	times := [2]string{early, late}
	numbers := [2]string{"1.5", "2.5"}
	customers, accounts := record.StreamTraders, record.StreamAccounts
	open, closed, payouts := record.StreamTradesOpen, record.StreamTradesClosed, record.StreamPayouts
	all := []contractField{
		{customers, "customerId customer_id id", `"one"`, `"two"`, trader(func(r record.Trader) any { return r.ID }), words, "rejected required_missing /customerId"},
		{
			customers, "email emailAddress email_address user.email customer.email contact.email billing.email profile.email",
			`"one"`, `"two"`, trader(func(r record.Trader) any { return r.Email }), words, "",
		},
		{customers, "firstName first_name", `"one"`, `"two"`, trader(func(r record.Trader) any { return r.FirstName }), words, ""},
		{customers, "lastName last_name", `"one"`, `"two"`, trader(func(r record.Trader) any { return r.LastName }), words, ""},
		{customers, "country countryCode country_code", `"United Kingdom"`, `"de"`, trader(func(r record.Trader) any { return r.Country }), [2]string{"United Kingdom", "de"}, ""},
		{customers, "phone phoneNumber phone_number", `"one"`, `"two"`, trader(func(r record.Trader) any { return r.Phone }), words, ""},
		{customers, "kycStatus kyc_status", `"Approved"`, `"two"`, trader(func(r record.Trader) any { return r.KYCStatus }), [2]string{"Approved", "two"}, ""},
		{customers, "createdAt created_at registeredAt", ten, eleven, trader(func(r record.Trader) any { return r.RegisteredAt }), times, ""},
		{customers, "updatedAt updated_at", ten, eleven, trader(func(r record.Trader) any { return r.UpdatedAt }), times, ""},
		{customers, "customerNr", `17`, `"18"`, trader(func(r record.Trader) any { return r.Metadata }), [2]string{`{"customer_nr":17}`, `{"customer_nr":"18"}`}, ""},
		{
			customers, "lastLoginIp lastIp last_ip ip", `"192.0.2.1"`, `"2001:db8::1"`, trader(func(r record.Trader) any { return r.Metadata }),
			[2]string{`{"last_login_ip":"192.0.2.1"}`, `{"last_login_ip":"2001:db8::1"}`},
			"",
		},

		{accounts, "accountNr account_nr login accountId id", `"one"`, `"two"`, account(func(r record.Account) any { return r.ID }), words, "rejected required_missing /accountNr"},
		{accounts, "customer.customerId customerId customer_id", `"one"`, `"two"`, account(func(r record.Account) any { return r.TraderID }), words, ""},
		{accounts, "login", `"one"`, `"two"`, account(func(r record.Account) any { return r.Login }), words, "A-1"},
		{accounts, "platform", `"MT5"`, `"cTrader"`, account(func(r record.Account) any { return r.Platform }), [2]string{"mt5", "ctrader"}, ""},
		{accounts, "plan plan_name planCategoryName plan_category_name", `"One"`, `"Two"`, account(func(r record.Account) any { return r.Program }), [2]string{"One", "Two"}, ""},
		{accounts, "phase", `"Phase 1"`, `"ÉTAPE Ⅱ"`, account(func(r record.Account) any { return r.Phase }), [2]string{"phase 1", "étape ⅱ"}, ""},
		{accounts, "status", `"Pending  Review"`, `"ACTIVE"`, account(func(r record.Account) any { return r.Status }), [2]string{"pending  review", "active"}, ""},
		{accounts, "currency", `"USD"`, `"EUR"`, account(func(r record.Account) any { return r.Currency }), [2]string{"USD", "EUR"}, ""},
		{accounts, "initialBalance initial_balance accountSize account_size", `1.50`, `"100,000.00"`, account(func(r record.Account) any { return r.InitialBalance }), [2]string{"1.5", "100000"}, ""},
		{accounts, "currentBalance current_balance balance", `1.50`, `"-2.5"`, account(func(r record.Account) any { return r.Balance }), [2]string{"1.5", "-2.5"}, ""},
		{accounts, "currentEquity current_equity equity", `1.50`, `"2.5"`, account(func(r record.Account) any { return r.Equity }), numbers, ""},
		{accounts, "createdAt created_at startedAt", ten, eleven, account(func(r record.Account) any { return r.StartedAt }), times, ""},
		{accounts, "updatedAt updated_at", ten, eleven, account(func(r record.Account) any { return r.UpdatedAt }), times, ""},
		{accounts, "accountId account_id", `"one"`, `2`, account(func(r record.Account) any { return r.PartnerID }), [2]string{"one", "2"}, ""},
		{
			accounts, "accountId account_id", `"one"`, `2`, account(func(r record.Account) any { return r.Metadata }),
			[2]string{`{"partner_account_id":"one"}`, `{"partner_account_id":2}`},
			"",
		},
		{
			accounts, "planCategoryName plan_category_name", `"one"`, `"two"`, account(func(r record.Account) any { return r.Metadata }),
			[2]string{`{"plan_category_name":"one"}`, `{"plan_category_name":"two"}`},
			"",
		},
		{accounts, "fundedAt funded_at", `"one"`, `"two"`, account(func(r record.Account) any { return r.Metadata }), [2]string{`{"funded_at":"one"}`, `{"funded_at":"two"}`}, ""},
		{accounts, "breachedAt breached_at", `"one"`, `"two"`, account(func(r record.Account) any { return r.Metadata }), [2]string{`{"breached_at":"one"}`, `{"breached_at":"two"}`}, ""},

		{payouts, "payoutId payout_id payoutNr id", `"one"`, `"two"`, payout(func(r record.Payout) any { return r.ID }), words, "rejected required_missing /payoutId"},
		{payouts, "customer.customerId customerId customer_id", `"one"`, `"two"`, payout(func(r record.Payout) any { return r.TraderID }), words, ""},
		{
			payouts, "account.accountNr accountNr account_nr accountId account_id account",
			`"one"`, `"two"`, payout(func(r record.Payout) any { return r.AccountID }), words, "",
		},
		{payouts, "shareAmount finalAmount final_amount requestAmount amount", `1.50`, `2.5`, payout(func(r record.Payout) any { return r.Amount }), numbers, ""},
		{payouts, "currency", `"USD"`, `"EUR"`, payout(func(r record.Payout) any { return r.Currency }), [2]string{"USD", "EUR"}, ""},
		{payouts, "status", `"Paid Out"`, `"pending"`, payout(func(r record.Payout) any { return r.Status }), [2]string{"paid out", "pending"}, ""},
		{payouts, "requestedAt requested_at createdAt created_at", ten, eleven, payout(func(r record.Payout) any { return r.RequestedAt }), times, ""},
		{payouts, "approvedAt approved_at paidAt paid_at", ten, eleven, payout(func(r record.Payout) any { return r.PaidAt }), times, ""},
		{payouts, "profitSplit", `80`, `"90"`, payout(func(r record.Payout) any { return r.Metadata }), [2]string{`{"profit_split":80}`, `{"profit_split":"90"}`}, ""},
		{payouts, "requestAmount", `80`, `"90"`, payout(func(r record.Payout) any { return r.Metadata }), [2]string{`{"request_amount":80}`, `{"request_amount":"90"}`}, ""},
	}
	for _, stream := range []record.Stream{open, closed} {
		all = append(all, []contractField{
			{stream, "ticket id tradeId trade_id", `"one"`, `2`, trade(func(r record.Trade) any { return r.ID }), [2]string{"one", "2"}, "rejected required_missing /ticket"},
			{
				stream, "accountNr account_nr account.accountNr accountId account_id account propAccountId",
				`"one"`, `"two"`, trade(func(r record.Trade) any { return r.AccountID }), words, "rejected required_missing /accountNr",
			},
			{stream, "symbol instrument", `"one"`, `"two"`, trade(func(r record.Trade) any { return r.Symbol }), words, "UNKNOWN"},
			{stream, "side direction type", `"sell"`, `"buy"`, trade(func(r record.Trade) any { return r.Side }), [2]string{"sell", "buy"}, "buy"},
			{stream, "lots lot", `1.50`, `2.5`, trade(func(r record.Trade) any { return r.Volume }), numbers, ""},
			{stream, "volume quantity", `1.50`, `2.5`, trade(func(r record.Trade) any { return r.Volume }), numbers, ""},
			{stream, "openDate openTime open_time openedAt", ten, eleven, trade(func(r record.Trade) any { return r.OpenTime }), times, ""},
			{stream, "openPrice open_price", `1.50`, `2.5`, trade(func(r record.Trade) any { return r.OpenPrice }), numbers, ""},
			{stream, "stopLossPrice sl stopLoss stop_loss", `1.50`, `2.5`, trade(func(r record.Trade) any { return r.StopLoss }), numbers, ""},
			{stream, "takeProfitPrice tp takeProfit take_profit", `1.50`, `2.5`, trade(func(r record.Trade) any { return r.TakeProfit }), numbers, ""},
			{stream, "commission", `1.50`, `2.5`, trade(func(r record.Trade) any { return r.Commission }), numbers, ""},
			{stream, "swap", `1.50`, `2.5`, trade(func(r record.Trade) any { return r.Swap }), numbers, ""},
			{stream, "pnl profit netProfit", `1.50`, `2.5`, trade(func(r record.Trade) any { return r.Profit }), numbers, ""},
		}...)
	}
	return append(all,
		contractField{closed, "closeDate closeTime close_time closedAt", ten, eleven, trade(func(r record.Trade) any { return r.CloseTime }), times, "rejected close_time_missing /closeDate"},
		contractField{closed, "closePrice close_price", `1.50`, `2.5`, trade(func(r record.Trade) any { return r.ClosePrice }), numbers, ""},
		contractField{open, "closeDate closeTime close_time closedAt", ten, eleven, trade(func(r record.Trade) any { return r.CloseTime }), [2]string{}, ""},
		contractField{open, "closePrice close_price", `1.50`, `2.5`, trade(func(r record.Trade) any { return r.ClosePrice }), [2]string{}, ""},
	)
}

// within reports whether one path leads through the other, so that an object cannot
// have both.
func within(a, b string) bool {
	return strings.HasPrefix(a, b+".") || strings.HasPrefix(b, a+".")
}

// Each name is read for its field, the earlier of two wins, and one that is null,
// empty, an object or a list is passed over.
func TestAliases(t *testing.T) {
	t.Parallel()
	for _, f := range contractFields() {
		names := strings.Fields(f.names)
		t.Run(string(f.stream)+" "+names[0], func(t *testing.T) {
			t.Parallel()
			base := bare(f.stream)
			for _, name := range names {
				base = with(base, name, "-")
			}
			read := func(o string) string { return f.read(decode(t, f.stream, o)) }
			check := func(what, got, want string) {
				t.Helper()
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s (-want +got)\n%s", what, diff)
				}
			}
			check("missing", read(base), f.missing)
			for i, name := range names {
				check(name, read(with(base, name, f.value)), f.want[0])
				check(name+", other value", read(with(base, name, f.another)), f.want[1])
				for _, later := range names[i+1:] {
					if within(name, later) {
						continue
					}
					check(name+" beside "+later, read(with(base, name, f.value, later, f.another)), f.want[0])
					for _, absent := range []string{"null", `""`, `" "`, "{}", "[]", "true"} {
						check(name+" is "+absent+" beside "+later, read(with(base, name, absent, later, f.another)), f.want[1])
					}
				}
			}
		})
	}
}
