package partner_test

import (
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/simulator/partner"
	"github.com/assayhq/assay/internal/simulator/platformtest"
	"github.com/assayhq/assay/internal/simulator/wire"
)

func TestPutAndDelete(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, small(1))
	money := wire.NewDecimal
	at := platformtest.Wednesday().Add(1500 * time.Millisecond)
	customer := p.PutCustomer(partner.Customer{CustomerID: "new", CustomerNr: "99000000", FirstName: `Zoë "Z"`, CreatedAt: at})
	account := p.PutAccount(partner.Account{AccountNr: "990000000001", AccountID: "5", CustomerID: "new", CurrentBalance: money(-105, 2), Phase: "phase 1"})
	trade := p.PutTrade(partner.Trade{Ticket: "990000000001", AccountNr: "990000000001", Side: "sell", OpenDate: at, CloseDate: at.Add(time.Hour), Lots: money(5, 3)})
	open := p.OpenTrade(partner.Trade{Ticket: "990000000002", AccountNr: "990000000001", Symbol: "EURUSD", Side: "buy"})
	payout := p.PutPayout(partner.Payout{PayoutID: "new", CustomerID: "new", AccountNr: "990000000001", ShareAmount: money(0, 2), Status: "paid", ApprovedAt: at})
	want := map[partner.List]string{
		partner.Customers: `{"customerId":"new","customerNr":99000000,"email":null,"firstName":"Zoë \"Z\"","lastName":null,"country":null,"phone":null,` +
			`"kycStatus":null,"createdAt":"2026-03-04T15:00:01Z","updatedAt":"2026-03-04T15:00:00Z","lastLoginIp":null}`,
		partner.Accounts: `{"accountNr":"990000000001","accountId":"5","customer":{"customerId":"new"},"login":"990000000001","platform":null,"plan":null,` +
			`"planCategoryId":null,"planCategoryName":null,"phase":"phase 1","status":null,"currency":null,"initialBalance":null,"currentBalance":-1.05,` +
			`"currentEquity":null,"createdAt":null,"updatedAt":"2026-03-04T15:00:00Z","fundedAt":null,"breachedAt":null}`,
		partner.ClosedTrades: `{"ticket":990000000001,"accountNr":"990000000001","symbol":null,"side":"sell","lots":0.005,"openDate":"2026-03-04T15:00:01Z",` +
			`"closeDate":"2026-03-04T16:00:01Z","openPrice":null,"closePrice":null,"stopLossPrice":null,"takeProfitPrice":null,"commission":null,"swap":null,"pnl":null}`,
		partner.OpenTrades: `{"ticket":990000000002,"accountNr":"990000000001","symbol":"EURUSD","side":"buy","lots":null,"openDate":"2026-03-04T15:00:00Z",` +
			`"closeDate":null,"openPrice":null,"closePrice":null,"stopLossPrice":null,"takeProfitPrice":null,"commission":null,"swap":null,"pnl":null}`,
		partner.Payouts: `{"payoutId":"new","customer":{"customerId":"new"},"account":{"accountNr":"990000000001"},"shareAmount":0.00,"requestAmount":null,` +
			`"profitSplit":null,"currency":null,"status":"paid","requestedAt":null,"approvedAt":"2026-03-04T15:00:01Z"}`,
	}
	for list, want := range want {
		all := walk(t, p, list, 100, nil)
		if diff := cmp.Diff(want, all[len(all)-1]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", list, diff)
		}
	}
	trades := slices.Collect(p.AllTrades())
	got := []any{slices.Collect(p.AllCustomers())[130], slices.Collect(p.AllAccounts())[260], trades[1250], trades[1251], slices.Collect(p.AllPayouts())[140]}
	if diff := cmp.Diff([]any{customer, account, trade, open, payout}, got); diff != "" {
		t.Errorf("truth (-put +got):\n%s", diff)
	}
	for list, id := range map[partner.List]string{
		partner.Customers: "new", partner.Accounts: "990000000001", partner.ClosedTrades: "990000000001",
		partner.OpenTrades: "990000000002", partner.Payouts: "new",
	} {
		if !p.Delete(list, id) || p.Delete(list, id) || p.Delete(list, "never was") {
			t.Errorf("%s: Delete did not delete once", list)
		}
	}
	if diff := differ(truthOf(newPlatform(t, small(1))), truthOf(p)); diff != "" {
		t.Errorf("after deleting (-fresh +got):\n%s", diff)
	}
}

