package analysis_test

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/analysis"
	"github.com/assayhq/assay/internal/analysis/calendar"
	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/trades"
)

// book is a person's accounts and trades before they are loaded.
type book struct {
	accounts []trades.Account
	trades   []entry
	weeks    int // by which everything was moved
}

// entry is a trade with the number of its account.
type entry struct {
	account int
	record.Trade
}

// exampleBook is three accounts of one person: decisions far enough apart that
// splitting them joins no two, with copies between the accounts, runs of losses,
// bursts, and positions that are still open.
func exampleBook() book {
	b := book{accounts: owner(3)}
	r := random(11)
	symbols := [...]string{"EURUSD", "GBPUSD", "XAUUSD"}
	at := monday
	for i := range 900 {
		at = at.Add(20*time.Second + time.Duration(r.ExpFloat64()*float64(40*time.Minute)))
		if at.Weekday() == time.Saturday {
			at = at.Add(48 * time.Hour)
		}
		d := deal{account: r.IntN(2), id: fmt.Sprintf("d%04d", i), symbol: symbols[r.IntN(3)], side: record.Buy, at: at.Sub(monday)}
		if r.IntN(3) == 0 {
			d.side = record.Sell
		}
		d.lots, d.price, d.net = float64(3*(1+r.IntN(8)))/10, 100+r.NormFloat64(), float64(r.IntN(400)-190)
		d.hold = time.Duration(r.ExpFloat64() * float64(25*time.Minute)).Truncate(time.Microsecond)
		if i%97 == 0 {
			d.hold = open
		}
		t := d.record(i)
		t.OpenTime = t.OpenTime.Truncate(time.Microsecond)
		b.trades = append(b.trades, entry{d.account, t})
		if d.account == 0 && i%2 == 0 {
			t.ID += "c"
			t.OpenTime = t.OpenTime.Add(time.Second)
			if !t.CloseTime.IsZero() {
				t.CloseTime = t.CloseTime.Add(time.Second)
			}
			b.trades = append(b.trades, entry{2, t})
		}
	}
	return b
}

// analyse loads the book in its order.
func (b book) analyse() *result.Activity {
	builder := trades.NewBuilder(b.accounts)
	for _, e := range b.trades {
		builder.Add(b.accounts[e.account].ID, e.Trade)
	}
	in := builder.Input()
	in.Basis, in.Calendar = result.Given, &calendar.Calendar{}
	for i := range 60 {
		moment := monday.Add(time.Duration(7*24*b.weeks)*time.Hour + time.Duration(i)*7*time.Hour)
		in.Calendar.Events = append(in.Calendar.Events, calendar.Event{Time: moment.UnixMicro(), Currency: "USD", Impact: calendar.High})
	}
	return analysis.Analyse(in)
}

// each returns a copy of the book with every trade changed.
func (b book) each(change func(i int, e *entry)) book {
	b.trades = slices.Clone(b.trades)
	for i := range b.trades {
		change(i, &b.trades[i])
	}
	return b
}

func shuffled(b book) book {
	b.trades = slices.Clone(b.trades)
	random(5).Shuffle(len(b.trades), func(i, j int) { b.trades[i], b.trades[j] = b.trades[j], b.trades[i] })
	return b
}

func twice(b book) book {
	b.trades = append(slices.Clone(b.trades), b.trades...)
	return b
}

// split makes two or four tickets of every decision, all at one moment.
func split(b book) book {
	var out []entry
	for i, e := range b.trades {
		parts := 2 << (i % 2)
		volume, net := number(e.Volume)/float64(parts), number(e.Profit)/float64(parts)
		for p := range parts {
			t := e.Trade
			t.ID = fmt.Sprintf("%s-%d", t.ID, p)
			t.Volume = decimal(volume)
			if t.Profit != "" {
				t.Profit = decimal(net)
			}
			out = append(out, entry{e.account, t})
		}
	}
	b.trades = out
	return b
}

