package decode

import "unicode"

// Blank reports whether a text shows nothing: it is empty, or all of its
// characters are spaces, control characters or invisible ones such as the
// zero-width space.
func Blank(text string) bool {
	for _, c := range text {
		if !isInvisible(c) {
			return false
		}
	}
	return true
}

// isInvisible reports whether a character leaves no mark by itself. Most that do
// not are of category Cf or on Unicode's list of those that are ignorable by
// default; the few of Cf that stand before a number and show are not.
func isInvisible(c rune) bool {
	const brailleBlank = '\u2800' // a letter to Unicode
	if c == brailleBlank {
		return true
	}
	return unicode.In(c, unicode.White_Space, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, c)
}

// Control reports whether a character of a label does something to its
// surroundings in the place of showing: a control character, a line or paragraph
// separator, or one that turns the direction of the text around it, by which a
// label can look like another one.
func Control(c rune) bool {
	return unicode.In(c, unicode.Cc, unicode.Zl, unicode.Zp) || '\u202a' <= c && c <= '\u202e' || '\u2066' <= c && c <= '\u2069'
}
