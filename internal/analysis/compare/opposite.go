package compare

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

// hedgePair holds the opposite positions of two accounts.
type hedgePair struct {
	a, b     *openings
	count    int
	same     int // as many on the same side that would fit as well
	shift    stat.Shift
	p        float64         // of so many by chance; 1 where they are too few to ask
	overlap  stat.RunningSum // seconds that both were open
	shorter  stat.RunningSum // seconds of the shorter of each two
	net      stat.RunningSum // of both sides
	absolute stat.RunningSum
	netKnown bool // all results are known and in one currency
	seen     detect.EvidenceList
}

// maxLook bounds how many openings are compared with one, so that the cost of many
// openings is proportional to their number.
const maxLook = 64

// hedger pairs decisions of two accounts that are held together, each at most
// once, in order of time.
type hedger struct {
	rules *ruleset.OppositeRules
	gap   int64
	used  []uint32 // by place in the longer list: the run that it was paired in
	run   uint32
}

func newHedger(rules *ruleset.OppositeRules) *hedger {
	return &hedger{rules: rules, gap: int64(rules.MaxOpenGapSeconds * micros.Second)}
}

// held are decisions of one kind of an account, opened at moments that may have
// been moved by whole days.
type held struct {
	open     []int64
	clusters []uint32
	of       []trades.Cluster
}

func heldOf(o *openings, k *opening) held { return held{k.open, k.clusters, o.account.Clusters} }

// clusterAt returns a decision and by how much it has been moved.
func (h *held) clusterAt(i int) (c *trades.Cluster, moved int64) {
	c = &h.of[h.clusters[i]]
	return c, h.open[i] - c.Open
}

// findPairs calls found for each two decisions that fit. It goes through the shorter
// list, and looks for each in the longer one.
func (h *hedger) findPairs(x, y held, found func(i, j int)) {
	swapped := len(x.open) > len(y.open)
	if swapped {
		x, y = y, x
	}
	if len(h.used) < len(y.open) {
		h.used = make([]uint32, len(y.open))
	}
	h.run++
	from := 0
	for i, open := range x.open {
		from = stat.SkipBelow(y.open, from, open-h.gap)
		for from < len(y.open) && h.used[from] == h.run {
			from++
		}
		for k := from; k < min(len(y.open), from+maxLook) && y.open[k] <= open+h.gap; k++ {
			if h.used[k] == h.run || !h.isHedge(&x, &y, i, k, swapped) {
				continue
			}
			h.used[k] = h.run
			if swapped {
				found(k, i)
			} else {
				found(i, k)
			}
			break
		}
	}
}

// isHedge reports whether two decisions are held together for long enough, in sizes
// that make up for each other.
func (h *hedger) isHedge(x, y *held, i, k int, swapped bool) bool {
	a, moved := x.clusterAt(i)
	b, moved2 := y.clusterAt(k)
	if !a.Closed || !b.Closed || !a.HasLots || !b.HasLots {
		return false
	}
	shorter := float64(min(a.Close-a.Open, b.Close-b.Open))
	overlap := float64(min(a.Close+moved, b.Close+moved2) - max(a.Open+moved, b.Open+moved2))
	ratio := a.Lots / b.Lots
	if swapped {
		ratio = b.Lots / a.Lots
	}
	return shorter > 0 && stat.IsAtLeast(overlap, h.rules.MinOverlap*shorter) && stat.IsAtLeast(ratio, h.rules.MinVolumeRatio) && stat.IsAtLeast(h.rules.MaxVolumeRatio, ratio)
}

// compareOpposite pairs the decisions of two accounts that are on opposite sides,
// and counts those that are on the same side and fit as well.
func (h *hedger) compareOpposite(a, b *openings) *hedgePair {
	p := &hedgePair{a: a, b: b, p: 1}
	mine, theirs := a.commonKinds(b, true)
	for i := range mine {
		h.findPairs(heldOf(a, mine[i]), heldOf(b, theirs[i]), func(int, int) { p.count++ })
	}
	if p.count == 0 {
		return p
	}
	mine, theirs = a.commonKinds(b, false)
	for i := range mine {
		h.findPairs(heldOf(a, mine[i]), heldOf(b, theirs[i]), func(int, int) { p.same++ })
	}
	return p
}

