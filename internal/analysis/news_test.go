package analysis_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/assayhq/assay/internal/analysis"
	"github.com/assayhq/assay/internal/analysis/calendar"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/ruleset"
	"github.com/assayhq/assay/internal/analysis/trades"
)

// eventOn is when the event of a day is: at another half hour than on the days of the same weekday
// in the weeks around it.
func eventOn(d int) time.Duration {
	return time.Duration(d)*24*time.Hour + time.Duration(4+d*7%12)*30*time.Minute
}

// scheduled is one event a day.
func scheduled(days int, currency string, impact calendar.Impact) *calendar.Calendar {
	c := &calendar.Calendar{}
	for d := range days {
		c.Events = append(c.Events, calendar.Event{Time: monday.Add(eventOn(d)).UnixMicro(), Currency: currency, Impact: impact})
	}
	return c
}

// around opens one position a day, at a distance from the event of that day.
func around(n int, symbol string, distance func(i int) time.Duration) []deal {
	var deals []deal
	for i := range n {
		deals = append(deals, deal{symbol: symbol, at: eventOn(i) + distance(i), hold: 10 * time.Hour, lots: 1, net: 1})
	}
	return deals
}

func always(d time.Duration) func(int) time.Duration { return func(int) time.Duration { return d } }

// given is an input whose timezone is known, with a calendar.
func given(c *calendar.Calendar, deals ...deal) trades.Input {
	in := input(owner(1), deals...)
	in.Basis, in.Calendar = result.Given, c
	return in
}

func TestNews(t *testing.T) {
	t.Parallel()
	r := random(3)
	usd := scheduled(60, "USD", calendar.High)
	assumed := given(usd, around(40, "EURUSD", always(0))...)
	assumed.Basis = result.AssumedUTC
	for _, c := range []struct {
		name string
		in   trades.Input
		want string
	}{
		{"always at the event", given(usd, around(40, "EURUSD", always(30*time.Second))...), "high"},
		{"two minutes after", given(usd, around(40, "EURUSD", always(2*time.Minute))...), "high"},
		{"two minutes before", given(usd, around(40, "EURUSD", always(-2*time.Minute))...), "high"},
		{"later than that", given(usd, around(40, "EURUSD", always(2*time.Minute+time.Second))...), "none"},
		{"one in three", given(usd, around(60, "EURUSD", func(i int) time.Duration { return time.Duration(i%3) * 7 * time.Minute })...), "medium"},
		{"one in six", given(usd, around(60, "EURUSD", func(i int) time.Duration { return time.Duration(i%6) * 4 * time.Minute })...), "low"},
		// The half hour before and after, without regard to the event.
		{"in the same hour", given(usd, around(60, "EURUSD", func(int) time.Duration { return time.Duration(r.IntN(60)-30) * time.Minute })...), "none"},
		{"of medium impact", given(scheduled(60, "USD", calendar.Medium), around(40, "EURUSD", always(0))...), "none"},
		{"of another currency", given(scheduled(60, "JPY", calendar.High), around(40, "EURUSD", always(0))...), "none"},
		{"twenty-nine", given(usd, around(29, "EURUSD", always(0))...), "insufficient_data"},
		{"beyond the calendar", given(scheduled(20, "USD", calendar.High), around(40, "EURUSD", always(0))...), "insufficient_data"},
		{"a symbol of no known currency", given(usd, around(40, "TSLA", always(0))...), "insufficient_data"},
		{"no calendar", given(nil, around(40, "EURUSD", always(0))...), "not_checkable"},
		{"an empty calendar", given(&calendar.Calendar{}, around(40, "EURUSD", always(0))...), "not_checkable"},
		{"an assumed timezone", assumed, "not_checkable"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := analysis.Analyse(c.in)
			if got := severity(t, a, "news"); got != c.want {
				t.Errorf("severity %s, want %s: %s", got, c.want, detection(t, a, "news").Detail)
			}
		})
	}
}

