package value

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/internal/statement/refusal"
	"github.com/assayhq/assay/internal/statement/sheet"
	"github.com/assayhq/assay/internal/statement/words"
)

// DecimalMark separates a number's whole part from its fraction.
type DecimalMark string

// The two decimal marks in use.
const (
	Point DecimalMark = "."
	Comma DecimalMark = ","
)

// Number is a written number: its sign, its digits with the marks among them, and
// the word next to it.
type Number struct {
	Negative bool
	body     string // digits, points and commas
	// signed is the body with its minus sign, as written; empty if other characters
	// are among them.
	signed string
	Unit   string // lower-case word next to the number, such as "lots" or "usd"
	// grouped means that thousands are separated by spaces or apostrophes, so that
	// a single mark is the decimal one.
	grouped bool
	Exact   bool // from a workbook's number: the mark is a point
	pointed bool // with an exponent and no mark, such as 1E-05: the mark is a point here, whatever it is elsewhere
	// Sign is that of a currency next to the number.
	Sign string
}

// maxNumberBytes bounds a number's text, far beyond any price or amount.
const maxNumberBytes = 64

// ScanNumber reads the forms that occur in exports: 1 234.50, 1'234.50,
// - 0.08, (11.00), $(20.00), 20.00-, 0.50 Lots. ok is false for other text.
func ScanNumber(s string) (n Number, ok bool) {
	if len(s) > maxNumberBytes {
		return n, false
	}
	s, marked := expandExponent(s)
	if plain := strings.TrimPrefix(s, "-"); isPlain(plain) {
		return Number{Negative: len(plain) < len(s), body: plain, signed: s, pointed: marked}, HasDigit(plain)
	}
	var body, unit strings.Builder
	paren, signs := 0, 0
	before, after := false, false // a word next to the digits
	among := func(c byte) {       // keeps where something else stands among the digits
		if body.Len() > 0 && unit.Len() == 0 {
			body.WriteByte(c)
		}
	}
	for _, c := range s {
		switch {
		case c >= '0' && c <= '9' || c == '.' || c == ',':
			if after && c != '.' {
				return n, false // a second number
			}
			body.WriteRune(c)
		case c == '-' || c == '−' || c == '–':
			n.Negative = true
			signs++
			among('-')
		case c == '+':
			signs++
			among('-')
		case c == '(':
			paren++
			among('-')
		case c == ')':
			paren--
			n.Negative = true
			among('-')
		case unicode.IsSpace(c):
			among(' ')
		case c == '\'' || c == '’' || c == 'ʼ':
			among('\'')
		case unicode.Is(unicode.Sc, c):
			n.Sign = string(c)
			among('-')
		case (c == 'x' || c == 'X') && body.String() == "0": // hexadecimal
			return n, false
		case unicode.IsLetter(c):
			before, after = before || body.Len() == 0, after || body.Len() > 0
			unit.WriteRune(unicode.ToLower(c))
		default:
			return n, false
		}
	}
	n.body, n.Unit = strings.TrimRight(body.String(), " '-"), unit.String()
	if after && len(n.body) > 1 {
		n.body = strings.TrimRight(n.body, " .") // of an abbreviated word
	}
	if strings.Contains(n.body, "-") || !inThousands(n.body) {
		return n, false
	}
	n.grouped = strings.ContainsAny(n.body, " '")
	n.body = strings.NewReplacer(" ", "", "'", "").Replace(n.body)
	return n, paren == 0 && signs <= 1 && (!before || !after) && HasDigit(n.body)
}

