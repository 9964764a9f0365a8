package integrations

import (
	"context"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
	"github.com/assayhq/assay/store/syncing"
	"github.com/assayhq/assay/store/syncing/audits"
)

// AuditRequest is the result of a request for an audit.
type AuditRequest struct {
	Audit   audits.Audit // the queued or running audit; zero if there is none
	Refused Refusal      // why no audit is possible: Inactive, CheckFailed or Blocked; empty if there is one
}

// RequestAudit requests an audit at once. It begins with a cycle, so that it compares with new
// data. A queued or running audit is returned unchanged. If the integration is not polled, nothing
// is changed, and the result says why.
func RequestAudit(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID) (r AuditRequest, err error) {
	defer store.WrapError(&err, "request audit of integration %s", id)
	return store.MakeChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (r AuditRequest, err error) {
		if err := refusedRequest(ctx, tx, c.OrganizationID, id); err != nil {
			r.Refused, err = refusalOf(ctx, tx, id, err)
			return r, err
		}
		opened, err := tx.NewRaw(`INSERT INTO sync_audits (id, integration_id, trigger, status) VALUES (?, ?, ?, ?)
ON CONFLICT (integration_id) WHERE finished_at IS NULL DO NOTHING`, store.NewID(), id, syncing.TriggerManual, audits.Queued).Exec(ctx)
		if err != nil {
			return r, err
		}
		if n, err := opened.RowsAffected(); err != nil {
			return r, err
		} else if n > 0 {
			if _, err := RequestCycle(ctx, tx, c.OrganizationID, id, "an audit was requested"); err != nil {
				return r, err
			}
			tx.Audit(action.IntegrationAuditRequested, id, nil, nil)
		}
		r.Audit, err = audits.ReadOpen(ctx, tx, id)
		return r, err
	})
}
