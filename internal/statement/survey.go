package statement

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assayhq/assay/internal/statement/format"
	"github.com/assayhq/assay/internal/statement/refusal"
	"github.com/assayhq/assay/internal/statement/sheet"
	"github.com/assayhq/assay/internal/statement/value"
	"github.com/assayhq/assay/internal/statement/words"
)

// survey is the first reading of a file: which tables it has, and how numbers
// and dates are written.
type survey struct {
	tables []*table
	sheets []*sheetFacts
	rows   int
	strays [][]string // the first rows outside of tables, for a refusal
	joined int        // line of the first row that holds a header in one cell
	tester bool       // it is the report of a strategy tester
	stray  error      // refuses the first row outside of tables that looks like a trade; nil without one
}

// factsOf returns the facts of the sheet that is being read.
func (s *survey) factsOf(name string) *sheetFacts {
	if n := len(s.sheets); n == 0 || s.sheets[n-1].name != name {
		s.sheets = append(s.sheets, &sheetFacts{name: strings.Clone(name)})
	}
	return s.sheets[len(s.sheets)-1]
}

// shareFacts gives sheets that do not name their account or zone those of the others, if these
// agree: a workbook may have them on a sheet of its own.
func (s *survey) shareFacts() {
	login := agreedValue(s.sheets, func(f *sheetFacts) string { return f.login })
	for _, f := range s.sheets {
		f.login = cmp.Or(f.login, login)
	}
	currency := agreedValue(s.sheets, func(f *sheetFacts) string { return f.currency })
	zone := agreedValue(s.sheets, func(f *sheetFacts) statedZone { return f.zone })
	for _, f := range s.sheets {
		f.zone = cmp.Or(f.zone, zone)
		if f.login == login { // which is empty if there are several accounts
			f.currency = cmp.Or(f.currency, currency)
		}
	}
	for _, t := range s.tables {
		if f := t.facts; f.zone.stated && !t.zoned && t.dates.IsWithoutZone() {
			t.zoned, t.zone = true, value.FixedZone(f.zone.offset)
		}
	}
}

// agreedValue returns the value of the sheets that have one, or zero if they differ.
func agreedValue[T comparable](sheets []*sheetFacts, valueOf func(*sheetFacts) T) (agreed T) {
	var none T
	for _, f := range sheets {
		switch v := valueOf(f); {
		case v == none || v == agreed:
		case agreed != none:
			return none
		default:
			agreed = v
		}
	}
	return agreed
}

func takeSurvey(ctx context.Context, rows sheet.Source, byName *format.Format) (*survey, error) {
	s := &survey{}
	if err := walkRows(ctx, rows, byName, visitor{table: s.addTable, row: s.addRow, pair: s.keepPair, other: s.addOther}); err != nil {
		return nil, err
	}
	s.shareFacts()
	return s, nil
}

// maxTables bounds the headers of a file.
const maxTables = 1000

func (s *survey) addTable(t *table) error {
	s.rows++
	s.tester = s.tester || listsTests(t.titles)
	t.facts = s.factsOf(t.sheet)
	t.facts.tables++
	if s.tables = append(s.tables, t); len(s.tables) > maxTables {
		return refusal.New(refusal.NotUnderstood, "The file has more than %d headers.", maxTables)
	}
	return nil
}

// titleRows is the number of rows at the beginning of a file in which its title may be.
const titleRows = 10

// mostTitles is more than the columns of an export that is known by them.
const mostTitles = 40

// addOther looks at a row outside of tables. Below the title of orders, those with a header that is not known are no
// trades.
func (s *survey) addOther(r *sheet.Row, belowOrders bool) {
	s.rows++
	if first, filled := sheet.FirstFilled(r.Cells); filled == 1 && s.rows <= titleRows {
		s.tester = s.tester || namesTester(r.Cells[first].Text)
	}
	if s.stray == nil && !belowOrders {
		s.stray = refuseStray(r)
	}
	if s.joined == 0 && holdsHeader(r) {
		s.joined = r.Line
	}
	if len(s.strays) < titleRows {
		var row []string
		for _, c := range r.Cells {
			if c.Text != "" && len(row) < mostTitles {
				row = append(row, words.Clean(c.Text, refusal.MaxSeenBytes))
			}
		}
		if row != nil {
			s.strays = append(s.strays, row)
		}
	}
}

func (s *survey) addRow(t *table, r *sheet.Row) error {
	s.rows++
	t.surveyRow(r)
	return nil
}

// keepPair keeps what the file says of the account and its results.
func (s *survey) keepPair(r *sheet.Row, key string, cell sheet.Cell) {
	f := s.factsOf(r.Sheet)
	s.tester = s.tester || testerKeys[key] && len(s.tables) == 0
	if english, ok := words.English[key]; ok {
		key = english
	}
	if f.tables == 0 && isAccountLine(cell.Text) {
		key = "account" // in a language that is not known
	}
	switch key {
	case "timezone":
		f.zone.offset, f.zone.stated = value.ParseOffset(cell.Text)
	case "account", "login", "uid":
		if f.login == "" {
			f.login = readLogin(cell.Text)
		}
		if _, rest, ok := strings.Cut(cell.Text, "("); ok && len(rest) >= 3 && words.IsCommonCurrency(rest[:3]) {
			f.currency = rest[:3]
		}
	case "currency":
		if words.IsCurrency(cell.Text) {
			f.currency = cell.Text
		}
	case "totalnetprofit":
		f.results.net, f.results.exact = cell.Text, cell.Number
	case "totaltrades":
		f.results.trades = cell.Text
	case "shorttradeswon", "shortpositionswon":
		f.results.short = cell.Text
	case "longtradeswon", "longpositionswon":
		f.results.long = cell.Text
	}
}

