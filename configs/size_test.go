package configs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A package that is larger than this holds more than one subject, and a reader no
// longer finds anything in it by the package's name.
const (
	maxPackageLines = 5000
	maxPackageNames = 90 // exported functions, types, constants and variables; methods do not count
)

// TestPackageSizes checks that no package of the store, of the daemons, of the connectors, of the
// analysis, of interviews, of statements and of what runs and simulates platforms becomes a room for everything.
func TestPackageSizes(t *testing.T) {
	t.Parallel()
	for root, least := range map[string]int{
		"store": 10, "apiserver": 20, "connectors": 5, "syncd": 5,
		"internal/analysis": 14, "internal/dev": 5, "internal/interview": 12, "internal/simulator": 5, "internal/statement": 9,
	} {
		packages := 0
		err := filepath.WalkDir(filepath.Join(repository, root), func(path string, entry os.DirEntry, err error) error {
			if err != nil || !entry.IsDir() {
				return err
			}
			lines, names, err := measurePackage(path)
			if err != nil || lines == 0 {
				return err
			}
			packages++
			name, _ := filepath.Rel(repository, path)
			if lines > maxPackageLines {
				t.Errorf("%s has %d lines, at most %d are allowed: move one of its subjects into a package below it", name, lines, maxPackageLines)
			}
			if names > maxPackageNames && name != "apiserver/problem" { // a catalog of error codes
				t.Errorf("%s exports %d names, at most %d are allowed: unexport what no other package uses, or move one of its subjects into a package below it", name, names, maxPackageNames)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if packages < least {
			t.Errorf("%d packages were found in %s, want all of them", packages, root)
		}
	}
}

// measurePackage counts the lines and exported names of the package in a folder, without its
// tests.
func measurePackage(folder string) (lines, names int, err error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return 0, 0, err
	}
	set := token.NewFileSet()
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return 0, 0, err
		}
		lines += set.File(file.Pos()).LineCount()
		names += len(exportedNames(file))
	}
	return lines, names, nil
}

// exportedNames lists the exported names that a file declares at its top level, without methods.
func exportedNames(file *ast.File) (names []string) {
	add := func(idents ...*ast.Ident) {
		for _, ident := range idents {
			if ident.IsExported() {
				names = append(names, ident.Name)
			}
		}
	}
	for _, declaration := range file.Decls {
		switch declaration := declaration.(type) {
		case *ast.FuncDecl:
			if declaration.Recv == nil {
				add(declaration.Name)
			}
		case *ast.GenDecl:
			for _, spec := range declaration.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					add(spec.Name)
				case *ast.ValueSpec:
					add(spec.Names...)
				}
			}
		}
	}
	return names
}

// TestDocumentSizes checks that the documents that everybody reads first stay short enough to be
// read: what is longer belongs in a guide.
func TestDocumentSizes(t *testing.T) {
	t.Parallel()
	for name, most := range map[string]int{"README.md": 5000, "ARCHITECTURE.md": 20 << 10, "BENCHMARKS.md": 20 << 10} {
		if size := len(content(t, name)); size > most {
			t.Errorf("%s has %d bytes, at most %d are allowed: move details into a guide or the reference", name, size, most)
		}
	}
}
