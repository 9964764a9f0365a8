package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/simulator/partner"
	"github.com/assayhq/assay/internal/simulator/wire"
)

// directory is everything that the API returns about the traders of an integration: objects as in
// the responses, by the platform's ids. Accounts and payouts have the additional member "trader",
// the id of the trader to which they belong. Trades have it, too, and "account". The API's own
// ids and times are left out.
type directory struct {
	Traders, Accounts, Trades, Payouts map[string]map[string]any
}

func newDirectory() directory {
	return directory{map[string]map[string]any{}, map[string]map[string]any{}, map[string]map[string]any{}, map[string]map[string]any{}}
}

// readDirectory reads all traders page by page, the details of each, and their trades page by page.
func (d *partnerCustomer) readDirectory(t *testing.T) directory {
	t.Helper()
	all := newDirectory()
	for _, listed := range d.readPages(t, "/v1/traders?source=partner_platform", 7) {
		path := "/v1/traders/" + listed["id"].(string)
		detail := d.getObject(t, path)
		for member, value := range listed {
			if fmt.Sprint(detail[member]) != fmt.Sprint(value) {
				t.Errorf("%s of a trader is %v in the list and %v in detail", member, value, detail[member])
			}
		}
		external := detail["external_id"].(string)
		accounts := make(map[any]string)
		for _, account := range objects(detail["accounts"]) {
			accounts[account["id"]] = account["external_id"].(string)
			keep(t, all.Accounts, account["external_id"].(string), external, account, "id")
		}
		for _, payout := range objects(detail["payouts"]) {
			keep(t, all.Payouts, payout["external_id"].(string), external, payout, "id")
		}
		for _, trade := range d.readPages(t, path+"/trades", 20) {
			account := accounts[trade["account_id"]]
			trade["account"] = account
			keep(t, all.Trades, account+"/"+trade["id"].(string), external, trade, "account_id")
		}
		keep(t, all.Traders, external, external, detail, "id", "created_at", "updated_at", "accounts", "payouts")
	}
	return all
}

// keep adds an object of the trader to a list, without the API's own members and in a comparable
// form.
func keep(t *testing.T, list map[string]map[string]any, key, trader string, object map[string]any, own ...string) {
	t.Helper()
	if list[key] != nil {
		t.Errorf("%s is told twice", key)
	}
	for _, member := range own {
		delete(object, member)
	}
	object["trader"] = trader
	if metadata, ok := object["metadata"].(map[string]any); ok {
		for name, value := range metadata {
			metadata[name] = plain(t, name, value)
		}
	}
	list[key] = object
}

// plain converts a value of metadata, which is stored unchanged, to the form of the simulator's
// truth.
func plain(t *testing.T, name string, value any) any {
	t.Helper()
	text := fmt.Sprint(value)
	switch name {
	case "funded_at", "breached_at":
		for _, layout := range []string{time.RFC3339, time.DateTime} {
			if at, err := time.Parse(layout, text); err == nil {
				return instant(at)
			}
		}
		n, err := strconv.ParseInt(text, 10, 64)
		check(t, err)
		if n > 1e11 { // milliseconds since 1973
			return instant(time.UnixMilli(n))
		}
		return instant(time.Unix(n, 0))
	case "profit_split", "request_amount":
		return canonical(text)
	}
	return text
}

func canonical(digits string) json.Number {
	d, err := record.ParseDecimal(digits)
	if err != nil {
		panic(err)
	}
	return json.Number(d)
}

// The forms in which the API must return the truth: null for unknown values.

func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func plainNumber(d wire.Decimal) any {
	if d.IsNull() {
		return nil
	}
	return canonical(d.String())
}

func instant(at time.Time) any {
	if at.IsZero() {
		return nil
	}
	return at.UTC().Format(time.RFC3339Nano)
}

// metadata returns an object of the known values, or null if there are none.
func metadata(pairs ...any) any {
	object := make(map[string]any)
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != nil {
			object[pairs[i].(string)] = pairs[i+1]
		}
	}
	if len(object) == 0 {
		return nil
	}
	return object
}

