package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"fmt"

	"github.com/google/uuid"
)

// A sealed value is
//
//	version (1 byte) | length of the key id (1 byte) | key id |
//	data key, encrypted (nonce, 32 bytes, tag) | plain text, encrypted (nonce, text, tag)
//
// where the additional data of both encryptions is what precedes the data key,
// followed by the binding.
const (
	version   = 1
	nonceSize = 12
	tagSize   = 16
	wrapSize  = nonceSize + keySize + tagSize
)

// Binding is the place where a value is stored. A sealed value opens only with the binding with
// which it was sealed.
type Binding struct {
	Table        string
	Column       string
	Row          uuid.UUID
	Organization uuid.UUID
}

// Seal encrypts plain for the place b. Sealing the same text twice gives different results.
func (k *Keyring) Seal(plain []byte, b Binding) ([]byte, error) {
	var dataKey [keySize]byte
	if _, err := rand.Read(dataKey[:]); err != nil {
		return nil, err
	}
	sealed, err := k.wrapKey(dataKey, b)
	if err != nil {
		return nil, err
	}
	return encrypt(sealed, dataKey, plain, additionalData(nil, b))
}

// Open decrypts what Seal encrypted for the same place. It returns ErrUnknownKey or ErrTampered,
// wrapped.
func (k *Keyring) Open(sealed []byte, b Binding) ([]byte, error) {
	dataKey, body, err := k.unwrapKey(sealed, b)
	if err != nil {
		return nil, err
	}
	return decrypt(dataKey, body, additionalData(nil, b))
}

// Rewrap moves a sealed value to the primary key, without touching the encrypted text. changed is
// false if the value already uses the primary key.
func (k *Keyring) Rewrap(sealed []byte, b Binding) (rewrapped []byte, changed bool, err error) {
	id, err := KeyID(sealed)
	if err != nil {
		return nil, false, err
	}
	dataKey, body, err := k.unwrapKey(sealed, b)
	if err != nil || id == k.primary {
		return sealed, false, err
	}
	head, err := k.wrapKey(dataKey, b)
	if err != nil {
		return nil, false, err
	}
	return append(head, body...), true, nil
}

// KeyID returns the id of the key with which a value was sealed. It returns ErrTampered if it is
// not a sealed value.
func KeyID(sealed []byte) (string, error) {
	if len(sealed) < 2 || sealed[0] != version || len(sealed) < 2+int(sealed[1]) {
		return "", ErrTampered
	}
	return string(sealed[2 : 2+int(sealed[1])]), nil
}

// Prefix returns the prefix of the values that were sealed with the key of the id. No other value
// begins with it.
func Prefix(id string) []byte { return append([]byte{version, byte(len(id))}, id...) }

// wrapKey returns the head of a sealed value, which is everything before the encrypted text.
func (k *Keyring) wrapKey(dataKey [keySize]byte, b Binding) ([]byte, error) {
	head := Prefix(k.primary)
	primary, _ := k.key(k.primary) // it existed when the keyring was read
	return encrypt(head, primary, dataKey[:], additionalData(head, b))
}

// unwrapKey splits a sealed value into its data key and the encrypted text.
func (k *Keyring) unwrapKey(sealed []byte, b Binding) (dataKey [keySize]byte, body []byte, err error) {
	id, err := KeyID(sealed)
	if err != nil {
		return dataKey, nil, err
	}
	key, ok := k.key(id)
	if !ok {
		k.unknown.Add(1)
		return dataKey, nil, fmt.Errorf("%w: %q; add it again to the file that keyring_file names", ErrUnknownKey, id)
	}
	head, rest := sealed[:2+len(id)], sealed[2+len(id):]
	if len(rest) < wrapSize {
		return dataKey, nil, ErrTampered
	}
	raw, err := decrypt(key, rest[:wrapSize], additionalData(head, b))
	if err != nil {
		return dataKey, nil, err
	}
	return [keySize]byte(raw), rest[wrapSize:], nil
}

// additionalData returns the data to which an encryption is bound. Each text is preceded by its
// length, so that no two bindings give the same bytes.
func additionalData(head []byte, b Binding) []byte {
	var data []byte
	for _, part := range [][]byte{head, []byte(b.Table), []byte(b.Column), b.Row[:], b.Organization[:]} {
		data = binary.BigEndian.AppendUint32(data, uint32(len(part)))
		data = append(data, part...)
	}
	return data
}

// encrypt appends nonce, encrypted text and tag to dst.
func encrypt(dst []byte, key [keySize]byte, plain, additional []byte) ([]byte, error) {
	aead, err := newGCM(key)
	if err != nil {
		return nil, err
	}
	var nonce [nonceSize]byte
	if _, err := rand.Read(nonce[:]); err != nil {
		return nil, err
	}
	dst = append(dst, nonce[:]...)
	return aead.Seal(dst, nonce[:], plain, additional), nil
}

// decrypt is the inverse of encrypt.
func decrypt(key [keySize]byte, text, additional []byte) ([]byte, error) {
	if len(text) < nonceSize+tagSize {
		return nil, ErrTampered
	}
	aead, err := newGCM(key)
	if err != nil {
		return nil, err
	}
	plain, err := aead.Open(nil, text[:nonceSize], text[nonceSize:], additional)
	if err != nil {
		return nil, ErrTampered
	}
	return plain, nil
}

func newGCM(key [keySize]byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key[:])
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}
