package format

import "github.com/assayhq/assay/internal/statement/value"

// Role is what a column means.
type Role uint8

// The roles of columns.
const (
	NoRole Role = iota
	RoleID
	RoleSymbol
	RoleSide
	RoleVolume
	RoleOpenTime
	RoleCloseTime
	RoleOpenPrice
	RoleClosePrice
	RoleStop
	RoleTarget
	RoleCommission // several columns are added
	RoleSwap       // several columns are added
	RoleProfit     // gross or net, as the format says
	RoleGross
	RoleNet
	RoleAccount
	RoleCurrency
	RoleKind      // what kind of row it is, in addition to the side
	RoleState     // filled, cancelled, open
	RoleEntry     // of a deal: in, out, in/out
	RolePosition  // of a deal: the position it belongs to
	RoleOrder     // of a deal: the order that caused it
	RoleBuyTime   // these four of exports
	RoleSellTime  // that give the bought and the
	RoleBuyPrice  // sold leg instead of the
	RoleSellPrice // opening and the closing one,
	RoleBuyID     // and of the ids of
	RoleSellID    // the two fills
	RoleRunning   // sum of the net results up to the row
	RoleMessage   // of a fill, which may name the last price of the market
	RoleUnit      // the coin of a fill's amounts
	RoleHeld      // the position after a fill, such as 1 S
	RoleCoin      // of a fill's fee
	RoleMargin    // that a fill took up, in a list of the spot market otherwise
	Roles         // how many roles there are
)

// IsNumber reports whether the cells of a role hold prices, amounts of money or volumes.
func (r Role) IsNumber() bool {
	return r == RoleVolume || r.IsPrice() || r.IsMoney()
}

// IsTime reports whether the cells of a role hold times.
func (r Role) IsTime() bool {
	return r == RoleOpenTime || r == RoleCloseTime || r == RoleBuyTime || r == RoleSellTime
}

// IsPrice reports whether the cells of a role hold prices.
func (r Role) IsPrice() bool {
	return r >= RoleOpenPrice && r <= RoleTarget || r == RoleBuyPrice || r == RoleSellPrice
}

// IsMoney reports whether the cells of a role hold amounts of money.
func (r Role) IsMoney() bool { return r >= RoleCommission && r <= RoleNet }

// Kind is what the rows of a table are.
type Kind uint8

// The kinds of tables.
const (
	Ignored   Kind = iota // orders, summaries, cash
	Positions             // one row from open to close
	OpenOnly              // positions without a close
	Deals                 // executions that say whether they open or close
	Fills                 // executions that do not say
)

// ProfitRule says what a format's profit column holds.
type ProfitRule uint8

// The rules of profits.
const (
	Gross   ProfitRule = iota // commission and swap come on top
	Net                       // they are part of it
	Unknown                   // the file does not say
)

// Entry says what an execution does to positions.
type Entry uint8

// What executions do.
const (
	EntryAuto    Entry = iota // closes what is open on the other side, then opens
	EntryIn                   // opens
	EntryOut                  // closes
	EntryReverse              // closes all and opens the rest: MT5's "in/out"
	EntryGone                 // closes what is open, on whichever side: an option that expired
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

// Column is one column of a known header; names are folded.
type Column struct {
	Name string
	Role Role
}

// Format is one known export, as data. A header belongs to the format if it has all of its columns,
// in any order. If several columns have the same name, they are in the order of this list.
type Format struct {
	Name       string
	Platform   string // one of record.Platforms
	Kind       Kind
	Confidence Confidence
	Columns    []Column
	// Optional columns count when they are there.
	Optional []Column
	Profit   ProfitRule
	// Signed: a volume without a minus was bought, one with it was sold. Columns of sides may be empty or missing.
	Signed bool
	// Units: volumes are units of the instrument, or lots of another size than the usual one.
	Units bool
	// BothVolumes: the bought and the sold volume have a column each, in this order.
	BothVolumes bool
	// Words are the English words for the format's own codes of sides, and of what an execution does to positions.
	Words map[string]string
	// Coded: what an execution does to positions may be MetaTrader's number for it, and seconds since 1970 are those
	// of the server's clock, and not of UTC.
	Coded bool
	// Effects say what an execution does to positions by the format's own words for sides, where these say it.
	Effects map[string]Entry
	// Sided: the symbol has the side before it, as in "Buy EUR/USD". The column of sides need not be there.
	Sided bool
	// AfterFee: the result of an execution is after its own commission, and before that of the opening.
	AfterFee bool
	// CostsPositive: commissions and fees are written without a minus.
	CostsPositive bool
	// Mark of decimals that the format writes, where no number shows it.
	Mark value.DecimalMark
	// Order in which the format always writes dates like 03/04/2026.
	Order value.DateOrder
	// LocalDates means that dates are written as the sender's computer writes them,
	// so that order holds only where they have AM or PM.
	LocalDates bool
	// Netting means that an account has one position of a symbol: an execution that
	// opens closes first what is open on the other side.
	Netting bool
	// Strict: an execution is refused if its side or its state is not one that is known, and no row with a volume and a price is a note.
	Strict bool
	// Hedging: an account may have positions of a symbol on both sides, and an execution that does not say what it does
	// closes only with a result.
	Hedging bool
	// Numbered: each opening has its closing in a row of the same number, which counts the trades of the file and is no id.
	Numbered bool
	// Currency of the results, where further columns convert them.
	Currency string
	// American: CST in the name of a column is the zone of the United States, and not that of China.
	American bool
	// Zone of the format's clock, where it is one and the same for everyone.
	Zone string
	// Without are columns that tell another format with the same ones from this.
	Without []string
}

// UsualOrder returns the order in which the format writes the dates; empty if the
// sender's computer decides, and nothing shows that it puts the month first. Where
// points stand in dates, people write the day first, and beside American zones the month.
func (f *Format) UsualOrder(d *value.Dates) value.DateOrder {
	switch {
	case f.Order != "" && (!f.LocalDates || d.HaveHalves()):
		return f.Order
	case d.AreDotted():
		return value.DMY
	case d.AreAmerican():
		return value.MDY
	}
	return ""
}

// ListFamilies lists all known exports, by families of platforms.
func ListFamilies() [][]Format { return [][]Format{metatrader, brokers, futures, stocks, spot, apps} }
