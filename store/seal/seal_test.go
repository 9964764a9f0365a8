package seal_test

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/uuid"

	"github.com/assayhq/assay/store/seal"
)

var (
	binding = seal.Binding{
		Table: "integrations", Column: "api_key",
		Row: uuid.MustParse("01900000-0000-7000-8000-000000000001"), Organization: uuid.MustParse("01900000-0000-7000-8000-000000000002"),
	}
	keyA = base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{'a'}, 32))
	keyB = base64.StdEncoding.EncodeToString(bytes.Repeat([]byte{'b'}, 32))
)

// keyring returns a keyring whose primary key is the first id.
func keyring(t testing.TB, ids ...string) *seal.Keyring {
	t.Helper()
	text := "primary: " + ids[0] + "\nkeys:\n"
	for _, id := range ids {
		key := keyA
		if strings.HasPrefix(id, "b") {
			key = keyB
		}
		text += fmt.Sprintf("  - id: %s\n    key: %s\n", id, key)
	}
	k, err := seal.ParseKeyring([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func sealed(t testing.TB, k *seal.Keyring, plain string) []byte {
	t.Helper()
	s, err := k.Seal([]byte(plain), binding)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSealAndOpen(t *testing.T) {
	t.Parallel()
	k := keyring(t, "a")
	for _, plain := range []string{"", "x", secretText, strings.Repeat("long ", 100_000)} {
		s := sealed(t, k, plain)
		got, err := k.Open(s, binding)
		if err != nil || string(got) != plain {
			t.Errorf("opened %.20q, %v; want %.20q", got, err, plain)
		}
		if plain != "" && len(plain) > 3 && bytes.Contains(s, []byte(plain)) {
			t.Errorf("the sealed value holds the text")
		}
		if bytes.Equal(s, sealed(t, k, plain)) {
			t.Error("sealing twice gives the same")
		}
	}
}

func TestOpenElsewhere(t *testing.T) {
	t.Parallel()
	k := keyring(t, "a")
	s := sealed(t, k, "x")
	moved := map[string]func(*seal.Binding){
		"table":        func(b *seal.Binding) { b.Table = "webhooks" },
		"column":       func(b *seal.Binding) { b.Column = "secret" },
		"row":          func(b *seal.Binding) { b.Row = uuid.Nil },
		"organization": func(b *seal.Binding) { b.Organization = uuid.Nil },
		"border":       func(b *seal.Binding) { b.Table, b.Column = "integrationsa", "pi_key" },
	}
	for what, move := range moved {
		b := binding
		move(&b)
		if _, err := k.Open(s, b); !errors.Is(err, seal.ErrTampered) {
			t.Errorf("opened in another %s: %v, want ErrTampered", what, err)
		}
		if _, _, err := keyring(t, "b", "a").Rewrap(s, b); !errors.Is(err, seal.ErrTampered) {
			t.Errorf("rewrapped in another %s: %v, want ErrTampered", what, err)
		}
	}
}

// TestOpenChanged flips each bit, and truncates at each length.
func TestOpenChanged(t *testing.T) {
	t.Parallel()
	k := keyring(t, "a")
	s := sealed(t, k, "secret")
	for n := range s {
		for bit := range 8 {
			changed := bytes.Clone(s)
			changed[n] ^= 1 << bit
			if _, err := k.Open(changed, binding); !errors.Is(err, seal.ErrTampered) && !errors.Is(err, seal.ErrUnknownKey) {
				t.Errorf("byte %d, bit %d changed: %v", n, bit, err)
			}
		}
		if _, err := k.Open(s[:n], binding); !errors.Is(err, seal.ErrTampered) {
			t.Errorf("cut to %d bytes: %v, want ErrTampered", n, err)
		}
	}
	if _, err := k.Open(append(bytes.Clone(s), 0), binding); !errors.Is(err, seal.ErrTampered) {
		t.Errorf("lengthened: %v, want ErrTampered", err)
	}
	// This is the text of one value under the data key of another.
	other := sealed(t, k, "other!")
	if _, err := k.Open(append(bytes.Clone(s[:len(s)-34]), other[len(other)-34:]...), binding); !errors.Is(err, seal.ErrTampered) {
		t.Errorf("put together from two values: %v, want ErrTampered", err)
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	s := sealed(t, keyring(t, "a"), "x")
	if got, err := keyring(t, "b", "a").Open(s, binding); err != nil || string(got) != "x" {
		t.Errorf("opened by a key that is no longer the primary: %q, %v", got, err)
	}
	_, err := keyring(t, "b").Open(s, binding)
	if !errors.Is(err, seal.ErrUnknownKey) || !strings.Contains(err.Error(), `"a"; add it again to the file that keyring_file names`) {
		t.Errorf("opened without the key: %v, want ErrUnknownKey naming it and what to do", err)
	}
	// In this keyring the same name stands for another key.
	if _, err := keyring(t, "a").Open(sealed(t, keyring(t, "b"), "x"), binding); !errors.Is(err, seal.ErrUnknownKey) {
		t.Errorf("%v, want ErrUnknownKey", err)
	}
	swapped, err := seal.ParseKeyring([]byte("primary: a\nkeys: [{id: a, key: " + keyB + "}]"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := swapped.Open(s, binding); !errors.Is(err, seal.ErrTampered) {
		t.Errorf("opened by another key of the name: %v, want ErrTampered", err)
	}
}

func TestRewrap(t *testing.T) {
	t.Parallel()
	old, both, fresh := keyring(t, "a"), keyring(t, "b", "a"), keyring(t, "b")
	s := sealed(t, old, "x")
	moved, changed, err := both.Rewrap(s, binding)
	if err != nil || !changed {
		t.Fatalf("rewrapped: %v, %v", changed, err)
	}
	if got, err := fresh.Open(moved, binding); err != nil || string(got) != "x" {
		t.Errorf("opened by the new key alone: %q, %v", got, err)
	}
	if id, err := seal.KeyID(moved); err != nil || id != "b" {
		t.Errorf("key id %q, %v; want b", id, err)
	}
	again, changed, err := both.Rewrap(moved, binding)
	if err != nil || changed || !bytes.Equal(again, moved) {
		t.Errorf("rewrapped again: changed %v, %v", changed, err)
	}
	if _, _, err := fresh.Rewrap(s, binding); !errors.Is(err, seal.ErrUnknownKey) {
		t.Errorf("rewrapped without the old key: %v, want ErrUnknownKey", err)
	}
}

func TestNewKeyring(t *testing.T) {
	t.Parallel()
	text, err := seal.NewKeyring()
	if err != nil {
		t.Fatal(err)
	}
	k, err := seal.ParseKeyring([]byte(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	if got, err := k.Open(sealed(t, k, "x"), binding); err != nil || string(got) != "x" {
		t.Errorf("opened %q, %v", got, err)
	}
	another, err := seal.NewKeyring()
	if err != nil {
		t.Fatal(err)
	}
	other, err := seal.ParseKeyring([]byte(another))
	if err != nil {
		t.Fatal(err)
	}
	if k.Primary() == other.Primary() {
		t.Error("two new keyrings have keys of the same name")
	}
}

func TestParseKeyring(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", "can't be read"},
		{"no YAML", "\t{", "can't be read"},
		{"a key alone", keyA, "can't be read"},
		{"unknown member", "primary: a\nkeys: [{id: a, key: " + keyA + ", note: " + keyB + "}]", "can't be read"},
		{"no keys", "primary: a\nkeys: []", "can't be read"},
		{"no id", "primary: a\nkeys: [{key: " + keyA + "}]", "id of key 1"},
		{"id with a space", "primary: a\nkeys: [{id: a b, key: " + keyA + "}]", "id of key 1"},
		{"long id", "primary: a\nkeys: [{id: " + strings.Repeat("x", 65) + ", key: " + keyA + "}]", "id of key 1"},
		{"twice", "primary: a\nkeys: [{id: a, key: " + keyA + "}, {id: a, key: " + keyB + "}]", `two keys with the id "a"`},
		{"short key", "primary: a\nkeys: [{id: a, key: " + keyA[4:] + "}]", `key "a" is not 32 bytes`},
		{"no base64", "primary: a\nkeys: [{id: a, key: " + keyA[:40] + "!!!}]", `key "a" is not 32 bytes`},
		{"unknown primary", "primary: b\nkeys: [{id: a, key: " + keyA + "}]", "primary"},
		{"no primary", "keys: [{id: a, key: " + keyA + "}]", "primary"},
		{"JSON", `{"primary": "a", "keys": [{"id": "a", "key": "` + keyA + `"}]}`, ""},
		{"YAML", "# comment\nprimary: a\nkeys:\n  - id: b\n    key: " + keyB + "\n  - id: a\n    key: " + keyA + "\n", ""},
		{"byte order mark", "\ufeffprimary: a\nkeys: [{id: a, key: " + keyA + "}]", ""},
	} {
		_, err := seal.ParseKeyring([]byte(c.text))
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.name, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want …%s…", c.name, err, c.want)
		case err != nil && (strings.Contains(err.Error(), keyA[:8]) || strings.Contains(err.Error(), keyB[:8])):
			t.Errorf("%s: the error shows a key: %v", c.name, err)
		}
	}
}

// TestFormat opens a value that was sealed by the first release.
func TestFormat(t *testing.T) {
	t.Parallel()
	file := filepath.Join("testdata", "sealed-v1")
	if os.Getenv("SEAL_WRITE") != "" {
		if err := os.WriteFile(file, sealed(t, keyring(t, "a"), secretText), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := keyring(t, "a").Open(s, binding); err != nil || string(got) != secretText {
		t.Errorf("opened %q, %v", got, err)
	}
}

func FuzzOpen(f *testing.F) {
	k := keyring(f, "a")
	f.Add([]byte{})
	f.Add([]byte{1, 255, 'a'})
	f.Add(sealed(f, k, "x"))
	f.Add(sealed(f, k, "x")[:40])
	f.Fuzz(func(t *testing.T, value []byte) {
		if plain, err := k.Open(value, binding); err == nil && string(plain) != "x" {
			t.Errorf("opened %q, which nobody sealed", plain)
		}
		if _, _, err := k.Rewrap(value, binding); err != nil && !errors.Is(err, seal.ErrTampered) && !errors.Is(err, seal.ErrUnknownKey) {
			t.Errorf("rewrap: %v", err)
		}
	})
}

func FuzzParseKeyring(f *testing.F) {
	f.Add("primary: a\nkeys: [{id: a, key: " + keyA + "}]")
	f.Add(`{"primary": "a", "keys": [{"id": "a", "key": "` + keyA + `"}]}`)
	f.Add("keys: &x [*x]")
	f.Fuzz(func(t *testing.T, text string) {
		k, err := seal.ParseKeyring([]byte(text))
		if err != nil {
			return
		}
		if got, err := k.Open(sealed(t, k, "x"), binding); err != nil || string(got) != "x" {
			t.Errorf("a keyring that was read can't open what it sealed: %q, %v", got, err)
		}
	})
}
