package words

import "math"

// Fractions are parts of one: "two tenths of a percent".
var Fractions = map[string]float64{
	"half": 1. / 2, "halves": 1. / 2, "quarter": 1. / 4, "quarters": 1. / 4,
	"third": 1. / 3, "thirds": 1. / 3, "fifth": 0.2, "fifths": 0.2, "tenth": 0.1, "tenths": 0.1, "twentieth": 0.05, "hundredth": 0.01, "hundredths": 0.01,
}

// wholes are what a fraction is of: "a quarter of one percent".
var wholes = []string{"a", "an", "one", "1"}

// fractionAt reads a fraction that begins where n begins, with the article before it
// and with "of a" behind it: "half of one", "a half", "three quarters of a".
func fractionAt(tokens Tokens, n *Number) bool {
	at, parts := n.First, 1.0
	if text := tokens[at].Text; text == "a" || smallNumbers[text] > 0 {
		parts = max(smallNumbers[text], 1)
		at++
	} else if digits, ok := parseDigits(text); ok && digits > 0 && digits < 100 && digits == math.Trunc(digits) {
		parts = digits
		at++
	}
	part := Fractions[tokens.TextAt(at)]
	of := tokens.TextAt(at+1) == "of" && IsListed(tokens.TextAt(at+2), wholes)
	short := at > n.First && (IsListed(tokens.TextAt(at), []string{"half", "quarter", "quarters"}) || tokens.TextAt(at+1) == "percent")
	switch {
	case part == 0, parts > 1 && !of && !IsUnit(tokens.TextAt(at+1)):
		return false
	case of:
		n.Last = at + 2
	case short && tokens.TextAt(at+1) != "of":
		n.Last = at
	default:
		return false
	}
	n.Low = parts * part
	return true
}

// partAfter reads the fraction that token i adds to the number before it: "and a half",
// "and three quarters".
func partAfter(tokens Tokens, i int) (part float64, last int, ok bool) {
	if tokens.TextAt(i) != "and" || i+1 >= len(tokens) {
		return 0, 0, false
	}
	n := Number{First: i + 1}
	if !fractionAt(tokens, &n) || n.Low >= 1 || n.Last == n.First {
		return 0, 0, false
	}
	return n.Low, n.Last, true
}

// coupleAt reads "a couple", and "couple" before a scale, where n begins.
func coupleAt(tokens Tokens, n *Number) bool {
	at := n.First + toInt(tokens[n.First].Text == "a")
	if tokens.TextAt(at) != "couple" {
		return false
	}
	last := at + toInt(tokens.TextAt(at+1) == "of")
	if at == n.First && (scales[tokens.TextAt(last+1)] == 0 || tokens.TextAt(at-1) == "a") {
		return false
	}
	n.Low, n.Approximate, n.Last = 2, true, last
	return true
}

// multiplyByScale multiplies a number by the scale behind it: "half a million", "a couple of dozen".
func multiplyByScale(tokens Tokens, n *Number) {
	if scale := tokens.TextAt(n.Last + 1); scales[scale] > 0 && scale != "m" {
		n.Low, n.Last = n.Low*scales[scale], n.Last+1
	}
}

// spokenHundreds reads an amount that is said without "hundred", such as "two fifty dollars". end is 0 if there
// is none: "two fifty dollar trades" may be two trades.
func spokenHundreds(tokens Tokens, i int, hundreds float64) (value float64, end int) {
	rest := tens[tokens.TextAt(i+1)]
	if rest == 0 || hundreds == 0 {
		return 0, 0
	}
	end = i + 1
	if u := smallNumbers[tokens.TextAt(end+1)]; u > 0 && u < 10 {
		rest, end = rest+u, end+1
	}
	if !IsListed(tokens.TextAt(end+1), []string{"dollars", "bucks", "usd", "euros", "pounds", "quid"}) {
		return 0, 0
	}
	return 100*hundreds + rest, end
}
