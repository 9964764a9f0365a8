package contracttest

import (
	"fmt"
	"net/http"
)

// Clauses of the contract that several cases check.
const (
	clauseLists  = "Customer platform routes"
	clauseLimits = "Limits"
	clauseFields = "Resources and their fields"
)

// listCases check the pages of a list.
func listCases(l *list) []Case { return append(pageCases(l), walkCases(l)...) }

// pageCases check single pages.
func pageCases(l *list) []Case {
	return []Case{
		{
			ID: l.name + ".readable", Title: l.path + " is a list", Clause: clauseLists, Level: Must, Profile: Core,
			Rule:  "Shared list response: { data: [...], next_cursor: <string or null> }.",
			Why:   "A list that cannot be read is not synced at all.",
			Fix:   `Answer 200 with {"data":[…],"next_cursor":null}; an empty list is [] and never null. Errors have a status of their own.`,
			check: func(r *run) outcome { return r.listReadable(l) },
		},
		{
			ID: l.name + ".envelope", Title: "the records are under data", Clause: clauseLists, Level: Should, Profile: Core,
			Rule:  "The service also accepts the array under items, results or records, or as a bare array; data is the contract.",
			Why:   "Other names are accepted because platforms use them. A bare array has no room for next_cursor, so records beyond the first page cannot be reached.",
			Fix:   "Send the array as data.",
			check: func(r *run) outcome { return r.listEnvelope(l) },
		},
		{
			ID: l.name + ".limit", Title: "limit is respected", Clause: clauseLimits, Level: Must, Profile: Core,
			Rule:  "limit: integer 1 to 500.",
			Why:   "If pages grow with the platform, responses become too large or too slow one day.",
			Fix:   "Use LIMIT in the database query, and accept every number from 1 to 500.",
			check: func(r *run) outcome { return r.listLimit(l) },
		},
		{
			ID: l.name + ".default-limit", Title: "without limit, a page has at most 100 records", Clause: clauseLimits, Level: Must, Profile: Core,
			Rule:  "limit: default 100.",
			Why:   "Otherwise a request by hand, or one without the parameter, reads the whole table.",
			Fix:   "Use 100 if limit is absent.",
			check: func(r *run) outcome { return r.listDefault(l) },
		},
		{
			ID: l.name + ".paging", Title: "a page that is not the last has a cursor", Clause: clauseLists, Level: Must, Profile: Core,
			Rule:  "next_cursor is null on the last page.",
			Why:   "assay stops at a page without a cursor. It never reads what comes after it, and the sync looks complete.",
			Fix:   "Read one record more than limit. If there is one, leave it out of the page and send a next_cursor.",
			check: func(r *run) outcome { return r.listPaging(l) },
		},
		{
			ID: l.name + ".cursor-type", Title: "next_cursor is a string or null", Clause: clauseLists, Level: Must, Profile: Core,
			Rule:  "next_cursor: <string or null>.",
			Why:   "Any other type makes the page unreadable. If assay took it for the end, it would miss the rest of the list.",
			Fix:   "Send a string of at most 4 KiB, or null on the last page.",
			check: func(r *run) outcome { return r.listCursor(l) },
		},
		{
			ID: l.name + ".end", Title: "next_cursor is null on the last page", Clause: clauseLists, Level: Should, Profile: Core,
			Rule:  "next_cursor: <string or null>.",
			Why:   `If the member is absent, empty or a number, it is accepted, but looks like a truncated page or an offset, which skips records.`,
			Fix:   "Send next_cursor on every page: a string, or null on the last one.",
			check: func(r *run) outcome { return r.listEnd(l) },
		},
	}
}

