package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assayhq/assay/syncd/report/analysis/stat"
)

// hedgePair is two accounts with opposite positions.
type hedgePair struct {
	a, b     *openings
	count    int
	poisson  float64 // opposite openings of two unrelated streams, held together or not
	chance   float64 // how many would be there by chance; 0 until it is looked at
	beyond   bool    // more than with any shift of days, or no shift possible
	overlap  sum     // seconds that both were open
	shorter  sum     // seconds of the shorter of each two
	net      sum     // of both sides
	absolute sum
	netKnown bool // all results are known and in one currency
	seen     evidence
	severity Severity
}

// maxLook bounds how many openings are compared with one, so that a flood of
// them costs no more than its length.
const maxLook = 64

// compareOpposite pairs opposite decisions of two accounts, each at most once,
// in order of time.
func compareOpposite(a, b *openings, rules *OppositeRules) *hedgePair {
	p := &hedgePair{a: a, b: b, severity: None, netKnown: a.account.Currency == b.account.Currency && a.account.Currency != ""}
	mine, theirs := a.common(b, true)
	gap := int64(rules.MaxOpenGapSeconds * second)
	for i := range mine {
		used := make([]bool, len(theirs[i].open))
		from := 0
		for j, open := range mine[i].open {
			for from < len(used) && (theirs[i].open[from] < open-gap || used[from]) {
				from++
			}
			for k := from; k < min(len(used), from+maxLook) && theirs[i].open[k] <= open+gap; k++ {
				if !used[k] && p.add(mine[i].clusters[j], theirs[i].clusters[k], rules) {
					used[k] = true
					break
				}
			}
		}
	}
	p.poisson = expectedByChance(streams(mine, theirs), gap)
	return p
}

// add takes in two decisions if they are opposite positions held together.
func (p *hedgePair) add(mine, theirs uint32, rules *OppositeRules) bool {
	x, y := &p.a.account.Clusters[mine], &p.b.account.Clusters[theirs]
	if !x.Closed || !y.Closed || !x.HasLots || !y.HasLots {
		return false
	}
	shorter := float64(min(x.Close-x.Open, y.Close-y.Open)) / second
	overlap := float64(min(x.Close, y.Close)-max(x.Open, y.Open)) / second
	ratio := x.Lots / y.Lots
	if shorter <= 0 || overlap < rules.MinOverlap*shorter || ratio < rules.MinVolumeRatio || ratio > rules.MaxVolumeRatio {
		return false
	}
	p.count++
	p.overlap.add(overlap)
	p.shorter.add(shorter)
	p.netKnown = p.netKnown && x.HasNet && y.HasNet
	for _, c := range [...]*Cluster{x, y} {
		p.net.add(c.Net)
		p.absolute.add(math.Abs(c.Net))
	}
	p.seen.addOpening(p.a.account, mine)
	p.seen.addOpening(p.b.account, theirs)
	return true
}

// compareWithChance estimates how many such pairs two unrelated accounts with
// these hours have: the part of the opposite openings that passed, of the
// openings that remain with days moved.
func (p *hedgePair) compareWithChance(rules *OppositeRules) {
	mine, theirs := p.a.common(p.b, true)
	kinds, gap := streams(mine, theirs), int64(rules.MaxOpenGapSeconds*second)
	shift := stat.DayShift(kinds, gap, 1)
	if len(shift.Shifted) == 0 || shift.AllBelow() {
		shift = stat.DayShift(kinds, gap, defaultShifts)
	}
	left := shift.Mean
	p.beyond = shift.AllBelow()
	if len(shift.Shifted) == 0 { // too few days to move any
		left, p.beyond = p.poisson, true
	}
	p.chance = left * float64(p.count) / math.Max(float64(shift.Matches), 1)
}

// maxCompared bounds how many pairs are held against chance.
const maxCompared = 16

// judgeAll gives each pair its severity. Chance is looked at for those that are
// furthest above unrelated streams. Busy hours and nights off bring accounts
// closer together than that, so that others are not above chance either.
func judgeAll(found []*hedgePair, rules *OppositeRules) {
	slices.SortFunc(found, func(p, q *hedgePair) int {
		return cmp.Or(cmp.Compare(float64(q.count)-q.poisson, float64(p.count)-p.poisson), p.stronger(q))
	})
	for i, p := range found {
		if i < maxCompared && p.count >= rules.MediumCount {
			p.compareWithChance(rules)
		}
		p.judge(rules)
	}
	slices.SortFunc(found, (*hedgePair).stronger)
}

// defaultShifts is how far days are moved where the ruleset says nothing.
const defaultShifts = 10

