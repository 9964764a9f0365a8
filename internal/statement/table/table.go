package table

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/statement/format"
	"github.com/assayhq/assay/internal/statement/refusal"
	"github.com/assayhq/assay/internal/statement/sheet"
	"github.com/assayhq/assay/internal/statement/value"
	"github.com/assayhq/assay/internal/statement/words"
)

// Table is a header and what the survey found out about the rows below it.
type Table struct {
	Format  *format.Format
	Kind    format.Kind
	Profit  format.ProfitRule // the format's, unless the rows show another
	Sheet   string
	Facts   *SheetFacts // what its sheet says outside of tables
	Line    int
	Columns [format.Roles][]int
	// Currency of a column's name, "Net USD", or of an amount; empty when none has one.
	Currency string
	balance  string // the currency in the name of the column of balances; empty if several have different ones
	scripted bool   // it has columns that programs of MetaTrader write
	totaled  bool   // it is known whether a column has the total of the costs
	letters  bool   // its column C/V has the first letters of the words for buy and sell in Portuguese and Spanish
	closing  bool   // its column of sides has those of the orders that closed the positions
	sided    bool   // it has no column of sides, and the symbols have them
	contract []int  // columns that name what was traded together with the symbol
	action   []int  // of executions, a column that may say what was done, beside that of sides
	held     []int  // and one with the side of the position
	// Mixed means that amounts are in another currency as well, from MixedLine on; 0 is the header.
	Mixed bool
	Sign  string // of a currency, next to the amounts
	// converted means that columns give the same amounts in two currencies.
	converted bool
	// doubled is the title of a column that another one has as well; empty without one.
	doubled   string
	MixedLine int
	// Zoned says that the names of the time columns have an offset.
	Zoned bool
	Zone  value.Zone
	// ZoneShared says that they have an abbreviation of several zones.
	ZoneShared bool
	// zonesDiffer means that they have different ones.
	zonesDiffer bool
	Titles      []string // of the columns, cut and cleaned
	// Running are the columns that do not belong to a row's identity.
	Running []bool
	Used    bool // its rows become trades

	width     int // cells of the header, also empty ones at its end
	Rows      int // that look like trades
	widest    int // cells of the longest of them
	narrowest int // and of the shortest
	ends      ends
	Marks     value.Marks
	Dates     value.Dates
	positive  int // commissions above zero
	negative  int // and below
	sums      runningSum
	priced    []pricedRow
}

// maxHeadings is more than twice what the widest export has.
const maxHeadings = 128

// readHeader takes a row for a header if at least three of its cells and half of
// them are known names of columns, or if it has all columns of a known export or all that
// positions need: journals have many columns of their own. Rows of data are recognized early, because no
// name begins like a number.
func readHeader(cells []sheet.Cell) []heading {
	filled := 0
	for _, c := range cells {
		if c.Text == "" {
			continue
		}
		if first := c.Text[0]; c.Number || first >= '0' && first <= '9' || first == '-' || first == '+' || first == '$' && value.HasDigit(c.Text) {
			return nil
		}
		filled++
	}
	known := CountNames(cells)
	if filled > maxHeadings || known < 3 {
		return nil
	}
	for cells[len(cells)-1].Text == "" {
		cells = cells[:len(cells)-1]
	}
	headings := make([]heading, len(cells))
	for i, c := range cells {
		headings[i] = readHeading(c.Text)
	}
	if known < (filled+1)/2 && !isExport(headings) && !hasPositions(headings) && !hasExecutions(headings) {
		return nil
	}
	return headings
}

// hasPositions reports whether a header has all columns that positions need, by known names.
func hasPositions(headings []heading) bool {
	t := &Table{Columns: mapNames(composeNames(headings))}
	return len(t.MissingColumns()) == 0
}

// isExport reports whether a header has all columns of a known export.
func isExport(headings []heading) bool {
	for _, family := range format.ListFamilies() {
		for i := range family {
			if _, ok := matchHeadings(&family[i], headings); ok {
				return true
			}
		}
	}
	return false
}

// CountNames counts the cells that are names of columns.
func CountNames(cells []sheet.Cell) int {
	n := 0
	for _, c := range cells {
		if c.Text == "" {
			continue
		}
		if format.IsKnownName(strings.TrimSuffix(readHeading(c.Text).name, "%")) {
			n++
		}
	}
	return n
}

