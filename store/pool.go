package store

import (
	"context"
	"errors"
	"net"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/assayhq/assay/store/seal"
)

// How connections are made and kept.
const (
	defaultMaxConnections = 20
	connectTimeout        = 5 * time.Second
	statementTimeout      = 30 * time.Second
	idleInTransaction     = 15 * time.Second
	peerTimeout           = 15 * time.Second // after which a silent peer is taken for dead
	maxConnLifetime       = 30 * time.Minute
	maxConnIdleTime       = 5 * time.Minute
)

// errBadURL stands in for the parser's error, which may quote a part of the
// connection string and with it of the password.
var errBadURL = errors.New("the connection string can't be read; is every special character of the password percent-encoded?")

// poolConfig turns the options into the pool's configuration.
func poolConfig(o Options) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(o.URL.Reveal())
	if err != nil {
		return nil, errBadURL
	}
	if err := connConfig(config.ConnConfig, o); err != nil {
		return nil, err
	}
	config.AfterConnect = readTimesAsUTC
	config.MaxConns = defaultMaxConnections
	if o.MaxConnections > 0 {
		config.MaxConns = int32(min(o.MaxConnections, 10_000))
	}
	config.MaxConnLifetime = maxConnLifetime
	config.MaxConnLifetimeJitter = maxConnLifetime / 5
	config.MaxConnIdleTime = maxConnIdleTime
	return config, nil
}

// connConfig sets what holds for every connection, whether of the pool or
// made for itself alone. What the connection string sets explicitly stays.
func connConfig(c *pgx.ConnConfig, o Options) error {
	// The default mode would prepare each of Bun's statements, in which the
	// values are literals, and never use one again.
	c.DefaultQueryExecMode = pgx.QueryExecModeExec
	if c.ConnectTimeout == 0 {
		c.ConnectTimeout = connectTimeout
	}
	c.DialFunc = dialer().DialContext
	if c.ValidateConnect == nil && severalHosts(c) {
		c.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	if o.ApplicationName != "" {
		c.RuntimeParams["application_name"] = o.ApplicationName
	}
	c.RuntimeParams["timezone"] = "UTC"
	if o.Pooler { // refuses other settings, and would share them between sessions
		return nil
	}
	setting := func(name string, d time.Duration) {
		if _, set := c.RuntimeParams[name]; !set {
			c.RuntimeParams[name] = strconv.FormatInt(d.Milliseconds(), 10)
		}
	}
	switch {
	case o.StatementTimeout < 0:
		setting("statement_timeout", 0)
	case o.StatementTimeout == 0:
		setting("statement_timeout", statementTimeout)
	default:
		setting("statement_timeout", o.StatementTimeout)
	}
	setting("idle_in_transaction_session_timeout", idleInTransaction)
	return nil
}

// directConfig is the configuration of a single connection outside of a pool.
func directConfig(url seal.Secret, o Options) (*pgx.ConnConfig, error) {
	config, err := pgx.ParseConfig(url.Reveal())
	if err != nil {
		return nil, errBadURL
	}
	return config, connConfig(config, o)
}

// readTimesAsUTC makes the connection return times in UTC; pgx's default is the
// process's own zone.
func readTimesAsUTC(_ context.Context, conn *pgx.Conn) error {
	conn.TypeMap().RegisterType(&pgtype.Type{
		Name: "timestamptz", OID: pgtype.TimestamptzOID,
		Codec: &pgtype.TimestamptzCodec{ScanLocation: time.UTC},
	})
	return nil
}

// severalHosts reports whether the configuration names more than one server;
// one server may well be tried twice, with and without TLS.
func severalHosts(c *pgx.ConnConfig) bool {
	for _, f := range c.Fallbacks {
		if f.Host != c.Host || f.Port != c.Port {
			return true
		}
	}
	return false
}

// dialer notices within peerTimeout that the other side is gone, also in the
// middle of an answer; the system's own default is a quarter of an hour.
func dialer() *net.Dialer {
	return &net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{
			Enable: true, Idle: peerTimeout / 3, Interval: peerTimeout / 3, Count: 2,
		},
		Control: setUserTimeout,
	}
}