// splitUnevenly makes two tickets of every decision: 0.1 and 0.2 of 0.3 lots, whose
// float64s add up to more, and likewise of the result.
func splitUnevenly(b book) book {
	var out []entry
	for _, e := range b.trades {
		first, second := e.Trade, e.Trade
		first.ID, second.ID = first.ID+"-0", second.ID+"-1"
		tenths := math.Round(number(e.Volume) * 10 / 3)
		first.Volume, second.Volume = decimal(tenths/10), decimal(2*tenths/10)
		if e.Profit != "" {
			cents := math.Round(number(e.Profit) * 100 / 3)
			first.Profit, second.Profit = decimal(cents/100), decimal((math.Round(number(e.Profit)*100)-cents)/100)
		}
		out = append(out, entry{e.account, first}, entry{e.account, second})
	}
	b.trades = out
	return b
}

func number(d record.Decimal) float64 {
	var x float64
	if d != "" {
		_, _ = fmt.Sscan(string(d), &x)
	}
	return x
}

func suffixed(b book) book {
	suffixes := [...]string{"", ".pro", "m", "#", ".z", "_i", ".cash"}
	return b.each(func(i int, e *entry) { e.Symbol += suffixes[i%len(suffixes)] })
}

func weeksLater(b book) book {
	const weeks = 5
	b.weeks += weeks
	return b.each(func(_ int, e *entry) {
		e.OpenTime = e.OpenTime.AddDate(0, 0, 7*weeks)
		if !e.CloseTime.IsZero() {
			e.CloseTime = e.CloseTime.AddDate(0, 0, 7*weeks)
		}
	})
}

// renamed gives the accounts other ids, which puts them in another order.
func renamed(b book) book {
	b.accounts = slices.Clone(b.accounts)
	for i := range b.accounts {
		b.accounts[i].ID = accountID(100 - i)
	}
	return b
}

func tripledMoney(b book) book {
	b.accounts = slices.Clone(b.accounts)
	for i := range b.accounts {
		balance := 3 * *b.accounts[i].InitialBalance
		b.accounts[i].InitialBalance = &balance
	}
	return b.each(func(_ int, e *entry) {
		if e.Profit != "" {
			e.Profit = decimal(3 * number(e.Profit))
		}
	})
}

func mirrored(b book) book {
	return b.each(func(_ int, e *entry) {
		if e.Side == record.Buy {
			e.Side = record.Sell
		} else {
			e.Side = record.Buy
		}
		e.OpenPrice = decimal(1000 - number(e.OpenPrice))
	})
}

// effect says how a transformation may change a metric.
type effect int

const (
	equal   effect = iota
	sample         // counts tickets: n and value may change
	params         // value and n are equal, parameters name what was changed
	negated        // the value changes its sign
)

