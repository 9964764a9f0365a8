package decode

import (
	"bytes"
	"io"
	"net/http"
	"strings"

	"github.com/assayhq/assay/apiserver/problem"
)

// IdempotencyKeyHeader makes a POST one that can be repeated without doing
// twice what it asks for (draft-ietf-httpapi-idempotency-key-header).
const IdempotencyKeyHeader = "Idempotency-Key"

// maxIdempotencyKey is in characters, without quotation marks and escapes.
const maxIdempotencyKey = 255

// IdempotencyKey reads the key of a request's Idempotency-Key; given is false
// when it has no such header, or one that is faulty. The key is 1 to 255
// printable ASCII characters, in the form of the draft, a string of RFC 9651
// such as "k-1" with \" and \\ for quotation mark and backslash; or bare, where
// it holds neither quotation mark nor comma. Both forms of the same characters
// are the same key.
func (f *Faults) IdempotencyKey(h http.Header) (key string, given bool) {
	values := h.Values(IdempotencyKeyHeader)
	if len(values) == 0 {
		return "", false
	}
	value := strings.Trim(values[0], " \t")
	key, ok := bareKey(value)
	if strings.HasPrefix(value, `"`) {
		key, ok = quotedKey(value)
	}
	switch {
	case len(values) > 1:
		f.Header(IdempotencyKeyHeader, problem.InvalidFormat, "Send one value.")
	case !ok:
		f.Header(IdempotencyKeyHeader, problem.InvalidFormat, `Must be one string of printable ASCII characters in quotation marks, such as "k-1", or the characters alone when there is no quotation mark or comma among them.`)
	case key == "":
		f.Header(IdempotencyKeyHeader, problem.Required, "Must not be empty.")
	case len(key) > maxIdempotencyKey:
		f.Header(IdempotencyKeyHeader, problem.TooLong, "At most 255 characters.")
	default:
		return key, true
	}
	return "", false
}

// bareKey checks a value without quotation marks. A comma is what several
// headers look like that a proxy has joined.
func bareKey(value string) (key string, ok bool) {
	for i := range len(value) {
		if c := value[i]; !isPrintable(c) || c == '"' || c == ',' {
			return "", false
		}
	}
	return value, true
}

// quotedKey takes a string of RFC 9651 apart, section 4.2.5. The draft knows
// no parameters, so nothing may follow.
func quotedKey(value string) (key string, ok bool) {
	var b strings.Builder
	for i := 1; i < len(value); i++ {
		c := value[i]
		switch {
		case c == '"':
			return b.String(), i == len(value)-1
		case c == '\\':
			if i++; i == len(value) || value[i] != '"' && value[i] != '\\' {
				return "", false
			}
			c = value[i]
		case !isPrintable(c):
			return "", false
		}
		b.WriteByte(c)
	}
	return "", false
}

func isPrintable(c byte) bool { return c >= ' ' && c <= '~' }

// Raw reads the bytes of a request's body, which stays to be read. Problems
// are 413 and 400 as of Body.
func Raw(r *http.Request) ([]byte, error) {
	text, err := readBody(r)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(text))
	return text, nil
}
