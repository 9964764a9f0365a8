package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

const module = "github.com/assayhq/assay"

// source holds the comments of Go packages.
type source struct {
	root     string // root folder of the module
	packages map[string]*comments
}

// comments are those of one package.
type comments struct {
	types  map[string]string            // by type
	names  map[string]string            // name set by a directive, by type
	fields map[string]map[string]string // by type and field
	values map[string][]value           // constants in order, by type
}

// value is a constant of a named string type.
type value struct{ text, about string }

// nameDirective precedes a type whose schema has a different name than the type.
const nameDirective = "//openapi:name "

// commentsOf returns the comments of a package of the module.
func (s *source) commentsOf(path string) (*comments, error) {
	if c := s.packages[path]; c != nil {
		return c, nil
	}
	folder, ok := strings.CutPrefix(path, module)
	if !ok {
		return nil, fmt.Errorf("package %s is not of this module", path)
	}
	c, err := readComments(filepath.Join(s.root, filepath.FromSlash(folder)))
	if err != nil {
		return nil, err
	}
	s.packages[path] = c
	return c, nil
}

// ofType returns the comments of the package that declares the type.
func (s *source) ofType(t reflect.Type) (*comments, error) { return s.commentsOf(t.PkgPath()) }

func readComments(folder string) (*comments, error) {
	entries, err := fs.ReadDir(os.DirFS(folder), ".")
	if err != nil {
		return nil, err
	}
	c := &comments{map[string]string{}, map[string]string{}, map[string]map[string]string{}, map[string][]value{}}
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".go") || strings.HasSuffix(entry.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, entry.Name()), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			if decl, ok := d.(*ast.GenDecl); ok {
				c.readDeclaration(decl)
			}
		}
	}
	return c, nil
}

func (c *comments) readDeclaration(decl *ast.GenDecl) {
	for _, s := range decl.Specs {
		switch spec := s.(type) {
		case *ast.TypeSpec:
			doc := spec.Doc
			if doc == nil {
				doc = decl.Doc
			}
			c.readType(spec, doc)
		case *ast.ValueSpec:
			if decl.Tok == token.CONST {
				c.readConstant(spec)
			}
		}
	}
}

func (c *comments) readType(spec *ast.TypeSpec, doc *ast.CommentGroup) {
	name := spec.Name.Name
	c.types[name] = typeComment(name, doc)
	if doc != nil {
		for _, line := range doc.List {
			if called, ok := strings.CutPrefix(line.Text, nameDirective); ok {
				c.names[name] = strings.TrimSpace(called)
			}
		}
	}
	structure, ok := spec.Type.(*ast.StructType)
	if !ok {
		return
	}
	fields := make(map[string]string)
	for _, field := range structure.Fields.List {
		text := field.Doc.Text()
		if text == "" {
			text = field.Comment.Text()
		}
		for _, n := range field.Names {
			fields[n.Name] = makeSentence(text)
		}
	}
	c.fields[name] = fields
}

func (c *comments) readConstant(spec *ast.ValueSpec) {
	named, ok := spec.Type.(*ast.Ident)
	if !ok || len(spec.Values) != 1 {
		return
	}
	literal, ok := spec.Values[0].(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return
	}
	text, err := strconv.Unquote(literal.Value)
	if err != nil {
		return
	}
	about := spec.Comment.Text()
	if about == "" {
		about = withoutName(spec.Names[0].Name, spec.Doc.Text())
	}
	c.values[named.Name] = append(c.values[named.Name], value{text, joinLines(about)})
}

// typeComment makes a description of "thingBody is a Thing: …".
func typeComment(name string, doc *ast.CommentGroup) string {
	return makeSentence(withoutName(name, doc.Text()))
}

func withoutName(name, text string) string {
	text = strings.TrimPrefix(text, name+" ")
	for _, verb := range []string{"is ", "are "} {
		text = strings.TrimPrefix(text, verb)
	}
	return text
}

// makeSentence joins the lines of each paragraph, and makes it begin with a capital letter and
// end with a full stop.
func makeSentence(text string) string {
	text = joinLines(text)
	if text == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(text)
	text = string(unicode.ToUpper(first)) + text[size:]
	if last, _ := utf8.DecodeLastRuneInString(text); !strings.ContainsRune(".:!?`", last) || last == '`' {
		text += "."
	}
	return text
}

func joinLines(text string) string {
	paragraphs := strings.Split(strings.TrimSpace(text), "\n\n")
	for i, p := range paragraphs {
		paragraphs[i] = strings.Join(strings.Fields(p), " ")
	}
	return strings.Join(paragraphs, "\n\n")
}
