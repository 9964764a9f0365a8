package analysis

import (
	"github.com/assayhq/assay/internal/analysis/detect"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/stat"
	"github.com/assayhq/assay/internal/analysis/trades"
)

// minPaceDays is how many active days say how much somebody trades on one.
const minPaceDays = 5

// detectPace measures how many decisions fall on a day. No finding rests on it.
//
//   - decisions_per_day_p25, _p50, _p75, _p90: quantiles of type 7 of the number
//     of decisions on days with any, over all accounts together. Count, n active
//     days, minimum 5.
func detectPace(v *trades.View) detect.Result {
	counts := trades.DecisionsPerDay(v.Accounts...)
	metrics := map[string]result.Metric{}
	for name, q := range map[string]float64{"decisions_per_day_p25": 0.25, "decisions_per_day_p50": 0.5, "decisions_per_day_p75": 0.75, "decisions_per_day_p90": 0.9} {
		x, _ := stat.Quantile(counts, q)
		metrics[name] = result.NewMetric("count", x, len(counts), minPaceDays)
	}
	return detect.Result{Metrics: metrics}
}
