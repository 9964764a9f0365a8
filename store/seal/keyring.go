package seal

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/goccy/go-yaml"
)

// keySize is the length of a key in bytes: AES-256.
const keySize = 32

// Errors of opening a sealed value.
var (
	// ErrUnknownKey means that the keyring lacks the key. The error names the key's id.
	ErrUnknownKey = errors.New("key is not in the keyring")
	// ErrTampered means that the value was changed, is truncated, or belongs to another place.
	ErrTampered = errors.New("sealed value is damaged or belongs elsewhere")
)

// errKeyring replaces the parser's errors, which quote the file.
var errKeyring = errors.New("keyring can't be read: want `primary: ID` and `keys:` with `id` and `key` each")

// keyID matches the valid ids of keys.
var keyID = regexp.MustCompile(`^[A-Za-z0-9._-]{1,64}$`)

// Keyring seals with its primary key and opens with all. It is immutable, safe
// for concurrent use, and prints as "***".
type Keyring struct {
	primary string
	ids     []string // of all keys
	// key returns the key with the id. It is a function because fmt prints fields and most
	// pointers, and does not call the methods of values in unexported fields.
	key func(id string) (key [keySize]byte, ok bool)
	// unknown counts the values that Open could not open because their key is missing.
	unknown *atomic.Int64
}

// keyringFile is the form of a keyring in YAML, which includes JSON.
type keyringFile struct {
	Primary string `yaml:"primary"`
	Keys    []struct {
		ID  string `yaml:"id"`
		Key string `yaml:"key"` // 32 bytes in base64
	} `yaml:"keys"`
}

// NewKeyring returns the text of a keyring file with one random key, for ParseKeyring.
func NewKeyring() (text string, err error) {
	var key [keySize]byte
	var suffix [4]byte
	if _, err := rand.Read(key[:]); err != nil {
		return "", err
	}
	if _, err := rand.Read(suffix[:]); err != nil {
		return "", err
	}
	id := fmt.Sprintf("%s-%x", time.Now().UTC().Format("2006-01-02"), suffix)
	var b strings.Builder
	b.WriteString("# Anybody with this file can read the platforms' credentials, and nobody can without it.\n")
	b.WriteString("# To rotate: add a second key, reload the daemons, make it the primary, reload again, run `apiserver rekey`, and remove the old key.\n")
	fmt.Fprintf(&b, "primary: %q\nkeys:\n  - id: %q\n    key: %q\n", id, id, base64.StdEncoding.EncodeToString(key[:]))
	return b.String(), nil
}

// ParseKeyring parses a keyring file in YAML or JSON. Its errors name key ids, never keys.
func ParseKeyring(text []byte) (*Keyring, error) {
	file, err := decodeKeyring(text)
	if err != nil {
		return nil, err
	}
	keys := make(map[string][keySize]byte, len(file.Keys))
	for i, entry := range file.Keys {
		if !keyID.MatchString(entry.ID) {
			return nil, fmt.Errorf("keyring: the id of key %d is not 1 to 64 letters, digits, dots, dashes or underscores", i+1)
		}
		if _, taken := keys[entry.ID]; taken {
			return nil, fmt.Errorf("keyring: two keys with the id %q", entry.ID)
		}
		raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(entry.Key))
		if err != nil || len(raw) != keySize {
			return nil, fmt.Errorf("keyring: key %q is not %d bytes in base64", entry.ID, keySize)
		}
		keys[entry.ID] = [keySize]byte(raw)
	}
	if _, ok := keys[file.Primary]; !ok {
		return nil, errors.New("keyring: `primary` does not name any of the keys")
	}
	ids := slices.Sorted(maps.Keys(keys))
	return &Keyring{primary: file.Primary, ids: ids, unknown: new(atomic.Int64), key: func(id string) (key [keySize]byte, ok bool) {
		key, ok = keys[id]
		return key, ok
	}}, nil
}

// decodeKeyring decodes the form of the file. The parser panics on some texts that are not YAML,
// such as "keys: !x y".
func decodeKeyring(text []byte) (file keyringFile, err error) {
	defer func() {
		if recover() != nil {
			err = errKeyring
		}
	}()
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // editors on Windows write it
	err = yaml.NewDecoder(bytes.NewReader(text), yaml.DisallowUnknownField()).Decode(&file)
	if err != nil || len(file.Keys) == 0 {
		return keyringFile{}, errKeyring
	}
	return file, nil
}

// Primary returns the id of the key that seals.
func (k *Keyring) Primary() string { return k.primary }

// Holds reports whether the keyring has the key with which the value was sealed.
func (k *Keyring) Holds(sealed []byte) bool {
	id, err := KeyID(sealed)
	if err != nil {
		return false
	}
	_, ok := k.key(id)
	return ok
}

// Unknown returns how many sealed values this keyring could not open because it lacks their key.
func (k *Keyring) Unknown() int64 { return k.unknown.Load() }

// Format implements fmt.Formatter, for every verb.
func (k Keyring) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// MarshalText implements encoding.TextMarshaler, for JSON, YAML and the like.
func (k Keyring) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// LogValue implements slog.LogValuer.
func (k Keyring) LogValue() slog.Value { return slog.StringValue(redacted) }
