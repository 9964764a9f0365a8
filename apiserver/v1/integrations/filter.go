package integrations

import (
	"time"

	"github.com/assayhq/assay/apiserver/decode"
	"github.com/assayhq/assay/apiserver/problem"
	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/history"
)

// Limits of filters, in characters: those of the names of rules, and as in the search for traders.
const (
	maxRule   = 100
	maxSearch = 200
)

// runsQuery is the query of GET /v1/integrations/{id}/runs.
type runsQuery struct {
	filter history.RunFilter
	page   store.Page
}

func readRunsQuery(q *decode.Query) runsQuery { return runsQuery{readRunFilter(q), q.Page()} }

// readRunFilter reads the query of GET /v1/integrations/{id}/runs without its page.
func readRunFilter(q *decode.Query) history.RunFilter {
	f := history.RunFilter{
		Resource: readResource(q, "Only runs that read this kind of record."),
		Status:   syncing.RunStatus(q.Choice("status", decode.TextsOf(syncing.RunStatuses())...)),
	}
	q.Note("status", decode.Note{About: "Only runs with this status."})
	f.StartedFrom, f.StartedTo = readPeriod(q, "started", "Only runs that began ")
	f.Sort = decode.ReadSort(q, history.RunSorts().Names(), "Only the orders by `started_at` cost the same for any number of runs.")
	return f
}

// quarantineQuery is the query of GET /v1/integrations/{id}/quarantine.
type quarantineQuery struct {
	filter history.QuarantineFilter
	page   store.Page
}

func readQuarantineQuery(q *decode.Query) quarantineQuery {
	return quarantineQuery{readQuarantineFilter(q), q.Page()}
}

// readQuarantineFilter reads the query of GET /v1/integrations/{id}/quarantine without its page.
func readQuarantineFilter(q *decode.Query) history.QuarantineFilter {
	f := history.QuarantineFilter{
		Resource: readResource(q, "Only records of this kind."),
		Rule:     q.Text("rule", maxRule),
		Search:   decode.ReadSearch(q, maxSearch, "Part of the `key`, case-insensitive.", "880123"),
	}
	q.Note("rule", decode.Note{About: "Only records that break this rule.", Example: "unknown_enum_value"})
	f.FirstSeenFrom, f.FirstSeenTo = readPeriod(q, "first_seen", "Only records first seen ")
	f.LastSeenFrom, f.LastSeenTo = readPeriod(q, "last_seen", "Only records last seen ")
	f.Sort = decode.ReadSort(q, history.QuarantineSorts().Names(), "`resource` sorts by kind and then by key.")
	return f
}

// readResource reads a kind of record.
func readResource(q *decode.Query, about string) record.Resource {
	return record.Resource(decode.NoteParameter(q, "resource", about, q.Choice("resource", decode.TextsOf(record.Resources())...)))
}

// readPeriod reads the parameters name_from and name_to. what is what lists the objects, up to the time.
func readPeriod(q *decode.Query, name, what string) (from, to *time.Time) {
	after, before := name+"_from", name+"_to"
	from = decode.NoteParameter(q, after, what+"at or after this time.", q.Time(after))
	to = decode.NoteParameter(q, before, what+"before this time.", q.Time(before))
	if from != nil && to != nil && to.Before(*from) {
		q.Parameter(before, problem.OutOfRange, "Must not be before "+after+".")
	}
	return from, to
}
