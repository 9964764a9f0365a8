package access

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/auditlog/action"
	"github.com/assayhq/assay/store/event"
)

// Limits on how long a revocation waits for the requests that run with the key.
const (
	revocationLimit = 5 * time.Second
	firstPoll       = time.Millisecond
	longestPoll     = 20 * time.Millisecond
	// noticeTime is how long a process may take to notice that its session has been cut: its locks
	// are gone before it knows.
	noticeTime = 100 * time.Millisecond
)

// RevokeAPIKey revokes a key of the organization at once: when it returns nil, no transaction in
// the key's name commits any more, and no process serves it. It returns ErrKeyInUse if a process
// has not released the key within five seconds: the key is revoked then, but a request that was
// running may still complete. Calling it again is safe, even for a key that was revoked long ago.
// It returns ErrNotFound if the organization has no such key.
func RevokeAPIKey(ctx context.Context, db *store.DB, c store.Change, id uuid.UUID) (err error) {
	defer store.WrapError(&err, "revoke API key %s", id)
	_, err = store.MakeKeyChange(ctx, db, c, func(ctx context.Context, tx *store.Tx) (none struct{}, err error) {
		if err := markRevoked(ctx, tx, c.OrganizationID, id); err != nil {
			return none, err
		}
		return none, notifyEnded(ctx, tx, id)
	})
	if err != nil {
		return err
	}
	return awaitUnused(ctx, db, id)
}

// markRevoked marks the key as revoked, unless it is revoked already.
func markRevoked(ctx context.Context, tx *store.Tx, orgID, id uuid.UUID) error {
	var k APIKey
	err := tx.NewRaw(`SELECT id, name, expires_at, revoked_at FROM api_keys WHERE id = ? AND organization_id = ? FOR NO KEY UPDATE`, id, orgID).Scan(ctx, &k)
	if err != nil || k.RevokedAt != nil {
		return err
	}
	if err := tx.NewRaw(`UPDATE api_keys SET revoked_at = now() WHERE id = ? RETURNING revoked_at`, id).Scan(ctx, &k.RevokedAt); err != nil {
		return err
	}
	tx.Emit(apiKeyEvent(event.APIKeyRevoked, k))
	tx.Audit(action.APIKeyRevoked, id, store.AuditFields{"revoked_at": nil}, store.AuditFields{"revoked_at": k.RevokedAt.UTC()})
	return nil
}

// notifyEnded notifies all processes, once the transaction has committed, that the keys or sessions
// have ended.
func notifyEnded(ctx context.Context, tx bun.IDB, ids ...uuid.UUID) error {
	for _, id := range ids {
		if _, err := tx.NewRaw(`SELECT pg_notify(?, ?)`, keyChannel, id.String()).Exec(ctx); err != nil {
			return err
		}
	}
	return nil
}

// awaitUnused returns when nobody holds the lock of any of the keys or sessions. It polls instead
// of queuing for the locks, because a queued request would block others from them.
func awaitUnused(ctx context.Context, db *store.DB, ids ...uuid.UUID) error {
	if len(ids) == 0 {
		return nil
	}
	locks := make([]int64, len(ids))
	for i, id := range ids {
		locks[i] = store.KeyLock(id)
	}
	deadline := time.NewTimer(revocationLimit)
	defer deadline.Stop()
	for wait := firstPoll; ; wait = min(2*wait, longestPoll) {
		// The statement is its own transaction, whose end releases the locks.
		var held []int64
		if err := db.Keys.Bun.NewRaw(`SELECT l FROM unnest(?::bigint[]) AS l WHERE NOT pg_try_advisory_xact_lock(l)`, store.Array(locks)).Scan(ctx, &held); err != nil {
			return err
		}
		locks = held
		if len(locks) == 0 {
			break
		}
		select {
		case <-deadline.C:
			return fmt.Errorf("%w by %s", ErrKeyInUse, describeHolders(ctx, db, locks))
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(noticeTime):
		return nil
	}
}

// describeHolders names the sessions that hold one of the locks, for an operator who investigates
// an end that is not confirmed.
func describeHolders(ctx context.Context, db *store.DB, locks []int64) string {
	var sessions []string
	err := db.Keys.Bun.NewRaw(`SELECT DISTINCT format('%s (server process %s, from %s)', a.application_name, a.pid, coalesce(host(a.client_addr), 'a socket'))
FROM pg_locks AS l JOIN pg_stat_activity AS a USING (pid)
WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted AND (l.classid::bigint << 32 | l.objid::bigint) = ANY (?::bigint[])
    AND a.datname = current_database()`, store.Array(locks)).Scan(ctx, &sessions)
	if err != nil || len(sessions) == 0 {
		return "a session that has ended"
	}
	return strings.Join(sessions, ", ")
}
