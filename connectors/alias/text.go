package alias

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const replacement = "\uFFFD"

// isPlain reports whether the text between a JSON string's quotes is its own value:
// ASCII without escapes.
func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf || s[i] == '\\' {
			return false
		}
	}
	return true
}

// unquote returns the value of a JSON string, given the text between its quotes.
// Invalid UTF-8, lone surrogates and NUL, which Postgres cannot hold, become
// U+FFFD, and clean is false then.
func unquote(inner string) (text string, clean bool) {
	if isPlain(inner) || strings.IndexByte(inner, '\\') < 0 && utf8.ValidString(inner) {
		return inner, true
	}
	var b strings.Builder
	b.Grow(len(inner))
	clean = true
	for i := 0; i < len(inner); {
		r, size, ok := nextRune(inner[i:])
		clean = clean && ok
		b.WriteRune(r)
		i += size
	}
	return b.String(), clean
}

// nextRune decodes the character or escape sequence at the start of s. ok is false
// if it was replaced by U+FFFD.
func nextRune(s string) (r rune, size int, ok bool) {
	if s[0] != '\\' {
		r, size = utf8.DecodeRuneInString(s)
		return r, size, r != utf8.RuneError || size > 1
	}
	switch s[1] {
	case 'b':
		return '\b', 2, true
	case 'f':
		return '\f', 2, true
	case 'n':
		return '\n', 2, true
	case 'r':
		return '\r', 2, true
	case 't':
		return '\t', 2, true
	case 'u':
		return unicodeEscape(s)
	}
	return rune(s[1]), 2, true // quote, backslash or slash
}

// unicodeEscape decodes the \u escape at the start of s, with its second half if it
// is a surrogate pair.
func unicodeEscape(s string) (r rune, size int, ok bool) {
	r = parseHex(s[2:6])
	switch {
	case r == 0:
		return utf8.RuneError, 6, false
	case !utf16.IsSurrogate(r):
		return r, 6, true
	case len(s) >= 12 && s[6] == '\\' && s[7] == 'u':
		if pair := utf16.DecodeRune(r, parseHex(s[8:12])); pair != utf8.RuneError {
			return pair, 12, true
		}
	}
	return utf8.RuneError, 6, false
}

func parseHex(s string) (r rune) {
	for i := range 4 {
		c := rune(s[i])
		switch {
		case c <= '9':
			c -= '0'
		default:
			c = c&^0x20 - 'A' + 10
		}
		r = r<<4 | c
	}
	return r
}

// cleanJSON repairs the strings of JSON text as unquote does, without decoding
// them: it writes U+FFFD in place of what Postgres cannot hold.
func cleanJSON(text string) (cleaned string, clean bool) {
	if isPlain(text) || strings.IndexByte(text, '\\') < 0 && utf8.ValidString(text) {
		return text, true
	}
	var b strings.Builder
	b.Grow(len(text))
	clean = true
	for i := 0; i < len(text); {
		// Outside of strings there is only ASCII without backslashes, which
		// nextRune leaves unchanged, so there is no need to find the strings first.
		_, size, ok := nextRune(text[i:])
		if ok {
			b.WriteString(text[i : i+size])
		} else {
			b.WriteString(replacement)
			clean = false
		}
		i += size
	}
	if clean {
		return text, true
	}
	return b.String(), false
}
