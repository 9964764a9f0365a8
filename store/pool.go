package store

import (
	"context"
	"errors"
	"net"
	"strconv"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"github.com/assayhq/assay/store/seal"
)

// Settings of connections.
const (
	defaultMaxConnections = 20
	connectTimeout        = 5 * time.Second
	statementTimeout      = 30 * time.Second
	idleInTransaction     = 15 * time.Second
	peerTimeout           = 15 * time.Second // after which a silent peer is considered dead
	maxConnLifetime       = 30 * time.Minute
	maxConnIdleTime       = 5 * time.Minute
)

// keyConnections is how many connections are reserved for API keys.
const keyConnections = 4

// Connections are a pool, and Bun's handle on it.
type Connections struct {
	Pool *pgxpool.Pool
	Bun  *bun.DB
}

// newConnections prepares a pool, which connects when it is used.
func newConnections(ctx context.Context, config *pgxpool.Config) (Connections, error) {
	pool, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return Connections{}, err
	}
	return Connections{pool, bun.NewDB(openBinding(pool), bindingDialect{pgdialect.New()})}, nil
}

// close waits for the calls in progress and closes all connections.
func (c Connections) close() {
	// The handle on the pool holds no connection of its own, so its error is of no use to a caller.
	_ = c.Bun.Close()
	c.Pool.Close()
}

// InTx runs fn in a transaction that commits if fn returns nil.
func (c Connections) InTx(ctx context.Context, fn func(ctx context.Context, tx bun.Tx) error) error {
	return c.Bun.RunInTx(ctx, nil, fn)
}

// errBadURL replaces the parser's error, which may quote a part of the connection string and of the
// password.
var errBadURL = errors.New("the connection string can't be read; is every special character of the password percent-encoded, and can every file that sslrootcert, sslcert or sslkey names be read?")

// poolConfig turns the options into the pool's configuration.
func poolConfig(o Options) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(o.URL.Reveal())
	if err != nil {
		return nil, errBadURL
	}
	connConfig(config.ConnConfig, o)
	config.AfterConnect = registerTypes
	config.MaxConns = defaultMaxConnections
	if o.MaxConnections > 0 {
		config.MaxConns = int32(min(o.MaxConnections, 10_000))
	}
	config.MaxConnLifetime = maxConnLifetime
	config.MaxConnLifetimeJitter = maxConnLifetime / 5
	config.MaxConnIdleTime = maxConnIdleTime
	return config, nil
}

// connConfig sets the options of every connection, inside and outside of the pool. Explicit
// settings in the connection string are not changed.
func connConfig(c *pgx.ConnConfig, o Options) {
	// The default mode would prepare each of Bun's statements, which contain numbers and times as
	// literals, so that none would be used again.
	c.DefaultQueryExecMode = pgx.QueryExecModeExec
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = connectTimeout
	}
	c.DialFunc = newDialer().DialContext
	if c.ValidateConnect == nil && severalHosts(c) {
		c.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	if o.ApplicationName != "" {
		c.RuntimeParams["application_name"] = o.ApplicationName
	}
	// Whatever the server's defaults are, these are how times and texts are read and written.
	// PgBouncer knows all four and keeps them for each client.
	c.RuntimeParams["timezone"] = "UTC"
	c.RuntimeParams["datestyle"] = "ISO"
	c.RuntimeParams["client_encoding"] = "UTF8"
	c.RuntimeParams["standard_conforming_strings"] = "on"
	if o.Pooler { // a pooler refuses other settings, and would share them between sessions
		return
	}
	setting := func(name, value string) {
		if _, set := c.RuntimeParams[name]; !set {
			c.RuntimeParams[name] = value
		}
	}
	inMilliseconds := func(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
	switch {
	case o.StatementTimeout < 0:
		setting("statement_timeout", "0")
	case o.StatementTimeout == 0:
		setting("statement_timeout", inMilliseconds(statementTimeout))
	default:
		setting("statement_timeout", inMilliseconds(o.StatementTimeout))
	}
	setting("idle_in_transaction_session_timeout", inMilliseconds(idleInTransaction))
	// Postgres compiles statements that it expects to be expensive. It expects that of the search for
	// peers, which then takes a second and a half instead of milliseconds.
	setting("jit", "off")
}

// directConfig returns the configuration of a single connection outside of a pool.
func directConfig(url seal.Secret, o Options) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(url.Reveal())
	if err != nil {
		return nil, errBadURL
	}
	connConfig(config, o)
	return config, nil
}

// registerTypes sets how a new connection reads and writes values: times are returned in UTC, where
// pgx's default is the process's own zone, and lists of ids are known to unprepared statements,
// too.
func registerTypes(_ context.Context, conn *pgx.Conn) error {
	types := conn.TypeMap()
	types.RegisterType(&pgtype.Type{
		Name: "timestamptz", OID: pgtype.TimestamptzOID,
		Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
	})
	types.RegisterDefaultPgType(uuid.UUID{}, "uuid")
	types.RegisterDefaultPgType([]uuid.UUID(nil), "_uuid")
	return nil
}

// severalHosts reports whether the configuration names more than one server. A single server may be
// tried twice, with and without TLS.
func severalHosts(c *pgx.ConnConfig) bool {
	for _, f := range c.Fallbacks {
		if f.Host != c.Host || f.Port != c.Port {
			return true
		}
	}
	return false
}

// newDialer returns a dialer whose connections detect within peerTimeout that the peer is gone,
// even in the middle of a response. The system's own default is a quarter of an hour.
func newDialer() *net.Dialer {
	return &net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{
			Enable: true, Idle: peerTimeout / 3, Interval: peerTimeout / 3, Count: 2,
		},
		Control: setUserTimeout,
	}
}

// IsPooled reports whether connections go through a pooler, where no prepared statement outlasts a
// transaction.
func (db *DB) IsPooled() bool { return db.pooler }

// Prepared requests a prepared statement if the reader's connections permit it. It is for statements
// that run again and again.
func Prepared(r interface{ IsPooled() bool }, args ...any) []any {
	if r.IsPooled() {
		return args
	}
	return append([]any{pgx.QueryExecModeCacheStatement}, args...)
}
