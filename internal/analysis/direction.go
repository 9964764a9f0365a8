package analysis

import (
	"math"
	"slices"

	"github.com/assayhq/assay/internal/analysis/detect"
	"github.com/assayhq/assay/internal/analysis/micros"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/stat"
	"github.com/assayhq/assay/internal/analysis/trades"
	"github.com/assayhq/assay/internal/analysis/wording"
)

// decisionSides returns the decisions of all accounts in order of time, true for buys.
// Equal moments come buys first, so that accounts' ids and trades' ids decide
// nothing.
func decisionSides(v *trades.View) []bool {
	keys := make([]int64, 0, v.Decisions)
	for _, a := range v.Accounts {
		for i := range a.Clusters {
			keys = append(keys, a.Clusters[i].Open<<1|int64(a.Clusters[i].Side))
		}
	}
	slices.Sort(keys)
	out := make([]bool, len(keys))
	for i, k := range keys {
		out[i] = trades.Side(k&1) == trades.Buy
	}
	return out
}

// exposure integrates the open lots on each side of each symbol over time.
type exposure struct {
	oneWay, all stat.RunningSum // ∫|L−S|dt and ∫(L+S)dt, lot seconds
	trades      int
	open        []sideLots // by symbol group
}

type sideLots struct {
	since int64
	lots  [2]float64
	held  [2]int
}

// integrateTo integrates up to a moment.
func (x *exposure) integrateTo(s *sideLots, moment int64) {
	if seconds := float64(moment-s.since) / micros.Second; seconds > 0 && s.held[0]+s.held[1] > 0 {
		x.oneWay.Add(math.Abs(s.lots[trades.Buy]-s.lots[trades.Sell]) * seconds)
		x.all.Add((s.lots[trades.Buy] + s.lots[trades.Sell]) * seconds)
	}
	s.since = moment
}

// addAccount adds one account. Open trades count up to the account's last
// open or close.
func (x *exposure) addAccount(v *trades.View, a *trades.AccountView) {
	x.open = slices.Grow(x.open[:0], len(v.Symbols))[:len(v.Symbols)]
	clear(x.open)
	end, next := int64(math.MinInt64), 0
	for i := range a.Trades {
		t := &a.Trades[i]
		for ; next < len(a.ByClose) && a.Trades[a.ByClose[next]].Close <= t.Open && int(a.ByClose[next]) < i; next++ {
			x.removeTrade(v, &a.Trades[a.ByClose[next]])
		}
		end = max(end, t.Open)
		if lots, ok := t.Lots(); ok {
			s := &x.open[v.Key(t)]
			x.integrateTo(s, t.Open)
			s.lots[t.Side] += lots
			s.held[t.Side]++
			x.trades++
		}
	}
	for ; next < len(a.ByClose); next++ {
		t := &a.Trades[a.ByClose[next]]
		x.removeTrade(v, t)
		end = max(end, t.Close)
	}
	for k := range x.open {
		x.integrateTo(&x.open[k], end)
	}
}

func (x *exposure) removeTrade(v *trades.View, t *trades.Trade) {
	lots, ok := t.Lots()
	if !ok {
		return
	}
	s := &x.open[v.Key(t)]
	x.integrateTo(s, max(t.Close, s.since))
	s.lots[t.Side] -= lots
	if s.held[t.Side]--; s.held[t.Side] == 0 {
		s.lots[t.Side] = 0 // without what rounding left
	}
}

