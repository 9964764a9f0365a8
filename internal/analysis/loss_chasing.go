package analysis

import (
	"math"

	"github.com/assayhq/assay/internal/analysis/detect"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/ruleset"
	"github.com/assayhq/assay/internal/analysis/stat"
	"github.com/assayhq/assay/internal/analysis/trades"
	"github.com/assayhq/assay/internal/analysis/wording"
)

// chase counts how sizes change after losses and after wins, over all accounts.
type chase struct {
	raised   [2]int // raised after wins, after losses
	kept     [2]int // not raised
	deepest  int
	ladders  int     // runs of at least HighLadder raises
	growth   float64 // largest of size over one run
	evidence detect.EvidenceList
	noLots   int // decisions without a known volume
}

const (
	afterWin = iota
	afterLoss
)

// prior is the decision of a symbol that closed last, and the run that it ends.
type prior struct {
	known   bool
	lots    float64
	loss    bool
	cluster uint32
}

// ladder is the current run of losses that were each followed by a raise.
type ladder struct {
	depth   int
	last    uint32 // decision that the run ends with
	started float64
}

// addAccount adds the decisions of one account: each against the decision of its
// symbol that closed last before it.
func (c *chase) addAccount(v *trades.View, a *trades.AccountView, rules *ruleset.LossChasingRules) {
	priors, ladders := make([]prior, len(v.Symbols)), make([]ladder, len(v.Symbols))
	next := 0
	for i := range a.Clusters {
		k := &a.Clusters[i]
		for ; next < len(a.ClosedClusters) && a.WasClosedBefore(a.ClosedClusters[next], i); next++ {
			done := a.ClosedClusters[next]
			d := &a.Clusters[done]
			priors[d.Key] = prior{known: d.HasLots && d.HasNet && d.Net != 0, lots: d.Lots, loss: d.Net < 0, cluster: done}
		}
		if !k.HasLots {
			c.noLots++
			continue
		}
		if p := priors[k.Key]; p.known {
			c.compareDecision(a, p, uint32(i), &ladders[k.Key], rules)
		}
	}
}

// compareDecision compares one decision with the one before and counts the result.
func (c *chase) compareDecision(a *trades.AccountView, p prior, i uint32, l *ladder, rules *ruleset.LossChasingRules) {
	after, lots := afterWin, a.Clusters[i].Lots
	if p.loss {
		after = afterLoss
	}
	if !stat.IsAtLeast(lots/p.lots, rules.SizeRatio) {
		c.kept[after]++
		*l = ladder{}
		return
	}
	c.raised[after]++
	if !p.loss {
		*l = ladder{}
		return
	}
	if l.depth == 0 || l.last != p.cluster {
		*l = ladder{started: p.lots}
	}
	l.depth++
	l.last = i
	c.deepest = max(c.deepest, l.depth)
	c.growth = max(c.growth, lots/l.started)
	if l.depth == rules.HighLadder {
		c.ladders++
	}
	c.evidence.AddCluster(a, i)
}

// detectLossChasing is D4, larger size after losses. Each decision is compared with the
// decision of the same account and symbol that closed last before it. Results of zero and
// unknown volumes are left out.
//
//   - raise_rate_after_loss: P(V/V_prior ≥ size_ratio | prior lost), with Wilson's 95 %
//     interval, whose lower end must reach medium_rate. n is the number of decisions after
//     losses, and the minimum is the ruleset's min_losses. p is that of Fisher's one-sided
//     test of raises after losses against raises after wins, if there are min_wins decisions
//     after wins. Source: R. A. Fisher, JRSS 98 (1935).
//   - raise_rate_after_win: the same rate after wins. The minimum is min_wins.
//   - loss_ladder_depth: the longest run of losses that were each followed by a raise. n is the
//     number of decisions after losses, and the minimum is min_losses.
//   - loss_ladder_growth: the largest ratio of the size at a run's end to that at its start, or
//     0 without a run. Same sample.
func detectLossChasing(v *trades.View) detect.Result {
	rules := &v.Ruleset.LossChasing
	var c chase
	for _, a := range v.Accounts {
		c.addAccount(v, a, rules)
	}
	losses, wins := c.raised[afterLoss]+c.kept[afterLoss], c.raised[afterWin]+c.kept[afterWin]
	rate := result.NewMetric("share", stat.Fraction(c.raised[afterLoss], losses), losses, rules.MinLosses).AddParam("size_ratio", rules.SizeRatio)
	rate = rate.WithCI(stat.Wilson(c.raised[afterLoss], losses, stat.Z95))
	if rate.Status == result.OK && wins >= rules.MinWins {
		rate = rate.WithP(stat.FisherUpper(c.raised[afterLoss], c.kept[afterLoss], c.raised[afterWin], c.kept[afterWin]))
	}
	metrics := map[string]result.Metric{
		"raise_rate_after_loss": rate,
		"raise_rate_after_win":  result.NewMetric("share", stat.Fraction(c.raised[afterWin], wins), wins, rules.MinWins).AddParam("size_ratio", rules.SizeRatio),
		"loss_ladder_depth":     result.NewMetric("count", float64(c.deepest), losses, rules.MinLosses).AddParam("ladders", c.ladders),
		"loss_ladder_growth":    result.NewMetric("ratio", c.growth, losses, rules.MinLosses),
	}
	judged := rate
	if rate.Status == result.OK && rate.P == nil {
		judged = result.NewMetric("share", 0, min(wins, rules.MinWins-1), rules.MinWins)
	}
	if v.Decisions > 0 && c.noLots == v.Decisions {
		judged = result.UndefinedMetric("share", 0, rules.MinLosses, result.ReasonNoVolume)
	}
	return detect.Result{Metrics: metrics, Candidates: []detect.Candidate{c.makeCandidate(rules, judged, wins)}}
}

func (c *chase) makeCandidate(rules *ruleset.LossChasingRules, rate result.Metric, wins int) detect.Candidate {
	const kind, title = "loss_chasing", "Larger size after losses"
	if rate.Status != result.OK {
		return detect.UnjudgedCandidate(kind, title, rate)
	}
	d := result.Detection{
		Kind: kind, Status: result.OK, Title: title, Metric: result.NewFindingMetric("raise_rate_after_loss", rate),
		Detail: wording.FormatText("Size was raised by %.0f%% or more after %.1f%% of %d losses and after %.1f%% of %d wins; at most %d times in a row, up to %.1f times the first size.",
			100*(rules.SizeRatio-1), 100**rate.Value, rate.N, 100*stat.Fraction(c.raised[afterWin], wins), wins, c.deepest, c.growth),
		Evidence: c.evidence.SortShown(), EvidenceTotal: c.evidence.Total,
		Limitations: []string{"Compared within each symbol. A plan that scales in looks the same."},
	}
	question := "How do you choose the size of the trade after a loss?"
	d.SuggestedQuestion = &question
	return detect.Candidate{Detection: d, P: rate.P, Judge: func(adjusted float64) (result.Severity, *float64) {
		switch {
		case adjusted >= rules.MaxP || rate.CI.Low < rules.MediumRate:
			return result.None, &rules.MediumRate
		case c.ladders >= rules.HighLadderCount || stat.IsAtLeast(c.growth, rules.HighGrowth) && !math.IsInf(c.growth, 1):
			return result.High, &rules.MediumRate
		}
		return result.Medium, &rules.MediumRate
	}}
}