// expandExponent writes a number such as 3.14E-05 with its zeros, as programs write what is next to nothing.
// Large numbers with an exponent are left, because spreadsheet programs round them. marked means that the number had no
// mark, as in 1E-05, and has a point now.
func expandExponent(s string) (plain string, marked bool) {
	mantissa, exponent, found := strings.Cut(s, "E-")
	if !found {
		mantissa, exponent, found = strings.Cut(s, "e-")
	}
	const farthest = 20
	places, n := LeadingDigits(exponent, 2)
	if !found || n == 0 || n < len(exponent) || places == 0 || places > farthest {
		return s, false
	}
	digits, sign := strings.TrimPrefix(mantissa, "+"), ""
	if rest, negative := strings.CutPrefix(digits, "-"); negative && len(digits) == len(mantissa) {
		digits, sign = rest, "-"
	}
	zeros := strings.Repeat("0", places-1)
	switch {
	case !isPlain(digits) || digits[0] < '1':
		return s, false
	case len(digits) == 1:
		return sign + "0." + zeros + digits, true
	case len(digits) > 2 && (digits[1] == '.' || digits[1] == ','):
		return sign + "0" + digits[1:2] + zeros + digits[:1] + digits[2:], false
	}
	return s, false
}

// ReadNumber reads the number of a cell.
func ReadNumber(c sheet.Cell) (n Number, ok bool) {
	n, ok = ScanNumber(c.Text)
	n.Exact = c.Number
	switch {
	case c.Unit == sheet.Percent, c.Unit == sheet.Date:
		n.Unit = c.Unit
	case words.IsCommonCurrency(c.Unit):
		n.Unit = strings.ToLower(c.Unit)
	case c.Unit != "":
		n.Sign = c.Unit
	}
	return n, ok
}

// inThousands reports whether the apostrophes of a number separate groups of three digits:
// 120'05 is a price in 32nds. Spaces may stand anywhere, because the format of MT5's
// workbooks puts them so.
func inThousands(body string) bool {
	const group = 3
	whole := body
	if i := strings.IndexAny(body, ".,"); i > strings.LastIndexByte(body, '\'') {
		whole = body[:i]
	}
	for i, digits := range strings.Split(whole, "'") {
		if i > 0 && len(digits) != group {
			return false
		}
	}
	return true
}

// measures are words next to a number that change what it says: 1.2K is 1,200, 10 pips
// are no amount of money, and 50.00 DR is a loss. Volumes have others.
var measures = map[string]bool{
	"k": true, "m": true, "mm": true, "mn": true, "mio": true, "mln": true, "bn": true, "tsd": true, "thousand": true, "thousands": true, "million": true, "millions": true,
	"pip": true, "pips": true, "point": true, "points": true, "pts": true, "tick": true, "ticks": true, "percent": true, "pct": true, "bps": true, "cent": true, "cents": true,
	"dr": true, "d": true, "debit": true, "loss": true, "soll": true,
}

// IsMeasure reports whether a lower-case word next to a number changes what it says.
func IsMeasure(unit string) bool { return measures[unit] }

// In32nds recognizes the price of a bond in 32nds of a point. One of three digits could be one
// with thousands as well, so that the symbol decides.
func In32nds(price, symbol string) bool {
	whole, part, found := strings.Cut(price, "'")
	digits, _, _ := strings.Cut(part, ".")
	if !found || len(whole) < 2 || len(whole) > 3 || len(digits) < 2 || part[:2] >= "32" || strings.Trim(whole+part, "0123456789.") != "" {
		return false
	}
	if len(part) != 3 { // 22'310.5 has thousands
		return len(digits) == 2
	}
	symbol = strings.TrimLeft(symbol, "/@")
	return slices.ContainsFunc([]string{"ZT", "ZF", "ZN", "TN", "ZB", "UB"}, func(future string) bool { return strings.HasPrefix(symbol, future) })
}

// OneOf returns one of a unit, such as a coin.
func OneOf(unit string) Number { return Number{body: "1", Unit: unit} }

// Clone returns the number without the text of the row that it was read from.
func (n Number) Clone() Number {
	n.body, n.signed = strings.Clone(n.body), strings.Clone(n.signed)
	return n
}

// IsZero reports whether all digits are zero.
func (n Number) IsZero() bool {
	for i := range len(n.body) {
		if c := n.body[i]; c >= '1' && c <= '9' {
			return false
		}
	}
	return true
}

// HasDigit reports whether a text has a digit.
func HasDigit(s string) bool {
	for i := range len(s) {
		if s[i] >= '0' && s[i] <= '9' {
			return true
		}
	}
	return false
}

// isPlain reports whether a text has digits, points and commas alone.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; (c < '0' || c > '9') && c != '.' && c != ',' {
			return false
		}
	}
	return s != ""
}

