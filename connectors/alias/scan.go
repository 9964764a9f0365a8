package alias

import "strings"

// The functions of this file walk over JSON text that jsontext has already
// validated. On other text they may panic.

// kind is the first byte of a value, which shows its type, with '0' for every
// number and zero for a value that is absent.
type kind byte

const (
	absent      kind = 0
	nullValue   kind = 'n'
	trueValue   kind = 't'
	falseValue  kind = 'f'
	stringValue kind = '"'
	numberValue kind = '0'
	objectValue kind = '{'
	arrayValue  kind = '['
)

// value is the raw text of a member's value and its kind.
type value struct {
	text string
	kind kind
}

// innerText returns the text between a string's quotes.
func (v value) innerText() string { return v.text[1 : len(v.text)-1] }

// isBlank reports whether a value is absent, null or a string of spaces only.
func (v value) isBlank() bool {
	switch v.kind {
	case absent, nullValue:
		return true
	case stringValue:
		return strings.TrimSpace(v.innerText()) == ""
	}
	return false
}

func kindOf(c byte) kind {
	switch c {
	case '{', '[', '"', 'n', 't', 'f':
		return kind(c)
	}
	return numberValue
}

// skipSpace returns the index of the first byte at or after i that is not
// white space.
func skipSpace(s string, i int) int {
	for i < len(s) && s[i] <= ' ' {
		i++
	}
	return i
}

// closeQuote returns the index of the quote that ends the string whose first
// byte is s[i].
func closeQuote(s string, i int) int {
	for end := i; ; end++ {
		end += strings.IndexByte(s[end:], '"')
		backslashes := 0
		for end-backslashes > i && s[end-backslashes-1] == '\\' {
			backslashes++
		}
		if backslashes%2 == 0 {
			return end
		}
	}
}

// skipValue returns the index after the value that begins at s[i], and how
// many levels of objects and arrays it holds.
func skipValue(s string, i int) (end, depth int) {
	switch s[i] {
	case '"':
		return closeQuote(s, i+1) + 1, 0
	case '{', '[':
		return skipComposite(s, i)
	}
	return skipLiteral(s, i), 0
}

// skipLiteral returns the index after the number, true, false or null at s[i].
func skipLiteral(s string, i int) int {
	for i < len(s) && s[i] > ' ' && s[i] != ',' && s[i] != '}' && s[i] != ']' {
		i++
	}
	return i
}

func skipComposite(s string, i int) (end, deepest int) {
	depth := 0
	for ; ; i++ {
		switch s[i] {
		case '"':
			i = closeQuote(s, i+1)
		case '{', '[':
			depth++
			deepest = max(deepest, depth)
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1, deepest
			}
		}
	}
}
