package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"hash/crc32"
	"math/big"
	"strings"

	"github.com/assayhq/assay/store/seal"
)

// The parts of a key. The fixed prefix lets scanners for leaked secrets find a key, and the
// checksum distinguishes a damaged key from an unknown one without a look-up.
const (
	keyPrefix    = "svc_live_"
	randomDigits = 43 // base62 digits of 32 random bytes
	sumDigits    = 6  // base62 digits of a CRC-32
	keyLength    = len(keyPrefix) + randomDigits + sumDigits
	shownLength  = 15 // characters of a key that may be shown and that are stored
	base62       = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// ErrMalformed is returned by ParseKey and ParseToken for a text that cannot be valid.
var ErrMalformed = errors.New("malformed API key")

// Key is a well-formed API key. Its check digits catch typing mistakes and guesses without a
// database look-up. They prove nothing.
type Key struct{ text string }

// NewKey returns a key of 256 random bits.
func NewKey() Key {
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails: the process crashes instead
	body := keyPrefix + encodeBase62(new(big.Int).SetBytes(random[:]), randomDigits)
	return Key{body + checkDigits(body)}
}

// ParseKey parses a key. It returns ErrMalformed if the text cannot be a key.
func ParseKey(text string) (Key, error) {
	if len(text) != keyLength || !strings.HasPrefix(text, keyPrefix) {
		return Key{}, ErrMalformed
	}
	for i := len(keyPrefix); i < len(text); i++ {
		if !isBase62(text[i]) {
			return Key{}, ErrMalformed
		}
	}
	if body := text[:keyLength-sumDigits]; checkDigits(body) != text[keyLength-sumDigits:] {
		return Key{}, ErrMalformed
	}
	return Key{text}, nil
}

// Secret returns the whole key.
func (k Key) Secret() seal.Secret { return seal.NewSecret(k.text) }

// Hash returns the SHA-256 of the whole key, which is stored to find it again.
func (k Key) Hash() [sha256.Size]byte { return sha256.Sum256([]byte(k.text)) }

// Prefix returns the start of the key, by which people recognize it in lists.
func (k Key) Prefix() string { return k.text[:shownLength] }

// String hides the key.
func (k Key) String() string { return k.Secret().String() }

// GoString hides the key.
func (k Key) GoString() string { return k.Secret().String() }

func checkDigits(body string) string {
	return encodeBase62(big.NewInt(int64(crc32.ChecksumIEEE([]byte(body)))), sumDigits)
}

// encodeBase62 writes n in base 62 with leading zeros up to the width.
func encodeBase62(n *big.Int, width int) string {
	digits := make([]byte, width)
	base, digit := big.NewInt(int64(len(base62))), new(big.Int)
	for i := width - 1; i >= 0; i-- {
		n.DivMod(n, base, digit)
		digits[i] = base62[digit.Int64()]
	}
	return string(digits)
}

func isBase62(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}
