package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/assayhq/assay/internal/analysis/detect"
	"github.com/assayhq/assay/internal/analysis/micros"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/ruleset"
	"github.com/assayhq/assay/internal/analysis/stat"
	"github.com/assayhq/assay/internal/analysis/trades"
	"github.com/assayhq/assay/internal/analysis/wording"
)

// shortHolds are the limits, in seconds, for which the share of shorter trades is a metric.
var shortHolds = [...]float64{10, 30, 60, 120, 180, 600}

// outcomes of a closed trade, packed into the lowest bits of a hold.
const (
	outcomeUnknown = iota // no result, or zero
	outcomeWin
	outcomeLoss
)

// holds are the holding times of closed trades, ascending.
type holds struct {
	packed   []uint64 // microseconds<<2 | outcome
	seconds  []float64
	profits  map[string]*shortProfit // by currency
	currency []string                // keys of profits, in order
}

// shortProfit is the gross profit of one currency by holding time.
type shortProfit struct {
	limits []float64
	under  []stat.RunningSum // gross profit of holds under each limit and not under the one before
	all    stat.RunningSum
	trades int // closed with a known result
}

// newHolds collects the holding times of the trader's closed trades, and the
// gross profit of what was held for less than each limit. Limits ascend.
func newHolds(v *trades.View, limits []float64) *holds {
	h := &holds{profits: map[string]*shortProfit{}}
	n := 0
	for _, a := range v.Accounts {
		n += len(a.ByClose)
	}
	h.packed, h.seconds = make([]uint64, 0, n), make([]float64, n)
	for _, a := range v.Accounts {
		p, ok := h.profits[a.Currency]
		if !ok {
			p = &shortProfit{limits: limits, under: make([]stat.RunningSum, len(limits)+1)}
			h.profits[a.Currency] = p
			h.currency = append(h.currency, a.Currency)
		}
		for i := range a.Trades {
			if a.Trades[i].Closed() {
				h.packed = append(h.packed, p.addClosed(&a.Trades[i]))
			}
		}
	}
	slices.Sort(h.currency)
	stat.SortUints(h.packed)
	for i, x := range h.packed {
		h.seconds[i] = float64(x>>2) / micros.Second
	}
	return h
}

// addClosed adds a closed trade and returns its hold with the outcome.
func (p *shortProfit) addClosed(t *trades.Trade) uint64 {
	hold, outcome := uint64(t.Close-t.Open), uint64(outcomeUnknown)
	net, ok := t.Net()
	if !ok {
		return hold<<2 | outcome
	}
	p.trades++
	switch {
	case net > 0:
		outcome = outcomeWin
		bin, seconds := 0, float64(hold)/micros.Second
		for bin < len(p.limits) && seconds >= p.limits[bin] {
			bin++
		}
		p.under[bin].Add(net)
		p.all.Add(net)
	case net < 0:
		outcome = outcomeLoss
	}
	return hold<<2 | outcome
}

// underShare is the share of gross profit that was held under a limit.
func (p *shortProfit) underShare(limit float64) (float64, bool) {
	var s stat.RunningSum
	for i, x := range p.limits {
		if x <= limit {
			s.Merge(p.under[i])
		}
	}
	return s.Value() / p.all.Value(), p.all.Value() > 0
}

// shareUnder returns the share of all trades that were held for less than a
// limit.
func (h *holds) shareUnder(limit float64) float64 {
	at, _ := slices.BinarySearch(h.seconds, limit)
	return stat.Fraction(at, len(h.seconds))
}

// profitUnder returns the share of gross profit under a limit, in the currency
// in which it is largest among those with enough trades. Amounts of different
// currencies are never added.
func (h *holds) profitUnder(limit float64, minTrades int) result.Metric {
	most := 0
	var held *float64
	m := result.RatioMetric("share", 0, 0, 0, minTrades)
	for _, currency := range h.currency {
		p := h.profits[currency]
		most = max(most, p.trades)
		portion, ok := p.underShare(limit)
		if p.trades >= minTrades && ok && (held == nil || portion > *held) {
			held = &portion
			m = result.NewMetric("share", portion, p.trades, minTrades).AddParam("currency", currency)
		}
	}
	if held == nil {
		m = result.RatioMetric("share", 0, 0, most, minTrades)
	}
	return m.AddParam("under_seconds", limit)
}

// medianHold returns the median hold of trades with an outcome, and how many.
func (h *holds) medianHold(outcome uint64) (float64, int) {
	n := 0
	for _, x := range h.packed {
		if x&3 == outcome {
			n++
		}
	}
	of := make([]float64, 0, n)
	for i, x := range h.packed {
		if x&3 == outcome {
			of = append(of, h.seconds[i])
		}
	}
	m, _ := stat.Quantile(of, 0.5)
	return m, len(of)
}

