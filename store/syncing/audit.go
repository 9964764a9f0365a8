package syncing

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/event"
)

// A sync audit reads everything that a platform shows and compares it with the stored rows: missing
// and stale rows are repaired, and rows that the platform no longer shows are marked. (It has
// nothing to do with the audit log.) Its state is a row of sync_audits. It runs next to the cycles
// of its integration, under the same lease.

// SyncAuditStatus is the state or outcome of an audit.
type SyncAuditStatus string

// The statuses of an audit.
const (
	SyncAuditQueued      SyncAuditStatus = "queued"      // The audit is waiting to start.
	SyncAuditRunning     SyncAuditStatus = "running"     // The audit is running.
	SyncAuditSucceeded   SyncAuditStatus = "succeeded"   // Every resource was read completely or is not exposed by the platform.
	SyncAuditPartial     SyncAuditStatus = "partial"     // Some resources could not be compared completely.
	SyncAuditFailed      SyncAuditStatus = "failed"      // No resource could be compared.
	SyncAuditInterrupted SyncAuditStatus = "interrupted" // The integration's settings changed before the audit ended, so its results would no longer be meaningful.
)

// AuditedResource is the result of an audit for one resource.
type AuditedResource struct {
	Resource record.Resource `json:"resource"`
	// Status is the outcome of the resource's sweep.
	Status RunStatus `json:"status"`
	// Complete reports that everything was shown, so that everything else is missing.
	Complete bool `json:"complete"`
	// Note says why the sweep is not complete. It is nil if it is, or if Error says it.
	Note *string `json:"note"`
	// Seen counts the records that the platform has shown. Those shown twice count twice.
	Seen int64 `json:"seen"`
	// Judged counts the records that should have been stored as they are, because they were last
	// changed before the newest complete read of the stream.
	Judged int64 `json:"judged"`
	// Absent counts the Judged records that were not stored, and Stale those that were stored in
	// another version. All of them are repaired.
	Absent int64 `json:"absent"`
	Stale  int64 `json:"stale"`
	// Unshown counts stored rows that the sweep has not shown, and Missing those of them that this
	// audit has marked.
	Unshown int64 `json:"unshown"`
	Missing int64 `json:"missing"`
	// Ratio is the share of Judged that was stored correctly, 0 to 1. It is nil unless the sweep
	// was complete.
	Ratio *float64 `json:"ratio"`
	// RepairedIDs are ids of repaired records, and MissingIDs of marked ones: the first ones, at
	// most MaxAuditIDs of each.
	RepairedIDs []string   `json:"repaired_ids"`
	MissingIDs  []string   `json:"missing_ids"`
	Error       *SyncError `json:"error"`
	StartedAt   time.Time  `json:"started_at"`
	FinishedAt  time.Time  `json:"finished_at"`
}

// MaxAuditIDs is the most ids of a resource that an audit lists.
const MaxAuditIDs = 100

// SyncAudit is an audit in the form of the API.
type SyncAudit struct {
	ID            uuid.UUID
	IntegrationID uuid.UUID
	Trigger       Trigger // TriggerSchedule or TriggerManual
	Status        SyncAuditStatus
	Resources     []AuditedResource // finished resources, in the order of a cycle
	Current       *Sweep            // the resource being read; nil if there is none
	RequestedAt   time.Time
	StartedAt     *time.Time // nil if not started
	FinishedAt    *time.Time // nil if not finished
}

// OpenAudit is an unfinished audit, for the engine that works on it.
type OpenAudit struct {
	ID        uuid.UUID         `json:"id"`
	Trigger   Trigger           `json:"trigger"`
	StartedAt time.Time         `json:"started_at,omitzero"` // zero if not started
	Sweep     *Sweep            `json:"sweep"`
	Resources []AuditedResource `json:"resources"`
}

const syncAuditColumns = `a.id, a.integration_id, a.trigger, a.status, a.resources, a.sweep, a.requested_at, a.started_at, a.finished_at`

