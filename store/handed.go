package store

import (
	"crypto/sha256"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store/seal"
)

// SealFor encrypts what somebody else keeps for the process, such as a cookie,
// for one purpose: it opens for no other.
func (db *DB) SealFor(purpose string, plain []byte) (sealed []byte, err error) {
	defer wrap(&err, "seal for %s", purpose)
	keyring := db.keyring.Load()
	if keyring == nil {
		return nil, errNoKeyring
	}
	return keyring.Seal(plain, bindingFor(purpose))
}

// OpenFor decrypts what SealFor has encrypted for the purpose.
func (db *DB) OpenFor(purpose string, sealed []byte) (plain []byte, err error) {
	defer wrap(&err, "open for %s", purpose)
	keyring := db.keyring.Load()
	if keyring == nil {
		return nil, errNoKeyring
	}
	return keyring.Open(sealed, bindingFor(purpose))
}

// bindingFor is the place of what lies in no row.
func bindingFor(purpose string) seal.Binding {
	sum := sha256.Sum256([]byte(purpose))
	return seal.Binding{Table: "elsewhere", Column: "sealed", Row: uuid.UUID(sum[:16])}
}
