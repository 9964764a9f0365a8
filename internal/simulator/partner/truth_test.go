package partner_test

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	diff "github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/simulator/partner"
	"github.com/assayhq/assay/internal/simulator/platformtest"
	"github.com/assayhq/assay/internal/simulator/wire"
)

// truth is what a platform holds, each list in ascending order.
type truth struct {
	customers    []partner.Customer
	accounts     []partner.Account
	closed, open []partner.Trade
	payouts      []partner.Payout
}

func truthOf(p *partner.Platform) (s truth) {
	s.customers, s.accounts = slices.Collect(p.AllCustomers()), slices.Collect(p.AllAccounts())
	for r := range p.AllTrades() {
		if r.CloseDate.IsZero() {
			s.open = append(s.open, r)
		} else {
			s.closed = append(s.closed, r)
		}
	}
	for o := range p.AllPayouts() {
		o.UpdatedAt = time.Time{} // it is not sent
		s.payouts = append(s.payouts, o)
	}
	slices.SortStableFunc(s.customers, func(a, b partner.Customer) int { return numbers(a.CustomerNr, b.CustomerNr) })
	slices.SortStableFunc(s.accounts, func(a, b partner.Account) int { return numbers(a.AccountNr, b.AccountNr) })
	slices.SortStableFunc(s.open, func(a, b partner.Trade) int { return numbers(a.Ticket, b.Ticket) })
	slices.SortStableFunc(s.closed, func(a, b partner.Trade) int { return a.CloseDate.Compare(b.CloseDate) })
	return s
}

// numbers compares texts of digits as the numbers that they are.
func numbers(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) }

// second returns the accounts' numbers by their second ids.
func (s *truth) second() map[string]string {
	numbers := make(map[string]string)
	for _, a := range s.accounts {
		if a.AccountID != "" {
			numbers[a.AccountID] = a.AccountNr
		}
	}
	return numbers
}

// sentTruth reads every list by pages and by the contract's rules.
func sentTruth(t testing.TB, p *partner.Platform, limit int, query url.Values) (s truth) {
	t.Helper()
	s.customers = readAll(t, partner.Customers, walk(t, p, partner.Customers, limit, query), sent.customer)
	s.accounts = readAll(t, partner.Accounts, walk(t, p, partner.Accounts, limit, query), sent.account)
	s.closed = readAll(t, partner.ClosedTrades, walk(t, p, partner.ClosedTrades, limit, query), func(r sent) partner.Trade { return r.trade(false) })
	s.open = readAll(t, partner.OpenTrades, walk(t, p, partner.OpenTrades, limit, query), func(r sent) partner.Trade { return r.trade(true) })
	s.payouts = readAll(t, partner.Payouts, walk(t, p, partner.Payouts, limit, nil), sent.payout)
	numbers := s.second()
	for _, list := range [][]partner.Trade{s.closed, s.open} {
		for i := range list {
			list[i].AccountNr = cmp.Or(numbers[list[i].AccountNr], list[i].AccountNr)
		}
	}
	for i := range s.payouts {
		s.payouts[i].AccountNr = cmp.Or(numbers[s.payouts[i].AccountNr], s.payouts[i].AccountNr)
	}
	return s
}

// differ is cmp.Diff with a fast path for equal ones.
func differ(a, b truth) string {
	if slices.Equal(a.customers, b.customers) && slices.Equal(a.accounts, b.accounts) && slices.Equal(a.closed, b.closed) &&
		slices.Equal(a.open, b.open) && slices.Equal(a.payouts, b.payouts) {
		return ""
	}
	return diff.Diff(a, b, diff.AllowUnexported(truth{}), diff.Comparer(func(a, b wire.Decimal) bool { return a.Equal(b) }))
}

