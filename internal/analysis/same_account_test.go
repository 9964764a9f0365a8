package analysis_test

import (
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/internal/analysis/result"
)

// TestSameAccountTwice: an account that two sources report under one login, with
// equal tickets and no lag, is a gap in the data and no copying.
func TestSameAccountTwice(t *testing.T) {
	t.Parallel()
	again := func(lag time.Duration, login string, peer bool) *result.Activity {
		accounts := owner(2)
		accounts[1].Peer, accounts[1].Login = peer, login
		deals := leader(80)
		for i := range deals {
			deals[i].id = "t" + string(rune('a'+i%26)) + string(rune('a'+i/26))
		}
		return analyseOf(accounts, follow2(deals, lag)...)
	}
	for _, c := range []struct {
		name  string
		a     *result.Activity
		gap   result.GapKind
		found string
	}{
		{"under another trader", again(0, "900", true), result.GapSameAccount, "insufficient_data"},
		{"of one person", again(0, "900", false), result.GapAccountTwice, "insufficient_data"},
		{"another login", again(0, "901", true), "", "high"},
		{"a second later", again(time.Second, "900", true), "", "high"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := severity(t, c.a, "copied_trades"); got != c.found {
				t.Errorf("copied trades: %s, want %s", got, c.found)
			}
			if c.gap == "" {
				if len(c.a.DataGaps) > 0 {
					t.Errorf("gaps %+v", c.a.DataGaps)
				}
				return
			}
			if len(c.a.DataGaps) != 1 || c.a.DataGaps[0].Kind != c.gap || c.a.DataGaps[0].AccountIDs[0] != accountID(0) ||
				!strings.Contains(c.a.DataGaps[0].Detail, `Account "900"`) {
				t.Errorf("gaps %+v, want %s", c.a.DataGaps, c.gap)
			}
		})
	}
}

// follow2 repeats deals in the second account, with the tickets of the first.
func follow2(deals []deal, lag time.Duration) []deal {
	all := deals
	for _, d := range deals {
		d.account = 1
		d.at += lag
		all = append(all, d)
	}
	return all
}
