package claims

import (
	"math"
	"slices"
	"strings"
)

// session is a trading session, with its usual hours in the zone of its city.
type session struct {
	phrase   string
	zone     string
	from, to float64
}

var sessions = []session{
	{"london", "Europe/London", 8, 17},
	{"new york", "America/New_York", 8, 17},
	{"ny session", "America/New_York", 8, 17},
	{"us session", "America/New_York", 8, 17},
	{"asia", "Asia/Tokyo", 9, 18},
	{"asian", "Asia/Tokyo", 9, 18},
	{"tokyo", "Asia/Tokyo", 9, 18},
	{"sydney", "Australia/Sydney", 8, 17},
}

// clockRange is a stretch of the day.
type clockRange struct {
	from, to    float64 // hours, 0 to 24; from may be after to, over midnight
	marked      bool    // something says that these are hours of the day
	eitherHalf  bool    // they may be before noon, or 12 hours later
	first, last int     // something shows that these are hours of the day
}

// moment is a time of the day that was said.
type moment struct {
	hour   float64
	half   string // am or pm; empty when not said
	marked bool
	last   int
}

// findClocks finds the parts of the day in a clause that are marked as such.
func findClocks(tokens []token) (found []clockRange) {
	for i := 0; i < len(tokens); i++ {
		if c, ok := readClocks(tokens, i); ok && c.marked {
			found = append(found, c)
			i = c.last
		}
	}
	return found
}

// readClocks reads a stretch of the day that begins at token i.
func readClocks(tokens []token, i int) (c clockRange, ok bool) {
	from, ok := readMoment(tokens, i)
	at := from.last + 1
	if !ok || at+1 >= len(tokens) {
		return c, false
	}
	end := endOfDay(tokens, i, at)
	at = max(at, end)
	between := tokens[at].text == "and" && i > 0 && tokens[i-1].text == "between"
	if !between && end == 0 && !slices.Contains([]string{"to", "-", "–", "until", "till", "through"}, tokens[at].text) {
		return c, false
	}
	for at+2 < len(tokens) && isListed(tokens[at+1].text, hedges) {
		at++
	}
	to, ok := readMoment(tokens, at+1)
	if !ok || from.hour == to.hour && from.half == to.half {
		return c, false
	}
	c = clockRange{marked: from.marked || to.marked, first: i, last: to.last}
	if to.last+1 < len(tokens) && slices.Contains(counted, tokens[to.last+1].text) {
		return c, false
	}
	from, to = inPartOfDay(tokens[:i], from, to)
	c.from, c.to = onClock(from, to)
	c.eitherHalf = from.half == "" && to.half == "" && c.from < c.to && c.to <= 12 && !strings.HasPrefix(tokens[i].text, "0")
	return c, c.from != c.to
}

// inPartOfDay puts two moments into the part of the day that was named before them: "evenings, from seven
// to ten", "at night from ten to two".
func inPartOfDay(before []token, from, to moment) (moment, moment) {
	if from.half != "" || to.half != "" || from.hour > 12 || to.hour > 12 {
		return from, to
	}
	night := hasPhrase(before, "evening", "evenings", "night", "nights", "after work")
	switch {
	case hasPhrase(before, "morning", "mornings"):
		if from.half = "am"; to.hour < 12 {
			to.half = "am"
		}
	case night && (to.hour < from.hour || to.hour == 12):
		from.half, to.half = "pm", "am"
	case night, hasPhrase(before, "afternoon", "afternoons"):
		from.half, to.half = "pm", "pm"
	}
	return from, to
}

