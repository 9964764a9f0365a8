package value

import (
	"cmp"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/assayhq/assay/internal/statement/refusal"
	"github.com/assayhq/assay/internal/statement/words"
)

// DateOrder says which of two numbers is the day.
type DateOrder string

// The two orders that can be confused. YMD is reported for files whose dates
// begin with the year or name the month, or are spreadsheet serials.
const (
	DMY DateOrder = "dmy"
	MDY DateOrder = "mdy"
	YMD DateOrder = "ymd"
)

// dateForm is how a date is written.
type dateForm uint8

const (
	noDate     dateForm = iota
	yearFirst           // 2026-01-15, 2026.01.15, 20260115
	numbers             // 15/01/2026 or 01/15/2026
	monthNamed          // 10 Jun 2026, Jun 10, 2026
	serial              // 46037.375, a spreadsheet's day
	epoch               // seconds or milliseconds since 1970, in UTC
)

// Stamp is a written time, before the order of day and month and the zone are
// known.
type Stamp struct {
	form dateForm
	year int
	a, b int           // of numbers: the first two; otherwise month and day
	day  time.Duration // since midnight
	days int           // of a serial
	// clock means that a time of day was written.
	clock bool
	half  bool // with AM or PM, in capitals
	short bool // a year of two digits
	// dotted means that points stand between the numbers of the date.
	dotted bool
	// Zoned means that an offset from UTC was written.
	Zoned    bool
	Offset   time.Duration
	shared   bool      // the abbreviation of several zones was written
	Region   string    // abbreviation of a zone without its half of the year, such as ET
	american bool      // the zone is one of the United States by its abbreviation
	unix     time.Time // of an epoch
}

// IsEpoch reports whether the time is a number of seconds or milliseconds since 1970.
func (t *Stamp) IsEpoch() bool { return t.form == epoch }

// ScanStamp reads a date and time in any of the forms; ok is false for other text.
func ScanStamp(s string) (t Stamp, ok bool) {
	const longest = 48
	s = dateFirst(trimScript(plainDate(s)))
	if s == "" || len(s) > longest {
		return t, false
	}
	rest := s
	switch c := s[0]; {
	case c >= '0' && c <= '9':
		rest, ok = t.scanDigits(s)
	case c < 0x80:
		rest, ok = t.scanMonthFirst(s)
	}
	if !ok || t.form == serial || t.form == epoch {
		return t, ok && rest == ""
	}
	if rest = strings.TrimLeft(rest, " ,T\u00a0\u202f"); rest == "" {
		return t, true
	}
	rest = strings.TrimPrefix(strings.TrimPrefix(rest, "- "), "@ ") // 08/03/2026 - 11:15:00, September 30 2026 @ 7:59:06 pm
	if rest, ok = t.scanClock(rest); !ok {
		return t, false
	}
	return t, t.scanZone(strings.TrimSpace(rest))
}

// IsStamp reports whether a text is a date or a time with one.
func IsStamp(text string) bool {
	_, ok := ScanStamp(text)
	return ok
}

// asian are the words for year, month and day after the numbers of a date, and marks of direction, which
// Arabic texts have.
var asian = strings.NewReplacer("年", "-", "月", "-", "日", " ", "년", "-", "월", "-", "일", " ", "\u200e", "", "\u200f", "")

// plainDate writes a date such as 2026年6月13日 with signs.
func plainDate(s string) string {
	const longest = 96 // bytes, of which a character may have three
	if len(s) > longest || !strings.ContainsFunc(s, func(c rune) bool { return c > unicode.MaxLatin1 }) {
		return s
	}
	return strings.TrimSpace(asian.Replace(s))
}

// dateFirst exchanges time and date where the time comes first, as in "22:55 2026-05-17".
func dateFirst(s string) string {
	clock, date, found := strings.Cut(s, " ")
	if i := strings.IndexByte(clock, ':'); !found || i < 1 || i > 2 || !HasDigit(date) {
		return s
	}
	return date + " " + clock
}

