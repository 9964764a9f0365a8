package reference_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/mail"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/simulator/platformtest"
	"github.com/assayhq/assay/internal/simulator/reference"
)

// clock is a clock that a test moves.
type clock struct{ now time.Time }

func (c *clock) Now() time.Time { return c.now }

// diffSnapshots is cmp.Diff with a fast path for equal ones.
func diffSnapshots(a, b reference.Snapshot) string {
	sameTrader := func(a, b reference.Trader) bool { return string(a.AppendJSON(nil)) == string(b.AppendJSON(nil)) }
	if a.At.Equal(b.At) && slices.EqualFunc(a.Traders, b.Traders, sameTrader) && slices.Equal(a.Accounts, b.Accounts) &&
		slices.Equal(a.Trades, b.Trades) && slices.Equal(a.Payouts, b.Payouts) {
		return ""
	}
	return cmp.Diff(a, b)
}

func TestSameSeedSameWorld(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3) {
		a, b := newPlatform(t, small(seed)), newPlatform(t, small(seed))
		a.Advance(36 * time.Hour)
		b.Advance(36 * time.Hour)
		if diff := diffSnapshots(a.Snapshot(), b.Snapshot()); diff != "" {
			t.Fatalf("seed %d gives two worlds:\n%s", seed, diff)
		}
	}
	a, b := newPlatform(t, small(1)).Snapshot(), newPlatform(t, small(2)).Snapshot()
	if cmp.Equal(a.Trades, b.Trades) || cmp.Equal(a.Traders, b.Traders) {
		t.Error("seeds 1 and 2 give the same world")
	}
}

// The world must not depend on when or how often it is looked at, or a
// restart would show another one.
func TestWorldIsAFunctionOfTime(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		for _, speed := range []float64{0.5, 1, 300} {
			end := platformtest.Wednesday().Add(40 * time.Hour)
			options := small(seed)
			options.Firm.Speed, options.Firm.Weekends = speed, seed%2 == 0
			if speed > 1 {
				end = platformtest.Wednesday().Add(20 * time.Minute)
			}
			watched, restarted := clock{platformtest.Wednesday()}, clock{end}
			options.Firm.Clock = watched.Now
			a := newPlatform(t, options)
			random := rand.New(rand.NewPCG(seed, 0))
			for watched.now.Before(end) {
				watched.now = watched.now.Add(time.Duration(random.Int64N(int64(end.Sub(platformtest.Wednesday()) / 30))))
				if watched.now.After(end) {
					watched.now = end
				}
				a.Counts()
			}
			options.Firm.Clock = restarted.Now
			b := newPlatform(t, options)
			if diff := diffSnapshots(a.Snapshot(), b.Snapshot()); diff != "" {
				t.Fatalf("seed %d, speed %v (-watched +restarted):\n%s", seed, speed, diff)
			}
		}
	}
}

func TestFrozenWorldStandsStill(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, small(1))
	if diff := diffSnapshots(p.Snapshot(), p.Snapshot()); diff != "" {
		t.Error(diff)
	}
	if !p.Now().Equal(platformtest.Wednesday()) {
		t.Errorf("the time is %s", p.Now())
	}
}

// A poller that asks for updated_since = the start of its last poll − overlap
// and upserts by id must end with the truth, whenever it looks.
func TestPollingSeesEveryChange(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		random := rand.New(rand.NewPCG(seed, 1))
		now := clock{platformtest.Wednesday()}
		options := small(seed)
		options.Firm.Clock, options.Firm.Speed, options.Firm.Weekends = now.Now, 60, true
		p := newPlatform(t, options)
		stored := map[string]map[string]string{}
		for _, path := range lists() {
			stored[path] = make(map[string]string)
		}
		var since time.Time
		for range 30 {
			began := now.now
			for _, path := range lists() {
				query := url.Values{"limit": {fmt.Sprint(1 + random.IntN(200))}}
				if !since.IsZero() {
					query.Set("updated_since", since.Format(time.RFC3339Nano))
				}
				for { // the clock runs on between pages
					got := getPage(t, p, path, query)
					for _, record := range got.Data {
						h := headOf(t, string(record))
						if h.UpdatedAt.After(now.now) || h.UpdatedAt.Before(since) {
							t.Fatalf("seed %d: %s shows updated_at %s at %s, since %s", seed, path, h.UpdatedAt, now.now, since)
						}
						stored[path][h.ID] = string(record)
					}
					now.now = now.now.Add(time.Duration(random.Int64N(int64(3 * time.Second))))
					if got.NextCursor == nil {
						break
					}
					query.Set("cursor", *got.NextCursor)
				}
			}
			since = began.Add(-time.Microsecond * time.Duration(random.IntN(2)))
			now.now = now.now.Add(time.Duration(random.Int64N(int64(2 * time.Minute))))
		}
		// One more poll at rest.
		for _, path := range lists() {
			for _, record := range walk(t, p, path, 500, url.Values{"updated_since": {since.Format(time.RFC3339Nano)}}) {
				stored[path][headOf(t, record).ID] = record
			}
			truth := make(map[string]string)
			for _, record := range walk(t, p, path, 500, nil) {
				truth[headOf(t, record).ID] = record
			}
			if !maps.Equal(truth, stored[path]) {
				t.Fatalf("seed %d: %s (-truth +polled):\n%s", seed, path, cmp.Diff(truth, stored[path]))
			}
		}
	}
}

