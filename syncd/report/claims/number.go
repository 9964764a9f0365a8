package claims

import (
	"slices"
	"strconv"
	"strings"
)

// number is a value in a sentence: one, or a range of two.
type number struct {
	low, high   float64 // equal unless ranged
	ranged      bool
	approximate bool
	unit        Unit
	currency    string
	first, last int // tokens, inclusive
}

var units = map[string]float64{
	"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
	"thirteen": 13, "fourteen": 14, "fifteen": 15, "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19,
}

var tens = map[string]float64{
	"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}

// durations are seconds.
var durations = map[string]float64{
	"second": 1, "seconds": 1, "sec": 1, "secs": 1, "s": 1, "minute": 60, "minutes": 60, "min": 60, "mins": 60, "hour": 3600, "hours": 3600, "hr": 3600, "hrs": 3600,
	"day": 86400, "days": 86400, "week": 604800, "weeks": 604800, "month": 2629800, "months": 2629800, "year": 31557600, "years": 31557600,
}

var currencies = map[string]string{
	"$": "USD", "€": "EUR", "£": "GBP", "dollar": "USD", "dollars": "USD", "bucks": "USD", "usd": "USD", "euro": "EUR", "euros": "EUR", "eur": "EUR",
	"pound": "GBP", "pounds": "GBP", "gbp": "GBP",
}

var hedges = []string{"about", "around", "approximately", "roughly", "maybe", "like", "nearly", "almost", "circa", "ish", "some"}

// numbers finds the values of a sentence, from left to right.
func numbers(tokens []token) []number {
	var found []number
	for i := 0; i < len(tokens); {
		n, ok := readNumber(tokens, i)
		if !ok {
			i++
			continue
		}
		n = widen(tokens, n)
		found = append(found, n)
		i = n.last + 1
	}
	return found
}

// readNumber reads a single value that begins at token i.
func readNumber(tokens []token, i int) (number, bool) {
	text := func(at int) string {
		if at < len(tokens) {
			return tokens[at].text
		}
		return ""
	}
	n := number{first: i, last: i}
	switch {
	case text(i) == "a" && text(i+1) == "couple":
		n.low, n.approximate, n.last = 2, true, i+1
		if text(i+2) == "of" {
			n.last = i + 2
		}
	case text(i) == "a" && text(i+1) == "dozen":
		n.low, n.approximate, n.last = 12, true, i+1
	case text(i) == "half":
		n.low = 0.5
		if (text(i+1) == "a" || text(i+1) == "an") && text(i+2) != "" {
			n.last = i + 1
		}
	case text(i) == "quarter" && text(i+1) != "of":
		n.low = 0.25
	case (text(i) == "a" || text(i) == "an") && durations[text(i+1)] > 0 && !perUnit(tokens, i):
		n.low = 1
	default:
		value, last, ok := spelled(tokens, i)
		if !ok {
			return n, false
		}
		n.low, n.last = value, last
		if text(last+1) == "and" && text(last+2) == "a" && (text(last+3) == "half" || text(last+3) == "quarter") {
			n.low += map[string]float64{"half": 0.5, "quarter": 0.25}[text(last+3)]
			n.last = last + 3
		}
	}
	n.high = n.low
	return n, true
}

// perUnit reports whether "a" at token i means "per", as in "three trades a day".
func perUnit(tokens []token, i int) bool {
	if i == 0 {
		return false
	}
	before := tokens[i-1].text
	return strings.HasPrefix(before, "trade") || strings.HasPrefix(before, "position") || before == "times" || before == "once" || before == "%" || before == "percent"
}

// spelled reads a number in digits or words that begins at token i, and returns
// the last of its tokens.
func spelled(tokens []token, i int) (value float64, last int, ok bool) {
	value, isDigits := digits(tokens[i].text)
	last = i
	if !isDigits {
		if value, last, ok = words(tokens, i); !ok {
			return 0, 0, false
		}
	}
	for last+1 < len(tokens) {
		factor := map[string]float64{"k": 1e3, "thousand": 1e3, "grand": 1e3, "m": 1e6, "million": 1e6, "hundred": 100}[tokens[last+1].text]
		if factor == 0 || (tokens[last+1].text == "m" && tokens[last+1].start != tokens[last].end) {
			break
		}
		value *= factor
		last++
	}
	return value, last, true
}

func digits(text string) (float64, bool) {
	if text == "" || (text[0] < '0' || text[0] > '9') && text[0] != '.' || text == "." {
		return 0, false
	}
	v, err := strconv.ParseFloat(strings.ReplaceAll(text, ",", ""), 64)
	return v, err == nil
}

// words reads a number in words: "twenty five", "zero point five", "one hundred
// and twenty".
func words(tokens []token, i int) (value float64, last int, ok bool) {
	last = i
	switch t := tokens[i].text; {
	case tens[t] > 0:
		value = tens[t]
		if i+1 < len(tokens) {
			next := i + 1
			if tokens[next].text == "-" && next+1 < len(tokens) {
				next++
			}
			if u, isUnit := units[tokens[next].text]; isUnit && u > 0 && u < 10 {
				value, last = value+u, next
			}
		}
	case t == "point":
		last = i - 1
	default:
		u, isUnit := units[t]
		if !isUnit || t == "one" && !counts(tokens, i) {
			return 0, 0, false
		}
		value = u
	}
	if last+1 < len(tokens) && tokens[last+1].text == "point" {
		fraction, end := "", last+1
		for end+1 < len(tokens) {
			u, isUnit := units[tokens[end+1].text]
			if !isUnit || u > 9 {
				break
			}
			fraction += strconv.Itoa(int(u))
			end++
		}
		if fraction != "" {
			f, _ := strconv.ParseFloat("0."+fraction, 64) // digits
			return value + f, end, true
		}
	}
	return value, last, last >= i
}

// counts reports whether "one" at token i is a number and no pronoun: "the one",
// "one of".
func counts(tokens []token, i int) bool {
	if i > 0 && slices.Contains([]string{"the", "this", "that", "which", "no", "every", "each", "another", "any", "good", "first", "last"}, tokens[i-1].text) {
		return false
	}
	return i+1 < len(tokens) && tokens[i+1].text != "of" && tokens[i+1].text != "thing" && tokens[i+1].text != "day"
}

// widen adds to a value what stands around it: its unit, the end of its range,
// and words that make it approximate.
func widen(tokens []token, n number) number {
	n, factor := withUnit(tokens, n)
	joins := n.last+2 < len(tokens) && (slices.Contains([]string{"to", "-", "–", "or", "until", "till"}, tokens[n.last+1].text) ||
		tokens[n.last+1].text == "and" && n.first > 0 && tokens[n.first-1].text == "between")
	if joins {
		if end, ok := readNumber(tokens, n.last+2); ok {
			end, endFactor := withUnit(tokens, end)
			if n.unit == NoUnit { // "twenty to thirty minutes"
				n.unit, n.currency, factor = end.unit, end.currency, endFactor
			}
			n.high, n.last, n.ranged = end.low*endFactor, end.last, true
		}
	}
	n.low *= factor
	if !n.ranged {
		n.high = n.low
	}
	for i := max(0, n.first-2); i < n.first; i++ {
		n.approximate = n.approximate || slices.Contains(hedges, tokens[i].text)
	}
	return n
}

// withUnit reads the unit that stands before or behind a value, and by how much
// the value has to be multiplied.
func withUnit(tokens []token, n number) (number, float64) {
	if n.first > 0 && strings.Contains("$€£", tokens[n.first-1].text) {
		n.unit, n.currency = Money, currencies[tokens[n.first-1].text]
		n.first--
		return n, 1
	}
	next := n.last + 1
	if next < len(tokens) && tokens[next].text == "-" && next+1 < len(tokens) && durations[tokens[next+1].text] > 0 { // "a 20-minute trade"
		next++
	}
	if next >= len(tokens) {
		return n, 1
	}
	switch unit := tokens[next].text; {
	case unit == "%" || unit == "percent" || unit == "percentage":
		n.unit, n.last = Percent, next
	case unit == "per" && next+1 < len(tokens) && tokens[next+1].text == "cent":
		n.unit, n.last = Percent, next+1
	case durations[unit] > 0:
		n.unit, n.last = Seconds, next
		return n, durations[unit]
	case currencies[unit] != "":
		n.unit, n.currency, n.last = Money, currencies[unit], next
	}
	return n, 1
}
