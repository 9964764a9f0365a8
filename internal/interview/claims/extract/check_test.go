package extract_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/analysis"
	"github.com/assayhq/assay/internal/analysis/calendar"
	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/check"
	"github.com/assayhq/assay/internal/interview/claims/extract"
)

// newsAt is a calendar with an event of high impact at that hour each day.
func newsAt(hour int) *calendar.Calendar {
	return newsOn(func(int) time.Duration { return time.Duration(hour-9) * time.Hour })
}

// newsOn is a calendar with an event of high impact each day, so long after nine.
func newsOn(after func(day int) time.Duration) *calendar.Calendar {
	var text strings.Builder
	text.WriteString("time,currency,impact,title\n")
	for d := range 240 {
		text.WriteString(monday.AddDate(0, 0, d-5).Add(after(d-5)).Format(time.RFC3339) + ",USD,high,Rates\n")
	}
	c, err := calendar.Parse(strings.NewReader(text.String()))
	if err != nil {
		panic(err)
	}
	return c
}

// atAnotherHour is after nine at another hour than on the days of the same weekday around it.
func atAnotherHour(day int) time.Duration { return time.Duration((day+240)*5%8) * time.Hour }

// mostlyAtNine is after nine on one day of eight only.
func mostlyAtNine(day int) time.Duration { return time.Duration((day+240)%8/7) * time.Hour }

// openAtNine lets half of the trades begin at nine.
func openAtNine(n int, t *record.Trade) {
	if n%2 == 0 {
		t.OpenTime = monday.AddDate(0, 0, n/3).Add(time.Duration(n%7) * 10 * time.Second)
		t.CloseTime = t.OpenTime.Add(time.Hour)
	}
}

