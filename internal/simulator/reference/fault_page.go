package reference

import (
	"strconv"
	"strings"

	"github.com/assayhq/assay/internal/simulator/fault"
)

// cursorShapes are other ways to say that there are no more pages.
func cursorShapes() []breach {
	lastly := func(name, description, text string) breach {
		return breach{Name: name, Description: description, Page: func(_ *listQuery, p *listPage, _ *fault.Options) { p.lastly = text }}
	}
	return []breach{
		lastly("cursor-absent", "leaves next_cursor out on the last page", "-"),
		lastly("cursor-empty", `sends next_cursor: "" on the last page`, `""`),
		lastly("cursor-false", "sends next_cursor: false on the last page", "false"),
	}
}

// placeFaults begin and end pages at the wrong places.
func placeFaults() []breach {
	return []breach{
		{
			Name: "overlapping-pages", Description: "begins each page in the middle of the one before",
			Page: func(q *listQuery, p *listPage, _ *fault.Options) {
				if p.next != "" && len(p.places) > 1 {
					p.next = encodeCursor(q.list, p.places[len(p.places)/2-1])
				}
			},
		},
		{
			Name: "skipped-records", Description: "leaves a record out between one page and the next, as counting offsets do",
			Page: func(_ *listQuery, p *listPage, _ *fault.Options) {
				if p.next != "" && len(p.Records) > 1 {
					p.Records = p.Records[:len(p.Records)-1]
				}
			},
		},
	}
}

// queryFaults read the request's parameters in a way of their own.
func queryFaults() []breach {
	return []breach{
		{
			Name: "short-pages", Description: "sends a third of the records asked for on each page, which is allowed",
			Query: func(q *listQuery, _ *fault.Options) { q.limit = max(q.limit/3, 1) },
		},
		{
			Name: "ignores-limit", Description: "sends size=500 records a page, whatever was asked for",
			Defaults: fault.Options{Size: maxLimit},
			Query:    func(q *listQuery, o *fault.Options) { q.limit = int(min(o.Size, 100_000)) },
		},
		{
			Name: "ignores-updated-since", Description: "lists everything, whatever updated_since says",
			Query: func(q *listQuery, _ *fault.Options) { q.since = 0 },
		},
		{
			Name: "updated-since-exclusive", Description: "leaves out records whose updated_at equals updated_since",
			Query: func(q *listQuery, _ *fault.Options) {
				if q.since > 0 {
					q.since++
				}
			},
		},
		{
			Name: "ignores-cursor", Description: "answers every request with the first page, so that the same cursor comes again and again",
			Query: func(q *listQuery, _ *fault.Options) { q.cursor = "" },
		},
	}
}

// cursorFaults put a counter in front of the cursors they send: cycle.2.abc is
// the cursor abc on the third page.
func cursorFaults() []breach {
	return []breach{
		{
			Name: "cyclic-cursor", Description: "leads from page size=3 back to the first, in a circle without end",
			Defaults: fault.Options{Size: 3},
			Page: func(q *listQuery, p *listPage, o *fault.Options) {
				if n := q.counter + 1; int64(n) < o.Size && p.next != "" {
					p.next = "cycle." + strconv.Itoa(n) + "." + p.next
				} else {
					p.next = "cycle.0."
				}
			},
			Query: func(q *listQuery, _ *fault.Options) { q.takeCounter("cycle.") },
		},
		{
			Name: "endless-list", Description: "starts over after the last page, with a new cursor each time",
			Page: func(q *listQuery, p *listPage, _ *fault.Options) {
				p.next = "endless." + strconv.Itoa(q.counter+1) + "." + p.next
			},
			Query: func(q *listQuery, _ *fault.Options) { q.takeCounter("endless.") },
		},
		{
			Name: "repeated-pages", Description: "sends every page twice, with another cursor each time",
			Page: func(q *listQuery, p *listPage, _ *fault.Options) {
				if q.counter == 0 {
					p.next = "again.1." + q.cursor
				}
			},
			Query: func(q *listQuery, _ *fault.Options) { q.takeCounter("again.") },
		},
		{
			Name: "empty-pages", Description: "sends an empty page with a cursor before each page, which is allowed",
			Page: func(q *listQuery, p *listPage, _ *fault.Options) {
				if q.counter == 0 {
					p.Records, p.places = nil, nil
					p.next = "gap.1." + q.cursor
				}
			},
			Query: func(q *listQuery, _ *fault.Options) { q.takeCounter("gap.") },
		},
	}
}

// takeCounter splits the counter of a cursor fault off the cursor.
func (q *listQuery) takeCounter(prefix string) {
	rest, ok := strings.CutPrefix(q.cursor, prefix)
	if !ok {
		return
	}
	number, cursor, ok := strings.Cut(rest, ".")
	if n, err := strconv.Atoi(number); ok && err == nil {
		q.counter, q.cursor = n, cursor
	}
}