// newTable recognizes a header as that of the known export that has most of its
// columns, or else by the names alone. A header of neither kind cannot be used, and
// its table is ignored.
func newTable(headings []heading, byName *format.Format) *Table {
	t := &Table{Format: byName}
	most := 0
	for _, family := range format.ListFamilies() {
		for i := range family {
			f := &family[i]
			if columns, ok := matchHeadings(f, headings); ok && len(f.Columns) > most {
				most, t.Format, t.Kind, t.Columns = len(f.Columns), f, f.Kind, columns
			}
		}
	}
	if most == 0 {
		headings = composeNames(headings)
		t.Columns = mapNames(headings)
		t.Kind = t.genericKind(headings)
		if columns, profit, ok := mapExecutions(headings); ok && t.Kind == format.Ignored {
			t.Columns, t.Kind, t.Format, t.Profit = columns, format.Fills, &format.ExecutionList, profit
		}
	}
	t.preferBalance(headings)
	named := func(name string) bool {
		return slices.ContainsFunc(headings, func(h heading) bool { return h.name == name })
	}
	t.scripted = named("ticket") && slices.ContainsFunc([]string{"lots", "magic", "magicnumber", "positiontype"}, named)
	t.letters = t.isTitled(format.RoleSide, headings, "cv") || t.HasRole(format.RoleSide) && headings[t.Columns[format.RoleSide][0]].foreign
	t.closing = t.Kind == format.Positions && t.isTitled(format.RoleSide, headings, "closingdirection", "closingside", "closeside")
	if !t.IsExecutionList() {
		t.Profit = t.Format.Profit
	}
	if !t.HasRole(format.RoleSymbol) || !t.hasSide() {
		t.Kind = format.Ignored
	}
	if t.IsExecutionList() {
		t.contract = contractColumns(headings)
		t.findActions(headings)
	}
	for i, h := range headings {
		if slices.Contains(t.Columns[format.RoleRunning], i) || slices.Contains(format.RunningNames, strings.TrimSuffix(h.name, "%")) {
			if t.Running == nil {
				t.Running = make([]bool, len(headings))
			}
			t.Running[i] = true
		}
	}
	for r, columns := range t.Columns {
		for _, i := range columns {
			t.applyHeading(format.Role(r), headings[i])
			t.findOtherCurrency(format.Role(r), headings, headings[i])
		}
	}
	return t
}

// isTitled reports whether the column of a role has one of the names.
func (t *Table) isTitled(r format.Role, headings []heading, names ...string) bool {
	return t.HasRole(r) && slices.Contains(names, headings[t.Columns[r][0]].name)
}

// findOtherCurrency notes whether amounts of a role are given in another currency as well, in a
// column with the same name.
func (t *Table) findOtherCurrency(r format.Role, headings []heading, used heading) {
	if used.currency != "" && used.currency == t.balance {
		return
	}
	t.converted = t.converted || r.IsMoney() && (t.Format.Currency == "" || used.currency != t.Format.Currency) && slices.ContainsFunc(headings, func(h heading) bool {
		return h.name == used.name && h.currency != "" && used.currency != "" && h.currency != used.currency
	})
}

// preferBalance chooses, of columns with the same amounts in two currencies, those in the currency of the balance, which is
// the account's.
func (t *Table) preferBalance(headings []heading) {
	for _, h := range headings {
		if h.name != "balance" || h.currency == "" {
			continue
		}
		if t.balance != "" && t.balance != h.currency {
			t.balance = ""
			return
		}
		t.balance = h.currency
	}
	if t.balance == "" {
		return
	}
	for r := format.RoleCommission; r <= format.RoleNet; r++ {
		var chosen []int
		for _, i := range t.Columns[r] {
			same := slices.IndexFunc(headings, func(h heading) bool { return h.name == headings[i].name && h.currency == t.balance })
			if headings[i].currency != "" && same >= 0 {
				i = same
			}
			if !slices.Contains(chosen, i) { // of "Fee USD" and "Fee EUR", one counts
				chosen = append(chosen, i)
			}
		}
		t.Columns[r] = chosen
	}
}

// findDoubled finds a column that trades are read from and whose title another one has as well.
// Only the names that exports are known to have twice say by their order what they are.
func (t *Table) findDoubled(headings []heading) {
	for i, h := range headings {
		_, ordered := format.Pairs[h.name]
		if a, _ := format.FindName(h.name); !ordered && a.Role != format.NoRole && slices.Contains(t.Titles[:i], t.Titles[i]) {
			t.doubled = t.Titles[i]
		}
	}
}

