package analysis

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/analysis/micros"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/stat"
	"github.com/assayhq/assay/internal/analysis/trades"
)

// Bounds of charts.
const (
	maxPeriods = 800 // rows of DailyPnL for each currency, and of a SideChart
	maxPoints  = 500 // of an EquityLine
	maxBursts  = 200
	maxSides   = 20 // symbols of a SideChart
)

// holdEdges are the seconds at which bins of the histogram begin.
var holdEdges = [...]float64{
	0, 1, 2, 5, 10, 20, 30, 60, 120, 180, 300, 600, 1200, 1800, 3600, 2 * 3600, 4 * 3600, 8 * 3600, 86400, 2 * 86400, 4 * 86400,
	7 * 86400, 14 * 86400, 28 * 86400,
}

// buildCharts computes the data of all charts.
func buildCharts(v *trades.View) result.Charts {
	c := result.Charts{HoldHistogram: buildHoldHistogram(v), Bursts: buildBurstLine(v), Sides: buildSideChart(v)}
	clock := micros.NewClock(v.Location)
	for _, a := range v.Accounts {
		for i := range a.Trades {
			day, hour := clock.DayAndHour(a.Trades[i].Open)
			c.ByHour[hour]++
			c.ByWeekday[micros.WeekdayOf(day)]++
		}
	}
	c.DailyPnL, c.Equity = []result.PeriodPnL{}, []result.EquityLine{}
	for _, currency := range v.ListCurrencies() {
		c.DailyPnL = append(c.DailyPnL, buildDailyPnL(v, currency)...)
		if points := computeEquity(v, currency); len(points) > 0 {
			c.Equity = append(c.Equity, result.EquityLine{Currency: currency, Points: points})
		}
	}
	return c
}

func buildHoldHistogram(v *trades.View) []result.HoldBin {
	bins := make([]result.HoldBin, len(holdEdges))
	for i := range bins {
		bins[i].From = holdEdges[i]
		if i+1 < len(holdEdges) {
			bins[i].To = &holdEdges[i+1]
		}
	}
	for _, a := range v.Accounts {
		for _, i := range a.ByClose {
			hold := a.Trades[i].Hold()
			at := stat.CountBelow(holdEdges[:], hold)
			if at == len(holdEdges) || holdEdges[at] > hold {
				at--
			}
			bins[at].Count++
		}
	}
	return bins
}

// buildDailyPnL returns the days of one currency with closed trades, in order. More
// than maxPeriods days are put together, a whole number of days in each row.
func buildDailyPnL(v *trades.View, currency string) []result.PeriodPnL {
	type daySum struct {
		net stat.RunningSum
		n   int
	}
	days := map[int32]*daySum{}
	for _, a := range v.Accounts {
		if a.Currency != currency {
			continue
		}
		for _, r := range a.ResultDays {
			d, ok := days[r.Day]
			if !ok {
				d = &daySum{}
				days[r.Day] = d
			}
			d.net.Add(r.Net)
			d.n += r.N
		}
	}
	out := []result.PeriodPnL{}
	for p, in := range splitPeriods(slices.Sorted(maps.Keys(days))) {
		var net stat.RunningSum
		n := 0
		for _, d := range in {
			net.Merge(days[d].net)
			n += days[d].n
		}
		out = append(out, result.PeriodPnL{Day: micros.FormatDate(p.from), Days: int(p.days), Currency: currency, Net: roundMoney(net.Value()), Closed: n})
	}
	return out
}

// period is a row of a chart: a day, or a number of days in a row.
type period struct{ from, days int32 }

// splitPeriods cuts days, which are in order, into at most maxPeriods rows of
// equally many days each, and yields those that hold any of them, with these.
func splitPeriods(days []int32) iter.Seq2[period, []int32] {
	step := periodDays(days)
	return func(yield func(period, []int32) bool) {
		for i := 0; i < len(days); {
			from, begin := days[0]+(days[i]-days[0])/step*step, i
			for ; i < len(days) && days[i] < from+step; i++ {
			}
			if !yield(period{from, step}, days[begin:i]) {
				return
			}
		}
	}
}

// periodDays is how many days a row has to span.
func periodDays(days []int32) int32 {
	if len(days) <= maxPeriods {
		return 1
	}
	span := days[len(days)-1] - days[0] + 1
	return (span + maxPeriods - 1) / maxPeriods
}

