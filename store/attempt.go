package store

import (
	"context"

	"github.com/uptrace/bun"
)

// Answer is what a request was answered, as repetitions of it are.
type Answer struct {
	Status   int
	Location string // empty: none
	Body     []byte // JSON; nil: none
}

// Attempt is a request's claim to its Idempotency-Key.
type Attempt struct {
	// Render gives the answer from what the change has made.
	Render func(made any) (Answer, error)
}

// keep saves what the change made as the answer to repetitions of the request,
// in the change's own transaction.
func (a *Attempt) keep(_ context.Context, _ *DB, _ bun.Tx, _ any) error { return nil }
