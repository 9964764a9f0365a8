package claims_test

import (
	"testing"

	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/extract"
)

func TestSentence(t *testing.T) {
	t.Parallel()
	for say, want := range map[string]string{
		"I risk about one percent per trade":           "risks about 1% per trade",
		"I risk 500 dollars per trade":                 "risks 500 USD per trade",
		"I never hold for more than an hour":           "holds positions for at most 1 hour",
		"I hold for twenty to thirty minutes":          "holds positions for 20 minutes to 30 minutes",
		"I never hold overnight":                       "does not hold positions overnight",
		"sometimes I hold over the weekend":            "holds positions over the weekend (sometimes, or not for certain)",
		"I only trade gold":                            "trades only XAUUSD",
		"I always use a stop loss":                     "always uses a stop loss",
		"I have one account":                           "has 1 account",
		"nobody else logs in":                          "nobody else has access to the account",
		"I don't copy anybody":                         "does not copy trades",
		"I avoid trading the news":                     "does not trade around news",
		"I trade from 8:30 am to 11 am London time":    "trades from 8:30 to 11:00 (Europe/London)",
		"I take three trades a day":                    "takes 3 trades a day",
		"I stop after losing two percent a day":        "stops at a loss of 2% in a day",
		"I scale in":                                   "scales into positions",
		"I have been trading for five years":           "has traded like this for 5 years",
		"I usually hold the euro dollar for two hours": "holds positions for 2 hours in EURUSD (usually)",
	} {
		all := extract.Claims([]claims.Segment{{ID: "s", Text: say}}, nil)
		if len(all) == 0 || all[0].Sentence() != want {
			t.Errorf("%q: %+v, want %q", say, all, want)
			continue
		}
	}
}
