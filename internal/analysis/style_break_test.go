package analysis_test

import (
	"testing"
	"time"

	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/trades"
)

// styled are n positions of a style, from a day on, in an account.
func styled(account, n, fromDay int, symbol string, hold time.Duration, lots float64) []deal {
	r := random(uint64(fromDay))
	var deals []deal
	for i := range n {
		deals = append(deals, deal{
			account: account, symbol: symbol, at: time.Duration(fromDay)*24*time.Hour + time.Duration(i)*18*time.Hour,
			hold: time.Duration(float64(hold) * (0.5 + r.Float64())), lots: lots * (0.8 + 0.4*r.Float64()), net: 1,
		})
	}
	return deals
}

// phases are an account in evaluation and a funded one.
func phases(evaluation, funded string) []trades.Account {
	accounts := owner(2)
	accounts[0].Phase, accounts[1].Phase = evaluation, funded
	return accounts
}

func TestStyleBreak(t *testing.T) {
	t.Parallel()
	tenfold, unknown := phases("evaluation", "funded"), phases("evaluation", "funded")
	million := 1_000_000.0
	tenfold[1].InitialBalance, unknown[1].InitialBalance = &million, nil
	for _, c := range []struct {
		name     string
		accounts []trades.Account
		deals    []deal
		want     string
		split    string
	}{
		{"the same", owner(1), append(styled(0, 40, 0, "EURUSD", time.Hour, 1), styled(0, 40, 30, "EURUSD", time.Hour, 1)...), "none", ""},
		{"held much longer", owner(1), append(styled(0, 40, 0, "EURUSD", 5*time.Minute, 1), styled(0, 40, 30, "EURUSD", time.Hour, 1)...), "medium", "searched"},
		{"much larger", owner(1), append(styled(0, 40, 0, "EURUSD", time.Hour, 1), styled(0, 40, 30, "EURUSD", time.Hour, 3)...), "medium", "searched"},
		{"another symbol", owner(1), append(styled(0, 40, 0, "EURUSD", time.Hour, 1), styled(0, 40, 30, "XAUUSD", time.Hour, 1)...), "medium", "searched"},
		{"longer on nine of ten days", owner(1), append(styled(0, 24, 0, "EURUSD", 5*time.Minute, 1), styled(0, 200, 18, "EURUSD", time.Hour, 1)...), "medium", "searched"},
		{"the next month of a future", owner(1), append(styled(0, 40, 0, "MESH6", time.Hour, 1), styled(0, 40, 30, "MESM6", time.Hour, 1)...), "none", ""},
		{"too few", owner(1), append(styled(0, 19, 0, "EURUSD", 5*time.Minute, 1), styled(0, 19, 30, "EURUSD", time.Hour, 1)...), "insufficient_data", ""},
		{"nothing", owner(1), nil, "insufficient_data", ""},
		// Both accounts at once: halves would be equal.
		{"funded is another", phases("Evaluation 1", "Funded"), append(styled(0, 40, 0, "EURUSD", 5*time.Minute, 1), styled(1, 40, 0, "EURUSD", time.Hour, 1)...), "medium", "evaluation_funded"},
		{"the phase's words are unknown", phases("alpha", "beta"), append(styled(0, 40, 0, "EURUSD", 5*time.Minute, 1), styled(1, 40, 0, "EURUSD", time.Hour, 1)...), "none", ""},
		{"funded has ten times the balance", tenfold, append(styled(0, 40, 0, "EURUSD", time.Hour, 1), styled(1, 40, 30, "EURUSD", time.Hour, 10)...), "none", ""},
		{"a balance is not known", unknown, append(styled(0, 40, 0, "EURUSD", time.Hour, 1), styled(1, 40, 30, "EURUSD", time.Hour, 10)...), "none", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := analyseOf(c.accounts, c.deals...)
			if got := severity(t, a, "style_break"); got != c.want {
				t.Errorf("severity %s, want %s: %s", got, c.want, detection(t, a, "style_break").Detail)
			}
			if got := a.Metrics["style_distance"].Params["split"]; c.split != "" && got != c.split {
				t.Errorf("split by %v, want %s", got, c.split)
			}
		})
	}
}

func TestStyleBreakWithoutABalance(t *testing.T) {
	t.Parallel()
	accounts := phases("evaluation", "funded")
	accounts[0].InitialBalance = nil
	a := analyseOf(accounts, append(styled(0, 40, 0, "EURUSD", time.Minute, 1), styled(1, 40, 30, "EURUSD", time.Hour, 1)...)...)
	m := a.Metrics["style_lots_distance"]
	if m.Status != result.NotCheckable || m.Reason == nil || *m.Reason != result.ReasonNoBalance {
		t.Errorf("sizes of accounts with unknown balances: %+v", m)
	}
	// One account alone is compared with itself.
	alone := owner(1)
	alone[0].InitialBalance = nil
	if m := analyseOf(alone, styled(0, 80, 0, "EURUSD", time.Hour, 1)...).Metrics["style_lots_distance"]; m.Status != result.OK {
		t.Errorf("sizes of one account: %+v", m)
	}
}
