package history

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/keyset"
	"github.com/assayhq/assay/store/syncing"
)

// Run is one resource within a cycle. Consecutive scheduled runs that
// succeeded without a change share one row (Repeats).
type Run struct {
	ID                 uuid.UUID      `bun:"id,pk"`
	IntegrationID      uuid.UUID      `bun:"integration_id"`
	CycleID            uuid.UUID      `bun:"cycle_id"`
	Resource           string         `bun:"resource"`
	Trigger            string         `bun:"trigger"` // schedule, manual, backfill, audit
	Mode               string         `bun:"mode"`    // backfill, incremental
	Status             string         `bun:"status"`  // running, succeeded, partial, throttled, skipped, failed, blocked, interrupted
	Pages              int64          `bun:"pages"`
	Requests           int64          `bun:"requests"`
	RecordsSeen        int64          `bun:"records_seen"`
	RecordsInserted    int64          `bun:"records_inserted"`
	RecordsUpdated     int64          `bun:"records_updated"`
	RecordsUnchanged   int64          `bun:"records_unchanged"`
	RecordsQuarantined int64          `bun:"records_quarantined"`
	ThrottledMS        int64          `bun:"throttled_ms"`
	Repeats            int64          `bun:"repeats"`       // number of further runs that the row represents
	UpdatedSince       *time.Time     `bun:"updated_since"` // nil if everything was requested
	Error              *syncing.Error `bun:"error,type:jsonb"`
	StartedAt          time.Time      `bun:"started_at"`
	FinishedAt         *time.Time     `bun:"finished_at"` // nil while it runs
}

// RecordsUpserted counts the rows that the run wrote.
func (r Run) RecordsUpserted() int64 { return r.RecordsInserted + r.RecordsUpdated }

// Quarantined is a record that could not be used.
type Quarantined struct {
	Resource    string    `bun:"resource"`
	Key         string    `bun:"key"`     // record.Rejected.Key
	Raw         string    `bun:"raw"`     // JSON text as received, cut at record.MaxRawBytes
	Pointer     string    `bun:"pointer"` // JSON pointer to the faulty member
	Rule        string    `bun:"rule"`
	Detail      string    `bun:"detail"`
	Count       int64     `bun:"count"` // how often it occurred
	FirstSeenAt time.Time `bun:"first_seen_at"`
	LastSeenAt  time.Time `bun:"last_seen_at"`
}

// Finding is a broken rule of the contract that leaves records usable.
type Finding struct {
	Resource    string    `bun:"resource"`
	Rule        string    `bun:"rule"`
	Count       int64     `bun:"count"`
	Samples     []string  `bun:"samples,array"` // ids of a few affected records
	FirstSeenAt time.Time `bun:"first_seen_at"`
	LastSeenAt  time.Time `bun:"last_seen_at"`
}

// runListColumns are the columns of a Run.
const runListColumns = `id, integration_id, cycle_id, resource, trigger, mode, status, pages, requests,
    records_seen, records_inserted, records_updated, records_unchanged, records_quarantined, throttled_ms, repeats,
    updated_since, error, started_at, finished_at`

// findingOrder is the order of broken rules.
var findingOrder = keyset.Order{{SQL: "last_seen_at", Type: keyset.Time, Descending: true}, {SQL: "resource", Type: keyset.Text}, {SQL: "rule", Type: keyset.Text}}

// Position returns the broken rule's position in its list.
func (f Finding) Position() keyset.Position {
	return keyset.PositionOf(f.LastSeenAt, f.Resource, f.Rule)
}

// ListRuns lists the runs of an integration that match the filter in its order, with the number of all
// that match. It returns ErrNotFound if the organization has no such integration.
func ListRuns(ctx context.Context, reader store.Reader, orgID, integrationID uuid.UUID, f RunFilter, p store.Page) (runs []Run, total int, err error) {
	defer store.WrapError(&err, "list runs of integration %s", integrationID)
	err = reader.ReadFrom(ctx, orgID, func(ctx context.Context, on store.Connections) error {
		runs, total, err = listOn[Run](ctx, on, f.listing(orgID, integrationID), p)
		if err != nil || !slices.ContainsFunc(runs, func(r Run) bool { return r.Status == string(syncing.RunRunning) }) {
			return err
		}
		return addProgress(ctx, on, integrationID, runs)
	})
	return runs, total, err
}

