package analysis_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/analysis"
)

// startWorkday returns the beginning of the n-th working day.
func startWorkday(n int) time.Duration { return time.Duration(n/5*7+n%5) * 24 * time.Hour }

// inTickets opens the decision of a deal as tickets of such sizes, a second apart.
func (d deal) inTickets(lots ...float64) []deal {
	out := make([]deal, len(lots))
	for i, l := range lots {
		out[i] = d
		out[i].lots, out[i].at = l, d.at+time.Duration(i)*time.Second
	}
	return out
}

// TestAddsOfOneSize: tickets of 0.1 and 0.2 lots are no larger than one of 0.3.
func TestAddsOfOneSize(t *testing.T) {
	t.Parallel()
	var deals []deal
	for d := range 40 {
		for k := range 4 {
			add := deal{at: startWorkday(d) + time.Duration(k)*time.Minute, hold: time.Hour, price: 1.2 - float64(k*k)/1000, net: float64(d%3) - 0.7}
			if k == 0 {
				deals = append(deals, add.inTickets(0.3)...)
			} else {
				deals = append(deals, add.inTickets(0.1, 0.2)...)
			}
		}
	}
	a := analyse(deals...)
	if got := value(t, a, "averaging_escalating"); got != 0 {
		t.Errorf("%v baskets grew in size, want none", got)
	}
	if got := severity(t, a, "averaging_down"); got != "medium" {
		t.Errorf("severity %s, want medium", got)
	}
}

// TestAddsAtOnePrice: an add at the price of what is open is neither for nor against it.
func TestAddsAtOnePrice(t *testing.T) {
	t.Parallel()
	r := random(2)
	var deals []deal
	for d := range 40 {
		price := float64(105_000+r.IntN(10_000)) / 100_000
		for k := range 8 {
			deals = append(deals, deal{
				at: startWorkday(d) + time.Duration(k)*time.Minute, hold: time.Hour, lots: float64(1+r.IntN(9)) / 100, price: price,
				side: []record.Side{record.Buy, record.Sell}[d%2],
			})
		}
	}
	a := analyse(deals...)
	if m := a.Metrics["averaging_baskets"]; *m.Value != 0 || m.Params["adverse"] != 0 || m.Params["favorable"] != 0 {
		t.Errorf("adds at one price count: %v, %v", *m.Value, m.Params)
	}
}

// TestHedgeAtTheLimit: 0.15 lots against 0.3 are within a ratio of two, in tickets too.
func TestHedgeAtTheLimit(t *testing.T) {
	t.Parallel()
	for _, tickets := range [][]float64{{0.3}, {0.1, 0.2}} {
		r := random(9)
		var deals []deal
		for d := range 40 {
			one := deal{at: startWorkday(d) + time.Duration(r.IntN(20_000))*time.Second, hold: time.Hour, lots: 0.15, net: 50, side: record.Buy}
			other := deal{account: 1, at: one.at, hold: time.Hour, net: -49 / float64(len(tickets)), side: record.Sell}
			if r.IntN(2) == 0 {
				one.side, other.side = other.side, one.side
			}
			deals = append(append(deals, one), other.inTickets(tickets...)...)
		}
		a := analysis.Analyse(input(owner(2), deals...))
		if got := severity(t, a, "opposite_positions"); got != "high" {
			t.Errorf("in tickets of %v: %s, want high", tickets, got)
		}
	}
}

// TestRaiseAtTheLimit: a raise by exactly the limit counts, whatever the quotient of the
// two sizes is in binary.
func TestRaiseAtTheLimit(t *testing.T) {
	t.Parallel()
	for _, c := range [][2]float64{{1, 1.3}, {1.1, 1.43}, {0.7, 0.91}, {2.3, 2.99}} {
		var deals []deal
		lots := c[0]
		for i := range 120 {
			net := []float64{10, -10}[i*7/3%2]
			deals = append(deals, deal{at: time.Duration(i) * 5 * time.Hour, hold: time.Hour, lots: lots, net: net})
			if lots == c[0] && net < 0 {
				lots = c[1]
			} else {
				lots = c[0]
			}
		}
		if got := severity(t, analyse(deals...), "loss_chasing"); got != "medium" {
			t.Errorf("from %v to %v lots after a loss: %s, want medium", c[0], c[1], got)
		}
	}
	for _, c := range [][2]float64{{1, 1.25}, {0.12, 0.15}, {0.56, 0.7}, {1.16, 1.45}} {
		deals := rounds(80, 2*time.Minute, time.Hour, 1.25)
		for i := range deals {
			deals[i].lots = c[min(int(4*(deals[i].lots-1)), 1)]
		}
		if got := severity(t, analyse(deals...), "revenge"); got != "medium" {
			t.Errorf("from %v to %v lots soon after a loss: %s, want medium", c[0], c[1], got)
		}
	}
}

// TestBreakEvenInTickets: tickets whose results add up to nothing are no loss.
func TestBreakEvenInTickets(t *testing.T) {
	t.Parallel()
	var deals []deal
	for i := range 40 {
		at := time.Duration(i) * 5 * time.Hour
		for k, net := range []float64{-0.1, -0.2, 0.3} {
			deals = append(deals, deal{id: fmt.Sprint(i, strings.Repeat("x", k)), at: at, hold: time.Hour, lots: 1, net: net})
		}
	}
	a := analyse(deals...)
	if got := a.Metrics["revenge_rate"].Params["losses"]; got != 0 {
		t.Errorf("%v losses, want none", got)
	}
	if got := a.Metrics["raise_rate_after_loss"].N; got != 0 {
		t.Errorf("%v decisions after losses, want none", got)
	}
}
