package seal

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
)

// NewToken returns a new token of a link or a cookie, 32 random bytes in base64url, and the hash to
// store.
func NewToken() (token Secret, hash []byte) {
	random := make([]byte, 32)
	_, _ = rand.Read(random) // never fails
	text := base64.RawURLEncoding.EncodeToString(random)
	return NewSecret(text), HashToken(text)
}

// HashToken returns the hash of a token, which is stored.
func HashToken(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}