func TestLifeFollowsTheRules(t *testing.T) {
	t.Parallel()
	for seed := range uint64(6) {
		p := newPlatform(t, small(seed))
		before := p.Snapshot()
		checkRules(t, before)
		moved := map[string]int{}
		for range 20 {
			p.Advance(7 * time.Hour)
			after := p.Snapshot()
			checkRules(t, after)
			countMoves(t, before, after, moved)
			before = after
		}
		for _, what := range []string{"opened", "closed", "changed", "payout moved", "balance", "trader"} {
			if moved[what] == 0 {
				t.Errorf("seed %d: in six days nothing %s: %v", seed, what, moved)
			}
		}
	}
}

// countMoves compares two snapshots: what changed must have a new updated_at,
// closed trades stay as they are, payouts take allowed steps.
func countMoves(t *testing.T, before, after reference.Snapshot, moved map[string]int) {
	t.Helper()
	trades := make(map[string]reference.Trade)
	for _, trade := range before.Trades {
		trades[trade.ID] = trade
	}
	for _, trade := range after.Trades {
		old, ok := trades[trade.ID]
		switch {
		case !ok:
			moved["opened"]++
		case old == trade:
		case !trade.UpdatedAt.After(old.UpdatedAt) || !trade.UpdatedAt.After(before.At):
			t.Errorf("trade %s changed without a new updated_at", trade.ID)
		case !old.CloseTime.IsZero():
			t.Errorf("closed trade changed: %s", cmp.Diff(old, trade))
		case trade.CloseTime.IsZero():
			moved["changed"]++
		default:
			moved["closed"]++
		}
	}
	payouts := make(map[string]reference.Payout)
	for _, payout := range before.Payouts {
		payouts[payout.ID] = payout
	}
	steps := map[string][]string{"pending": {"approved", "paid", "rejected", "cancelled"}, "approved": {"paid"}}
	for _, payout := range after.Payouts {
		if old, ok := payouts[payout.ID]; ok && old.Status != payout.Status {
			moved["payout moved"]++
			if !slices.Contains(steps[old.Status], payout.Status) || !payout.UpdatedAt.After(old.UpdatedAt) {
				t.Errorf("payout %s went from %s to %s at %s", payout.ID, old.Status, payout.Status, payout.UpdatedAt)
			}
		}
	}
	accounts := make(map[string]reference.Account)
	for _, account := range before.Accounts {
		accounts[account.ID] = account
	}
	for _, account := range after.Accounts {
		if old, ok := accounts[account.ID]; ok && old != account {
			moved["balance"]++
			if !account.UpdatedAt.After(old.UpdatedAt) {
				t.Errorf("account %s changed without a new updated_at", account.ID)
			}
		}
	}
	moved["trader"] += len(after.Traders) - len(before.Traders)
}

