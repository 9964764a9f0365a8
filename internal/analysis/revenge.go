package analysis

import (
	"slices"

	"github.com/assayhq/assay/internal/analysis/detect"
	"github.com/assayhq/assay/internal/analysis/micros"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/ruleset"
	"github.com/assayhq/assay/internal/analysis/stat"
	"github.com/assayhq/assay/internal/analysis/trades"
	"github.com/assayhq/assay/internal/analysis/wording"
)

// reentries are the decisions of one account that directly followed a close.
type reentries struct {
	afterLoss, afterWin []float64 // gaps in seconds, up to the ruleset's largest
	losses              int       // losing closes that an opening followed, after whatever time
	events              []uint32  // clusters that followed a loss quickly and with raised size
}

// findReentries pairs each decision with the last close before it, unless an
// earlier decision has it: a close that several openings follow is one
// occasion, and so are several closes that one opening follows.
func findReentries(a *trades.AccountView, rules *ruleset.RevengeRules, habits []habit) reentries {
	var r reentries
	exits := a.ClosedClusters
	for i, next := 0, 0; i < len(a.Clusters); i++ {
		c := &a.Clusters[i]
		from := next
		for next < len(exits) && a.WasClosedBefore(exits[next], i) {
			next++
		}
		chasing := next > from && r.addReentry(a, uint32(i), exitNet(a, exits[from:next]), rules, &habits[c.Key])
		if c.HasLots && !chasing {
			habits[c.Key].addSize(c.Lots, min(rules.EventMedianOf, maxHabit))
		}
	}
	return r
}

// exit is the result of the closes directly before an opening.
type exit struct {
	at    int64
	net   float64
	known bool
}

// addReentry takes in one opening that followed an exit. It reports whether that
// was a loss not long ago: such sizes are what is judged, and form no habit. With
// them somebody who raises after every loss would make the raised size usual.
func (r *reentries) addReentry(a *trades.AccountView, at uint32, e exit, rules *ruleset.RevengeRules, h *habit) (chasing bool) {
	c := &a.Clusters[at]
	if !e.known || e.net == 0 {
		return false
	}
	gap := float64(c.Open-e.at) / micros.Second
	if e.net > 0 {
		if gap <= rules.MaxGapSeconds {
			r.afterWin = append(r.afterWin, gap)
		}
		return false
	}
	r.losses++
	if gap <= rules.MaxGapSeconds {
		r.afterLoss = append(r.afterLoss, gap)
	}
	usual, ok := h.medianSize()
	if gap <= rules.EventGapSeconds && ok && c.HasLots && stat.IsAtLeast(c.Lots, rules.EventSizeRatio*usual) {
		r.events = append(r.events, at)
	}
	return gap <= rules.EventGapSeconds
}

// exitNet returns the last of some closes, with what closed in the same moment:
// a basket's result is its sum.
func exitNet(a *trades.AccountView, closed []uint32) exit {
	last := &a.Clusters[closed[len(closed)-1]]
	e := exit{at: last.Close, known: true}
	for i := len(closed) - 1; i >= 0 && a.Clusters[closed[i]].Close == e.at; i-- {
		c := &a.Clusters[closed[i]]
		e.net += c.Net
		e.known = e.known && c.HasNet
	}
	e.net = stat.DropBinaryRest(e.net)
	return e
}

// Bounds of a habit: with fewer sizes there is none, and older sizes are forgotten.
const (
	minHabit = 5
	maxHabit = 200
)

// habit is the usual size in one symbol group, taken from the lots of the latest decisions.
type habit struct {
	ring   []float64 // in order of time, from next on
	next   int
	sorted []float64
}

// addSize adds a size, and forgets the oldest one if there are more than keep.
func (h *habit) addSize(lots float64, keep int) {
	to := stat.CountBelow(h.sorted, lots)
	if len(h.ring) < keep {
		h.ring = append(h.ring, lots)
		h.sorted = slices.Insert(h.sorted, to, lots)
		return
	}
	from := stat.CountBelow(h.sorted, h.ring[h.next])
	h.ring[h.next] = lots
	h.next = (h.next + 1) % keep
	if from < to { // those between the oldest size and the new one move by a place
		to--
		copy(h.sorted[from:to], h.sorted[from+1:to+1])
	} else {
		copy(h.sorted[to+1:from+1], h.sorted[to:from])
	}
	h.sorted[to] = lots
}

// medianSize returns the middle of the sizes; ok is false while there are too few.
func (h *habit) medianSize() (lots float64, ok bool) {
	if len(h.sorted) < minHabit {
		return 0, false
	}
	return stat.Quantile(h.sorted, 0.5)
}