// detectDirection is D2a, trading in one direction.
//
//   - side_share: s = max(b, n−b)/n of b buys among n decisions, with Wilson's 95 % interval
//     of n_eff. The minimum is the ruleset's min_decisions. p is that of the exact two-sided
//     binomial test of round(s·n_eff) in round(n_eff). Successive decisions are not
//     independent, so n_eff = n(1−r)/(1+r), where r is the lag-1 autocorrelation of sides,
//     limited to 0…0.9. Source: G. V. Bayley and J. M. Hammersley, JRSS Suppl. 8 (1946);
//     E. B. Wilson, JASA 22 (1927).
//   - side_runs_z: the Wald–Wolfowitz z of runs of sides in chronological order, in standard
//     deviations. Below 0, runs are longer than by chance. n is the number of decisions, and
//     the minimum is 10 on either side. Source: Ann. Math. Stat. 11 (1940).
//   - volume_imbalance: (V_buy − V_sell)/(V_buy + V_sell), from −1 to 1. n is the number of
//     trades with a volume, and the minimum is min_decisions.
//   - exposure_one_sidedness: ∫|L−S|dt / ∫(L+S)dt of the open lots on both sides of each
//     symbol, summed over symbols. It is 1 if exposure is always one way, and near 0 if it is
//     hedged. n is the number of trades with a volume, and the minimum is min_decisions.
//   - symbol_hhi: Σ share² of decisions per symbol group, which is 1 for a single symbol. n is
//     the number of decisions, and the minimum is min_decisions.
//     Source: O. C. Herfindahl (1950).
func detectDirection(v *trades.View) detect.Result {
	rules := &v.Ruleset.OneSided
	series := decisionSides(v)
	buys := 0
	for _, buy := range series {
		if buy {
			buys++
		}
	}
	n, most := len(series), max(buys, len(series)-buys)
	side := result.NewMetric("share", stat.Fraction(most, n), n, rules.MinDecisions).AddParam("buys", buys).AddParam("sells", n-buys)
	if side.Status == result.OK {
		r := stat.SideAutocorrelation(series)
		effective := stat.EffectiveN(n, r)
		side = side.WithCI(stat.WilsonShare(*side.Value, effective))
		k := math.Round(*side.Value * effective)
		side = side.WithP(stat.BinomialTwoSided(int(k), int(math.Round(effective)))).AddParam("n_effective", effective).AddParam("autocorrelation", r)
	}
	metrics := map[string]result.Metric{"side_share": side, "side_runs_z": testRuns(series, buys)}
	symbols := addSizeMetrics(v, metrics)
	return detect.Result{Metrics: metrics, Candidates: []detect.Candidate{directionCandidate(v, side, buys*2 >= n, symbols)}}
}

func testRuns(series []bool, buys int) result.Metric {
	const minEach = 10
	z, ok := stat.RunsZ(series)
	if !ok {
		return result.NewMetric("z", 0, min(2*min(buys, len(series)-buys), 2*minEach-1), 2*minEach).AddParam("min_of_each_side", minEach)
	}
	return result.NewMetric("z", z, len(series), 2*minEach).AddParam("min_of_each_side", minEach)
}

// addSizeMetrics adds the metrics of volumes and symbols, and returns how many symbol
// groups were traded.
func addSizeMetrics(v *trades.View, metrics map[string]result.Metric) (symbols int) {
	var lots [2]stat.RunningSum
	var x exposure
	byKey := make([]float64, len(v.Symbols))
	for _, a := range v.Accounts {
		for i := range a.Trades {
			volume, _ := a.Trades[i].Lots()
			lots[a.Trades[i].Side].Add(volume)
		}
		for i := range a.Clusters {
			byKey[a.Clusters[i].Key]++
		}
		x.addAccount(v, a)
	}
	for _, n := range byKey {
		if n > 0 {
			symbols++
		}
	}
	least, b, s := v.Ruleset.OneSided.MinDecisions, lots[trades.Buy].Value(), lots[trades.Sell].Value()
	metrics["volume_imbalance"] = result.NewMetric("index", (b-s)/(b+s), x.trades, least)
	metrics["exposure_one_sidedness"] = result.RatioMetric("index", x.oneWay.Value(), x.all.Value(), x.trades, least)
	hhi, _ := stat.HHI(byKey)
	metrics["symbol_hhi"] = result.NewMetric("index", hhi, v.Decisions, least).AddParam("symbols", symbols)
	return symbols
}

func directionCandidate(v *trades.View, side result.Metric, buys bool, symbols int) detect.Candidate {
	const kind, title = "one_sided_direction", "Nearly all decisions in one direction"
	rules := &v.Ruleset.OneSided
	if side.Status != result.OK {
		return detect.UnjudgedCandidate(kind, title, side)
	}
	word := "sells"
	if buys {
		word = "buys"
	}
	where := wording.FormatText("%d symbols", symbols)
	if symbols == 1 {
		where = "one symbol"
	}
	s := *side.Value
	d := result.Detection{
		Kind: kind, Status: result.OK, Title: title, Metric: result.NewFindingMetric("side_share", side),
		Detail:      wording.FormatText("%.1f%% of %d decisions were %s, on %s.", 100*s, side.N, word, where),
		Limitations: []string{"A trending market explains this."},
	}
	question := "How do you decide between buying and selling?"
	d.SuggestedQuestion = &question
	return detect.Candidate{Detection: d, P: side.P, Judge: func(adjusted float64) (result.Severity, *float64) {
		proven := adjusted < rules.MaxP && side.CI.Low >= rules.MediumWilsonLow
		switch {
		case proven && s >= rules.HighShare && side.CI.Low >= rules.MediumShare && side.N >= rules.HighMinDecisions && symbols >= rules.HighMinSymbols:
			return result.High, &rules.HighShare
		case proven && s >= rules.MediumShare:
			return result.Medium, &rules.MediumShare
		}
		return result.None, &rules.MediumShare
	}}
}
