package analysis

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assayhq/assay/syncd/report/analysis/stat"
)

// fundedPhases and evaluationPhases are parts of what platforms call phases.
var (
	fundedPhases     = [...]string{"fund", "live", "master", "real"}
	evaluationPhases = [...]string{"eval", "verif", "challenge", "phase", "step", "demo"}
)

// phaseOf tells a funded account from one in evaluation; both are false when
// the platform's word is not known.
func phaseOf(a *AccountView) (funded, evaluation bool) {
	phase := strings.ToLower(a.Phase)
	names := func(part string) bool { return strings.Contains(phase, part) }
	funded = slices.ContainsFunc(fundedPhases[:], names)
	return funded, !funded && slices.ContainsFunc(evaluationPhases[:], names)
}

// balancesOf returns what lots are held against: the initial balance when each
// account states one, 1 when there is only one account, else 0: not known.
func balancesOf(v *View) func(a *AccountView) float64 {
	for _, a := range v.Accounts {
		if _, ok := a.Balance(); !ok {
			alone := float64(0)
			if len(v.Accounts) == 1 {
				alone = 1
			}
			return func(*AccountView) float64 { return alone }
		}
	}
	return func(a *AccountView) float64 { return *a.InitialBalance }
}

// Parts of a history.
const (
	neither = iota - 1
	before
	after
)

// parting splits decisions into two parts.
type parting struct {
	name    string
	of      func(a *AccountView, c *Cluster) int
	n       [2]int
	symbols [2]map[uint32]int // decisions by symbol group
}

func newParting(v *View, name string, of func(a *AccountView, c *Cluster) int) *parting {
	p := &parting{name: name, of: of, symbols: [2]map[uint32]int{{}, {}}}
	symbols := [2][]int{make([]int, len(v.Symbols)), make([]int, len(v.Symbols))}
	for a, c := range v.decisions {
		if part := of(a, c); part != neither {
			p.n[part]++
			symbols[part][c.Key]++
		}
	}
	for part := range symbols {
		for key, n := range symbols[part] {
			if n > 0 {
				p.symbols[part][uint32(key)] = n
			}
		}
	}
	return p
}

// byPhase splits decisions into those of accounts in evaluation and funded ones.
func byPhase(v *View) *parting {
	parts := map[*AccountView]int{}
	for _, a := range v.Accounts {
		switch funded, evaluation := phaseOf(a); {
		case funded:
			parts[a] = after
		case evaluation:
			parts[a] = before
		default:
			parts[a] = neither
		}
	}
	return newParting(v, "evaluation_funded", func(a *AccountView, _ *Cluster) int { return parts[a] })
}

// byHalf splits decisions into the earlier and the later half.
func byHalf(v *View) *parting {
	middle, n := int64(0), 0
	for _, c := range v.decisions {
		if middle = c.Open; n == v.Decisions/2 {
			break
		}
		n++
	}
	return newParting(v, "halves", func(_ *AccountView, c *Cluster) int {
		if c.Open < middle {
			return before
		}
		return after
	})
}

// values returns a number of the decisions of each part that have it, in order
// of time.
func (p *parting) values(v *View, of func(a *AccountView, c *Cluster) (float64, bool)) (x, y []float64) {
	out := [2][]float64{make([]float64, 0, p.n[before]), make([]float64, 0, p.n[after])}
	for a, c := range v.decisions {
		if part := p.of(a, c); part != neither {
			if value, ok := of(a, c); ok {
				out[part] = append(out[part], value)
			}
		}
	}
	return out[before], out[after]
}

// detectStyleBreak is D13, a change of how somebody trades between evaluation
// and funded accounts where both have min_each decisions, else between the
// earlier and the later half of the decisions.
//
//   - style_hold_distance: Kolmogorov–Smirnov D between both parts' ln of the
//     holding time in seconds (at least one). Distance 0…1; n is the smaller
//     part's closed decisions, minimum the ruleset's min_each. p is that of both
//     parts' effective n, n(1−r₁)/(1+r₁) with the lag-1 autocorrelation r₁ in
//     0…0.9. Source: M. A. Stephens, JRSS B 32 (1970).
//   - style_lots_distance: the same of ln lots, for each unit of the initial
//     balance. Not checkable with several accounts of which one states none.
//   - style_symbol_shift: total variation distance between the shares of symbol
//     groups. Share 0…1; n is the smaller part's decisions, minimum min_each. No p.
//   - style_distance: the larger of the two D. Its p is that of its own test,
//     as one of two (Šidák).
func detectStyleBreak(v *View) Result {
	rules := &v.Ruleset.StyleBreak
	p := byPhase(v)
	if min(p.n[before], p.n[after]) < rules.MinEach {
		p = byHalf(v)
	}
	least := min(p.n[before], p.n[after])
	holds, lots := p.holds(v, rules), p.lots(v, rules)
	shift, _ := stat.TotalVariation(p.symbols[before], p.symbols[after])
	metrics := map[string]Metric{
		"style_hold_distance": holds,
		"style_lots_distance": lots,
		"style_symbol_shift":  measured("share", shift, least, rules.MinEach).with("split", p.name),
		"style_distance":      largerDistance(holds, lots, rules).with("split", p.name),
	}
	return Result{Metrics: metrics, Candidates: []Candidate{styleCandidate(rules, metrics, p.name)}}
}

