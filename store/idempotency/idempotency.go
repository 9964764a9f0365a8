// Package idempotency keeps the responses to requests, so that repetitions of a request with the
// same Idempotency-Key receive its response and change nothing again.
package idempotency

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/seal"
)

// Errors of Claim.
var (
	// ErrForgotten means that the data in the response to the first request with the
	// Idempotency-Key has been deleted since.
	ErrForgotten = errors.New("what was answered has been deleted")
	// ErrKeyReused means that the Idempotency-Key came with another payload before.
	ErrKeyReused = errors.New("Idempotency-Key used with another payload")
	// ErrInProgress means that a request with the same Idempotency-Key is still running.
	ErrInProgress = errors.New("a request with the Idempotency-Key is in progress")
)

// expired selects rows k that have expired. For 24 hours, repetitions of a request receive
// its response.
const expired = `k.created_at <= now() - interval '24 hours'`

// Answer is the response to a request, which repetitions receive too.
type Answer struct {
	Status   int
	Location string // empty if there is none
	Body     []byte // JSON; nil if there is none
}

// Key identifies an operation: requests with an equal key are attempts at the same thing.
type Key struct {
	OrganizationID uuid.UUID
	// KeyID is the API key or the person that makes the request. The same Idempotency-Key of
	// another one of the organization is another attempt.
	KeyID uuid.UUID
	// Route is the method and the path with its ids: the same Idempotency-Key
	// on another object is another attempt.
	Route string
	Key   string // the Idempotency-Key
	// PayloadHash is a hash of the request's content, which must be the same each time.
	PayloadHash [sha256.Size]byte
}

// slotHash returns the hash that identifies the attempt among those of the API key.
func (k Key) slotHash() []byte {
	text := binary.BigEndian.AppendUint32(nil, uint32(len(k.Route)))
	sum := sha256.Sum256(append(append(text, k.Route...), k.Key...))
	return sum[:]
}

// sealBinding returns the binding that ties a stored body to its row.
func (k Key) sealBinding() seal.Binding {
	return seal.Binding{Table: "idempotency_keys", Column: "body", Row: sealedRow(k.KeyID, k.slotHash()), Organization: k.OrganizationID}
}

// Attempt is a request's claim to its Idempotency-Key. It is used by one
// goroutine at a time.
type Attempt struct {
	// Render makes the response from the result of the change.
	Render func(made any) (Answer, error)
	// Subject is the interview or the trader whose data the response may show, unless the result of the
	// change is a Subject. It is nil if there is none.
	Subject *uuid.UUID

	key   Key
	slot  []byte
	token uuid.UUID
	kept  bool
}

// Kept reports whether a response was saved, by a change or by Finish. It is unknown after the
// change has returned an error.
func (a *Attempt) Kept() bool { return a.kept }

// claimTries is how often a claim is tried that collides with others.
const claimTries = 3

// Claim claims the request's operation for the caller, for as long as the lease: it returns
// an attempt, which a change, Finish or Abandon ends. If the operation was completed before, it
// returns the response instead. Of any number of concurrent callers, one gets the attempt. A claim
// whose lease has expired is taken over, and its holder's change will not commit.
//
// It returns ErrKeyReused if the Idempotency-Key came with another payload before, ErrInProgress
// while another caller has the attempt, ErrForgotten if the data in the response was deleted,
// and seal.ErrUnknownKey if the response cannot be opened.
func Claim(ctx context.Context, db *store.DB, k Key, lease time.Duration) (a *Attempt, done *Answer, err error) {
	defer store.WrapError(&err, "claim an attempt for API key %s", k.KeyID)
	if _, err := db.Keyrings(); err != nil {
		return nil, nil, err
	}
	a = &Attempt{key: k, slot: k.slotHash(), token: store.NewID()}
	for range claimTries {
		claimed, err := writeClaim(ctx, db, a, lease)
		if err != nil {
			retractClaim(ctx, db, a)
			return nil, nil, err
		}
		if claimed {
			return a, nil, nil
		}
		done, err = readAnswer(ctx, db, a)
		if !errors.Is(err, pgx.ErrNoRows) { // otherwise it has just been abandoned
			return nil, done, err
		}
	}
	return nil, nil, ErrInProgress
}