// TestNewsAcrossAChangeOfClocks: a trader who opens within an hour of New York's day,
// whenever in it, is as often near its news as on other days, also over the autumn.
func TestNewsAcrossAChangeOfClocks(t *testing.T) {
	t.Parallel()
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	c := &calendar.Calendar{}
	var deals []deal
	for d := range 90 {
		at := time.Date(2026, 9, 17+d, 8, 30, 0, 0, newYork)
		c.Events = append(c.Events, calendar.Event{Time: at.UnixMicro(), Currency: "USD", Impact: calendar.High})
		deals = append(deals, deal{at: at.Add(time.Duration(d*37%60-30) * time.Minute).Sub(monday), hold: time.Hour})
	}
	a := analysis.Analyse(given(c, deals...))
	if opens, base := value(t, a, "news_open_share"), value(t, a, "news_base_share"); opens == 0 || math.Abs(base-opens) > 1e-9 {
		t.Errorf("%v of the decisions are near news, and %v on other days, want as many", opens, base)
	}
}

// TestNewsAtFixedTimes compares traders with calendars that are independent of when they trade.
// News is scheduled for the times at which candles close, and so are many decisions: those who
// open at the same times on other days too are no finding. Those who do so only with news are one.
func TestNewsAtFixedTimes(t *testing.T) {
	t.Parallel()
	const traders, days = 100, 60
	for _, c := range []struct {
		name string
		// opens returns the times of the day at which positions are opened.
		opens func(r *rand.Rand, events []time.Duration) []time.Duration
		found bool
	}{
		{"six closes of half hours a day", func(r *rand.Rand, _ []time.Duration) (at []time.Duration) {
			for _, slot := range r.Perm(18)[:6] {
				at = append(at, time.Duration(16+slot)*30*time.Minute)
			}
			return at
		}, false},
		{"half past one every day", func(*rand.Rand, []time.Duration) []time.Duration {
			return []time.Duration{13*time.Hour + 30*time.Minute}
		}, false},
		{"half past one, and a second position soon after it", func(*rand.Rand, []time.Duration) []time.Duration {
			return []time.Duration{13*time.Hour + 30*time.Minute, 13*time.Hour + 31*time.Minute}
		}, false},
		{"any minute of the day's hours", func(r *rand.Rand, _ []time.Duration) (at []time.Duration) {
			for range 6 {
				at = append(at, 8*time.Hour+time.Duration(r.IntN(540))*time.Minute)
			}
			return at
		}, false},
		{"some days", func(r *rand.Rand, _ []time.Duration) []time.Duration {
			return []time.Duration{9 * time.Hour, 13*time.Hour + 30*time.Minute, 15 * time.Hour}[:r.IntN(4)]
		}, false},
		{"only with news", func(_ *rand.Rand, events []time.Duration) []time.Duration { return events }, true},
		{"with news, and once at any time", func(r *rand.Rand, events []time.Duration) []time.Duration {
			return append([]time.Duration{8*time.Hour + time.Duration(r.IntN(540))*time.Minute}, events...)
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			found := 0
			for seed := range traders {
				r := random(uint64(seed))
				news := &calendar.Calendar{}
				var deals []deal
				for d := range days {
					midnight := time.Duration(d/5*7+d%5)*24*time.Hour - 8*time.Hour // monday begins at 8:00
					var events []time.Duration
					for _, e := range []struct {
						at       time.Duration
						currency string
						chance   float64
					}{{9 * time.Hour, "EUR", 0.25}, {10 * time.Hour, "EUR", 0.15}, {13*time.Hour + 30*time.Minute, "USD", 0.5}, {15 * time.Hour, "USD", 0.35}} {
						if r.Float64() < e.chance {
							events = append(events, e.at)
							news.Events = append(news.Events, calendar.Event{Time: monday.Add(midnight + e.at).UnixMicro(), Currency: e.currency, Impact: calendar.High})
						}
					}
					for _, at := range c.opens(r, events) {
						deals = append(deals, deal{symbol: "EURUSD", at: midnight + at + time.Duration(r.IntN(20_000))*time.Millisecond, hold: 25 * time.Minute, lots: 1, net: 1})
					}
				}
				if severity(t, analysis.Analyse(given(news, deals...)), "news") != "none" {
					found++
				}
			}
			t.Logf("%d of %d are found", found, traders)
			if c.found && found < traders*98/100 || !c.found && found > traders*2/100 {
				t.Errorf("%d of %d are found, want found %t", found, traders, c.found)
			}
		})
	}
}

