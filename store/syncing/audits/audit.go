package audits

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/event"
	"github.com/assayhq/assay/store/syncing"
)

// A sync audit reads everything that a platform shows and compares it with the stored rows: missing
// and stale rows are repaired, and rows that the platform no longer shows are marked. (It has
// nothing to do with the audit log.) Its state is a row of sync_audits. It runs next to the cycles
// of its integration, under the same lease.

// Status is the state or outcome of an audit.
type Status string

// The statuses of an audit.
const (
	Queued      Status = "queued"      // The audit is waiting to start.
	Running     Status = "running"     // The audit is running.
	Succeeded   Status = "succeeded"   // Every resource was read completely or is not exposed by the platform.
	Partial     Status = "partial"     // Some resources could not be compared completely.
	Failed      Status = "failed"      // No resource could be compared.
	Interrupted Status = "interrupted" // The integration's settings changed before the audit ended, so its results would no longer be meaningful.
)

// Audit is an audit in the form of the API.
type Audit struct {
	ID            uuid.UUID                 `bun:"id"`
	IntegrationID uuid.UUID                 `bun:"integration_id"`
	Trigger       syncing.Trigger           `bun:"trigger"` // TriggerSchedule or TriggerManual
	Status        Status                    `bun:"status"`
	Resources     []syncing.AuditedResource `bun:"resources,type:jsonb"` // finished resources, in the order of a cycle
	Current       *syncing.Sweep            `bun:"sweep,type:jsonb"`     // the resource being read; nil if there is none
	RequestedAt   time.Time                 `bun:"requested_at"`
	StartedAt     *time.Time                `bun:"started_at"`  // nil if not started
	FinishedAt    *time.Time                `bun:"finished_at"` // nil if not finished
}

// openQuery reads the unfinished audit of an integration.
const openQuery = `SELECT ` + columns + ` FROM sync_audits AS a WHERE a.integration_id = ?0 AND a.finished_at IS NULL`

const columns = `a.id, a.integration_id, a.trigger, a.status, a.resources, a.sweep, a.requested_at, a.started_at, a.finished_at`

// Newest holds the newest audits of an integration.
type Newest struct {
	Open *Audit // nil if none is running or queued
	Last *Audit // the newest finished one; nil if there is none
}

// ReadNewest reads the newest audits of an integration. It returns ErrNotFound if the organization
// has no such integration.
func ReadNewest(ctx context.Context, db *store.DB, orgID, integrationID uuid.UUID) (found Newest, err error) {
	defer store.WrapError(&err, "read audits of integration %s", integrationID)
	var known bool
	err = db.Bun.NewRaw(`SELECT true FROM integrations WHERE id = ? AND organization_id = ? AND deleted_at IS NULL`, integrationID, orgID).Scan(ctx, &known)
	if err != nil {
		return found, err
	}
	var list []Audit
	err = db.Bun.NewRaw(`(`+openQuery+`)
UNION ALL (SELECT `+columns+` FROM sync_audits AS a WHERE a.integration_id = ?0 AND a.finished_at IS NOT NULL ORDER BY a.requested_at DESC, a.id DESC LIMIT 1)`, integrationID).Scan(ctx, &list)
	for i := range list {
		if list[i].FinishedAt == nil {
			found.Open = &list[i]
		} else {
			found.Last = &list[i]
		}
	}
	return found, err
}

// ReadOpen reads the unfinished audit of an integration.
func ReadOpen(ctx context.Context, tx bun.IDB, id uuid.UUID) (a Audit, err error) {
	err = tx.NewRaw(openQuery, id).Scan(ctx, &a)
	return a, err
}

// spread is the time after the configured hour within which nightly audits begin. Each
// integration has its own moment, the same every night.
const spread = 2 * time.Hour

// openBatch limits the audits that one statement opens.
const openBatch = 1000