// addProgress adds what open runs have done so far, which their pages save with the lease and not
// in their rows.
func addProgress(ctx context.Context, c store.Connections, integrationID uuid.UUID, runs []Run) error {
	var texts []string
	err := c.Bun.NewRaw(`SELECT run::text FROM sync_state WHERE integration_id = ?0 AND run IS NOT NULL
UNION ALL SELECT run::text FROM sync_streams WHERE integration_id = ?0 AND run IS NOT NULL
UNION ALL SELECT sweep->>'run' FROM sync_audits WHERE integration_id = ?0 AND finished_at IS NULL AND sweep IS NOT NULL`, integrationID).Scan(ctx, &texts)
	if err != nil {
		return err
	}
	for _, text := range texts {
		open, err := syncing.DecodeRun([]byte(text))
		if err != nil {
			return err
		}
		for i := range runs {
			if r := &runs[i]; r.ID == open.ID && r.Status == string(syncing.RunRunning) {
				r.Pages, r.Requests, r.RecordsSeen, r.RecordsInserted, r.RecordsUpdated = open.Pages, open.Requests, open.Seen, open.Inserted, open.Updated
				r.RecordsUnchanged, r.RecordsQuarantined, r.ThrottledMS = open.Unchanged+open.Stale, open.Quarantined, open.ThrottledMS
			}
		}
	}
	return nil
}

// quarantineColumns are the columns of a Quarantined without its text.
const quarantineColumns = "resource, key, pointer, rule, detail, count, first_seen_at, last_seen_at"

// ListQuarantine lists the records of an integration that could not be used and match the filter, in
// its order, with the number of all that match. It returns ErrNotFound like ListRuns.
func ListQuarantine(ctx context.Context, reader store.Reader, orgID, integrationID uuid.UUID, f QuarantineFilter, p store.Page) (rows []Quarantined, total int, err error) {
	defer store.WrapError(&err, "list quarantine of integration %s", integrationID)
	return listFrom[Quarantined](ctx, reader, f.listing(orgID, integrationID, quarantineColumns+", raw"), p)
}

// ListFindings lists the broken rules of an integration, the most recently seen first, with the
// number of all. It returns ErrNotFound like ListRuns.
func ListFindings(ctx context.Context, reader store.Reader, orgID, integrationID uuid.UUID, p store.Page) (rows []Finding, total int, err error) {
	defer store.WrapError(&err, "list findings of integration %s", integrationID)
	return listFrom[Finding](ctx, reader, listing{orgID, integrationID, "findings", "resource, rule, count, samples, first_seen_at, last_seen_at", conditions{}, findingOrder}, p)
}

// listing is what is listed of a table whose rows belong to integrations.
type listing struct {
	orgID, integrationID uuid.UUID
	table, columns       string
	filter               conditions
	order                keyset.Order
}

// listFrom reads one page, and counts the integration's rows that match the filter in the same snapshot.
func listFrom[T any](ctx context.Context, reader store.Reader, l listing, p store.Page) (rows []T, total int, err error) {
	err = reader.ReadFrom(ctx, l.orgID, func(ctx context.Context, on store.Connections) error {
		rows, total, err = listOn[T](ctx, on, l, p)
		return err
	})
	return rows, total, err
}

// listOn is like listFrom on the given connections.
func listOn[T any](ctx context.Context, on store.Connections, l listing, p store.Page) (rows []T, total int, err error) {
	rows = []T{}
	from, args, err := l.pageQuery(p)
	if err != nil {
		return nil, 0, err
	}
	err = on.InSnapshot(ctx, func(ctx context.Context, tx bun.Tx) error {
		count, countArgs := l.countQuery()
		if p.HasTotal() {
			count, countArgs = strconv.Itoa(p.Total), nil
		}
		err := tx.NewRaw(`SELECT (`+count+`) FROM integrations WHERE id = ? AND organization_id = ? AND deleted_at IS NULL`,
			append(countArgs, l.integrationID, l.orgID)...).Scan(ctx, &total)
		if err != nil || p.Offset() >= int64(total) {
			return err
		}
		if done, err := p.ScanPositions(ctx, tx, l.order, from, args...); done {
			return err
		}
		return tx.NewRaw(`SELECT `+l.columns+from, args...).Scan(ctx, &rows)
	})
	return rows, total, err
}

// rowsQuery selects the integration's rows that match the filter. It begins with FROM.
func (l listing) rowsQuery() (query string, args []any) {
	return ` FROM ` + l.table + ` WHERE integration_id = ?` + l.filter.sql, append([]any{l.integrationID}, l.filter.args...)
}

// countQuery counts the integration's rows that match the filter.
func (l listing) countQuery() (query string, args []any) {
	rows, args := l.rowsQuery()
	return `SELECT count(*)` + rows, args
}

// pageQuery returns what follows the selected columns in the query for a page.
func (l listing) pageQuery(p store.Page) (query string, args []any, err error) {
	on, onArgs, err := p.Where(l.order)
	if err != nil {
		return "", nil, err
	}
	rows, args := l.rowsQuery()
	return rows + ` AND ` + on + l.order.SQL() + ` LIMIT ? OFFSET ?`, append(append(args, onArgs...), p.MaxRows(), p.Offset()), nil
}
