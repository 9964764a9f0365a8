package words

import (
	"math"
	"slices"
	"strings"
)

// ClockRange is a stretch of the day.
type ClockRange struct {
	From, To    float64 // hours, 0 to 24; From may be after To, over midnight
	Marked      bool    // something says that these are hours of the day
	EitherHalf  bool    // they may be before noon, or 12 hours later
	First, Last int     // indexes of its tokens, inclusive
}

// Moment is a time of the day that was said.
type Moment struct {
	Hour   float64 // 0 to 24, as it was said
	Half   string  // am or pm; empty when not said
	marked bool
	Last   int // index of its last token
}

// FindClocks finds the parts of the day in a clause that are marked as such.
func (ts Tokens) FindClocks() (found []ClockRange) {
	for i := 0; i < len(ts); i++ {
		if c, ok := ts.ReadClocks(i); ok && c.Marked {
			found = append(found, c)
			i = c.Last
		}
	}
	return found
}

// ReadClocks reads a stretch of the day that begins at token i.
func (ts Tokens) ReadClocks(i int) (c ClockRange, ok bool) {
	from, ok := ts.ReadMoment(i)
	at := from.Last + 1
	if !ok || at+1 >= len(ts) {
		return c, false
	}
	end := endOfDay(ts, i, at)
	at = max(at, end)
	between := ts[at].Text == "and" && i > 0 && ts[i-1].Text == "between"
	if !between && end == 0 && !slices.Contains([]string{"to", "-", "–", "until", "till", "through"}, ts[at].Text) {
		return c, false
	}
	for at+2 < len(ts) && IsListed(ts[at+1].Text, Hedges) {
		at++
	}
	to, ok := ts.ReadMoment(at + 1)
	if !ok || from.Hour == to.Hour && from.Half == to.Half {
		return c, false
	}
	c = ClockRange{Marked: from.marked || to.marked, First: i, Last: to.Last}
	if to.Last+1 < len(ts) && slices.Contains(counted, ts[to.Last+1].Text) {
		return c, false
	}
	from, to = inPartOfDay(ts[:i], from, to)
	c.From, c.To = onClock(from, to)
	c.EitherHalf = from.Half == "" && to.Half == "" && c.From < c.To && c.To <= 12 && !strings.HasPrefix(ts[i].Text, "0")
	return c, c.From != c.To
}

// inPartOfDay puts two moments into the part of the day that was named before them: "evenings, from seven
// to ten", "at night from ten to two".
func inPartOfDay(before Tokens, from, to Moment) (Moment, Moment) {
	if from.Half != "" || to.Half != "" || from.Hour > 12 || to.Hour > 12 {
		return from, to
	}
	night := before.HasPhrase("evening", "evenings", "night", "nights", "after work")
	switch {
	case before.HasPhrase("morning", "mornings"):
		if from.Half = "am"; to.Hour < 12 {
			to.Half = "am"
		}
	case night && (to.Hour < from.Hour || to.Hour == 12):
		from.Half, to.Half = "pm", "am"
	case night, before.HasPhrase("afternoon", "afternoons"):
		from.Half, to.Half = "pm", "pm"
	}
	return from, to
}

