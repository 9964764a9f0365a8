package record

import (
	"crypto/sha256"
	"encoding/hex"
)

// RawKeyPrefix begins every RawKey.
const RawKeyPrefix = "sha256:"

// RawKey is the quarantine key of a record whose id could not be read: a hash
// of the text as received, so that the same record met again is counted and
// not listed twice.
func RawKey(raw string) string {
	sum := sha256.Sum256([]byte(raw))
	return RawKeyPrefix + hex.EncodeToString(sum[:16])
}
