package contracttest

import (
	"fmt"
	"slices"
	"time"
)

// sinceCases check updated_since.
func sinceCases(l *list) []Case {
	const rule = "updated_since: RFC 3339; return rows with updated_at greater than or equal to it."
	return []Case{
		{
			ID: l.name + ".since", Title: "updated_since filters", Clause: clauseLists, Level: Must, Profile: Core, Rule: rule,
			Why:   "Without the filter, every poll transfers the whole list, which burdens the platform and takes longer than the interval.",
			Fix:   "WHERE updated_at >= $1, with an index on (updated_at, id).",
			check: func(r *run) outcome { return r.sinceFilters(l) },
		},
		{
			ID: l.name + ".since-inclusive", Title: "updated_since is inclusive", Clause: clauseLists, Level: Must, Profile: Core, Rule: rule,
			Why:   "Otherwise records that changed at exactly that time are missed, such as the rest of a batch of which a poll has read the first.",
			Fix:   "Compare with >= rather than >, at the precision in which updated_at is sent. If a column has microseconds but is sent in seconds, truncate it to seconds before you compare.",
			check: func(r *run) outcome { return r.sinceHolds(l, "inclusive") },
		},
		{
			ID: l.name + ".since-fraction", Title: "updated_since accepts fractions of a second", Clause: clauseLists, Level: Must, Profile: Core, Rule: rule,
			Why:   "assay sends microseconds. If the platform refuses them or rounds up, records are missed.",
			Fix:   "Parse updated_since as RFC 3339 with a fraction of any length.",
			check: func(r *run) outcome { return r.sinceHolds(l, "fraction") },
		},
		{
			ID: l.name + ".since-offset", Title: "updated_since accepts offsets", Clause: clauseLists, Level: Should, Profile: Core, Rule: rule,
			Why:   "RFC 3339 times may have an offset such as +02:00. assay sends UTC only, but other clients of the same API get the wrong records if the offset is ignored.",
			Fix:   "Parse the offset, and decode the query first, because the plus sign is sent as %2B.",
			check: func(r *run) outcome { return r.sinceHolds(l, "offset") },
		},
		{
			ID: l.name + ".since-future", Title: "an updated_since in the future returns nothing", Clause: clauseLists, Level: Must, Profile: Core, Rule: rule,
			Why:   "If clocks differ, a poll asks for a time in the future, and must get neither an error nor the whole list.",
			Fix:   `Answer 200 with {"data":[],"next_cursor":null}.`,
			check: func(r *run) outcome { return r.sinceFuture(l) },
		},
		{
			ID: l.name + ".cursor-since", Title: "cursor and updated_since work together", Clause: clauseLists, Level: Must, Profile: Core,
			Rule:  "Shared list query parameters: updated_since, cursor, limit.",
			Why:   "assay sends both from the second page of every poll. If the filter is lost there, each poll reads the whole list.",
			Fix:   "Apply updated_since to every page, including those requested with a cursor.",
			check: func(r *run) outcome { return r.sinceCursor(l) },
		},
	}
}

// filterSlack is how much older than updated_since a record may appear, because platforms may
// store times more precisely than they send them.
const filterSlack = time.Second

// newestRecord returns the most recently changed record of the walk, which all filters are tried
// with. If there is none, or all records changed at the same time, it returns an outcome.
func (r *run) newestRecord(l *list) (*head, *outcome) {
	if o := r.requireReadable(l); o != nil {
		return nil, o
	}
	w := r.walkLargePages(l)
	var newest *head
	for i := range w.heads {
		if h := &w.heads[i]; newest == nil || h.updated.After(newest.updated) {
			newest = h
		}
	}
	o := skip(SkipNoData, "there is no record with an updated_at to ask for")
	if newest == nil {
		return nil, &o
	}
	return newest, nil
}