// trimScript removes what a date of JavaScript has before and after it: the day of the week, and in
// brackets the name of the zone whose offset it gives. "Tue Aug 25 2026 08:28:43 GMT-0700 (Pacific
// Daylight Time)".
func trimScript(s string) string {
	const name = 3 // bytes of a day's
	if len(s) < name+2 || s[name] != ' ' && s[name] != ',' || !strings.Contains("Mon Tue Wed Thu Fri Sat Sun", s[:name]) {
		return s
	}
	s = strings.TrimLeft(s[name:], ", ")
	if i := strings.Index(s, " ("); i > 0 && strings.HasSuffix(s, ")") && strings.Contains(s[:i], " GMT") {
		s = s[:i]
	}
	return s
}

func (t *Stamp) scanDigits(s string) (rest string, ok bool) {
	first, n := LeadingDigits(s, 14)
	rest = s[n:]
	separated := rest != "" && strings.IndexByte("-./", rest[0]) >= 0
	switch {
	case n == 4 && separated:
		t.form, t.year = yearFirst, first
		return t.scanTail(rest[1:], rest[0])
	case n == 8 && (rest == "" || rest[0] == ' ' || rest[0] == 'T' || rest[0] == '-' && strings.Contains(rest, ":")): // 20260113-09:30:00
		t.form, t.year, t.a, t.b = yearFirst, first/10000, first/100%100, first%100
		return strings.TrimPrefix(rest, "-"), true
	case (n == 10 || n == 13) && rest == "":
		t.form, t.Zoned, t.clock, t.unix = epoch, true, true, time.Unix(int64(first), 0).UTC()
		if n == 13 {
			t.unix = time.UnixMilli(int64(first)).UTC()
		}
		return "", true
	case n == 5:
		return "", t.scanSerial(s)
	case n <= 2 && rest != "":
		return t.scanDayFirst(first, rest)
	}
	return rest, false
}

// scanTail reads month and day after a year. The day has at most two digits,
// so that a time may follow at once: 2026-09-1603:49:58. In Korean, spaces follow the points, of which
// there are three: 2026. 9. 16.
func (t *Stamp) scanTail(s string, separator byte) (rest string, ok bool) {
	s = strings.TrimLeft(s, " ")
	month, n := LeadingDigits(s, 2)
	if n == 0 || len(s) <= n || s[n] != separator {
		return s, false
	}
	s = strings.TrimLeft(s[n+1:], " ")
	day, m := LeadingDigits(s, 2)
	t.a, t.b = month, day
	if rest = s[m:]; separator == '.' {
		rest = strings.TrimPrefix(rest, ".")
	}
	return rest, m > 0
}

func (t *Stamp) scanDayFirst(first int, s string) (rest string, ok bool) {
	separator := s[0]
	if month, n := monthName(s); n == 3 { // 13Jan26
		t.form, t.a, t.b = monthNamed, month, first
		return t.scanYear(s[n:])
	}
	if strings.IndexByte("-./ ", separator) < 0 {
		return s, false
	}
	s = strings.TrimLeft(s[1:], " ")
	if s == "" {
		return s, false
	}
	if second, n := LeadingDigits(s, 2); n > 0 && separator != ' ' {
		if len(s) <= n || s[n] != separator {
			return s, false
		}
		t.form, t.a, t.b, t.dotted = numbers, first, second, separator == '.'
		s = s[n+1:]
	} else {
		month, n := monthName(s)
		if n == 0 {
			return s, false
		}
		t.form, t.a, t.b = monthNamed, month, first
		s = strings.TrimLeft(s[n:], "-./ ,")
	}
	return t.scanYear(s)
}

// scanYear reads four digits, or two for a year of this century.
func (t *Stamp) scanYear(s string) (rest string, ok bool) {
	year, n := LeadingDigits(s, 4)
	if t.short = n == 2; t.short {
		year += 2000
	}
	t.year = year
	return s[n:], n == 2 || n == 4
}