// checkRules checks what must hold of a world at any moment.
func checkRules(t *testing.T, s reference.Snapshot) {
	t.Helper()
	registered := make(map[string]time.Time)
	for _, trader := range s.Traders {
		registered[trader.ID] = trader.RegisteredAt
	}
	accounts := make(map[string]reference.Account)
	hasOpen := make(map[string]bool)
	for _, a := range s.Accounts {
		accounts[a.ID] = a
		if at, ok := registered[a.TraderID]; !ok || a.StartedAt.Before(at) || a.UpdatedAt.Before(a.StartedAt) {
			t.Errorf("account %+v does not fit its trader", a)
		}
	}
	for _, trade := range s.Trades {
		a, ok := accounts[trade.AccountID]
		if !ok || trade.OpenTime.Before(a.StartedAt) {
			t.Errorf("trade %+v does not fit its account", trade)
		}
		if trade.CloseTime.IsZero() {
			hasOpen[a.ID] = true
		}
		if isOpen := trade.CloseTime.IsZero(); isOpen != trade.ClosePrice.IsNull() || isOpen != trade.Profit.IsNull() {
			t.Errorf("trade %s has only some of close time, close price and profit", trade.ID)
		}
		for _, at := range []time.Time{trade.OpenTime, trade.CloseTime, trade.UpdatedAt} {
			if !at.IsZero() && (at.Weekday() == time.Saturday || at.Weekday() == time.Sunday || at.After(s.At)) {
				t.Errorf("trade %s has a time on %s, it is %s", trade.ID, at.Format(time.RFC1123), s.At)
			}
		}
		if !trade.CloseTime.IsZero() && (trade.CloseTime.Before(trade.OpenTime) || !trade.UpdatedAt.Equal(trade.CloseTime)) || trade.UpdatedAt.Before(trade.OpenTime) {
			t.Errorf("trade %s opened %s closed %s updated %s", trade.ID, trade.OpenTime, trade.CloseTime, trade.UpdatedAt)
		}
	}
	for _, a := range s.Accounts {
		if !hasOpen[a.ID] && !a.Balance.Equal(a.Equity) {
			t.Errorf("account %s without open trades has balance %s and equity %s", a.ID, a.Balance, a.Equity)
		}
	}
	for _, payout := range s.Payouts {
		if _, ok := registered[payout.TraderID]; !ok || payout.RequestedAt.After(payout.UpdatedAt) || (payout.Status == "paid") == payout.PaidAt.IsZero() {
			t.Errorf("payout %+v breaks a rule", payout)
		}
	}
}

func TestRecordsAreRealistic(t *testing.T) {
	t.Parallel()
	options := small(21)
	options.Firm.Traders, options.Firm.Trades, options.Firm.Payouts = 400, 4_000, 300
	p := newPlatform(t, options)
	member := func(values ...string) *regexp.Regexp {
		return regexp.MustCompile("^(" + strings.Join(values, "|") + ")$")
	}
	const timeText = `"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"`
	money, price := `-?(0|[1-9]\d{0,8})\.\d\d`, `(0|[1-9]\d{0,8})(\.\d{1,5})?`
	rules := map[string]map[string]*regexp.Regexp{
		"/traders": {
			"id": member(`"tr_\d{8}"`), "updated_at": member(timeText), "email": member(`"[a-z.]+\d+@example\.(com|net|org)"`, "null"),
			"first_name": member(`"\pL+"`), "last_name": member(`"[\pL'-]+"`), "country": member(`"[A-Z]{2}"`),
			"phone": member(`"\+[1-9]\d{7,14}"`, "null"), "registered_at": member(timeText),
			"kyc_status": member(`"(not_started|pending|verified|failed)"`), "tags": member(`\[("[a-z]+",?)*\]`), "metadata": member(`\{.+\}`, "null"),
		},
		"/accounts": {
			"id": member(`"ac_\d{8}"`), "trader_id": member(`"tr_\d{8}"`), "updated_at": member(timeText),
			"platform": member(`"(mt4|mt5|ctrader|matchtrader|tradelocker|dxtrade|other)"`), "login": member(`"\d{8}"`),
			"program": member(`"[A-Z][A-Za-z-]+ \d+K"`), "phase": member(`"(evaluation|verification|funded|other)"`),
			"status": member(`"(active|passed|breached|closed|suspended)"`), "currency": member(`"(USD|EUR|GBP)"`), "initial_balance": member(money),
			"balance": member(money), "equity": member(money), "started_at": member(timeText), "metadata": member(`\{.+\}`, "null"),
		},
		"/trades": {
			"id": member(`"t_\d{10}"`), "account_id": member(`"ac_\d{8}"`), "symbol": member(`"[A-Z0-9]{4,6}"`), "side": member(`"(buy|sell)"`),
			"open_time": member(timeText), "updated_at": member(timeText), "volume": member(`\d{1,2}\.\d\d`), "close_time": member(timeText, "null"),
			"open_price": member(price), "close_price": member(price, "null"), "stop_loss": member(price, "null"), "take_profit": member(price, "null"),
			"commission": member(`-?\d+\.\d\d`), "swap": member(money), "profit": member(money, "null"),
		},
		"/payouts": {
			"id": member(`"po_\d{8}"`), "trader_id": member(`"tr_\d{8}"`), "status": member(`"(pending|approved|paid|rejected|cancelled)"`),
			"updated_at": member(timeText), "account_id": member(`"ac_\d{8}"`, "null"), "amount": member(`[1-9]\d*\.\d\d`),
			"currency": member(`"(USD|EUR|GBP)"`), "requested_at": member(timeText), "paid_at": member(timeText, "null"),
		},
	}
	for path, fields := range rules {
		bytes, emails := 0, make(map[string]bool)
		records := walk(t, p, path, 500, nil)
		for _, record := range records {
			bytes += len(record)
			var got map[string]json.RawMessage
			if err := json.Unmarshal([]byte(record), &got); err != nil {
				t.Fatal(err)
			}
			for name, value := range got {
				if fields[name] == nil || !fields[name].Match(value) {
					t.Errorf("%s: %s is %s", path, name, value)
				}
			}
			if len(got) != len(fields) {
				t.Errorf("%s: %d fields, want %d", path, len(got), len(fields))
			}
			if email := string(got["email"]); len(email) > 4 {
				if _, err := mail.ParseAddress(strings.Trim(email, `"`)); err != nil || emails[email] {
					t.Errorf("email %s: %v, or twice", email, err)
				}
				emails[email] = true
			}
		}
		t.Logf("%s: %d bytes a record", path, bytes/len(records))
	}
}

