package fetch

import (
	"encoding/base64"
	"html"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

const (
	// keyRun is how many consecutive bytes of a key count as a leak. Fewer are
	// often a prefix that only shows the kind of the key.
	keyRun = 12
	// base64Run is the length that keyRun bytes have in base64.
	base64Run = keyRun / 3 * 4
	// minDerived is the least length of a form that was derived from the key.
	// Shorter ones occur in any text by chance, and no real key is that short.
	minDerived = 8
	// maxPiece is more bytes than an undetectably short piece of the key takes in
	// an escaping within another.
	maxPiece = 128
	// maxUndone is how many nested escapings are undone. A text with more is
	// assumed to hold the key.
	maxUndone = 16
)

// holdsKey reports whether a text, or the text with its escapes undone, holds the
// key, a run of it, or the base64 of either.
func holdsKey(key, text string) bool {
	if key == "" {
		return false
	}
	runs := keyRuns{}
	runs.addRuns(key, keyRun)
	runs.addDerived(undoAll(key), keyRun) // of a key that itself looks escaped
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			runs.addDerived(inBase64(encoding, key, before), base64Run)
		}
	}
	for range maxUndone {
		if runs.occursIn(text) {
			return true
		}
		undone := undoEscapes(text)
		if undone == text {
			return false
		}
		text = undone
	}
	return true
}

// inBase64 returns the characters in the base64 of a text that depend on the key
// alone, if the key comes after `before` bytes in a group of three. Padding is not
// part of them.
func inBase64(encoding *base64.Encoding, key string, before int) string {
	encoded := encoding.EncodeToString([]byte("\x00\x00"[:before] + key))
	from := (before*8 + 5) / 6
	to := (before + len(key)) * 8 / 6
	return encoded[min(from, to):to]
}

// keyRuns holds the runs of a key that count as a leak, by their length.
type keyRuns map[int]map[string]bool

// addRuns adds the runs of n bytes of a form, or the form itself if it is shorter.
func (k keyRuns) addRuns(form string, n int) {
	n = min(n, len(form))
	if k[n] == nil {
		k[n] = map[string]bool{}
	}
	for i := range len(form) - n + 1 {
		k[n][form[i:i+n]] = true
	}
}

func (k keyRuns) addDerived(form string, n int) {
	if len(form) >= minDerived {
		k.addRuns(form, n)
	}
}

func (k keyRuns) occursIn(text string) bool {
	for n, runs := range k {
		for i := range max(len(text)-n+1, 0) {
			if runs[text[i:i+n]] {
				return true
			}
		}
	}
	return false
}

// undoAll undoes escapes until none are left, maxUndone layers at most.
func undoAll(text string) string {
	for range maxUndone {
		undone := undoEscapes(text)
		if undone == text {
			break
		}
		text = undone
	}
	return text
}

// undoEscapes undoes one layer of the escapes of JSON, of URLs and of HTML, which
// may be mixed. It leaves other text unchanged, and also the escapes of control
// characters, which no key holds.
func undoEscapes(text string) string {
	if !strings.ContainsAny(text, `\%&`) {
		return text
	}
	text = html.UnescapeString(text)
	plain := make([]byte, 0, len(text))
	for len(text) > 0 {
		var n int
		plain, n = appendUnescaped(plain, text)
		text = text[n:]
	}
	return string(plain)
}

// appendUnescaped appends the decoded start of text and returns how many bytes of
// text it used.
func appendUnescaped(plain []byte, text string) ([]byte, int) {
	next := byte(0)
	if len(text) > 1 {
		next = text[1]
	}
	switch first := text[0]; {
	case first == '\\' && strings.IndexByte(`\/"'`, next) >= 0:
		return append(plain, next), 2
	case first == '\\' && next == 'x':
		if b, ok := parseHex(text, 2, 2); ok {
			return append(plain, byte(b)), 4
		}
	case (first == '\\' || first == '%') && next == 'u':
		if r, n := unicodeEscape(text); n > 0 {
			return utf8.AppendRune(plain, r), n
		}
	case first == '%':
		if b, ok := parseHex(text, 1, 2); ok {
			return append(plain, byte(b)), 3
		}
	}
	return append(plain, text[0]), 1
}

// unicodeEscape reads an escape of four hexadecimal digits, or two that are a
// surrogate pair. n is zero if there is none.
func unicodeEscape(text string) (r rune, n int) {
	r, ok := parseHex(text, 2, 4)
	if !ok {
		return 0, 0
	}
	if utf16.IsSurrogate(r) && len(text) > 7 && text[6:8] == text[:2] {
		if low, ok := parseHex(text, 8, 4); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, 12
			}
		}
	}
	return r, 6
}

// parseHex reads n hexadecimal digits.
func parseHex(text string, from, n int) (rune, bool) {
	if len(text) < from+n || strings.ContainsAny(text[from:from+n], "+-_") {
		return 0, false
	}
	v, err := strconv.ParseUint(text[from:from+n], 16, 16)
	return rune(v), err == nil
}
