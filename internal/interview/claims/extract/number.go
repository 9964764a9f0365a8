package extract

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/assayhq/assay/internal/interview/claims"
)

// number is a value or a range of values in a sentence.
type number struct {
	low, high   float64 // equal unless ranged is set
	ranged      bool
	approximate bool
	unit        claims.Unit
	currency    string
	first, last int // indexes of its tokens, inclusive
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

// durations holds the seconds of units of time.
var durations = map[string]float64{
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

var hedges = []string{"about", "around", "approximately", "roughly", "maybe", "like", "nearly", "almost", "circa", "ish", "some"}

// findNumbers returns the values in a sentence, from left to right.
func findNumbers(tokens []token) []number {
	var found []number
	for i := 0; i < len(tokens); {
		n, ok := readNumber(tokens, i)
		if !ok {
			i++
			continue
		}
		n = widenValue(tokens, n)
		found = append(found, n)
		i = n.last + 1
	}
	return found
}

// readNumber reads a single value that begins at token i.
func readNumber(tokens []token, i int) (number, bool) {
	n := number{first: i, last: i}
	switch {
	case coupleAt(tokens, &n):
		multiplyByScale(tokens, &n)
	case fractionAt(tokens, &n):
	case textAt(tokens, i) == "half" && textAt(tokens, i+1) != "of":
		n.low = 0.5
		if (textAt(tokens, i+1) == "a" || textAt(tokens, i+1) == "an") && textAt(tokens, i+2) != "" {
			n.last = i + 1
		}
		multiplyByScale(tokens, &n)
	case textAt(tokens, i) == "quarter" && textAt(tokens, i+1) != "of":
		n.low = 0.25
	case textAt(tokens, i) == "a" && scales[textAt(tokens, i+1)] > 0 && len(textAt(tokens, i+1)) > 1:
		n.low, n.last = scales[textAt(tokens, i+1)], i+1
		if more, end, ok := readBelow(tokens, n.last+1, n.low); ok {
			n.low, n.last = n.low+more, end
		}
	case textAt(tokens, i) == "a" && textAt(tokens, i+1) == "single" && isListed(textAt(tokens, i+2), []string{"one", "account"}) && textAt(tokens, i+3) != "of":
		n.low, n.last = 1, i+1+toInt(textAt(tokens, i+2) == "one")
	case textAt(tokens, i) == "hundred" && textAt(tokens, i+1) == "percent":
		n.low = 100
	case textAt(tokens, i) == "a" && (textAt(tokens, i+1) == "percent" || textAt(tokens, i+1) == "per" && textAt(tokens, i+2) == "cent"):
		n.low = 1
	case textAt(tokens, i) == "the" && isListed(textAt(tokens, i+1), []string{"hour", "minute"}) && isListed(textAt(tokens, i-1), []string{"within", "inside", "of"}):
		n.low = 1
	case (textAt(tokens, i) == "a" || textAt(tokens, i) == "an") && durations[textAt(tokens, i+1)] > 0 && !perUnit(tokens, i):
		n.low = 1
	default:
		value, last, ok := readSpelled(tokens, i)
		if !ok {
			return n, false
		}
		n.low, n.last = value, last
		if part, end, ok := partAfter(tokens, last+1); ok {
			n.low, n.last = n.low+part, end
		} else if textAt(tokens, last+1) == "and" && textAt(tokens, last+2) == "half" && unitWord(textAt(tokens, last+3)) && textAt(tokens, i-1) != "between" {
			n.low, n.last = n.low+0.5, last+2 // "two and half percent"
		}
	}
	n.approximate = n.approximate || tokens[n.last].text == "dozen"
	n.high = n.low
	return n, true
}

// perUnit reports whether "a" at token i means "per", as in "three trades a day".
func perUnit(tokens []token, i int) bool {
	if i == 0 {
		return false
	}
	before := tokens[i-1].text
	return isNumeral(before) || isSpokenNumber(before) || before == "twice" || strings.HasPrefix(before, "trade") ||
		strings.HasPrefix(before, "position") || durations[before] > 0 && before != textAt(tokens, i+1) || before == "dollars" || before == "each" || before == "times" ||
		before == "once" || before == "%" || before == "percent"
}

// scales holds the factors by which words multiply the number before them.
var scales = map[string]float64{"dozen": 12, "hundred": 100, "k": 1e3, "thousand": 1e3, "grand": 1e3, "m": 1e6, "million": 1e6}

// longestNumber is roughly the largest number of words in a spelled number.
const longestNumber = 12

// readSpelled reads a number in digits or words that begins at token i, such as "5k"
// and "one hundred and twenty", and returns the last of its tokens.
func readSpelled(tokens []token, i int) (value float64, last int, ok bool) {
	value, ok = parseDigits(tokens[i].text)
	last = i
	if !ok {
		if value, last, ok = readWords(tokens, i); !ok {
			return 0, 0, false
		}
	} else if part, ok := parseDigits(textAt(tokens, i+1)); ok && part < 1 && strings.Contains(tokens[i+1].text, "/") { // "1 1/2"
		value, last = value+part, i+1
	}
	for last+1 < len(tokens) && last < i+longestNumber {
		factor := scales[tokens[last+1].text]
		if tokens[last+1].text == "m" && currencies[textAt(tokens, i-1)] == "" && currencies[textAt(tokens, last+2)] == "" {
			break // "20m" are minutes, but "$2m" millions
		}
		if factor == 0 || len(tokens[last+1].text) == 1 && isNumeral(tokens[last].text) && tokens[last+1].start != tokens[last].end {
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
func readBelow(tokens []token, i int, scale float64) (value float64, last int, ok bool) {
	if textAt(tokens, i) == "and" {
		if textAt(tokens, i-1) == "k" {
			return 0, 0, false // "fifty k and one account"
		}
		i++
	}
	if i >= len(tokens) || scale < 100 || tokens[i].text == "one" && !isCount(tokens, i) {
		return 0, 0, false
	}
	value, last, ok = readWords(tokens, i)
	if ok && last+1 < len(tokens) && scale > 100 && tokens[last+1].text == "hundred" {
		value, last = 100*value, last+1
	}
	if scales[textAt(tokens, last+1)] == scale {
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
func readWords(tokens []token, i int) (value float64, last int, ok bool) {
	last = i
	switch t := tokens[i].text; {
	case tens[t] > 0:
		value = tens[t]
		next := i + 1
		if next+1 < len(tokens) && tokens[next].text == "-" {
			next++
		}
		if next < len(tokens) {
			if u := smallNumbers[tokens[next].text]; u > 0 && u < 10 {
				value, last = value+u, next
			}
		}
	case t == "point":
		last = i - 1
	case t == "oh" && i+1 < len(tokens) && tokens[i+1].text == "point":
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
func readDecimals(tokens []token, i int) (fraction float64, end int) {
	if i >= len(tokens) || tokens[i].text != "point" {
		return 0, 0
	}
	text := "0."
	for i++; i < len(tokens); i++ {
		u, isUnit := smallNumbers[tokens[i].text]
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
func isCount(tokens []token, i int) bool {
	if i > 0 && isListed(tokens[i-1].text, []string{"the", "this"}) && textAt(tokens, i+1) == "account" {
		return true
	}
	if i > 0 && (textAt(tokens, i+1) == "and" && isListed(textAt(tokens, i+2), []string{"half", "a"}) || tokens[i-1].text == "last" && durations[textAt(tokens, i+1)] > 0) {
		return true // "since last one and half years"
	}
	if i > 0 && slices.Contains([]string{"the", "this", "that", "which", "every", "each", "another", "any", "good", "first", "last"}, tokens[i-1].text) {
		return false
	}
	if len(tokens) == 1 {
		return true
	}
	if i > 0 && i+1 == len(tokens) {
		return slices.Contains([]string{"risk", "about", "around", "or", "to", "than", "only", "is", "not", "and", "plus", "above", "over", "below", "under"}, tokens[i-1].text)
	}
	return i+1 < len(tokens) && tokens[i+1].text != "of" && tokens[i+1].text != "thing" &&
		(tokens[i+1].text != "day" || isListed(textAt(tokens, i-1), prepositions))
}

// rangeMarks are the words between the ends of a range.
var rangeMarks = []string{"to", "-", "–", "or", "until", "till"}

// widenValue completes a value with its unit, the end of its range, and the words around it that
// make it approximate.
func widenValue(tokens []token, n number) number {
	n, factor := withUnit(tokens, n)
	switch part, end, ok := partAfter(tokens, n.last+1); {
	case n.unit == claims.Seconds:
		n = lengthenDuration(tokens, n, &factor)
	case n.unit == claims.Percent && ok && !unitWord(textAt(tokens, end+1)): // "a percent and a half"
		n.low, n.last = n.low+part, end
	}
	n.high = n.low * factor
	if end, ok := rangeEnd(tokens, n, factor); ok {
		if n.unit == claims.NoUnit { // "twenty to thirty minutes"
			n.unit, n.currency, factor = end.unit, end.currency, cmp.Or(durations[tokens[end.last].text], shortDurations[tokens[end.last].text])
			if n.unit != claims.Seconds {
				factor = 1
			}
		}
		if scale := sharedScale(tokens, n, end); scale > 1 {
			n.low *= scale // "one to two hundred dollars"
		}
		n.high, n.last, n.ranged, n.approximate = end.low, end.last, true, n.approximate || end.approximate
	}
	n.low *= factor
	for i := max(0, n.first-2); i < n.first; i++ {
		n.approximate = n.approximate || slices.Contains(hedges, tokens[i].text) && (tokens[i].text != "some" || i == n.first-1) // not "some for two days"
	}
	n.approximate = n.approximate || slices.ContainsFunc(tokens[n.first:n.last+1], func(t token) bool { return t.loose })
	return n
}

// sharedScale returns the factor that the end of a range of money says for its begin as well: "one to two
// hundred dollars". It is 1 where the begin has one of its own, or could not be less than the end with it.
func sharedScale(tokens []token, n, end number) float64 {
	scale := 1.0
	for _, t := range tokens[end.first : end.last+1] {
		scale *= max(1, scales[t.text])
	}
	if end.unit != claims.Money || n.low*scale >= end.low || slices.ContainsFunc(tokens[n.first:n.last+1], func(t token) bool { return scales[t.text] > 0 }) {
		return 1
	}
	return scale
}

// rangeEnd reads the end of a range that begins with n. The low of end has already been multiplied
// by its unit.
func rangeEnd(tokens []token, n number, factor float64) (end number, ok bool) {
	at := n.last + 1
	if at >= len(tokens) {
		return end, false
	}
	if n.unit == claims.Seconds && isNumberAt(tokens, at) { // "two hours, two and a half"
		end, _ = readNumber(tokens, at)
		if more, ok := readNumberAt(tokens, end.last+2); ok && end.low == n.low && isListed(textAt(tokens, end.last+1), []string{"to", "or"}) {
			end = more // "a couple of hours, two to three"
		}
		endFactor := factor
		if again, unit := withUnit(tokens, end); again.unit == claims.Seconds {
			endFactor = unit
			end = lengthenDuration(tokens, again, &endFactor)
		}
		if end.low *= endFactor; end.low > n.low*factor && end.low <= 2*n.low*factor && factor > 1 && endsValue(tokens, end.last+1) {
			end.approximate = true
			return end, true
		}
	}
	listed := n.unit == claims.NoUnit && !slices.Contains(rangeMarks, tokens[at].text) && isNumberAt(tokens, at) // "twenty, thirty minutes"
	if isListed(tokens[at].text, []string{"maybe", "perhaps", "possibly"}) && n.unit == claims.NoUnit && at+1 < len(tokens) {
		if next, ok := readNumber(tokens, at+1); ok && next.low == n.low+1 {
			next, _ = withUnit(tokens, next)
			return next, true // "one, maybe two"
		}
	}
	between := tokens[at].text == "and" && n.first > 0 && tokens[n.first-1].text == "between"
	if !listed && at+1 >= len(tokens) {
		return end, false
	}
	if tokens[at].text == "up" && textAt(tokens, at+1) == "to" && at+2 < len(tokens) {
		at++
	}
	if !listed && !between && !slices.Contains(rangeMarks, tokens[at].text) {
		return end, false
	}
	if listed {
		at--
	} else if strings.Contains("$€£", tokens[at+1].text) && at+2 < len(tokens) {
		at++
	}
	for !listed && at+2 < len(tokens) && isListed(tokens[at+1].text, hedges, []string{"max", "maximum"}) {
		at++
	}
	if end, ok = readNumber(tokens, at+1); !ok {
		return end, false
	}
	end, endFactor := withUnit(tokens, end)
	if end.unit == claims.Seconds {
		end = lengthenDuration(tokens, end, &endFactor)
	}
	if end.unit == claims.NoUnit && n.unit != claims.NoUnit { // "20 minutes to 30"
		endFactor, end.unit = factor, n.unit
	}
	end.low *= endFactor
	end.approximate = listed
	switch {
	case n.unit != claims.NoUnit && (end.unit != n.unit || end.low < n.low*factor), n.unit == claims.NoUnit && end.unit != claims.NoUnit && end.low <= n.low*endFactor:
		return end, false
	case listed && end.unit != claims.Seconds && !(end.unit == claims.NoUnit && end.low == n.low+1):
		return end, false
	}
	return end, true
}

// endsValue reports whether the word at token i counts nothing.
func endsValue(tokens []token, i int) bool {
	text := textAt(tokens, i)
	return text == "" || text == "the" || isListed(text, adverbs, connectors, selfPronouns, neutral, []string{"what", "max", "maximum", "tops", "something", "depending", "but"})
}

// lengthenDuration adds what follows a duration, such as "and a half" and "and thirty minutes".
func lengthenDuration(tokens []token, n number, factor *float64) number {
	at := n.last + 1
	if part, end, ok := partAfter(tokens, at); ok && !unitWord(textAt(tokens, end+1)) {
		n.low, n.last = n.low+part, end
		return n
	}
	if textAt(tokens, at) == "and" {
		at++
	}
	if at >= len(tokens) {
		return n
	}
	more, ok := readNumber(tokens, at)
	if !ok {
		return n
	}
	more, smaller := withUnit(tokens, more)
	if tokens[n.last].text == "h" && more.unit == claims.NoUnit && tokens[at].start == tokens[n.last].end { // "1h30"
		more.unit, smaller = claims.Seconds, durations["minutes"]
	}
	if n.low == math.Trunc(n.low) && more.unit == claims.Seconds && smaller < *factor && more.low*smaller < *factor {
		n.low, n.last, *factor = n.low**factor+more.low*smaller, more.last, 1
	}
	return n
}

// thousands are amounts that are written with a dot: "1.000 euros". Nobody says a thousandth of one.
var thousands = regexp.MustCompile(`^[1-9][0-9]{0,2}\.[0-9]{3}$`)

// withUnit reads the unit before or after a value, and returns the factor by which the value must
// be multiplied.
func withUnit(tokens []token, n number) (number, float64) {
	if n.first > 0 && strings.Contains("$€£", tokens[n.first-1].text) {
		n.unit, n.currency = claims.Money, currencies[tokens[n.first-1].text]
		n.first--
		return n, 1
	}
	next := n.last + 1
	if next < len(tokens) && tokens[next].text == "a" && unitWord(textAt(tokens, next+1)) && n.low == 0.5 { // "half a percent"
		next++
	}
	if n.low < 1 && textAt(tokens, next) == "of" && isListed(textAt(tokens, next+1), wholes) && unitWord(textAt(tokens, next+2)) { // "0.2 of a percent"
		next += 2
	}
	if next >= len(tokens) {
		if tokens[n.last].text == "grand" {
			n.unit = claims.Money
		}
		return n, 1
	}
	switch unit := tokens[next].text; {
	case unit == "%" || unit == "percent" || unit == "percentage":
		n.unit, n.last = claims.Percent, next
	case unit == "per" && next+1 < len(tokens) && tokens[next+1].text == "cent":
		n.unit, n.last = claims.Percent, next+1
	case unit == "bps" || unit == "bips":
		n.unit, n.last = claims.Percent, next
		return n, 0.01
	case (unit == "basis" || unit == "base") && isListed(textAt(tokens, next+1), []string{"point", "points"}):
		n.unit, n.last = claims.Percent, next+1
		return n, 0.01
	case durations[unit] > 0:
		n.unit, n.last = claims.Seconds, next
		return n, durations[unit]
	case shortDurations[unit] > 0 && isNumeral(tokens[n.last].text) && tokens[n.last].end == tokens[next].start:
		n.unit, n.last = claims.Seconds, next
		return n, shortDurations[unit]
	case tokens[n.last].text == "grand" && currencies[unit] == "":
		n.unit = claims.Money
	case currencies[unit] != "":
		if n.first == n.last && thousands.MatchString(tokens[n.first].text) {
			n.low *= 1000
		}
		n.unit, n.currency, n.last = claims.Money, currencies[unit], next
	}
	return n, 1
}

func toInt(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func isNumberAt(tokens []token, i int) bool {
	if i >= len(tokens) {
		return false
	}
	_, ok := readNumber(tokens, i)
	return ok
}

// readNumberAt reads the number at token i, if there is one.
func readNumberAt(tokens []token, i int) (n number, ok bool) {
	if i >= len(tokens) {
		return n, false
	}
	return readNumber(tokens, i)
}