func scanSyncAudit(row pgx.CollectableRow) (a SyncAudit, err error) {
	var resources, sweep []byte
	if err := row.Scan(&a.ID, &a.IntegrationID, &a.Trigger, &a.Status, &resources, &sweep, &a.RequestedAt, &a.StartedAt, &a.FinishedAt); err != nil {
		return a, err
	}
	if err := json.Unmarshal(resources, &a.Resources); err != nil {
		return a, fmt.Errorf("decode audited resources: %w", err)
	}
	if len(sweep) > 0 {
		if err := json.Unmarshal(sweep, &a.Current); err != nil {
			return a, fmt.Errorf("decode sweep: %w", err)
		}
	}
	return a, nil
}

// SyncAudits holds the newest audits of an integration.
type SyncAudits struct {
	Open *SyncAudit // nil if none is running or queued
	Last *SyncAudit // the newest finished one; nil if there is none
}

// ListAudits reads the newest audits of an integration. It returns ErrNotFound if the organization
// has no such integration.
func ListAudits(ctx context.Context, db *store.DB, orgID, integrationID uuid.UUID) (found SyncAudits, err error) {
	defer store.WrapError(&err, "read audits of integration %s", integrationID)
	var known bool
	err = db.Pool.QueryRow(ctx, `SELECT true FROM integrations WHERE id = $1 AND organization_id = $2 AND deleted_at IS NULL`, integrationID, orgID).Scan(&known)
	if err != nil {
		return found, err
	}
	rows, err := db.Pool.Query(ctx, `(SELECT `+syncAuditColumns+` FROM sync_audits a WHERE a.integration_id = $1 AND a.finished_at IS NULL)
UNION ALL (SELECT `+syncAuditColumns+` FROM sync_audits a WHERE a.integration_id = $1 AND a.finished_at IS NOT NULL ORDER BY a.requested_at DESC, a.id DESC LIMIT 1)`, integrationID)
	if err != nil {
		return found, err
	}
	list, err := pgx.CollectRows(rows, scanSyncAudit)
	for i := range list {
		if list[i].FinishedAt == nil {
			found.Open = &list[i]
		} else {
			found.Last = &list[i]
		}
	}
	return found, err
}

// SyncAuditRequest is the result of a request for an audit.
type SyncAuditRequest struct {
	Audit   SyncAudit   // the queued or running audit; zero if there is none
	Refused SyncRefusal // why no audit is possible: SyncInactive, SyncCheckFailed or SyncBlocked; empty if there is one
}

// RequestAudit requests an audit at once. It begins with a cycle, so that it compares with new
// data. A queued or running audit is returned unchanged. If the integration is not polled, nothing
// is changed, and the result says why.
func RequestAudit(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID) (r SyncAuditRequest, err error) {
	defer store.WrapError(&err, "request audit of integration %s", id)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (r SyncAuditRequest, err error) {
		if err := refusedRequest(ctx, tx, c.OrganizationID, id); err != nil {
			r.Refused, err = refusalOf(ctx, tx, id, err)
			return r, err
		}
		opened, err := tx.NewRaw(`INSERT INTO sync_audits (id, integration_id, trigger, status) VALUES (?, ?, ?, ?)
ON CONFLICT (integration_id) WHERE finished_at IS NULL DO NOTHING`, store.NewID(), id, TriggerManual, SyncAuditQueued).Exec(ctx)
		if err != nil {
			return r, err
		}
		if n, err := opened.RowsAffected(); err != nil {
			return r, err
		} else if n > 0 {
			if _, err := RequestCycle(ctx, tx, c.OrganizationID, id, "an audit was asked for"); err != nil {
				return r, err
			}
			tx.Audit(store.AuditIntegrationAuditRequested, id, nil, nil)
		}
		r.Audit, err = openSyncAudit(ctx, tx, id)
		return r, err
	})
}

