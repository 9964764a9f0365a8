// Package check compares the statements of a trader, which package extract finds, with an analysis of
// the trades. Each topic has one function, which returns a verdict or why there is none. It is a pure
// function of its input, too.
package check

import (
	"cmp"
	"slices"
	"strconv"
	"time"

	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/trades"
	"github.com/assayhq/assay/internal/analysis/wording"
	"github.com/assayhq/assay/internal/interview/claims"
)

// Verdict says whether a claim agrees with the data.
type Verdict string

// The verdicts.
const (
	Consistent   Verdict = "consistent"
	Partly       Verdict = "partly"
	Inconsistent Verdict = "inconsistent"
	Unclear      Verdict = "unclear"       // Reason says why
	NotCheckable Verdict = "not_checkable" // Reason says what is missing
)

// Reason is why a claim could not be judged.
type Reason string

// The reasons.
const (
	InsufficientTrades Reason = "insufficient_trades"
	NoStopData         Reason = "no_stop_data"
	NoBalance          Reason = "no_balance"
	NoCalendar         Reason = "no_calendar"
	TimezoneUnknown    Reason = "timezone_unknown"
	OutsideWindow      Reason = "outside_window" // it may be true where there is no data
	NoContractSize     Reason = "no_contract_size"
	LowASRConfidence   Reason = "low_asr_confidence" // the words may not be what was said
	AmbiguousClaim     Reason = "ambiguous_claim"
	NoDataSource       Reason = "no_data_source"
	OtherFirm          Reason = "other_firm" // it may be true at other firms
)

// Reasons lists the reasons.
func Reasons() []Reason {
	return []Reason{
		InsufficientTrades, NoStopData, NoBalance, NoCalendar, TimezoneUnknown, OutsideWindow, NoContractSize, LowASRConfidence, AmbiguousClaim, NoDataSource, OtherFirm,
	}
}

// leastConfidence is the confidence below which recognized words are not judged.
const leastConfidence = 0.5

// maxEvidence bounds the evidence of one check.
const maxEvidence = result.MaxEvidence

// Data is what claims are compared with.
type Data struct {
	// Input is the source of Activity. Nil means that there are no trades to
	// compare claims with. Activity is nil with it, and only then.
	Input    *trades.Input
	Activity *result.Activity
	// Accounts is how many accounts the trader had in the directory at the end of the
	// interview, or nil if that is unknown. Ended is how many of them are over by now:
	// passed, breached or closed. ByEmail is how many of the others are known as the
	// trader's only because a trader of another platform has the same email.
	Accounts *int
	Ended    int
	ByEmail  int
	// FirstTrade is the trader's first open in all known data, also before the
	// window. It is nil if it is not known.
	FirstTrade *time.Time
	// Confirmed are the ids of claims that a reviewer has confirmed.
	Confirmed []string
}

// Checked is a claim with the result of its check.
type Checked struct {
	claims.Claim
	Verdict   Verdict
	Reason    Reason // of unclear and not_checkable; otherwise empty
	Detail    string // for people; names no account
	Confirmed bool   // a reviewer has confirmed it
	// Severity is none unless the verdict is inconsistent, and low until a reviewer
	// has confirmed the claim.
	Severity      result.Severity
	Observed      *result.FindingMetric // nil when nothing was measured
	Evidence      []result.Evidence     // trades, at most maxEvidence
	EvidenceTotal int
}

// Claims compares each claim with the data, in their order. Equal arguments give
// equal results.
func Claims(all []claims.Claim, d Data) []Checked {
	k := newChecker(all, d)
	out := make([]Checked, 0, len(all))
	for _, c := range all {
		r := Checked{Claim: c, Confirmed: c.ConfirmedIn(d.Confirmed), Severity: result.None}
		o := k.judgeOnce(c, r.Confirmed)
		r.Verdict, r.Reason, r.Detail, r.Observed, r.Evidence, r.EvidenceTotal = o.verdict, o.reason, o.detail, o.observed, o.evidence.shown, o.evidence.total
		out = append(out, r)
	}
	leaveOpen(out)
	for i := range out {
		r := &out[i]
		if r.Verdict != Inconsistent {
			continue
		}
		r.Severity = result.Medium
		if !r.Confirmed { // the words may be wrong, or mean something else
			r.Severity = result.Low
			r.Detail += " Check that this is what the trader meant."
		}
	}
	return out
}