func (t *Stamp) scanMonthFirst(s string) (rest string, ok bool) {
	month, n := monthName(s)
	if n == 0 {
		return s, false
	}
	s = strings.TrimLeft(s[n:], " .")
	day, n := LeadingDigits(s, 2)
	if n == 0 {
		return s, false
	}
	t.form, t.a, t.b = monthNamed, month, day
	return t.scanYear(strings.TrimLeft(s[n:], " ,"))
}

// months are the folded names of months beside the English ones, in full and short, in Spanish,
// Portuguese, French, German and Italian.
var months = map[string]time.Month{
	"enero": 1, "ene": 1, "janeiro": 1, "janvier": 1, "janv": 1, "januar": 1, "gennaio": 1, "gen": 1,
	"febrero": 2, "fevereiro": 2, "fev": 2, "fevrier": 2, "fevr": 2, "februar": 2, "febbraio": 2,
	"marzo": 3, "marco": 3, "mars": 3, "marz": 3, "mrz": 3,
	"abril": 4, "abr": 4, "avril": 4, "avr": 4, "aprile": 4,
	"mayo": 5, "maio": 5, "mai": 5, "maggio": 5, "mag": 5,
	"junio": 6, "junho": 6, "juin": 6, "juni": 6, "giugno": 6, "giu": 6,
	"julio": 7, "julho": 7, "juillet": 7, "juil": 7, "juli": 7, "luglio": 7, "lug": 7,
	"agosto": 8, "ago": 8, "aout": 8,
	"septiembre": 9, "setembro": 9, "set": 9, "septembre": 9, "settembre": 9, "sept": 9,
	"octubre": 10, "outubro": 10, "out": 10, "octobre": 10, "oktober": 10, "okt": 10, "ottobre": 10, "ott": 10,
	"noviembre": 11, "novembro": 11, "novembre": 11,
	"diciembre": 12, "dic": 12, "dezembro": 12, "dez": 12, "decembre": 12, "dezember": 12, "dicembre": 12, //nolint:misspell // French
}

// monthName reads a month, in full or short.
func monthName(s string) (month, n int) {
	if n = strings.IndexFunc(s, func(c rune) bool { return !unicode.IsLetter(c) }); n < 0 {
		n = len(s)
	}
	const longest = 11 // bytes
	if n < 3 || n > longest {
		return 0, 0
	}
	word := words.Fold(s[:n])
	for m := time.January; m <= time.December; m++ {
		if strings.EqualFold(word, m.String()) || strings.EqualFold(word, m.String()[:3]) {
			return int(m), n
		}
	}
	if m := months[word]; m > 0 {
		return int(m), n
	}
	return 0, 0
}

// scanSerial reads a spreadsheet's day from 1954 to 2119, to the millisecond.
func (t *Stamp) scanSerial(s string) bool {
	whole, fraction, found := strings.Cut(strings.Replace(s, ",", ".", 1), ".")
	days, n := LeadingDigits(whole, 5)
	if n != len(whole) || days < 20000 || days > 80000 || found && (fraction == "" || strings.Trim(fraction, "0123456789") != "") {
		return false
	}
	t.form, t.days, t.clock = serial, days, found
	if found {
		part, err := strconv.ParseFloat("0."+fraction, 64)
		if err != nil {
			return false
		}
		t.day = time.Duration(part * float64(24*time.Hour)).Round(time.Millisecond)
	}
	return true
}

// scanZone reads what follows the time: nothing, Z, an offset, or UTC and an
// offset, also in brackets.
func (t *Stamp) scanZone(s string) bool {
	if s == "" || s == "BP" || s == "EP" { // where a position begins and ends, in Sierra Chart's list of trades
		return true
	}
	t.american = americanZones[s]
	if _, known := regions[s]; known {
		t.Region, t.Zoned = s, true
		return true
	}
	t.Offset, t.Zoned = ParseOffset(s)
	t.shared = sharedAbbreviations[s]
	return t.Zoned || t.shared
}

