package extract_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/check"
	"github.com/assayhq/assay/internal/interview/claims/claimstest"
	"github.com/assayhq/assay/internal/interview/claims/extract"
)

// TestNumberForms reads numbers in the forms that people say and write. A form that cannot be read is no value, and
// neither is a part of it.
func TestNumberForms(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		topic claims.Topic
		say   string
		want  string // as brief writes it, or empty if nothing is stated
	}{
		{claims.TradesPerDay, "two dozen", "trades_per_day = 24 count ~"},
		{claims.TradesPerDay, "one dozen trades", "trades_per_day = 12 count ~"},
		{claims.TradesPerDay, "a dozen", "trades_per_day = 12 count ~"},
		{claims.TradesPerDay, "half a dozen at most", "trades_per_day < 6 count ~"},
		{claims.TradesPerDay, "a couple of dozen", "trades_per_day = 24 count ~"},
		{claims.TradesPerDay, "ten twelve", ""},
		{claims.RiskPerTrade, "one and one quarter percent", "risk_per_trade = 1.25 %"},
		{claims.RiskPerTrade, "one and one half percent", "risk_per_trade = 1.5 %"},
		{claims.RiskPerTrade, "one and a half percent", "risk_per_trade = 1.5 %"},
		{claims.RiskPerTrade, "one and half percent", "risk_per_trade = 1.5 %"},
		{claims.RiskPerTrade, "two and three quarters of a percent", "risk_per_trade = 2.75 %"},
		{claims.RiskPerTrade, "a percent and a half", "risk_per_trade = 1.5 %"},
		{claims.RiskPerTrade, "one percent and a quarter", "risk_per_trade = 1.25 %"},
		{claims.RiskPerTrade, "5 tenths of a percent", "risk_per_trade = 0.5 %"},
		{claims.RiskPerTrade, "five tenths of a percent", "risk_per_trade = 0.5 %"},
		{claims.RiskPerTrade, "a third percent", "risk_per_trade = 0.3333333333333333 %"},
		{claims.RiskPerTrade, "one tenth percent", "risk_per_trade = 0.1 %"},
		{claims.RiskPerTrade, "point two of a percent", "risk_per_trade = 0.2 %"},
		{claims.RiskPerTrade, "point five of one percent", "risk_per_trade = 0.5 %"},
		{claims.RiskPerTrade, "0.2 of a percent", "risk_per_trade = 0.2 %"},
		{claims.RiskPerTrade, "20 basis points", "risk_per_trade = 0.2 %"},
		{claims.RiskPerTrade, "twenty bps", "risk_per_trade = 0.2 %"},
		{claims.RiskPerTrade, "a tenth of two percent", ""},
		{claims.RiskPerTrade, "0.5 of two percent", ""},
		{claims.RiskPerTrade, "two fifty dollars", "risk_per_trade = 250 money"},
		{claims.RiskPerTrade, "twelve fifty dollars", "risk_per_trade = 1250 money"},
		{claims.RiskPerTrade, "a couple hundred dollars", "risk_per_trade = 200 money ~"},
		{claims.RiskPerTrade, "half a grand", "risk_per_trade = 500 money"},
		{claims.RiskPerTrade, "two, two fifty dollars", ""},
		{claims.RiskPerTrade, "two hundred plus or minus fifty dollars", ""},
		{claims.HoldingTime, "1/3 of an hour", "holding_time = 1200 s"},
		{claims.HoldingTime, "3/4 of an hour", "holding_time = 2700 s"},
		{claims.HoldingTime, "one and three quarter hours", "holding_time = 6300 s"},
		{claims.HoldingTime, "one and three quarters of an hour", "holding_time = 6300 s"},
		{claims.HoldingTime, "an hour and one quarter", "holding_time = 4500 s"},
		{claims.HoldingTime, "three hours plus minus thirty minutes", "holding_time = 10800 s"},
		{claims.AccountCount, "two 50k accounts", "account_count = 2 count"},
	} {
		var want []string
		if tc.want != "" {
			want = []string{tc.want}
		}
		if diff := cmp.Diff(want, said(tc.say, tc.topic)); diff != "" {
			t.Errorf("%q about %s (-want +got):\n%s", tc.say, tc.topic, diff)
		}
	}
}

// TestTwoValuesInOneAnswer leaves open which of two values a trader means that exclude each other, if the trades agree
// with one of them. In two answers, they are two statements.
func TestTwoValuesInOneAnswer(t *testing.T) {
	t.Parallel()
	asked := map[string]extract.Asked{"q1": {Topic: claims.TradesPerDay}, "q2": {Topic: claims.TradesPerDay}}
	for _, tc := range []struct {
		segments []claims.Segment
		want     []check.Verdict
	}{
		{[]claims.Segment{{ID: "s1", QuestionID: "q1", Text: "three entries but one position"}}, []check.Verdict{check.Consistent, check.Unclear}},
		{[]claims.Segment{{ID: "s1", QuestionID: "q1", Text: "three trades a day"}, {ID: "s2", QuestionID: "q1", Text: "one trade a day"}}, []check.Verdict{check.Consistent, check.Unclear}},
		{[]claims.Segment{{ID: "s1", QuestionID: "q1", Text: "three trades a day"}, {ID: "s2", QuestionID: "q2", Text: "one trade a day"}}, []check.Verdict{check.Consistent, check.Inconsistent}},
		{[]claims.Segment{{ID: "s1", QuestionID: "q1", Text: "one trade a day"}}, []check.Verdict{check.Inconsistent}},
	} {
		var got []check.Verdict
		for _, c := range check.Claims(extract.Claims(tc.segments, asked), claimstest.NewWorld().Data()) {
			got = append(got, c.Verdict)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tc.segments[0].Text, diff)
		}
	}
}