// IsAbsent recognizes the ways in which exports write that there is no value.
func IsAbsent(s string) bool {
	switch s {
	case "", "-", "–", "—", "--", "n/a", "N/A", "NaN", "nan", "NaT", "null", "NULL", "None", "Currently Running":
		return true
	}
	return false
}

// shape is what a number shows about the decimal mark.
type shape uint8

const (
	silent     shape = iota // no mark
	pointMark               // the decimal mark is a point
	commaMark               // it is a comma
	maybePoint              // 1.234: decimals or thousands
	maybeComma              // 1,234
	malformed
)

// shapeOf reads the marks. Of two kinds the last is the decimal one, and a mark
// that occurs twice is not. A single mark before exactly three digits and after one
// to three digits that do not begin with zero may be either.
func (n Number) shapeOf() shape {
	if n.Exact || n.pointed {
		return silent
	}
	points, commas, last := CountMarks(n.body)
	switch {
	case points == 0 && commas == 0:
		return silent
	case points > 1 && commas > 1, points+commas > 1 && !inThrees(n.body):
		return malformed
	case points > 0 && commas > 0:
		return markOf(n.body[last] == '.')
	case points > 1:
		return commaMark
	case commas > 1:
		return pointMark
	}
	if !n.grouped && len(n.body)-last-1 == 3 && last >= 1 && last <= 3 && n.body[0] != '0' {
		return markOf(points == 1) + maybePoint - pointMark
	}
	return markOf(points == 1)
}

// CountMarks counts points and commas. last is the index of the last of them, or -1.
func CountMarks(text string) (points, commas, last int) {
	last = -1
	for i := range len(text) {
		switch text[i] {
		case '.':
			points, last = points+1, i
		case ',':
			commas, last = commas+1, i
		}
	}
	return points, commas, last
}

// inThrees checks the groups of a mark that occurs more than once.
func inThrees(body string) bool {
	for _, mark := range []string{".", ","} {
		groups := strings.Split(body, mark)
		if len(groups) < 3 {
			continue
		}
		for i, g := range groups {
			g, _, _ = strings.Cut(g, ".")
			groups[i], _, _ = strings.Cut(g, ",")
		}
		if !areThousands(groups, mark) {
			return false
		}
	}
	return true
}

// areThousands reports whether a whole number was divided into groups of three digits, or, by commas, as in India: 1,05,000.
func areThousands(groups []string, mark string) bool {
	const (
		thousand = 3
		lakh     = 2
	)
	last := len(groups) - 1
	if len(groups[last]) != thousand || len(groups[0]) == 0 || len(groups[0]) > thousand {
		return false
	}
	middle := groups[1:last]
	isAll := func(length int) bool {
		return !slices.ContainsFunc(middle, func(g string) bool { return len(g) != length })
	}
	return isAll(thousand) || mark == "," && len(groups[0]) <= lakh && isAll(lakh)
}

func markOf(point bool) shape {
	if point {
		return pointMark
	}
	return commaMark
}

// ToDecimal gives the number's value under a decimal mark; ok is false when it
// does not follow it.
func (n Number) ToDecimal(mark DecimalMark) (d record.Decimal, ok bool) {
	decimal, thousands := byte('.'), ","
	if mark == Comma && !n.Exact && !n.pointed {
		decimal, thousands = ',', "."
	}
	if n.signed != "" && decimal == '.' && strings.IndexByte(n.body, ',') < 0 {
		d, err := record.ParseDecimal(n.signed)
		return d, err == nil
	}
	whole, fraction := n.body, ""
	if i := strings.LastIndexByte(n.body, decimal); i >= 0 {
		whole, fraction = n.body[:i], n.body[i+1:]
	}
	if strings.Contains(fraction, thousands) || strings.IndexByte(whole, decimal) >= 0 {
		return "", false
	}
	if strings.Contains(whole, thousands) {
		groups := strings.Split(whole, thousands)
		if !areThousands(groups, thousands) || groups[0][0] == '0' { // 0.001 is no 1
			return "", false
		}
		whole = strings.Join(groups, "")
	}
	text := whole
	if fraction != "" {
		text += "." + fraction
	}
	if n.Negative {
		text = "-" + text
	}
	d, err := record.ParseDecimal(text)
	return d, err == nil
}

