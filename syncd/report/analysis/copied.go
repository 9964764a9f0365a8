package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/assayhq/assay/syncd/report/analysis/stat"
)

// copyPair is two accounts whose decisions were matched.
type copyPair struct {
	a, b     *openings
	matches  int
	rate     float64 // of the decisions of the account that has fewer
	shift    stat.Shift
	expected float64 // by chance, as Poisson streams have it
	lag, iqr float64 // seconds by which b is behind a: median and spread
	lotCV    *float64
	symbols  int
	days     int
	severity Severity
}

// compareCopies matches the decisions of two accounts.
func compareCopies(a, b *openings, rules *CopiedTradesRules) copyPair {
	mine, theirs := a.common(b, false)
	kinds := streams(mine, theirs)
	tau := int64(rules.MaxLagSeconds * second)
	p := copyPair{a: a, b: b, severity: None}
	for _, k := range kinds {
		p.matches += stat.CountMatches(k.A, k.B, tau)
	}
	p.rate = share(p.matches, min(a.n, b.n))
	return p
}

// look adds what is worth computing for pairs that matched often only.
func (p *copyPair) look(rules *CopiedTradesRules) {
	mine, theirs := p.a.common(p.b, false)
	kinds := streams(mine, theirs)
	tau := int64(rules.MaxLagSeconds * second)
	p.shift = stat.DayShift(kinds, tau, min(rules.DayShifts, maxShifts))
	p.expected = expectedByChance(kinds, tau)
	var lags, ratios, days []float64
	var lastSymbol uint32 // kinds come in order of symbol
	for i := range mine {
		pairs := stat.Match(mine[i].open, theirs[i].open, tau)
		for _, m := range pairs {
			ca, cb := &p.a.account.Clusters[mine[i].clusters[m.A]], &p.b.account.Clusters[theirs[i].clusters[m.B]]
			lags = append(lags, float64(cb.Open-ca.Open)/second)
			days = append(days, float64(floorDiv(ca.Open, day)))
			if ca.HasLots && cb.HasLots {
				ratios = append(ratios, cb.Lots/ca.Lots)
			}
		}
		if key := mine[i].kind >> 1; len(pairs) > 0 && (p.symbols == 0 || key != lastSymbol) {
			p.symbols++
			lastSymbol = key
		}
	}
	slices.Sort(days)
	p.days = len(slices.Compact(days))
	slices.Sort(lags)
	p.lag, _ = stat.Quantile(lags, 0.5)
	low, _ := stat.Quantile(lags, 0.25)
	high, _ := stat.Quantile(lags, 0.75)
	p.iqr = high - low
	if cv, ok := stat.MomentsOf(ratios).CV(); ok {
		p.lotCV = &cv
	}
	p.judge(rules)
}

func (p *copyPair) judge(rules *CopiedTradesRules) {
	switch {
	case p.matches < rules.MinMatches || p.rate < rules.MediumRate:
	case len(p.shift.Shifted) == 0: // one or two days, which cannot be moved
		if p.rate >= rules.HighRate {
			p.severity = Low
		}
	case !p.shift.AllBelow():
	case p.rate >= rules.HighRate && p.lotCV != nil && *p.lotCV <= rules.HighLotCV && p.symbols >= rules.HighSymbols && p.days >= rules.HighDays:
		p.severity = High
	default:
		p.severity = Medium
	}
}

// stronger orders pairs, the strongest first.
func (p *copyPair) stronger(q *copyPair) int {
	return cmp.Or(
		cmp.Compare(q.severity.Rank(), p.severity.Rank()), cmp.Compare(q.rate, p.rate), cmp.Compare(q.matches, p.matches),
		strings.Compare(p.a.account.ID, q.a.account.ID), strings.Compare(p.b.account.ID, q.b.account.ID),
	)
}

// detectCopied is D9, equal trades in two accounts. Decisions match when they
// have the same symbol group and side and open at most max_lag_seconds apart,
// each at most once, in order of time. It is judged by effect and by the days
// test, and stays out of the correction.
//
// The metrics are those of the pair that is most alike, and have n = decisions
// of its smaller account, minimum the ruleset's min_each:
//
//   - copied_match_rate: matches / n. Share. p = (1 + shifts with as many
//     matches)/(1 + shifts), with one account moved by whole days (stat.DayShift):
//     0.048 at the least with 20 shifts. With less than three days there is none,
//     p is 1, and the severity low at most.
//   - copied_matches, copied_expected: matches, and their mean over the shifts
//     (parameter basis; poisson where there is none). Count. Parameter poisson holds Σ n_A·n_B·2τ/T, the expectation of unrelated
//     Poisson streams over the time both span.
//   - copied_lag, copied_lag_spread: median and interquartile range of how long
//     the second account opens after the first. Seconds; negative: before.
//   - copied_lot_ratio_cv: CV of the ratio of lots over matches. Ratio; not
//     checkable with less than two matches that state both.
//   - copied_pairs: pairs of accounts with min_each decisions each. Count, n accounts,
//     minimum 2. Parameter not_compared counts those beyond 20,000.
func detectCopied(v *View) Result {
	rules := &v.Ruleset.CopiedTrades
	var found []copyPair
	count := eachPair(v, rules.MinEach, func(a, b *openings) {
		p := compareCopies(a, b, rules)
		if p.matches >= rules.MinMatches && p.rate >= rules.MediumRate {
			p.look(rules)
		}
		found = append(found, p)
	})
	slices.SortFunc(found, func(p, q copyPair) int { return p.stronger(&q) })
	metrics := map[string]Metric{"copied_pairs": measured("count", float64(count.compared), len(v.Accounts)+len(v.Peers), 2).with("not_compared", count.left)}
	if count.compared == 0 {
		for name, unit := range map[string]string{
			"copied_match_rate": "share", "copied_matches": "count", "copied_expected": "count",
			"copied_lag": "seconds", "copied_lag_spread": "seconds", "copied_lot_ratio_cv": "ratio",
		} {
			metrics[name] = measured(unit, 0, min(count.largest, rules.MinEach-1), rules.MinEach)
			if len(v.Accounts) == 0 || len(v.Accounts)+len(v.Peers) < 2 {
				metrics[name] = undefined(unit, 0, rules.MinEach, ReasonOneAccount)
			}
		}
		return Result{Metrics: metrics, Candidates: []Candidate{unjudged(copiedKind, copiedTitle, metrics["copied_match_rate"])}}
	}
	if found[0].severity == None {
		found[0].look(rules)
	}
	found[0].describe(metrics, rules)
	return Result{Metrics: metrics, Candidates: []Candidate{copiedCandidate(rules, found, metrics["copied_match_rate"])}}
}

