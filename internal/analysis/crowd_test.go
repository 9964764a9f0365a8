package analysis_test

import (
	"flag"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/assayhq/assay/internal/analysis"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/tradertest"
)

// fullCrowds asks for the tables at their full size, as docs/guides/activity.md
// shows them: go test -run 'TestHonestCrowds|TestPlantedInCrowds' -crowds -v
var fullCrowds = flag.Bool("crowds", false, "draw the crowds of the tables at full size")

// crowdSize is one row of the tables: organizations of so many traders with so many
// trades each, as many of them as make enough traders.
type crowdSize struct{ traders, trades, honest, planted int }

// crowdSizes are the rows, and how many traders of each are analysed.
func crowdSizes() (sizes []crowdSize) {
	for _, traders := range [...]int{20, 100, 1000} {
		for _, trades := range [...]int{50, 200, 1000} {
			s := crowdSize{traders, trades, 1000, 40}
			switch {
			case *fullCrowds:
			case traders*trades <= 5_000:
				s.honest, s.planted = 50, 10
			default:
				continue
			}
			sizes = append(sizes, s)
		}
	}
	return sizes
}

// crowd is one analysis: a trader of an organization, as a plant or as he is.
type crowdMember struct {
	crowd *tradertest.Crowd
	place int
	plant tradertest.Plant
}

func (m crowdMember) analyse() *result.Activity {
	if m.plant == "" {
		return analysis.Analyse(m.crowd.Trader(m.place))
	}
	return analysis.Analyse(m.crowd.Planted(m.plant, m.place))
}

// inCrowds analyses so many traders of organizations of a size, with all
// processors, and gives each to a function, one at a time.
func inCrowds(s crowdSize, n int, plant tradertest.Plant, seen func(a *result.Activity)) {
	var lock sync.Mutex
	var wait sync.WaitGroup
	work := make(chan crowdMember)
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for m := range work {
				a := m.analyse()
				lock.Lock()
				seen(a)
				lock.Unlock()
			}
		})
	}
	market := tradertest.NewMarket(uint64(s.traders + s.trades))
	var c *tradertest.Crowd
	for i := range n {
		if i%s.traders == 0 {
			c = tradertest.NewCrowd(market, uint64(1+i/s.traders+31*s.traders+s.trades), s.traders, s.trades)
		}
		work <- crowdMember{c, i % s.traders, plant}
	}
	close(work)
	wait.Wait()
}

// severeKinds returns the kinds of findings of medium or high severity. With the neutral
// ruleset, all of them rest on a test.
func severeKinds(a *result.Activity) map[string]result.Severity {
	kinds := map[string]result.Severity{}
	for _, d := range a.Findings() {
		if d.Severity.Rank() >= result.Medium.Rank() {
			kinds[d.Kind] = *d.Severity
		}
	}
	return kinds
}

// TestHonestCrowds holds what is said of honest traders: at most 2 % of them carry
// any finding of medium or high severity, at most 0.2 % a high one.
func TestHonestCrowds(t *testing.T) {
	if testing.Short() {
		t.Skip("analyses crowds of traders")
	}
	t.Parallel()
	begun := time.Now()
	var table strings.Builder
	fmt.Fprintf(&table, "\n%-9s %-7s %-9s %-16s %-7s %s", "traders", "trades", "analysed", "medium or high", "high", "kinds")
	for _, s := range crowdSizes() {
		accused, high, kinds := 0, 0, map[string]int{}
		inCrowds(s, s.honest, "", func(a *result.Activity) {
			found := severeKinds(a)
			if len(found) > 0 {
				accused++
			}
			worst := result.None
			for kind, severity := range found {
				kinds[kind]++
				if severity.Rank() > worst.Rank() {
					worst = severity
				}
			}
			if worst == result.High {
				high++
			}
		})
		share := func(n int) string { return fmt.Sprintf("%d (%.1f %%)", n, 100*float64(n)/float64(s.honest)) }
		fmt.Fprintf(&table, "\n%-9d %-7d %-9d %-16s %-7d %v", s.traders, s.trades, s.honest, share(accused), high, kinds)
		// Three standard errors more, so that a small sample does not decide.
		if limit := allowed(0.02, s.honest); accused > limit {
			t.Errorf("%d traders with %d trades: %d of %d honest ones carry a finding, want at most %d: %v", s.traders, s.trades, accused, s.honest, limit, kinds)
		}
		if limit := allowed(0.002, s.honest); high > limit {
			t.Errorf("%d traders with %d trades: %d of %d honest ones carry a high finding, want at most %d: %v", s.traders, s.trades, high, s.honest, limit, kinds)
		}
	}
	t.Log(table.String())
	t.Logf("in %s on %d processors", time.Since(begun).Round(time.Second), runtime.GOMAXPROCS(0))
}

// allowed is how many of n a share is; of fewer than the table's, one more.
func allowed(share float64, n int) int {
	limit := int(share * float64(n))
	if n < 1000 {
		limit++
	}
	return limit
}

// TestPlantedInCrowds checks the findings about dishonest traders: nine of ten must
// be of medium severity or above.
func TestPlantedInCrowds(t *testing.T) {
	if testing.Short() {
		t.Skip("analyses crowds of traders")
	}
	t.Parallel()
	begun := time.Now()
	var table strings.Builder
	fmt.Fprintf(&table, "\n%-9s %-7s", "traders", "trades")
	for _, p := range tradertest.Plants() {
		fmt.Fprintf(&table, " %-16s", p)
	}
	for _, s := range crowdSizes() {
		fmt.Fprintf(&table, "\n%-9d %-7d", s.traders, s.trades)
		for _, p := range tradertest.Plants() {
			found := 0
			inCrowds(s, s.planted, p, func(a *result.Activity) {
				if _, ok := severeKinds(a)[p.Kind()]; ok {
					found++
				}
			})
			fmt.Fprintf(&table, " %-16s", fmt.Sprintf("%d of %d", found, s.planted))
			if 10*found < 9*s.planted {
				t.Errorf("%d traders with %d trades: %d of %d found of %s", s.traders, s.trades, found, s.planted, p)
			}
		}
	}
	t.Log(table.String())
	t.Logf("in %s on %d processors", time.Since(begun).Round(time.Second), runtime.GOMAXPROCS(0))
}
