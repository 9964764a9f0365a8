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
	"github.com/assayhq/assay/internal/statement/table"
	"github.com/assayhq/assay/internal/statement/value"
	"github.com/assayhq/assay/internal/statement/words"
)

// survey is the first reading of a file: which tables it has, and how numbers
// and dates are written.
type survey struct {
	tables []*table.Table
	sheets []*table.SheetFacts
	rows   int
	strays [][]string // the first rows outside of tables, for a refusal
	joined int        // line of the first row that holds a header in one cell
	tester bool       // it is the report of a strategy tester
	stray  error      // refuses the first row outside of tables that looks like a trade; nil without one
}

// factsOf returns the facts of the sheet that is being read.
func (s *survey) factsOf(name string) *table.SheetFacts {
	if n := len(s.sheets); n == 0 || s.sheets[n-1].Name != name {
		s.sheets = append(s.sheets, &table.SheetFacts{Name: strings.Clone(name)})
	}
	return s.sheets[len(s.sheets)-1]
}

// shareFacts gives sheets that do not name their account or zone those of the others, if these
// agree: a workbook may have them on a sheet of its own.
func (s *survey) shareFacts() {
	login := agreedValue(s.sheets, func(f *table.SheetFacts) string { return f.Login })
	for _, f := range s.sheets {
		f.Login = cmp.Or(f.Login, login)
	}
	currency := agreedValue(s.sheets, func(f *table.SheetFacts) string { return f.Currency })
	zone := agreedValue(s.sheets, func(f *table.SheetFacts) table.StatedZone { return f.Zone })
	for _, f := range s.sheets {
		f.Zone = cmp.Or(f.Zone, zone)
		if f.Login == login { // which is empty if there are several accounts
			f.Currency = cmp.Or(f.Currency, currency)
		}
	}
	for _, t := range s.tables {
		if f := t.Facts; f.Zone.Stated && !t.Zoned && t.Dates.IsWithoutZone() {
			t.Zoned, t.Zone = true, value.FixedZone(f.Zone.Offset)
		}
	}
}

// agreedValue returns the value of the sheets that have one, or zero if they differ.
func agreedValue[T comparable](sheets []*table.SheetFacts, valueOf func(*table.SheetFacts) T) (agreed T) {
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
	if err := table.WalkRows(ctx, rows, byName, table.Visitor{Table: s.addTable, Row: s.addRow, Pair: s.keepPair, Other: s.addOther}); err != nil {
		return nil, err
	}
	s.shareFacts()
	return s, nil
}

// maxTables bounds the headers of a file.
const maxTables = 1000