// TestCheck compares claims about each topic with trades for which the answer is
// known.
func TestCheck(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	sydney, err := time.LoadLocation("Australia/Sydney")
	if err != nil {
		t.Fatal(err)
	}
	magadan, err := time.LoadLocation("Asia/Magadan") // where the trades are in the evening
	if err != nil {
		t.Fatal(err)
	}
	inZone := func(zone *time.Location) func(w *world) { return func(w *world) { w.zone = zone } }
	copied := func(_ int, t *record.Trade) { t.OpenTime = t.OpenTime.Add(time.Second) }
	// The trading day ends in New York at nine in Sydney's January.
	morningIn := func(zone *time.Location) func(int, *record.Trade) {
		return func(n int, t *record.Trade) {
			hold := t.CloseTime.Sub(t.OpenTime)
			t.OpenTime = time.Date(2026, 1, 6+n/3, 8, 30+n%3*5, 0, 0, zone)
			t.CloseTime = t.OpenTime.Add(hold)
		}
	}
	bothSides := func(w *world) {
		w.perDay, w.each = 4, func(n int, t *record.Trade) {
			if n%2 == 1 {
				t.OpenTime = t.OpenTime.Add(-time.Hour)
			}
			t.OpenTime = t.OpenTime.Add(time.Duration((n/2)*(n/2)%3001) * time.Second) // at another minute each day
			t.CloseTime = t.OpenTime.Add(20 * time.Minute)
		}
	}
	secondWithoutStops := func(w *world) {
		w.accounts, w.perDay, w.each = 2, 4, func(n int, t *record.Trade) {
			if n%2 == 1 {
				t.StopLoss = ""
			}
		}
	}
	secondWithoutBalance := func(w *world) {
		w.accounts, w.perDay, w.balances = 2, 4, []float64{100_000, 0}
		w.each = func(n int, t *record.Trade) {
			if n%4 == 0 {
				t.Profit = "-200"
			}
		}
	}
	long := func(hold time.Duration) func(int, *record.Trade) {
		return func(n int, t *record.Trade) {
			if n%3 == 0 {
				t.CloseTime = t.OpenTime.Add(hold)
			}
		}
	}
	lostOnce := func(w *world) {
		w.each = func(n int, t *record.Trade) {
			if n == 7 {
				t.Profit = "-3100"
			}
		}
	}
	for _, tc := range []struct {
		name    string
		say     string
		change  func(w *world)
		verdict check.Verdict
		reason  check.Reason
	}{
		{"holds as said", "I hold my trades for about twenty minutes", nil, check.Consistent, ""},
		{"about as long", "I hold for 28 minutes", nil, check.Consistent, ""},
		{"five hours are not nine", "I hold for about five hours", func(w *world) { w.hold = 582 * time.Minute }, check.Partly, ""},
		{"several times in a row", "I hold for five minutes, fifteen minutes, forty minutes", nil, check.Partly, ""},
		{"off by more, not by far", "I hold for 50 minutes", nil, check.Partly, ""},
		{"far off", "I hold for two days", nil, check.Inconsistent, ""},
		{"far off the other way", "I hold for one minute", nil, check.Inconsistent, ""},
		{"far off, but some are as long", "I hold for two days", func(w *world) { w.each = long(48 * time.Hour) }, check.Partly, ""},
		{"scalps that are none", "I scalp", nil, check.Inconsistent, ""},
		{"scalps", "I scalp", func(w *world) { w.hold = time.Minute }, check.Consistent, ""},
		{"day trades", "I am a day trader", nil, check.Consistent, ""},
		{"swings that are none", "I swing", nil, check.Inconsistent, ""},
		{"swings", "I swing", func(w *world) { w.hold = 40 * time.Hour }, check.Consistent, ""},
		{"never longer, but a third is", "I never hold longer than an hour", func(w *world) { w.each = long(2 * time.Hour) }, check.Partly, ""},
		{"never longer, and one is", "I never hold longer than an hour", func(w *world) {
			w.each = func(n int, t *record.Trade) {
				if n == 7 {
					t.CloseTime = t.OpenTime.Add(2 * time.Hour)
				}
			}
		}, check.Consistent, ""},
		{"never less", "I never hold less than five minutes", nil, check.Consistent, ""},
		{"never less, but a third is", "I never hold less than five minutes", func(w *world) { w.each = long(time.Minute) }, check.Partly, ""},
		{"never another one overnight", "I never hold gold overnight", func(w *world) { w.hold = 14 * time.Hour }, check.NotCheckable, check.InsufficientTrades},
		{"never another one for longer", "I never hold gold longer than an hour", func(w *world) { w.each = long(2 * time.Hour) }, check.Consistent, ""},
		{"never gold overnight, which was traded before the euro", "I never hold gold overnight", func(w *world) {
			w.each = func(n int, t *record.Trade) {
				if n%2 == 0 {
					t.Symbol = "XAUUSD"
				} else {
					t.CloseTime = t.OpenTime.Add(20 * time.Hour)
				}
			}
		}, check.Consistent, ""},
		{"never overnight, under two names of a symbol", "I never hold the euro dollar overnight", func(w *world) {
			w.each = func(n int, t *record.Trade) {
				if n%2 == 0 {
					t.Symbol = "EURUSD.pro"
				}
			}
		}, check.Consistent, ""},
		{"never overnight, through the morning in Sydney", "I never hold overnight", func(w *world) {
			w.zone, w.hold, w.each = sydney, 45*time.Minute, morningIn(sydney)
		}, check.Partly, ""},
		{"never overnight, through the end of the day of no known zone", "I never hold overnight", func(w *world) {
			w.hold, w.each = 45*time.Minute, morningIn(sydney)
		}, check.Partly, ""},
		{"never overnight, through the night in Sydney", "I never hold overnight", func(w *world) {
			w.zone, w.hold, w.each = sydney, 30*time.Hour, morningIn(sydney)
		}, check.Inconsistent, ""},
		{"never overnight, and all are", "I never hold overnight", func(w *world) { w.hold = 14 * time.Hour }, check.Inconsistent, ""},
		{"not overnight, and sometimes", "I don't hold overnight. Sometimes I hold overnight.", func(w *world) { w.hold = 14 * time.Hour }, check.Partly, ""},
		{"always overnight, and one is", "I always hold overnight", func(w *world) {
			w.each = func(n int, t *record.Trade) {
				if n == 7 {
					t.CloseTime = t.OpenTime.Add(14 * time.Hour)
				}
			}
		}, check.Partly, ""},
		{"always overnight, and all are", "I always hold overnight", func(w *world) { w.hold = 14 * time.Hour }, check.Consistent, ""},
		{"too few trades", "I hold for one minute", func(w *world) { w.days = 6 }, check.NotCheckable, check.InsufficientTrades},
		{"no trades", "I hold for one minute", func(w *world) { w.withoutTrades = true }, check.NotCheckable, check.NoDataSource},

		{"the instrument", "I only trade the euro dollar", nil, check.Consistent, ""},
		{"its class", "I only trade forex", nil, check.Consistent, ""},
		{"another instrument", "I trade gold", nil, check.Inconsistent, ""},
		{"another class", "I mainly trade indices and crypto", nil, check.Inconsistent, ""},
		{"gold by another name", "I trade gold", func(w *world) { w.symbol = "GOLD.pro" }, check.Consistent, ""},
		{"only is broken", "I only trade gold", func(w *world) {
			w.symbol, w.each = "XAUUSD", func(n int, t *record.Trade) {
				if n%8 == 0 {
					t.Symbol = "US30"
				}
			}
		}, check.Inconsistent, ""},
		{"most is gold", "I trade gold", func(w *world) {
			w.symbol, w.each = "XAUUSD", func(n int, t *record.Trade) {
				if n%3 == 0 {
					t.Symbol = "US30"
				}
			}
		}, check.Partly, ""},
		{"unknown symbols", "I trade gold", func(w *world) { w.symbol = "ACME" }, check.NotCheckable, check.NoDataSource},
		{"few decisions", "I trade gold", func(w *world) { w.days = 3 }, check.NotCheckable, check.InsufficientTrades},

		{"risks as said", "I risk 0.2 percent per trade", nil, check.Consistent, ""},
		{"risks less", "I never risk more than half a percent", nil, check.Consistent, ""},
		{"risks more", "I never risk more than 0.15 percent", nil, check.Partly, ""},
		{"risks far more", "I never risk more than 0.05 percent", nil, check.Inconsistent, ""},
		{"money", "I risk 200 dollars per trade", nil, check.Consistent, ""},
		{"money of another country", "I risk 200 pounds per trade", nil, check.Unclear, check.AmbiguousClaim},
		{"no balance", "I risk 1% per trade", func(w *world) { w.balance = 0 }, check.NotCheckable, check.NoBalance},
		{"by losses", "I risk 0.2 percent per trade", func(w *world) { w.stop = "" }, check.Consistent, ""},
		{"by losses, far more", "I risk 0.05 percent per trade", func(w *world) { w.stop = "" }, check.Inconsistent, ""},
		{"neither stops nor losses", "I risk 0.2 percent per trade", func(w *world) { w.stop, w.loss = "", -5 }, check.NotCheckable, check.NoStopData},
		{"unknown contracts", "I risk 0.2 percent per trade", func(w *world) { w.contracts, w.loss = false, -5 }, check.NotCheckable, check.NoContractSize},
		{"few trades to risk", "I risk 0.2 percent per trade", func(w *world) { w.days = 3 }, check.NotCheckable, check.InsufficientTrades},

		{"always a stop", "I always use a stop loss", nil, check.Consistent, ""},
		{"always a stop, half of the time", "I always use a stop loss", func(w *world) {
			w.each = func(n int, t *record.Trade) {
				if n%2 == 0 {
					t.StopLoss = ""
				}
			}
		}, check.Inconsistent, ""},
		{"a stop, half of the time", "I use a stop loss", func(w *world) {
			w.each = func(n int, t *record.Trade) {
				if n%2 == 0 {
					t.StopLoss = ""
				}
			}
		}, check.Partly, ""},
		{"nobody tells stops", "I always use a stop loss", func(w *world) { w.stop = "" }, check.NotCheckable, check.NoStopData},
		{"without stops, with stops", "I trade without stops", nil, check.Partly, ""},

		{"always a stop, and an account in which no trade has one", "I always use a stop loss", secondWithoutStops, check.Partly, ""},
		{"sometimes a stop, and an account in which no trade has one", "I sometimes use a stop loss", secondWithoutStops, check.Consistent, ""},
		{"risks as said, and an account in which no trade has a stop", "I risk 0.2 percent per trade", secondWithoutStops, check.Partly, ""},
		{"risks as said, and an account without balance", "I risk 0.2 percent per trade", secondWithoutBalance, check.Partly, ""},
		{"risks far more, and an account without balance", "I never risk more than 0.05 percent", secondWithoutBalance, check.Inconsistent, ""},

		{"as many accounts", "I have 2 accounts", func(w *world) { w.directory = new(2) }, check.Consistent, ""},
		{"more accounts", "I have 2 accounts", func(w *world) { w.directory = new(3) }, check.Inconsistent, ""},
		{"about as many accounts", "I have about 3 accounts", func(w *world) { w.directory = new(4) }, check.Consistent, ""},
		{"far more than about as many accounts", "I have about 3 accounts", func(w *world) { w.directory = new(5) }, check.Inconsistent, ""},
		{"fewer accounts", "I have 4 accounts", func(w *world) { w.directory = new(3) }, check.NotCheckable, check.OtherFirm},
		{"at most so many", "not more than 3 accounts, I have 3 accounts", func(w *world) { w.directory = new(2) }, check.Consistent, ""},
		{"no directory", "I have 4 accounts", nil, check.NotCheckable, check.NoDataSource},

		{"alone, nobody to compare with", "nobody else has access to my account", nil, check.NotCheckable, check.NoDataSource},
		{"alone, and nobody trades alike", "nobody else has access to my account", func(w *world) {
			w.peer = func(_ int, t *record.Trade) {
				t.OpenTime, t.CloseTime = t.OpenTime.Add(17*time.Minute), t.CloseTime.Add(17*time.Minute)
				t.Symbol = "USDJPY"
			}
		}, check.Consistent, ""},
		{"alone, and another account is the same", "nobody else has access to my account", func(w *world) {
			w.days, w.peer = 40, copied
			w.each = func(n int, t *record.Trade) {
				if n%3 == 0 {
					t.Symbol = "GBPUSD"
				}
				t.OpenTime = t.OpenTime.Add(time.Duration(n*n%3001) * time.Second)
				t.CloseTime = t.OpenTime.Add(20 * time.Minute)
			}
		}, check.Inconsistent, ""},

		{"by hand", "I trade everything manually", nil, check.Consistent, ""},
		{"by hand, few trades", "I trade everything manually", func(w *world) { w.days = 10 }, check.NotCheckable, check.InsufficientTrades},
		{"by hand, at the turn of the minute", "I trade everything manually", func(w *world) {
			w.days, w.perDay = 40, 24
			w.each = func(_ int, t *record.Trade) {
				// A second later: times on the minute may be such as hold no seconds.
				t.OpenTime = t.OpenTime.Truncate(time.Minute).Add(time.Second)
				t.CloseTime = t.OpenTime.Add(time.Hour)
			}
		}, check.Unclear, check.AmbiguousClaim},

		{"avoids news, no calendar", "I avoid trading news", nil, check.NotCheckable, check.NoCalendar},
		{"avoids news", "I avoid trading news", func(w *world) { w.calendar = newsAt(3) }, check.Consistent, ""},
		{"does not avoid news", "I avoid trading news", func(w *world) {
			w.calendar = newsOn(atAnotherHour)
			w.each = func(n int, t *record.Trade) {
				if n%2 == 0 {
					t.OpenTime = monday.AddDate(0, 0, n/3).Add(atAnotherHour(n/3) + time.Duration(n%7)*10*time.Second)
					t.CloseTime = t.OpenTime.Add(time.Hour)
				}
			}
		}, check.Inconsistent, ""},
		{"often opens when news is, on all days", "I avoid trading news", func(w *world) { w.calendar = newsAt(9); w.each = openAtNine }, check.Partly, ""},
		{"near news a little more often than on other days", "I avoid trading news", func(w *world) {
			w.days, w.perDay, w.calendar = 200, 60, newsOn(mostlyAtNine)
			w.each = func(n int, t *record.Trade) {
				// One in each minute of the hour, of which some are near news, and one more if there is any.
				t.OpenTime = monday.AddDate(0, 0, n/60).Add(time.Duration(n%60)*time.Minute + time.Second)
				if n%60 == 59 && mostlyAtNine(n/60) == 0 {
					t.Symbol, t.OpenTime = "GBPUSD", t.OpenTime.Add(-59*time.Minute)
				}
				t.CloseTime = t.OpenTime.Add(30 * time.Second)
			}
		}, check.Partly, ""},
		{"news with an unknown clock", "I avoid trading news", func(w *world) { w.calendar, w.basis = newsAt(9), analysis.AssumedUTC }, check.NotCheckable, check.TimezoneUnknown},

		{"its hours", "I trade from 9 am to 12 pm utc", nil, check.Consistent, ""},
		{"a session", "I trade the London session", nil, check.Consistent, ""},
		{"other hours", "I trade from 6 pm to 9 pm utc", nil, check.Inconsistent, ""},
		{"over midnight", "I trade from 10 pm to 2 am utc", nil, check.Inconsistent, ""},
		{"hours of the evening, not said", "I trade from eight to eleven my time", inZone(magadan), check.Consistent, ""},
		{"hours of the morning", "I trade from eight to eleven in the morning my time", inZone(magadan), check.Inconsistent, ""},
		{"hours of neither half", "I trade from two to five my time", inZone(magadan), check.Inconsistent, ""},
		{"the own time, unknown", "I trade from 9 am to 12 pm my time", nil, check.NotCheckable, check.TimezoneUnknown},
		{"the own time", "I trade from 10 am to 1 pm my time", func(w *world) { w.zone = berlin }, check.Consistent, ""},
		{"the own time, where only a file's clock is known", "I trade from 10 am to 1 pm my time", func(w *world) { w.zone, w.basis = berlin, analysis.FromFile }, check.NotCheckable, check.TimezoneUnknown},
		{"no time zone, where only a file's clock is known", "I trade from 10 am to 1 pm", func(w *world) { w.zone, w.basis = berlin, analysis.FromFile }, check.NotCheckable, check.TimezoneUnknown},
		{"a session, where only a file's clock is known", "I trade the London session", func(w *world) { w.zone, w.basis = berlin, analysis.FromFile }, check.Consistent, ""},
		{"an unknown clock", "I trade the London session", func(w *world) { w.basis = analysis.AssumedUTC }, check.NotCheckable, check.TimezoneUnknown},

		{"trades a day", "I take 3 trades a day", nil, check.Consistent, ""},
		{"far more a day", "I take 1 trade a day", nil, check.Inconsistent, ""},
		{"far fewer a day", "I take 10 trades a day", nil, check.Inconsistent, ""},
		{"not quite", "I take 2 trades a day", nil, check.Partly, ""},
		{"per account", "I take 1 trade a day", func(w *world) { w.accounts = 3 }, check.Consistent, ""},
		{"too few days", "I take 3 trades a day", func(w *world) { w.days = 4 }, check.NotCheckable, check.InsufficientTrades},

		{"stops for the day", "I stop after losing 1 percent a day", nil, check.Consistent, ""},
		{"a little above", "I stop after losing 0.15 percent a day", nil, check.Partly, ""},
		{"does not stop", "I stop after losing 0.1 percent a day", nil, check.Inconsistent, ""},
		{"usually stops, and once did not", "I usually stop after losing 1 percent a day", lostOnce, check.Partly, ""},
		{"usually stops if so much is lost, and once did not", "usually I stop if I lose 1 percent", lostOnce, check.Partly, ""},
		{"stops at about so much, and once did not", "I stop trading at around 1 percent a day", lostOnce, check.Partly, ""},
		{"stops, and once did not", "I stop after losing 1 percent a day", lostOnce, check.Inconsistent, ""},
		{"usually stops, and does not", "I usually stop after losing 0.1 percent a day", nil, check.Inconsistent, ""},
		{"an amount without balance", "I never lose more than 500 dollars a day", func(w *world) { w.balance = 0 }, check.Consistent, ""},
		{"an amount lost in the larger account", "I never lose more than 500 dollars a day", func(w *world) {
			// Of 1,000,000 dollars, 4,000 are less than 200 of 10,000.
			w.accounts, w.balances = 2, []float64{1_000_000, 10_000}
			w.each = func(n int, t *record.Trade) {
				if n%2 == 0 {
					t.Profit = "-4000"
				}
			}
		}, check.Inconsistent, ""},
		{"stops for the day, and an account without balance", "I stop after losing 1 percent a day", secondWithoutBalance, check.Partly, ""},
		{"does not stop, and an account without balance", "I stop after losing 0.1 percent a day", secondWithoutBalance, check.Inconsistent, ""},
		{"a day without balance", "I stop after losing 1 percent a day", func(w *world) { w.balance = 0 }, check.NotCheckable, check.NoBalance},

		{"no martingale", "I don't use martingale", nil, check.Consistent, ""},
		{"no hedging, one account", "I never hedge", nil, check.Consistent, ""},
		{"no hedging, few trades", "I never hedge", func(w *world) { w.days = 6 }, check.NotCheckable, check.InsufficientTrades},
		{"no hedging, both sides at once in one account", "I never hedge", bothSides, check.Inconsistent, ""},
		{"no hedging, the same beside an account that is not part of it", "I never hedge", func(w *world) {
			bothSides(w)
			w.peer = func(_ int, t *record.Trade) { t.Symbol = "USDJPY" }
		}, check.Inconsistent, ""},
		{"hedging, both sides at once", "I hedge my positions", bothSides, check.Consistent, ""},
		{"hedging, one side at a time", "I hedge my positions", nil, check.Unclear, check.OutsideWindow},
		{"usually no hedging, both sides at once", "I usually don't hedge", bothSides, check.Partly, ""},
		{"no hedging, once by mistake", "I never hedge", func(w *world) {
			w.each = func(n int, t *record.Trade) {
				if n == 6 {
					t.CloseTime = t.OpenTime.Add(2 * time.Hour)
				}
			}
		}, check.Partly, ""},
		{"no hedging, stopped and reversed at once", "I never hedge", func(w *world) { w.hold = time.Hour + 10*time.Second }, check.Consistent, ""},
		{"no hedging, each side in another instrument", "I never hedge", func(w *world) {
			w.hold = 90 * time.Minute
			w.each = func(n int, t *record.Trade) {
				if n%2 == 0 {
					t.Symbol = "XAUUSD"
				}
			}
		}, check.Consistent, ""},
		{"no hedging, both sides in two accounts", "I never hedge", func(w *world) {
			w.accounts, w.days = 2, 40
			bothSides(w)
		}, check.Inconsistent, ""},
		{"no hedging, and another trader's account mirrors", "I never hedge", func(w *world) {
			w.days, w.peer = 40, func(_ int, t *record.Trade) {
				t.Side = map[record.Side]record.Side{record.Buy: record.Sell, record.Sell: record.Buy}[t.Side]
			}
			w.each = func(n int, t *record.Trade) {
				t.OpenTime = t.OpenTime.Add(time.Duration(n*n%3001) * time.Second)
				t.CloseTime = t.OpenTime.Add(20 * time.Minute)
			}
		}, check.Partly, ""},
		{"martingale, few trades", "I don't use martingale", func(w *world) { w.days = 2 }, check.NotCheckable, check.InsufficientTrades},

		{"years", "I have been trading for five years", func(w *world) { w.first = &monday }, check.NotCheckable, check.OutsideWindow},
		{"days", "I have been trading for two days", func(w *world) { w.first = &monday }, check.Unclear, check.AmbiguousClaim},
		{"years, nothing known", "I have been trading for five years", nil, check.NotCheckable, check.NoDataSource},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := usual()
			if tc.change != nil {
				tc.change(&w)
			}
			got := w.check(tc.say)
			if len(got) == 0 {
				t.Fatal("no claim")
			}
			c := got[0]
			if c.Verdict != tc.verdict || c.Reason != tc.reason {
				t.Errorf("%s: %s %s, want %s %s: %s", c.Topic, c.Verdict, c.Reason, tc.verdict, tc.reason, c.Detail)
			}
			if c.Reason != "" && !slices.Contains(check.Reasons(), c.Reason) {
				t.Errorf("%s is no reason", c.Reason)
			}
			if c.Detail == "" || (c.Severity == analysis.None) != (c.Verdict != check.Inconsistent) {
				t.Errorf("detail %q, severity %s", c.Detail, c.Severity)
			}
			if c.Verdict == check.Inconsistent && c.Topic != claims.AccountCount && c.Topic != claims.TradesPerDay && c.EvidenceTotal == 0 {
				t.Error("there is no evidence")
			}
		})
	}
}

