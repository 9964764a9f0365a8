package store

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/connectors/record"
)

// EraseTrader deletes everything about a trader: interviews with their
// recordings, notes, activity files, and what platforms have sent of accounts,
// trades and payouts. The row stays, archived and empty, so that the id leads somewhere. No
// page of the platform brings the trader back. ErrNotFound; ErrLegalHold when one
// of the interviews is held: nothing is erased then.
func (db *DB) EraseTrader(ctx context.Context, c Change, id uuid.UUID) (err error) {
	defer wrap(&err, "erase trader %s", id)
	_, err = change(ctx, db, c, func(ctx context.Context, tx *Tx) (none struct{}, err error) {
		o, err := findOwner(ctx, tx, c.OrganizationID, id)
		if err != nil {
			return none, err
		}
		if o.IntegrationID != nil {
			// Before the trader's, as pages do. A page under way is fenced; the next
			// turn knows who was erased.
			_, err := tx.NewRaw(`UPDATE sync_state SET token = token + 1, claimable_at = CASE WHEN owner IS NULL THEN claimable_at ELSE now() END,
    wait_reason = CASE WHEN owner IS NULL THEN wait_reason ELSE 'handed_back' END, owner = NULL WHERE integration_id = ?`, *o.IntegrationID).Exec(ctx)
			if err != nil {
				return none, err
			}
		}
		// He may have become another's by now.
		var now owner
		err = tx.NewRaw(`SELECT integration_id, external_id FROM traders WHERE id = ? AND organization_id = ? FOR UPDATE`, id, c.OrganizationID).Scan(ctx, &now)
		if err != nil {
			return none, err
		}
		if !now.same(o) {
			return none, fmt.Errorf("%w: the trader has just become one with another", ErrConflict)
		}
		if err := eraseInterviews(ctx, tx, c.OrganizationID, id); err != nil {
			return none, err
		}
		if err := forgetAnswers(ctx, tx, id); err != nil {
			return none, err
		}
		if now.synced() {
			if err := db.eraseSynced(ctx, tx, c.OrganizationID, *now.IntegrationID, *now.ExternalID); err != nil {
				return none, err
			}
		}
		for _, statement := range []string{
			`DELETE FROM trader_notes WHERE trader_id = ?`,
			`WITH gone AS (DELETE FROM activity_files WHERE trader_id = ? RETURNING id) DELETE FROM activity_trades AS t USING gone WHERE t.file_id = gone.id`,
			`UPDATE traders SET integration_id = NULL, source = '` + SourceManual + `', external_id = NULL, first_name = NULL, last_name = NULL, full_name = NULL, email = NULL,
    country = NULL, phone = NULL, kyc_status = NULL, status = '` + TraderArchived + `', tags = '{}', registered_at = NULL, metadata = NULL, unrecognized = NULL, platform_updated_at = NULL,
    missing_since = NULL, content_hash = NULL, override_full_name = NULL, override_email = NULL, override_external_id = NULL, override_country = NULL,
    override_phone = NULL, override_tags = NULL, interview_only = false, updated_at = now() WHERE id = ?`,
		} {
			if _, err := tx.NewRaw(statement, id).Exec(ctx); err != nil {
				return none, err
			}
		}
		tx.audit(AuditTraderErased, id, nil, nil)
		return none, nil
	})
	return err
}

// eraseInterviews deletes the interviews of a trader whose row is locked.
func eraseInterviews(ctx context.Context, tx *Tx, orgID, trader uuid.UUID) error {
	var ids []uuid.UUID
	if err := tx.NewRaw(`SELECT id FROM interviews WHERE trader_id = ? ORDER BY id`, trader).Scan(ctx, &ids); err != nil {
		return err
	}
	for _, id := range ids {
		l, err := lockInterview(ctx, tx, orgID, id)
		if isNoRows(err) {
			continue
		}
		if err != nil {
			return err
		}
		if err := deleteInterview(ctx, tx, l); err != nil {
			return err
		}
	}
	return nil
}

// eraseSynced deletes what a platform has sent of a trader, and keeps it from
// coming back.
func (db *DB) eraseSynced(ctx context.Context, tx bun.IDB, orgID, integration uuid.UUID, externalID string) error {
	key, err := db.suppressionKey(ctx, tx, orgID)
	if err != nil {
		return err
	}
	var accounts []string
	err = tx.NewRaw(`SELECT external_id FROM accounts WHERE integration_id = ? AND trader_external_id = ? ORDER BY external_id`, integration, externalID).Scan(ctx, &accounts)
	if err != nil {
		return err
	}
	s := suppressor{key, integration}
	if err := s.add(ctx, tx, orgID, record.Traders, externalID); err != nil {
		return err
	}
	if err := s.add(ctx, tx, orgID, record.Accounts, accounts...); err != nil {
		return err
	}
	names := append([]string{externalID}, accounts...)
	_, err = tx.NewRaw(`WITH p AS (DELETE FROM payouts WHERE integration_id = ?0 AND (trader_external_id = ?1 OR account_external_id = ANY (?2::text[])) RETURNING 1),
t AS (DELETE FROM trades WHERE integration_id = ?0 AND account_external_id = ANY (?2::text[]) RETURNING 1),
a AS (DELETE FROM accounts WHERE integration_id = ?0 AND trader_external_id = ?1 RETURNING 1)
UPDATE sync_state SET traders = greatest(traders - 1, 0), accounts = greatest(accounts - (SELECT count(*) FROM a), 0),
    trades = greatest(trades - (SELECT count(*) FROM t), 0), payouts = greatest(payouts - (SELECT count(*) FROM p), 0) WHERE integration_id = ?0`,
		integration, externalID, arrayOf(accounts)).Exec(ctx)
	if err != nil {
		return err
	}
	_, err = tx.NewRaw(`WITH q AS (DELETE FROM quarantine WHERE integration_id = ?0 AND EXISTS (SELECT FROM unnest(?1::text[]) AS n(name)
    WHERE key = n.name OR position('"' || n.name || '"' IN raw) > 0) RETURNING 1)
UPDATE sync_state SET quarantined = greatest(quarantined - (SELECT count(*) FROM q), 0) WHERE integration_id = ?0 AND EXISTS (SELECT FROM q)`,
		integration, arrayOf(names)).Exec(ctx)
	if err != nil {
		return err
	}
	_, err = tx.NewRaw(`UPDATE findings SET samples = ARRAY(SELECT s FROM unnest(samples) AS s WHERE s <> ALL (?1::text[]))
WHERE integration_id = ?0 AND samples && ?1::text[]`, integration, arrayOf(names)).Exec(ctx)
	return err
}