// writeClaim writes the claim unless another caller holds one. An attempt that was interrupted can
// be taken over for the same payload only.
func writeClaim(ctx context.Context, db *store.DB, a *Attempt, lease time.Duration) (claimed bool, err error) {
	tag, err := db.Pool.Exec(ctx, `INSERT INTO idempotency_keys AS k (key_id, slot, organization_id, payload_hash, token, locked_until)
VALUES ($1, $2, $3, $4, $5, now() + $6::interval)
ON CONFLICT (key_id, slot) DO UPDATE SET payload_hash = excluded.payload_hash, token = excluded.token, locked_until = excluded.locked_until,
    status = NULL, location = NULL, body = NULL, subject = NULL, created_at = now(), completed_at = NULL
WHERE `+expired+` OR k.completed_at IS NULL AND k.locked_until <= now() AND k.payload_hash = excluded.payload_hash`,
		store.Prepared(db, a.key.KeyID, a.slot, a.key.OrganizationID, a.key.PayloadHash[:], a.token, lease)...)
	return tag.RowsAffected() == 1, err
}

// retractTimeout limits the wait for a database that has just failed.
const retractTimeout = 2 * time.Second

// retractClaim undoes a claim that may stand although the database's response was lost. Otherwise
// nobody would use the claim, and all would wait for the end of its lease.
func retractClaim(ctx context.Context, db *store.DB, a *Attempt) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), retractTimeout)
	defer cancel()
	_ = Abandon(ctx, db, a) // if this fails, the lease ends the claim
}

// readAnswer reads the response of an attempt that could not be claimed.
func readAnswer(ctx context.Context, db *store.DB, a *Attempt) (*Answer, error) {
	var (
		same     bool
		status   *int
		location *string
		sealed   []byte
	)
	keys, err := db.Keyrings()
	if err != nil {
		return nil, err
	}
	err = db.Pool.QueryRow(ctx, `SELECT payload_hash = $3, status, location, body FROM idempotency_keys WHERE key_id = $1 AND slot = $2`,
		store.Prepared(db, a.key.KeyID, a.slot, a.key.PayloadHash[:])...).Scan(&same, &status, &location, &sealed)
	switch {
	case err != nil:
		return nil, err
	case !same:
		return nil, ErrKeyReused
	case status == nil:
		return nil, ErrInProgress
	case *status == statusForgotten:
		return nil, ErrForgotten
	}
	answer := &Answer{Status: *status}
	if location != nil {
		answer.Location = *location
	}
	if sealed == nil {
		return answer, nil
	}
	answer.Body, err = keys.Open(sealed, a.key.sealBinding())
	if err != nil {
		return nil, fmt.Errorf("open the kept answer: %w", err)
	}
	return answer, nil
}

// SaveResult implements store.Attempt: it saves the change's result as the response to repetitions
// of the request. It returns store.ErrFenced if another process has taken the attempt over.
func (a *Attempt) SaveResult(ctx context.Context, db *store.DB, tx bun.IDB, made any) error {
	answer, err := a.Render(made)
	if err != nil {
		return fmt.Errorf("render the answer to keep: %w", err)
	}
	return a.saveAnswer(ctx, db, tx, answer, cmp.Or(subjectOf(made), a.Subject))
}

// subject is implemented by results that show data of a person, which must be removed from
// stored responses when the data is deleted.
type subject interface {
	// SubjectID returns the id of the interview or the trader.
	SubjectID() uuid.UUID
}

// subjectOf returns the interview or trader that the response shows, or nil if it shows none.
func subjectOf(made any) *uuid.UUID {
	s, ok := made.(subject)
	if !ok {
		return nil
	}
	id := s.SubjectID()
	return &id
}

