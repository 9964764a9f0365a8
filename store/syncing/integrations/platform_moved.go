package integrations

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/connectors/record"
	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
)

// Move is a change of an integration's address or key after which the platform was not
// compared with the stored records, so that records of two platforms may have been mixed.
type Move struct {
	OrganizationID uuid.UUID
	IntegrationID  uuid.UUID
	Name           string // current name of the integration
	At             time.Time
	By             string // who made the change
	From, To       string // normalized base URLs; equal if it was deleted and connected again, perhaps with another tenant's key
}

// ListMoves lists, by organization, integration and time, the moves in the audit log from
// the time before platforms were compared. Processes of the previous version may have run for an
// hour after the migration.
func ListMoves(ctx context.Context, db *store.DB) (moves []Move, err error) {
	defer store.WrapError(&err, "list integrations whose platform was changed")
	rows, err := db.Pool.Query(ctx, `SELECT l.organization_id, l.object_id, coalesce(i.name, ''), l.at, l.actor_name, coalesce(i.kind, ''), l.action, l.after->>'base_url'
FROM audit_log AS l LEFT JOIN integrations AS i ON i.id = l.object_id
WHERE l.object_kind = 'integration' AND l.action IN ($1, $2) AND l.after->>'base_url' IS NOT NULL
    AND l.at < (SELECT min(tstamp)::timestamptz + interval '1 hour' FROM goose_db_version WHERE version_id = 18)
ORDER BY l.organization_id, l.object_id, l.number`, action.IntegrationCreated, action.IntegrationUpdated)
	if err != nil {
		return nil, err
	}
	var (
		next, last Move
		kind       record.Kind
		done       action.Kind
	)
	_, err = pgx.ForEachRow(rows, []any{&next.OrganizationID, &next.IntegrationID, &next.Name, &next.At, &next.By, &kind, &done, &next.To}, func() error {
		move := next
		move.To = platformURL(kind, next.To)
		if move.From = last.To; move.IntegrationID == last.IntegrationID && (move.From != move.To || done == action.IntegrationCreated) {
			moves = append(moves, move)
		}
		last = move
		return nil
	})
	return moves, err
}
