package contracttest

import (
	"fmt"
	"strings"
)

// walk is a list read page after page.
type walk struct {
	replies []*reply
	heads   []head // each record once, in the order in which it came
	edges   []int  // where in heads each page but the first begins
	repeats int    // records that came again
	stuck   int    // pages in a row, not empty, that brought nothing new
	hollow  int    // empty pages in a row that lead on
	ended   bool   // next_cursor said that there is no more
	cut     bool   // a page had more records than are remembered
	looped  string // a cursor that came twice; empty: none
	err     *answer
}

// Pages of the walk that a list is judged by.
const (
	bigLimit     = 500
	defaultLimit = 100
	corePages    = 3
	extraPages   = 3 // when pages repeat themselves
	maxHollow    = 2 // empty pages in a row that lead on
	fullPages    = 20
)

// big is the walk from the list's beginning with the largest pages.
func (r *run) big(l *list) *walk {
	pages := corePages
	if r.o.Profile == Full {
		pages = fullPages
	}
	w := r.walk(l, pageQuery{limit: bigLimit}, pages)
	r.evidence[l.name].whole = w.ended && w.err == nil && !w.cut
	return w
}

// walk reads a list from a query on. Pages that bring nothing new do not count,
// up to extraPages.
func (r *run) walk(l *list, q pageQuery, pages int) *walk {
	key := fmt.Sprint(l.path, "?", q.values().Encode(), " ", pages)
	w, ok := r.walks[key]
	if !ok {
		w = r.follow(l, q, pages)
		r.walks[key] = w
	}
	for _, p := range w.replies {
		r.use(&p.answer)
	}
	return w
}

func (r *run) follow(l *list, q pageQuery, pages int) *walk {
	w := &walk{}
	known, cursors := make(map[string]bool), make(map[string]bool)
	extra := extraPages
	for read := 0; read < pages; {
		p := r.page(l, q)
		w.replies = append(w.replies, p)
		if p.page == nil {
			w.err = &p.answer
			return w
		}
		if w.add(p.page, known) || extra == 0 {
			read++
		} else {
			extra--
		}
		if p.page.next == "" {
			w.ended = true
			return w
		}
		if w.hollow == maxHollow {
			return w
		}
		if cursors[p.page.next] || p.page.next == q.cursor {
			w.looped = p.page.next
			return w
		}
		cursors[p.page.next] = true
		q.cursor = p.page.next
	}
	return w
}

// add takes a page's records over and reports whether there was a new one.
func (w *walk) add(p *page, known map[string]bool) (fresh bool) {
	w.cut = w.cut || p.seen > len(p.heads)
	if len(w.replies) > 1 {
		w.edges = append(w.edges, len(w.heads))
	}
	for i := range p.heads {
		h := p.heads[i]
		version := h.key + "\x00" + h.sentAt
		switch {
		case h.key == "":
			fresh = true // it cannot be told whether it came before
		case known[version]:
			w.repeats++
		default:
			known[version] = true
			w.heads = append(w.heads, h)
			fresh = true
		}
	}
	switch {
	case fresh:
		w.stuck = 0
	case p.seen > 0:
		w.stuck++
	}
	if w.hollow++; p.seen > 0 {
		w.hollow = 0
	}
	return fresh
}

// disorder says which record stands where it must not; empty: none does.
func (w *walk) disorder() string {
	for i := 1; i < len(w.heads); i++ {
		a, b := &w.heads[i-1], &w.heads[i]
		if outOfOrder(a, b) {
			return fmt.Sprintf("record %s (updated_at %s) stands behind %s (updated_at %s)", cut(b.id, 60), b.sentAt, cut(a.id, 60), a.sentAt)
		}
	}
	return ""
}

// outOfOrder reports whether b must not stand behind a. Ids that are digits may
// be sorted as texts or as numbers.
func outOfOrder(a, b *head) bool {
	if !a.updated.Equal(b.updated) {
		return b.updated.Before(a.updated)
	}
	if b.id >= a.id || a.numeric != b.numeric {
		return false
	}
	if len(a.id) != len(b.id) && strings.Trim(a.id+b.id, "0123456789") == "" {
		return len(b.id) < len(a.id)
	}
	return true
}

// window is a stretch of a list from a moment on.
type window struct {
	since    string
	first    head
	expected *walk // in one big page
	tie      bool  // its first records share their updated_at
}

// window chooses a stretch of the list in which records share an updated_at, if
// there is one, and reads it in one page. nil: fewer than two records.
func (r *run) window(l *list) *window {
	w := r.big(l)
	if len(w.heads) < 2 {
		return nil
	}
	at, tie := -1, false
	for i := len(w.heads) - 1; i > 0 && at <= 0; i-- {
		for i > 0 && w.heads[i].updated.Equal(w.heads[i-1].updated) {
			i, at, tie = i-1, i-1, true
		}
	}
	if at < 0 {
		at = max(min(len(w.heads)/2, len(w.heads)-8), 0)
	}
	since := w.heads[at].sentAt
	return &window{since: since, first: w.heads[at], expected: r.walk(l, pageQuery{limit: bigLimit, since: since}, 1), tie: tie}
}

// Pages of the walks that are compared with larger pages.
const (
	tiePages   = 3 // of one record, in a window
	stepPages  = 2 // of one record, from the list's beginning
	threePages = 2 // of three records, from there
)

// missing compares a walk of small pages with what big pages showed from the
// same moment on. It says which record is missing or out of place.
func (r *run) missing(l *list, since string, big, small *walk) (h *head, text string) {
	again := make(map[string]bool) // versions that are still there; nil until needed
	var checked bool
	stable := func(h *head) bool {
		if !checked {
			checked = true
			if p := r.fresh(l, pageQuery{limit: bigLimit, since: since}); p.page != nil {
				for i := range p.page.heads {
					again[p.page.heads[i].key+"\x00"+p.page.heads[i].sentAt] = true
				}
			}
		}
		return again[h.key+"\x00"+h.sentAt]
	}
	expected := big.heads
	i := 0
	for k := range small.heads {
		got := &small.heads[k]
		at := i
		for at < len(expected) && (expected[at].key != got.key || expected[at].sentAt != got.sentAt) {
			at++
		}
		if at == len(expected) {
			if i == len(expected) || !stable(got) {
				continue // it came or changed meanwhile, or lies behind the big page
			}
			return got, "which is out of place"
		}
		for ; i < at; i++ {
			if stable(&expected[i]) {
				return &expected[i], "which is missing"
			}
		}
		i = at + 1
	}
	if small.ended && i < len(expected) && stable(&expected[i]) {
		return &expected[i], "which is missing: the walk ended before it"
	}
	return nil, ""
}
