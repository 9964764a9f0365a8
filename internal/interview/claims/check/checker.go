package check

import (
	"fmt"
	"slices"
	"time"

	"github.com/assayhq/assay/internal/analysis/trades"
	"github.com/assayhq/assay/internal/interview/claims"
)

// checker compares claims with data. It computes what several claims need only
// once, because people repeat themselves and a trader may have a million trades.
type checker struct {
	data   Data
	claims []claims.Claim
	view   *trades.View

	outcomes map[string]outcome   // of equal claims
	paces    [][]float64          // decisions a day: of all accounts, then of each
	sizes    map[string]riskSizes // by unit and currency
	minutes  map[string][]uint16  // minute of the day of each decision, by zone
	named    map[string]bool      // symbol groups in any instrument that was named
	perKey   []int                // decisions by symbol group
	inHours  *int                 // decisions in any of the hours that were named
	outHours evidence             // decisions outside of all these hours
}

func newChecker(all []claims.Claim, d Data) *checker {
	k := &checker{data: d, claims: all, outcomes: map[string]outcome{}, sizes: map[string]riskSizes{}, minutes: map[string][]uint16{}}
	if d.Input != nil {
		k.view = trades.Prepare(d.Input)
	}
	return k
}

// judgeOnce judges a claim, or returns the outcome of an equal one.
func (k *checker) judgeOnce(c claims.Claim, confirmed bool) outcome {
	if c.Confidence != nil && *c.Confidence < leastConfidence && !confirmed {
		return unclearOutcome(LowASRConfidence, "The transcript is uncertain here, so this statement was not checked.")
	}
	if len(c.On) > 0 && !isCheckedAlone(c) && k.shareOf(c.On) < mostTrades {
		c.Modality = claims.Sometimes // it is stated about some of the trades
	}
	key := fmt.Sprintf("%q|%s|%s|%s|%g|%g|%t|%q|%t|%s|%s|%s|%t|%s", c.On, c.Topic, c.About, c.Op, c.Value, c.High, c.Bool, c.Set, c.Only, c.Zone, c.Unit, c.Currency, c.Approximate, c.Modality)
	o, ok := k.outcomes[key]
	if !ok {
		o = k.judgeClaim(c)
		k.outcomes[key] = o
	}
	o.evidence.shown = slices.Clone(o.evidence.shown)
	return o
}

// isCheckedAlone reports whether a claim about some instruments is compared with the
// trades in these alone.
func isCheckedAlone(c claims.Claim) bool {
	return c.Topic == claims.Hours || c.Topic == claims.HoldingTime && c.Op == claims.Is
}

// decisionsPerDay returns the number of decisions of each day, the fewest first:
// of all accounts together, then of each where there are several.
func (k *checker) decisionsPerDay() [][]float64 {
	if k.paces == nil {
		k.paces = append(k.paces, trades.DecisionsPerDay(k.view.Accounts...))
		for _, a := range k.view.Accounts {
			if len(k.view.Accounts) > 1 {
				k.paces = append(k.paces, trades.DecisionsPerDay(a))
			}
		}
	}
	return k.paces
}

// byKey counts the decisions of each symbol group.
func (k *checker) byKey() []int {
	if k.perKey == nil {
		k.perKey = make([]int, len(k.view.Symbols))
		for _, a := range k.view.Accounts {
			for i := range a.Clusters {
				k.perKey[a.Clusters[i].Key]++
			}
		}
	}
	return k.perKey
}

// mostTrades is the share of the decisions from which on a claim about some
// instruments is one about all.
const mostTrades = 0.8

// shareOf returns how much of the decisions is in the instruments of a set.
func (k *checker) shareOf(set []string) float64 {
	if k.view == nil || k.view.Decisions == 0 {
		return 0
	}
	n := 0
	for key, decisions := range k.byKey() {
		if named, _ := claims.CoversSymbol(set, k.view.Symbols[key]); named {
			n += decisions
		}
	}
	return float64(n) / float64(k.view.Decisions)
}

// minutesOfDay are the minutes of a day.
const minutesOfDay = 24 * 60

// minutesIn returns the minute of the day of each decision, in a zone.
func (k *checker) minutesIn(zone *time.Location) []uint16 {
	name := zone.String()
	if held, ok := k.minutes[name]; ok {
		return held
	}
	list := make([]uint16, 0, k.view.Decisions)
	for _, a := range k.view.Accounts {
		for i := range a.Clusters {
			at := time.UnixMicro(a.Clusters[i].Open).In(zone)
			list = append(list, uint16(60*at.Hour()+at.Minute()))
		}
	}
	k.minutes[name] = list
	return list
}
