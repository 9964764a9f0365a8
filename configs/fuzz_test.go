package configs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFuzzTargetsHaveSeeds checks that every fuzz target of the module has seeds, in its code or
// in testdata, so that ordinary tests run it.
func TestFuzzTargetsHaveSeeds(t *testing.T) {
	t.Parallel()
	found := 0
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == "node_modules" || strings.HasPrefix(entry.Name(), ".") && entry.Name() != ".."):
			return fs.SkipDir
		case !strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, declared := range file.Decls {
			target, ok := declared.(*ast.FuncDecl)
			if !ok || target.Recv != nil || !strings.HasPrefix(target.Name.Name, "Fuzz") {
				continue
			}
			found++
			corpus, _ := os.ReadDir(filepath.Join(filepath.Dir(path), "testdata", "fuzz", target.Name.Name)) // a missing directory is no error
			if len(corpus) == 0 && !adds(file, target) {
				t.Errorf("%s: %s has no seeds", path, target.Name.Name)
			}
		}
		return nil
	})
	if err != nil || found < 50 {
		t.Errorf("%d fuzz targets were found, %v", found, err)
	}
}

// adds reports whether a function calls Add, directly or through a function of the same file.
func adds(file *ast.File, function *ast.FuncDecl) bool {
	does := false
	ast.Inspect(function, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || does {
			return !does
		}
		switch called := call.Fun.(type) {
		case *ast.SelectorExpr:
			does = called.Sel.Name == "Add"
		case *ast.Ident:
			for _, declared := range file.Decls {
				if helper, ok := declared.(*ast.FuncDecl); ok && helper != function && helper.Recv == nil && helper.Name.Name == called.Name {
					does = does || adds(file, helper)
				}
			}
		}
		return !does
	})
	return does
}
