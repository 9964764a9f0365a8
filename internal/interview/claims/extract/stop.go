package extract

import "github.com/assayhq/assay/internal/interview/claims/words"

// stopPlaces are words behind "the stop is" that say where it is or that it is.
var stopPlaces = []string{
	"there", "in", "at", "behind", "below", "above", "under", "underneath", "always", "set", "placed", "on", "from", "right", "never", "fixed",
}

// hasStopThere reports whether the words around a stop, from one token to another, say that there is one: "there is a stop
// in the system", "the stop for all of them is under the low".
func (st *statement) hasStopThere(from, to int) bool {
	if st.tokens[max(0, from-4):from].HasPhrase("there is", "there are") {
		return true
	}
	if !words.IsListed(st.tokens.TextAt(from-1), []string{"my", "the"}) && !words.IsListed(st.tokens[from].Text, []string{"my", "the"}) || from > 3 {
		return false
	}
	for i := to; i < min(to+6, len(st.tokens)); i++ {
		if words.IsListed(st.tokens[i].Text, []string{"is", "are", "goes", "go", "sits", "stays"}) {
			next := st.tokens.TextAt(i + 1)
			return (words.IsListed(next, stopPlaces) || st.tokens[i+1:].BeginsWithPhrase("the first")) && (next != "at" || !st.hasAny([]string{"at break", "at entry"}))
		}
		if words.IsSubject(st.tokens[i].Text) {
			return false
		}
	}
	return false
}
