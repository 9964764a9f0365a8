package analysis

import (
	"maps"
	"time"

	"github.com/assayhq/assay/internal/analysis/compare"
	"github.com/assayhq/assay/internal/analysis/detect"
	"github.com/assayhq/assay/internal/analysis/micros"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/stat"
	"github.com/assayhq/assay/internal/analysis/style"
	"github.com/assayhq/assay/internal/analysis/trades"
)

// detector computes metrics of one subject and judges them. It must only read
// the View, and give equal Results for equal ones.
type detector func(v *trades.View) detect.Result

// allDetectors returns all detectors, in the order of the report.
func allDetectors(pairs *compare.Pairing) []detector {
	return []detector{
		detectBursts,
		detectDirection,
		detectConcentration,
		detectHolding,
		detectLossChasing,
		detectAveraging,
		detectRevenge,
		detectLotSize,
		detectDayShare,
		detectPace,
		detectRisk,
		pairs.DetectCopied,
		pairs.DetectOpposite,
		detectAutomation,
		detectNews,
		style.DetectBreak,
		detectQuotes,
	}
}

// Analyse computes all metrics, detectors and charts. Equal inputs give equal
// activities; trades in another order are the same input.
func Analyse(in trades.Input) *result.Activity {
	v := trades.Prepare(&in)
	pairs := compare.NewPairing(v, in.PeersSearched, in.PeersCut)
	out := &result.Activity{
		Window:         spanOf(v, in.Window),
		Timezone:       v.Location.String(),
		TimezoneBasis:  v.Basis,
		Ruleset:        v.Ruleset.Name,
		RulesetVersion: v.Ruleset.Version(),
		Accounts:       listAccounts(v),
		Totals:         countTotals(v),
		Results:        listResults(v),
		Metrics:        map[string]result.Metric{},
		Charts:         buildCharts(v),
		Excluded:       v.Excluded,
		Sources:        append([]result.Source{}, in.Sources...),
		DataGaps:       pairs.ListGaps(),
		Limitations:    listLimitations(v),
	}
	var candidates []detect.Candidate
	for _, run := range allDetectors(pairs) {
		r := run(v)
		maps.Copy(out.Metrics, r.Metrics)
		candidates = append(candidates, r.Candidates...)
	}
	out.Detectors, out.CorrectedTests = detect.JudgeCandidates(candidates)
	out.EvidenceTrades = collectFacts(v, out.Detectors)
	return out
}

// spanOf returns the window, with what was found in place of an open end.
func spanOf(v *trades.View, w trades.Window) result.Span {
	var s result.Span
	for _, a := range v.Accounts {
		if len(a.Trades) == 0 {
			continue
		}
		first, last := micros.TimeOf(a.Trades[0].Open), micros.TimeOf(a.Trades[len(a.Trades)-1].Open)
		if n := len(a.ByClose); n > 0 {
			if c := micros.TimeOf(a.Trades[a.ByClose[n-1]].Close); c.After(last) {
				last = c
			}
		}
		if s.From == nil || first.Before(*s.From) {
			s.From = &first
		}
		if s.To == nil || last.After(*s.To) {
			s.To = &last
		}
	}
	for _, end := range []struct {
		given time.Time
		to    **time.Time
	}{{w.From, &s.From}, {w.To, &s.To}} {
		if !end.given.IsZero() {
			given := end.given.UTC().Truncate(time.Microsecond)
			*end.to = &given
		}
	}
	return s
}

func listAccounts(v *trades.View) []result.AccountSummary {
	out := make([]result.AccountSummary, 0, len(v.Accounts))
	for _, a := range v.Accounts {
		out = append(out, result.AccountSummary{ID: a.ID, Platform: a.Platform, Login: a.Login, Phase: a.Phase, Currency: a.Currency, Trades: len(a.Trades), File: a.File})
	}
	return out
}

func countTotals(v *trades.View) result.Totals {
	t := result.Totals{Trades: v.Trades, Decisions: v.Decisions, NetByCurrency: map[string]float64{}}
	symbols := make([]bool, len(v.Symbols))
	days := map[int32]bool{}
	nets := map[string]*stat.RunningSum{}
	for _, a := range v.Accounts {
		t.Closed += len(a.ByClose)
		for i := range a.Clusters {
			symbols[a.Clusters[i].Key] = true
		}
		for i, d := range a.Days {
			if i == 0 || d != a.Days[i-1] {
				days[d] = true
			}
		}
		net, ok := nets[a.Currency]
		if !ok {
			net = &stat.RunningSum{}
			nets[a.Currency] = net
		}
		for i := range a.Trades {
			if x, ok := a.Trades[i].Net(); ok {
				net.Add(x)
			}
		}
	}
	t.Open, t.ActiveDays = t.Trades-t.Closed, len(days)
	for _, traded := range symbols {
		if traded {
			t.Symbols++
		}
	}
	for currency, net := range nets {
		t.NetByCurrency[currency] = roundMoney(net.Value())
	}
	return t
}

// listLimitations returns the limitations of the whole activity.
func listLimitations(v *trades.View) []string {
	out := []string{"Observations under your preset, not proof of intent."}
	if v.Basis == result.AssumedUTC {
		out = append(out, "The time zone is unknown, so UTC is assumed, and hours, weekdays and days may be off.")
	}
	if len(v.Accounts) > 1 && len(countTotals(v).NetByCurrency) > 1 {
		out = append(out, "The accounts have different currencies, and amounts are never added across currencies.")
	}
	return out
}
