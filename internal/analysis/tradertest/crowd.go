package tradertest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/assayhq/assay/internal/analysis/result"
	"github.com/assayhq/assay/internal/analysis/trades"
)

// Crowd is an organization of honest traders who know nothing of each other and
// share what people share: symbols, the opens of sessions, the minutes of news, and
// round lots. Each has one account.
type Crowd struct {
	market *Market
	in     trades.Input
	begins []int // of each trader's trades, and where the last one's end
	each   int   // trades of a trader
	seed   uint64
}

// Plant is what one trader of a crowd is made to do.
type Plant string

// The plants. Hedger and copier are two traders, of whom the second one acts on what
// the first one does.
const (
	PlantHedger     Plant = "hedging pair"
	PlantCopier     Plant = "copier"
	PlantHandover30 Plant = "handover at 30 %"
	PlantHandover50 Plant = "handover at 50 %"
	PlantHandover70 Plant = "handover at 70 %"
	PlantMartingale Plant = "martingale"
	PlantGrid       Plant = "grid"
)

// Plants lists all plants.
func Plants() []Plant {
	return []Plant{PlantHedger, PlantCopier, PlantHandover30, PlantHandover50, PlantHandover70, PlantMartingale, PlantGrid}
}

// Kind is the kind of finding that a plant must have.
func (p Plant) Kind() string {
	switch p {
	case PlantHedger:
		return "opposite_positions"
	case PlantCopier:
		return "copied_trades"
	case PlantMartingale:
		return "loss_chasing"
	case PlantGrid:
		return "averaging_down"
	case PlantHandover30, PlantHandover50, PlantHandover70:
	}
	return "style_break"
}

// NewCrowd draws the organization of a seed, with so many trades of each trader.
func NewCrowd(m *Market, seed uint64, traders, each int) *Crowd {
	c := &Crowd{market: m, each: each, seed: seed}
	c.in = trades.Input{Basis: result.Given, Calendar: m.Calendar, Symbols: symbolsOf(m)}
	for i := range traders {
		h := c.handOf(i)
		h.crowdTrades(newStyle(h.rng), each, 0, weeks*7)
		c.begins = append(c.begins, len(c.in.Trades))
		c.in.Accounts = append(c.in.Accounts, h.in.Accounts[0])
		c.in.Trades = append(c.in.Trades, orderTrades(h.in.Trades, uint16(i))...)
	}
	c.begins = append(c.begins, len(c.in.Trades))
	return c
}

func symbolsOf(m *Market) (names []string) {
	for _, x := range m.instruments {
		names = append(names, x.symbol)
	}
	return names
}

// handOf returns the hand of the i-th trader.
func (c *Crowd) handOf(i int) *hand {
	h := &hand{rng: newSource(c.seed, 1000+uint64(i)), market: c.market}
	h.addAccount(false)
	a := &h.in.Accounts[0]
	a.ID, a.ExternalID, a.Login = fmt.Sprintf("00000000-0000-4000-8000-%012d", i), fmt.Sprintf("acc-%d", i), fmt.Sprint(5000+i)
	return h
}

// Trader is what an analysis of the i-th trader gets: his account, and those of
// all others.
func (c *Crowd) Trader(i int) trades.Input {
	in := c.in
	in.Accounts = slices.Clone(c.in.Accounts)
	for k := range in.Accounts {
		in.Accounts[k].Peer = k != i
	}
	return in
}

// Planted is what an analysis of the i-th trader gets when he does what the plant
// says, in a crowd that is otherwise the same. The second of a pair is the next one.
func (c *Crowd) Planted(p Plant, i int) trades.Input {
	h := c.handOf(i)
	h.rng = newSource(c.seed, 77_000+uint64(i))
	style, next := newStyle(h.rng), (i+1)%len(c.in.Accounts)
	first, second := c.tradesOf(i), c.tradesOf(next)
	switch p {
	case PlantHedger:
		second = h.mirrorTrades(first, second, 0.6)
	case PlantCopier:
		second = h.followTrades(first)
	case PlantMartingale:
		h.tradeProgression(style, c.each)
		first = h.in.Trades
	case PlantGrid:
		h.gridTrades(style, c.each)
		first = h.in.Trades
	case PlantHandover30, PlantHandover50, PlantHandover70:
		at := map[Plant]float64{PlantHandover30: 0.3, PlantHandover50: 0.5, PlantHandover70: 0.7}[p]
		day, trades := int64(at*weeks*7), int(math.Round(at*float64(c.each)))
		h.crowdTrades(style, trades, 0, day)
		h.crowdTrades(newStyle(h.rng).makeUnlike(h.rng, style), c.each-trades, day, weeks*7)
		first = h.in.Trades
	}
	in := c.Trader(i)
	in.Trades = make([]trades.Trade, 0, len(c.in.Trades))
	for k := range in.Accounts {
		switch k {
		case i:
			in.Trades = append(in.Trades, orderTrades(first, uint16(k))...)
		case next:
			in.Trades = append(in.Trades, orderTrades(second, uint16(k))...)
		default:
			in.Trades = append(in.Trades, c.tradesOf(k)...)
		}
	}
	return in
}

