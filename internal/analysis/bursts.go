package analysis

import (
	"cmp"
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/analysis/detect"
	"github.com/assayhq/assay/internal/analysis/micros"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/ruleset"
	"github.com/assayhq/assay/internal/analysis/stat"
	"github.com/assayhq/assay/internal/analysis/trades"
	"github.com/assayhq/assay/internal/analysis/wording"
)

// burst is the longest series of decisions that overlapping windows join.
type burst struct {
	account    *trades.AccountView
	from, to   int // indices of Clusters, to included
	buys       int
	start, end int64
}

func (b burst) countOpens() int { return b.to - b.from + 1 }

// sameSide returns the number of decisions on the more frequent side.
func (b burst) sameSide() int { return max(b.buys, b.countOpens()-b.buys) }

// findBursts returns the bursts of an account in order of time: opens t_j…t_i
// form a hit when t_i − t_j < w and there are at least k of them, and hits that
// overlap are one burst. The window is half-open.
func findBursts(a *trades.AccountView, rules *ruleset.BurstRules) []burst {
	var found []burst
	w := int64(rules.WindowSeconds * micros.Second)
	for i, j := 0, 0; i < len(a.Clusters); i++ {
		for a.Clusters[i].Open-a.Clusters[j].Open >= w && j < i {
			j++
		}
		if i-j+1 < rules.MinOpens || w <= 0 {
			continue
		}
		if last := len(found) - 1; last >= 0 && j <= found[last].to {
			found[last].to = i
		} else {
			found = append(found, burst{account: a, from: j, to: i})
		}
	}
	for n := range found {
		b := &found[n]
		b.start, b.end = a.Clusters[b.from].Open, a.Clusters[b.to].Open
		for _, c := range a.Clusters[b.from : b.to+1] {
			if c.Side == trades.Buy {
				b.buys++
			}
		}
	}
	return found
}

// mostWithin returns the largest number of decisions in any half-open window.
func mostWithin(clusters []trades.Cluster, window int64) int {
	most := 0
	for i, j := 0, 0; i < len(clusters); i++ {
		for clusters[i].Open-clusters[j].Open >= window && j < i {
			j++
		}
		most = max(most, i-j+1)
	}
	return most
}

// burstDays holds what the test of bursts needs to know of the days.
type burstDays struct {
	tested int     // days with enough decisions
	least  float64 // their smallest p
	counts []int   // decisions of each active day
}

// addAccount adds the days of one account.
func (b *burstDays) addAccount(a *trades.AccountView, rules *ruleset.BurstRules) {
	for from := 0; from < len(a.Clusters); {
		to := from + 1
		day := a.Days[a.Clusters[from].First]
		for to < len(a.Clusters) && a.Days[a.Clusters[to].First] == day {
			to++
		}
		b.counts = append(b.counts, to-from)
		b.testDay(a.Clusters[from:to], rules)
		from = to
	}
}

// testDay computes the scan statistic of one day: it compares the day's largest window with uniform
// opens over the time in which the day was active.
func (b *burstDays) testDay(clusters []trades.Cluster, rules *ruleset.BurstRules) {
	if len(clusters) < rules.MinDayOpens {
		return
	}
	span := max(float64(clusters[len(clusters)-1].Open-clusters[0].Open)/micros.Second, rules.MinSpanSeconds)
	x := rules.WindowSeconds / span
	p := 1.0
	if x > 0 && x < 1 {
		p = stat.ScanUpper(mostWithin(clusters, int64(rules.WindowSeconds*micros.Second)), len(clusters), x)
	}
	if b.tested++; b.tested == 1 || p < b.least {
		b.least = p
	}
}

