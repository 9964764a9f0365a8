package analysis_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors/record"
)

// rounds are positions one after the other: each has a result, is held for ten
// minutes, and is followed after a gap that depends on it, in a size that does.
func rounds(n int, afterLoss, afterWin time.Duration, raised float64) []deal {
	var deals []deal
	at, lots := time.Duration(0), 1.0
	for i := range n {
		net, gap := 50.0, afterWin
		if i%2 == 0 {
			net, gap = -50, afterLoss
		}
		deals = append(deals, deal{at: at, hold: 10 * time.Minute, lots: lots, net: net, side: []record.Side{record.Buy, record.Sell}[i/2%2]})
		at += 10*time.Minute + gap + time.Duration(i)*time.Second
		if lots = 1; net < 0 {
			lots = raised
		}
	}
	return deals
}

func TestRevenge(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		deals []deal
		want  string
		rate  float64 // negative: has none
	}{
		{"quick and larger", rounds(80, 2*time.Minute, time.Hour, 1.5), "medium", 0.95},
		{"quick and as large as ever", rounds(80, 2*time.Minute, time.Hour, 1), "none", 0},
		{"larger and not quicker", rounds(80, 10*time.Minute, 5*time.Minute, 1.5), "none", 0.95},
		{"larger and hours later", rounds(80, time.Hour, 3*time.Hour, 1.5), "none", 0},
		{"beyond the largest gap", rounds(80, 5*time.Hour, 6*time.Hour, 1.5), "insufficient_data", -1},
		{"too few", rounds(29, 2*time.Minute, time.Hour, 1.5), "insufficient_data", -1},
		{"none", nil, "insufficient_data", -1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := analyse(c.deals...)
			if got := severity(t, a, "revenge"); got != c.want {
				t.Errorf("severity %s, want %s", got, c.want)
			}
			if m := a.Metrics["revenge_rate"]; c.rate < 0 && m.Value != nil {
				t.Errorf("rate %v, want none", *m.Value)
			} else if c.rate >= 0 && math.Abs(*m.Value-c.rate) > 0.06 {
				t.Errorf("rate %v, want about %v", *m.Value, c.rate)
			}
		})
	}
}

// TestRevengeCountsOccasions: a basket that closes at once is one loss, and what
// opens behind the first re-entry has no loss of its own.
func TestRevengeCountsOccasions(t *testing.T) {
	t.Parallel()
	var deals []deal
	for i := range 40 {
		at := time.Duration(i) * 3 * time.Hour
		net := float64(1 - 2*(i%2))
		// Two positions of which one wins a little; together the round's result.
		deals = append(deals,
			deal{at: at, hold: 30 * time.Minute, symbol: "EURUSD", lots: 1, net: 30 * net},
			deal{at: at + time.Minute, hold: 29 * time.Minute, symbol: "XAUUSD", lots: 1, net: -10 * net})
	}
	a := analyse(deals...)
	if n := a.Metrics["revenge_rate"].Params["losses"]; n != 19 && n != 20 {
		t.Errorf("%v losses, want one of each second round", n)
	}
	if got := value(t, a, "reentry_after_loss"); got != 150*60 {
		t.Errorf("re-entry after %v s, want %v", got, 150*60)
	}
	if got, want := detection(t, a, "revenge").Detail, "Of positions opened within 4 h of a close, those after a loss came 2.5 h later (median)"; !strings.HasPrefix(got, want) {
		t.Errorf("detail %q", got)
	}
}

// TestRevengeHasSourcesInOneAccount: a loss in one account and an opening in
// another have nothing to do with each other here.
func TestRevengeHasSourcesInOneAccount(t *testing.T) {
	t.Parallel()
	deals := rounds(80, 2*time.Minute, time.Hour, 1.5)
	for i := range deals {
		deals[i].account = i % 2
	}
	if got := severity(t, analyseOf(owner(2), deals...), "revenge"); got == "medium" {
		t.Error("openings in another account count as re-entries")
	}
}

// TestRevengeSample: the rate is one of losses, and so is its sample, although some losses
// were followed too late to compare their gaps.
func TestRevengeSample(t *testing.T) {
	t.Parallel()
	deals := rounds(80, 2*time.Minute, time.Hour, 1.5)
	for i := range deals {
		deals[i].at += time.Duration(i/5) * 24 * time.Hour // after each fifth a night
	}
	a := analyse(deals...)
	d, m := detection(t, a, "revenge"), a.Metrics["revenge_rate"]
	if d.Metric == nil || d.Metric.N != m.Params["losses"] || !strings.Contains(d.Detail, fmt.Sprintf("of %d losses", d.Metric.N)) {
		t.Errorf("%+v of %v losses: %s", d.Metric, m.Params["losses"], d.Detail)
	}
	if after := a.Metrics["reentry_after_loss"].N; after >= d.Metric.N {
		t.Errorf("%d re-entries after %d losses: the test tests nothing", after, d.Metric.N)
	}
}
