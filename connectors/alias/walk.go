package alias

import "strings"

// shape remembers the member names of the last object in their order. The records
// of a page nearly always have the same names in the same order, so that a look-up
// takes only one comparison.
type shape []expected

type expected struct {
	name string // raw, between the quotes
	node *node  // nil if no field has this name
}

// walker fills the slots of one record after the other.
type walker struct {
	slots     []value
	shape     shape // of top-level members only
	duplicate bool  // a member that some field reads occurred twice
}

// walkObject visits the members of the object s and puts the values that the trie
// knows into their slots. It returns how many levels deep s is.
func (w *walker) walkObject(s string, n *node) (depth int) {
	clear(w.slots)
	w.duplicate = false
	depth = 1
	pos := 0
	for i := skipSpace(s, 1); s[i] != '}'; pos++ {
		name, start := nextName(s, i)
		child := w.expectMember(pos, name, n)
		end, below := skipValue(s, start)
		depth = max(depth, below+1)
		if child != nil {
			w.storeValue(child, s[start:end])
		}
		i = nextMember(s, end)
	}
	return depth
}

// storeValue stores the value for a node and, if it is an object, its members.
func (w *walker) storeValue(n *node, text string) {
	if w.slots[n.slot].kind != absent {
		w.duplicate = true
		clear(w.slots[n.slot:n.end])
	}
	w.slots[n.slot] = value{text, kindOf(text[0])}
	if text[0] != '{' || n.members == nil {
		return
	}
	for i := skipSpace(text, 1); text[i] != '}'; {
		name, start := nextName(text, i)
		end, _ := skipValue(text, start)
		if child := n.lookUp(name); child != nil {
			w.storeValue(child, text[start:end])
		}
		i = nextMember(text, end)
	}
}

// expectMember finds the node of a top-level member, which is at position pos.
func (w *walker) expectMember(pos int, name string, n *node) *node {
	if pos < len(w.shape) && w.shape[pos].name == name {
		return w.shape[pos].node
	}
	e := expected{name, n.lookUp(name)}
	switch {
	case pos < len(w.shape):
		w.shape[pos] = e
	case pos < maxShape:
		w.shape = append(w.shape, e)
	}
	return e.node
}

// maxShape bounds how many members of an object are remembered.
const maxShape = 256

// lookUp finds the node of a member; raw is its name between the quotes.
func (n *node) lookUp(raw string) *node {
	if child := n.members[raw]; child != nil || strings.IndexByte(raw, '\\') < 0 {
		return child
	}
	name, _ := unquote(raw)
	return n.members[name]
}

// nextName reads the member name at s[i]; start is the index of its value.
func nextName(s string, i int) (name string, start int) {
	end := closeQuote(s, i+1)
	colon := skipSpace(s, end+1)
	return s[i+1 : end], skipSpace(s, colon+1)
}

// nextMember returns the index of the next member's name, or of the closing
// brace, given the index after a value.
func nextMember(s string, i int) int {
	if i = skipSpace(s, i); s[i] == ',' {
		i = skipSpace(s, i+1)
	}
	return i
}
