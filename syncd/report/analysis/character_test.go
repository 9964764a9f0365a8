package analysis_test

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assayhq/assay/syncd/report/analysis"
	"github.com/assayhq/assay/syncd/report/analysis/tradertest"
)

// kindsOf returns the kinds of findings of medium severity or more; tested
// leaves those that rest on a p-value.
func kindsOf(a *analysis.Activity, tested bool) []string {
	var kinds []string
	for _, d := range a.Findings() {
		if d.Severity.Rank() >= analysis.Medium.Rank() && (!tested || d.Metric.PAdjusted != nil) {
			kinds = append(kinds, d.Kind)
		}
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// TestConfusion draws twenty traders of each character and counts which findings
// of medium or high severity they have.
func TestConfusion(t *testing.T) {
	t.Parallel()
	const each = 20
	counts := map[tradertest.Character]map[string]int{}
	kinds := map[string]bool{}
	for _, c := range tradertest.Characters() {
		counts[c] = map[string]int{}
		for seed := range uint64(each) {
			in := tradertest.New(c, tradertest.NewMarket(seed), 1000+seed)
			for _, kind := range kindsOf(analysis.Analyse(in), false) {
				counts[c][kind]++
				kinds[kind] = true
			}
		}
	}
	t.Log(confusion(counts, kinds, each))
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
// of medium or high severity that rests on a test.
func TestNullTraders(t *testing.T) {
	t.Parallel()
	const traders, markets = 2000, 8
	shared := make([]*tradertest.Market, markets)
	for i := range shared {
		shared[i] = tradertest.NewMarket(uint64(100 + i))
	}
	var wait sync.WaitGroup
	tested, described := make([][]string, traders), make([][]string, traders)
	const workers = 4
	for w := range workers {
		wait.Go(func() {
			for i := w; i < traders; i += workers {
				a := analysis.Analyse(tradertest.New(tradertest.RandomWalk, shared[i%markets], uint64(i)))
				tested[i], described[i] = kindsOf(a, true), kindsOf(a, false)
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
	t.Logf("%d of %d null traders carry a tested finding: %v; all findings: %v", carrying, traders, byTest, byEffect)
	if limit := traders * 6 / 100; carrying > limit {
		t.Errorf("%d of %d null traders carry a tested finding, want at most %d", carrying, traders, limit)
	}
}
