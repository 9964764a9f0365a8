package statement

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Code says why a file was refused; the values are the API's error codes.
type Code string

// Reasons for refusing a file.
const (
	// FileTooLarge: more bytes, packed or unpacked, rows, columns or sheets
	// than the limits allow (413).
	FileTooLarge Code = "file_too_large"
	// UnsupportedFileType: no kind of file that is read, judged by content (415).
	UnsupportedFileType Code = "unsupported_file_type"
	// NotUnderstood: no table of trades, or one that cannot be read without
	// guessing (422).
	NotUnderstood Code = "file_not_understood"
	// AmbiguousDates means that no date shows which number is the day (422).
	AmbiguousDates Code = "ambiguous_dates"
)

// Refusal is the error of a file that is not taken. Its texts are safe to
// show: what they repeat of the file is cut and free of control characters.
type Refusal struct {
	Code   Code
	Detail string // one or two sentences that say what to do
	// Seen is what the file holds: headers, or the forms of the cells in question.
	Seen []string
	// Expected is what would have been understood.
	Expected []string
	// Resend names the option that decides the question, such as "date_order";
	// empty when no option helps.
	Resend string
}

// Error gives the code and the detail.
func (r *Refusal) Error() string { return string(r.Code) + ": " + r.Detail }

func newRefusal(code Code, format string, args ...any) *Refusal {
	return &Refusal{Code: code, Detail: fmt.Sprintf(format, args...)}
}

const (
	maxSeen      = 20 // entries of Refusal.Seen
	maxSeenBytes = 40 // bytes of one entry
)

// addSeen adds what the file holds, cut and cleaned.
func (r *Refusal) addSeen(cells ...string) *Refusal {
	for _, c := range cells {
		// A spreadsheet takes text that begins so for a formula.
		c = cleanText(strings.TrimLeft(c, "=+-@|%\t\r\n "), maxSeenBytes)
		if c != "" && len(r.Seen) < maxSeen {
			r.Seen = append(r.Seen, c)
		}
	}
	return r
}

// addExpected says what would have been understood.
func (r *Refusal) addExpected(what ...string) *Refusal {
	r.Expected = append(r.Expected, what...)
	return r
}

// suggestOption names the option to send the file again with.
func (r *Refusal) suggestOption(option string) *Refusal {
	r.Resend = option
	return r
}

// cleanText makes text of a file fit to be kept and shown: valid UTF-8 of at
// most limit bytes, without control, format or line separating characters, and
// with white space folded.
func cleanText(s string, limit int) string {
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

// isClean knows text of visible ASCII characters and single spaces.
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
