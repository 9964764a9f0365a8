package analysis_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/analysis"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/trades"
)

// monday is where the tests' trading begins: 2026-01-05 is a Monday, and no
// zone changes its clock soon after.
var monday = time.Date(2026, 1, 5, 8, 0, 0, 0, time.UTC)

// accountID is the id of the tests' n-th account.
func accountID(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

// owner is one person's n accounts with 100,000 USD each.
func owner(n int) []trades.Account {
	out := make([]trades.Account, n)
	for i := range out {
		balance := 100_000.0
		out[i] = trades.Account{
			ID: accountID(i), ExternalID: strconv.Itoa(i), Platform: "mt5", Login: strconv.Itoa(900 + i), Phase: "funded",
			Currency: "USD", InitialBalance: &balance,
		}
	}
	return out
}

// deal is a trade in the words of a test.
type deal struct {
	account int
	id      string // empty means its number in the list
	symbol  string // empty means EURUSD
	side    record.Side
	at      time.Duration // after monday
	hold    time.Duration // below zero means still open
	lots    float64       // zero when not stated
	price   float64       // zero when not stated
	net     float64
}

const open = -time.Nanosecond // hold of a position that is still open

func (d deal) record(n int) record.Trade {
	r := record.Trade{ID: d.id, Symbol: d.symbol, Side: d.side, OpenTime: monday.Add(d.at)}
	if r.ID == "" {
		r.ID = fmt.Sprintf("t%06d", n)
	}
	if r.Symbol == "" {
		r.Symbol = "EURUSD"
	}
	if r.Side == "" {
		r.Side = record.Buy
	}
	if d.lots != 0 {
		r.Volume = decimal(d.lots)
	}
	if d.price != 0 {
		r.OpenPrice = decimal(d.price)
	}
	if d.hold != open {
		r.CloseTime, r.Profit = r.OpenTime.Add(d.hold), decimal(d.net)
	}
	return r
}

func decimal(x float64) record.Decimal {
	return record.Decimal(strconv.FormatFloat(x, 'f', -1, 64))
}

// input collects deals as a loader does.
func input(accounts []trades.Account, deals ...deal) trades.Input {
	b := trades.NewBuilder(accounts)
	for i, d := range deals {
		b.Add(accountID(d.account), d.record(i))
	}
	return b.Input()
}

// analyse runs the analysis of one person's single account.
func analyse(deals ...deal) *result.Activity { return analysis.Analyse(input(owner(1), deals...)) }

// text is what the API would send.
func text(t testing.TB, a *result.Activity) string {
	t.Helper()
	out, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// value returns a metric's value, or fails.
func value(t *testing.T, a *result.Activity, name string) float64 {
	t.Helper()
	m, ok := a.Metrics[name]
	if !ok || m.Value == nil {
		t.Fatalf("metric %s = %+v", name, m)
	}
	return *m.Value
}

// detection returns what the detector of a kind says, or fails.
func detection(t *testing.T, a *result.Activity, kind string) result.Detection {
	t.Helper()
	for _, d := range a.Detectors {
		if d.Kind == kind {
			return d
		}
	}
	t.Fatalf("no detector %s", kind)
	return result.Detection{}
}

// severity returns the severity of a kind, or its status when it has none.
func severity(t *testing.T, a *result.Activity, kind string) string {
	t.Helper()
	d := detection(t, a, kind)
	if d.Severity == nil {
		return string(d.Status)
	}
	return string(*d.Severity)
}

// random is a seeded source of numbers.
func random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

// manyTrades fills a Builder with n trades of some accounts: decisions of one to
// so many tickets all day long, with every field stated.
func manyTrades(n, accounts, tickets int) *trades.Builder {
	r := random(7)
	symbols := [...]string{"EURUSD", "GBPUSD", "XAUUSD", "US30", "BTCUSD", "USDJPY", "DE40", "NAS100"}
	b := trades.NewBuilder(owner(accounts))
	per := n / accounts
	for a := range accounts {
		at := monday
		for i := 0; i < per; {
			at = at.Add(time.Duration(r.ExpFloat64() * float64(90*time.Second)))
			side, symbol, price := record.Buy, symbols[r.IntN(len(symbols))], 100+r.Float64()
			if r.IntN(2) == 0 {
				side = record.Sell
			}
			for range min(1+r.IntN(tickets), per-i) {
				at = at.Add(time.Duration(r.IntN(int(time.Second))))
				b.Add(accountID(a), record.Trade{
					ID: strconv.Itoa(50_000_000 + i), Symbol: symbol, Side: side, OpenTime: at,
					CloseTime: at.Add(time.Duration(r.ExpFloat64() * float64(20*time.Minute))),
					Volume:    decimal(float64(1+r.IntN(40)) / 10), OpenPrice: decimal(price),
					StopLoss: decimal(price - 1), TakeProfit: decimal(price + 1),
					Profit: decimal(float64(r.IntN(40_000)-20_000) / 100),
				})
				i++
			}
		}
	}
	return b
}