// tradesOf returns the trades of the i-th trader.
func (c *Crowd) tradesOf(i int) []trades.Trade { return c.in.Trades[c.begins[i]:c.begins[i+1]] }

// orderTrades returns trades in the order in which a loader has them, as an account's.
func orderTrades(drawn []trades.Trade, account uint16) []trades.Trade {
	ordered := slices.Clone(drawn)
	slices.SortStableFunc(ordered, func(a, b trades.Trade) int { return int(min(max(a.Open-b.Open, -1), 1)) })
	for i := range ordered {
		ordered[i].Account, ordered[i].ID = account, fmt.Sprintf("t%d-%06d", account, i)
	}
	return ordered
}

// style is how somebody of a crowd trades.
type style struct {
	sessions []int64 // opens of the day that he waits for
	atOpen   float64 // share of trades that begin soon after one
	atNews   float64 // share at news
	reaction int64   // to news, median
	rush     int64   // mean time after a session's open
	symbols  []int
	lots     []float64 // round ones, each as likely
	hold     int64     // median
	spread   float64   // of the logarithm of holds
	sticky   float64   // chance to keep the side of the trade before
}

func newStyle(rng *rand.Rand) style {
	opens := [...]int64{7 * hour, 8 * hour, 13*hour + 30*minute, 14*hour + 30*minute}
	ladder := [...]float64{0.1, 0.2, 0.5, 1, 2, 5}
	s := style{
		atOpen: 0.3 + 0.5*rng.Float64(), atNews: 0.1 * rng.Float64(), reaction: int64(float64(5*second) * math.Exp(1.5*rng.Float64())),
		rush: 10*minute + rng.Int64N(50*minute), hold: int64(float64(4*minute) * math.Exp(3*rng.Float64())), spread: 0.4 + 0.5*rng.Float64(),
		sticky: 0.5 + 0.2*rng.Float64(),
	}
	for range 1 + rng.IntN(2) {
		s.sessions = append(s.sessions, opens[rng.IntN(len(opens))])
	}
	// Most trade the one symbol that all trade, some more.
	s.symbols = append(s.symbols, []int{1, 1, 1, 0, 0, 2}[rng.IntN(6)])
	for range rng.IntN(3) {
		s.symbols = append(s.symbols, rng.IntN(4))
	}
	from := rng.IntN(len(ladder) - 1)
	s.lots = ladder[from : from+1+rng.IntN(2)]
	return s
}

// makeUnlike changes a style until it is another person's: positions held five to eight
// times as long, or as short, and other lots.
func (s style) makeUnlike(rng *rand.Rand, other style) style {
	factor := 5 + 3*rng.Float64()
	if s.hold = int64(float64(other.hold) * factor); other.hold > 30*minute {
		s.hold = int64(float64(other.hold) / factor)
	}
	for slices.Contains(other.lots, s.lots[0]) || slices.Contains(other.lots, s.lots[len(s.lots)-1]) {
		s.lots = newStyle(rng).lots
	}
	return s
}

