package seal

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
)

// MAC signs a message for one purpose under a key that is derived from the primary key, and that is
// used for nothing else. The id identifies the key for VerifyMAC without revealing its name.
func (k *Keyring) MAC(purpose string, message []byte) (id string, mac []byte, err error) {
	mac, err = k.computeMAC(k.primary, purpose, message)
	return macID(k.primary), mac, err
}

// VerifyMAC reports whether the MAC is that of the message for the purpose, under any key of the
// keyring. Rotated keys are valid until they are dropped.
func (k *Keyring) VerifyMAC(purpose, id string, message, mac []byte) bool {
	for _, name := range k.ids {
		if macID(name) != id {
			continue
		}
		want, err := k.computeMAC(name, purpose, message)
		return err == nil && hmac.Equal(want, mac)
	}
	return false
}

// macID returns the id in a MAC of the key with the name.
func macID(name string) string {
	sum := sha256.Sum256([]byte("assay mac key id\x00" + name))
	return hex.EncodeToString(sum[:6])
}

func (k *Keyring) computeMAC(name, purpose string, message []byte) ([]byte, error) {
	key, ok := k.key(name)
	if !ok {
		return nil, ErrUnknownKey
	}
	derived, err := hkdf.Key(sha256.New, key[:], nil, "assay mac\x00"+purpose, sha256.Size)
	if err != nil {
		return nil, err
	}
	h := hmac.New(sha256.New, derived)
	h.Write(message)
	return h.Sum(nil), nil
}
