package statement

import "github.com/assayhq/assay/internal/statement/value"

// role is what a column means.
type role uint8

const (
	noRole role = iota
	roleID
	roleSymbol
	roleSide
	roleVolume
	roleOpenTime
	roleCloseTime
	roleOpenPrice
	roleClosePrice
	roleStop
	roleTarget
	roleCommission // several columns are added
	roleSwap       // several columns are added
	roleProfit     // gross or net, as the format says
	roleGross
	roleNet
	roleAccount
	roleCurrency
	roleKind      // what kind of row it is, in addition to the side
	roleState     // filled, cancelled, open
	roleEntry     // of a deal: in, out, in/out
	rolePosition  // of a deal: the position it belongs to
	roleOrder     // of a deal: the order that caused it
	roleBuyTime   // these four of exports
	roleSellTime  // that give the bought and the
	roleBuyPrice  // sold leg instead of the
	roleSellPrice // opening and the closing one,
	roleBuyID     // and of the ids of
	roleSellID    // the two fills
	roleRunning   // sum of the net results up to the row
	roleMessage   // of a fill, which may name the last price of the market
	roleUnit      // the coin of a fill's amounts
	roleHeld      // the position after a fill, such as 1 S
	roleCoin      // of a fill's fee
	roleMargin    // that a fill took up, in a list of the spot market otherwise
	roles
)

// isNumber reports whether the cells of a role hold prices, amounts of money or volumes.
func (r role) isNumber() bool {
	return r == roleVolume || r.isPrice() || r.isMoney()
}

// isTime reports whether the cells of a role hold times.
func (r role) isTime() bool {
	return r == roleOpenTime || r == roleCloseTime || r == roleBuyTime || r == roleSellTime
}

// isPrice reports whether the cells of a role hold prices.
func (r role) isPrice() bool {
	return r >= roleOpenPrice && r <= roleTarget || r == roleBuyPrice || r == roleSellPrice
}

// isMoney reports whether the cells of a role hold amounts of money.
func (r role) isMoney() bool { return r >= roleCommission && r <= roleNet }

// tableKind is what the rows of a table are.
type tableKind uint8

const (
	ignored   tableKind = iota // orders, summaries, cash
	positions                  // one row from open to close
	openOnly                   // positions without a close
	deals                      // executions that say whether they open or close
	fills                      // executions that do not say
)

// profitRule says what a format's profit column holds.
type profitRule uint8

const (
	gross   profitRule = iota // commission and swap come on top
	net                       // they are part of it
	unknown                   // the file does not say
)

// entry says what an execution does to positions.
type entry uint8

const (
	auto    entry = iota // closes what is open on the other side, then opens
	in                   // opens
	out                  // closes
	reverse              // closes all and opens the rest: MT5's "in/out"
	gone                 // closes what is open, on whichever side: an option that expired
)

// Confidence says how sure the format is.
type Confidence string

// High: the header is that of a known export. Medium: every needed column was
// found by an exact name. Low: deals or fills were paired by symbol, or the format is known by
// name alone.
const (
	High   Confidence = "high"
	Medium Confidence = "medium"
	Low    Confidence = "low"
)

// column is one column of a known header; names are folded.
type column struct {
	name string
	role role
}

// format is one known export, as data. A header belongs to the format if it has all of its columns,
// in any order. If several columns have the same name, they are in the order of this list.
type format struct {
	name       string
	platform   string // one of record.Platforms
	kind       tableKind
	confidence Confidence
	columns    []column
	// optional columns count when they are there.
	optional []column
	profit   profitRule
	// signed: a volume without a minus was bought, one with it was sold. Columns of sides may be empty or missing.
	signed bool
	// units: volumes are units of the instrument, or lots of another size than the usual one.
	units bool
	// bothVolumes: the bought and the sold volume have a column each, in this order.
	bothVolumes bool
	// words are the English words for the format's own codes of sides, and of what an execution does to positions.
	words map[string]string
	// coded: what an execution does to positions may be MetaTrader's number for it, and seconds since 1970 are those
	// of the server's clock, and not of UTC.
	coded bool
	// effects say what an execution does to positions by the format's own words for sides, where these say it.
	effects map[string]entry
	// sided: the symbol has the side before it, as in "Buy EUR/USD". The column of sides need not be there.
	sided bool
	// afterFee: the result of an execution is after its own commission, and before that of the opening.
	afterFee bool
	// costsPositive: commissions and fees are written without a minus.
	costsPositive bool
	// mark of decimals that the format writes, where no number shows it.
	mark value.DecimalMark
	// order in which the format always writes dates like 03/04/2026.
	order value.DateOrder
	// localDates means that dates are written as the sender's computer writes them,
	// so that order holds only where they have AM or PM.
	localDates bool
	// netting means that an account has one position of a symbol: an execution that
	// opens closes first what is open on the other side.
	netting bool
	// strict: an execution is refused if its side or its state is not one that is known, and no row with a volume and a price is a note.
	strict bool
	// hedging: an account may have positions of a symbol on both sides, and an execution that does not say what it does
	// closes only with a result.
	hedging bool
	// numbered: each opening has its closing in a row of the same number, which counts the trades of the file and is no id.
	numbered bool
	// currency of the results, where further columns convert them.
	currency string
	// american: CST in the name of a column is the zone of the United States, and not that of China.
	american bool
	// zone of the format's clock, where it is one and the same for everyone.
	zone string
	// without are columns that tell another format with the same ones from this.
	without []string
}

// usualOrder returns the order in which the format writes the dates; empty if the
// sender's computer decides, and nothing shows that it puts the month first. Where
// points stand in dates, people write the day first, and beside American zones the month.
func (f *format) usualOrder(d *value.Dates) value.DateOrder {
	switch {
	case f.order != "" && (!f.localDates || d.HaveHalves()):
		return f.order
	case d.AreDotted():
		return value.DMY
	case d.AreAmerican():
		return value.MDY
	}
	return ""
}

// allFormats lists all known exports.
func allFormats() [][]format { return [][]format{metatrader, brokers, futures, stocks, spot, apps} }
