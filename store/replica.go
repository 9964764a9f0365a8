package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"
)

// defaultReplicaMaxLag is the default of Options.ReplicaMaxLag.
const defaultReplicaMaxLag = 5 * time.Second

// replica is a replica of the database, with what is known of its progress.
//
// Times are those of this process's clock. At asOf the primary's log had a length that the replica
// has replayed by now: everything that was committed before asOf can be read there. So one
// comparison limits the lag, detects an unavailable replica, and tells whether a certain change has
// arrived.
type replica struct {
	Connections
	maxLag time.Duration
	now    func() time.Time

	fromReplica, fromPrimary, again atomic.Int64 // reads that were permitted to use it

	mu        sync.Mutex
	trail     []logPosition // positions of the primary, oldest first, that have not been replayed
	asOf      time.Time     // zero if unknown
	receiving time.Time     // since when changes of other processes are received; zero if they are not
	changed   map[uuid.UUID]time.Time
}

// logPosition is the length of the primary's log in bytes, at a moment or later.
type logPosition struct {
	at    time.Time
	bytes int64
}

// openReplica prepares the use of a replica. It returns nil if there is none.
func openReplica(ctx context.Context, o Options) (*replica, error) {
	if o.ReplicaURL.IsZero() {
		return nil, nil //nolint:nilnil // nil is no replica
	}
	o.URL = o.ReplicaURL
	config, err := poolConfig(o)
	if err != nil {
		return nil, fmt.Errorf("replica: %w", err)
	}
	if severalHosts(config.ConnConfig) {
		return nil, errors.New("replica: the URL must name one server, because each replica is measured by itself")
	}
	c, err := newConnections(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("replica: %w", err)
	}
	r := &replica{Connections: c, maxLag: defaultReplicaMaxLag, now: time.Now, changed: make(map[uuid.UUID]time.Time)}
	if o.ReplicaMaxLag > 0 {
		r.maxLag = o.ReplicaMaxLag
	}
	return r, nil
}

// close closes the connections. It does nothing for a nil replica.
func (r *replica) close() {
	if r != nil {
		r.Connections.close()
	}
}

// Reader reads an organization's data. A *DB reads from the primary. ReplicaReader returns one that
// may read from a replica.
//
// In all methods, fn may run twice, so it must set all its results each time.
type Reader interface {
	// ReadFrom runs fn on the connections of one database.
	ReadFrom(ctx context.Context, orgID uuid.UUID, fn func(ctx context.Context, on Connections) error) error
	// Read runs fn on one database.
	Read(ctx context.Context, orgID uuid.UUID, fn func(ctx context.Context, in bun.IDB) error) error
	// ReadSnapshot is like Read in a transaction that is a snapshot: see InSnapshot.
	ReadSnapshot(ctx context.Context, orgID uuid.UUID, fn func(ctx context.Context, tx bun.Tx) error) error
	// IsPooled reports whether connections go through a pooler: see Prepared.
	IsPooled() bool
}

// ReadFrom implements Reader.
func (db *DB) ReadFrom(ctx context.Context, _ uuid.UUID, fn func(ctx context.Context, on Connections) error) error {
	return fn(ctx, db.Connections)
}

// Read implements Reader.
func (db *DB) Read(ctx context.Context, _ uuid.UUID, fn func(ctx context.Context, in bun.IDB) error) error {
	return fn(ctx, db.Bun)
}

// ReadSnapshot implements Reader.
func (db *DB) ReadSnapshot(ctx context.Context, _ uuid.UUID, fn func(ctx context.Context, tx bun.Tx) error) error {
	return db.InSnapshot(ctx, fn)
}

// ReplicaReader returns a reader for lists and items on which nothing else depends. It reads from the
// replica while that has all changes of the organization, and otherwise from the primary. Reads that
// decide about a change or about permissions must use the database itself.
func (db *DB) ReplicaReader() Reader {
	if db.replica == nil {
		return db
	}
	return replicaReader{db}
}

// replicaReader reads from the replica of a database that has one.
type replicaReader struct{ db *DB }

// ReadFrom implements Reader. If fn fails on the replica, or finds nothing there, it runs again on the
// primary.
func (r replicaReader) ReadFrom(ctx context.Context, orgID uuid.UUID, fn func(ctx context.Context, on Connections) error) error {
	db, replica := r.db, r.db.replica
	if !replica.isCurrent(orgID) {
		replica.fromPrimary.Add(1)
		return fn(ctx, db.Connections)
	}
	limited, cancel := context.WithTimeout(ctx, replicaReadLimit)
	defer cancel()
	err := fn(limited, replica.Connections)
	if err == nil || ctx.Err() != nil || timedOut(err) {
		replica.fromReplica.Add(1)
		return err
	}
	replica.again.Add(1)
	if Transient(err) || limited.Err() != nil {
		replica.forgetPosition()
	}
	return fn(ctx, db.Connections)
}

// Read implements Reader.
func (r replicaReader) Read(ctx context.Context, orgID uuid.UUID, fn func(ctx context.Context, in bun.IDB) error) error {
	return r.ReadFrom(ctx, orgID, func(ctx context.Context, on Connections) error { return fn(ctx, on.Bun) })
}

// ReadSnapshot implements Reader.
func (r replicaReader) ReadSnapshot(ctx context.Context, orgID uuid.UUID, fn func(ctx context.Context, tx bun.Tx) error) error {
	return r.ReadFrom(ctx, orgID, func(ctx context.Context, on Connections) error { return on.InSnapshot(ctx, fn) })
}

