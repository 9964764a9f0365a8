package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"
	"github.com/uptrace/bun"

	"github.com/assayhq/assay/store/seal"
)

// attemptExpired holds for rows k whose time is over: for so long an answer is
// told to repetitions of its request.
const attemptExpired = `k.created_at <= now() - interval '24 hours'`

// Answer is what a request was answered, as repetitions of it are.
type Answer struct {
	Status   int
	Location string // empty: none
	Body     []byte // JSON; nil: none
}

// AttemptKey says what makes two requests attempts at the same thing.
type AttemptKey struct {
	OrganizationID uuid.UUID
	// KeyID is the API key, or the person, that asks. Another one of the
	// organization with the same Idempotency-Key makes another attempt.
	KeyID uuid.UUID
	// Route is the method and the path with its ids: the same Idempotency-Key
	// on another object is another attempt.
	Route string
	Key   string // the Idempotency-Key
	// PayloadHash tells what is asked for. It must be the same each time.
	PayloadHash [sha256.Size]byte
}

// slotHash returns the attempt's place among those of the API key.
func (k AttemptKey) slotHash() []byte {
	text := binary.BigEndian.AppendUint32(nil, uint32(len(k.Route)))
	sum := sha256.Sum256(append(append(text, k.Route...), k.Key...))
	return sum[:]
}

// sealBinding returns the binding that ties a kept body to its row.
func (k AttemptKey) sealBinding() seal.Binding {
	return seal.Binding{Table: "idempotency_keys", Column: "body", Row: attemptRow(k.KeyID, k.slotHash()), Organization: k.OrganizationID}
}

// Attempt is a request's claim to its Idempotency-Key. It is used by one
// goroutine at a time.
type Attempt struct {
	// Render gives the answer from what the change has made.
	Render func(made any) (Answer, error)

	key   AttemptKey
	slot  []byte
	token uuid.UUID
	kept  bool
}

// Kept reports whether an answer was saved, by a change or by Finish. It says
// nothing when the change has returned an error.
func (a *Attempt) Kept() bool { return a.kept }

// claimTries bounds how often a claim is tried that others cross.
const claimTries = 3

// ClaimAttempt makes the caller the one who does what the request asks, for as
// long as the lease: it returns an attempt, which a change, Finish or Abandon
// ends. When that was done before, it returns the answer instead. Of any number
// of callers at a time, one gets the attempt; a claim whose lease has passed is
// taken over, and its holder's change will not commit.
//
// ErrKeyReused when the Idempotency-Key came with another payload before,
// ErrInProgress while another caller has the attempt, ErrAnswerForgotten when what
// the answer showed was deleted, seal.ErrUnknownKey when it cannot be opened.
func (db *DB) ClaimAttempt(ctx context.Context, k AttemptKey, lease time.Duration) (a *Attempt, done *Answer, err error) {
	defer WrapError(&err, "claim an attempt for API key %s", k.KeyID)
	if db.keyring.Load() == nil {
		return nil, nil, errNoKeyring
	}
	a = &Attempt{key: k, slot: k.slotHash(), token: NewID()}
	for range claimTries {
		claimed, err := db.claimAttempt(ctx, a, lease)
		if err != nil {
			db.retractClaim(ctx, a)
			return nil, nil, err
		}
		if claimed {
			return a, nil, nil
		}
		done, err = db.finishedAttempt(ctx, a)
		if !errors.Is(err, pgx.ErrNoRows) { // else it has just been abandoned
			return nil, done, err
		}
	}
	return nil, nil, ErrInProgress
}

// claimAttempt writes the claim unless somebody else's stands. An attempt that
// was given up in the middle can be taken over for the same payload only.
func (db *DB) claimAttempt(ctx context.Context, a *Attempt, lease time.Duration) (claimed bool, err error) {
	tag, err := db.Pool.Exec(ctx, `INSERT INTO idempotency_keys AS k (key_id, slot, organization_id, payload_hash, token, locked_until)
VALUES ($1, $2, $3, $4, $5, now() + $6::interval)
ON CONFLICT (key_id, slot) DO UPDATE SET payload_hash = excluded.payload_hash, token = excluded.token, locked_until = excluded.locked_until,
    status = NULL, location = NULL, body = NULL, subject = NULL, created_at = now(), completed_at = NULL
WHERE `+attemptExpired+` OR k.completed_at IS NULL AND k.locked_until <= now() AND k.payload_hash = excluded.payload_hash`,
		a.key.KeyID, a.slot, a.key.OrganizationID, a.key.PayloadHash[:], a.token, lease)
	return tag.RowsAffected() == 1, err
}

// retractTimeout bounds the wait for a database that has just failed.
const retractTimeout = 2 * time.Second

