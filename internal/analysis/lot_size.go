package analysis

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/assayhq/assay/internal/analysis/detect"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/ruleset"
	"github.com/assayhq/assay/internal/analysis/stat"
	"github.com/assayhq/assay/internal/analysis/trades"
	"github.com/assayhq/assay/internal/analysis/wording"
)

// lotGroups counts how far the sizes of decisions are from the usual ones. Sizes are compared within
// one account and symbol group only: a lot of gold is not a lot of a currency.
type lotGroups struct {
	decisions int // of groups with enough of them
	groups    int
	outliers  int // by distance from the median of ln volume
	tested    int // decisions of groups in which that distance has a scale
	outside   int // of the band around the average, or of what is usual
	largest   float64
	gain      map[string]*gains // by currency
	seen      detect.EvidenceList
}

// gains are gross profits, that is, sums of positive results.
type gains struct{ outside, all stat.RunningSum }

// lotGroup holds the sizes of one symbol group in one account.
type lotGroup struct {
	logs          []float64 // of lots, in order of the decisions
	next          int       // the one that is looked at next
	total         stat.RunningSum
	average       float64
	middle, scale float64 // of logs
}

// addAccount adds the groups of one account. Decisions are read in their order,
// whatever their symbols are: they take most of the memory there is.
func (g *lotGroups) addAccount(a *trades.AccountView, rules *ruleset.LotSizeRules, symbols int) {
	groups := make([]lotGroup, symbols)
	logs, ends := lotLogs(a, symbols)
	from := 0
	for key, to := range ends {
		groups[key].logs = logs[from:to]
		from = to
	}
	for i := range a.Clusters {
		if c := &a.Clusters[i]; c.HasLots {
			groups[c.Key].total.Add(c.Lots)
		}
	}
	for key := range groups {
		g.measureGroup(&groups[key], rules)
	}
	held := g.gain[a.Currency]
	if held == nil {
		held = &gains{}
		g.gain[a.Currency] = held
	}
	for i := range a.Clusters {
		if c := &a.Clusters[i]; c.HasLots && len(groups[c.Key].logs) >= rules.MinTrades && g.compareDecision(&groups[c.Key], c, held, rules) {
			g.seen.AddCluster(a, uint32(i))
		}
	}
}

// lotLogs returns ln of the known lots, group by group, and where each group ends.
func lotLogs(a *trades.AccountView, symbols int) (logs []float64, ends []int) {
	starts := make([]int, symbols+1)
	for i := range a.Clusters {
		if a.Clusters[i].HasLots {
			starts[a.Clusters[i].Key+1]++
		}
	}
	for k := range symbols {
		starts[k+1] += starts[k]
	}
	logs, ends = make([]float64, starts[symbols]), starts[:symbols]
	for i := range a.Clusters {
		if c := &a.Clusters[i]; c.HasLots {
			logs[ends[c.Key]] = math.Log(c.Lots)
			ends[c.Key]++ // from where the group begins to where it ends
		}
	}
	return logs, ends
}

// measureGroup computes the average and the spread that a group's sizes are compared with.
func (g *lotGroups) measureGroup(group *lotGroup, rules *ruleset.LotSizeRules) {
	n := len(group.logs)
	if n < rules.MinTrades {
		return
	}
	group.average = group.total.Value() / float64(n)
	group.middle, group.scale, _ = stat.MAD(group.logs)
	g.groups++
	g.decisions += n
	if group.scale > 0 {
		g.tested += n
	}
}

// Without a band of the ruleset, sizes are compared with their usual spread. Where most sizes
// are equal there is no spread, and these multiples of the average take its place.
const usualLow, usualHigh = 0.25, 2

// compareDecision compares one decision with its group, and reports whether it is outside.
func (g *lotGroups) compareDecision(group *lotGroup, c *trades.Cluster, held *gains, rules *ruleset.LotSizeRules) bool {
	out := group.scale > 0 && math.Abs(group.logs[group.next]-group.middle) > rules.OutlierZ*group.scale
	group.next++
	if out {
		g.outliers++
	}
	switch {
	case !rules.HasBand() && !(group.scale > 0):
		out = stat.IsAbove(usualLow*group.average, c.Lots) || stat.IsAbove(c.Lots, usualHigh*group.average)
	case rules.HasBand():
		out = rules.BandLow != nil && stat.IsAbove(*rules.BandLow*group.average, c.Lots) || rules.BandHigh != nil && stat.IsAbove(c.Lots, *rules.BandHigh*group.average)
	}
	g.largest = max(g.largest, c.Lots/group.average)
	if out {
		g.outside++
	}
	if c.Closed && c.HasNet && c.Net > 0 {
		held.all.Add(c.Net)
		if out {
			held.outside.Add(c.Net)
		}
	}
	return out
}

// gainShare returns the largest share of one currency's gross profit that came
// from outside, and that currency. ok is false if none has any.
func (g *lotGroups) gainShare() (most float64, currency string, ok bool) {
	for _, c := range slices.Sorted(maps.Keys(g.gain)) {
		held := g.gain[c]
		all := held.all.Value()
		if !(all > 0) {
			continue
		}
		if portion := held.outside.Value() / all; !ok || portion > most {
			most, currency, ok = portion, c, true
		}
	}
	return most, currency, ok
}

