package report

import (
	"fmt"
	"slices"

	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/check"
)

// topicTitles say what claims are about, in the words of a report.
var topicTitles = map[claims.Topic]string{
	claims.HoldingTime: "how long positions are held", claims.Instruments: "what is traded", claims.RiskPerTrade: "what a trade risks", claims.StopLossUse: "the use of stop losses",
	claims.AccountCount: "the number of accounts", claims.OtherPeople: "other people who trade", claims.AccountSharing: "who has access to the account", claims.EAUse: "programs, copiers and signals",
	claims.News: "trading around news", claims.Hours: "trading hours", claims.TradesPerDay: "the number of trades per day", claims.MaxLossDay: "the daily loss limit",
	claims.Averaging: "averaging, doubling and hedging", claims.StrategyLength: "how long the strategy has been used",
}

// topicQuestions ask about a difference between words and trades.
var topicQuestions = map[claims.Topic]string{
	claims.HoldingTime:  "Which of your positions do you hold longer, and which shorter than you described?",
	claims.Instruments:  "Which other instruments do you trade, and when?",
	claims.RiskPerTrade: "How do you calculate the size of a position, and when do you take a larger one?",
	claims.StopLossUse:  "In which situations do you trade without a stop?",
	claims.AccountCount: "Which accounts do you have with us, and what is each of them for?",
	claims.Hours:        "When do you trade outside the hours that you described?",
	claims.TradesPerDay: "What makes a day on which you trade more, or less, than usual?",
	claims.MaxLossDay:   "What do you do on a day that reaches your limit?",
	claims.News:         "What do you do with positions when important news is due?",
	claims.Averaging:    "When do you add to a position, and how do you choose the size?",
}

// claimFindings are the differences between words and trades, and between words.
func (a *assembly) claimFindings(checks []check.Checked) (found []Finding) {
	all := make([]claims.Claim, len(checks))
	for i, c := range checks {
		all[i] = c.Claim
		if c.Verdict == check.Inconsistent {
			found = append(found, a.makeInconsistent(c))
		}
	}
	for _, c := range claims.Contradictions(all) {
		question := "You said two things about " + topicTitles[c.Topic] + ". How do they fit together?"
		found = append(found, Finding{
			Kind: "self_contradiction", Area: AreaClaims, Severity: result.Low, Title: "Two statements about " + topicTitles[c.Topic] + " differ",
			Detail:   quoteBoth(c.First, c.Then),
			Evidence: []Evidence{quoteEvidence(c.First), quoteEvidence(c.Then)}, EvidenceTotal: 2,
			Limitations:       append([]string{"Both may be true of different accounts, strategies or times."}, limitWords(c.First, c.Then)...),
			SuggestedQuestion: &question, Shareable: true,
		})
	}
	return found
}

// sayOrWrite says how a claim was made.
func sayOrWrite(c claims.Claim) string {
	if c.Typed {
		return "wrote"
	}
	return "said"
}

// quoteBoth quotes two claims.
func quoteBoth(first, then claims.Claim) string {
	if first.Typed == then.Typed {
		return fmt.Sprintf("The trader %s “%s” and “%s”.", sayOrWrite(first), first.Quote, then.Quote)
	}
	return fmt.Sprintf("The trader %s “%s” and %s “%s”.", sayOrWrite(first), first.Quote, sayOrWrite(then), then.Quote)
}

// limitWords says why the words of claims may not be the trader's. What was typed is.
func limitWords(of ...claims.Claim) []string {
	if slices.ContainsFunc(of, func(c claims.Claim) bool { return !c.Typed }) {
		return []string{wordsMayBeWrong}
	}
	return nil
}

const wordsMayBeWrong = "The transcript is automatic and may be wrong. Listen to the recording before you rely on it."

func (a *assembly) makeInconsistent(c check.Checked) Finding {
	f := Finding{
		Kind: "claim_inconsistent", Area: AreaClaims, Severity: c.Severity, Title: "Statement and trades differ about " + topicTitles[c.Topic],
		Detail: fmt.Sprintf("The trader %s “%s”. %s", sayOrWrite(c.Claim), c.Quote, c.Detail), Metric: c.Observed,
		Evidence: append([]Evidence{quoteEvidence(c.Claim)}, a.nameTrades(c.Evidence)...), EvidenceTotal: c.EvidenceTotal + 1,
		Limitations: []string{"The statement may be about a different time, account or strategy than the trades."}, Shareable: shareableCheck(c),
	}
	f.Evidence = f.Evidence[:min(len(f.Evidence), MaxEvidence)]
	switch {
	case c.Corrected:
		f.Limitations = append(f.Limitations, wordsCorrected)
	case !c.Typed && !c.Confirmed:
		f.Limitations = append(f.Limitations, wordsMayBeWrong)
	}
	if question, ok := topicQuestions[c.Topic]; ok {
		f.SuggestedQuestion = &question
	}
	return f
}

const wordsCorrected = "A reviewer has corrected the words of this passage. The transcript keeps what was recognized."

// quoteEvidence refers to the words of a claim.
func quoteEvidence(c claims.Claim) Evidence {
	return Evidence{Type: "transcript", SegmentID: c.SegmentID, StartMS: &c.StartMS, EndMS: &c.EndMS, Quote: c.Quote}
}

// Sources of claims.
const (
	foundByRules = "rules"
	foundByModel = "model"
)

// writeChecks returns the checks as the API shows them.
func (a *assembly) writeChecks(checks []check.Checked, foundBy string) []ClaimCheck {
	out := make([]ClaimCheck, 0, len(checks))
	for _, c := range checks {
		w := ClaimCheck{
			ID: c.ID, Topic: string(c.Topic), About: c.About, Op: string(c.Op), Value: valueOf(c.Claim), Unit: unitOf(c.Claim), Approximate: c.Approximate,
			Modality: string(c.Modality), Quote: c.Quote, SegmentID: c.SegmentID, StartMS: c.StartMS, EndMS: c.EndMS, Confidence: c.Confidence,
			FoundBy: foundBy, Verdict: string(c.Verdict), Detail: c.Detail, Severity: c.Severity, Confirmed: c.Confirmed, Corrected: c.Corrected, Observed: c.Observed,
			Evidence: a.nameTrades(c.Evidence), EvidenceTotal: c.EvidenceTotal, Shareable: shareableCheck(c), Statement: c.Sentence(), On: append([]string{}, c.On...), Also: []AlsoSaid{},
		}
		for _, q := range c.Also {
			w.Also = append(w.Also, AlsoSaid{q.ID, q.Text, q.SegmentID, q.StartMS, q.EndMS})
		}
		if c.Reason != "" {
			w.Reason = new(string(c.Reason))
		}
		out = append(out, w)
	}
	return out
}

func valueOf(c claims.Claim) any {
	switch c.Op {
	case claims.Is:
		return c.Bool
	case claims.OneOf:
		return slices.Clone(c.Set)
	case claims.Range:
		return []float64{c.Value, c.High}
	case claims.Equal, claims.AtMost, claims.AtLeast:
	}
	return c.Value
}

// unitOf returns the unit, with the currency or the zone that was named.
func unitOf(c claims.Claim) string {
	switch {
	case c.Unit == claims.Money && c.Currency != "":
		return c.Currency
	case c.Unit == claims.Clock && c.Zone != "":
		return "h " + c.Zone
	}
	return string(c.Unit)
}
