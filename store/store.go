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

// Options are the options of Open.
type Options struct {
	// URL is the connection string, as a URL or as keywords and values. It may name several hosts:
	// the first that accepts writes is used.
	URL seal.Secret
	// DirectURL bypasses a pooler, for what needs its own session: migrations and LISTEN. Zero
	// means URL.
	DirectURL seal.Secret
	// Pooler is set if URL leads to a pooler in transaction mode, where neither prepared statements
	// nor session settings outlast a transaction. The timeouts of a session must then be set on the
	// database role.
	Pooler bool
	// ReplicaURL leads to a streaming replica for the reads of ReplicaReader. Zero means that
	// there is none. It must name one server.
	ReplicaURL seal.Secret
	// ReplicaMaxLag is how far the replica may be behind. The default is 5 s.
	ReplicaMaxLag time.Duration
	// MaxConnections limits the connections to URL. The default is 20. API keys have up to four
	// more, so that requests that wait for each other do not prevent keys from being recognized or
	// revoked.
	MaxConnections int
	// Keyring seals and opens the platforms' credentials. If it is nil, neither is possible, which
	// is enough for migrations.
	Keyring *seal.Keyring
	// ApplicationName appears in pg_stat_activity, such as "syncd".
	ApplicationName string
	// StatementTimeout cancels statements that run longer. The default is 30 s; a negative value
	// means no limit.
	StatementTimeout time.Duration
}

// DB is the database. It is safe for concurrent use.
type DB struct {
	Connections
	Keys    Connections // reserved for API keys
	direct  seal.Secret
	pooler  bool
	replica *replica // nil if there is none
	keyring atomic.Pointer[seal.Keyring]
	unknown atomic.Int64 // of earlier keyrings
	board   noticeBoard
}

// Open prepares the use of a database. It connects when the first call needs a connection, so it
// does not fail if Postgres is down, but fails if the connection string cannot be parsed. Close
// must be called.
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

// SetKeyring replaces the keyring while the database is in use.
func (db *DB) SetKeyring(k *seal.Keyring) {
	if before := db.keyring.Swap(k); before != nil && before != k {
		db.unknown.Add(before.Unknown())
	}
}

// UnknownKeys returns how many stored secrets could not be opened so far because the keyring lacked
// their key.
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

// CheckSchema returns ErrSchemaOld if the database lacks a migration that this binary needs. It
// accepts a database that is ahead of the binary, because the previous release can still run after
// every migration.
func (db *DB) CheckSchema(ctx context.Context) (err error) {
	defer WrapError(&err, "check schema")
	defer addAdvice(&err, "make the user a member of its role and run `apiserver migrate` as the owner of the tables (docs/security.md, Database roles)")
	needed, err := migrations.Newest()
	if err != nil {
		return err
	}
	var found int64
	err = db.Bun.NewRaw(`SELECT coalesce(max(version_id) FILTER (WHERE is_applied), 0) FROM goose_db_version`).Scan(ctx, &found)
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

// CheckWritable returns an error if the database accepts no changes, as a standby does.
func (db *DB) CheckWritable(ctx context.Context) (err error) {
	defer WrapError(&err, "check whether the database accepts changes")
	var readOnly bool
	err = db.Bun.NewRaw(`SELECT current_setting('transaction_read_only')::boolean`).Scan(ctx, &readOnly)
	if err == nil && readOnly {
		err = errors.New("the database is read-only: it is a standby, or default_transaction_read_only is set")
	}
	return err
}