// endOfDay returns the index of the word before the time at which a trader ends who
// begins at a time before token at: "I start at seven and am done by noon". It is 0
// if there is none.
func endOfDay(tokens []token, i, at int) int {
	if !isListed(textAt(tokens, i-1), []string{"at", "around", "about", "like"}) || !isListed(textAt(tokens, i-2), []string{"start", "starts", "begin", "begins", "starting", "trading"}) {
		return 0
	}
	ends := false
	for end := at; end < len(tokens) && end <= at+7; end++ {
		switch text := tokens[end].text; {
		case isListed(text, []string{"done", "finished", "finish", "stop", "quit", "end", "out", "until", "till"}):
			ends = true
		case ends && isListed(text, []string{"by", "at", "around", "before"}), text == "by" && tokens[end-1].text == "and" && isNumberAt(tokens, end+1):
			return end
		case !isListed(text, []string{
			"and", "i", "am", "then", "usually", "to", "trade", "trading", "for", "the", "day", "all", "london", "new", "york", "my", "local", "time",
		}, adverbs):
			return 0
		}
		if ends && end+1 < len(tokens) && isNumberAt(tokens, end+1) && isListed(tokens[end].text, []string{"until", "till"}) {
			return end
		}
	}
	return 0
}

// counted are what a range of numbers may count instead of hours.
var counted = []string{
	"%", "percent", "trades", "trade", "positions", "accounts", "times", "pips", "points", "lots", "lot", "minutes", "minute", "hours", "hour",
	"seconds", "days", "weeks", "months", "years", "setups", "pairs", "dollars", "entries", "per", "a", "each",
}

// readMoment reads a time of the day that begins at token i: "8", "8:30", "8 am",
// "noon", "eight in the morning".
func readMoment(tokens []token, i int) (m moment, ok bool) {
	switch text := tokens[i].text; {
	case text == "noon" || text == "midday":
		return moment{12, "pm", true, i}, true
	case text == "midnight":
		return moment{0, "am", true, i}, true
	case strings.Contains(text, ":"):
		hour, minutes, _ := strings.Cut(text, ":")
		h, okHour := parseDigits(hour)
		m, okMinutes := parseDigits(minutes)
		if !okHour || !okMinutes || m >= 60 {
			return moment{}, false
		}
		return readDayHalf(tokens, moment{h + m/60, "", true, i})
	}
	if parts := halves[tokens[i].text]; parts > 0 &&
		isListed(textAt(tokens, i+1), []string{"past", "to"}) && isNumberAt(tokens, i+2) {
		n, _ := readNumber(tokens, i+2)
		if tokens[i+1].text == "to" {
			parts = -parts
		}
		return readDayHalf(tokens, moment{n.low + parts, "", true, n.last})
	}
	if hour := smallNumbers[textAt(tokens, i+1)]; tokens[i].text == "half" && hour >= 1 && hour <= 12 && !unitWord(textAt(tokens, i+2)) {
		return readDayHalf(tokens, moment{hour + 0.5, "", false, i + 1}) // "half two"
	}
	n, ok := readNumber(tokens, i)
	if !ok || tokens[i].text == "a" || tokens[i].text == "an" {
		return m, false
	}
	if whole, minutes, ok := strings.Cut(tokens[i].text, "."); ok && len(minutes) == 2 && minutes < "60" && isNumeral(whole) { // "9.30"
		m, _ := parseDigits(minutes)
		return readDayHalf(tokens, moment{math.Trunc(n.low) + m/60, "", false, n.last})
	}
	if minutes, last, ok := spokenMinutes(tokens, n); ok {
		return readDayHalf(tokens, moment{n.low + minutes/60, "", true, last})
	}
	return readDayHalf(tokens, moment{n.low, "", false, n.last})
}

// spokenMinutes reads the minutes of a time that is spoken: "eight thirty".
func spokenMinutes(tokens []token, n number) (minutes float64, last int, ok bool) {
	if n.low != float64(int(n.low)) || n.low > 24 || n.first != n.last || isNumeral(tokens[n.last].text) {
		return 0, 0, false
	}
	switch next := textAt(tokens, n.last+1); {
	case next == "thirty", next == "fifteen":
		return map[string]float64{"thirty": 30, "fifteen": 15}[next], n.last + 1, !unitWord(textAt(tokens, n.last+2))
	case next == "forty" && textAt(tokens, n.last+2) == "five":
		return 45, n.last + 2, !unitWord(textAt(tokens, n.last+3))
	}
	return 0, 0, false
}

