package store_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestOneDriverPerFunction checks that a function uses Bun or pgx, and never both: see docs/decisions/0043-bun-and-pgx.md.
// Tx.View leads from a change to functions that use pgx, so it counts as pgx.
func TestOneDriverPerFunction(t *testing.T) {
	t.Parallel()
	functions := 0
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "storetest") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		for _, declaration := range file.Decls {
			f, ok := declaration.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			functions++
			if bun, pgx := findDrivers(f); bun != "" && pgx != "" {
				t.Errorf("%s: %s uses Bun (%s) and pgx (%s)", path, f.Name.Name, bun, pgx)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if functions < 1000 {
		t.Errorf("only %d functions were read", functions)
	}
}

// findDrivers returns the calls by which a function uses Bun and pgx. Either is empty if there is none.
func findDrivers(f *ast.FuncDecl) (bun, pgx string) {
	ast.Inspect(f, func(n ast.Node) bool {
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		of, _ := s.X.(*ast.Ident)
		switch name := s.Sel.Name; {
		case name == "NewRaw" || name == "NewSelect" || name == "NewInsert" || name == "NewUpdate" || name == "NewDelete":
			bun = name
		case name == "Pool" || name == "View" || of != nil && of.Name == "pgx" && name != "ErrNoRows":
			pgx = name
		}
		return true
	})
	return bun, pgx
}
