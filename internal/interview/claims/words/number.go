package words

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assayhq/assay/internal/interview/claims"
)

// Number is a value or a range of values in a sentence.
type Number struct {
	Low, High   float64 // in Unit; equal unless Ranged is set
	Ranged      bool
	Approximate bool
	Unit        claims.Unit // NoUnit if none was said
	Currency    string      // ISO code, or empty if it is no money or none was said
	First, Last int         // indexes of its tokens, inclusive
}

var smallNumbers = map[string]float64{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
	"thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
}

var tens = map[string]float64{
	"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}

// halves are the words for parts of an hour before "past" and "to".
var halves = map[string]float64{"half": 0.5, "quarter": 0.25}

// Durations holds the seconds of units of time.
var Durations = map[string]float64{
	"second": 1, "seconds": 1, "sec": 1, "secs": 1, "s": 1, "h": 3600, "minute": 60, "minutes": 60, "min": 60, "mins": 60, "hour": 3600, "hours": 3600, "hr": 3600, "hrs": 3600,
	"day": 86400, "days": 86400, "week": 604800, "weeks": 604800, "month": 2629800, "months": 2629800, "year": 31557600, "years": 31557600,
}

// shortDurations holds the seconds of units that follow digits without a space: "20m".
var shortDurations = map[string]float64{"m": 60, "d": 86400, "w": 604800, "y": 31557600}

var currencies = map[string]string{
	"$": "USD", "€": "EUR", "£": "GBP", "dollar": "USD", "dollars": "USD", "bucks": "USD", "buck": "USD", "quid": "GBP", "usd": "USD", "euro": "EUR",
	"euros": "EUR", "eur": "EUR",
	"pound": "GBP", "pounds": "GBP", "gbp": "GBP",
}

// Hedges make the value beside them approximate.
var Hedges = []string{"about", "around", "approximately", "roughly", "maybe", "like", "nearly", "almost", "circa", "ish", "some"}

// FindNumbers returns the values in a sentence, from left to right.
func (ts Tokens) FindNumbers() []Number {
	var found []Number
	for i := 0; i < len(ts); {
		n, ok := ts.readNumber(i)
		if !ok {
			i++
			continue
		}
		n = widenValue(ts, n)
		found = append(found, n)
		i = n.Last + 1
	}
	return found
}

// readNumber reads a single value that begins at token i.
func (ts Tokens) readNumber(i int) (Number, bool) {
	n := Number{First: i, Last: i}
	switch {
	case coupleAt(ts, &n):
		multiplyByScale(ts, &n)
	case fractionAt(ts, &n):
	case ts.TextAt(i) == "half" && ts.TextAt(i+1) != "of":
		n.Low = 0.5
		if (ts.TextAt(i+1) == "a" || ts.TextAt(i+1) == "an") && ts.TextAt(i+2) != "" {
			n.Last = i + 1
		}
		multiplyByScale(ts, &n)
	case ts.TextAt(i) == "quarter" && ts.TextAt(i+1) != "of":
		n.Low = 0.25
	case ts.TextAt(i) == "a" && scales[ts.TextAt(i+1)] > 0 && len(ts.TextAt(i+1)) > 1:
		n.Low, n.Last = scales[ts.TextAt(i+1)], i+1
		if more, end, ok := readBelow(ts, n.Last+1, n.Low); ok {
			n.Low, n.Last = n.Low+more, end
		}
	case ts.TextAt(i) == "a" && ts.TextAt(i+1) == "single" && IsListed(ts.TextAt(i+2), []string{"one", "account"}) && ts.TextAt(i+3) != "of":
		n.Low, n.Last = 1, i+1+toInt(ts.TextAt(i+2) == "one")
	case ts.TextAt(i) == "hundred" && ts.TextAt(i+1) == "percent":
		n.Low = 100
	case ts.TextAt(i) == "a" && (ts.TextAt(i+1) == "percent" || ts.TextAt(i+1) == "per" && ts.TextAt(i+2) == "cent"):
		n.Low = 1
	case ts.TextAt(i) == "the" && IsListed(ts.TextAt(i+1), []string{"hour", "minute"}) && IsListed(ts.TextAt(i-1), []string{"within", "inside", "of"}):
		n.Low = 1
	case (ts.TextAt(i) == "a" || ts.TextAt(i) == "an") && Durations[ts.TextAt(i+1)] > 0 && !perUnit(ts, i):
		n.Low = 1
	default:
		value, last, ok := readSpelled(ts, i)
		if !ok {
			return n, false
		}
		n.Low, n.Last = value, last
		if part, end, ok := partAfter(ts, last+1); ok {
			n.Low, n.Last = n.Low+part, end
		} else if ts.TextAt(last+1) == "and" && ts.TextAt(last+2) == "half" && IsUnit(ts.TextAt(last+3)) && ts.TextAt(i-1) != "between" {
			n.Low, n.Last = n.Low+0.5, last+2 // "two and half percent"
		}
	}
	n.Approximate = n.Approximate || ts[n.Last].Text == "dozen"
	n.High = n.Low
	return n, true
}

// perUnit reports whether "a" at token i means "per", as in "three trades a day".
func perUnit(tokens Tokens, i int) bool {
	if i == 0 {
		return false
	}
	before := tokens[i-1].Text
	return isNumeral(before) || isSpokenNumber(before) || before == "twice" || strings.HasPrefix(before, "trade") ||
		strings.HasPrefix(before, "position") || Durations[before] > 0 && before != tokens.TextAt(i+1) || before == "dollars" || before == "each" || before == "times" ||
		before == "once" || before == "%" || before == "percent"
}

// scales holds the factors by which words multiply the number before them.
var scales = map[string]float64{"dozen": 12, "hundred": 100, "k": 1e3, "thousand": 1e3, "grand": 1e3, "m": 1e6, "million": 1e6}

// longestNumber is roughly the largest number of words in a spelled number.
const longestNumber = 12

// readSpelled reads a number in digits or words that begins at token i, such as "5k"
// and "one hundred and twenty", and returns the last of its tokens.
func readSpelled(tokens Tokens, i int) (value float64, last int, ok bool) {
	value, ok = parseDigits(tokens[i].Text)
	last = i
	if !ok {
		if value, last, ok = readWords(tokens, i); !ok {
			return 0, 0, false
		}
	} else if part, ok := parseDigits(tokens.TextAt(i + 1)); ok && part < 1 && strings.Contains(tokens[i+1].Text, "/") { // "1 1/2"
		value, last = value+part, i+1
	}
	for last+1 < len(tokens) && last < i+longestNumber {
		factor := scales[tokens[last+1].Text]
		if tokens[last+1].Text == "m" && currencies[tokens.TextAt(i-1)] == "" && currencies[tokens.TextAt(last+2)] == "" {
			break // "20m" are minutes, but "$2m" millions
		}
		if factor == 0 || len(tokens[last+1].Text) == 1 && isNumeral(tokens[last].Text) && tokens[last+1].Start != tokens[last].End {
			break
		}
		value *= factor
		last++
		if more, end, ok := readBelow(tokens, last+1, factor); ok {
			value, last = value+more, end
		}
	}
	return value, last, true
}

// readBelow reads the number that follows a scale, such as "and twenty" after "one hundred".
func readBelow(tokens Tokens, i int, scale float64) (value float64, last int, ok bool) {
	if tokens.TextAt(i) == "and" {
		if tokens.TextAt(i-1) == "k" {
			return 0, 0, false // "fifty k and one account"
		}
		i++
	}
	if i >= len(tokens) || scale < 100 || tokens[i].Text == "one" && !isCount(tokens, i) {
		return 0, 0, false
	}
	value, last, ok = readWords(tokens, i)
	if ok && last+1 < len(tokens) && scale > 100 && tokens[last+1].Text == "hundred" {
		value, last = 100*value, last+1
	}
	if scales[tokens.TextAt(last+1)] == scale {
		return 0, 0, false // "between two hundred and three hundred"
	}
	return value, last, ok && value < scale
}

func parseDigits(text string) (float64, bool) {
	if part, whole, ok := strings.Cut(text, "/"); ok {
		a, errA := strconv.ParseFloat(part, 64)
		b, errB := strconv.ParseFloat(whole, 64)
		return a / b, errA == nil && errB == nil && a < b
	}
	if text == "" || (text[0] < '0' || text[0] > '9') && text[0] != '.' || text == "." {
		return 0, false
	}
	if at := strings.IndexByte(text, ','); at > strings.IndexByte(text, '.') && strings.Contains(text, ".") {
		text = strings.Replace(strings.ReplaceAll(text, ".", ""), ",", ".", 1) // "1.000,50"
	}
	if at := strings.IndexByte(text, ','); at >= 0 && (text[:at] == "0" || len(text)-at <= 3) {
		text = strings.Replace(text, ",", ".", 1)
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	return v, err == nil
}

// readWords reads a number below a hundred in words: "twenty five", "zero point five".
func readWords(tokens Tokens, i int) (value float64, last int, ok bool) {
	last = i
	switch t := tokens[i].Text; {
	case tens[t] > 0:
		value = tens[t]
		next := i + 1
		if next+1 < len(tokens) && tokens[next].Text == "-" {
			next++
		}
		if next < len(tokens) {
			if u := smallNumbers[tokens[next].Text]; u > 0 && u < 10 {
				value, last = value+u, next
			}
		}
	case t == "point":
		last = i - 1
	case t == "oh" && i+1 < len(tokens) && tokens[i+1].Text == "point":
	default:
		u, isUnit := smallNumbers[t]
		if !isUnit || t == "one" && !isCount(tokens, i) {
			return 0, 0, false
		}
		value = u
		if more, end := spokenHundreds(tokens, i, u); end > 0 {
			return more, end, true
		}
	}
	if fraction, end := readDecimals(tokens, last+1); end > 0 {
		return value + fraction, end, true
	}
	return value, last, last >= i
}

// readDecimals reads decimals such as "point five" at token i. end is 0 if there are none.
func readDecimals(tokens Tokens, i int) (fraction float64, end int) {
	if i >= len(tokens) || tokens[i].Text != "point" {
		return 0, 0
	}
	text := "0."
	for i++; i < len(tokens); i++ {
		u, isUnit := smallNumbers[tokens[i].Text]
		if !isUnit || u > 9 {
			break
		}
		text, end = text+strconv.Itoa(int(u)), i
	}
	fraction, _ = strconv.ParseFloat(text, 64) // digits
	return fraction, end
}

// isCount reports whether "one" at token i is a number rather than a pronoun, as in "the one" and
// "one of".
func isCount(tokens Tokens, i int) bool {
	if i > 0 && IsListed(tokens[i-1].Text, []string{"the", "this"}) && tokens.TextAt(i+1) == "account" {
		return true
	}
	if i > 0 && (tokens.TextAt(i+1) == "and" && IsListed(tokens.TextAt(i+2), []string{"half", "a"}) || tokens[i-1].Text == "last" && Durations[tokens.TextAt(i+1)] > 0) {
		return true // "since last one and half years"
	}
	if i > 0 && slices.Contains([]string{"the", "this", "that", "which", "every", "each", "another", "any", "good", "first", "last"}, tokens[i-1].Text) {
		return false
	}
	if len(tokens) == 1 {
		return true
	}
	if i > 0 && i+1 == len(tokens) {
		return slices.Contains([]string{"risk", "about", "around", "or", "to", "than", "only", "is", "not", "and", "plus", "above", "over", "below", "under"}, tokens[i-1].Text)
	}
	return i+1 < len(tokens) && tokens[i+1].Text != "of" && tokens[i+1].Text != "thing" &&
		(tokens[i+1].Text != "day" || IsListed(tokens.TextAt(i-1), Prepositions))
}

// rangeMarks are the words between the ends of a range.
var rangeMarks = []string{"to", "-", "–", "or", "until", "till"}

// widenValue completes a value with its unit, the end of its range, and the words around it that
// make it approximate.
func widenValue(tokens Tokens, n Number) Number {
	n, factor := withUnit(tokens, n)
	switch part, end, ok := partAfter(tokens, n.Last+1); {
	case n.Unit == claims.Seconds:
		n = lengthenDuration(tokens, n, &factor)
	case n.Unit == claims.Percent && ok && !IsUnit(tokens.TextAt(end+1)): // "a percent and a half"
		n.Low, n.Last = n.Low+part, end
	}
	n.High = n.Low * factor
	if end, ok := rangeEnd(tokens, n, factor); ok {
		if n.Unit == claims.NoUnit { // "twenty to thirty minutes"
			n.Unit, n.Currency, factor = end.Unit, end.Currency, cmp.Or(Durations[tokens[end.Last].Text], shortDurations[tokens[end.Last].Text])
			if n.Unit != claims.Seconds {
				factor = 1
			}
		}
		if scale := sharedScale(tokens, n, end); scale > 1 {
			n.Low *= scale // "one to two hundred dollars"
		}
		n.High, n.Last, n.Ranged, n.Approximate = end.Low, end.Last, true, n.Approximate || end.Approximate
	}
	n.Low *= factor
	for i := max(0, n.First-2); i < n.First; i++ {
		n.Approximate = n.Approximate || slices.Contains(Hedges, tokens[i].Text) && (tokens[i].Text != "some" || i == n.First-1) // not "some for two days"
	}
	n.Approximate = n.Approximate || slices.ContainsFunc(tokens[n.First:n.Last+1], func(t Token) bool { return t.loose })
	return n
}

// sharedScale returns the factor that the end of a range of money says for its begin as well: "one to two
// hundred dollars". It is 1 where the begin has one of its own, or could not be less than the end with it.
func sharedScale(tokens Tokens, n, end Number) float64 {
	scale := 1.0
	for _, t := range tokens[end.First : end.Last+1] {
		scale *= max(1, scales[t.Text])
	}
	if end.Unit != claims.Money || n.Low*scale >= end.Low || slices.ContainsFunc(tokens[n.First:n.Last+1], func(t Token) bool { return scales[t.Text] > 0 }) {
		return 1
	}
	return scale
}

// rangeEnd reads the end of a range that begins with n. The Low of end has already been multiplied
// by its unit.
func rangeEnd(tokens Tokens, n Number, factor float64) (end Number, ok bool) {
	at := n.Last + 1
	if at >= len(tokens) {
		return end, false
	}
	if n.Unit == claims.Seconds && tokens.IsNumberAt(at) { // "two hours, two and a half"
		end, _ = tokens.readNumber(at)
		if more, ok := tokens.ReadNumberAt(end.Last + 2); ok && end.Low == n.Low && IsListed(tokens.TextAt(end.Last+1), []string{"to", "or"}) {
			end = more // "a couple of hours, two to three"
		}
		endFactor := factor
		if again, unit := withUnit(tokens, end); again.Unit == claims.Seconds {
			endFactor = unit
			end = lengthenDuration(tokens, again, &endFactor)
		}
		if end.Low *= endFactor; end.Low > n.Low*factor && end.Low <= 2*n.Low*factor && factor > 1 && endsValue(tokens, end.Last+1) {
			end.Approximate = true
			return end, true
		}
	}
	listed := n.Unit == claims.NoUnit && !slices.Contains(rangeMarks, tokens[at].Text) && tokens.IsNumberAt(at) // "twenty, thirty minutes"
	if IsListed(tokens[at].Text, []string{"maybe", "perhaps", "possibly"}) && n.Unit == claims.NoUnit && at+1 < len(tokens) {
		if next, ok := tokens.readNumber(at + 1); ok && next.Low == n.Low+1 {
			next, _ = withUnit(tokens, next)
			return next, true // "one, maybe two"
		}
	}
	between := tokens[at].Text == "and" && n.First > 0 && tokens[n.First-1].Text == "between"
	if !listed && at+1 >= len(tokens) {
		return end, false
	}
	if tokens[at].Text == "up" && tokens.TextAt(at+1) == "to" && at+2 < len(tokens) {
		at++
	}
	if !listed && !between && !slices.Contains(rangeMarks, tokens[at].Text) {
		return end, false
	}
	if listed {
		at--
	} else if strings.Contains("$€£", tokens[at+1].Text) && at+2 < len(tokens) {
		at++
	}
	for !listed && at+2 < len(tokens) && IsListed(tokens[at+1].Text, Hedges, []string{"max", "maximum"}) {
		at++
	}
	if end, ok = tokens.readNumber(at + 1); !ok {
		return end, false
	}
	end, endFactor := withUnit(tokens, end)
	if end.Unit == claims.Seconds {
		end = lengthenDuration(tokens, end, &endFactor)
	}
	if end.Unit == claims.NoUnit && n.Unit != claims.NoUnit { // "20 minutes to 30"
		endFactor, end.Unit = factor, n.Unit
	}
	end.Low *= endFactor
	end.Approximate = listed
	switch {
	case n.Unit != claims.NoUnit && (end.Unit != n.Unit || end.Low < n.Low*factor), n.Unit == claims.NoUnit && end.Unit != claims.NoUnit && end.Low <= n.Low*endFactor:
		return end, false
	case listed && end.Unit != claims.Seconds && !(end.Unit == claims.NoUnit && end.Low == n.Low+1):
		return end, false
	}
	return end, true
}

// endsValue reports whether the word at token i counts nothing.
func endsValue(tokens Tokens, i int) bool {
	text := tokens.TextAt(i)
	return text == "" || text == "the" || IsListed(text, Adverbs, Connectors, SelfPronouns, Neutral, []string{"what", "max", "maximum", "tops", "something", "depending", "but"})
}

// lengthenDuration adds what follows a duration, such as "and a half" and "and thirty minutes".
func lengthenDuration(tokens Tokens, n Number, factor *float64) Number {
	at := n.Last + 1
	if part, end, ok := partAfter(tokens, at); ok && !IsUnit(tokens.TextAt(end+1)) {
		n.Low, n.Last = n.Low+part, end
		return n
	}
	if tokens.TextAt(at) == "and" {
		at++
	}
	if at >= len(tokens) {
		return n
	}
	more, ok := tokens.readNumber(at)
	if !ok {
		return n
	}
	more, smaller := withUnit(tokens, more)
	if tokens[n.Last].Text == "h" && more.Unit == claims.NoUnit && tokens[at].Start == tokens[n.Last].End { // "1h30"
		more.Unit, smaller = claims.Seconds, Durations["minutes"]
	}
	if n.Low == math.Trunc(n.Low) && more.Unit == claims.Seconds && smaller < *factor && more.Low*smaller < *factor {
		n.Low, n.Last, *factor = n.Low**factor+more.Low*smaller, more.Last, 1
	}
	return n
}

// thousands are amounts that are written with a dot: "1.000 euros". Nobody says a thousandth of one.
var thousands = regexp.MustCompile(`^[1-9][0-9]{0,2}\.[0-9]{3}$`)

// withUnit reads the unit before or after a value, and returns the factor by which the value must
// be multiplied.
func withUnit(tokens Tokens, n Number) (Number, float64) {
	if n.First > 0 && strings.Contains("$€£", tokens[n.First-1].Text) {
		n.Unit, n.Currency = claims.Money, currencies[tokens[n.First-1].Text]
		n.First--
		return n, 1
	}
	next := n.Last + 1
	if next < len(tokens) && tokens[next].Text == "a" && IsUnit(tokens.TextAt(next+1)) && n.Low == 0.5 { // "half a percent"
		next++
	}
	if n.Low < 1 && tokens.TextAt(next) == "of" && IsListed(tokens.TextAt(next+1), wholes) && IsUnit(tokens.TextAt(next+2)) { // "0.2 of a percent"
		next += 2
	}
	if next >= len(tokens) {
		if tokens[n.Last].Text == "grand" {
			n.Unit = claims.Money
		}
		return n, 1
	}
	switch unit := tokens[next].Text; {
	case unit == "%" || unit == "percent" || unit == "percentage":
		n.Unit, n.Last = claims.Percent, next
	case unit == "per" && next+1 < len(tokens) && tokens[next+1].Text == "cent":
		n.Unit, n.Last = claims.Percent, next+1
	case unit == "bps" || unit == "bips":
		n.Unit, n.Last = claims.Percent, next
		return n, 0.01
	case (unit == "basis" || unit == "base") && IsListed(tokens.TextAt(next+1), []string{"point", "points"}):
		n.Unit, n.Last = claims.Percent, next+1
		return n, 0.01
	case Durations[unit] > 0:
		n.Unit, n.Last = claims.Seconds, next
		return n, Durations[unit]
	case shortDurations[unit] > 0 && isNumeral(tokens[n.Last].Text) && tokens[n.Last].End == tokens[next].Start:
		n.Unit, n.Last = claims.Seconds, next
		return n, shortDurations[unit]
	case tokens[n.Last].Text == "grand" && currencies[unit] == "":
		n.Unit = claims.Money
	case currencies[unit] != "":
		if n.First == n.Last && thousands.MatchString(tokens[n.First].Text) {
			n.Low *= 1000
		}
		n.Unit, n.Currency, n.Last = claims.Money, currencies[unit], next
	}
	return n, 1
}

func toInt(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// IsNumberAt reports whether a value begins at token i.
func (ts Tokens) IsNumberAt(i int) bool {
	if i >= len(ts) {
		return false
	}
	_, ok := ts.readNumber(i)
	return ok
}

// ReadNumberAt reads the single value that begins at token i, if there is one.
func (ts Tokens) ReadNumberAt(i int) (n Number, ok bool) {
	if i >= len(ts) {
		return n, false
	}
	return ts.readNumber(i)
}