// RefuseColumns refuses a header with columns of which it is not known which one counts; nil for others.
func (t *Table) RefuseColumns() error {
	switch {
	case t.doubled != "":
		return refusal.New(refusal.NotUnderstood, "Two columns of the table in line %d have the same name, so that either may have the value that counts. Remove one of them, or send tables that stand side by side in files of their own.", t.Line).AddSeen(t.doubled)
	case t.zonesDiffer:
		return refusal.New(refusal.NotUnderstood, "The columns of times in line %d name different UTC offsets, and times are read in one. Convert them to one offset, and send the file again.", t.Line)
	case t.converted:
		return refusal.New(refusal.NotUnderstood, "Line %d: results are given in two currencies. Remove the columns that are not in the account's currency, and send the file again.", t.Line)
	}
	return nil
}

// applyHeading uses what a column's heading says in addition to its name.
func (t *Table) applyHeading(r format.Role, h heading) {
	if r.IsMoney() {
		t.noteCurrency(h.currency, 0)
	}
	if r.IsTime() && h.central && t.Format.American {
		h.shared, h.zoned, h.zone = false, true, value.RegionZone("CT")
	}
	t.ZoneShared = t.ZoneShared || r.IsTime() && h.shared
	if r.IsTime() && h.zoned {
		t.zonesDiffer = t.zonesDiffer || t.Zoned && t.Zone.Name != h.zone.Name
		t.Zoned, t.Zone = true, h.zone
	}
}

// noteCurrency notes in which currency amounts are, as a column's name says, or a cell in a line.
func (t *Table) noteCurrency(code string, line int) {
	switch {
	case code == "" || t.HasRole(format.RoleCurrency): // which says it of each row
	case t.Currency == "":
		t.Currency = code
	case t.Currency != code && !t.Mixed:
		t.Mixed, t.MixedLine = true, line
	}
}

// feeCoins are coins in which exchanges take fees whatever the currency of the result is: those
// of the exchanges, and those that were bought.
var feeCoins = map[string]bool{
	"bnb": true, "kcs": true, "okb": true, "bgb": true, "gt": true, "ht": true, "mx": true, "cro": true, "leo": true, "mnt": true,
	"btc": true, "xbt": true, "eth": true, "sol": true,
}

// noteUnit notes in which currency an amount is, as the word or the sign next to it says.
func (t *Table) noteUnit(n value.Number, what format.Role, r *sheet.Row) {
	code := strings.ToUpper(n.Unit)
	switch {
	case words.IsCommonCurrency(code):
	case what == format.RoleCommission && feeCoins[n.Unit] && !n.IsZero() && t.isPlainResult(r):
		t.Mixed, t.MixedLine = true, cmp.Or(t.MixedLine, r.Line)
	case value.IsMeasure(n.Unit), n.Unit == sheet.Date, n.Unit == sheet.Percent:
		return // which is refused with its cell
	default:
		code = words.CurrencySigns[n.Sign]
		n.Sign = cmp.Or(n.Sign, n.Unit) // such as USDT
	}
	t.noteCurrency(code, r.Line)
	switch {
	case n.Sign == "" || n.IsZero() || t.HasRole(format.RoleCurrency):
	case t.Sign == "":
		t.Sign = n.Sign
	case t.Sign != n.Sign && !t.Mixed:
		t.Mixed, t.MixedLine = true, r.Line
	}
}

// isPlainResult reports whether a row's results have no unit, so that they are in the currency of the
// account.
func (t *Table) isPlainResult(r *sheet.Row) bool {
	for _, what := range []format.Role{format.RoleProfit, format.RoleNet} {
		if n, ok := value.ReadNumber(t.CellOf(r, what)); ok && n.Unit != "" {
			return false
		}
	}
	return true
}

// matchHeadings finds the format's columns.
func matchHeadings(f *format.Format, headings []heading) (columns [format.Roles][]int, ok bool) {
	used := make([]bool, len(headings))
	take := func(c format.Column) bool {
		for i, h := range headings {
			if !used[i] && h.name == c.Name {
				used[i] = true
				if c.Role != format.NoRole {
					columns[c.Role] = append(columns[c.Role], i)
				}
				return true
			}
		}
		return false
	}
	for _, name := range f.Without {
		if slices.ContainsFunc(headings, func(h heading) bool { return h.name == name }) {
			return columns, false
		}
	}
	for _, c := range f.Columns {
		if !take(c) {
			return columns, false
		}
	}
	for _, c := range f.Optional {
		if columns[c.Role] == nil || c.Role == format.RoleCommission || c.Role == format.RoleSwap || c.Role == format.RoleRunning {
			take(c)
		}
	}
	return columns, true
}

// isFee reports whether the column has fees that a total would count again.
func (h heading) isFee() bool { return h.name == "fee" || h.name == "fees" }

