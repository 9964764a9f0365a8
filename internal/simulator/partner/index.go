package partner

import "slices"

// index keeps rows in the order of a number, so that any page of a list is a
// slice of it. The world's changes come at its end, nearly; a test's may be
// anywhere.
type index []place

type place struct {
	key int64
	ref uint32
}

func (p place) compare(other place) int {
	switch {
	case p.key < other.key, p.key == other.key && p.ref < other.ref:
		return -1
	case p == other:
		return 0
	}
	return 1
}

// insert adds a row unless it is there.
func (x *index) insert(p place) {
	if n := len(*x); n == 0 || (*x)[n-1].compare(p) < 0 {
		*x = append(*x, p)
	} else if i, found := slices.BinarySearchFunc(*x, p, place.compare); !found {
		*x = slices.Insert(*x, i, p)
	}
}

// remove takes a row out and reports whether it was there.
func (x *index) remove(p place) bool {
	i, found := slices.BinarySearchFunc(*x, p, place.compare)
	if found {
		*x = slices.Delete(*x, i, i+1)
	}
	return found
}

// rowWindow returns the rows from an offset on, up to limit.
func (x index) rowWindow(offset, limit int, descending bool) []uint32 {
	if offset >= len(x) {
		return nil
	}
	limit = min(limit, len(x)-offset)
	refs := make([]uint32, limit)
	for i := range refs {
		if descending {
			refs[i] = x[len(x)-1-offset-i].ref
		} else {
			refs[i] = x[offset+i].ref
		}
	}
	return refs
}
