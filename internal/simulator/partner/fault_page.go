package partner

import (
	"strconv"
	"time"

	"github.com/assayhq/assay/internal/simulator/fault"
)

// totalFaults lie about how many records there are.
func totalFaults() []breach {
	total := func(name, description string, change func(p *listPage, o *fault.Options)) breach {
		return breach{
			Name: name, Description: description, Defaults: fault.Options{Size: 1000},
			Page: func(_ *listQuery, p *listPage, o *fault.Options) { change(p, o) },
		}
	}
	text := func(name, description, text string) breach {
		return total(name, description, func(p *listPage, _ *fault.Options) { p.text = text })
	}
	return []breach{
		total("total-too-high", "reports a total that is size=1000 too high", func(p *listPage, o *fault.Options) { p.total += int(min(o.Size, 1<<40)) }),
		total("total-too-low", "reports a total that is size=1000 too low, 1 at least", func(p *listPage, o *fault.Options) {
			p.total = max(p.total-int(min(o.Size, 1<<40)), 1)
		}),
		text("total-zero", "reports a total of 0", "0"),
		text("total-negative", "reports a total of -1", "-1"),
		text("total-null", "reports a total of null", "null"),
		text("total-word", `reports a total of "many"`, `"many"`),
		total("total-string", "reports the total as a string", func(p *listPage, _ *fault.Options) {
			p.text = `"` + strconv.Itoa(p.total) + `"`
		}),
		total("total-page", "reports the number of records on the page as the total", func(p *listPage, _ *fault.Options) { p.total = len(p.Records) }),
		total("total-absent", "reports no total", func(p *listPage, _ *fault.Options) { p.totals = NoTotals }),
		total("total-moved", "reports the total in the other of its two places", func(p *listPage, _ *fault.Options) {
			if p.totals == InMetadata {
				p.totals = TopLevel
			} else {
				p.totals = InMetadata
			}
		}),
	}
}

// pageFaults cut pages at the wrong places, or in a way of their own.
func pageFaults() []breach {
	return []breach{
		{
			Name: "ignores-page", Description: "answers every request with the first page",
			Query: func(q *listQuery, _ *fault.Options) { q.page = 1 },
		},
		{
			Name: "endless-list", Description: "starts over after the last page of the list, and reports no total",
			Query: func(q *listQuery, _ *fault.Options) { q.circle = true },
			Page:  func(_ *listQuery, p *listPage, _ *fault.Options) { p.totals = NoTotals },
		},
		{
			Name: "ignores-limit", Description: "sends size=1000 records a page, whatever was asked for; size=50 for small pages",
			Defaults: fault.Options{Size: 1000},
			Query:    func(q *listQuery, o *fault.Options) { q.limit = int(min(o.Size, 100_000)) },
		},
		{
			Name: "short-pages", Description: "sends only half of the records that belong on a page, and the rest never",
			Page: func(_ *listQuery, p *listPage, _ *fault.Options) { p.Records = p.Records[:(len(p.Records)+1)/2] },
		},
		{
			Name: "overlapping-pages", Description: "begins each page but the first size=10 records too early",
			Defaults: fault.Options{Size: 10},
			Query:    func(q *listQuery, o *fault.Options) { q.back = int(min(o.Size, 100_000)) },
		},
		{
			Name: "skipped-records", Description: "leaves a record out at the end of each full page, as lists do that shift",
			Page: func(q *listQuery, p *listPage, _ *fault.Options) {
				if len(p.Records) == q.limit && len(p.Records) > 1 {
					p.Records = p.Records[:len(p.Records)-1]
				}
			},
		},
		{
			Name: "ignores-order", Description: "lists in ascending order, whatever sort_order says",
			Query: func(q *listQuery, _ *fault.Options) { q.descending = false },
		},
	}
}

// tradeFaults let the two lists of trades disagree.
func tradeFaults() []breach {
	lag := func(name, description string, list List) breach {
		return breach{
			Name: name, Description: description, Endpoints: []string{list.urlPath()}, Defaults: fault.Options{Delay: 10 * time.Minute},
			Query: func(q *listQuery, o *fault.Options) { q.lag = o.Delay.Microseconds() },
		}
	}
	return []breach{
		lag("lagging-open", "lists trades that closed in the last delay=10m as open still, besides among the closed ones", OpenTrades),
		lag("lagging-closed", "lists trades among the closed ones only delay=10m after they closed, and nowhere until then", ClosedTrades),
	}
}

// updateFaults misread updated_gte.
func updateFaults() []breach {
	return []breach{
		{
			Name: "ignores-updated-gte", Description: "lists everything, whatever updated_gte says",
			Query: func(q *listQuery, _ *fault.Options) { q.since = 0 },
		},
		{
			Name: "nothing-updated", Description: "lists nothing when updated_gte is given",
			Query: func(q *listQuery, _ *fault.Options) {
				if q.since > 0 {
					q.since = 1<<63 - 1
				}
			},
		},
	}
}

// scopeFaults misread the scope.
func scopeFaults() []breach {
	return []breach{{
		Name: "ignores-scope", Description: "lists everything, whatever plan_category_ids and platforms say",
		Query: func(q *listQuery, _ *fault.Options) { q.scope = scope{} },
	}}
}
