package access

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
)

// The request rate that a key is allowed (service API, Limits).
const (
	// RateLimit is how many requests a key may make in any RateWindow.
	RateLimit = 600
	// RateWindow is a sliding window: a request counts for this long, its end excluded.
	RateWindow = time.Minute
)

// idleWindow is how long the window of a key or person without requests is kept.
const idleWindow = time.Hour

// useInterval is the shortest time between two recorded uses of a key.
const useInterval = time.Minute

// Decision is the decision about a request of a key or a person.
type Decision struct {
	// At is the time of the decision on the database's clock, which all processes share. It also
	// decided whether a key or session had expired.
	At time.Time
	// Limited reports that the requests are used up. This request was not counted.
	Limited bool
	// Remaining is how many requests may still be made at once.
	Remaining int
	// Reset is the time until Remaining rises, because the oldest counted
	// request leaves the window: more than zero, at most RateWindow.
	Reset time.Duration
}

// Admission is the result of AdmitAPIKey.
type Admission struct {
	APIKey
	Decision
}

// InForce reports whether the key was neither revoked nor expired when it was checked. Only then
// can the request have been counted. Otherwise Limited is false, and Remaining and Reset are zero.
func (a Admission) InForce() bool {
	return a.RevokedAt == nil && (a.ExpiresAt == nil || a.At.Before(*a.ExpiresAt))
}

// AdmitAPIKey finds the key with that hash and counts a request of it, unless the key has made
// RateLimit requests within RateWindow; the result reports that. The count is exact for all
// processes together. Revoked and expired keys are returned too, without counting anything. It
// returns ErrNotFound if there is no such key.
func AdmitAPIKey(ctx context.Context, db *store.DB, secretHash [32]byte) (Admission, error) {
	return admitAPIKey(ctx, db, secretHash, RateLimit, RateWindow)
}

// admitAPIKey is like AdmitAPIKey with another limit, of at most RateLimit.
func admitAPIKey(ctx context.Context, db *store.DB, secretHash [32]byte, limit int, window time.Duration) (a Admission, err error) {
	defer store.WrapError(&err, "admit API key")
	err = db.Keys.Pool.QueryRow(ctx, `SELECT id, organization_id, name, prefix, scopes, created_by_name, created_at, expires_at, revoked_at,
    decided_at, limited, remaining, reset
FROM admit_api_key($1::bytea, $2::integer, $3::interval) WHERE id IS NOT NULL`,
		store.Prepared(db, secretHash[:], limit, window)...).
		Scan(&a.ID, &a.OrganizationID, &a.Name, &a.Prefix, &a.Scopes, &a.CreatedByName, &a.CreatedAt, &a.ExpiresAt, &a.RevokedAt,
			&a.At, &a.Limited, &a.Remaining, &a.Reset)
	if err != nil {
		return Admission{}, err
	}
	return a, nil
}

// ForgetIdleWindows frees the room for counted requests of keys that have made none for an hour,
// and returns how many keys that were. Their next request starts a new window.
func ForgetIdleWindows(ctx context.Context, db *store.DB) (keys int64, err error) {
	return forgetIdleWindows(ctx, db, idleWindow)
}

// forgetIdleWindows is like ForgetIdleWindows with another time, which must be at least the limit's
// window.
func forgetIdleWindows(ctx context.Context, db *store.DB, idle time.Duration) (keys int64, err error) {
	defer store.WrapError(&err, "delete rate limit windows of idle API keys")
	const batch = 200 // of up to RateLimit slots each
	for forgotten := int64(batch); forgotten == batch; keys += forgotten {
		// A request that comes meanwhile waits for the key's row, or has changed it already. The
		// outer condition notices the latter once the row is locked.
		err := db.Bun.NewRaw(`WITH idle AS (
    DELETE FROM api_key_windows WHERE newest_at < now() - ?0::interval
        AND api_key_id IN (SELECT api_key_id FROM api_key_windows WHERE newest_at < now() - ?0::interval LIMIT ?1)
    RETURNING api_key_id
), slots AS (
    DELETE FROM api_key_slots AS s USING idle WHERE s.api_key_id = idle.api_key_id
) SELECT count(*) FROM idle`, store.IntervalText(idle), batch).Scan(ctx, &forgotten)
		if err != nil {
			return keys, err
		}
	}
	return keys, nil
}

// TouchAPIKeys records when keys were last used. Recorded uses of a key are at least a minute
// apart, regardless of the number of processes: callers may report every use, and few are written.
// Times ahead of the database's clock count as now. Keys that do not exist are skipped.
func TouchAPIKeys(ctx context.Context, db *store.DB, used map[uuid.UUID]time.Time) error {
	if len(used) == 0 {
		return nil
	}
	ids, times := make([]uuid.UUID, 0, len(used)), make([]time.Time, 0, len(used))
	for id, at := range used {
		ids, times = append(ids, id), append(times, at)
	}
	// The selection skips keys whose recorded use is recent enough, and locks nothing. The same
	// condition on conflict is for concurrent calls. Rows are written in order, so that two calls
	// never deadlock.
	_, err := db.Keys.Pool.Exec(ctx, `INSERT INTO api_key_uses AS u (api_key_id, last_used_at)
SELECT k.id, least(n.at, now())
FROM unnest($1::uuid[], $2::timestamptz[]) AS n (id, at) JOIN api_keys AS k ON k.id = n.id
    LEFT JOIN api_key_uses AS r ON r.api_key_id = n.id
WHERE r.api_key_id IS NULL OR least(n.at, now()) >= r.last_used_at + $3::interval
ORDER BY k.id
ON CONFLICT (api_key_id) DO UPDATE SET last_used_at = excluded.last_used_at
    WHERE excluded.last_used_at >= u.last_used_at + $3::interval`, store.Prepared(db, ids, times, useInterval)...)
	if err != nil {
		return fmt.Errorf("record the use of %d API keys: %w", len(used), err)
	}
	return nil
}
