package extract

import "math"

// fractions are parts of one: "two tenths of a percent".
var fractions = map[string]float64{
	"half": 1. / 2, "halves": 1. / 2, "quarter": 1. / 4, "quarters": 1. / 4,
	"third": 1. / 3, "thirds": 1. / 3, "fifth": 0.2, "fifths": 0.2, "tenth": 0.1, "tenths": 0.1, "twentieth": 0.05, "hundredth": 0.01, "hundredths": 0.01,
}

// wholes are what a fraction is of: "a quarter of one percent".
var wholes = []string{"a", "an", "one", "1"}

// fractionAt reads a fraction that begins where n begins, with the article before it
// and with "of a" behind it: "half of one", "a half", "three quarters of a".
func fractionAt(tokens []token, n *number) bool {
	at, parts := n.first, 1.0
	if text := tokens[at].text; text == "a" || smallNumbers[text] > 0 {
		parts = max(smallNumbers[text], 1)
		at++
	} else if digits, ok := parseDigits(text); ok && digits > 0 && digits < 100 && digits == math.Trunc(digits) {
		parts = digits
		at++
	}
	part := fractions[textAt(tokens, at)]
	of := textAt(tokens, at+1) == "of" && isListed(textAt(tokens, at+2), wholes)
	short := at > n.first && (isListed(textAt(tokens, at), []string{"half", "quarter", "quarters"}) || textAt(tokens, at+1) == "percent")
	switch {
	case part == 0, parts > 1 && !of && !unitWord(textAt(tokens, at+1)):
		return false
	case of:
		n.last = at + 2
	case short && textAt(tokens, at+1) != "of":
		n.last = at
	default:
		return false
	}
	n.low = parts * part
	return true
}

// partAfter reads the fraction that token i adds to the number before it: "and a half",
// "and three quarters".
func partAfter(tokens []token, i int) (part float64, last int, ok bool) {
	if textAt(tokens, i) != "and" || i+1 >= len(tokens) {
		return 0, 0, false
	}
	n := number{first: i + 1}
	if !fractionAt(tokens, &n) || n.low >= 1 || n.last == n.first {
		return 0, 0, false
	}
	return n.low, n.last, true
}

// coupleAt reads "a couple", and "couple" before a scale, where n begins.
func coupleAt(tokens []token, n *number) bool {
	at := n.first + toInt(tokens[n.first].text == "a")
	if textAt(tokens, at) != "couple" {
		return false
	}
	last := at + toInt(textAt(tokens, at+1) == "of")
	if at == n.first && (scales[textAt(tokens, last+1)] == 0 || textAt(tokens, at-1) == "a") {
		return false
	}
	n.low, n.approximate, n.last = 2, true, last
	return true
}

// multiplyByScale multiplies a number by the scale behind it: "half a million", "a couple of dozen".
func multiplyByScale(tokens []token, n *number) {
	if scale := textAt(tokens, n.last+1); scales[scale] > 0 && scale != "m" {
		n.low, n.last = n.low*scales[scale], n.last+1
	}
}

// spokenHundreds reads an amount that is said without "hundred", such as "two fifty dollars". end is 0 if there
// is none: "two fifty dollar trades" may be two trades.
func spokenHundreds(tokens []token, i int, hundreds float64) (value float64, end int) {
	rest := tens[textAt(tokens, i+1)]
	if rest == 0 || hundreds == 0 {
		return 0, 0
	}
	end = i + 1
	if u := smallNumbers[textAt(tokens, end+1)]; u > 0 && u < 10 {
		rest, end = rest+u, end+1
	}
	if !isListed(textAt(tokens, end+1), []string{"dollars", "bucks", "usd", "euros", "pounds", "quid"}) {
		return 0, 0
	}
	return 100*hundreds + rest, end
}