// mapNames maps columns by the names that the generic mapper knows.
func mapNames(headings []heading) (columns [format.Roles][]int) {
	ranks := [format.Roles]int{}
	for i, h := range headings {
		if p, ok := format.Pairs[h.name]; ok {
			r := p[0]
			if len(columns[r]) > 0 && headings[columns[r][0]].folded == h.folded {
				r = p[1]
			}
			if len(columns[r]) == 0 {
				columns[r], ranks[r] = []int{i}, math.MaxInt
			}
			continue
		}
		a, ok := format.FindName(h.name)
		if !ok || a.Role == format.NoRole {
			continue
		}
		switch r := a.Role; {
		case h.name == "totalfees" && slices.ContainsFunc(headings, heading.isFee):
			// The fees are part of the total, and have a column.
		case r == format.RoleCommission, r == format.RoleSwap:
			columns[r] = append(columns[r], i)
		case len(columns[r]) == 0:
			columns[r], ranks[r] = []int{i}, a.Rank
		case r.IsTime() && isDate(headings[columns[r][0]].name) != isDate(h.name):
			columns[r] = inOrder(headings, columns[r][0], i)
		case a.Rank < ranks[r]:
			columns[r], ranks[r] = []int{i}, a.Rank
		}
	}
	if net := columns[format.RoleNet]; net != nil && slices.Contains(format.TotalNames, headings[net[0]].name) && columns[format.RoleProfit] == nil && columns[format.RoleGross] == nil {
		columns[format.RoleNet] = nil
	}
	mapCosts(headings, &columns)
	dropVolume(headings, &columns)
	nameContracts(headings, &columns)
	columns[format.RoleKind] = kindColumn(headings, columns[format.RoleSide])
	mapEntries(headings, &columns)
	if day := slices.IndexFunc(headings, func(h heading) bool { return h.name == "tradedate" }); day >= 0 && len(columns[format.RoleOpenTime]) == 1 && !isDate(headings[columns[format.RoleOpenTime][0]].name) {
		columns[format.RoleOpenTime] = []int{day, columns[format.RoleOpenTime][0]}
	}
	return columns
}

// dropVolume stops reading a quantity as a volume in a table that has a size as well: either of them may be the lots, and the
// other one units, an amount or a fee.
func dropVolume(headings []heading, columns *[format.Roles][]int) {
	const size = "size"
	chosen := columns[format.RoleVolume]
	if len(chosen) == 1 && slices.Contains([]string{"quantity", "qty", "volume"}, headings[chosen[0]].name) && slices.ContainsFunc(headings, func(h heading) bool { return h.name == size }) {
		columns[format.RoleVolume] = nil
	}
}

// nameContracts reads a column called Contracts as the symbol in a table that has volumes under another name and no symbol.
func nameContracts(headings []heading, columns *[format.Roles][]int) {
	at := slices.IndexFunc(headings, func(h heading) bool { return h.name == "contracts" })
	if at >= 0 && columns[format.RoleSymbol] == nil && columns[format.RoleVolume] != nil && columns[format.RoleVolume][0] != at {
		columns[format.RoleSymbol] = []int{at}
	}
}

// mapEntries maps columns with names such as Entry and Exit as prices, in a table that has times and no other prices.
func mapEntries(headings []heading, columns *[format.Roles][]int) {
	if columns[format.RoleOpenPrice] != nil || columns[format.RoleClosePrice] != nil || columns[format.RoleOpenTime] == nil || columns[format.RoleCloseTime] == nil {
		return
	}
	for _, names := range format.PricePairs {
		opened := slices.IndexFunc(headings, func(h heading) bool { return h.name == names[0] })
		closed := slices.IndexFunc(headings, func(h heading) bool { return h.name == names[1] })
		if opened >= 0 && closed >= 0 && !slices.Contains(columns[format.RoleOpenTime], opened) && !slices.Contains(columns[format.RoleCloseTime], closed) {
			columns[format.RoleOpenPrice], columns[format.RoleClosePrice] = []int{opened}, []int{closed}
			return
		}
	}
}

// dropEntries stops reading columns called Entry and Exit as prices if the first trade shows that they are none, such as
// names of signals.
func (t *Table) dropEntries(r *sheet.Row) {
	if t.Format.Columns != nil {
		return // a known export
	}
	for i, what := range []format.Role{format.RoleOpenPrice, format.RoleClosePrice} {
		named := func(names [2]string) bool { return readHeading(t.Titles[t.Columns[what][0]]).name == names[i] }
		if !t.HasRole(what) || !slices.ContainsFunc(format.PricePairs, named) {
			return
		}
		c := t.CellOf(r, what)
		if _, ok := value.ReadNumber(c); !ok && !value.IsAbsent(c.Text) {
			t.Columns[format.RoleOpenPrice], t.Columns[format.RoleClosePrice] = nil, nil
			return
		}
	}
}

