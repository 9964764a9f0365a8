package partner

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/wire"
)

// tables are the world's lists as this contract has them: with ids of its own,
// and an index for each list, so that a page is found by its number.
type tables struct {
	*firm.World
	o         *Options
	customers firm.Table[Customer]
	accounts  firm.Table[Account]
	trades    firm.Table[Trade]
	payouts   firm.Table[Payout]

	byNr     [2]index // customers and accounts
	byPayout index
	open     index // by ticket
	closed   index // by close date

	// What a filter selects is kept until the list changes, since a client
	// asks for one page of it after the other.
	version map[List]uint64
	keeping sync.Mutex
	kept    map[List]selection
}

// The indices of byNr.
const (
	customersByNr = iota
	accountsByNr
)

// Numbers of generated records: the first row's. They keep their length, so
// that they order like rows.
const (
	firstCustomerNr = 10_000_000
	secondIDPrefix  = "77"
)

// newTables generates a world. The options are valid.
func newTables(o *Options) (*tables, error) {
	world, err := firm.New(o.Firm)
	if err != nil {
		return nil, err
	}
	t := &tables{World: world, o: o, version: make(map[List]uint64), kept: make(map[List]selection)}
	accounts := firm.Names{Prefix: "4410", Width: 8}
	if o.Dialect == Seeded {
		accounts.Prefix = "9007199254" // 18 digits in all, more than floats can distinguish
	}
	tickets := firm.Names{Prefix: "61", Width: 9}
	if o.TicketsPerAccount {
		tickets.Number = world.TradeNumber
	}
	t.customers = firm.Table[Customer]{Names: firm.Names{Prefix: "cus-", Width: 8}, Build: t.buildCustomer, Encode: t.appendCustomer}
	t.accounts = firm.Table[Account]{Names: accounts, Build: t.buildAccount, Encode: t.appendAccount}
	t.trades = firm.Table[Trade]{Names: tickets, Build: t.buildTrade, Encode: t.appendTrade}
	t.payouts = firm.Table[Payout]{Names: firm.Names{Prefix: "pay-", Width: 8}, Build: t.buildPayout, Encode: t.appendPayout}
	t.customers.Attach(world.Traders(), true, t.placeCustomer)
	t.accounts.Attach(world.Accounts(), true, t.placeAccount)
	t.trades.Attach(world.Trades(), false, t.placeTrade)
	t.payouts.Attach(world.Payouts(), true, t.placePayout)
	t.buildIndexes()
	return t, nil
}

// buildIndexes builds the indices after the history has been generated.
func (t *tables) buildIndexes() {
	t.byNr[customersByNr] = fillIndex(t.customers.List, t.customerPlace)
	t.byNr[accountsByNr] = fillIndex(t.accounts.List, t.accountPlace)
	t.byPayout = fillIndex(t.payouts.List, payoutPlace)
	t.closed = make(index, 0, t.trades.Len()+t.trades.Len()/16)
	for ref := range uint32(t.trades.Len()) {
		if at, open := t.tradePlace(ref); open {
			t.open = append(t.open, at)
		} else {
			t.closed = append(t.closed, at)
		}
	}
	slices.SortFunc(t.open, place.compare)
	slices.SortFunc(t.closed, place.compare)
}

func fillIndex(list *firm.List, at func(ref uint32) place) index {
	x := make(index, list.Len())
	for ref := range x {
		x[ref] = at(uint32(ref))
	}
	return x
}

// The places of records: by the number that their list is ordered by. Ids that
// a test made up without a number come last.

func (t *tables) customerPlace(ref uint32) place {
	if c, _, ok := t.customers.Custom(ref); ok {
		return place{numberOf(c.CustomerNr), ref}
	}
	return place{firstCustomerNr + int64(ref), ref}
}

func (t *tables) accountPlace(ref uint32) place { return place{numberOf(t.accounts.ID(ref)), ref} }

func payoutPlace(ref uint32) place { return place{int64(ref), ref} }

func (t *tables) tradePlace(ref uint32) (at place, open bool) {
	var closed time.Time
	if record, _, ok := t.trades.Custom(ref); ok {
		closed = record.CloseDate
	} else {
		closed = truncateSecond(t.Trade(ref).CloseTime)
	}
	if closed.IsZero() {
		return place{numberOf(t.trades.ID(ref)), ref}, true
	}
	return place{wire.Micros(closed), ref}, false
}