// TestInvariance holds every metric against every transformation that must not
// matter, or must matter in a known way.
func TestInvariance(t *testing.T) {
	t.Parallel()
	base := exampleBook()
	want := base.analyse()
	tickets := map[string]effect{
		"hold_*": sample, "volume_imbalance": sample, "exposure_one_sidedness": sample, // n counts tickets
		"day_symbol_side_*": sample, "loss_share_of_limit": sample, "gain_share_of_target": sample,
		"modal_*": sample, "stop_share": sample,
	}
	for _, name := range []string{"burst_count", "side_share", "hold_p50", "raise_rate_after_loss", "averaging_depth", "revenge_rate", "lot_outlier_share", "best_day_share_of_positive", "copied_match_rate", "opposite_count", "style_distance"} {
		if want.Metrics[name].Status != result.OK {
			t.Errorf("the example does not exercise %s: %+v", name, want.Metrics[name])
		}
	}
	for _, tc := range []struct {
		name      string
		transform func(book) book
		effects   map[string]effect // by name, or a prefix of it that ends in *
	}{
		{"shuffled", shuffled, nil},
		{"loaded twice", twice, nil},
		{"tickets split within three seconds", split, tickets},
		{"tickets split unevenly", splitUnevenly, tickets},
		{"symbols with suffixes", suffixed, nil},
		{"whole weeks later", weeksLater, map[string]effect{"best_day_*": params, "closed_daily_loss": params, "day_symbol_side_*": params, "style_*": params}},
		{"accounts renamed", renamed, map[string]effect{
			"best_day_*": params, "closed_daily_loss": params, "day_symbol_side_*": params, "copied_*": params, "opposite_*": params, "style_*": params,
			"copied_lag": negated, // it is the second account's, and they changed places
		}},
		{"money tripled", tripledMoney, map[string]effect{"style_lots_distance": sample, "style_distance": sample}},
		{"market mirrored", mirrored, map[string]effect{"volume_imbalance": negated, "side_share": params, "day_symbol_side_*": params}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			got := tc.transform(base).analyse()
			if a, b := slices.Sorted(maps.Keys(want.Metrics)), slices.Sorted(maps.Keys(got.Metrics)); !slices.Equal(a, b) {
				t.Fatalf("metrics %v, want %v", b, a)
			}
			for name, m := range want.Metrics {
				if diff := differs(m, got.Metrics[name], effectOn(tc.effects, name)); diff != "" {
					t.Errorf("%s: %s", name, diff)
				}
			}
			for i, d := range want.Detectors {
				if a, b := described(d), described(got.Detectors[i]); a != b {
					t.Errorf("detector says %s, want %s", b, a)
				}
			}
		})
	}
}

// described is what of a detection no transformation changes.
func described(d result.Detection) string {
	severity := "–"
	if d.Severity != nil {
		severity = string(*d.Severity)
	}
	return fmt.Sprint(d.Kind, " ", d.Status, " ", severity)
}

func effectOn(effects map[string]effect, name string) effect {
	if e, ok := effects[name]; ok {
		return e
	}
	for pattern, e := range effects {
		if prefix, ok := strings.CutSuffix(pattern, "*"); ok && strings.HasPrefix(name, prefix) {
			return e
		}
	}
	return equal
}

// differs says how a metric changed against the effect.
func differs(want, got result.Metric, e effect) string {
	switch {
	case want.Status != got.Status || want.Unit != got.Unit || want.MinN != got.MinN:
		return fmt.Sprintf("%+v, want %+v", got, want)
	case e == sample:
		if got.Value != nil && want.Unit == "seconds" && !near(*got.Value, *want.Value, 0.1) {
			return fmt.Sprintf("%v, want about %v", *got.Value, *want.Value)
		}
		return ""
	case want.N != got.N:
		return fmt.Sprintf("n %d, want %d", got.N, want.N)
	case e != params && fmt.Sprint(rounded(want.Params)) != fmt.Sprint(rounded(got.Params)):
		return fmt.Sprintf("params %v, want %v", got.Params, want.Params)
	}
	for _, pair := range [][2]*float64{{want.Value, got.Value}, {want.P, got.P}} {
		if (pair[0] == nil) != (pair[1] == nil) {
			return fmt.Sprintf("%+v, want %+v", got, want)
		}
		if pair[0] == nil {
			continue
		}
		a, b := *pair[0], *pair[1]
		if e == negated {
			a = -a
		}
		if !near(a, b, 1e-9) {
			return fmt.Sprintf("%v, want %v", b, a)
		}
	}
	return ""
}

// rounded leaves out what the order of additions may change.
func rounded(params map[string]any) map[string]any {
	out := maps.Clone(params)
	for k, v := range out {
		if x, ok := v.(float64); ok {
			out[k] = fmt.Sprintf("%.9g", x)
		}
	}
	return out
}

// near compares relatively, and absolutely around zero.
func near(a, b, tolerance float64) bool {
	return math.Abs(a-b) <= tolerance*max(math.Abs(a), math.Abs(b), 1)
}
