package v1

import (
	"context"

	"github.com/assayhq/assay/store"
)

type attemptKey struct{}

// attemptFrom returns the request's claim to its Idempotency-Key; nil when it
// has none.
func attemptFrom(ctx context.Context) *store.Attempt {
	attempt, _ := ctx.Value(attemptKey{}).(*store.Attempt)
	return attempt
}