// openSyncAudit reads the unfinished audit of an integration.
func openSyncAudit(ctx context.Context, tx bun.IDB, id uuid.UUID) (a SyncAudit, err error) {
	var row struct {
		ID          uuid.UUID       `bun:"id"`
		Trigger     Trigger         `bun:"trigger"`
		Status      SyncAuditStatus `bun:"status"`
		Resources   json.RawMessage `bun:"resources"`
		Sweep       json.RawMessage `bun:"sweep"`
		RequestedAt time.Time       `bun:"requested_at"`
		StartedAt   *time.Time      `bun:"started_at"`
	}
	err = tx.NewRaw(`SELECT a.id, a.trigger, a.status, a.resources, a.sweep, a.requested_at, a.started_at FROM sync_audits AS a
WHERE a.integration_id = ? AND a.finished_at IS NULL`, id).Scan(ctx, &row)
	if err != nil {
		return a, err
	}
	a = SyncAudit{ID: row.ID, IntegrationID: id, Trigger: row.Trigger, Status: row.Status, RequestedAt: row.RequestedAt, StartedAt: row.StartedAt}
	if err := json.Unmarshal(row.Resources, &a.Resources); err != nil {
		return a, err
	}
	if len(row.Sweep) > 0 {
		err = json.Unmarshal(row.Sweep, &a.Current)
	}
	return a, err
}

// auditSpread is the time after the configured hour within which nightly audits begin. Each
// integration has its own moment, the same every night.
const auditSpread = 2 * time.Hour

// openAuditsBatch limits the audits that one statement opens.
const openAuditsBatch = 1000

// OpenNightlyAudits opens an audit for every polled integration whose moment of the night, between
// start and start plus two hours after midnight UTC, has come since its last nightly audit. It
// returns how many.
func OpenNightlyAudits(ctx context.Context, db *store.DB, start time.Duration) (opened int64, err error) {
	defer store.WrapError(&err, "open nightly audits")
	for {
		rows, err := db.Pool.Query(ctx, `SELECT s.integration_id FROM sync_state s JOIN integrations i ON i.id = s.integration_id
CROSS JOIN LATERAL (SELECT $1::bigint + (hashtextextended(s.integration_id::text, 0) & 9007199254740991) % $2 AS phase) p
CROSS JOIN LATERAL (SELECT to_timestamp(floor((extract(epoch FROM now()) - p.phase) / 86400) * 86400 + p.phase) AS at) m
WHERE s.claimable_at < 'infinity' AND i.deleted_at IS NULL AND i.created_at < m.at AND s.last_success_at IS NOT NULL
  AND NOT EXISTS (SELECT FROM sync_audits a WHERE a.integration_id = s.integration_id AND (a.finished_at IS NULL OR a.trigger = 'schedule' AND a.requested_at >= m.at))
LIMIT $3`, int64(start.Seconds()), int64(auditSpread.Seconds()), openAuditsBatch)
		if err != nil {
			return opened, err
		}
		due, err := pgx.CollectRows(rows, pgx.RowTo[uuid.UUID])
		if err != nil || len(due) == 0 {
			return opened, err
		}
		ids := make([]uuid.UUID, len(due))
		for i := range ids {
			ids[i] = store.NewID()
		}
		tag, err := db.Pool.Exec(ctx, `INSERT INTO sync_audits (id, integration_id, trigger, status)
SELECT u.id, u.integration_id, 'schedule', 'queued' FROM unnest($1::uuid[], $2::uuid[]) AS u(id, integration_id)
ON CONFLICT (integration_id) WHERE finished_at IS NULL DO NOTHING`, ids, due)
		if err != nil {
			return opened, err
		}
		opened += tag.RowsAffected()
		if len(due) < openAuditsBatch {
			return opened, nil
		}
	}
}