// zoneHours are the abbreviations that stand for one offset.
var zoneHours = map[string]int{
	"EST": -5, "EDT": -4, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7, "CET": 1, "CEST": 2, "EET": 2, "EEST": 3, "MSK": 3, "HKT": 8, "JST": 9, "AEST": 10, "AEDT": 11,
}

// americanZones are the abbreviations of the United States, where people write the month first.
var americanZones = map[string]bool{"ET": true, "EST": true, "EDT": true, "CT": true, "CDT": true, "MDT": true, "PT": true, "PST": true, "PDT": true}

// regions are the zones whose abbreviations, next to a time, do not say in which half of the year it is.
var regions = map[string]func() Zone{"ET": regionOf("ET"), "CT": regionOf("CT"), "PT": regionOf("PT"), "(美东)": regionOf("ET")}

// RegionZone returns the zone of an abbreviation without its half of the year, which a stamp has as its region.
func RegionZone(abbreviation string) Zone { return regions[abbreviation]() }

// regionOf loads the zone of a heading once, because each loading reads its data.
func regionOf(name string) func() Zone {
	return sync.OnceValue(func() Zone {
		z, _ := ParseZone(headingZones[name]) // which is one
		return z
	})
}

// sharedAbbreviations are those of several zones: CST is that of the United States and of China.
var sharedAbbreviations = map[string]bool{"CST": true, "BST": true, "IST": true, "SST": true, "AST": true}

// IsSharedAbbreviation reports whether several zones have the abbreviation, in any case.
func IsSharedAbbreviation(text string) bool { return sharedAbbreviations[strings.ToUpper(text)] }

// headingZones are the zones that a heading names by the abbreviation of one half of the year, while the
// column has times of both.
var headingZones = map[string]string{
	"ET": "America/New_York", "EST": "America/New_York", "EDT": "America/New_York", "CT": "America/Chicago", "CDT": "America/Chicago",
	"MT": "America/Denver", "MDT": "America/Denver", "PT": "America/Los_Angeles", "PST": "America/Los_Angeles", "PDT": "America/Los_Angeles",
	"CET": "Europe/Berlin", "CEST": "Europe/Berlin", "EET": EET, "EEST": EET,
}

// ZoneOfHeading reads what stands in brackets after the name of a column of times: an abbreviation, an IANA name or an offset.
func ZoneOfHeading(text string) (Zone, bool) {
	name, ok := headingZones[strings.ToUpper(text)]
	if strings.Contains(text, "/") {
		name, ok = text, true
	}
	if ok {
		z, err := ParseZone(name)
		return z, err == nil
	}
	offset, ok := ParseOffset(text)
	return FixedZone(offset), ok
}

// ParseOffset reads Z, +02:00, UTC, GMT+2, (UTC+2) or EDT.
func ParseOffset(s string) (offset time.Duration, ok bool) {
	s = strings.ToUpper(strings.TrimSpace(strings.Trim(s, "()")))
	if s == "Z" || s == "UTC" || s == "GMT" {
		return 0, true
	}
	if hours, ok := zoneHours[s]; ok {
		return time.Duration(hours) * time.Hour, true
	}
	s = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(s, "UTC"), "GMT"))
	offset, rest, ok := cutOffset(s)
	return offset, ok && rest == ""
}

// WallTime gives the date and time as its clock showed it, in UTC's place; ok is
// false when there is no such date, zero when the moment is the one that
// platforms write for "never".
func (t Stamp) WallTime(order DateOrder, from1904 bool) (wall time.Time, ok bool) {
	year, month, day := t.year, t.a, t.b
	switch t.form {
	case epoch:
		return t.unix, t.unix.Year() >= firstYear && t.unix.Year() <= lastYear
	case serial:
		base := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
		if from1904 {
			base = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
		}
		wall = base.AddDate(0, 0, t.days).Add(t.day)
		return wall, wall.Year() >= firstYear && wall.Year() <= lastYear
	case numbers:
		switch order {
		case DMY:
			month, day = t.b, t.a
		case YMD: // 26-03-17
			year, month, day = t.a+2000, t.b, t.year-2000
		}
	}
	if year == 1970 && month == 1 && day == 1 {
		return time.Time{}, true
	}
	wall = time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if year < firstYear || year > lastYear || wall.Day() != day || int(wall.Month()) != month {
		return time.Time{}, false
	}
	return wall.Add(t.day), true
}

