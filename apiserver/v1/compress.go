package v1

import (
	"net/http"

	"github.com/assayhq/assay/apiserver/coding"
	"github.com/assayhq/assay/apiserver/response"
)

// leastCompressed is the size in bytes of the smallest text that is worth compressing.
const leastCompressed = 1 << 10

// negotiateCompression allows responses to be compressed if the client accepts gzip.
func negotiateCompression(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
	writer := response.Of(w)
	writer.Compression = response.Plain
	if coding.AcceptsGzip(r.Header) {
		writer.Compression = response.Gzip
	}
	return writer
}

// usesGzip reports whether a 200 response of that many bytes is sent compressed. It informs
// caches if that depends on the client.
func usesGzip(w http.ResponseWriter, size int) bool {
	writer, ok := w.(*response.Writer)
	if !ok || writer.Compression == response.Fixed || size < leastCompressed {
		return false
	}
	w.Header().Set("Vary", "Accept-Encoding")
	return writer.Compression == response.Gzip
}

// tagFor returns the representation's tag in the form that a 200 response has.
func (p representation) tagFor(w http.ResponseWriter) string {
	if usesGzip(w, len(p.body)) {
		return coding.Tag(p.tag)
	}
	return p.tag
}
