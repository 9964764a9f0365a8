package check_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/interview/claims"
	"github.com/assayhq/assay/internal/interview/claims/check"
	"github.com/assayhq/assay/internal/interview/claims/claimstest"
	"github.com/assayhq/assay/internal/interview/claims/extract"
)

// atAnotherHour is after nine at another hour than on the days of the same weekday around it.
func atAnotherHour(day int) time.Duration { return time.Duration((day+240)*5%8) * time.Hour }

// mostlyAtNine is after nine on one day of eight only.
func mostlyAtNine(day int) time.Duration { return time.Duration((day+240)%8/7) * time.Hour }

// openAtNine lets half of the trades begin at nine.
func openAtNine(n int, t *record.Trade) {
	if n%2 == 0 {
		t.OpenTime = claimstest.Monday.AddDate(0, 0, n/3).Add(time.Duration(n%7) * 10 * time.Second)
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
	inZone := func(zone *time.Location) func(w *claimstest.World) {
		return func(w *claimstest.World) { w.Zone = zone }
	}
	copied := func(_ int, t *record.Trade) { t.OpenTime = t.OpenTime.Add(time.Second) }
	// The trading day ends in New York at nine in Sydney's January.
	morningIn := func(zone *time.Location) func(int, *record.Trade) {
		return func(n int, t *record.Trade) {
			hold := t.CloseTime.Sub(t.OpenTime)
			t.OpenTime = time.Date(2026, 1, 6+n/3, 8, 30+n%3*5, 0, 0, zone)
			t.CloseTime = t.OpenTime.Add(hold)
		}
	}
	bothSides := func(w *claimstest.World) {
		w.PerDay, w.Each = 4, func(n int, t *record.Trade) {
			if n%2 == 1 {
				t.OpenTime = t.OpenTime.Add(-time.Hour)
			}
			t.OpenTime = t.OpenTime.Add(time.Duration((n/2)*(n/2)%3001) * time.Second) // at another minute each day
			t.CloseTime = t.OpenTime.Add(20 * time.Minute)
		}
	}
	secondWithoutStops := func(w *claimstest.World) {
		w.Accounts, w.PerDay, w.Each = 2, 4, func(n int, t *record.Trade) {
			if n%2 == 1 {
				t.StopLoss = ""
			}
		}
	}
	secondWithoutBalance := func(w *claimstest.World) {
		w.Accounts, w.PerDay, w.Balances = 2, 4, []float64{100_000, 0}
		w.Each = func(n int, t *record.Trade) {
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
	lostOnce := func(w *claimstest.World) {
		w.Each = func(n int, t *record.Trade) {
			if n == 7 {
				t.Profit = "-3100"
			}
		}
	}
	for _, tc := range []struct {
		name    string
		say     string
		change  func(w *claimstest.World)
		verdict check.Verdict
		reason  check.Reason
	}{
		{"holds as said", "I hold my trades for about twenty minutes", nil, check.Consistent, ""},
		{"about as long", "I hold for 28 minutes", nil, check.Consistent, ""},
		{"five hours are not nine", "I hold for about five hours", func(w *claimstest.World) { w.Hold = 582 * time.Minute }, check.Partly, ""},
		{"several times in a row", "I hold for five minutes, fifteen minutes, forty minutes", nil, check.Partly, ""},
		{"off by more, not by far", "I hold for 50 minutes", nil, check.Partly, ""},
		{"far off", "I hold for two days", nil, check.Inconsistent, ""},
		{"far off the other way", "I hold for one minute", nil, check.Inconsistent, ""},
		{"far off, but some are as long", "I hold for two days", func(w *claimstest.World) { w.Each = long(48 * time.Hour) }, check.Partly, ""},
		{"scalps that are none", "I scalp", nil, check.Inconsistent, ""},
		{"scalps", "I scalp", func(w *claimstest.World) { w.Hold = time.Minute }, check.Consistent, ""},
		{"day trades", "I am a day trader", nil, check.Consistent, ""},
		{"swings that are none", "I swing", nil, check.Inconsistent, ""},
		{"swings", "I swing", func(w *claimstest.World) { w.Hold = 40 * time.Hour }, check.Consistent, ""},
		{"never longer, but a third is", "I never hold longer than an hour", func(w *claimstest.World) { w.Each = long(2 * time.Hour) }, check.Partly, ""},
		{"never longer, and one is", "I never hold longer than an hour", func(w *claimstest.World) {
			w.Each = func(n int, t *record.Trade) {
				if n == 7 {
					t.CloseTime = t.OpenTime.Add(2 * time.Hour)
				}
			}
		}, check.Consistent, ""},
		{"never less", "I never hold less than five minutes", nil, check.Consistent, ""},
		{"never less, but a third is", "I never hold less than five minutes", func(w *claimstest.World) { w.Each = long(time.Minute) }, check.Partly, ""},
		{"never another one overnight", "I never hold gold overnight", func(w *claimstest.World) { w.Hold = 14 * time.Hour }, check.NotCheckable, check.InsufficientTrades},
		{"never another one for longer", "I never hold gold longer than an hour", func(w *claimstest.World) { w.Each = long(2 * time.Hour) }, check.Consistent, ""},
		{"never gold overnight, which was traded before the euro", "I never hold gold overnight", func(w *claimstest.World) {
			w.Each = func(n int, t *record.Trade) {
				if n%2 == 0 {
					t.Symbol = "XAUUSD"
				} else {
					t.CloseTime = t.OpenTime.Add(20 * time.Hour)
				}
			}
		}, check.Consistent, ""},
		{"never overnight, under two names of a symbol", "I never hold the euro dollar overnight", func(w *claimstest.World) {
			w.Each = func(n int, t *record.Trade) {
				if n%2 == 0 {
					t.Symbol = "EURUSD.pro"
				}
			}
		}, check.Consistent, ""},
		{"never overnight, through the morning in Sydney", "I never hold overnight", func(w *claimstest.World) {
			w.Zone, w.Hold, w.Each = sydney, 45*time.Minute, morningIn(sydney)
		}, check.Partly, ""},
		{"never overnight, through the end of the day of no known zone", "I never hold overnight", func(w *claimstest.World) {
			w.Hold, w.Each = 45*time.Minute, morningIn(sydney)
		}, check.Partly, ""},
		{"never overnight, through the night in Sydney", "I never hold overnight", func(w *claimstest.World) {
			w.Zone, w.Hold, w.Each = sydney, 30*time.Hour, morningIn(sydney)
		}, check.Inconsistent, ""},
		{"never overnight, and all are", "I never hold overnight", func(w *claimstest.World) { w.Hold = 14 * time.Hour }, check.Inconsistent, ""},
		{"not overnight, and sometimes", "I don't hold overnight. Sometimes I hold overnight.", func(w *claimstest.World) { w.Hold = 14 * time.Hour }, check.Partly, ""},
		{"always overnight, and one is", "I always hold overnight", func(w *claimstest.World) {
			w.Each = func(n int, t *record.Trade) {
				if n == 7 {
					t.CloseTime = t.OpenTime.Add(14 * time.Hour)
				}
			}
		}, check.Partly, ""},
		{"always overnight, and all are", "I always hold overnight", func(w *claimstest.World) { w.Hold = 14 * time.Hour }, check.Consistent, ""},
		{"too few trades", "I hold for one minute", func(w *claimstest.World) { w.Days = 6 }, check.NotCheckable, check.InsufficientTrades},
		{"no trades", "I hold for one minute", func(w *claimstest.World) { w.WithoutTrades = true }, check.NotCheckable, check.NoDataSource},

		{"the instrument", "I only trade the euro dollar", nil, check.Consistent, ""},
		{"its class", "I only trade forex", nil, check.Consistent, ""},
		{"another instrument", "I trade gold", nil, check.Inconsistent, ""},
		{"another class", "I mainly trade indices and crypto", nil, check.Inconsistent, ""},
		{"gold by another name", "I trade gold", func(w *claimstest.World) { w.Symbol = "GOLD.pro" }, check.Consistent, ""},
		{"only is broken", "I only trade gold", func(w *claimstest.World) {
			w.Symbol, w.Each = "XAUUSD", func(n int, t *record.Trade) {
				if n%8 == 0 {
					t.Symbol = "US30"
				}
			}
		}, check.Inconsistent, ""},
		{"most is gold", "I trade gold", func(w *claimstest.World) {
			w.Symbol, w.Each = "XAUUSD", func(n int, t *record.Trade) {
				if n%3 == 0 {
					t.Symbol = "US30"
				}
			}
		}, check.Partly, ""},
		{"unknown symbols", "I trade gold", func(w *claimstest.World) { w.Symbol = "ACME" }, check.NotCheckable, check.NoDataSource},
		{"few decisions", "I trade gold", func(w *claimstest.World) { w.Days = 3 }, check.NotCheckable, check.InsufficientTrades},

		{"risks as said", "I risk 0.2 percent per trade", nil, check.Consistent, ""},
		{"risks less", "I never risk more than half a percent", nil, check.Consistent, ""},
		{"risks more", "I never risk more than 0.15 percent", nil, check.Partly, ""},
		{"risks far more", "I never risk more than 0.05 percent", nil, check.Inconsistent, ""},
		{"money", "I risk 200 dollars per trade", nil, check.Consistent, ""},
		{"money of another country", "I risk 200 pounds per trade", nil, check.Unclear, check.AmbiguousClaim},
		{"no balance", "I risk 1% per trade", func(w *claimstest.World) { w.Balance = 0 }, check.NotCheckable, check.NoBalance},
		{"by losses", "I risk 0.2 percent per trade", func(w *claimstest.World) { w.Stop = "" }, check.Consistent, ""},
		{"by losses, far more", "I risk 0.05 percent per trade", func(w *claimstest.World) { w.Stop = "" }, check.Inconsistent, ""},
		{"neither stops nor losses", "I risk 0.2 percent per trade", func(w *claimstest.World) { w.Stop, w.Loss = "", -5 }, check.NotCheckable, check.NoStopData},
		{"unknown contracts", "I risk 0.2 percent per trade", func(w *claimstest.World) { w.Contracts, w.Loss = false, -5 }, check.NotCheckable, check.NoContractSize},
		{"few trades to risk", "I risk 0.2 percent per trade", func(w *claimstest.World) { w.Days = 3 }, check.NotCheckable, check.InsufficientTrades},

		{"always a stop", "I always use a stop loss", nil, check.Consistent, ""},
		{"always a stop, half of the time", "I always use a stop loss", func(w *claimstest.World) {
			w.Each = func(n int, t *record.Trade) {
				if n%2 == 0 {
					t.StopLoss = ""
				}
			}
		}, check.Inconsistent, ""},
		{"a stop, half of the time", "I use a stop loss", func(w *claimstest.World) {
			w.Each = func(n int, t *record.Trade) {
				if n%2 == 0 {
					t.StopLoss = ""
				}
			}
		}, check.Partly, ""},
		{"nobody tells stops", "I always use a stop loss", func(w *claimstest.World) { w.Stop = "" }, check.NotCheckable, check.NoStopData},
		{"without stops, with stops", "I trade without stops", nil, check.Partly, ""},

		{"always a stop, and an account in which no trade has one", "I always use a stop loss", secondWithoutStops, check.Partly, ""},
		{"sometimes a stop, and an account in which no trade has one", "I sometimes use a stop loss", secondWithoutStops, check.Consistent, ""},
		{"risks as said, and an account in which no trade has a stop", "I risk 0.2 percent per trade", secondWithoutStops, check.Partly, ""},
		{"risks as said, and an account without balance", "I risk 0.2 percent per trade", secondWithoutBalance, check.Partly, ""},
		{"risks far more, and an account without balance", "I never risk more than 0.05 percent", secondWithoutBalance, check.Inconsistent, ""},

		{"as many accounts", "I have 2 accounts", func(w *claimstest.World) { w.Directory = new(2) }, check.Consistent, ""},
		{"more accounts", "I have 2 accounts", func(w *claimstest.World) { w.Directory = new(3) }, check.Inconsistent, ""},
		{"about as many accounts", "I have about 3 accounts", func(w *claimstest.World) { w.Directory = new(4) }, check.Consistent, ""},
		{"far more than about as many accounts", "I have about 3 accounts", func(w *claimstest.World) { w.Directory = new(5) }, check.Inconsistent, ""},
		{"fewer accounts", "I have 4 accounts", func(w *claimstest.World) { w.Directory = new(3) }, check.NotCheckable, check.OtherFirm},
		{"at most so many", "not more than 3 accounts, I have 3 accounts", func(w *claimstest.World) { w.Directory = new(2) }, check.Consistent, ""},
		{"no directory", "I have 4 accounts", nil, check.NotCheckable, check.NoDataSource},

		{"alone, nobody to compare with", "nobody else has access to my account", nil, check.NotCheckable, check.NoDataSource},
		{"alone, and nobody trades alike", "nobody else has access to my account", func(w *claimstest.World) {
			w.Peer = func(_ int, t *record.Trade) {
				t.OpenTime, t.CloseTime = t.OpenTime.Add(17*time.Minute), t.CloseTime.Add(17*time.Minute)
				t.Symbol = "USDJPY"
			}
		}, check.Consistent, ""},
		{"alone, and another account is the same", "nobody else has access to my account", func(w *claimstest.World) {
			w.Days, w.Peer = 40, copied
			w.Each = func(n int, t *record.Trade) {
				if n%3 == 0 {
					t.Symbol = "GBPUSD"
				}
				t.OpenTime = t.OpenTime.Add(time.Duration(n*n%3001) * time.Second)
				t.CloseTime = t.OpenTime.Add(20 * time.Minute)
			}
		}, check.Inconsistent, ""},

		{"by hand", "I trade everything manually", nil, check.Consistent, ""},
		{"by hand, few trades", "I trade everything manually", func(w *claimstest.World) { w.Days = 10 }, check.NotCheckable, check.InsufficientTrades},
		{"by hand, at the turn of the minute", "I trade everything manually", func(w *claimstest.World) {
			w.Days, w.PerDay = 40, 24
			w.Each = func(_ int, t *record.Trade) {
				// A second later: times on the minute may be such as hold no seconds.
				t.OpenTime = t.OpenTime.Truncate(time.Minute).Add(time.Second)
				t.CloseTime = t.OpenTime.Add(time.Hour)
			}
		}, check.Unclear, check.AmbiguousClaim},

		{"avoids news, no calendar", "I avoid trading news", nil, check.NotCheckable, check.NoCalendar},
		{"avoids news", "I avoid trading news", func(w *claimstest.World) { w.Calendar = claimstest.NewsAt(3) }, check.Consistent, ""},
		{"does not avoid news", "I avoid trading news", func(w *claimstest.World) {
			w.Calendar = claimstest.NewsOn(atAnotherHour)
			w.Each = func(n int, t *record.Trade) {
				if n%2 == 0 {
					t.OpenTime = claimstest.Monday.AddDate(0, 0, n/3).Add(atAnotherHour(n/3) + time.Duration(n%7)*10*time.Second)
					t.CloseTime = t.OpenTime.Add(time.Hour)
				}
			}
		}, check.Inconsistent, ""},
		{"often opens when news is, on all days", "I avoid trading news", func(w *claimstest.World) { w.Calendar = claimstest.NewsAt(9); w.Each = openAtNine }, check.Partly, ""},
		{"near news a little more often than on other days", "I avoid trading news", func(w *claimstest.World) {
			w.Days, w.PerDay, w.Calendar = 200, 60, claimstest.NewsOn(mostlyAtNine)
			w.Each = func(n int, t *record.Trade) {
				// One in each minute of the hour, of which some are near news, and one more if there is any.
				t.OpenTime = claimstest.Monday.AddDate(0, 0, n/60).Add(time.Duration(n%60)*time.Minute + time.Second)
				if n%60 == 59 && mostlyAtNine(n/60) == 0 {
					t.Symbol, t.OpenTime = "GBPUSD", t.OpenTime.Add(-59*time.Minute)
				}
				t.CloseTime = t.OpenTime.Add(30 * time.Second)
			}
		}, check.Partly, ""},
		{"news with an unknown clock", "I avoid trading news", func(w *claimstest.World) { w.Calendar, w.Basis = claimstest.NewsAt(9), result.AssumedUTC }, check.NotCheckable, check.TimezoneUnknown},

		{"its hours", "I trade from 9 am to 12 pm utc", nil, check.Consistent, ""},
		{"a session", "I trade the London session", nil, check.Consistent, ""},
		{"other hours", "I trade from 6 pm to 9 pm utc", nil, check.Inconsistent, ""},
		{"over midnight", "I trade from 10 pm to 2 am utc", nil, check.Inconsistent, ""},
		{"hours of the evening, not said", "I trade from eight to eleven my time", inZone(magadan), check.Consistent, ""},
		{"hours of the morning", "I trade from eight to eleven in the morning my time", inZone(magadan), check.Inconsistent, ""},
		{"hours of neither half", "I trade from two to five my time", inZone(magadan), check.Inconsistent, ""},
		{"the own time, unknown", "I trade from 9 am to 12 pm my time", nil, check.NotCheckable, check.TimezoneUnknown},
		{"the own time", "I trade from 10 am to 1 pm my time", func(w *claimstest.World) { w.Zone = berlin }, check.Consistent, ""},
		{"the own time, where only a file's clock is known", "I trade from 10 am to 1 pm my time", func(w *claimstest.World) { w.Zone, w.Basis = berlin, result.FromFile }, check.NotCheckable, check.TimezoneUnknown},
		{"no time zone, where only a file's clock is known", "I trade from 10 am to 1 pm", func(w *claimstest.World) { w.Zone, w.Basis = berlin, result.FromFile }, check.NotCheckable, check.TimezoneUnknown},
		{"a session, where only a file's clock is known", "I trade the London session", func(w *claimstest.World) { w.Zone, w.Basis = berlin, result.FromFile }, check.Consistent, ""},
		{"an unknown clock", "I trade the London session", func(w *claimstest.World) { w.Basis = result.AssumedUTC }, check.NotCheckable, check.TimezoneUnknown},

		{"trades a day", "I take 3 trades a day", nil, check.Consistent, ""},
		{"far more a day", "I take 1 trade a day", nil, check.Inconsistent, ""},
		{"far fewer a day", "I take 10 trades a day", nil, check.Inconsistent, ""},
		{"not quite", "I take 2 trades a day", nil, check.Partly, ""},
		{"per account", "I take 1 trade a day", func(w *claimstest.World) { w.Accounts = 3 }, check.Consistent, ""},
		{"too few days", "I take 3 trades a day", func(w *claimstest.World) { w.Days = 4 }, check.NotCheckable, check.InsufficientTrades},

		{"stops for the day", "I stop after losing 1 percent a day", nil, check.Consistent, ""},
		{"a little above", "I stop after losing 0.15 percent a day", nil, check.Partly, ""},
		{"does not stop", "I stop after losing 0.1 percent a day", nil, check.Inconsistent, ""},
		{"usually stops, and once did not", "I usually stop after losing 1 percent a day", lostOnce, check.Partly, ""},
		{"usually stops if so much is lost, and once did not", "usually I stop if I lose 1 percent", lostOnce, check.Partly, ""},
		{"stops at about so much, and once did not", "I stop trading at around 1 percent a day", lostOnce, check.Partly, ""},
		{"stops, and once did not", "I stop after losing 1 percent a day", lostOnce, check.Inconsistent, ""},
		{"usually stops, and does not", "I usually stop after losing 0.1 percent a day", nil, check.Inconsistent, ""},
		{"an amount without balance", "I never lose more than 500 dollars a day", func(w *claimstest.World) { w.Balance = 0 }, check.Consistent, ""},
		{"an amount lost in the larger account", "I never lose more than 500 dollars a day", func(w *claimstest.World) {
			// Of 1,000,000 dollars, 4,000 are less than 200 of 10,000.
			w.Accounts, w.Balances = 2, []float64{1_000_000, 10_000}
			w.Each = func(n int, t *record.Trade) {
				if n%2 == 0 {
					t.Profit = "-4000"
				}
			}
		}, check.Inconsistent, ""},
		{"stops for the day, and an account without balance", "I stop after losing 1 percent a day", secondWithoutBalance, check.Partly, ""},
		{"does not stop, and an account without balance", "I stop after losing 0.1 percent a day", secondWithoutBalance, check.Inconsistent, ""},
		{"a day without balance", "I stop after losing 1 percent a day", func(w *claimstest.World) { w.Balance = 0 }, check.NotCheckable, check.NoBalance},

		{"no martingale", "I don't use martingale", nil, check.Consistent, ""},
		{"no hedging, one account", "I never hedge", nil, check.Consistent, ""},
		{"no hedging, few trades", "I never hedge", func(w *claimstest.World) { w.Days = 6 }, check.NotCheckable, check.InsufficientTrades},
		{"no hedging, both sides at once in one account", "I never hedge", bothSides, check.Inconsistent, ""},
		{"no hedging, the same beside an account that is not part of it", "I never hedge", func(w *claimstest.World) {
			bothSides(w)
			w.Peer = func(_ int, t *record.Trade) { t.Symbol = "USDJPY" }
		}, check.Inconsistent, ""},
		{"hedging, both sides at once", "I hedge my positions", bothSides, check.Consistent, ""},
		{"hedging, one side at a time", "I hedge my positions", nil, check.Unclear, check.OutsideWindow},
		{"usually no hedging, both sides at once", "I usually don't hedge", bothSides, check.Partly, ""},
		{"no hedging, once by mistake", "I never hedge", func(w *claimstest.World) {
			w.Each = func(n int, t *record.Trade) {
				if n == 6 {
					t.CloseTime = t.OpenTime.Add(2 * time.Hour)
				}
			}
		}, check.Partly, ""},
		{"no hedging, stopped and reversed at once", "I never hedge", func(w *claimstest.World) { w.Hold = time.Hour + 10*time.Second }, check.Consistent, ""},
		{"no hedging, each side in another instrument", "I never hedge", func(w *claimstest.World) {
			w.Hold = 90 * time.Minute
			w.Each = func(n int, t *record.Trade) {
				if n%2 == 0 {
					t.Symbol = "XAUUSD"
				}
			}
		}, check.Consistent, ""},
		{"no hedging, both sides in two accounts", "I never hedge", func(w *claimstest.World) {
			w.Accounts, w.Days = 2, 40
			bothSides(w)
		}, check.Inconsistent, ""},
		{"no hedging, and another trader's account mirrors", "I never hedge", func(w *claimstest.World) {
			w.Days, w.Peer = 40, func(_ int, t *record.Trade) {
				t.Side = map[record.Side]record.Side{record.Buy: record.Sell, record.Sell: record.Buy}[t.Side]
			}
			w.Each = func(n int, t *record.Trade) {
				t.OpenTime = t.OpenTime.Add(time.Duration(n*n%3001) * time.Second)
				t.CloseTime = t.OpenTime.Add(20 * time.Minute)
			}
		}, check.Partly, ""},
		{"martingale, few trades", "I don't use martingale", func(w *claimstest.World) { w.Days = 2 }, check.NotCheckable, check.InsufficientTrades},

		{"years", "I have been trading for five years", func(w *claimstest.World) { w.First = &claimstest.Monday }, check.NotCheckable, check.OutsideWindow},
		{"days", "I have been trading for two days", func(w *claimstest.World) { w.First = &claimstest.Monday }, check.Unclear, check.AmbiguousClaim},
		{"years, nothing known", "I have been trading for five years", nil, check.NotCheckable, check.NoDataSource},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			w := claimstest.NewWorld()
			if tc.change != nil {
				tc.change(&w)
			}
			got := w.Check(tc.say)
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
			if c.Detail == "" || (c.Severity == result.None) != (c.Verdict != check.Inconsistent) {
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
	w := claimstest.NewWorld()
	c := w.Check("I hold for two days")[0]
	if c.Severity != result.Low || c.Verdict != check.Inconsistent || c.Confirmed {
		t.Errorf("unconfirmed: %s %s", c.Verdict, c.Severity)
	}
	w.Confirmed = []string{c.ID}
	if c := w.Check("I hold for two days")[0]; c.Severity != result.Medium || !c.Confirmed {
		t.Errorf("confirmed: %s", c.Severity)
	}
	w.Confirmed = nil
	typed := check.Claims(extract.Claims([]claims.Segment{{ID: "s1", Text: "I hold for two days", Typed: true}}, nil), w.Data())[0]
	if typed.Severity != result.Low {
		t.Errorf("written: %s", typed.Severity)
	}
	corrected := check.Claims(extract.Claims([]claims.Segment{{ID: "s1", Text: "I hold for two days", Corrected: true}}, nil), w.Data())[0]
	if corrected.Severity != result.Low || !corrected.Corrected {
		t.Errorf("corrected: %s", corrected.Severity)
	}
}

// A range of equal ends would read as a slip.
func TestHoldingTimesThatAreAlike(t *testing.T) {
	t.Parallel()
	for hold, want := range map[time.Duration]string{20 * time.Minute: "20 minutes", time.Second: "1 second", 20 * time.Microsecond: "0 seconds", 23990 * time.Hour: "1000 days"} {
		w := claimstest.NewWorld()
		w.Hold = hold
		c := w.Check("I hold for six hours")[0]
		if want := "At least half of 60 closed trades were held for about " + want + "."; !strings.HasPrefix(c.Detail, want) {
			t.Errorf("got %q, want %q", c.Detail, want)
		}
	}
}

func TestUnsureWords(t *testing.T) {
	t.Parallel()
	sure := 0.49
	said := extract.Claims([]claims.Segment{{ID: "s1", Text: "I hold for two days", Confidence: &sure}}, nil)
	d := claimstest.NewWorld().Data()
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
	w := claimstest.NewWorld()
	w.Each = func(n int, t *record.Trade) {
		if n%2 == 0 {
			t.Symbol = "XAUUSD"
			t.OpenTime = t.OpenTime.Add(9 * time.Hour) // evening in London
			t.CloseTime = t.OpenTime.Add(time.Hour)
		}
	}
	for _, c := range w.Check("I trade gold. I trade the euro dollar. I trade the London and New York sessions.") {
		if c.Verdict != check.Consistent {
			t.Errorf("%s: %s: %s", c.Quote, c.Verdict, c.Detail)
		}
	}
}
