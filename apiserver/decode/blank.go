package decode

import "unicode"

// Blank reports whether a text shows nothing: it is empty, or all of its
// characters are spaces, control characters or invisible ones such as the
// zero-width space.
func Blank(text string) bool {
	for _, c := range text {
		if !invisible(c) {
			return false
		}
	}
	return true
}

// invisible reports whether a character leaves no mark by itself. Most that do
// not are of category Cf or on Unicode's list of those that are ignorable by
// default; the few of Cf that stand before a number and show are not.
func invisible(c rune) bool {
	const brailleBlank = '\u2800' // a letter to Unicode
	if c == brailleBlank {
		return true
	}
	return unicode.In(c, unicode.White_Space, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, c)
}