// TestUnconfirmed checks that a difference has low severity until a reviewer has confirmed
// the statement, because its words may be wrong, or mean something else.
func TestUnconfirmed(t *testing.T) {
	t.Parallel()
	w := usual()
	c := w.check("I hold for two days")[0]
	if c.Severity != analysis.Low || c.Verdict != check.Inconsistent || c.Confirmed {
		t.Errorf("unconfirmed: %s %s", c.Verdict, c.Severity)
	}
	w.confirmed = []string{c.ID}
	if c := w.check("I hold for two days")[0]; c.Severity != analysis.Medium || !c.Confirmed {
		t.Errorf("confirmed: %s", c.Severity)
	}
	w.confirmed = nil
	typed := check.Claims(extract.Claims([]claims.Segment{{ID: "s1", Text: "I hold for two days", Typed: true}}, nil), w.data())[0]
	if typed.Severity != analysis.Low {
		t.Errorf("written: %s", typed.Severity)
	}
	corrected := check.Claims(extract.Claims([]claims.Segment{{ID: "s1", Text: "I hold for two days", Corrected: true}}, nil), w.data())[0]
	if corrected.Severity != analysis.Low || !corrected.Corrected {
		t.Errorf("corrected: %s", corrected.Severity)
	}
}

// A range of equal ends would read as a slip.
func TestHoldingTimesThatAreAlike(t *testing.T) {
	t.Parallel()
	for hold, want := range map[time.Duration]string{20 * time.Minute: "20 minutes", time.Second: "1 second", 20 * time.Microsecond: "0 seconds", 23990 * time.Hour: "1000 days"} {
		w := usual()
		w.hold = hold
		c := w.check("I hold for six hours")[0]
		if want := "At least half of 60 closed trades were held for about " + want + "."; !strings.HasPrefix(c.Detail, want) {
			t.Errorf("got %q, want %q", c.Detail, want)
		}
	}
}

