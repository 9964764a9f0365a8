package firm

import (
	"slices"
	"sort"
	"strings"
)

// List is what the world and a platform both know of one resource: which rows
// there are, and when each changed. A list that is kept in order holds its
// rows by the time of their change, then as the platform breaks ties.
//
// The order is an append log: whenever a record changes, its new position is
// appended (updated_at only grows), and its old one stays behind as a stale
// entry that readers step over, until compaction drops those. Reading a page
// is a binary search and a short walk, whatever the list's size, and no
// position is ever an offset that a change could shift.
//
// A List is not safe for concurrent use; World locks it.
type List struct {
	updated []int64 // per row, microseconds; 0 when the record is deleted
	order   []entry // nil while the history is being generated, and when not kept
	live    int
	taken   map[uint32]bool // rows that are a test's: the world's events leave them alone

	blank   func() uint32           // adds a row for a record of a test's own
	id      func(ref uint32) string // of the platform
	ties    func() bool             // ids can be ordered in another way than rows
	changed func(ref uint32)        // called on every change; may be nil
}

// entry is one position in a list's order.
type entry struct {
	updated int64
	ref     uint32
}

// Position is a place in a list's order. The id comes second. Ref distinguishes
// trades of different accounts with the same id.
type Position struct {
	Updated int64 // microseconds
	ID      string
	Ref     uint32
}

// book is the rows of a resource: R holds what changes about a generated
// record or is costly to find out again.
type book[R any] struct {
	List
	rows []R
}

func (b *book[R]) add(row R, at int64) uint32 {
	ref := uint32(len(b.rows))
	b.rows = append(b.rows, row)
	b.updated = append(b.updated, at)
	b.live++
	return ref
}

// reserveRows makes room for rows that are going to be added.
func (b *book[R]) reserveRows(n int) {
	b.rows = make([]R, 0, n+n/16)
	b.updated = make([]int64, 0, n+n/16)
	b.blank = func() uint32 {
		var blank R
		ref := b.add(blank, 0)
		b.live-- // counted when it is put
		return ref
	}
}

// Len is the number of rows, those of deleted records included.
func (l *List) Len() int { return len(l.updated) }

// Live is the number of records.
func (l *List) Live() int { return l.live }

// Updated is when a record changed last, in microseconds; 0 when it is deleted.
func (l *List) Updated(ref uint32) int64 { return l.updated[ref] }

// isChangeable reports whether the world may still change the record.
func (l *List) isChangeable(ref uint32) bool { return l.updated[ref] != 0 && !l.taken[ref] }

// recordChange records a record's change and moves it to its new place in the
// order.
func (l *List) recordChange(ref uint32, at int64) {
	l.updated[ref] = at
	if l.changed != nil {
		l.changed(ref)
	}
	if l.order == nil {
		return
	}
	e := entry{at, ref}
	if n := len(l.order); n == 0 || l.compareEntries(l.order[n-1], e) < 0 {
		l.order = append(l.order, e)
	} else if i, found := slices.BinarySearchFunc(l.order, e, l.compareEntries); !found {
		l.order = slices.Insert(l.order, i, e)
	}
	if len(l.order) > 2*l.live+4096 {
		l.order = slices.DeleteFunc(l.order, l.isStale)
	}
}

// isStale reports whether an entry is no longer its record's place.
func (l *List) isStale(e entry) bool { return l.updated[e.ref] != e.updated }

// sortAll builds the order from nothing, after the history has been generated.
func (l *List) sortAll() {
	l.order = make([]entry, 0, l.live+l.live/8)
	for ref, at := range l.updated {
		if at != 0 {
			l.order = append(l.order, entry{at, uint32(ref)})
		}
	}
	slices.SortFunc(l.order, l.compareEntries)
}

// compareEntries orders entries by time, id and row.
func (l *List) compareEntries(a, b entry) int {
	switch {
	case a.updated < b.updated:
		return -1
	case a.updated > b.updated:
		return 1
	case a.ref == b.ref:
		return 0
	}
	if l.ties() {
		if c := strings.Compare(l.id(a.ref), l.id(b.ref)); c != 0 {
			return c
		}
	}
	if a.ref < b.ref {
		return -1
	}
	return 1
}

// seekEntry returns the index of the first entry at or after since and behind after.
func (l *List) seekEntry(since int64, after *Position) int {
	return sort.Search(len(l.order), func(i int) bool {
		e := l.order[i]
		return e.updated >= since && (after == nil || l.isBehind(e, after))
	})
}

// isBehind reports whether an entry comes after a position.
func (l *List) isBehind(e entry, p *Position) bool {
	if e.updated != p.Updated {
		return e.updated > p.Updated
	}
	if c := strings.Compare(l.id(e.ref), p.ID); c != 0 {
		return c > 0
	}
	return e.ref > p.Ref
}

// Page collects up to limit rows from since on and behind after, and reports
// whether more follow.
func (l *List) Page(since int64, after *Position, limit int) (refs []uint32, more bool) {
	for _, e := range l.order[l.seekEntry(since, after):] {
		if l.isStale(e) {
			continue
		}
		if len(refs) == limit {
			return refs, true
		}
		refs = append(refs, e.ref)
	}
	return refs, false
}

// PageOf is Page over a subset of the rows.
func (l *List) PageOf(subset []uint32, since int64, after *Position, limit int) (refs []uint32, more bool) {
	var matching []entry
	for _, ref := range subset {
		e := entry{l.updated[ref], ref}
		if e.updated != 0 && e.updated >= since && (after == nil || l.isBehind(e, after)) {
			matching = append(matching, e)
		}
	}
	slices.SortFunc(matching, l.compareEntries)
	for _, e := range matching[:min(limit, len(matching))] {
		refs = append(refs, e.ref)
	}
	return refs, len(matching) > limit
}

// At is the position of a record.
func (l *List) At(ref uint32) Position {
	return Position{Updated: l.updated[ref], ID: l.id(ref), Ref: ref}
}