// chooseTables marks the tables whose rows become trades: those of one format, the
// first that has closed positions, together with the open positions. Deals and
// fills are used only if there are no positions, because positions are made of
// them.
func (s *survey) chooseTables() (*table, error) {
	if s.tester {
		return nil, refuseTester()
	}
	chosen := s.bestTable()
	if chosen == nil {
		return nil, s.refuseTables()
	}
	if chosen.isExecutionList() {
		if r := s.refuseOther(); r != nil {
			return nil, r
		}
	}
	for _, t := range s.tables {
		sameFormat := t.format.Name == chosen.format.Name
		switch chosen.kind {
		case format.Positions:
			t.used = sameFormat && t.kind == format.Positions || t.kind == format.OpenOnly && (sameFormat || t.format.Name == format.Generic.Name)
		default:
			t.used = sameFormat && t.kind == chosen.kind
		}
		if t.kind == format.Positions && t.rows > 0 && !t.used {
			return nil, refusal.New(refusal.NotUnderstood, "The tables in lines %d and %d come from different exports. Send each of them in its own file.", chosen.line, t.line)
		}
	}
	return chosen, s.stray
}

// rowsOfTrades counts the rows of the used tables that look like trades, or like
// the deals that trades are made of.
func (s *survey) rowsOfTrades() int {
	n := 0
	for _, t := range s.tables {
		if t.used {
			n += t.rows
		}
	}
	return n
}

// bestTable prefers known exports to tables mapped by names, tables with rows to
// empty ones, and positions to executions.
func (s *survey) bestTable() *table {
	var best *table
	rank := func(t *table) int {
		score := map[format.Kind]int{format.Ignored: -1000, format.Positions: 8, format.Deals: 6, format.Fills: 4, format.OpenOnly: 2}[t.kind]
		if t.isExecutionList() {
			score = 0
		}
		if t.rows > 0 {
			score += 16
		}
		if t.format.Name != format.Generic.Name {
			score++
		}
		return score
	}
	for _, t := range s.tables {
		if t.kind != format.Ignored && (best == nil || rank(t) > rank(best)) {
			best = t
		}
	}
	return best
}

// refuseTables says what was seen instead of a table of trades.
func (s *survey) refuseTables() error {
	if r := s.refuseOther(); r != nil {
		return r
	}
	r := refusal.New(refusal.NotUnderstood, "No table of trades was found. Export the history of closed positions as XLSX, CSV or HTML. If its columns have names that are not known, rename them to symbol, side, open_time, close_time, volume and net_profit.").
		AddExpected("symbol", "side", "open_time", "close_time", "volume or net")
	for _, t := range s.tables {
		if lacks := t.missingColumns(); t.kind == format.Ignored && len(lacks) > 0 && len(lacks) < 4 {
			r.Detail = fmt.Sprintf("The table in line %d does not have all columns that trades need. Missing: %s.", t.line, strings.Join(lacks, ", "))
			noClose, noOpen := slices.Contains(lacks, "close_time"), slices.Contains(lacks, "open_time")
			if !noClose || noOpen {
				r.Detail += " If it has them under other names, rename these columns."
			}
			if noClose && (!noOpen || !t.hasRole(format.RoleClosePrice)) {
				r.Detail += " A list of orders or single executions does not show when a position was opened and closed. Export the history of closed positions."
			}
			return r.AddSeen(t.titles...)
		}
	}
	if s.joined > 0 {
		r.Detail = fmt.Sprintf("Line %d has the names of all columns in one cell, as a spreadsheet program saves text that it did not split. Send the file as the platform exported it, or split the cells into columns.", s.joined)
	}
	var titles []string // those of the widest row, because the first ones may be a title
	for _, row := range s.strays {
		if len(row) > len(titles) {
			titles = row
		}
	}
	if len(s.tables) > 0 {
		titles = s.tables[0].titles
	}
	return r.AddSeen(titles...)
}

// refuseOther refuses a file whose table is known to be no list of trades; nil for others.
func (s *survey) refuseOther() *refusal.Error {
	lists := slices.Clone(s.strays)
	for _, t := range s.tables {
		lists = append(lists, t.titles)
	}
	for _, titles := range lists {
		if detail, known := format.DescribeOther(titles); known {
			return refusal.New(refusal.NotUnderstood, "%s", detail).AddSeen(titles...)
		}
	}
	return nil
}

// sumEvidence adds up what the used tables say.
func (s *survey) sumEvidence() (m value.Marks, d value.Dates) {
	for _, t := range s.tables {
		if t.used {
			m.Merge(&t.marks)
			d.Merge(&t.dates)
		}
	}
	return m, d
}

// platformOf returns the account's platform: the sender's choice, otherwise the
// format's.
func platformOf(o Options, f *format.Format) string {
	if o.Platform != "" {
		return o.Platform
	}
	return f.Platform
}