// statusForgotten replaces the status of a response that is no longer sent, because the data in it
// was deleted.
const statusForgotten = 404

// Forget removes the responses that show an interview or a trader. Their requests stay
// recorded, so that repetitions create nothing again.
func Forget(ctx context.Context, tx bun.IDB, subject uuid.UUID) error {
	_, err := tx.NewRaw(`UPDATE idempotency_keys SET status = ?, location = NULL, body = NULL, subject = NULL WHERE subject = ?`, statusForgotten, subject).Exec(ctx)
	return err
}

// saveAnswer saves the response under the attempt's token.
func (a *Attempt) saveAnswer(ctx context.Context, db *store.DB, in bun.IDB, answer Answer, subject *uuid.UUID) (err error) {
	var sealed []byte // nil becomes null
	if answer.Body != nil {
		keys, err := db.Keyrings()
		if err != nil {
			return err
		}
		if sealed, err = keys.Seal(answer.Body, a.key.sealBinding()); err != nil {
			return err
		}
	}
	result, err := in.NewRaw(`UPDATE idempotency_keys SET status = ?, location = nullif(?, ''), body = ?, subject = ?, completed_at = now(), locked_until = NULL
WHERE key_id = ? AND slot = ? AND token = ? AND completed_at IS NULL`,
		answer.Status, answer.Location, sealed, subject, a.key.KeyID, a.slot, a.token).Exec(ctx)
	if err != nil {
		return err
	}
	if store.CountAffected(result) == 0 {
		return store.ErrFenced
	}
	a.kept = true
	return nil
}

// Finish saves the response to a request that has changed nothing. It returns store.ErrFenced if the
// attempt was taken over, or has a response already.
func Finish(ctx context.Context, db *store.DB, a *Attempt, answer Answer) (err error) {
	defer store.WrapError(&err, "finish an attempt of API key %s", a.key.KeyID)
	return a.saveAnswer(ctx, db, db.Bun, answer, a.Subject)
}

// Abandon gives up the attempt, so that the request can be made again at once. It does nothing if
// the attempt was taken over or has a response, for example if a change was committed although its
// caller received an error.
func Abandon(ctx context.Context, db *store.DB, a *Attempt) (err error) {
	defer store.WrapError(&err, "abandon an attempt of API key %s", a.key.KeyID)
	_, err = db.Pool.Exec(ctx, `DELETE FROM idempotency_keys WHERE key_id = $1 AND slot = $2 AND token = $3 AND completed_at IS NULL`,
		store.Prepared(db, a.key.KeyID, a.slot, a.token)...)
	return err
}

// Prune deletes attempts whose responses have expired, in batches, and returns how many.
func Prune(ctx context.Context, db *store.DB) (deleted int64, err error) {
	defer store.WrapError(&err, "prune attempts")
	// The condition checks the time again once a row is locked: another caller may have claimed it
	// meanwhile.
	return db.ExecInBatches(ctx, `DELETE FROM idempotency_keys AS k WHERE `+expired+` AND (k.key_id, k.slot) IN
    (SELECT k.key_id, k.slot FROM idempotency_keys AS k WHERE `+expired+` ORDER BY k.created_at LIMIT $1)`)
}

// sealedRow returns the row to which a stored response is bound: a hash of its primary key with the
// size of an id.
func sealedRow(keyID uuid.UUID, slot []byte) uuid.UUID {
	sum := sha256.Sum256(append(keyID[:], slot...))
	return uuid.UUID(sum[:16])
}

// ParseSealedRow returns the row to which the response with the primary key is bound. The key is
// given as the texts of its columns, key_id and slot.
func ParseSealedRow(key []string) (uuid.UUID, error) {
	keyID, err := uuid.Parse(key[0])
	if err != nil {
		return uuid.Nil, err
	}
	slot, err := hex.DecodeString(strings.TrimPrefix(key[1], `\x`))
	return sealedRow(keyID, slot), err
}