// Years of trades: the first retail platforms, and far ahead.
const firstYear, lastYear = 1990, 2100

// Dates counts the forms of a table's dates.
type Dates struct {
	form     [epoch + 1]int
	dmy, mdy int // decided by a day beyond 12
	unclear  int
	dateOnly int
	// serialClock means that a spreadsheet's date has a time of day.
	serialClock bool
	halves      int // with AM or PM, in capitals
	dotted      int // of numbers
	zoned       int
	unzoned     int
	SharedLine  int // the first with an abbreviation of several zones
	american    int // with the abbreviation of a zone of the United States
	// Of numbers with a year of two digits: how many, the least and the greatest of their first
	// numbers, and the least of their years.
	short, leastFirst, mostFirst, leastYear int
	firstLine                               [3]int // of dmy, mdy, unclear
}

// AddStamp counts a date or time.
func (d *Dates) AddStamp(t Stamp, line int) {
	d.form[t.form]++
	switch {
	case t.form == serial && t.clock:
		d.serialClock = true // then whole days are midnights
	case t.form != serial && !t.clock:
		d.dateOnly++
	}
	if t.half {
		d.halves++
	}
	if t.dotted {
		d.dotted++
	}
	if t.american {
		d.american++
	}
	if t.shared {
		d.SharedLine = cmp.Or(d.SharedLine, line)
	}
	if t.Zoned {
		d.zoned++
	} else {
		d.unzoned++
	}
	if t.form == numbers && t.short {
		d.addShort(&Dates{short: 1, leastFirst: t.a, mostFirst: t.a, leastYear: t.year})
	}
	if t.form != numbers || t.a == t.b {
		return
	}
	kind := 2
	switch {
	case t.a > 12:
		kind = 0
		d.dmy++
	case t.b > 12:
		kind = 1
		d.mdy++
	default:
		d.unclear++
	}
	if d.firstLine[kind] == 0 {
		d.firstLine[kind] = line
	}
}

// addShort adds what others say of years of two digits.
func (d *Dates) addShort(o *Dates) {
	switch {
	case o.short == 0:
		return
	case d.short == 0:
		d.leastFirst, d.leastYear = o.leastFirst, o.leastYear
	}
	d.short += o.short
	d.leastFirst, d.mostFirst, d.leastYear = min(d.leastFirst, o.leastFirst), max(d.mostFirst, o.mostFirst), min(d.leastYear, o.leastYear)
}

// mayBeginWithYear reports whether all dates are like 26-01-13, which more likely are days of one
// or two recent years than one or two days in years that are longer past.
func (d *Dates) mayBeginWithYear(now time.Time) bool {
	first := 2000 + d.mostFirst
	return d.short > 0 && d.short == d.form[numbers] && d.dotted == 0 && d.leastFirst > 12 && d.mostFirst-d.leastFirst <= 1 &&
		first > d.leastYear && (now.IsZero() || first <= now.Year())
}

// FindProof returns the line of the first date that can only be read in the order, or 0.
func (d *Dates) FindProof(o DateOrder) int {
	switch o {
	case DMY:
		return d.firstLine[0]
	case MDY:
		return d.firstLine[1]
	}
	return 0
}

// IsWithoutZone reports whether some times have no zone next to them.
func (d *Dates) IsWithoutZone() bool { return d.unzoned > 0 }

// IsZoned reports whether there are times, and all of them have a zone next to them.
func (d *Dates) IsZoned() bool { return d.zoned > 0 && d.unzoned == 0 }

