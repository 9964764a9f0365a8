package storetest

import (
	"context"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Clock is a test's clock, which is ahead of the machine's by as much as the test has advanced it.
// A database and a process use it, so that a test can skip hours of waiting. It is safe for
// concurrent use.
type Clock struct {
	mu    sync.Mutex
	conn  *pgx.Conn
	ahead time.Duration
}

// clockSQL replaces Postgres's own functions: connections with the search path that OwnClock
// returns find these first.
const clockSQL = `CREATE SCHEMA own_clock;
CREATE TABLE own_clock.ahead (by interval NOT NULL);
INSERT INTO own_clock.ahead VALUES ('0');
CREATE FUNCTION own_clock.now() RETURNS timestamptz STABLE LANGUAGE sql AS 'SELECT pg_catalog.now() + (SELECT by FROM own_clock.ahead)';
CREATE FUNCTION own_clock.clock_timestamp() RETURNS timestamptz VOLATILE LANGUAGE sql AS 'SELECT pg_catalog.clock_timestamp() + (SELECT by FROM own_clock.ahead)'`

// OwnClock gives a test's database its own clock. It returns a URL whose connections use that
// clock.
func OwnClock(t testing.TB, databaseURL string) (ownURL string, c *Clock) {
	t.Helper()
	c = &Clock{conn: Conn(t, databaseURL)}
	if _, err := c.conn.Exec(context.Background(), clockSQL); err != nil {
		t.Fatalf("make a clock: %v", err)
	}
	u, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("search_path", "own_clock,public,pg_catalog")
	u.RawQuery = q.Encode()
	return u.String(), c
}

// Now returns the clock's time.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Now().Add(c.ahead)
}

// Advance advances the clock. It ignores durations below 0.
func (c *Clock) Advance(t testing.TB, d time.Duration) {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ahead += max(d, 0)
	if _, err := c.conn.Exec(context.Background(), `UPDATE own_clock.ahead SET by = $1`, c.ahead); err != nil {
		t.Errorf("move the clock: %v", err)
	}
}