// readDayHalf reads the words that say in which half of the day a moment is.
func readDayHalf(tokens []token, m moment) (moment, bool) {
	at := m.last + 1
	for at < len(tokens) && slices.Contains([]string{"o'clock", "in", "the", "at"}, tokens[at].text) {
		if tokens[at].text == "o'clock" {
			m.marked, m.last = true, at
		}
		at++
	}
	if at < len(tokens) {
		switch tokens[at].text {
		case "morning":
			m.half, m.marked, m.last = "am", true, at
			if m.hour >= 12 && m.hour < 13 {
				m.half = "pm" // "nine to twelve in the morning" ends at noon
			}
		case "am":
			m.half, m.marked, m.last = "am", true, at
		case "pm", "afternoon", "evening", "night":
			m.half, m.marked, m.last = "pm", true, at
		}
	}
	return m, m.hour >= 0 && m.hour <= 24
}

// onClock assigns both moments to a half of the day: that of one applies to the
// other if that makes the range shorter.
func onClock(a, b moment) (from, to float64) {
	from, to = toHour24(a.hour, a.half), toHour24(b.hour, b.half)
	switch {
	case a.half == "" && b.half == "" && a.hour >= 6 && a.hour <= 12 && b.hour < a.hour && b.hour > 0 && (b.hour < 6 || b.hour == 6 && a.hour <= 9):
		to = b.hour + 12 // "ten to one" and "nine to six" go over noon
	case a.half == "" && b.half == "pm" && a.hour < 12 && a.hour+12 <= to:
		from = a.hour + 12
	case a.half == "" && b.half == "am" && a.hour > to && a.hour < 12:
		from = a.hour + 12
	case a.half == "pm" && b.half == "" && b.hour < 12 && b.hour+12 > from:
		to = b.hour + 12
	}
	return from, to
}

// toHour24 returns the hour of 24.
func toHour24(hour float64, half string) float64 {
	switch {
	case half == "pm" && hour < 12:
		return hour + 12
	case half == "am" && hour >= 12 && hour < 13:
		return hour - 12
	}
	return hour
}

// hourContext lists words that make a clause one about the time of day.
var hourContext = []string{
	"session", "sessions", "hours", "morning", "afternoon", "evening", "am", "pm", "o'clock", "time zone", "timezone", "my time", "london time",
	"server time", "utc", "gmt", "est", "cet",
}

// tradesSession reports whether a session's name means an instrument: "I trade New
// York".
func (st *statement) tradesSession() bool {
	return slices.ContainsFunc(sessions, func(s session) bool {
		return st.hasAny([]string{"i trade " + s.phrase, "we trade " + s.phrase, "i trade the " + s.phrase})
	})
}

// readHours reads the hours of the day, or the sessions, in which the trader
// trades.
func (st *statement) readHours(asked Topic) {
	hasHours := asked == Hours || hasPhrase(withoutDurations(st.context), hourContext...) || st.tradesSession() ||
		slices.ContainsFunc(findClocks(st.context), func(c clockRange) bool { return c.marked }) || len(instrumentSpans(st.tokens)) > 0
	if asked != Hours && !hasPhrase(withoutDurations(st.context), "trade", "trading", "session", "sessions", "active", "market", "hours", "charts") {
		return
	}
	zone, explicit := st.namedZone()
	hasHours = hasHours || zone != "" && st.hasAny([]string{"time"})
	found := st.clocks
	for i := 0; hasHours && len(found) == 0 && i < len(st.tokens); i++ {
		if c, ok := readClocks(st.tokens, i); ok &&
			(asked == Hours ||
				!hasPhrase(st.tokens[c.last+1:], "session")) { // not "two or three in the London session"
			found = []clockRange{c}
			for k, n := range st.numbers {
				st.used[k] = st.used[k] || n.first <= c.last && c.first <= n.last
			}
		}
	}
	for _, c := range found {
		if st.isNegated(c.first) || st.isOutside(c.first) || st.isAway(c) {
			continue
		}
		in := zone
		if !explicit {
			in = st.zoneOf(c, zone)
		}
		st.addClaim(Claim{Topic: Hours, Op: Range, Value: c.from, High: c.to, EitherHalf: c.eitherHalf, Zone: in, Unit: Clock}, c.first, c.last)
	}
	aside := asked != "" && asked != Hours && !hasPhrase(st.context, "trade", "trading", "scalp") && (!st.hasAny([]string{"session"}) || slices.ContainsFunc(st.context[:min(2, len(st.context))], func(t token) bool { return isListed(t.text, neutral, otherPronouns) }))
	if hasHours && len(found) == 0 && !aside { // not "gold moves in the New York session"
		st.readSessions()
	}
}

