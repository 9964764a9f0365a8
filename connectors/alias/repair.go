package alias

import (
	"bytes"
	"strings"
)

// repairSyntax returns a copy of a body in which two habits of programs that write
// JSON by hand or loosely are corrected: control characters in strings, which become
// a byte that is not UTF-8 and so cost the string a U+FFFD, and the words NaN,
// Infinity and -Infinity, which become null. It returns nil if there are none. What
// else is wrong with the body stays wrong.
func repairSyntax(body []byte) []byte {
	var repaired []byte
	quoted, copied := false, 0 // how much of the body is in the copy
	replace := func(at, size int, by string) {
		repaired = append(append(repaired, body[copied:at]...), by...)
		copied = at + size
	}
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case quoted && c < ' ':
			replace(i, 1, "\xff")
		case !quoted && strings.IndexByte("NI-", c) >= 0:
			if n := lengthOfWord(body[i:]); n > 0 {
				replace(i, n, "null")
				i += n - 1
			}
		}
	}
	if repaired == nil {
		return nil
	}
	return append(repaired, body[copied:]...)
}

// lengthOfWord returns the length of the word for what is no number at the start of
// the text, or 0 if there is none.
func lengthOfWord(text []byte) int {
	for _, word := range [...]string{"NaN", "Infinity", "-Infinity"} {
		if bytes.HasPrefix(text, []byte(word)) {
			return len(word)
		}
	}
	return 0
}
