package tradertest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/trades"
)

// hand places the trades of one trader.
type hand struct {
	rng    *rand.Rand
	market *Market
	in     trades.Input
}

// newSource returns a seeded source of numbers.
func newSource(seed, use uint64) *rand.Rand {
	return rand.New(rand.NewPCG(seed, use)) //nolint:gosec // the same seed has to give the same trades
}

// newHand returns a hand with one funded account of 100,000 USD.
func newHand(m *Market, seed uint64) *hand {
	h := &hand{rng: newSource(seed, 2), market: m}
	for _, x := range m.instruments {
		h.in.Symbols = append(h.in.Symbols, x.symbol)
	}
	h.in.Basis = result.Given
	h.in.Calendar = m.Calendar
	h.addAccount(false)
	return h
}

// addAccount adds a funded account and returns its place.
func (h *hand) addAccount(peer bool) uint16 {
	n := len(h.in.Accounts)
	balance := 100_000.0
	h.in.Accounts = append(h.in.Accounts, trades.Account{
		ID: fmt.Sprintf("00000000-0000-4000-8000-%012d", n), ExternalID: fmt.Sprintf("acc-%d", n), Platform: "mt5",
		Login: fmt.Sprint(5000 + n), Phase: "funded", Currency: "USD", InitialBalance: &balance, Peer: peer,
	})
	return uint16(n)
}

// order is what a trader decides on.
type order struct {
	account    uint16
	instrument int
	side       trades.Side
	at         int64
	hold       int64
	lots       float64
	stop       float64 // distance; 0 is none
	target     float64 // distance; 0 is none
}

// placeOrder trades an order and returns its result.
func (h *hand) placeOrder(o order) float64 {
	x := h.market.instruments[o.instrument]
	o.lots = max(math.Round(o.lots*100)/100, 0.01)
	end := min(o.at+max(o.hold, second), h.market.endMoment())
	t := trades.Trade{
		ID: fmt.Sprintf("t%06d", len(h.in.Trades)), Account: o.account, Symbol: uint16(o.instrument), Side: o.side,
		Open: o.at, Close: max(end, o.at), Volume: o.lots,
		OpenPrice: h.market.priceAt(o.instrument, o.at),
		Has:       trades.HasClose | trades.HasVolume | trades.HasOpenPrice | trades.HasProfit,
	}
	direction := 1.0
	if o.side == trades.Sell {
		direction = -1
	}
	if o.stop > 0 {
		t.StopLoss, t.Has = t.OpenPrice-direction*o.stop, t.Has|trades.HasStopLoss
	}
	if o.target > 0 {
		t.TakeProfit, t.Has = t.OpenPrice+direction*o.target, t.Has|trades.HasTakeProfit
	}
	t.Profit = math.Round(100*(direction*(h.market.priceAt(o.instrument, end)-t.OpenPrice)*o.lots*x.contract-7*o.lots)) / 100
	h.in.Trades = append(h.in.Trades, t)
	return t.Profit
}

// makeInput returns what was traded, in the order in which a loader would have it.
func (h *hand) makeInput() trades.Input {
	slices.SortStableFunc(h.in.Trades, func(a, b trades.Trade) int {
		if a.Account != b.Account {
			return int(a.Account) - int(b.Account)
		}
		return int(min(max(a.Open-b.Open, -1), 1))
	})
	return h.in
}

// drawSide returns a fair side.
func (h *hand) drawSide() trades.Side { return trades.Side(h.rng.IntN(2)) }

// drawBetween draws a moment or duration.
func (h *hand) drawBetween(low, high int64) int64 { return low + h.rng.Int64N(max(high-low, 1)) }

// drawLognormal draws a duration around a median; spread is the deviation of its
// logarithm.
func (h *hand) drawLognormal(median int64, spread float64) int64 {
	return int64(float64(median) * math.Exp(spread*h.rng.NormFloat64()))
}

// drawWorkdays returns the mornings (00:00 UTC) of the days on which a trader
// trades who is active on a share of them.
func (h *hand) drawWorkdays(share float64) []int64 {
	var out []int64
	for d := range int64(weeks * 7) {
		if d%7 < 5 && h.rng.Float64() < share {
			out = append(out, begin+d*day)
		}
	}
	return out
}

// minuteMove is the standard deviation of an instrument's minute.
func (h *hand) minuteMove(instrument int) float64 { return h.market.instruments[instrument].move }
