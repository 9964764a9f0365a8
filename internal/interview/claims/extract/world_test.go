package extract_test

import (
	"fmt"
	"strconv"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/analysis"
	"github.com/assayhq/assay/internal/analysis/calendar"
	"github.com/assayhq/assay/internal/analysis/ruleset"
	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/check"
	"github.com/assayhq/assay/internal/interview/claims/extract"
)

// monday is where the tests' trading begins.
var monday = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

// world is somebody's trading, in which tests change what they are about. It has
// days with some trades each, an hour apart, held for twenty minutes with a stop
// that costs 200 of 100,000 dollars, won and lost in turns.
type world struct {
	days, perDay  int
	hold          time.Duration
	symbol        string
	stop          record.Decimal // empty when there is none
	loss          int            // of each second trade
	balance       float64        // 0 when not known
	balances      []float64      // of each account, in place of balance
	currency      string
	accounts      int // of the trader, with equal shares of the trades
	zone          *time.Location
	basis         analysis.TimezoneBasis
	contracts     bool
	calendar      *calendar.Calendar
	each          func(n int, t *record.Trade) // changes a trade
	peer          func(n int, t *record.Trade) // another trader's copy of a trade; nil when there is none
	directory     *int
	ended         int // of the directory's accounts
	first         *time.Time
	confirmed     []string
	withoutTrades bool
}

func usual() world {
	return world{
		days: 20, perDay: 3, hold: 20 * time.Minute, symbol: "EURUSD", stop: "1.098", loss: 200, balance: 100_000, currency: "USD", accounts: 1, basis: analysis.Given, contracts: true,
	}
}

func id(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

// input is the world's trades.
func (w world) input() analysis.Input {
	var accounts []analysis.Account
	for n := range w.accounts {
		a := analysis.Account{ID: id(n), Platform: "mt5", Login: strconv.Itoa(100 + n), Currency: w.currency}
		if w.balance > 0 {
			a.InitialBalance = &w.balance
		}
		if n < len(w.balances) {
			a.InitialBalance = &w.balances[n]
		}
		accounts = append(accounts, a)
	}
	accounts = append(accounts, analysis.Account{ID: id(99), Platform: "mt5", Login: "999", Currency: w.currency, Peer: true})
	if w.peer == nil {
		accounts = accounts[:w.accounts]
	}
	b := analysis.NewBuilder(accounts)
	for d := range w.days {
		for i := range w.perDay {
			n := d*w.perDay + i
			open := monday.AddDate(0, 0, d).Add(time.Duration(i) * time.Hour).Add(time.Duration(n*37%50) * time.Second)
			t := record.Trade{
				ID: fmt.Sprintf("t%04d", n), Symbol: w.symbol, Side: record.Buy, OpenTime: open, CloseTime: open.Add(w.hold), Volume: "1", OpenPrice: "1.1", StopLoss: w.stop, Profit: "210",
			}
			if n%2 == 1 {
				t.Profit, t.Side = record.Decimal(strconv.Itoa(-w.loss)), record.Sell
				if w.stop != "" {
					t.StopLoss = "1.102"
				}
			}
			if w.each != nil {
				w.each(n, &t)
			}
			b.Add(id(n%w.accounts), t)
			if w.peer != nil {
				t.ID = "p" + t.ID
				w.peer(n, &t)
				b.Add(id(99), t)
			}
		}
	}
	in := b.Input()
	in.Location, in.Basis, in.Calendar = w.zone, w.basis, w.calendar
	in.Ruleset = ruleset.Neutral()
	if w.contracts {
		in.Ruleset.ContractSizes = map[string]float64{"EURUSD": 100_000}
	}
	return in
}

// data returns what claims are compared with.
func (w world) data() check.Data {
	d := check.Data{Accounts: w.directory, Ended: w.ended, FirstTrade: w.first, Confirmed: w.confirmed}
	if !w.withoutTrades {
		in := w.input()
		d.Input, d.Activity = &in, analysis.Analyse(in)
	}
	return d
}

// check says something in the world.
func (w world) check(text string) []check.Checked {
	return check.Claims(extract.Claims([]claims.Segment{{ID: "s1", Text: text, EndMS: 1000}}, nil), w.data())
}