// holdLimits are the limits of the metrics and of the ruleset, ascending.
func holdLimits(rules *ruleset.HoldingRules) []float64 {
	limits := slices.Clone(shortHolds[:])
	for _, x := range []*float64{rules.MinHoldSeconds, rules.ShortHoldSeconds} {
		if x != nil {
			limits = append(limits, *x)
		}
	}
	slices.Sort(limits)
	return slices.Compact(limits)
}

// detectHolding is D3, how long positions are held. It is descriptive and left out of the
// correction. Positions below the ruleset's minimum are medium. Without a minimum, as in the
// neutral preset, those below 120 seconds are low at most. The holding time h of a closed trade
// is close − open in seconds. Unless stated otherwise, n is the number of closed trades and the
// minimum is the ruleset's min_trades.
//
//   - hold_p5 … hold_p95: quantiles of type 7, as in Postgres's percentile_cont.
//     Source: R. J. Hyndman and Y. Fan, The American Statistician 50 (1996).
//   - hold_geometric_mean: exp(mean ln max(h, 1)).
//   - hold_under_Xs_trades for X of 10, 30, 60, 120, 180, 600 and the ruleset's limits: the share
//     of trades with h < X.
//   - hold_under_Xs_profit: Σ_{h<X} max(net, 0) / Σ max(net, 0) in the currency in which it is
//     largest. n is the number of closed trades in that currency with a known result. Not
//     checkable without any profit.
//   - hold_median_winners, hold_median_losers: medians. n is the number of winners or losers,
//     and the minimum is 10.
//   - hold_winner_loser_ratio: the first median divided by the second. Below 0.5, winners are cut
//     and losers are kept. n is the smaller of the two numbers, and the minimum is 10.
func detectHolding(v *trades.View) detect.Result {
	rules := &v.Ruleset.Holding
	h := newHolds(v, holdLimits(rules))
	n, least := len(h.seconds), rules.MinTrades
	metrics := map[string]result.Metric{}
	for _, q := range [...]int{5, 10, 25, 50, 75, 90, 95} {
		x, _ := stat.Quantile(h.seconds, float64(q)/100)
		metrics[fmt.Sprintf("hold_p%d", q)] = result.NewMetric("seconds", x, n, least)
	}
	metrics["hold_geometric_mean"] = result.NewMetric("seconds", h.geometricMean(), n, least)
	for _, x := range holdLimits(rules) {
		metrics[underName(x, "trades")] = result.NewMetric("share", h.shareUnder(x), n, least).AddParam("under_seconds", x)
		metrics[underName(x, "profit")] = h.profitUnder(x, least)
	}
	h.addOutcomes(metrics)
	return detect.Result{Metrics: metrics, Candidates: []detect.Candidate{
		h.makeCandidate(v, shortHoldingKind, "Positions held for a short time", rules.MinHoldSeconds, rules.MediumTradeShare, rules.MediumProfitShare),
		h.makeCandidate(v, "short_holding_long_limit", "Most positions or profits under a longer limit", rules.ShortHoldSeconds, rules.ShortHoldShare, rules.ShortHoldShare),
	}}
}

const shortHoldingKind = "short_holding"

// underName is the name of a share under a limit.
func underName(seconds float64, of string) string {
	return "hold_under_" + strconv.FormatFloat(seconds, 'f', -1, 64) + "s_" + of
}

func (h *holds) geometricMean() float64 {
	var logs stat.RunningSum
	for _, x := range h.seconds {
		logs.Add(math.Log(max(x, 1)))
	}
	return math.Exp(logs.Value() / float64(max(len(h.seconds), 1)))
}

func (h *holds) addOutcomes(metrics map[string]result.Metric) {
	const least = 10
	win, wins := h.medianHold(outcomeWin)
	loss, losses := h.medianHold(outcomeLoss)
	metrics["hold_median_winners"] = result.NewMetric("seconds", win, wins, least)
	metrics["hold_median_losers"] = result.NewMetric("seconds", loss, losses, least)
	metrics["hold_winner_loser_ratio"] = result.RatioMetric("ratio", win, loss, min(wins, losses), least)
}

// shortHold is what is called short, in seconds, where a ruleset asks for no minimum.
const shortHold = 120.0

