package check_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/interview/claims/check"
	"github.com/assayhq/assay/internal/interview/claims/claimstest"
)

// TestCheckedByTime holds what is said of nights, weekends, adding and the hours of
// one instrument against trades of which the answer is known.
func TestCheckedByTime(t *testing.T) {
	t.Parallel()
	longer := func(hold time.Duration) func(w *claimstest.World) { return func(w *claimstest.World) { w.Hold = hold } }
	evenings := func(w *claimstest.World) { // gold is traded in the evening alone
		w.Days = 40
		w.Each = func(n int, t *record.Trade) {
			if n%2 == 0 {
				t.Symbol, t.OpenTime = "XAUUSD", t.OpenTime.Truncate(24*time.Hour).Add(19*time.Hour+time.Duration(n%50)*time.Minute/2)
				t.CloseTime = t.OpenTime.Add(20 * time.Minute)
			}
		}
	}
	for _, tc := range []struct {
		say    string
		change func(w *claimstest.World)
		want   []string
	}{
		{"I never hold overnight", nil, []string{"consistent"}},
		{"I never hold overnight", longer(20 * time.Hour), []string{"inconsistent"}},
		{"I hold overnight", longer(20 * time.Hour), []string{"consistent"}},
		{"I hold overnight", nil, []string{"unclear outside_window"}},
		{"I never hold overnight", func(w *claimstest.World) { w.Days = 3 }, []string{"not_checkable insufficient_trades"}},
		{"I'm flat before the weekend", nil, []string{"consistent"}},
		{"I'm flat before the weekend", longer(70 * time.Hour), []string{"inconsistent"}},
		{"I usually close everything before the weekend", longer(70 * time.Hour), []string{"partly"}},
		{"I don't scale in", nil, []string{"consistent"}},
		{"I don't scale in", longer(5 * time.Hour), []string{"inconsistent"}},
		{"I scale in", longer(5 * time.Hour), []string{"consistent"}},
		{"I trade gold from 7 pm to 8 pm utc", evenings, []string{"partly", "consistent"}},
		{"I trade gold from 9 am to 11 am utc", evenings, []string{"partly", "inconsistent"}},
	} {
		w := claimstest.NewWorld()
		if tc.change != nil {
			tc.change(&w)
		}
		var got []string
		for _, c := range w.Check(tc.say) {
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
