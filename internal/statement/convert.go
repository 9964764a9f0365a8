package statement

import (
	"cmp"
	"context"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement/format"
	"github.com/assayhq/assay/internal/statement/pairing"
	"github.com/assayhq/assay/internal/statement/refusal"
	"github.com/assayhq/assay/internal/statement/sheet"
	"github.com/assayhq/assay/internal/statement/table"
	"github.com/assayhq/assay/internal/statement/value"
	"github.com/assayhq/assay/internal/statement/words"
)

// convertFile surveys the file, decides what holds for all of it, and makes trades.
func convertFile(ctx context.Context, rows sheet.Source, name string, o Options) (*File, error) {
	byName := &format.Generic
	if strings.Contains(words.Fold(name), format.TradeLocker.Name) {
		byName = &format.TradeLocker
	}
	s, err := takeSurvey(ctx, rows, byName)
	if err != nil {
		return nil, err
	}
	chosen, err := s.chooseTables()
	if err != nil {
		return nil, err
	}
	described := rows.Describe()
	b := newBuilder(s, chosen, o, described.Epoch1904)
	if err := b.decideConventions(); err != nil {
		return nil, err
	}
	b.file.Kind, b.file.Delimiter, b.file.Encoding = described.Kind, described.Delimiter, described.Encoding
	b.file.Warnings = append(b.file.Warnings, described.Warnings...)
	b.rows, b.byName, b.ids, b.repeats = rows, byName, newIdentities(s.rowsOfTrades()), newRepeats(s.tables)
	if chosen.IsPaired() {
		b.executions = pairing.NewList(chosen, s.rowsOfTrades())
	}
	if err := b.readRows(ctx, rows, byName); err != nil {
		return nil, err
	}
	return b.finishFile()
}

// origin identifies the row from which a trade was made.
type origin struct {
	hash  [16]byte
	line  int32
	named bool // the trade has an id of its own
}

// builder makes trades of rows.
type builder struct {
	survey  *survey
	chosen  *table.Table
	options Options
	file    *File

	from1904 bool
	mark     value.DecimalMark
	order    value.DateOrder
	zone     value.Zone

	rows    sheet.Source
	byName  *format.Format
	ids     *identities
	repeats repeats
	volumes volumes
	moves   moves
	results []accountSum // in the order in which accounts have their first result
	kept    int          // trades
	traded  table.Tally  // of them
	trade   record.Trade // of the row
	// pass takes the trades instead of what counts them; nil when they are counted.
	pass func(*record.Trade) error

	accounts   map[string]int // index in file.Accounts
	symbols    map[string]string
	skipped    map[string]int // index in file.Skipped
	totals     map[*table.Table]*tableTotals
	executions *pairing.List  // nil for positions
	counts     map[string]int // of warnings about trades
	costs      bool           // some commission or swap is not zero
	// netVerified means that the file's own net total agrees.
	netVerified bool
	buf         []byte
}

func newBuilder(s *survey, chosen *table.Table, o Options, from1904 bool) *builder {
	return &builder{
		survey: s, chosen: chosen, options: o, from1904: from1904,
		file: &File{
			Format: chosen.Format.Name, Confidence: chosen.RateConfidence(),
			RowsRead: s.rows, Reconciled: NotReconciled,
		},
		accounts: map[string]int{}, symbols: map[string]string{}, skipped: map[string]int{},
		totals: map[*table.Table]*tableTotals{}, counts: map[string]int{},
	}
}

// decideConventions decides what holds for the whole file: the decimal mark, the
// order of dates and the zone.
func (b *builder) decideConventions() error {
	m, d := b.survey.sumEvidence()
	var err error
	given := b.options.Decimal
	if !m.AreDecided() {
		given = cmp.Or(given, b.chosen.UsualMark())
	}
	if b.mark, err = m.DecideMark(given); err != nil {
		return err
	}
	if b.order, err = d.DecideOrder(b.options.DateOrder, b.chosen.Format.UsualOrder(&d), b.options.Now); err != nil {
		return err
	}
	signs := map[string]string{} // of the amounts in the tables before, by account
	for _, t := range b.survey.tables {
		if t.Used {
			if err := t.RefuseColumns(); err != nil {
				return err
			}
		}
		if t.Used && t.ZoneShared && t.Dates.IsWithoutZone() {
			d.SharedLine = cmp.Or(d.SharedLine, t.Line)
		}
		sign := signs[t.Facts.Login]
		differs := sign != "" && t.Sign != "" && t.Sign != sign && !t.HasRole(format.RoleAccount)
		if t.Used && (t.Mixed || differs) {
			return refuseCurrencies(cmp.Or(t.MixedLine, t.Line))
		}
		if t.Used {
			signs[t.Facts.Login] = cmp.Or(sign, t.Sign)
		}
		t.DecideProfit(b.mark)
	}
	b.file.Decimal, b.file.DateOrder, b.file.DateLine = b.mark, b.order, d.FindProof(b.order)
	if d.HasBareDates() && b.chosen.IsExecutionList() {
		return refusal.New(refusal.NotUnderstood, "The executions in the table in line %d have days without times, so it cannot be told what opened and what closed a position. Export the history of closed positions, or a list with times.", b.chosen.Line)
	}
	if d.HasBareDates() && b.chosen.Kind != format.OpenOnly {
		b.addWarning("dates_without_time", "Some times are only dates, so holding times and hours of those trades are meaningless.", 0)
	}
	if d.SharedLine > 0 && b.options.Timezone == "" && !b.chosen.Zoned {
		return refusal.New(refusal.NotUnderstood, "Line %d names a time zone by an abbreviation that several zones share, such as CST. Send the file again with its timezone.", d.SharedLine).SuggestOption("timezone")
	}
	b.chooseZone(&d)
	return nil
}

