package firm

import (
	"strings"

	"github.com/assayhq/assay/internal/simulator/wire"
)

// Table shows one of the world's lists as a platform's records: it names the
// generated ones, and it holds those that a test has put in their place. T is
// the platform's record. A Table is not safe for concurrent use: its methods
// are called inside World.Read or World.Write.
type Table[T any] struct {
	*List
	Names  Names
	Build  func(ref uint32) T                             // a generated record
	Encode func(dst []byte, ref uint32, record *T) []byte // its JSON
	custom map[uint32]override[T]                         // records that a test has put
	ids    map[string]uint32                              // of custom records that are not generated ones
}

// Names is how a platform makes the ids of generated records: a prefix and the
// digits of a number.
type Names struct {
	Prefix string
	Width  int                     // digits
	Number func(ref uint32) uint32 // nil means the row's index
}

// override replaces a generated record.
type override[T any] struct {
	id     string
	record T
	raw    []byte // sent instead of record when not nil
}

// Attach connects a table with its list, once, before the world is used. A list
// that is kept in order can be asked for pages by time. From then on, changed,
// unless it is nil, is called with the row of every record that changes or is
// added.
func (t *Table[T]) Attach(list *List, ordered bool, changed func(ref uint32)) {
	t.List = list
	list.id, list.changed = t.ID, changed
	list.ties = func() bool { return len(t.custom) > 0 || t.Names.Number != nil }
	if ordered {
		list.sortAll()
	}
}

// ID is the id of a record.
func (t *Table[T]) ID(ref uint32) string {
	if len(t.custom) > 0 {
		if o, ok := t.custom[ref]; ok {
			return o.id
		}
	}
	return t.generatedID(ref)
}

func (t *Table[T]) generatedID(ref uint32) string {
	number := ref
	if t.Names.Number != nil {
		number = t.Names.Number(ref)
	}
	buf := make([]byte, 0, 24)
	return string(wire.AppendPadded(append(buf, t.Names.Prefix...), int64(number), t.Names.Width))
}

// Find returns the row with an id, also when the record is deleted.
func (t *Table[T]) Find(id string) (uint32, bool) {
	if ref, ok := t.ids[id]; ok {
		return ref, true
	}
	return t.findGenerated(id)
}

func (t *Table[T]) findGenerated(id string) (uint32, bool) {
	digits, ok := strings.CutPrefix(id, t.Names.Prefix)
	if !ok || len(digits) != t.Names.Width {
		return 0, false
	}
	var n uint64
	for i := 0; i < len(digits); i++ {
		if digits[i] < '0' || digits[i] > '9' {
			return 0, false
		}
		n = n*10 + uint64(digits[i]-'0')
	}
	if n >= uint64(t.Len()) || t.generatedID(uint32(n)) != id {
		return 0, false
	}
	return uint32(n), true
}

// Search returns the first row that has an id and fits, looking at one after
// the other unless ids are unique, also when the record is deleted.
func (t *Table[T]) Search(id string, fits func(ref uint32) bool) (uint32, bool) {
	for ref, o := range t.custom {
		if o.id == id && fits(ref) {
			return ref, true
		}
	}
	if t.Names.Number == nil {
		ref, found := t.findGenerated(id)
		return ref, found && fits(ref)
	}
	for ref := range uint32(t.Len()) {
		if t.ID(ref) == id && fits(ref) {
			return ref, true
		}
	}
	return 0, false
}

// Custom returns a record that a test has put in a row: whether there is one,
// and whether it is a text without a record.
func (t *Table[T]) Custom(ref uint32) (record *T, raw, ok bool) {
	if len(t.custom) == 0 {
		return nil, false, false
	}
	o, ok := t.custom[ref]
	return &o.record, o.raw != nil, ok
}

// Customs yields the rows in which a test has put records, in no order.
func (t *Table[T]) Customs(yield func(ref uint32) bool) {
	for ref := range t.custom {
		if !yield(ref) {
			return
		}
	}
}

// Record returns a record as it is now.
func (t *Table[T]) Record(ref uint32) T {
	if record, _, ok := t.Custom(ref); ok {
		return *record
	}
	return t.Build(ref)
}

// AppendRecord appends a record's JSON.
func (t *Table[T]) AppendRecord(dst []byte, ref uint32) []byte {
	if len(t.custom) > 0 {
		if o, ok := t.custom[ref]; ok {
			if o.raw != nil {
				return append(dst, o.raw...)
			}
			return t.Encode(dst, ref, &o.record)
		}
	}
	record := t.Build(ref)
	return t.Encode(dst, ref, &record)
}

// Put adds or replaces the record with an id; at is when it changed.
func (t *Table[T]) Put(id string, record T, raw []byte, at int64) {
	ref, found := t.Find(id)
	t.PutAt(ref, found, id, record, raw, at)
}

// PutAt is Put for a record that has been looked up.
func (t *Table[T]) PutAt(ref uint32, found bool, id string, record T, raw []byte, at int64) {
	if t.custom == nil {
		t.custom = make(map[uint32]override[T])
		t.ids = make(map[string]uint32)
		t.taken = make(map[uint32]bool)
	}
	if !found {
		ref = t.blank()
		t.ids[id] = ref
	}
	if t.updated[ref] == 0 {
		t.live++
	}
	t.custom[ref] = override[T]{id: id, record: record, raw: raw}
	t.taken[ref] = true
	t.recordChange(ref, at)
}

// Drop deletes a record that has been looked up and reports whether it was
// there. Its row stays, so that refs keep their meaning.
func (t *Table[T]) Drop(ref uint32, found bool) bool {
	if !found || t.updated[ref] == 0 {
		return false
	}
	t.updated[ref] = 0
	t.live--
	return true
}
