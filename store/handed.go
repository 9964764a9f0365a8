package store

import (
	"crypto/sha256"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store/seal"
)

// SealFor encrypts data that is stored outside of the process, such as a cookie, for one purpose.
// It cannot be decrypted for another.
func (db *DB) SealFor(purpose string, plain []byte) (sealed []byte, err error) {
	defer WrapError(&err, "seal for %s", purpose)
	keyring := db.keyring.Load()
	if keyring == nil {
		return nil, errNoKeyring
	}
	return keyring.Seal(plain, bindingFor(purpose))
}

// OpenFor decrypts what SealFor has encrypted for the purpose.
func (db *DB) OpenFor(purpose string, sealed []byte) (plain []byte, err error) {
	defer WrapError(&err, "open for %s", purpose)
	keyring := db.keyring.Load()
	if keyring == nil {
		return nil, errNoKeyring
	}
	return keyring.Open(sealed, bindingFor(purpose))
}

// SignFor signs a message for one purpose. id identifies the key for VerifyFor.
func (db *DB) SignFor(purpose string, message []byte) (id string, mac []byte, err error) {
	defer WrapError(&err, "sign for %s", purpose)
	keyring := db.keyring.Load()
	if keyring == nil {
		return "", nil, errNoKeyring
	}
	return keyring.MAC(purpose, message)
}

// VerifyFor reports whether SignFor has signed the message for the purpose, with any key that is
// now in the keyring.
func (db *DB) VerifyFor(purpose, id string, message, mac []byte) bool {
	keyring := db.keyring.Load()
	return keyring != nil && keyring.VerifyMAC(purpose, id, message, mac)
}

// bindingFor returns the binding of data outside of rows.
func bindingFor(purpose string) seal.Binding {
	sum := sha256.Sum256([]byte(purpose))
	return seal.Binding{Table: "elsewhere", Column: "sealed", Row: uuid.UUID(sum[:16])}
}
