package contracttest

import (
	"fmt"
	"slices"
	"strings"
)

// walk is a list read page after page.
type walk struct {
	order   ordering // that the contract sets
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
	syncLimit    = 200 // of assay's own reading
	defaultLimit = 100
	corePages    = 3
	extraPages   = 3 // when pages repeat themselves
	maxHollow    = 2 // empty pages in a row that lead on
	fullPages    = 20
)

// walkLargePages returns the walk from the list's beginning with the largest
// pages.
func (r *run) walkLargePages(l *list) *walk {
	pages := corePages
	if r.o.Profile == Full {
		pages = fullPages
	}
	w := r.walkList(l, pageQuery{limit: bigLimit}, pages)
	r.evidence[l.name].whole = w.ended && w.err == nil && !w.cut
	return w
}

// walkList reads a list from a query on. Pages that bring nothing new do not count,
// up to extraPages.
func (r *run) walkList(l *list, q pageQuery, pages int) *walk {
	key := fmt.Sprint(l.path, "?", q.queryValues().Encode(), " ", pages)
	w, ok := r.walks[key]
	if !ok {
		w = r.followPages(l, q, pages, false)
		r.walks[key] = w
	}
	for _, p := range w.replies {
		r.recordUse(&p.answer)
	}
	return w
}

// followPages reads a list from a query on, all of it anew or what has been read already
// from memory.
func (r *run) followPages(l *list, q pageQuery, pages int, anew bool) *walk {
	w := &walk{order: l.order}
	known, cursors := make(map[string]bool), make(map[string]bool)
	extra := extraPages
	for read := 0; read < pages; {
		p := r.loadPage(l, q, anew)
		w.replies = append(w.replies, p)
		if p.page == nil {
			w.err = &p.answer
			return w
		}
		if w.addPage(p.page, known) || extra == 0 {
			read++
		} else {
			extra--
		}
		if p.page.next == "" {
			w.ended = !p.page.fullBare(q.limit)
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

// addPage takes a page's records over and reports whether there was a new one.
func (w *walk) addPage(p *page, known map[string]bool) (fresh bool) {
	w.cut = w.cut || p.seen > len(p.heads)
	if len(w.replies) > 1 {
		w.edges = append(w.edges, len(w.heads))
	}
	for i := range p.heads {
		h := p.heads[i]
		version := h.versionKey()
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

// fullBare reports whether a page is a bare array that holds as many records as
// were asked for: what comes behind it cannot be reached, and need not be nothing.
func (p *page) fullBare(limit int) bool {
	return p.wrapped == "" && limit > 0 && p.seen >= limit
}

// findDisorder says which record stands where the contract does not allow it to. It is
// empty when none does.
func (w *walk) findDisorder() string { return w.findBreach(w.order) }

// isSorted reports whether the records come by updated_at, then id, whether they
// have to or not.
func (w *walk) isSorted() bool { return w.findBreach(byTimeByID) == "" }

// findBreach says which record breaks an order. It is empty when none does.
func (w *walk) findBreach(order ordering) string {
	for i := 1; i < len(w.heads) && order != anyOrder; i++ {
		a, b := &w.heads[i-1], &w.heads[i]
		if b.updated.Before(a.updated) || order == byTimeByID && a.updated.Equal(b.updated) && idsOutOfOrder(a, b) {
			return fmt.Sprintf("record %s (updated_at %s) stands behind %s (updated_at %s)", truncateLine(b.id, 60), b.sentAt, truncateLine(a.id, 60), a.sentAt)
		}
	}
	return ""
}

// idsOutOfOrder reports whether, of records of one updated_at, b must not stand
// behind a. Databases sort texts by bytes, without regard to case, or without
// regard to punctuation either, and digits as texts or as numbers: ids are out of
// order only where they are by all of these.
func idsOutOfOrder(a, b *head) bool {
	if b.id >= a.id || a.numeric != b.numeric {
		return false
	}
	if len(a.id) != len(b.id) && strings.Trim(a.id+b.id, "0123456789") == "" {
		return len(b.id) < len(a.id)
	}
	lowerA, lowerB := strings.ToLower(a.id), strings.ToLower(b.id)
	return lowerB < lowerA && stripPunctuation(lowerB) < stripPunctuation(lowerA)
}

// stripPunctuation returns a text without its punctuation.
func stripPunctuation(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			return -1
		}
		return r
	}, s)
}

// byAge are the records of the walk from the one that changed first on.
func (w *walk) byAge() []head {
	heads := slices.Clone(w.heads)
	slices.SortStableFunc(heads, func(a, b head) int { return a.updated.Compare(b.updated) })
	return heads
}

// window is a stretch of a list from a moment on.
type window struct {
	since    string
	first    head
	expected *walk // in one big page
	tie      bool  // its first records share their updated_at
}

// chooseWindow chooses a stretch of the list in which records share an
// updated_at, if there is one, and reads it in one page. It returns nil when
// there are fewer than two records.
func (r *run) chooseWindow(l *list) *window {
	w := r.walkLargePages(l)
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
	return &window{since: since, first: w.heads[at], expected: r.walkList(l, pageQuery{limit: bigLimit, since: since}, 1), tie: tie}
}

// Pages of the walks that are compared with larger pages.
const (
	tiePages   = 3 // of one record, in a window
	stepPages  = 2 // of one record, from the list's beginning
	threePages = 2 // of three records, from there
)

// findMissing compares a walk of small pages with what big pages showed from the
// same moment on. It says which record is missing or out of place.
func (r *run) findMissing(l *list, since string, big, small *walk) (h *head, text string) {
	again := make(map[string]bool) // versions that are still there; nil until needed
	var checked bool
	stable := func(h *head) bool {
		if !checked {
			checked = true
			if p := r.reloadPage(l, pageQuery{limit: bigLimit, since: since}); p.page != nil {
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

// setPages is about how many pages a list is cut into to compare all of it.
const setPages = 8

// listSets compares the whole list with itself in smaller pages, where the order
// in which records come says nothing.
func (r *run) listSets(l *list) outcome {
	big := r.walkLargePages(l)
	if !big.ended || big.cut {
		return skip(SkipUnseen, "the list is in no order that a part of it could be compared by, and longer than what was read; the profile full reads more")
	}
	limit := (len(big.heads) + setPages - 1) / setPages
	small := r.walkList(l, pageQuery{limit: limit}, setPages+extraPages)
	switch {
	case small.err != nil:
		return unjudgedOutcome(small.err)
	case !small.ended:
		return skip(SkipUnseen, fmt.Sprintf("the list did not end within %d pages of %d", len(small.replies), limit))
	}
	shown := small.versionKeys()
	var again map[string]bool // what is still there; nil until needed
	for i := range big.heads {
		h := &big.heads[i]
		if shown[h.versionKey()] {
			continue
		}
		if again == nil {
			again = r.followPages(l, pageQuery{limit: bigLimit}, len(big.replies), true).versionKeys()
		}
		if again[h.versionKey()] {
			return fail(fmt.Sprintf("pages of %d and of %d differ in record %s (updated_at %s), which is missing", limit, bigLimit, truncateLine(h.id, 60), h.sentAt))
		}
	}
	return pass(fmt.Sprintf("pages of %d and of 500 hold the same records", limit))
}

// versionKey tells a record, as it is now, from all others.
func (h *head) versionKey() string { return h.key + "\x00" + h.sentAt }

// versionKeys returns the versions of all records of the walk.
func (w *walk) versionKeys() map[string]bool {
	all := make(map[string]bool, len(w.heads))
	for i := range w.heads {
		all[w.heads[i].versionKey()] = true
	}
	return all
}
