package analysis

import (
	"fmt"
	"slices"

	"github.com/assayhq/assay/internal/analysis/detect"
	"github.com/assayhq/assay/internal/analysis/micros"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/stat"
	"github.com/assayhq/assay/internal/analysis/trades"
	"github.com/assayhq/assay/internal/analysis/wording"
)

// sideDay is what was realized on one day on one side of one symbol.
type sideDay struct {
	day  int32
	key  uint32
	side trades.Side
	net  stat.RunningSum
	n    int
}

// sideDays sums up the results of an account's closed trades by day of the
// close, symbol group and side.
func sideDays(v *trades.View, a *trades.AccountView) []sideDay {
	var out []sideDay
	last := make([]int, 2*len(v.Symbols)) // index in out + 1
	c := micros.NewClock(a.Location)
	for _, i := range a.ByClose {
		t := &a.Trades[i]
		net, ok := t.Net()
		if !ok {
			continue
		}
		d, at := c.DayOf(t.Close), &last[2*v.Key(t)+uint32(t.Side)]
		if *at == 0 || out[*at-1].day != d {
			out = append(out, sideDay{day: d, key: v.Key(t), side: t.Side})
			*at = len(out)
		}
		s := &out[*at-1]
		s.net.Add(net)
		s.n++
	}
	return out
}

// extreme is the account and sideDay with the largest share of its balance.
type extreme struct {
	account *trades.AccountView
	at      sideDay
	share   float64 // of the initial balance, above 0
}

// findExtremes returns the largest loss and the largest gain of one day, symbol and
// side, as shares of the account's initial balance; nil where there is none.
// n counts the closed trades of accounts whose balance is known.
func findExtremes(v *trades.View) (loss, gain *extreme, n int) {
	for _, a := range v.Accounts {
		balance, ok := a.Balance()
		if !ok {
			continue
		}
		for _, d := range sideDays(v, a) {
			n += d.n
			portion := d.net.Value() / balance
			if portion < 0 && (loss == nil || -portion > loss.share) {
				loss = &extreme{a, d, -portion}
			}
			if portion > 0 && (gain == nil || portion > gain.share) {
				gain = &extreme{a, d, portion}
			}
		}
	}
	return loss, gain, n
}

// detectConcentration is D2b, results that come from one side of one symbol on
// one day. It is descriptive and stays out of the correction.
//
//   - day_symbol_side_loss, day_symbol_side_gain: the largest realized loss, and
//     gain, of one day × symbol × side of one account, divided by the account's
//     initial balance. Share, n closed trades of accounts with a known balance,
//     minimum 1. 0 when there is none.
//   - loss_share_of_limit, gain_share_of_target: the same divided by the
//     ruleset's daily loss limit, and profit target. Share, same sample; not
//     checkable when the ruleset sets none.
func detectConcentration(v *trades.View) detect.Result {
	rules := &v.Ruleset.OneSided
	loss, gain, n := findExtremes(v)
	metrics := map[string]result.Metric{
		"day_symbol_side_loss": measureExtreme(v, loss, n, nil),
		"day_symbol_side_gain": measureExtreme(v, gain, n, nil),
		"loss_share_of_limit":  measureExtreme(v, loss, n, &rules.DailyLossLimit),
		"gain_share_of_target": measureExtreme(v, gain, n, &rules.ProfitTarget),
	}
	return detect.Result{Metrics: metrics, Candidates: []detect.Candidate{
		concentrationCandidate(v, "one_sided_loss", "A day's loss on one side of one symbol", "loss_share_of_limit", metrics, loss, rules.MaxOfDailyLimit),
		concentrationCandidate(v, "one_sided_gain", "A day's gain on one side of one symbol", "gain_share_of_target", metrics, gain, rules.MaxOfTarget),
	}}
}

// measureExtreme is an extreme's share of the balance, or of a limit on it.
func measureExtreme(v *trades.View, x *extreme, n int, limit **float64) result.Metric {
	switch {
	case limit != nil && (*limit == nil || !(**limit > 0)):
		return result.UndefinedMetric("share", n, 1, result.ReasonNoRule)
	case n == 0 && v.Trades > 0 && !knowsBalance(v):
		return result.UndefinedMetric("share", n, 1, result.ReasonNoBalance)
	case x == nil:
		return result.NewMetric("share", 0, n, 1)
	}
	portion := x.share
	if limit != nil {
		portion /= **limit
	}
	return result.NewMetric("share", portion, n, 1).AddParam("account_id", x.account.ID).AddParam("day", micros.FormatDate(x.at.day)).
		AddParam("symbol", v.Symbols[x.at.key]).AddParam("side", x.at.side.String())
}

// knowsBalance reports whether any account states an initial balance.
func knowsBalance(v *trades.View) bool {
	return slices.ContainsFunc(v.Accounts, func(a *trades.AccountView) bool {
		_, ok := a.Balance()
		return ok
	})
}

func concentrationCandidate(v *trades.View, kind, title, name string, metrics map[string]result.Metric, x *extreme, limit *float64) detect.Candidate {
	m := metrics[name]
	if m.Status == result.OK && limit == nil {
		m = result.UndefinedMetric("share", m.N, m.MinN, result.ReasonNoRule)
	}
	if m.Status != result.OK {
		return detect.UnjudgedCandidate(kind, title, m)
	}
	d := result.Detection{
		Kind: kind, Status: result.OK, Title: title, Metric: result.NewFindingMetric(name, m), Detail: "There is no such result.",
		Limitations: []string{"Includes closed trades only. The limit is the one in your preset."},
	}
	if x != nil {
		d.Limitations = append(d.Limitations, chartNote(v, x.account)...)
		d.Detail = fmt.Sprintf("%s on %s: %s %ss came to %.2f%% of the initial balance, or %.0f%% of the limit in your preset.",
			wording.CapitalizeFirst(wording.NameAccount(x.account)), wording.WriteDay(x.at.day), v.Symbols[x.at.key], x.at.side, 100*x.share, 100**m.Value)
		d.Evidence, d.EvidenceTotal = sideDayEvidence(v, x)
	}
	return detect.Candidate{Detection: d, Judge: func(float64) (result.Severity, *float64) {
		if x != nil && *m.Value > *limit {
			return result.Medium, limit
		}
		return result.None, limit
	}}
}

func sideDayEvidence(v *trades.View, x *extreme) ([]result.Evidence, int) {
	var e detect.EvidenceList
	c := micros.NewClock(x.account.Location)
	for _, i := range x.account.ByClose {
		t := &x.account.Trades[i]
		if v.Key(t) == x.at.key && t.Side == x.at.side && c.DayOf(t.Close) == x.at.day {
			e.AddTrade(x.account, t)
		}
	}
	return e.SortShown(), e.Total
}
