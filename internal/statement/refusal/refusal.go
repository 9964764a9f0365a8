// Package refusal is the error of a file that is not taken: why, what the file holds, what would have
// been understood, and what to do.
package refusal

import (
	"fmt"
	"strings"

	"github.com/assayhq/assay/internal/statement/words"
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

// Error is the error of a file that is not taken. Its texts are safe to
// show: what they repeat of the file is cut and free of control characters.
type Error struct {
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

// Error returns the code and the detail.
func (r *Error) Error() string { return string(r.Code) + ": " + r.Detail }

// New returns a refusal with a detail made as by fmt.Sprintf.
func New(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Detail: fmt.Sprintf(format, args...)}
}

// Limits of Error.Seen.
const (
	MaxSeen      = 20 // entries
	MaxSeenBytes = 40 // of one entry
)

// AddSeen adds what the file holds, cut and cleaned.
func (r *Error) AddSeen(cells ...string) *Error {
	for _, c := range cells {
		// A spreadsheet takes text that begins so for a formula.
		c = words.Clean(strings.TrimLeft(c, "=+-@|%\t\r\n "), MaxSeenBytes)
		if c != "" && len(r.Seen) < MaxSeen {
			r.Seen = append(r.Seen, c)
		}
	}
	return r
}

// AddExpected says what would have been understood.
func (r *Error) AddExpected(what ...string) *Error {
	r.Expected = append(r.Expected, what...)
	return r
}

// SuggestOption names the option to send the file again with.
func (r *Error) SuggestOption(option string) *Error {
	r.Resend = option
	return r
}