// readFiltered reads a page with updated_since. It skips empty pages that have a next page.
func (r *run) readFiltered(l *list, since string) (*reply, *outcome) {
	q := pageQuery{limit: bigLimit, since: since}
	for range maxHollow {
		p := r.readPage(l, q)
		if p.page == nil {
			o := unjudgedOutcome(&p.answer)
			if o.status == Failed {
				o.text = "updated_since=" + since + ": " + o.text
				if r.listLimit(l).status == Failed {
					o = dependsOn(l.name+".limit", "a page of 500 cannot be read")
				}
			}
			return p, &o
		}
		if p.page.seen > 0 || p.page.next == "" || p.page.next == q.cursor {
			return p, nil
		}
		q.cursor = p.page.next
	}
	return r.readPage(l, q), nil
}

// findOlder returns the first record of a page that changed before a given time.
func (p *page) findOlder(than time.Time) *head {
	for i := range p.heads {
		if h := &p.heads[i]; h.key != "" && h.updated.Add(filterSlack).Before(than) {
			return h
		}
	}
	return nil
}

// requireTimely returns nil unless the records show an updated_at that differs from the time of
// their last change, which the platform may filter by.
func (r *run) requireTimely(l *list) *outcome {
	if r.evidence[l.name].problems[ruleBumped] == nil {
		return nil
	}
	o := dependsOn(l.name+"."+ruleBumped, "the records' updated_at is not the time when they changed")
	return &o
}

func (r *run) sinceFilters(l *list) outcome {
	h, o := r.newestRecord(l)
	if o != nil {
		return *o
	}
	oldest := r.walkLargePages(l).byAge()[0]
	if !oldest.updated.Add(filterSlack).Before(h.updated) {
		return skip(SkipNoData, "all records that were read changed at the same time")
	}
	if r.walkLargePages(l).findDisorder() != "" {
		return dependsOn(l.name+".order", "the list is not ordered by updated_at")
	}
	p, o := r.readFiltered(l, h.since())
	if o != nil {
		return *o
	}
	if wrong := p.page.findOlder(h.updated); wrong != nil {
		if o := r.requireTimely(l); o != nil {
			return *o
		}
		return fail(fmt.Sprintf("updated_since=%s returned record %s, which changed at %s", h.sentAt, truncateLine(wrong.id, 60), wrong.sentAt))
	}
	return pass(fmt.Sprintf("%d records since %s", p.page.seen, h.sentAt))
}

// sinceHolds requests the newest record with one of the notations for its time.
func (r *run) sinceHolds(l *list, way string) outcome {
	h, o := r.newestRecord(l)
	if o != nil {
		return *o
	}
	since := h.since()
	switch way {
	case "fraction":
		h = r.newestFractional(l, h)
		since = formatInstant(h.updated.Add(-1500 * time.Microsecond))
	case "offset":
		since = h.updated.In(time.FixedZone("", 2*60*60)).Format(time.RFC3339Nano)
	}
	p, o := r.readFiltered(l, since)
	if o != nil {
		if way != "inclusive" && r.sinceHolds(l, "inclusive").status != Passed {
			return dependsOn(l.name+".since-inclusive", "updated_since does not work in its simplest form")
		}
		return *o
	}
	for i := range p.page.heads {
		if p.page.heads[i].key == h.key {
			return pass("updated_since=" + since)
		}
	}
	if p.page.next != "" && p.page.seen >= bigLimit && !r.walkLargePages(l).isSorted() {
		return skip(SkipUnseen, "more has changed since "+since+" than fits on a page, and the order of the list does not show where record "+truncateLine(h.id, 60)+" belongs")
	}
	if p.page.problems[ruleRequired] != nil {
		return dependsOn(l.name+".required", "assay cannot use some records")
	}
	if p.page.next != "" && p.page.findOlder(h.updated) != nil {
		return dependsOn(l.name+".since", "the page has earlier records")
	}
	if way != "inclusive" && r.sinceHolds(l, "inclusive").status != Passed {
		return dependsOn(l.name+".since-inclusive", "updated_since does not work in its simplest form")
	}
	if p.page.next != "" && r.hasMoved(l, h) {
		return skip(SkipUnseen, "record "+truncateLine(h.id, 60)+" has changed since it was read and moved to a later page; run it again")
	}
	return fail(fmt.Sprintf("updated_since=%s omitted record %s, which changed at %s", since, truncateLine(h.id, 60), h.sentAt))
}

