package reference_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/simulator/firm"
	"github.com/assayhq/assay/internal/simulator/platformtest"
	"github.com/assayhq/assay/internal/simulator/reference"
	"github.com/assayhq/assay/internal/simulator/wire"
)

func TestPutAndDelete(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, small(1))
	money := wire.NewDecimal
	trader := p.PutTrader(reference.Trader{ID: "new", FirstName: "Zoë \"Z\"", Tags: []string{"a", "b"}, Metadata: `{"x":1}`})
	account := p.PutAccount(reference.Account{ID: "new", TraderID: "new", Balance: money(-105, 2), InitialBalance: money(7, 0)})
	trade := p.PutTrade(reference.Trade{ID: "new", AccountID: "new", Symbol: "EURUSD", Side: "buy", OpenTime: platformtest.Wednesday(), Volume: money(5, 3)})
	payout := p.PutPayout(reference.Payout{ID: "new", TraderID: "new", Status: "pending", Amount: money(0, 2)})
	wantJSON := map[string]string{
		"/traders": `{"id":"new","updated_at":"2026-03-04T15:00:00.000000Z","email":null,"first_name":"Zoë \"Z\"","last_name":null,"country":null,` +
			`"phone":null,"registered_at":null,"kyc_status":null,"tags":["a","b"],"metadata":{"x":1}}`,
		"/accounts": `{"id":"new","trader_id":"new","updated_at":"2026-03-04T15:00:00.000001Z","platform":null,"login":null,"program":null,"phase":null,` +
			`"status":null,"currency":null,"initial_balance":7,"balance":-1.05,"equity":null,"started_at":null,"metadata":null}`,
		"/trades": `{"id":"new","account_id":"new","symbol":"EURUSD","side":"buy","open_time":"2026-03-04T15:00:00.000000Z",` +
			`"updated_at":"2026-03-04T15:00:00.000002Z","volume":0.005,"close_time":null,"open_price":null,"close_price":null,"stop_loss":null,` +
			`"take_profit":null,"commission":null,"swap":null,"profit":null}`,
		"/payouts": `{"id":"new","trader_id":"new","status":"pending","updated_at":"2026-03-04T15:00:00.000003Z","account_id":null,"amount":0.00,` +
			`"currency":null,"requested_at":null,"paid_at":null}`,
	}
	for path, want := range wantJSON {
		all := walk(t, p, path, 500, nil)
		if diff := cmp.Diff(want, all[len(all)-1]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
	s := p.Snapshot()
	if diff := cmp.Diff(
		reference.Snapshot{Traders: []reference.Trader{trader}, Accounts: []reference.Account{account}, Trades: []reference.Trade{trade}, Payouts: []reference.Payout{payout}},
		reference.Snapshot{Traders: s.Traders[30:], Accounts: s.Accounts[60:], Trades: s.Trades[1200:], Payouts: s.Payouts[40:]},
	); diff != "" {
		t.Errorf("snapshot (-put +got):\n%s", diff)
	}
	for _, list := range reference.Resources() {
		if !p.Delete(list, "new") || p.Delete(list, "new") || p.Delete(list, "never was") {
			t.Errorf("%s: Delete did not delete once", list)
		}
	}
	if diff := diffSnapshots(newPlatform(t, small(1)).Snapshot(), p.Snapshot()); diff != "" {
		t.Errorf("after deleting (-fresh +got):\n%s", diff)
	}
}

func TestPutReplacesAGeneratedRecord(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, small(2))
	before := p.Snapshot()
	var open reference.Trade
	for _, trade := range before.Trades {
		if trade.CloseTime.IsZero() {
			open = trade
		}
	}
	open.UpdatedAt = time.Time{}
	open.Symbol = "MINE"
	open = p.PutTrade(open)
	if !open.UpdatedAt.Equal(platformtest.Wednesday()) {
		t.Errorf("updated_at is %s", open.UpdatedAt)
	}
	p.Advance(14 * 24 * time.Hour) // the world would have closed it by now
	found := 0
	for trade := range p.AllTrades() {
		if trade.ID == open.ID {
			found++
			if diff := cmp.Diff(open, trade); diff != "" {
				t.Errorf("the world changed a record that was put:\n%s", diff)
			}
		}
	}
	if found != 1 {
		t.Errorf("the record is there %d times", found)
	}
}

func TestDeletedRecordsStayAway(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, small(3))
	s := p.Snapshot()
	for _, trade := range s.Trades {
		p.Delete(reference.Trades, trade.ID)
	}
	for _, account := range s.Accounts {
		p.Delete(reference.Accounts, account.ID)
	}
	for _, trader := range s.Traders {
		p.Delete(reference.Traders, trader.ID)
	}
	for _, payout := range s.Payouts {
		p.Delete(reference.Payouts, payout.ID)
	}
	if got := p.Counts(); got != (reference.Counts{}) {
		t.Errorf("%+v are left", got)
	}
	p.Advance(48 * time.Hour)
	gone := make(map[string]bool)
	for _, trade := range s.Trades {
		gone[trade.ID] = true
	}
	for trade := range p.AllTrades() {
		if gone[trade.ID] {
			t.Errorf("trade %s came back", trade.ID)
		}
	}
}

func TestExplicitUpdatedAt(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, small(4))
	trade := p.Snapshot().Trades[600]
	first := trade.UpdatedAt
	for _, at := range []time.Time{first.Add(-time.Hour), first, first, first.Add(time.Hour), first.Add(-time.Hour)} {
		trade.UpdatedAt = at
		p.PutTrade(trade)
		if n := len(walk(t, p, "/trades", 100, nil)); n != 1200 {
			t.Fatalf("%d trades after moving one to %s", n, at)
		}
		found := false
		for _, got := range p.Snapshot().Trades {
			found = found || got.ID == trade.ID && got.UpdatedAt.Equal(at)
		}
		if !found {
			t.Errorf("the trade is not at %s", at)
		}
	}
}

func TestPutRaw(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, small(5))
	for _, list := range reference.Resources() {
		before := len(walk(t, p, "/"+string(list), 500, nil))
		p.PutRaw(list, "raw", time.Time{}, `{"id":["no","id"]}`)
		all := walk(t, p, "/"+string(list), 500, nil)
		if len(all) != before+1 || all[before] != `{"id":["no","id"]}` {
			t.Errorf("%s: %d records, last %s", list, len(all), all[len(all)-1])
		}
		if !p.Delete(list, "raw") {
			t.Errorf("%s: the raw record was not there", list)
		}
	}
	p.PutRaw(reference.Traders, "raw", time.Time{}, `{]`)
	if got := platformtest.ReadBody(t, platformtest.Get(t, p, "/traders/raw")); got != `{]` {
		t.Errorf("single trader: %s", got)
	}
	if got := platformtest.ReadBody(t, platformtest.Get(t, p, "/traders?limit=500")); !strings.Contains(got, `,{]],"next_cursor":null}`) {
		t.Errorf("list ends %q", got[len(got)-60:])
	}
}

func TestManyUpdatesStayBounded(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, reference.Options{Key: key, Firm: firm.Options{Start: platformtest.Wednesday()}})
	for range 30_000 {
		p.PutTrader(reference.Trader{ID: "busy"})
		p.PutTrader(reference.Trader{ID: "busier"})
	}
	if got := walk(t, p, "/traders", 1, nil); len(got) != 2 {
		t.Errorf("%d traders: %v", len(got), got)
	}
}