// countMoved counts the opposite positions with the days of b moved.
func (h *hedger) countMoved(p *hedgePair, days []int64, by int) int {
	n := 0
	mine, theirs := p.a.commonKinds(p.b, true)
	for i := range mine {
		open, split := stat.MoveDays(make([]int64, 0, len(theirs[i].open)), theirs[i].open, days, by)
		clusters := slices.Concat(theirs[i].clusters[split:], theirs[i].clusters[:split])
		h.findPairs(heldOf(p.a, mine[i]), held{open, clusters, p.b.account.Clusters}, func(int, int) { n++ })
	}
	return n
}

// testPair gives the pair its p: that of the days moved, unless the sides on which the
// two meet leave it to chance. Where the one account buys and the other sells only,
// their sides tell nothing.
func (h *hedger) testPair(p *hedgePair, chance float64, comparisons int) {
	mine, theirs := p.a.commonKinds(p.b, true)
	days := stat.ActiveDays(pairStreams(mine, theirs))
	p.shift = stat.CompareShifts(p.count, len(days), defaultShifts, func(by int) int { return h.countMoved(p, days, by) })
	p.p = p.shift.P
	if chance >= oneSided {
		return
	}
	var met []meeting
	for _, opposite := range [...]bool{true, false} {
		mine, theirs := p.a.commonKinds(p.b, opposite)
		for i := range mine {
			h.findPairs(heldOf(p.a, mine[i]), heldOf(p.b, theirs[i]), func(m, t int) {
				met = append(met, meeting{mine[i].open[m], theirs[i].open[t] - mine[i].open[m], opposite})
			})
		}
	}
	p.p = unlessShared(p.shift.P, sidesP(met, chance), comparisons)
}

// sumUpPair adds up overlaps and results of the opposite positions.
func (h *hedger) sumUpPair(p *hedgePair) {
	p.netKnown = p.a.account.Currency == p.b.account.Currency && p.a.account.Currency != ""
	mine, theirs := p.a.commonKinds(p.b, true)
	for i := range mine {
		h.findPairs(heldOf(p.a, mine[i]), heldOf(p.b, theirs[i]), func(m, t int) {
			p.addPositions(mine[i].clusters[m], theirs[i].clusters[t])
		})
	}
}

// addPositions adds two opposite positions.
func (p *hedgePair) addPositions(mine, theirs uint32) {
	x, y := &p.a.account.Clusters[mine], &p.b.account.Clusters[theirs]
	p.overlap.Add(float64(min(x.Close, y.Close)-max(x.Open, y.Open)) / micros.Second)
	p.shorter.Add(float64(min(x.Close-x.Open, y.Close-y.Open)) / micros.Second)
	p.netKnown = p.netKnown && x.HasNet && y.HasNet
	for _, c := range [...]*trades.Cluster{x, y} {
		p.net.Add(c.Net)
		p.absolute.Add(math.Abs(c.Net))
	}
	p.seen.AddOpening(p.a.account, mine)
	p.seen.AddOpening(p.b.account, theirs)
}

// defaultShifts is how far days are moved.
const defaultShifts = 10

// testAll tests the pairs that could be more than chance, and returns all of them,
// the least likely first, with their p corrected for all comparisons. The sides on
// which two accounts meet cost nothing to look at, so that days are moved only
// where these could pass the correction.
func (h *hedger) testAll(found []*hedgePair, comparisons int) (corrected []float64) {
	for _, p := range found {
		if p.count < h.rules.MediumCount {
			continue
		}
		chance := sidesByChance(p.a, p.b, true)
		if chance >= oneSided || stat.BinomialUpper(p.count, p.count+p.same, chance)*float64(comparisons) <= detect.MaxChance {
			h.testPair(p, chance, comparisons)
		}
	}
	slices.SortFunc(found, (*hedgePair).compareStrength)
	raw := make([]float64, len(found))
	for i, p := range found {
		raw[i] = p.p
	}
	return stat.Holm(raw, comparisons)
}

