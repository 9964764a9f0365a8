package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/assayhq/assay/syncd/report/analysis/stat"
)

// style is how somebody trades in one of two parts of his history.
type style struct {
	holds   []timedValue // ln of seconds, at least one
	lots    []timedValue // ln of lots for each unit of the initial balance, where known
	symbols map[uint32]int
	n       int
}

// timedValue is a value of a decision and when that was opened.
type timedValue struct {
	at    int64
	value float64
}

// inOrder returns values in order of time. Equal moments come in order of the
// value, so that the order of accounts decides nothing.
func inOrder(x []timedValue) []float64 {
	before := func(a, b timedValue) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.value, b.value)) }
	if !slices.IsSortedFunc(x, before) {
		slices.SortFunc(x, before)
	}
	values := make([]float64, len(x))
	for i := range x {
		values[i] = x[i].value
	}
	return values
}

func (s *style) add(c *Cluster, balance float64) {
	if s.symbols == nil {
		s.symbols = map[uint32]int{}
	}
	s.n++
	s.symbols[c.Key]++
	if c.Closed {
		s.holds = append(s.holds, timedValue{c.Open, math.Log(max(float64(c.Close-c.Open)/second, 1))})
	}
	if c.HasLots && balance > 0 {
		s.lots = append(s.lots, timedValue{c.Open, math.Log(c.Lots / balance)})
	}
}

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

// byStart returns the accounts in order of their first decision, so that their
// ids do not decide what follows what in a series over all of them.
func byStart(v *View) []*AccountView {
	out := slices.DeleteFunc(slices.Clone(v.Accounts), func(a *AccountView) bool { return len(a.Clusters) == 0 })
	slices.SortFunc(out, func(a, b *AccountView) int {
		return cmp.Or(cmp.Compare(a.Clusters[0].Open, b.Clusters[0].Open), cmp.Compare(len(a.Clusters), len(b.Clusters)), strings.Compare(a.ID, b.ID))
	})
	return out
}

// byPhase splits decisions into those of accounts in evaluation and funded ones.
func byPhase(v *View) (before, after style) {
	balance := balancesOf(v)
	for _, a := range byStart(v) {
		part := &before
		switch funded, evaluation := phaseOf(a); {
		case funded:
			part = &after
		case !evaluation:
			continue
		}
		for i := range a.Clusters {
			part.add(&a.Clusters[i], balance(a))
		}
	}
	return before, after
}

// byHalf splits decisions into the earlier and the later half.
func byHalf(v *View) (before, after style) {
	moments := make([]int64, 0, v.Decisions)
	for _, a := range v.Accounts {
		for i := range a.Clusters {
			moments = append(moments, a.Clusters[i].Open)
		}
	}
	if len(moments) == 0 {
		return before, after
	}
	slices.Sort(moments)
	middle := moments[len(moments)/2]
	balance := balancesOf(v)
	for _, a := range byStart(v) {
		for i := range a.Clusters {
			part := &before
			if a.Clusters[i].Open >= middle {
				part = &after
			}
			part.add(&a.Clusters[i], balance(a))
		}
	}
	return before, after
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
	split := "evaluation_funded"
	before, after := byPhase(v)
	if min(before.n, after.n) < rules.MinEach {
		split = "halves"
		before, after = byHalf(v)
	}
	holds, lots := distanceMetric(before.holds, after.holds, rules), distanceMetric(before.lots, after.lots, rules)
	if balance := balancesOf(v); len(v.Accounts) > 1 && balance(v.Accounts[0]) == 0 {
		lots = undefined("distance", 0, rules.MinEach, ReasonNoBalance)
	}
	shift, _ := stat.TotalVariation(before.symbols, after.symbols)
	metrics := map[string]Metric{
		"style_hold_distance": holds,
		"style_lots_distance": lots,
		"style_symbol_shift":  measured("share", shift, min(before.n, after.n), rules.MinEach).with("split", split),
		"style_distance":      largerDistance(holds, lots, rules).with("split", split),
	}
	return Result{Metrics: metrics, Candidates: []Candidate{styleCandidate(rules, metrics, split)}}
}

// distanceMetric compares two samples. Sizes and holding times
// drift without any break, so p is that of as many independent values as the
// dependent ones are worth.
func distanceMetric(before, after []timedValue, rules *StyleBreakRules) Metric {
	x, y := inOrder(before), inOrder(after)
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
