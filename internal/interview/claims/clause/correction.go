package clause

import (
	"slices"

	"github.com/assayhq/assay/internal/interview/claims/words"
)

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
func correctionAt(tokens words.Tokens, begin, i int) (next int) {
	for at := i; at < len(tokens); {
		found := slices.IndexFunc(corrections, func(c []string) bool { return tokens[at:].StartsWith(c) && isCorrection(tokens, begin, at, c) })
		switch {
		case found >= 0:
			at += len(corrections[found])
			next = at
		case (tokens[at].Text == "no" || tokens[at].Text == "rather") && at > begin && at+1 < len(tokens) && tokens.IsNumberAt(at+1) &&
			len(tokens[begin:i].FindNumbers()) > 0:
			at++
			next = at
		case next > 0 && tokens[at].Text == "no" && (words.IsSubject(tokens.TextAt(at+1)) || tokens.IsNumberAt(at+1)):
			at++
			next = at
		default:
			return next
		}
	}
	return next
}

// isCorrection reports whether the words of a correction are meant as one.
func isCorrection(tokens words.Tokens, begin, at int, phrase []string) bool {
	before := tokens.TextAt(at - 1)
	switch phrase[0] {
	case "more":
		return tokens.IsNumberAt(at+2) || words.IsListed(tokens.TextAt(at+2), words.Hedges)
	case "i":
		return !words.IsListed(before, []string{"what", "do", "if", "that", "how"})
	case "sorry":
		return !words.IsListed(before, []string{"am", "feel", "not", "be"})
	case "let":
		return words.IsListed(tokens.TextAt(at+2), words.Prepositions)
	case "make":
		return tokens.IsNumberAt(at + 2)
	}
	return at > begin || phrase[0] != "actually"
}
