package analysis

import (
	"slices"

	"github.com/assayhq/assay/internal/analysis/detect"
	"github.com/assayhq/assay/internal/analysis/micros"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/ruleset"
	"github.com/assayhq/assay/internal/analysis/stat"
	"github.com/assayhq/assay/internal/analysis/trades"
	"github.com/assayhq/assay/internal/analysis/wording"
)

// basket is the decisions of one account, symbol and side that are open
// together, from the first open until none is left.
type basket struct {
	open       int
	lots, cost float64 // of what is open: Σ V and Σ V·price
	lastPrice  float64
	lastLots   float64
	depth      int // adverse adds
	favorable  int // adds at a better price than the average
	escalating bool
	lotted     stat.Moments // sizes
	steps      stat.Moments // distances between prices of adverse adds
	closes     []int64      // moments of the last closes, as many as the ruleset asks for
	together   bool         // enough closes within a few seconds
	members    []uint32
}

// baskets holds the totals of the baskets of all accounts.
type baskets struct {
	rules      *ruleset.AveragingRules
	decisions  int // with a price and a volume
	all        int // baskets
	deepest    int
	low        int             // baskets of at least LowDepth
	deep       int             // of at least MediumDepth
	escalating int             // among deep
	grids      int             // among deep
	even       int             // grids of even lots
	adverse    int             // baskets in which most adds were adverse
	favorable  int             // in which most were not
	stepped    int             // baskets of at least GridSteps adverse adds
	byChance   stat.RunningSum // how many of these would have even steps
	together   int             // closed together, among low
	evidence   detect.EvidenceList
}

// clusterPrices returns Σ V·price of each decision, and whether every trade of
// it states a price and a volume.
func clusterPrices(a *trades.AccountView) (cost []float64, ok []bool) {
	cost, ok = make([]float64, len(a.Clusters)), make([]bool, len(a.Clusters))
	for i := range a.Clusters {
		ok[i] = a.Clusters[i].HasLots
	}
	for i := range a.Trades {
		t, c := &a.Trades[i], a.Cluster[i]
		cost[c] += t.Volume * t.OpenPrice
		ok[c] = ok[c] && t.Has&trades.HasOpenPrice != 0
	}
	return cost, ok
}

// addAccount adds the decisions of one account.
func (b *baskets) addAccount(v *trades.View, a *trades.AccountView) {
	held := make([]basket, 2*len(v.Symbols))
	cost, ok := clusterPrices(a)
	next := 0
	for i := range a.Clusters {
		c := &a.Clusters[i]
		for ; next < len(a.ClosedClusters) && a.WasClosedBefore(a.ClosedClusters[next], i); next++ {
			b.removeDecision(a, held, a.ClosedClusters[next], cost, ok)
		}
		if ok[i] {
			b.decisions++
			held[2*c.Key+uint32(c.Side)].addDecision(c, uint32(i), cost[i])
		}
	}
	for ; next < len(a.ClosedClusters); next++ {
		b.removeDecision(a, held, a.ClosedClusters[next], cost, ok)
	}
	for i := range held {
		b.endBasket(a, &held[i])
	}
}

// addDecision adds a decision to its basket. The decision is adverse if its price is worse than the
// average price of the open ones.
func (k *basket) addDecision(c *trades.Cluster, i uint32, cost float64) {
	price := cost / c.Lots
	if k.open > 0 && k.lots > 0 {
		average := k.cost / k.lots
		lower, higher := stat.IsAbove(average, price), stat.IsAbove(price, average)
		if c.Side == trades.Buy && lower || c.Side == trades.Sell && higher {
			k.depth++
			k.escalating = k.escalating || stat.IsAbove(c.Lots, k.lastLots)
			k.steps.Add(max(price-k.lastPrice, k.lastPrice-price))
		} else if lower || higher {
			k.favorable++
		}
	}
	k.lotted.Add(c.Lots)
	k.open++
	k.lots += c.Lots
	k.cost += cost
	k.lastPrice, k.lastLots = price, c.Lots
	if len(k.members) < result.MaxEvidence {
		k.members = append(k.members, i)
	}
}

