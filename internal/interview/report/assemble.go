package report

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/check"
	"github.com/assayhq/assay/internal/interview/claims/extract"
)

const disclaimer = "Observations for the person who decides. They do not prove intent, rate suitability or make a decision. " +
	"The priority only orders the queue."

// Assemble makes the report.
func Assemble(in Input) *Report {
	a := &assembly{in: in, own: map[string]bool{}}
	if in.Trades != nil {
		for _, account := range in.Trades.Accounts {
			a.own[account.ID] = !account.Peer
		}
	}
	checks, byModel := a.checkClaims()
	findings := append([]Finding{}, a.activityFindings()...) // a list also where nothing was found
	findings = append(findings, a.claimFindings(checks)...)
	integrity, telemetry := a.integrityFindings()
	findings = append(findings, integrity...)
	findings = append(findings, a.dataFindings()...)
	for i := range findings {
		findings[i].fillDefaults()
	}
	// Severest first, and in the order of the areas where that is equal.
	slices.SortStableFunc(findings, func(x, y Finding) int { return cmp.Compare(y.Severity.Rank(), x.Severity.Rank()) })
	r := &Report{
		Version: in.Version, Status: statusDone, GeneratedAt: in.GeneratedAt.UTC(), Engines: a.listEngines(), Inputs: a.listInputs(), SummaryDraft: a.makeDraft(byModel),
		AttentionLevel: a.attentionLevel(findings), ReviewPriority: queuePriority(findings), Findings: findings, ClaimChecks: a.writeChecks(checks, foundByRules),
		IntegritySummary: summarizeIntegrity(integrity, telemetry), DataGaps: a.listGaps(telemetry), Disclaimer: disclaimer,
	}
	if in.Activity != nil {
		r.RulesetVersion = &in.Activity.RulesetVersion
	}
	r.Summary = a.writeSummary(r)
	r.Shared = a.makeShared(r)
	return r
}

// assembly is a report that is being made.
type assembly struct {
	in  Input
	own map[string]bool // by account
}

// checkClaims compares the claims that the rules find in the transcript with the
// data. Claims that only a language model found are checked separately, because
// they differ from one answer to the next, and no finding rests on them.
func (a *assembly) checkClaims() (checks, byModel []check.Checked) {
	t := a.in.Transcript
	if t == nil {
		return nil, nil
	}
	asked := make(map[string]extract.Asked, len(a.in.Questions))
	for _, q := range a.in.Questions {
		asked[q.ID] = extract.Asked{Topic: claims.Topic(q.Topic), Prompt: q.Prompt}
	}
	data := check.Data{
		Input: a.in.Trades, Activity: a.in.Activity, Accounts: a.in.Accounts, Ended: a.in.Ended, ByEmail: a.in.ByEmail, FirstTrade: a.in.FirstTrade,
		Confirmed: a.in.Confirmed,
	}
	var all []claims.Claim
	if t.isRead() {
		all = extract.Claims(t.Segments, asked)
	}
	checks = check.Claims(all, data)
	if a.in.Draft == nil {
		return checks, nil
	}
	var more []claims.Claim
	for _, c := range a.in.Draft.Claims {
		if !slices.ContainsFunc(all, c.SameAs) {
			more = append(more, c)
		}
	}
	if len(more) > 0 {
		byModel = check.Claims(more, data)
	}
	return checks, byModel
}

// activityFindings are what the detectors found.
func (a *assembly) activityFindings() (found []Finding) {
	if a.in.Activity == nil {
		return nil
	}
	for _, d := range a.in.Activity.Findings() {
		found = append(found, Finding{
			ID: d.ID, Kind: d.Kind, Area: AreaActivity, Severity: *d.Severity, Title: d.Title, Detail: d.Detail, Metric: d.Metric,
			Evidence: a.nameTrades(d.Evidence), EvidenceTotal: d.EvidenceTotal, Limitations: d.Limitations, SuggestedQuestion: d.SuggestedQuestion,
			Shareable: isShareable(d.Kind),
		})
	}
	return found
}

// nameTrades marks for each trade whose it is.
func (a *assembly) nameTrades(list []result.Evidence) []Evidence {
	out := make([]Evidence, 0, len(list))
	for _, e := range list {
		out = append(out, Evidence{Type: "trade", AccountID: e.AccountID, TradeID: e.TradeID, Own: new(a.own[e.AccountID])})
	}
	return out
}