func numberOf(id string) int64 {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return 1<<63 - 1
	}
	return n
}

// The place methods are called for each record that changes or is added.

func (t *tables) placeCustomer(ref uint32) {
	t.version[Customers]++
	t.byNr[customersByNr].insert(t.customerPlace(ref))
}

func (t *tables) placeAccount(ref uint32) {
	t.version[Accounts]++
	t.version[Payouts]++ // a scope looks at the accounts of payouts
	t.byNr[accountsByNr].insert(t.accountPlace(ref))
}

func (t *tables) placePayout(ref uint32) {
	t.version[Payouts]++
	t.byPayout.insert(payoutPlace(ref))
}

func (t *tables) placeTrade(ref uint32) {
	at, open := t.tradePlace(ref)
	if open {
		t.open.insert(at)
		return
	}
	t.open.remove(place{numberOf(t.trades.ID(ref)), ref})
	t.closed.insert(at)
}

// The leave methods take a record out of its list before a test changes or
// deletes it.

func (t *tables) leaveCustomer(ref uint32) {
	t.version[Customers]++
	t.byNr[customersByNr].remove(t.customerPlace(ref))
}

func (t *tables) leaveAccount(ref uint32) {
	t.version[Accounts]++
	t.version[Payouts]++
	t.byNr[accountsByNr].remove(t.accountPlace(ref))
}

func (t *tables) leavePayout(ref uint32) {
	t.version[Payouts]++
	t.byPayout.remove(payoutPlace(ref))
}

func (t *tables) leaveTrade(ref uint32) {
	if at, open := t.tradePlace(ref); open {
		t.open.remove(at)
	} else {
		t.closed.remove(at)
	}
}

// listSeed keeps the spellings of the lists apart.
func listSeed(seed uint64, list List) uint64 {
	return firm.Hash(seed, uint64(slices.Index(Lists(), list)))
}

// truncateSecond cuts a time to what the platform keeps.
func truncateSecond(at time.Time) time.Time { return at.Truncate(time.Second) }

// buildCustomer builds the record of a generated customer.
func (t *tables) buildCustomer(ref uint32) Customer {
	r := t.Trader(ref)
	c := Customer{
		CustomerID: t.customers.ID(ref), CustomerNr: strconv.Itoa(firstCustomerNr + int(ref)), UpdatedAt: truncateSecond(r.UpdatedAt), Email: r.Email,
		FirstName: r.FirstName, LastName: r.LastName, Country: r.Country, Phone: r.Phone, KYCStatus: r.KYCStatus, CreatedAt: truncateSecond(r.RegisteredAt),
	}
	chance := firm.Hash(listSeed(t.o.Firm.Seed, Customers), uint64(ref))
	if chance%8 != 0 {
		c.LastLoginIP = "203.0.113." + strconv.Itoa(int(chance>>8%256)) // a range for documentation
	}
	if name, ok := countryNames[c.Country]; ok && t.o.Dialect == Seeded && chance>>16%3 == 0 {
		c.Country = name
	}
	return t.sentCustomer(c)
}

// sentCustomer leaves out of a record what the options do.
func (t *tables) sentCustomer(c Customer) Customer {
	if t.o.NoUpdatedAt {
		c.UpdatedAt = time.Time{}
	}
	return c
}

// buildAccount builds the record of a generated account.
func (t *tables) buildAccount(ref uint32) Account {
	r := t.Account(ref)
	a := Account{
		AccountNr: t.accounts.ID(ref), AccountID: secondID(ref), CustomerID: t.customers.ID(r.Trader), UpdatedAt: truncateSecond(r.UpdatedAt), Login: r.Login,
		Platform: r.Platform, Plan: r.Program + " " + r.Size, PlanCategoryID: planCategoryID(r.Program), PlanCategoryName: r.Program,
		Phase: phaseName(r.Phase), Status: r.Status, Currency: r.Currency, InitialBalance: r.InitialBalance, CurrentBalance: r.Balance,
		CurrentEquity: r.Equity, CreatedAt: truncateSecond(r.StartedAt),
	}
	if r.Phase == "funded" {
		a.FundedAt = a.CreatedAt
	}
	if r.Status == "breached" {
		a.BreachedAt = a.UpdatedAt
	}
	return t.sentAccount(ref, a)
}

