package decode

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"github.com/assayhq/assay/apiserver/problem"
)

// ReadSort reads the order of a list, one of the names, of which the first is the default.
func ReadSort(q *Query, names []string, cost string) string {
	sort := q.Choice("sort", names...)
	q.Note("sort", Note{About: strings.TrimSpace("The sort order; `-` means descending. " + cost), Default: names[0]})
	return sort
}

// NoteParameter documents a parameter that was read.
func NoteParameter[T any](q *Query, name, about string, v T) T {
	q.Note(name, Note{About: about})
	return v
}

// TextsOf converts a slice of named strings to strings.
func TextsOf[T ~string](list []T) []string {
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = string(v)
	}
	return words
}

// ReadSearch reads the parameter search, of up to limit characters, without surrounding spaces and in NFC.
func ReadSearch(q *Query, limit int, about, example string) string {
	text := q.Text("search", limit)
	q.Note("search", Note{About: about, Example: example, Pattern: NoControls})
	if strings.ContainsFunc(text, unicode.IsControl) {
		q.Parameter("search", problem.InvalidFormat, "Must not contain control characters.")
		return ""
	}
	return norm.NFC.String(strings.TrimSpace(text))
}
