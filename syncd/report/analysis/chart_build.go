package analysis

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// Bounds of charts.
const (
	maxPeriods = 800 // rows of DailyPnL for each currency
	maxPoints  = 500 // of an EquityLine
	maxBursts  = 200
)

// holdEdges are the seconds at which bins of the histogram begin.
var holdEdges = [...]float64{
	0, 1, 2, 5, 10, 20, 30, 60, 120, 180, 300, 600, 1200, 1800, 3600, 2 * 3600, 4 * 3600, 8 * 3600, 86400, 2 * 86400, 4 * 86400,
	7 * 86400, 14 * 86400, 28 * 86400,
}

// charts computes the data of all charts.
func (v *View) charts() Charts {
	c := Charts{HoldHistogram: v.holdHistogram(), Bursts: v.burstLine()}
	clock := newClock(v.Location)
	for _, a := range v.Accounts {
		for i := range a.Trades {
			c.ByHour[clock.hour(a.Trades[i].Open)]++
			c.ByWeekday[clock.weekday(a.Trades[i].Open)]++
		}
	}
	c.DailyPnL, c.Equity = []PeriodPnL{}, []EquityLine{}
	for _, currency := range v.currencies() {
		c.DailyPnL = append(c.DailyPnL, v.dailyPnL(currency)...)
		if points := v.equity(currency); len(points) > 0 {
			c.Equity = append(c.Equity, EquityLine{Currency: currency, Points: points})
		}
	}
	return c
}

// currencies returns those of the accounts, in order.
func (v *View) currencies() []string {
	var out []string
	for _, a := range v.Accounts {
		out = append(out, a.Currency)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (v *View) holdHistogram() []HoldBin {
	bins := make([]HoldBin, len(holdEdges))
	for i := range bins {
		bins[i].From = holdEdges[i]
		if i+1 < len(holdEdges) {
			bins[i].To = &holdEdges[i+1]
		}
	}
	for _, a := range v.Accounts {
		for _, i := range a.ByClose {
			at, exact := slices.BinarySearch(holdEdges[:], a.Trades[i].Hold())
			if !exact {
				at--
			}
			bins[at].Count++
		}
	}
	return bins
}

// dailyPnL returns the days of one currency with closed trades, in order. More
// than maxPeriods days are put together, a whole number of days in each row.
func (v *View) dailyPnL(currency string) []PeriodPnL {
	type daySum struct {
		net sum
		n   int
	}
	days := map[int32]*daySum{}
	for _, a := range v.Accounts {
		if a.Currency != currency {
			continue
		}
		for _, r := range a.results {
			d, ok := days[r.day]
			if !ok {
				d = &daySum{}
				days[r.day] = d
			}
			d.net.add(r.net)
			d.n += r.n
		}
	}
	order := make([]int32, 0, len(days))
	for d := range days {
		order = append(order, d)
	}
	slices.Sort(order)
	out := make([]PeriodPnL, 0, min(len(order), maxPeriods))
	for step, i := periodDays(order), 0; i < len(order); {
		from := order[0] + (order[i]-order[0])/step*step
		var net sum
		n := 0
		for ; i < len(order) && order[i] < from+step; i++ {
			net.merge(days[order[i]].net)
			n += days[order[i]].n
		}
		out = append(out, PeriodPnL{Day: date(from), Days: int(step), Currency: currency, Net: net.value(), Closed: n})
	}
	return out
}

// periodDays is how many days a row has to span.
func periodDays(days []int32) int32 {
	if len(days) <= maxPeriods {
		return 1
	}
	span := days[len(days)-1] - days[0] + 1
	return (span + maxPeriods - 1) / maxPeriods
}

// equity returns the running sum of one currency's closed trades, in stretches
// of about equally many trades. Closes of one moment fall into one stretch.
func (v *View) equity(currency string) []EquityPoint {
	closed := v.closedIn(currency)
	if len(closed) == 0 {
		return nil
	}
	size := (len(closed) + maxPoints - 1) / maxPoints
	var out []EquityPoint
	var net sum
	for i := 0; i < len(closed); {
		p := EquityPoint{Low: math.Inf(1), High: math.Inf(-1)}
		for n := 0; i < len(closed) && n < size; {
			moment := closed[i].at
			for ; i < len(closed) && closed[i].at == moment; i++ {
				net.add(closed[i].net)
				n++
			}
			p.At, p.Net = at(moment), net.value()
			p.Low, p.High = min(p.Low, p.Net), max(p.High, p.Net)
		}
		out = append(out, p)
	}
	return out
}

type closedNet struct {
	at  int64
	net float64
}

// closedIn returns the results of one currency in order of close.
func (v *View) closedIn(currency string) []closedNet {
	var out []closedNet
	accounts := 0
	for _, a := range v.Accounts {
		if a.Currency != currency {
			continue
		}
		accounts++
		out = slices.Grow(out, len(a.ByClose))
		for _, i := range a.ByClose {
			if net, ok := a.Trades[i].Net(); ok {
				out = append(out, closedNet{a.Trades[i].Close, net})
			}
		}
	}
	if accounts > 1 {
		slices.SortFunc(out, func(a, b closedNet) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.net, b.net)) })
	}
	return out
}

// burstLine returns the largest bursts in order of time.
func (v *View) burstLine() BurstLine {
	var all []burst
	for _, a := range v.Accounts {
		all = append(all, bursts(a, &v.Ruleset.Bursts)...)
	}
	line := BurstLine{Total: len(all), Shown: []BurstBar{}}
	slices.SortStableFunc(all, compareBursts)
	all = all[:min(len(all), maxBursts)]
	slices.SortStableFunc(all, func(a, b burst) int {
		return cmp.Or(cmp.Compare(a.start, b.start), strings.Compare(a.account.ID, b.account.ID))
	})
	for _, b := range all {
		line.Shown = append(line.Shown, BurstBar{
			AccountID: b.account.ID, From: at(b.start), To: at(b.end), Decisions: b.size(),
			SameSideShare: share(b.sameSide(), b.size()),
		})
	}
	return line
}