const copiedKind, copiedTitle = "copied_trades", "Equal trades in two accounts"

// describe fills the metrics of a pair.
func (p *copyPair) describe(metrics map[string]Metric, rules *CopiedTradesRules) {
	n := min(p.a.n, p.b.n)
	metric := func(unit string, value float64) Metric { return measured(unit, value, n, rules.MinEach) }
	metrics["copied_match_rate"] = metric("share", p.rate).with("account_a", p.a.account.ID).with("account_b", p.b.account.ID).
		with("max_lag_seconds", rules.MaxLagSeconds).with("shifts", len(p.shift.Shifted)).withP(p.shift.P)
	metrics["copied_matches"] = metric("count", float64(p.matches)).with("symbols", p.symbols).with("days", p.days)
	expected, basis := p.shift.Mean, "shifts"
	if len(p.shift.Shifted) == 0 {
		expected, basis = p.expected, "poisson"
	}
	metrics["copied_expected"] = metric("count", expected).with("basis", basis).with("z", p.shift.Z).with("poisson", p.expected)
	metrics["copied_lag"] = metric("seconds", p.lag)
	metrics["copied_lag_spread"] = metric("seconds", p.iqr)
	metrics["copied_lot_ratio_cv"] = undefined("ratio", n, rules.MinEach, ReasonNoVolume)
	if p.lotCV != nil {
		metrics["copied_lot_ratio_cv"] = metric("ratio", *p.lotCV)
	}
}

// text says what was seen of a pair.
func (p *copyPair) text() string {
	moved := "too few days to compare with days moved"
	if len(p.shift.Shifted) > 0 {
		moved = fmt.Sprintf("with days moved %.3g match", p.shift.Mean)
	}
	return fmt.Sprintf("Of %s and %s, the one with fewer has %d of %d decisions in common with the other (%.1f %%); %s. The second opens %.3g s after the first (median).",
		accountName(p.a.account), accountName(p.b.account), p.matches, min(p.a.n, p.b.n), 100*p.rate, moved, p.lag)
}

func copiedCandidate(rules *CopiedTradesRules, found []copyPair, rate Metric) Candidate {
	best := &found[0]
	detail := best.text()
	more := 0
	for i := range found[1:] {
		if found[i+1].severity != None {
			more++
		}
	}
	if more > 0 {
		detail += fmt.Sprintf(" %d more pairs of accounts match as well.", more)
	}
	question := "Who else trades this strategy, and how do the trades get into each account?"
	d := Detection{
		Kind: copiedKind, Status: OK, Title: copiedTitle, Detail: detail, Metric: restsOn("copied_match_rate", rate),
		Limitations: []string{
			"Judged by its size and by how many matches remain with days moved; not part of the correction for many tests.",
			"One match proves nothing: public signals and common strategies also open at the same time.",
			"The same person may own several accounts, and many firms allow copying between them.",
		},
		SuggestedQuestion: &question,
	}
	if best.matches > 0 {
		d.Evidence, d.EvidenceTotal = best.evidence(rules)
	}
	return Candidate{Detection: d, Judge: func(float64) (Severity, *float64) {
		if best.severity == High {
			return High, &rules.HighRate
		}
		return best.severity, &rules.MediumRate
	}}
}

// evidence shows matched trades of both accounts.
func (p *copyPair) evidence(rules *CopiedTradesRules) ([]Evidence, int) {
	var e evidence
	mine, theirs := p.a.common(p.b, false)
	for i := range mine {
		for _, m := range stat.Match(mine[i].open, theirs[i].open, int64(rules.MaxLagSeconds*second)) {
			e.addOpening(p.a.account, mine[i].clusters[m.A])
			e.addOpening(p.b.account, theirs[i].clusters[m.B])
		}
	}
	return e.sorted(), e.total
}

// addOpening adds the trade that began a decision.
func (e *evidence) addOpening(a *AccountView, cluster uint32) {
	e.add(a, &a.Trades[a.Clusters[cluster].First])
}
