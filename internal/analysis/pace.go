package analysis

import (
	"slices"

	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/stat"
)

// minPaceDays is how many active days say how much somebody trades on one.
const minPaceDays = 5

// detectPace measures how many decisions fall on a day. No finding rests on it.
//
//   - decisions_per_day_p25, _p50, _p75, _p90: quantiles of type 7 of the number
//     of decisions on days with any, over all accounts together. Count, n active
//     days, minimum 5.
func detectPace(v *View) Result {
	counts := DecisionsPerDay(v.Accounts...)
	metrics := map[string]result.Metric{}
	for name, q := range map[string]float64{"decisions_per_day_p25": 0.25, "decisions_per_day_p50": 0.5, "decisions_per_day_p75": 0.75, "decisions_per_day_p90": 0.9} {
		x, _ := stat.Quantile(counts, q)
		metrics[name] = result.NewMetric("count", x, len(counts), minPaceDays)
	}
	return Result{Metrics: metrics}
}

// DecisionsPerDay counts the decisions of each day on which there was any in one
// of the accounts, the fewest first.
func DecisionsPerDay(accounts ...*AccountView) []float64 {
	byDay := map[int32]int{}
	for _, a := range accounts {
		for i := range a.Clusters {
			byDay[a.Days[a.Clusters[i].First]]++
		}
	}
	counts := make([]float64, 0, len(byDay))
	for _, n := range byDay {
		counts = append(counts, float64(n))
	}
	slices.Sort(counts)
	return counts
}