// leaveOpen makes a statement unclear that the data contradicts if another one in the same answer, with which it
// cannot be true together, agrees with the data. One of the two is probably about something else.
func leaveOpen(all []Checked) {
	var open []int
	for i, c := range all {
		fits := func(o Checked) bool {
			return o.Verdict == Consistent && cmp.Or(o.QuestionID, o.SegmentID) == cmp.Or(c.QuestionID, c.SegmentID) && o.Topic == c.Topic && excludeEachOther(o.Claim, c.Claim)
		}
		if c.Verdict == Inconsistent && !c.Confirmed && slices.ContainsFunc(all, fits) {
			open = append(open, i)
		}
	}
	for _, i := range open {
		all[i].Verdict, all[i].Reason, all[i].Evidence, all[i].EvidenceTotal = Unclear, AmbiguousClaim, nil, 0
		all[i].Detail += " Another statement in the same answer agrees with the trades, so this one may be about something else."
	}
}

// excludeEachOther reports whether two statements contradict each other, also where one is about the usual case.
func excludeEachOther(a, b claims.Claim) bool {
	for _, c := range []*claims.Claim{&a, &b} {
		if c.Modality == claims.Usually {
			c.Modality = claims.Plain
		}
	}
	return claims.IsContradiction(a, b)
}

// outcome is the result of checking one claim.
type outcome struct {
	verdict  Verdict
	reason   Reason
	detail   string
	observed *result.FindingMetric
	evidence evidence
}

func notCheckable(reason Reason, detail string) outcome {
	return outcome{verdict: NotCheckable, reason: reason, detail: detail}
}

func unclearOutcome(reason Reason, detail string) outcome {
	return outcome{verdict: Unclear, reason: reason, detail: detail}
}

// evidence collects trades, the first ones.
type evidence struct {
	shown []result.Evidence
	total int
}

func (e *evidence) addTrade(a *trades.AccountView, t *trades.Trade) {
	e.total++
	if len(e.shown) < maxEvidence {
		e.shown = append(e.shown, result.Evidence{Type: "trade", AccountID: a.ID, TradeID: t.ID})
	}
}

func (e *evidence) addDecision(a *trades.AccountView, cluster uint32) {
	for t := range a.TradesOf(cluster) {
		e.addTrade(a, t)
	}
}

// addAll adds what was collected elsewhere.
func (e *evidence) addAll(other evidence) {
	shown := other.shown[:min(len(other.shown), maxEvidence-len(e.shown))]
	e.shown, e.total = append(e.shown, shown...), e.total+other.total
}

// judgeClaim compares one claim with the data.
func (k *checker) judgeClaim(c claims.Claim) outcome {
	switch c.Topic {
	case claims.AccountCount:
		return k.accountCount(c)
	case claims.StrategyLength:
		return k.strategyLength(c)
	}
	if k.view == nil {
		return notCheckable(NoDataSource, "There are no trades to compare this with.")
	}
	switch c.Topic {
	case claims.HoldingTime:
		if c.Op == claims.Is {
			return k.heldOver(c)
		}
		return k.holdingTime(c)
	case claims.Instruments:
		return k.checkInstruments(c)
	case claims.RiskPerTrade:
		return k.riskPerTrade(c)
	case claims.StopLossUse:
		return k.stopLossUse(c)
	case claims.OtherPeople, claims.AccountSharing:
		return k.otherPeople(c)
	case claims.EAUse:
		return k.eaUse(c)
	case claims.News:
		return k.checkNews(c)
	case claims.Hours:
		return k.checkHours(c)
	case claims.TradesPerDay:
		return k.tradesPerDay(c)
	case claims.MaxLossDay:
		return k.maxLossDay(c)
	case claims.Averaging:
		switch c.About {
		case "scaling":
			return k.checkScaling(c)
		case "hedging":
			return k.checkHedging(c)
		}
		return k.checkAveraging(c)
	}
	return notCheckable(NoDataSource, "Nothing is known to compare this with.")
}

