package decode

import (
	"bytes"
	"io"
	"net/http"
	"strings"

	"github.com/assayhq/assay/apiserver/problem"
)

// IdempotencyKeyHeader makes it safe to repeat a POST: the request is carried out only once
// (draft-ietf-httpapi-idempotency-key-header).
const IdempotencyKeyHeader = "Idempotency-Key"

// maxIdempotencyKey is in characters, without quotation marks and escapes.
const maxIdempotencyKey = 255

// IdempotencyKey reads the key in a request's Idempotency-Key header. given is false if the
// header is absent or faulty. The key consists of 1 to 255 printable ASCII characters. It may
// have the form of the draft, a string of RFC 9651 such as "k-1" with \" and \\ for quotation
// mark and backslash, or be bare if it contains neither quotation mark nor comma. Both forms of
// the same characters are the same key.
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
		f.Header(IdempotencyKeyHeader, problem.InvalidFormat, "Must be sent once.")
	case !ok:
		f.Header(IdempotencyKeyHeader, problem.InvalidFormat, `Must be printable ASCII characters in quotation marks, such as "k-1". The quotation marks can be omitted if the value has no quotation mark or comma.`)
	case key == "":
		f.Header(IdempotencyKeyHeader, problem.Required, "Must not be empty.")
	case len(key) > maxIdempotencyKey:
		f.Header(IdempotencyKeyHeader, problem.TooLong, "At most 255 characters.")
	default:
		return key, true
	}
	return "", false
}

// bareKey checks a value without quotation marks. A comma may mean that a proxy has joined
// several headers.
func bareKey(value string) (key string, ok bool) {
	for i := range len(value) {
		if c := value[i]; !isPrintable(c) || c == '"' || c == ',' {
			return "", false
		}
	}
	return value, true
}

// quotedKey parses a string of RFC 9651, section 4.2.5. The draft defines no parameters, so
// nothing may follow.
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

// Raw reads the bytes of a request's body, which can still be read afterwards. Its problems are
// 413 and 400 as for Body.
func Raw(r *http.Request) ([]byte, error) {
	text, err := readBody(r)
	if err != nil {
		return nil, err
	}
	r.Body = io.NopCloser(bytes.NewReader(text))
	return text, nil
}
