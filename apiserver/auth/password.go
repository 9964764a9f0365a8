package auth

import (
	"crypto/rand"
	"fmt"

	"github.com/alexedwards/argon2id"

	"github.com/assayhq/assay/store/seal"
)

// The cost of a password hash (RFC 9106, section 4: its second choice with a
// pass less and half the threads, about 50 ms). The figures stand in every
// hash, so a change here leaves old ones readable.
const (
	hashMemory  = 64 << 10 // KiB
	hashPasses  = 2
	hashThreads = 2
	saltLength  = 16
	hashLength  = 32
)

// NewPassword returns a random password of 26 letters and digits, 130 bits.
func NewPassword() seal.Secret { return seal.NewSecret(rand.Text()) }

// HashPassword returns the argon2id hash of a password in its standard text
// form, which holds salt and parameters.
func HashPassword(password seal.Secret) (string, error) {
	hash, err := argon2id.CreateHash(password.Reveal(), &argon2id.Params{
		Memory: hashMemory, Iterations: hashPasses, Parallelism: hashThreads,
		SaltLength: saltLength, KeyLength: hashLength,
	})
	if err != nil {
		return "", fmt.Errorf("hash password: %w", err)
	}
	return hash, nil
}
