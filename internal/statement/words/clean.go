package words

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean makes text of a file fit to be kept and shown: valid UTF-8 of at
// most limit bytes, without control, format or line separating characters, and
// with white space folded.
func Clean(s string, limit int) string {
	if isClean(s, limit) {
		return s
	}
	var b strings.Builder
	space := false
	for _, c := range s {
		switch {
		case unicode.IsSpace(c):
			space = b.Len() > 0
			continue
		case c == utf8.RuneError || unicode.IsControl(c) || unicode.In(c, unicode.Cf, unicode.Co, unicode.Zl, unicode.Zp):
			continue
		}
		width := utf8.RuneLen(c)
		if space {
			width++
		}
		if b.Len()+width > limit {
			break
		}
		if space {
			b.WriteByte(' ')
			space = false
		}
		b.WriteRune(c)
	}
	return b.String()
}

// isClean reports whether a text has visible ASCII characters and single spaces.
func isClean(s string, limit int) bool {
	if len(s) > limit {
		return false
	}
	before := byte(' ')
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c > '~' || c == ' ' && before == ' ' {
			return false
		}
		before = c
	}
	return before != ' ' || s == ""
}
