package report_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/analysis"
	"github.com/assayhq/assay/internal/analysis/tradertest"
	"github.com/assayhq/assay/internal/analysis/trades"
	"github.com/assayhq/assay/internal/interview/report"
)

// shown returns what a share link shows of a report, as a text.
func shown(t *testing.T, r *report.Report) string {
	t.Helper()
	outside := *r
	outside.Summary, outside.AttentionLevel = r.Shared.Summary, r.Shared.AttentionLevel
	outside.Findings = slices.DeleteFunc(slices.Clone(r.Findings), func(f report.Finding) bool { return !f.Shareable })
	outside.ClaimChecks = slices.DeleteFunc(slices.Clone(r.ClaimChecks), func(c report.ClaimCheck) bool { return !c.Shareable })
	outside.ReviewPriority = 0 // is not shown
	text, err := json.MarshalIndent(outside, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestSharedKnowsNobodyElse: the shared report of an interview is exactly the same
// whether other traders' accounts are known or not, whatever the detectors find
// between them and whatever the trader says about others.
func TestSharedKnowsNobodyElse(t *testing.T) {
	t.Parallel()
	hidden := map[string]bool{}
	for _, c := range tradertest.Characters() {
		in := interview(c)
		in.Transcript = spoken("standard", "Nobody else has access to my account, and nobody else trades my strategy.", "I never hedge and I don't use a trade copier.",
			"I don't follow signals from anybody.", "I never average down and I hold my trades for about twenty minutes.", "My brother also trades.")
		with := report.Assemble(in)
		for _, f := range with.Findings {
			hidden[f.Kind] = hidden[f.Kind] || !f.Shareable
		}
		for _, check := range with.ClaimChecks {
			hidden[check.Topic] = hidden[check.Topic] || !check.Shareable
		}
		alone := *in.Trades
		alone.Accounts = slices.DeleteFunc(slices.Clone(alone.Accounts), func(a trades.Account) bool { return a.Peer })
		alone.Trades = slices.DeleteFunc(slices.Clone(alone.Trades), func(trade trades.Trade) bool { return in.Trades.Accounts[trade.Account].Peer })
		in.Trades, in.Activity = &alone, analysis.Analyse(alone)
		without := report.Assemble(in)
		if diff := cmp.Diff(shown(t, without), shown(t, with)); diff != "" {
			t.Errorf("%s (-alone +with others):\n%s", c, diff)
		}
		for _, word := range []string{"another trader", "other traders", "two accounts", "pairs of accounts"} {
			if strings.Contains(shown(t, with), word) {
				t.Errorf("%s: what is shared tells of %q", c, word)
			}
		}
	}
	for _, kind := range []string{"copied_trades", "opposite_positions", "claim_inconsistent", "other_people", "account_sharing", "ea_use", "martingale_hedging"} {
		if !hidden[kind] {
			t.Errorf("nothing of %s was left out", kind)
		}
	}
}
