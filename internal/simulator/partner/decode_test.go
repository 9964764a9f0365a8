package partner_test

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assayhq/assay/internal/simulator/partner"
	"github.com/assayhq/assay/internal/simulator/wire"
)

// sent is a record that was read with the contract's rules and nothing of the
// simulator but its table of names: the first name that is present and can
// serve wins.
type sent struct {
	t      testing.TB
	text   string
	object map[string]any
	names  map[string][]string
	used   map[string]bool // names that served
}

// aliases are the tables of names of all lists.
var aliases = sync.OnceValue(func() map[partner.List]map[string][]string {
	all := make(map[partner.List]map[string][]string)
	for _, list := range partner.Lists() {
		all[list] = partner.Aliases(list)
	}
	return all
})

func read(t testing.TB, list partner.List, record string) sent {
	t.Helper()
	s := sent{t: t, text: record, names: aliases()[list], used: make(map[string]bool)}
	decoder := json.NewDecoder(strings.NewReader(record))
	decoder.UseNumber()
	if err := decoder.Decode(&s.object); err != nil {
		t.Fatalf("%v: %s", err, record)
	}
	return s
}

// value is the text of a field, and whether it was sent as a JSON number.
func (s sent) value(field string) (text string, number bool) {
	s.t.Helper()
	names := s.names[field]
	if names == nil {
		s.t.Fatalf("no field %s", field)
	}
	for _, name := range names {
		outer, inner, nested := strings.Cut(name, ".")
		value, there := s.object[outer]
		if nested {
			object, _ := value.(map[string]any)
			value, there = object[inner]
		}
		if !there {
			continue
		}
		switch v := value.(type) {
		case string:
			if v != "" {
				s.used[name] = true
				return v, false
			}
		case json.Number:
			s.used[name] = true
			return v.String(), true
		case nil, map[string]any:
		default:
			s.t.Fatalf("%s is %T: %s", name, value, s.text)
		}
	}
	return "", false
}

func (s sent) str(field string) string {
	s.t.Helper()
	text, _ := s.value(field)
	return text
}

func (s sent) lower(field string) string { return strings.ToLower(s.str(field)) }

func (s sent) number(field string) wire.Decimal {
	s.t.Helper()
	text := strings.ReplaceAll(s.str(field), ",", "")
	whole, fraction, _ := strings.Cut(text, ".")
	if text == "" {
		return wire.Decimal{}
	}
	n, err := strconv.ParseInt(whole+fraction, 10, 64)
	if err != nil {
		s.t.Fatalf("%s: %v: %s", field, err, s.text)
	}
	return wire.NewDecimal(n, len(fraction))
}

func (s sent) time(field string) time.Time {
	s.t.Helper()
	text, number := s.value(field)
	if text == "" {
		return time.Time{}
	}
	for _, layout := range []string{time.RFC3339, time.DateTime} {
		if at, err := time.Parse(layout, text); err == nil && !number {
			return at.UTC()
		}
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		s.t.Fatalf("%s: %v: %s", field, err, s.text)
	}
	if len(text) > 11 {
		return time.UnixMilli(n).UTC()
	}
	return time.Unix(n, 0).UTC()
}

func (s sent) customer() partner.Customer {
	s.t.Helper()
	return partner.Customer{
		CustomerID: s.str("customerId"), CustomerNr: s.str("customerNr"), UpdatedAt: s.time("updatedAt"), Email: s.str("email"),
		FirstName: s.str("firstName"), LastName: s.str("lastName"), Country: s.str("country"), Phone: s.str("phone"), KYCStatus: s.str("kycStatus"),
		CreatedAt: s.time("createdAt"), LastLoginIP: s.str("lastLoginIp"),
	}
}

func (s sent) account() partner.Account {
	s.t.Helper()
	a := partner.Account{
		AccountNr: s.str("accountNr"), AccountID: s.str("accountId"), CustomerID: s.str("customer.customerId"), UpdatedAt: s.time("updatedAt"),
		Login: s.str("login"), Platform: s.lower("platform"), Plan: s.str("plan"), PlanCategoryID: s.str("planCategoryId"),
		PlanCategoryName: s.str("planCategoryName"), Phase: s.lower("phase"), Status: s.lower("status"), Currency: s.str("currency"),
		InitialBalance: s.number("initialBalance"), CurrentBalance: s.number("currentBalance"), CurrentEquity: s.number("currentEquity"),
		CreatedAt: s.time("createdAt"), FundedAt: s.time("fundedAt"), BreachedAt: s.time("breachedAt"),
	}
	if a.Login == "" {
		a.Login = a.AccountNr
	}
	if _, snake := s.object["plan_category_name"]; snake {
		a.PlanCategoryName = a.Plan
	}
	return a
}

// trade reads a trade of the open or the closed list. The account is as sent.
func (s sent) trade(open bool) partner.Trade {
	s.t.Helper()
	r := partner.Trade{
		Ticket: s.str("ticket"), AccountNr: s.str("accountNr"), Symbol: s.str("symbol"), Side: "buy", Lots: s.number("lots"),
		OpenDate: s.time("openDate"), CloseDate: s.time("closeDate"), OpenPrice: s.number("openPrice"), ClosePrice: s.number("closePrice"),
		StopLossPrice: s.number("stopLossPrice"), TakeProfitPrice: s.number("takeProfitPrice"), Commission: s.number("commission"),
		Swap: s.number("swap"), PnL: s.number("pnl"),
	}
	switch s.lower("side") {
	case "sell", "short", "1":
		r.Side = "sell"
	}
	if object, ok := s.object["account"].(map[string]any); ok && r.AccountNr == "" {
		r.AccountNr = text(object["accountNr"])
	}
	if open {
		r.CloseDate, r.ClosePrice = time.Time{}, wire.Decimal{}
	}
	return r
}

func (s sent) payout() partner.Payout {
	s.t.Helper()
	o := partner.Payout{
		PayoutID: s.str("payoutId"), CustomerID: s.str("customer.customerId"), AccountNr: s.str("account.accountNr"), ShareAmount: s.number("shareAmount"),
		RequestAmount: s.number("requestAmount"), ProfitSplit: s.number("profitSplit"), Currency: s.str("currency"), Status: s.lower("status"),
		RequestedAt: s.time("requestedAt"), ApprovedAt: s.time("approvedAt"),
	}
	if object, ok := s.object["account"].(map[string]any); ok && o.AccountNr == "" {
		o.AccountNr = text(object["accountNr"])
	}
	return o
}

func text(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

// readAll reads whole records of a list.
func readAll[T any](t testing.TB, list partner.List, records []string, one func(sent) T) []T {
	t.Helper()
	var all []T
	for _, record := range records {
		all = append(all, one(read(t, list, record)))
	}
	return all
}

// valid reports whether every record is one JSON value.
func valid(records []string) bool {
	for _, record := range records {
		if !json.Valid(bytes.TrimSpace([]byte(record))) {
			return false
		}
	}
	return true
}