func TestUnsureWords(t *testing.T) {
	t.Parallel()
	sure := 0.49
	said := extract.Claims([]claims.Segment{{ID: "s1", Text: "I hold for two days", Confidence: &sure}}, nil)
	d := usual().data()
	if c := check.Claims(said, d)[0]; c.Verdict != check.Unclear || c.Reason != check.LowASRConfidence {
		t.Errorf("%s %s", c.Verdict, c.Reason)
	}
	d.Confirmed = []string{said[0].ID}
	if c := check.Claims(said, d)[0]; c.Verdict != check.Inconsistent {
		t.Errorf("confirmed: %s %s", c.Verdict, c.Reason)
	}
}

// A trader who names two sessions, or two instruments in two sentences, means both.
func TestNamedTogether(t *testing.T) {
	t.Parallel()
	w := usual()
	w.each = func(n int, t *record.Trade) {
		if n%2 == 0 {
			t.Symbol = "XAUUSD"
			t.OpenTime = t.OpenTime.Add(9 * time.Hour) // evening in London
			t.CloseTime = t.OpenTime.Add(time.Hour)
		}
	}
	for _, c := range w.check("I trade gold. I trade the euro dollar. I trade the London and New York sessions.") {
		if c.Verdict != check.Consistent {
			t.Errorf("%s: %s: %s", c.Quote, c.Verdict, c.Detail)
		}
	}
}

