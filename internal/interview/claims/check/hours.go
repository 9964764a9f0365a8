package check

import (
	"slices"
	"time"

	"github.com/assayhq/assay/internal/analysis/wording"
	"github.com/assayhq/assay/internal/interview/claims"
)

// hoursIn compares hours that are stated about some instruments with the decisions
// in these alone. A trader who names several stretches for the same instruments
// means all of them.
func (k *checker) hoursIn(c claims.Claim, own dayWindow) outcome {
	type zoned struct {
		zone *time.Location
		in   [minutesOfDay]bool
	}
	var windows []zoned
	for _, other := range k.claims {
		if w, ok := k.claimedWindow(other); ok && other.Topic == claims.Hours && slices.Equal(other.On, c.On) {
			windows = append(windows, zoned{w.zone, w.minutesInside()})
		}
	}
	n, inside := 0, 0
	var outside evidence
	for _, a := range k.view.Accounts {
		for i := range a.Clusters {
			if named, _ := claims.CoversSymbol(c.On, k.view.Symbols[a.Clusters[i].Key]); !named {
				continue
			}
			n++
			at := time.UnixMicro(a.Clusters[i].Open)
			if slices.ContainsFunc(windows, func(w zoned) bool { local := at.In(w.zone); return w.in[60*local.Hour()+local.Minute()] }) {
				inside++
			} else {
				outside.addDecision(a, uint32(i))
			}
		}
	}
	if n < minHourDecisions {
		return notCheckable(InsufficientTrades, wording.FormatText("Only %d of the required %d decisions in these instruments are available.", n, minHourDecisions))
	}
	share := float64(inside) / float64(n)
	o := outcome{verdict: Partly, observed: ownMetric("inside_claimed_hours", "share", share, n), detail: wording.FormatText(
		"%s of %d decisions in these instruments began within an hour of these hours in %s.", formatPercent(share), n, own.zone)}
	switch {
	case share >= 0.8, c.Modality == claims.Sometimes && inside > 0:
		o.verdict = Consistent
	case share < 0.5 && c.Modality != claims.Sometimes:
		o.verdict, o.evidence = Inconsistent, outside
	}
	return o
}
