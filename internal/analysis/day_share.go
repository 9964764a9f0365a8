package analysis

import (
	"cmp"

	"github.com/assayhq/assay/internal/analysis/detect"
	"github.com/assayhq/assay/internal/analysis/micros"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/ruleset"
	"github.com/assayhq/assay/internal/analysis/stat"
	"github.com/assayhq/assay/internal/analysis/trades"
	"github.com/assayhq/assay/internal/analysis/wording"
)

// bestDay is the account in which a single day has the largest share.
type bestDay struct {
	account *trades.AccountView
	days    []trades.ResultDay
	best    int // index in days
	share   float64
}

// judgeSeverity judges the day by a limit. Above it, the severity is low, and medium with at
// least twice minDays days, because with few days one of them always has a large share.
func (b *bestDay) judgeSeverity(limit *float64, minDays int) result.Severity {
	switch {
	case limit == nil || !stat.IsAbove(b.share, *limit):
		return result.None
	case len(b.days) < 2*minDays:
		return result.Low
	}
	return result.Medium
}

// dayShares holds the account whose best day is judged most severely as a share of its
// net result, or is the largest one, the same for the sum of its positive days (both
// only of accounts with enough days), and the largest loss within a day as a share of
// the balance. Nil where there is none.
type dayShares struct {
	net, positive, loss *bestDay
	days                int // most days of any account
}

func newDayShares(v *trades.View) dayShares {
	var s dayShares
	rules := &v.Ruleset.DayShare
	for _, a := range v.Accounts {
		days := a.ResultDays
		s.days = max(s.days, len(days))
		if len(days) == 0 {
			continue
		}
		s.loss = largerLoss(s.loss, a, days)
		if len(days) < leastDays(rules) {
			continue
		}
		var net, positive stat.RunningSum
		best := 0
		for i, d := range days {
			net.Add(d.Net)
			positive.Add(max(d.Net, 0))
			if d.Net > days[best].Net {
				best = i
			}
		}
		least := leastDays(rules)
		s.net = severerDay(s.net, newBestDay(a, days, best, net.Value()), rules.MaxOfNet, least)
		s.positive = severerDay(s.positive, newBestDay(a, days, best, positive.Value()), cmp.Or(rules.MaxOfPositive, &largeShare), least)
	}
	return s
}

// newBestDay returns the best day as a share of the whole, or nil if the whole is not positive.
func newBestDay(a *trades.AccountView, days []trades.ResultDay, best int, whole float64) *bestDay {
	if !(whole > 0) {
		return nil
	}
	return &bestDay{a, days, best, days[best].Net / whole}
}

// severerDay returns the day that is judged more severely, so that a second account never
// hides what is found in the first, and of equal ones that with the larger share.
func severerDay(held, other *bestDay, limit *float64, least int) *bestDay {
	if other == nil {
		return held
	}
	if held == nil || cmp.Or(other.judgeSeverity(limit, least).Rank()-held.judgeSeverity(limit, least).Rank(), cmp.Compare(other.share, held.share)) > 0 {
		return other
	}
	return held
}

func largerLoss(held *bestDay, a *trades.AccountView, days []trades.ResultDay) *bestDay {
	balance, ok := a.Balance()
	if !ok {
		return held
	}
	for i, d := range days {
		if portion := max(0, -d.Low) / balance; held == nil || portion > held.share {
			held = &bestDay{a, days, i, portion}
		}
	}
	return held
}

// largeShare is the share of all positive days above which the best one is described while
// the ruleset sets no limit.
var largeShare = 0.5

// minResultDays is the number of days that an account needs for a result, regardless of the ruleset:
// with few days, one of them always has a large share.
const minResultDays = 10

func leastDays(rules *ruleset.DayShareRules) int { return max(rules.MinDays, minResultDays) }