// sentAccount brings a record into the form in which it arrives.
func (t *tables) sentAccount(ref uint32, a Account) Account {
	if t.o.NoUpdatedAt {
		a.UpdatedAt = time.Time{}
	}
	t.settleAccount(ref, &a)
	return a
}

// secondID is the second number by which the platform knows a generated account.
func secondID(ref uint32) string {
	return string(wire.AppendPadded([]byte(secondIDPrefix), int64(ref), 8))
}

// secondIDOf returns the second id of an account if its record has it.
func (t *tables) secondIDOf(ref uint32) string {
	if record, raw, ok := t.accounts.Custom(ref); ok {
		if raw {
			return ""
		}
		return record.AccountID
	}
	if nr, _ := t.accountNames(ref); nr >= nrAsAccountID {
		return ""
	}
	return secondID(ref)
}

// planCategoryID is the number of a program's category.
func planCategoryID(program string) string {
	return strconv.Itoa(11 + slices.Index([]string{"Two-Step", "One-Step", "Rapid", "Instant"}, program))
}

// phaseName is what this platform calls a phase.
func phaseName(phase string) string {
	switch phase {
	case "evaluation":
		return "phase 1"
	case "verification":
		return "phase 2"
	}
	return phase
}

// buildTrade builds the record of a generated trade.
func (t *tables) buildTrade(ref uint32) Trade {
	r := t.Trade(ref)
	record := Trade{
		Ticket: t.trades.ID(ref), AccountNr: t.accounts.ID(r.Account), Symbol: r.Symbol, Side: r.Side, Lots: r.Volume,
		OpenDate: truncateSecond(r.OpenTime), CloseDate: truncateSecond(r.CloseTime), OpenPrice: r.OpenPrice, ClosePrice: r.ClosePrice, StopLossPrice: r.StopLoss,
		TakeProfitPrice: r.TakeProfit, Commission: r.Commission, Swap: r.Swap, PnL: r.Profit,
	}
	if t.o.Dialect == Seeded && firm.Hash(listSeed(t.o.Firm.Seed, OpenTrades), uint64(ref))%32 == 0 {
		record.Symbol = ""
	}
	return record
}

// buildPayout builds the record of a generated payout.
func (t *tables) buildPayout(ref uint32) Payout {
	r := t.Payout(ref)
	p := Payout{
		PayoutID: t.payouts.ID(ref), CustomerID: t.customers.ID(r.Trader), UpdatedAt: truncateSecond(r.UpdatedAt), ShareAmount: r.Amount,
		Currency: r.Currency, Status: payoutStatusName(r.Status), RequestedAt: truncateSecond(r.RequestedAt), ApprovedAt: truncateSecond(r.PaidAt),
	}
	if r.Account != firm.NoAccount {
		p.AccountNr, p.RequestAmount, p.ProfitSplit = t.accounts.ID(r.Account), r.Gross, wire.NewDecimal(firm.ProfitSplit, 0)
	}
	t.settlePayout(ref, &p)
	return p
}

// payoutStatusName is what this platform calls a payout's status.
func payoutStatusName(status string) string {
	switch status {
	case "pending":
		return "payout requested"
	case "approved":
		return "payout approved"
	}
	return status
}

// countryNames are the countries of the world's people in English.
var countryNames = map[string]string{
	"GB": "United Kingdom", "US": "United States", "CA": "Canada", "AU": "Australia", "DE": "Germany", "AT": "Austria", "NL": "Netherlands",
	"SE": "Sweden", "FR": "France", "ES": "Spain", "IT": "Italy", "BR": "Brazil", "PL": "Poland", "CZ": "Czech Republic", "RO": "Romania",
	"IN": "India", "PK": "Pakistan", "AE": "United Arab Emirates", "NG": "Nigeria", "ZA": "South Africa", "KE": "Kenya", "JP": "Japan",
	"VN": "Vietnam", "MY": "Malaysia",
}

// matchesAccount reports whether an account is within a scope.
func (s *scope) matchesAccount(a *Account) bool {
	return (len(s.plans) == 0 || slices.Contains(s.plans, a.PlanCategoryID)) &&
		(len(s.platforms) == 0 || slices.ContainsFunc(s.platforms, func(p string) bool { return strings.EqualFold(p, a.Platform) }))
}
