// Package style finds changes in how somebody trades: in holding times, sizes and symbols.
package style

import (
	"cmp"
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

// fundedPhases and evaluationPhases are parts of what platforms call phases.
var (
	fundedPhases     = [...]string{"fund", "live", "master", "real"}
	evaluationPhases = [...]string{"eval", "verif", "challenge", "phase", "step", "demo"}
)

// phaseOf distinguishes a funded account from one in evaluation. Both are false if
// the platform's word is not known.
func phaseOf(a *trades.AccountView) (funded, evaluation bool) {
	phase := strings.ToLower(a.Phase)
	names := func(part string) bool { return strings.Contains(phase, part) }
	funded = slices.ContainsFunc(fundedPhases[:], names)
	return funded, !funded && slices.ContainsFunc(evaluationPhases[:], names)
}

// The ways in which a history is split.
const (
	splitPhases   = "evaluation_funded"
	splitSearched = "searched"
)

// Traits of decisions.
const (
	traitHold    = "hold"
	traitLots    = "lots"
	traitSymbols = "symbols"
)

// minStyleDays is how many days a history must have before anything is said of how
// it changes from one day to another.
const minStyleDays = 10

// styleChange is the change of a trait from before a split to after it.
type styleChange struct {
	trait  string
	split  string
	of     *trades.AccountView // nil when evaluation is compared with funded accounts
	day    int32               // the first day after the split
	before int                 // decisions before it
	after  int
	d      float64
	ci     result.Interval
	p      float64 // of the search, not corrected for the other traits and accounts
	// together says that p is that of all traits at one split; of them, this is the
	// one that is furthest above its limit.
	together bool
}

// exceedsLimit reports whether the distance is above the ruleset's limit even at the
// lower end of its interval.
func (c *styleChange) exceedsLimit(rules *ruleset.StyleBreakRules) bool {
	return c.ci.Low >= *limitOf(rules, c.trait)
}

func limitOf(rules *ruleset.StyleBreakRules, trait string) *float64 {
	if trait == traitSymbols {
		return &rules.MediumMixShift
	}
	return &rules.MediumD
}

// history holds decisions in blocks of days, in the order in which they are split.
type history struct {
	hold, lots []float64 // NaN: not known
	keys       []uint32
	block      []int32
	days       []int32 // of each block
}

// addAccount adds the decisions of an account. Lots are compared with the balance.
func (h *history) addAccount(a *trades.AccountView, balance float64) {
	for i := range a.Clusters {
		c := &a.Clusters[i]
		if day := a.Days[c.First]; i == 0 || day != h.days[len(h.days)-1] {
			h.days = append(h.days, day)
		}
		hold, lots := math.NaN(), math.NaN()
		if c.Closed {
			hold = max(float64(c.Close-c.Open)/micros.Second, 1)
		}
		if c.HasLots && balance > 0 {
			lots = c.Lots / balance
		}
		h.hold, h.lots, h.keys = append(h.hold, hold), append(h.lots, lots), append(h.keys, c.Key)
		h.block = append(h.block, int32(len(h.days)-1))
	}
}

func newHistory(decisions int) *history {
	return &history{
		hold: make([]float64, 0, decisions), lots: make([]float64, 0, decisions),
		keys: make([]uint32, 0, decisions), block: make([]int32, 0, decisions),
	}
}

// leastSide is how many decisions a side of a searched split needs. A history needs
// twice the ruleset's minimum; with as many on each side, a change within the first or
// last third of the shortest history would always be compared with a side that it is
// in the middle of.
func leastSide(rules *ruleset.StyleBreakRules) int { return max(rules.MinEach*3/5, 1) }

// findChanges searches each trait for its split, or splits it at a place.
func (h *history) findChanges(v *trades.View, only int) (found []styleChange) {
	rules := &v.Ruleset.StyleBreak
	least := rules.MinEach
	if len(h.days) < minStyleDays || len(h.keys) < 2*least {
		return nil
	}
	if only <= 0 {
		least = leastSide(rules)
	}
	var traits []*trait
	for _, of := range [...]struct {
		name   string
		values []float64
	}{{traitHold, h.hold}, {traitLots, h.lots}} {
		bin, bins := assignBins(of.values)
		traits = append(traits, newTrait(of.name, false, bins, len(h.days), bin, h.block))
	}
	bin, bins := assignSymbolBins(h.keys, len(v.Symbols))
	traits = append(traits, newTrait(traitSymbols, true, bins, len(h.days), bin, h.block))
	scores, best := permuteScores(traits, least, only), searchSplits(traits, inOrder(len(h.days)), least, only)
	if best.sum == 0 {
		return nil
	}
	worth := make([]dependence, len(traits))
	sum, strongest, place := 0.0, (*styleChange)(nil), 0
	for i, t := range traits {
		worth[i] = t.estimateDependence(searchSplits(traits[i:i+1], inOrder(t.blocks), looseSplit, only).each[0])
		if at := best.together[i]; at.at > 0 {
			place = at.at
			sum += at.score * worth[i].remainingPart() / t.scale
			c := t.describeChange(at, worth[i], h.days)
			if strongest == nil || c.ci.Low-*limitOf(rules, c.trait) > strongest.ci.Low-*limitOf(rules, strongest.trait) {
				strongest = &c
			}
		}
		if at := best.each[i]; at.at > 0 {
			c := t.describeChange(at, worth[i], h.days)
			c.p = scoreRarity(at.score*worth[i].remainingPart(), scores[i], t.blocks, at.at)
			found = append(found, c)
		}
	}
	strongest.together = true
	strongest.p = scoreRarity(sum, scores[len(traits)], len(h.days), place)
	return append(found, *strongest)
}

// looseSplit is how many decisions a side needs where a split is not judged but only
// says how dependent decisions are: a change near an end is not to count as
// dependence of what is there.
const looseSplit = 5

// scoreRarity returns the p of a score among those of other orders of the blocks.
// No order is rarer than all choices of the blocks that come before the split.
func scoreRarity(score float64, chance []float64, blocks, at int) float64 {
	return min(max(stat.ExtremeUpper(score, chance), 1/stat.Arrangements(blocks, at)), 1)
}

// describeChange describes how a trait changed at a split.
func (t *trait) describeChange(s split, worth dependence, days []int32) styleChange {
	share, n := t.splitShares(s)
	c := styleChange{trait: t.name, day: days[s.at], before: int(n[0]), after: int(n[1]), d: s.d}
	if share[0] < share[1] {
		share[0], share[1], n[0], n[1] = share[1], share[0], n[1], n[0]
	}
	c.ci.Level = 0.95
	each := worth.remainingPart() / worth.spread
	c.ci.Low, c.ci.High = stat.Difference(share[0], n[0]*each, share[1], n[1]*each)
	return c
}

// byAccount searches the history of each account.
func byAccount(v *trades.View) (found []styleChange) {
	for _, a := range v.Accounts {
		h := newHistory(len(a.Clusters))
		h.addAccount(a, 1)
		for _, c := range h.findChanges(v, 0) {
			c.split, c.of = splitSearched, a
			found = append(found, c)
		}
	}
	return found
}

// byPhase compares accounts in evaluation with funded ones; balances reports whether
// all of them state one, without which their lots are not compared.
func byPhase(v *trades.View) (found []styleChange, balances bool) {
	var phases [2][]*trades.AccountView // in evaluation, and funded
	decisions := 0
	for _, a := range v.Accounts {
		funded, evaluation := phaseOf(a)
		switch {
		case len(a.Clusters) == 0:
			continue
		case evaluation:
			phases[0] = append(phases[0], a)
		case funded:
			phases[1] = append(phases[1], a)
		default:
			continue
		}
		decisions += len(a.Clusters)
	}
	if len(phases[0]) == 0 || len(phases[1]) == 0 {
		return nil, false
	}
	h, first := newHistory(decisions), 0
	balances = true
	for _, accounts := range phases {
		first = len(h.days)
		for _, a := range accounts {
			balance, ok := a.Balance()
			balances = balances && ok
			h.addAccount(a, balance)
		}
	}
	if !balances {
		for i := range h.lots {
			h.lots[i] = math.NaN()
		}
	}
	for _, c := range h.findChanges(v, first) {
		c.split = splitPhases
		found = append(found, c)
	}
	return found, balances
}

// DetectBreak is D13, a change in how somebody trades. It searches each account for a
// day of change, and compares accounts in evaluation with funded ones. It compares three
// traits: holding times, lots (divided by the initial balance if accounts are compared), and
// the mix of symbol groups.
//
// A history needs ten days and twice min_each decisions. Every split between two days is
// examined that leaves three fifths of min_each on each side. Phases are compared if both
// have min_each. The score of a split is that of Anderson and Darling, or Pearson's χ² for
// symbols. Its p comes from the highest scores of 200 random orders of the days, which pays
// for the search, and beyond them from a Gumbel tail. A score counts for less if neighboring
// days agree within the parts, because random orders separate such days. Holm's correction
// covers the traits, all traits together, and the accounts.
//
// The metrics are those of the account (or of the phases) with the change that is least
// likely by chance. n is the number of decisions in the smaller part, and the minimum is
// three fifths of min_each. The parameters are split (searched or evaluation_funded), day
// (the first one after the change) and account_id. Intervals are those of the difference of
// the two shares that are furthest apart, with the effective numbers of decisions.
//
//   - style_hold_distance, style_lots_distance: Kolmogorov–Smirnov D over 32 quantiles, from
//     0 to 1. Lots are not checkable between phases if an account has no balance.
//     Source: N. Smirnov, Ann. Math. Stat. 19 (1948).
//   - style_symbol_shift: the total variation distance between the shares of symbol groups,
//     from 0 to 1.
//   - style_distance: the one of these three that is least likely by chance. The parameter
//     trait names it.
func DetectBreak(v *trades.View) detect.Result {
	rules := &v.Ruleset.StyleBreak
	found, balances := byPhase(v)
	found = append(found, byAccount(v)...)
	raw := make([]float64, len(found))
	for i, c := range found {
		raw[i] = c.p
	}
	corrected := stat.Holm(raw, len(raw))
	best := 0
	for i := range found {
		if cmp.Or(compareBool(found[i].exceedsLimit(rules), found[best].exceedsLimit(rules)), cmp.Compare(found[best].p, found[i].p), cmp.Compare(found[i].d, found[best].d)) > 0 {
			best = i
		}
	}
	metrics := map[string]result.Metric{"style_distance": insufficientStyle(v, "distance")}
	for name, trait := range map[string]string{"style_hold_distance": traitHold, "style_lots_distance": traitLots, "style_symbol_shift": traitSymbols} {
		unit := "distance"
		if trait == traitSymbols {
			unit = "share"
		}
		metrics[name] = insufficientStyle(v, unit)
		for i := range found {
			if c := &found[i]; c.trait == trait && !c.together && c.split == found[best].split && c.of == found[best].of {
				metrics[name] = c.makeMetric(unit, rules)
			}
		}
	}
	if len(found) > 0 {
		metrics["style_distance"] = found[best].makeMetric("distance", rules).AddParam("trait", found[best].trait).AddParam("together", found[best].together)
		if !balances && found[best].split == splitPhases {
			metrics["style_lots_distance"] = result.UndefinedMetric("distance", 0, rules.MinEach, result.ReasonNoBalance)
		}
	}
	return detect.Result{Metrics: metrics, Candidates: []detect.Candidate{styleCandidate(v, found, corrected, best, metrics["style_distance"])}}
}

func compareBool(a, b bool) int {
	switch {
	case a && !b:
		return 1
	case b && !a:
		return -1
	}
	return 0
}

// insufficientStyle is the metric of a history that is too short to be split.
func insufficientStyle(v *trades.View, unit string) result.Metric {
	least := leastSide(&v.Ruleset.StyleBreak)
	return result.NewMetric(unit, 0, min(v.Decisions/2, least-1), least)
}

func (c *styleChange) makeMetric(unit string, rules *ruleset.StyleBreakRules) result.Metric {
	m := result.NewMetric(unit, c.d, min(c.before, c.after), leastSide(rules)).AddParam("split", c.split).AddParam("day", micros.FormatDate(c.day)).
		WithP(c.p).WithCI(max(c.ci.Low, 0), c.ci.High)
	if c.of != nil {
		m = m.AddParam("account_id", c.of.ID)
	}
	return m
}

func styleCandidate(v *trades.View, found []styleChange, corrected []float64, best int, main result.Metric) detect.Candidate {
	const kind, title = "style_break", "A change in trading style"
	if main.Status != result.OK {
		return detect.UnjudgedCandidate(kind, title, main)
	}
	rules, c := &v.Ruleset.StyleBreak, &found[best]
	question := "What has changed in how you trade, and why?"
	d := result.Detection{
		Kind: kind, Status: result.OK, Title: title, Metric: result.NewFindingMetric("style_distance", main).WithComparisons(len(found)), Detail: styleText(rules, found, corrected, best),
		Limitations:       []string{"Markets change, and traders learn.", "The date of the change is an estimate and may be off by some days."},
		SuggestedQuestion: &question,
	}
	if c.of != nil {
		d.Evidence, d.EvidenceTotal = tradesAround(c.of, c.day)
	}
	limit := limitOf(rules, c.trait)
	return detect.Candidate{Detection: d, P: &corrected[best], Judge: func(adjusted float64) (result.Severity, *float64) {
		if adjusted < rules.MaxP && c.exceedsLimit(rules) {
			return result.Medium, limit
		}
		return result.None, limit
	}}
}

// tradesAround returns the last trades before a day, and the first ones from that day on.
func tradesAround(a *trades.AccountView, day int32) ([]result.Evidence, int) {
	const each = 5
	var e detect.EvidenceList
	at, _ := slices.BinarySearch(a.Days, day)
	for i := max(at-each, 0); i < min(at+each, len(a.Trades)); i++ {
		e.AddTrade(a, &a.Trades[i])
	}
	return e.SortShown(), e.Total
}

// styleText describes the change, and the other traits of the same split that
// changed beyond chance.
func styleText(rules *ruleset.StyleBreakRules, found []styleChange, corrected []float64, best int) string {
	words := map[string]string{traitHold: "holding times", traitLots: "sizes", traitSymbols: "symbols"}
	where := "Between evaluation and funded accounts"
	if found[best].of != nil {
		where = wording.CapitalizeFirst(wording.NameAccount(found[best].of))
	}
	var texts []string
	for i, c := range found {
		shown := i == best || !c.together && (c.trait != found[best].trait) && c.exceedsLimit(rules) && corrected[i] < rules.MaxP
		if c.of != found[best].of || c.split != found[best].split || !shown {
			continue
		}
		text := fmt.Sprintf("%s differ by %.2f", words[c.trait], c.d)
		if c.of != nil {
			text += fmt.Sprintf(" from %s on", wording.WriteDay(c.day))
		}
		texts = append(texts, text)
	}
	return fmt.Sprintf("%s: %s (0 is the same, 1 has nothing in common).", where, strings.Join(texts, ", "))
}
