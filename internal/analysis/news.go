package analysis

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/assayhq/assay/internal/analysis/calendar"
	"github.com/assayhq/assay/internal/analysis/detect"
	"github.com/assayhq/assay/internal/analysis/instrument"
	"github.com/assayhq/assay/internal/analysis/micros"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/ruleset"
	"github.com/assayhq/assay/internal/analysis/stat"
	"github.com/assayhq/assay/internal/analysis/trades"
	"github.com/assayhq/assay/internal/analysis/wording"
)

// span is a time range in microseconds that includes both ends.
type span struct{ from, to int64 }

// newsWindows are the stretches around high-impact events of some currencies,
// in order and apart from each other.
func newsWindows(c *calendar.Calendar, currencies []string, around int64) []span {
	var out []span
	for _, e := range c.Events {
		if e.Impact != calendar.High || !slices.Contains(currencies, e.Currency) {
			continue
		}
		s := span{e.Time - around, e.Time + around}
		if n := len(out); n > 0 && s.from <= out[n-1].to {
			out[n-1].to = max(out[n-1].to, s.to)
			continue
		}
		out = append(out, s)
	}
	return out
}

// isInside reports whether a moment is within one of the spans.
func isInside(spans []span, moment int64) bool {
	at, found := slices.BinarySearchFunc(spans, moment, func(s span, m int64) int { return cmp.Compare(s.from, m) })
	return found || at > 0 && moment <= spans[at-1].to
}

// newsMarket is the time that news of one set of currencies covers.
type newsMarket struct {
	windows []span
	near    [dayKinds]nearShare
}

// nearShare says on which share of some days each time of the day is near news.
type nearShare struct {
	from  []int64 // microseconds of the day (UTC) from which a share holds, ascending
	share []float64
}

// shareAt returns the share at a time of the day.
func (s *nearShare) shareAt(moment int64) float64 {
	i, found := slices.BinarySearch(s.from, moment)
	if found {
		return s.share[i]
	}
	if i == 0 {
		return 0
	}
	return s.share[i-1]
}

// fillShares fills near from the windows on some days, which are counted by their kind.
func (m *newsMarket) fillShares(within span, days *[dayKinds]int, c *calendarClock) {
	type edge struct {
		at     int64
		change int
	}
	var edges [dayKinds][]edge
	for _, w := range m.windows {
		for from, to := max(w.from, within.from), min(w.to, within.to); from <= to; {
			midnight := micros.FloorDiv(from, micros.Day) * micros.Day
			last, kind := min(to, midnight+micros.Day-1), c.kindOf(midnight)
			edges[kind] = append(edges[kind], edge{from - midnight, 1}, edge{last + 1 - midnight, -1})
			from = last + 1
		}
	}
	for kind, list := range edges {
		slices.SortFunc(list, func(x, y edge) int { return cmp.Compare(x.at, y.at) })
		s, covered := &m.near[kind], 0
		for i, e := range list {
			covered += e.change
			if i+1 == len(list) || list[i+1].at > e.at {
				s.from, s.share = append(s.from, e.at), append(s.share, float64(covered)/float64(days[kind]))
			}
		}
	}
}

// seasons is how many combinations there are of winter and summer time in the zones
// whose clocks news and traders follow. Hours of UTC mean another time of the trader's
// day in each of them, so they are not averaged over a change.
const seasons = 8

// dayKinds is how many kinds of days are told apart: the weekdays of each season, because many
// events are always on the same weekday, and so may be somebody's trading.
const dayKinds = 7 * seasons

// calendarClock knows the season of a day.
type calendarClock struct{ zones [3]*micros.Clock }

func newCalendarClock() *calendarClock {
	var c calendarClock
	for i, name := range [...]string{"America/New_York", "Europe/London", "Australia/Sydney"} {
		zone, err := time.LoadLocation(name)
		if err != nil {
			zone = time.UTC // without zone data there is one season
		}
		c.zones[i] = micros.NewClock(zone)
	}
	return &c
}

// seasonOf returns the season of the moment's day (UTC), as it is at noon.
func (c *calendarClock) seasonOf(moment int64) (season int) {
	noon := micros.FloorDiv(moment, micros.Day)*micros.Day + micros.Day/2
	for _, zone := range c.zones {
		ahead := (zone.LocalMicros(noon) - noon) / micros.Hour
		season = 2*season + int(ahead&1) // a change is of an hour
	}
	return season
}

// kindOf returns the kind of the moment's day (UTC).
func (c *calendarClock) kindOf(moment int64) int {
	return 7*c.seasonOf(moment) + micros.WeekdayOf(int32(micros.FloorDiv(moment, micros.Day)))
}

// newsOpen is one decision, compared with the calendar.
type newsOpen struct {
	at    int64
	near  bool
	base  float64 // share of the days of its kind on which its time of day is near news
	group uint32  // account's place, to keep the order of equal moments
	index uint32
}

