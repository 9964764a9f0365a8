package words

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// MaxHeadingBytes bounds the name of a column or a section; longer text is none.
const MaxHeadingBytes = 80

// Fold keeps a text's letters and digits, lower-case and without accents, and
// the number sign.
func Fold(text string) string {
	if isFolded(text) {
		return text
	}
	var b strings.Builder
	for _, c := range norm.NFKD.String(text) {
		switch {
		case c == '#' || unicode.IsDigit(c):
			b.WriteRune(c)
		case unicode.IsLetter(c):
			b.WriteRune(unicode.ToLower(c))
		}
	}
	return b.String()
}

func isFolded(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}
