package check

import (
	"fmt"
	"time"

	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/stat"
	"github.com/assayhq/assay/internal/analysis/wording"
	"github.com/assayhq/assay/internal/interview/claims"
)

// farOff is the factor from which on a holding time has nothing to do with what was
// said.
const farOff = 3

// typicalHold is the factor by which a holding time that is stated as the usual one
// may differ from the median and still be the same: "about five hours" is not 9.7.
const typicalHold = claims.SameSize

// holdingTime: consistent within a factor of one and a half of the median; inconsistent outside of nine tenths of them and three times
// off the median. A bound that is said to hold for each trade is consistent if no more trades
// break it than may by mistake.
func (k *checker) holdingTime(c claims.Claim) outcome {
	q := map[string]float64{}
	for _, name := range []string{"hold_p5", "hold_p25", "hold_p50", "hold_p75", "hold_p95"} {
		m, why, ok := k.findMetric(name)
		if !ok {
			return why
		}
		q[name] = *m.Value
	}
	middle := k.data.Activity.Metrics["hold_p50"]
	o := outcome{verdict: Partly, observed: activityMetric("hold_p50", middle), detail: describeHolding(middle.N, q["hold_p25"], q["hold_p50"], q["hold_p75"])}
	low, high := c.StatedInterval()
	median := q["hold_p50"]
	var overlaps bool
	switch c.Op {
	case claims.AtMost:
		overlaps = median <= high
	case claims.AtLeast:
		overlaps = median >= low
	case claims.Range, claims.Equal, claims.Is, claims.OneOf:
		overlaps = low <= typicalHold*median && high >= median/typicalHold
	}
	if bounded := c.Op == claims.AtMost || c.Op == claims.AtLeast; bounded && (c.Modality == claims.Always || c.Modality == claims.Never) {
		broken := k.heldBeyond(c, low, high)
		share := float64(broken.total) / float64(middle.N)
		if overlaps = share < leastHeldOver; !overlaps {
			o.evidence = broken
			o.detail += wording.FormatText(" %d of them (%s) were not held as stated.", broken.total, formatPercent(share))
		}
	}
	switch {
	case overlaps, c.Modality == claims.Sometimes && low <= q["hold_p95"] && high >= q["hold_p5"]:
		o.verdict = Consistent
	case c.Modality != claims.Sometimes && (high < q["hold_p5"] && median >= farOff*high || low > q["hold_p95"] && low >= farOff*median):
		o.verdict = Inconsistent
		o.evidence = k.heldOff(low, high)
	case c.Op == claims.AtMost && c.Modality != claims.Sometimes && q["hold_p25"] > high && median >= farOff*high:
		o.verdict = Inconsistent
		o.evidence = k.heldOff(low, high)
	}
	return o
}

// describeHolding describes the quartiles of the holding times of n trades, in seconds.
func describeHolding(n int, low, median, high float64) string {
	from, to := formatSeconds(low), formatSeconds(high)
	if from == to {
		return wording.FormatText("At least half of %d closed trades were held for about %s.", n, from)
	}
	return wording.FormatText("Half of %d closed trades were held for %s or less, and the middle half for %s to %s.", n, formatSeconds(median), from, to)
}

// heldBeyond returns trades that were held for longer, or less, than a bound and its
// tolerance allow.
func (k *checker) heldBeyond(c claims.Claim, low, high float64) (e evidence) {
	slack := 1 + tolerance
	if c.Approximate {
		slack = typicalHold
	}
	for _, a := range k.view.Accounts {
		for i := range a.Trades {
			if t := &a.Trades[i]; t.Closed() && (t.Hold() > high*slack || t.Hold() < low/slack) {
				e.addTrade(a, t)
			}
		}
	}
	return e
}

