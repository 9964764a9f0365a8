package extract

import (
	"math"
	"slices"
	"strings"
)

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