// removeDecision removes a decision that closed from its basket.
func (b *baskets) removeDecision(a *trades.AccountView, held []basket, done uint32, cost []float64, ok []bool) {
	if !ok[done] {
		return
	}
	c := &a.Clusters[done]
	k := &held[2*c.Key+uint32(c.Side)]
	k.lots -= c.Lots
	k.cost -= cost[done]
	b.closeTogether(k, c.Close)
	if k.open--; k.open == 0 {
		b.endBasket(a, k)
	}
}

// closeTogether notes whether as many closes as the ruleset requires are within its time span.
func (b *baskets) closeTogether(k *basket, at int64) {
	if len(k.closes) == b.rules.BasketCloses {
		k.closes = k.closes[:copy(k.closes, k.closes[1:])]
	}
	k.closes = append(k.closes, at)
	k.together = k.together || len(k.closes) == b.rules.BasketCloses && at-k.closes[0] <= int64(b.rules.BasketCloseSeconds*micros.Second)
}

// endBasket counts a basket that no longer holds anything, and empties it.
func (b *baskets) endBasket(a *trades.AccountView, k *basket) {
	if k.lastLots == 0 {
		return // never used
	}
	b.all++
	b.deepest = max(b.deepest, k.depth)
	switch {
	case k.depth > k.favorable:
		b.adverse++
	case k.favorable > k.depth:
		b.favorable++
	}
	if k.depth >= b.rules.LowDepth {
		b.low++
		if k.together {
			b.together++
		}
		for _, i := range k.members {
			b.evidence.AddCluster(a, i)
		}
	}
	if k.depth >= b.rules.MediumDepth {
		b.deep++
		if k.escalating {
			b.escalating++
		}
		b.countGrid(k)
	}
	*k = basket{members: k.members[:0], closes: k.closes[:0]}
}

// evenLots is the largest variation of sizes that counts as even.
const evenLots = 0.01

// countGrid counts a deep basket as a grid if its steps are even.
func (b *baskets) countGrid(k *basket) {
	cv, ok := k.steps.CV()
	if !ok || k.steps.N() < b.rules.GridSteps {
		return
	}
	b.stepped++
	b.byChance.Add(stat.EvenSteps(k.steps.N(), b.rules.GridCV))
	if cv > b.rules.GridCV {
		return
	}
	b.grids++
	if size, _ := k.lotted.CV(); size <= evenLots {
		b.even++
	}
}

// testPlan tests two signs of a plan with Holm's correction, and returns p. The first test compares
// the baskets in which most adds are adverse with those in which most are not: by chance, half of
// them would be either. The second counts baskets with even steps, which are rare by chance.
func (b *baskets) testPlan() float64 {
	sides := stat.BinomialUpper(b.adverse, b.adverse+b.favorable, 0.5)
	grids := 1.0
	if b.grids > 0 {
		grids = stat.BinomialUpper(b.grids, b.stepped, min(b.byChance.Value()/float64(b.stepped), 1))
	}
	return slices.Min(stat.Holm([]float64{sides, grids}, 2))
}

