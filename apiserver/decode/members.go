package decode

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/assayhq/assay/apiserver/problem"
)

// PatchedValue returns the new value of a member: nil if it is absent, and the given default if
// it is null.
func PatchedValue[T any](f Field[T], null T) *T {
	switch f.State {
	case Set:
		return &f.Value
	case Null:
		return &null
	}
	return nil
}

// ReadLabel reads a label of 1 to longest characters.
func ReadLabel(o *Object, name string, longest int) Field[string] {
	label := o.Text(name, longest)
	o.Note(name, Note{
		About: "Label shown to people. It must have a visible character and no control characters, line breaks, or changes of the writing direction.", Least: 1, Pattern: NoControls,
	})
	if label.State == Set && (Blank(label.Value) || strings.ContainsFunc(label.Value, Control)) {
		o.Fault(name, problem.InvalidFormat, fmt.Sprintf("Must be 1 to %d characters, at least one of them visible and none a control character.", longest))
		return Field[string]{State: Faulty}
	}
	return label
}

// ReadNothing reads a body without members.
func ReadNothing(*Object) struct{} { return struct{}{} }

// longestWord limits words before they are compared, in characters.
const longestWord = 50

// ReadWord reads one of several words. If it is absent or null, the default is returned, if there
// is one.
func ReadWord(o *Object, name string, words []string, absent, about string) Field[string] {
	w := o.Text(name, longestWord)
	note := Note{About: about, Values: words}
	if absent != "" {
		note.Default = absent
	}
	o.Note(name, note)
	switch {
	case w.State == Set && !slices.Contains(words, w.Value):
		return NoteFormatFault(o, name, "Must be one of "+strings.Join(words, ", ")+".")
	case w.State == Absent || w.State == Null:
		w.Value = absent
	}
	return w
}

// ReadWords reads a text that may have several lines.
func ReadWords(o *Object, name string, longest int, about string) Field[string] {
	text := o.Text(name, longest)
	o.Note(name, Note{About: about, Pattern: noLineControls})
	text.Value = strings.ReplaceAll(text.Value, "\r\n", "\n")
	if text.State == Set && strings.ContainsFunc(text.Value, LineControl) {
		return NoteFormatFault(o, name, "Must not contain control characters except line feeds and tabs.")
	}
	if Blank(text.Value) && text.State == Set {
		return Field[string]{State: Null}
	}
	return text
}

// NoControls is the pattern of texts without control characters. Of the characters of Control
// it allows those beyond one byte: regular expressions write them differently, and generators copy
// patterns into source, where a line separator ends a line.
const NoControls = `^[^\x00-\x1f\x7f-\x9f]*$`

// noLineControls is NoControls for texts of several lines, which may hold line breaks and tabs.
const noLineControls = `^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]*$`

// GivenText returns a member's value, or nil if there is none.
func GivenText(f Field[string]) *string {
	if f.State != Set {
		return nil
	}
	return &f.Value
}

// ClearableText returns the new value of a member: nil if it is absent, and a pointer to nil if
// it is null.
func ClearableText(f Field[string]) **string {
	if f.State != Set && f.State != Null {
		return nil
	}
	value := GivenText(f)
	return &value
}

// NoteFormatFault notes a fault of a text's format.
func NoteFormatFault(o *Object, name, detail string) Field[string] {
	o.Fault(name, problem.InvalidFormat, detail)
	return Field[string]{State: Faulty}
}

// ReadEmail reads a well-formed address: something, an at sign, and a domain. The form cannot
// tell whether mail can be delivered.
func ReadEmail(o *Object) Field[string] {
	email := o.Text("email", MaxEmail)
	o.Note("email", Note{About: "Email address such as name@example.com, in letters of any script.", Example: "zoe@example.com", Pattern: `^[^@\s]+@[^@\s]+$`})
	if email.State == Set && !IsEmail(email.Value) {
		return NoteFormatFault(o, "email", "Must be an email address such as name@example.com, without spaces, and with a domain of letters, digits, hyphens and dots.")
	}
	return email
}

// ReadText reads a text that is required, and may have several lines.
func ReadText(o *Object, name string, longest int, about, example string) Field[string] {
	text := o.Text(name, longest)
	o.Note(name, Note{About: about + " It must have a visible character.", Example: example, Least: 1, Pattern: noLineControls})
	text.Value = strings.ReplaceAll(text.Value, "\r\n", "\n")
	o.Require(name, text.State)
	if text.State == Set && (Blank(text.Value) || strings.ContainsFunc(text.Value, LineControl)) {
		o.Fault(name, problem.InvalidFormat, fmt.Sprintf("Must be 1 to %d characters, at least one of them visible and no control characters except line feeds and tabs.", longest))
	}
	return text
}

// LineControl reports whether a text of several lines must not contain c.
func LineControl(c rune) bool { return unicode.IsControl(c) && c != '\n' && c != '\t' }