// detectDayShare is D8, results that come from few days, and the loss of a day.
// It is descriptive and stays out of the correction. Days begin at midnight in
// the account's timezone and take the trades that were closed on them. Each
// account is judged by itself; the metric is that of the account that is judged most
// severely, and of equal ones the largest.
//
//   - best_day_share_of_net: max_d net_d / Σ net_d. Share, n days with closed
//     trades, minimum the ruleset's min_days, and 10 at least; not checkable when no account's
//     sum is above 0.
//   - best_day_share_of_positive: max_d net_d / Σ max(net_d, 0). Same sample.
//   - closed_daily_loss: max_d −min_t Σ_{closes in d until t} net / initial
//     balance. Share, n days, minimum 1. Closed profit and loss only: how low
//     equity was in between is not in the data.
func detectDayShare(v *trades.View) detect.Result {
	rules := &v.Ruleset.DayShare
	s, least := newDayShares(v), leastDays(rules)
	metrics := map[string]result.Metric{
		"best_day_share_of_net":      bestDayMetric(s, s.net, least),
		"best_day_share_of_positive": bestDayMetric(s, s.positive, least),
		"closed_daily_loss":          lossMetric(s),
	}
	const best, loss = "day_concentration", "daily_loss"
	lost := dayCandidate(v, s.loss, metrics, dayLimit{kind: loss, title: "A large loss within one day", metric: "closed_daily_loss", limit: rules.MaxDailyLoss})
	if n := countWithoutBalance(v); n > 0 && lost.Detection.Status == result.OK {
		lost.Detection.Limitations = append(lost.Detection.Limitations, wording.FormatText("Accounts left out because their initial balance is not known: %d.", n))
	}
	return detect.Result{Metrics: metrics, Candidates: []detect.Candidate{
		dayCandidate(v, s.net, metrics, dayLimit{
			kind: best + "_net", title: "The best day is a large share of the net result", metric: "best_day_share_of_net", limit: rules.MaxOfNet, minDays: least,
		}),
		dayCandidate(v, s.positive, metrics, dayLimit{
			kind: best, title: "The best day is a large share of all positive days", metric: "best_day_share_of_positive",
			limit: rules.MaxOfPositive, usual: &largeShare, minDays: least,
		}),
		lost,
	}}
}

// countWithoutBalance counts the accounts with results whose initial balance is not known.
func countWithoutBalance(v *trades.View) (n int) {
	for _, a := range v.Accounts {
		if _, ok := a.Balance(); !ok && len(a.ResultDays) > 0 {
			n++
		}
	}
	return n
}

func bestDayMetric(s dayShares, b *bestDay, minDays int) result.Metric {
	if b == nil {
		return result.RatioMetric("share", 0, 0, s.days, minDays)
	}
	return result.NewMetric("share", b.share, len(b.days), minDays).AddParam("account_id", b.account.ID).AddParam("day", micros.FormatDate(b.days[b.best].Day))
}

func lossMetric(s dayShares) result.Metric {
	switch {
	case s.loss != nil:
		return result.NewMetric("share", s.loss.share, len(s.loss.days), 1).AddParam("account_id", s.loss.account.ID).AddParam("day", micros.FormatDate(s.loss.days[s.loss.best].Day))
	case s.days > 0:
		return result.UndefinedMetric("share", s.days, 1, result.ReasonNoBalance)
	}
	return result.NewMetric("share", 0, 0, 1)
}

// dayLimit is what a day is judged by.
type dayLimit struct {
	kind, title string // of the finding
	metric      string // name of the metric that is limited
	limit       *float64
	usual       *float64 // the limit of what is described if the ruleset sets none; may be nil
	minDays     int
}

// dayCandidate describes the day and judges it by a limit. Where the ruleset sets none, the
// severity is low at most, above what is usual.
func dayCandidate(v *trades.View, b *bestDay, metrics map[string]result.Metric, by dayLimit) detect.Candidate {
	m := metrics[by.metric]
	limit, of, descriptive := by.limit, " in your preset", by.limit == nil && by.usual != nil
	if descriptive {
		limit, of = by.usual, ""
	}
	if limit == nil && m.Status == result.OK {
		m = result.UndefinedMetric(m.Unit, m.N, m.MinN, result.ReasonNoRule)
	}
	if m.Status != result.OK {
		return detect.UnjudgedCandidate(by.kind, by.title, m)
	}
	on := b.days[b.best]
	d := result.Detection{
		Kind: by.kind, Status: result.OK, Title: by.title, Metric: result.NewFindingMetric(by.metric, m),
		Detail:      wording.FormatText("%s on %s: %.1f%%, compared with %.1f%%%s; %d days with closed trades.", wording.CapitalizeFirst(wording.NameAccount(b.account)), micros.FormatDate(on.Day), 100*b.share, 100**limit, of, len(b.days)),
		Limitations: []string{"Includes closed profit and loss only. Equity lows are not in the data."},
	}
	d.Limitations = append(d.Limitations, chartNote(v, b.account)...)
	var e detect.EvidenceList
	for _, i := range b.account.ByClose[on.From:on.To] {
		e.AddTrade(b.account, &b.account.Trades[i])
	}
	d.Evidence, d.EvidenceTotal = e.SortShown(), e.Total
	c := detect.Candidate{Detection: d, Judge: func(float64) (result.Severity, *float64) { return b.judgeSeverity(limit, by.minDays), limit }}
	if descriptive {
		return c.DescribeOnly("Descriptive only, because your preset sets no limit.")
	}
	return c
}

// chartNote explains to a reader that the chart of daily results covers more than
// the account of the finding.
func chartNote(v *trades.View, a *trades.AccountView) []string {
	together := 0
	for _, other := range v.Accounts {
		if other.Currency == a.Currency && len(other.ResultDays) > 0 {
			together++
		}
	}
	if together < 2 {
		return nil
	}
	return []string{wording.FormatText("For %s only. The chart of daily results combines all %d accounts in its currency.", wording.NameAccount(a), together)}
}