// walkCases check how pages follow each other.
func walkCases(l *list) []Case {
	return []Case{
		{
			ID: l.name + ".advance", Title: "each cursor leads to a new page", Clause: clauseLists, Level: Must, Profile: Core,
			Rule:  "cursor: the next_cursor of the previous page.",
			Why:   "A list whose pages repeat never ends. assay stops the run as a loop and reads nothing new.",
			Fix:   "Begin each page after the last record of the page before: WHERE (updated_at, id) > (cursor's updated_at, cursor's id).",
			check: func(r *run) outcome { return r.listAdvance(l) },
		},
		orderCase(l),
		{
			ID: l.name + ".limit-walk", Title: "small pages have the same records as large ones", Clause: clauseLists, Level: Must, Profile: Core,
			Rule:  "limit: integer 1 to 500; cursor: the next_cursor of the previous page.",
			Why:   "Records that are skipped between two pages never reach assay, and no error shows it.",
			Fix:   "Make the cursor the position of the last record (updated_at and id) instead of an offset, which shifts as soon as a record changes.",
			check: func(r *run) outcome { return r.listWalk(l) },
		},
		{
			ID: l.name + ".ties", Title: "records with the same updated_at are not lost between pages", Clause: clauseFields, Level: Must, Profile: Core,
			Rule:  "Order: updated_at ascending, then id ascending.",
			Why:   "A batch that changes many records at once gives them the same updated_at. A cursor with the time alone loses those on the next page.",
			Fix:   "Put the id into the cursor beside updated_at, and compare both: WHERE (updated_at, id) > ($1, $2).",
			check: func(r *run) outcome { return r.listTies(l) },
		},
		{
			ID: l.name + ".unique", Title: "ids are unique", Clause: clauseFields, Level: Must, Profile: Core, rests: true,
			Rule:  uniqueRule(l),
			Why:   "assay stores one record for an id. Two records with the same id overwrite each other again and again.",
			Fix:   "Send the primary key. If ids are numbered per account, server or year, add that as a prefix.",
			check: func(r *run) outcome { return r.listUnique(l) },
		},
	}
}

// orderCase checks the order of a list, which the contract does not specify for all lists.
func orderCase(l *list) Case {
	c := Case{
		ID: l.name + ".order", Title: "records are ordered by updated_at, then id", Clause: clauseFields, Level: Must, Profile: Core,
		Rule:  "Order: updated_at ascending, then id ascending.",
		Why:   "assay remembers how far it has read. In another order, records that change during a sync move to pages that were already read.",
		Fix:   "ORDER BY updated_at, id, by the same precision of updated_at that is sent.",
		check: func(r *run) outcome { return r.listOrder(l) },
	}
	switch l.order {
	case byTime:
		c.Title, c.Rule = "records are ordered by updated_at", "updated_at: required; drives incremental sync and cursor order."
	case anyOrder:
		c.Title, c.Clause, c.Level, c.Rule = "the order of "+l.path, "not in the contract", Info, "The contract sets no order for this list."
		c.Why = "assay reads it in any order. If it is ordered by updated_at, then id, records that change during a sync move to the end, where they are read again."
		c.Fix = "No action is needed."
	}
	return c
}

func uniqueRule(l *list) string {
	if l.name == "trades" {
		return "id: required; unique per account; stable from open to close."
	}
	return "id: required, stable, unique."
}

func (r *run) listReadable(l *list) outcome {
	p := r.firstPage(l)
	switch {
	case p.page != nil:
		return pass(fmt.Sprintf("%d records on a page of %d", p.page.seen, liveLimit))
	case l.name == "payouts" && p.status == http.StatusNotFound:
		return skip(SkipHidden, "the platform has no payouts: GET /payouts answers 404")
	}
	return explainRefusal(l, &p.answer, unjudgedOutcome(&p.answer))
}

// explainRefusal improves the fix of a list that could not be read. GET /health has accepted the
// key by then, so a refusal concerns this list alone.
func explainRefusal(l *list, a *answer, o outcome) outcome {
	if o.status == Failed && (a.status == http.StatusUnauthorized || a.status == http.StatusForbidden) {
		o.fix = "GET /health accepts the key, so let the key read " + l.path + " too."
		if l.name == "payouts" {
			o.fix += " If the platform exposes no payouts, answer 404."
		}
	}
	return o
}

func (r *run) listEnvelope(l *list) outcome {
	if o := r.requireReadable(l); o != nil {
		return *o
	}
	switch w := r.firstPage(l).page.wrapped; w {
	case "data":
		return pass("data")
	case "":
		return fail("the body is a bare array")
	default:
		return fail("the array stands under " + w)
	}
}

func (r *run) listLimit(l *list) outcome {
	if o := r.requireReadable(l); o != nil {
		return *o
	}
	for _, limit := range []int{liveLimit, 1, bigLimit} {
		p := r.readPage(l, pageQuery{limit: limit})
		switch {
		case p.page == nil:
			o := unjudgedOutcome(&p.answer)
			o.text = fmt.Sprintf("limit=%d: %s", limit, o.text)
			return o
		case p.page.seen > limit:
			return fail(fmt.Sprintf("limit=%d returned %d records", limit, p.page.seen))
		}
	}
	return pass("limits of 1, 5 and 500 are respected")
}

func (r *run) listDefault(l *list) outcome {
	if o := r.requireReadable(l); o != nil {
		return *o
	}
	p := r.readPage(l, pageQuery{})
	switch {
	case p.page == nil:
		return unjudgedOutcome(&p.answer)
	case p.page.seen > defaultLimit:
		return fail(fmt.Sprintf("without limit, a page has %d records", p.page.seen))
	}
	return pass(fmt.Sprintf("%d records", p.page.seen))
}