// heldOff returns trades that were held for a much shorter or longer time.
func (k *checker) heldOff(low, high float64) (e evidence) {
	for _, a := range k.view.Accounts {
		for i := range a.Trades {
			if t := &a.Trades[i]; t.Closed() && (t.Hold() >= farOff*high || t.Hold() <= low/farOff) {
				e.addTrade(a, t)
			}
		}
	}
	return e
}

// tradesPerDay: consistent from the first quartile to the ninetieth percentile;
// inconsistent more than twice off the median. People may mean one of their
// accounts or all of them, so the reading that is best for the trader counts.
func (k *checker) tradesPerDay(c claims.Claim) outcome {
	m, why, ok := k.findMetric("decisions_per_day_p50")
	if !ok {
		return why
	}
	o := onDays(c, k.decisionsPerDay()[0])
	for _, counts := range k.decisionsPerDay()[1:] {
		if one := onDays(c, counts); len(counts) >= m.MinN && rankVerdict(one.verdict) < rankVerdict(o.verdict) {
			o = one
		}
	}
	return o
}

// rankVerdict orders verdicts, the best for the trader first.
func rankVerdict(v Verdict) int {
	switch v {
	case Consistent:
		return 0
	case Partly:
		return 1
	case Inconsistent, Unclear, NotCheckable:
	}
	return 2
}

func onDays(c claims.Claim, counts []float64) outcome {
	p25, _ := stat.Quantile(counts, 0.25)
	p50, _ := stat.Quantile(counts, 0.5)
	p90, _ := stat.Quantile(counts, 0.9)
	o := outcome{verdict: Partly, observed: ownMetric("decisions_per_day_p50", "count", p50, len(counts)), detail: wording.FormatText(
		"On half of %d days with trades, there were %s or fewer decisions, and on nine in ten, %s or fewer. Orders within seconds of each other count once.", len(counts), claims.FormatNumber(p50), claims.FormatNumber(p90))}
	low, high := c.StatedInterval()
	switch c.Op {
	case claims.AtMost:
		switch {
		case p90 <= high, p50 <= high && c.Modality != claims.Never && c.Modality != claims.Always:
			o.verdict = Consistent
		case p50 > 2*high && c.Modality != claims.Sometimes:
			o.verdict = Inconsistent
		}
	case claims.AtLeast:
		switch {
		case p50 >= low:
			o.verdict = Consistent
		case 2*p90 < low && c.Modality != claims.Sometimes:
			o.verdict = Inconsistent
		}
	case claims.Equal, claims.Range, claims.Is, claims.OneOf:
		switch {
		case low <= p90 && high >= p25:
			o.verdict = Consistent
		case c.Modality != claims.Sometimes && (p50 > 2*high || 2*p50 < low && 2*p90 < low):
			o.verdict = Inconsistent
		}
	}
	return o
}

// clockSlack is how far from claimed hours an open may be, in hours.
const clockSlack = 1

// minHourDecisions is how many decisions are needed to see when a trader trades.
const minHourDecisions = 20

// checkHours checks trading hours: they are consistent if four fifths of the
// opens are within an hour of the claimed ones, and inconsistent if less than half
// are. A trader who names several sessions means all of them.
func (k *checker) checkHours(c claims.Claim) outcome {
	if k.view.Basis == result.AssumedUTC {
		return notCheckable(TimezoneUnknown, "The timezone of the trades' times is not known.")
	}
	own, ok := k.claimedWindow(c)
	if !ok {
		return notCheckable(TimezoneUnknown, "The timezone that these hours are meant in is not known.")
	}
	if len(c.On) > 0 {
		return k.hoursIn(c, own)
	}
	if k.view.Decisions < minHourDecisions {
		return notCheckable(InsufficientTrades, wording.FormatText("Only %d of the required %d decisions are available.", k.view.Decisions, minHourDecisions))
	}
	inside := k.countInside(own)
	inAny, outside := k.hoursTogether()
	n := k.view.Decisions
	share, together := float64(inside)/float64(n), float64(inAny)/float64(n)
	o := outcome{verdict: Partly, observed: ownMetric("inside_claimed_hours", "share", share, n), detail: wording.FormatText(
		"%s of %d decisions began within an hour of these hours in %s.", formatPercent(share), n, own.zone)}
	if own.from != c.Value {
		o.detail += " They are read as hours after noon, because nothing was said of the half of the day."
	}
	if together > share {
		o.detail += fmt.Sprintf(" Including the other named hours, it is %s.", formatPercent(together))
	}
	switch {
	case together >= 0.8 && inside > 0, c.Modality == claims.Sometimes && inside > 0:
		o.verdict = Consistent
	case together < 0.5 && c.Modality != claims.Sometimes:
		o.verdict, o.evidence = Inconsistent, outside
	}
	return o
}

