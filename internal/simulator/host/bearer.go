package host

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
)

// Bearer is the API key that a platform expects, hashed.
type Bearer [sha256.Size]byte

// NewBearer hashes a key.
func NewBearer(key string) Bearer { return sha256.Sum256([]byte(key)) }

// Allows compares the key of a request in constant time. Both keys are hashed
// first, so that not even their lengths show in the time it takes.
func (b Bearer) Allows(r *http.Request) bool {
	scheme, key, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	sum := sha256.Sum256([]byte(strings.TrimSpace(key)))
	same := subtle.ConstantTimeCompare(sum[:], b[:]) == 1
	return same && strings.EqualFold(scheme, "Bearer")
}
