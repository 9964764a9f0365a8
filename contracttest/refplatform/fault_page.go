package refplatform

import (
	"slices"
	"strconv"
	"strings"
)

// pageFaults break lists: their shape, order, filters and cursors.
func pageFaults() []fault {
	faults := slices.Concat(shapeFaults(), selectionFaults(), queryFaults(), cursorFaults())
	for i := range faults {
		faults[i].endpoints = []endpoint{endpointTraders, endpointAccounts, endpointTrades, endpointPayouts}
	}
	return faults
}

// shapeFaults send what wraps the records in another form.
func shapeFaults() []fault {
	return []fault{
		shapeFault("data-null", "sends data: null instead of an array", pageShape{isNull: true}),
		shapeFault("bare-array", "sends the array without an envelope, so that there is only one page", pageShape{member: "-"}),
		shapeFault("envelope-items", "sends the array as items, which is accepted", pageShape{member: "items"}),
		shapeFault("envelope-results", "sends the array as results, which is accepted", pageShape{member: "results"}),
		shapeFault("envelope-records", "sends the array as records, which is accepted", pageShape{member: "records"}),
		shapeFault("envelope-unknown", "sends the array under a member that nobody knows", pageShape{member: "rows"}),
		shapeFault("two-lists", "sends the records twice, as data and as items", pageShape{twoLists: true}),
		shapeFault("cursor-absent", "leaves next_cursor out on the last page", pageShape{lastly: "-"}),
		shapeFault("cursor-empty", `sends next_cursor: "" on the last page`, pageShape{lastly: `""`}),
		shapeFault("cursor-false", "sends next_cursor: false on the last page", pageShape{lastly: "false"}),
	}
}

// selectionFaults put the right records on a page in the wrong order or number.
func selectionFaults() []fault {
	return []fault{
		{
			name: "unordered", description: "sends each page's records in reverse",
			page: func(_ *listQuery, p *listPage, _ *FaultOptions) { slices.Reverse(p.records) },
		},
		{
			name: "duplicate-records", description: "sends every record of a page twice, in the page",
			page: func(_ *listQuery, p *listPage, _ *FaultOptions) {
				p.records = append(p.records, p.records...)
			},
		},
		{
			name: "overlapping-pages", description: "begins each page in the middle of the one before",
			page: func(q *listQuery, p *listPage, _ *FaultOptions) {
				if p.next != "" && len(p.places) > 1 {
					p.next = encodeCursor(q.list, p.places[len(p.places)/2-1])
				}
			},
		},
		{
			name: "skipped-records", description: "leaves a record out between one page and the next, as counting offsets do",
			page: func(_ *listQuery, p *listPage, _ *FaultOptions) {
				if p.next != "" && len(p.records) > 1 {
					p.records = p.records[:len(p.records)-1]
				}
			},
		},
	}
}

// queryFaults read the request's parameters in a way of their own.
func queryFaults() []fault {
	return []fault{
		{
			name: "short-pages", description: "sends a third of the records asked for on each page, which is allowed",
			query: func(q *listQuery, _ *FaultOptions) { q.limit = max(q.limit/3, 1) },
		},
		{
			name: "ignores-limit", description: "sends size=500 records a page, whatever was asked for",
			defaults: FaultOptions{Size: MaxLimit},
			query:    func(q *listQuery, o *FaultOptions) { q.limit = int(min(o.Size, 100_000)) },
		},
		{
			name: "ignores-updated-since", description: "lists everything, whatever updated_since says",
			query: func(q *listQuery, _ *FaultOptions) { q.since = 0 },
		},
		{
			name: "updated-since-exclusive", description: "leaves out records whose updated_at equals updated_since",
			query: func(q *listQuery, _ *FaultOptions) {
				if q.since > 0 {
					q.since++
				}
			},
		},
		{
			name: "ignores-cursor", description: "answers every request with the first page, so that the same cursor comes again and again",
			query: func(q *listQuery, _ *FaultOptions) { q.cursor = "" },
		},
	}
}

// shapeFault wraps pages in another way.
func shapeFault(name, description string, shape pageShape) fault {
	return fault{name: name, description: description, page: func(_ *listQuery, p *listPage, _ *FaultOptions) { p.shape = shape }}
}

// cursorFaults put a counter in front of the cursors they send: cycle.2.abc is
// the cursor abc on the third page.
func cursorFaults() []fault {
	return []fault{
		{
			name: "cyclic-cursor", description: "leads from page size=3 back to the first, in a circle without end",
			defaults: FaultOptions{Size: 3},
			page: func(q *listQuery, p *listPage, o *FaultOptions) {
				if n := q.counter + 1; int64(n) < o.Size && p.next != "" {
					p.next = "cycle." + strconv.Itoa(n) + "." + p.next
				} else {
					p.next = "cycle.0."
				}
			},
			query: func(q *listQuery, _ *FaultOptions) { q.takeCounter("cycle.") },
		},
		{
			name: "endless-list", description: "begins again behind the last page, with a new cursor each time",
			page: func(q *listQuery, p *listPage, _ *FaultOptions) {
				p.next = "endless." + strconv.Itoa(q.counter+1) + "." + p.next
			},
			query: func(q *listQuery, _ *FaultOptions) { q.takeCounter("endless.") },
		},
		{
			name: "repeated-pages", description: "sends every page twice, with another cursor each time",
			page: func(q *listQuery, p *listPage, _ *FaultOptions) {
				if q.counter == 0 {
					p.next = "again.1." + q.cursor
				}
			},
			query: func(q *listQuery, _ *FaultOptions) { q.takeCounter("again.") },
		},
		{
			name: "empty-pages", description: "sends an empty page with a cursor before each page, which is allowed",
			page: func(q *listQuery, p *listPage, _ *FaultOptions) {
				if q.counter == 0 {
					p.records, p.places = nil, nil
					p.next = "gap.1." + q.cursor
				}
			},
			query: func(q *listQuery, _ *FaultOptions) { q.takeCounter("gap.") },
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