func TestTradeFromOpenToClose(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, small(2))
	before := p.Counts()
	trade := p.OpenTrade(partner.Trade{Ticket: "7", AccountNr: "441000000001", Symbol: "EURUSD", Side: "buy", OpenPrice: wire.NewDecimal(108, 2)})
	if trade.OpenDate != platformtest.Wednesday() || p.Counts().OpenTrades != before.OpenTrades+1 {
		t.Errorf("opened at %s, %d open", trade.OpenDate, p.Counts().OpenTrades)
	}
	if got := getPage(t, p, partner.OpenTrades, url.Values{"limit": {"1"}}).Data[0]; !strings.Contains(string(got), `{"ticket":7,`) {
		t.Errorf("the first open trade is %s", got)
	}
	p.Advance(time.Minute)
	changed, ok := p.ModifyTrade("441000000001", "7", func(r *partner.Trade) { r.StopLossPrice = wire.NewDecimal(107, 2) })
	if !ok || !changed.StopLossPrice.Equal(wire.NewDecimal(107, 2)) {
		t.Errorf("modified %v: %+v", ok, changed)
	}
	closed, ok := p.CloseTrade("441000000001", "7")
	if !ok || closed.CloseDate != platformtest.Wednesday().Add(time.Minute) || closed.ClosePrice != trade.OpenPrice || closed.StopLossPrice != changed.StopLossPrice || closed.PnL.IsNull() {
		t.Errorf("closed %v: %+v", ok, closed)
	}
	if got := getPage(t, p, partner.ClosedTrades, url.Values{"limit": {"1"}, "sort_order": {"desc"}}).Data[0]; !strings.Contains(string(got), `{"ticket":7,`) {
		t.Errorf("the last closed trade is %s", got)
	}
	if strings.Contains(strings.Join(walk(t, p, partner.OpenTrades, 100, nil), ""), `{"ticket":7,`) {
		t.Error("the closed trade is still open")
	}
	if _, ok := p.CloseTrade("441000000001", "7"); ok {
		t.Error("it closed twice")
	}
	if _, ok := p.ModifyTrade("441000000002", "7", func(*partner.Trade) {}); ok {
		t.Error("another account has it")
	}
	if !p.DeleteTrade("441000000001", "7") || p.DeleteTrade("441000000001", "7") {
		t.Error("DeleteTrade did not delete once")
	}
	if _, ok := p.ModifyTrade("441000000001", "7", func(*partner.Trade) {}); ok {
		t.Error("a deleted trade was modified")
	}
}

func TestSameTicketInTwoAccounts(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, small(3))
	generated := slices.Collect(p.AllTrades())[100]
	other := p.OpenTrade(partner.Trade{Ticket: generated.Ticket, AccountNr: "1", Symbol: "EURUSD", Side: "buy"})
	third := p.OpenTrade(partner.Trade{Ticket: generated.Ticket, AccountNr: "2", Symbol: "EURUSD", Side: "buy"})
	find := func() (found []partner.Trade) {
		for r := range p.AllTrades() {
			if r.Ticket == generated.Ticket {
				found = append(found, r)
			}
		}
		return found
	}
	if diff := cmp.Diff([]partner.Trade{generated, other, third}, find()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if _, ok := p.CloseTrade("1", other.Ticket); !ok {
		t.Error("the second cannot be closed")
	}
	if !p.DeleteTrade(generated.AccountNr, generated.Ticket) || !p.DeleteTrade("2", third.Ticket) {
		t.Error("the first and the third cannot be deleted")
	}
	if found := find(); len(found) != 1 || found[0].AccountNr != "1" || found[0].CloseDate.IsZero() {
		t.Errorf("left: %+v", found)
	}

	o := small(3)
	o.TicketsPerAccount = true
	accounts := make(map[string]int)
	for r := range newPlatform(t, o).AllTrades() {
		if r.Ticket == "61000000001" {
			accounts[r.AccountNr]++
		}
	}
	if len(accounts) < 10 {
		t.Errorf("ticket 1 is in %d accounts", len(accounts))
	}
}

func TestPutRaw(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, small(4))
	for _, list := range partner.Lists() {
		before := walk(t, p, list, 100, nil)
		p.PutRaw(list, "raw", time.Time{}, `{"id":["no","id"]}`)
		all := walk(t, p, list, 100, nil)
		if len(all) != len(before)+1 || all[len(before)] != `{"id":["no","id"]}` {
			t.Errorf("%s: %d records, last %s", list, len(all), all[len(all)-1])
		}
		p.PutRaw(list, "raw", time.Time{}, `17`)
		if all := walk(t, p, list, 100, nil); len(all) != len(before)+1 || all[len(before)] != `17` {
			t.Errorf("%s: %d records, last %s", list, len(all), all[len(all)-1])
		}
		if !p.Delete(list, "raw") {
			t.Errorf("%s: the raw record was not there", list)
		}
	}
	p.PutRaw(partner.ClosedTrades, "old", platformtest.Wednesday().AddDate(-1, 0, 0), `"first"`)
	p.PutRaw(partner.Customers, "bad", time.Time{}, `{]`)
	if got := platformtest.ReadBody(t, platformtest.Get(t, p, "/v1/trades/closed?limit=1")); !strings.HasPrefix(got, `{"data":["first"]`) {
		t.Error(got)
	}
	if got := platformtest.ReadBody(t, platformtest.Get(t, p, "/v1/customers?page=2")); !strings.Contains(got, `,{]],"metadata":`) {
		t.Errorf("list ends %q", got[len(got)-60:])
	}
	if diff := differ(truthOf(newPlatform(t, small(4))), truthOf(p)); diff != "" {
		t.Errorf("raw records are in the truth:\n%s", diff)
	}
}

