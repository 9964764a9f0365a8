package response

import (
	"net/http"

	"github.com/assayhq/assay/apiserver/coding"
)

// leastCompressed is the size in bytes of the smallest text that is worth compressing.
const leastCompressed = 1 << 10

// NegotiateCompression allows responses to be compressed if the client accepts gzip.
func NegotiateCompression(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
	writer := Of(w)
	writer.compression = uncompressed
	if coding.AcceptsGzip(r.Header) {
		writer.compression = gzipped
	}
	return writer
}

// usesGzip reports whether a 200 response of that many bytes is sent compressed. It informs
// caches if that depends on the client.
func usesGzip(w http.ResponseWriter, size int) bool {
	writer, ok := w.(*Writer)
	if !ok || writer.compression == uncompressible || size < leastCompressed {
		return false
	}
	w.Header().Set("Vary", "Accept-Encoding")
	return writer.compression == gzipped
}

// tagFor returns the representation's tag in the form that a 200 response has.
func (p Representation) tagFor(w http.ResponseWriter) string {
	if usesGzip(w, len(p.Body)) {
		return coding.Tag(p.Tag)
	}
	return p.Tag
}
