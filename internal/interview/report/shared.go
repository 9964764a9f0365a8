package report

import (
	"slices"

	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/check"
)

// What a visitor with a share link may see. Only the firm may know that other
// traders' accounts exist, and how they are traded. So the shared report leaves out
// everything that compares accounts, whatever the comparison found, and its summary
// is written without that: it is the same whether there are others or not.

// Shared replaces the members of the same names if a report is shown outside of the
// firm.
type Shared struct {
	Summary        string   `json:"summary"`
	AttentionLevel string   `json:"attention_level"`
	DataGaps       []string `json:"data_gaps"`
}

// comparing are the kinds of findings that compare accounts.
var comparing = []string{"copied_trades", "opposite_positions"}

// isShareable reports whether a finding of the kind may be shown outside.
func isShareable(kind string) bool { return !slices.Contains(comparing, kind) }

// shareableCheck reports whether a claim's check may be shown outside: it was not
// compared with other accounts.
func shareableCheck(c check.Checked) bool {
	switch c.Topic {
	case claims.OtherPeople, claims.AccountSharing:
		return false
	case claims.EAUse:
		return c.About != "copier" && c.About != "signals"
	case claims.Averaging:
		return c.About == "martingale" || c.About == "averaging" || c.About == "scaling"
	case claims.HoldingTime, claims.Instruments, claims.RiskPerTrade, claims.StopLossUse, claims.AccountCount, claims.News, claims.Hours,
		claims.TradesPerDay, claims.MaxLossDay, claims.StrategyLength:
	}
	return true
}

// sameAccounts returns the gaps that reveal another trader's account.
func (a *assembly) sameAccounts() (gaps []string) {
	if a.in.Activity == nil {
		return nil
	}
	for _, g := range a.in.Activity.DataGaps {
		if g.Kind == result.GapSameAccount {
			gaps = append(gaps, g.Detail)
		}
	}
	return gaps
}

// makeShared returns what is shown of a report outside of the firm.
func (a *assembly) makeShared(r *Report) Shared {
	outside := *r
	outside.Findings = slices.DeleteFunc(slices.Clone(r.Findings), func(f Finding) bool { return !f.Shareable })
	outside.ClaimChecks = slices.DeleteFunc(slices.Clone(r.ClaimChecks), func(c ClaimCheck) bool { return !c.Shareable })
	hidden := append(a.sameAccounts(), a.sharedEmail()...) // only the firm may know whom other platforms know
	outside.DataGaps = slices.DeleteFunc(slices.Clone(r.DataGaps), func(text string) bool { return slices.Contains(hidden, text) })
	return Shared{Summary: a.writeSummary(&outside), AttentionLevel: a.attentionLevel(outside.Findings), DataGaps: outside.DataGaps}
}
