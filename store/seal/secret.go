package seal

import (
	"fmt"
	"io"
	"log/slog"
	"unique"
)

// redacted is the text that a Secret shows.
const redacted = "***"

// Secret is a text that must not be shown: a key, a password, a connection string. It is printed,
// logged and encoded as "***". Only Reveal returns the text. Two secrets are equal if their texts
// are.
//
// The text is behind a pointer, because fmt does not call the methods of values in unexported
// fields. For a Secret in such a field it prints an address.
type Secret struct{ text unique.Handle[string] }

// NewSecret wraps text.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{unique.Make(text)}
}

// Reveal returns the text itself, for the code that sends or seals it.
func (s Secret) Reveal() string {
	if s.IsZero() {
		return ""
	}
	return s.text.Value()
}

// IsZero reports whether there is no text.
func (s Secret) IsZero() bool { return s == Secret{} }

// Equal reports whether the texts are the same, for packages that compare with an Equal method.
func (s Secret) Equal(other Secret) bool { return s == other }

// String implements fmt.Stringer.
func (s Secret) String() string { return redacted }

// Format implements fmt.Formatter, for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// MarshalText implements encoding.TextMarshaler, for JSON, YAML and the like.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// LogValue implements slog.LogValuer.
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// Preview returns the last four characters of a secret of twelve or more. It returns nothing of a
// shorter one, because four characters would reveal too much.
func (s Secret) Preview() string {
	const shown, least = 4, 12
	runes := []rune(s.Reveal())
	if len(runes) < least {
		return "****"
	}
	return "****" + string(runes[len(runes)-shown:])
}
