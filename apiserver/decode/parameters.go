package decode

import (
	"strings"
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