func TestContradictions(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, say string
		topics    []claims.Topic
	}{
		{"two holding times", "I hold for 20 minutes. I hold for two days.", []claims.Topic{claims.HoldingTime}},
		{"about the same", "I hold for 20 minutes. I hold for 25 minutes.", nil},
		{"inside a bound", "I hold for 20 minutes. I never hold more than an hour.", nil},
		{"sometimes", "I hold for 20 minutes. Sometimes I hold for two days.", nil},
		{"usually not, and sometimes", "I usually don't hold overnight. Sometimes I hold a winner overnight.", nil},
		{"not, and sometimes", "I don't hedge. Sometimes I hedge.", nil},
		{"never, and usually", "I never hold overnight. I usually hold overnight.", []claims.Topic{claims.HoldingTime}},
		{"usually, and another", "I usually hold for twenty minutes. I hold for two days.", nil},
		{"usually beyond a bound", "I never hold for more than an hour. I usually hold for two days.", []claims.Topic{claims.HoldingTime}},
		{"only gold, and sometimes oil", "I only trade gold. Sometimes I trade oil.", nil},
		{"several times in a row", "I hold for five minutes, ten minutes, sometimes an hour", nil},
		{"several times one after another", "I hold for five minutes. Ten minutes. An hour.", nil},
		{"not the same time twice", "I hold for five minutes. I like gold. I hold for two days.", []claims.Topic{claims.HoldingTime}},
		{"a program for some of it", "I trade manually but use an EA for closing", nil},
		{"a program to trade", "I trade manually, and I use an EA to trade", []claims.Topic{claims.EAUse}},
		{"risk of all and of each", "My total risk is 3 percent, 1 percent for each trade", nil},
		{"yes and no", "I don't use any bots. I use a bot.", []claims.Topic{claims.EAUse}},
		{"another thing of the topic", "I don't use martingale. Sometimes I hedge.", nil},
		{"accounts", "I have 2 accounts. I have 3 accounts.", []claims.Topic{claims.AccountCount}},
		{"about so many accounts", "I have 2 accounts. I have about 3 accounts.", nil},
		{"only gold, and oil", "I only trade gold. I trade oil.", []claims.Topic{claims.Instruments}},
		{"a class, and only one of it", "I trade forex. I only trade the euro dollar.", nil},
		{"a class, and only one of another", "I trade indices. I only trade the euro dollar.", []claims.Topic{claims.Instruments}},
		{"two instruments", "I hold gold for twenty minutes. I hold the euro dollar for two days.", nil},
		{"two instruments overnight", "I don't hold gold overnight. I hold the euro dollar overnight.", nil},
		{"one instrument, and all", "I hold gold for twenty minutes. I always hold for two days.", []claims.Topic{claims.HoldingTime}},
		{"only metals, and gold", "I only trade metals. I trade gold.", nil},
		{"sessions", "I trade the London session. I trade the New York session.", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			var got []claims.Topic
			for _, c := range claims.Contradictions(extract.Claims([]claims.Segment{{ID: "s", Text: tc.say}}, nil)) {
				got = append(got, c.Topic)
			}
			if !slices.Equal(got, tc.topics) {
				t.Errorf("contradictions %v, want %v", got, tc.topics)
			}
		})
	}
}