// detectRevenge is D6, quick and larger re-entry after losses.
//
//   - reentry_after_loss, reentry_after_win: the median time in seconds from a losing (winning)
//     close to the account's next open, if that is within max_gap_seconds. n is the number of
//     such re-entries, and the minimum is the ruleset's min_each.
//   - revenge_rate: the share of losing closes that were followed within event_gap_seconds by an
//     open of at least event_size_ratio times the usual size. The usual size is the median lots
//     of the latest event_median_of decisions in the symbol that did not follow a loss so soon.
//     The lower end of Wilson's 95 % interval must reach medium_rate. n is the number of losing
//     closes that an open followed. There must be min_each re-entries after losses, and as many
//     after wins, or n is the smaller number of the two. p is that of the one-sided Mann–Whitney
//     test that re-entries come sooner after losses, corrected for ties and within accounts.
//     Source: H. B. Mann and D. R. Whitney, Ann. Math. Stat. 18 (1947).
func detectRevenge(v *trades.View) detect.Result {
	rules := &v.Ruleset.Revenge
	var afterLoss, afterWin []float64
	var strata []stat.Stratum
	losses, events := 0, 0
	var seen detect.EvidenceList
	for _, a := range v.Accounts {
		r := findReentries(a, rules, make([]habit, len(v.Symbols)))
		stat.Sort(r.afterLoss) // once, for the medians and for the ranks
		stat.Sort(r.afterWin)
		afterLoss, afterWin = append(afterLoss, r.afterLoss...), append(afterWin, r.afterWin...)
		strata = append(strata, stat.Stratum{X: r.afterLoss, Y: r.afterWin})
		losses += r.losses
		events += len(r.events)
		for _, c := range r.events {
			seen.AddCluster(a, c)
		}
	}
	n := min(len(afterLoss), len(afterWin))
	if n >= rules.MinEach {
		n = losses // what the rate is of
	}
	ranks, _ := stat.MannWhitneyLessWithin(strata)
	loss, _ := stat.Median(afterLoss)
	win, _ := stat.Median(afterWin)
	metrics := map[string]result.Metric{
		"reentry_after_loss": result.NewMetric("seconds", loss, len(afterLoss), rules.MinEach),
		"reentry_after_win":  result.NewMetric("seconds", win, len(afterWin), rules.MinEach),
		"revenge_rate": result.NewMetric("share", stat.Fraction(events, losses), n, rules.MinEach).
			AddParam("losses", losses).AddParam("events", events).AddParam("max_gap_seconds", rules.MaxGapSeconds).
			AddParam("event_gap_seconds", rules.EventGapSeconds).AddParam("event_size_ratio", rules.EventSizeRatio).
			WithP(ranks.P).WithCI(stat.Wilson(events, losses, stat.Z95)),
	}
	return detect.Result{Metrics: metrics, Candidates: []detect.Candidate{revengeCandidate(rules, metrics, losses, &seen)}}
}

func revengeCandidate(rules *ruleset.RevengeRules, metrics map[string]result.Metric, losses int, seen *detect.EvidenceList) detect.Candidate {
	const kind, title = "revenge", "Quick and larger re-entry after losses"
	rate := metrics["revenge_rate"]
	if rate.Status != result.OK {
		return detect.UnjudgedCandidate(kind, title, rate)
	}
	question := "What do you do in the minutes after a losing trade?"
	d := result.Detection{
		Kind: kind, Status: result.OK, Title: title, Metric: result.NewFindingMetric("revenge_rate", rate),
		Detail: wording.FormatText("Of positions opened within %s of a close, those after a loss came %s later (median), and those after a win %s later. %.1f%% of %d losses were followed within %s by at least %g times the usual size.",
			wording.FormatDuration(rules.MaxGapSeconds), wording.FormatDuration(*metrics["reentry_after_loss"].Value), wording.FormatDuration(*metrics["reentry_after_win"].Value),
			100**rate.Value, losses, wording.FormatDuration(rules.EventGapSeconds), rules.EventSizeRatio),
		Evidence: seen.SortShown(), EvidenceTotal: seen.Total,
		Limitations:       []string{"A plan that re-enters after a stop looks the same.", "Size is compared with the latest decisions in the same symbol, not with the risk taken."},
		SuggestedQuestion: &question,
	}
	return detect.Candidate{Detection: d, P: rate.P, Judge: func(adjusted float64) (result.Severity, *float64) {
		if rate.CI.Low >= rules.MediumRate && adjusted < rules.MaxP {
			return result.Medium, &rules.MediumRate
		}
		return result.None, &rules.MediumRate
	}}
}
