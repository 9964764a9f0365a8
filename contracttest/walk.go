package contracttest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// walk is a list read page after page.
type walk struct {
	order   ordering // order that the contract sets
	replies []*reply
	heads   []head // each record once, in order of arrival
	edges   []int  // index in heads where each page but the first begins
	repeats int    // records that were repeated
	stuck   int    // consecutive pages with records, none of them new
	hollow  int    // consecutive empty pages with a next page
	ended   bool   // next_cursor marked the end
	cut     bool   // a page had more records than are remembered
	looped  string // the first cursor that was repeated; empty if none was
	err     *answer
}

// Pages of the walk by which a list is judged.
const (
	bigLimit     = 500
	syncLimit    = 200 // as assay's own sync
	defaultLimit = 100
	corePages    = 3
	extraPages   = 3 // for pages with repeated records
	maxHollow    = 5 // consecutive empty pages with a next page: stores that filter after paging send some
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

// walkList reads a list from a query on. Empty pages do not count, up to maxHollow in a row, and
// neither do pages without new records, up to extraPages.
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

// followPages reads a list from a query on: either all of it again, or pages that have been read
// already from memory.
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
		switch fresh := w.addPage(p.page, known); {
		case p.page.seen == 0: // limited by maxHollow
		case fresh || extra == 0:
			read++
		default:
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

// addPage adds the records of a page and reports whether one of them was new.
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
			fresh = true // without a key it is unknown whether it is a repetition
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

// countedCursors returns the cursors of pages of one record if they are the numbers of pages or
// records, and not the ids of the records; otherwise an empty string.
func (w *walk) countedCursors() string {
	var cursors []string
	for i, p := range w.replies {
		if p.page == nil || p.page.next == "" || len(p.page.heads) == 0 {
			break
		}
		n, err := strconv.Atoi(p.page.next)
		if err != nil || n != i+1 && n != i+2 || p.page.heads[0].id == p.page.next {
			return ""
		}
		cursors = append(cursors, strconv.Quote(p.page.next))
	}
	if len(cursors) < 2 {
		return ""
	}
	return strings.Join(cursors, ", ")
}

// fullBare reports whether a page is a bare array that holds as many records as were requested:
// there may be more, and they cannot be reached.
func (p *page) fullBare(limit int) bool {
	return p.wrapped == "" && limit > 0 && p.seen >= limit
}

// findDisorder returns which record is in a place that the contract does not allow, or an empty
// string.
func (w *walk) findDisorder() string { return w.findBreach(w.order) }

// isSorted reports whether the records are sorted by updated_at, then id, whether the contract
// requires it or not.
func (w *walk) isSorted() bool { return w.findBreach(byTimeByID) == "" }

// findBreach returns which record breaks an order, or an empty string.
func (w *walk) findBreach(order ordering) string {
	for i := 1; i < len(w.heads) && order != anyOrder; i++ {
		a, b := &w.heads[i-1], &w.heads[i]
		if b.updated.Before(a.updated) || order == byTimeByID && a.updated.Equal(b.updated) && idsOutOfOrder(a, b) {
			return fmt.Sprintf("record %s (updated_at %s) comes after %s (updated_at %s)", truncateLine(b.id, 60), b.sentAt, truncateLine(a.id, 60), a.sentAt)
		}
	}
	return ""
}

// idsOutOfOrder reports whether b must not follow a, for records with the same updated_at.
// Databases sort texts by bytes, ignoring case, or also ignoring punctuation, and digits as texts
// or as numbers: ids are out of order only if they are in all of these orders.
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

// stripPunctuation removes punctuation from a text.
func stripPunctuation(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			return -1
		}
		return r
	}, s)
}

// byAge returns the records of the walk, the one that changed first in front.
func (w *walk) byAge() []head {
	heads := slices.Clone(w.heads)
	slices.SortStableFunc(heads, func(a, b head) int { return a.updated.Compare(b.updated) })
	return heads
}

// window is a section of a list from a given time on.
type window struct {
	since    string
	first    head
	expected *walk // read in one big page
	tie      bool  // the first records have the same updated_at
}

// chooseWindow chooses a section of the list in which records share an updated_at, if there is
// one, and reads it in one page. It returns nil if there are fewer than two records.
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
	since := w.heads[at].since()
	return &window{since: since, first: w.heads[at], expected: r.walkList(l, pageQuery{limit: bigLimit, since: since}, 1), tie: tie}
}

// Numbers of pages in the walks that are compared with larger pages.
const (
	tiePages   = 3 // pages of one record, in a window
	stepPages  = 2 // pages of one record, from the beginning of the list
	threePages = 2 // pages of three records, from the beginning of the list
)

// findMissing compares a walk of small pages with what big pages showed from the same time on. It
// returns which record is missing or out of place.
func (r *run) findMissing(l *list, since string, big, small *walk) (h *head, text string) {
	again := make(map[string]bool) // versions that still exist; nil until needed
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
				continue // it was added or changed since, or is beyond the big page
			}
			return got, "which is in the wrong place"
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

// setPages is the approximate number of pages into which a whole list is split for comparison.
const setPages = 8

// listSets compares the whole list with itself in smaller pages, if the order of the records has
// no meaning.
func (r *run) listSets(l *list) outcome {
	big := r.walkLargePages(l)
	if !big.ended || big.cut {
		return skip(SkipUnseen, "only a part of the list was read, and its order does not allow comparing that part; the profile full reads more")
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
	var again map[string]bool // what still exists; nil until needed
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
	return pass(fmt.Sprintf("pages of %d and of 500 have the same records", limit))
}

// since returns updated_at as a value of updated_since: as it was sent, except for the capital letters in
// which assay writes times.
func (h *head) since() string { return strings.ToUpper(h.sentAt) }

// versionKey identifies a record in its current version.
func (h *head) versionKey() string { return h.key + "\x00" + h.sentAt }

// versionKeys returns the versions of all records of the walk.
func (w *walk) versionKeys() map[string]bool {
	all := make(map[string]bool, len(w.heads))
	for i := range w.heads {
		all[w.heads[i].versionKey()] = true
	}
	return all
}