// expectDirectory returns what the API must return for a partner platform's records and
// additional trades.
func (d *partnerCustomer) expectDirectory(more ...partner.Trade) directory {
	all, sums, currencies, owners := newDirectory(), make(map[string]*sum), make(map[string]string), make(map[string]string)
	for c := range d.partner.AllCustomers() {
		all.Traders[c.CustomerID] = map[string]any{
			"trader": c.CustomerID, "source": "partner_platform", "integration_id": d.id, "external_id": c.CustomerID,
			"full_name": text(strings.TrimSpace(c.FirstName + " " + c.LastName)), "first_name": text(c.FirstName), "last_name": text(c.LastName),
			"email": text(c.Email), "country": text(c.Country), "phone": text(c.Phone), "kyc_status": text(c.KYCStatus), "status": "active",
			"tags": []any{}, "registered_at": instant(c.CreatedAt), "platform_updated_at": instant(c.UpdatedAt), "missing_since": nil, "erased_at": nil, "overrides": []any{}, "platform": nil,
			"metadata": metadata("customer_nr", text(c.CustomerNr), "last_login_ip", text(c.LastLoginIP)), "unrecognized": nil, "notes": []any{}, "interviews": []any{},
		}
		sums[c.CustomerID] = &sum{profit: make(map[string]*big.Rat), paid: make(map[string]*big.Rat)}
	}
	for a := range d.partner.AllAccounts() {
		all.Accounts[a.AccountNr] = accountTruth(a)
		currencies[a.AccountNr], owners[a.AccountNr] = a.Currency, a.CustomerID
		sums[a.CustomerID].accounts++
	}
	for r := range d.partner.AllTrades() {
		more = append(more, r)
	}
	for _, r := range more {
		all.Trades[r.AccountNr+"/"+r.Ticket] = tradeTruth(r, owners[r.AccountNr])
		sums[owners[r.AccountNr]].addTrade(r, currencies[r.AccountNr])
	}
	for o := range d.partner.AllPayouts() {
		all.Payouts[o.PayoutID] = payoutTruth(o)
		if o.Status == "paid" {
			addDecimal(sums[o.CustomerID].paid, o.Currency, o.ShareAmount)
		}
	}
	for id, s := range sums {
		all.Traders[id]["stats"] = s.stats()
	}
	return all
}

func accountTruth(a partner.Account) map[string]any {
	return map[string]any{
		"trader": a.CustomerID, "external_id": a.AccountNr, "platform": text(a.Platform), "login": text(a.Login), "program": text(a.Plan),
		"phase": text(a.Phase), "status": text(a.Status), "currency": text(a.Currency),
		"initial_balance": plainNumber(a.InitialBalance), "balance": plainNumber(a.CurrentBalance), "equity": plainNumber(a.CurrentEquity),
		"started_at": instant(a.CreatedAt), "platform_updated_at": instant(a.UpdatedAt),
		"metadata": metadata("partner_account_id", text(a.AccountID), "plan_category_name", text(a.PlanCategoryName),
			"funded_at", instant(a.FundedAt), "breached_at", instant(a.BreachedAt)),
		"unrecognized": nil, "missing_since": nil,
	}
}

func tradeTruth(r partner.Trade, owner string) map[string]any {
	return map[string]any{
		"trader": owner, "account": r.AccountNr, "id": r.Ticket, "account_external_id": r.AccountNr, "symbol": cmp.Or(r.Symbol, "UNKNOWN"), "side": r.Side,
		"volume": plainNumber(r.Lots), "open_time": instant(r.OpenDate), "close_time": instant(r.CloseDate), "open_price": plainNumber(r.OpenPrice),
		"close_price": plainNumber(r.ClosePrice), "stop_loss": plainNumber(r.StopLossPrice), "take_profit": plainNumber(r.TakeProfitPrice),
		"commission": plainNumber(r.Commission), "swap": plainNumber(r.Swap), "profit": plainNumber(r.PnL), "platform_updated_at": nil,
		"missing_since": nil,
	}
}

func payoutTruth(o partner.Payout) map[string]any {
	return map[string]any{
		"trader": o.CustomerID, "external_id": o.PayoutID, "account_external_id": text(o.AccountNr), "status": text(o.Status),
		"amount": plainNumber(o.ShareAmount), "currency": text(o.Currency), "requested_at": instant(o.RequestedAt), "paid_at": instant(o.ApprovedAt),
		"metadata":      metadata("profit_split", plainNumber(o.ProfitSplit), "request_amount", plainNumber(o.RequestAmount)),
		"missing_since": nil,
	}
}

// sum calculates the stats of a trader.
type sum struct {
	accounts, open, closed int
	opened                 []time.Time
	profit, paid           map[string]*big.Rat // by currency
}

func (s *sum) addTrade(r partner.Trade, currency string) {
	s.opened = append(s.opened, r.OpenDate)
	if r.CloseDate.IsZero() {
		s.open++
		return
	}
	s.closed++
	addDecimal(s.profit, currency, r.PnL)
}

func addDecimal(to map[string]*big.Rat, currency string, d wire.Decimal) {
	n, ok := new(big.Rat).SetString(d.String())
	if !ok { // null
		return
	}
	if to[currency] == nil {
		to[currency] = new(big.Rat)
	}
	to[currency].Add(to[currency], n)
}

func (s *sum) stats() map[string]any {
	byCurrency := func(sums map[string]*big.Rat) map[string]any {
		object := make(map[string]any)
		for currency, n := range maps.All(sums) {
			object[currency] = canonical(n.FloatString(18))
		}
		return object
	}
	stats := map[string]any{
		"accounts": json.Number(strconv.Itoa(s.accounts)), "open_trades": json.Number(strconv.Itoa(s.open)), "closed_trades": json.Number(strconv.Itoa(s.closed)),
		"net_profit_by_currency": byCurrency(s.profit), "paid_out_by_currency": byCurrency(s.paid), "first_trade_at": nil, "last_trade_at": nil,
	}
	if len(s.opened) > 0 {
		stats["first_trade_at"] = instant(slices.MinFunc(s.opened, time.Time.Compare))
		stats["last_trade_at"] = instant(slices.MaxFunc(s.opened, time.Time.Compare))
	}
	return stats
}