// endOfDay returns the index of the word before the time at which a trader ends who
// begins at a time before token at: "I start at seven and am done by noon". It is 0
// if there is none.
func endOfDay(tokens Tokens, i, at int) int {
	if !IsListed(tokens.TextAt(i-1), []string{"at", "around", "about", "like"}) || !IsListed(tokens.TextAt(i-2), []string{"start", "starts", "begin", "begins", "starting", "trading"}) {
		return 0
	}
	ends := false
	for end := at; end < len(tokens) && end <= at+7; end++ {
		switch text := tokens[end].Text; {
		case IsListed(text, []string{"done", "finished", "finish", "stop", "quit", "end", "out", "until", "till"}):
			ends = true
		case ends && IsListed(text, []string{"by", "at", "around", "before"}), text == "by" && tokens[end-1].Text == "and" && tokens.IsNumberAt(end+1):
			return end
		case !IsListed(text, []string{
			"and", "i", "am", "then", "usually", "to", "trade", "trading", "for", "the", "day", "all", "london", "new", "york", "my", "local", "time",
		}, Adverbs):
			return 0
		}
		if ends && end+1 < len(tokens) && tokens.IsNumberAt(end+1) && IsListed(tokens[end].Text, []string{"until", "till"}) {
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

// ReadMoment reads a time of the day that begins at token i: "8", "8:30", "8 am",
// "noon", "eight in the morning".
func (ts Tokens) ReadMoment(i int) (m Moment, ok bool) {
	switch text := ts[i].Text; {
	case text == "noon" || text == "midday":
		return Moment{12, "pm", true, i}, true
	case text == "midnight":
		return Moment{0, "am", true, i}, true
	case strings.Contains(text, ":"):
		hour, minutes, _ := strings.Cut(text, ":")
		h, okHour := parseDigits(hour)
		m, okMinutes := parseDigits(minutes)
		if !okHour || !okMinutes || m >= 60 {
			return Moment{}, false
		}
		return readDayHalf(ts, Moment{h + m/60, "", true, i})
	}
	if parts := halves[ts[i].Text]; parts > 0 &&
		IsListed(ts.TextAt(i+1), []string{"past", "to"}) && ts.IsNumberAt(i+2) {
		n, _ := ts.readNumber(i + 2)
		if ts[i+1].Text == "to" {
			parts = -parts
		}
		return readDayHalf(ts, Moment{n.Low + parts, "", true, n.Last})
	}
	if hour := smallNumbers[ts.TextAt(i+1)]; ts[i].Text == "half" && hour >= 1 && hour <= 12 && !IsUnit(ts.TextAt(i+2)) {
		return readDayHalf(ts, Moment{hour + 0.5, "", false, i + 1}) // "half two"
	}
	n, ok := ts.readNumber(i)
	if !ok || ts[i].Text == "a" || ts[i].Text == "an" {
		return m, false
	}
	if whole, minutes, ok := strings.Cut(ts[i].Text, "."); ok && len(minutes) == 2 && minutes < "60" && isNumeral(whole) { // "9.30"
		m, _ := parseDigits(minutes)
		return readDayHalf(ts, Moment{math.Trunc(n.Low) + m/60, "", false, n.Last})
	}
	if minutes, last, ok := spokenMinutes(ts, n); ok {
		return readDayHalf(ts, Moment{n.Low + minutes/60, "", true, last})
	}
	return readDayHalf(ts, Moment{n.Low, "", false, n.Last})
}

// spokenMinutes reads the minutes of a time that is spoken: "eight thirty".
func spokenMinutes(tokens Tokens, n Number) (minutes float64, last int, ok bool) {
	if n.Low != float64(int(n.Low)) || n.Low > 24 || n.First != n.Last || isNumeral(tokens[n.Last].Text) {
		return 0, 0, false
	}
	switch next := tokens.TextAt(n.Last + 1); {
	case next == "thirty", next == "fifteen":
		return map[string]float64{"thirty": 30, "fifteen": 15}[next], n.Last + 1, !IsUnit(tokens.TextAt(n.Last + 2))
	case next == "forty" && tokens.TextAt(n.Last+2) == "five":
		return 45, n.Last + 2, !IsUnit(tokens.TextAt(n.Last + 3))
	}
	return 0, 0, false
}

// readDayHalf reads the words that say in which half of the day a moment is.
func readDayHalf(tokens Tokens, m Moment) (Moment, bool) {
	at := m.Last + 1
	for at < len(tokens) && slices.Contains([]string{"o'clock", "in", "the", "at"}, tokens[at].Text) {
		if tokens[at].Text == "o'clock" {
			m.marked, m.Last = true, at
		}
		at++
	}
	if at < len(tokens) {
		switch tokens[at].Text {
		case "morning":
			m.Half, m.marked, m.Last = "am", true, at
			if m.Hour >= 12 && m.Hour < 13 {
				m.Half = "pm" // "nine to twelve in the morning" ends at noon
			}
		case "am":
			m.Half, m.marked, m.Last = "am", true, at
		case "pm", "afternoon", "evening", "night":
			m.Half, m.marked, m.Last = "pm", true, at
		}
	}
	return m, m.Hour >= 0 && m.Hour <= 24
}

// onClock assigns both moments to a half of the day: that of one applies to the
// other if that makes the range shorter.
func onClock(a, b Moment) (from, to float64) {
	from, to = toHour24(a.Hour, a.Half), toHour24(b.Hour, b.Half)
	switch {
	case a.Half == "" && b.Half == "" && a.Hour >= 6 && a.Hour <= 12 && b.Hour < a.Hour && b.Hour > 0 && (b.Hour < 6 || b.Hour == 6 && a.Hour <= 9):
		to = b.Hour + 12 // "ten to one" and "nine to six" go over noon
	case a.Half == "" && b.Half == "pm" && a.Hour < 12 && a.Hour+12 <= to:
		from = a.Hour + 12
	case a.Half == "" && b.Half == "am" && a.Hour > to && a.Hour < 12:
		from = a.Hour + 12
	case a.Half == "pm" && b.Half == "" && b.Hour < 12 && b.Hour+12 > from:
		to = b.Hour + 12
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
