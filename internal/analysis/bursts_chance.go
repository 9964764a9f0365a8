package analysis

import (
	"slices"

	"github.com/assayhq/assay/internal/analysis/micros"
	"github.com/assayhq/assay/internal/analysis/ruleset"
	"github.com/assayhq/assay/internal/analysis/stat"
	"github.com/assayhq/assay/internal/analysis/trades"
)

// Bounds of the test of bursts against the trader's own hours.
const (
	burstOrders = 40    // how often times of the day are redistributed
	burstSample = 5_000 // decisions beyond which only every so many-th day is looked at
)

// burstsByChance counts the decisions in bursts, and how many there are when each
// day gets moments of the day that are drawn from all days of the account. That
// keeps the hours in which somebody is busy, such as the open of a session, where
// decisions lie close together on every day; what is left above it is what single
// days have of their own. Moments are drawn from a fixed sequence.
func burstsByChance(v *trades.View, rules *ruleset.BurstRules) (seen int, chance []int) {
	stride := 1 + v.Decisions/burstSample
	chance = make([]int, burstOrders)
	rng := stat.Sequence(17, uint64(v.Decisions))
	for _, a := range v.Accounts {
		moments, ends := daysOf(a, stride)
		count := func() (n int) {
			from := 0
			for _, to := range ends {
				n += inBursts(moments[from:to], rules)
				from = to
			}
			return n
		}
		seen += count()
		for i := range chance {
			rng.Shuffle(len(moments), func(i, j int) { moments[i], moments[j] = moments[j], moments[i] })
			from := 0
			for _, to := range ends {
				slices.Sort(moments[from:to])
				from = to
			}
			chance[i] += count()
		}
	}
	return seen, chance
}

// daysOf returns when in the day (UTC) decisions were opened, of every stride-th day
// of an account, day by day, and where each day ends.
func daysOf(a *trades.AccountView, stride int) (moments []int64, ends []int) {
	last, n := int64(0), -1
	for i := range a.Clusters {
		open := a.Clusters[i].Open
		if d := micros.FloorDiv(open, micros.Day); i == 0 || d != last {
			last = d
			if n++; n%stride == 0 {
				ends = append(ends, len(moments))
			}
		}
		if n%stride == 0 {
			moments = append(moments, open-last*micros.Day)
			ends[len(ends)-1] = len(moments)
		}
	}
	return moments, ends
}

// inBursts counts the moments of a day that lie in bursts.
func inBursts(moments []int64, rules *ruleset.BurstRules) (n int) {
	w, counted := int64(rules.WindowSeconds*micros.Second), 0
	for i, j := 0, 0; i < len(moments); i++ {
		for moments[i]-moments[j] >= w && j < i {
			j++
		}
		if i-j+1 >= rules.MinOpens && w > 0 {
			n += i + 1 - max(counted, j)
			counted = i + 1
		}
	}
	return n
}

// hoursP is the chance of as many decisions in bursts with the trader's own hours.
func hoursP(v *trades.View, rules *ruleset.BurstRules) (p, expected float64) {
	seen, chance := burstsByChance(v, rules)
	var m stat.Moments
	for _, n := range chance {
		m.Add(float64(n))
	}
	return stat.CountP(seen, chance), m.Mean()
}
