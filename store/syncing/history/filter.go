package history

import (
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/syncing"
)

// RunFilter narrows a list of runs. A zero field does not filter.
type RunFilter struct {
	Resource    record.Resource
	Status      syncing.RunStatus
	StartedFrom *time.Time // inclusive
	StartedTo   *time.Time // exclusive
	Sort        string     // one of RunSorts
}

// listing returns the runs of an integration that match the filter.
func (f RunFilter) listing(orgID, integrationID uuid.UUID) listing {
	var c conditions
	c.addIf(f.Resource != "", `resource = ?`, f.Resource)
	c.addIf(f.Status != "", `status = ?`, f.Status)
	c.addIf(f.StartedFrom != nil, `started_at >= ?`, f.StartedFrom)
	c.addIf(f.StartedTo != nil, `started_at < ?`, f.StartedTo)
	return listing{orgID, integrationID, "sync_runs", runListColumns, c, RunSorts().Order(f.Sort)}
}

// QuarantineFilter narrows a list of records that could not be used. A zero field does not filter.
type QuarantineFilter struct {
	Resource      record.Resource
	Rule          string     // exact
	Search        string     // part of the key as record.ReadableKey shows it, in NFC, in upper or lower case
	FirstSeenFrom *time.Time // inclusive
	FirstSeenTo   *time.Time // exclusive
	LastSeenFrom  *time.Time // inclusive
	LastSeenTo    *time.Time // exclusive
	Sort          string     // one of QuarantineSorts
}

// listing returns the records of an integration that match the filter. Only their resource has an index,
// because an integration has few of them (ingest.maxQuarantined).
func (f QuarantineFilter) listing(orgID, integrationID uuid.UUID, columns string) listing {
	var c conditions
	c.addIf(f.Resource != "", `resource = ?`, f.Resource)
	c.addIf(f.Rule != "", `rule = ?`, f.Rule)
	c.addIf(f.Search != "", `normalize(replace(key, E'\x1f', '/'), NFC) ILIKE ?`, "%"+store.EscapeLike(f.Search)+"%")
	c.addIf(f.FirstSeenFrom != nil, `first_seen_at >= ?`, f.FirstSeenFrom)
	c.addIf(f.FirstSeenTo != nil, `first_seen_at < ?`, f.FirstSeenTo)
	c.addIf(f.LastSeenFrom != nil, `last_seen_at >= ?`, f.LastSeenFrom)
	c.addIf(f.LastSeenTo != nil, `last_seen_at < ?`, f.LastSeenTo)
	return listing{orgID, integrationID, "quarantine", columns, c, QuarantineSorts().Order(f.Sort)}
}

// conditions narrow a list. Without any, it has all rows of the integration.
type conditions struct {
	sql  string
	args []any
}

func (c *conditions) addIf(set bool, condition string, value any) {
	if set {
		c.sql, c.args = c.sql+" AND "+condition, append(c.args, value)
	}
}