// withoutDurations leaves out durations: "a couple of hours".
func withoutDurations(tokens []token) (kept []token) {
	at := 0
	for _, n := range findNumbers(tokens) {
		if n.unit == Seconds {
			kept = append(kept, tokens[at:n.first]...)
			at = n.last + 1
		}
	}
	return append(kept, tokens[at:]...)
}

// readSessions reads sessions that are named without hours.
func (st *statement) readSessions() {
	var claimed []string
	for _, s := range sessions {
		words := strings.Fields(s.phrase)
		at := findTokens(st.tokens, words, 0)
		if at < 0 || slices.Contains(claimed, s.zone) {
			continue
		}
		last := at + len(words) - 1
		if isListed(textAt(st.tokens, last+1), []string{"session", "sessions"}) {
			last++
		}
		if st.isSessionDenied(at, last) || st.isOutside(at) || st.isAway(clockRange{first: at, last: last}) {
			continue
		}
		if isListed(textAt(st.tokens, at-1), []string{"of", "before", "after"}) ||
			textAt(st.tokens, at-1) == "the" && isListed(textAt(st.tokens, at-2), []string{"of", "before", "after"}) {
			continue // "the first hours of London"
		}
		claimed = append(claimed, s.zone)
		if textAt(st.tokens, at-1) == "open" {
			continue // "the nine thirty open, New York"
		}
		if next := textAt(st.tokens, last+1); slices.ContainsFunc([]string{"time", "open", "clos", "lunch"}, func(begin string) bool { return strings.HasPrefix(next, begin) }) {
			continue // a time of the day, and a moment of a session, are not all of it
		}
		st.addClaim(Claim{Topic: Hours, Op: Range, Value: s.from, High: s.to, Zone: s.zone, Unit: Clock}, at, last)
	}
}

// readClosingHour reads that nothing is open behind an hour of the day, and so not overnight: "everything is closed by nine pm".
func (st *statement) readClosingHour() {
	at := findTokens(st.tokens, []string{"by"}, 0)
	for _, phrase := range []string{"by the evening", "in the evening", "by night", "by dinner", "before dinner"} {
		if evening := findPhrase(st.tokens, phrase); evening > 0 && st.hasAny([]string{"closed", "flat"}) && st.hasAny([]string{"everything", "is all", "are all", "all of them", "all my"}) && !deniedIn(st.tokens) {
			st.addClaim(Claim{Topic: HoldingTime, About: "overnight", Op: Is}, evening, min(evening+2, len(st.tokens)-1))
			return
		}
	}
	if at < 0 || at+1 >= len(st.tokens) || !st.hasAny(closing) && !st.hasAny([]string{"off the table"}) || deniedIn(st.tokens) ||
		!st.hasAny([]string{"everything", "every position", "every trade", "all positions", "all my positions", "all trades", "all my trades", "all of them"}) {
		return
	}
	if m, ok := readMoment(st.tokens, at+1); ok && (m.half == "pm" || m.hour > 12) {
		st.addClaim(Claim{Topic: HoldingTime, About: "overnight", Op: Is}, at, m.last)
	}
}

// isOutside reports whether the trader means the rest of the day: "outside of nine to
// five", "except the London session".
func (st *statement) isOutside(i int) bool {
	return st.isExcepted(i) || hasPhrase(st.tokens[max(0, i-3):i], "outside")
}
