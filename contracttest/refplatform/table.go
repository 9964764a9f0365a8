package refplatform

import (
	"slices"
	"sort"
	"strings"
)

// table keeps the records of one resource in the order in which the contract
// lists them: by updated_at, then by id.
//
// The order is an append log: whenever a record changes, its new position is
// appended (updated_at only grows), and its old one stays behind as a stale
// entry that readers step over, until compaction drops those. Reading a page
// is a binary search and a short walk, whatever the table's size, and no
// position is ever an offset that a change could shift.
//
// R is the row of a generated record, which holds what changes or is costly to
// find out again; T is the record itself. A table is not safe for concurrent use; world locks it.
type table[R, T any] struct {
	rows    []R
	updated []int64 // per row, microseconds; 0 when the record is deleted
	order   []entry
	live    int

	prefix string // of generated ids
	width  int    // digits of generated ids
	// number overrides the number in a generated id; nil: the row's index.
	number func(ref uint32) uint32
	build  func(ref uint32) T
	encode func(dst []byte, record *T) []byte

	// Records that a test has put or deleted. They are no longer the world's:
	// its events leave them alone.
	custom map[uint32]override[T]
	ids    map[string]uint32 // ids of custom records that are not generated ones
}

// entry is one position in a table's order.
type entry struct {
	updated int64
	ref     uint32
}

// override replaces a generated record.
type override[T any] struct {
	id     string
	record T
	raw    []byte // sent instead of record when not nil
}

// position is a place in a table's order. The id comes second, as the contract
// has it; ref tells apart trades of different accounts with the same id.
type position struct {
	updated int64
	id      string
	ref     uint32
}

func (t *table[R, T]) add(row R, at int64) uint32 {
	ref := uint32(len(t.rows))
	t.rows = append(t.rows, row)
	t.updated = append(t.updated, at)
	t.live++
	return ref
}

// id is the id of a record.
func (t *table[R, T]) id(ref uint32) string {
	if len(t.custom) > 0 {
		if o, ok := t.custom[ref]; ok {
			return o.id
		}
	}
	return t.generatedID(ref)
}

func (t *table[R, T]) generatedID(ref uint32) string {
	number := ref
	if t.number != nil {
		number = t.number(ref)
	}
	buf := make([]byte, 0, 16)
	return string(appendPadded(append(buf, t.prefix...), int64(number), t.width))
}

// find returns the row with an id, also when the record is deleted.
func (t *table[R, T]) find(id string) (uint32, bool) {
	if ref, ok := t.ids[id]; ok {
		return ref, true
	}
	digits, ok := strings.CutPrefix(id, t.prefix)
	if !ok || len(digits) != t.width {
		return 0, false
	}
	var n uint64
	for i := 0; i < len(digits); i++ {
		if digits[i] < '0' || digits[i] > '9' {
			return 0, false
		}
		n = n*10 + uint64(digits[i]-'0')
	}
	if n >= uint64(len(t.rows)) || t.generatedID(uint32(n)) != id {
		return 0, false
	}
	return uint32(n), true
}

// mine reports whether the world may still change the record.
func (t *table[R, T]) mine(ref uint32) bool {
	if len(t.custom) > 0 {
		if _, ok := t.custom[ref]; ok {
			return false
		}
	}
	return t.updated[ref] != 0
}

// record returns a record as it is now.
func (t *table[R, T]) record(ref uint32) T {
	if len(t.custom) > 0 {
		if o, ok := t.custom[ref]; ok {
			return o.record
		}
	}
	return t.build(ref)
}

// appendRecord appends a record's JSON.
func (t *table[R, T]) appendRecord(dst []byte, ref uint32) []byte {
	if len(t.custom) > 0 {
		if o, ok := t.custom[ref]; ok {
			if o.raw != nil {
				return append(dst, o.raw...)
			}
			return t.encode(dst, &o.record)
		}
	}
	record := t.build(ref)
	return t.encode(dst, &record)
}

// touch moves a record to a new place in the order.
func (t *table[R, T]) touch(ref uint32, at int64) {
	t.updated[ref] = at
	if t.order == nil {
		return // the history is being generated; sortAll follows
	}
	e := entry{at, ref}
	if n := len(t.order); n == 0 || t.compare(t.order[n-1], e) < 0 {
		t.order = append(t.order, e)
	} else if i, found := slices.BinarySearchFunc(t.order, e, t.compare); !found {
		t.order = slices.Insert(t.order, i, e)
	}
	if len(t.order) > 2*t.live+4096 {
		t.order = slices.DeleteFunc(t.order, t.stale)
	}
}

// stale reports whether an entry is no longer its record's place.
func (t *table[R, T]) stale(e entry) bool { return t.updated[e.ref] != e.updated }

// sortAll builds the order from nothing, after the history has been generated.
func (t *table[R, T]) sortAll() {
	t.order = make([]entry, 0, t.live+t.live/8)
	for ref, at := range t.updated {
		if at != 0 {
			t.order = append(t.order, entry{at, uint32(ref)})
		}
	}
	slices.SortFunc(t.order, t.compare)
}

// compare orders entries by updated_at, id and row.
func (t *table[R, T]) compare(a, b entry) int {
	switch {
	case a.updated < b.updated:
		return -1
	case a.updated > b.updated:
		return 1
	case a.ref == b.ref:
		return 0
	}
	if len(t.custom) > 0 || t.number != nil {
		if c := strings.Compare(t.id(a.ref), t.id(b.ref)); c != 0 {
			return c
		}
	}
	if a.ref < b.ref {
		return -1
	}
	return 1
}

// seek returns the index of the first entry at or after since and behind after.
func (t *table[R, T]) seek(since int64, after *position) int {
	return sort.Search(len(t.order), func(i int) bool {
		e := t.order[i]
		return e.updated >= since && (after == nil || t.behind(e, after))
	})
}

// behind reports whether an entry comes after a position.
func (t *table[R, T]) behind(e entry, p *position) bool {
	if e.updated != p.updated {
		return e.updated > p.updated
	}
	if c := strings.Compare(t.id(e.ref), p.id); c != 0 {
		return c > 0
	}
	return e.ref > p.ref
}

// page collects up to limit rows from since on and behind after, and reports
// whether more follow.
func (t *table[R, T]) page(since int64, after *position, limit int) (refs []uint32, more bool) {
	for _, e := range t.order[t.seek(since, after):] {
		if t.stale(e) {
			continue
		}
		if len(refs) == limit {
			return refs, true
		}
		refs = append(refs, e.ref)
	}
	return refs, false
}

// pageOf is page over a subset of the rows.
func (t *table[R, T]) pageOf(subset []uint32, since int64, after *position, limit int) (refs []uint32, more bool) {
	var matching []entry
	for _, ref := range subset {
		e := entry{t.updated[ref], ref}
		if e.updated != 0 && e.updated >= since && (after == nil || t.behind(e, after)) {
			matching = append(matching, e)
		}
	}
	slices.SortFunc(matching, t.compare)
	for _, e := range matching[:min(limit, len(matching))] {
		refs = append(refs, e.ref)
	}
	return refs, len(matching) > limit
}

// at is the position of a record.
func (t *table[R, T]) at(ref uint32) position {
	return position{updated: t.updated[ref], id: t.id(ref), ref: ref}
}