func (s *survey) addTable(t *table.Table) error {
	s.rows++
	s.tester = s.tester || listsTests(t.Titles)
	t.Facts = s.factsOf(t.Sheet)
	t.Facts.Tables++
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
		s.stray = table.RefuseStray(r)
	}
	if s.joined == 0 && table.HoldsHeader(r) {
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

func (s *survey) addRow(t *table.Table, r *sheet.Row) error {
	s.rows++
	t.SurveyRow(r)
	return nil
}

// keepPair keeps what the file says of the account and its results.
func (s *survey) keepPair(r *sheet.Row, key string, cell sheet.Cell) {
	f := s.factsOf(r.Sheet)
	s.tester = s.tester || testerKeys[key] && len(s.tables) == 0
	if english, ok := words.English[key]; ok {
		key = english
	}
	if f.Tables == 0 && table.IsAccountLine(cell.Text) {
		key = "account" // in a language that is not known
	}
	switch key {
	case "timezone":
		f.Zone.Offset, f.Zone.Stated = value.ParseOffset(cell.Text)
	case "account", "login", "uid":
		if f.Login == "" {
			f.Login = table.ReadLogin(cell.Text)
		}
		if _, rest, ok := strings.Cut(cell.Text, "("); ok && len(rest) >= 3 && words.IsCommonCurrency(rest[:3]) {
			f.Currency = rest[:3]
		}
	case "currency":
		if words.IsCurrency(cell.Text) {
			f.Currency = cell.Text
		}
	case "totalnetprofit":
		f.Results.Net, f.Results.Exact = cell.Text, cell.Number
	case "totaltrades":
		f.Results.Trades = cell.Text
	case "shorttradeswon", "shortpositionswon":
		f.Results.Short = cell.Text
	case "longtradeswon", "longpositionswon":
		f.Results.Long = cell.Text
	}
}

// chooseTables marks the tables whose rows become trades: those of one format, the
// first that has closed positions, together with the open positions. Deals and
// fills are used only if there are no positions, because positions are made of
// them.
func (s *survey) chooseTables() (*table.Table, error) {
	if s.tester {
		return nil, refuseTester()
	}
	chosen := s.bestTable()
	if chosen == nil {
		return nil, s.refuseTables()
	}
	if chosen.IsExecutionList() {
		if r := s.refuseOther(); r != nil {
			return nil, r
		}
	}
	for _, t := range s.tables {
		sameFormat := t.Format.Name == chosen.Format.Name
		switch chosen.Kind {
		case format.Positions:
			t.Used = sameFormat && t.Kind == format.Positions || t.Kind == format.OpenOnly && (sameFormat || t.Format.Name == format.Generic.Name)
		default:
			t.Used = sameFormat && t.Kind == chosen.Kind
		}
		if t.Kind == format.Positions && t.Rows > 0 && !t.Used {
			return nil, refusal.New(refusal.NotUnderstood, "The tables in lines %d and %d come from different exports. Send each of them in its own file.", chosen.Line, t.Line)
		}
	}
	return chosen, s.stray
}

// rowsOfTrades counts the rows of the used tables that look like trades, or like
// the deals that trades are made of.
func (s *survey) rowsOfTrades() int {
	n := 0
	for _, t := range s.tables {
		if t.Used {
			n += t.Rows
		}
	}
	return n
}

// bestTable prefers known exports to tables mapped by names, tables with rows to
// empty ones, and positions to executions.
func (s *survey) bestTable() *table.Table {
	var best *table.Table
	rank := func(t *table.Table) int {
		score := map[format.Kind]int{format.Ignored: -1000, format.Positions: 8, format.Deals: 6, format.Fills: 4, format.OpenOnly: 2}[t.Kind]
		if t.IsExecutionList() {
			score = 0
		}
		if t.Rows > 0 {
			score += 16
		}
		if t.Format.Name != format.Generic.Name {
			score++
		}
		return score
	}
	for _, t := range s.tables {
		if t.Kind != format.Ignored && (best == nil || rank(t) > rank(best)) {
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
		if lacks := t.MissingColumns(); t.Kind == format.Ignored && len(lacks) > 0 && len(lacks) < 4 {
			r.Detail = fmt.Sprintf("The table in line %d does not have all columns that trades need. Missing: %s.", t.Line, strings.Join(lacks, ", "))
			noClose, noOpen := slices.Contains(lacks, "close_time"), slices.Contains(lacks, "open_time")
			if !noClose || noOpen {
				r.Detail += " If it has them under other names, rename these columns."
			}
			if noClose && (!noOpen || !t.HasRole(format.RoleClosePrice)) {
				r.Detail += " A list of orders or single executions does not show when a position was opened and closed. Export the history of closed positions."
			}
			return r.AddSeen(t.Titles...)
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
		titles = s.tables[0].Titles
	}
	return r.AddSeen(titles...)
}

// refuseOther refuses a file whose table is known to be no list of trades; nil for others.
func (s *survey) refuseOther() *refusal.Error {
	lists := slices.Clone(s.strays)
	for _, t := range s.tables {
		lists = append(lists, t.Titles)
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
		if t.Used {
			m.Merge(&t.Marks)
			d.Merge(&t.Dates)
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
