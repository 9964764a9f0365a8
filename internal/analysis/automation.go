package analysis

import (
	"fmt"
	"math"
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

// Timing of opens within the minute.
const (
	secondBins = 12 // of five seconds each
	// mediumEffect is the w = √(χ²/n) from which on a difference is more than
	// what a great number of trades can prove of any small one. Source: J. Cohen,
	// Statistical Power Analysis (1988), "medium".
	mediumEffect = 0.3
)

// timing counts when decisions were opened.
type timing struct {
	n       int // whose times have seconds
	bins    [secondBins]int
	atZero  int // in the first second of a minute
	coarse  int // whose source has cut off the seconds
	hours   [24]int
	moments []int64 // of all accounts, in order
}

func timingOf(v *trades.View) *timing {
	t := &timing{moments: make([]int64, 0, v.Decisions)}
	for _, a := range v.Accounts {
		cut := cutToMinutes(a)
		for i := range a.Clusters {
			open := a.Clusters[i].Open
			for len(cut) > 0 && cut[0].to <= a.Clusters[i].First {
				cut = cut[1:]
			}
			t.moments = append(t.moments, open)
			t.hours[hourOfDay(open)]++
			if len(cut) > 0 && cut[0].from <= a.Clusters[i].First {
				t.coarse++
				continue
			}
			at := (open - micros.FloorDiv(open, micros.Minute)*micros.Minute) / micros.Second
			t.n++
			t.bins[at*secondBins/60]++
			if at == 0 {
				t.atZero++
			}
		}
	}
	slices.Sort(t.moments)
	return t
}

// minCut is how many trades in succession have times of whole minutes only if the
// source has cut off the seconds. An account may join several sources, such as a
// file of its first months and a platform.
const minCut = 20

// stretch is a range of trades of an account, without its end.
type stretch struct{ from, to uint32 }

// cutToMinutes returns the stretches of trades whose times have no seconds, and so
// show nothing: all if no time is off the whole minute, or long ones. There is none
// if the other trades open on whole minutes as well: that is when the trader opens.
func cutToMinutes(a *trades.AccountView) (cut []stretch) {
	n := uint32(len(a.Trades))
	var from, others, onMinute uint32
	for i := range n + 1 {
		if i < n && isOnMinute(&a.Trades[i]) {
			continue
		}
		if i-from == n || i-from >= minCut {
			cut = append(cut, stretch{from, i})
		} else {
			others, onMinute = others+i-from, onMinute+i-from
		}
		if i < n {
			others++
			if a.Trades[i].Open%micros.Minute == 0 {
				onMinute++
			}
		}
		from = i + 1
	}
	if others > 0 && 2*onMinute >= others {
		return nil
	}
	return cut
}

// isOnMinute reports whether all times of a trade are whole minutes.
func isOnMinute(t *trades.Trade) bool {
	return t.Open%micros.Minute == 0 && (!t.Closed() || t.Close%micros.Minute == 0)
}

// hourOfDay returns the hour of a moment in UTC.
func hourOfDay(moment int64) int {
	return int((moment - micros.FloorDiv(moment, micros.Day)*micros.Day) / micros.Hour)
}

// countRestlessDays counts the days (UTC) on which something was opened, and those of
// them that no pause of limit or longer touches. Pauses are taken whole, also
// over midnight; what was before the first and after the last open is unknown
// and no pause.
func (t *timing) countRestlessDays(limit float64) (days, without int) {
	pause := int64(limit * micros.Second)
	for i := 0; i < len(t.moments); {
		d := micros.FloorDiv(t.moments[i], micros.Day)
		rested := i > 0 && t.moments[i]-t.moments[i-1] >= pause
		for i++; i < len(t.moments) && micros.FloorDiv(t.moments[i], micros.Day) == d; i++ {
			rested = rested || t.moments[i]-t.moments[i-1] >= pause
		}
		rested = rested || i < len(t.moments) && t.moments[i]-t.moments[i-1] >= pause
		if days++; !rested {
			without++
		}
	}
	return days, without
}

// distances are how far stops or targets are from the open price: the symbol group,
// and below it the distance as a float32. Its seven digits distinguish any two
// distances that are set, and drop what the subtraction of two float64s leaves.
type distances []uint64

func (d *distances) addDistance(key uint32, price, level float64) {
	if price < 1e-12 || level <= 0 {
		return
	}
	*d = append(*d, uint64(key)<<32|uint64(math.Float32bits(float32(math.Abs(price-level)))))
}

// modalShare returns the share of the most frequent distance, and the number of
// distances.
func (d distances) modalShare() (float64, int) {
	stat.SortUints(d)
	return modalOf(d), len(d)
}

// modalOf returns the share of the most frequent of sorted values.
func modalOf[T comparable](sorted []T) float64 {
	most := 0
	for i, from := 0, 0; i < len(sorted); i++ {
		if sorted[i] != sorted[from] {
			from = i
		}
		most = max(most, i-from+1)
	}
	return stat.Fraction(most, len(sorted))
}

// distancesOf returns the distances of the first trade of each decision.
func distancesOf(v *trades.View, bit trades.Has, level func(t *trades.Trade) float64) distances {
	var d distances
	for _, a := range v.Accounts {
		for i := range a.Clusters {
			c := &a.Clusters[i]
			if t := &a.Trades[c.First]; t.Has&(trades.HasOpenPrice|bit) == trades.HasOpenPrice|bit {
				if d == nil {
					d = make(distances, 0, v.Decisions)
				}
				d.addDistance(c.Key, t.OpenPrice, level(t))
			}
		}
	}
	return d
}

// modalLots returns the share of the most frequent size, and of how many.
func modalLots(v *trades.View) (float64, int) {
	lots := make([]float64, 0, v.Decisions)
	for _, a := range v.Accounts {
		for i := range a.Clusters {
			if a.Clusters[i].HasLots {
				lots = append(lots, a.Clusters[i].Lots)
			}
		}
	}
	stat.Sort(lots)
	return modalOf(lots), len(lots)
}

// detectAutomation is D11, timing that looks scheduled. It is an indication and no proof:
// people also trade at the start of a candle, use fixed stops, and share an account in shifts.
//
//   - seconds_chi2: χ² of the second within the minute of opens, in 12 bins against equal
//     shares. n is the number of decisions whose source has seconds, and the minimum is the
//     ruleset's min_decisions. p has 11 degrees of freedom. The parameter w is the effect,
//     √(χ²/n). Source: K. Pearson, Phil. Mag. 50 (1900).
//   - open_at_zero_share: the share of opens in the first second of a minute, which is 1/60
//     by chance. Same sample.
//   - hours_traded: the number of different hours (UTC) with an open. n is the number of
//     decisions, and the minimum is min_decisions.
//   - restless_day_share: the share of days (UTC) with an open on which no pause between
//     opens lasts max_idle_seconds or more. n is the number of days, and the minimum is
//     min_days.
//   - modal_stop_share, modal_target_share: the share of the most frequent distance from the
//     open price. n is the number of decisions that have one, and the minimum is
//     min_decisions.
//   - modal_lot_share: the share of the most frequent size. n is the number of decisions that
//     have a size, and the minimum is min_decisions. It is for information and not a signal.
func detectAutomation(v *trades.View) detect.Result {
	rules := &v.Ruleset.Automation
	t := timingOf(v)
	chi2, p, _ := stat.Uniform(t.bins[:])
	hours := 0
	for _, n := range t.hours {
		if n > 0 {
			hours++
		}
	}
	days, without := t.countRestlessDays(rules.MaxIdleSeconds)
	stops, nStops := distancesOf(v, trades.HasStopLoss, func(t *trades.Trade) float64 { return t.StopLoss }).modalShare()
	targets, nTargets := distancesOf(v, trades.HasTakeProfit, func(t *trades.Trade) float64 { return t.TakeProfit }).modalShare()
	lots, withLots := modalLots(v)
	metrics := map[string]result.Metric{
		"seconds_chi2":       result.NewMetric("chi2", chi2, t.n, rules.MinDecisions).AddParam("w", math.Sqrt(chi2/math.Max(float64(t.n), 1))).AddParam("without_seconds", t.coarse).WithP(p),
		"open_at_zero_share": result.NewMetric("share", stat.Fraction(t.atZero, t.n), t.n, rules.MinDecisions),
		"hours_traded":       result.NewMetric("count", float64(hours), len(t.moments), rules.MinDecisions),
		"restless_day_share": result.NewMetric("share", stat.Fraction(without, days), days, rules.MinDays).AddParam("max_idle_seconds", rules.MaxIdleSeconds),
		"modal_stop_share":   result.NewMetric("share", stops, nStops, rules.MinDecisions),
		"modal_target_share": result.NewMetric("share", targets, nTargets, rules.MinDecisions),
		"modal_lot_share":    result.NewMetric("share", lots, withLots, rules.MinDecisions),
	}
	return detect.Result{Metrics: metrics, Candidates: []detect.Candidate{automationCandidate(rules, metrics)}}
}

// automationSignals says which signals there are, given the adjusted p.
func automationSignals(rules *ruleset.AutomationRules, metrics map[string]result.Metric, adjusted float64) (scheduled, restless, fixed bool) {
	above := func(name string, limit float64) bool {
		m := metrics[name]
		return m.Status == result.OK && *m.Value >= limit
	}
	chi2 := metrics["seconds_chi2"]
	scheduled = chi2.Status == result.OK && leastEffect(*chi2.Value, chi2.N) >= mediumEffect && adjusted < rules.MaxP
	restless = above("restless_day_share", rules.IdleDayShare)
	fixed = above("modal_stop_share", rules.ModalShare) || above("modal_target_share", rules.ModalShare)
	return scheduled, restless, fixed
}

// leastEffect is the lower end of the 95 % interval of the effect w, from the normal
// approximation of the noncentral χ².
func leastEffect(chi2 float64, n int) float64 {
	const df = secondBins - 1
	beyond := max(chi2-df, 0)
	return math.Sqrt(max(beyond-stat.Z95*math.Sqrt(2*(df+2*beyond)), 0) / float64(max(n, 1)))
}

func automationCandidate(rules *ruleset.AutomationRules, metrics map[string]result.Metric) detect.Candidate {
	const kind, title = "automation", "Timing that looks scheduled"
	hours, main := metrics["hours_traded"], metrics["seconds_chi2"]
	if hours.Status != result.OK {
		return detect.UnjudgedCandidate(kind, title, hours)
	}
	name := "seconds_chi2"
	if main.Status != result.OK {
		name = "hours_traded" // times without seconds: what can still be seen
	}
	question := "Which tools do you use to place trades, and who runs them?"
	d := result.Detection{
		Kind: kind, Status: result.OK, Title: title, Detail: automationText(rules, metrics), Metric: result.NewFindingMetric(name, metrics[name]),
		Limitations: []string{
			"Indicative only. Waiting for the next candle and fixed stops look the same.",
			"Only the latest stop of each trade is known, so a stop that was moved counts at its last price.",
		},
		SuggestedQuestion: &question,
	}
	return detect.Candidate{Detection: d, P: main.P, Judge: func(adjusted float64) (result.Severity, *float64) {
		scheduled, restless, fixed := automationSignals(rules, metrics, adjusted)
		signals := 0
		for _, s := range [...]bool{scheduled, restless, fixed} {
			if s {
				signals++
			}
		}
		switch {
		case signals >= rules.MediumSignals && scheduled: // the only one of them that is tested
			return result.Medium, nil
		case scheduled || restless: // fixed stops alone are what many people use
			return result.Low, nil
		}
		return result.None, nil
	}}
}

func automationText(rules *ruleset.AutomationRules, metrics map[string]result.Metric) string {
	parts := []string{}
	if m := metrics["open_at_zero_share"]; m.Status == result.OK {
		parts = append(parts, fmt.Sprintf("%.1f%% of opens are in the first second of a minute (1.7%% by chance)", 100**m.Value))
	} else {
		parts = append(parts, "The source's times have no seconds, or too few have")
	}
	parts = append(parts, fmt.Sprintf("trades open in %g of 24 hours", *metrics["hours_traded"].Value))
	if m := metrics["restless_day_share"]; m.Status == result.OK {
		parts = append(parts, wording.FormatText("%.0f%% of %d days have no pause of %s", 100**m.Value, m.N, wording.FormatDuration(rules.MaxIdleSeconds)))
	}
	for _, level := range [...]string{"stop", "target"} {
		if m := metrics["modal_"+level+"_share"]; m.Status == result.OK {
			parts = append(parts, fmt.Sprintf("%.0f%% of %ss are at one distance", 100**m.Value, level))
		}
	}
	return strings.Join(parts, "; ") + "."
}
