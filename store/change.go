package store

import (
	"context"
	"encoding/binary"
	"net/netip"
	"slices"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store/event"
)

// Change says on whose behalf a function changes something. Every exported function that changes an
// organization's data through the API takes one.
type Change struct {
	OrganizationID uuid.UUID
	// KeyID is the API key that requests the change, or zero if none does. Once its revocation has
	// been confirmed, nothing commits in its name any more.
	KeyID uuid.UUID
	// PersonID and SessionID are the person who requests the change, and the session. They are zero
	// if a key requests it, or nobody. Once the session's end has been confirmed, nothing commits
	// in its name any more.
	PersonID, SessionID uuid.UUID
	// By is a readable name of the requester: the name of the key or the person, or an operator's
	// command.
	By string
	// Client is the address of the request, or the zero Addr if it is unknown.
	Client netip.Addr
	// RequestID is the id of the request, or empty if there is none.
	RequestID string
	// Attempt is the request's claim to its Idempotency-Key, or nil if it has none.
	Attempt Attempt

	// locks are the spaces of the organization's advisory locks that the transaction takes at its
	// beginning.
	locks []int32
	// reading is the query that is sent in the same message and runs under these locks, or nil.
	reading *reading
}

// Attempt is a request's claim to its Idempotency-Key, of package idempotency.
type Attempt interface {
	// SaveResult saves the change's result as the response to repetitions of the request, in the
	// change's own transaction. It returns ErrFenced if the claim has been lost.
	SaveResult(ctx context.Context, db *DB, tx bun.IDB, made any) error
}

// SystemChange returns a change that neither a key nor a person requests, such as an operator's.
func SystemChange(orgID uuid.UUID) Change { return Change{OrganizationID: orgID, By: systemName} }

// systemName is the actor's name if no command is named.
const systemName = "assay"

// WithLock returns the change with another of the organization's advisory locks. They are taken
// before all other locks except that of the key or session.
func (c Change) WithLock(space int32) Change {
	c.locks = append(slices.Clone(c.locks), space)
	return c
}

// WithRead returns the change with a statement that runs under its locks. Its text must be
// complete, without arguments: see opening.
func (c Change) WithRead(query string, scan func(pgx.Rows) error) Change {
	c.reading = &reading{query, scan}
	return c
}

// Tx is the transaction in which a change is made. Audit records what the change did to an object,
// and Emit announces events. Both are written at the end of the transaction, after everything else
// that takes locks.
type Tx struct {
	bun.Tx
	ledger
	View   viewer // runs a function on the transaction's connection, for what Bun does not support
	events []event.Event
	except uuid.UUID // the endpoint that does not receive them, or zero
}

// Emit announces events, which are delivered to the organization's webhooks once
// the change has been committed.
func (tx *Tx) Emit(events ...event.Event) { tx.events = append(tx.events, events...) }

// EmitToOthers is Emit for a transaction whose events the endpoint does not receive.
func (tx *Tx) EmitToOthers(endpointID uuid.UUID, events ...event.Event) {
	tx.except = endpointID
	tx.Emit(events...)
}

// MakeChange runs fn in a transaction on behalf of c. It commits if fn returns nil, unless the key
// has been revoked or the session has ended. fn records what it changed with Audit. The result of
// fn is stored as the response to later requests with the same Idempotency-Key.
func MakeChange[T any](ctx context.Context, db *DB, c Change, fn func(ctx context.Context, tx *Tx) (T, error)) (made T, err error) {
	return changeOn(ctx, db, db.Connections, c, fn)
}

// MakeKeyChange is like MakeChange on the connections reserved for API keys.
func MakeKeyChange[T any](ctx context.Context, db *DB, c Change, fn func(ctx context.Context, tx *Tx) (T, error)) (made T, err error) {
	return changeOn(ctx, db, db.Keys, c, fn)
}

// changeOn is like MakeChange on the given connections.
func changeOn[T any](ctx context.Context, db *DB, on Connections, c Change, fn func(ctx context.Context, tx *Tx) (T, error)) (made T, err error) {
	err = on.inViewedTx(ctx, c.newOpening(), func(ctx context.Context, bunTx bun.Tx, view viewer) error {
		tx := &Tx{Tx: bunTx, ledger: *newLedger(), View: view}
		if made, err = fn(ctx, tx); err != nil {
			return err
		}
		if c.Attempt != nil {
			if err := c.Attempt.SaveResult(ctx, db, tx, made); err != nil {
				return err
			}
		}
		if err := tx.postEvents(ctx, db, c.OrganizationID); err != nil {
			return err
		}
		return tx.writeEntries(ctx, bunTx, c)
	})
	db.noteReplica(c.OrganizationID) // it may have been committed despite an error
	if err != nil {
		var none T
		return none, err
	}
	return made, nil
}

// postEvents writes the events that were emitted.
func (tx *Tx) postEvents(ctx context.Context, db *DB, orgID uuid.UUID) error {
	if len(tx.events) == 0 {
		return nil
	}
	return tx.View(func(conn *pgx.Conn) error { return db.PostEvents(ctx, conn, orgID, tx.except, tx.events) })
}

// newOpening returns what the change's transaction begins with. Until the transaction has ended, it
// prevents the end of the key or session from being confirmed, and it fails if that has ended
// before. Its lock comes first, so that a transaction that holds other locks never waits for it.
func (c Change) newOpening() *opening {
	o := new(opening)
	o.ask(c.KeyID, `SELECT revoked_at IS NOT NULL FROM api_keys WHERE id = `, ErrKeyRevoked)
	o.ask(c.SessionID, `SELECT ended_at IS NOT NULL FROM sessions WHERE id = `, ErrSessionEnded)
	for _, space := range c.locks {
		o.lock("pg_advisory_xact_lock(%d, %d)", space, OrganizationLock(c.OrganizationID))
	}
	o.reading = c.reading
	return o
}

// KeyLock returns the advisory lock of a key or a session. Two that share one only wait for each
// other's end.
func KeyLock(id uuid.UUID) int64 {
	return int64(binary.BigEndian.Uint64(id[8:]))
}

// OrganizationLock returns the number of an organization's lock. Two organizations that share one
// only wait for each other.
func OrganizationLock(orgID uuid.UUID) int32 {
	return int32(binary.BigEndian.Uint32(orgID[12:]))
}
