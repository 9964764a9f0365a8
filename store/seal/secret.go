package seal

import (
	"fmt"
	"io"
	"log/slog"
	"unique"
)

// redacted is what a Secret shows of itself.
const redacted = "***"

// Secret is a text that must not be shown: a key, a password, a connection
// string. However it is printed, logged or encoded it reads "***"; only Reveal
// gives the text. Two are equal when their texts are.
//
// Its text lies behind a pointer, because fmt calls no methods on what stands
// in an unexported field: of such a Secret it shows an address.
type Secret struct{ text unique.Handle[string] }

// NewSecret wraps text.
func NewSecret(text string) Secret {
	if text == "" {
		return Secret{}
	}
	return Secret{unique.Make(text)}
}

// Reveal returns the text itself, for the one place that sends or seals it.
func (s Secret) Reveal() string {
	if s.IsZero() {
		return ""
	}
	return s.text.Value()
}

// IsZero reports whether there is no text.
func (s Secret) IsZero() bool { return s == Secret{} }

// Equal reports whether the texts are the same, for packages that compare by it.
func (s Secret) Equal(other Secret) bool { return s == other }

// String implements fmt.Stringer.
func (s Secret) String() string { return redacted }

// Format implements fmt.Formatter, for every verb.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// MarshalText implements encoding.TextMarshaler, for JSON, YAML and the like.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// LogValue implements slog.LogValuer.
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// Preview shows the last four characters of a secret of twelve or more, and nothing
// of a shorter one, of which four characters would give away too much.
func (s Secret) Preview() string {
	const shown, least = 4, 12
	runes := []rune(s.Reveal())
	if len(runes) < least {
		return "****"
	}
	return "****" + string(runes[len(runes)-shown:])
}
