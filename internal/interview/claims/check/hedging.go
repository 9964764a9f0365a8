package check

import (
	"cmp"
	"slices"

	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/trades"
	"github.com/assayhq/assay/internal/analysis/wording"
	"github.com/assayhq/assay/internal/interview/claims"
)

// leastHedged is the share of its own time during which a decision meets an opposite
// one from which on the two are held together. A position that is turned around may
// overlap with the next one for a moment.
const leastHedged = 0.5

// checkHedging compares claims about hedging with decisions held against opposite ones
// of the same instrument: in one account, and between accounts of the trader. A denial
// is inconsistent with enough of them in one account, or with a finding of medium
// severity or above between two. Accounts of other traders show at most that a
// question is due, because the trader may know nothing of them.
func (k *checker) checkHedging(c claims.Claim) outcome {
	own, closed := k.heldAgainst(k.view.Accounts...)
	if closed < minHolds {
		return notCheckable(InsufficientTrades, wording.FormatText("Only %d of the required %d closed decisions are available.", closed, minHolds))
	}
	var within hedged
	for _, a := range k.view.Accounts {
		one, _ := k.heldAgainst(a)
		within.decisions += one.decisions
		within.evidence.addAll(one.evidence)
	}
	share := float64(within.decisions) / float64(closed)
	o := outcome{verdict: Consistent, observed: ownMetric("held_against", "share", share, closed), evidence: within.evidence, detail: wording.FormatText(
		"%d of %d closed decisions (%s) were held against an opposite one in the same account and instrument.", within.decisions, closed, formatPercent(share))}
	if within.decisions == 0 {
		o.evidence = own.evidence
	}
	if between := own.decisions - within.decisions; between > 0 {
		o.detail += wording.FormatText(" %d more were held against one in another account of the trader.", between)
	}
	between, peers := k.oppositePairs()
	if between.severity.Rank() >= result.Medium.Rank() && within.decisions == 0 {
		o.evidence = between.evidence
	}
	seen := own.decisions > 0 || between.severity != result.None
	switch {
	case !seen && peers.severity != result.None:
		o.verdict, o.evidence = Partly, peers.evidence
		o.detail += " An account of another trader held opposite positions beyond chance. The trader may not know of it."
		if c.Bool {
			o.verdict, o.reason = Unclear, OutsideWindow
		}
	case !seen && c.Bool:
		o.verdict, o.reason = Unclear, OutsideWindow
	case !seen, c.Bool:
	case c.Modality == claims.Sometimes || c.Modality == claims.Usually:
		o.verdict = Partly
	case within.decisions >= minHeldOver && share >= leastHeldOver, between.severity.Rank() >= result.Medium.Rank():
		o.verdict = Inconsistent
	default:
		o.verdict = Partly
	}
	return o
}

// pairFinding is what the detector of opposite positions found.
type pairFinding struct {
	severity result.Severity
	evidence evidence
}

// oppositePairs returns what was found between two accounts of the trader, and with an
// account of another trader. The detector describes one pair, so one of the two is none.
func (k *checker) oppositePairs() (own, peers pairFinding) {
	own.severity, peers.severity = result.None, result.None
	d, _, ok := k.findDetection("opposite_positions")
	if !ok {
		return own, peers
	}
	found := pairFinding{*d.Severity, detectorEvidence(d)}
	if slices.ContainsFunc(d.Evidence, func(e result.Evidence) bool { return k.isPeer(e.AccountID) }) {
		return own, found
	}
	return found, peers
}

// hedged are decisions that were held against opposite ones.
type hedged struct {
	decisions int
	evidence  evidence
}

// heldAgainst returns the closed decisions that were held against opposite ones in any
// of the accounts, and how many closed decisions there are.
func (k *checker) heldAgainst(accounts ...*trades.AccountView) (found hedged, closed int) {
	held := make([][2]spans, len(k.view.Symbols))
	for _, a := range accounts {
		for i := range a.Clusters {
			if d := &a.Clusters[i]; d.Closed {
				held[d.Key][d.Side] = append(held[d.Key][d.Side], span{from: d.Open, to: d.Close})
				closed++
			}
		}
	}
	for key := range held {
		for side := range held[key] {
			held[key][side] = held[key][side].mergeOverlaps()
		}
	}
	for _, a := range accounts {
		for i := range a.Clusters {
			d := &a.Clusters[i]
			if !d.Closed || d.Close <= d.Open {
				continue
			}
			opposite := held[d.Key][d.Side.Opposite()]
			if together := opposite.coverUntil(d.Close) - opposite.coverUntil(d.Open); float64(together) >= leastHedged*float64(d.Close-d.Open) {
				found.decisions++
				found.evidence.addDecision(a, uint32(i))
			}
		}
	}
	return found, closed
}

// span is a stretch of time, in microseconds.
type span struct {
	from, to int64
	before   int64 // length of the merged spans before it
}

type spans []span

// mergeOverlaps returns the spans in order and apart from each other.
func (s spans) mergeOverlaps() spans {
	slices.SortFunc(s, func(a, b span) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.to, b.to)) })
	out := s[:0]
	for _, next := range s {
		n := len(out)
		if n > 0 && next.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, next.to)
			continue
		}
		if n > 0 {
			next.before = out[n-1].before + out[n-1].to - out[n-1].from
		}
		out = append(out, next)
	}
	return out
}

// coverUntil returns how much of the time before a moment merged spans cover.
func (s spans) coverUntil(moment int64) int64 {
	at, _ := slices.BinarySearchFunc(s, moment, func(a span, m int64) int { return cmp.Compare(a.from, m) })
	if at == 0 {
		return 0
	}
	last := s[at-1]
	return last.before + min(last.to, moment) - last.from
}