// hoursTogether counts the decisions in any of the named hours, and returns those
// outside of all.
func (k *checker) hoursTogether() (inside int, outside evidence) {
	if k.inHours != nil {
		return *k.inHours, k.outHours
	}
	type zoned struct {
		minutes []uint16
		windows *[minutesOfDay]bool
	}
	byZone := map[string]zoned{}
	for _, c := range k.claims {
		w, ok := k.claimedWindow(c)
		if c.Topic != claims.Hours || !ok {
			continue
		}
		z, held := byZone[w.zone.String()]
		if !held {
			z = zoned{k.minutesIn(w.zone), new([minutesOfDay]bool)}
			byZone[w.zone.String()] = z
		}
		for m, holds := range w.minutesInside() {
			z.windows[m] = z.windows[m] || holds
		}
	}
	n := 0
	for _, a := range k.view.Accounts {
		for i := range a.Clusters {
			in := false
			for _, z := range byZone {
				in = in || z.windows[z.minutes[n]]
			}
			if n++; in {
				inside++
			} else {
				outside.addDecision(a, uint32(i))
			}
		}
	}
	k.inHours, k.outHours = &inside, outside
	return inside, outside
}

// dayWindow is a stretch of the day in a zone.
type dayWindow struct {
	zone     *time.Location
	from, to float64
}

// claimedWindow returns the part of the day that a claim means. ok is false if its
// zone is not known. UTC is assumed if nobody has named a zone, and a file's zone is its
// platform's, so neither is the trader's own zone. Hours that may be those of either
// half of the day are those in which more decisions began.
func (k *checker) claimedWindow(c claims.Claim) (w dayWindow, ok bool) {
	w = dayWindow{from: c.Value, to: c.High}
	switch c.Zone {
	case "", claims.OwnZone:
		if w.zone = k.view.Location; w.zone.String() == time.UTC.String() || k.view.Basis == result.FromFile {
			return w, false
		}
	case claims.ServerZone, claims.UnknownZone:
		return w, false
	default:
		zone, err := claims.LoadZone(c.Zone)
		if err != nil {
			return w, false
		}
		w.zone = zone
	}
	if evening := (dayWindow{w.zone, w.from + 12, w.to + 12}); c.EitherHalf && k.countInside(evening) > k.countInside(w) {
		return evening, true
	}
	return w, true
}

// countInside counts the decisions that began in a part of the day.
func (k *checker) countInside(w dayWindow) (n int) {
	in := w.minutesInside()
	for _, m := range k.minutesIn(w.zone) {
		if in[m] {
			n++
		}
	}
	return n
}

// minutesInside reports which minutes of a day are inside, or within the slack.
func (w dayWindow) minutesInside() (in [minutesOfDay]bool) {
	length := w.to - w.from
	if length < 0 {
		length += 24
	}
	last := min(int(60*(length+2*clockSlack)), minutesOfDay-1)
	for m := range last + 1 {
		in[((int(60*(w.from-clockSlack))+m)%minutesOfDay+minutesOfDay)%minutesOfDay] = true
	}
	return in
}
