package tradertest

import (
	"fmt"

	"github.com/assayhq/assay/internal/analysis/trades"
)

// Character is how a trader trades.
type Character string

// The characters. Of the pairs, the second account is another trader's.
const (
	HonestScalper Character = "honest scalper" // many short positions, one at a time
	SwingTrader   Character = "swing trader"   // a few positions over days
	RandomWalk    Character = "random walk"    // no habits but working hours
	Streaky       Character = "streaky"        // no habits either, but decisions that hang together
	Martingale    Character = "martingale"     // doubles after each loss
	Grid          Character = "grid"           // adds at even steps against the price
	CopierPair    Character = "copier pair"    // the other account follows within seconds
	HedgingPair   Character = "hedging pair"   // the other account takes the other side
	NewsTrader    Character = "news trader"    // opens at the minute of news
	Bot           Character = "bot"            // at the turn of a minute, day and night
	Revenger      Character = "revenger"       // back at once after a loss, with more
	Burster       Character = "burster"        // salvos of positions
	OneWay        Character = "one way"        // buys whatever there is
	LotJumper     Character = "lot jumper"     // now and then ten times the usual size
	StyleChanger  Character = "style changer"  // swings in evaluation, scalps when funded
	Strangers     Character = "strangers"      // two honest scalpers in the same hours
)

// Characters lists all characters.
func Characters() []Character {
	return []Character{
		HonestScalper, SwingTrader, RandomWalk, Streaky, Martingale, Grid, CopierPair, HedgingPair, NewsTrader, Bot,
		Revenger, Burster, OneWay, LotJumper, StyleChanger, Strangers,
	}
}

// New returns the trades of somebody of a character in a market.
func New(c Character, m *Market, seed uint64) trades.Input {
	h := newHand(m, seed)
	switch c {
	case HonestScalper:
		h.tradeScalping(0, 0)
	case SwingTrader:
		h.tradeSwing(weeks)
	case RandomWalk:
		h.tradeRandomly()
	case Streaky:
		h.tradeStreaks()
	case Martingale:
		h.tradeMartingale()
	case Grid:
		h.tradeGrid()
	case CopierPair:
		h.tradeCopied()
	case HedgingPair:
		h.tradeHedged()
	case NewsTrader:
		h.newsTrade()
	case Bot:
		h.tradeSchedule()
	case Revenger:
		h.tradeRevenge()
	case Burster:
		h.tradeBursts()
	case OneWay:
		h.oneWay()
	case LotJumper:
		h.tradeJumps()
	case StyleChanger:
		h.in.Accounts[0].Phase = "evaluation"
		h.tradeSwing(weeks / 2)
		h.tradeScalping(h.addAccount(false), weeks/2)
	case Strangers:
		h.tradeScalping(0, 0)
		h.tradeScalping(h.addAccount(true), 0)
	default:
		panic(fmt.Sprintf("no character %q", c))
	}
	return h.makeInput()
}
