package store

import (
	"context"
	"encoding/binary"
	"fmt"
	"net/netip"

	"github.com/google/uuid"
	"github.com/uptrace/bun"
)

// Change says for whom a method changes something. Every exported method that
// changes what belongs to an organization through the API takes one.
type Change struct {
	OrganizationID uuid.UUID
	// KeyID is the API key that asks for the change; zero when none does. Once
	// its revocation has been confirmed, nothing commits in its name any more.
	KeyID uuid.UUID
	// PersonID is the person who asks; zero when none does.
	PersonID uuid.UUID
	// By is who asks, in the words of people: the key's or the person's name, or
	// the command that an operator has given.
	By string
	// Client is the address that asks; the zero Addr when it is not known.
	Client netip.Addr
	// RequestID of the request that asks; empty when none does.
	RequestID string
	// Attempt is the request's claim to its Idempotency-Key; nil when it has none.
	Attempt *Attempt
}

// SystemChange is a change in the name of no key and no person, such as an
// operator's.
func SystemChange(orgID uuid.UUID) Change { return Change{OrganizationID: orgID, By: systemName} }

// systemName is who makes a change when no command is named.
const systemName = "assay"

// change runs fn in a transaction, on behalf of c: what it did is committed
// when fn returns nil, unless the key has been revoked. What it returns is what
// a later request with the same Idempotency-Key will be told. What it has done
// it must note with audit.
func change[T any](ctx context.Context, db *DB, c Change, fn func(ctx context.Context, tx bun.Tx) (T, error)) (made T, err error) {
	return changeOn(ctx, db, db.connections, c, fn)
}

// changeOn is change on some of the connections.
func changeOn[T any](ctx context.Context, db *DB, on connections, c Change, fn func(ctx context.Context, tx bun.Tx) (T, error)) (made T, err error) {
	err = on.inTx(ctx, func(ctx context.Context, tx bun.Tx) error {
		if err := guardKey(ctx, tx, c.KeyID); err != nil {
			return err
		}
		ctx, done := withLedger(ctx)
		if made, err = fn(ctx, tx); err != nil {
			return err
		}
		if err := c.Attempt.keep(ctx, db, tx, made); err != nil {
			return err
		}
		return done.write(ctx, tx, c)
	})
	if err != nil {
		var none T
		return none, err
	}
	return made, nil
}

// guardKey keeps the key's revocation from being confirmed until the
// transaction has ended, and refuses to go on when the key has been revoked.
// The two are statements of their own: the second sees what was committed
// while the first waited. It comes first in the transaction, so that who holds
// other locks never waits for this one.
func guardKey(ctx context.Context, tx bun.Tx, keyID uuid.UUID) error {
	if keyID == uuid.Nil {
		return nil
	}
	if _, err := tx.NewRaw(`SELECT pg_advisory_xact_lock_shared(?)`, keyLock(keyID)).Exec(ctx); err != nil {
		return err
	}
	var revoked bool
	if err := tx.NewRaw(`SELECT revoked_at IS NOT NULL FROM api_keys WHERE id = ?`, keyID).Scan(ctx, &revoked); err != nil {
		return fmt.Errorf("read the key again: %w", err)
	}
	if revoked {
		return ErrKeyRevoked
	}
	return nil
}

// keyLock is the advisory lock of a key. Two keys that share one only wait for
// each other's revocation.
func keyLock(id uuid.UUID) int64 {
	return int64(binary.BigEndian.Uint64(id[8:]))
}