func (b *builder) chooseZone(d *value.Dates) {
	f := b.file
	allZoned := d.IsZoned()
	b.zone, f.TimezoneBasis = value.UTC, ZoneAssumedUTC
	switch {
	case b.chosen.Zoned:
		b.zone, f.TimezoneBasis = b.chosen.Zone, ZoneOfFile
	case allZoned:
		f.TimezoneBasis = ZoneOfFile
	case b.options.Timezone != "":
		b.zone, _ = value.ParseZone(b.options.Timezone) // checked with the options
		f.TimezoneBasis = ZoneGiven
	case b.chosen.Format.Zone != "":
		b.zone, _ = value.ParseZone(b.chosen.Format.Zone)
		f.TimezoneBasis = ZoneOfFile
		b.addWarning("timezone_of_format", "Times were read in "+b.chosen.Format.Zone+", the clock of all exports of this kind.", 0)
	default:
		b.addWarning("timezone_assumed", "The file has no time zone and none was given, so times were read as UTC, and hours, news and sessions cannot be checked. Send the file with its timezone.", 0)
	}
	differs := slices.ContainsFunc(b.survey.tables, func(t *table.Table) bool {
		return t.Used && t.Zoned && b.chosen.Zoned && t.Zone.Name != b.chosen.Zone.Name
	})
	if f.Timezone = b.zone.Name; allZoned && !b.chosen.Zoned || differs {
		f.Timezone = ""
	}
	if f.TimezoneBasis == ZoneOfFile && b.options.Timezone != "" {
		b.addWarning("timezone_not_used", "The file says in which time zone its times are, so the given time zone was not used.", 0)
	}
}

func (b *builder) addWarning(code, detail string, count int) {
	b.file.Warnings = append(b.file.Warnings, sheet.Warning{Code: code, Detail: detail, Count: count})
}

func (b *builder) countSkipped(reason string, line int) {
	i, ok := b.skipped[reason]
	if !ok {
		i = len(b.file.Skipped)
		b.skipped[reason] = i
		b.file.Skipped = append(b.file.Skipped, Skipped{Reason: reason})
	}
	s := &b.file.Skipped[i]
	s.Count++
	if len(s.Lines) < MaxLines {
		s.Lines = append(s.Lines, line)
	}
}

// readRow reads one row below a header.
func (b *builder) readRow(t *table.Table, r *sheet.Row) error {
	if !t.Used {
		b.countSkipped(skipTable, r.Line)
		return nil
	}
	reason := t.SkipReason(r)
	if err := t.RefuseBroken(r, reason); err != nil {
		return err
	}
	if err := t.RefuseFollowing(r, reason); err != nil {
		return err
	}
	switch {
	case reason == table.SkipTotal:
		b.countSkipped(reason, r.Line)
		b.totalRow(t, r)
		return nil
	case reason != "":
		b.countSkipped(reason, r.Line)
		return nil
	}
	if err := t.RefuseDamaged(r); err != nil {
		return err
	}
	if t.IsPaired() {
		return b.keepExecution(t, r)
	}
	return b.addTrade(t, r)
}