func (p *hedgePair) judge(rules *OppositeRules) {
	excess := float64(p.count) - p.chance
	switch {
	case p.count >= rules.HighCount && p.beyond && excess >= float64(rules.HighCount) && p.cancels(rules):
		p.severity = High
	case p.count >= rules.MediumCount && p.beyond && excess >= float64(rules.MediumCount):
		p.severity = Medium
	case p.count >= rules.LowCount && !p.b.account.Peer:
		p.severity = Low
	}
}

// cancels reports whether the results of both sides make up for each other.
func (p *hedgePair) cancels(rules *OppositeRules) bool {
	return p.netKnown && math.Abs(p.net.value()) < rules.HighNetShare*p.absolute.value()
}

func (p *hedgePair) stronger(q *hedgePair) int {
	return cmp.Or(
		cmp.Compare(q.severity.Rank(), p.severity.Rank()), cmp.Compare(q.count, p.count),
		strings.Compare(p.a.account.ID, q.a.account.ID), strings.Compare(p.b.account.ID, q.b.account.ID),
	)
}

// detectOpposite is D10, opposite positions in two accounts: closed decisions of
// one symbol group and opposite sides that open at most max_open_gap_seconds
// apart, overlap for min_overlap of the shorter one or more, and have lots in a
// ratio of min_volume_ratio to max_volume_ratio; each at most once, in order of
// time. It is descriptive. For medium and high the pairs that chance makes are
// taken off, and more than any shift of days leaves must be there; pairs with
// another trader's account count only so.
//
// The metrics are those of the pair of accounts with the most; n is how many
// pairs of accounts were compared, minimum 1:
//
//   - opposite_count: such pairs of positions. Count. Parameter expected is their
//     number by chance; 0 where it was not looked at.
//   - opposite_overlap_share: Σ overlap / Σ time of the shorter position. Share;
//     not checkable without a pair.
//   - opposite_net_share: |Σ net| / Σ|net| of both sides: near 0, when results
//     cancel out. Share; not checkable without a pair, with unknown results and
//     between currencies.
func detectOpposite(v *View) Result {
	rules := &v.Ruleset.Opposite
	var found []*hedgePair
	pairs := eachPair(v, 1, func(a, b *openings) { found = append(found, compareOpposite(a, b, rules)) }).compared
	count, overlap, net := measured("count", 0, pairs, 1), undefined("share", pairs, 1, ReasonNotPositive), undefined("share", pairs, 1, ReasonNotPositive)
	if len(v.Accounts) == 0 || len(v.Accounts)+len(v.Peers) < 2 {
		count, overlap, net = undefined("count", 0, 1, ReasonOneAccount), undefined("share", 0, 1, ReasonOneAccount), undefined("share", 0, 1, ReasonOneAccount)
	}
	if len(found) > 0 {
		judgeAll(found, rules)
		p := found[0]
		count = measured("count", float64(p.count), pairs, 1).with("account_a", p.a.account.ID).with("account_b", p.b.account.ID).with("expected", p.chance)
		overlap = ratio("share", p.overlap.value(), p.shorter.value(), pairs, 1)
		if p.netKnown {
			net = ratio("share", math.Abs(p.net.value()), p.absolute.value(), pairs, 1)
		}
	}
	return Result{
		Metrics:    map[string]Metric{"opposite_count": count, "opposite_overlap_share": overlap, "opposite_net_share": net},
		Candidates: []Candidate{oppositeCandidate(rules, found, count)},
	}
}

func oppositeCandidate(rules *OppositeRules, found []*hedgePair, count Metric) Candidate {
	const kind, title = "opposite_positions", "Opposite positions in two accounts"
	if count.Status != OK {
		return unjudged(kind, title, count)
	}
	p := found[0]
	detail := fmt.Sprintf("Opposite positions at the same time in %s and %s: %d, of which about %.3g are expected by chance.",
		accountName(p.a.account), accountName(p.b.account), p.count, p.chance)
	if p.count == 0 {
		detail = fmt.Sprintf("No opposite positions at the same time in %d pairs of accounts.", count.N)
	}
	question := "Have you ever held opposite positions in two accounts, and why?"
	return Candidate{
		Detection: Detection{
			Kind: kind, Status: OK, Title: title, Detail: detail, Metric: restsOn("opposite_count", count),
			Evidence: p.seen.sorted(), EvidenceTotal: p.seen.total,
			Limitations: []string{
				"Descriptive: judged by the number beyond chance. One match proves nothing.",
				"Open positions and positions without a volume are not compared.",
				"Two strategies of one person may take opposite sides without a purpose.",
			},
			SuggestedQuestion: &question,
		},
		Judge: func(float64) (Severity, *float64) {
			low, medium, high := float64(rules.LowCount), float64(rules.MediumCount), float64(rules.HighCount)
			switch p.severity {
			case High:
				return High, &high
			case Medium:
				return Medium, &medium
			}
			return p.severity, &low
		},
	}
}