// In every dialect and with every page size, the platform sends the records as they are.
func TestSentIsTheTruth(t *testing.T) {
	t.Parallel()
	for _, dialect := range partner.Dialects() {
		t.Run(string(dialect), func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(4) {
				o := small(seed)
				o.Dialect, o.TicketsPerAccount = dialect, seed%2 == 1
				p := newPlatform(t, o)
				for _, limit := range []int{100, 7} {
					want := truthOf(p)
					if d := differ(want, sentTruth(t, p, limit, nil)); d != "" {
						t.Fatalf("seed %d, limit %d (-truth +sent):\n%s", seed, limit, d)
					}
					p.Advance(5 * time.Hour)
				}
			}
		})
	}
}

func TestOrders(t *testing.T) {
	t.Parallel()
	keys := map[partner.List]string{
		partner.Customers: "customerNr", partner.Accounts: "accountNr", partner.ClosedTrades: "closeDate", partner.OpenTrades: "ticket",
	}
	for _, perAccount := range []bool{false, true} {
		o := small(3)
		o.TicketsPerAccount = perAccount
		p := newPlatform(t, o)
		p.Advance(30 * time.Hour)
		for list, sortKey := range keys {
			ascending := walk(t, p, list, 100, url.Values{"sort_by": {sortKey}, "sort_order": {"asc"}})
			if d := diff.Diff(walk(t, p, list, 33, nil), ascending); d != "" {
				t.Errorf("%s: ascending is not the default:\n%s", list, d)
			}
			for _, limit := range []int{1, 10, 100} {
				descending := walk(t, p, list, limit, url.Values{"sort_by": {sortKey}, "sort_order": {"desc"}})
				slices.Reverse(descending)
				if d := diff.Diff(ascending, descending); d != "" {
					t.Errorf("%s by pages of %d, backwards (-ascending +descending):\n%s", list, limit, d)
				}
			}
		}
	}
}

func TestTotals(t *testing.T) {
	t.Parallel()
	for _, totals := range partner.TotalsPlaces() {
		o := small(4)
		o.Totals = totals
		p := newPlatform(t, o)
		c := p.Counts()
		want := map[partner.List]int{
			partner.Customers: c.Customers, partner.Accounts: c.Accounts, partner.ClosedTrades: c.ClosedTrades,
			partner.OpenTrades: c.OpenTrades, partner.Payouts: c.Payouts,
		}
		if c.Customers != 130 || c.Accounts != 260 || c.ClosedTrades+c.OpenTrades != 1250 || c.OpenTrades == 0 || c.Payouts != 140 {
			t.Errorf("counts %+v", c)
		}
		for list, n := range want {
			for _, number := range []string{"1", "3", "900"} {
				got := getPage(t, p, list, url.Values{"page": {number}, "limit": {"10"}})
				top, metadata := got.Total, (*int)(nil)
				if got.Metadata != nil {
					metadata = got.Metadata.Total
				}
				switch {
				case totals == partner.TopLevel && (metadata != nil || top == nil || *top != n),
					totals == partner.InMetadata && (top != nil || metadata == nil || *metadata != n),
					totals == partner.NoTotals && (top != nil || got.Metadata != nil):
					t.Errorf("%s of %s, page %s: total_count %v, metadata %v, want %d", totals, list, number, top, metadata, n)
				}
				if number == "900" && (got.Data == nil || len(got.Data) > 0) {
					t.Errorf("%s behind its end: %v", list, got.Data)
				}
			}
		}
	}
}

// Twelve records that came to be one after the other use every name of every field.
func TestWalkUsesEveryName(t *testing.T) {
	t.Parallel()
	o := small(5)
	o.Dialect = partner.Walk
	p := newPlatform(t, o)
	for n := range 12 {
		p.OpenTrade(partner.Trade{Ticket: "62000000" + string(rune('a'+n)), AccountNr: "441000000001", Symbol: "EURUSD"})
	}
	for _, list := range partner.Lists() {
		names := make(map[string]bool)
		records := walk(t, p, list, 100, nil)
		switch list {
		case partner.ClosedTrades:
			slices.SortFunc(records, func(a, b string) int { return numbers(read(t, list, a).str("ticket"), read(t, list, b).str("ticket")) })
		case partner.OpenTrades:
			records = records[len(records)-12:]
		}
		for _, record := range records[:12] {
			s := read(t, list, record)
			for name, value := range s.object {
				names[name] = true
				if object, ok := value.(map[string]any); ok {
					for inner := range object {
						names[name+"."+inner] = true
					}
				}
			}
		}
		for field, all := range partner.Aliases(list) {
			for _, name := range all {
				if !names[name] {
					t.Errorf("%s: %s is never sent as %s", list, field, name)
				}
			}
		}
	}
}

