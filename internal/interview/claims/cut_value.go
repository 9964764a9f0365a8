package claims

// startsOwnValue reports whether a value of some trades begins at token i: "for swings
// it can be three days".
func startsOwnValue(tokens []token, i int) bool {
	for at := i + 2; at <= i+3; at++ {
		if textAt(tokens, at-1) == "but" {
			return false // "not on purpose, but it has happened"
		}
		if textAt(tokens, at) == "it" && isListed(textAt(tokens, at+1), auxiliaries) {
			return true
		}
	}
	return false
}

// hasUnit reports whether the words end with a value that has a unit.
func hasUnit(tokens []token) bool {
	all := findNumbers(tokens)
	return len(all) > 0 && all[len(all)-1].unit != NoUnit && all[len(all)-1].last == len(tokens)-1
}

// endsUnknown reports whether the words say that the trader does not know. What
// follows is what the trader can say all the same.
func endsUnknown(tokens []token) bool {
	return endsWith(tokens, "not know", "not know exactly", "not sure", "not know for sure", "no idea")
}
