package check

import (
	"time"

	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/trades"
	"github.com/assayhq/assay/internal/analysis/wording"
	"github.com/assayhq/assay/internal/interview/claims"
)

// rolloverHour is when a trading day ends, in New York: positions that are open
// then are held overnight.
const rolloverHour = 17

// minHolds is how many closed trades are needed to see how a trader holds
// positions.
const minHolds = 20

// A trader who says "never" must be wrong this often before the trades contradict
// it, because one position may be left open by mistake.
const (
	minHeldOver   = 3
	leastHeldOver = 0.05 // share of the closed trades
)

// A trading day ends in the middle of the day of people in Asia and Australia. A
// position that is open then, but neither at night where the trader is nor for this
// long, does not contradict "never overnight".
const (
	leastNight = 4 * time.Hour
	nightHour  = 3 // in the trader's zone
)

// leastScaled is the share of decisions during an open position from which on
// trades contradict that nothing is added, because two setups may overlap by
// chance.
const leastScaled = 0.2

// heldOver compares statements about nights and weekends with the trades that were
// open then.
func (k *checker) heldOver(c claims.Claim) outcome {
	if c.About == "overnight" && k.view.Basis == result.AssumedUTC {
		return notCheckable(TimezoneUnknown, "The timezone of the trades' times is not known.")
	}
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		return notCheckable(NoDataSource, "Time zone data is not available.")
	}
	when, over := "overnight", overNight
	if c.About == "weekend" {
		when, over = "over a weekend", overWeekend
	}
	local, known := k.claimedWindow(claims.Claim{Zone: claims.OwnZone})
	closed := 0
	var held, night evidence
	for _, a := range k.view.Accounts {
		for i := range a.Trades {
			t := &a.Trades[i]
			named, _ := claims.CoversSymbol(c.On, k.view.Symbols[k.view.Key(t)])
			if !t.Closed() || len(c.On) > 0 && !named {
				continue
			}
			if closed++; !over(t, newYork) {
				continue
			}
			held.addTrade(a, t)
			if c.About == "weekend" || t.Hold() >= leastNight.Seconds() || known && heldAt(t, nightHour, local.zone) {
				night.addTrade(a, t)
			}
		}
	}
	if closed < minHolds {
		return notCheckable(InsufficientTrades, wording.FormatText("Only %d of the required %d closed trades are available.", closed, minHolds))
	}
	share := float64(held.total) / float64(closed)
	o := outcome{verdict: Partly, evidence: held, observed: ownMetric("held_"+c.About, "share", share, closed), detail: wording.FormatText(
		"%d of %d closed trades (%s) were held %s. A trading day ends at 17:00 in New York.", held.total, closed, formatPercent(share), when)}
	switch {
	case c.Bool && held.total == 0:
		o.verdict, o.reason = Unclear, OutsideWindow
	case c.Bool && (c.Modality == claims.Always || c.Modality == claims.Usually) && share < 0.5: // it is so, but not as often
	case c.Bool, held.total == 0:
		o.verdict = Consistent
	case night.total >= minHeldOver && float64(night.total) >= leastHeldOver*float64(closed) && c.Modality != claims.Sometimes && c.Modality != claims.Usually:
		o.verdict, o.evidence = Inconsistent, night
	case night.total == 0:
		o.detail += " None of them was held for four hours or more."
	}
	return o
}

// overNight reports whether a trade was open when a trading day ended.
func overNight(t *trades.Trade, zone *time.Location) bool { return heldAt(t, rolloverHour, zone) }

// heldAt reports whether a trade was open at an hour of the day.
func heldAt(t *trades.Trade, hour int, zone *time.Location) bool {
	open := time.UnixMicro(t.Open).In(zone)
	end := time.Date(open.Year(), open.Month(), open.Day(), hour, 0, 0, 0, zone)
	if !open.Before(end) {
		end = end.AddDate(0, 0, 1)
	}
	return time.UnixMicro(t.Close).After(end)
}

// overWeekend reports whether a trade was open at noon of a Saturday: markets that
// close at weekends are closed then, wherever they are.
func overWeekend(t *trades.Trade, zone *time.Location) bool {
	open := time.UnixMicro(t.Open).In(zone)
	saturday := time.Date(open.Year(), open.Month(), open.Day(), 12, 0, 0, 0, zone).AddDate(0, 0, int((time.Saturday-open.Weekday()+7)%7))
	return !open.After(saturday) && time.UnixMicro(t.Close).After(saturday)
}

// checkScaling compares "I scale in" with decisions that began while another of the
// same account, instrument and side was open.
func (k *checker) checkScaling(c claims.Claim) outcome {
	var added evidence
	total, while := 0, 0
	for _, a := range k.view.Accounts {
		type position struct {
			key  uint32
			side trades.Side
		}
		openUntil := map[position]int64{}
		for i := range a.Clusters {
			cluster := &a.Clusters[i]
			p := position{cluster.Key, cluster.Side}
			if total++; cluster.Open < openUntil[p] {
				while++
				added.addDecision(a, uint32(i))
			}
			if cluster.Closed {
				openUntil[p] = max(openUntil[p], cluster.Close)
			}
		}
	}
	if total < minHolds {
		return notCheckable(InsufficientTrades, wording.FormatText("Only %d of the required %d decisions are available.", total, minHolds))
	}
	share := float64(while) / float64(total)
	o := outcome{verdict: Partly, evidence: added, observed: ownMetric("added_while_open", "share", share, total), detail: wording.FormatText(
		"%s of %d decisions began while another position of the same instrument and side was open.", formatPercent(share), total)}
	switch {
	case c.Bool && added.total == 0:
		o.verdict, o.reason = Unclear, OutsideWindow
	case c.Bool, added.total == 0:
		o.verdict = Consistent
	case share >= leastScaled && c.Modality != claims.Sometimes && c.Modality != claims.Usually:
		o.verdict = Inconsistent
	}
	return o
}
