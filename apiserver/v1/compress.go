package v1

import (
	"net/http"

	"github.com/assayhq/assay/apiserver/coding"
)

// leastCompressed is the size in bytes of the least text that gzip is worth it.
const leastCompressed = 1 << 10

// compressing is the writer of an answer, which send compresses when the client
// takes gzip.
type compressing struct {
	http.ResponseWriter
	gzip bool
}

// Unwrap lets http.ResponseController reach deadlines and flushing.
func (c compressing) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// usesGzip reports whether an answer of 200 with so many bytes is sent
// compressed, and says so to caches when that depends on who asks.
func usesGzip(w http.ResponseWriter, size int) bool {
	c, ok := w.(compressing)
	if !ok || size < leastCompressed {
		return false
	}
	w.Header().Set("Vary", "Accept-Encoding")
	return c.gzip
}

// tagFor is the representation's tag in the form in which an answer of 200 sends it.
func (p representation) tagFor(w http.ResponseWriter) string {
	if usesGzip(w, len(p.body)) {
		return coding.Tag(p.tag)
	}
	return p.tag
}
