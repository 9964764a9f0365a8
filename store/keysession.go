package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
)

// keyChannel is where revocations are announced; the payload is the key's id.
const keyChannel = "api_key_revoked"

// How a server that has lost its client notices: later than the client has
// given the session up (KeySession), so that its locks never go first.
const (
	sessionKeepalive   = 10 * time.Second
	sessionUserTimeout = 20 * time.Second
)

// KeySession is a process's session of its own, in which it holds a shared
// lock for each API key that it serves, and hears of revocations. A revocation
// is confirmed when nobody holds the key's lock any more.
//
// It is used by one goroutine at a time. After an error of any method, but for
// Revocation's when the session is still Alive, the session and with it every
// lock may be gone.
type KeySession struct{ conn *pgx.Conn }

// OpenKeySession connects past the pooler, if there is one. Close must be called.
func (db *DB) OpenKeySession(ctx context.Context) (s *KeySession, err error) {
	defer WrapError(&err, "open key session")
	conn, err := db.listen(ctx, keyChannel)
	if err != nil {
		return nil, err
	}
	return &KeySession{conn}, nil
}

// listen connects past the pooler, if there is one, and listens on the channel.
func (db *DB) listen(ctx context.Context, channel string) (*pgx.Conn, error) {
	config, err := directConfig(db.direct, Options{ApplicationName: db.Pool.Config().ConnConfig.RuntimeParams["application_name"]})
	if err != nil {
		return nil, err
	}
	milliseconds := func(d time.Duration) string { return fmt.Sprint(d.Milliseconds()) }
	seconds := func(d time.Duration) string { return fmt.Sprint(int(d.Seconds())) }
	config.RuntimeParams["tcp_keepalives_idle"] = seconds(sessionKeepalive)
	config.RuntimeParams["tcp_keepalives_interval"] = seconds(sessionKeepalive / 2)
	config.RuntimeParams["tcp_keepalives_count"] = "2"
	config.RuntimeParams["tcp_user_timeout"] = milliseconds(sessionUserTimeout)
	conn, err := pgx.ConnectConfig(ctx, config)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, `LISTEN `+channel); err != nil {
		_ = conn.Close(ctx)
		return nil, err
	}
	return conn, nil
}

// Close ends the session and gives its locks back.
func (s *KeySession) Close(ctx context.Context) error { return s.conn.Close(ctx) }

// Hold takes a share of the key's lock; false while a revocation of the key is
// being confirmed.
func (s *KeySession) Hold(ctx context.Context, keyID uuid.UUID) (held bool, err error) {
	defer WrapError(&err, "hold API key %s", keyID)
	err = s.conn.QueryRow(ctx, `SELECT pg_try_advisory_lock_shared($1)`, keyLock(keyID)).Scan(&held)
	return held, err
}

// Release gives a share of the key's lock back.
func (s *KeySession) Release(ctx context.Context, keyID uuid.UUID) (err error) {
	defer WrapError(&err, "release API key %s", keyID)
	_, err = s.conn.Exec(ctx, `SELECT pg_advisory_unlock_shared($1)`, keyLock(keyID))
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