// detectLotSize is D7, jumps in lot size. It is descriptive and has no p-value. Sizes follow
// from the distance to the stop if every trade risks as much, so that the severity is low at
// most unless the ruleset has a band.
//
//   - lot_outlier_share: the share of decisions with |ln V − median| > outlier_z · 1.4826 · MAD
//     of ln V in their account and symbol group. n is the number of decisions in groups with at
//     least min_trades whose MAD is above 0, and the minimum is min_trades.
//     Source: B. Iglewicz and D. Hoaglin, How to Detect and Handle Outliers (1993).
//   - lot_outside_share: the share of decisions below band_low or above band_high times the
//     average lots of their group. If the ruleset has no band, the share of outliers, and in
//     groups whose MAD is 0, of decisions below 0.25 or above 2 times the average. n is the
//     number of decisions in groups with at least min_trades.
//   - lot_outside_profit_share: the share of these decisions in the gross profit Σ max(net, 0),
//     in the currency in which it is largest. n is the number of decisions in groups with at
//     least min_trades. Not checkable without any profit.
//   - lot_largest_ratio: the largest lots of a decision divided by its group's average. Same
//     sample.
func detectLotSize(v *trades.View) detect.Result {
	rules := &v.Ruleset.LotSize
	g := lotGroups{gain: map[string]*gains{}}
	withLots := 0
	for _, a := range v.Accounts {
		g.addAccount(a, rules, len(v.Symbols))
		for i := range a.Clusters {
			if a.Clusters[i].HasLots {
				withLots++
			}
		}
	}
	gained, currency, anyGain := g.gainShare()
	n := g.decisions
	metrics := map[string]result.Metric{
		"lot_outlier_share":        result.NewMetric("share", stat.Fraction(g.outliers, g.tested), g.tested, rules.MinTrades).AddParam("outlier_z", rules.OutlierZ),
		"lot_outside_share":        result.NewMetric("share", stat.Fraction(g.outside, n), n, rules.MinTrades).AddParam("groups", g.groups),
		"lot_outside_profit_share": result.NewMetric("share", gained, n, rules.MinTrades),
		"lot_largest_ratio":        result.NewMetric("ratio", g.largest, n, rules.MinTrades),
	}
	if n > 0 && !anyGain {
		metrics["lot_outside_profit_share"] = result.UndefinedMetric("share", n, rules.MinTrades, result.ReasonNotPositive)
	}
	if v.Decisions > 0 && withLots == 0 {
		for name, m := range metrics {
			metrics[name] = result.UndefinedMetric(m.Unit, 0, rules.MinTrades, result.ReasonNoVolume)
		}
	}
	outside := metrics["lot_outside_share"]
	for name, limit := range map[string]*float64{"band_low": rules.BandLow, "band_high": rules.BandHigh} {
		if limit != nil {
			outside.AddParam(name, *limit)
		}
	}
	return detect.Result{Metrics: metrics, Candidates: []detect.Candidate{lotSizeCandidate(rules, metrics, &g, currency)}}
}

func lotSizeCandidate(rules *ruleset.LotSizeRules, metrics map[string]result.Metric, g *lotGroups, currency string) detect.Candidate {
	const kind, title = "lot_size", "Jumps in lot size"
	outside := metrics["lot_outside_share"]
	if outside.Status != result.OK {
		return detect.UnjudgedCandidate(kind, title, outside)
	}
	profit := metrics["lot_outside_profit_share"].Value
	detail := wording.FormatText("%.1f%% of %d decisions have a size outside %s of their account and symbol; the largest is %s times the average.",
		100**outside.Value, outside.N, bandText(rules), wording.FormatNumber(*metrics["lot_largest_ratio"].Value))
	if profit != nil {
		of := "the gross profit"
		if len(g.gain) > 1 {
			of += " in " + cmp.Or(currency, "an unknown currency")
		}
		detail += fmt.Sprintf(" They made %.1f%% of %s.", 100**profit, of)
	}
	descriptive := "Descriptive only. The size is judged without a statistical test."
	if rules.HasBand() {
		detail = "Under your preset, " + detail
	} else {
		descriptive = "Descriptive only, because your preset sets no band of sizes."
	}
	question := "How do you decide on the size of a position?"
	d := result.Detection{
		Kind: kind, Status: result.OK, Title: title, Detail: detail, Metric: result.NewFindingMetric("lot_outside_share", outside),
		Evidence: g.seen.SortShown(), EvidenceTotal: g.seen.Total,
		Limitations: []string{
			descriptive,
			"Sizing by the distance to the stop changes the lots at equal risk.",
		},
		SuggestedQuestion: &question,
	}
	return detect.Candidate{Detection: d, Judge: func(float64) (result.Severity, *float64) {
		switch {
		case !rules.HasBand() && *outside.Value >= rules.MediumShare:
			return result.Low, &rules.MediumShare
		case *outside.Value >= rules.HighShare:
			return result.High, &rules.HighShare
		case *outside.Value >= rules.MediumShare:
			return result.Medium, &rules.MediumShare
		case profit != nil && *profit >= rules.HighShare:
			return result.Low, &rules.MediumShare // few decisions that made much of the profit
		}
		return result.None, &rules.MediumShare
	}}
}

// bandText describes the limits that sizes are compared with.
func bandText(rules *ruleset.LotSizeRules) string {
	switch {
	case rules.BandLow != nil && rules.BandHigh != nil:
		return fmt.Sprintf("%g to %g times the average", *rules.BandLow, *rules.BandHigh)
	case rules.BandLow != nil:
		return fmt.Sprintf("%g times the average and more", *rules.BandLow)
	case rules.BandHigh != nil:
		return fmt.Sprintf("%g times the average and less", *rules.BandHigh)
	}
	return "the usual spread"
}