// TestNewsCurrencies: which news count for which symbol.
func TestNewsCurrencies(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		symbol string
		moves  []string
		not    string // empty when the symbol's currencies are not known
	}{
		{"EURUSD", []string{"EUR", "USD"}, "GBP"},
		{"EURUSDm", []string{"EUR", "USD"}, "GBP"},
		{"GBP/JPY", []string{"GBP", "JPY"}, "USD"},
		{"XAUUSD.pro", []string{"USD"}, "EUR"},
		{"GOLD", []string{"USD"}, "EUR"},
		{"XAUEUR", []string{"EUR"}, "USD"},
		{"BTCUSD", []string{"USD"}, "EUR"},
		{"BTCUSDT", []string{"USD"}, "EUR"},
		{"US30.cash", []string{"USD"}, "EUR"},
		{"NAS100", []string{"USD"}, "EUR"},
		{"NQH6", []string{"USD"}, "EUR"},
		{"ES", []string{"USD"}, "EUR"},
		{"MESM2026", []string{"USD"}, "EUR"},
		{"GER40", []string{"EUR"}, "USD"},
		{"UK100", []string{"GBP"}, "USD"},
		{"UKOIL", []string{"USD"}, "GBP"},
		{"JP225", []string{"JPY"}, "USD"},
		{"AUS200", []string{"AUD"}, "USD"},
		{"SIEMENS", nil, ""},
		{"ESTEE", nil, ""},
		{"CLOROX", nil, ""},
		{"TSLA", nil, ""},
	} {
		t.Run(c.symbol, func(t *testing.T) {
			t.Parallel()
			share := func(currency string) *float64 {
				return analysis.Analyse(given(scheduled(60, currency, calendar.High), around(40, c.symbol, always(0))...)).Metrics["news_open_share"].Value
			}
			for _, currency := range c.moves {
				if got := share(currency); got == nil || *got != 1 {
					t.Errorf("news of %s: share %v, want 1", currency, got)
				}
			}
			switch got := share(c.not); {
			case c.not == "" && got != nil:
				t.Errorf("share %v of a symbol that is not known", *got)
			case c.not != "" && (got == nil || *got != 0):
				t.Errorf("news of %s: share %v, want 0", c.not, got)
			}
		})
	}
}

// TestNewsCloses: closes near an event count, unless the position was opened
// long enough before for the ruleset.
func TestNewsCloses(t *testing.T) {
	t.Parallel()
	in := given(scheduled(60, "USD", calendar.High), around(40, "EURUSD", func(i int) time.Duration {
		return -10*time.Hour - time.Duration(i%2)*time.Second
	})...)
	for _, c := range []struct {
		name      string
		exemption *float64
		want      float64
	}{{"all count", nil, 1}, {"those of ten hours and more may close", new(36_000.0), 0}, {"those of eleven may", new(39_600.0), 1}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			in := in
			in.Ruleset = ruleset.Neutral()
			in.Ruleset.News.ExemptionSeconds = c.exemption
			if got := value(t, analysis.Analyse(in), "news_close_share"); got != c.want {
				t.Errorf("share of closes %v, want %v", got, c.want)
			}
		})
	}
}
