package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"net"
	"strconv"
	"sync"

	"github.com/jackc/pgx/v5"
)

// FreePort returns the wanted port if it is free on loopback, otherwise another
// free one. 0 accepts any. Nothing reserves the port, so it may be taken by the
// time it is used.
func FreePort(ctx context.Context, wanted int) (int, error) {
	var listen net.ListenConfig
	for _, port := range []int{cmp.Or(wanted, quietPort()), quietPort(), quietPort(), 0} {
		l, err := listen.Listen(ctx, "tcp", net.JoinHostPort(loopback, strconv.Itoa(port)))
		if err != nil {
			continue
		}
		address, ok := l.Addr().(*net.TCPAddr)
		if err := l.Close(); err != nil {
			return 0, err
		}
		if ok {
			return address.Port, nil
		}
	}
	return 0, errors.New("no port of " + loopback + " is free")
}

// ChoosePort returns the port to want for the cluster in a folder. It is the same each time.
func ChoosePort(dir string) int {
	h := fnv.New32a()
	h.Write([]byte(dir))
	return firstPort + int(h.Sum32()%portCount)
}

// Ports below those that systems give to outgoing connections.
const firstPort, portCount = 15_000, 15_000

// given are the ports that quietPort has returned.
var given sync.Map

// quietPort returns a port below those that systems give to outgoing connections.
// It returns each port only once, because the caller that got it may not listen on
// it yet.
func quietPort() int {
	for range portCount {
		port := firstPort + rand.IntN(portCount) //nolint:gosec // nothing depends on its secrecy
		if _, taken := given.LoadOrStore(port, true); !taken {
			return port
		}
	}
	return 0 // the system's choice
}

// CheckVersion refuses a server that is too old.
func CheckVersion(ctx context.Context, url string) error {
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		return err
	}
	var version int
	err = conn.QueryRow(ctx, "SELECT current_setting('server_version_num')::int").Scan(&version)
	if err := errors.Join(err, conn.Close(ctx)); err != nil {
		return err
	}
	if version/10000 < oldest {
		return fmt.Errorf("the server runs Postgres %d; %d or newer is needed", version/10000, oldest)
	}
	return nil
}

// EnsureDatabase makes the database when there is none of that name.
func (c *Cluster) EnsureDatabase(ctx context.Context, name string) error {
	conn, err := pgx.Connect(ctx, c.URL("postgres"))
	if err != nil {
		return err
	}
	var exists bool
	err = conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&exists)
	if err == nil && !exists {
		_, err = conn.Exec(ctx, "CREATE DATABASE "+pgx.Identifier{name}.Sanitize())
	}
	return errors.Join(err, conn.Close(ctx))
}
