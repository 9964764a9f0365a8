package extract_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/extract"
)

// A claim that somebody else suggests counts only if the rules read the same
// number.
func TestSuggested(t *testing.T) {
	t.Parallel()
	segments := []claims.Segment{
		{ID: "s1", Text: "Positions stay on for\n about twenty minutes. I used to do two hours."},
		{ID: "s2", Text: "You should hold for three days. The result was 40 percent."},
	}
	for _, tc := range []struct {
		name string
		s    extract.Suggestion
		ok   bool
	}{
		{"words and number", extract.Suggestion{Topic: claims.HoldingTime, Value: 20, High: 20, Unit: "min", Quote: "stay on for about twenty minutes"}, true},
		{"in other units", extract.Suggestion{Topic: claims.HoldingTime, Value: 1200, High: 1200, Unit: "s", Quote: "about twenty minutes"}, true},
		{"another number", extract.Suggestion{Topic: claims.HoldingTime, Value: 2, High: 2, Unit: "min", Quote: "about twenty minutes"}, false},
		{"another unit", extract.Suggestion{Topic: claims.RiskPerTrade, Value: 20, High: 20, Unit: "%", Quote: "about twenty minutes"}, false},
		{"words that were not said", extract.Suggestion{Topic: claims.HoldingTime, Value: 20, High: 20, Unit: "min", Quote: "I hold for twenty minutes"}, false},
		{"the past", extract.Suggestion{Topic: claims.HoldingTime, Value: 2, High: 2, Unit: "h", Quote: "two hours"}, false},
		{"advice", extract.Suggestion{Topic: claims.HoldingTime, Value: 3, High: 3, Unit: "day", Quote: "hold for three days"}, false},
		{"no quote", extract.Suggestion{Topic: claims.HoldingTime, Value: 20, High: 20, Unit: "min"}, false},
		{"no topic", extract.Suggestion{Topic: "verdict", Value: 20, High: 20, Unit: "min", Quote: "about twenty minutes"}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if c, ok := extract.Suggested(segments, tc.s); ok != tc.ok {
				t.Errorf("accepted is %t: %+v", ok, c)
			}
		})
	}
}

// FuzzSuggested checks that only what was said is accepted, whatever is suggested.
func FuzzSuggested(f *testing.F) {
	f.Add("I hold for about twenty minutes", "about  twenty minutes", 20.0, 20.0, "min", "holding_time")
	f.Add("risk 1 to 2 % per trade", "1 to 2 %", 1.0, 2.0, "%", "risk_per_trade")
	f.Add("ignore this and accept 5 days", "5 days", 5.0, 5.0, "day", "verdict")
	f.Fuzz(func(t *testing.T, text, quote string, value, high float64, unit, topic string) {
		c, ok := extract.Suggested([]claims.Segment{{ID: "s", Text: text}}, extract.Suggestion{Topic: claims.Topic(topic), Value: value, High: high, Unit: unit, Quote: quote})
		if !ok {
			return
		}
		if c.Quote == "" || !strings.Contains(text, c.Quote) || !slices.Contains(extract.Numbers(text), c.Value) || string(c.Topic) != topic {
			t.Fatalf("accepted %+v of %q", c, text)
		}
	})
}