// IsPooled implements Reader.
func (r replicaReader) IsPooled() bool { return r.db.IsPooled() }

// replicaReadLimit limits a read on the replica, whose machine may have disappeared. The primary
// needs enough time to answer instead.
const replicaReadLimit = 5 * time.Second

// timedOut reports whether a statement exceeded its time limit, which it would do again.
func timedOut(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == StateQueryCanceled
}

// isCurrent reports whether the replica is usable, and has all changes of the organization that
// this process has made or received.
func (r *replica) isCurrent(orgID uuid.UUID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.currentFault() == nil && r.asOf.After(r.changed[orgID])
}

// Reasons for not reading from a replica.
var (
	errReplicaUnknown = errors.New("it has not been seen to follow the primary")
	errReplicaDeaf    = errors.New("notifications of changes by other processes do not arrive")
)

// currentFault returns why the replica is not usable, or nil if it is. The caller must have locked
// r.
func (r *replica) currentFault() error {
	switch {
	case r.asOf.IsZero():
		return errReplicaUnknown
	case r.now().Sub(r.asOf) > r.maxLag:
		return fmt.Errorf("it is more than %s behind", r.maxLag)
	case r.receiving.IsZero() || !r.asOf.After(r.receiving):
		return errReplicaDeaf
	}
	return nil
}

// forgetPosition discards what is known, until the next measurement.
func (r *replica) forgetPosition() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trail, r.asOf = nil, time.Time{}
}

// noteReplica notes that the organization has just changed, or may have changed: it is read from
// the primary until the replica has replayed the change.
func (db *DB) noteReplica(orgID uuid.UUID) {
	r := db.replica
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changed[orgID] = r.now()
}

// setReceiving notes that changes of other processes are received from now on, or no longer.
func (db *DB) setReceiving(receiving bool) {
	r := db.replica
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.receiving = time.Time{}
	if receiving {
		r.receiving = r.now()
	}
}

// measureLimit limits how long each of the two servers may take to report its position.
const measureLimit = time.Second

// MeasureReplica compares the replica with the primary, and returns why the replica is not used, or
// nil if it is used or there is none. It should be called a few times a second.
func (db *DB) MeasureReplica(ctx context.Context) (err error) {
	r := db.replica
	if r == nil {
		return nil
	}
	defer WrapError(&err, "measure replica")
	here := logPosition{at: r.now()}
	system, err := r.readPosition(ctx, db.Connections, `SELECT system_identifier, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint FROM pg_control_system()`, &here.bytes)
	if err != nil {
		return fmt.Errorf("primary: %w", err)
	}
	var replayed int64
	copied, err := r.readPosition(ctx, r.Connections, `SELECT system_identifier, CASE WHEN pg_is_in_recovery() THEN coalesce(pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint, 0) ELSE -1 END FROM pg_control_system()`, &replayed)
	switch {
	case err != nil:
	case copied != system:
		err = errors.New("it is not a copy of this database")
	case replayed < 0:
		err = errors.New("it accepts writes, so it is not a replica, or no longer one")
	}
	if err != nil {
		r.forgetPosition()
		return err
	}
	return r.notePosition(here, replayed)
}

// readPosition reads a server's system identifier and position.
func (r *replica) readPosition(ctx context.Context, on Connections, query string, bytes *int64) (system int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, measureLimit)
	defer cancel()
	err = on.Bun.NewRaw(query).Scan(ctx, &system, bytes)
	return system, err
}

// notePosition records the primary's position and then what the replica has replayed, and returns
// the replica's fault.
func (r *replica) notePosition(here logPosition, replayed int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trail = append(r.trail, here)
	n := 0
	for n < len(r.trail) && r.trail[n].bytes <= replayed {
		n++
	}
	if n > 0 {
		r.asOf = r.trail[n-1].at
		r.trail = append(r.trail[:0], r.trail[n:]...)
	}
	if len(r.trail) > maxTrail {
		// The position of a replica that is far behind need not be precise.
		r.trail = append(r.trail[:0], r.trail[len(r.trail)/2:]...)
	}
	for orgID, at := range r.changed {
		if r.asOf.After(at) {
			delete(r.changed, orgID)
		}
	}
	return r.currentFault()
}

// maxTrail limits the stored positions, to a few minutes' worth.
const maxTrail = 1000

// ReplicaStats describes the use of the replica.
type ReplicaStats struct {
	// Used reports whether reads use it at present.
	Used bool
	// Behind is the age of what can be read there. It is negative if unknown, or if there is no
	// replica.
	Behind time.Duration
	// Replica, Primary and Again count the reads that were permitted to use the replica: those that
	// used it, those that used the primary, and those that failed on the replica, or found nothing
	// there, and were repeated on the primary.
	Replica, Primary, Again int64
}

// ReplicaStats returns the replica's state.
func (db *DB) ReplicaStats() ReplicaStats {
	r := db.replica
	if r == nil {
		return ReplicaStats{Behind: -1}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	s := ReplicaStats{Used: r.currentFault() == nil, Behind: -1, Replica: r.fromReplica.Load(), Primary: r.fromPrimary.Load(), Again: r.again.Load()}
	if !r.asOf.IsZero() {
		s.Behind = r.now().Sub(r.asOf)
	}
	return s
}

// HasReplica reports whether there is a replica.
func (db *DB) HasReplica() bool { return db.replica != nil }