// listPaging looks for records that cannot be reached by any cursor.
func (r *run) listPaging(l *list) outcome {
	if o := r.requireReadable(l); o != nil {
		return *o
	}
	small, big := r.readPage(l, pageQuery{limit: 1}), r.readPage(l, pageQuery{limit: bigLimit})
	switch {
	case small.page == nil || big.page == nil:
		return dependsOn(l.name+".limit", "a page cannot be read")
	case big.page.wrapped == "" && big.page.seen > syncLimit:
		return fail(fmt.Sprintf("a bare array of %d records has no next_cursor: assay requests %d at a time and cannot reach the rest", big.page.seen, syncLimit))
	case big.page.wrapped == "":
		return pass(fmt.Sprintf("a bare array is the last page and has all %d records", big.page.seen))
	case small.page.next == "" && big.page.seen > max(small.page.seen, 1):
		return fail(fmt.Sprintf("limit=1 returned no next_cursor, although limit=%d returned %d records", bigLimit, big.page.seen))
	case big.page.seen < 2:
		return skip(SkipNoData, "there are fewer than two records")
	}
	return pass("a page of one record has a cursor")
}

func (r *run) listCursor(l *list) outcome {
	if o := r.requireReadable(l); o != nil {
		return *o
	}
	replies := append([]*reply{r.firstPage(l), r.readPage(l, pageQuery{limit: 1})}, r.walkLargePages(l).replies...)
	for _, p := range replies {
		if p.page != nil && p.page.badCursor != "" {
			return fail(p.page.badCursor)
		}
	}
	return pass(fmt.Sprintf("%d pages", len(replies)))
}

func (r *run) listEnd(l *list) outcome {
	if o := r.requireReadable(l); o != nil {
		return *o
	}
	w := r.walkLargePages(l)
	for _, p := range append([]*reply{r.firstPage(l)}, w.replies...) {
		if p.page != nil && p.page.cursorAs == "a number" {
			return fail("next_cursor is a number")
		}
	}
	if counted := r.walkList(l, pageQuery{limit: 1}, stepPages).countedCursors(); counted != "" {
		o := fail("next_cursor looks like a count of pages or records: " + counted)
		o.fix = "Make the cursor the position of the last record (updated_at and id). A record that changes or goes between two requests shifts all later ones, and those that move to a page that was read do not arrive."
		return o
	}
	switch {
	case w.err != nil:
		return blameCase(w.err, l.name+".limit", "a page of the list cannot be read")
	case !w.ended:
		return skip(SkipUnseen, fmt.Sprintf("the list did not end within %d pages", len(w.replies)))
	}
	switch last := w.replies[len(w.replies)-1].page; {
	case last.wrapped == "":
		return pass("a bare array is the last page")
	case last.badCursor != "":
		return dependsOn(l.name+".cursor-type", last.badCursor)
	case last.cursorAs == "absent":
		return fail("the last page has no next_cursor")
	case last.cursorAs != "":
		return fail("next_cursor of the last page is " + last.cursorAs)
	}
	return pass("null")
}

func (r *run) listAdvance(l *list) outcome {
	if o := r.requireReadable(l); o != nil {
		return *o
	}
	for _, w := range []*walk{r.walkLargePages(l), r.walkList(l, pageQuery{limit: 1}, stepPages)} {
		switch {
		case w.err != nil && len(w.replies) == 1:
			return blameCase(w.err, l.name+".limit", "a page cannot be read")
		case w.err != nil:
			o := unjudgedOutcome(w.err)
			o.text = fmt.Sprintf("page %d of the list: %s", len(w.replies), o.text)
			return o
		case w.looped != "":
			return fail(fmt.Sprintf("the cursor %q was returned again after %d pages", truncateLine(w.looped, 60), len(w.replies)))
		case w.hollow == maxHollow:
			o := fail(fmt.Sprintf("%d pages in a row are empty and have a next_cursor", w.hollow))
			o.fix = "End the list with next_cursor null after its last record. If records are filtered after a page is read, read on until the page has some."
			return o
		case w.stuck >= 2:
			return fail(fmt.Sprintf("%d pages in a row, each with a new cursor, had no new record", w.stuck))
		}
	}
	return pass(fmt.Sprintf("%d pages of %d, %d of one record", len(r.walkLargePages(l).replies), bigLimit, stepPages))
}

