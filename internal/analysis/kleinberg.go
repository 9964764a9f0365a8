package analysis

import (
	"math"

	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/stat"
	"github.com/assayhq/assay/internal/analysis/trades"
)

// minStates is the least number of decisions for which states are reported.
const minStates = 20

// busyDecisions counts the decisions of an account that its most likely sequence
// of two states puts into the faster one, next to a gap of that state. Gaps are
// exponential with the account's own rate, or with twice that; entering the
// faster state costs ln n, leaving it nothing. ok is false below minStates
// decisions and where all are of one moment.
// Source: J. Kleinberg, Data Mining and Knowledge Discovery 7 (2003), with s = 2
// and γ = 1.
func busyDecisions(clusters []trades.Cluster) (busy int, ok bool) {
	n := len(clusters) - 1
	if n+1 < minStates || clusters[n].Open == clusters[0].Open {
		return 0, false
	}
	rate := float64(n) / float64(clusters[n].Open-clusters[0].Open)
	enter := math.Log(float64(n))
	slow, fast := 0.0, enter // least cost of ending in either state
	from := make([]uint8, n) // bit 0 means that slow was entered from fast; bit 1, fast from fast
	for i := range n {
		x := rate * float64(clusters[i+1].Open-clusters[i].Open)
		if i > 0 {
			if fast < slow {
				from[i] |= 1
			}
			if fast <= slow+enter {
				from[i] |= 2
			}
			slow, fast = min(slow, fast), min(fast, slow+enter)
		}
		slow += x
		fast += 2*x - math.Ln2
	}
	return countBusy(from, fast < slow), true
}

// countBusy follows the states back from the last gap and counts the decisions
// on either end of a fast one.
func countBusy(from []uint8, fast bool) int {
	busy, counted := 0, false // whether the later decision of the gap is counted
	for i := len(from) - 1; i >= 0; i-- {
		if fast {
			if !counted {
				busy++
			}
			busy++
		}
		counted = fast
		if fast {
			fast = from[i]&2 != 0
		} else {
			fast = from[i]&1 != 0
		}
	}
	return busy
}

// busyShare is the metric of the states of all accounts.
func busyShare(v *trades.View) result.Metric {
	busy, n := 0, 0
	for _, a := range v.Accounts {
		if k, ok := busyDecisions(a.Clusters); ok {
			busy += k
			n += len(a.Clusters)
		}
	}
	return result.NewMetric("share", stat.Fraction(busy, n), n, minStates).AddParam("rate_factor", 2).AddParam("gamma", 1)
}
