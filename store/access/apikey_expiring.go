package access

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/event"
)

// expiringWithin is how long before a key's expiry its event is emitted.
const expiringWithin = 7 * 24 * time.Hour

// EmitExpiringKeys emits one event for each API key that expires within seven days, and returns how
// many it emitted.
func EmitExpiringKeys(ctx context.Context, db *store.DB) (emitted int, err error) {
	defer store.WrapError(&err, "announce expiring API keys")
	var organizations []uuid.UUID
	err = db.Bun.NewRaw(`SELECT DISTINCT organization_id FROM api_keys
WHERE NOT expiring_told AND revoked_at IS NULL AND expires_at BETWEEN now() AND now() + ?::interval`, store.IntervalText(expiringWithin)).Scan(ctx, &organizations)
	if err != nil {
		return 0, err
	}
	for _, orgID := range organizations {
		n, err := emitExpiringOf(ctx, db, orgID)
		if err != nil {
			return emitted, err
		}
		emitted += n
	}
	return emitted, nil
}

func emitExpiringOf(ctx context.Context, db *store.DB, orgID uuid.UUID) (emitted int, err error) {
	err = pgx.BeginFunc(ctx, db.Pool, func(tx pgx.Tx) error {
		rows, err := tx.Query(ctx, `UPDATE api_keys SET expiring_told = true
WHERE organization_id = $1 AND NOT expiring_told AND revoked_at IS NULL AND expires_at BETWEEN now() AND now() + $2::interval
RETURNING id, name, expires_at`, orgID, expiringWithin)
		if err != nil {
			return err
		}
		events, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (event.Event, error) {
			k := event.APIKey{Path: apiKeysPath}
			err := row.Scan(&k.APIKeyID, &k.Name, &k.ExpiresAt)
			return event.Event{Kind: event.APIKeyExpiring, Data: k}, err
		})
		if err != nil {
			return err
		}
		emitted = len(events)
		return db.PostEvents(ctx, tx, orgID, uuid.Nil, events)
	})
	return emitted, err
}
