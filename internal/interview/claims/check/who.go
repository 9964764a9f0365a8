package check

import (
	"fmt"
	"slices"

	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/trades"
	"github.com/assayhq/assay/internal/analysis/wording"
	"github.com/assayhq/assay/internal/interview/claims"
)

// accountCount: the directory has the trader's accounts here. There may be more at
// other firms, people may or may not count accounts that are over, and somebody else
// may have the same email.
func (k *checker) accountCount(c claims.Claim) outcome {
	if k.data.Accounts == nil {
		return notCheckable(NoDataSource, "No account of the trader has been synced.")
	}
	n := float64(*k.data.Accounts)
	low, high := c.StatedInterval()
	if c.Approximate {
		low, high = low-1, high+1
	}
	o := outcome{verdict: Consistent, observed: ownMetric("accounts", "count", n, *k.data.Accounts), detail: wording.FormatText("Accounts of this trader in the directory at the time of the interview: %d.", *k.data.Accounts)}
	if k.data.Ended > 0 {
		o.detail += wording.FormatText(" %d of them have ended.", k.data.Ended)
	}
	active := n - float64(k.data.Ended)
	switch {
	case active > high && active-float64(k.data.ByEmail) <= high:
		o.verdict, o.reason = Unclear, AmbiguousClaim
		o.detail += wording.FormatText(" %d of them belong to a trader of another platform with the same email, who may be another person.", k.data.ByEmail)
	case active > high && c.Modality == claims.Sometimes:
		o.verdict = Partly
	case active > high:
		o.verdict = Inconsistent
	case n < low:
		o.verdict, o.reason = NotCheckable, OtherFirm
		o.detail += " The others may be at other firms."
	}
	return o
}

// strategyLength can only be judged within the synced period.
func (k *checker) strategyLength(c claims.Claim) outcome {
	if k.data.FirstTrade == nil || k.data.Activity == nil || k.data.Activity.Window.To == nil {
		return notCheckable(NoDataSource, "No first trade is known.")
	}
	known := k.data.Activity.Window.To.Sub(*k.data.FirstTrade).Seconds()
	if low, _ := c.StatedInterval(); low > known || c.Op == claims.AtMost {
		return notCheckable(OutsideWindow, fmt.Sprintf("Known trades go back only %s.", formatSeconds(known)))
	}
	return unclearOutcome(AmbiguousClaim, fmt.Sprintf("Known trades go back %s, further than stated. They do not show whether the strategy was different.", formatSeconds(known)))
}

// otherPeople: accounts of other traders with the same or the opposite trades.
func (k *checker) otherPeople(c claims.Claim) outcome {
	if len(k.view.Peers) == 0 {
		return notCheckable(NoDataSource, "No account of another trader was traded at the same moments, and sign-ins to the platform are not known.")
	}
	copied, alike := k.withPeers("copied_trades")
	against, opposed := k.withPeers("opposite_positions")
	severity := max(copied.Rank(), against.Rank())
	o := outcome{verdict: Consistent, observed: ownMetric("accounts_compared", "count", float64(len(k.view.Peers)), len(k.view.Peers)), detail: wording.FormatText(
		"None of the %d accounts of other traders active at the same times was traded more alike than chance explains.", len(k.view.Peers))}
	if severity == result.None.Rank() {
		if c.Bool {
			return unclearOutcome(OtherFirm, o.detail+" It may be so at other firms.")
		}
		return o
	}
	o.detail = "Accounts of other traders were traded alike, or against each other, beyond chance. Public signals and common strategies may explain it."
	o.evidence = alike
	if against.Rank() > copied.Rank() {
		o.evidence = opposed
	}
	switch {
	case c.Bool:
	case copied == result.High:
		o.verdict = Inconsistent
	default:
		o.verdict = Partly
	}
	return o
}

// withPeers returns the severity of a finding between accounts if it includes
// accounts of other traders.
func (k *checker) withPeers(kind string) (result.Severity, evidence) {
	d, _, ok := k.findDetection(kind)
	if !ok || !slices.ContainsFunc(d.Evidence, func(e result.Evidence) bool { return k.isPeer(e.AccountID) }) {
		return result.None, evidence{}
	}
	return *d.Severity, detectorEvidence(d)
}

