// Package framing refuses HTTP/1 requests that say in two ways how long their
// body is. A proxy and a server that believe different ones of them disagree on
// where the next request begins, which is how requests are smuggled.
//
// net/http drops a Content-Length that stands beside a Transfer-Encoding before
// any handler sees the request. So the bytes of a connection are watched on their
// way into it.
package framing

import (
	"bytes"
	"errors"
	"net/http"
	"strconv"
	"strings"
)

// ErrAmbiguous is what a connection's reader gets in the place of a request that
// says in two ways how long it is. net/http answers 400 and closes the connection.
var ErrAmbiguous = errors.New("the request says in two ways how long it is")

// keptLine is how much is kept of a line: those that matter are shorter.
const keptLine = 64

// lengthDigits bounds a Content-Length, so that it fits an int64.
const lengthDigits = 18

// watcher follows the bytes of a connection from request to request.
type watcher struct {
	state   state
	line    []byte // of the header, its beginning
	cut     bool   // the line is longer than what is kept of it
	old     bool   // the request is not of HTTP/1.1
	length  int64  // of the body, what is to come of it
	lengths bool   // the header has a Content-Length
	chunked bool   // the header has a Transfer-Encoding
	refused bool
}

type state int

const (
	between state = iota // the line breaks that may stand before a request
	request              // the request line
	header
	body
	// unknown is behind a Transfer-Encoding: nothing else is read of the
	// connection, see LastWhenChunked.
	unknown
)

// scanBytes reads what the connection has brought and returns how much of it may be
// passed on: all of it, or what comes before the line that makes a request
// ambiguous.
func (w *watcher) scanBytes(b []byte) int {
	passed := 0
	for passed < len(b) && !w.refused {
		rest := b[passed:]
		switch w.state {
		case unknown:
			return len(b)
		case body:
			n := min(w.length, int64(len(rest)))
			passed += int(n)
			if w.length -= n; w.length == 0 {
				w.state = between
			}
		case between:
			if rest[0] == '\r' || rest[0] == '\n' {
				passed++
				continue
			}
			w.state, w.lengths, w.chunked, w.length = request, false, false, 0
		case request, header:
			n, ended := w.keepLine(rest)
			if ended && !w.endLine() {
				w.refused = true
				return passed
			}
			passed += n
		}
	}
	return passed
}

// keepLine adds to the line, up to its end.
func (w *watcher) keepLine(b []byte) (n int, ended bool) {
	n = bytes.IndexByte(b, '\n') + 1
	ended = n > 0
	if !ended {
		n = len(b)
	}
	if w.state == request { // its version stands at its end
		w.line = append(w.line, b[max(0, n-keptLine):n]...)
		w.line = append(w.line[:0], w.line[max(0, len(w.line)-keptLine):]...)
		return n, ended
	}
	room := keptLine - len(w.line)
	w.cut = w.cut || n > room
	w.line = append(w.line, b[:min(n, room)]...)
	return n, ended
}

// endLine reads a whole line. It returns false when the request is ambiguous.
func (w *watcher) endLine() bool {
	line, cut := bytes.TrimSuffix(bytes.TrimSuffix(w.line, []byte("\n")), []byte("\r")), w.cut
	w.line, w.cut = w.line[:0], false
	if w.state == request {
		w.state, w.old = header, !bytes.HasSuffix(line, []byte(" HTTP/1.1"))
		return true
	}
	if len(line) == 0 {
		w.endHeader()
		return true
	}
	if line[0] == ' ' || line[0] == '\t' {
		return false // a line that goes on with the one before, which no client sends any more
	}
	name, value, _ := bytes.Cut(line, []byte(":"))
	switch {
	case strings.EqualFold(string(name), "Transfer-Encoding"):
		w.chunked = true
	case strings.EqualFold(string(name), "Content-Length"):
		if cut || !w.readLength(string(bytes.Trim(value, " \t"))) {
			return false
		}
	}
	return !w.chunked || !w.lengths && !w.old // before 1.1 there was no such coding, and net/http reads no body there
}

// readLength reads a Content-Length. Several may stand in a header if they are
// the same.
func (w *watcher) readLength(text string) bool {
	n, err := strconv.ParseUint(text, 10, 63)
	if err != nil || len(text) > lengthDigits || w.lengths && int64(n) != w.length {
		return false
	}
	w.length, w.lengths = int64(n), true
	return true
}

func (w *watcher) endHeader() {
	switch {
	case w.chunked:
		w.state = unknown
	case w.length > 0:
		w.state = body
	default:
		w.state = between
	}
}

// LastWhenChunked lets a request with a Transfer-Encoding be the last of its
// connection: where it ends is not watched.
func LastWhenChunked(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor == 1 && len(r.TransferEncoding) > 0 {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}
