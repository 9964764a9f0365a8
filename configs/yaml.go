package configs

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// reader collects the settings of one file.
type reader struct {
	name     string
	known    map[string]key
	settings map[string]setting
	faults   []Fault
}

// parseFile collects the settings of a file by key.
func parseFile(name string, content []byte) (map[string]setting, []Fault) {
	r := &reader{name: name, known: map[string]key{}, settings: map[string]setting{}}
	for _, k := range listKeys() {
		r.known[k.path] = k
	}
	if !utf8.Valid(content) {
		return r.settings, []Fault{{Source: name, Detail: "is not UTF-8 text; save it as UTF-8"}}
	}
	file, err := recoverPanic(func() (*ast.File, error) { return parser.ParseBytes(content, 0) })
	if err != nil {
		return r.settings, []Fault{r.syntaxFault(err)}
	}
	for i, doc := range file.Docs {
		switch {
		case doc.Body == nil:
		case i > 0:
			r.addFault(doc.Body, "", "the file has a second document, but a configuration is a single one")
		default:
			r.readMapping(doc.Body, "")
		}
	}
	return r.settings, r.faults
}

// errPanic reports that the parser panicked.
var errPanic = errors.New("the parser gave up on it")

// recoverPanic turns a panic of the parser into an error: the library has panicked on texts that
// are not YAML, and a mistake in a file must not crash the program.
func recoverPanic(parse func() (*ast.File, error)) (file *ast.File, err error) {
	defer func() {
		if recover() != nil {
			file, err = nil, errPanic
		}
	}()
	return parse()
}

// syntaxFault converts a parser error to a fault and drops the excerpt of the file that it
// contains.
func (r *reader) syntaxFault(err error) Fault {
	f := Fault{Source: r.name, Detail: "not YAML"}
	if errors.Is(err, errPanic) {
		f.Detail = "not YAML: " + errPanic.Error()
	}
	if at, ok := errors.AsType[yaml.Error](err); ok {
		f.Detail = "not YAML: " + at.GetMessage()
		if t := at.GetToken(); t != nil && t.Position != nil {
			f.Line, f.Column = t.Position.Line, t.Position.Column
		}
	}
	return f
}

func (r *reader) faultAt(n ast.Node, path string) Fault {
	f := Fault{Source: r.name, Key: path}
	if t := n.GetToken(); t != nil && t.Position != nil {
		f.Line, f.Column = t.Position.Line, t.Position.Column
	}
	return f
}

func (r *reader) addFault(n ast.Node, path, format string, args ...any) {
	f := r.faultAt(n, path)
	f.Detail = fmt.Sprintf(format, args...)
	r.faults = append(r.faults, f)
}

// readMapping reads the mapping of a section. The file itself is the section "".
func (r *reader) readMapping(n ast.Node, section string) {
	var entries []*ast.MappingValueNode
	switch n := n.(type) {
	case *ast.MappingNode:
		entries = n.Values
	case *ast.MappingValueNode:
		entries = []*ast.MappingValueNode{n}
	case *ast.NullNode, *ast.CommentGroupNode:
		return
	default:
		r.addFault(n, section, "must be a mapping with the keys %s", r.listChoices(section))
		return
	}
	for _, entry := range entries {
		r.readEntry(entry, section)
	}
}

func (r *reader) readEntry(entry *ast.MappingValueNode, section string) {
	name, ok := entry.Key.(*ast.StringNode)
	if !ok {
		r.addFault(entry.Key, section, "a key must be a plain name; valid: %s", r.listChoices(section))
		return
	}
	path := name.Value
	if section != "" {
		path = section + "." + name.Value
	}
	k, known := r.known[path]
	known = known && !strings.Contains(name.Value, ".")
	switch {
	case known && !k.inFile():
		r.addFault(name, path, "secrets are not allowed in the file; use %s_file or %s", path, Variable(path))
	case known:
		r.readValue(entry.Value, k)
	case section == "" && r.isSection(path):
		r.readMapping(entry.Value, path)
	default:
		r.addFault(name, "", "%q: unknown key; valid: %s", path, r.listChoices(section))
	}
}

// readValue reads the value of a key. Null and "" leave the key's default in place.
func (r *reader) readValue(n ast.Node, k key) {
	nodes := []ast.Node{n}
	seq, isList := n.(*ast.SequenceNode)
	_, isNull := n.(*ast.NullNode)
	switch {
	case isNull:
		return
	case isList && !k.list:
		r.addFault(n, k.path, "must be a single value, not a list")
		return
	case isList:
		nodes = seq.Values
	case k.list:
		r.addFault(n, k.path, "must be a list such as [one, two]")
		return
	}
	s := setting{items: []string{}, at: r.faultAt(n, k.path)}
	for _, node := range nodes {
		item, ok := scalarValue(node)
		if !ok {
			r.addFault(node, k.path, "must be a plain value; anchors, aliases, tags and nested values are not allowed")
			return
		}
		s.items = append(s.items, item)
	}
	if !k.list && s.items[0] == "" {
		return
	}
	if k.secret && holdsPassword(s.items[0]) {
		r.addFault(n, k.path, "passwords are not allowed in the file; use %s", passwordPlaces(k.path))
		return
	}
	r.settings[k.path] = s
}

// passwordPlaces says where a connection URL with a password may be set.
func passwordPlaces(path string) string {
	if path == "database.url" {
		return "database.url_file or " + Variable(path)
	}
	return Variable(path) + ", or omit user and password to use those of database.url"
}

// scalarValue returns a scalar as it is written, without quotes.
func scalarValue(n ast.Node) (value string, ok bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return strings.TrimSuffix(n.Value.Value, "\n"), true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.InfinityNode, *ast.NanNode:
		return n.GetToken().Value, true
	}
	return "", false
}

func (r *reader) isSection(name string) bool {
	for path := range r.known {
		if strings.HasPrefix(path, name+".") {
			return true
		}
	}
	return false
}

// listChoices lists the keys that a section may contain.
func (r *reader) listChoices(section string) string {
	var names []string
	for _, path := range Keys() {
		if section != "" {
			rest, ok := strings.CutPrefix(path, section+".")
			if !ok {
				continue
			}
			path = rest
		}
		first, _, _ := strings.Cut(path, ".")
		names = append(names, first)
	}
	return strings.Join(slices.Compact(names), ", ")
}
