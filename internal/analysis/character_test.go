package analysis_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assayhq/assay/internal/analysis"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/ruleset"
	"github.com/assayhq/assay/internal/analysis/tradertest"
)

// kindsOf returns the kinds of findings of medium severity or more; tested
// leaves those that rest on a p-value.
func kindsOf(a *result.Activity, tested bool) []string {
	var kinds []string
	for _, d := range a.Findings() {
		if d.Severity.Rank() >= result.Medium.Rank() && (!tested || d.Metric.PAdjusted != nil) {
			kinds = append(kinds, d.Kind)
		}
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// expectation is what the analysis has to say of a character: findings that
// nearly all of them must have, and those that may come with them. All others
// are mistakes.
type expectation struct{ must, may []string }

func expectations() map[tradertest.Character]expectation {
	return map[tradertest.Character]expectation{
		tradertest.HonestScalper: {},
		tradertest.SwingTrader:   {},
		// What is described without a test of chance comes and goes with the draw.
		tradertest.RandomWalk:   {may: []string{"averaging_down", "day_concentration", "short_holding"}},
		tradertest.Streaky:      {may: []string{"averaging_down", "day_concentration", "short_holding"}},
		tradertest.Martingale:   {must: []string{"loss_chasing"}, may: []string{"lot_size"}},
		tradertest.Grid:         {must: []string{"averaging_down"}},
		tradertest.CopierPair:   {must: []string{"copied_trades"}},
		tradertest.HedgingPair:  {must: []string{"opposite_positions"}},
		tradertest.NewsTrader:   {must: []string{"news"}},
		tradertest.Bot:          {must: []string{"automation"}},
		tradertest.Revenger:     {must: []string{"revenge"}},
		tradertest.Burster:      {must: []string{"bursts"}, may: []string{"averaging_down"}},
		tradertest.OneWay:       {must: []string{"one_sided_direction"}},
		tradertest.LotJumper:    {must: []string{"lot_size"}},
		tradertest.StyleChanger: {must: []string{"style_break"}, may: []string{"day_concentration"}},
		tradertest.Strangers:    {},
	}
}

// TestConfusion draws twenty traders of each character and counts which findings
// of medium or high severity they have. Of what they must have, one in twenty
// may be missed; of what they must not have, one in twenty may be there.
func TestConfusion(t *testing.T) {
	if testing.Short() {
		t.Skip("analyses crowds of traders")
	}
	t.Parallel()
	const each, mistakes = 20, 1
	markets := make([]*tradertest.Market, each)
	for seed := range markets {
		markets[seed] = tradertest.NewMarket(uint64(seed))
	}
	counts := map[tradertest.Character]map[string]int{}
	kinds := map[string]bool{}
	for _, c := range tradertest.Characters() {
		counts[c] = map[string]int{}
		for seed, m := range markets {
			in := tradertest.New(c, m, uint64(1000+seed))
			if c == tradertest.LotJumper { // sizes are judged against a limit of the firm alone
				in.Ruleset = ruleset.Neutral()
				in.Ruleset.LotSize.BandHigh = new(3.0)
			}
			for _, kind := range kindsOf(analysis.Analyse(in), false) {
				counts[c][kind]++
				kinds[kind] = true
			}
		}
	}
	t.Log(confusion(counts, kinds, each))
	for c, want := range expectations() {
		for _, kind := range want.must {
			if n := counts[c][kind]; n < each-mistakes {
				t.Errorf("%s: %d of %d have %s", c, n, each, kind)
			}
		}
		for kind, n := range counts[c] {
			if n > mistakes && !slices.Contains(want.must, kind) && !slices.Contains(want.may, kind) {
				t.Errorf("%s: %d of %d have %s, which they did nothing for", c, n, each, kind)
			}
		}
	}
}

func confusion(counts map[tradertest.Character]map[string]int, kinds map[string]bool, each int) string {
	var columns []string
	for kind := range kinds {
		columns = append(columns, kind)
	}
	slices.Sort(columns)
	var b strings.Builder
	fmt.Fprintf(&b, "\nof %d traders each, with a finding of medium or high severity:\n%-16s", each, "")
	for _, kind := range columns {
		fmt.Fprintf(&b, " %*s", max(len(kind), 4), kind)
	}
	for _, c := range tradertest.Characters() {
		fmt.Fprintf(&b, "\n%-16s", c)
		for _, kind := range columns {
			text := "."
			if n := counts[c][kind]; n > 0 {
				text = fmt.Sprint(n)
			}
			fmt.Fprintf(&b, " %*s", max(len(kind), 4), text)
		}
	}
	return b.String()
}

// TestNullTraders: of 2,000 traders without habits at most 6 % carry a finding
// of medium or high severity that rests on a test, and of as honest ones whose
// decisions hang together.
func TestNullTraders(t *testing.T) {
	if testing.Short() {
		t.Skip("analyses thousands of traders")
	}
	t.Parallel()
	const markets = 8
	shared := make([]*tradertest.Market, markets)
	for i := range shared {
		shared[i] = tradertest.NewMarket(uint64(100 + i))
	}
	t.Run("independent", func(t *testing.T) {
		t.Parallel()
		calibrated(t, nullTraders(t, tradertest.RandomWalk, 2000, shared))
	})
	t.Run("streaky", func(t *testing.T) {
		t.Parallel()
		nullTraders(t, tradertest.Streaky, 500, shared)
	})
}

// nullTraders analyses a number of traders, fails when too many carry findings,
// and returns what was said of each.
func nullTraders(t *testing.T, c tradertest.Character, traders int, markets []*tradertest.Market) [][]result.Detection {
	t.Helper()
	var wait sync.WaitGroup
	tested, described, said := make([][]string, traders), make([][]string, traders), make([][]result.Detection, traders)
	const workers = 4
	for w := range workers {
		wait.Go(func() {
			for i := w; i < traders; i += workers {
				a := analysis.Analyse(tradertest.New(c, markets[i%len(markets)], uint64(i)))
				tested[i], described[i], said[i] = kindsOf(a, true), kindsOf(a, false), a.Detectors
			}
		})
	}
	wait.Wait()
	carrying := 0
	byTest, byEffect := map[string]int{}, map[string]int{}
	for i := range traders {
		if len(tested[i]) > 0 {
			carrying++
		}
		for _, kind := range tested[i] {
			byTest[kind]++
		}
		for _, kind := range described[i] {
			byEffect[kind]++
		}
	}
	t.Logf("%d of %d null traders carry a tested finding: %v; with what is described only: %v", carrying, traders, byTest, byEffect)
	if limit := traders * 6 / 100; carrying > limit {
		t.Errorf("%d of %d null traders carry a tested finding, want at most %d", carrying, traders, limit)
	}
	for _, kind := range []string{"copied_trades", "opposite_positions", "lot_size"} {
		if n := byEffect[kind]; n > traders/100 {
			t.Errorf("%d of %d null traders have %s", n, traders, kind)
		}
	}
	return said
}

// calibrated fails when a test calls more null traders unlikely than its p says.
func calibrated(t *testing.T, said [][]result.Detection) {
	t.Helper()
	type tally struct{ n, low int }
	tallies := map[string]*tally{}
	for _, detections := range said {
		for _, d := range detections {
			if d.Metric == nil || d.Metric.PAdjusted == nil {
				continue
			}
			if tallies[d.Kind] == nil {
				tallies[d.Kind] = &tally{}
			}
			tallies[d.Kind].n++
			if *d.Metric.P*float64(d.Metric.Comparisons) < 0.01 {
				tallies[d.Kind].low++
			}
		}
	}
	for kind, c := range tallies {
		t.Logf("%s: p below 0.01 for %d of %d null traders that could be tested", kind, c.low, c.n)
		// One in a hundred, and three standard errors.
		if most := 0.01*float64(c.n) + 3*math.Sqrt(0.01*float64(c.n)); float64(c.low) > most {
			t.Errorf("%s: p below 0.01 for %d of %d null traders, want at most %.0f", kind, c.low, c.n, most)
		}
	}
}
