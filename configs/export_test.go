package configs

import "github.com/goccy/go-yaml/ast"

// ParsePanicking returns the error for a file on which the parser panics.
func ParsePanicking(name string) error {
	_, err := recoverPanic(func() (*ast.File, error) { panic("index out of range") })
	return &Error{[]Fault{(&reader{name: name}).syntaxFault(err)}}
}