// cellKinds are the kinds of cells that a column has: texts that write a mark,
// and a workbook's numbers that texts would write with one.
type cellKinds struct{ texts, numbers bool }

// Marks counts the shapes of a table's numbers.
type Marks struct {
	count   [malformed + 1]int
	columns []cellKinds // by index
	mixed   bool        // a column has both kinds of cells
	// The first lines of numbers that decide for a point, for a comma, and of
	// one that may be either.
	pointLine, commaLine, maybeLine int
}

// AddNumber counts a number of a column.
func (m *Marks) AddNumber(column int, n Number, line int) {
	s := n.shapeOf()
	m.count[s]++
	for len(m.columns) <= column {
		m.columns = append(m.columns, cellKinds{})
	}
	switch kinds := &m.columns[column]; {
	case n.IsZero():
	case n.Exact:
		kinds.numbers = kinds.numbers || strings.Contains(n.body, ".") || len(n.body) > 3
		m.mixed = m.mixed || kinds.numbers && kinds.texts
	case s != silent:
		kinds.texts = true
		m.mixed = m.mixed || kinds.numbers
	}
	first := func(at *int) {
		if *at == 0 {
			*at = line
		}
	}
	switch s {
	case pointMark:
		first(&m.pointLine)
	case commaMark:
		first(&m.commaLine)
	case maybePoint, maybeComma:
		first(&m.maybeLine)
	}
}

// Merge adds what another table shows.
func (m *Marks) Merge(o *Marks) {
	for i, n := range o.count {
		m.count[i] += n
	}
	m.mixed = m.mixed || o.mixed
	m.pointLine, m.commaLine, m.maybeLine = cmp.Or(m.pointLine, o.pointLine), cmp.Or(m.commaLine, o.commaLine), cmp.Or(m.maybeLine, o.maybeLine)
}

// AreDecided reports whether a number shows the decimal mark.
func (m *Marks) AreDecided() bool { return m.count[pointMark]+m.count[commaMark] > 0 }

// DecideMark decides the decimal mark of the file.
func (m *Marks) DecideMark(given DecimalMark) (DecimalMark, error) {
	point, comma := m.count[pointMark], m.count[commaMark]
	switch {
	case m.mixed:
		return "", refusal.New(refusal.NotUnderstood, "Some cells of a column are numbers and some are text that looks like numbers. Spreadsheet programs do this when they don't expect the decimal mark, and they change the values. Send the file as the platform exported it.")
	case point > 0 && comma > 0:
		return "", refusal.New(refusal.NotUnderstood, "The numbers are written in two ways: with a decimal point in line %d and with a decimal comma in line %d. Export the file again.", m.pointLine, m.commaLine)
	case given == Comma && point > 0:
		return "", refusal.New(refusal.NotUnderstood, "The decimal mark was given as a comma, but line %d has a decimal point.", m.pointLine).SuggestOption("decimal")
	case given == Point && comma > 0:
		return "", refusal.New(refusal.NotUnderstood, "The decimal mark was given as a point, but line %d has a decimal comma.", m.commaLine).SuggestOption("decimal")
	case given != "":
		return given, nil
	case point > 0:
		return Point, nil
	case comma > 0:
		return Comma, nil
	case m.count[maybePoint]+m.count[maybeComma] > 0:
		return "", refusal.New(refusal.NotUnderstood, "Line %d has a number such as 1,234 or 1.234, and no number in the file shows whether that is more than a thousand or less than two. Send it again with the decimal mark.", m.maybeLine).SuggestOption("decimal")
	}
	return "", nil
}

// TrimFraction removes the fraction of 17.0, as programs write whole numbers that they
// keep as floats. Other text is returned unchanged.
func TrimFraction(text string) string {
	whole, fraction, dotted := strings.Cut(text, ".")
	if dotted && fraction != "" && strings.Trim(fraction, "0") == "" && whole != "" && strings.Trim(whole, "0123456789") == "" {
		return whole
	}
	return text
}