func (p *parting) holds(v *View, rules *StyleBreakRules) Metric {
	x, y := p.values(v, func(_ *AccountView, c *Cluster) (float64, bool) {
		return math.Log(max(float64(c.Close-c.Open)/second, 1)), c.Closed
	})
	return distanceMetric(x, y, rules)
}

func (p *parting) lots(v *View, rules *StyleBreakRules) Metric {
	balance := balancesOf(v)
	if len(v.Accounts) > 1 && balance(v.Accounts[0]) == 0 {
		return undefined("distance", 0, rules.MinEach, ReasonNoBalance)
	}
	x, y := p.values(v, func(a *AccountView, c *Cluster) (float64, bool) {
		return math.Log(max(c.Lots, minLots) / balance(a)), c.HasLots && balance(a) > 0
	})
	return distanceMetric(x, y, rules)
}

// distanceMetric compares two samples in order of time. Sizes and holding times
// drift without any break, so p is that of as many independent values as the
// dependent ones are worth.
func distanceMetric(x, y []float64, rules *StyleBreakRules) Metric {
	d, _, _ := stat.KolmogorovSmirnov(x, y)
	n1, n2 := stat.EffectiveN(len(x), stat.Autocorrelation(x)), stat.EffectiveN(len(y), stat.Autocorrelation(y))
	return measured("distance", d, min(len(x), len(y)), rules.MinEach).
		with("n_effective_before", n1).with("n_effective_after", n2).withP(stat.SmirnovUpper(d, n1, n2))
}

// largerDistance returns the larger of two distances, with its p as one of a family.
func largerDistance(holds, lots Metric, rules *StyleBreakRules) Metric {
	best, tests, p := Metric{}, 0, 1.0
	for _, m := range [...]Metric{holds, lots} {
		if m.Status != OK {
			continue
		}
		tests++
		if tests == 1 || *m.Value > *best.Value {
			best, p = m, *m.P
		}
	}
	if tests == 0 {
		return measured("distance", 0, min(holds.N, rules.MinEach-1), rules.MinEach)
	}
	return measured("distance", *best.Value, best.N, rules.MinEach).withP(stat.FamilyP(p, tests))
}

func styleCandidate(rules *StyleBreakRules, metrics map[string]Metric, split string) Candidate {
	const kind, title = "style_break", "A change of how trades are made"
	main, shift := metrics["style_distance"], metrics["style_symbol_shift"]
	if main.Status != OK {
		return unjudged(kind, title, main)
	}
	parts := "the earlier and the later half of the decisions"
	if split != "halves" {
		parts = "evaluation and funded accounts"
	}
	texts := []string{}
	if m := metrics["style_hold_distance"]; m.Status == OK {
		texts = append(texts, fmt.Sprintf("holding times differ by %.2f", *m.Value))
	}
	if m := metrics["style_lots_distance"]; m.Status == OK {
		texts = append(texts, fmt.Sprintf("sizes by %.2f", *m.Value))
	}
	texts = append(texts, fmt.Sprintf("symbols by %.2f", *shift.Value))
	question := "What has changed in how you trade, and why?"
	return Candidate{
		Detection: Detection{
			Kind: kind, Status: OK, Title: title, Metric: restsOn("style_distance", main),
			Detail:            fmt.Sprintf("Between %s %s (0 is the same, 1 has nothing in common).", parts, strings.Join(texts, ", ")),
			Limitations:       []string{"Markets change as well, and a person learns.", "The change of symbols is judged by its size, without a test of chance."},
			SuggestedQuestion: &question,
		},
		P: main.P,
		Judge: func(adjusted float64) (Severity, *float64) {
			switch {
			case *main.Value >= rules.MediumD && adjusted < rules.MaxP:
				return Medium, &rules.MediumD
			case *shift.Value >= rules.MediumMixShift:
				return Low, &rules.MediumMixShift
			}
			return None, &rules.MediumD
		},
	}
}
