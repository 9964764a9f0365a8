package seal_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"github.com/assayhq/assay/store/seal"
)

const secretText = "postgres://u:hunter2@db/x"

// TestNothingShowsASecret prints a secret, and a keyring, in all the ways in which they might be
// printed.
func TestNothingShowsASecret(t *testing.T) {
	t.Parallel()
	keyring, err := seal.ParseKeyring([]byte(`{"primary": "k", "keys": [{"id": "k", "key": "aHVudGVyMmh1bnRlcjJodW50ZXIyaHVudGVyMmh1bnQ="}]}`))
	if err != nil {
		t.Fatal(err)
	}
	secret := seal.NewSecret(secretText)
	type options struct {
		URL     seal.Secret
		Pointer *seal.Secret
		Keyring *seal.Keyring
		hidden  seal.Secret
	}
	values := map[string]any{
		"secret": secret, "pointer": &secret, "slice": []seal.Secret{secret}, "map": map[string]seal.Secret{"x": secret}, "keyring": keyring,
		"struct":   options{URL: secret, Pointer: &secret, Keyring: keyring, hidden: secret},
		"any":      []any{secret, keyring, *keyring},
		"hidden":   struct{ k seal.Keyring }{*keyring},
		"map keys": map[seal.Secret]int{secret: 1},
	}
	for name, value := range values {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x", "%X", "%t", "%p", "%T"} {
			checkShown(t, name+" by "+verb, fmt.Sprintf(verb, value))
		}
		if text, err := json.Marshal(value); err == nil {
			checkShown(t, name+" as JSON", string(text))
		}
		if text, err := yaml.Marshal(value); err == nil {
			checkShown(t, name+" as YAML", string(text))
		}
		var log bytes.Buffer
		slog.New(slog.NewTextHandler(&log, nil)).Info("x", "value", value, slog.Group("g", "inner", value))
		slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "value", value, slog.Group("g", "inner", value))
		checkShown(t, name+" in a log", log.String())
		checkShown(t, name+" in an error", fmt.Errorf("open %v: %w", value, fmt.Errorf("x %s", value)).Error())
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if got := fmt.Sprintf(verb, secret); got != "***" {
			t.Errorf("%s of a secret is %s, want ***", verb, got)
		}
	}
}

// checkShown searches for the secret, and for forms in which it could appear.
func checkShown(t *testing.T, how, shown string) {
	t.Helper()
	for _, form := range []string{
		"hunter2", fmt.Sprintf("%x", "hunter2"), fmt.Sprintf("%X", "hunter2"), strings.Trim(fmt.Sprintf("%d", []byte("hunter2")), "[]"), "aHVudGVyMm",
		strings.Trim(fmt.Sprintf("%#v", []byte("hunter2")), "[]byte{}"),
	} {
		if strings.Contains(shown, form) {
			t.Errorf("%s shows the secret: %s", how, shown)
		}
	}
}

func TestSecret(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, text, preview string
		zero                bool
	}{
		{"empty", "", "****", true},
		{"short", "abcdefghijk", "****", false},
		{"twelve", "abcdefghijkl", "****ijkl", false},
		{"runes, not bytes", "ééééééé", "****", false},
		{"long", secretText, "****db/x", false},
	} {
		s := seal.NewSecret(c.text)
		if s.Reveal() != c.text || s.Preview() != c.preview || s.IsZero() != c.zero {
			t.Errorf("%s: revealed %q, preview %q, zero %v; want %q, %q, %v", c.name, s.Reveal(), s.Preview(), s.IsZero(), c.text, c.preview, c.zero)
		}
	}
}
