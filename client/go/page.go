package assay

import "iter"

// pageSize is how many items an iterator asks for at a time, unless the caller says so: the most that
// every list gives.
const pageSize = 100

// iteratePages yields the items of all pages. read reads one page with a copy of the parameters.
func iteratePages[P, T any](params *P, read func(p *P, page, limit *int32) ([]T, PageMeta, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for page := int32(1); ; page++ {
			var p P
			if params != nil {
				p = *params
			}
			items, meta, err := read(&p, new(page), new(int32(pageSize)))
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
			if len(items) == 0 || int64(meta.Page)*int64(meta.Limit) >= int64(meta.Total) {
				return
			}
		}
	}
}