// computeEquity returns the running sum of one currency's closed trades, in
// stretches of about equally many trades. Closes of one moment fall into one
// stretch.
func computeEquity(v *trades.View, currency string) []result.EquityPoint {
	accounts := v.AccountsIn(currency)
	total := 0
	for _, a := range accounts {
		for _, r := range a.ResultDays {
			total += r.N
		}
	}
	e := equityLine{size: (total + maxPoints - 1) / maxPoints}
	trades.EachNet(accounts, e.addPoint)
	e.endMoment()
	e.endStretch()
	return e.points
}

// equityLine takes results in order of time.
type equityLine struct {
	size   int // trades of a stretch
	points []result.EquityPoint

	net    stat.RunningSum
	moment int64 // of the last results
	now    int   // results of that moment
	open   result.EquityPoint
	n      int // trades of the open stretch
}

func (e *equityLine) addPoint(moment int64, net float64) {
	if moment != e.moment {
		e.endMoment()
		e.moment = moment
	}
	e.net.Add(net)
	e.now++
}

// endMoment takes the sum as it is once all results of one moment are in.
func (e *equityLine) endMoment() {
	if e.now == 0 {
		return
	}
	value := e.net.Value()
	if e.n == 0 {
		e.open = result.EquityPoint{Low: value, High: value}
	}
	e.open.At, e.open.Net = micros.TimeOf(e.moment), value
	e.open.Low, e.open.High = min(e.open.Low, value), max(e.open.High, value)
	e.n, e.now = e.n+e.now, 0
	if e.n >= e.size {
		e.endStretch()
	}
}

func (e *equityLine) endStretch() {
	if e.n > 0 {
		p := e.open
		e.points = append(e.points, result.EquityPoint{At: p.At, Net: roundMoney(p.Net), Low: roundMoney(p.Low), High: roundMoney(p.High)})
	}
	e.n = 0
}

// buildBurstLine returns the largest bursts in order of time.
func buildBurstLine(v *trades.View) result.BurstLine {
	var all []burst
	for _, a := range v.Accounts {
		all = append(all, findBursts(a, &v.Ruleset.Bursts)...)
	}
	line := result.BurstLine{Total: len(all), Shown: []result.BurstBar{}}
	slices.SortStableFunc(all, compareBursts)
	all = all[:min(len(all), maxBursts)]
	slices.SortStableFunc(all, func(a, b burst) int {
		return cmp.Or(cmp.Compare(a.start, b.start), strings.Compare(a.account.ID, b.account.ID))
	})
	for _, b := range all {
		line.Shown = append(line.Shown, result.BurstBar{
			AccountID: b.account.ID, From: micros.TimeOf(b.start), To: micros.TimeOf(b.end), Decisions: b.countOpens(),
			SameSideShare: stat.Fraction(b.sameSide(), b.countOpens()),
		})
	}
	return line
}

// buildSideChart counts decisions by side. Symbols with equally many come by name.
func buildSideChart(v *trades.View) result.SideChart {
	type counts [2]int // by Side
	days, symbols := map[int32]*counts{}, make([]counts, len(v.Symbols))
	for _, a := range v.Accounts {
		var today *counts
		for i := range a.Clusters {
			c := &a.Clusters[i]
			if day := a.Days[c.First]; i == 0 || day != a.Days[a.Clusters[i-1].First] {
				if today = days[day]; today == nil {
					today = &counts{}
					days[day] = today
				}
			}
			today[c.Side]++
			symbols[c.Key][c.Side]++
		}
	}
	chart := result.SideChart{Periods: []result.SidePeriod{}, Symbols: []result.SideSymbol{}}
	for p, in := range splitPeriods(slices.Sorted(maps.Keys(days))) {
		row := result.SidePeriod{Day: micros.FormatDate(p.from), Days: int(p.days)}
		for _, d := range in {
			row.Buys += days[d][trades.Buy]
			row.Sells += days[d][trades.Sell]
		}
		chart.Periods = append(chart.Periods, row)
	}
	for key, n := range symbols {
		if n != (counts{}) {
			chart.Symbols = append(chart.Symbols, result.SideSymbol{Symbol: v.Symbols[key], Buys: n[trades.Buy], Sells: n[trades.Sell]})
		}
	}
	slices.SortFunc(chart.Symbols, func(a, b result.SideSymbol) int {
		return cmp.Or(cmp.Compare(b.Buys+b.Sells, a.Buys+a.Sells), strings.Compare(a.Symbol, b.Symbol))
	})
	shown := min(len(chart.Symbols), maxSides)
	for _, s := range chart.Symbols[shown:] {
		chart.Rest.Symbols++
		chart.Rest.Buys += s.Buys
		chart.Rest.Sells += s.Sells
	}
	chart.Symbols = chart.Symbols[:shown]
	return chart
}
