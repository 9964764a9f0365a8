package decode

import "unicode"

// Blank reports whether a text shows nothing: it is empty, or consists only of spaces, control
// characters and invisible characters such as the zero-width space.
func Blank(text string) bool {
	for _, c := range text {
		if !isInvisible(c) {
			return false
		}
	}
	return true
}

// isInvisible reports whether a character has no visible form. Most such characters are of
// category Cf or on Unicode's list of default ignorable ones. The few of category Cf that precede
// a number are visible.
func isInvisible(c rune) bool {
	const brailleBlank = '\u2800' // a letter according to Unicode
	if c == brailleBlank {
		return true
	}
	return unicode.In(c, unicode.White_Space, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) &&
		!unicode.Is(unicode.Prepended_Concatenation_Mark, c)
}

// Control reports whether a character of a label affects its surroundings instead of being shown:
// a control character, a line or paragraph separator, or one that changes the text direction,
// which can make a label look like another one.
func Control(c rune) bool {
	return unicode.In(c, unicode.Cc, unicode.Zl, unicode.Zp) || '\u202a' <= c && c <= '\u202e' || '\u2066' <= c && c <= '\u2069'
}
