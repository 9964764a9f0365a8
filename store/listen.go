package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// How a server notices that it has lost its client. It must notice later than the client, which has
// given up the session by then, so that the locks never disappear first.
const (
	sessionKeepalive   = 10 * time.Second
	sessionUserTimeout = 20 * time.Second
)

// Listen connects directly to the server, bypassing a pooler, and listens on the channel.
func (db *DB) Listen(ctx context.Context, channel string) (*pgx.Conn, error) {
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
