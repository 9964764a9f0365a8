package tradertest

import (
	"time"

	"github.com/assayhq/assay/internal/analysis/calendar"
)

// weeks is how long a market is open.
const weeks = 12

// Microseconds, the unit of trades' times.
const (
	second = int64(1_000_000)
	minute = 60 * second
	hour   = 60 * minute
	day    = 24 * hour
)

// begin is the first Monday, 00:00 UTC.
var begin = time.Date(2026, 1, 5, 0, 0, 0, 0, time.UTC).UnixMicro()

// instrument is what is traded.
type instrument struct {
	symbol   string
	price    float64 // at the beginning
	move     float64 // standard deviation of a minute's change
	contract float64 // units for each lot
	digits   int
}

func allInstruments() []instrument {
	return []instrument{
		{"EURUSD", 1.1, 0.00006, 100_000, 5},
		{"XAUUSD.pro", 2650, 0.35, 100, 2},
		{"US30", 43_000, 6, 1, 1},
		{"GBPJPY", 195, 0.015, 650, 3},
	}
}

// Market is prices of four symbols and the news of its time. It does not change
// once it is made, and may be shared.
type Market struct {
	instruments []instrument
	paths       [][]float64 // of each instrument, by minute
	Calendar    *calendar.Calendar
}

// NewMarket returns the market of a seed. News come at random half hours of
// working days: two events of high impact a day.
func NewMarket(seed uint64) *Market {
	rng := newSource(seed, 1)
	m := &Market{instruments: allInstruments(), Calendar: &calendar.Calendar{}}
	for _, x := range m.instruments {
		path := make([]float64, weeks*7*24*60+1)
		price := x.price
		for i := range path {
			path[i] = price
			if weekday := (i / (24 * 60)) % 7; weekday < 5 {
				price += rng.NormFloat64() * x.move
			}
		}
		m.paths = append(m.paths, path)
	}
	currencies := [...]string{"USD", "USD", "USD", "EUR", "GBP", "JPY"}
	for d := range int64(weeks * 7) {
		if d%7 >= 5 {
			continue
		}
		for half := range int64(48) {
			if rng.Float64() < 2.0/48 {
				m.Calendar.Events = append(m.Calendar.Events, calendar.Event{
					Time: begin + d*day + half*30*minute, Currency: currencies[rng.IntN(len(currencies))], Impact: calendar.High,
				})
			}
		}
	}
	return m
}

// endMoment returns when the market closes for good.
func (m *Market) endMoment() int64 { return begin + int64(len(m.paths[0])-2)*minute }

// priceAt returns the price of an instrument at a moment, rounded to its digits.
func (m *Market) priceAt(instrument int, at int64) float64 {
	at = min(max(at-begin, 0), int64(len(m.paths[0])-2)*minute)
	i := at / minute
	path := m.paths[instrument]
	p := path[i] + (path[i+1]-path[i])*float64(at%minute)/float64(minute)
	scale := 1.0
	for range m.instruments[instrument].digits {
		scale *= 10
	}
	return float64(int64(p*scale+0.5)) / scale
}
