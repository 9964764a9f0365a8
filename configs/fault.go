package configs

import (
	"fmt"
	"strings"
)

// Fault is one thing that is wrong with a configuration.
type Fault struct {
	Source string // file name, or the variable's name with Line 0
	Line   int    // 1-based; 0 when the fault has no line
	Column int    // 1-based; 0 when the fault has no line
	Key    string // path such as "database.url"; empty when the fault is about no key
	Detail string // what is wrong and what would be right; never holds a secret
}

// String writes the fault as "file:line:column: key: detail".
func (f Fault) String() string {
	var b strings.Builder
	if f.Source != "" {
		b.WriteString(f.Source)
		if f.Line > 0 {
			fmt.Fprintf(&b, ":%d:%d", f.Line, f.Column)
		}
		b.WriteString(": ")
	}
	if f.Key != "" {
		b.WriteString(f.Key + ": ")
	}
	return b.String() + f.Detail
}

// Error holds everything that is wrong with a configuration.
type Error struct{ Faults []Fault }

// Unusable is the Error of a key whose value is well written and can't be used,
// such as the name of a file that is not there.
func Unusable(path string, why error) *Error {
	return &Error{[]Fault{{Key: path, Detail: why.Error()}}}
}

// maxFaultsShown bounds what Error prints; Faults holds all of them.
const maxFaultsShown = 20

// Error implements error, with one fault a line.
func (e *Error) Error() string {
	lines := []string{"configuration:"}
	for i, f := range e.Faults {
		if i == maxFaultsShown {
			lines = append(lines, fmt.Sprintf("and %d more", len(e.Faults)-i))
			break
		}
		lines = append(lines, f.String())
	}
	if len(lines) == 2 {
		return strings.Join(lines, " ")
	}
	return strings.Join(lines, "\n  ")
}
