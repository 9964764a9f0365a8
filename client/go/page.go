package assay

import "iter"

// pageSize is how many items an iterator asks for at a time, unless the caller says so: the most that
// every list gives.
const pageSize = 100

// iteratePages yields the items of the first page and of all that follow. read reads one page with a
// copy of the parameters: the first one as they say, and the others by their cursor.
func iteratePages[P, T any](params *P, read func(p *P, cursor *string, limit *int32) ([]T, PageMeta, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for cursor := (*string)(nil); ; {
			var p P
			if params != nil {
				p = *params
			}
			items, meta, err := read(&p, cursor, new(int32(pageSize)))
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range items {
				if !yield(item, nil) {
					return
				}
			}
			if cursor = meta.NextCursor; cursor == nil {
				return
			}
		}
	}
}
