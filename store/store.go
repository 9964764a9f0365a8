package store

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/assayhq/assay/store/migrations"
	"github.com/assayhq/assay/store/seal"
)

// Options says which database to use and how.
type Options struct {
	// URL is the connection string, as a URL or as keywords and values.
	// Several hosts may be named: the first that takes writes is used.
	URL seal.Secret
	// DirectURL leads past a pooler, for what needs a session of its own:
	// migrations and LISTEN. Zero: URL.
	DirectURL seal.Secret
	// Pooler is set when URL leads to a pooler in transaction mode, where
	// neither prepared statements nor session settings outlast a transaction.
	// The timeouts of a session then have to be set on the database role.
	Pooler bool
	// ReplicaURL leads to a streaming replica, from which reads may come that
	// AllowReplica lets. Zero: there is none. It must name one server.
	ReplicaURL seal.Secret
	// ReplicaMaxLag is how old what is read there may be; default 5 s.
	ReplicaMaxLag time.Duration
	// MaxConnections bounds the connections to URL; default 20. What concerns
	// API keys has up to four more, so that requests that wait for each other
	// keep nobody from being recognized, or from revoking a key.
	MaxConnections int
	// Keyring seals and opens the platforms' credentials. Nil: neither can be
	// done, which is enough for migrations.
	Keyring *seal.Keyring
	// ApplicationName shows in pg_stat_activity, such as "syncd".
	ApplicationName string
	// StatementTimeout ends statements that run longer; default 30 s, negative
	// for none.
	StatementTimeout time.Duration
}

// DB is the database. It is safe for concurrent use.
type DB struct {
	Connections
	Keys    Connections // for what concerns API keys
	direct  seal.Secret
	pooler  bool
	replica *replica // nil: there is none
	keyring atomic.Pointer[seal.Keyring]
	unknown atomic.Int64 // of the keyrings before
	board   noticeBoard
}

// Open prepares the use of a database. It connects when the first call needs a
// connection, so it does not fail when Postgres is down; it fails when the
// connection string can't be read. Close must be called.
func Open(ctx context.Context, o Options) (*DB, error) {
	config, err := poolConfig(o)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	all, err := newConnections(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	config = config.Copy()
	config.MaxConns = keyConnections
	keys, err := newConnections(ctx, config)
	if err != nil {
		all.close()
		return nil, fmt.Errorf("open database: %w", err)
	}
	follower, err := openReplica(ctx, o)
	if err != nil {
		keys.close()
		all.close()
		return nil, fmt.Errorf("open database: %w", err)
	}
	direct := o.DirectURL
	if direct.IsZero() {
		direct = o.URL
	}
	db := &DB{Connections: all, Keys: keys, direct: direct, pooler: o.Pooler, replica: follower}
	db.keyring.Store(o.Keyring)
	return db, nil
}

// SetKeyring replaces the keyring, while the database is in use.
func (db *DB) SetKeyring(k *seal.Keyring) {
	if before := db.keyring.Swap(k); before != nil && before != k {
		db.unknown.Add(before.Unknown())
	}
}

// UnknownKeys counts the stored secrets that could not be opened so far because
// the keyring lacked their key.
func (db *DB) UnknownKeys() int64 {
	n := db.unknown.Load()
	if k := db.keyring.Load(); k != nil {
		n += k.Unknown()
	}
	return n
}

// Close waits for the calls in progress and closes all connections.
func (db *DB) Close() {
	db.closeBoard()
	db.replica.close()
	db.Keys.close()
	db.close()
}

// Ping asks the database for a sign of life.
func (db *DB) Ping(ctx context.Context) (err error) {
	defer WrapError(&err, "ping database")
	return db.Pool.Ping(ctx)
}

// CheckSchema returns ErrSchemaOld when the database lacks a migration that
// this binary needs. A database that is ahead of the binary is fine: changes
// are made so that the previous release still runs on them.
func (db *DB) CheckSchema(ctx context.Context) (err error) {
	defer WrapError(&err, "check schema")
	needed, err := migrations.Newest()
	if err != nil {
		return err
	}
	var found int64
	err = db.Pool.QueryRow(ctx, `SELECT coalesce(max(version_id) FILTER (WHERE is_applied), 0) FROM goose_db_version`).Scan(&found)
	switch {
	case HasState(err, stateUndefinedTable):
		return ErrSchemaOld
	case err != nil:
		return err
	case found < needed:
		return fmt.Errorf("%w (found version %d, needed %d)", ErrSchemaOld, found, needed)
	}
	return nil
}

// errNoKeyring is what sealing or opening gives in a process without a keyring.
var errNoKeyring = errors.New("no keyring is configured")