func (k *checker) isPeer(account string) bool {
	return slices.ContainsFunc(k.view.Peers, func(a *trades.AccountView) bool { return a.ID == account })
}

// eaUse: timing that looks scheduled makes a claim of trading by hand unclear, but
// never inconsistent by itself.
func (k *checker) eaUse(c claims.Claim) outcome {
	kind, what := "automation", "The timing of the trades"
	if c.About == "copier" || c.About == "signals" {
		kind, what = "copied_trades", "A comparison with other accounts"
	}
	d, why, ok := k.findDetection(kind)
	if !ok {
		return why
	}
	o := outcome{verdict: Consistent, observed: d.Metric}
	switch signs := d.Severity.Rank() >= result.Low.Rank(); {
	case signs && c.Bool:
		o.detail = what + " shows signs of it."
		o.evidence = detectorEvidence(d)
	case !signs && c.Bool:
		o = unclearOutcome(OutsideWindow, what+" shows no sign of it.")
		o.observed = d.Metric
	case !signs:
		o.detail = what + " shows no sign of it."
	case d.Severity.Rank() >= result.Medium.Rank():
		o = unclearOutcome(AmbiguousClaim, what+" looks as if a program took part, which does not prove that one did.")
		o.observed, o.evidence = d.Metric, detectorEvidence(d)
	default:
		o.verdict, o.evidence = Partly, detectorEvidence(d)
		o.detail = what + " shows one sign that a program may take part."
	}
	return o
}

// averagingKinds are the findings with which a claim is compared.
func averagingKinds(about string) []string {
	switch about {
	case "martingale":
		return []string{"loss_chasing"}
	case "averaging":
		return []string{"averaging_down"}
	}
	return []string{"loss_chasing", "averaging_down"}
}

// checkAveraging checks claims about averaging: a denial is consistent without a
// finding, and inconsistent with one of medium severity or above.
func (k *checker) checkAveraging(c claims.Claim) outcome {
	var (
		worst result.Detection
		why   outcome
		known bool
	)
	for _, kind := range averagingKinds(c.About) {
		d, missing, ok := k.findDetection(kind)
		switch {
		case !ok && !known:
			why = missing
		case ok && (!known || d.Severity.Rank() > worst.Severity.Rank()):
			worst, known = d, true
		}
	}
	if !known {
		return why
	}
	o := outcome{verdict: Consistent, observed: worst.Metric, detail: worst.Title + ": " + worst.Detail}
	switch rank := worst.Severity.Rank(); {
	case rank == result.None.Rank() && c.Bool:
		o = unclearOutcome(OutsideWindow, "No sign of it was found in these trades.")
		o.observed = worst.Metric
	case rank == result.None.Rank():
		o.detail = "No sign of it was found in these trades."
	case c.Bool:
		o.evidence = detectorEvidence(worst)
	case rank >= result.Medium.Rank() && c.Modality != claims.Sometimes:
		o.verdict, o.evidence = Inconsistent, detectorEvidence(worst)
	default:
		o.verdict, o.evidence = Partly, detectorEvidence(worst)
	}
	return o
}

// maxNewsP is the adjusted p below which more opens near news are not chance, and
// minNewsRatio is by how much the least share that explains them must exceed that of
// the same times on other days. Nobody avoids news of whose decisions minNewsShare are
// near it, even if it is as often near these times on other days.
const (
	maxNewsP     = 0.01
	minNewsRatio = 1.5
	minNewsShare = 0.1
)

