package configs

import (
	"fmt"
	"strings"
)

// Fault is one error in a configuration.
type Fault struct {
	Source string // file name, or the variable's name with Line 0
	Line   int    // 1-based; 0 when the fault has no line
	Column int    // 1-based; 0 when the fault has no line
	Key    string // path such as "database.url"; empty if the fault concerns no key
	Detail string // what is wrong and what is expected; never holds a secret
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

// Error holds all faults of a configuration.
type Error struct{ Faults []Fault }

// Unusable returns an Error for a key whose value is well formed but cannot be used, such as the
// name of a missing file.
func Unusable(path string, why error) *Error {
	return &Error{[]Fault{{Key: path, Detail: why.Error()}}}
}

// maxFaultsShown limits what Error prints; Faults holds all of them.
const maxFaultsShown = 20

// Error implements error. It prints one fault per line.
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
