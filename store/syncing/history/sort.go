package history

import (
	"context"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/keyset"
)

// RunSorts are the orders of runs. An index has those by time; for the others, all runs of the
// integration are sorted. The counters of a run are no order, because they grow while it is open.
func RunSorts() keyset.Sorts[Run] {
	return keyset.Sorts[Run]{
		Columns: []keyset.SortColumn[Run]{
			{Name: "started_at", Column: keyset.Column{SQL: "started_at", Type: keyset.Time, Descending: true}, Value: func(r Run) any { return r.StartedAt }},
			{Name: "resource", Column: keyset.Column{SQL: "resource", Type: keyset.Text, Unindexed: true}, Value: func(r Run) any { return r.Resource }},
			{Name: "status", Column: keyset.Column{SQL: "status", Type: keyset.Text, Unindexed: true}, Value: func(r Run) any { return r.Status }},
		},
		Ties: []keyset.SortColumn[Run]{{Column: keyset.Column{SQL: "id", Type: keyset.UUID, Descending: true}, Value: func(r Run) any { return r.ID }}},
	}
}

// QuarantineSorts are the orders of records that could not be used. All of an integration are sorted.
func QuarantineSorts() keyset.Sorts[Quarantined] {
	return keyset.Sorts[Quarantined]{
		Columns: []keyset.SortColumn[Quarantined]{
			{Name: "last_seen_at", Column: keyset.Column{SQL: "last_seen_at", Type: keyset.Time, Descending: true, Unindexed: true}, Value: func(q Quarantined) any { return q.LastSeenAt }},
			{Name: "first_seen_at", Column: keyset.Column{SQL: "first_seen_at", Type: keyset.Time, Descending: true, Unindexed: true}, Value: func(q Quarantined) any { return q.FirstSeenAt }},
			{Name: "count", Column: keyset.Column{SQL: "count", Type: keyset.Number, Descending: true, Unindexed: true}, Value: func(q Quarantined) any { return q.Count }},
			{Name: "rule", Column: keyset.Column{SQL: "rule", Type: keyset.Text, Unindexed: true}, Value: func(q Quarantined) any { return q.Rule }},
			{Name: "resource", Column: keyset.Column{SQL: "resource", Type: keyset.Text, Unindexed: true}, Value: func(q Quarantined) any { return q.Resource }},
		},
		Ties: []keyset.SortColumn[Quarantined]{
			{Column: keyset.Column{SQL: "resource", Type: keyset.Text}, Value: func(q Quarantined) any { return q.Resource }},
			{Column: keyset.Column{SQL: "key", Type: keyset.Text}, Value: func(q Quarantined) any { return q.Key }},
		},
	}
}

// EachRun calls visit for all runs of an integration that match the filter, in its order and with the
// errors of ListRuns. See store.EachRow.
func EachRun(ctx context.Context, reader store.Reader, orgID, integrationID uuid.UUID, f RunFilter, visit func(Run) error) error {
	read := func(p store.Page) ([]Run, int, error) { return ListRuns(ctx, reader, orgID, integrationID, f, p) }
	return store.EachRow(RunSorts().Order(f.Sort), read, RunSorts().PositionIn(f.Sort), visit)
}

// EachQuarantined calls visit for all records of an integration that could not be used and match the
// filter, in its order and with the errors of ListQuarantine. They come without their text, which may
// be long. See store.EachRow.
func EachQuarantined(ctx context.Context, reader store.Reader, orgID, integrationID uuid.UUID, f QuarantineFilter, visit func(Quarantined) error) (err error) {
	defer store.WrapError(&err, "read the quarantine of integration %s", integrationID)
	read := func(p store.Page) ([]Quarantined, int, error) {
		return listFrom[Quarantined](ctx, reader, f.listing(orgID, integrationID, quarantineColumns), p)
	}
	return store.EachRow(QuarantineSorts().Order(f.Sort), read, QuarantineSorts().PositionIn(f.Sort), visit)
}