// detectBursts is D1, many decisions in a short time. Medium and high need both p of
// the test against even days and of that against the trader's own hours: the larger
// one is what is corrected.
//
//   - burst_count: bursts of all accounts. Count, n decisions, minimum the
//     ruleset's min_opens. Its p is the family p 1−(1−min p_d)^D of the scan
//     statistic over D days with min_day_opens decisions or more, on a span of
//     at least an hour; null when no day has so many. Source: S. Wallenstein and
//     N. Neff, Statistics in Medicine 6 (1987).
//   - clusters_in_burst: decisions within bursts. Count, same sample. Its p is that of
//     as many with the trader's own hours (burstsByChance); parameter expected is their
//     number by these. Of more than 5,000 decisions it looks at a part of the days.
//   - burst_trade_share: clusters_in_burst / decisions. Share, same sample, with
//     Wilson's 95 % interval of as many observations as there are bursts and decisions
//     outside of them.
//   - burst_same_side_share: Σ max(buys, sells) / Σ decisions over bursts.
//     Share, n decisions in bursts, minimum min_opens.
//   - max_in_60s, max_in_120s: most decisions of one account within a half-open
//     window of that length. Count, minimum 1.
//   - daily_dispersion: I = s²/mean of decisions per active day, 1 for a steady
//     pace. p from (D−1)·I ~ χ²(D−1), not corrected. n days, minimum 10. Source:
//     R. A. Fisher, Statistical Methods for Research Workers (1925).
//   - busy_state_share: decisions in the faster of two states of their account's
//     pace (see busyDecisions), as a remark; nothing is judged by it. Share, n
//     decisions of accounts with at least 20, minimum 20. Source: J. Kleinberg,
//     Data Mining and Knowledge Discovery 7 (2003).
func detectBursts(v *trades.View) detect.Result {
	rules := &v.Ruleset.Bursts
	var all []burst
	var days burstDays
	in60, in120, within, sameSide := 0, 0, 0, 0
	for _, a := range v.Accounts {
		for _, b := range findBursts(a, rules) {
			all = append(all, b)
			within += b.countOpens()
			sameSide += b.sameSide()
		}
		days.addAccount(a, rules)
		in60 = max(in60, mostWithin(a.Clusters, micros.Minute))
		in120 = max(in120, mostWithin(a.Clusters, 2*micros.Minute))
	}
	n, least := v.Decisions, rules.MinOpens
	ofHours, expected := hoursP(v, rules)
	portion := stat.Fraction(within, n)
	low, high := stat.WilsonShare(portion, float64(n-within+len(all)))
	count := result.NewMetric("count", float64(len(all)), n, least).AddParam("window_seconds", rules.WindowSeconds).AddParam("min_opens", rules.MinOpens).AddParam("tested_days", days.tested)
	if days.tested > 0 {
		count = count.WithP(stat.FamilyP(days.least, days.tested))
	}
	metrics := map[string]result.Metric{
		"burst_count":           count,
		"clusters_in_burst":     result.NewMetric("count", float64(within), n, least).AddParam("expected", expected).WithP(ofHours),
		"burst_trade_share":     result.NewMetric("share", portion, n, least).WithCI(low, high),
		"burst_same_side_share": result.NewMetric("share", stat.Fraction(sameSide, within), within, least),
		"max_in_60s":            result.NewMetric("count", float64(in60), n, 1),
		"max_in_120s":           result.NewMetric("count", float64(in120), n, 1),
		"daily_dispersion":      measureDispersion(days.counts),
		"busy_state_share":      busyShare(v),
	}
	return detect.Result{Metrics: metrics, Candidates: []detect.Candidate{burstCandidate(v, all, metrics)}}
}

func measureDispersion(counts []int) result.Metric {
	const minDays = 10
	index, p, ok := stat.Dispersion(counts)
	if !ok {
		return result.NewMetric("index", 0, min(len(counts), minDays-1), minDays)
	}
	return result.NewMetric("index", index, len(counts), minDays).WithP(p)
}

func burstCandidate(v *trades.View, all []burst, metrics map[string]result.Metric) detect.Candidate {
	const kind, title = "bursts", "Many decisions within a short time"
	rules, count := &v.Ruleset.Bursts, metrics["burst_count"]
	if count.Status != result.OK {
		return detect.UnjudgedCandidate(kind, title, count)
	}
	in60, portion := *metrics["max_in_60s"].Value, metrics["burst_trade_share"]
	d := result.Detection{
		Kind: kind, Status: result.OK, Title: title, Metric: result.NewFindingMetric("burst_count", count),
		Detail: wording.FormatText("Bursts of at least %d decisions within %g seconds: %d. They contain %.1f%% of %d decisions, with at most %g in one minute.",
			rules.MinOpens, rules.WindowSeconds, len(all), 100**portion.Value, v.Decisions, in60),
		Limitations: []string{"Orders split within a few seconds count as one decision.", "In busy market hours, decisions are closer together than by chance alone."},
	}
	d.Evidence, d.EvidenceTotal = burstEvidence(all)
	question := "What makes you open several positions within a minute or two?"
	d.SuggestedQuestion = &question
	if hours := metrics["clusters_in_burst"].P; count.P != nil && *hours > *count.P {
		d.Metric.P = hours
	}
	return detect.Candidate{Detection: d, P: d.Metric.P, Judge: func(adjusted float64) (result.Severity, *float64) {
		proven := adjusted < rules.MaxP
		one, medium := 1.0, float64(rules.MediumCount)
		switch {
		case len(all) == 0:
			return result.None, &one
		case proven && (portion.CI.Low >= rules.HighShare || in60 >= float64(rules.HighInMinute)):
			return result.High, &one
		case proven && len(all) >= rules.MediumCount && portion.CI.Low >= rules.MediumShare:
			return result.Medium, &medium
		}
		return result.Low, &one
	}}
}

// burstEvidence returns the trades of the largest bursts.
func burstEvidence(all []burst) ([]result.Evidence, int) {
	all = slices.Clone(all)
	slices.SortStableFunc(all, compareBursts)
	var e detect.EvidenceList
	for _, b := range all {
		for i := b.from; i <= b.to; i++ {
			e.AddCluster(b.account, uint32(i))
		}
	}
	return e.SortShown(), e.Total
}

// compareBursts puts larger bursts first, then earlier ones.
func compareBursts(a, b burst) int {
	return cmp.Or(cmp.Compare(b.countOpens(), a.countOpens()), cmp.Compare(a.start, b.start), strings.Compare(a.account.ID, b.account.ID))
}
