package extract_test

import (
	"math"
	"strings"
	"testing"

	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/check"
	"github.com/assayhq/assay/internal/interview/claims/claimstest"
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
	d := claimstest.NewWorld().Data()
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