// findMetric returns a metric of the activity, or the outcome if there is none.
func (k *checker) findMetric(name string) (m result.Metric, why outcome, ok bool) {
	m, found := k.data.Activity.Metrics[name]
	switch {
	case !found:
		return m, notCheckable(NoDataSource, "Nothing is known to compare this with."), false
	case m.Status == result.OK:
		return m, outcome{}, true
	case m.Status == result.InsufficientData:
		return m, notCheckable(InsufficientTrades, wording.FormatText("There are too few trades for this check: %d of the required %d measurements.", m.N, m.MinN)), false
	}
	return m, missingData(m.Reason), false
}

// missingData returns the outcome if the data cannot decide, for the analysis's
// reason.
func missingData(reason *string) outcome {
	if reason != nil {
		switch *reason {
		case result.ReasonNoBalance:
			return notCheckable(NoBalance, "The initial balance of the account is not known.")
		case result.ReasonNoCalendar:
			return notCheckable(NoCalendar, "There is no calendar of scheduled news.")
		case result.ReasonTimezoneUnknown:
			return notCheckable(TimezoneUnknown, "The timezone of the trades' times is not known.")
		case result.ReasonNoStopData:
			return notCheckable(NoStopData, "No trade has a stop loss: there may be none, or the source does not include them.")
		case result.ReasonNoContractSize:
			return notCheckable(NoContractSize, "The contract sizes of the symbols are not known; the ruleset may name them.")
		case result.ReasonOneAccount:
			return notCheckable(NoDataSource, "There is no other account to compare with.")
		}
	}
	return notCheckable(NoDataSource, "The available data is not sufficient for this check.")
}

// findDetection returns what the detector of a kind says, or the outcome if it says
// nothing.
func (k *checker) findDetection(kind string) (d result.Detection, why outcome, ok bool) {
	at := slices.IndexFunc(k.data.Activity.Detectors, func(d result.Detection) bool { return d.Kind == kind })
	if at < 0 {
		return d, notCheckable(NoDataSource, "Nothing is known to compare this with."), false
	}
	d = k.data.Activity.Detectors[at]
	switch {
	case d.Status == result.OK && d.Severity != nil:
		return d, outcome{}, true
	case d.Status == result.InsufficientData:
		return d, notCheckable(InsufficientTrades, "There are too few trades to say anything."), false
	}
	return d, missingData(d.Reason), false
}

// detectorEvidence returns evidence that a detector has collected.
func detectorEvidence(d result.Detection) evidence {
	return evidence{slices.Clone(d.Evidence), d.EvidenceTotal}
}

// ownMetric returns a number that is no metric of the activity.
func ownMetric(name, unit string, value float64, n int) *result.FindingMetric {
	return &result.FindingMetric{Name: name, Unit: unit, Value: value, N: n}
}

// activityMetric returns a metric of the activity.
func activityMetric(name string, m result.Metric) *result.FindingMetric {
	return ownMetric(name, m.Unit, *m.Value, m.N)
}

// formatSeconds writes seconds as people say them.
func formatSeconds(seconds float64) string {
	for _, unit := range []struct {
		seconds float64
		name    string
	}{{86400, "days"}, {3600, "hours"}, {60, "minutes"}} {
		if seconds >= 1.5*unit.seconds {
			return claims.FormatNumber(seconds/unit.seconds) + " " + unit.name
		}
	}
	if text := claims.FormatNumber(seconds); text != "1" {
		return text + " seconds"
	}
	return "1 second"
}

// formatPercent writes a share.
func formatPercent(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) + "%" }
