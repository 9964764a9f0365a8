package seal

import "log/slog"

// redacted is what a Secret shows of itself.
const redacted = "***"

// Secret is a text that must not be shown: a key, a password, a connection
// string. However it is printed, logged or encoded it reads "***"; only Reveal
// gives the text.
type Secret struct{ text string }

// NewSecret wraps text.
func NewSecret(text string) Secret { return Secret{text} }

// Reveal returns the text itself, for the one place that sends or seals it.
func (s Secret) Reveal() string { return s.text }

// IsZero reports whether there is no text.
func (s Secret) IsZero() bool { return s.text == "" }

// String implements fmt.Stringer.
func (s Secret) String() string { return redacted }

// GoString implements fmt.GoStringer, for %#v.
func (s Secret) GoString() string { return redacted }

// MarshalText implements encoding.TextMarshaler, for JSON, YAML and the like.
func (s Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// LogValue implements slog.LogValuer.
func (s Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// Preview shows the last four characters of a secret of twelve or more, and
// nothing of a shorter one (api.md, Lists).
func (s Secret) Preview() string {
	const shown, least = 4, 12
	runes := []rune(s.text)
	if len(runes) < least {
		return "****"
	}
	return "****" + string(runes[len(runes)-shown:])
}
