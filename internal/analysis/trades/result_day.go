package trades

import (
	"slices"

	"github.com/assayhq/assay/internal/analysis/micros"
	"github.com/assayhq/assay/internal/analysis/stat"
)

// ResultDay is what an account realized on one day.
type ResultDay struct {
	Day  int32
	Net  float64
	Low  float64 // lowest sum since the day began, at most 0
	N    int     // closed trades with a known result
	From int     // of AccountView.ByClose
	To   int     // exclusive
}

// sumUpDays sums up the results of an account by day of the close. Closes of
// one moment count together, so that their order decides nothing.
func sumUpDays(a *AccountView) []ResultDay {
	var out []ResultDay
	var net stat.RunningSum
	c := micros.NewClock(a.Location)
	for k := 0; k < len(a.ByClose); {
		moment := a.Trades[a.ByClose[k]].Close
		d := c.DayOf(moment)
		if len(out) == 0 || out[len(out)-1].Day != d {
			out, net = append(out, ResultDay{Day: d, From: k, To: k}), stat.RunningSum{}
		}
		r := &out[len(out)-1]
		for ; k < len(a.ByClose) && a.Trades[a.ByClose[k]].Close == moment; k++ {
			if x, ok := a.Trades[a.ByClose[k]].Net(); ok {
				net.Add(x)
				r.N++
			}
			r.To++
		}
		r.Net = net.Value()
		r.Low = min(r.Low, r.Net)
	}
	return slices.DeleteFunc(out, func(r ResultDay) bool { return r.N == 0 })
}

// WorstDay is the day with the largest loss of an account.
type WorstDay struct {
	Day  string  // YYYY-MM-DD, in the account's timezone
	Loss float64 // largest loss of closed trades since the day began; 0 without any
	Days int     // days with closed trades
}

// FindWorstDay returns the day with the largest loss, the first of several. ok is false if no closed
// trade has a known result.
func (a *AccountView) FindWorstDay() (worst WorstDay, ok bool) {
	for i, d := range a.ResultDays {
		if i == 0 || -d.Low > worst.Loss {
			worst.Day, worst.Loss = micros.FormatDate(d.Day), max(0, -d.Low)
		}
	}
	worst.Days = len(a.ResultDays)
	return worst, worst.Days > 0
}