// dataFindings are about what the report is made from.
func (a *assembly) dataFindings() (found []Finding) {
	if a.in.Partial {
		found = append(found, Finding{
			Kind: "partial_interview", Area: AreaData, Severity: result.Low, Title: "The interview was not finished",
			Detail:      "Time ran out before all required questions were answered. The report uses the answers that were given.",
			Limitations: []string{"A lost connection or a failing device can cause this."}, Shareable: true,
		})
	}
	if a.in.Activity != nil {
		for _, g := range a.in.Activity.DataGaps {
			found = append(found, Finding{
				Kind: string(g.Kind), Area: AreaData, Severity: result.Info, Title: "Possible duplicate account", Detail: g.Detail,
				Limitations: []string{"Two integrations for the same platform, or one account assigned to two people, can cause this."},
				Shareable:   g.Kind != result.GapSameAccount,
			})
		}
	}
	if unanswered := a.unansweredQuestions(); len(unanswered) > 0 {
		found = append(found, Finding{
			Kind: "question_unanswered", Area: AreaData, Severity: result.Low, Title: "Submitted with an unanswered question",
			Detail: fmt.Sprintf("Required question without an answer: question %s. The trader could not answer because every take was interrupted or the devices did not work.",
				strings.Join(unanswered, ", question ")),
			Limitations: []string{"This says nothing about the trading. Reloading the page on purpose looks the same as a browser failure."}, Shareable: true,
		})
	}
	return found
}

// unansweredQuestions returns the numbers, from 1, of the required questions that
// the trader has submitted without an answer.
func (a *assembly) unansweredQuestions() (numbers []string) {
	for n, q := range a.in.Questions {
		if q.Unanswered {
			numbers = append(numbers, strconv.Itoa(n+1))
		}
	}
	return numbers
}

// fillDefaults sets the fields that every finding has.
func (f *Finding) fillDefaults() {
	if f.Evidence == nil {
		f.Evidence = []Evidence{}
	}
	if f.Limitations == nil {
		f.Limitations = []string{}
	}
	if f.ID != "" {
		return
	}
	text, err := json.Marshal(f)
	if err != nil {
		panic(fmt.Sprintf("a finding that can't be encoded: %v", err)) // numbers are finite
	}
	sum := sha256.Sum256(text)
	f.ID = hex.EncodeToString(sum[:16])
}

// attentionLevel returns the greatest severity of the findings.
func (a *assembly) attentionLevel(findings []Finding) string {
	trades := 0
	if a.in.Activity != nil {
		trades = a.in.Activity.Totals.Trades
	}
	if trades < leastTrades && !a.in.Transcript.isRead() {
		return InsufficientData
	}
	greatest := result.None
	for _, f := range findings {
		if f.Severity.Rank() > greatest.Rank() {
			greatest = f.Severity
		}
	}
	if greatest == result.Info {
		return string(result.None)
	}
	return string(greatest)
}

// queuePriority returns the interview's place in the reviewers' queue.
func queuePriority(findings []Finding) int {
	sum := 0
	for _, f := range findings {
		switch f.Severity {
		case result.Low:
			sum += 5
		case result.Medium:
			sum += 15
		case result.High:
			sum += 35
		case result.None, result.Info:
		}
	}
	return min(sum, 100)
}

func (a *assembly) listEngines() (e Engines) {
	if t := a.in.Transcript; t != nil {
		name := t.Engine
		if t.Model != "" {
			name += " " + t.Model
		}
		e.STT = &name
	}
	if d := a.in.Draft; d != nil {
		e.LLM = &d.Model
	}
	return e
}

func (a *assembly) listInputs() (i Inputs) {
	if act := a.in.Activity; act != nil {
		i.Trades, i.Accounts, i.Window = act.Totals.Trades, len(act.Accounts), act.Window
		for _, s := range act.Sources {
			if s.Kind == "file" {
				i.Files++
			}
		}
	}
	if t := a.in.Transcript; t != nil {
		i.TranscriptQuality = &t.Quality
	}
	return i
}

// draftNote is shown with every text of a language model.
const draftNote = "Written by a language model from the transcript alone and not reviewed by a person. No finding or figure in this report comes from it."

func (a *assembly) makeDraft(byModel []check.Checked) *SummaryDraft {
	d := a.in.Draft
	if d == nil {
		return nil
	}
	out := &SummaryDraft{
		Model: d.Model, PromptSHA256: d.PromptSHA256, RawOutput: d.Raw, AcceptedClaims: len(d.Claims), RefusedClaims: d.Refused, Note: draftNote,
		ClaimChecks: a.writeChecks(byModel, foundByModel),
	}
	if d.Text != "" {
		out.Text = &d.Text
	}
	if d.Problem != "" {
		out.Problem = &d.Problem
	}
	return out
}