// Every spelling that the seeded dialect promises is there to be met.
func TestSeededSpeaksEveryWay(t *testing.T) {
	t.Parallel()
	o := small(6)
	o.Dialect, o.Firm.Trades, o.Firm.Payouts = partner.Seeded, 3_000, 1_500
	p := newPlatform(t, o)
	p.PutAccount(partner.Account{AccountNr: "1", BreachedAt: platformtest.Wednesday()})
	p.PutAccount(partner.Account{AccountNr: "2", BreachedAt: platformtest.Wednesday()})
	all := make(map[partner.List]string)
	for _, list := range partner.Lists() {
		records := walk(t, p, list, 100, nil)
		if !valid(records) {
			t.Fatalf("%s is no JSON", list)
		}
		all[list] = strings.Join(records, "\n")
		used := make(map[string]bool)
		for _, record := range records {
			s := read(t, list, record)
			s.used = used
			for field := range s.names {
				s.value(field)
			}
			if list == partner.ClosedTrades && strings.Contains(record, `"account":{`) {
				used["account"] = true
			}
		}
		for field, names := range partner.Aliases(list) {
			for _, name := range names {
				if !used[name] && len(records) > 50 {
					t.Errorf("%s: %s is never read by %s", list, field, name)
				}
			}
		}
	}
	for list, texts := range map[partner.List][]string{
		partner.Customers: {`"Germany"`, `"DE"`, `"user":{"email":"`, `"profile":{"email":`, `":""`, `":null`},
		partner.Accounts: {
			`,000.00"`, `"MT5"`, `"Mt5"`, `"mt5"`, `"Phase 1"`, `"PHASE 1"`, `"phase 1"`, `"ACTIVE"`, `:9007199254`, `:"9007199254`,
			`+05:30"`, `"customer":{"customerId":"cus-`,
		},
		partner.ClosedTrades: {
			`"sell"`, `"SELL"`, `"short"`, `"1"`, `:1,`, `"buy"`, `"long"`, `"0"`, `:0,`, `"account":{"accountNr":9007199254`, `"account":{"accountNr":"9007199254`,
			`"account":"9007199254`, `"account":9007199254`, `"propAccountId":`, `"7700000`, `:7700000`, `"volume":`, `"quantity":"`, `"2026-02-0`, `Z"`,
		},
		partner.Payouts: {`"Payout Approved"`, `"PAID"`, `"paid"`, `"account":{"accountNr":`, `"finalAmount":`},
	} {
		for _, text := range texts {
			if !strings.Contains(all[list], text) {
				t.Errorf("%s never has %s", list, text)
			}
		}
	}
	missing := 0
	for r := range p.AllTrades() {
		if r.Symbol == "" {
			missing++
		}
	}
	if missing < 30 || missing > 300 {
		t.Errorf("%d of 3000 trades have no symbol", missing)
	}
}

func TestAliasesAreCopies(t *testing.T) {
	t.Parallel()
	first := partner.Aliases(partner.Customers)["email"]
	first[0] = "spoilt"
	if got := partner.Aliases(partner.Customers)["email"][0]; got != "email" {
		t.Errorf("the first name of email is %q", got)
	}
	if got := partner.Aliases("orders"); len(got) != 0 {
		t.Errorf("an unknown list has names: %v", got)
	}
}
