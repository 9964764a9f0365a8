package extract

import "slices"

// corrections begin what replaces an earlier statement: "two days, sorry, I mean
// twenty minutes".
var corrections = [][]string{
	{"sorry"},
	{"no", "wait"},
	{"wait", "no"},
	{"i", "mean"},
	{"i", "meant"},
	{"or", "rather"},
	{"or", "better"},
	{"correction"},
	{"scratch", "that"},
	{"strike", "that"},
	{"make", "that"},
	{"no", "actually"},
	{"actually", "no"},
	{"no", "sorry"},
	{"actually"}, // the tokens hold it before values alone
	{"more", "like"},
	{"in", "reality"},
	{"let", "say"},
	{"that", "is", "wrong"},
	{"no", "that", "is", "wrong"},
	{"that", "is", "not", "right"},
	{"no", "that", "is", "not", "right"},
	{"let", "me", "correct", "that"},
	{"let", "me", "correct", "myself"},
}

// correctionAt returns where the text after a correction at token i begins, or 0 if
// there is no correction. "No" corrects between two values, and so does "rather".
func correctionAt(tokens []token, begin, i int) (next int) {
	for at := i; at < len(tokens); {
		found := slices.IndexFunc(corrections, func(c []string) bool { return startsWith(tokens[at:], c) && isCorrection(tokens, begin, at, c) })
		switch {
		case found >= 0:
			at += len(corrections[found])
			next = at
		case (tokens[at].text == "no" || tokens[at].text == "rather") && at > begin && at+1 < len(tokens) && isNumberAt(tokens, at+1) &&
			len(findNumbers(tokens[begin:i])) > 0:
			at++
			next = at
		case next > 0 && tokens[at].text == "no" && (isSubject(textAt(tokens, at+1)) || isNumberAt(tokens, at+1)):
			at++
			next = at
		default:
			return next
		}
	}
	return next
}

// isCorrection reports whether the words of a correction are meant as one.
func isCorrection(tokens []token, begin, at int, phrase []string) bool {
	before := textAt(tokens, at-1)
	switch phrase[0] {
	case "more":
		return isNumberAt(tokens, at+2) || isListed(textAt(tokens, at+2), hedges)
	case "i":
		return !isListed(before, []string{"what", "do", "if", "that", "how"})
	case "sorry":
		return !isListed(before, []string{"am", "feel", "not", "be"})
	case "let":
		return isListed(textAt(tokens, at+2), prepositions)
	case "make":
		return isNumberAt(tokens, at+2)
	}
	return at > begin || phrase[0] != "actually"
}