func (r *run) listOrder(l *list) outcome {
	if o := r.requireReadable(l); o != nil {
		return *o
	}
	w := r.walkLargePages(l)
	switch wrong := w.findDisorder(); {
	case wrong != "":
		return fail(wrong)
	case len(w.heads) < 2:
		return skip(SkipNoData, "there are fewer than two records")
	case l.order == anyOrder && w.isSorted():
		return note("by updated_at, then id")
	case l.order == anyOrder:
		return note("not by updated_at, then id: " + w.findBreach(byTimeByID))
	}
	return pass(fmt.Sprintf("%d records are in order", len(w.heads)))
}

// requireComparable returns nil if pages of several sizes can be compared.
func (r *run) requireComparable(l *list) *outcome {
	var o outcome
	one := r.readPage(l, pageQuery{limit: 1})
	switch {
	case r.requireReadable(l) != nil:
		return r.requireReadable(l)
	case r.listAdvance(l).status != Passed:
		o = dependsOn(l.name+".advance", "cursors do not lead to new pages")
	case r.listLimit(l).status != Passed || one.page == nil:
		o = dependsOn(l.name+".limit", "pages have more records than requested, or cannot be read")
	case r.listPaging(l).status == Failed:
		o = dependsOn(l.name+".paging", "pages have no cursor")
	case r.firstPage(l).page.wrapped == "" || one.page.wrapped == "":
		o = skip(SkipUnseen, "a bare array is the last page, so there is no other page to compare")
	case r.walkLargePages(l).findDisorder() != "":
		o = dependsOn(l.name+".order", "the records' order cannot be compared")
	case r.evidence[l.name].problems[ruleRequired] != nil:
		o = dependsOn(l.name+".required", "assay cannot use some records")
	case len(r.walkLargePages(l).heads) < 2:
		o = skip(SkipNoData, "there are fewer than two records to compare")
	default:
		return nil
	}
	return &o
}

func (r *run) listWalk(l *list) outcome {
	if o := r.requireComparable(l); o != nil {
		return *o
	}
	if !r.walkLargePages(l).isSorted() {
		return r.listSets(l)
	}
	for _, size := range []struct{ limit, pages int }{{1, stepPages}, {3, threePages}} {
		small := r.walkList(l, pageQuery{limit: size.limit}, size.pages)
		if small.err != nil {
			return unjudgedOutcome(small.err)
		}
		if h, why := r.findMissing(l, "", r.walkLargePages(l), small); h != nil {
			return fail(fmt.Sprintf("pages of %d and of %d differ in record %s (updated_at %s), %s", size.limit, bigLimit, truncateLine(h.id, 60), h.sentAt, why))
		}
	}
	return pass("pages of 1, 3 and 500 have the same records")
}

func (r *run) listTies(l *list) outcome {
	if o := r.requireComparable(l); o != nil {
		return *o
	}
	if !r.walkLargePages(l).isSorted() {
		return skip(SkipUnseen, "records are not ordered by updated_at, then id, so records that share it are not next to each other")
	}
	w := r.chooseWindow(l)
	switch {
	case !w.tie:
		return skip(SkipNoData, "no two of the records that were read have the same updated_at")
	case w.expected.err != nil:
		return blameCase(w.expected.err, l.name+".since", "the list cannot be read since "+w.since)
	case len(w.expected.heads) < 2:
		return dependsOn(l.name+".since-inclusive", "updated_since omits records with exactly that time")
	}
	small := r.walkList(l, pageQuery{limit: 1, since: w.since}, tiePages)
	switch {
	case small.err != nil:
		return blameCase(small.err, l.name+".cursor-since", "pages of a filtered list cannot be read")
	case small.looped != "":
		return dependsOn(l.name+".cursor-since", "pages of a filtered list cannot be read")
	}
	if h, why := r.findMissing(l, w.since, w.expected, small); h != nil {
		return fail(fmt.Sprintf("one by one from %s on, record %s is not where it is in a large page: it is one %s", w.since, truncateLine(h.id, 60), why))
	}
	return pass("records of " + w.since + " are the same on small and large pages")
}

func (r *run) listUnique(l *list) outcome {
	if o := r.requireReadable(l); o != nil {
		return *o
	}
	r.walkLargePages(l)
	e := r.evidence[l.name]
	if len(e.reused) > 0 {
		return fail(fmt.Sprintf("%d ids belong to several records, such as %s", len(e.reused), shownKey(e.reused[0])))
	}
	if len(e.contents) == 0 {
		return skip(SkipNoData, "there are no records")
	}
	return pass(fmt.Sprintf("%d ids", len(e.contents)))
}