// judgeSeverity judges the pair by its corrected p, and by the number beyond what
// chance gives, both at the ends of their intervals that speak for the trader.
func (p *hedgePair) judgeSeverity(rules *ruleset.OppositeRules, adjusted float64) result.Severity {
	low, _ := stat.PoissonInterval(float64(p.count))
	excess := low - p.shift.MeanHigh
	proven := len(p.shift.Shifted) > 0 && adjusted < detect.MaxChance
	switch {
	case proven && adjusted < maxChancePerson && low >= minRatio*p.shift.MeanHigh && excess >= float64(rules.HighCount) && p.cancelsOut(rules):
		return result.High
	case proven && excess >= float64(rules.MediumCount):
		return result.Medium
	case p.count >= rules.LowCount && !p.b.account.Peer:
		return result.Low
	}
	return result.None
}

// cancelsOut reports whether the results of both sides cancel each other out.
func (p *hedgePair) cancelsOut(rules *ruleset.OppositeRules) bool {
	return p.netKnown && math.Abs(p.net.Value()) < rules.HighNetShare*p.absolute.Value()
}

func (p *hedgePair) compareStrength(q *hedgePair) int {
	own := func(p *hedgePair) int {
		if p.b.account.Peer || p.count == 0 {
			return 1
		}
		return 0
	}
	return cmp.Or(
		cmp.Compare(p.p, q.p), cmp.Compare(own(p), own(q)), cmp.Compare(q.count, p.count),
		strings.Compare(p.a.account.ID, q.a.account.ID), strings.Compare(p.b.account.ID, q.b.account.ID),
	)
}

// DetectOpposite is D10, opposite positions in two accounts. Two closed decisions on
// opposite sides of one symbol group match if they open at most max_open_gap_seconds
// apart, if they overlap for at least min_overlap of the shorter one, and if the ratio of
// their lots is from min_volume_ratio to max_volume_ratio. Each decision matches at most
// once, in chronological order. Two active accounts have some matches by chance, and more
// of them the busier they are.
//
// The p of a pair of accounts compares the number of matches with the numbers that remain
// when one account is moved by whole days, which keeps the hours (stat.CompareShifts). Before
// that, the sides must rule out that both accounts merely trade the same minutes, for example
// those of news (unlessShared): the share of opposite sides among all matches, whatever their
// sides, must be more than chance. Holm's correction counts every pair that was compared.
//
// The metrics are those of the pair of accounts that is least likely by chance. n is the
// number of pairs of accounts that were compared, and the minimum is 1.
//
// Without such a pair, n is the number of pairs that the loader searched in vain.
//
//   - opposite_count: the number of matches, with the 95 % interval of a Poisson count.
//     The parameters expected, expected_low and expected_high are the mean, the smallest
//     and the largest number with shifted days, or 0 if there are too few days to shift.
//     The parameter same is the number of matches on the same side, and comparisons is
//     what the correction counts.
//   - opposite_overlap_share: Σ overlap / Σ duration of the shorter position, as a share.
//     Not checkable without a match.
//   - opposite_net_share: |Σ net| / Σ|net| of both sides, as a share. It is near 0 if the
//     results cancel out. Not checkable without a match, with unknown results, or between
//     currencies.
func (pairs *Pairing) DetectOpposite(v *trades.View) detect.Result {
	rules := &v.Ruleset.Opposite
	h := newHedger(rules)
	var found []*hedgePair
	compared := pairs.visitPairs(1, func(a, b *openings) { found = append(found, h.compareOpposite(a, b)) }).compared
	if compared == 0 && v.Decisions > 0 {
		compared = pairs.clean
	}
	count, overlap, net := result.NewMetric("count", 0, compared, 1), result.UndefinedMetric("share", compared, 1, result.ReasonNotPositive), result.UndefinedMetric("share", compared, 1, result.ReasonNotPositive)
	if pairs.isAlone() {
		count, overlap, net = result.UndefinedMetric("count", 0, 1, result.ReasonOneAccount), result.UndefinedMetric("share", 0, 1, result.ReasonOneAccount), result.UndefinedMetric("share", 0, 1, result.ReasonOneAccount)
	}
	corrected := h.testAll(found, pairs.comparisons)
	if len(found) > 0 {
		p := found[0]
		if p.count > 0 && len(p.shift.Shifted) == 0 {
			h.testPair(p, sidesByChance(p.a, p.b, true), pairs.comparisons)
		}
		h.sumUpPair(p)
		low, high := stat.PoissonInterval(float64(p.count))
		count = result.NewMetric("count", float64(p.count), compared, 1).AddParam("account_a", p.a.account.ID).AddParam("account_b", p.b.account.ID).
			AddParam("expected", p.shift.Mean).AddParam("expected_low", p.shift.Low).AddParam("expected_high", p.shift.High).
			AddParam("same", p.same).AddParam("comparisons", pairs.comparisons).WithP(p.p).WithCI(low, high)
		overlap = result.RatioMetric("share", p.overlap.Value(), p.shorter.Value(), compared, 1)
		if p.netKnown {
			net = result.RatioMetric("share", math.Abs(p.net.Value()), p.absolute.Value(), compared, 1)
		}
	}
	return detect.Result{
		Metrics:    map[string]result.Metric{"opposite_count": count, "opposite_overlap_share": overlap, "opposite_net_share": net},
		Candidates: []detect.Candidate{pairs.oppositeCandidate(v, found, corrected, count)},
	}
}