// detectAveraging is D5, adding to losing positions. A basket is the decisions of one account, symbol and
// side that are open together. An add is adverse when a buy opens below, a sell
// above, the volume-weighted entry of what is open. All metrics are counts, n
// decisions with a price and a volume, minimum the ruleset's min_decisions.
//
// Medium and high need a p, that of averaging_baskets: the smaller one of two, with
// Holm's correction. The one is the sign test of baskets in which most adds are
// adverse (parameter adverse) against those in which most are favorable; the other
// is the binomial one of averaging_grids among the baskets with so many steps
// (parameter stepped), with the chance of stat.EvenSteps.
//
//   - averaging_depth: most adverse adds in one basket.
//   - averaging_baskets: baskets of at least low_depth adverse adds.
//   - averaging_deep_baskets: of at least medium_depth.
//   - averaging_escalating: deep baskets with an adverse add larger than the
//     decision before.
//   - averaging_grids: deep baskets of at least grid_steps adverse adds whose
//     distances to the price before have a coefficient of variation of at most
//     grid_step_cv.
//   - averaging_closed_together: baskets of low_depth with basket_closes closes
//     within basket_close_seconds.
func detectAveraging(v *trades.View) detect.Result {
	rules := &v.Ruleset.Averaging
	b := baskets{rules: rules}
	for _, a := range v.Accounts {
		b.addAccount(v, a)
	}
	count := func(x int) result.Metric {
		m := result.NewMetric("count", float64(x), b.decisions, rules.MinDecisions)
		if v.Decisions >= rules.MinDecisions && b.decisions == 0 {
			m = result.UndefinedMetric("count", 0, rules.MinDecisions, result.ReasonNoPrices)
		}
		return m
	}
	metrics := map[string]result.Metric{
		"averaging_depth":           count(b.deepest).AddParam("baskets", b.all),
		"averaging_baskets":         count(b.low).AddParam("adverse", b.adverse).AddParam("favorable", b.favorable).AddParam("stepped", b.stepped).WithP(b.testPlan()),
		"averaging_deep_baskets":    count(b.deep),
		"averaging_escalating":      count(b.escalating),
		"averaging_grids":           count(b.grids).AddParam("even_lots", b.even),
		"averaging_closed_together": count(b.together),
	}
	return detect.Result{Metrics: metrics, Candidates: []detect.Candidate{b.makeCandidate(metrics["averaging_depth"], metrics["averaging_baskets"])}}
}

func (b *baskets) makeCandidate(depth, low result.Metric) detect.Candidate {
	const kind, title = "averaging_down", "Adding to losing positions"
	if depth.Status != result.OK {
		return detect.UnjudgedCandidate(kind, title, depth)
	}
	rules := b.rules
	d := result.Detection{
		Kind: kind, Status: result.OK, Title: title, Metric: result.NewFindingMetric("averaging_baskets", low).WithComparisons(2), Detail: b.describeBaskets(),
		Evidence: b.evidence.SortShown(), EvidenceTotal: b.evidence.Total,
		Limitations: []string{"Partial closes are visible only if the platform splits the position."},
	}
	question := "What is your plan when the price moves against an open position?"
	d.SuggestedQuestion = &question
	if b.grids > 0 {
		d.Limitations = append(d.Limitations, "Some firms allow declared grids.")
	}
	return detect.Candidate{Detection: d, P: low.P, Judge: func(adjusted float64) (result.Severity, *float64) {
		low, medium := 1.0, float64(rules.MediumBaskets)
		switch {
		case b.low == 0:
			return result.None, &low
		case b.deep < rules.MediumBaskets || adjusted >= detect.MaxChance:
			return result.Low, &low
		case b.escalating > 0 || b.grids > 0:
			return result.High, &medium
		}
		return result.Medium, &medium
	}}
}

// describeBaskets describes the baskets. It names even lots on a regular grid as such.
func (b *baskets) describeBaskets() string {
	text := wording.FormatText("%d of %d baskets had %d or more adds against the position, %d had %d or more; at most %d in one. %d grew in size.",
		b.low, b.all, b.rules.LowDepth, b.deep, b.rules.MediumDepth, b.deepest, b.escalating)
	switch {
	case b.grids > 0 && b.even == b.grids:
		text += wording.FormatText(" %d had even steps and even lots: a regular grid.", b.grids)
	case b.grids > 0:
		text += wording.FormatText(" %d had even steps, %d of them even lots as well: a grid.", b.grids, b.even)
	}
	return text
}
