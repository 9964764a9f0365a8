// Package claimstest makes the trading of a trader, with which tests compare what the trader says.
package claimstest

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/analysis"
	"github.com/assayhq/assay/internal/analysis/calendar"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/ruleset"
	"github.com/assayhq/assay/internal/analysis/trades"
	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/check"
	"github.com/assayhq/assay/internal/interview/claims/extract"
)

// Monday is where the tests' trading begins.
var Monday = time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)

// World is somebody's trading, in which tests change what they are about. It has
// days with some trades each, an hour apart, held for twenty minutes with a stop
// that costs 200 of 100,000 dollars, won and lost in turns.
type World struct {
	Days, PerDay  int
	Hold          time.Duration
	Symbol        string
	Stop          record.Decimal // empty when there is none
	Loss          int            // of each second trade
	Balance       float64        // 0 when not known
	Balances      []float64      // of each account, in place of Balance
	currency      string
	Accounts      int // of the trader, with equal shares of the trades
	Zone          *time.Location
	Basis         result.TimezoneBasis
	Contracts     bool
	Calendar      *calendar.Calendar
	Each          func(n int, t *record.Trade) // changes a trade
	Peer          func(n int, t *record.Trade) // another trader's copy of a trade; nil when there is none
	Directory     *int
	Ended         int // of the directory's accounts
	First         *time.Time
	Confirmed     []string
	WithoutTrades bool
}

// NewWorld returns twenty days of trading, of which a test changes what it is about.
func NewWorld() World {
	return World{
		Days: 20, PerDay: 3, Hold: 20 * time.Minute, Symbol: "EURUSD", Stop: "1.098", Loss: 200, Balance: 100_000, currency: "USD", Accounts: 1, Basis: result.Given, Contracts: true,
	}
}

func id(n int) string { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }

// input is the world's trades.
func (w World) input() trades.Input {
	var accounts []trades.Account
	for n := range w.Accounts {
		a := trades.Account{ID: id(n), Platform: "mt5", Login: strconv.Itoa(100 + n), Currency: w.currency}
		if w.Balance > 0 {
			a.InitialBalance = &w.Balance
		}
		if n < len(w.Balances) {
			a.InitialBalance = &w.Balances[n]
		}
		accounts = append(accounts, a)
	}
	accounts = append(accounts, trades.Account{ID: id(99), Platform: "mt5", Login: "999", Currency: w.currency, Peer: true})
	if w.Peer == nil {
		accounts = accounts[:w.Accounts]
	}
	b := trades.NewBuilder(accounts)
	for d := range w.Days {
		for i := range w.PerDay {
			n := d*w.PerDay + i
			open := Monday.AddDate(0, 0, d).Add(time.Duration(i) * time.Hour).Add(time.Duration(n*37%50) * time.Second)
			t := record.Trade{
				ID: fmt.Sprintf("t%04d", n), Symbol: w.Symbol, Side: record.Buy, OpenTime: open, CloseTime: open.Add(w.Hold), Volume: "1", OpenPrice: "1.1", StopLoss: w.Stop, Profit: "210",
			}
			if n%2 == 1 {
				t.Profit, t.Side = record.Decimal(strconv.Itoa(-w.Loss)), record.Sell
				if w.Stop != "" {
					t.StopLoss = "1.102"
				}
			}
			if w.Each != nil {
				w.Each(n, &t)
			}
			b.Add(id(n%w.Accounts), t)
			if w.Peer != nil {
				t.ID = "p" + t.ID
				w.Peer(n, &t)
				b.Add(id(99), t)
			}
		}
	}
	in := b.Input()
	in.Location, in.Basis, in.Calendar = w.Zone, w.Basis, w.Calendar
	in.Ruleset = ruleset.Neutral()
	if w.Contracts {
		in.Ruleset.ContractSizes = map[string]float64{"EURUSD": 100_000}
	}
	return in
}

// Data returns what claims are compared with.
func (w World) Data() check.Data {
	d := check.Data{Accounts: w.Directory, Ended: w.Ended, FirstTrade: w.First, Confirmed: w.Confirmed}
	if !w.WithoutTrades {
		in := w.input()
		d.Input, d.Activity = &in, analysis.Analyse(in)
	}
	return d
}

// Check returns what somebody states who says the text, compared with the trading.
func (w World) Check(text string) []check.Checked {
	return check.Claims(extract.Claims([]claims.Segment{{ID: "s1", Text: text, EndMS: 1000}}, nil), w.Data())
}

// NewsAt is a calendar with an event of high impact at that hour each day.
func NewsAt(hour int) *calendar.Calendar {
	return NewsOn(func(int) time.Duration { return time.Duration(hour-9) * time.Hour })
}

// NewsOn is a calendar with an event of high impact each day, so long after nine.
func NewsOn(after func(day int) time.Duration) *calendar.Calendar {
	var text strings.Builder
	text.WriteString("time,currency,impact,title\n")
	for d := range 240 {
		text.WriteString(Monday.AddDate(0, 0, d-5).Add(after(d-5)).Format(time.RFC3339) + ",USD,high,Rates\n")
	}
	c, err := calendar.Parse(strings.NewReader(text.String()))
	if err != nil {
		panic(err)
	}
	return c
}
