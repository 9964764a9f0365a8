package firm

import "iter"

// portion is how many records a walk takes out at a time.
const portion = 500

// All returns every record of a table that is kept in order, in that order,
// for callers of Read.
func (t *Table[T]) All() []T {
	records := make([]T, 0, t.live)
	for _, e := range t.order {
		if !t.isStale(e) && t.custom[e.ref].raw == nil {
			records = append(records, t.Record(e.ref))
		}
	}
	return records
}

// Walk yields every record of a table that is kept in order, in that order. It
// holds no lock between records, so in a live world a record that changes during
// the walk is yielded again.
func Walk[T any](w *World, t *Table[T]) iter.Seq[T] {
	return yieldPortions(w, t, func() func() []uint32 {
		var last *Position
		return func() []uint32 {
			refs, _ := t.Page(0, last, portion)
			if len(refs) > 0 {
				end := t.At(refs[len(refs)-1])
				last = &end
			}
			return refs
		}
	})
}

// WalkRows is Walk by row, also for tables that are kept in no order.
func WalkRows[T any](w *World, t *Table[T]) iter.Seq[T] {
	return yieldPortions(w, t, func() func() []uint32 {
		next := uint32(0)
		return func() (refs []uint32) {
			for ; next < uint32(t.Len()) && len(refs) < portion; next++ {
				if t.updated[next] != 0 {
					refs = append(refs, next)
				}
			}
			return refs
		}
	})
}

// yieldPortions yields the records of the rows that a walk finds, until it finds none.
func yieldPortions[T any](w *World, t *Table[T], begin func() (next func() []uint32)) iter.Seq[T] {
	return func(yield func(T) bool) {
		next := begin()
		for {
			var records []T
			var found int
			w.Read(func() {
				refs := next()
				found = len(refs)
				for _, ref := range refs {
					if t.custom[ref].raw == nil {
						records = append(records, t.Record(ref))
					}
				}
			})
			for _, record := range records {
				if !yield(record) {
					return
				}
			}
			if found == 0 {
				return
			}
		}
	}
}