// makeCandidate judges the shares under one limit of the ruleset. Without a minimum
// holding time no rule can be broken, so short holds are only described, with low
// severity at most.
func (h *holds) makeCandidate(v *trades.View, kind, title string, limit *float64, tradeShare, profitShare float64) detect.Candidate {
	rules := &v.Ruleset.Holding
	most, of := result.Medium, "the %g seconds of your preset"
	if limit == nil && kind == shortHoldingKind {
		least := shortHold
		limit, most, of = &least, result.Low, "%g seconds"
	}
	if limit == nil {
		return detect.UnjudgedCandidate(kind, title, result.UndefinedMetric("share", len(h.seconds), rules.MinTrades, result.ReasonNoRule))
	}
	trades := result.NewMetric("share", h.shareUnder(*limit), len(h.seconds), rules.MinTrades)
	if trades.Status != result.OK {
		return detect.UnjudgedCandidate(kind, title, trades)
	}
	profit := h.profitUnder(*limit, rules.MinTrades)
	d := result.Detection{
		Kind: kind, Status: result.OK, Title: title, Metric: result.NewFindingMetric(underName(*limit, "trades"), trades),
		Detail:      wording.FormatText("%.1f%% of %d closed trades were held for less than "+of+".", 100**trades.Value, trades.N, *limit),
		Limitations: []string{"Based on your preset. Another firm's rules may allow it.", "Includes positions stopped out soon after opening."},
	}
	if most == result.Low {
		d.Limitations[0] = "Descriptive only, because your preset sets no minimum holding time."
	}
	threshold, reached := tradeShare, *trades.Value >= tradeShare
	if profit.Status == result.OK {
		of := "gross profit"
		if len(h.currency) > 1 {
			of = wording.FormatText("gross profit in %s (%d closed trades)", cmp.Or(profit.Params["currency"].(string), "an unknown currency"), profit.N)
		}
		d.Detail += fmt.Sprintf(" They made %.1f%% of %s.", 100**profit.Value, of)
		if !reached && *profit.Value >= profitShare {
			threshold, reached = profitShare, true
			d.Metric = result.NewFindingMetric(underName(*limit, "profit"), profit)
		}
	}
	d.Evidence, d.EvidenceTotal = listShortHolds(v, *limit)
	question := "What makes you close positions so soon after you open them?"
	d.SuggestedQuestion = &question
	return detect.Candidate{Detection: d, Judge: func(float64) (result.Severity, *float64) {
		if reached {
			return most, &threshold
		}
		return result.None, &threshold
	}}
}

// listShortHolds returns trades held for less than a limit, the first of each
// account.
func listShortHolds(v *trades.View, limit float64) ([]result.Evidence, int) {
	var e detect.EvidenceList
	for _, a := range v.Accounts {
		for i := range a.Trades {
			if t := &a.Trades[i]; t.Closed() && t.Hold() < limit {
				e.AddTrade(a, t)
			}
		}
	}
	return e.SortShown(), e.Total
}

// detectQuotes lists what trades can't prove, and the one number that hints at it.
//
//   - hold_under_10s_win_rate: winners of the decisions held for less than ten
//     seconds, divided by winners and losers among them. Share, minimum 10. Its p
//     is Fisher's, one-sided, against the decisions held longer; it is not
//     corrected because no finding rests on it.
func detectQuotes(v *trades.View) detect.Result {
	const limit, least = 10 * micros.Second, 10
	var wins, losses [2]int // held longer, held shorter
	for _, a := range v.Accounts {
		for i := range a.Clusters {
			c := &a.Clusters[i]
			short := 0
			if c.Close-c.Open < limit {
				short = 1
			}
			switch {
			case !c.Closed || !c.HasNet:
			case c.Net > 0:
				wins[short]++
			case c.Net < 0:
				losses[short]++
			}
		}
	}
	n := wins[1] + losses[1]
	m := result.NewMetric("share", stat.Fraction(wins[1], n), n, least).AddParam("rest", stat.Fraction(wins[0], wins[0]+losses[0])).AddParam("rest_n", wins[0]+losses[0])
	if m.Status == result.OK {
		m = m.WithP(stat.FisherUpper(wins[1], losses[1], wins[0], losses[0]))
	}
	needs := result.UndefinedMetric("", v.Trades, 0, result.ReasonNeedsQuotes)
	r := detect.Result{Metrics: map[string]result.Metric{"hold_under_10s_win_rate": m}}
	for _, subject := range [...][2]string{
		{"latency_arbitrage", "Orders on delayed prices"},
		{"tick_feed_abuse", "Exploiting errors in the price feed"},
		{"off_firm_hedging", "Opposite positions at another firm"},
	} {
		c := detect.UnjudgedCandidate(subject[0], subject[1], needs)
		c.Detection.Detail = "Trades alone cannot prove this. It requires quotes or data from other firms."
		r.Candidates = append(r.Candidates, c)
	}
	return r
}
