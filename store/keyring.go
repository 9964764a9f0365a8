package store

import (
	"crypto/sha256"
	"errors"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store/seal"
)

// errNoKeyring is the error of sealing or opening in a process without a keyring.
var errNoKeyring = errors.New("no keyring is configured")

// Keyring returns the current keyring. It fails in a process without one.
func (db *DB) Keyring() (*seal.Keyring, error) {
	k := db.keyring.Load()
	if k == nil {
		return nil, errNoKeyring
	}
	return k, nil
}

// Keyrings opens values that are read while the keyring may be replaced. A value from before the
// replacement may need a key that has been dropped since, and one from after it a key that was
// added.
type Keyrings struct {
	before *seal.Keyring
	now    func() *seal.Keyring
}

// Keyrings must be called before the values are read. It fails in a process without a keyring.
func (db *DB) Keyrings() (Keyrings, error) {
	before, err := db.Keyring()
	return Keyrings{before, db.keyring.Load}, err
}

// Open decrypts a value. It returns seal.ErrUnknownKey or seal.ErrTampered,
// wrapped.
func (k Keyrings) Open(sealed []byte, b seal.Binding) ([]byte, error) {
	if now := k.now(); now.Holds(sealed) {
		return now.Open(sealed, b)
	}
	return k.before.Open(sealed, b)
}

// Seal encrypts a value with the current primary key, because the previous one may be about to be
// dropped.
func (k Keyrings) Seal(plain []byte, b seal.Binding) ([]byte, error) { return k.now().Seal(plain, b) }

// SealFor encrypts data that is stored outside of the process, such as a cookie, for one purpose.
// It cannot be decrypted for another.
func (db *DB) SealFor(purpose string, plain []byte) (sealed []byte, err error) {
	defer WrapError(&err, "seal for %s", purpose)
	keyring, err := db.Keyring()
	if err != nil {
		return nil, err
	}
	return keyring.Seal(plain, bindingFor(purpose))
}

// OpenFor decrypts what SealFor has encrypted for the purpose. A client may send anything, or what
// was sealed with a key that has been dropped since, so an unknown key does not count in
// UnknownKeys, which is about stored values.
func (db *DB) OpenFor(purpose string, sealed []byte) (plain []byte, err error) {
	defer WrapError(&err, "open for %s", purpose)
	keyring, err := db.Keyring()
	if err != nil {
		return nil, err
	}
	if !keyring.Holds(sealed) {
		return nil, seal.ErrUnknownKey
	}
	return keyring.Open(sealed, bindingFor(purpose))
}

// SignFor signs a message for one purpose. id identifies the key for VerifyFor.
func (db *DB) SignFor(purpose string, message []byte) (id string, mac []byte, err error) {
	defer WrapError(&err, "sign for %s", purpose)
	keyring, err := db.Keyring()
	if err != nil {
		return "", nil, err
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
