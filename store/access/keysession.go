package access

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/store"
)

// keyChannel is the channel on which revocations are announced. The payload is the key's id.
const keyChannel = "api_key_revoked"

// KeySession is a dedicated database session of a process, in which it holds a shared lock for each
// API key that it serves and receives revocations. A revocation is confirmed when nobody holds the
// key's lock any more.
//
// It is used by one goroutine at a time. After an error of any method, the session and with it
// every lock may be gone, except after an error of Revocation if the session is still Alive.
type KeySession struct{ conn *pgx.Conn }

// OpenKeySession connects directly to the server, bypassing a pooler. Close must be called.
func OpenKeySession(ctx context.Context, db *store.DB) (s *KeySession, err error) {
	defer store.WrapError(&err, "open key session")
	conn, err := db.Listen(ctx, keyChannel)
	if err != nil {
		return nil, err
	}
	return &KeySession{conn}, nil
}

// Close ends the session and releases its locks.
func (s *KeySession) Close(ctx context.Context) error { return s.conn.Close(ctx) }

// Hold takes a share of the key's lock. It returns false while a revocation of the key is being
// confirmed.
func (s *KeySession) Hold(ctx context.Context, keyID uuid.UUID) (held bool, err error) {
	defer store.WrapError(&err, "hold API key %s", keyID)
	err = s.conn.QueryRow(ctx, `SELECT pg_try_advisory_lock_shared($1)`, store.KeyLock(keyID)).Scan(&held)
	return held, err
}

// Release releases a share of the key's lock.
func (s *KeySession) Release(ctx context.Context, keyID uuid.UUID) (err error) {
	defer store.WrapError(&err, "release API key %s", keyID)
	_, err = s.conn.Exec(ctx, `SELECT pg_advisory_unlock_shared($1)`, store.KeyLock(keyID))
	return err
}

// Ping checks that the server responds.
func (s *KeySession) Ping(ctx context.Context) error { return s.conn.Ping(ctx) }

// Revocation waits for the next revocation. If ctx ends first, the session remains usable and the
// error is ctx's.
func (s *KeySession) Revocation(ctx context.Context) (keyID uuid.UUID, err error) {
	for {
		n, err := s.conn.WaitForNotification(ctx)
		if err != nil {
			return uuid.Nil, fmt.Errorf("wait for revocations: %w", err)
		}
		if id, err := uuid.Parse(n.Payload); err == nil {
			return id, nil
		}
	}
}

// Alive reports whether the session can still be used after an error of
// Revocation.
func (s *KeySession) Alive() bool { return !s.conn.IsClosed() }
