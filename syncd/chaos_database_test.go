package main_test

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/assayhq/assay/store/storetest"
	"github.com/assayhq/assay/syncd/chaostest"
)

// TestChaosDatabaseCrashes stops the server in the middle of a cycle, as a crash
// does, and starts it again.
func TestChaosDatabaseCrashes(t *testing.T) {
	if testing.Short() {
		t.Skip("crashes a Postgres server")
	}
	chaostest.Fault{Name: "pg_ctl stop -m immediate", Small: 1, Large: 100, Width: 2}.Each(t, func(t *testing.T, r *chaostest.Run) {
		server := storetest.NewServer(t, "")
		trades := r.Between(500, 3000)
		request := int64(r.Between(1, 3+trades/200))
		s := newSceneOn(t, r, storetest.URLOn(t, server.URL), trades, request)
		s.start(t, 2)
		s.begin(t)
		s.await(t, request)
		server.Stop(t, "immediate")
		time.Sleep(time.Duration(r.IntN(3000)) * time.Millisecond) // for how long it is away
		server.Start(t)
		s.reconnect(t)
		s.settled(t)
		s.unharmed(t)
	})
}

// reconnect opens the test's connection again after the database was away.
func (s *scene) reconnect(t *testing.T) {
	t.Helper()
	s.Conn = storetest.Conn(t, s.URL)
}

// TestChaosConnectionLimit takes all connections of the server for a while.
func TestChaosConnectionLimit(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a Postgres server of its own")
	}
	chaostest.Fault{Name: "connection limit reached", Small: 1, Large: 10, Width: 2}.Each(t, func(t *testing.T, r *chaostest.Run) {
		server := storetest.NewServer(t, "", "max_connections=40")
		trades := r.Between(500, 3000)
		s := newSceneOn(t, r, storetest.URLOn(t, server.URL), trades)
		first := s.start(t, 1, "SYNC_REQUESTS_PER_SECOND=10")[0]
		var hogs []*pgx.Conn
		for {
			conn, err := pgx.Connect(t.Context(), server.URL)
			if err != nil {
				break // no connection is left
			}
			hogs = append(hogs, conn)
		}
		t.Cleanup(func() { release(hogs) })
		s.begin(t)
		late := launch(t, s.settings)
		eventually(t, "a syncd that is started now waits", func() bool { return late.log.has("database does not respond, waiting") })
		time.Sleep(time.Duration(r.IntN(3000)) * time.Millisecond) // for how long it lasts
		release(hogs)
		late.await(t)
		s.settled(t)
		if !first.runs() || !late.runs() {
			t.Error("a syncd has ended")
		}
	})
}

func release(conns []*pgx.Conn) {
	for _, c := range conns {
		_ = c.Close(context.Background()) // closed again at the end
	}
}

// TestChaosDiskFull fills the database's disk in the middle of a cycle, and makes
// room again. It fills either the disk of the tables alone, so that writes fail, or
// that of the write-ahead log as well, so that the server stops.
func TestChaosDiskFull(t *testing.T) {
	if testing.Short() {
		t.Skip("fills a disk")
	}
	chaostest.Fault{Name: "disk full", Small: 1, Large: 10, Width: 2}.Each(t, func(t *testing.T, r *chaostest.Run) {
		whole := r.IntN(2) == 0
		size := "160m"
		if whole {
			size = "400m"
		}
		disk := chaostest.MountDisk(t, size)
		home := ""
		if whole {
			home = filepath.Join(disk, "cluster")
			mkdir(t, home)
		}
		server := storetest.NewServer(t, home, "max_wal_size=64MB", "min_wal_size=32MB")
		database := storetest.URLOn(t, server.URL)
		if !whole {
			move(t, server, database, disk)
		}
		s := newSceneOn(t, r, database, r.Between(4000, 8000))
		all := s.start(t, 2, "SYNC_REQUESTS_PER_SECOND=20")
		// Leave a little room.
		filler := filepath.Join(disk, "filler")
		fill(t, filler, int64(r.Between(64<<10, 1<<20)))
		s.begin(t)
		eventually(t, "the disk is full", func() bool {
			return all[0].log.has("database is not available, cycle waits") || all[1].log.has("database is not available, cycle waits") || !server.Running()
		})
		time.Sleep(time.Duration(r.IntN(2000)) * time.Millisecond) // for how long it lasts
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		if whole { // the server does not recover by itself
			if server.Running() {
				server.Stop(t, "immediate")
			}
			server.Start(t)
		}
		s.reconnect(t)
		s.settled(t)
		s.unharmed(t)
	})
}

func mkdir(t *testing.T, path string) {
	t.Helper()
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
}

// move puts the database onto the disk.
func move(t *testing.T, server *storetest.Server, database, disk string) {
	t.Helper()
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(disk, "tables")
	mkdir(t, dir)
	server.Own(t, dir)
	conn := storetest.Conn(t, server.URL)
	for _, statement := range []string{
		`CREATE TABLESPACE small LOCATION '` + dir + `'`,
		`ALTER DATABASE ` + pgx.Identifier{strings.TrimPrefix(u.Path, "/")}.Sanitize() + ` SET TABLESPACE small`,
	} {
		if _, err := conn.Exec(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// fill fills the file's disk except for that much room.
func fill(t *testing.T, path string, left int64) {
	t.Helper()
	var room syscall.Statfs_t
	if err := syscall.Statfs(filepath.Dir(path), &room); err != nil {
		t.Fatal(err)
	}
	n := int64(room.Bavail)*room.Bsize - left
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	chunk := make([]byte, 1<<20)
	for ; n > 0; n -= int64(len(chunk)) {
		if _, err := file.Write(chunk[:min(n, int64(len(chunk)))]); err != nil {
			t.Fatal(err)
		}
	}
}