// hasMoved reports whether a record is no longer on the first page since a moment before its change,
// which is written without a fraction.
func (r *run) hasMoved(l *list, h *head) bool {
	p, o := r.readFiltered(l, formatInstant(h.updated.Add(-time.Millisecond).Truncate(time.Second)))
	return o == nil && !slices.ContainsFunc(p.page.heads, func(now head) bool { return now.key == h.key && now.updated.Equal(h.updated) })
}

// newestFractional returns the newest record whose time has a fraction of a second, or another
// record if there is none.
func (r *run) newestFractional(l *list, other *head) *head {
	heads := r.walkLargePages(l).byAge()
	for i := len(heads) - 1; i >= 0; i-- {
		if heads[i].updated.Nanosecond() > int(2*time.Millisecond) {
			return &heads[i]
		}
	}
	return other
}

func (r *run) sinceFuture(l *list) outcome {
	if o := r.requireReadable(l); o != nil {
		return *o
	}
	since := formatInstant(r.now.Add(48 * time.Hour).Truncate(time.Second))
	p, o := r.readFiltered(l, since)
	switch {
	case o != nil:
		return *o
	case p.page.findOlder(r.now.Add(48*time.Hour)) != nil && r.sinceFilters(l).status == Failed:
		return dependsOn(l.name+".since", "the list is not filtered")
	case p.page.seen > 0:
		return fail(fmt.Sprintf("updated_since=%s, which is two days from now, returned %d records", since, p.page.seen))
	case p.page.next != "" && r.listAdvance(l).status != Passed:
		return dependsOn(l.name+".advance", "cursors do not lead to new pages")
	case p.page.next != "":
		return fail(fmt.Sprintf("the first %d pages since a time in the future are empty, and another one follows", maxHollow+1))
	}
	return pass("an empty list")
}

func (r *run) sinceCursor(l *list) outcome {
	if o := r.requireReadable(l); o != nil {
		return *o
	}
	if o := r.listAdvance(l); o.status != Passed {
		return dependsOn(l.name+".advance", "cursors do not lead to new pages")
	}
	w := r.walkLargePages(l)
	switch {
	case len(w.heads) < 3:
		return skip(SkipNoData, "there are fewer than three records")
	case w.findDisorder() != "":
		return dependsOn(l.name+".order", "the list is not ordered by updated_at")
	}
	from := w.byAge()[max(len(w.heads)-tiePages-1, 1)]
	if stretch := r.chooseWindow(l); w.isSorted() && w.heads[0].since() != stretch.since && stretch.expected.err == nil {
		from = stretch.first // it has been read already
	}
	filtered := r.walkList(l, pageQuery{limit: 1, since: from.since()}, tiePages)
	if filtered.err != nil {
		o := unjudgedOutcome(filtered.err)
		if len(filtered.replies) == 1 && o.status == Failed {
			return dependsOn(l.name+".since", "the list cannot be filtered")
		}
		return o
	}
	if filtered.looped != "" {
		return fail("with updated_since, the cursor " + truncateLine(filtered.looped, 60) + " was returned again")
	}
	for i, p := range filtered.replies {
		wrong := p.page.findOlder(from.updated)
		switch {
		case wrong == nil:
		case r.requireTimely(l) != nil:
			return *r.requireTimely(l)
		case i == 0:
			return dependsOn(l.name+".since", "the first page is not filtered")
		default:
			return fail(fmt.Sprintf("page %d of updated_since=%s returned record %s, which changed at %s", i+1, from.sentAt, truncateLine(wrong.id, 60), wrong.sentAt))
		}
	}
	if len(filtered.replies) < 2 {
		return skip(SkipNoData, "the filtered list has one page")
	}
	return pass(fmt.Sprintf("%d pages since %s", len(filtered.replies), from.sentAt))
}
