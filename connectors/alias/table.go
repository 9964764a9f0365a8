package alias

import (
	"fmt"
	"strings"
)

// Kind is the sort of JSON value that can serve a field.
type Kind uint8

// The kinds of fields.
const (
	Scalar Kind = iota // a string that is not blank, or a number
	Object             // an object
	List               // an array
)

// Field describes one field of a record.
type Field struct {
	// Aliases are the names that the field may have, in priority order. The first
	// is the contract's own and names the field in findings. A dot reaches into an
	// object: "user.email". Several fields may share a name.
	Aliases []string
	// Kind says which values can be used. Other values count as absent, so that the
	// next alias is tried.
	Kind Kind
	// Required makes a fault of this field reject the whole record.
	Required bool
	// Max bounds text in bytes; zero means MaxIDBytes for ids and MaxTextBytes otherwise.
	Max int
	// NumericStrings accepts numbers sent as strings without a finding, also
	// with commas between groups of three digits.
	NumericStrings bool
	// Times adds forms beyond RFC 3339 to those that a time may have.
	Times TimeForms
}

// Required is a scalar field whose faults reject the record.
func Required(names ...string) Field { return Field{Aliases: names, Required: true} }

// Optional is a scalar field that a record may lack.
func Optional(names ...string) Field { return Field{Aliases: names} }

// Amount is an optional number that may also be sent as a string.
func Amount(names ...string) Field { return Field{Aliases: names, NumericStrings: true} }

// Email is an optional email address of up to MaxEmailBytes.
func Email(names ...string) Field { return Field{Aliases: names, Max: MaxEmailBytes} }

// Table is a compiled description of a kind of record, immutable and safe for
// concurrent use.
type Table struct {
	fields []field
	root   *node
	slots  int
}

// field is a Field with the slots where its aliases are found.
type field struct {
	Field
	slots []int
	// opened reports for each alias whether another alias reaches into an object of
	// that name.
	opened []bool
}

// node is one member name on the way to an alias. Every node has a slot where
// the walker leaves the member's value; the slots of the nodes below it follow
// directly, up to end.
type node struct {
	members   map[string]*node
	names     []string // keys of members, in the order of the table
	slot, end int
}

// NewTable compiles fields, which are then named by their index. It panics on a
// field without aliases or with an empty name in one, because tables are written by
// programmers, as regular expressions are.
func NewTable(fields []Field) *Table {
	t := &Table{root: &node{}}
	for i, f := range fields {
		if len(f.Aliases) == 0 {
			panic(fmt.Sprintf("alias: field %d has no name", i))
		}
		for _, path := range f.Aliases {
			t.root.insert(path)
		}
	}
	t.slots = t.root.numberSlots(0)
	for _, f := range fields {
		c := field{Field: f}
		for _, path := range f.Aliases {
			n := t.root.find(path)
			c.slots, c.opened = append(c.slots, n.slot), append(c.opened, n.members != nil)
		}
		t.fields = append(t.fields, c)
	}
	return t
}

func (n *node) insert(path string) {
	for name := range strings.SplitSeq(path, ".") {
		if name == "" {
			panic(fmt.Sprintf("alias: empty name in path %q", path))
		}
		child := n.members[name]
		if child == nil {
			if n.members == nil {
				n.members = make(map[string]*node)
			}
			child = &node{}
			n.members[name] = child
			n.names = append(n.names, name)
		}
		n = child
	}
}

// numberSlots assigns slots depth first and returns the next free one.
func (n *node) numberSlots(next int) int {
	n.slot = next
	next++
	for _, name := range n.names {
		next = n.members[name].numberSlots(next)
	}
	n.end = next
	return next
}

func (n *node) find(path string) *node {
	for name := range strings.SplitSeq(path, ".") {
		n = n.members[name]
	}
	return n
}

// formatPointer converts an alias to a JSON pointer (RFC 6901).
func formatPointer(path string) string {
	escaped := strings.NewReplacer("~", "~0", "/", "~1").Replace(path)
	return "/" + strings.ReplaceAll(escaped, ".", "/")
}
