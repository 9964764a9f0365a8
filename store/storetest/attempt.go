package storetest

import (
	"crypto/sha256"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store"
	"github.com/assayhq/assay/store/idempotency"
)

// AttemptKey returns a key of an attempt, which is the same each time.
func AttemptKey(orgID uuid.UUID) idempotency.Key {
	return idempotency.Key{
		OrganizationID: orgID, KeyID: uuid.MustParse("00000000-0000-7000-8000-000000000001"),
		Route: "POST /v1/things", Key: "k-1", PayloadHash: sha256.Sum256([]byte(`{"a": 1}`)),
	}
}

// Attempt claims an attempt, which must succeed.
func Attempt(t testing.TB, db *store.DB, k idempotency.Key) *idempotency.Attempt {
	t.Helper()
	a, done, err := idempotency.Claim(t.Context(), db, k, time.Minute)
	if err != nil || done != nil || a == nil {
		t.Fatalf("claim: %v, %v, %v; want an attempt", a, done, err)
	}
	return a
}