// BeginAudit records that an audit has begun.
func BeginAudit(ctx context.Context, db *store.DB, lease Lease, a *OpenAudit) (err error) {
	defer store.WrapError(&err, "begin audit of integration %s", lease.IntegrationID)
	return InLeaseTx(ctx, db, lease, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE sync_audits SET status = $2, started_at = $3 WHERE id = $1 AND finished_at IS NULL`, a.ID, string(SyncAuditRunning), a.StartedAt)
		return err
	})
}

// FinishAudit ends an audit, and emits an event.
func FinishAudit(ctx context.Context, db *store.DB, claim *Claim, a *OpenAudit, status SyncAuditStatus, at time.Time) (err error) {
	defer store.WrapError(&err, "finish audit of integration %s", claim.IntegrationID)
	err = InLeaseTx(ctx, db, claim.Lease, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `UPDATE sync_audits SET status = $2, sweep = NULL, finished_at = $3 WHERE id = $1 AND finished_at IS NULL`, a.ID, string(status), at)
		if err != nil || tag.RowsAffected() == 0 { // no rows: it was committed before, without the caller knowing
			return err
		}
		return db.PostEvents(ctx, tx, claim.OrganizationID, uuid.Nil, []event.Event{auditEvent(claim.IntegrationID, a, status)})
	})
	if err == nil {
		db.NoteChange(claim.OrganizationID, store.TopicIntegrations, claim.IntegrationID)
	}
	return err
}

// interruptSyncAudit ends a running audit, if there is one, because what it has read does not apply
// to the integration as it is now.
func interruptSyncAudit(ctx context.Context, tx *store.Tx, id uuid.UUID) error {
	a, err := openSyncAudit(ctx, tx, id)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = tx.NewRaw(`WITH rows AS (
    UPDATE sync_runs SET status = ?1, finished_at = now() WHERE integration_id = ?3 AND cycle_id = ?0 AND status = ?2
) UPDATE sync_audits SET status = ?4, sweep = NULL, finished_at = now() WHERE id = ?0`, a.ID, RunInterrupted, RunRunning, id, SyncAuditInterrupted).Exec(ctx)
	if err != nil {
		return err
	}
	tx.Emit(auditEvent(id, &OpenAudit{ID: a.ID, Trigger: a.Trigger, Resources: a.Resources}, SyncAuditInterrupted))
	return nil
}

// InLeaseTx runs fn in a transaction that locks the lease's row. It returns ErrFenced if the lease
// is no longer held.
func InLeaseTx(ctx context.Context, db *store.DB, lease Lease, fn func(pgx.Tx) error) error {
	return pgx.BeginFunc(ctx, db.Pool, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `SELECT FROM sync_state WHERE integration_id = $1 AND token = $2 FOR UPDATE`, lease.IntegrationID, lease.Token)
		switch {
		case err != nil:
			return err
		case tag.RowsAffected() == 0:
			return store.ErrFenced
		}
		return fn(tx)
	})
}

// Sweep is the reading of everything that a platform shows of a resource, within an audit. It is
// stored as JSON with each page, so that another process can continue it.
type Sweep struct {
	// Run is the sweep's run with its checkpoint. A partner's trades are two streams, which the
	// same sweep reads one after the other.
	Run OpenRun `json:"run"`
	// Due is the time until which records must have last changed for the stream's polls to have
	// brought them.
	Due time.Time `json:"due"`
	// Read reports that the last page of the last stream was read.
	Read bool `json:"read,omitempty"`
	// Note says why the sweep does not show everything. It is empty as long as it does.
	Note string `json:"note,omitempty"`
	// Asked reports that missing traders have been requested individually.
	Asked bool `json:"asked,omitempty"`
	// Fresh counts shown records that are so new that they may be missing or stale. Absent and
	// Stale count those that should not be.
	Fresh  int64 `json:"fresh,omitempty"`
	Absent int64 `json:"absent,omitempty"`
	Stale  int64 `json:"stale,omitempty"`
	// Current counts the records that are stored as they are.
	Current int64 `json:"current,omitempty"`
	// RepairedIDs are ids of absent and stale records, at most MaxAuditIDs.
	RepairedIDs []string `json:"repaired_ids,omitempty"`
}
