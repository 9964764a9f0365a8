package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strconv"
)

// readGo returns the texts of a Go file: its string literals that read as words.
func readGo(path string) ([]text, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var texts []text
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			return false
		case *ast.Field: // a tag is not a text
			return n.Tag == nil
		case *ast.BinaryExpr, *ast.BasicLit:
			says, literal := joinParts(n.(ast.Expr))
			if literal && isText(says) {
				texts = append(texts, text{files.Position(n.Pos()).Line, says})
				return false
			}
		}
		return true
	})
	return texts, nil
}

// joinParts returns the text of an expression of strings, with … for each part that is known only
// when the program runs, and whether any part of it is a literal.
func joinParts(e ast.Expr) (says string, literal bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.STRING {
			says, err := strconv.Unquote(e.Value)
			return says, err == nil
		}
	case *ast.BinaryExpr:
		if e.Op == token.ADD {
			left, a := joinParts(e.X)
			right, b := joinParts(e.Y)
			return left + right, a || b
		}
	}
	return "…", false
}

var (
	phrase  = regexp.MustCompile(`\pL['’\pL]*[.,;:!?]? [\pL"%{]`) // two words
	label   = regexp.MustCompile(`^\p{Lu}\p{Ll}+[.!?…]?$`)        // a word such as Unassigned
	keyword = regexp.MustCompile(`\$\d|::|[=<>] ?\?|\? ?[=<>]|:=|==|\b(SELECT|INSERT|UPDATE|DELETE FROM|CREATE|ALTER|DROP|SET|IS NULL|AND|IN \(|JOIN|WHERE|FROM|ORDER BY|LIMIT|DESC|ASC)\b`)
)

// isText reports whether a string reads as words rather than as code.
func isText(s string) bool {
	if label.MatchString(s) {
		return true
	}
	return phrase.MatchString(s) && !keyword.MatchString(s)
}