// crowdTrades places so many trades on the working days of a span.
func (h *hand) crowdTrades(s style, n int, from, to int64) {
	var days []int64
	for d := from; d < to; d++ {
		if d%7 < 5 && h.rng.Float64() < 0.85 {
			days = append(days, begin+d*day)
		}
	}
	var news []int64
	for _, e := range h.market.Calendar.Events {
		if e.Currency == "USD" && e.Time >= begin+from*day && e.Time < begin+to*day {
			news = append(news, e.Time)
		}
	}
	var moments []int64
	for range n {
		at := days[h.rng.IntN(len(days))]
		switch kind := h.rng.Float64(); {
		case kind < s.atNews && len(news) > 0:
			at = news[h.rng.IntN(len(news))] + h.drawLognormal(s.reaction, 0.6)
		case kind < s.atNews+s.atOpen:
			at += s.sessions[h.rng.IntN(len(s.sessions))] + int64(h.rng.ExpFloat64()*float64(s.rush))
		default:
			at += h.drawBetween(6*hour, 20*hour)
		}
		moments = append(moments, at-at%(second/1000))
	}
	slices.Sort(moments)
	side := h.drawSide()
	for _, at := range moments {
		if h.rng.Float64() > s.sticky {
			side = side.Opposite()
		}
		h.placeOrder(order{
			instrument: s.symbols[h.rng.IntN(len(s.symbols))], side: side, at: at, hold: h.drawLognormal(s.hold, s.spread),
			lots: s.lots[h.rng.IntN(len(s.lots))],
		})
	}
}

// mirrorTrades takes the other side of a share of another trader's trades, within
// five seconds before or after, and also has trades of its own.
func (h *hand) mirrorTrades(lead, own []trades.Trade, share float64) []trades.Trade {
	var out []trades.Trade
	for _, t := range lead {
		if h.rng.Float64() < share {
			h.in.Trades = nil
			h.placeOrder(order{
				instrument: int(t.Symbol), side: t.Side.Opposite(), at: t.Open + h.drawBetween(-5*second, 5*second),
				hold: t.Close - t.Open + h.drawBetween(0, 10*second), lots: t.Volume,
			})
			out = append(out, h.in.Trades...)
		}
	}
	rest := slices.Clone(own)
	h.rng.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	return append(out, rest[:max(len(lead)-len(out), 0)]...)
}

// followTrades opens what somebody opens, one to three seconds later, in sizes of a factor.
func (h *hand) followTrades(lead []trades.Trade) []trades.Trade {
	factor := []float64{0.5, 2, 3}[h.rng.IntN(3)]
	h.in.Trades = nil
	for _, t := range lead {
		h.placeOrder(order{
			instrument: int(t.Symbol), side: t.Side, at: t.Open + h.drawBetween(second, 3*second),
			hold: t.Close - t.Open + h.drawBetween(0, second), lots: factor * t.Volume,
		})
	}
	return h.in.Trades
}

// tradeProgression trades one position after the other and doubles after each loss, up to
// five times.
func (h *hand) tradeProgression(s style, n int) {
	base := s.lots[0]
	lots, at := base, begin
	for i := range n {
		at = max(at, begin+int64(i)*weeks*7*day/int64(n))
		if place := (at - begin) / day % 7; place >= 5 {
			at = begin + ((at-begin)/day+7-place)*day + 7*hour
		}
		hold := h.drawLognormal(15*minute, 0.4)
		net := h.placeOrder(order{instrument: s.symbols[0], side: h.drawSide(), at: at, hold: hold, lots: lots})
		at += hold + h.drawLognormal(2*minute, 0.5)
		if lots *= 2; net >= 0 || lots > 32*base {
			lots = base
		}
	}
}

// gridTrades opens a position and one more at each even step of the price against
// it, and closes all of them together.
func (h *hand) gridTrades(s style, n int) {
	instrument := s.symbols[0]
	step := 6 * h.minuteMove(instrument)
	for d := 0; len(h.in.Trades) < n; d++ {
		from := begin + int64(d%(weeks*7))*day + 7*hour + h.drawBetween(0, 8*hour) + int64(d/(weeks*7))*hour
		if (from-begin)/day%7 >= 5 || from > h.market.endMoment()-8*hour {
			continue
		}
		until := from + h.drawBetween(3*hour, 8*hour)
		side, direction := h.drawSide(), 1.0
		if side == trades.Sell {
			direction = -1
		}
		level := h.market.priceAt(instrument, from)
		h.placeOrder(order{instrument: instrument, side: side, at: from, hold: until - from, lots: s.lots[0]})
		for at := from; at < until && len(h.in.Trades) < n; at += minute / 4 {
			if direction*(level-h.market.priceAt(instrument, at)) >= step {
				level -= direction * step
				h.placeOrder(order{instrument: instrument, side: side, at: at, hold: until - at, lots: s.lots[0]})
			}
		}
	}
}
