// Package coding compresses responses for clients that accept it (RFC 9110, 8.4).
package coding

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

// AcceptsGzip reports whether the Accept-Encoding header asks for gzip.
func AcceptsGzip(header http.Header) bool {
	for element := range strings.SplitSeq(strings.Join(header.Values("Accept-Encoding"), ","), ",") {
		coding, weight, weighted := strings.Cut(element, ";")
		if !strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			continue
		}
		name, text, _ := strings.Cut(weight, "=")
		quality, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		return !weighted || err == nil && quality > 0 && strings.EqualFold(strings.TrimSpace(name), "q")
	}
	return false
}

// Tag returns the strong entity tag of the gzip representation. Its bytes differ from those of
// the representation with the given tag, so its tag must differ, too (RFC 9110, 8.8.3).
func Tag(tag string) string { return strings.TrimSuffix(tag, `"`) + `-gzip"` }

// zippers are reused, because each takes more than half a megabyte.
var zippers = sync.Pool{New: func() any {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // only fails for unknown levels
	return w
}}

// Gzip compresses what is sent once, fast rather than well.
func Gzip(body []byte) []byte {
	w := zippers.Get().(*gzip.Writer)
	text := compressBody(w, body)
	w.Reset(io.Discard) // does not keep the response in memory
	zippers.Put(w)
	return text
}

// GzipBest compresses what is kept for many responses.
func GzipBest(body []byte) []byte {
	w, _ := gzip.NewWriterLevel(nil, gzip.BestCompression) // only fails for unknown levels
	return compressBody(w, body)
}

func compressBody(w *gzip.Writer, body []byte) []byte {
	var text bytes.Buffer
	w.Reset(&text)
	_, _ = w.Write(body) // a buffer never fails
	_ = w.Close()
	return text.Bytes()
}