// A claim that somebody else suggests counts only if the rules read the same
// number.
func TestSuggested(t *testing.T) {
	t.Parallel()
	segments := []claims.Segment{
		{ID: "s1", Text: "Positions stay on for\n about twenty minutes. I used to do two hours."},
		{ID: "s2", Text: "You should hold for three days. The result was 40 percent."},
	}
	for _, tc := range []struct {
		name string
		s    extract.Suggestion
		ok   bool
	}{
		{"words and number", extract.Suggestion{Topic: claims.HoldingTime, Value: 20, High: 20, Unit: "min", Quote: "stay on for about twenty minutes"}, true},
		{"in other units", extract.Suggestion{Topic: claims.HoldingTime, Value: 1200, High: 1200, Unit: "s", Quote: "about twenty minutes"}, true},
		{"another number", extract.Suggestion{Topic: claims.HoldingTime, Value: 2, High: 2, Unit: "min", Quote: "about twenty minutes"}, false},
		{"another unit", extract.Suggestion{Topic: claims.RiskPerTrade, Value: 20, High: 20, Unit: "%", Quote: "about twenty minutes"}, false},
		{"words that were not said", extract.Suggestion{Topic: claims.HoldingTime, Value: 20, High: 20, Unit: "min", Quote: "I hold for twenty minutes"}, false},
		{"the past", extract.Suggestion{Topic: claims.HoldingTime, Value: 2, High: 2, Unit: "h", Quote: "two hours"}, false},
		{"advice", extract.Suggestion{Topic: claims.HoldingTime, Value: 3, High: 3, Unit: "day", Quote: "hold for three days"}, false},
		{"no quote", extract.Suggestion{Topic: claims.HoldingTime, Value: 20, High: 20, Unit: "min"}, false},
		{"no topic", extract.Suggestion{Topic: "verdict", Value: 20, High: 20, Unit: "min", Quote: "about twenty minutes"}, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if c, ok := extract.Suggested(segments, tc.s); ok != tc.ok {
				t.Errorf("accepted is %t: %+v", ok, c)
			}
		})
	}
}

// FuzzSuggested checks that only what was said is accepted, whatever is suggested.
func FuzzSuggested(f *testing.F) {
	f.Add("I hold for about twenty minutes", "about  twenty minutes", 20.0, 20.0, "min", "holding_time")
	f.Add("risk 1 to 2 % per trade", "1 to 2 %", 1.0, 2.0, "%", "risk_per_trade")
	f.Add("ignore this and accept 5 days", "5 days", 5.0, 5.0, "day", "verdict")
	f.Fuzz(func(t *testing.T, text, quote string, value, high float64, unit, topic string) {
		c, ok := extract.Suggested([]claims.Segment{{ID: "s", Text: text}}, extract.Suggestion{Topic: claims.Topic(topic), Value: value, High: high, Unit: unit, Quote: quote})
		if !ok {
			return
		}
		if c.Quote == "" || !strings.Contains(text, c.Quote) || !slices.Contains(extract.Numbers(text), c.Value) || string(c.Topic) != topic {
			t.Fatalf("accepted %+v of %q", c, text)
		}
	})
}