// checkNews checks claims about news: a trader who avoids news is consistent if few
// decisions begin near it, and no more than would at the same times on other days, and
// inconsistent if there are more than chance explains, by far.
func (k *checker) checkNews(c claims.Claim) outcome {
	m, why, ok := k.findMetric("news_open_share")
	if !ok {
		return why
	}
	base, why, ok := k.findMetric("news_base_share")
	if !ok {
		return why
	}
	d, why, ok := k.findDetection("news")
	if !ok {
		return why
	}
	o := outcome{verdict: Partly, observed: d.Metric, detail: wording.FormatText(
		"%s of %d decisions began near scheduled news. At the same times on other days, it would be %s.", formatPercent(*m.Value), m.N, formatPercent(*base.Value))}
	above := *m.Value > *base.Value
	proven := above && d.Metric != nil && d.Metric.PAdjusted != nil && *d.Metric.PAdjusted < maxNewsP && m.CI != nil && m.CI.Low > minNewsRatio**base.Value
	switch {
	case c.Bool == (above || *m.Value >= minNewsShare):
		o.verdict = Consistent
	case c.Bool:
		o.verdict, o.reason = Unclear, OutsideWindow
	case proven && c.Modality != claims.Sometimes && c.Modality != claims.Usually:
		o.verdict, o.evidence = Inconsistent, detectorEvidence(d)
	}
	return o
}

// maxUnknown is the share of decisions in unknown symbols above which claims about
// instruments are not judged.
const maxUnknown = 0.2

// namedInPassing is the share of the decisions from which on an instrument counts
// as traded, even if others were traded more.
const namedInPassing = 0.1

// checkInstruments checks which instruments are traded. A claim is consistent if
// the named ones cover four fifths of the decisions. It is inconsistent if they
// cover less than half although they should be most of them, less than a tenth
// otherwise, or if a tenth contradicts "only". A trader who names instruments in
// several sentences means all of them.
func (k *checker) checkInstruments(c claims.Claim) outcome {
	n := k.view.Decisions
	if n < minHourDecisions {
		return notCheckable(InsufficientTrades, wording.FormatText("Only %d of the required %d decisions are available.", n, minHourDecisions))
	}
	unknown, own, named := 0, 0, 0
	inNamed := make([]bool, len(k.view.Symbols))
	for key, decisions := range k.byKey() {
		symbol := k.view.Symbols[key]
		isOwn, known := claims.CoversSymbol(c.Set, symbol)
		inNamed[key] = isOwn || !c.Only && k.namedAnywhere(symbol)
		if !known && !inNamed[key] {
			unknown += decisions
		}
		if isOwn {
			own += decisions
		}
		if inNamed[key] {
			named += decisions
		}
	}
	if float64(unknown) > maxUnknown*float64(n) {
		return notCheckable(NoDataSource, wording.FormatText("%d of %d decisions are in symbols that assay does not recognize.", unknown, n))
	}
	share, cover := float64(own)/float64(n), float64(named)/float64(n)
	o := outcome{verdict: Partly, observed: ownMetric("named_instruments", "share", share, n), detail: wording.FormatText("%s of %d decisions were in the named instruments.", formatPercent(share), n)}
	if cover > share {
		o.detail += fmt.Sprintf(" Including the other named instruments, it is %s.", formatPercent(cover))
	}
	switch {
	case c.Modality == claims.Sometimes:
		if own > 0 {
			o.verdict = Consistent
		}
	case c.Only && c.Modality != claims.Usually && cover <= 0.9, cover < 0.5 && (c.Only || c.Modality == claims.Usually || share < namedInPassing):
		o.verdict, o.evidence = Inconsistent, k.decisionsBut(inNamed)
	case cover >= 0.8 && own > 0:
		o.verdict = Consistent
	}
	return o
}

// namedAnywhere reports whether any claim names the symbol group.
func (k *checker) namedAnywhere(symbol string) bool {
	if k.named == nil {
		k.named = map[string]bool{}
		var all []string
		for _, c := range k.claims {
			if c.Topic == claims.Instruments {
				all = append(all, c.Set...)
			}
		}
		slices.Sort(all)
		all = slices.Compact(all)
		for _, s := range k.view.Symbols {
			k.named[s], _ = claims.CoversSymbol(all, s)
		}
	}
	return k.named[symbol]
}

// decisionsBut returns the decisions that are not in some symbol groups.
func (k *checker) decisionsBut(in []bool) (e evidence) {
	for _, a := range k.view.Accounts {
		for i := range a.Clusters {
			if !in[a.Clusters[i].Key] {
				e.addDecision(a, uint32(i))
			}
		}
	}
	return e
}