func (pairs *Pairing) oppositeCandidate(v *trades.View, found []*hedgePair, corrected []float64, count result.Metric) detect.Candidate {
	const kind, title = "opposite_positions", "Opposite positions in two accounts"
	if count.Status != result.OK {
		return detect.UnjudgedCandidate(kind, title, count)
	}
	if len(found) == 0 {
		return detect.CleanCandidate(kind, title, pairs.noOppositeText(), result.NewFindingMetric("opposite_count", count).WithComparisons(pairs.comparisons))
	}
	p, rules := found[0], &v.Ruleset.Opposite
	question := "Have you ever held opposite positions in two accounts, and why?"
	return detect.Candidate{
		Detection: result.Detection{
			Kind: kind, Status: result.OK, Title: title, Detail: pairs.oppositeText(v, found, corrected), Metric: result.NewFindingMetric("opposite_count", count).WithComparisons(pairs.comparisons),
			Evidence: p.seen.SortShown(), EvidenceTotal: p.seen.Total,
			Limitations: []string{
				"The number expected by chance is measured by shifting the days of one account against the other's. One match proves nothing.",
				"Open positions and positions without a volume are not compared.",
				"Two strategies of one person may take opposite sides without a purpose.",
			},
			SuggestedQuestion: &question,
		},
		P: &corrected[0],
		Judge: func(adjusted float64) (result.Severity, *float64) {
			low, medium, high := float64(rules.LowCount), float64(rules.MediumCount), float64(rules.HighCount)
			switch severity := p.judgeSeverity(rules, adjusted); severity {
			case result.High:
				return result.High, &high
			case result.Medium:
				return result.Medium, &medium
			default:
				return severity, &low
			}
		},
	}
}

func (pairs *Pairing) noOppositeText() string {
	return fmt.Sprintf("No opposite positions at the same time. %s.", comparedText(pairs.accounts))
}

// oppositeText describes the first pair, and says how many others there are.
func (pairs *Pairing) oppositeText(v *trades.View, found []*hedgePair, corrected []float64) string {
	p := found[0]
	if p.count == 0 {
		return pairs.noOppositeText()
	}
	expected := "too few days to estimate chance"
	if len(p.shift.Shifted) > 0 {
		expected = chanceText(p.shift)
	}
	text := wording.FormatText("Opposite positions at the same time in %s and %s: %d; %s. %s.",
		wording.NameAccount(p.a.account), wording.NameAccount(p.b.account), p.count, expected, comparedText(pairs.accounts))
	more := 0
	for i, q := range found[1:] {
		if q.judgeSeverity(&v.Ruleset.Opposite, corrected[i+1]).Rank() >= result.Medium.Rank() {
			more++
		}
	}
	if more > 0 {
		text += wording.FormatText(" %d more pairs of accounts have more than expected by chance.", more)
	}
	return text
}
