package access

import (
	"context"
	"fmt"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/store"
)

// keyChannel is where revocations are announced; the payload is the key's id.
const keyChannel = "api_key_revoked"

// KeySession is a process's session of its own, in which it holds a shared
// lock for each API key that it serves, and hears of revocations. A revocation
// is confirmed when nobody holds the key's lock any more.
//
// It is used by one goroutine at a time. After an error of any method, but for
// Revocation's when the session is still Alive, the session and with it every
// lock may be gone.
type KeySession struct{ conn *pgx.Conn }

// OpenKeySession connects past the pooler, if there is one. Close must be called.
func OpenKeySession(ctx context.Context, db *store.DB) (s *KeySession, err error) {
	defer store.WrapError(&err, "open key session")
	conn, err := db.Listen(ctx, keyChannel)
	if err != nil {
		return nil, err
	}
	return &KeySession{conn}, nil
}

// Close ends the session and gives its locks back.
func (s *KeySession) Close(ctx context.Context) error { return s.conn.Close(ctx) }

// Hold takes a share of the key's lock; false while a revocation of the key is
// being confirmed.
func (s *KeySession) Hold(ctx context.Context, keyID uuid.UUID) (held bool, err error) {
	defer store.WrapError(&err, "hold API key %s", keyID)
	err = s.conn.QueryRow(ctx, `SELECT pg_try_advisory_lock_shared($1)`, store.KeyLock(keyID)).Scan(&held)
	return held, err
}

// Release gives a share of the key's lock back.
func (s *KeySession) Release(ctx context.Context, keyID uuid.UUID) (err error) {
	defer store.WrapError(&err, "release API key %s", keyID)
	_, err = s.conn.Exec(ctx, `SELECT pg_advisory_unlock_shared($1)`, store.KeyLock(keyID))
	return err
}

// Ping asks the server for a sign of life.
func (s *KeySession) Ping(ctx context.Context) error { return s.conn.Ping(ctx) }

// Revocation waits for the next revocation. When ctx ends first the session
// lives on, and the error is ctx's.
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