// newsCount holds the counts over all decisions.
type newsCount struct {
	opens     []newsOpen
	unknown   int // decisions in symbols of no known currency
	beyond    int // decisions before the calendar begins or after it ends
	closes    int
	closeNear int // without what the exemption lets pass
	seen      detect.EvidenceList
}

// calendarSpan is the time that the calendar covers: from the day of its
// first event to the day of its last.
func calendarSpan(c *calendar.Calendar) span {
	if len(c.Events) == 0 {
		return span{0, -1}
	}
	return span{micros.FloorDiv(c.Events[0].Time, micros.Day) * micros.Day, (micros.FloorDiv(c.Events[len(c.Events)-1].Time, micros.Day)+1)*micros.Day - 1}
}

// comparedAround is how long before the first decision and after the last one days count
// as others on which somebody could have traded: long enough for a few of each weekday, and
// short enough to have about as much news.
const comparedAround = 42 * micros.Day

// comparedDays returns the whole days (UTC) with which decisions are compared, as far as the
// calendar goes, and how many of each kind there are.
func comparedDays(v *trades.View, known span, c *calendarClock) (within span, days [dayKinds]int) {
	first, last := int64(math.MaxInt64), int64(math.MinInt64)
	for _, a := range v.Accounts {
		if n := len(a.Clusters); n > 0 {
			first, last = min(first, a.Clusters[0].Open), max(last, a.Clusters[n-1].Open)
		}
	}
	if first > last {
		return span{0, -1}, days
	}
	within = span{max(known.from, micros.FloorDiv(first, micros.Day)*micros.Day-comparedAround), min(known.to, (micros.FloorDiv(last, micros.Day)+1)*micros.Day-1+comparedAround)}
	for d := within.from; d < within.to; d += micros.Day {
		days[c.kindOf(d)]++
	}
	return within, days
}

// countNews compares all decisions with the calendar.
func countNews(v *trades.View, rules *ruleset.NewsRules) *newsCount {
	known := calendarSpan(v.Calendar)
	around := int64(rules.WindowSeconds * micros.Second)
	clock := newCalendarClock()
	within, days := comparedDays(v, known, clock)
	markets := map[string]*newsMarket{}
	bySymbol := make([]*newsMarket, len(v.Symbols))
	for i, key := range v.Symbols {
		codes := instrument.Currencies(key)
		if codes == nil {
			continue
		}
		name := strings.Join(codes, "")
		if markets[name] == nil {
			markets[name] = &newsMarket{windows: newsWindows(v.Calendar, codes, around)}
			markets[name].fillShares(within, &days, clock)
		}
		bySymbol[i] = markets[name]
	}
	n := &newsCount{opens: make([]newsOpen, 0, v.Decisions)}
	for group, a := range v.Accounts {
		for i := range a.Clusters {
			n.addDecision(uint32(group), uint32(i), a, bySymbol[a.Clusters[i].Key], known, clock, rules)
		}
	}
	slices.SortFunc(n.opens, func(x, y newsOpen) int {
		return cmp.Or(cmp.Compare(x.at, y.at), cmp.Compare(x.group, y.group), cmp.Compare(x.index, y.index))
	})
	return n
}

// addDecision counts one decision.
func (n *newsCount) addDecision(group, index uint32, a *trades.AccountView, m *newsMarket, known span, clock *calendarClock, rules *ruleset.NewsRules) {
	c := &a.Clusters[index]
	switch {
	case m == nil:
		n.unknown++
		return
	case c.Open < known.from || c.Open > known.to:
		n.beyond++
		return
	}
	near := isInside(m.windows, c.Open)
	n.opens = append(n.opens, newsOpen{c.Open, near, m.near[clock.kindOf(c.Open)].shareAt(c.Open - micros.FloorDiv(c.Open, micros.Day)*micros.Day), group, index})
	if near {
		n.seen.AddOpening(a, index)
	}
	if !c.Closed || c.Close > known.to {
		return
	}
	n.closes++
	exempt := rules.ExemptionSeconds != nil && float64(c.Close-c.Open)/micros.Second >= *rules.ExemptionSeconds
	if !exempt && isInside(m.windows, c.Close) {
		n.closeNear++
	}
}

// testNearness returns how many opens are near news, the share that is expected, and p.
// Opens come in bunches, so n is what they are worth with the lag-1
// autocorrelation of being near news.
func (n *newsCount) testNearness() (near int, base, effective, p float64) {
	series, bases := make([]bool, len(n.opens)), make([]float64, len(n.opens))
	for i, o := range n.opens {
		series[i], bases[i] = o.near, o.base
		if o.near {
			near++
		}
	}
	if len(n.opens) == 0 {
		return 0, 0, 0, 1
	}
	base = stat.Sum(bases) / float64(len(bases))
	effective = stat.EffectiveN(len(series), stat.SideAutocorrelation(series))
	size := int(math.Round(effective))
	hits := int(math.Round(effective * stat.Fraction(near, len(series))))
	return near, base, effective, stat.BinomialUpper(hits, size, base)
}