// readDecimal reads the number in a column; it is empty when there is none.
func (b *builder) readDecimal(t *table.Table, r *sheet.Row, what format.Role, i int) (d record.Decimal, unit string, err error) {
	if i >= len(r.Cells) || value.IsAbsent(r.Cells[i].Text) {
		return "", "", t.RefusePending(r, what)
	}
	c := r.Cells[i]
	if what.IsPrice() && value.In32nds(c.Text, t.CellOf(r, format.RoleSymbol).Text) {
		return "", "", t.RefuseCell(r, what, "the price counts in 32nds of a point, such as 113'16. Export decimal prices")
	}
	switch {
	case c.Unit == sheet.Date: // 1.05, of which a spreadsheet program has made May 1
		return "", "", t.RefuseCell(r, what, "a number is shown as a date. Send the file as the platform exported it")
	case !what.IsMoney():
		c.Unit = ""
	}
	n, ok := value.ReadNumber(c)
	if ok {
		d, ok = n.ToDecimal(b.mark)
	}
	if !ok || what != format.RoleVolume && value.IsMeasure(n.Unit) {
		return "", "", t.RefuseCell(r, what, "a number cannot be read")
	}
	return d, n.Unit, nil
}

func (b *builder) readNumber(t *table.Table, r *sheet.Row, what format.Role) (record.Decimal, error) {
	if !t.HasRole(what) {
		return "", nil
	}
	d, _, err := b.readDecimal(t, r, what, t.Columns[what][0])
	return d, err
}

// readStop reads a stop or target. Zero means that there is none.
func (b *builder) readStop(t *table.Table, r *sheet.Row, what format.Role) (record.Decimal, error) {
	d, err := b.readNumber(t, r, what)
	if d == "0" {
		return "", err
	}
	return d, err
}

// readTime reads the moment in the column of a role; it is zero when there is
// none.
func (b *builder) readTime(t *table.Table, r *sheet.Row, what format.Role) (time.Time, error) {
	text := t.TimeText(r, what)
	if text == "" {
		return time.Time{}, t.RefusePending(r, what)
	}
	stamp, ok := t.ScanTime(r, what)
	var wall time.Time
	if ok {
		wall, ok = stamp.WallTime(b.order, b.from1904)
	}
	switch {
	case !ok:
		return time.Time{}, t.RefuseCell(r, what, "a date or time cannot be read")
	case wall.IsZero():
		return wall, nil
	case stamp.Region != "":
		return b.toUTC(value.RegionZone(stamp.Region), wall), nil
	case stamp.Zoned:
		return wall.Add(-stamp.Offset), nil
	case t.Zoned:
		return b.toUTC(t.Zone, wall), nil
	}
	return b.toUTC(b.zone, wall), nil
}

// toUTC returns the moment at which a zone's clock showed wall. It counts times that the clock did not
// show, because it was put forward then.
func (b *builder) toUTC(z value.Zone, wall time.Time) time.Time {
	at := z.ToUTC(wall)
	if shown := at.In(z.Location); shown.Hour() != wall.Hour() || shown.Minute() != wall.Minute() {
		b.counts["nonexistent_time"]++
	}
	return at
}

// identifyTrade returns the trade's id: the file's, or, where it has none or a
// spreadsheet rounded it, a hash of all cells.
func (b *builder) identifyTrade(t *table.Table, r *sheet.Row) (id string, o origin) {
	o = origin{hash: b.hashRow(t, r), line: int32(r.Line)}
	id = value.TrimFraction(t.CellOf(r, format.RoleID).Text)
	rounded := isRounded(t.CellOf(r, format.RoleID))
	if t.HasRole(format.RoleBuyID) {
		id = value.TrimFraction(t.CellOf(r, format.RoleBuyID).Text) + "-" + value.TrimFraction(t.CellOf(r, format.RoleSellID).Text)
		rounded = isRounded(t.CellOf(r, format.RoleBuyID)) || isRounded(t.CellOf(r, format.RoleSellID))
	}
	id = words.Clean(id, maxIDBytes+1)
	if _, sided := table.SideOf(id); sided && !value.HasDigit(id) { // of a column called Position
		id = ""
	}
	if rounded {
		b.counts["ids_rounded"]++
		id = ""
	}
	if id == "" || len(id) > maxIDBytes {
		return rowID(o.hash), o
	}
	o.named = true
	return id, o
}

// maxIDBytes bounds the ids of trades; longer ones are replaced by hashes.
const maxIDBytes = 128

func rowID(hash [16]byte) string { return "row-" + hex.EncodeToString(hash[:12]) }

// isRounded recognizes a long number that a spreadsheet has rounded: 1.23457E+11, or
// a number in a workbook that has more digits than a spreadsheet keeps.
func isRounded(c sheet.Cell) bool {
	id := c.Text
	i := strings.IndexByte(id, '+') - 1
	return i > 0 && (id[i] == 'e' || id[i] == 'E') && strings.Trim(id[:i], "0123456789.,") == "" ||
		c.Number && len(id) > sheet.ExactDigits && strings.Trim(id, "0123456789.-") == ""
}