func TestTradesSpreadUnevenly(t *testing.T) {
	t.Parallel()
	options := small(22)
	options.Firm.Traders, options.Firm.Trades = 250, 50_000
	perAccount, perHour := map[string]int{}, [24]int{}
	for trade := range newPlatform(t, options).AllTrades() {
		perAccount[trade.AccountID]++
		perHour[trade.OpenTime.Hour()]++
	}
	var counts []int
	for _, n := range perAccount {
		counts = append(counts, n)
	}
	slices.Sort(counts)
	slices.Reverse(counts)
	busiest := 0
	for _, n := range counts[:len(counts)/10] {
		busiest += n
	}
	if share := busiest * 100 / 50_000; share < 30 || share > 70 {
		t.Errorf("a tenth of the accounts has %d %% of the trades", share)
	}
	if perHour[14] < 4*perHour[4] {
		t.Errorf("openings per hour do not follow the sessions: %v", perHour)
	}
}

func TestSomeTradesAreOpenAtAnyStart(t *testing.T) {
	t.Parallel()
	for hours := range 7 * 24 {
		options := small(uint64(hours))
		options.Firm.Start = platformtest.Wednesday().Add(time.Duration(hours) * time.Hour)
		options.Firm.Trades = 60
		open, pending := 0, 0
		p := newPlatform(t, options)
		for trade := range p.AllTrades() {
			if trade.CloseTime.IsZero() {
				open++
			}
		}
		for payout := range p.AllPayouts() {
			if payout.Status == "pending" {
				pending++
			}
		}
		if open == 0 || open > 20 || pending == 0 {
			t.Errorf("%s: %d of 60 trades are open, %d payouts pending", options.Firm.Start.Format(time.RFC1123), open, pending)
		}
	}
}

func TestWeekendsOption(t *testing.T) {
	t.Parallel()
	saturday := time.Date(2026, 3, 7, 12, 0, 0, 0, time.UTC)
	options := small(23)
	options.Firm.Start = saturday
	closed := newPlatform(t, options)
	options.Firm.Weekends = true
	open := newPlatform(t, options)
	before := closed.Counts().Trades
	closed.Advance(5 * time.Hour)
	open.Advance(5 * time.Hour)
	if got := closed.Counts().Trades; got != before {
		t.Errorf("%d trades opened on a Saturday", got-before)
	}
	if got := open.Counts().Trades; got <= before {
		t.Error("no trade opened on a Saturday with Weekends")
	}
}

func TestAllEqualsSnapshot(t *testing.T) {
	t.Parallel()
	options := small(24)
	p := newPlatform(t, options)
	want := p.Snapshot()
	got := reference.Snapshot{
		At: p.Now(), Traders: slices.Collect(p.AllTraders()), Accounts: slices.Collect(p.AllAccounts()),
		Trades: slices.Collect(p.AllTrades()), Payouts: slices.Collect(p.AllPayouts()),
	}
	if diff := diffSnapshots(want, got); diff != "" {
		t.Errorf("(-snapshot +all):\n%s", diff)
	}
}

func TestSnapshotIsWhatIsSent(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, small(25))
	p.Advance(time.Hour)
	s := p.Snapshot()
	got := map[string][]string{}
	for _, r := range s.Traders {
		got["/traders"] = append(got["/traders"], string(r.AppendJSON(nil)))
	}
	for _, r := range s.Accounts {
		got["/accounts"] = append(got["/accounts"], string(r.AppendJSON(nil)))
	}
	for _, r := range s.Trades {
		got["/trades"] = append(got["/trades"], string(r.AppendJSON(nil)))
	}
	for _, r := range s.Payouts {
		got["/payouts"] = append(got["/payouts"], string(r.AppendJSON(nil)))
	}
	for _, path := range lists() {
		if diff := cmp.Diff(got[path], walk(t, p, path, 100, nil)); diff != "" {
			t.Errorf("%s (-snapshot +sent):\n%s", path, diff)
		}
	}
}