// detectNews is D12, trading around scheduled news of high impact. An event counts for
// a symbol if the event's currency moves that symbol. The detector is not checkable
// without a calendar, or if the time zone of the trades is only assumed.
//
//   - news_open_share: the share of decisions that open within window_seconds before or
//     after an event. n is the number of decisions in symbols with known currencies
//     within the calendar's days, and the minimum is the ruleset's min_decisions. p is
//     P(X ≥ k) of a binomial whose probability is news_base_share. Because opens come
//     in bunches, k and n are scaled to the effective n of the series (parameter
//     n_effective). A finding requires that the lower end of its Wilson interval
//     reaches the ruleset's share.
//   - news_base_share: the same share if each decision were made at its time of day on any
//     day of the calendar with the same weekday and the same winter or summer time, from six
//     weeks before the first decision to six weeks after the last. Same sample. Who always
//     opens at half past one is as often near news then as he is; who does so only on days
//     with news is not.
//   - news_close_share: the share of closes near an event, without positions that were
//     opened more than exemption_seconds before it. n is the number of closed decisions
//     of the same sample. Nothing is judged by it, because stops and targets are hit
//     more often around news anyway.
func detectNews(v *trades.View) detect.Result {
	const kind, title = "news", "Trading around scheduled news"
	rules := &v.Ruleset.News
	metrics := map[string]result.Metric{}
	reason := ""
	switch {
	case v.Calendar == nil || len(v.Calendar.Events) == 0:
		reason = result.ReasonNoCalendar
	case v.Basis == result.AssumedUTC:
		reason = result.ReasonTimezoneUnknown
	}
	if reason != "" {
		for _, name := range [...]string{"news_open_share", "news_base_share", "news_close_share"} {
			metrics[name] = result.UndefinedMetric("share", 0, rules.MinDecisions, reason)
		}
		return detect.Result{Metrics: metrics, Candidates: []detect.Candidate{detect.UnjudgedCandidate(kind, title, metrics["news_open_share"])}}
	}
	count := countNews(v, rules)
	near, base, effective, p := count.testNearness()
	n := len(count.opens)
	metrics["news_open_share"] = result.NewMetric("share", stat.Fraction(near, n), n, rules.MinDecisions).AddParam("window_seconds", rules.WindowSeconds).
		AddParam("n_effective", effective).AddParam("unknown_symbols", count.unknown).AddParam("outside_calendar", count.beyond).WithP(p).
		WithCI(stat.WilsonShare(stat.Fraction(near, n), effective))
	metrics["news_base_share"] = result.NewMetric("share", base, n, rules.MinDecisions)
	metrics["news_close_share"] = result.NewMetric("share", stat.Fraction(count.closeNear, count.closes), count.closes, rules.MinDecisions)
	if rules.ExemptionSeconds != nil {
		metrics["news_close_share"].AddParam("exemption_seconds", *rules.ExemptionSeconds)
	}
	if metrics["news_open_share"].Status != result.OK {
		return detect.Result{Metrics: metrics, Candidates: []detect.Candidate{detect.UnjudgedCandidate(kind, title, metrics["news_open_share"])}}
	}
	c := newsCandidate(rules, metrics, count)
	c.Detection.Kind, c.Detection.Title = kind, title
	return detect.Result{Metrics: metrics, Candidates: []detect.Candidate{c}}
}

func newsCandidate(rules *ruleset.NewsRules, metrics map[string]result.Metric, count *newsCount) detect.Candidate {
	open, base := metrics["news_open_share"], *metrics["news_base_share"].Value
	question := "How do you trade around scheduled news?"
	d := result.Detection{
		Status: result.OK, Metric: result.NewFindingMetric("news_open_share", open),
		Detail: wording.FormatText("%.1f%% of %d decisions open within %s (the window in your preset) of a high-impact event. At the same times of day on other days with the same weekday, it would be %.1f%%.",
			100**open.Value, open.N, wording.FormatDuration(rules.WindowSeconds), 100*base),
		Evidence: count.seen.SortShown(), EvidenceTotal: count.seen.Total,
		Limitations:       []string{"Only events in the uploaded calendar count.", "A trader may not know of an event that a calendar lists."},
		SuggestedQuestion: &question,
	}
	if count.unknown > 0 {
		d.Limitations = append(d.Limitations, wording.FormatText("%d decisions are in symbols with unknown currencies.", count.unknown))
	}
	if count.beyond > 0 {
		d.Limitations = append(d.Limitations, wording.FormatText("%d decisions are outside the dates of the calendar.", count.beyond))
	}
	return detect.Candidate{Detection: d, P: open.P, Judge: func(adjusted float64) (result.Severity, *float64) {
		switch {
		case adjusted >= rules.MaxP || *open.Value <= base:
			return result.None, &rules.MediumShare
		case open.CI.Low >= rules.HighShare:
			return result.High, &rules.HighShare
		case open.CI.Low >= rules.MediumShare:
			return result.Medium, &rules.MediumShare
		case *open.Value >= 2*base:
			return result.Low, &rules.MediumShare
		}
		return result.None, &rules.MediumShare
	}}
}
