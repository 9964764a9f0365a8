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

// defaultReplicaMaxLag is how far behind a replica may be that is read from.
const defaultReplicaMaxLag = 5 * time.Second

// replica is a copy of the database that follows it, and what is known of how far
// it has come.
//
// Times are those of this process's own clock. At asOf the primary's log had a
// length that the replica has replayed by now: whatever was committed before asOf
// can be read there. So one comparison bounds the lag, finds a replica that is
// away, and tells whether a certain change has arrived.
type replica struct {
	Connections
	maxLag time.Duration
	now    func() time.Time

	fromReplica, fromPrimary, again atomic.Int64 // reads that were allowed to use it

	mu      sync.Mutex
	trail   []logPosition // of the primary, the oldest first, that have not been replayed
	asOf    time.Time     // zero: nothing is known
	heard   time.Time     // since when other processes' changes are heard of; zero: they are not
	changed map[uuid.UUID]time.Time
}

// logPosition is the length of the primary's log in bytes, at a moment or later.
type logPosition struct {
	at    time.Time
	bytes int64
}

// openReplica prepares the use of a replica; nil when there is none.
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
		return nil, errors.New("replica: the URL must name one server: what is known of one says nothing about another")
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

// close closes its connections; a nil replica has none.
func (r *replica) close() {
	if r != nil {
		r.Connections.close()
	}
}

type replicaKey struct{}

// AllowReplica lets reads under the context come from a replica: lists and items
// of which nothing else depends. Reads that decide about a change, or about who
// may do what, must not be under it.
func AllowReplica(ctx context.Context) context.Context {
	return context.WithValue(ctx, replicaKey{}, true)
}

// ReadFrom runs fn on the connections that may serve a read of the organization.
// These are the replica's where AllowReplica and the replica's state let it, and
// the primary's otherwise. What fails on the replica, or is not found there, is
// read again on the primary, so fn may run twice and must set its results anew.
func (db *DB) ReadFrom(ctx context.Context, orgID uuid.UUID, fn func(ctx context.Context, on Connections) error) error {
	r := db.replica
	if r == nil || ctx.Value(replicaKey{}) == nil {
		return fn(ctx, db.Connections)
	}
	if !r.isCurrent(orgID) {
		r.fromPrimary.Add(1)
		return fn(ctx, db.Connections)
	}
	limited, cancel := context.WithTimeout(ctx, replicaReadLimit)
	defer cancel()
	err := fn(limited, r.Connections)
	if err == nil || ctx.Err() != nil || timedOut(err) {
		r.fromReplica.Add(1)
		return err
	}
	r.again.Add(1)
	if Transient(err) || limited.Err() != nil {
		r.forgetPosition()
	}
	return fn(ctx, db.Connections)
}

// Read runs fn on the database that may serve a read of the organization: the
// replica where AllowReplica and its state let it, else the primary. fn may run
// twice, so it must set its results anew.
func (db *DB) Read(ctx context.Context, orgID uuid.UUID, fn func(ctx context.Context, in bun.IDB) error) error {
	return db.ReadFrom(ctx, orgID, func(ctx context.Context, on Connections) error { return fn(ctx, on.Bun) })
}

// replicaReadLimit bounds a read on the replica, whose machine may have gone without
// a word: the primary has to have time to answer in its place.
const replicaReadLimit = 5 * time.Second

// timedOut reports whether a statement took longer than it may; it would again.
func timedOut(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == StateQueryCanceled
}

// ReadSnapshot is read in a transaction that is a snapshot: see inSnapshot.
func (db *DB) ReadSnapshot(ctx context.Context, orgID uuid.UUID, fn func(ctx context.Context, tx bun.Tx) error) error {
	return db.ReadFrom(ctx, orgID, func(ctx context.Context, on Connections) error { return on.InSnapshot(ctx, fn) })
}

// isCurrent reports whether the replica is fit, and holds all changes of the
// organization that this process has made or heard of.
func (r *replica) isCurrent(orgID uuid.UUID) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.currentFault() == nil && r.asOf.After(r.changed[orgID])
}

// Why a replica is not read from.
var (
	errReplicaUnknown = errors.New("it has not been seen to follow")
	errReplicaDeaf    = errors.New("changes of other processes are not heard of")
)

// currentFault returns why the replica is not fit, or nil when it is. The caller
// has locked r.
func (r *replica) currentFault() error {
	switch {
	case r.asOf.IsZero():
		return errReplicaUnknown
	case r.now().Sub(r.asOf) > r.maxLag:
		return fmt.Errorf("it is more than %s behind", r.maxLag)
	case r.heard.IsZero() || !r.asOf.After(r.heard):
		return errReplicaDeaf
	}
	return nil
}

// forgetPosition forgets what is known, until it has been measured anew.
func (r *replica) forgetPosition() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.trail, r.asOf = nil, time.Time{}
}

// noteReplica notes that the organization has just changed, or may have: it is
// read on the primary until the replica has come that far.
func (db *DB) noteReplica(orgID uuid.UUID) {
	r := db.replica
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.changed[orgID] = r.now()
}

// hearReplica notes that changes of other processes are heard of from now on, or
// no longer.
func (db *DB) hearReplica(heard bool) {
	r := db.replica
	if r == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.heard = time.Time{}
	if heard {
		r.heard = r.now()
	}
}

// measureLimit bounds how long each of the two servers may take to tell its
// position.
const measureLimit = time.Second

// MeasureReplica compares the replica with the primary, and returns why it is not
// read from; nil when it is, or there is none. It is to be called a few times a
// second.
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
		err = errors.New("it is no copy of this database")
	case replayed < 0:
		err = errors.New("it takes writes: it is not a replica, or not any more")
	}
	if err != nil {
		r.forgetPosition()
		return err
	}
	return r.notePosition(here, replayed)
}

// readPosition asks a server for its system's identifier and its position.
func (r *replica) readPosition(ctx context.Context, on Connections, query string, bytes *int64) (system int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, measureLimit)
	defer cancel()
	err = on.Pool.QueryRow(ctx, query).Scan(&system, bytes)
	return system, err
}

// notePosition notes the primary's position and what the replica has replayed, in
// this order, and returns the replica's fault.
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
		// One that is far behind need not be known to the moment.
		r.trail = append(r.trail[:0], r.trail[len(r.trail)/2:]...)
	}
	for orgID, at := range r.changed {
		if r.asOf.After(at) {
			delete(r.changed, orgID)
		}
	}
	return r.currentFault()
}

// maxTrail bounds the positions that are kept: some minutes' worth.
const maxTrail = 1000

// ReplicaStats describes the use of the replica.
type ReplicaStats struct {
	// Used is whether reads go to it at present.
	Used bool
	// Behind is the age of what can be read there; negative: not known, or there is
	// no replica.
	Behind time.Duration
	// Replica, Primary and Again count the reads that might go to the replica: those
	// that did, those that went to the primary, and those that failed there, or
	// found nothing, and were made again on the primary.
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

// HasReplica reports whether there is a replica to be read from.
func (db *DB) HasReplica() bool { return db.replica != nil }