// retractClaim undoes a claim that may stand although the database's answer to it
// was lost. Nobody would use the claim, and all would wait for the end of its
// lease.
func (db *DB) retractClaim(ctx context.Context, a *Attempt) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), retractTimeout)
	defer cancel()
	_ = db.Abandon(ctx, a) // the lease ends by itself
}

// finishedAttempt reads the answer to an attempt that could not be claimed.
func (db *DB) finishedAttempt(ctx context.Context, a *Attempt) (*Answer, error) {
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
		a.key.KeyID, a.slot, a.key.PayloadHash[:]).Scan(&same, &status, &location, &sealed)
	switch {
	case err != nil:
		return nil, err
	case !same:
		return nil, ErrKeyReused
	case status == nil:
		return nil, ErrInProgress
	case *status == statusForgotten:
		return nil, ErrAnswerForgotten
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

// saveResult saves what the change made as the answer to repetitions of the
// request, in the change's own transaction. It returns ErrFenced when another
// process has taken the attempt over.
func (a *Attempt) saveResult(ctx context.Context, db *DB, tx bun.IDB, made any) error {
	if a == nil {
		return nil
	}
	answer, err := a.Render(made)
	if err != nil {
		return fmt.Errorf("render the answer to keep: %w", err)
	}
	return a.saveAnswer(ctx, db, tx, answer, subjectOf(made))
}

// AnswerSubject is implemented by what an answer shows of a person, and has to
// forget when that is deleted.
type AnswerSubject interface {
	// SubjectID is the id of the interview or the trader.
	SubjectID() uuid.UUID
}

// subjectOf is the interview or trader that the answer about what was made shows;
// nil when it shows none.
func subjectOf(made any) *uuid.UUID {
	s, ok := made.(AnswerSubject)
	if !ok {
		return nil
	}
	id := s.SubjectID()
	return &id
}

// statusForgotten stands in the place of the status of an answer that is told no
// longer, because what it shows was deleted.
const statusForgotten = 404

// ForgetAnswers drops the answers that show an interview or a trader. Their
// requests stay known, so that repetitions make nothing anew.
func ForgetAnswers(ctx context.Context, tx bun.IDB, subject uuid.UUID) error {
	_, err := tx.NewRaw(`UPDATE idempotency_keys SET status = ?, location = NULL, body = NULL, subject = NULL WHERE subject = ?`, statusForgotten, subject).Exec(ctx)
	return err
}

// saveAnswer saves the answer under the attempt's token.
func (a *Attempt) saveAnswer(ctx context.Context, db *DB, in bun.IDB, answer Answer, subject *uuid.UUID) (err error) {
	var sealed []byte // nil is null
	if answer.Body != nil {
		if sealed, err = db.keyring.Load().Seal(answer.Body, a.key.sealBinding()); err != nil {
			return err
		}
	}
	result, err := in.NewRaw(`UPDATE idempotency_keys SET status = ?, location = nullif(?, ''), body = ?, subject = ?, completed_at = now(), locked_until = NULL
WHERE key_id = ? AND slot = ? AND token = ? AND completed_at IS NULL`,
		answer.Status, answer.Location, sealed, subject, a.key.KeyID, a.slot, a.token).Exec(ctx)
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		return cmp.Or(err, ErrFenced)
	}
	a.kept = true
	return nil
}

// Finish saves the answer to a request that has changed nothing. ErrFenced when
// the attempt was taken over, or has an answer already.
func (db *DB) Finish(ctx context.Context, a *Attempt, answer Answer) (err error) {
	defer WrapError(&err, "finish an attempt of API key %s", a.key.KeyID)
	return a.saveAnswer(ctx, db, db.Bun, answer, nil)
}

// Abandon gives the attempt up, so that the request can be made again at once.
// It does nothing when the attempt has an answer, as when a change committed
// whose caller was not told so, or was taken over.
func (db *DB) Abandon(ctx context.Context, a *Attempt) (err error) {
	defer WrapError(&err, "abandon an attempt of API key %s", a.key.KeyID)
	_, err = db.Pool.Exec(ctx, `DELETE FROM idempotency_keys WHERE key_id = $1 AND slot = $2 AND token = $3 AND completed_at IS NULL`,
		a.key.KeyID, a.slot, a.token)
	return err
}

// PruneAttempts deletes attempts whose answers are told no longer, in batches,
// and returns how many went.
func (db *DB) PruneAttempts(ctx context.Context) (deleted int64, err error) {
	defer WrapError(&err, "prune attempts")
	// The time is looked at again once a row is locked: it may have been claimed
	// anew meanwhile.
	return db.ExecInBatches(ctx, `DELETE FROM idempotency_keys AS k WHERE `+attemptExpired+` AND (k.key_id, k.slot) IN
    (SELECT k.key_id, k.slot FROM idempotency_keys AS k WHERE `+attemptExpired+` ORDER BY k.created_at LIMIT $1)`)
}
