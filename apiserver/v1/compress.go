package v1

import (
	"net/http"

	"github.com/assayhq/assay/apiserver/answer"
	"github.com/assayhq/assay/apiserver/coding"
)

// leastCompressed is the size in bytes of the least text that gzip is worth it.
const leastCompressed = 1 << 10

// negotiateCompression lets answers be compressed where the client takes gzip.
func negotiateCompression(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
	writer := answer.Of(w)
	writer.Compression = answer.Plain
	if coding.AcceptsGzip(r.Header) {
		writer.Compression = answer.Gzip
	}
	return writer
}

// usesGzip reports whether an answer of 200 with so many bytes is sent
// compressed, and says so to caches when that depends on who asks.
func usesGzip(w http.ResponseWriter, size int) bool {
	writer, ok := w.(*answer.Writer)
	if !ok || writer.Compression == answer.Fixed || size < leastCompressed {
		return false
	}
	w.Header().Set("Vary", "Accept-Encoding")
	return writer.Compression == answer.Gzip
}

// tagFor is the representation's tag in the form in which an answer of 200 sends it.
func (p representation) tagFor(w http.ResponseWriter) string {
	if usesGzip(w, len(p.body)) {
		return coding.Tag(p.tag)
	}
	return p.tag
}
