package claims

// fractions are parts of one: "two tenths of a percent".
var fractions = map[string]float64{
	"half": 1. / 2, "halves": 1. / 2, "quarter": 1. / 4, "quarters": 1. / 4,
	"third": 1. / 3, "thirds": 1. / 3, "fifth": 0.2, "fifths": 0.2, "tenth": 0.1, "tenths": 0.1, "twentieth": 0.05, "hundredth": 0.01, "hundredths": 0.01,
}

// fractionAt reads a fraction that begins where n begins, with the article before it
// and with "of a" behind it: "half of one", "a half", "three quarters of a".
func fractionAt(tokens []token, n *number) bool {
	at, parts := n.first, 1.0
	if text := tokens[at].text; text == "a" || smallNumbers[text] > 0 {
		parts = max(smallNumbers[text], 1)
		at++
	}
	part := fractions[textAt(tokens, at)]
	article := textAt(tokens, at+2)
	of := textAt(tokens, at+1) == "of" && isListed(article, []string{"a", "an", "one"})
	short := isListed(textAt(tokens, at), []string{"half", "quarter", "quarters"}) && at > n.first
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