// HasBareDates reports whether some times are dates alone.
func (d *Dates) HasBareDates() bool {
	return d.dateOnly > 0 || d.form[serial] > 0 && !d.serialClock
}

// Merge adds what another table shows.
func (d *Dates) Merge(o *Dates) {
	d.serialClock = d.serialClock || o.serialClock
	for i, n := range o.form {
		d.form[i] += n
	}
	for i, n := range o.firstLine {
		d.firstLine[i] = cmp.Or(d.firstLine[i], n)
	}
	d.dmy, d.mdy, d.unclear = d.dmy+o.dmy, d.mdy+o.mdy, d.unclear+o.unclear
	d.addShort(o)
	d.SharedLine = cmp.Or(d.SharedLine, o.SharedLine)
	d.dateOnly, d.halves, d.dotted, d.zoned, d.unzoned = d.dateOnly+o.dateOnly, d.halves+o.halves, d.dotted+o.dotted, d.zoned+o.zoned, d.unzoned+o.unzoned
	d.american += o.american
}

// HaveHalves reports whether some times have AM or PM, in capitals.
func (d *Dates) HaveHalves() bool { return d.halves > 0 }

// AreDotted reports whether points stand between the numbers of all dates that are numbers.
func (d *Dates) AreDotted() bool { return d.dotted > 0 && d.dotted == d.form[numbers] }

// AreAmerican reports whether all dates that are numbers have the abbreviation of a zone of the United States.
func (d *Dates) AreAmerican() bool { return d.american > 0 && d.american == d.form[numbers] }

// DecideOrder decides the order of day and month: by the dates themselves,
// otherwise by what the sender states, otherwise by how the format always writes
// them.
func (d *Dates) DecideOrder(given, usual DateOrder, now time.Time) (DateOrder, error) {
	if usual == YMD {
		if d.short > 0 && d.short == d.form[numbers] {
			return YMD, nil
		}
		usual = ""
	}
	switch {
	case d.dmy > 0 && d.mdy > 0:
		return "", refusal.New(refusal.AmbiguousDates, "Line %d has the day first and line %d has the month first. Export the file again, and do not save it with a spreadsheet in between.", d.firstLine[0], d.firstLine[1])
	case d.form[numbers] > 0 && d.form[serial] > 0:
		return "", refusal.New(refusal.AmbiguousDates, "Some dates are text and some are spreadsheet dates. Spreadsheet programs do this when they don't expect the order of day and month, and they swap the two. Send the file as the platform exported it.")
	case d.form[numbers] > 0 && d.form[yearFirst] > 0:
		return "", refusal.New(refusal.AmbiguousDates, "Some dates begin with the year, and the one in line %d does not. Spreadsheet programs do this when they don't expect the order of day and month, and they swap the two. Send the file as the platform exported it.",
			cmp.Or(d.firstLine[0], d.firstLine[1], d.firstLine[2]))
	case d.form[numbers] == 0:
		return YMD, nil
	case given == DMY && d.mdy > 0, given == MDY && d.dmy > 0:
		return "", refusal.New(refusal.AmbiguousDates, "The dates contradict the given date_order: see line %d.", cmp.Or(d.firstLine[1], d.firstLine[0])).SuggestOption("date_order")
	case given == "" && usual == "" && d.mayBeginWithYear(now):
		return "", refusal.New(refusal.AmbiguousDates, "Line %d has a date such as 26-01-13, which may begin with the year or with the day. Export the file with years of four digits, or send it again with date_order dmy if the day is first.", d.firstLine[0]).SuggestOption("date_order")
	case d.dmy > 0:
		return DMY, nil
	case d.mdy > 0:
		return MDY, nil
	case given != "":
		return given, nil
	case usual != "":
		return usual, nil
	case d.unclear == 0: // all like 05/05/2026
		return DMY, nil
	}
	return "", refusal.New(refusal.AmbiguousDates, "Line %d has a date such as 03/04/2026, and no date in the file shows which number is the day. Send it again with date_order dmy or mdy.", d.firstLine[2]).SuggestOption("date_order")
}