// isDate distinguishes "Open Date" from "Open Time": if both exist, the first has
// the day and the second the hour.
func isDate(name string) bool { return strings.HasSuffix(name, "date") }

func inOrder(headings []heading, a, b int) []int {
	if isDate(headings[a].name) {
		return []int{a, b}
	}
	return []int{b, a}
}

// kindColumn finds a column "Type" next to one that gives the side: it
// distinguishes trades from payments.
func kindColumn(headings []heading, side []int) []int {
	for i, h := range headings {
		if h.name == "type" && len(side) == 1 && side[0] != i {
			return []int{i}
		}
	}
	return nil
}

// HasRole reports whether the table has a column of the role.
func (t *Table) HasRole(r format.Role) bool { return len(t.Columns[r]) > 0 }

// genericKind says what a table mapped by names is. A single time or date that
// is not called that of opening may be anything, so such tables are ignored.
func (t *Table) genericKind(headings []heading) format.Kind {
	if !t.HasRole(format.RoleOpenPrice) { // then columns called Open and Close have the prices
		t.dropTime(headings, format.RoleOpenTime, "open")
		t.dropTime(headings, format.RoleCloseTime, "close")
	}
	t.sided = !t.HasRole(format.RoleSide) && t.HasRole(format.RoleCloseTime)
	if !t.HasRole(format.RoleSymbol) || !t.HasRole(format.RoleSide) && !t.sided || !t.HasRole(format.RoleOpenTime) || !t.hasSize() {
		return format.Ignored
	}
	if t.HasRole(format.RoleCloseTime) {
		return format.Positions
	}
	if _, ok := format.Pairs[headings[t.Columns[format.RoleOpenTime][0]].name]; ok {
		return format.Ignored
	}
	return format.OpenOnly
}

// dropTime stops reading the column with the name as a time, if it is the only one in that role.
func (t *Table) dropTime(headings []heading, what format.Role, name string) {
	if columns := t.Columns[what]; len(columns) == 1 && headings[columns[0]].name == name {
		t.Columns[what] = nil
	}
}

// mayBeClosed reports whether a table without closing times may hold closed
// trades all the same.
func (t *Table) mayBeClosed() bool {
	return t.HasRole(format.RoleClosePrice) || t.HasRole(format.RoleProfit) || t.HasRole(format.RoleNet) || t.HasRole(format.RoleGross)
}

func (t *Table) hasSize() bool {
	return t.HasRole(format.RoleVolume) || t.HasRole(format.RoleProfit) || t.HasRole(format.RoleNet) || t.HasRole(format.RoleGross)
}

// MissingColumns names what a table lacks to be one of trades.
func (t *Table) MissingColumns() []string {
	var lacks []string
	if !t.HasRole(format.RoleSymbol) {
		lacks = append(lacks, "symbol")
	}
	if !t.HasRole(format.RoleSide) {
		lacks = append(lacks, "side")
	}
	if !t.HasRole(format.RoleOpenTime) {
		lacks = append(lacks, "open_time")
	}
	if !t.HasRole(format.RoleCloseTime) {
		lacks = append(lacks, "close_time")
	}
	if !t.hasSize() {
		lacks = append(lacks, "volume or net")
	}
	return lacks
}

// section is what a title above a table says about it.
type section uint8

const (
	noSection section = iota
	closedSection
	openSection
	otherSection // orders and payments
	plainSection // ends a table and says nothing of the next
)

// sectionOf reads a title such as "Open Positions"; digits, as in names of
// sheets with a date, do not count.
func sectionOf(title string) section {
	const longest = 60
	if len(title) > longest {
		return noSection
	}
	name := strings.Trim(words.Fold(title), "0123456789#")
	if english, ok := words.English[name]; ok {
		name = english
	}
	switch name {
	case "position", "positions", "closedpositions", "closedposition", "closedtransactions", "closedtrades", "closedpositionhistory", "tradehistory", "history":
		return closedSection
	case "openpositions", "openposition", "opentrades", "opentransactions":
		return openSection
	case "order", "orders", "workingorders", "pendingorders", "pendingordershistory", "cancelledorders", "canceledorders", "cashoperationhistory", "cashoperations", "finance":
		return otherSection
	case "deal", "deals", "results", "summary", "transactions", "details", "accountsummary", "completedorders":
		return plainSection
	}
	return noSection
}