func TestWhatWasPutStaysAsItIs(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, small(5))
	var mine partner.Trade
	for r := range p.AllTrades() {
		if r.CloseDate.IsZero() {
			mine = r
		}
	}
	mine.Symbol = "MINE"
	mine = p.PutTrade(mine)
	for r := range p.AllTrades() {
		if r.CloseDate.IsZero() && r.Ticket != mine.Ticket {
			p.DeleteTrade(r.AccountNr, r.Ticket)
		}
	}
	gone := len(walk(t, p, partner.ClosedTrades, 100, nil))
	if got := p.Counts(); got.OpenTrades != 1 || got.ClosedTrades != gone {
		t.Errorf("%+v", got)
	}
	p.Advance(14 * 24 * time.Hour) // the world would have closed it by now
	found := 0
	for r := range p.AllTrades() {
		if r.Ticket == mine.Ticket {
			found++
			if diff := cmp.Diff(mine, r); diff != "" {
				t.Errorf("the world changed it:\n%s", diff)
			}
		}
	}
	if found != 1 {
		t.Errorf("it is there %d times", found)
	}
}

// Whatever is changed in whatever order, between the requests of a walk too,
// the lists show the truth, each record once.
func TestRandomChanges(t *testing.T) {
	t.Parallel()
	for seed := range uint64(5) {
		random := rand.New(rand.NewPCG(seed, 0))
		var p *partner.Platform
		o := small(seed)
		o.Dialect, o.TicketsPerAccount, o.Firm.Trades = partner.Dialects()[seed%3], seed%2 == 0, 300
		busy := false
		o.BeforeRequest = func(*http.Request) {
			if busy {
				change(p, random)
			}
		}
		p = newPlatform(t, o)
		for round := range 5 {
			busy = true
			for _, list := range partner.Lists() { // shifting lists must still end
				walk(t, p, list, 50, nil)
			}
			busy = false
			want := truthOf(p)
			slices.SortStableFunc(want.payouts, func(a, b partner.Payout) int { return strings.Compare(a.PayoutID, b.PayoutID) })
			got := sentTruth(t, p, 50, nil)
			slices.SortStableFunc(got.payouts, func(a, b partner.Payout) int { return strings.Compare(a.PayoutID, b.PayoutID) })
			if diff := differ(want, got); diff != "" {
				t.Fatalf("seed %d, round %d (-truth +sent):\n%s", seed, round, diff)
			}
			c := p.Counts()
			if c.ClosedTrades != len(want.closed) || c.OpenTrades != len(want.open) || c.Accounts != len(want.accounts) || c.Payouts != len(want.payouts) {
				t.Fatalf("seed %d, round %d: counts %+v", seed, round, c)
			}
		}
	}
}

// change does one thing to a platform.
func change(p *partner.Platform, random *rand.Rand) {
	nr := "44100000" + strconv.Itoa(1000+random.IntN(9))
	ticket := strconv.Itoa(70_000 + random.IntN(40))
	var some partner.Trade
	for r := range p.AllTrades() {
		if random.IntN(40) == 0 {
			some = r
			break
		}
	}
	switch random.IntN(9) {
	case 0, 1:
		p.OpenTrade(partner.Trade{Ticket: ticket, AccountNr: nr, Symbol: "EURUSD", Side: "buy"})
	case 2, 3:
		p.CloseTrade(nr, ticket)
		p.CloseTrade(some.AccountNr, some.Ticket)
	case 4:
		p.ModifyTrade(some.AccountNr, some.Ticket, func(r *partner.Trade) {
			if !r.CloseDate.IsZero() {
				r.CloseDate = r.CloseDate.Add(time.Duration(random.IntN(200)-100) * time.Hour)
			}
			r.Lots = wire.NewDecimal(int64(random.IntN(900))+1, 2)
		})
	case 5:
		p.DeleteTrade(some.AccountNr, some.Ticket)
		p.DeleteTrade(nr, ticket)
	case 6:
		p.PutAccount(partner.Account{AccountNr: nr, AccountID: "8" + nr, CustomerID: "cus-00000001", Plan: "Two-Step 5K"})
		p.PutPayout(partner.Payout{PayoutID: "pay-0000000" + strconv.Itoa(random.IntN(10)), AccountNr: nr, ShareAmount: wire.NewDecimal(5, 1)})
	case 7:
		p.PutCustomer(partner.Customer{CustomerID: "cus-0000000" + strconv.Itoa(random.IntN(10)), CustomerNr: strconv.Itoa(5 + random.IntN(3))})
		p.Delete(partner.Customers, "cus-0000000"+strconv.Itoa(random.IntN(10)))
	case 8:
		p.Advance(time.Duration(random.IntN(100)) * time.Minute)
	}
}
