package extract

// stopPlaces are words behind "the stop is" that say where it is or that it is.
var stopPlaces = []string{
	"there", "in", "at", "behind", "below", "above", "under", "underneath", "always", "set", "placed", "on", "from", "right", "never", "fixed",
}

// hasStopThere reports whether the words around a stop, from one token to another, say that there is one: "there is a stop
// in the system", "the stop for all of them is under the low".
func (st *statement) hasStopThere(from, to int) bool {
	if hasPhrase(st.tokens[max(0, from-4):from], "there is", "there are") {
		return true
	}
	if !isListed(textAt(st.tokens, from-1), []string{"my", "the"}) && !isListed(st.tokens[from].text, []string{"my", "the"}) || from > 3 {
		return false
	}
	for i := to; i < min(to+6, len(st.tokens)); i++ {
		if isListed(st.tokens[i].text, []string{"is", "are", "goes", "go", "sits", "stays"}) {
			next := textAt(st.tokens, i+1)
			return (isListed(next, stopPlaces) || beginsWithPhrase(st.tokens[i+1:], "the first")) && (next != "at" || !st.hasAny([]string{"at break", "at entry"}))
		}
		if isSubject(st.tokens[i].text) {
			return false
		}
	}
	return false
}