// OpenNightly opens an audit for every polled integration whose moment of the night, between
// start and start plus two hours after midnight UTC, has come since its last nightly audit. It
// returns how many.
func OpenNightly(ctx context.Context, db *store.DB, start time.Duration) (opened int64, err error) {
	defer store.WrapError(&err, "open nightly audits")
	for {
		var due []uuid.UUID
		err := db.Bun.NewRaw(`SELECT s.integration_id FROM sync_state s JOIN integrations i ON i.id = s.integration_id
CROSS JOIN LATERAL (SELECT ?::bigint + (hashtextextended(s.integration_id::text, 0) & 9007199254740991) % ? AS phase) p
CROSS JOIN LATERAL (SELECT to_timestamp(floor((extract(epoch FROM now()) - p.phase) / 86400) * 86400 + p.phase) AS at) m
WHERE s.claimable_at < 'infinity' AND i.deleted_at IS NULL AND i.created_at < m.at AND s.last_success_at IS NOT NULL
  AND NOT EXISTS (SELECT FROM sync_audits a WHERE a.integration_id = s.integration_id AND (a.finished_at IS NULL OR a.trigger = 'schedule' AND a.requested_at >= m.at))
LIMIT ?`, int64(start.Seconds()), int64(spread.Seconds()), openBatch).Scan(ctx, &due)
		if err != nil || len(due) == 0 {
			return opened, err
		}
		ids := make([]uuid.UUID, len(due))
		for i := range ids {
			ids[i] = store.NewID()
		}
		result, err := db.Bun.NewRaw(`INSERT INTO sync_audits (id, integration_id, trigger, status)
SELECT u.id, u.integration_id, 'schedule', 'queued' FROM unnest(?::uuid[], ?::uuid[]) AS u(id, integration_id)
ON CONFLICT (integration_id) WHERE finished_at IS NULL DO NOTHING`, store.Array(ids), store.Array(due)).Exec(ctx)
		if err != nil {
			return opened, err
		}
		opened += store.CountAffected(result)
		if len(due) < openBatch {
			return opened, nil
		}
	}
}

// Begin records that an audit has begun.
func Begin(ctx context.Context, db *store.DB, lease syncing.Lease, a *syncing.OpenAudit) (err error) {
	defer store.WrapError(&err, "begin audit of integration %s", lease.IntegrationID)
	return syncing.InLeaseTx(ctx, db, lease, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `UPDATE sync_audits SET status = $2, started_at = $3 WHERE id = $1 AND finished_at IS NULL`, a.ID, string(Running), a.StartedAt)
		return err
	})
}

// Finish ends an audit, and emits an event.
func Finish(ctx context.Context, db *store.DB, claim *syncing.Claim, a *syncing.OpenAudit, status Status, at time.Time) (err error) {
	defer store.WrapError(&err, "finish audit of integration %s", claim.IntegrationID)
	err = syncing.InLeaseTx(ctx, db, claim.Lease, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `UPDATE sync_audits SET status = $2, sweep = NULL, finished_at = $3 WHERE id = $1 AND finished_at IS NULL`, a.ID, string(status), at)
		if err != nil || tag.RowsAffected() == 0 { // no rows: it was committed before, without the caller knowing
			return err
		}
		return db.PostEvents(ctx, tx, claim.OrganizationID, uuid.Nil, []event.Event{finishedEvent(claim.IntegrationID, a, status)})
	})
	if err == nil {
		db.NoteChange(claim.OrganizationID, store.TopicIntegrations, claim.IntegrationID)
	}
	return err
}

// Interrupt ends a running audit, if there is one, because what it has read does not apply
// to the integration as it is now.
func Interrupt(ctx context.Context, tx *store.Tx, id uuid.UUID) error {
	a, err := ReadOpen(ctx, tx, id)
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = tx.NewRaw(`WITH rows AS (
    UPDATE sync_runs SET status = ?1, finished_at = now() WHERE integration_id = ?3 AND cycle_id = ?0 AND status = ?2
) UPDATE sync_audits SET status = ?4, sweep = NULL, finished_at = now() WHERE id = ?0`, a.ID, syncing.RunInterrupted, syncing.RunRunning, id, Interrupted).Exec(ctx)
	if err != nil {
		return err
	}
	tx.Emit(finishedEvent(id, &syncing.OpenAudit{ID: a.ID, Trigger: a.Trigger, Resources: a.Resources}, Interrupted))
	return nil
}
