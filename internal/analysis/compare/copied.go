package compare

import (
	"cmp"
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

// copyPair is two accounts whose decisions were matched.
type copyPair struct {
	a, b     *openings
	matches  int
	rate     float64         // of the decisions of the account that has fewer
	ci       result.Interval // of the rate
	facing   int             // decisions on the other side, within the same seconds
	shift    stat.Shift
	p        float64 // of so many matches by chance; 1 where they are too few to ask
	expected float64 // by chance, as Poisson streams have it
	lag, iqr float64 // seconds by which b is behind a: median and spread
	lotCV    *float64
	symbols  int
	days     int
}

// compareCopies matches the decisions of two accounts.
func compareCopies(a, b *openings, rules *ruleset.CopiedTradesRules) copyPair {
	mine, theirs := a.commonKinds(b, false)
	kinds := pairStreams(mine, theirs)
	tau := int64(rules.MaxLagSeconds * micros.Second)
	p := copyPair{a: a, b: b, p: 1}
	for _, k := range kinds {
		p.matches += stat.CountMatches(k.A, k.B, tau)
	}
	n := min(a.n, b.n)
	p.rate = stat.Fraction(p.matches, n)
	p.ci.Level = 0.95
	p.ci.Low, p.ci.High = stat.Wilson(p.matches, n, stat.Z95)
	return p
}

// addDetails adds what is only worth computing for pairs that matched often.
func (p *copyPair) addDetails(rules *ruleset.CopiedTradesRules, comparisons int) {
	mine, theirs := p.a.commonKinds(p.b, false)
	kinds := pairStreams(mine, theirs)
	tau := int64(rules.MaxLagSeconds * micros.Second)
	p.shift = stat.DayShift(kinds, tau, min(rules.DayShifts, maxShifts))
	p.expected = expectedByChance(kinds, tau)
	var lags, ratios, days []float64
	var met []meeting
	var lastSymbol uint32 // kinds come in order of symbol
	for i := range mine {
		pairs := stat.Match(mine[i].open, theirs[i].open, tau)
		for _, m := range pairs {
			ca, cb := &p.a.account.Clusters[mine[i].clusters[m.A]], &p.b.account.Clusters[theirs[i].clusters[m.B]]
			met = append(met, meeting{ca.Open, cb.Open - ca.Open, true})
			lags = append(lags, float64(cb.Open-ca.Open)/micros.Second)
			days = append(days, float64(micros.FloorDiv(ca.Open, micros.Day)))
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
	p.testPair(met, tau, comparisons)
}

// testPair computes the p of the pair from the shifted days, unless the sides of the matched trades
// can be explained by chance. If both accounts trade only one side, the test uses which account
// opens later instead of the sides.
func (p *copyPair) testPair(met []meeting, tau int64, comparisons int) {
	mine, theirs := p.a.commonKinds(p.b, true)
	for i := range mine {
		for _, m := range stat.Match(mine[i].open, theirs[i].open, tau) {
			at := mine[i].open[m.A]
			met = append(met, meeting{at, theirs[i].open[m.B] - at, false})
			p.facing++
		}
	}
	if chance := sidesByChance(p.a, p.b, false); chance < oneSided {
		p.p = unlessShared(p.shift.P, sidesP(met, chance), comparisons)
	} else {
		p.p = unlessShared(p.shift.P, lagsP(met), comparisons)
	}
}

// judgeSeverity returns the severity of the pair by its corrected p.
func (p *copyPair) judgeSeverity(rules *ruleset.CopiedTradesRules, adjusted float64) result.Severity {
	low, _ := stat.PoissonInterval(float64(p.matches))
	switch {
	case p.matches < rules.MinMatches || p.ci.Low < rules.MediumRate:
		return result.None
	case len(p.shift.Shifted) == 0: // one or two days, which cannot be moved
		if p.ci.Low >= rules.HighRate {
			return result.Low
		}
		return result.None
	case adjusted >= detect.MaxChance:
		return result.None
	case !p.b.account.Peer: // one person's accounts, between which many firms allow copying
		return result.Low
	case adjusted < maxChancePerson && low >= minRatio*p.shift.MeanHigh && p.ci.Low >= rules.HighRate &&
		p.lotCV != nil && *p.lotCV <= rules.HighLotCV && p.symbols >= rules.HighSymbols && p.days >= rules.HighDays:
		return result.High
	}
	return result.Medium
}

// compareStrength orders pairs, the strongest first.
func (p *copyPair) compareStrength(q *copyPair) int {
	return cmp.Or(
		cmp.Compare(p.p, q.p), cmp.Compare(q.rate, p.rate), cmp.Compare(q.matches, p.matches),
		strings.Compare(p.a.account.ID, q.a.account.ID), strings.Compare(p.b.account.ID, q.b.account.ID),
	)
}

// DetectCopied is D9, equal trades in two accounts. Decisions match when they
// have the same symbol group and side and open at most max_lag_seconds apart,
// each at most once, in order of time.
//
// Only pairs that match often enough to matter are tested: those with min_matches,
// the lower bound of whose rate reaches medium_rate. Their p is that of the matches
// against those that are left with one account moved by whole days (stat.DayShift).
// Before that their sides must rule out that the two only trade the same minutes, of
// news for example (unlessShared): of the decisions that both open within
// max_lag_seconds, on whichever sides, so many are on the same side; or where both
// trade one side only, the same account is behind so often. Holm's correction counts
// every pair that was there to be found.
//
// The metrics are those of the pair that is judged most severely, and of equal ones the
// least likely by chance. Between accounts of one person the severity is low at most. They have n =
// decisions of its smaller account, minimum the ruleset's min_each:
//
//   - copied_match_rate: matches / n, with Wilson's 95 % interval. Share. With less
//     than three days there is nothing to move, p is 1, and the severity low at most.
//   - copied_matches, copied_expected: matches, and their mean over the shifts
//     (parameter basis; poisson where there is none). Count. Parameters expected_low
//     and expected_high are the least and the most over the shifts; poisson holds
//     Σ n_A·n_B·2τ/T, the expectation of unrelated Poisson streams over the time both
//     span; facing counts the matches of opposite sides.
//   - copied_lag, copied_lag_spread: median and interquartile range of how long
//     the second account opens after the first. Seconds; negative: before.
//   - copied_lot_ratio_cv: CV of the ratio of lots over matches. Ratio; not
//     checkable with less than two matches that state both.
//   - copied_pairs: pairs of accounts with min_each decisions each. Count, n accounts,
//     minimum 2. Parameter not_compared counts those beyond 20,000, comparisons those
//     that the correction counts.
func (pairs *Pairing) DetectCopied(v *trades.View) detect.Result {
	rules := &v.Ruleset.CopiedTrades
	var found []copyPair
	count := pairs.visitPairs(rules.MinEach, func(a, b *openings) {
		p := compareCopies(a, b, rules)
		if p.matches >= rules.MinMatches && p.ci.Low >= rules.MediumRate {
			p.addDetails(rules, pairs.comparisons)
		}
		found = append(found, p)
	})
	slices.SortFunc(found, func(p, q copyPair) int { return p.compareStrength(&q) })
	metrics := map[string]result.Metric{"copied_pairs": result.NewMetric("count", float64(count.compared), pairs.accounts, 2).
		AddParam("not_compared", count.left).AddParam("comparisons", pairs.comparisons)}
	if count.compared == 0 {
		if n := countLargest(v); pairs.clean > 0 && n >= rules.MinEach {
			return pairs.nothingCopied(v, metrics, n)
		}
		for name, unit := range map[string]string{
			"copied_match_rate": "share", "copied_matches": "count", "copied_expected": "count",
			"copied_lag": "seconds", "copied_lag_spread": "seconds", "copied_lot_ratio_cv": "ratio",
		} {
			metrics[name] = result.NewMetric(unit, 0, min(count.largest, rules.MinEach-1), rules.MinEach)
			if pairs.isAlone() {
				metrics[name] = result.UndefinedMetric(unit, 0, rules.MinEach, result.ReasonOneAccount)
			}
		}
		return detect.Result{Metrics: metrics, Candidates: []detect.Candidate{detect.UnjudgedCandidate(copiedKind, copiedTitle, metrics["copied_match_rate"])}}
	}
	if found[0].p == 1 && found[0].matches > 0 {
		found[0].addDetails(rules, pairs.comparisons)
	}
	corrected := moveSeverestFirst(found, rules, pairs.comparisons)
	found[0].fillMetrics(metrics, rules)
	return detect.Result{Metrics: metrics, Candidates: []detect.Candidate{pairs.copiedCandidate(v, found, corrected, metrics["copied_match_rate"])}}
}

// moveSeverestFirst corrects the p of pairs in order of their strength, and moves the first
// one of those that are judged most severely to the front, so that a copier between accounts
// of one person hides none of another's.
func moveSeverestFirst(found []copyPair, rules *ruleset.CopiedTradesRules, comparisons int) (corrected []float64) {
	raw := make([]float64, len(found))
	for i := range found {
		raw[i] = found[i].p
	}
	corrected = stat.Holm(raw, comparisons)
	best := 0
	for i := range found {
		if found[i].judgeSeverity(rules, corrected[i]).Rank() > found[best].judgeSeverity(rules, corrected[best]).Rank() {
			best = i
		}
	}
	found[0], found[best] = found[best], found[0]
	corrected[0], corrected[best] = corrected[best], corrected[0]
	return corrected
}

// nothingCopied is the result where the loader searched other accounts and brought none,
// because none matched: n is the number of decisions of the trader's largest account.
func (pairs *Pairing) nothingCopied(v *trades.View, metrics map[string]result.Metric, n int) detect.Result {
	rules := &v.Ruleset.CopiedTrades
	metrics["copied_match_rate"] = result.NewMetric("share", 0, n, rules.MinEach).AddParam("max_lag_seconds", rules.MaxLagSeconds)
	metrics["copied_matches"] = result.NewMetric("count", 0, n, rules.MinEach)
	for name, unit := range map[string]string{"copied_expected": "count", "copied_lag": "seconds", "copied_lag_spread": "seconds", "copied_lot_ratio_cv": "ratio"} {
		metrics[name] = result.UndefinedMetric(unit, n, rules.MinEach, result.ReasonNotPositive)
	}
	return detect.Result{Metrics: metrics, Candidates: []detect.Candidate{detect.CleanCandidate(copiedKind, copiedTitle,
		"No account has enough decisions in common. "+comparedText(pairs.accounts)+".", result.NewFindingMetric("copied_match_rate", metrics["copied_match_rate"]).WithComparisons(pairs.comparisons))}}
}

// countLargest returns the number of decisions of the trader's account that has most.
func countLargest(v *trades.View) (n int) {
	for _, a := range v.Accounts {
		n = max(n, len(a.Clusters))
	}
	return n
}

const copiedKind, copiedTitle = "copied_trades", "Matching trades in two accounts"

// fillMetrics fills the metrics of a pair.
func (p *copyPair) fillMetrics(metrics map[string]result.Metric, rules *ruleset.CopiedTradesRules) {
	n := min(p.a.n, p.b.n)
	metric := func(unit string, value float64) result.Metric { return result.NewMetric(unit, value, n, rules.MinEach) }
	metrics["copied_match_rate"] = metric("share", p.rate).AddParam("account_a", p.a.account.ID).AddParam("account_b", p.b.account.ID).
		AddParam("max_lag_seconds", rules.MaxLagSeconds).AddParam("shifts", len(p.shift.Shifted)).WithP(p.p).WithCI(p.ci.Low, p.ci.High)
	metrics["copied_matches"] = metric("count", float64(p.matches)).AddParam("symbols", p.symbols).AddParam("days", p.days).AddParam("facing", p.facing)
	expected, basis := p.shift.Mean, "shifts"
	if len(p.shift.Shifted) == 0 {
		expected, basis = p.expected, "poisson"
	}
	metrics["copied_expected"] = metric("count", expected).AddParam("basis", basis).AddParam("z", p.shift.Z).AddParam("poisson", p.expected).
		AddParam("expected_low", p.shift.Low).AddParam("expected_high", p.shift.High)
	metrics["copied_lag"] = metric("seconds", p.lag)
	metrics["copied_lag_spread"] = metric("seconds", p.iqr)
	metrics["copied_lot_ratio_cv"] = result.UndefinedMetric("ratio", n, rules.MinEach, result.ReasonNoVolume)
	if p.lotCV != nil {
		metrics["copied_lot_ratio_cv"] = metric("ratio", *p.lotCV)
	}
}

// describePair describes what was observed of a pair.
func (p *copyPair) describePair(accounts int) string {
	expected := "too few days to estimate chance"
	if len(p.shift.Shifted) > 0 {
		expected = chanceText(p.shift)
	}
	when := "after"
	if p.lag < 0 {
		when = "before"
	}
	return wording.FormatText("%s and %s have %d decisions in common (%.1f%% of the %d in the smaller account); %s. The second opens %s %s the first (median). %s.",
		wording.CapitalizeFirst(wording.NameAccount(p.a.account)), wording.NameAccount(p.b.account), p.matches, 100*p.rate, min(p.a.n, p.b.n), expected, wording.FormatDuration(math.Abs(p.lag)), when, comparedText(accounts))
}

func (pairs *Pairing) copiedCandidate(v *trades.View, found []copyPair, corrected []float64, rate result.Metric) detect.Candidate {
	rules, best := &v.Ruleset.CopiedTrades, &found[0]
	detail := best.describePair(pairs.accounts)
	more := 0
	for i := range found[1:] {
		if found[i+1].judgeSeverity(rules, corrected[i+1]).Rank() >= result.Medium.Rank() {
			more++
		}
	}
	if more > 0 {
		detail += wording.FormatText(" %d more pairs of accounts also match.", more)
	}
	question := "Who else trades this strategy, and how are the trades placed in each account?"
	d := result.Detection{
		Kind: copiedKind, Status: result.OK, Title: copiedTitle, Detail: detail, Metric: result.NewFindingMetric("copied_match_rate", rate).WithComparisons(pairs.comparisons),
		Limitations: []string{
			"The number expected by chance is measured by shifting the days of one account against the other's.",
			"One match proves nothing, because public signals and common strategies also open at the same time.",
			"The same person may own several accounts, and many firms allow copying between them.",
		},
		SuggestedQuestion: &question,
	}
	if best.matches > 0 {
		d.Evidence, d.EvidenceTotal = best.collectEvidence(rules)
	}
	return detect.Candidate{Detection: d, P: &corrected[0], Judge: func(adjusted float64) (result.Severity, *float64) {
		severity := best.judgeSeverity(rules, adjusted)
		if severity == result.High {
			return result.High, &rules.HighRate
		}
		return severity, &rules.MediumRate
	}}
}

// collectEvidence returns matched trades of both accounts.
func (p *copyPair) collectEvidence(rules *ruleset.CopiedTradesRules) ([]result.Evidence, int) {
	var e detect.EvidenceList
	mine, theirs := p.a.commonKinds(p.b, false)
	for i := range mine {
		for _, m := range stat.Match(mine[i].open, theirs[i].open, int64(rules.MaxLagSeconds*micros.Second)) {
			e.AddOpening(p.a.account, mine[i].clusters[m.A])
			e.AddOpening(p.b.account, theirs[i].clusters[m.B])
		}
	}
	return e.SortShown(), e.Total
}
