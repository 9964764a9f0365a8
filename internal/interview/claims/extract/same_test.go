package extract_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/check"
	"github.com/assayhq/assay/internal/interview/claims/extract"
)

// What is said twice is one statement with two quotes, and a reviewer may have
// heard either of them.
func TestSaidTwice(t *testing.T) {
	t.Parallel()
	sure := 0.1
	all := extract.Claims([]claims.Segment{
		{ID: "s1", QuestionID: "q1", Text: "I hold for two days", Confidence: &sure}, {ID: "s2", QuestionID: "q2", Text: "maybe I hold for two days, and I trade gold"}, {ID: "s3", QuestionID: "q3", Text: "As I said, I hold for two days."},
	}, nil)
	if len(all) != 2 || len(all[0].Also) != 2 {
		t.Fatalf("%d statements: %+v", len(all), all)
	}
	if all[0].Quote != "hold for two days" || all[0].SegmentID != "s1" || all[0].Also[0].SegmentID != "s2" || all[0].Also[1].Text != "hold for two days" || all[0].Modality == claims.Sometimes {
		t.Errorf("%+v", all[0])
	}
	d := usual().data()
	if c := check.Claims(all, d)[0]; c.Verdict != check.Unclear || c.Confirmed {
		t.Errorf("of unsure words: %s", c.Verdict)
	}
	d.Confirmed = []string{all[0].Also[1].ID}
	if c := check.Claims(all, d)[0]; c.Verdict != check.Inconsistent || !c.Confirmed {
		t.Errorf("the third quote was heard: %s", c.Verdict)
	}
}

// The confidence of a statement is that of the words that carry its value.
func TestConfidence(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		of   map[string]float64 // of words; 0.9 of all others
		want float64
	}{
		{"all alike", nil, 0.9},
		{"an article is not recognized", map[string]float64{"a": 0.01}, 0.9},
		{"the verb is not sure", map[string]float64{"risk": 0.3}, math.Pow(0.3*0.9*0.9*0.9*0.9, 1./5)},
		{"the number is hardly recognized", map[string]float64{"half": 0.29}, 0.29},
		{"the unit is hardly recognized", map[string]float64{"percent": 0.2}, 0.2},
		{"what is around does not count", map[string]float64{"well": 0.01, "thanks": 0.01}, 0.9},
	} {
		s := claims.Segment{ID: "s", Text: "well I never risk more than half a percent thanks"}
		for i, w := range strings.Fields(s.Text) {
			x, ok := tc.of[w]
			if !ok {
				x = 0.9
			}
			s.Words = append(s.Words, claims.Word{Text: w, StartMS: 100 * i, EndMS: 100*i + 100, Confidence: &x})
		}
		all := extract.Claims([]claims.Segment{s}, nil)
		if len(all) != 1 || all[0].Confidence == nil || math.Abs(*all[0].Confidence-tc.want) > 1e-9 {
			t.Errorf("%s: %+v, want %g", tc.name, all, tc.want)
		}
	}
}

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

// TestCheckedByTime holds what is said of nights, weekends, adding and the hours of
// one instrument against trades of which the answer is known.
func TestCheckedByTime(t *testing.T) {
	t.Parallel()
	longer := func(hold time.Duration) func(w *world) { return func(w *world) { w.hold = hold } }
	evenings := func(w *world) { // gold is traded in the evening alone
		w.days = 40
		w.each = func(n int, t *record.Trade) {
			if n%2 == 0 {
				t.Symbol, t.OpenTime = "XAUUSD", t.OpenTime.Truncate(24*time.Hour).Add(19*time.Hour+time.Duration(n%50)*time.Minute/2)
				t.CloseTime = t.OpenTime.Add(20 * time.Minute)
			}
		}
	}
	for _, tc := range []struct {
		say    string
		change func(w *world)
		want   []string
	}{
		{"I never hold overnight", nil, []string{"consistent"}},
		{"I never hold overnight", longer(20 * time.Hour), []string{"inconsistent"}},
		{"I hold overnight", longer(20 * time.Hour), []string{"consistent"}},
		{"I hold overnight", nil, []string{"unclear outside_window"}},
		{"I never hold overnight", func(w *world) { w.days = 3 }, []string{"not_checkable insufficient_trades"}},
		{"I'm flat before the weekend", nil, []string{"consistent"}},
		{"I'm flat before the weekend", longer(70 * time.Hour), []string{"inconsistent"}},
		{"I usually close everything before the weekend", longer(70 * time.Hour), []string{"partly"}},
		{"I don't scale in", nil, []string{"consistent"}},
		{"I don't scale in", longer(5 * time.Hour), []string{"inconsistent"}},
		{"I scale in", longer(5 * time.Hour), []string{"consistent"}},
		{"I trade gold from 7 pm to 8 pm utc", evenings, []string{"partly", "consistent"}},
		{"I trade gold from 9 am to 11 am utc", evenings, []string{"partly", "inconsistent"}},
	} {
		w := usual()
		if tc.change != nil {
			tc.change(&w)
		}
		var got []string
		for _, c := range w.check(tc.say) {
			got = append(got, strings.TrimSpace(string(c.Verdict)+" "+string(c.Reason)))
			if c.Verdict == check.Inconsistent && c.EvidenceTotal == 0 {
				t.Errorf("%s: no evidence", tc.say)
			}
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.say, diff)
		}
	}
}
